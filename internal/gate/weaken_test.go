package gate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/gate"
)

// turn is one change of a contract: of the key in a document that is strict to one that is loose. Whole documents
// have no outcomes of their own; the others are the members of an outcome.
type turn struct {
	key           string // as the documentation's table has it
	strict, loose string
	said          string // the key that is said; empty: the last part of key is in it
	direction     contract.Direction
}

const (
	weaker  = contract.Weaker
	changed = contract.Changed
	neutral = contract.Direction("") // it decides nothing: neither way is told
)

const digest = `"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`

// wholeTurns are of keys of the document itself.
func wholeTurns() []turn {
	return []turn{
		{"version", "", "", "", neutral},
		{"mode", "mode: enforce", "mode: observe", "", weaker},
		{"base_branches", "", "base_branches: [next]", "", weaker},
		{"base_branches", `base_branches: ["release/**"]`, `base_branches: ["release/**", "release/1"]`, "", neutral},
		{"contracts", "", "contracts: [a.yml]", "", weaker},
		{"applies_to", "", "applies_to: { labels: [agent] }", "", weaker},
		{"applies_to.agents", "applies_to: { agents: [claude, codex] }", "applies_to: { agents: [codex] }", "", weaker},
		{"applies_to.authors", `applies_to: { authors: [a, b] }`, `applies_to: { authors: [b] }`, "", weaker},
		{"applies_to.labels", "applies_to: { labels: [a, b] }", "applies_to: { labels: [b] }", "", weaker},
		{"applies_to.head_branches", `applies_to: { head_branches: ["**"] }`, `applies_to: { head_branches: ["agent/**"] }`, "", weaker},
		{"applies_to.trailers", `applies_to: { trailers: { By: ["@a.example", "@b.example"] } }`, `applies_to: { trailers: { By: ["@a.example"] } }`, "applies_to.trailers.By", weaker},
		{"report", "report: { required: always }", "", "report.required", weaker},
		{"report.required", "report: { required: agents }", "report: { required: never }", "", weaker},
		{"report.carriers", "report: { carriers: [body, comment, file] }", "report: { carriers: [body] }", "", weaker},
		{"report.comment_authors", "", "report: { comment_authors: [friend] }", "", weaker},
		{"report.mention", `report: { mention: "@a" }`, `report: { mention: "@b" }`, "", neutral},
		{"report.schema", "report: { schema: a.json }", "report: { schema: b.json }", "", changed},
		{"report.bind", "report: { bind: commit }", "", "", weaker},
		{"protected_paths", `protected_paths: ["scripts/**", a]`, `protected_paths: ["scripts/check/**", a]`, "", weaker},
		{"protected_paths", `protected_paths: [a]`, "", "", weaker},
		{"outcomes", "outcomes: [{ id: a, validators: [step: t] }, { id: b, validators: [step: t] }]", "outcomes: [{ id: b, validators: [step: t] }]", "id", weaker},
		{"outcomes[].id", "outcomes: [{ id: a, validators: [step: t] }, { id: b, validators: [step: t] }]", "outcomes: [{ id: a, validators: [step: t] }]", "id", weaker},
		{"outcomes[].required", "outcomes: [{ id: a, validators: [step: t] }, { id: b, validators: [step: t] }]",
			"outcomes: [{ id: a, validators: [step: t] }, { id: b, required: false, validators: [step: t] }]", "required", weaker},
		{"outcomes[].artifact.of", "outcomes: [{ id: a, artifact: { of: b } }, { id: b, artifact: { files: b } }, { id: c, artifact: { files: c } }]",
			"outcomes: [{ id: a, artifact: { of: c } }, { id: b, artifact: { files: b } }, { id: c, artifact: { files: c } }]", "artifact.files", changed},
		{"on_claim_conflict", "on_claim_conflict: block", "", "", weaker},
		{"when_nothing_expected", "when_nothing_expected: block", "", "", weaker},
		{"reviewed", "reviewed: 2026-01-01", "reviewed: 2026-02-01", "", neutral},
	}
}

