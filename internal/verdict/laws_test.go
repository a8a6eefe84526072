package verdict

import (
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/report"
)

// rank orders results for every law: pass above wait, and wait equal to block.
func rank(r Result) int {
	if r == Pass {
		return 1
	}
	return 0
}

func intp(n int) *int { return &n }

// everyReport is every combination of the facts that Classify looks at, unknown values included.
func everyReport(visit func(ReportFacts)) {
	problems := []report.Problem{"", report.NoText, report.NoBlock, report.Broken, report.Ambiguous, report.NoOutcome, report.NoEvidence, "new"}
	runtimes := []report.Runtime{"", report.RuntimeFailed, report.RuntimeRunning, report.RuntimeNoOutput, report.RuntimeSchema, report.RuntimeTruncated, report.RuntimeProblem, report.RuntimeStale, "new"}
	exits := []*int{nil, intp(0), intp(1), intp(126), intp(127), intp(130), intp(137), intp(143), intp(255), intp(256), intp(-1)}
	for _, p := range problems {
		for _, rt := range runtimes {
			for _, ex := range exits {
				for _, outcome := range []string{"", "succeeded", "failed", "blocked", "done"} {
					for bits := range 128 {
						on := func(i int) bool { return bits&(1<<i) != 0 }
						f := ReportFacts{Problem: p, Runtime: rt, Exit: ex, Outcome: outcome, Found: on(0), AnyBad: on(1), Draft: on(2), Bind: on(3), OtherTask: on(4)}
						if on(5) {
							f.Evidence = 1
						}
						if on(6) {
							f.Failing = 1
						}
						for _, c := range []Relation{NamesNone, NamesHead, NamesOlder, NamesForeign, NamesUnknown, "new"} {
							f.Commit = c
							visit(f)
						}
					}
				}
			}
		}
	}
}

func TestClassifyLaws(t *testing.T) {
	n := 0
	everyReport(func(f ReportFacts) {
		n++
		c := Classify(f)
		if c.Verdict != Live && c.Verdict != Unverifiable && c.Verdict != Exited {
			t.Fatalf("%+v: verdict %q is none of three", f, c.Verdict)
		}
		if c.MayRetry && (f.Exit == nil || *f.Exit == 0 || c.Reason != ExitNonzero) {
			t.Fatalf("%+v: may retry without an observed non-zero exit", f)
		}
		if c.Verdict == Live {
			ok := f.Found && f.Problem == "" && f.Outcome == "succeeded" && f.Evidence > 0 && f.Failing == 0 && !f.AnyBad && !f.OtherTask &&
				f.Commit != NamesForeign && (f.Exit == nil || *f.Exit == 0) && f.Runtime == ""
			if !ok {
				t.Fatalf("%+v: LIVE", f)
			}
		}
		if c.Verdict == Exited && c.Reason == ExitNonzero && *f.Exit == 0 {
			t.Fatalf("%+v: exit_nonzero of a clean exit", f)
		}
	})
	if n < 100000 {
		t.Fatalf("only %d combinations", n)
	}
}

// reports are facts of every class, for the laws of the decision.
func reports() []ReportFacts {
	live := ReportFacts{Found: true, Outcome: "succeeded", Evidence: 1}
	conflict := live
	conflict.Failing = 1
	exited := live
	exited.Exit = intp(137)
	return []ReportFacts{
		live, conflict, exited,
		{Problem: report.NoText},
		{Problem: report.NoText, Exit: intp(0)},
		{Problem: report.NoText, Exit: intp(1)},
		{Problem: report.NoBlock},
		{Found: true, Problem: report.Broken},
		{Found: true, Problem: report.Ambiguous, AnyBad: true},
		{Found: true, Outcome: "failed"},
		{Draft: true, Problem: report.NoBlock},
		{Found: true, Problem: "new"},
		{Problem: report.NoBlock, Runtime: report.RuntimeFailed},
		{Found: true, Outcome: "succeeded", Evidence: 1, Exit: intp(400)},
	}
}

// everyScope is every combination of the other facts, unknown values included.
func everyScope(visit func(Scope)) {
	for _, c := range []ContractStatus{"", ContractOK, ContractAbsent, ContractBroken, ContractBare, ContractPreview, ContractApproved, "new"} {
		for _, g := range []Gating{"", Gated, Outside, "new"} {
			for _, p := range []Protection{"", Untouched, Touched, Approved, "new"} {
				for _, claim := range []string{"", "warn", "block", "new"} {
					for _, nothing := range []string{"", "pass", "block", "new"} {
						for bits := range 64 {
							on := func(i int) bool { return bits&(1<<i) != 0 }
							s := Scope{Contract: c, Gating: g, Protection: p, OnClaimConflict: claim, WhenNothingExpected: nothing,
								ReportRequired: on(0), ClaimOverstates: on(1), HeadMoved: on(2), ReportUnheard: on(3), Partial: on(4)}
							if on(5) {
								s.Look = "no answer"
							}
							visit(s)
						}
					}
				}
			}
		}
	}
}

func allStates() []evidence.State { return append(evidence.States(), "", "new") }

// outcomeSets are sets of up to two outcomes in every state and kind, and the empty one.
func outcomeSets() [][]Outcome {
	var one []Outcome
	for _, s := range allStates() {
		for bits := range 8 {
			one = append(one, Outcome{State: s, Required: bits&1 != 0, Expected: bits&2 != 0, Waived: bits&4 != 0, Next: Produce})
		}
	}
	sets := [][]Outcome{nil}
	for _, a := range one {
		sets = append(sets, []Outcome{a})
		for _, b := range one {
			sets = append(sets, []Outcome{a, b})
		}
	}
	return sets
}

