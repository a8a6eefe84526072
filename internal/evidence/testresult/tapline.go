package testresult

import (
	"bytes"
	"unicode/utf8"
)

// tapPoint is one test point, its text still in the window.
type tapPoint struct {
	ok       bool
	numbered bool
	brace    bool // it ends in a brace, which may open a subtest
	// disputed says that readers disagree whether a failed point has a directive.
	disputed bool
	num      int64
	status   Status
	text     []byte // the description as it stands, without directive
}

// maxTAPNumber is where the numbers of points and plans stop growing: beyond any suite, and far from overflow.
const maxTAPNumber = 1 << 53

// The directives.
const (
	noDirective = iota
	skipDirective
	todoDirective
)

// point reads a test point: [not ]ok, a number, a description, a directive (TAP 14, "Test Points").
func (p *tapPoint) read(body []byte) bool {
	*p = tapPoint{ok: true, status: Passed}
	rest := body
	if bytes.HasPrefix(rest, []byte("not ")) {
		p.ok, p.status, rest = false, Failed, rest[4:]
	}
	if len(rest) < 2 || rest[0] != 'o' || rest[1] != 'k' {
		return false
	}
	rest = rest[2:]
	if len(rest) == 0 {
		return true
	}
	if !isBlank(rest[0]) {
		return false
	}
	rest = trimBlanks(rest)
	if num, n := tapNumber(rest); n > 0 && (n == len(rest) || isBlank(rest[n])) {
		p.num, p.numbered = num, true
		rest = trimBlanks(rest[n:])
	}
	if len(rest) > 0 && rest[0] == '-' && (len(rest) == 1 || isBlank(rest[1])) {
		rest = trimBlanks(rest[1:])
	}
	p.describe(rest)
	return true
}

// describe splits what follows the number into description and directive.
func (p *tapPoint) describe(rest []byte) {
	rest = trimBlanksAfter(rest)
	if n := len(rest); n > 0 && rest[n-1] == '{' && (n == 1 || isBlank(rest[n-2])) {
		p.brace = true
		rest = trimBlanksAfter(rest[:n-1])
	}
	p.text = rest
	for from := 0; ; {
		i := hash(rest, from)
		if i < 0 {
			return
		}
		comment := trimBlanks(rest[i+1:])
		switch is, whole := directive(comment); {
		case is == noDirective && isDuration(comment):
			if from == 0 {
				p.text = trimBlanksAfter(rest[:i])
			}
			from = i + 1
			continue
		case is == noDirective:
			return
		default:
			if from == 0 {
				p.text = trimBlanksAfter(rest[:i])
			}
			p.disputed = !p.ok && (!whole || i > 0 && !isBlank(rest[i-1]))
			p.status = Skipped
			if is == todoDirective {
				p.status = Aside // which harnesses count apart from the skipped
			}
			return
		}
	}
}

