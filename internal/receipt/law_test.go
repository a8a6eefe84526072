package receipt

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/claims"
	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/report"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// judgedBy is an outcome that one validator judges, from what that validator sees.
func judgedBy(id, kind, params string, in evidence.Input, reads ...evidence.ReadFacts) Outcome {
	k, _ := evidence.KindByName(kind)
	in.Subject = evidence.Subject{HeadSHA: strings.Repeat("a1", 20)}
	return Outcome{
		Rule:     contract.Outcome{ID: id, Trust: contract.Run, Validators: []contract.Validator{{Kind: kind, Params: json.RawMessage(params)}}},
		Expected: true, Facts: evidence.Observation{ID: id},
		Validators: []Validator{{Kind: kind, Version: k.Version, Facts: k.Observe(json.RawMessage(params), in), Reads: reads}},
	}
}

func testsOf(id, xml string) Outcome {
	o := outcome(id, file("out/unit.xml", 0))
	doc := evidence.Document{Name: "out/unit.xml", Readable: true, Tests: evidence.ReadTests(strings.NewReader(xml), "", evidence.Keep{})}
	v := judgedBy(id, "tests", `{"min_executed":1}`, evidence.Input{Documents: []evidence.Document{doc}})
	o.Rule.Validators, o.Validators = v.Rule.Validators, v.Validators
	return o
}

func recorded(status string, f evidence.File) Outcome {
	return judgedBy("status", "exit_code", `{"file":"status"}`, evidence.Input{Reads: map[string][]evidence.Document{
		"record": {{Name: "status", Readable: true, Bytes: []byte(status)}},
	}}, evidence.ReadFacts{Role: "record", Trust: "run", Set: evidence.FileSet{Total: 1, Tier: "run", Files: []evidence.File{f}}})
}

func approval(by ...string) Outcome {
	return Outcome{
		Expected: true, Rule: contract.Outcome{ID: "sign-off", Trust: contract.Run, Deadline: 3600,
			WaitsFor: &contract.WaitsFor{Approval: &contract.Approval{From: []string{"write"}, Count: 2}}},
		Facts: evidence.Observation{ID: "sign-off", Wait: &evidence.WaitFacts{Known: true, Need: 2, By: by, Arrived: len(by) > 1}},
	}
}

// withReport gives a receipt a report that was required and read.
func withReport(r *Receipt) *Receipt {
	r.Scope.ReportRequired = true
	r.Report = Report{
		Carrier: "body", Author: "kim/User", Claimed: Claimed{Evidence: []string{"go test: ok"}, Commit: strings.Repeat("a1", 4)},
		Facts: verdict.ReportFacts{Found: true, Outcome: "succeeded", Evidence: 1, Commit: verdict.NamesHead},
	}
	return r
}