func counted(o Outcome) bool { return o.Required && o.Expected && !o.Waived }

// TestDecideEvidenceLaws enumerates every set of up to two outcomes under the scopes in which evidence decides.
func TestDecideEvidenceLaws(t *testing.T) {
	sets := outcomeSets()
	for _, required := range []bool{false, true} {
		for _, p := range []Protection{Untouched, Touched, Approved} {
			s := Scope{Contract: ContractOK, Gating: Gated, Protection: p, ReportRequired: required, OnClaimConflict: "warn", WhenNothingExpected: "pass"}
			for _, f := range reports() {
				for _, set := range sets {
					checkEvidenceLaws(t, s, f, set)
				}
			}
		}
	}
}

func checkEvidenceLaws(t *testing.T, s Scope, f ReportFacts, set []Outcome) {
	t.Helper()
	d := Decide(s, f, set)
	judged, verified, excluded := 0, 0, 0
	for _, o := range set {
		if counted(o) {
			judged++
			if o.State == evidence.Verified {
				verified++
			}
		} else if o.Required && !o.Expected {
			excluded++
		}
	}
	if d.Result == Pass && (verified != judged || judged == 0 && excluded == 0) {
		t.Fatalf("%+v %+v %+v: passes with %d of %d verified", s, f, set, verified, judged)
	}
	if d.Verdict == Live && judged == 0 {
		t.Fatalf("%+v: LIVE of nothing", set)
	}
	if d.MayRetry && (f.Exit == nil || *f.Exit == 0 || d.Reason != ExitNonzero) {
		t.Fatalf("%+v: may retry", f)
	}
	// claim ceiling: no report text passes what the same evidence does not pass alone.
	alone := s
	alone.ReportRequired = false
	if bare := Decide(alone, ReportFacts{Problem: report.NoText}, set); rank(d.Result) > rank(bare.Result) {
		t.Fatalf("%+v %+v: report %+v passes (%v), no report does not (%v)", s, set, f, d, bare)
	}
	// order of input never matters.
	if len(set) == 2 {
		if back := Decide(s, f, []Outcome{set[1], set[0]}); back != d {
			t.Fatalf("%+v: order matters: %+v, %+v", set, d, back)
		}
	}
	// the state of an outcome that does not count never changes the result.
	for i, o := range set {
		if counted(o) {
			continue
		}
		// the set is one of every state, so comparing each with one and the same compares all.
		other := append([]Outcome(nil), set...)
		other[i].State = evidence.Verified
		if got := Decide(s, f, other); got.Result != d.Result {
			t.Fatalf("%+v: state %q of an outcome that does not count gives %v instead of %v", set, o.State, d, got)
		}
	}
	// one rejection is enough; a set with one is itself among the sets, so the empty and the single sets cover all.
	for _, st := range allStates() {
		if len(set) == 2 || st == evidence.Verified || st == evidence.Waiting {
			continue
		}
		more := append(append([]Outcome(nil), set...), Outcome{Required: true, Expected: true, State: st})
		if got := Decide(s, f, more); got.Result == Pass {
			t.Fatalf("%+v and one %q pass", set, st)
		}
	}
	if d != Decide(s, f, set) {
		t.Fatal("the same input gives two answers")
	}
	if (d.Result == Pass) != (d.Next == NoNext) {
		t.Fatalf("%+v %+v: result %s, next %s", s, set, d.Result, d.Next)
	}
}

func TestDecideScopeLaws(t *testing.T) {
	good := []Outcome{{Required: true, Expected: true, State: evidence.Verified}}
	live := ReportFacts{Found: true, Outcome: "succeeded", Evidence: 1}
	passes := 0
	everyScope(func(s Scope) {
		d := Decide(s, live, good)
		switch d.Result {
		case Pass, Block, Wait, Error:
		default:
			t.Fatalf("%+v: result %q", s, d.Result)
		}
		if d.Result != Pass {
			if d.Verdict == Live {
				t.Fatalf("%+v: LIVE and %s", s, d.Result)
			}
			return
		}
		passes++
		sound := (s.Contract == ContractOK || s.Contract == ContractApproved) && s.Look == "" && !s.HeadMoved && !s.Partial
		if !sound || s.Gating != Outside && (s.Gating != Gated || s.Protection != Untouched && s.Protection != Approved) {
			t.Fatalf("%+v passes", s)
		}
		if s.Gating == Gated && s.ClaimOverstates && s.OnClaimConflict != "warn" {
			t.Fatalf("%+v passes with a claim conflict", s)
		}
	})
	if passes == 0 {
		t.Fatal("nothing passes: the laws hold of nothing")
	}
}

func TestZeroValueBlocks(t *testing.T) {
	if d := Decide(Scope{}, ReportFacts{}, nil); d.Result != Block {
		t.Errorf("the zero input gives %+v", d)
	}
	if got := ExitCode(Decision{}, contract.Enforce); got != ExitBlock {
		t.Errorf("the zero decision exits %d", got)
	}
	if w := worst(nil); w.State != evidence.Unverified {
		t.Errorf("no finding is %q", w.State)
	}
	if w := worst([]evidence.Finding{{State: evidence.ValidatorFailed}, {State: "new"}, {State: evidence.Verified}}); w.State != "new" {
		t.Errorf("an unknown state is hidden by %q", w.State)
	}
}
