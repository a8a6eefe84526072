package render

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/report"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// TestTerminalKeepsBothEnds holds that a terminal sees what a long observation is about and why, and all of it once more.
func TestTerminalKeepsBothEnds(t *testing.T) {
	r := base()
	r.Circumstances.BoundarySource = "newest tracked file: total.go"
	r.Outcomes = []receipt.Outcome{fileOutcome("old", "reports/unit.json", "", old("reports/unit.json")), stepOutcome("smoke", "smoke", "success")}
	finish(t, r)
	long := observed(&r.Outcomes[0])
	if utf8.RuneCountInString(long) <= observedWidth {
		t.Fatalf("%q is short: nothing is tested", long)
	}
	text, terminal := Text(r, false), Terminal(r, false)
	if strings.Count(text, long) != 1 || strings.Contains(text, "…") {
		t.Errorf("a log shows it once and whole:\n%s", text)
	}
	row := ""
	for line := range strings.Lines(terminal) {
		if strings.Contains(line, "✗ stale") {
			row = line
		}
	}
	if !strings.Contains(row, "reports/unit.json: modified at") || !strings.Contains(row, "…") || !strings.Contains(row, "tracked file: total.go)") {
		t.Errorf("the row is %q", row)
	}
	if strings.Count(terminal, "old: "+long) != 1 || strings.Contains(terminal, "smoke: step") {
		t.Errorf("a terminal shows whole what it cut, and nothing else twice:\n%s", terminal)
	}
}

// TestReportHelp holds that every class of a report that does not pass is explained, but for those whose title is all
// there is to say.
func TestReportHelp(t *testing.T) {
	for _, c := range []struct {
		facts    verdict.ReportFacts
		reason   verdict.Reason
		says     string
		template bool
	}{
		{verdict.ReportFacts{Problem: report.NoBlock}, verdict.ContractMiss, "no report block", true},
		{verdict.ReportFacts{Problem: report.Broken, Found: true}, verdict.ContractMiss, "schema", true},
		{verdict.ReportFacts{Problem: report.Ambiguous, Found: true}, verdict.AmbiguousReport, "leave one", false},
		{verdict.ReportFacts{Problem: report.NoOutcome, Found: true}, verdict.NoVerdictInPayload, "three words", true},
		{verdict.ReportFacts{Problem: report.NoEvidence, Found: true}, verdict.SuccessWithoutEvidence, "what was run", true},
		{verdict.ReportFacts{Problem: report.NoText}, verdict.NoOutput, "write a report", true},
		{verdict.ReportFacts{Failing: 1}, verdict.ReportConflict, "still fails", false},
		{verdict.ReportFacts{Runtime: report.RuntimeTruncated}, verdict.ReportConflict, "cut it short", false},
		{verdict.ReportFacts{OtherTask: true}, verdict.StaleReport, "another task", false},
		{verdict.ReportFacts{Draft: true}, verdict.StillWorking, "draft", false},
		{verdict.ReportFacts{Runtime: report.RuntimeRunning}, verdict.StillWorking, "asks a question", false},
		{verdict.ReportFacts{Runtime: report.RuntimeFailed}, verdict.RuntimeFailed, "failed or was interrupted", false},
		{verdict.ReportFacts{Runtime: report.RuntimeSchema}, verdict.ContractMiss, "breaks its schema", true},
		{verdict.ReportFacts{Runtime: report.RuntimeNoOutput}, verdict.NoOutput, "handed back no answer", true},
		{verdict.ReportFacts{Runtime: report.RuntimeProblem}, verdict.NoVerdictInPayload, "RFC 9457", true},
		{verdict.ReportFacts{Runtime: report.RuntimeStale}, verdict.StaleReport, "another task or dispatch", false},
		{verdict.ReportFacts{AnyBad: true}, verdict.OutcomeFailed, "", false},
		{verdict.ReportFacts{}, verdict.AllVerified, "", false},
	} {
		got := ReportHelp(c.reason, c.facts)
		if (got == "") != (c.says == "") || !strings.Contains(got, c.says) || wantsTemplate(c.reason) != c.template {
			t.Errorf("%s: %q, template %v; want %q, %v", c.reason, got, wantsTemplate(c.reason), c.says, c.template)
		}
	}
}

