package testresult

import "testing"

// FuzzSwar: eight bytes at a time find what one at a time does.
func FuzzSwar(f *testing.F) {
	for _, seed := range []string{
		"", "plain text", "one\n\ttwo\r\n  three <", "a\x00b", "\x1f \x80", "]]>", "& ' \"", "\n\n\n\n\n\n\n\n\x01", " \n \n \n \n \n!;", "=%;\\^]<&",
	} {
		f.Add([]byte(seed), byte('<'), byte('&'), byte(']'))
	}
	f.Fuzz(func(t *testing.T, p []byte, a, b, c byte) {
		a, b, c = a&0x7F, b&0x7F, c&0x7F
		if isXMLSpace(a) || isXMLSpace(b) || isXMLSpace(c) {
			return // no caller stops at one
		}
		first := func(stops func(ch byte) bool) int {
			for i, ch := range p {
				if stops(ch) {
					return i
				}
			}
			return len(p)
		}
		control := func(ch byte) bool { return ch < ' ' && !isXMLSpace(ch) || ch >= 0x80 }
		if got, want := plain(p, every(a), every(b), every(c)), first(func(ch byte) bool { return control(ch) || ch == a || ch == b || ch == c }); got != want {
			t.Fatalf("plain(%q, %q, %q, %q) is %d, want %d", p, a, b, c, got, want)
		}
		for quote, words := range map[byte][2]uint64{'"': {doubleFold, doubleBoth}, '\'': {singleFold, singleBoth}} {
			want := first(func(ch byte) bool { return control(ch) || ch == quote || ch == '&' || ch == '<' })
			if got := plainQuoted(p, words[0], words[1]); got != want {
				t.Fatalf("plainQuoted(%q) of %q is %d, want %d", p, quote, got, want)
			}
		}
		if got, want := quoted(p), first(func(ch byte) bool { return ch < ' ' || ch >= 0x80 || ch == '"' || ch == '&' || ch == '<' }); got != want {
			t.Fatalf("quoted(%q) is %d, want %d", p, got, want)
		}
		if got, want := plainString(p, 0), first(func(ch byte) bool { return ch < ' ' || ch >= 0x80 || ch == '"' || ch == '\\' }); got != want {
			t.Fatalf("plainString(%q) is %d, want %d", p, got, want)
		}
	})
}
