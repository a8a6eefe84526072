package claims

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/outcome-gate/outcome-gate/internal/report"
)

// tokenKind is what a token is.
type tokenKind uint8

const (
	word   tokenKind = iota // letters only
	number                  // a count: digits, in groups of three at most
	ratio                   // two counts with a slash between
	name                    // anything with digits, points, slashes or hyphens in it: a path, a flag, an identifier
	code                    // a code span
	quoted                  // what somebody else says, or what is struck out
	mark                    // one character
)

// token is one word or mark of a sentence.
type token struct {
	at, end int
	kind    tokenKind
	mark    rune
	n, m    int // a count, and the second one of a ratio
	class   class
	depth   int  // of parentheses
	glued   bool // nothing stands between it and the token before
}

func (t *token) is(c class) bool { return t.class&c != 0 }
func (t *token) isMark(marks ...rune) bool {
	for _, m := range marks {
		if t.kind == mark && t.mark == m {
			return true
		}
	}
	return false
}

// scan splits a block into sentences and reads each.
func (p *page) scan(from, to int, quiet bool, b block) {
	s := &p.sentence
	s.begin(p, b, quiet)
	p.codeSpans(from, to)
	spans := p.spans
	for i := from; i < to; {
		for len(spans) > 0 && spans[0].to <= i {
			spans = spans[1:]
		}
		if len(spans) > 0 && spans[0].from <= i {
			s.push(token{at: i, end: spans[0].to, kind: code})
			i = spans[0].to
			continue
		}
		c := p.src[i]
		switch {
		case c == '\n' || c == '\r':
			i = p.newline(s, i, to)
			continue
		case c == ' ' || c == '\t' || c == '`':
			i++
			continue
		case c == report.Opaque:
			k := i
			for k < to && p.src[k] == report.Opaque {
				k++
			}
			s.push(token{at: i, end: k, kind: quoted})
			i = k
			continue
		case letterOrDigit(c) || i >= p.dull && (c == '-' || c == '.' || c == '_' || c == '@'):
			if k := p.chunk(s, i, to); k > i {
				i = k
				continue
			}
		}
		i = p.other(s, i, to)
	}
	s.finish()
}

// newline ends a sentence where a short line is followed by one that begins like a sentence of its own.
func (p *page) newline(s *sentence, i, to int) int {
	i++
	start := i
	for start < to && (p.src[start] == ' ' || p.src[start] == '\t' || p.src[start] == '\n' || p.src[start] == '\r') {
		start++
	}
	const wrapped = 60 // bytes; a line of at least that many was broken to fit
	if n := len(s.toks); n > 0 && start < to && i-s.lineAt < wrapped && !s.toks[n-1].is(clsNot|clsHedge|clsCause) && !s.toks[n-1].isMark(',', '(', '/') {
		if r, _ := utf8.DecodeRune(p.src[start:to]); unicode.IsUpper(r) || unicode.Is(unicode.So, r) {
			s.finish()
		}
	}
	s.lineAt = start
	return start
}

// chunk takes a word, a number or a name at i and gives where it ends.
func (p *page) chunk(s *sentence, i, to int) int {
	k, digits, letters, others := i, 0, 0, 0
	for k < to {
		c := p.src[k]
		switch {
		case c >= '0' && c <= '9':
			digits++
		case letterOrDigit(c):
			letters++
		case c == '\'' || c == 0xE2 && bytes.HasPrefix(p.src[k:to], []byte("’")):
			n := 1
			if c != '\'' {
				n = len("’")
			}
			if k == i || k+n >= to || !letterOrDigit(p.src[k+n]) {
				return p.word(s, i, k, digits, letters, others)
			}
			k += n
			continue
		case c == ',':
			if digits == 0 || letters+others > 0 || !thousands(p.src[k+1:to]) {
				return p.word(s, i, k, digits, letters, others)
			}
			k += 4
			digits += 3
			continue
		case c == ':':
			if k+1 >= to || !letterOrDigit(p.src[k+1]) && p.src[k+1] != ':' || digits > 0 && letters == 0 {
				return p.word(s, i, k, digits, letters, others)
			}
			others++
		case c == '-' || c == '.' || c == '_' || c == '@' || c == '/' || c == '=' && others > 0 || c >= 0x80:
			if c >= 0x80 {
				return p.word(s, i, k, digits, letters, others)
			}
			others++
		default:
			return p.word(s, i, k, digits, letters, others)
		}
		k++
	}
	return p.word(s, i, k, digits, letters, others)
}

// thousands says whether three digits follow, and no fourth.
func thousands(b []byte) bool {
	n := 0
	for n < len(b) && n < 4 && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	return n == 3
}

// word pushes what stands between i and k; trailing punctuation is left to follow.
func (p *page) word(s *sentence, i, k, digits, letters, others int) int {
	run := k
	p.f.out.steps += k - i
	for k > i && !letterOrDigit(p.src[k-1]) && !bytes.HasSuffix(p.src[i:k], []byte("/...")) {
		others--
		k--
	}
	for i < k && p.src[i] == '_' && others > 0 { // emphasis
		i++
		others--
	}
	if k == i || digits+letters == 0 && others == 0 {
		p.dull = run
		return i
	}
	t := token{at: i, end: k, kind: name}
	text := p.src[i:k]
	switch {
	case others == 0 && letters == 0:
		if n, ok := count(text); ok {
			t.kind, t.n = number, n
		}
	case others == 0 && digits == 0:
		t.kind, t.class = word, meaning(plainQuotes(text))
	case others == 1 && letters == 0:
		a, b, both := bytes.Cut(text, []byte("/"))
		n, ok := count(a)
		m, also := count(b)
		if both && ok && also {
			t.kind, t.n, t.m = ratio, n, m
		}
	default:
		t.class = meaning(text)
		if t.class != 0 && digits == 0 {
			t.kind = word
		}
	}
	s.push(t)
	// The point of an abbreviation ends no sentence.
	if k < len(p.src) && p.src[k] == '.' && abbreviated(text) {
		k++
	}
	return k
}

