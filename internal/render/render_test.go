package render

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/claims"
	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/report"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sample is one receipt with a name.
type sample struct {
	name string
	r    *receipt.Receipt
}

// noon is when everything here happens.
func noon() time.Time { return time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC) }

// made is the facts of a file that the run made, with the digest of hex digits d.
func made(name string, d byte) *evidence.FileSet {
	at := noon().Add(-time.Minute)
	return &evidence.FileSet{Total: 1, SizeBytes: 2048, Tier: "run", Files: []evidence.File{{
		Name: name, SizeBytes: 2048, ModifiedAt: &at, SHA256: strings.Repeat(string(d), 64), Git: evidence.GitFacts{Known: true},
	}}}
}

// base is a receipt of a gated change whose report says succeeded, without an outcome.
func base() *receipt.Receipt {
	r := &receipt.Receipt{
		Gate:     receipt.Gate{Version: "v1.2.3"},
		Subject:  receipt.Subject{Repository: "o/r", PullRequest: 7, BaseRef: "main", HeadSHA: strings.Repeat("a", 40), BaseSHA: strings.Repeat("b", 40), RunID: 9, RunAttempt: 1},
		Contract: receipt.Contract{Path: ".github/outcome-contract.yml", Branch: "main", Commit: strings.Repeat("c", 40), SHA256: strings.Repeat("d", 64)},
		Scope: verdict.Scope{Contract: verdict.ContractOK, Gating: verdict.Gated, Protection: verdict.Untouched, ReportRequired: true,
			OnClaimConflict: "warn", WhenNothingExpected: "pass", Mode: contract.Enforce},
		Circumstances: evidence.Circumstances{
			Subject: evidence.Subject{HeadSHA: strings.Repeat("a", 40)}, Now: noon(), Boundary: noon().Add(-time.Hour), BoundarySource: "the run's start",
		},
		Now: noon(), StartedAt: noon(), FinishedAt: noon(),
	}
	r.Report.Carrier, r.Report.Author = "body", "octo/User"
	r.Report.Facts = verdict.ReportFacts{Found: true, Outcome: "succeeded", Evidence: 1, Commit: verdict.NamesHead}
	r.Report.Claimed = receipt.Claimed{Evidence: []string{"go test ./...: 118 passed"}}
	return r
}

// fileOutcome is an outcome whose artifact must have the bytes with the digest of hex digits want ("" any).
func fileOutcome(id, file, want string, set *evidence.FileSet) receipt.Outcome {
	a := &contract.Artifact{Files: []string{file}, Fresh: contract.Fresh{Rule: "run"}, Committed: "no", Symlinks: "inside", MinBytes: 1, Count: contract.Count{Min: 1}}
	if want != "" {
		a.SHA256 = strings.Repeat(want, 64)
	}
	return receipt.Outcome{
		Expected: true, Rule: contract.Outcome{ID: id, About: "About " + id + ".", Artifact: a, Trust: contract.Run},
		Facts: evidence.Observation{ID: id, Artifact: set},
	}
}

// stepOutcome is judged by a step of the job.
func stepOutcome(id, step, ended string) receipt.Outcome {
	params, _ := json.Marshal(map[string]string{"id": step})
	kind, _ := evidence.KindByName("step")
	facts := kind.Observe(params, evidence.Input{HasSteps: true, Steps: map[string]evidence.Step{step: {Outcome: ended, Conclusion: ended}}})
	return receipt.Outcome{
		Expected:   true,
		Rule:       contract.Outcome{ID: id, Trust: contract.Run, Validators: []contract.Validator{{Kind: "step", Params: params}}},
		Facts:      evidence.Observation{ID: id},
		Validators: []receipt.Validator{{Kind: "step", Version: kind.Version, Facts: facts}},
	}
}

