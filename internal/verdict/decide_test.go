package verdict

import (
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/report"
)

func TestDecideRows(t *testing.T) {
	live := ReportFacts{Found: true, Outcome: "succeeded", Evidence: 1}
	silent := ReportFacts{Problem: report.NoText}
	scope := func(change func(*Scope)) Scope {
		s := Scope{Contract: ContractOK, Gating: Gated, Protection: Untouched, ReportRequired: true, OnClaimConflict: "warn", WhenNothingExpected: "pass"}
		if change != nil {
			change(&s)
		}
		return s
	}
	in := func(states ...evidence.State) []Outcome {
		var out []Outcome
		for _, s := range states {
			n := Produce
			if s == evidence.Verified {
				n = NoNext
			}
			out = append(out, Outcome{Required: true, Expected: true, State: s, Next: n})
		}
		return out
	}
	verified := in(evidence.Verified)
	for _, c := range []struct {
		row      string
		scope    Scope
		facts    ReportFacts
		outcomes []Outcome
		want     Decision
	}{
		{"a", scope(func(s *Scope) { s.Look = "no answer" }), live, verified, Decision{None, CannotLook, Error, false, RunCheck}},
		{"b head", scope(func(s *Scope) { s.HeadMoved = true }), live, verified, Decision{Unverifiable, HeadMoved, Wait, false, ObserveAgain}},
		{"b base", scope(func(s *Scope) { s.BaseNotTrusted = true }), live, verified, Decision{Unverifiable, BaseNotTrusted, Wait, false, NeedsHuman}},
		{"b shared", scope(func(s *Scope) { s.SharedHead = true }), live, verified, Decision{Unverifiable, SharedHead, Wait, false, NeedsHuman}},
		{"c missing", scope(func(s *Scope) { s.Contract = ContractAbsent }), live, nil, Decision{None, ContractMissing, Error, false, NeedsHuman}},
		{"c invalid", scope(func(s *Scope) { s.Contract = ContractBroken }), live, nil, Decision{None, ContractInvalid, Error, false, NeedsHuman}},
		{"c empty", scope(func(s *Scope) { s.Contract = ContractBare }), live, nil, Decision{None, ContractEmpty, Error, false, NeedsHuman}},
		{"c'", scope(func(s *Scope) { s.Contract = ContractPreview }), live, verified, Decision{None, ContractProposed, Wait, false, NeedsHuman}},
		{"d", scope(func(s *Scope) { s.Gating = Outside }), silent, nil, Decision{None, NotGated, Pass, false, NoNext}},
		{"1 exit", scope(nil), ReportFacts{Problem: report.NoText, Exit: intp(9)}, verified, Decision{Exited, ExitNonzero, Block, true, NeedsHuman}},
		{"1 prose", scope(nil), ReportFacts{Problem: report.NoBlock}, verified, Decision{Exited, ContractMiss, Block, false, FixReport}},
		{"1 prose unheard", scope(func(s *Scope) { s.ReportRequired = false }), ReportFacts{Problem: report.NoBlock}, verified, Decision{Live, AllVerified, Pass, false, NoNext}},
		{"1 blocked", scope(nil), ReportFacts{Found: true, Outcome: "blocked"}, verified, Decision{Exited, OutcomeFailed, Block, false, NeedsHuman}},
		{"2", scope(nil), ReportFacts{Draft: true, Problem: report.NoBlock}, in(evidence.ValidatorFailed), Decision{Unverifiable, StillWorking, Wait, false, Produce}},
		{"3 false success", scope(nil), live, in(evidence.ValidatorFailed), Decision{Exited, FalseSuccess, Block, false, Produce}},
		{"3 rejected", scope(nil), silent, in(evidence.HashMismatch), Decision{Exited, EvidenceRejected, Block, false, NeedsHuman}},
		{"4", scope(nil), silent, in(evidence.Missing), Decision{Unverifiable, NoOutput, Block, false, NeedsHuman}},
		{"4 ambiguous", scope(nil), ReportFacts{Found: true, Problem: report.Ambiguous}, verified, Decision{Unverifiable, AmbiguousReport, Block, false, FixReport}},
		{"5", scope(nil), live, in(evidence.Verified, evidence.Missing), Decision{Unverifiable, EvidenceIncomplete, Block, false, Produce}},
		{"5 before 7", scope(nil), live, in(evidence.Waiting, evidence.Stale), Decision{Unverifiable, EvidenceIncomplete, Block, false, Produce}},
		{"6", scope(func(s *Scope) { s.Protection = Touched }), live, verified, Decision{Unverifiable, ProtectedChange, Wait, false, NeedsHuman}},
		{"6 approved", scope(func(s *Scope) { s.Protection = Approved }), live, verified, Decision{Live, AllVerified, Pass, false, NoNext}},
		{"7", scope(nil), live, []Outcome{{Required: true, Expected: true, State: evidence.Waiting, Next: AwaitIt}}, Decision{Unverifiable, Awaiting, Wait, false, AwaitIt}},
		{"8", scope(func(s *Scope) { s.ClaimOverstates, s.OnClaimConflict = true, "block" }), live, verified, Decision{Unverifiable, ClaimConflict, Block, false, NeedsHuman}},
		{"8 warn", scope(func(s *Scope) { s.ClaimOverstates = true }), live, verified, Decision{Live, AllVerified, Pass, false, NoNext}},
		{"9", scope(nil), live, []Outcome{{Required: true, Expected: true, Waived: true, State: evidence.Verified}}, Decision{Unverifiable, AllWaived, Block, false, NeedsHuman}},
		{"10", scope(nil), live, []Outcome{{Required: true, State: evidence.Missing}}, Decision{None, NothingExpected, Pass, false, NoNext}},
		{"10 block", scope(func(s *Scope) { s.WhenNothingExpected = "block" }), live, []Outcome{{Required: true}}, Decision{Unverifiable, NothingExpected, Block, false, NeedsHuman}},
		{"11", scope(nil), live, verified, Decision{Live, AllVerified, Pass, false, NoNext}},
		{"11 a group is not asked for a report", scope(func(s *Scope) { s.ReportUnheard = true }), ReportFacts{Problem: report.NoText, Exit: intp(1)}, verified, Decision{Live, AllVerified, Pass, false, NoNext}},
		{"12 nothing at all", scope(nil), live, nil, Decision{Unverifiable, Internal, Block, false, NeedsHuman}},
		{"12 a new state", scope(nil), live, in("new"), Decision{Unverifiable, Internal, Block, false, NeedsHuman}},
		{"a selection never passes", scope(func(s *Scope) { s.Partial = true }), live, verified, Decision{Unverifiable, Partial, Wait, false, RunCheck}},
		{"a selection blocks", scope(func(s *Scope) { s.Partial = true }), live, in(evidence.Missing), Decision{Unverifiable, EvidenceIncomplete, Block, false, Produce}},
	} {
		if got := Decide(c.scope, c.facts, c.outcomes); got != c.want {
			t.Errorf("row %s: %+v, want %+v", c.row, got, c.want)
		}
	}
}