// blocking are receipts each of which does not pass for one cause, as a run records it.
func blocking() map[string]*Receipt {
	good := func() Outcome { return outcome("cargo", file("out/a", 0)) }
	with := func(change func(*Receipt), outcomes ...Outcome) *Receipt {
		r := withReport(sample(outcomes...))
		if change != nil {
			change(r)
		}
		return r
	}
	set := func(change func(*Outcome)) *Receipt {
		o := good()
		change(&o)
		return with(nil, o)
	}
	aFile := func(change func(*evidence.File)) *Receipt {
		return set(func(o *Outcome) { change(&o.Facts.Artifact.Files[0]) })
	}
	scoped := func(change func(*verdict.Scope)) *Receipt { return with(func(r *Receipt) { change(&r.Scope) }, good()) }
	reported := func(change func(*Report)) *Receipt { return with(func(r *Receipt) { change(&r.Report) }, good()) }
	older := file("out/a", 3*time.Hour)
	return map[string]*Receipt{
		"failed tests":     with(nil, testsOf("unit", `<testsuite name="s"><testcase name="a"><failure/></testcase><testcase name="b"/></testsuite>`)),
		"failed step":      with(nil, judgedBy("smoke", "step", `{"id":"smoke"}`, evidence.Input{HasSteps: true, Steps: map[string]evidence.Step{"smoke": {Outcome: "failure", Conclusion: "success"}}})),
		"failed job":       with(nil, judgedBy("build", "job", `{"id":"build"}`, evidence.Input{HasJobs: true, Jobs: map[string]evidence.Job{"build": {Result: "failure", Source: "needs"}}})),
		"failed check":     with(nil, judgedBy("ci", "check", `{"name":"ci"}`, evidence.Input{HasChecks: true, Checks: []evidence.Check{{Name: "ci", App: "x", Status: "completed", Conclusion: "failure", HeadSHA: strings.Repeat("a1", 20)}}})),
		"failed command":   with(nil, recorded("1", file("status", 0))),
		"old record":       with(nil, recorded("0", file("status", 3*time.Hour))),
		"stale":            with(nil, outcome("cargo", older)),
		"from the future":  with(nil, outcome("cargo", file("out/a", -time.Hour))),
		"missing":          with(nil, outcome("cargo")),
		"unlisted":         set(func(o *Outcome) { o.Facts.Artifact.Problem = evidence.CodeArtifactUnlisted }),
		"too few":          set(func(o *Outcome) { o.Rule.Artifact.Count.Min = 2 }),
		"unreadable":       aFile(func(f *evidence.File) { f.Problem, f.SHA256 = evidence.CodeArtifactUnreadable, "" }),
		"moved while read": aFile(func(f *evidence.File) { f.Problem = evidence.CodeArtifactMoved }),
		"committed":        aFile(func(f *evidence.File) { f.Git.Tracked = true }),
		"copied":           aFile(func(f *evidence.File) { f.Git.Copied = "old/a" }),
		"git unknown":      aFile(func(f *evidence.File) { f.Git = evidence.GitFacts{Reason: "no repository"} }),
		"empty":            aFile(func(f *evidence.File) { f.SizeBytes = 0 }),
		"other bytes":      set(func(o *Outcome) { o.Rule.Artifact.SHA256 = strings.Repeat("1f", 32) }),
		"too weak":         set(func(o *Outcome) { o.Rule.Trust = contract.Service }),
		"another target": set(func(o *Outcome) {
			o.Rule.Artifact.Identity = []contract.Identity{{Pointer: "/sha", Equals: []string{"commit"}}}
			o.Facts.Artifact.Files[0].Identity = []evidence.IdentityValue{{Value: strings.Repeat("b2", 20), Found: true}}
		}),
		"failed producer": set(func(o *Outcome) {
			o.Rule.Artifact.MadeBy = "test"
			o.Facts.Producer = &evidence.Producer{Name: "test", Source: "step", Given: true, Outcome: "failure"}
		}),
		"producer not given": set(func(o *Outcome) { o.Rule.Artifact.MadeBy = "test"; o.Facts.Producer = &evidence.Producer{Name: "test"} }),
		"a stale group": set(func(o *Outcome) {
			for i := range keptFiles - 1 {
				o.Facts.Artifact.Files = append(o.Facts.Artifact.Files, file(fmt.Sprint("out/b", i), 0))
			}
			o.Facts.Artifact.Total, o.Facts.Artifact.More = keptFiles+2, []evidence.Group{{State: evidence.Stale, Code: evidence.CodeArtifactStale, N: 2}}
		}),
		"two outcomes of one stale file": with(nil, outcome("cargo", older), outcome("crane", older)),
		"a shared stale artifact": func() *Receipt {
			o := outcome("crane", older)
			o.Rule.Artifact, o.Facts.Of = &contract.Artifact{Of: "cargo"}, "cargo"
			return with(nil, outcome("cargo", older), o)
		}(),
		"waiting": with(nil, approval("kim")),
		"refused": func() *Receipt { o := approval("kim", "lee"); o.Facts.Wait.Rejected = true; return with(nil, o) }(),
		"expired waiver": set(func(o *Outcome) {
			o.Rule.Waive = &contract.Waive{Until: "2026-03-03", Reason: "x"}
			o.Facts.Artifact.Files[0] = older
		}),
		"waived": set(func(o *Outcome) {
			o.Rule.Waive = &contract.Waive{Until: "2026-03-05", Reason: "x"}
			o.Facts.Artifact.Files[0] = older
		}),
		"expected by when": set(func(o *Outcome) {
			o.Rule.When = &contract.When{Paths: []string{"src/**"}}
			o.Facts.Artifact.Files[0] = older
		}),
		"no boundary":      with(func(r *Receipt) { r.Circumstances.Boundary = time.Time{} }, good()),
		"cannot look":      scoped(func(s *verdict.Scope) { s.Look = "read the head commit again: gone" }),
		"head moved":       scoped(func(s *verdict.Scope) { s.HeadMoved = true }),
		"base not trusted": scoped(func(s *verdict.Scope) { s.BaseNotTrusted = true }),
		"shared head":      scoped(func(s *verdict.Scope) { s.SharedHead = true }),
		"preview":          scoped(func(s *verdict.Scope) { s.Contract = verdict.ContractPreview }),
		"partial":          scoped(func(s *verdict.Scope) { s.Partial = true }),
		"invalid": with(func(r *Receipt) {
			r.Scope.Contract, r.Problems = verdict.ContractBroken, []contract.Problem{{File: "c", Line: 1, Col: 1, Code: contract.CodeValue}}
		}, good()),
		"protected":        with(func(r *Receipt) { r.Scope.Protection, r.Protected = verdict.Touched, []string{".github/x"} }, good()),
		"contract changed": with(func(r *Receipt) { r.Scope.Protection, r.Contract.ChangedBySubject = verdict.Touched, true }, good()),
		"claim conflict": func() *Receipt {
			r := with(nil, testsOf("unit", `<testsuite name="s"><testcase name="a"/><testcase name="b"/></testsuite>`))
			seven := 7
			r.Report.Claims, r.Scope.OnClaimConflict = []claims.Claim{{Kind: claims.Counts, From: claims.FromEvidence, Text: "7 passed", Passed: &seven}}, "block"
			return r
		}(),
		"claims not read": with(func(r *Receipt) { r.Report.ClaimsUnread, r.Scope.OnClaimConflict = 1, "block" }, good()),
		"failed report":   reported(func(p *Report) { p.Facts.Outcome, p.Facts.AnyBad = "failed", true }),
		"blocked report":  reported(func(p *Report) { p.Facts.Outcome, p.Facts.AnyBad, p.Facts.Blocked = "blocked", true, true }),
		"no evidence": reported(func(p *Report) {
			p.Claimed.Evidence, p.Facts.Evidence, p.Facts.Problem, p.Errors = nil, 0, report.NoEvidence, []string{"$.evidence: x"}
		}),
		"failing list":   reported(func(p *Report) { p.Claimed.Failing, p.Facts.Failing = []string{"TestA"}, 1 }),
		"foreign commit": reported(func(p *Report) { p.Claimed.Commit, p.Facts.Commit = strings.Repeat("b2", 20), verdict.NamesForeign }),
		"older commit": reported(func(p *Report) {
			p.Claimed.Commit, p.Facts.Commit, p.Facts.Bind = strings.Repeat("b2", 20), verdict.NamesOlder, true
		}),
		"broken report": reported(func(p *Report) {
			*p = Report{Carrier: "body", Errors: []string{"body:1:1: x"}, Facts: verdict.ReportFacts{Found: true, Problem: report.Broken}}
		}),
		"ambiguous reports": reported(func(p *Report) {
			p.Claimed, p.Errors, p.Facts = Claimed{}, []string{"body:1:1: x"}, verdict.ReportFacts{Found: true, Problem: report.Ambiguous}
		}),
		"another task": reported(func(p *Report) { p.Facts.OtherTask = true }),
		"silent agent": reported(func(p *Report) { *p = Report{Facts: verdict.ReportFacts{Problem: report.NoText}} }),
		"agent exit":   reported(func(p *Report) { n := 1; p.Facts.Exit = &n }),
		"runtime":      reported(func(p *Report) { p.Facts.Runtime = report.RuntimeFailed }),
		"unasked broken": with(func(r *Receipt) {
			r.Scope.ReportRequired = false
			r.Report = Report{Carrier: "body", Errors: []string{"body:1:1: x"}, Facts: verdict.ReportFacts{Found: true, Problem: report.Broken}}
		}, good()),
		"nothing expected": with(func(r *Receipt) { r.Scope.WhenNothingExpected = "block" }, func() Outcome {
			o := good()
			o.Expected, o.Rule.When = false, &contract.When{Paths: []string{"src/**"}}
			return o
		}()),
	}
}