func abbreviated(w []byte) bool {
	switch string(w) {
	case "e.g", "i.e", "etc", "vs", "cf", "approx", "ca", "No", "no":
		return string(w) != "no" && string(w) != "No"
	}
	return false
}

// plainQuotes writes apostrophes as ASCII has them.
func plainQuotes(w []byte) []byte {
	if bytes.Contains(w, []byte("’")) {
		return bytes.ReplaceAll(w, []byte("’"), []byte("'"))
	}
	return w
}

const maxDigits = 9 // no run has a billion tests

// count reads a number of tests.
func count(text []byte) (n int, ok bool) {
	digits := 0
	for _, c := range text {
		if c == ',' {
			continue
		}
		if c < '0' || c > '9' {
			return 0, false
		}
		if digits++; digits > maxDigits {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, digits > 0
}

// other takes a character that begins no word, and gives where the text goes on.
func (p *page) other(s *sentence, i, to int) int {
	r, size := utf8.DecodeRune(p.src[i:to])
	if k := p.quote(s, r, i, i+size, to); k > 0 {
		return k
	}
	switch {
	case r == '~' && i+1 < to && p.src[i+1] == '~': // struck out
		k := bytes.Index(p.src[i+2:to], []byte("~~"))
		end := to
		if k >= 0 {
			end = i + 2 + k + 2
		}
		s.push(token{at: i, end: end, kind: quoted})
		return end
	case r == '*' || r == '_' || r == '~':
		return i + size
	case r == '❌' || r == '✗' || r == '✘' || r == '⬜' || r == '☐' || r == '🔴' || r == '🚧' || r == '⏳' || r == '⚠':
		s.push(token{at: i, end: i + size, kind: mark, mark: r, class: clsNot})
	case unicode.Is(unicode.Cf, r) && r != '\u200d': // invisible: what is read may not be what is written
		s.hedged = true
	case r < utf8.RuneSelf || unicode.IsPunct(r) || r == '→' || r == '＝' || r == 'ℹ':
		s.push(token{at: i, end: i + size, kind: mark, mark: r})
		if ends(r) && (i+size >= to || !letterOrDigit(p.src[i+size])) {
			s.finish()
		}
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		k := i
		for k < to {
			q, n := utf8.DecodeRune(p.src[k:to])
			if q < utf8.RuneSelf || !unicode.IsLetter(q) && !unicode.IsDigit(q) && !unicode.IsMark(q) {
				break
			}
			k += n
		}
		s.wide = true
		s.push(token{at: i, end: max(k, i+size), kind: word})
		return max(k, i+size)
	}
	return i + size
}

// quote takes a quotation that begins with r, and gives where it ends, 0 if none begins. One that does not end reaches to
// the end of the block.
func (p *page) quote(s *sentence, r rune, i, from, to int) int {
	until := ""
	switch r {
	case '"':
		until = `"`
	case '“', '„', '”':
		until = "”"
	case '«':
		until = "»"
	case '「':
		until = "」"
	case '『':
		until = "』"
	case '‘':
		until = "’"
	case '\'':
		if i > 0 && letterOrDigit(p.src[i-1]) || from >= to || !letterOrDigit(p.src[from]) {
			return 0
		}
		until = "'"
	default:
		return 0
	}
	end := to
	for at := from; at < to; {
		k := bytes.Index(p.src[at:to], []byte(until))
		if k < 0 {
			break
		}
		at += k + len(until)
		if until != "'" || at >= to || !letterOrDigit(p.src[at]) { // else it is an apostrophe
			end = at
			break
		}
	}
	s.push(token{at: i, end: end, kind: quoted})
	return end
}

func ends(r rune) bool {
	switch r {
	case '.', '!', '?', '。', '！', '？', '．':
		return true
	}
	return false
}

// longestTicks is the longest run of backticks that may begin a code span here; a longer one is text.
const longestTicks = 32

// codeSpans finds the code spans of a block, from left to right.
func (p *page) codeSpans(from, to int) {
	p.spans = p.spans[:0]
	p.f.out.steps += to - from
	type run struct{ at, length, twin int }
	var runs []run
	for i := from; i < to; {
		k := bytes.IndexByte(p.src[i:to], '`')
		if k < 0 {
			break
		}
		i += k
		n := i
		for n < to && p.src[n] == '`' {
			n++
		}
		runs = append(runs, run{at: i, length: n - i, twin: -1})
		i = n
	}
	var next [longestTicks + 1]int // the nearest run of each length behind the one looked at, plus one
	for i := len(runs) - 1; i >= 0; i-- {
		if n := runs[i].length; n <= longestTicks {
			runs[i].twin = next[n] - 1
			next[n] = i + 1
		}
	}
	for i := 0; i < len(runs); {
		r := runs[i]
		if r.twin < 0 || r.at > from && p.src[r.at-1] == '\\' {
			i++
			continue
		}
		last := runs[r.twin]
		p.spans = append(p.spans, span{from: r.at, to: last.at + last.length})
		i = r.twin + 1
	}
}
