package verdict

import (
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/report"
)

func TestClassifyRows(t *testing.T) {
	good := func(change func(*ReportFacts)) ReportFacts {
		f := ReportFacts{Found: true, Outcome: "succeeded", Evidence: 2, Exit: intp(0)}
		if change != nil {
			change(&f)
		}
		return f
	}
	for _, c := range []struct {
		row   string
		facts ReportFacts
		want  Class
	}{
		{"1 failed", good(func(f *ReportFacts) { f.Outcome = "failed" }), Class{Exited, OutcomeFailed, false}},
		{"1 blocked and exit 1", good(func(f *ReportFacts) { f.Outcome, f.Exit = "blocked", intp(1) }), Class{Exited, OutcomeFailed, false}},
		{"1 failed though its schema breaks", good(func(f *ReportFacts) { f.Outcome, f.Problem = "failed", report.Broken }), Class{Exited, OutcomeFailed, false}},
		{"1 one of several blocks says failed", ReportFacts{Found: true, Problem: report.Ambiguous, AnyBad: true}, Class{Exited, OutcomeFailed, false}},
		{"2 exit 1 beats succeeded", good(func(f *ReportFacts) { f.Exit = intp(1) }), Class{Exited, ExitNonzero, true}},
		{"2 killed", good(func(f *ReportFacts) { f.Exit = intp(137) }), Class{Exited, ExitNonzero, true}},
		{"2 not executable", ReportFacts{Problem: report.NoText, Exit: intp(126)}, Class{Exited, ExitNonzero, false}},
		{"2 not found", ReportFacts{Problem: report.NoText, Exit: intp(127)}, Class{Exited, ExitNonzero, false}},
		{"2 interrupted", ReportFacts{Problem: report.NoText, Exit: intp(130)}, Class{Exited, ExitNonzero, false}},
		{"2 terminated", ReportFacts{Problem: report.NoText, Exit: intp(143)}, Class{Exited, ExitNonzero, false}},
		{"2 a status no process has", ReportFacts{Problem: report.NoText, Exit: intp(256)}, Class{Unverifiable, Internal, false}},
		{"3 runtime failed", good(func(f *ReportFacts) { f.Runtime = report.RuntimeFailed }), Class{Exited, RuntimeFailed, false}},
		{"3b draft without a block", ReportFacts{Draft: true, Problem: report.NoBlock}, Class{Unverifiable, StillWorking, false}},
		{"3b draft with a block is judged", good(func(f *ReportFacts) { f.Draft = true }), Class{Live, StructuredSuccess, false}},
		{"3b runtime running", good(func(f *ReportFacts) { f.Runtime = report.RuntimeRunning }), Class{Unverifiable, StillWorking, false}},
		{"4 silence", ReportFacts{Problem: report.NoText}, Class{Unverifiable, NoOutput, false}},
		{"4 runtime handed back nothing", ReportFacts{Problem: report.NoBlock, Runtime: report.RuntimeNoOutput}, Class{Unverifiable, NoOutput, false}},
		{"5 clean exit", ReportFacts{Problem: report.NoText, Exit: intp(0)}, Class{Unverifiable, CleanExitNoReport, false}},
		{"7 prose", ReportFacts{Problem: report.NoBlock}, Class{Exited, ContractMiss, false}},
		{"7 broken block", ReportFacts{Found: true, Problem: report.Broken}, Class{Exited, ContractMiss, false}},
		{"7 runtime says the schema broke", good(func(f *ReportFacts) { f.Runtime = report.RuntimeSchema }), Class{Exited, ContractMiss, false}},
		{"8 two blocks", ReportFacts{Found: true, Problem: report.Ambiguous}, Class{Unverifiable, AmbiguousReport, false}},
		{"9 no outcome", ReportFacts{Found: true, Problem: report.NoOutcome}, Class{Unverifiable, NoVerdictInPayload, false}},
		{"9 problem document", ReportFacts{Found: true, Runtime: report.RuntimeProblem}, Class{Unverifiable, NoVerdictInPayload, false}},
		{"10 no evidence", ReportFacts{Found: true, Problem: report.NoEvidence, Outcome: "succeeded"}, Class{Unverifiable, SuccessWithoutEvidence, false}},
		{"10 no evidence counted", good(func(f *ReportFacts) { f.Evidence = 0 }), Class{Unverifiable, SuccessWithoutEvidence, false}},
		{"11 failing list", good(func(f *ReportFacts) { f.Failing = 1 }), Class{Unverifiable, ReportConflict, false}},
		{"11 truncated", good(func(f *ReportFacts) { f.Runtime = report.RuntimeTruncated }), Class{Unverifiable, ReportConflict, false}},
		{"12 other task", good(func(f *ReportFacts) { f.OtherTask = true }), Class{Unverifiable, StaleReport, false}},
		{"12 the runtime says that it is another dispatch's", ReportFacts{Problem: report.NoBlock, Runtime: report.RuntimeStale}, Class{Unverifiable, StaleReport, false}},
		{"12 foreign commit", good(func(f *ReportFacts) { f.Commit = NamesForeign }), Class{Unverifiable, StaleReport, false}},
		{"12 bound to the head, names an older commit", good(func(f *ReportFacts) { f.Bind, f.Commit = true, NamesOlder }), Class{Unverifiable, StaleReport, false}},
		{"12 bound to the head, names none", good(func(f *ReportFacts) { f.Bind = true }), Class{Unverifiable, StaleReport, false}},
		{"13 older commit", good(func(f *ReportFacts) { f.Commit = NamesOlder }), Class{Live, StructuredSuccess, false}},
		{"13", good(nil), Class{Live, StructuredSuccess, false}},
		{"13 exit unknown", good(func(f *ReportFacts) { f.Exit = nil }), Class{Live, StructuredSuccess, false}},
	} {
		if got := Classify(c.facts); got != c.want {
			t.Errorf("row %s: %+v, want %+v", c.row, got, c.want)
		}
	}
}

