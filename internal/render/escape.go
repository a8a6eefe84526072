package render

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shownBytes bounds one quoted text: enough for a test name with its message, little enough that a thousand
// of them stay readable.
const shownBytes = 300

// Visible gives s on one line with everything that does not print made visible as \n, \t or \u{HEX}: control
// characters (ANSI escapes begin with one), bidirectional and zero-width formatting, line separators, private
// use, and letters that have no shape. Invalid UTF-8 becomes \x and two hex digits.
func Visible(s string) string {
	clean := true
	for _, r := range s {
		if r == utf8.RuneError || hidden(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02X`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case hidden(r):
			fmt.Fprintf(&b, `\u{%04X}`, r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// hidden says whether r changes how its neighbours are shown, or shows nothing itself. U+115F, U+1160, U+3164
// and U+FFA0 are Hangul fillers, U+2800 is the empty Braille pattern, U+034F and the variation selectors are
// marks without a shape.
func hidden(r rune) bool {
	switch r {
	case 0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800, 0x034F, 0x17B4, 0x17B5:
		return true
	}
	return !unicode.IsPrint(r) || unicode.Is(unicode.Variation_Selector, r)
}

// clip bounds s to n bytes at a rune boundary and says that it did.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := n
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// Line is s for one place of a line in a log or terminal: bounded, visible, and no workflow command. Runners
// look for ##[command] anywhere in a line, so no two number signs stay together.
func Line(s string) string { return apart(Visible(clip(s, shownBytes))) }

// apart puts a backslash between neighbouring number signs.
func apart(s string) string {
	if !strings.Contains(s, "##") {
		return s
	}
	var b strings.Builder
	last := byte(0)
	for i := range len(s) {
		if s[i] == '#' && last == '#' {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
		last = s[i]
	}
	return b.String()
}

// unstart keeps every line of a finished text from beginning like a workflow command (::name::): whatever
// stood in front of it in its row may have been empty.
func unstart(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		body := strings.TrimLeft(l, " \t")
		if strings.HasPrefix(body, "::") {
			lines[i] = l[:len(l)-len(body)] + `\` + body
		}
	}
	return strings.Join(lines, "")
}

// Code is s as an inert Markdown code span: no link, mention, reference, image, entity or HTML lives in one,
// neither in GFM nor in what GitHub links afterwards. An empty text becomes a word.
func Code(s string) string { return codeSpan(clip(s, shownBytes)) }

func codeSpan(s string) string {
	s = Visible(s)
	if strings.TrimSpace(s) == "" {
		return "(empty)"
	}
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	pad := ""
	if s[0] == '`' || s[len(s)-1] == '`' || (s[0] == ' ' && s[len(s)-1] == ' ') {
		pad = " "
	}
	return fence + pad + s + pad + fence
}

// pipes keeps the pipes of a code span from ending its table's cell. One behind a backslash is written by its number, since
// readers disagree on whether two backslashes escape it.
func pipes(s string) string {
	if !strings.Contains(s, "|") {
		return s
	}
	var b strings.Builder
	last := byte(0)
	for i := range len(s) {
		switch {
		case s[i] == '|' && last == '\\':
			b.WriteString(`\u{7C}`)
		case s[i] == '|':
			b.WriteString(`\|`)
		default:
			b.WriteByte(s[i])
		}
		last = s[i]
	}
	return b.String()
}

// Prose is s as Markdown: as it is if it consists of plain words only, else as a code span.
func Prose(s string) string {
	s = clip(s, shownBytes)
	if plain(s) {
		return s
	}
	return codeSpan(s)
}

// plain says whether s is words that no Markdown reader can take for anything else: ASCII letters and digits
// with simple punctuation behind them, no list marker, nothing that looks like a commit, a reference or a host.
func plain(s string) bool {
	words := strings.Split(s, " ")
	for i, w := range words {
		w = strings.TrimPrefix(w, "(")
		w = strings.TrimRight(w, ",;:.)")
		if w == "" || scheme(w) {
			return false
		}
		if i == 0 && strings.Trim(w, "0123456789") == "" && len(w) < len(words[0]) {
			return false // "1." or "1)" would begin a list
		}
		if !plainWord(w) {
			return false
		}
	}
	return true
}

// scheme says whether w ends with what begins an address, in front of a colon or a point: so much of a link is not
// left to readers, whatever letters or digits stand before it.
func scheme(w string) bool {
	w = strings.ToLower(w)
	for _, s := range [...]string{"http", "https", "ftp", "mailto", "xmpp", "www"} {
		if strings.HasSuffix(w, s) {
			return true
		}
	}
	return false
}

// minReference is the shortest run of hex digits that GitHub takes for a commit.
const minReference = 7

func plainWord(w string) bool {
	hex := len(w) >= minReference
	for i := range len(w) {
		c := w[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		digit := c >= '0' && c <= '9'
		// A hyphen only joins letters, so that neither GH-1 nor a rule or a list comes about.
		joins := (c == '-' || c == '\'') && i > 0 && i+1 < len(w) && isLetter(w[i-1]) && isLetter(w[i+1])
		// A slash only parts numbers, as in 3/4.
		parts := c == '/' && i > 0 && i+1 < len(w) && isDigit(w[i-1]) && isDigit(w[i+1])
		if !letter && !digit && !joins && !parts {
			return false
		}
		hex = hex && (digit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F')
	}
	return !hex
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