// TestWholeAdvice holds what is advised where no outcome is in the way, here and in the action.
func TestWholeAdvice(t *testing.T) {
	const run = 9
	for _, c := range []struct {
		reason verdict.Reason
		runID  int64
		base   string
		says   string
	}{
		{verdict.Partial, 0, "b", "nothing is left to do for the selection"},
		{verdict.ProtectedChange, run, "b", "a person has to look at it"},
		{verdict.ProtectedChange, 0, "b", "exit code 4"},
		{verdict.ProtectedChange, 0, "", "--base"},
		{verdict.ContractProposed, 0, "b", "exit code 4"},
		{verdict.ContractMissing, run, "b", "add c.yml to the default branch"},
		{verdict.ContractMissing, 0, "b", "write c.yml"},
		{verdict.ContractInvalid, 0, "b", "gate contract lint"},
		{verdict.ContractEmpty, run, "b", "gate contract lint"},
		{verdict.CannotLook, 0, "b", "judge again"},
		{verdict.Internal, 0, "b", "a person has to look at it"},
		{verdict.StaleReport, 0, "b", "(above)"},
	} {
		r := &receipt.Receipt{Reason: c.reason, Next: verdict.NeedsHuman, Subject: receipt.Subject{RunID: c.runID, BaseSHA: c.base}, Contract: receipt.Contract{Path: "c.yml"}}
		if got := wholeAdvice(r); !strings.Contains(got, c.says) {
			t.Errorf("%s by run %d from %q: %q, want %q", c.reason, c.runID, c.base, got, c.says)
		}
	}
	none := &receipt.Receipt{Reason: verdict.Internal, Result: verdict.Block, Verdict: verdict.Unverifiable, Scope: verdict.Scope{Partial: true}}
	if got := wholeAdvice(none); !strings.Contains(got, "select a required outcome") || !strings.Contains(Title(none), "nothing that was selected is required") {
		t.Errorf("an empty selection: %q, %q", got, Title(none))
	}
}

// TestAdviceFor holds that an unknown code is advised by its next action, and that a repair is named.
func TestAdviceFor(t *testing.T) {
	r := &receipt.Receipt{}
	for _, c := range []struct {
		o    receipt.Outcome
		says string
	}{
		{receipt.Outcome{Code: "no/such", Next: verdict.Produce}, "produce it in this run"},
		{receipt.Outcome{Code: "no/such"}, "a person has to look at it"},
		{receipt.Outcome{Code: evidence.CodeTestsFailed, Next: verdict.RepairOnce}, "repair the cause; one reversible repair is authorized"},
		{receipt.Outcome{Code: evidence.CodeTestsFailed, Next: verdict.NeedsHuman}, "repair the cause"},
	} {
		if got := adviceFor(r, &c.o); !strings.HasSuffix(got, c.says) {
			t.Errorf("%s: %q, want %q", c.o.Code, got, c.says)
		}
	}
}

