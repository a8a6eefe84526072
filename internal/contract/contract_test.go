package contract_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/outcome-gate/outcome-gate/internal/contract"
)

func globFiles(pattern string) (out [][]byte, err error) {
	names, err := filepath.Glob(pattern)
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		out = append(out, data)
	}
	return out, err
}

func codes(problems contract.Problems) (out []string) {
	for _, p := range problems {
		out = append(out, p.Code)
	}
	return out
}

func TestLimits(t *testing.T) {
	start := "version: 1\noutcomes:\n  - id: a\n    validators: [ { step: a } ]\n"
	for name, c := range map[string]struct {
		text string
		code string
	}{
		"bytes":       {start + "#" + strings.Repeat("x", contract.MaxBytes), contract.CodeTooLarge},
		"most bytes":  {start + "#" + strings.Repeat("x", contract.MaxBytes-len(start)-1), ""},
		"list":        {start + "base_branches: [" + strings.Repeat("a,", 1001) + "]", contract.CodeTooLarge},
		"keys":        {start + "x: " + manyKeys(1001), contract.CodeTooLarge},
		"depth":       {"version: 1\noutcomes: " + strings.Repeat("[", 9000), contract.CodeSyntax},
		"block depth": {strings.Repeat("- ", 9000), contract.CodeTooDeep},
		"problems":    {manyKeys(1000), contract.CodeUnknownKey},
		"anchors":     {start + strings.Repeat("x: &a\n", 900), contract.CodeDuplicateKey},
		"circle":      {circle(500), contract.CodeCycle},
		"long about":  {start + "    about: " + strings.Repeat("x", 501), contract.CodeTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			con, problems := contract.Parse("c.yml", []byte(c.text), kinds())
			if spent := time.Since(begin); spent > 10*time.Second {
				t.Errorf("took %v", spent)
			}
			if (con == nil) != (c.code != "") || c.code != "" && !slices.Contains(codes(problems), c.code) {
				t.Errorf("problems %v", problems)
			}
			if len(problems) > 1000 {
				t.Errorf("%d problems", len(problems))
			}
			lawful(t, []byte(c.text), problems)
		})
	}
}

// circle is n outcomes that take their artifact from each other.
func circle(n int) string {
	var b strings.Builder
	b.WriteString("version: 1\noutcomes:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - { id: o%d, artifact: { of: o%d } }\n", i, (i+1)%n)
	}
	return b.String()
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "key%d: 1,\n", i)
	}
	return "{" + b.String() + "}"
}

func TestOnlyEmpty(t *testing.T) {
	for text, want := range map[string]bool{
		"version: 1\noutcomes: []\n": true,
		"version: 1\noutcomes: [ { id: a, required: false, validators: [ { step: a } ] } ]\n": true,
		"version: 1\nx: 1\noutcomes: []\n": false,
		"version: 1\n":                     false,
		"version: 1\noutcomes: [ { id: a, validators: [ { step: a } ] } ]\n":                          false,
		"version: 1\noutcomes: [ { id: a, required: false, validators: [ { step: a } ], about: 1 } ]": false,
	} {
		_, problems := contract.Parse("c.yml", []byte(text), kinds())
		if got := problems.OnlyEmpty(); got != want {
			t.Errorf("%q: %v, %v", text, got, problems)
		}
	}
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		found []string
		path  string
		wrong bool
	}{
		{nil, "", false},
		{[]string{"README.md"}, "", false},
		{[]string{"README.md", ".github/outcome-contract.yaml"}, ".github/outcome-contract.yaml", false},
		{[]string{".github/outcome-contract.json", ".github/outcome-contract.yml"}, "", true},
	} {
		path, problems := contract.Choose(c.found)
		if path != c.path || (len(problems) > 0) != c.wrong {
			t.Errorf("%v: %q, %v", c.found, path, problems)
		}
		if c.wrong && problems[0].Code != contract.CodeAmbiguous {
			t.Errorf("%v: %v", c.found, problems)
		}
	}
}

func TestCodes(t *testing.T) {
	seen := map[string]bool{}
	last := ""
	for _, c := range contract.Codes() {
		if seen[c.Code] || !strings.HasPrefix(c.Code, "contract/") {
			t.Errorf("code %s is given twice or of another area", c.Code)
		}
		seen[c.Code] = true
		if c.Meaning == "" || c.Next == "" || c.Who != "human" && c.Who != "platform" {
			t.Errorf("code %s says too little", c.Code)
		}
		key := fmt.Sprint(c.Warning, c.Code)
		if key < last {
			t.Errorf("code %s is out of order", c.Code)
		}
		last = key
	}
}

