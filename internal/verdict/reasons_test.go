package verdict

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/report"
)

// TestReasonsAreAll holds that the documented reasons are those of the source, each once.
func TestReasonsAreAll(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "verdict.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	known := map[Reason]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if name, is := spec2type(spec, ok); !is || name != "Reason" {
			return true
		}
		for _, v := range spec.Values {
			s, err := strconv.Unquote(v.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			known[Reason(s)] = true
		}
		return true
	})
	if len(known) < 30 {
		t.Fatalf("%d reasons in the source: nothing is tested", len(known))
	}
	delete(known, StructuredSuccess) // of a report only: the verdict is then another reason's
	delete(known, NotRead)
	for _, d := range Reasons() {
		if !known[d.Reason] {
			t.Errorf("%s is no reason, or documented twice", d.Reason)
		}
		delete(known, d.Reason)
		if d.Meaning == "" || (d.Who == "") != (d.Result == Pass) {
			t.Errorf("%+v says too little", d)
		}
	}
	for r := range known {
		t.Errorf("%s is not documented", r)
	}
}

func spec2type(spec *ast.ValueSpec, ok bool) (string, bool) {
	if !ok {
		return "", false
	}
	ident, is := spec.Type.(*ast.Ident)
	if !is {
		return "", false
	}
	return ident.Name, true
}

// TestReasonsAsDecided holds every documented verdict, result and next action to what is decided.
func TestReasonsAsDecided(t *testing.T) {
	docs := map[Reason]ReasonDoc{}
	for _, d := range Reasons() {
		docs[d.Reason] = d
	}
	seen := map[Reason]bool{}
	check := func(s Scope, f ReportFacts, o []Outcome) {
		got := Decide(s, f, o)
		d := docs[got.Reason]
		seen[got.Reason] = true
		if got.Reason == NothingExpected && s.WhenNothingExpected != "pass" {
			return // said in its meaning
		}
		if got.Verdict != d.Verdict || got.Result != d.Result || d.Next != "" && got.Next != d.Next && len(o) < 2 && !unsettled(o) {
			t.Errorf("%s is %+v, documented as %+v", got.Reason, got, d)
		}
		if d.OfReport != (Classify(f).Reason == got.Reason) && got.Reason != Internal {
			t.Errorf("%s: of a report is documented as %v", got.Reason, d.OfReport)
		}
	}
	good := Scope{Contract: ContractOK, Gating: Gated, Protection: Untouched, ReportRequired: true, OnClaimConflict: "block", WhenNothingExpected: "pass"}
	live := ReportFacts{Found: true, Outcome: "succeeded", Evidence: 1}
	verified := []Outcome{{Required: true, Expected: true, State: evidence.Verified, Next: NoNext}}
	for _, change := range []func(*Scope){
		func(s *Scope) { s.Look = "x" }, func(s *Scope) { s.HeadMoved = true }, func(s *Scope) { s.BaseNotTrusted = true },
		func(s *Scope) { s.SharedHead = true }, func(s *Scope) { s.Contract = ContractAbsent }, func(s *Scope) { s.Contract = ContractBroken },
		func(s *Scope) { s.Contract = ContractBare }, func(s *Scope) { s.Contract = ContractPreview }, func(s *Scope) { s.Contract = "" },
		func(s *Scope) { s.Gating = Outside }, func(s *Scope) { s.Protection = Touched }, func(s *Scope) { s.ClaimOverstates = true },
		func(s *Scope) { s.Partial = true }, func(*Scope) {},
	} {
		s := good
		change(&s)
		check(s, live, verified)
	}
	for _, f := range []ReportFacts{
		{Found: true, Outcome: "failed"}, {Problem: report.NoText, Exit: intp(3)}, {Runtime: report.RuntimeFailed}, {Problem: report.NoBlock},
		{Draft: true, Problem: report.NoText}, {Problem: report.NoText}, {Problem: report.NoText, Exit: intp(0)}, {Found: true, Problem: report.Ambiguous},
		{Found: true, Problem: report.NoOutcome}, {Found: true, Problem: report.NoEvidence},
		{Found: true, Outcome: "succeeded", Evidence: 1, Failing: 1}, {Found: true, Outcome: "succeeded", Evidence: 1, OtherTask: true},
	} {
		check(good, f, verified)
	}
	for _, st := range evidence.States() {
		next, _ := ByDefault(st, "")
		o := []Outcome{{Required: true, Expected: true, State: st, Next: next}}
		check(good, live, o)
		quiet := good
		quiet.ReportRequired = false
		check(quiet, ReportFacts{Problem: report.NoText}, o)
	}
	check(good, live, []Outcome{{Required: true, Expected: true, Waived: true}})
	check(good, live, []Outcome{{Required: true}})
	for r := range docs {
		if !seen[r] {
			t.Errorf("%s was never decided: its row is not tested", r)
		}
	}
}

// unsettled says whether outcomes add a next action of their own.
func unsettled(o []Outcome) bool {
	for i := range o {
		if o[i].Required && o[i].Expected && !o[i].Waived && o[i].State != evidence.Verified {
			return true
		}
	}
	return false
}