// TestAwaitedTitle names what is waited for: a check by its name, an environment, several people.
func TestAwaitedTitle(t *testing.T) {
	check := receipt.Outcome{Required: true, Expected: true, State: evidence.Waiting, Validators: []receipt.Validator{{Kind: "check", State: evidence.Waiting}}}
	check.Rule = contract.Outcome{ID: "e2e", Validators: []contract.Validator{{Kind: "check", Params: json.RawMessage(`{"name":"End to end"}`)}}}
	unnamed := check
	unnamed.ID, unnamed.Rule = "e2e", contract.Outcome{ID: "e2e"}
	production := receipt.Outcome{Required: true, Expected: true, State: evidence.Waiting, Rule: contract.Outcome{WaitsFor: &contract.WaitsFor{Environment: "production"}}}
	people := receipt.Outcome{Required: true, Expected: true, State: evidence.Waiting,
		Rule: contract.Outcome{WaitsFor: &contract.WaitsFor{Approval: &contract.Approval{From: []string{"maintain", "team:core", "odd"}, Count: 2}}}}
	for _, c := range []struct {
		o    receipt.Outcome
		want string
	}{
		{check, "Waiting for check End to end"}, {unnamed, "Waiting for check e2e"}, {production, "Waiting for environment production"},
		{people, "Waiting for 2 approvals by a person with maintain permission or core or odd"},
	} {
		r := &receipt.Receipt{Verdict: verdict.Unverifiable, Reason: verdict.Awaiting, Result: verdict.Wait, Outcomes: []receipt.Outcome{c.o}}
		if got := Title(r); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestJSONIsTheReceipt holds the JSON to the canonical bytes.
func TestJSONIsTheReceipt(t *testing.T) {
	r := base()
	r.Outcomes = []receipt.Outcome{stepOutcome("smoke", "smoke", "success")}
	finish(t, r)
	got, err := JSON(r)
	if err != nil {
		t.Fatal(err)
	}
	back, err := receipt.Parse(got)
	if err != nil || back.Digest != r.Digest || got[len(got)-1] != '\n' {
		t.Errorf("%v, %s", err, got)
	}
}

// TestTextWidth holds that a log gets a table that can be read: one that is too wide shows the ends of what it observed,
// and all of it wrapped below.
func TestTextWidth(t *testing.T) {
	r := base()
	name := "reports/" + strings.Repeat("deep/", 20) + "unit.json"
	r.Outcomes = []receipt.Outcome{fileOutcome("old", name, "", old(name)), stepOutcome("smoke", "smoke", "success")}
	finish(t, r)
	text := Text(r, false)
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(line); n > wholeWidth {
			t.Errorf("a line of %d: %q", n, line)
		}
	}
	if !strings.Contains(strings.ReplaceAll(text, "\n      ", " "), "old: "+observed(&r.Outcomes[0])) {
		t.Errorf("the observation is not whole:\n%s", text)
	}
	if got := wrap("a bb ccc dddd", 4); strings.Join(got, "|") != "a bb|ccc|dddd" {
		t.Errorf("wrap: %q", got)
	}
}

// TestTitleNamesOffender holds that a title names the file that has its state, and counts a wait for no failure.
func TestTitleNamesOffender(t *testing.T) {
	kind, _ := evidence.KindByName("exit_code")
	params := json.RawMessage(`{"file":"out/check.exit"}`)
	record := `{"schema":"` + evidence.ExitRecordSchema + `","argv":["make"],"status":0,"started_at":"2026-06-30T11:30:00Z","finished_at":"2026-06-30T11:31:00Z","commit":"` + strings.Repeat("e", 40) + `"}`
	in := evidence.Input{Subject: evidence.Subject{HeadSHA: strings.Repeat("a", 40)}, Reads: map[string][]evidence.Document{
		"record": {{Name: "out/check.exit", Readable: true, Bytes: []byte(record)}},
	}}
	o := fileOutcome("checked", "out/report.json", "", made("out/report.json", '1'))
	o.Rule.Validators = []contract.Validator{{Kind: "exit_code", Params: params}}
	o.Validators = []receipt.Validator{{Kind: "exit_code", Version: kind.Version, Facts: kind.Observe(params, in),
		Reads: []evidence.ReadFacts{{Role: "record", Set: *made("out/check.exit", '2')}}}}
	waits := receipt.Outcome{Expected: true, Rule: contract.Outcome{ID: "approved", Trust: contract.Run, WaitsFor: &contract.WaitsFor{Approval: &contract.Approval{From: []string{"write"}, Count: 1}}},
		Facts: evidence.Observation{ID: "approved", Wait: &evidence.WaitFacts{Known: true}}}
	r := base()
	r.Outcomes = []receipt.Outcome{o, waits}
	finish(t, r)
	if got, want := Title(r), "UNVERIFIABLE: out/check.exit belongs to something else (and 1 wait)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if strings.Contains(r.Outcomes[0].Detail, strings.Repeat("e", 13)) || !strings.Contains(r.Outcomes[0].Detail, strings.Repeat("e", 12)) {
		t.Errorf("the commit is not short: %q", r.Outcomes[0].Detail)
	}
	more := waits
	more.Rule.ID, more.Facts.ID = "second", "second"
	r = base()
	r.Outcomes = []receipt.Outcome{waits, more}
	finish(t, r)
	if got := Title(r); !strings.HasSuffix(got, "permission (and 1 more wait)") {
		t.Errorf("%q", got)
	}
	two := o
	two.Rule.ID, two.Facts.ID = "again", "again"
	r = base()
	r.Outcomes = []receipt.Outcome{o, two, waits, more}
	finish(t, r)
	if got := Title(r); !strings.HasSuffix(got, "(and 1 more outcome, 2 waits)") {
		t.Errorf("%q", got)
	}
}

// TestReportNotRead holds that no surface speaks of a report that nobody looked for.
func TestReportNotRead(t *testing.T) {
	r := base()
	r.Report = receipt.Report{}
	r.Scope = verdict.Scope{Contract: verdict.ContractBroken}
	finish(t, r)
	if r.Report.Reason != verdict.NotRead || r.Report.Verdict != verdict.None || r.Report.Heard {
		t.Errorf("the report is %+v", r.Report)
	}
	if s := Markdown(r) + Text(r, false); strings.Contains(s, "Report") && strings.Contains(s, "only noted") {
		t.Error(s)
	}
}
