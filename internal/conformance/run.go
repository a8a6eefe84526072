package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
)

// Result is one scenario that was run.
type Result struct {
	Name    string
	Want    *Expected
	Answer  Answer
	Grade   Grade
	Detail  string           // what differs, or why it could not be run
	Notes   []string         // what the conversion left out
	Receipt *receipt.Receipt // nil where the gate did not run
	// Law says which law of all receipts the answer breaks, "" if none: what is recorded replays, no report raises a
	// verdict, no pass outlives its evidence.
	Law string
}

// Line is the result in one line.
func (r *Result) Line() string {
	want := "?"
	if r.Want != nil {
		want = r.Want.Gate
	}
	switch r.Grade {
	case Inexpressible, Broken:
		return fmt.Sprintf("%s want=%s %s: %s", r.Name, want, r.Grade, r.Detail)
	}
	states := make([]string, 0, len(r.Answer.States))
	for _, id := range slices.Sorted(maps.Keys(r.Answer.States)) {
		states = append(states, id+":"+r.Answer.States[id])
	}
	end := "ok"
	if r.Grade != Right {
		end = fmt.Sprintf("WRONG (%s: %s)", r.Grade, r.Detail)
	}
	return fmt.Sprintf("%s want=%s got=%s reason=%s states=%s %s", r.Name, want, r.Answer.Gate, r.Answer.Reason, strings.Join(states, ","), end)
}

// RunDir runs the scenario of a directory in work, a directory that must not exist yet. It never fails: what could
// not be run is in the result.
func RunDir(ctx context.Context, dir, work string) *Result {
	s, err := Load(dir)
	if err != nil {
		return &Result{Name: dir, Grade: Broken, Detail: err.Error()}
	}
	r := &Result{Name: s.Name, Want: &s.Expected}
	err = r.run(ctx, s, work)
	var lacks *NotExpressible
	switch {
	case errors.As(err, &lacks):
		r.Grade, r.Detail = Inexpressible, lacks.What
	case err != nil:
		r.Grade, r.Detail = Broken, err.Error()
	}
	return r
}

// run builds the scenario, asks the gate, grades its answer and holds the receipt to the laws.
func (r *Result) run(ctx context.Context, s *Scenario, work string) (err error) {
	c, notes, err := s.contracts()
	r.Notes = notes
	if err != nil {
		return err
	}
	b, err := s.build(work, c)
	if err != nil {
		return err
	}
	w, err := b.open(s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if r.Receipt, err = gate.Run(ctx, w.gate()); err != nil {
		return err
	}
	r.Answer = answerOf(r.Receipt)
	if r.Grade, r.Detail = s.Expected.grade(&r.Answer); r.Grade == Right {
		if text := s.sideEffects(r.Receipt); text != "" {
			r.Grade, r.Detail = SideEffect, text
		}
	}
	if r.Law = recorded(r.Receipt); r.Law != "" || r.Answer.Gate != "pass" {
		return nil
	}
	if r.Law, err = w.ceiling(ctx); r.Law != "" || err != nil {
		return err
	}
	r.Law, err = w.spoiled(ctx, r.Receipt)
	return err
}

// contracts gives both versions of the contract in the product's language.
func (s *Scenario) contracts() (contracts, []string, error) {
	var out contracts
	var notes []string
	convert := func(in *Intent) ([]byte, error) {
		c, err := Convert(in, s)
		if err != nil {
			return nil, err
		}
		notes = append(notes, c.Notes...)
		if _, problems := contract.Parse(s.ContractPath(), c.YAML, gate.ContractKinds()); len(problems.Mistakes()) > 0 {
			// A conversion that makes mistakes would block everything, and so be right about every lie.
			return nil, fmt.Errorf("the converted contract is not valid: %w", problems.Mistakes())
		}
		if c.Schema != nil {
			out.schema = c.Schema
		}
		return c.YAML, nil
	}
	var err error
	switch {
	case s.Contract != nil:
		out.base = s.Contract
	case s.Intent.Present == nil || *s.Intent.Present:
		if out.base, err = convert(s.Intent); err != nil {
			return out, notes, err
		}
	}
	switch {
	case s.HeadText != nil:
		out.head = s.HeadText
	case s.Head != nil:
		if out.head, err = convert(s.Head); err != nil {
			return out, notes, err
		}
	}
	return out, notes, nil
}

func answerOf(r *receipt.Receipt) Answer {
	a := Answer{
		Gate: gateScore(string(r.Result)), Verdict: string(r.Verdict), Reason: string(r.Reason), Report: string(r.Report.Reason),
		Next: string(r.Next), Retry: r.MayRetry, States: map[string]string{}, Codes: map[string]string{},
	}
	for _, c := range r.Contract.Weakens {
		a.Weakens = append(a.Weakens, string(c.Direction)+" "+c.Key)
	}
	for i := range r.Outcomes {
		a.States[r.Outcomes[i].ID], a.Codes[r.Outcomes[i].ID] = string(r.Outcomes[i].State), r.Outcomes[i].Code
	}
	return a
}

// recorded holds a receipt to what is true of all: it parses back to its own bytes, and its replay gives the same.
// The text says what is broken.
func recorded(r *receipt.Receipt) string {
	text, err := r.Bytes()
	if err != nil {
		return err.Error()
	}
	again, err := receipt.Parse(text)
	if err != nil {
		return err.Error()
	}
	if printed, err := again.Bytes(); err != nil || !bytes.Equal(printed, text) {
		return "the parsed receipt prints other bytes"
	}
	diff, err := receipt.Replay(again)
	if err != nil {
		return err.Error()
	}
	if diff != nil {
		return fmt.Sprintf("replay differs at %s: recorded %s, replayed %s", diff.At, diff.Recorded, diff.Replayed)
	}
	return ""
}

// ceiling holds a pass to the ceiling of a claim: the same evidence must pass without any report, when none is asked
// for. The text says what the gate says instead.
func (w *world) ceiling(ctx context.Context) (string, error) {
	silent := *w
	silent.silent = true
	r, err := gate.Run(ctx, silent.gate())
	if err != nil {
		return "", err
	}
	if a := answerOf(r); a.Gate != "pass" {
		return fmt.Sprintf("it passes with its report, and without one the gate says %s (%s) %s", a.Gate, a.Reason, r.Scope.Look), nil
	}
	return "", nil
}
