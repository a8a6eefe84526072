package testresult

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// escape reads the escape that is next, and that of a second surrogate with it. It writes what both stand for to r
// and returns the length.
func (j *jsonDoc) escape(r *[utf8.UTFMax]byte) int {
	const unit = len(`\u0000`)
	s := j.s
	s.ensure(2 * unit)
	b := s.buf[s.pos:s.end]
	n, st := escapeLength(b)
	switch st {
	case scanMore:
		j.unclosed()
		return 0
	case scanBad:
		j.refuse(NoteMalformed, "an escape that JSON does not define")
		return 0
	case scanGood:
	}
	s.pos += n
	if n < unit {
		r[0] = simpleEscape(b[1])
		return 1
	}
	c := codeUnit(b)
	if utf16.IsSurrogate(c) {
		pair := rune(utf8.RuneError)
		if n, st := escapeLength(b[unit:]); st == scanGood && n == unit && b[unit] == '\\' {
			pair = utf16.DecodeRune(c, codeUnit(b[unit:]))
		}
		if c = pair; c == utf8.RuneError {
			j.odd++ // half of a pair is no character
		} else {
			s.pos += unit
		}
	}
	return utf8.EncodeRune(r[:], c)
}

func simpleEscape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// wide returns how many bytes of characters beyond ASCII are next, and refuses what is no UTF-8.
func (j *jsonDoc) wide() int {
	s := j.s
	s.ensure(utf8.UTFMax)
	i := s.pos
	for i < s.end && s.buf[i] >= utf8.RuneSelf {
		r, size := utf8.DecodeRune(s.buf[i:s.end])
		if r == utf8.RuneError && size <= 1 {
			if i == s.pos {
				j.refuse(NoteEncoding, "bytes that are no UTF-8")
			}
			break
		}
		i += size
	}
	return i - s.pos
}

// skip reads a value, checking it, and keeps nothing.
func (j *jsonDoc) skip() {
	base := len(j.frames)
	for {
		switch j.peek() {
		case '{':
			j.push('}')
		case '[':
			j.push(']')
		default:
			j.scalar()
		}
		for !j.stopped && len(j.frames) > base && !j.next() {
		}
		if j.stopped || len(j.frames) == base {
			return
		}
	}
}

// next goes to the next value of the innermost open value, or closes it and returns false.
func (j *jsonDoc) next() bool {
	if j.frames[len(j.frames)-1].closer == '}' {
		return j.member()
	}
	return j.element()
}

// scalar reads a string, a number or a literal.
func (j *jsonDoc) scalar() {
	if j.stopped {
		return
	}
	switch c := j.s.buf[j.s.pos]; {
	case c == '"':
		j.text(nil, -1)
	case c == 't':
		j.literal("true")
	case c == 'f':
		j.literal("false")
	case c == 'n':
		j.literal("null")
	case c == '-' || c >= '0' && c <= '9':
		j.number()
	default:
		j.refuse(NoteMalformed, "no value where one must be")
	}
}

func (j *jsonDoc) literal(want string) {
	s := j.s
	n := min(s.ensure(len(want)), len(want))
	switch got := s.buf[s.pos : s.pos+n]; {
	case string(got) == want:
		s.pos += n
	case string(got) == want[:n]:
		j.unclosed()
	default:
		j.refuse(NoteMalformed, "a word that is no value")
	}
}

// at returns the next byte, 0 if there is none.
func (j *jsonDoc) at() byte {
	s := j.s
	if s.pos == s.end && !s.fill() {
		return 0
	}
	return s.buf[s.pos]
}

// number reads a number and returns it if it is a whole one without a sign that may be a count, else -1.
func (j *jsonDoc) number() int {
	n, whole := 0, true
	if j.at() == '-' {
		j.s.pos++
		whole = false
	}
	if j.at() == '0' {
		j.s.pos++
	} else {
		j.digits(&n)
	}
	if j.at() == '.' {
		j.s.pos++
		whole = false
		j.digits(nil)
	}
	if j.at()|0x20 == 'e' {
		j.s.pos++
		whole = false
		if c := j.at(); c == '+' || c == '-' {
			j.s.pos++
		}
		j.digits(nil)
	}
	if !whole || n > maxCount || j.stopped {
		return -1
	}
	return n
}

