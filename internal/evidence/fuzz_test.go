package evidence

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/evidence/coverage"
	"github.com/outcome-gate/outcome-gate/internal/evidence/sarif"
	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

// fuzzInput makes an observation of one text: as document, result file, schema, record and names.
func fuzzInput(text []byte, params json.RawMessage) Input {
	tests := ReadTests(bytes.NewReader(text), "", Keep{Names: true, Properties: true})
	d := Document{Name: "a.json", Readable: true, Tests: tests, Bytes: text, SHA256: strings.Repeat("1", 64), Tier: "service"}
	d.Coverage, d.SARIF = coverage.Read(bytes.NewReader(text), ""), sarif.Read(bytes.NewReader(text))
	y := d
	y.Name = "a.yml"
	word := string(text)
	return Input{
		Documents: []Document{d, y}, Reads: map[string][]Document{"schema": {d}, "before": {d}, "baseline": {d}, "record": {d}, "judgement": {d}, "rubric": {d}},
		Makers: []string{"octocat", "claude"}, HasMakers: true,
		HasSteps: true, HasJobs: true, HasChecks: true,
		Steps:      map[string]Step{"smoke": {Outcome: word}},
		Jobs:       map[string]Job{"build": {Result: word}},
		Checks:     []Check{{Name: "e2e", App: "github-actions", Status: "completed", Conclusion: word, HeadSHA: "h"}},
		Commands:   map[string]CommandResult{string(params): {Ran: len(text) > 0, ExitCode: len(text)}},
		Subject:    Subject{HeadSHA: "h"},
		Repository: coverage.Repository{Known: true, Paths: []string{"a.c", "lib/a.c"}},
		Changed:    ChangedLines{Known: true, Files: []ChangedFile{{Path: "a.c", Known: true, Lines: []LineRange{{1, 3}}}, {Path: "b.c", Known: len(text)%2 == 0, Lines: []LineRange{{1, 1}}}}},
	}
}

// FuzzKinds holds every kind against the laws: neither step panics; facts are a small JSON object without floats; the
// same input gives the same facts and finding; each finding is in the table of codes; facts that are cut, garbage, lack
// a member or have one number or truth value changed are never verified where the whole ones are not; and no facts at all
// never are.
func FuzzKinds(f *testing.F) {
	texts := []string{
		"", "0", "success", `{"commit":"h","total":3}`, "commit: h\n", record(), judgement(),
		`<testsuite name="s" tests="2"><testcase classname="c" name="a"/><testcase classname="c" name="b"><failure message="no"/></testcase></testsuite>`,
		`<testsuite name="s"><testcase classname="checkout" name="pays"/></testsuite>`,
		"SF:a.c\nDA:1,1\nDA:2,0\nend_of_record\nSF:b.c\nDA:1,1\nend_of_record\n",
		"mode: set\na.c:1.1,2.2 1 1\n",
		`<report name="r"><package name="lib"><sourcefile name="a.c"><line nr="1" mi="0" ci="2"/></sourcefile></package></report>`,
		`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}},"results":[{"level":"error"},{"level":"note"}]}]}`,
		`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}},"results":[],"invocations":[{"executionSuccessful":false}]}]}`,
		`{"Action":"run","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"pass","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"pass","Package":"p"}` + "\n",
	}
	seeds := 0
	for i, k := range Kinds() {
		for _, p := range examples(f, k) {
			for _, text := range texts {
				f.Add(uint8(i), []byte(p), []byte(text), []byte(`{"files":1}`))
				seeds++
			}
			f.Add(uint8(i), []byte(p), []byte(texts[6]), []byte(k.Observe(p, fuzzInput([]byte(texts[6]), p))))
		}
	}
	if seeds < 100 {
		f.Fatalf("%d seeds", seeds)
	}
	kinds, codes := Kinds(), Codes()
	f.Fuzz(func(t *testing.T, which uint8, params, text, facts []byte) {
		k := kinds[int(which)%len(kinds)]
		in := fuzzInput(text, params)
		seen := k.Observe(params, in)
		if again := k.Observe(params, fuzzInput(text, params)); !bytes.Equal(seen, again) {
			t.Fatalf("%s: observed twice differently: %s\n%s", k.Name, seen, again)
		}
		if len(seen) > maxFactsBytes || !json.Valid(seen) || seen[0] != '{' || bytes.Contains(seen, []byte("facts_over_limit")) {
			t.Fatalf("%s: facts %.200s", k.Name, seen)
		}
		if err := noFloats(seen); err != nil {
			t.Fatalf("%s: %v", k.Name, err)
		}
		finding := k.Judge(params, seen)
		if finding.Code == CodeInputFacts && string(seen) != "{}" {
			t.Fatalf("%s: facts as observed are refused: %s\n%s", k.Name, finding.Detail, seen)
		}
		for _, raw := range [][]byte{seen, facts} {
			got := k.Judge(params, raw)
			if again := k.Judge(params, raw); got != again {
				t.Fatalf("%s: judged twice differently", k.Name)
			}
			if !slices.ContainsFunc(codes, func(c Code) bool { return c.Code == got.Code && slices.Contains(c.States, got.State) }) {
				t.Fatalf("%s: %+v is not in the table", k.Name, got)
			}
			if len(got.Detail) > maxDetailBytes+8 {
				t.Fatalf("%s: a detail of %d bytes", k.Name, len(got.Detail))
			}
			if got.State == Verified && !json.Valid(raw) {
				t.Fatalf("%s: garbage facts are verified: %s", k.Name, raw)
			}
		}
		for _, nothing := range []Input{{}, fuzzInput(nil, nil)} {
			if got := k.Judge(params, k.Observe(params, nothing)); got.State == Verified {
				t.Fatalf("%s %s: nothing is verified: %+v", k.Name, params, got)
			}
		}
		if finding.State != Verified {
			lessIsNotMore(t, k, params, seen)
			contradict(t, k.Name, string(params), finding, seen)
		}
	})
}