// outsideWorld are the members that turn a receipt into one that passes when they alone are other ones: each is what
// only the outside world can say, with the reason why nothing else in the receipt says it too.
func outsideWorld() map[string]string {
	return map[string]string{
		"now":                                 "the clock; windows, waivers and ages follow from it",
		"circumstances.boundary":              "when the run began",
		"subject.head_sha":                    "which commit is judged; what names it is held against it",
		"contract.changed_by_subject":         "what the change touches; the receipt has no list of changed files",
		"scope.contract":                      "whether the trusted branch has a contract",
		"scope.look":                          "that something could not be read",
		"scope.base_not_trusted":              "what the default branch's contract lists",
		"scope.shared_head":                   "other pull requests",
		"report.claims":                       "claims found in text that the receipt does not hold",
		"report.claims_unread":                "text that the receipt does not hold",
		"scope.report_required":               "the contract's text: its digest stands for it",
		"scope.on_claim_conflict":             "the contract's text",
		"scope.when_nothing_expected":         "the contract's text",
		"scope.partial":                       "what the user asked for",
		"report.facts.exit_status":            "how the agent's process ended",
		"report.facts.runtime":                "what the agent's runtime said",
		"report.facts.other_task":             "which task was expected",
		"report.facts.commit":                 "which earlier commits the change has",
		"report.facts.bind":                   "the contract's text",
		"report.claimed.commit":               "the report's text",
		"outcomes[].expected":                 "what the change touches, for a rule with when",
		"outcomes[].rule":                     "the contract's text: its digest stands for it",
		"outcomes[].facts":                    "what was seen of files, producers and waits",
		"outcomes[].validators[].facts":       "what the kind saw; package evidence refuses facts that exclude each other",
		"outcomes[].validators[].reads[].set": "what was seen of further files",
	}
}

