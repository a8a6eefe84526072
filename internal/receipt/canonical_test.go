package receipt

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestCanonical(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{` { "b" : 1 , "a" : [ true , null , "x" ] } `, `{"a":[true,null,"x"],"b":1}`},
		{`"\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"\/"`, `"€$\u000f\nA'B\"\\\\\"/"`},
		// RFC 8785 section 3.2.3: members sort by UTF-16 code units.
		{`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`, "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"\u00f6\":7,\"\u20ac\":1,\"\U0001f600\":5,\"\ufb33\":3}"},
		// RFC 8785 section 3.2.2.3 and appendix B: numbers as ECMAScript writes them.
		{`[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001]`, `[333333333.3333333,1e+30,4.5,0.002,1e-27]`},
		{`[0,-0,-0.0,1e21,1e20,1e-7,1e-6,9007199254740992]`, `[0,0,0,1e+21,100000000000000000000,1e-7,0.000001,9007199254740992]`},
		{`[10e17,-10e17,1152921504606847000,1000000000000000000000]`, `[1000000000000000000,-1000000000000000000,1152921504606847000,1e+21]`},
	} {
		got, err := Canonical([]byte(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("Canonical(%s) = %s, %v; want %s", c.in, got, err, c.want)
		}
		again, err := Canonical(got)
		if err != nil || !bytes.Equal(again, got) {
			t.Errorf("the canonical form of %s is not its own: %s, %v", got, again, err)
		}
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, c := range []struct{ name, in string }{
		{"duplicate members", `{"a":1,"a":1}`},
		{"deep duplicate members", `[{"x":{"a":1,"b":2,"a":3}}]`},
		{"the same name spelled twice", `{"a":1,"\u0061":2}`},
		{"data after the value", `{} {}`},
		{"invalid UTF-8", "\"\xff\""},
		{"an unclosed value", `{"a":[1`},
		{"a number beyond doubles", `1e400`},
		{"an integer that would lose digits", `9007199254740993`},
		{"a larger one", `1152921504606846976`},
		{"one beyond 64 bits", `100000000000000000001`},
		{"nothing", ``},
		{"deep nesting", strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2)},
	} {
		if got, err := Canonical([]byte(c.in)); err == nil {
			t.Errorf("%s: %s is taken as %s", c.name, c.in, got)
		}
	}
}

func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{}`, `[1,2.5,"x"]`, `{"b":{"c":null},"a":"\u0000"}`, `1e-7`, `10e17`, `"\ud800"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Canonical(data)
		if err != nil {
			return
		}
		again, err := Canonical(got)
		if err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%q: canonical form %q is not its own: %q, %v", data, got, again, err)
		}
		if !json.Valid(data) {
			t.Fatalf("%q is not JSON and has the canonical form %q", data, got)
		}
	})
}
