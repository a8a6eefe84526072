// Package setup plans what gate init writes: a workflow that runs a repository's tests and the gate, the contract for
// it, a block of instructions for agents, and the completion hook of an agent's runtime.
//
// It decides from facts that an edge collected: the names of the repository's files, and the contents of those that
// Wanted asks for. It trusts none of them. A name or a value from the repository gets into what is planned only if it
// is made of a few harmless characters, and no script ever does: commands are this package's own, and call a script by
// the name that its package manager gives it. It reads and writes nothing, and overwrites in its plan only what it
// wrote itself.
package setup

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/contract"
)

// Where the planned files lie, slash separated and relative to the repository's top folder.
const (
	WorkflowPath = ".github/workflows/outcome-gate.yml"
	ContractPath = ".github/outcome-contract.yml"
	AgentsPath   = "AGENTS.md"
)

// maxSuites bounds the plan: a job of more steps than a person reads is better written by one.
const maxSuites = 20

// Facts is what was seen of a repository. Paths are slash separated and relative to its top folder.
type Facts struct {
	Paths  []string          // regular files, in any order
	Files  map[string][]byte // the contents of those that Wanted names
	Unread map[string]string // what is there and was not read, such as a symbolic link, and why
	Cut    bool              // there are more files than were looked at
}

// Options are what a person chose.
type Options struct {
	Isolated bool // the layout of two workflows
	NoAgents bool // leave AGENTS.md and its kin alone
	// Agent is the agent whose completion hook and instructions are planned, one of HookAgents; "" is none. Where there is a
	// contract already, nothing else is.
	Agent string
	Kinds []contract.Kind // that contracts may name
}

// Plan is what to write.
type Plan struct {
	Suites []Suite
	Files  []File
	Notes  []string // what a person should know, one sentence each
}

// File is one planned file: Before is nil if there is none yet.
type File struct {
	Path          string
	Before, After []byte
}

// Change is "created", "updated" or "unchanged".
func (f *File) Change() string {
	switch {
	case f.Before == nil:
		return "created"
	case bytes.Equal(f.Before, f.After):
		return "unchanged"
	}
	return "updated"
}

// Refusal is an error with the one thing to try.
type Refusal struct{ Reason, Hint string }

// Error is the reason.
func (r *Refusal) Error() string { return r.Reason }

// Make plans the files for a repository. The error is a *Refusal.
func Make(facts *Facts, opts Options) (*Plan, error) {
	h := hookOf(opts.Agent)
	if h != nil && ExistingContract(facts) != "" {
		return addAgent(facts, &opts)
	}
	if err := targets(facts, opts); err != nil {
		return nil, err
	}
	r := newRepo(facts)
	suites := r.suites()
	if len(suites) == 0 {
		return nil, &Refusal{
			Reason: "no tests were found that can be run by a known command",
			Hint:   "write the workflow of docs/action.md and a contract by hand: docs/contract.md",
		}
	}
	p := &Plan{Suites: suites}
	type planned struct{ path, body string }
	files := []planned{{WorkflowPath, workflowText(suites)}, {ContractPath, contractText(suites, false)}}
	if opts.Isolated {
		files = []planned{{WorkflowPath, apartText()}, {ContractPath, contractText(suites, true)}, {EvidencePath, evidenceText(suites)}}
	}
	for _, f := range files {
		after, err := marked(f.path, facts.Files[f.path], f.body)
		if err != nil {
			return nil, err
		}
		p.Files = append(p.Files, File{Path: f.path, Before: facts.Files[f.path], After: after})
	}
	if err := p.instruct(facts, &opts, ContractPath, p.Files[1].After, h); err != nil {
		return nil, err
	}
	if h != nil {
		if err := p.addHook(facts, h); err != nil {
			return nil, err
		}
	}
	r.remarks(suites, opts.Isolated)
	p.Notes = append(r.notes, p.Notes...)
	return p, nil
}

// targets refuses places that cannot be written, and a gate that is there already.
func targets(facts *Facts, opts Options) error {
	places := []string{WorkflowPath, ContractPath}
	if opts.Isolated {
		places = append(places, EvidencePath)
	}
	if !opts.NoAgents {
		places = append(places, AgentsPath)
	}
	for _, place := range places {
		if err := writable(facts, place); err != nil {
			return err
		}
	}
	for _, other := range []string{".github/outcome-contract.yaml", ".github/outcome-contract.json"} {
		if slices.Contains(facts.Paths, other) || facts.Unread[other] != "" {
			return &Refusal{Reason: "there is a contract already: " + other, Hint: "edit it by hand, and see: gate contract lint"}
		}
	}
	for _, w := range workflows(facts) {
		if w != WorkflowPath && usesGate(facts.Files[w]) {
			return &Refusal{Reason: fmt.Sprintf("the workflow %s runs the gate already", w), Hint: "edit it by hand; two gates would answer every pull request"}
		}
	}
	return nil
}

// writable refuses a place that is no regular file, or lies below what is no folder.
func writable(facts *Facts, place string) error {
	for p := place; p != "."; p = path.Dir(p) {
		if why := facts.Unread[p]; why != "" {
			hint := "put a regular file or folder there, or move it away"
			if place == AgentsPath || place == claudeFile || place == copilotFile {
				hint += "; or leave it alone with --no-agents"
			}
			return &Refusal{Reason: fmt.Sprintf("write %s: %s is %s", place, p, why), Hint: hint}
		}
		if p != place && slices.Contains(facts.Paths, p) {
			return &Refusal{Reason: fmt.Sprintf("write %s: %s is a file", place, p), Hint: "move it away"}
		}
	}
	return nil
}

// workflows are the paths of the repository's workflow files, in order.
func workflows(facts *Facts) []string {
	var out []string
	for _, p := range facts.Paths {
		if isWorkflow(p) {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

// usesGate looks for a step that uses the gate's action.
func usesGate(workflow []byte) bool {
	for line := range strings.Lines(string(workflow)) {
		rest, ok := strings.CutPrefix(strings.TrimLeft(line, " \t-"), "uses:")
		if ok && strings.HasPrefix(strings.Trim(rest, " \t\"'"), "outcome-gate/outcome-gate@") {
			return true
		}
	}
	return false
}