func TestHeard(t *testing.T) {
	prose := ReportFacts{Problem: report.NoBlock}
	for _, c := range []struct {
		name     string
		facts    ReportFacts
		required bool
		want     bool
	}{
		{"prose nobody asked for", prose, false, false},
		{"prose, required", prose, true, true},
		{"a block nobody asked for", ReportFacts{Found: true}, false, true},
		{"silence and a clean exit", ReportFacts{Problem: report.NoText, Exit: intp(0)}, false, false},
		{"silence and exit 1", ReportFacts{Problem: report.NoText, Exit: intp(1)}, false, true},
		{"runtime failure", ReportFacts{Runtime: report.RuntimeFailed}, false, true},
		{"a draft at work", ReportFacts{Draft: true, Problem: report.NoText}, false, false},
	} {
		if got := Heard(c.facts, c.required); got != c.want {
			t.Errorf("%s: heard %v, want %v", c.name, got, c.want)
		}
	}
}

func TestRelationOf(t *testing.T) {
	head, merge := strings.Repeat("a1", 20), strings.Repeat("b2", 20)
	older := strings.Repeat("c3", 20)
	for _, c := range []struct {
		claimed string
		want    Relation
	}{
		{"", NamesNone},
		{head, NamesHead},
		{strings.ToUpper(head[:7]), NamesHead},
		{head[:6], NamesForeign},
		{merge[:12], NamesHead},
		{older[:7], NamesOlder},
		{strings.Repeat("d4", 20), NamesForeign},
		{head + "a1", NamesForeign},
		{"main", NamesForeign},
		{"a1a1a1g", NamesForeign},
	} {
		if got := RelationOf(c.claimed, head, merge, []string{older, head}); got != c.want {
			t.Errorf("RelationOf(%q) = %q, want %q", c.claimed, got, c.want)
		}
	}
	if got := RelationOf(head, "", "", nil); got != NamesUnknown {
		t.Errorf("with no head known: %q", got)
	}
}

func TestFactsOf(t *testing.T) {
	r := report.Reading{Found: true, AnyBad: "blocked", Report: &report.Report{Outcome: "done", Evidence: []string{" ", "x", "\u200b"}, Failing: []string{"a"}}}
	got := FactsOf(r)
	want := ReportFacts{Found: true, AnyBad: true, Blocked: true, Evidence: 1, Failing: 1}
	if got != want {
		t.Errorf("FactsOf = %+v, want %+v", got, want)
	}
}
