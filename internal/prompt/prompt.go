// Package prompt says to an agent, before it begins, what a contract expects and in which form it reports.
//
// It decides how a contract reads as instructions, and where such a block stands in a file of instructions. The
// contract's own texts are trusted to say what the repository asks for, and are still kept from ending a line, a code
// span or the block. The same contract gives the same bytes, at most MaxBlock of them. It reads and writes nothing.
package prompt

import (
	"fmt"
	"path"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/render"
	"github.com/outcome-gate/outcome-gate/internal/report"
)

// Target is for whom instructions are written. The zero value is none.
type Target string

// The targets.
const (
	Agents   Target = "agents"   // AGENTS.md, which Codex, Copilot and others read
	Claude   Target = "claude"   // CLAUDE.md
	Copilot  Target = "copilot"  // .github/copilot-instructions.md
	Delegate Target = "delegate" // the text of a task that is handed to another agent
)

// Targets are all targets, in alphabetical order.
func Targets() []string {
	return []string{string(Agents), string(Claude), string(Copilot), string(Delegate)}
}

// TargetOf is the target that a file of instructions is for, by its name.
func TargetOf(file string) Target {
	switch path.Base(file) {
	case "CLAUDE.md", "CLAUDE.local.md":
		return Claude
	case "copilot-instructions.md":
		return Copilot
	}
	return Agents
}

// Bounds in bytes. A runtime may cut a file of instructions at 32 KiB, and a block shares it with others.
const (
	MaxBlock    = 24 << 10
	maxOutcomes = 12 << 10
	maxSchema   = 8 << 10
)

// Options are what a block is made of.
type Options struct {
	Target   Target
	Path     string // the contract's, slash separated and relative to the repository's top folder
	Contract *contract.Contract
	// Schema is the contract's own schema of reports, if it names one; nil is the published one.
	Schema []byte
}

// Text is the instructions: with a heading and between the marks for a file, plain for a delegate. It ends in a line break.
func Text(o Options) string {
	var b strings.Builder
	if o.Target == Delegate {
		b.WriteString("Your work is judged by an outcome contract, against what is observed and not against what you say. It expects:\n\n")
	} else {
		b.WriteString(Begin + "\n## What a change has to deliver\n\n")
		fmt.Fprintf(&b, "Every pull request is judged by the outcome contract of the trusted branch, %s, against what is observed and not\nagainst what is said. It expects:\n\n",
			render.Code(o.Path))
	}
	b.WriteString(outcomes(o.Contract))
	b.WriteString("\n" + before(o.Target) + "\n")
	fmt.Fprintf(&b, "Do not commit result files unless an outcome above says so: they count as stale. Changes to the contract and to %s\nwait for a person.\n\n", protected(o.Contract))
	if o.Target != Delegate {
		b.WriteString("### The report\n\n")
	}
	b.WriteString(place(o.Target, o.Contract))
	b.WriteString("The outcome is `succeeded`, `failed` or `blocked` (something outside of your reach is missing). Each item of `evidence` says what\n" +
		"you ran and what it printed; `failing` lists what still fails, and is empty with `succeeded`. A report never makes up for\n" +
		"evidence that is missing, and an honest `failed` or `blocked` is a good report.\n\n")
	b.WriteString(schema(&o))
	if o.Target != Delegate {
		b.WriteString(End + "\n")
	}
	return b.String()
}

// before is what to do before work is called done.
func before(t Target) string {
	text := "Before you say that work is done, make this evidence anew, after your last change of a source, and run `gate check` if it is\n" +
		"installed: it names what is missing and who acts next. Evidence is what a command wrote, never what you write by hand.\n"
	switch t {
	case Claude:
		text += "Where a hook holds you back with `gate`'s answer, the answer is the contract's: repair what it names, or report `failed`.\n"
	case Copilot:
		text += "Workflows on your pull request may wait until a person lets them run: then nothing is verified yet.\n"
	case Agents, Delegate:
	}
	return text
}

// protected names the paths that no change may touch by itself.
func protected(c *contract.Contract) string {
	paths := append(contract.AlwaysProtected(), c.ProtectedPaths...)
	shown := make([]string, 0, len(paths))
	size := 0
	for i, p := range paths {
		if size += len(p); size > maxPaths {
			shown = append(shown, render.Many(len(paths)-i, "more path"))
			break
		}
		shown = append(shown, render.Code(p))
	}
	return strings.Join(shown, ", ")
}

// maxPaths bounds the protected paths that are named, in bytes.
const maxPaths = 1500

// place says where the report goes.
func place(t Target, c *contract.Contract) string {
	const object = "one JSON object in a fenced block labelled `outcome`"
	if t == Delegate {
		return "Your last message is your report: " + object + ", and nothing else that could be taken for one.\n"
	}
	where := ""
	for _, carrier := range c.Report.Carriers {
		switch carrier {
		case "body":
			where = "End the pull request's description with a report of what you observed yourself: " + object + ".\n"
		case "comment":
			if where == "" {
				where = "Write a comment on the pull request with a report of what you observed yourself: " + object + ".\n"
			}
		case "file":
			if where == "" {
				where = "Write a report of what you observed yourself to `.agent/outcome.json`: one JSON object.\n"
			}
		}
	}
	if where == "" {
		where = "End your last message with a report of what you observed yourself: " + object + ".\n"
	}
	if c.Report.BindCommit {
		where += "It names the commit that it is about, the pull request's newest one.\n"
	}
	return where
}

// schema shows the schema of reports, whole or not at all.
func schema(o *Options) string {
	data, own := o.Schema, true
	if data == nil {
		data, own = report.Schema(), false
	}
	text := asciiControls(strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n")))
	if len(text) > maxSchema {
		return "Its JSON Schema is " + render.Code(o.Contract.Report.Schema) + " of the trusted branch, too long to be shown here.\n"
	}
	head := "Its JSON Schema:\n\n"
	if own {
		head = "Its JSON Schema, " + render.Code(o.Contract.Report.Schema) + " of the trusted branch:\n\n"
	}
	return head + "```json\n" + text + "\n```\n"
}
