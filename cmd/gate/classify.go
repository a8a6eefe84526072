package main

import (
	"fmt"
	"strconv"

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
	Report   *report.Report  `json:"report"`
	Errors   []string        `json:"errors"`
	Explain  string          `json:"explain,omitempty"`
}

func classifyCommand(m *outside) *cobra.Command {
	var exit exitFlag
	var wrapper string
	c := &cobra.Command{
		Use:   "classify [FILE|-]",
		Short: "Classify the text of an agent's report",
		Long: `classify finds the report in a text and gives its class as JSON: a claim, never evidence. A report is a fenced
block labelled outcome, or a text that is one JSON object: gate schema report.

Exit codes: 0 LIVE, 4 still_working, 1 every other class, 2 usage, 3 could not read.`,
		Example: `  gate classify report.md
  my-agent | gate classify --agent-exit 0`,
		Annotations: map[string]string{answersJSON: "always"},
		Args:        takes(0, 1, ""),
		RunE: func(_ *cobra.Command, args []string) error {
			if wrapper != "auto" && wrapper != "none" {
				return usageError("wrappers: auto, none", "gate classify: there is no wrapper %q", wrapper)
			}
			path := "-"
			if len(args) == 1 {
				path = args[0]
			}
			text, err := m.readReport(path)
			if err != nil {
				return err
			}
			return m.classify(string(text), exit.status)
		},
	}
	c.Flags().Var(&exit, "agent-exit", "exit status of the agent, `N` from 0 to 255")
	c.Flags().StringVar(&wrapper, "wrapper", "auto", "`WRAPPER` of the text: auto, none")
	return c
}

func (m *outside) classify(text string, exit *int) error {
	reading := report.Read([]report.Text{{Carrier: "input", Body: text}}, report.Options{})
	facts := verdict.FactsOf(reading)
	facts.Exit = exit
	if r := reading.Report; r != nil {
		facts.Commit = verdict.RelationOf(r.Commit, "", "", nil)
	}
	class := verdict.Classify(facts)
	out := classified{
		Verdict: class.Verdict, Reason: class.Reason, MayRetry: class.MayRetry,
		Report: reading.Report, Errors: append([]string{}, reading.Errors...), Explain: render.ReportHelp(class.Reason, facts),
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
