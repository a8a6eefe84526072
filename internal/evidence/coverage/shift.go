package coverage

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// Shifted says why the lines of a source file may have other numbers in coverage files than git gives them, "" if
// nothing in it does that. git ends a line at a line feed and nowhere else; languages and tools also do at other
// characters, and some languages let a file say itself which numbers its lines have.
//
// A form feed is white space to compilers, and stands at the beginning of a line where it parts pages; only one behind
// other text, which some tools take for an end of the line, counts.
func Shifted(name string, data []byte) string {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(data, []byte(mark)) {
			return "it is encoded in UTF-16"
		}
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "it holds a NUL byte, so git shows no lines of it"
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if what := endsWithin(line); what != "" {
			return fmt.Sprintf("line %d holds %s, at which some tools end a line", n, what)
		}
		if renumbers(name, line) {
			return fmt.Sprintf("line %d gives lines other numbers", n)
		}
	}
	return ""
}

// Length is how many lines a file has.
func Length(data []byte) int {
	n := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}

// endsWithin names the character in a line that may end it before its end, "" if there is none (Unicode 5.8, R4).
func endsWithin(line []byte) string {
	line = bytes.TrimSuffix(line, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	blank := true
	for i := 0; i < len(line); {
		r, size := rune(line[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(line[i:])
		}
		i += size
		switch r {
		case '\r':
			return "a carriage return"
		case '\v', '\f':
			if !blank {
				return "a form feed or vertical tab behind other text"
			}
		case 0x1c, 0x1d, 0x1e:
			return "a separator of files, groups or records"
		case 0x85:
			return "the character U+0085"
		case 0x2028, 0x2029:
			return fmt.Sprintf("the character U+%04X", r)
		}
		blank = blank && (r == ' ' || r == '\t' || r == '\f' || r == '\v' || r == '\ufeff')
	}
	return ""
}

// renumbers reports whether a line is a directive that gives lines other numbers, or another file's: of Go (line
// directives of its compiler), C and its kin (ISO C 6.10.4, and the line markers of preprocessors), Perl, C#, Swift,
// Haskell and Erlang, and the source maps that tools of JavaScript follow. In files of languages where # begins a
// comment and nothing more, it does not count.
func renumbers(name string, line []byte) bool {
	ext := strings.ToLower(path.Ext(name))
	text := strings.TrimSpace(string(line))
	switch ext {
	case ".py", ".pyi", ".rb", ".sh", ".bash", ".php", ".r", ".jl", ".ex", ".exs", ".java", ".kt", ".rs", ".md", ".yml", ".yaml", ".toml":
		return false
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte":
		return strings.Contains(text, "# sourceMappingURL=") || strings.Contains(text, "@ sourceMappingURL=")
	case ".go":
		return goDirective(string(line))
	}
	if rest, ok := strings.CutPrefix(text, "#"); ok {
		rest = strings.TrimLeft(rest, " \t")
		if at, ok := strings.CutPrefix(rest, "line"); ok && at != "" && (at[0] == ' ' || at[0] == '\t') {
			return true
		}
		number := strings.TrimLeft(rest, "0123456789")
		if number != rest && strings.HasPrefix(strings.TrimLeft(number, " \t"), `"`) {
			return true
		}
		if strings.HasPrefix(rest, "sourceLocation(") {
			return true
		}
	}
	return goDirective(string(line)) || strings.Contains(text, "{-# LINE") || strings.HasPrefix(text, "-file(")
}

// goDirective reports whether a line holds a line directive as the go compiler reads it: //line at its beginning or
// /*line anywhere, with the number behind a colon.
func goDirective(line string) bool {
	at, ok := strings.CutPrefix(line, "//line ")
	if !ok {
		if _, at, ok = strings.Cut(line, "/*line "); !ok {
			return false
		}
	}
	_, number, ok := strings.Cut(at, ":")
	return ok && strings.ContainsAny(number, "0123456789")
}
