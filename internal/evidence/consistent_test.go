package evidence

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

// alone are the members that are all there is to know: no other member of the same facts can speak against them.
func alone() map[string][]string {
	return map[string][]string{
		"command":   {"exit_code", "timed_out"},
		"content":   {"matches"},
		"exit_code": {"status", "timed_out"},
	}
}

// contradict holds the law that facts which reject, or prove nothing, prove nothing either with any one number or truth
// value changed: what one observation makes together must agree. Only a member that is all there is to know, and the
// number of distinct tests where records repeat, can be another run's.
func contradict(t *testing.T, kind, params string, f Finding, facts json.RawMessage) {
	t.Helper()
	k, _ := KindByName(kind)
	if f.State == Verified {
		return
	}
	var whole any
	dec := json.NewDecoder(strings.NewReader(string(facts)))
	dec.UseNumber()
	if err := dec.Decode(&whole); err != nil {
		t.Fatal(err)
	}
	tried, seen := 0, 0
	scalars(whole, "", func(name string, value any, put func(any)) {
		if seen++; len(facts) > manyFacts && seen%stride != 0 {
			return // lists of one form
		}
		if slices.Contains(alone()[kind], name) || name == "executed" && repeats(facts) {
			return
		}
		for _, other := range others(value) {
			put(other)
			raw, err := json.Marshal(whole)
			if err != nil {
				t.Fatal(err)
			}
			tried++
			if got := k.Judge(json.RawMessage(params), raw); got.State == Verified {
				t.Errorf("%s %s: %s %v changed to %v makes %s of %s\n%s", kind, params, name, value, other, got.State, f.State, raw)
			}
		}
		put(value)
	})
	if tried == 0 && string(facts) != "{}" {
		t.Errorf("nothing to change in %s", facts)
	}
}

// manyFacts is the size of facts in bytes from which on the race detector sees a sample of them.
const manyFacts = 8 << 10

// others are further values of a number's or truth value's kind.
func others(value any) []any {
	switch v := value.(type) {
	case bool:
		return []any{!v}
	case json.Number:
		n, err := v.Int64()
		if err != nil {
			return nil
		}
		var out []any
		for _, m := range []int64{-1, 0, 1, 2, n - 1, n + 1, n + 100, 1 << 62} {
			if m != n {
				out = append(out, json.Number(fmt.Sprint(m)))
			}
		}
		return out
	}
	return nil
}