// outcomeTurns are of keys of an outcome.
func outcomeTurns() []turn {
	waits := func(s string) string { return "waits_for: " + s }
	return []turn{
		{"about", "about: a", "about: b", "", neutral},
		{"artifact", "artifact: { files: a }", "", "", weaker},
		{"artifact.files", "artifact: { files: [out/a.xml] }", `artifact: { files: ["**"] }`, "", changed},
		{"artifact.files", "artifact: { files: [a, b] }", `artifact: { files: [a] }`, "", changed},
		{"artifact.upload", "artifact: { files: a, upload: x }", "artifact: { files: a, upload: y }", "artifact.files", changed},
		{"artifact.url", `artifact: { url: "https://a.example/x" }`, `artifact: { url: "https://b.example/x" }`, "artifact.files", changed},
		{"artifact.status", `artifact: { url: "https://a.example/x" }`, `artifact: { url: "https://a.example/x", status: 404 }`, "", changed},
		{"artifact.redirects", `artifact: { url: "https://a.example/x" }`, `artifact: { url: "https://a.example/x", redirects: 3 }`, "", weaker},
		{"artifact.made_by", "artifact: { files: a, made_by: test }", "artifact: { files: a }", "", weaker},
		{"artifact.made_by", "artifact: { files: a, made_by: test }", "artifact: { files: a, made_by: fake }", "", changed},
		{"artifact.any_exit", "artifact: { files: a, made_by: test }", "artifact: { files: a, made_by: test, any_exit: true }", "", weaker},
		{"artifact.identity", "artifact: { files: a, identity: { pointer: /c, equals: commit } }", "artifact: { files: a }", "", weaker},
		{"artifact.identity.pointer", "artifact: { files: a, identity: [{ pointer: /c, equals: commit }, { pointer: /d, equals: commit }] }", "artifact: { files: a, identity: { pointer: /c, equals: commit } }", "artifact.identity", weaker},
		{"artifact.identity.property", "artifact: { files: a, identity: [{ property: c, equals: commit }, { pointer: /d, equals: commit }] }", "artifact: { files: a, identity: { pointer: /d, equals: commit } }", "artifact.identity", weaker},
		{"artifact.identity.regexp", "artifact: { files: a, identity: [{ regexp: c, equals: commit }, { pointer: /d, equals: commit }] }", "artifact: { files: a, identity: { pointer: /d, equals: commit } }", "artifact.identity", weaker},
		{"artifact.identity.file", "artifact: { files: a, identity: [{ pointer: /d, file: b, equals: commit }, { pointer: /d, equals: commit }] }", "artifact: { files: a, identity: { pointer: /d, equals: commit } }", "artifact.identity", weaker},
		{"artifact.identity.equals", "artifact: { files: a, identity: { pointer: /c, equals: head_sha } }", "artifact: { files: a, identity: { pointer: /c, equals: [head_sha, base_sha] } }", "", weaker},
		{"artifact.identity.equals.text", "artifact: { files: a, identity: { pointer: /c, equals: { text: x } } }", "artifact: { files: a, identity: { pointer: /c, equals: { text: [x, y] } } }", "", weaker},
		{"artifact.fresh", "artifact: { files: a }", "artifact: { files: a, fresh: none }", "", weaker},
		{"artifact.fresh", "artifact: { files: a }", "artifact: { files: a, fresh: { max_age: 1h } }", "", weaker},
		{"artifact.fresh.max_age", "artifact: { files: a, fresh: { max_age: 1h } }", "artifact: { files: a, fresh: { max_age: 2h } }", "artifact.fresh", weaker},
		{"artifact.committed", "artifact: { files: a }", "artifact: { files: a, committed: changed }", "", weaker},
		{"artifact.committed", "artifact: { files: a, committed: changed }", "artifact: { files: a, committed: \"yes\" }", "", weaker},
		{"artifact.symlinks", "artifact: { files: a, symlinks: refuse }", "artifact: { files: a }", "", weaker},
		{"artifact.sha256", "artifact: { files: a, sha256: " + digest + " }", "artifact: { files: a }", "", weaker},
		{"artifact.hmac_sha256", "artifact: { files: a, hmac_sha256: " + digest + " }", "artifact: { files: a }", "", weaker},
		{"artifact.sha256", "artifact: { files: a, sha256: " + digest + " }", "artifact: { files: a, sha256: " + strings.Replace(digest, "9", "8", 1) + " }", "", changed},
		{"artifact.min_bytes", "artifact: { files: a, min_bytes: 9 }", "artifact: { files: a }", "", weaker},
		{"artifact.max_bytes", "artifact: { files: a, max_bytes: 9 }", "artifact: { files: a, max_bytes: 10 }", "", weaker},
		{"artifact.max_bytes", "artifact: { files: a, max_bytes: 9 }", "artifact: { files: a }", "", weaker},
		{"artifact.count", "artifact: { files: a, count: 3 }", "artifact: { files: a }", "", weaker},
		{"artifact.count.min", "artifact: { files: a, count: { min: 3 } }", "artifact: { files: a, count: { min: 2 } }", "", weaker},
		{"artifact.count.max", "artifact: { files: a, count: { max: 3 } }", "artifact: { files: a, count: { max: 4 } }", "", weaker},
		{"observe_for", "artifact: { files: a, upload: x }", "artifact: { files: a, upload: x }, observe_for: 2m", "", weaker},
		{"waits_for", waits("{ environment: live }"), "", "", weaker},
		{"waits_for.approval", waits("{ approval: {} }"), waits("{ environment: live }"), "waits_for", changed},
		{"waits_for.approval.from", waits("{ approval: { from: [admin] } }"), waits("{ approval: { from: [write] } }"), "", weaker},
		{"waits_for.approval.from", waits(`{ approval: { from: ["user:a"] } }`), waits(`{ approval: { from: ["user:a", "team:b"] } }`), "", weaker},
		{"waits_for.approval.count", waits("{ approval: { count: 2 } }"), waits("{ approval: {} }"), "", weaker},
		{"waits_for.environment", waits("{ environment: live }"), waits("{ environment: test }"), "", changed},
		{"deadline", waits("{ environment: live }, deadline: 1h"), waits("{ environment: live }, deadline: 2h"), "", weaker},
		{"deadline", waits("{ environment: live }, deadline: 1h"), waits("{ environment: live }"), "", weaker},
		{"when", "", "when: { paths: [a] }", "", weaker},
		{"when.paths", `when: { paths: ["**"] }`, "when: { paths: [a] }", "", weaker},
		{"waive", "", "waive: { until: 2026-12-31, reason: r }", "", weaker},
		{"waive.until", "waive: { until: 2026-11-30, reason: r }", "waive: { until: 2026-12-31, reason: r }", "", weaker},
		{"waive.reason", "waive: { until: 2026-11-30, reason: r }", "waive: { until: 2026-11-30, reason: s }", "", neutral},
		{"repair", "", "repair: once", "", weaker},
		{"trust", "trust: run, artifact: { files: a, committed: \"yes\" }", "artifact: { files: a, committed: \"yes\" }", "", weaker},
		{"validators", "validators: [step: u, job: v]", "validators: [step: u]", "", weaker},
	}
}