// words are values that a forger would try, besides those of the other receipts.
func words() []string {
	return []string{"", "success", "completed", "service", "run", "commit", "yes", "no", "none", "changed", "ok", "approved", "outside", "gated", "untouched",
		"pass", "warn", "succeeded", "head", "older", "verified", "missing", "artifact/ok", strings.Repeat("a1", 20), strings.Repeat("b2", 20), "0", "1",
		"2000-01-01T00:00:00Z", "2026-03-04T06:00:00Z", "2026-03-04T10:00:00Z", "2026-03-09T10:00:00Z", "2100-01-01", "src/**"}
}

// variants are other values in the place of one scalar; nil is its absence.
func variants(v any) []any {
	switch x := v.(type) {
	case bool:
		return []any{!x, absent{}}
	case float64:
		out := []any{absent{}}
		for _, n := range []float64{0, 1, 2, x - 1, x + 1, -x} {
			if n != x {
				out = append(out, n)
			}
		}
		return out
	case string:
		out := []any{absent{}}
		for _, w := range words() {
			if w != x {
				out = append(out, w)
			}
		}
		return out
	}
	return []any{absent{}, true, 0.0, "2026-03-04T10:00:00Z"} // null
}

type absent struct{}

// eachScalar calls do for every scalar below v with its path and a function that puts another value in its place.
func eachScalar(path string, v any, set func(any), do func(path string, v any, set func(any))) {
	switch x := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(x)) {
			p := name
			if path != "" {
				p = path + "." + name
			}
			eachScalar(p, x[name], func(n any) {
				if _, gone := n.(absent); gone {
					delete(x, name)
				} else {
					x[name] = n
				}
			}, do)
		}
	case []any:
		for i := range x {
			eachScalar(path+"[]", x[i], func(n any) {
				if _, gone := n.(absent); gone {
					n = nil
				}
				x[i] = n
			}, do)
		}
	default:
		do(path, v, set)
	}
}

// isConclusion says whether Complete alone sets a member.
var isConclusion = regexp.MustCompile(`^(schema|digest|verdict|reason|result|may_retry|next|expected|verified|verified_rate|coverage|` +
	`scope\.claim_overstates|report\.(verdict|reason|may_retry|heard)|report\.claims\[\]\.(result|overstates|detail)|outcomes\[\]\.(id|about|required|state|code|detail|next|who|observation.*|files.*)|outcomes\[\]\.validators\[\]\.(state|code|detail|exit_code))$`)

// TestOneFactNeverSaysTwoThings states the law of the receipt: of a receipt that does not pass, no single member can be
// changed so that the completed receipt passes, except for what only the outside world can say.
func TestOneFactNeverSaysTwoThings(t *testing.T) {
	allowed, fired := outsideWorld(), map[string]bool{}
	tried := 0
	for name, r := range blocking() {
		b := complete(t, r)
		if r.Result == verdict.Pass {
			t.Errorf("%s: it passes", name)
			continue
		}
		if d, err := Replay(r); err != nil || d != nil {
			t.Errorf("%s: replay says %+v, %v", name, d, err)
		}
		var doc any
		if err := json.Unmarshal(b, &doc); err != nil {
			t.Fatal(err)
		}
		eachScalar("", doc, nil, func(path string, old any, set func(any)) {
			if isConclusion.MatchString(path) {
				return
			}
			for _, v := range variants(old) {
				set(v)
				tried++
				if passes(t, doc) {
					rule := ruleFor(allowed, path)
					fired[rule] = true
					if rule == "" {
						t.Errorf("%s: %s alone turns it into a pass, as %v instead of %v", name, path, v, old)
					}
				}
			}
			set(old)
		})
	}
	if tried < 10_000 {
		t.Errorf("only %d changes were tried", tried)
	}
	for path := range allowed {
		if !fired[path] {
			t.Errorf("%s never turns a receipt into a pass: it needs no exception", path)
		}
	}
}