// unknownStep is judged by a step of which nobody said how it ended.
func unknownStep(id string) receipt.Outcome {
	o := stepOutcome(id, id, "success")
	kind, _ := evidence.KindByName("step")
	o.Validators[0].Facts = kind.Observe(o.Rule.Validators[0].Params, evidence.Input{})
	return o
}

// old is a file that is a tenth of a second older than the run.
func old(name string) *evidence.FileSet {
	set := made(name, '4')
	at := noon().Add(-time.Hour - 100*time.Millisecond)
	set.Files[0].ModifiedAt = &at
	return set
}

func repairable(o receipt.Outcome) receipt.Outcome {
	o.Rule.RepairOnce = true
	return o
}

// testsOutcome is judged by a result file with so many passed and failed tests.
func testsOutcome(id string, passed, failed int) receipt.Outcome {
	var xml strings.Builder
	fmt.Fprintf(&xml, `<testsuite name="s" tests="%d" failures="%d">`, passed+failed, failed)
	for i := range passed {
		fmt.Fprintf(&xml, `<testcase classname="c" name="ok%d"/>`, i)
	}
	for i := range failed {
		fmt.Fprintf(&xml, `<testcase classname="c" name="bad%d"><failure message="no"/></testcase>`, i)
	}
	xml.WriteString("</testsuite>")
	kind, _ := evidence.KindByName("tests")
	set := made("reports/unit.xml", '1')
	doc := evidence.Document{Name: "reports/unit.xml", Readable: true, Tests: evidence.ReadTests(strings.NewReader(xml.String()), "", evidence.Keep{})}
	params := json.RawMessage(`{}`)
	o := fileOutcome(id, "reports/unit.xml", "", set)
	o.Rule.Validators = []contract.Validator{{Kind: "tests", Params: params}}
	o.Validators = []receipt.Validator{{Kind: "tests", Version: kind.Version, Facts: kind.Observe(params, evidence.Input{Documents: []evidence.Document{doc}})}}
	return o
}

func approvalOutcome(id string, from ...string) receipt.Outcome {
	return receipt.Outcome{
		Expected: true,
		Rule:     contract.Outcome{ID: id, Trust: contract.Run, WaitsFor: &contract.WaitsFor{Approval: &contract.Approval{From: from, Count: 1}}},
		Facts:    evidence.Observation{ID: id, Wait: &evidence.WaitFacts{Known: true, Need: 1}},
	}
}

// finish completes a receipt.
func finish(t testing.TB, r *receipt.Receipt) *receipt.Receipt {
	t.Helper()
	if err := r.Complete(); err != nil {
		t.Fatal(err)
	}
	return r
}

