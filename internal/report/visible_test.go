package report

import (
	"strings"
	"testing"
)

// TestProse shows what is prose: / is a barrier, _ is opaque, from behind the name of a tag.
func TestProse(t *testing.T) {
	for _, c := range [][2]string{
		{"a `b` c", "a `b` c"},
		{"a\n\n    code\n\nb", "a\n\n////////\n\nb"},
		{"- a\n\n      code\n", "- a\n\n//////////\n"},
		{"> a\nb", "///\n/"},
		{"> a\n\nb", "///\n\nb"},
		{"```\na\n```\nb", "///\n/\n///\nb"},
		{"- ```\n  a\n  ```\n", "- ///\n///\n/////\n"},
		{"a <!-- b --> c", "a            c"},
		{"a <del>b</del> c", "a     __       c"},
		{"a <DEL x=y>b <b>c", "a     ___________"},
		{"<pre>\na\n</pre>\n", "    _\n_\n      \n"},
		{"a <!-- <del> --> c", "a                c"},
		{"a\x00b\x01c", "a_b_c"},
		{"[a](b) c", "[a]    c"},
		{"[^1]: a\n", "///////\n"},
	} {
		got, ok, steps := Prose(c[0])
		shown := strings.NewReplacer("\x00", "/", "\x01", "_").Replace(string(got))
		if !ok || len(got) != len(c[0]) || steps < len(c[0]) {
			t.Errorf("%q: %v, %d bytes, %d steps", c[0], ok, len(got), steps)
		}
		if shown != c[1] {
			t.Errorf("%q\n got %q\nwant %q", c[0], shown, c[1])
		}
	}
	if _, ok, _ := Prose(strings.Repeat("a", maxText+1)); ok {
		t.Error("a text over the limit is read")
	}
}

// TestProseIsLinear reads texts that are written to be slow.
func TestProseIsLinear(t *testing.T) {
	for name, text := range hostile(64 << 10) {
		if _, _, steps := Prose(text); steps > 64*len(text) {
			t.Errorf("%s: %d steps for %d bytes", name, steps, len(text))
		}
	}
}