func TestSchema(t *testing.T) {
	text := contract.Schema(kinds())
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if doc["$schema"] != "https://json-schema.org/draft/2020-12/schema" || doc["$id"] != contract.SchemaID {
		t.Errorf("schema %v with id %v", doc["$schema"], doc["$id"])
	}
	if bytes.Contains(text, []byte("attestation")) {
		t.Error("a kind that is not built has a place in the published schema")
	}
	if !bytes.Equal(text, contract.Schema(kinds())) {
		t.Error("two schemas of the same kinds differ")
	}
	for _, bad := range []string{"", "[]", "{", `{"a": 1, "a": 2}`} {
		broken := []contract.Kind{{Name: "x", Schema: bad}}
		if contract.Schema(broken) != nil || contract.Keys(broken) != nil {
			t.Errorf("the schema %q of a kind was taken", bad)
		}
		if _, problems := contract.Parse("c.yml", []byte("version: 1\noutcomes: [{id: a, validators: [{x: {}}]}]\n"), broken); !slices.Equal(codes(problems), []string{contract.CodeInternal}) {
			t.Errorf("the schema %q of a kind: %v", bad, problems)
		}
	}
}

// A kind's schema must not make the reader fetch anything.
func TestSchemaLoadsNothing(t *testing.T) {
	for _, ref := range []string{"https://example.com/s.json", "file:///etc/hostname", "other.json"} {
		remote := []contract.Kind{{Name: "x", Schema: `{"$ref": "` + ref + `"}`}}
		_, problems := contract.Parse("c.yml", []byte("version: 1\noutcomes: [ { id: a, validators: [ { x: {} } ] } ]\n"), remote)
		if !slices.Equal(codes(problems), []string{contract.CodeInternal}) || !strings.Contains(problems[0].Message, "may not refer") {
			t.Errorf("%s: %v", ref, problems)
		}
	}
}

func TestKeys(t *testing.T) {
	seen := map[string]contract.KeyDoc{}
	for _, k := range contract.Keys(kinds()) {
		if _, ok := seen[k.Path]; ok {
			t.Errorf("key %s is listed twice", k.Path)
		}
		seen[k.Path] = k
		if k.Type == "" || k.Type == "something else" || k.Doc == "" && !strings.Contains(k.Path, ".validators[].") {
			t.Errorf("key %s is not documented: %+v", k.Path, k)
		}
	}
	for _, want := range []contract.KeyDoc{
		{Path: "version", Type: "`1`", Default: "required", Doc: "Version of the contract language."},
		{Path: "mode", Type: "`enforce` or `observe`", Default: "`enforce`", Doc: seen["mode"].Doc},
		{Path: "applies_to", Type: "a mapping", Default: "every pull request", Doc: seen["applies_to"].Doc},
		{Path: "report.carriers", Type: "a list of `body`, `claude`, `codex`, `comment`, `cron`, `file`, `hermes`, `input`, `orca` or `problem`", Default: "`[\"body\",\"comment\"]`", Doc: seen["report.carriers"].Doc},
		{Path: "outcomes[].artifact.files", Type: "glob or list of globs", Doc: seen["outcomes[].artifact.files"].Doc},
		{Path: "outcomes[].artifact.count", Type: "a whole number, or a mapping", Default: "at least 1", Doc: seen["outcomes[].artifact.count"].Doc},
		{Path: "outcomes[].artifact.fresh.max_age", Type: "duration", Default: "required", Doc: "Greatest age of the file."},
		{Path: "outcomes[].waits_for.approval.count", Type: "a whole number", Default: "`1`", Doc: "How many people."},
		{Path: "outcomes[].validators[].tests.min_executed", Type: "a whole number", Default: "`1`", Doc: "Least number of executed tests."},
		{Path: "outcomes[].validators[].step", Type: "a mapping, or text", Default: "", Doc: ""},
	} {
		if diff := cmp.Diff(want, seen[want.Path]); diff != "" {
			t.Errorf("key %s: %s", want.Path, diff)
		}
	}
	if table := contract.KeyTable(kinds()); strings.Count(table, "\n") != len(seen)+2 || !strings.Contains(table, "| `outcomes[].validators[].tests.format` |") {
		t.Errorf("table:\n%s", table)
	}
}