func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		result Result
		reason Reason
		mode   contract.Mode
		want   int
	}{
		{Pass, AllVerified, contract.Enforce, 0},
		{Block, EvidenceIncomplete, contract.Enforce, 1},
		{Error, ContractInvalid, contract.Enforce, 2},
		{Error, CannotLook, contract.Enforce, 3},
		{Wait, Awaiting, contract.Enforce, 4},
		{Block, EvidenceIncomplete, contract.Observe, 0},
		{Wait, Awaiting, contract.Observe, 0},
		{Error, ContractInvalid, contract.Observe, 2},
		{Error, CannotLook, contract.Observe, 3},
		{"new", "", "", 1},
	} {
		if got := ExitCode(Decision{Result: c.result, Reason: c.reason}, c.mode); got != c.want {
			t.Errorf("%s %s in %q: exit %d, want %d", c.result, c.reason, c.mode, got, c.want)
		}
	}
}

func TestFirstNext(t *testing.T) {
	order := nextOrder()
	for i := range order {
		for k := range order {
			if got := firstNext([]Next{order[i], order[k]}); got != order[min(i, k)] {
				t.Errorf("of %s and %s: %s", order[i], order[k], got)
			}
		}
	}
	if got := firstNext([]Next{"new"}); got != NeedsHuman {
		t.Errorf("an unknown action is %s", got)
	}
	if got := firstNext(nil); got != NoNext {
		t.Errorf("nothing to do is %s", got)
	}
}

func TestMeasure(t *testing.T) {
	m := Measure([]Judged{
		{Required: true, Expected: true, State: evidence.Verified, Answered: true},
		{Required: true, Expected: true, State: evidence.ValidatorFailed, Answered: true},
		{Required: true, Expected: true, State: evidence.Verified},
		{Required: true, Expected: true, Waived: true, State: evidence.Verified, Answered: true},
		{Expected: true, State: evidence.Verified, Answered: true},
		{Required: true, State: evidence.Verified, Answered: true},
	})
	if want := (Metric{Expected: 3, Verified: 2, Answered: 2}); m != want {
		t.Errorf("Measure = %+v, want %+v", m, want)
	}
}