// kindTurns are of kinds and their parameters.
func kindTurns() []turn {
	const before = "fail_to_pass: { before: b.xml"
	return []turn{
		{"check", "check: a", "", "", weaker},
		{"check.name", "check: a", "check: b", "", changed},
		{"check.app", "check: { name: a, app: x }", "check: { name: a }", "", ""},
		{"command", "command: { run: [a] }", "", "", weaker},
		{"command.run", "command: { run: [a] }", "command: { run: [b] }", "", changed},
		{"command.timeout", "command: { run: [a] }", "command: { run: [a], timeout: 9m }", "", changed},
		{"content", "content: { text: x }", "", "", weaker},
		{"content.pointer", "content: { pointer: /a, equals: commit }", "content: { pointer: /b, equals: commit }", "", changed},
		{"content.equals", "content: { pointer: /a, equals: commit }", "content: { pointer: /a, equals: [commit, base_sha] }", "", weaker},
		{"content.equals", "content: { pointer: /a, equals: commit }", "content: { pointer: /a, equals: { text: commit } }", "", changed},
		{"content.equals.text", "content: { pointer: /a, equals: { text: x } }", "content: { pointer: /a, equals: { text: [x, y] } }", "content.equals", weaker},
		{"content.text", "content: { text: x }", "content: { text: y }", "", changed},
		{"content.regexp", "content: { text: x }", "content: { regexp: x }", "content", changed},
		{"content.pointer", "content: { pointer: /a, equals: commit }", "content: { text: x }", "content", changed},
		{"content.regexp", "content: { regexp: r }", "content: { regexp: . }", "", changed},
		{"coverage", "coverage: { min_percent: 80 }", "", "", weaker},
		{"coverage.min_percent", "coverage: { min_percent: 80.5 }", "coverage: { min_percent: 80 }", "", weaker},
		{"coverage.min_changed_percent", "coverage: { min_percent: 1, min_changed_percent: 80 }", "coverage: { min_percent: 1 }", "", weaker},
		{"coverage.min_lines", "coverage: { min_percent: 1, min_lines: 9 }", "coverage: { min_percent: 1 }", "", weaker},
		{"coverage.ignore_files", "coverage: { min_changed_percent: 1 }", "coverage: { min_changed_percent: 1, ignore_files: a }", "", weaker},
		{"coverage.root", "coverage: { min_percent: 1 }", "coverage: { min_percent: 1, root: a }", "", changed},
		{"coverage.format", "coverage: { min_percent: 1, format: lcov }", "coverage: { min_percent: 1 }", "", weaker},
		{"coverage.allow_count_mismatch", "coverage: { min_percent: 1 }", "coverage: { min_percent: 1, allow_count_mismatch: true }", "", weaker},
		{"exit_code", "exit_code: a", "", "", weaker},
		{"exit_code.file", "exit_code: a", "exit_code: b", "", changed},
		{"exit_code.command_contains", "exit_code: { file: a, command_contains: x }", "exit_code: a", "", weaker},
		{"exit_code.same_artifact", "exit_code: { file: a, same_artifact: true }", "exit_code: a", "", weaker},
		{"fail_to_pass", before + " }", "", "", weaker},
		{"fail_to_pass.before", before + " }", "fail_to_pass: { before: c.xml }", "", changed},
		{"fail_to_pass.before.files", "fail_to_pass: { before: { files: b.xml, trust: run } }", "fail_to_pass: { before: { files: c.xml, trust: run } }", "fail_to_pass.before", changed},
		{"fail_to_pass.before.trust", before + " }", "fail_to_pass: { before: { files: b.xml, trust: run } }", "", weaker},
		{"fail_to_pass.min", before + ", min: 2 }", before + " }", "", weaker},
		{"fail_to_pass.tests", before + ", tests: [a, b] }", before + ", tests: [a] }", "", weaker},
		{"fail_to_pass.count_errors", before + " }", before + ", count_errors: true }", "", weaker},
		{"fail_to_pass.format", before + ", format: junit }", before + " }", "", weaker},
		{"job", "job: a", "", "", weaker},
		{"job.id", "job: a", "job: b", "", changed},
		{"json_schema", "json_schema: a.json", "", "", weaker},
		{"json_schema.schema", "json_schema: a.json", "json_schema: b.json", "", changed},
		{"json_schema.version", "json_schema: { schema: a.json, version: \"3\" }", "json_schema: a.json", "", weaker},
		{"judgement", "judgement: { file: a, rubric: r, min_score: 0.5 }", "", "", weaker},
		{"judgement.file", "judgement: { file: a, rubric: r, min_score: 0.5 }", "judgement: { file: b, rubric: r, min_score: 0.5 }", "", changed},
		{"judgement.rubric", "judgement: { file: a, rubric: r, min_score: 0.5 }", "judgement: { file: a, rubric: s, min_score: 0.5 }", "", changed},
		{"judgement.version", "judgement: { file: a, rubric: r, min_score: 0.5, version: \"3\" }", "judgement: { file: a, rubric: r, min_score: 0.5 }", "", weaker},
		{"judgement.min_score", "judgement: { file: a, rubric: r, min_score: 0.5 }", "judgement: { file: a, rubric: r, min_score: 0.4 }", "", weaker},
		{"judgement.scale", "judgement: { file: a, rubric: r, min_score: 0.5 }", "judgement: { file: a, rubric: r, min_score: 0.5, scale: 100 }", "", changed},
		{"judgement.scale", "judgement: { file: a, rubric: r, min_score: 0.5 }", "judgement: { file: a, rubric: r, min_score: 0.5, scale: 1 }", "", neutral},
		{"judgement.judges", "judgement: { file: a, rubric: r, min_score: 0.5, judges: [x] }", "judgement: { file: a, rubric: r, min_score: 0.5, judges: [x, y] }", "", weaker},
		{"judgement.judges", "judgement: { file: a, rubric: r, min_score: 0.5, judges: [x] }", "judgement: { file: a, rubric: r, min_score: 0.5 }", "", weaker},
		{"judgement.judge_not", "judgement: { file: a, rubric: r, min_score: 0.5, judge_not: author }", "judgement: { file: a, rubric: r, min_score: 0.5 }", "", weaker},
		{"sarif", "sarif: {}", "", "", weaker},
		{"sarif.max_errors", "sarif: {}", "sarif: { max_errors: 1 }", "", weaker},
		{"sarif.max_errors", "sarif: {}", "sarif: { max_errors: 0 }", "", neutral},
		{"sarif.max_warnings", "sarif: { max_warnings: 1 }", "sarif: {}", "", weaker},
		{"sarif.max_notes", "sarif: { max_notes: 1 }", "sarif: { max_notes: 2 }", "", weaker},
		{"sarif.max_suppressed", "sarif: { max_suppressed: 1 }", "sarif: {}", "", weaker},
		{"sarif.max_notifications", "sarif: {}", "sarif: { max_notifications: 1 }", "", weaker},
		{"sarif.new_only", "sarif: {}", "sarif: { new_only: true }", "", weaker},
		{"sarif.allow_no_results", "sarif: {}", "sarif: { allow_no_results: true }", "", weaker},
		{"step", "step: a", "", "", weaker},
		{"step.id", "step: a", "step: b", "", changed},
		{"tests", "tests: {}", "", "", weaker},
		{"tests.min_executed", "tests: { min_executed: 2 }", "tests: {}", "", weaker},
		{"tests.min_executed", "tests: {}", "tests: { min_executed: 1 }", "", neutral},
		{"tests.max_failed", "tests: {}", "tests: { max_failed: 1 }", "", weaker},
		{"tests.max_skipped", "tests: { max_skipped: 5 }", "tests: {}", "", weaker},
		{"tests.max_flaky", "tests: { max_flaky: 5 }", "tests: { max_flaky: 6 }", "", weaker},
		{"tests.must_pass", "tests: { must_pass: [a, b] }", "tests: { must_pass: b }", "", weaker},
		{"tests.must_pass", "tests: { must_pass: [a] }", "tests: {}", "", weaker},
		{"tests.format", "tests: { format: junit }", "tests: {}", "", weaker},
		{"tests.baseline", "tests: { baseline: a.xml, keep_tests: true }", "tests: { baseline: b.xml, keep_tests: true }", "", changed},
		{"tests.baseline.files", "tests: { baseline: { files: a.xml, trust: run }, keep_tests: true }", "tests: { baseline: { files: b.xml, trust: run }, keep_tests: true }", "tests.baseline", changed},
		{"tests.baseline.trust", "tests: { baseline: a.xml, keep_tests: true }", "tests: { baseline: { files: [a.xml], trust: run }, keep_tests: true }", "", weaker},
		{"tests.keep_tests", "tests: { baseline: a.xml, keep_tests: true }", "tests: { baseline: a.xml, new_failures_only: false }", "", weaker},
		{"tests.ignore", "tests: { baseline: a.xml, keep_tests: true }", "tests: { baseline: a.xml, keep_tests: true, ignore: [a] }", "", weaker},
		{"tests.new_failures_only", "tests: { baseline: a.xml, keep_tests: true }", "tests: { baseline: a.xml, keep_tests: true, new_failures_only: true }", "", weaker},
		{"tests.allow_cached", "tests: {}", "tests: { allow_cached: true }", "", weaker},
		{"tests.allow_cached", "tests: {}", "tests: { allow_cached: false }", "", neutral},
		{"tests.allow_count_mismatch", "tests: {}", "tests: { allow_count_mismatch: true }", "", weaker},
	}
}

