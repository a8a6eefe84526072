package coverage

import (
	"strings"
	"testing"
)

func TestShifted(t *testing.T) {
	for name, tc := range map[string]struct{ file, text, says string }{
		"plain":                     {"a.go", "package a\r\n\r\nfunc f() {}\r\n", ""},
		"nothing":                   {"a.go", "", ""},
		"no end":                    {"a.js", "a", ""},
		"a NUL byte":                {"a.js", "a\x00\n", "NUL"},
		"UTF-16":                    {"a.cs", "\xff\xfea\x00\n\x00", "UTF-16"},
		"UTF-16 with no ASCII":      {"a.cs", "\xfe\xff\x30\x42", "UTF-16"},
		"a carriage return":         {"a.py", "a\nx\ry\n", "line 2 holds a carriage return"},
		"two carriage returns":      {"a.py", "a\r\r\n", "carriage return"},
		"a last carriage return":    {"a.py", "a\r", ""},
		"a line separator":          {"a.js", "a\n'\u2028'\n", "line 2 holds the character U+2028"},
		"a paragraph separator":     {"a.js", "\u2029", "U+2029"},
		"a next line":               {"a.cs", "a\u0085b", "U+0085"},
		"a byte that is no text":    {"a.c", "caf\x85", ""},
		"a form feed":               {"a.py", "a = 1\fb = 2\n", "form feed"},
		"a page":                    {"a.c", "int a;\n\f\nint b;\n \fint c;\n", ""},
		"a record separator":        {"a.py", "a\x1eb", "separator"},
		"an emoji":                  {"a.py", "'😀 é'\n", ""},
		"a directive of Go":         {"a.go", "package a\n//line b.go:10\n", "line 2 gives lines other numbers"},
		"one within a line":         {"a.go", "x := /*line b.go:10:3*/ y", "other numbers"},
		"no directive of Go":        {"a.go", "// see //line b.go:10\n//line up here\n\t//line b.go:10", ""},
		"a directive of C":          {"a.c", "  # line 12 \"b.c\"\n", "other numbers"},
		"a marker of C":             {"a.h", "# 12 \"b.c\" 1\n", "other numbers"},
		"C# hides":                  {"a.cs", "#line hidden\n", "other numbers"},
		"Perl":                      {"a.pm", "# line 5 \"b\"\n", "other numbers"},
		"Swift":                     {"a.swift", "#sourceLocation(file: \"b\", line: 3)\n", "other numbers"},
		"Haskell":                   {"A.hs", "{-# LINE 3 \"b\" #-}\n", "other numbers"},
		"Erlang":                    {"a.erl", "-file(\"b\", 3).\n", "other numbers"},
		"an unknown language":       {"a.zz", "//line b:1\n", "other numbers"},
		"a comment of Python":       {"a.py", "# line 12 is odd\n# 3 \"x\"\n", ""},
		"a preprocessor without it": {"a.c", "#define lines 3\n#if 1\n#linear\n", ""},
		"a source map":              {"a.js", "f()\n//# sourceMappingURL=data:application/json;base64,e30=\n", "other numbers"},
		"a private name":            {"a.ts", "class A { #line = 3 }\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := Shifted(tc.file, []byte(tc.text))
			if (got == "") != (tc.says == "") || !strings.Contains(got, tc.says) {
				t.Errorf("got %q, want %q", got, tc.says)
			}
		})
	}
	for text, want := range map[string]int{"": 0, "a": 1, "a\n": 1, "a\nb": 2, "\n\n": 2} {
		if got := Length([]byte(text)); got != want {
			t.Errorf("%q has %d lines, want %d", text, got, want)
		}
	}
}
