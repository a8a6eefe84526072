package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/outcome-gate/outcome-gate/internal/evidence/coverage"
	"github.com/outcome-gate/outcome-gate/internal/evidence/sarif"
	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

// compileParams compiles a kind's parameter schema the way contracts do: nothing is fetched.
func compileParams(t *testing.T, k Kind) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("kind:///"+k.Name, strings.NewReader(k.Schema)); err != nil {
		t.Fatalf("%s: %v", k.Name, err)
	}
	s, err := c.Compile("kind:///" + k.Name)
	if err != nil {
		t.Fatalf("%s: %v", k.Name, err)
	}
	return s
}

// examples gives the examples of a kind's schema as raw parameters.
func examples(t testing.TB, k Kind) []json.RawMessage {
	t.Helper()
	var s struct {
		Examples []json.RawMessage `json:"examples"`
	}
	if err := json.Unmarshal([]byte(k.Schema), &s); err != nil {
		t.Fatalf("%s: %v", k.Name, err)
	}
	if len(s.Examples) == 0 {
		t.Fatalf("%s: no examples", k.Name)
	}
	return s.Examples
}

func built(t testing.TB) []Kind {
	t.Helper()
	var out []Kind
	for _, k := range Kinds() {
		if k.Later == "" {
			out = append(out, k)
		}
	}
	if len(out) != 12 {
		t.Fatalf("%d kinds are built", len(out))
	}
	return out
}