// samples are receipts of every kind of title.
func samples(t testing.TB) []sample {
	with := func(change func(*receipt.Receipt), outcomes ...receipt.Outcome) *receipt.Receipt {
		r := base()
		r.Outcomes = outcomes
		if change != nil {
			change(r)
		}
		return finish(t, r)
	}
	optional := stepOutcome("docs", "docs", "failure")
	optional.Rule.Optional = true
	waived := stepOutcome("flaky", "flaky", "failure")
	waived.Rule.Waive = &contract.Waive{Until: "2026-12-31", Reason: "flaky upstream"}
	outside := stepOutcome("site", "site", "success")
	outside.Expected = false
	outside.Rule.When = &contract.When{Paths: []string{"docs/**"}}
	live := []receipt.Outcome{testsOutcome("unit-tests", 118, 0), fileOutcome("archive", "dist/app.tar.gz", "2", made("dist/app.tar.gz", '2')), optional, waived, outside}
	return []sample{
		{"live", with(nil, live...)},
		{"false-success", with(nil, testsOutcome("unit-tests", 115, 3), fileOutcome("archive", "dist/app.tar.gz", "2", made("dist/app.tar.gz", '3')), stepOutcome("smoke", "smoke", "success"))},
		{"failures", with(nil, testsOutcome("unit-tests", 115, 3))},
		{"rejected-without-claim", with(func(r *receipt.Receipt) {
			r.Scope.ReportRequired, r.Report = false, receipt.Report{Facts: verdict.ReportFacts{Problem: report.NoText}}
		}, stepOutcome("smoke", "smoke", "failure"))},
		{"missing", with(nil, fileOutcome("coverage", "coverage.out", "", &evidence.FileSet{Tier: "run"}), stepOutcome("smoke", "smoke", "skipped"))},
		{"waits-for-approval", with(nil, stepOutcome("smoke", "smoke", "success"), approvalOutcome("sign-off", "team:core"))},
		{"waits-for-write", with(nil, approvalOutcome("sign-off", "write", "user:octo"))},
		{"observe", with(func(r *receipt.Receipt) { r.Scope.Mode = contract.Observe }, fileOutcome("coverage", "coverage.out", "", &evidence.FileSet{Tier: "run"}))},
		{"protected", with(func(r *receipt.Receipt) {
			r.Scope.Protection, r.Protected = verdict.Touched, []string{".github/workflows/ci.yml", "action.yml"}
			r.Contract.ChangedBySubject = true
			r.Contract.Weakens = []contract.Weakening{
				{Outcome: "unit-tests", Key: "id", Direction: contract.Weaker, Text: "outcome unit-tests is dropped"},
				{Outcome: "smoke", Key: "validators.step.id", Direction: contract.Changed, Text: `validators.step.id is "nop" instead of "smoke"`},
			}
		}, stepOutcome("smoke", "smoke", "success"))},
		{"protected-many", with(func(r *receipt.Receipt) {
			r.Scope.Protection = verdict.Touched
			for i := range 13 {
				r.Protected = append(r.Protected, fmt.Sprintf(".github/workflows/part-%02d.yml", i))
			}
		}, stepOutcome("smoke", "smoke", "success"))},
		{"exit", with(func(r *receipt.Receipt) { n := 3; r.Report.Facts.Exit = &n }, stepOutcome("smoke", "smoke", "success"))},
		{"failed-report", with(func(r *receipt.Receipt) { r.Report.Facts.AnyBad, r.Report.Facts.Outcome = true, "failed" }, stepOutcome("smoke", "smoke", "success"))},
		{"blocked-report", with(func(r *receipt.Receipt) {
			r.Report.Facts.AnyBad, r.Report.Facts.Blocked, r.Report.Facts.Outcome = true, true, "blocked"
		}, stepOutcome("smoke", "smoke", "success"))},
		{"contract-miss", with(func(r *receipt.Receipt) {
			r.Report.Facts = verdict.ReportFacts{Problem: report.Broken, Found: true}
			r.Report.Errors = []string{"line 3: evidence: want an array"}
		}, stepOutcome("smoke", "smoke", "success"))},
		{"no-verdict", with(func(r *receipt.Receipt) {
			r.Report.Facts = verdict.ReportFacts{Problem: report.NoOutcome, Found: true}
		}, stepOutcome("smoke", "smoke", "success"))},
		{"report-conflict", with(func(r *receipt.Receipt) { r.Report.Facts.Failing = 2 }, stepOutcome("smoke", "smoke", "success"))},
		{"local", with(func(r *receipt.Receipt) {
			r.Subject, r.Contract.Branch, r.Contract.Commit = receipt.Subject{HeadSHA: r.Subject.HeadSHA}, "", ""
		}, unknownStep("smoke"), fileOutcome("old", "out/report.json", "", old("out/report.json")))},
		{"local-protected", with(func(r *receipt.Receipt) {
			r.Subject.RunID, r.Scope.Protection, r.Protected = 0, verdict.Touched, []string{"action.yml"}
		}, stepOutcome("smoke", "smoke", "success"))},
		{"local-no-base", with(func(r *receipt.Receipt) {
			r.Subject.RunID, r.Subject.BaseSHA = 0, ""
			r.Scope.Protection, r.Protected = verdict.Touched, []string{"(changed files that could not be listed)"}
		}, stepOutcome("smoke", "smoke", "success"))},
		{"local-no-contract", with(func(r *receipt.Receipt) { r.Subject.RunID, r.Scope.Contract = 0, verdict.ContractAbsent })},
		{"repair", with(nil, repairable(testsOutcome("unit-tests", 1, 1)))},
		{"partial", with(func(r *receipt.Receipt) { r.Scope.Partial = true }, stepOutcome("smoke", "smoke", "success"))},
		{"nothing-expected", with(nil, outside)},
		{"not-gated", with(func(r *receipt.Receipt) { r.Scope.Gating, r.Contract.AppliesTo = verdict.Outside, true })},
		{"no-contract", with(func(r *receipt.Receipt) { r.Scope.Contract = verdict.ContractAbsent })},
		{"bad-contract", with(func(r *receipt.Receipt) {
			r.Scope.Contract = verdict.ContractBroken
			r.Problems = []contract.Problem{{File: "c.yml", Line: 3, Col: 5, Code: contract.CodeUnknownKey, Message: `unknown key "mod"`, Hint: "Did you mean mode?"}}
		})},
		{"empty-contract", with(func(r *receipt.Receipt) { r.Scope.Contract = verdict.ContractBare })},
		{"cannot-look", with(func(r *receipt.Receipt) { r.Scope.Look = "read the event: it is a named pipe" })},
		{"moved", with(func(r *receipt.Receipt) { r.Scope.HeadMoved = true })},
		{"base", with(func(r *receipt.Receipt) { r.Scope.BaseNotTrusted, r.Subject.BaseRef = true, "feature" })},
		{"shared", with(func(r *receipt.Receipt) { r.Scope.SharedHead = true })},
		{"proposed", with(func(r *receipt.Receipt) { r.Scope.Contract = verdict.ContractPreview }, stepOutcome("smoke", "smoke", "success"))},
		{"draft", with(func(r *receipt.Receipt) {
			r.Report = receipt.Report{Facts: verdict.ReportFacts{Draft: true, Problem: report.NoText}}
		}, stepOutcome("smoke", "smoke", "success"))},
		{"claims", with(func(r *receipt.Receipt) {
			n := func(n int) *int { return &n }
			r.Scope.OnClaimConflict = "block"
			r.Report.Claims = []claims.Claim{
				{Kind: claims.Counts, From: claims.FromEvidence, Text: "npm test: 118 passed", Passed: n(118)},
				{Kind: claims.Counts, From: claims.FromEvidence, Text: "unit: 400 passed", Passed: n(400)},
				{Kind: claims.AllPass, From: claims.FromProse, Scope: claims.Whole, Text: "All tests pass, @octo!"},
				{Kind: claims.Artifact, From: claims.FromArtifacts, Text: "dist/app.tar.gz"},
				{Kind: claims.Admission, From: claims.FromBox, Text: "Could not run the e2e tests"},
			}
			for i := range 50 {
				r.Report.Claims = append(r.Report.Claims, claims.Claim{Kind: claims.Counts, From: claims.FromProse, Scope: claims.Part, Text: fmt.Sprint("part ", i), Passed: n(i)})
			}
		}, testsOutcome("unit-tests", 118, 0))},
		{"all-waived", with(nil, waived)},
		{"zero", &receipt.Receipt{}},
	}
}