// hash returns the index of the first # from an index on that no backslash escapes, or -1.
func hash(b []byte, from int) int {
	for i := from; ; i++ {
		n := bytes.IndexByte(b[i:], '#')
		if n < 0 {
			return -1
		}
		i += n
		escapes := 0
		for j := i - 1; j >= from && b[j] == '\\'; j-- {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
}

// directive reads the directive that a comment begins with, in any case; skipped and the like are one too. Whole
// is false where the word goes on after todo: some readers take it then, and some do not.
func directive(comment []byte) (is int, whole bool) {
	if len(comment) < 4 {
		return noDirective, false
	}
	const upper = 0x20 // the bit in which letters of either case differ; of what is no letter it makes none of these
	switch [4]byte{comment[0] | upper, comment[1] | upper, comment[2] | upper, comment[3] | upper} {
	case [4]byte{'s', 'k', 'i', 'p'}:
		return skipDirective, true
	case [4]byte{'t', 'o', 'd', 'o'}:
		return todoDirective, len(comment) == 4 || !isWord(comment[4])
	}
	return noDirective, false
}

// isDuration reports whether a comment says how long a test took, as tap, vitest and bats write it. It is no part
// of the description: a test would have another name in each run.
func isDuration(comment []byte) bool {
	for _, start := range []string{"time=", "in ", "timeout after "} {
		if rest, ok := bytes.CutPrefix(comment, []byte(start)); ok {
			return len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9'
		}
	}
	return false
}

// readPlan reads a plan: first..last, and a comment if any (TAP 14, "Plan"). One that counts downwards is none,
// but for 1..0, which says that nothing is to run.
func readPlan(body []byte) (first, last int64, reason []byte, ok bool) {
	first, n := tapNumber(body)
	if n == 0 || !bytes.HasPrefix(body[n:], []byte("..")) {
		return 0, 0, nil, false
	}
	rest := body[n+2:]
	last, n = tapNumber(rest)
	if n == 0 || last < first && (first != 1 || last != 0) {
		return 0, 0, nil, false
	}
	rest = rest[n:]
	if len(rest) == 0 {
		return first, last, nil, true
	}
	comment := trimBlanks(rest)
	if len(comment) == len(rest) || len(comment) == 0 {
		return 0, 0, nil, false // a plan ends at once, or goes on with a comment
	}
	if comment[0] == '#' {
		return first, last, trimBlanks(comment[1:]), true
	}
	is, _ := directive(comment)
	return first, last, comment, last == 0 && is == skipDirective // as old writers do
}

// readVersion reports whether a line is the version line of TAP or KTAP.
func readVersion(body []byte) bool {
	if len(body) > 0 && body[0]|0x20 == 'k' {
		body = body[1:]
	}
	const start = "tap version "
	if len(body) <= len(start) || !bytes.EqualFold(body[:len(start)], []byte(start)) {
		return false
	}
	_, n := tapNumber(body[len(start):])
	return n > 0 && len(trimBlanks(body[len(start)+n:])) == 0
}

// readBailOut reads the line by which a run gives up.
func readBailOut(body []byte) (reason []byte, ok bool) {
	const start = "bail out!"
	if len(body) < len(start) || !bytes.EqualFold(body[:len(start)], []byte(start)) {
		return nil, false
	}
	return bytes.TrimSpace(body[len(start):]), true
}

// readPragma reads a pragma line, a list of settings with a sign each. Strict is 1 if it is turned on, -1 if off.
func readPragma(body []byte) (strict int, ok bool) {
	rest, ok := bytes.CutPrefix(body, []byte("pragma "))
	if !ok {
		return 0, false
	}
	rest = trimBlanks(rest)
	for {
		if len(rest) < 2 || rest[0] != '+' && rest[0] != '-' {
			return 0, false
		}
		n := 1
		for n < len(rest) && (isWord(rest[n]) || rest[n] == '-') {
			n++
		}
		if n == 1 {
			return 0, false
		}
		if string(rest[1:n]) == "strict" {
			strict = 1
			if rest[0] == '-' {
				strict = -1
			}
		}
		if rest = trimBlanks(rest[n:]); len(rest) == 0 {
			return strict, true
		}
		if rest[0] != ',' {
			return 0, false
		}
		rest = trimBlanks(rest[1:])
	}
}

// tapNumber reads the digits that b begins with and returns how many there are.
func tapNumber(b []byte) (num int64, n int) {
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		num = min(num*10+int64(b[n]-'0'), maxTAPNumber)
		n++
	}
	return num, n
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func trimBlanks(b []byte) []byte {
	for len(b) > 0 && isBlank(b[0]) {
		b = b[1:]
	}
	return b
}

func trimBlanksAfter(b []byte) []byte {
	for len(b) > 0 && isBlank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// tabColumns is how deep a tab indents: one level of subtests.
const tabColumns = 4

// indentation splits a line into the columns that it is indented by and the rest.
func indentation(line []byte) (columns int, body []byte) {
	for i, c := range line {
		switch c {
		case ' ':
			columns++
		case '\t':
			columns += tabColumns
		default:
			return columns, line[i:]
		}
	}
	return columns, nil
}

// appendTAPText appends a description without its escapes (TAP 14, "Escaping"), and without bytes that no name has.
func appendTAPText(dst, raw []byte) []byte {
	from := len(dst)
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' && i+1 < len(raw) && (raw[i+1] == '\\' || raw[i+1] == '#') {
			i++
		}
		dst = append(dst, raw[i])
	}
	for i := from; i < len(dst); i++ {
		if dst[i] < ' ' || dst[i] == 0x7F {
			dst[i] = ' '
		}
	}
	if !utf8.Valid(dst[from:]) {
		return append(dst[:from], bytes.ToValidUTF8(dst[from:], []byte(replacement))...)
	}
	return dst
}
