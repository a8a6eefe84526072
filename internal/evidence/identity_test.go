package evidence

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

func TestIdentityFromPointer(t *testing.T) {
	// The examples of RFC 6901, section 5, that address a single value.
	const rfc = `{"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8}`
	for _, tt := range []struct{ pointer, name, text, want, reason string }{
		{"/foo/0", "a.json", rfc, "bar", ""},
		{"/", "a.json", rfc, "0", ""},
		{"/a~1b", "a.json", rfc, "1", ""},
		{"/c%d", "a.json", rfc, "2", ""},
		{"/e^f", "a.json", rfc, "3", ""},
		{"/g|h", "a.json", rfc, "4", ""},
		{`/i\j`, "a.json", rfc, "5", ""},
		{`/k"l`, "a.json", rfc, "6", ""},
		{"/ ", "a.json", rfc, "7", ""},
		{"/m~0n", "a.json", rfc, "8", ""},
		{"", "a.json", rfc, "", "not a single value"},
		{"/foo", "a.json", rfc, "", "not a single value"},
		{"/foo/2", "a.json", rfc, "", "nothing"},
		{"/foo/-", "a.json", rfc, "", "nothing"},
		{"/foo/00", "a.json", rfc, "", "nothing"},
		{"/foo/+1", "a.json", rfc, "", "nothing"},
		{"/foo/0/x", "a.json", rfc, "", "nothing"},
		{"foo", "a.json", rfc, "", "not a JSON Pointer"},
		{"/m~2n", "a.json", rfc, "", "not a JSON Pointer"},
		{"/m~", "a.json", rfc, "", "not a JSON Pointer"},
		{"", "a.json", `"text"`, "text", ""},
		{"/a", "a.json", "\ufeff{\"a\": true}", "true", ""},
		{"/a", "a.json", `{"a": 1e3}`, "1e3", ""},
		{"/a", "a.json", `{"a": ""}`, "", "empty"},
		{"/a", "a.json", `{"a": null}`, "", "not a single value"},
		{"/a", "a.json", `{"a": "` + strings.Repeat("x", 257) + `"}`, "", "longer"},
		{"/a/b", "a.json", `{"a": {"b": 1}, "a": {"b": 2}}`, "", "twice"},
		{"/a/b", "a.json", `{"a": {"b": 1, "b": 1}}`, "", "twice"},
		{"/a", "a.json", `{"a": 1, "b": 1, "b": 2}`, "1", ""}, // not on the way
		{"/a", "a.json", `{"a": 1`, "", "cannot be read"},
		{"/a", "a.json", `{"a": 1} x`, "", "cannot be read"},
		{"/a", "a.json", `{"a": 1}{"a": 1}`, "", "more than one"},
		{"/a", "a.json", `{"a": 1,}`, "", "cannot be read"},
		{"/a", "a.json", ``, "", "cannot be read"},
		{"/a", "a.json", "{\"a\": \"\xff\"}", "", "UTF-8"},
		{"/a", "a.json", `{"b": ` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `, "a": 1}`, "", "deeper"},
		{"/a/b", "a.yml", "a:\n  b: 3\n", "3", ""},
		{"/a/1", "a.YAML", "a: [x, y]\n", "y", ""},
		{"/a/2", "a.yaml", "a: [x, y]\n", "", "nothing"},
		{"/a", "a.yml", "a: 0x10\n", "0x10", ""},
		{"/b", "a.yml", "a: &x 7\nb: *x\n", "7", ""},
		{"/a", "a.yml", "a: 1\na: 2\n", "", "twice"},
		{"/a", "a.yml", "a: ~\n", "", "not a single value"},
		{"/a", "a.yml", "a: [x]\n", "", "not a single value"},
		{"/a", "a.yml", "a: 1\n---\na: 2\n", "", "more than one"},
		{"/a", "a.yml", "a: [", "", "cannot be read"},
		{"/a", "a.yml", "", "", "cannot be read"},
		{"/a/b", "a.yml", "a: 1\n", "", "nothing"},
	} {
		got := IdentityFromPointer(tt.pointer, tt.name, []byte(tt.text))
		if got.Value != tt.want || got.Found != (tt.reason == "") || !strings.Contains(got.Reason, tt.reason) || (got.Found && got.Reason != "") {
			t.Errorf("%q in %.60q: %+v, want %q %q", tt.pointer, tt.text, got, tt.want, tt.reason)
		}
	}
}