// Every key that the typed contract knows is reached from the language, and the other way round.
func TestAgentsAreTheSchemas(t *testing.T) {
	var doc struct {
		Defs map[string]struct {
			Properties map[string]struct{ Items struct{ Enum []string } }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(contract.Schema(nil), &doc); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(contract.Agents(), doc.Defs["applies_to"].Properties["agents"].Items.Enum); diff != "" {
		t.Error(diff)
	}
}

func TestArtifactOf(t *testing.T) {
	c := must(t, `
version: 1
outcomes:
  - { id: c, artifact: { of: b }, validators: [ { step: x } ] }
  - { id: b, artifact: { of: a }, validators: [ { step: x } ] }
  - { id: a, artifact: { files: [a.xml], made_by: test, committed: yes } }
  - { id: none, validators: [ { step: x } ] }
`)
	for _, id := range []string{"a", "b", "c"} {
		a := contract.ArtifactOf(c.Outcomes, c.Outcome(id))
		if a == nil || !slices.Equal(a.Files, []string{"a.xml"}) {
			t.Errorf("%s: %+v", id, a)
		}
		if o := c.Outcome(id); o.Artifact.MadeBy != "test" || o.Trust != contract.Commit {
			t.Errorf("%s does not have the conditions of its source: %+v", id, o)
		}
	}
	if got := c.Outcome("c").Artifact.Of; got != "a" {
		t.Errorf("of leads to %s, not to the outcome with the files", got)
	}
	if contract.ArtifactOf(c.Outcomes, c.Outcome("none")) != nil || c.Outcome("x") != nil {
		t.Error("an artifact out of nothing")
	}
	circle := &contract.Contract{Outcomes: []contract.Outcome{{ID: "a", Artifact: &contract.Artifact{Of: "a"}}}}
	if contract.ArtifactOf(circle.Outcomes, &circle.Outcomes[0]) != nil {
		t.Error("an artifact out of a circle")
	}
}

func TestSeconds(t *testing.T) {
	for text, want := range map[string]contract.Seconds{"90s": 90, "5m": 300, "72h": 259200, "1h30m": 5400, "1h1m1s": 3661, "999999h": 3599996400} {
		c := must(t, "version: 1\noutcomes: [ { id: a, waits_for: { environment: x }, deadline: "+text+" } ]\n")
		if got := c.Outcomes[0].Deadline; got != want {
			t.Errorf("%s is %d seconds", text, got)
		}
	}
	for s, want := range map[contract.Seconds]string{0: "0s", 90: "1m30s", 5400: "1h30m", 259200: "72h", -5: "-5s"} {
		if got := s.String(); got != want {
			t.Errorf("%d is written %s", int64(s), got)
		}
	}
}

func TestUnmarshalValidator(t *testing.T) {
	for _, text := range []string{`{"kind":"x","params":{"n":1e999}}`, `{"kind":"x"}`, `{"kind":1}`, `{"kind":"x","params":[{"a":[1e999]}]}`} {
		var v contract.Validator
		if err := json.Unmarshal([]byte(text), &v); err == nil {
			t.Errorf("%s was taken as %s", text, v.Params)
		}
	}
	var v contract.Validator
	if err := json.Unmarshal([]byte(`{"kind":"x","params":{"z":1.0,"\ud83d\ude00":2,"\uffff":[true,null,1.5,-0.0],"a":"\u003c\b\f\n\r\t\u0001\"\\\u2028"}}`), &v); err != nil {
		t.Fatal(err)
	}
	if want := "{\"a\":\"<\\b\\f\\n\\r\\t\\u0001\\\"\\\\\u2028\",\"z\":1,\"😀\":2,\"\uffff\":[true,null,1.5,0]}"; string(v.Params) != want {
		t.Errorf("params %s, want %s", v.Params, want)
	}
}

func BenchmarkParse(b *testing.B) {
	data, err := os.ReadFile("testdata/ok/whole.yml")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if c, problems := contract.Parse("c.yml", data, kinds()); c == nil {
			b.Fatal(problems)
		}
	}
}