// TestGolden shows every sample on every surface.
func TestGolden(t *testing.T) {
	titles := map[string]string{
		"live":               "LIVE: 2 of 2 outcomes verified",
		"false-success":      "EXITED (false success): report says succeeded, dist/app.tar.gz has other bytes than expected (and 1 more outcome)",
		"failures":           "EXITED (false success): report says succeeded, unit-tests has 3 failures",
		"missing":            "UNVERIFIABLE: coverage.out is missing (and 1 more outcome)",
		"waits-for-approval": "Waiting for approval by core",
		"observe":            "Observe: UNVERIFIABLE: coverage.out is missing",
		"cannot-look":        "Could not read the event: it is a named pipe",
		"bad-contract":       "Contract is not valid: 1 mistake, the first at c.yml:3:5",
	}
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			if want, ok := titles[s.name]; ok && Title(s.r) != want {
				t.Errorf("title %q, want %q", Title(s.r), want)
			}
			delete(titles, s.name)
			problem, err := Problem(s.r)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, s.name+".txt", Text(s.r, false))
			golden(t, s.name+".md", Markdown(s.r))
			golden(t, s.name+".problem.json", string(problem))
			if !strings.Contains(Text(s.r, true), "\x1b[") || strings.Contains(Text(s.r, false), "\x1b[") {
				t.Error("colour must be there if asked for, and only then")
			}
		})
	}
	for name := range titles {
		t.Errorf("no sample is named %s", name)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update rewrites it):\n%s", name, got)
	}
}