// turns are all of them, with keys and documents made whole.
func turns() []turn {
	out := wholeTurns()
	doc := func(s string) string {
		if !strings.HasPrefix(s, "outcomes:") {
			s += "\noutcomes: [{ id: a, validators: [step: t] }]"
		}
		return "version: 1\n" + s
	}
	for i := range out {
		out[i].strict, out[i].loose = doc(out[i].strict), doc(out[i].loose)
	}
	outcome := func(s string) string {
		if !strings.Contains(s, "validators:") {
			s = strings.TrimPrefix(s+", validators: [step: t]", ", ")
		}
		return "version: 1\noutcomes: [{ id: a, " + s + " }]\n"
	}
	for _, t := range outcomeTurns() {
		t.key, t.strict, t.loose = "outcomes[]."+t.key, outcome(t.strict), outcome(t.loose)
		out = append(out, t)
	}
	for _, t := range kindTurns() {
		with := func(s string) string {
			if s != "" {
				s = ", " + s
			}
			return outcome("artifact: { files: x }, validators: [step: t" + s + "]")
		}
		t.key, t.strict, t.loose = "outcomes[].validators[]."+t.key, with(t.strict), with(t.loose)
		out = append(out, t)
	}
	return out
}

func parse(t *testing.T, text string) *contract.Contract {
	t.Helper()
	c, problems := contract.Parse("c.yml", []byte(text), gate.ContractKinds())
	if c == nil {
		t.Fatalf("%v\n%s", problems, text)
	}
	return c
}