// scalars visits every number and truth value of a document, with the name of its member and a way to change it.
func scalars(v any, name string, visit func(name string, value any, put func(any))) {
	one := func(name string, value any, put func(any)) {
		switch value.(type) {
		case bool, json.Number:
			visit(name, value, put)
		default:
			scalars(value, name, visit)
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for member, value := range v {
			one(member, value, func(x any) { v[member] = x })
		}
	case []any:
		for i, value := range v {
			one(name, value, func(x any) { v[i] = x })
		}
	}
}

// repeats reports whether facts of tests count more records than distinct tests.
func repeats(facts []byte) bool {
	var f struct {
		Executed int `json:"executed"`
		Records  struct{ Passed, Failed, Errors int }
	}
	return json.Unmarshal(facts, &f) == nil && f.Records.Passed+f.Records.Failed+f.Records.Errors > f.Executed
}

// TestFactsWithoutRoom holds that facts whose lists find no room are those of an observation all the same.
func TestFactsWithoutRoom(t *testing.T) {
	long := strings.Repeat("\"", 200)
	var now, before []testresult.Case
	var names []string
	for i := range 60 {
		id := fmt.Sprintf("p%d%s", i, long)
		now = append(now, tc(id, passed), tc("x"+id, failed), tc("y"+id, skipped), tc("k"+id, passed))
		before = append(before, tc(id, failed), tc("x"+id, failed), tc("y"+id, passed), tc("z"+id, passed), tc("k"+id, failed))
	}
	for i := range 50 {
		names = append(names, fmt.Sprintf("%q", fmt.Sprintf("*p%d*", i)))
	}
	in := Input{Documents: []Document{file("r.xml", set(now...))}, Reads: map[string][]Document{"before": {file("b.xml", set(before...))}, "baseline": {file("b.xml", set(before...))}}}
	list := "[" + strings.Join(names, ",") + "]"
	for kind, params := range map[string]string{
		"tests":        `{` + withBase + `, "keep_tests": true, "new_failures_only": true, "must_pass": ` + list + `}`,
		"fail_to_pass": `{"before": {"files": "base/*.xml", "trust": "run"}, "min": 99, "tests": ` + list + `}`,
	} {
		f, facts := observeAndJudge(t, kind, params, in)
		if f.State == Verified || !strings.Contains(string(facts), `"lists_cut":true`) {
			t.Errorf("%s: %+v\n%s", kind, f, facts)
		}
	}
	if f, facts := observeAndJudge(t, "fail_to_pass", `{"before": {"files": "base/*.xml", "trust": "run"}, "min": 1}`, in); f.State != Waiting || f.Code != CodeTestsLost {
		t.Errorf("%+v\n%s", f, facts)
	}
}

// TestContradictions lists facts that each contradict themselves in one way.
func TestContradictions(t *testing.T) {
	const none = `"files":1,"formats":["junit"],"records":{"tests":2,"passed":1,"failed":1,"errors":0,"skipped":0,"flaky":0},"executed":2,"failed":1,"skipped":0,"flaky":0,"run_failed":0,"troubles":0,"cached":0,"test_set_sha256":"abababababababababababababababababababababababababababababababab","failing":[{"id":"a","results":"r"}]`
	const against = `{"max_failed":1,"baseline":{"files":"b/*.xml","trust":"run"},"keep_tests":true}`
	const base = `"base":{"files":1,"test_set_sha256":"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","trouble":{"file":"","code":""},"executed":2,"failed":1,"new_failed":0,"kept":{"lost":0,"newly_skipped":0,"ignored":0}}`
	const absent = `"base":{"files":0,"trouble":{"file":"","code":"tests/base-absent"},"executed":0,"failed":0,"new_failed":0,"kept":{"lost":0,"newly_skipped":0,"ignored":0}}`
	for name, c := range map[string]struct{ kind, params, good, was, is string }{
		"failed beside its records":  {"tests", `{}`, `{` + none + `}`, `"executed":2,"failed":1`, `"executed":2,"failed":0`},
		"failed, not listed":         {"tests", `{"max_failed":1}`, `{` + none + `}`, `,"failing":[{"id":"a","results":"r"}]`, ``},
		"a note of a broken run":     {"tests", `{"max_failed":1}`, `{` + none + `}`, `"cached":0`, `"cached":0,"notes":[{"file":"r","code":"tests/cut"}]`},
		"cached, by a note":          {"tests", `{"max_failed":1}`, `{` + none + `}`, `"cached":0`, `"cached":0,"notes":[{"file":"r","code":"tests/cached"}]`},
		"no set of tests":            {"tests", `{"max_failed":1}`, `{` + none + `}`, `"test_set_sha256":"abababababababababababababababababababababababababababababababab",`, ``},
		"todo beyond skipped":        {"tests", `{"max_failed":1}`, `{` + none + `}`, `"flaky":0},`, `"flaky":0,"todo":1},`},
		"a base nobody asked for":    {"tests", `{"max_failed":1}`, `{` + none + `}`, `"cached":0`, `"cached":0,"base":{"files":1,"trouble":{"file":"","code":"tests/base-absent"},"executed":0,"failed":0,"new_failed":0,"kept":{"lost":0,"newly_skipped":0,"ignored":0}}`},
		"an unknown format":          {"tests", `{"max_failed":1}`, `{` + none + `}`, `["junit"]`, `["junitx"]`},
		"no format":                  {"tests", `{"max_failed":1}`, `{` + none + `}`, `"formats":["junit"],`, ``},
		"a format twice":             {"tests", `{"max_failed":1}`, `{"files":2,` + none[len(`"files":1,`):] + `}`, `["junit"]`, `["junit","junit"]`},
		"more formats than files":    {"tests", `{"max_failed":1}`, `{` + none + `}`, `["junit"]`, `["junit","tap"]`},
		"another format":             {"tests", `{"max_failed":1,"format":"junit"}`, `{` + none + `}`, `["junit"]`, `["tap"]`},
		"a digest that is none":      {"tests", `{"max_failed":1}`, `{` + none + `}`, `"test_set_sha256":"ab`, `"test_set_sha256":"xb`},
		"a trouble without a code":   {"tests", against, `{` + none + `,` + base + `}`, `"trouble":{"file":""`, `"trouble":{"file":"b.xml"`},
		"a base without a file":      {"tests", against, `{` + none + `,` + base + `}`, `"base":{"files":1`, `"base":{"files":0`},
		"a digest of the base":       {"tests", against, `{` + none + `,` + base + `}`, `"base":{"files":1,"test_set_sha256":"cd`, `"base":{"files":1,"test_set_sha256":"CD`},
		"let go by nobody":           {"tests", against, `{` + none + `,` + base + `}`, `"ignored":0`, `"ignored":1`},
		"an absent base with a file": {"tests", against, `{` + none + `,` + absent + `}`, `"trouble":{"file":""`, `"trouble":{"file":"b.xml"`},
		"an absent base of a file":   {"tests", against, `{` + none + `,` + absent + `}`, `"base":{"files":0`, `"base":{"files":1`},
		"a step that is not there":   {"step", `{"id":"a"}`, `{"given":true,"present":true,"outcome":"success"}`, `"present":true`, `"present":false`},
		"a step nobody told of":      {"step", `{"id":"a"}`, `{"given":true,"present":true,"outcome":"success"}`, `"given":true`, `"given":false`},
		"the gate's own job":         {"job", `{"id":"a"}`, `{"given":true,"own":false,"present":true,"result":"success"}`, `"own":false`, `"own":true`},
		"the gate's own check":       {"check", `{"name":"a"}`, `{"given":true,"head_known":true,"own":false,"other_commit":0,"more":0,"newest":[{"app":"x","status":"completed","conclusion":"success"}]}`, `"own":false`, `"own":true`},
		"another app's check":        {"check", `{"name":"a","app":"x"}`, `{"given":true,"head_known":true,"own":false,"other_commit":0,"more":0,"newest":[{"app":"x","status":"completed","conclusion":"success"}]}`, `"app":"x"`, `"app":"y"`},
		"a command that did not run": {"command", `{"run":["a"]}`, `{"here":true,"ran":true,"exit_code":0,"timed_out":false}`, `"ran":true`, `"ran":true,"reason":"no such file"`},
		"a command from elsewhere":   {"command", `{"run":["a"]}`, `{"here":true,"ran":true,"exit_code":0,"timed_out":false}`, `"here":true`, `"here":false`},
		"a status and a problem":     {"exit_code", `{"file":"a"}`, `{"files":1,"status":0,"record":false,"timed_out":false,"commit_is":""}`, `"status":0`, `"status":0,"problem":"not_a_status"`},
		"a command not recorded":     {"exit_code", `{"file":"a"}`, `{"files":1,"status":0,"record":false,"timed_out":false,"commit_is":""}`, `"status":0`, `"status":0,"command":"x"`},
		"a value and a problem":      {"content", `{"text":"a"}`, `{"files":1,"found":[{"name":"a","matches":true}]}`, `"matches":true`, `"matches":true,"problem":"empty"`},
		"a schema of no use":         {"json_schema", `{"schema":"a"}`, `{"schema":{"read":true,"usable":true},"files":1,"valid":1,"problems":{}}`, `"usable":true`, `"usable":true,"reason":"broken"`},
		"an undeclared version":      {"json_schema", `{"schema":"a","version":"3"}`, `{"schema":{"read":true,"usable":true,"declares":["3"],"version_matches":true},"files":1,"valid":1,"problems":{}}`, `["3"]`, `["4"]`},
	} {
		k, _ := KindByName(c.kind)
		good := k.Judge(json.RawMessage(c.params), json.RawMessage(c.good))
		if good.Code == CodeInputFacts {
			t.Errorf("%s: the facts before are refused: %s", name, good.Detail)
		}
		bad := strings.Replace(c.good, c.was, c.is, 1)
		if got := k.Judge(json.RawMessage(c.params), json.RawMessage(bad)); bad == c.good || got.State != Unverified || got.Code != CodeInputFacts {
			t.Errorf("%s: %+v of %s", name, got, bad)
		}
	}
}
