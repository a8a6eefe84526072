package sarif

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzRead holds every reading to these laws: the same bytes give the same log; what is read without a problem of its
// form is one JSON document, by a whole decode; each result of that document is counted once; and a document that ends
// early is never read as a whole one.
func FuzzRead(f *testing.F) {
	seeds := []string{
		"", "{}", counted(``), counted(`{"level":"error"},{"ruleId":"E1"},{"ruleId":"N1","baselineState":"unchanged"}`),
		counted(`{"kind":"pass"},{"level":"note","suppressions":[{"status":"accepted"}]},{"baselineState":"absent"}`),
		doc(tool + `,"results":null,"invocations":[{"executionSuccessful":true}]`), doc(tool + `,"results":[],"invocations":[{}]`),
		`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"a"}},"results":[{"rule":{"toolComponent":{"index":0}},"ruleIndex":3}]}]}`,
		`{"version":"2.1.0","runs":[]} `, "\xff\xfe{\x00}\x00",
	}
	for _, s := range seeds {
		f.Add([]byte(s), uint16(len(s)/2))
	}
	f.Fuzz(func(t *testing.T, data []byte, cut uint16) {
		l := Read(bytes.NewReader(data))
		if again := Read(bytes.NewReader(data)); short(again) != short(l) || len(again.Examples) != len(l.Examples) {
			t.Fatalf("read twice: %s and %s", short(l), short(again))
		}
		switch l.Problem {
		case "", ProblemNoResults, ProblemElsewhere, ProblemExecutionFailed:
		case ProblemInvalid, ProblemIncomplete, ProblemOverLimit, ProblemOtherVersion:
			if l.Counts != (Counts{}) || l.Runs > 0 {
				t.Fatalf("refused, and counted: %s", short(l))
			}
			return
		default:
			t.Fatalf("problem %q", l.Problem)
		}
		text := strings.TrimPrefix(string(data), "\ufeff")
		if strings.ContainsRune(text, 0) {
			return // UTF-16
		}
		var whole struct {
			Version string `json:"version"`
			Runs    []struct {
				Results []json.RawMessage `json:"results"`
			} `json:"runs"`
		}
		if err := json.Unmarshal([]byte(text), &whole); err != nil {
			t.Fatalf("%s is read, and is no document: %v", text, err)
		}
		if caseless(text) {
			return // encoding/json takes members in any case
		}
		n := 0
		for _, r := range whole.Runs {
			n += len(r.Results)
		}
		if whole.Version != Version || n != l.Counts.Total() || len(whole.Runs) != l.Runs {
			t.Fatalf("%d results in %d runs are counted as %s in %d", n, len(whole.Runs), short(l), l.Runs)
		}
		part := bytes.TrimRight(data, " \t\r\n")
		if int(cut) < len(part) {
			if p := Read(bytes.NewReader(part[:cut])); p.Problem != ProblemIncomplete && p.Problem != ProblemInvalid && p.Problem != ProblemOverLimit && p.Problem != ProblemOtherVersion {
				t.Fatalf("cut at %d it is read as %s", cut, short(p))
			}
		}
	})
}

// caseless reports whether a member that counts is written in another case, or with escapes.
func caseless(text string) bool {
	lower := strings.ToLower(text)
	for _, name := range []string{`"version"`, `"runs"`, `"results"`} {
		if strings.Count(lower, name) != strings.Count(text, name) {
			return true
		}
	}
	return strings.Contains(text, `\`) || strings.ContainsAny(text, "ſK") // letters that fold to s and k
}