// lessIsNotMore leaves out each member of facts that verify nothing: what is left verifies nothing either.
func lessIsNotMore(t *testing.T, k Kind, params, facts []byte) {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(facts, &members); err != nil {
		t.Fatal(err)
	}
	for name := range members {
		rest := map[string]json.RawMessage{}
		for n, v := range members {
			if n != name {
				rest[n] = v
			}
		}
		raw, err := json.Marshal(rest)
		if err != nil {
			t.Fatal(err)
		}
		if got := k.Judge(params, raw); got.State == Verified {
			t.Fatalf("%s: without %s the facts %s are verified", k.Name, name, facts)
		}
	}
}

// FuzzTestSet holds the packed records against those put in: the same come out, in order.
func FuzzTestSet(f *testing.F) {
	f.Add("pkg.TestA", "p\x1fTestA", "TestA", "pkg.TestB", "p\x1fTestB", "TestB", uint8(1))
	f.Add("", "", "", "", "", "", uint8(0))
	f.Add("a", "ab", "b", "abc", "a", "", uint8(200))
	f.Fuzz(func(t *testing.T, id1, key1, name1, id2, key2, name2 string, status uint8) {
		in := []testresult.Case{
			{ID: id1, Key: key1, Name: name1, Status: testresult.Status(status)},
			{ID: id2, Key: key2, Name: name2, Status: testresult.Passed},
			{ID: id1, Key: key1, Name: name1, Status: testresult.Skipped},
		}
		s := NewTestSet(&testresult.Results{}, in)
		var out []testresult.Case
		s.Each(func(c *testresult.Case) bool { out = append(out, *c); return true })
		if !slices.Equal(in, out) {
			t.Fatalf("%+v became %+v", in, out)
		}
	})
}

// FuzzPointer holds pointers against a whole decode of the same document: what is found is there, in the same text.
func FuzzPointer(f *testing.F) {
	f.Add("/a/0", `{"a":["x"]}`)
	f.Add("/a~1b", `{"a/b":1.50}`)
	f.Add("", `true`)
	f.Add("/a", `{"a":1,"a":2}`)
	f.Fuzz(func(t *testing.T, pointer, text string) {
		got, err := pointAt(pointer, "a.json", []byte(text))
		if err != nil {
			return
		}
		if !json.Valid([]byte(strings.TrimPrefix(text, "\ufeff"))) {
			t.Fatalf("%q is found in a document that is not JSON: %q", got, text)
		}
		v, err := decodeDocument("a.json", []byte(text))
		if err != nil {
			return // stricter: no member may occur twice anywhere
		}
		path, err := parsePointer(pointer)
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range path {
			switch x := v.(type) {
			case map[string]any:
				v = x[token]
			case []any:
				v = x[index(token)]
			default:
				t.Fatalf("%q leads through %v", pointer, v)
			}
		}
		if want, err := scalar(v); err != nil || want != got {
			t.Fatalf("%q is %q, decoded %q (%v)", pointer, got, want, err)
		}
	})
}