func TestKindsAreListedInNameOrder(t *testing.T) {
	want := []string{
		"attestation", "check", "command", "content", "coverage", "exit_code", "fail_to_pass", "job", "json_schema",
		"judgement", "sarif", "step", "tests",
	}
	var got []string
	for _, k := range Kinds() {
		got = append(got, k.Name)
		if found, ok := KindByName(k.Name); !ok || found.Name != k.Name {
			t.Errorf("KindByName(%q) gives %q, %v", k.Name, found.Name, ok)
		}
		if k.Version != "1" || k.Doc == "" || !strings.HasSuffix(k.Doc, ".") || k.Observe == nil || k.Judge == nil {
			t.Errorf("%s is incomplete", k.Name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("kinds are %v", got)
	}
	if _, ok := KindByName("test"); ok {
		t.Error("a name that is no kind's is found")
	}
}

func TestKindSchemas(t *testing.T) {
	for _, k := range built(t) {
		s := compileParams(t, k)
		for _, e := range examples(t, k) {
			var v any
			dec := json.NewDecoder(bytes.NewReader(e))
			dec.UseNumber()
			if err := dec.Decode(&v); err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(v); err != nil {
				t.Errorf("%s: example %s: %v", k.Name, e, err)
			}
			if f := k.Judge(e, json.RawMessage(`{}`)); f.Code == CodeInputParams {
				t.Errorf("%s: example %s does not decode: %s", k.Name, e, f.Detail)
			}
			m, ok := v.(map[string]any)
			if !ok {
				t.Fatalf("%s: example %s is no object", k.Name, e)
			}
			m["no_such_parameter"] = true
			if s.Validate(m) == nil {
				t.Errorf("%s: the schema takes an unknown parameter", k.Name)
			}
			raw, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			if f := k.Judge(raw, k.Observe(raw, Input{})); f.State != Unverified || f.Code != CodeInputParams {
				t.Errorf("%s: an unknown parameter gives %v", k.Name, f)
			}
		}
	}
}

func TestKindParametersAreDescribed(t *testing.T) {
	for _, k := range built(t) {
		var s struct {
			Description          string                     `json:"description"`
			Properties           map[string]json.RawMessage `json:"properties"`
			AdditionalProperties *bool                      `json:"additionalProperties"`
		}
		if err := json.Unmarshal([]byte(k.Schema), &s); err != nil {
			t.Fatal(err)
		}
		if s.Description == "" || s.AdditionalProperties == nil || *s.AdditionalProperties {
			t.Errorf("%s: no description, or open", k.Name)
		}
		if len(s.Properties) == 0 {
			t.Errorf("%s: no parameters", k.Name)
		}
		for name, p := range s.Properties {
			var d struct {
				Description string `json:"description"`
			}
			if err := json.Unmarshal(p, &d); err != nil || d.Description == "" {
				t.Errorf("%s: %s is not described (%v)", k.Name, name, err)
			}
		}
		if _, ok := s.Properties[k.Short]; k.Short != "" && !ok {
			t.Errorf("%s: the short form stands for %s, which is no parameter", k.Name, k.Short)
		}
	}
}

// inputs are observations from nothing to hostile.
func inputs() map[string]Input {
	long := strings.Repeat("x\"\\\u2028\x00\xff<&>", 300)
	results := &testresult.Results{Conclusion: testresult.Fail, Format: long, CachedN: 3, Cached: []string{long, long}, ProcessFailure: true}
	var cases []testresult.Case
	for i := range 100 {
		cases = append(cases, testresult.Case{
			ID: fmt.Sprint(i) + long, Key: fmt.Sprint(i) + long, Name: long, Status: testresult.Status(i % 12), Message: long, File: long, Line: -i,
		})
	}
	for range 20 {
		results.Notes = append(results.Notes, testresult.Note{Code: long, Detail: long, Line: -1})
	}
	results.Counts = testresult.Counts{Tests: 300, Failed: 300}
	hostile := Document{Name: long, Readable: true, Tests: NewTestSet(results, cases), Bytes: []byte(long), SHA256: long, Tier: long}
	hostile.Coverage = coverage.Read(strings.NewReader("SF:a\"\\b\nDA:1,0\nLF:9\nLH:9\nend_of_record\n"), "")
	hostile.SARIF = &sarif.Log{Problem: long, Detail: long, Runs: 1, Counts: sarif.Counts{Errors: 300}, Examples: slices.Repeat([]sarif.Example{{Level: sarif.Error, Rule: long, Message: long, URI: long, Line: -1}}, 300)}
	docs := slices.Repeat([]Document{hostile}, 30)
	var changed []ChangedFile
	for i := range 60 {
		changed = append(changed, ChangedFile{Path: fmt.Sprintf("%02d%s", i, long), Reason: long}, ChangedFile{Path: "a\"/b", Known: true, Lines: []LineRange{{-5, 1 << 40}, {1, 1}}})
	}
	return map[string]Input{
		"nothing": {},
		"empty contexts": {
			HasSteps: true, HasJobs: true, HasChecks: true, Steps: map[string]Step{}, Jobs: map[string]Job{},
			Subject: Subject{HeadSHA: strings.Repeat("a", 40)},
		},
		"no files": {Documents: []Document{}, Reads: map[string][]Document{"schema": {}, "before": {}, "baseline": {}, "record": {}, "judgement": {}, "rubric": {}}},
		"unreadable files": {
			Documents: []Document{{Name: "a"}},
			Reads:     map[string][]Document{"schema": {{}}, "before": {{}}, "baseline": {{}}, "record": {{}}, "judgement": {{}}, "rubric": {{}}},
		},
		"empty files": {
			Documents:  []Document{{Name: "a", Readable: true, Bytes: []byte{}, Coverage: &coverage.Profile{}, SARIF: &sarif.Log{}}},
			Repository: coverage.Repository{Known: true}, Changed: ChangedLines{Known: true},
			Reads: map[string][]Document{
				"schema": {{Readable: true}}, "before": {{Readable: true}}, "baseline": {{Readable: true}}, "record": {{Readable: true}},
				"judgement": {{Readable: true}}, "rubric": {{Readable: true}},
			},
		},
		"empty result files": {
			Documents: []Document{{Name: "a", Readable: true, Tests: &TestSet{}}, {Name: "b", Readable: true, Tests: NewTestSet(&testresult.Results{}, nil)}},
			Reads: map[string][]Document{
				"before":   {{Readable: true, Tests: NewTestSet(&testresult.Results{Conclusion: testresult.Pass}, nil), Tier: "service"}},
				"baseline": {{Readable: true, Tests: NewTestSet(&testresult.Results{Conclusion: testresult.Pass}, nil), Tier: "service"}},
			},
		},
		"empty names": {
			HasSteps: true, HasJobs: true, HasChecks: true, Steps: map[string]Step{"": {}, "smoke": {}}, Jobs: map[string]Job{"": {}, "build": {}},
			Checks: []Check{{}, {Name: "e2e"}}, Commands: map[string]CommandResult{"": {}, `{"run": ["make", "lint"]}`: {}},
		},
		"hostile": {
			Documents: docs, Reads: map[string][]Document{"schema": docs[:1], "before": docs, "baseline": docs, "record": docs[:1], "judgement": docs[:1], "rubric": docs[:1]},
			Makers: []string{long}, HasMakers: true,
			ReadError: map[string]string{"before": long}, HasSteps: true, HasJobs: true, HasChecks: true,
			Steps:  map[string]Step{"smoke": {Outcome: long, Conclusion: long}, long: {}},
			Jobs:   map[string]Job{"build": {Result: long, Source: long}, long: {}},
			Checks: slices.Repeat([]Check{{Name: "e2e", App: long, HeadSHA: long, Status: long, Conclusion: long, StartedAt: time.Unix(1, 0)}}, 100),
			Commands: map[string]CommandResult{
				`{"run": ["make", "lint"]}`: {Ran: true, ExitCode: -1 << 40, Output: long, Reason: long},
			},
			CheckNote: long, Subject: Subject{HeadSHA: long}, OwnChecks: []string{long}, ApprovedBy: []string{long},
			Repository: coverage.Repository{Known: true, Paths: []string{"a\"/b", "x/a\"/b"}}, Changed: ChangedLines{Known: true, Files: changed},
		},
	}
}

// Nothing, and nothing but empty or hostile bytes, verifies anything; facts stay small and without floats.
func TestKindsNeverVerifyNothing(t *testing.T) {
	for _, k := range Kinds() {
		params := append(examples(t, k), nil, json.RawMessage(`{}`), json.RawMessage(`null`), json.RawMessage(`[]`), json.RawMessage(`{"`))
		for name, in := range inputs() {
			for _, p := range params {
				facts := k.Observe(p, in)
				if again := k.Observe(p, in); !bytes.Equal(facts, again) {
					t.Errorf("%s, %s: observed twice differently:\n%s\n%s", k.Name, name, facts, again)
				}
				if len(facts) > maxFactsBytes || !json.Valid(facts) || facts[0] != '{' || strings.Contains(string(facts), "facts_over_limit") {
					t.Errorf("%s, %s: facts of %d bytes: %.100s", k.Name, name, len(facts), facts)
				}
				if err := noFloats(facts); err != nil {
					t.Errorf("%s, %s: %v", k.Name, name, err)
				}
				f := k.Judge(p, facts)
				if f.State == Verified || !slices.Contains(States(), f.State) || f.Code == "" || f.Detail == "" || len(f.Detail) > maxDetailBytes+8 {
					t.Errorf("%s, %s, %s: %+v", k.Name, name, p, f)
				}
				if again := k.Judge(p, facts); again != f {
					t.Errorf("%s, %s: judged twice differently", k.Name, name)
				}
			}
		}
	}
}

func noFloats(raw json.RawMessage) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	for {
		tok, err := dec.Token()
		if err != nil {
			return nil //nolint:nilerr // the end of the facts; their validity is asserted apart
		}
		if n, ok := tok.(json.Number); ok && strings.ContainsAny(n.String(), ".eE") {
			return fmt.Errorf("facts hold the number %s", n)
		}
	}
}

func TestKindsNeverVerifyGarbageFacts(t *testing.T) {
	garbage := []string{
		"", "{}", "null", "[]", "1", `"verified"`, `{"state":"verified"}`, `{"verified":true}`, "{", "\xff", `{"files":1}`, `{"files":1,"files":1}`,
		`{"given":true,"present":true}`, `{"Given":true,"Present":true,"Outcome":"success"}`, `{"given":true,"present":true,"result":"SUCCESS"}`,
		`{"here":true,"ran":false,"exit_code":0}`, `{"given":true,"head_known":true,"newest":[{}]}`, `{"files":1,"status":null}`,
		`{"files":1,"executed":5}`, `{"files":-1,"valid":-1,"schema":{"read":true,"usable":true}}`,
	}
	for _, k := range Kinds() {
		for _, p := range examples(t, k) {
			for _, g := range garbage {
				if f := k.Judge(p, json.RawMessage(g)); f.State == Verified || !slices.Contains(States(), f.State) {
					t.Errorf("%s %s: facts %s give %+v", k.Name, p, g, f)
				}
			}
		}
	}
}

func TestLaterKindsAreRefusedByName(t *testing.T) {
	var later []string
	for _, k := range Kinds() {
		if k.Later == "" {
			continue
		}
		later = append(later, k.Name)
		if !strings.Contains(k.Later, k.Name) {
			t.Errorf("%s: the refusal does not name it: %s", k.Name, k.Later)
		}
		if f := k.Judge(nil, k.Observe(nil, Input{})); f.Code != CodeEvidenceLater || f.State != Unverified {
			t.Errorf("%s: %+v", k.Name, f)
		}
		compileParams(t, k)
	}
	if want := []string{"attestation"}; !slices.Equal(later, want) {
		t.Errorf("later kinds are %v", later)
	}
}

func TestWorst(t *testing.T) {
	for _, tc := range []struct {
		in   []State
		want State
	}{
		{nil, Unverified},
		{[]State{Verified}, Verified},
		{[]State{Verified, Waiting}, Waiting},
		{[]State{Unverified, ValidatorFailed, HashMismatch}, HashMismatch},
		{[]State{Verified, "new"}, Unverified},
		{[]State{""}, Unverified},
	} {
		var all []Finding
		for _, s := range tc.in {
			all = append(all, Finding{State: s})
		}
		if got := worst(all).State; got != tc.want {
			t.Errorf("worst of %v is %s", tc.in, got)
		}
	}
}
