package render

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// TestProblemSchema holds every problem document to the published schema, and the schema to the reasons that there are.
func TestProblemSchema(t *testing.T) {
	c := jsonschema.NewCompiler()
	c.LoadURL = func(string) (io.ReadCloser, error) { t.Fatal("the schema asks for another one"); return nil, io.EOF }
	c.AssertFormat = true
	if err := c.AddResource("problem.json", bytes.NewReader(ProblemSchema())); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("problem.json")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	holds := func(name string, raw []byte, err error) {
		t.Helper()
		var v map[string]any
		if err == nil {
			err = json.Unmarshal(raw, &v)
		}
		if err == nil {
			err = schema.Validate(any(v))
		}
		if err != nil || v["type"] != problemBase+v["reason"].(string) || v["status"] != nil {
			t.Errorf("%s: %v\n%s", name, err, raw)
		}
		seen++
	}
	for _, s := range samples(t) {
		raw, err := Problem(s.r)
		if s.r.Result != "" { // else nobody completed it
			holds(s.name, raw, err)
		}
	}
	for _, reason := range []string{"usage", string(verdict.CannotLook)} {
		raw, err := Failure(reason, "what went wrong", "try this")
		holds(reason, raw, err)
	}
	if seen < 10 {
		t.Errorf("only %d documents were held to it", seen)
	}
	var shape struct {
		Properties struct{ Reason struct{ Enum []string } }
	}
	if err := json.Unmarshal(ProblemSchema(), &shape); err != nil {
		t.Fatal(err)
	}
	want := []string{"usage"}
	for _, p := range constantTitles() {
		want = append(want, p[0])
	}
	slices.Sort(want)
	if !slices.Equal(shape.Properties.Reason.Enum, want) {
		t.Errorf("the schema names %v, there are %v", shape.Properties.Reason.Enum, want)
	}
	if err := schema.Validate(map[string]any{"type": "about:blank", "status": 500}); err == nil {
		t.Error("anything is let through")
	}
}