func TestIdentityFromRegexp(t *testing.T) {
	for _, tt := range []struct{ pattern, text, want, reason string }{
		{`commit=([0-9a-f]+)`, "x commit=abc y", "abc", ""},
		{`v[0-9]+`, "v1 v1", "v1", ""},
		{`v([0-9])`, "v1 v2", "", "different"},
		{`v([0-9])`, "none", "", "no match"},
		{`(x)?v`, "v", "", "no match"},
		{`v()`, "v", "", "empty"},
		{`.+`, strings.Repeat("a", 300), "", "longer"},
		{`(`, "x", "", "cannot be used"},
		{`.+`, "\xff", "", "UTF-8"},
	} {
		got := IdentityFromRegexp(tt.pattern, []byte(tt.text))
		if got.Value != tt.want || got.Found != (tt.reason == "") || !strings.Contains(got.Reason, tt.reason) {
			t.Errorf("%q in %.40q: %+v", tt.pattern, tt.text, got)
		}
	}
}

func TestFindIdentity(t *testing.T) {
	tests := NewTestSet(&testresult.Results{Properties: map[string]string{"commit": "abc", "run": "1"}, Conflicts: map[string]bool{"run": true}}, nil)
	d := doc("a.json", `{"commit":"abc"}`)
	d.Tests = tests
	cut := d
	cut.Cut = true
	for name, tt := range map[string]struct {
		rule   IdentityRule
		doc    *Document
		want   string
		reason string
	}{
		"pointer":            {IdentityRule{Pointer: "/commit"}, &d, "abc", ""},
		"pointer, cut":       {IdentityRule{Pointer: "/commit"}, &cut, "", "longer"},
		"property":           {IdentityRule{Property: "commit"}, &d, "abc", ""},
		"property, absent":   {IdentityRule{Property: "Commit"}, &d, "", "no property"},
		"property, conflict": {IdentityRule{Property: "run"}, &d, "", "different"},
		"property, no tests": {IdentityRule{Property: "run"}, &Document{Readable: true}, "", "not a test result"},
		"regexp":             {IdentityRule{Regexp: `"([a-c]+)"`}, &d, "abc", ""},
		"regexp, cut":        {IdentityRule{Regexp: `xyz`}, &cut, "", "no match in the first"},
		"unreadable":         {IdentityRule{Regexp: `abc`}, &Document{Bytes: []byte("abc")}, "", "could not be read"},
		"no document":        {IdentityRule{Pointer: "/commit"}, nil, "", "could not be read"},
		"no rule":            {IdentityRule{}, &d, "", "not a single value"},
	} {
		if got := FindIdentity(tt.rule, tt.doc); got.Value != tt.want || got.Found != (tt.reason == "") || !strings.Contains(got.Reason, tt.reason) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestIdentityTargets(t *testing.T) {
	s := &Subject{HeadSHA: "h", MergeSHA: "m", BaseSHA: "b", RunID: 7, RunAttempt: 2}
	if got := IdentityTargets(IdentityNames(), s, "d"); !slices.Equal(got, []string{"h", "m", "h", "m", "b", "7", "2", "d"}) {
		t.Errorf("%v", got)
	}
	if got := IdentityTargets(append(IdentityNames(), "", "branch"), &Subject{}, ""); got != nil {
		t.Errorf("what is not known stands for %v", got)
	}
}

func TestDecodeDocument(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a.json", `{"a":[1,-2.5e3,"x",true,null,{}]}`, `{"a":[1,-2.5e3,"x",true,null,{}]}`},
		{"a.yml", "a: [1, -2.5e3, x, true, null, {}]\n", `{"a":[1,-2.5e3,"x",true,null,{}]}`},
		{"a.yml", "a: 0x1F\nb: 0o17\nc: +5\nd: 2026-11-12\ne: 'yes'\nf: yes\ng: +1.5\n1: x\n", `{"1":"x","a":31,"b":15,"c":5,"d":"2026-11-12","e":"yes","f":"yes","g":1.5}`},
		{"a.yml", "a: &x [1]\nb: *x\n", `{"a":[1],"b":[1]}`},
		{"a.yml", "--- text\n", `"text"`},
	} {
		v, err := decodeDocument(tt.name, []byte(tt.text))
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		got, err := json.Marshal(v)
		if err != nil || string(got) != tt.want {
			t.Errorf("%q gives %s (%v)", tt.text, got, err)
		}
	}
	bomb := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		p := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [*" + strings.Join(slices.Repeat([]string{p}, 10), ", *") + "]\n"
	}
	for _, tt := range []struct{ name, text string }{
		{"a.json", `{"a":1,"a":1}`}, {"a.json", `[1,]`}, {"a.json", `[`}, {"a.json", `{"a"`}, {"a.json", `{1:2}`}, {"a.json", `nul`}, {"a.json", `01`},
		{"a.yml", "a: 1\na: 2\n"}, {"a.yml", "a: .inf\n"}, {"a.yml", "a: .nan\n"}, {"a.yml", "? [x]\n: y\n"}, {"a.yml", "a: &x {b: 1}\nc:\n  <<: *x\n"},
		{"a.yml", "a: !!binary aGk=\n"}, {"a.yml", "\xff"}, {"a.yml", "a: 1\n--- \nb: 2\n"}, {"a.yml", bomb}, {"a.yml", strings.Repeat("[", 600) + strings.Repeat("]", 600)},
		{"a.yml", "a: !!int x\n"},
	} {
		if v, err := decodeDocument(tt.name, []byte(tt.text)); err == nil {
			t.Errorf("%.60q gives %v", tt.text, v)
		}
	}
}

