package report

import (
	"slices"
	"strings"
	"testing"
)

func TestSchemaMatchesWhatIsRead(t *testing.T) {
	v, err := builtIn()
	if err != nil {
		t.Fatal(err)
	}
	object, d := decodeObject(Schema(), 0)
	if d.fault != nil {
		t.Fatalf("the published schema does not decode: %+v", d.fault)
	}
	properties, _ := object["properties"].(map[string]any)
	known := knownMembers()
	for _, name := range known {
		if properties[name] == nil {
			t.Errorf("the published schema has no %s", name)
		}
	}
	if len(properties) != len(known) {
		t.Errorf("the published schema has %d members, %d are read", len(properties), len(known))
	}
	examples, _ := object["examples"].([]any)
	if len(examples) == 0 {
		t.Fatal("the published schema has no examples")
	}
	for _, e := range examples {
		example, _ := e.(map[string]any)
		if errs := v.errors(example); len(errs) > 0 {
			t.Errorf("example %v: %q", example, errs)
		}
	}
}

func TestCompileSchemaRefuses(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"nothing", "", "report schema x.json:1:1: the JSON ends early"},
		{"an array", "[]", "x.json:1:1: unexpected '['"},
		{"no JSON", "{\n  type: 1}", "x.json:2:3: unexpected 't'"},
		{"duplicate member", `{"type":"object","type":"array"}`, `x.json:1:18: duplicate member "type"`},
		{"two values", "{} {}", "x.json:1:4: something follows"},
		{"no schema", `{"type":7}`, "compile report schema x.json"},
		{"bad pattern", `{"pattern":"("}`, "compile report schema x.json"},
		{"another file", `{"$ref":"other.json"}`, "nothing outside itself"},
		{"an address", `{"$ref":"https://example.com/s.json"}`, "nothing outside itself"},
		{"a path", `{"$ref":"file:///etc/hostname"}`, "nothing outside itself"},
		{"too long", `{"title":"` + strings.Repeat("x", maxBlock) + `"}`, "over 256 KiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := CompileSchema("x.json", []byte(tt.schema)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
		})
	}
}

// TestOwnSchema: a contract's schema adds to what is asked, and an outcome and evidence are asked in any case.
func TestOwnSchema(t *testing.T) {
	compile := func(text string) *Validator {
		v, err := CompileSchema("own.json", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	strict := compile(`{"type":"object","required":["outcome","evidence","risk"],"properties":{"risk":{"enum":["low","high"]},"a b":{"type":"integer"},"x/y~z":{"items":{"properties":{"k":{"multipleOf":0.5}}}}}}`)
	loose := compile(`{}`)
	tests := []struct {
		name, report string
		schema       *Validator
		problem      Problem
		errors       []string
		failing      []string
	}{
		{"met", `{"outcome":"succeeded","evidence":["x"],"risk":"low"}`, strict, "", nil, nil},
		{"not met", `{"outcome":"succeeded","evidence":["x"]}`, strict, Broken, []string{"$: missing properties: 'risk'"}, nil},
		{"not met inside", `{"outcome":"succeeded","evidence":["x"],"risk":"low","a b":"1","x/y~z":[1,{"k":0.3}]}`, strict, Broken,
			[]string{`$["a b"]: expected integer, but got string`, `$["x/y~z"][1].k: 0.3 not multipleOf 0.5`}, nil},
		{"outcome first", `{"evidence":[]}`, strict, NoOutcome, []string{"$: missing properties: 'outcome', 'risk'"}, nil},
		{"loose, no outcome", `{"outcome":"fine","evidence":["x"]}`, loose, NoOutcome, []string{"$.outcome: expected succeeded, failed or blocked"}, nil},
		{"loose, no evidence", `{"outcome":"succeeded"}`, loose, NoEvidence, []string{"$.evidence: expected an item that is not blank"}, nil},
		{"loose, evidence is a string", `{"outcome":"succeeded","evidence":"x"}`, loose, Broken, []string{"$.evidence: expected an array of strings"}, nil},
		{"loose, failing of another type", `{"outcome":"succeeded","evidence":["x"],"failing":[{"name":"a"},"b"]}`, loose, "", nil, []string{`{"name":"a"}`, "b"}},
		{"loose, failing is no list", `{"outcome":"succeeded","evidence":["x"],"failing":2}`, loose, "", nil, []string{"2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Read([]Text{{Carrier: "file", Body: tt.report}}, Options{Schema: tt.schema})
			if r.Problem != tt.problem || !slices.Equal(r.Errors, tt.errors) || r.Report == nil || !slices.Equal(r.Report.Failing, tt.failing) {
				t.Errorf("got %q %q %+v", r.Problem, r.Errors, r.Report)
			}
		})
	}
}