// TestEveryReasonHasItsWords holds the constant titles to the reasons of package verdict, which the published
// schema of receipts lists.
func TestEveryReasonHasItsWords(t *testing.T) {
	var schema struct {
		Properties struct {
			Reason struct {
				Enum []string `json:"enum"`
			} `json:"reason"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(receipt.SchemaJSON(), &schema); err != nil {
		t.Fatal(err)
	}
	if len(schema.Properties.Reason.Enum) < 30 {
		t.Fatal("the schema lists no reasons: nothing is tested")
	}
	last := ""
	for _, p := range constantTitles() {
		if p[0] <= last {
			t.Errorf("%s does not come after %s", p[0], last)
		}
		last = p[0]
		if !slices.Contains(schema.Properties.Reason.Enum, p[0]) {
			t.Errorf("%s is no reason", p[0])
		}
	}
	for _, reason := range schema.Properties.Reason.Enum {
		if constantTitle(reason) == "" {
			t.Errorf("reason %s has no title", reason)
		}
		for _, result := range []verdict.Result{verdict.Pass, verdict.Block, verdict.Wait, verdict.Error, "", "other"} {
			r := &receipt.Receipt{Verdict: verdict.Unverifiable, Reason: verdict.Reason(reason), Result: result}
			if title := Title(r); len(title) < 8 || strings.HasSuffix(title, ": ") {
				t.Errorf("%s/%s: the title %q says nothing", reason, result, title)
			}
			if result != verdict.Pass && strings.HasPrefix(Title(r), "LIVE") {
				t.Errorf("%s/%s: the title %q looks like a pass", reason, result, Title(r))
			}
		}
	}
}

// TestUnknownStateLooksLikeAFailure holds signs and words to "unknown blocks".
func TestUnknownStateLooksLikeAFailure(t *testing.T) {
	for _, s := range []evidence.State{"", "green", "verified "} {
		if signOf(s).text != signOf(evidence.Missing).text {
			t.Errorf("state %q is shown as %q", s, signOf(s).text)
		}
	}
	if got := State(&receipt.Outcome{Required: true, Expected: true}); got != "✗ no state" {
		t.Errorf("the absent state is shown as %q", got)
	}
}

// TestShortDigests holds that digests are cut, and nothing else that is written in hexadecimal.
func TestShortDigests(t *testing.T) {
	hex := strings.Repeat("0123456789abcdef", 4)
	for in, want := range map[string]string{
		"": "", "no digest": "no digest", hex: "0123456789ab…", "is " + hex + ", not " + hex + ".": "is 0123456789ab…, not 0123456789ab….",
		hex[1:]: hex[1:], hex + "0": hex + "0", hex[:40]: hex[:40], "ä" + hex + "ß": "ä0123456789ab…ß", "g" + hex: "g0123456789ab…",
	} {
		if got := shortDigests(in); got != want {
			t.Errorf("%q is cut to %q, want %q", in, got, want)
		}
	}
}
