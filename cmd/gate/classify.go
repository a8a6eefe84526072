package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outcome-gate/outcome-gate/internal/render"
	"github.com/outcome-gate/outcome-gate/internal/report"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// exitFlag is an exit status from 0 to 255, or none.
type exitFlag struct{ status *int }

// String is the flag's value.
func (e *exitFlag) String() string {
	if e.status == nil {
		return ""
	}
	return strconv.Itoa(*e.status)
}

// Type names the value in help texts.
func (e *exitFlag) Type() string { return "N" }

// Set takes decimal digits only.
func (e *exitFlag) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 8)
	if err != nil {
		return fmt.Errorf("%q is no exit status from 0 to 255", s)
	}
	status := int(n)
	e.status = &status
	return nil
}

// classified is the answer of gate classify.
type classified struct {
	Verdict  verdict.Verdict `json:"verdict"`
	Reason   verdict.Reason  `json:"reason"`
	MayRetry bool            `json:"may_retry"`
	Wrapper  string          `json:"wrapper,omitempty"` // in whose form the text was
	Runtime  report.Runtime  `json:"runtime,omitempty"` // what the agent's runtime said
	Report   *report.Report  `json:"report"`
	Errors   []string        `json:"errors"`
	Exits    []report.Exit   `json:"exits,omitempty"` // of commands that the runtime tells of: claims
	Explain  string          `json:"explain,omitempty"`
}

// classifyFlags say what is known besides the text.
type classifyFlags struct {
	exit           exitFlag
	wrapper        string
	draft          bool
	head           string
	task, dispatch string
}

func classifyCommand(m *outside) *cobra.Command {
	var f classifyFlags
	c := &cobra.Command{
		Use:   "classify [FILE|-]",
		Short: "Classify the text of an agent's report",
		Long: `classify finds the report in a text and gives its class as JSON: a claim, never evidence. A report is a fenced
block labelled outcome, or a text that is one JSON object: gate schema report.

Runtimes hand back the agent's text in forms of their own. --wrapper auto knows them by their members:

` + wrapperList() + `
  none     The text as it is.

With the name of one, a text of any other form is a broken report. In a contract, report.carriers names them.

Exit codes: 0 LIVE, 4 still_working, 1 every other class, 2 usage, 3 could not read.`,
		Example: `  gate classify report.md
  my-agent | gate classify --agent-exit 0
  codex exec --json "$TASK" | gate classify --wrapper codex`,
		Annotations: map[string]string{answersJSON: "always"},
		Args:        takes(0, 1, ""),
		RunE: func(_ *cobra.Command, args []string) error {
			if names := wrapperNames(); !slices.Contains(names, f.wrapper) {
				return usageError("wrappers: "+strings.Join(names, ", "), "gate classify: there is no wrapper %q", f.wrapper)
			}
			if f.head != "" && !commitName(f.head) {
				return usageError("write the 40 hex digits that git rev-parse prints", "gate classify: --head %q is no commit's whole name", f.head)
			}
			path := "-"
			if len(args) == 1 {
				path = args[0]
			}
			text, err := m.readReport(path)
			if err != nil {
				return err
			}
			return m.classify(string(text), &f)
		},
	}
	fl := c.Flags()
	fl.Var(&f.exit, "agent-exit", "exit status of the agent, `N` from 0 to 255")
	fl.StringVar(&f.wrapper, "wrapper", "auto", "`WRAPPER` of the text: "+strings.Join(wrapperNames(), ", "))
	fl.BoolVar(&f.draft, "draft", false, "the pull request is a draft, or titled as work in progress")
	fl.StringVar(&f.head, "head", "", "the judged commit's whole name, `SHA`: a report that names another one is stale")
	fl.StringVar(&f.task, "task-id", "", "the task `ID` that the report must name, if it names one")
	fl.StringVar(&f.dispatch, "dispatch-id", "", "the dispatch `ID` that the report must name, if it names one")
	return c
}

// wrapperNames are the values of --wrapper.
func wrapperNames() []string {
	names := []string{"auto"}
	for _, w := range report.Wrappers() {
		names = append(names, w.Name)
	}
	return append(names, report.Unwrapped)
}

// wrapperList is a line of help for each wrapper.
func wrapperList() string {
	var lines []string
	for _, w := range report.Wrappers() {
		lines = append(lines, fmt.Sprintf("  %-8s %s", w.Name, w.Doc))
	}
	return strings.Join(lines, "\n")
}

// commitName says whether s is the whole name of a commit, in SHA-1 or SHA-256.
func commitName(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

func (m *outside) classify(text string, f *classifyFlags) error {
	var opts report.Options
	if f.wrapper != "auto" {
		opts.Wrapper = f.wrapper
	}
	reading := report.Read([]report.Text{{Carrier: "input", Body: text}}, opts)
	facts := verdict.FactsOf(reading)
	facts.Exit, facts.Draft = f.exit.status, f.draft
	if r := reading.Report; r != nil {
		facts.Commit = verdict.RelationOf(r.Commit, f.head, "", nil)
		facts.OtherTask = verdict.OtherTask(r, f.task, f.dispatch)
	}
	class := verdict.Classify(facts)
	out := classified{
		Verdict: class.Verdict, Reason: class.Reason, MayRetry: class.MayRetry, Wrapper: reading.Wrapper, Runtime: reading.Runtime,
		Report: reading.Report, Errors: append([]string{}, reading.Errors...), Exits: reading.Exits, Explain: render.ReportHelp(class.Reason, facts),
	}
	if err := m.writeJSON(out); err != nil {
		return err
	}
	switch {
	case class.Verdict == verdict.Live:
		return nil
	case class.Reason == verdict.StillWorking:
		return answer(verdict.ExitWait)
	}
	return answer(verdict.ExitBlock)
}