func TestDecodeStrict(t *testing.T) {
	type inner struct {
		A int      `json:"a"`
		L textList `json:"l,omitempty"`
	}
	type outer struct {
		In  *inner  `json:"in,omitempty"`
		Ins []inner `json:"ins,omitempty"`
	}
	for _, ok := range []string{`{}`, `{"in":{"a":1}}`, `{"ins":[{"a":1},{"a":2,"l":"x"}]}`, `{"ins":[{"a":1,"l":["x","y"]}]}`} {
		if err := decodeStrict([]byte(ok), new(outer)); err != nil {
			t.Errorf("%s: %v", ok, err)
		}
	}
	for _, bad := range []string{
		``, `{`, `{"In":{}}`, `{"in":{"A":1}}`, `{"in":{"a":1,"a":1}}`, `{"in":{"b":1}}`, `{"ins":[{"a":1},{"b":2}]}`, `{} {}`, `{"in":{"a":1.5}}`,
		`{"ins":[{"a":1,"l":7}]}`, `{"in":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, `{"in":{"a":` + strings.Repeat(" ", maxJSONBytes) + `1}}`,
	} {
		if err := decodeStrict([]byte(bad), new(outer)); err == nil {
			t.Errorf("%.60s is taken", bad)
		}
	}
	for _, bad := range []string{`{"files":"a","trust":"claimed"}`, `{"trust":"run"}`, `{"files":[]}`, `[]`, `7`, `{"Files":"a"}`, `{"files":"a","upload":"b"}`} {
		var s fileSpec
		if err := json.Unmarshal([]byte(bad), &s); err == nil {
			t.Errorf("%s is taken as %+v", bad, s)
		}
	}
}
