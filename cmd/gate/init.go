package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/render"
	"github.com/outcome-gate/outcome-gate/internal/setup"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// initFlags are the flags of gate init.
type initFlags struct {
	workspace, format       string
	agent                   string
	isolated, dryRun, agree bool
	noAgents                bool
}

func initCommand(m *outside) *cobra.Command {
	var f initFlags
	c := &cobra.Command{
		Use:   "init",
		Short: "Write a workflow and a contract for a repository",
		Long: `init looks at a repository's languages, test commands and workflows, and writes

  ` + setup.WorkflowPath + `   a workflow that runs the tests and the gate
  ` + setup.ContractPath + `        the contract, in mode: observe, an outcome for each set of tests
  ` + setup.AgentsPath + `                            a block between marks that tells agents of it

With --isolated the tests run in a workflow of their own, ` + setup.EvidencePath + `,
which may only read, and the gate's workflow runs from the default branch.

With --agent it adds the hook that asks the contract when the agent wants to stop, and the instructions that its runtime
reads; what else is in those files stays. Where there is a contract already, it adds nothing else.

It shows the change first and asks on a terminal. Files that it did not write, or that were edited since, and symbolic
links stay as they are; of AGENTS.md only its own block changes. It runs nothing of the repository.

Exit codes: 0 done, or nothing to do; 1 declined; 2 usage; 3 could not.`,
		Example: `  gate init --dry-run
  gate init
  gate init --yes --no-agents
  gate init --agent claude`,
		Args: takes(0, 0, ""),
		RunE: func(*cobra.Command, []string) error { return m.init(&f) },
	}
	formatFlag(c, &f.format, "text", "json")
	fl := c.Flags()
	fl.StringVar(&f.workspace, "workspace", ".", "the repository's top `DIR`")
	fl.BoolVar(&f.dryRun, "dry-run", false, "show the change and write nothing")
	fl.BoolVar(&f.agree, "yes", false, "write without asking")
	fl.BoolVar(&f.isolated, "isolated", false, "the layout of two workflows: one runs the tests, one judges them from the default branch")
	fl.BoolVar(&f.noAgents, "no-agents", false, "leave AGENTS.md and its kin alone")
	fl.StringVar(&f.agent, "agent", "", "add the completion hook and the instructions of `AGENT`: "+strings.Join(setup.HookAgents(), ", "))
	return c
}

// init is gate init.
func (m *outside) init(f *initFlags) error {
	if f.dryRun && f.agree {
		return usageError("leave one of them out", "gate init: --dry-run and --yes exclude each other")
	}
	if f.format == "json" && !f.dryRun && !f.agree {
		return usageError("add --yes or --dry-run", "gate init: --format json cannot ask")
	}
	if f.agent != "" && !slices.Contains(setup.HookAgents(), f.agent) {
		return usageError("agents: "+strings.Join(setup.HookAgents(), ", "), "gate init: no hook is known for the agent %q", f.agent)
	}
	top := m.path(f.workspace)
	if _, err := os.Lstat(filepath.Join(top, ".git")); err != nil {
		return usageError("run it in the repository's top folder, or name that with --workspace",
			"gate init: %s is not the top folder of a git repository", f.workspace)
	}
	done := m.progress("looking at the repository")
	facts, err := lookAround(top)
	done()
	if err != nil {
		return fmt.Errorf("look at %s: %w", f.workspace, err)
	}
	plan, err := setup.Make(facts, setup.Options{Isolated: f.isolated, NoAgents: f.noAgents, Agent: f.agent, Kinds: gate.ContractKinds()})
	if err != nil {
		return refused(err)
	}
	if err := lintPlan(plan); err != nil {
		return err
	}
	if f.format == "text" {
		if err := m.showPlan(plan); err != nil {
			return err
		}
	}
	written, err := m.settle(top, plan, f)
	if err != nil {
		return err
	}
	if f.format == "json" {
		return m.writeJSON(planAnswer(plan, written))
	}
	return nil
}

// refused turns a refusal into a failure with its exit code.
func refused(err error) error {
	var r *setup.Refusal
	if !errors.As(err, &r) {
		return err
	}
	return &failure{verdict.ExitCannotLook, fmt.Errorf("gate init: %w", err), r.Hint}
}