// digits reads one digit or more.
func (j *jsonDoc) digits(n *int) {
	some := false
	for c := j.at(); c >= '0' && c <= '9'; c = j.at() {
		j.s.pos++
		some = true
		if n != nil && *n <= maxCount {
			*n = *n*10 + int(c-'0')
		}
	}
	switch {
	case some:
	case j.s.pos == j.s.end:
		j.unclosed()
	default:
		j.refuse(NoteMalformed, "a number that is none")
	}
}

// into opens the value that is next if its bracket is the given one. A null is as if the member were absent; any
// other value is of a wrong type, which keeps the file from passing.
func (j *jsonDoc) into(bracket byte, what string) bool {
	switch c := j.peek(); {
	case j.stopped:
		return false
	case c == bracket:
		j.push(bracket + 2) // the closing bracket, in ASCII
		return !j.stopped
	case c != 'n':
		j.doubt(NoteMissingMember, what+" is of a wrong type")
	}
	j.skip()
	return false
}

// word reads a string into dst; any other value leaves dst empty. The result is false for those but null.
func (j *jsonDoc) word(dst []byte, limit int) ([]byte, bool) {
	dst = dst[:0]
	switch j.peek() {
	case '"':
		return j.text(dst, limit), true
	case 'n':
		j.skip()
		return dst, true
	}
	j.skip()
	return dst, false
}

// label reads what identifies a test: a string whose control characters are replaced, since they could pass for
// something else where the name is shown. One over the limit keeps the file from passing.
func (j *jsonDoc) label(dst []byte, what string) []byte {
	dst, ok := j.word(dst, j.t.lim.MaxName)
	if j.stopped {
		return dst
	}
	if !ok {
		j.doubt(NoteMissingMember, what+" is no string")
	}
	if len(dst) > 0 && j.cut {
		j.doubt(NoteOverLimit, what+" is longer than "+strconv.Itoa(j.t.lim.MaxName)+" bytes")
	}
	if firstControl(dst) == len(dst) && bytes.IndexByte(dst, 0x7F) < 0 {
		return dst
	}
	var clean []byte
	for _, c := range dst {
		switch {
		case isXMLSpace(c):
			clean = append(clean, ' ')
		case c < ' ' || c == 0x7F:
			j.odd++
			clean = append(clean, replacement...)
		default:
			clean = append(clean, c)
		}
	}
	return append(dst[:0], clean...)
}

// declaredCount is a count as a document declares it.
type declaredCount int

// What a declared count is if it is none.
const (
	undeclared declaredCount = -1
	unreadable declaredCount = -2
)

// count reads a count.
func (j *jsonDoc) count() declaredCount {
	switch c := j.peek(); {
	case c == 'n':
		j.skip()
		return undeclared
	case c == '-' || c >= '0' && c <= '9':
		if n := j.number(); n >= 0 {
			return declaredCount(n)
		}
	default:
		j.skip()
	}
	return unreadable
}

// truth reads a value as JavaScript does in a condition: false, null, 0 and "" are not true, and all else is.
func (j *jsonDoc) truth() bool {
	switch c := j.peek(); {
	case c == '"':
		s := j.text(nil, 1)
		return len(s) > 0
	case c == '-' || c >= '0' && c <= '9':
		return j.number() != 0
	default:
		j.skip()
		return c == 't' || c == '{' || c == '['
	}
}

// size reads an array and returns how many elements it has; -1 for any other value.
func (j *jsonDoc) size(what string) int {
	if !j.into('[', what) {
		return -1
	}
	n := 0
	for j.element() {
		j.skip()
		n++
	}
	return n
}
