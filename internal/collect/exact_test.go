package collect

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestExact(t *testing.T) {
	shape := Shape{"a": nil, "list": {"name": nil}, "deep": {"er": {"x": nil}}}
	for _, c := range []struct{ in, want, err string }{
		{`{"a":1,"other":2,"Another":3}`, `{"a":1}`, ""},
		{`{"a":{"any":1,"Any":2},"list":[{"name":"n","id":7},{"name":null}]}`, `{"a":{"any":1,"Any":2},"list":[{"name":"n"},{"name":null}]}`, ""},
		{`{"deep":{"er":{"x":1,"y":2},"z":3}}`, `{"deep":{"er":{"x":1}}}`, ""},
		{`{"deep":null,"list":"text"}`, `{"deep":null,"list":"text"}`, ""},
		{`[{"a":1,"b":2}]`, `[{"a":1}]`, ""},
		{`null`, `null`, ""},
		{`{"a":1,"a":2}`, "", `member "a" occurs twice`},
		{`{"a":1,"A":2}`, "", `member "A" is written otherwise than "a"`},
		{`{"A":2}`, "", `member "A" is written otherwise`},
		{`{"other":1,"other":2}`, "", "occurs twice"},
		{`{"list":[{"name":"n"},{"NAME":"n"}]}`, "", `member "list[1].NAME"`},
		{`{"deep":{"er":{"x":1},"er":{"x":2}}}`, "", `deep: member "er" occurs twice`},
		{`{"deep":{"er":{"X":1}}}`, "", `member "deep.er.X"`},
		{`{"a":1} {}`, "", "follows"},
		{`{"a":1`, "", "ends before"},
		{``, "", "ends before"},
		{`x`, "", "not JSON"},
	} {
		got, err := Exact([]byte(c.in), shape)
		switch {
		case c.err == "" && (err != nil || string(got) != c.want):
			t.Errorf("%s: got %s, %v, want %s", c.in, got, err, c.want)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: got %s, %v, want %q", c.in, got, err, c.err)
		}
	}
}

func TestParseChecks(t *testing.T) {
	sha := strings.Repeat("a", 40)
	good := `[{"name":"ci","app":"x","status":"completed","conclusion":"failure","head_sha":"` + sha + `","completed_at":"2026-01-31T12:00:00Z","id":7}]`
	out, err := ParseChecks([]byte(good))
	if err != nil || len(out) != 1 || out[0].Conclusion != "failure" || out[0].ID != 7 || out[0].HeadSHA != sha {
		t.Fatalf("got %+v, %v", out, err)
	}
	for _, c := range []struct{ in, want string }{
		{strings.Replace(good, `"id":7`, `"Conclusion":"success"`, 1), `"[0].Conclusion" is written otherwise`},
		{strings.Replace(good, `"id":7`, `"conclusion":"success"`, 1), "occurs twice"},
		{strings.Replace(good, `"conclusion"`, `"CONCLUSION"`, 1), "written otherwise"},
		{strings.Replace(good, sha, "abc", 1), "no full head_sha"},
		{strings.Replace(good, `"id":7`, `"id":"7"`, 1), "no list of checks"},
		{`{"name":"ci"}`, "no list of checks"},
	} {
		if _, err := ParseChecks([]byte(c.in)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.in, err, c.want)
		}
	}
}

// FuzzExact states the law that what comes out holds no member that the shape does not name, at any level.
func FuzzExact(f *testing.F) {
	for _, s := range []string{`{"a":1,"b":{"c":[{"d":1}]}}`, `[{"a":1}]`, `{"A":1}`, `{"b":{"c":1,"c":2}}`} {
		f.Add(s)
	}
	shape := Shape{"a": nil, "b": {"c": {"d": nil}}}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := Exact([]byte(in), shape)
		if err != nil {
			return
		}
		again, err := Exact(got, shape)
		if err != nil || string(again) != string(got) {
			t.Errorf("%s gives %s and then %s, %v", in, got, again, err)
		}
		var m map[string]json.RawMessage
		if json.Unmarshal(got, &m) == nil {
			for name := range m {
				if name != "a" && name != "b" {
					t.Errorf("%s gives the member %q", in, name)
				}
			}
		}
	})
}