// lintPlan holds the planned contract to the reader, so that none is written that the gate would refuse.
func lintPlan(plan *setup.Plan) error {
	for i := range plan.Files {
		if p := &plan.Files[i]; p.Path == setup.ContractPath {
			if _, problems := contract.Parse(p.Path, p.After, gate.ContractKinds()); len(problems.Mistakes()) > 0 {
				return fmt.Errorf("gate init: the planned contract is not valid: %s", problems.Mistakes()[0].String())
			}
		}
	}
	return nil
}

// changes are the files that the plan changes.
func changes(plan *setup.Plan) []*setup.File {
	var out []*setup.File
	for i := range plan.Files {
		if plan.Files[i].Change() != "unchanged" {
			out = append(out, &plan.Files[i])
		}
	}
	return out
}

// settle writes the plan if it is agreed to, and says whether it did.
func (m *outside) settle(top string, plan *setup.Plan, f *initFlags) (written bool, err error) {
	todo := changes(plan)
	switch {
	case len(todo) == 0:
		m.say("everything is up to date")
		return false, nil
	case f.dryRun:
		m.say("nothing was written: --dry-run")
		return false, nil
	case !f.agree && !m.asks:
		return false, usageError("add --yes to write them, or --dry-run", "gate init: standard input is no terminal, so nobody can be asked")
	case !f.agree:
		yes, err := m.ask("Write these files?")
		if err != nil {
			return false, err
		}
		if !yes {
			m.say("nothing was written")
			return false, answer(exitFound)
		}
	}
	for _, file := range todo {
		if err := writePlanned(top, file); err != nil {
			return false, fmt.Errorf("write %s: %w", file.Path, err)
		}
		m.say("%s %s", file.Change(), file.Path)
	}
	m.say("next: bring them to the default branch, which the gate reads its contract from")
	return true, nil
}

// ask asks on the terminal. Only a yes is one.
func (m *outside) ask(question string) (bool, error) {
	m.talk("%s [y/N] ", question)
	line, err := bufio.NewReader(io.LimitReader(m.stdin, maxReply)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("read the reply: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	}
	return false, nil
}

// maxReply bounds a reply in bytes: it is a word.
const maxReply = 100

// showPlan shows what was found and what changes.
func (m *outside) showPlan(plan *setup.Plan) error {
	rows := [][]string{{"OUTCOME", "IN", "RUNS", "RESULTS"}}
	for _, s := range plan.Suites {
		results := "how the step ends"
		if s.Results != "" {
			results = s.Results + " (" + s.Format + ")"
		}
		rows = append(rows, []string{s.Outcome, s.Dir, s.Command, results})
	}
	text := ""
	if len(plan.Suites) > 0 {
		text = render.Table(rows) + "\n"
	}
	for _, n := range plan.Notes {
		text += "note: " + render.Visible(n) + "\n"
	}
	if len(plan.Notes) > 0 {
		text += "\n"
	}
	shown, err := plan.Diff()
	if err != nil {
		return fmt.Errorf("compare the files: %w", err)
	}
	for line := range strings.Lines(shown) {
		text += m.paintDiff(strings.TrimSuffix(line, "\n")) + "\n"
	}
	return m.write([]byte(text))
}

// paintDiff is a line of a diff, inert, coloured by its first character on a terminal.
func (m *outside) paintDiff(line string) string {
	shown := render.Visible(line)
	if !m.painted() || line == "" {
		return shown
	}
	switch line[0] {
	case '+':
		return "\x1b[32m" + shown + "\x1b[0m"
	case '-':
		return "\x1b[31m" + shown + "\x1b[0m"
	case '@':
		return "\x1b[36m" + shown + "\x1b[0m"
	}
	return shown
}

// initAnswer is the answer of gate init.
type initAnswer struct {
	Written bool          `json:"written"`
	Files   []initFile    `json:"files"`
	Suites  []setup.Suite `json:"suites"`
	Notes   []string      `json:"notes"`
}

type initFile struct {
	Path    string `json:"path"`
	Change  string `json:"change"` // created, updated or unchanged
	Content string `json:"content"`
}

func planAnswer(plan *setup.Plan, written bool) *initAnswer {
	a := &initAnswer{Written: written, Suites: plan.Suites, Notes: append([]string{}, plan.Notes...)}
	for i := range plan.Files {
		f := &plan.Files[i]
		a.Files = append(a.Files, initFile{Path: f.Path, Change: f.Change(), Content: string(f.After)})
	}
	return a
}
