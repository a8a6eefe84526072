package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outcome-gate/outcome-gate/internal/demo"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/render"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// demoAnswer is the answer of gate demo.
type demoAnswer struct {
	Cases           []demoCase `json:"cases"`
	TerminalAccepts int        `json:"terminal_rule_accepts"`
	Verified        int        `json:"contract_verifies"`
	Rejected        int        `json:"contract_rejects"`
	AsExpected      bool       `json:"as_expected"`
}

type demoCase struct {
	Name            string          `json:"name"`
	About           string          `json:"about"`
	TerminalStatus  string          `json:"terminal_status"`
	TerminalAccepts bool            `json:"terminal_rule_accepts"`
	State           evidence.State  `json:"state"`
	Code            string          `json:"code"`
	Verdict         verdict.Verdict `json:"verdict"`
	Reason          verdict.Reason  `json:"reason"`
	Result          verdict.Result  `json:"result"`
	Title           string          `json:"title"`
	AsExpected      bool            `json:"as_expected"`
	Dir             string          `json:"dir,omitempty"` // with --keep
}

// What the six runs must come to, besides the state of each one.
const (
	demoTerminalAccepts = 6
	demoVerified        = 2
)

func demoCommand(m *outside) *cobra.Command {
	var format, keep string
	c := &cobra.Command{
		Use:   "demo",
		Short: "Judge six built-in runs that all say that they succeeded",
		Long: `demo builds six runs in a temporary folder, each a workspace with a git repository and a contract. All six ended
with the terminal status completed, exit status 0 and a report that says succeeded. It shows which of them a rule
accepts that trusts the terminal status, and which ones the contract verifies.

Exit codes: 0 as expected, 1 not as expected, 3 could not build or judge.`,
		Example: `  gate demo
  gate demo --keep runs && cd runs/left-over && gate check`,
		Args: takes(0, 0, ""),
		RunE: func(c *cobra.Command, _ []string) error { return m.demo(c.Context(), keep, format) },
	}
	c.Flags().StringVar(&keep, "keep", "", "build the runs in this new `DIR` and leave them there")
	formatFlag(c, &format, "text", "json")
	return c
}

func (m *outside) demo(ctx context.Context, keep, format string) (err error) {
	dir := m.path(keep)
	if keep == "" {
		if dir, err = os.MkdirTemp("", "gate-demo-"); err != nil {
			return fmt.Errorf("build the runs: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	all, err := demo.Run(ctx, dir, version(), m.now)
	if err != nil {
		return err
	}
	out := demoAnswer{AsExpected: true}
	for i := range all {
		k := caseAnswer(&all[i])
		if keep != "" {
			k.Dir = filepath.ToSlash(filepath.Join(keep, k.Name))
		}
		if k.TerminalAccepts {
			out.TerminalAccepts++
		}
		if k.Result == verdict.Pass {
			out.Verified++
		} else {
			out.Rejected++
		}
		out.AsExpected = out.AsExpected && k.AsExpected
		out.Cases = append(out.Cases, k)
	}
	out.AsExpected = out.AsExpected && out.TerminalAccepts == demoTerminalAccepts && out.Verified == demoVerified
	if format == "json" {
		err = m.writeJSON(out)
	} else {
		err = m.write([]byte(m.demoText(&out, keep)))
	}
	if err == nil && !out.AsExpected {
		err = answer(verdict.ExitBlock)
	}
	return err
}

func caseAnswer(o *demo.Outcome) demoCase {
	r := o.Receipt
	k := demoCase{
		Name: o.Case.Name, About: o.Case.About, TerminalStatus: o.Case.Terminal, TerminalAccepts: demo.TrustsTerminal(&o.Case),
		State: o.State(), Verdict: r.Verdict, Reason: r.Reason, Result: r.Result, Title: render.Title(r), AsExpected: o.AsExpected(),
	}
	for i := range r.Outcomes {
		k.Code = r.Outcomes[i].Code
	}
	return k
}

func (m *outside) demoText(a *demoAnswer, keep string) string {
	rows := [][]string{{"RUN", "TERMINAL STATUS", "CONTRACT", "WHAT IS TRUE OF IT"}}
	var rejected []string
	for _, k := range a.Cases {
		said := k.TerminalStatus + ", rejected"
		if k.TerminalAccepts {
			said = k.TerminalStatus + ", accepted"
		}
		state := render.State(&receipt.Outcome{State: k.State, Required: true, Expected: true})
		if !k.AsExpected {
			state += " (not as expected)"
		}
		if k.Result != verdict.Pass {
			rejected = append(rejected, string(k.State))
		}
		rows = append(rows, []string{k.Name, said, state, k.About})
	}
	var b strings.Builder
	b.WriteString("Six runs ended with terminal status completed, exit status 0 and a report that says succeeded.\n\n")
	b.WriteString(render.Table(rows))
	fmt.Fprintf(&b, "\nA rule that trusts the terminal status accepts %d of %d.\n", a.TerminalAccepts, len(a.Cases))
	fmt.Fprintf(&b, "The contract verifies %d and rejects %d: %s.\n", a.Verified, a.Rejected, strings.Join(rejected, ", "))
	if !a.AsExpected {
		b.WriteString("This is not as expected.\n")
	}
	if keep != "" {
		fmt.Fprintf(&b, "\nThe runs are in %s. Judge one yourself: cd %s && gate check\n", render.Line(keep), render.Line(filepath.ToSlash(filepath.Join(keep, a.Cases[3].Name))))
	}
	return b.String()
}
