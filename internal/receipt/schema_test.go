package receipt

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// TestSchemaNamesEveryMember walks the receipt's types beside the schema: a member that one of them has and
// the other has not is a mistake, so the published schema cannot fall behind.
func TestSchemaNamesEveryMember(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(SchemaJSON(), &schema); err != nil {
		t.Fatal(err)
	}
	at := func(path ...string) map[string]any {
		v := any(schema)
		for _, p := range path {
			m, ok := v.(map[string]any)
			if !ok {
				t.Fatalf("the schema has no %s", strings.Join(path, "/"))
			}
			v = m[p]
		}
		m, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("the schema has no %s", strings.Join(path, "/"))
		}
		return m
	}
	outcome := []string{"$defs", "outcome"}
	for _, c := range []struct {
		of   any
		path []string
		not  []string // members that a receipt keeps in another place
	}{
		{Receipt{}, nil, nil},
		{Gate{}, []string{"properties", "gate"}, nil},
		{Subject{}, []string{"properties", "subject"}, nil},
		{Contract{}, []string{"properties", "contract"}, nil},
		{verdict.Scope{}, []string{"properties", "scope"}, nil},
		{Report{}, []string{"properties", "report"}, nil},
		{Claimed{}, []string{"properties", "report", "properties", "claimed"}, nil},
		{verdict.ReportFacts{}, []string{"properties", "report", "properties", "facts"}, nil},
		{evidence.Circumstances{}, []string{"properties", "circumstances"}, nil},
		{evidence.Subject{}, []string{"properties", "circumstances", "properties", "subject"}, nil},
		{contract.Problem{}, []string{"properties", "problems", "items"}, nil},
		{Outcome{}, outcome, nil},
		{Observation{}, append(outcome[:2:2], "properties", "observation"), nil},
		{evidence.Observation{}, append(outcome[:2:2], "properties", "facts"), []string{"validators"}},
		{evidence.Producer{}, append(outcome[:2:2], "properties", "facts", "properties", "producer"), nil},
		{evidence.WaitFacts{}, append(outcome[:2:2], "properties", "facts", "properties", "wait"), nil},
		{Validator{}, append(outcome[:2:2], "properties", "validators", "items"), nil},
		{evidence.ReadFacts{}, append(outcome[:2:2], "properties", "validators", "items", "properties", "reads", "items"), nil},
		{evidence.FileSet{}, []string{"$defs", "file_set"}, nil},
		{evidence.Group{}, []string{"$defs", "file_set", "properties", "more", "items"}, nil},
		{evidence.File{}, []string{"$defs", "file"}, nil},
		{evidence.GitFacts{}, []string{"$defs", "file", "properties", "git"}, nil},
		{evidence.IdentityValue{}, []string{"$defs", "file", "properties", "identity", "items"}, nil},
		{evidence.Finding{}, []string{"$defs", "finding"}, nil},
	} {
		typ := reflect.TypeOf(c.of)
		node := at(c.path...)
		if more, ok := node["additionalProperties"].(bool); !ok || more {
			t.Errorf("%s: the schema allows further members", typ)
		}
		want, needed := map[string]bool{}, map[string]bool{}
		for i := range typ.NumField() {
			name, opts, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if name == "" || name == "-" || slices.Contains(c.not, name) {
				continue
			}
			want[name] = true
			if opts == "" {
				needed[name] = true
			}
		}
		have, _ := node["properties"].(map[string]any)
		for name := range want {
			if _, ok := have[name]; !ok {
				t.Errorf("%s: the schema lacks %s", typ, name)
			}
		}
		for name := range have {
			if !want[name] {
				t.Errorf("%s: the schema has %s, the type has not", typ, name)
			}
		}
		required := map[string]bool{}
		list, _ := node["required"].([]any)
		for _, name := range list {
			required[name.(string)] = true
		}
		if !reflect.DeepEqual(required, needed) {
			t.Errorf("%s: the schema requires %v, the type always has %v", typ, required, needed)
		}
	}
	if !bytes.HasSuffix(SchemaJSON(), []byte("\n")) {
		t.Error("the schema does not end in a line break")
	}
}