// TestEveryKeyIsWeighed holds the law that for each key of the language a change that loosens it is named as weaker, one
// that tightens it is not, one whose direction nobody can tell is named as changed both ways, and one that decides
// nothing is not named.
func TestEveryKeyIsWeighed(t *testing.T) {
	weighed := map[string]bool{}
	for _, c := range turns() {
		weighed[c.key] = true
		strict, loose := parse(t, c.strict), parse(t, c.loose)
		said := c.said
		if said == "" {
			said = strings.TrimPrefix(strings.Replace(c.key, "validators[]", "validators", 1), "outcomes[].")
		}
		there, back := contract.Diff(strict, loose), contract.Diff(loose, strict)
		named := func(list []contract.Weakening, d contract.Direction) bool {
			return slices.ContainsFunc(list, func(w contract.Weakening) bool {
				return w.Direction == d && strings.HasPrefix(w.Key+".", said+".") || w.Direction == d && strings.HasSuffix(w.Key, said)
			})
		}
		if c.key == "outcomes[].validators[].check.app" { // without it every app's check counts, which is no order
			if !named(there, weaker) || len(back) != 1 || !named(back, changed) {
				t.Errorf("%s: %v, back %v", c.key, there, back)
			}
			continue
		}
		switch c.direction {
		case neutral:
			if len(there)+len(back) > 0 {
				t.Errorf("%s decides nothing, and is said to be %v, back %v", c.key, there, back)
			}
		case changed:
			if !named(there, changed) || !named(back, changed) || len(there) != 1 || len(back) != 1 {
				t.Errorf("%s is of no direction, and is said to be %v, back %v", c.key, there, back)
			}
		case weaker:
			if !named(there, weaker) {
				t.Errorf("%s is loosened, and is said to be %v", c.key, there)
			}
			if slices.ContainsFunc(back, func(w contract.Weakening) bool { return w.Direction != changed }) {
				t.Errorf("%s is tightened, and is said to be %v", c.key, back)
			}
		}
		for _, doc := range []string{c.strict, c.loose} {
			same := contract.Diff(parse(t, doc), parse(t, "# the same\n"+strings.ReplaceAll(doc, ", ", " ,  ")))
			if len(same) > 0 {
				t.Errorf("%s: only written anew, and said to be %v", c.key, same)
			}
		}
	}
	for _, k := range contract.Keys(gate.ContractKinds()) {
		if !weighed[k.Path] {
			t.Errorf("nothing shows what a change of %s is said to be", k.Path)
		}
		delete(weighed, k.Path)
	}
	for key := range weighed {
		t.Errorf("%s is no key of the language", key)
	}
}

// TestOrderOfValidators holds that another order of outcomes, validators and lists is no change.
func TestOrderOfValidators(t *testing.T) {
	a := parse(t, "version: 1\nprotected_paths: [x, y]\noutcomes: [{ id: a, validators: [step: s, step: t, job: j] }, { id: b, artifact: { files: f } }]")
	b := parse(t, "version: 1\nprotected_paths: [y, x]\noutcomes: [{ id: b, artifact: { files: f } }, { id: a, validators: [job: j, step: t, step: s] }]")
	if got := fmt.Sprint(contract.Diff(a, b), contract.Diff(b, a)); got != "[] []" {
		t.Error(got)
	}
}