// ruleFor is the exception that covers a path: its own, or that of what it is part of.
func ruleFor(allowed map[string]string, path string) string {
	for p := range allowed {
		if rest, ok := strings.CutPrefix(path, p); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return p
		}
	}
	return ""
}

// passes draws the conclusions of a record anew and says whether it passes.
func passes(t *testing.T, doc any) bool {
	t.Helper()
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var r Receipt
	if json.Unmarshal(raw, &r) != nil || r.settle() != nil {
		return false // refused
	}
	r.conclude()
	return r.Result == verdict.Pass
}

// TestSettles gives one case for each fact that follows from others: recorded otherwise it is found or refused.
func TestSettles(t *testing.T) {
	old := file("out/a", 3*time.Hour)
	for _, c := range []struct {
		at     string // where the difference is named, or what the refusal says
		change func(*Receipt)
	}{
		{"outcomes[0].waived", func(r *Receipt) { r.Outcomes[0].Waived = true }},
		{"outcomes[0].expected", func(r *Receipt) { r.Outcomes[0].Expected = false }},
		{"circumstances.subject.head_sha", func(r *Receipt) { r.Circumstances.Subject.HeadSHA = strings.Repeat("0", 40) }},
		{"circumstances.now", func(r *Receipt) { r.Circumstances.Now = begin.Add(time.Hour) }},
		{"circumstances.head_moved", func(r *Receipt) { r.Scope.HeadMoved = true }},
		{"scope.gating", func(r *Receipt) { r.Scope.Gating = verdict.Outside }},
		{"scope.contract", func(r *Receipt) { r.Scope.Contract = verdict.ContractApproved }},
		{"scope.protection", func(r *Receipt) { r.Protected = []string{"action.yml"} }},
		{"report.facts.found", func(r *Receipt) { r.Report.Facts.Found = false }},
		{"report.facts.failing", func(r *Receipt) { r.Report.Claimed.Failing = []string{"TestA"} }},
		{"report.facts.evidence", func(r *Receipt) { r.Report.Claimed.Evidence = nil }},
		{"report.facts.commit", func(r *Receipt) { r.Report.Claimed.Commit = strings.Repeat("b2", 20) }},
		{"outcomes[0].facts.of", func(r *Receipt) { r.Outcomes[0].Facts.Of = "crane" }},
		{"outcomes[0].facts.artifact.total", func(r *Receipt) { r.Outcomes[0].Facts.Artifact.Total = 0 }},
		{"outcomes[0].facts.artifact.size_bytes", func(r *Receipt) { r.Outcomes[0].Facts.Artifact.SizeBytes = 11 }},
		{"outcomes[1].facts.wait.need", func(r *Receipt) { r.Outcomes[1].Facts.Wait.Need = 1 }},
		{"outcomes[2].validators", func(r *Receipt) {
			r.Outcomes[2].Validators = append(r.Outcomes[2].Validators, Validator{Kind: "step", Facts: json.RawMessage("{}")})
		}},
		{"outcomes[2].validators[0].facts.commit_is", func(r *Receipt) { r.Outcomes[2].Validators[0].Kind = "step" }},
		{"outcomes[2].validators[0].reads", func(r *Receipt) { r.Outcomes[2].Validators[0].Reads = nil }},
		{"outcomes[2].validators[0].reads[0].trust", func(r *Receipt) { r.Outcomes[2].Validators[0].Reads[0].Trust = "service" }},
		{`outcome "cargo" occurs twice`, func(r *Receipt) { r.Outcomes = append(r.Outcomes, r.Outcomes[0]) }},
		{"name the same files and list others", func(r *Receipt) { o := outcome("cart"); r.Outcomes = append(r.Outcomes, o) }},
		{"are not those that were recorded before", func(r *Receipt) { r.Outcomes = append(r.Outcomes, outcome("cart", old)) }},
		{"keeps 1 files and counts others", func(r *Receipt) {
			r.Outcomes[0].Facts.Artifact.More = []evidence.Group{{State: evidence.Verified, Code: evidence.CodeArtifactOK, N: 1}}
		}},
	} {
		r := withReport(sample(outcome("cargo", file("out/a", 0)), approval("kim"), recorded("0", file("status", 0))))
		complete(t, r)
		c.change(r)
		d, err := Replay(r)
		switch {
		case err != nil:
			if !strings.Contains(err.Error(), c.at) {
				t.Errorf("%s: refused: %v", c.at, err)
			}
		case d == nil:
			t.Errorf("%s: replay says equal", c.at)
		case d.At != c.at:
			t.Errorf("%s: named as %s", c.at, d.At)
		}
	}
}
