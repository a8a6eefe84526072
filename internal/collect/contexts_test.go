package collect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

func TestParseSteps(t *testing.T) {
	got, err := ParseSteps([]byte(`{"test":{"outputs":{"Outcome":"x"},"outcome":"failure","conclusion":"success"},"later":{"outcome":null},"odd":{}}`))
	want := map[string]evidence.Step{"test": {Outcome: "failure", Conclusion: "success"}, "later": {}, "odd": {}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	for in, part := range map[string]string{
		``: "ends before", `{"a":{"outcome":"success"}`: "ends before", `[]`: "not a JSON object", `null`: "not a JSON object",
		`{"a":null}`: "not a JSON object", `{"a":{"outcome":1}}`: "not a string", `{} {}`: "follows",
		`{"a":{"outcome":"failure","outcome":"success"}}`: "twice", `{"a":{},"a":{}}`: "twice",
		`{"a":{"outcome":"failure","Outcome":"success"}}`: "not as the runner writes it", `{"a"`: "not JSON",
	} {
		if _, err := ParseSteps([]byte(in)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want something with %q", in, err, part)
		}
	}
}

func TestParseNeeds(t *testing.T) {
	got, err := ParseNeeds([]byte(`{"build":{"result":"success","outputs":{}}}`))
	if diff := cmp.Diff(map[string]evidence.Job{"build": {Result: "success", Source: "needs"}}, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	for in, part := range map[string]string{
		`{"b":{}}`: "no result", `{"b":{"result":null}}`: "no result", `{"b":{"result":true}}`: "not a string",
		`{"b":{"result":"failure","RESULT":"success"}}`: "not as the runner writes it",
	} {
		if _, err := ParseNeeds([]byte(in)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want something with %q", in, err, part)
		}
	}
}
