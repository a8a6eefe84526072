package testresult

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// scanState is how far a look at JSON got.
type scanState uint8

// The states. The zero value refuses.
const (
	scanBad  scanState = iota // not valid
	scanGood                  // whole and valid
	scanMore                  // valid so far, and the bytes end
)

// The bounds of one event.
const (
	maxEventDepth = 64 // of values that the reader does not know
	maxEventKeys  = 64
)

// The members of an event (cmd/test2json, type TestEvent; go help buildjson, type BuildEvent).
const (
	evTime uint8 = iota + 1
	evAction
	evPackage
	evImportPath
	evTest
	evElapsed
	evOutput
	evFailedBuild
	evKey
	evValue
	evPath
	evOutputType
	evMembers
)

func eventMember(name []byte) uint8 {
	switch string(name) {
	case "Time":
		return evTime
	case "Action":
		return evAction
	case "Package":
		return evPackage
	case "ImportPath":
		return evImportPath
	case "Test":
		return evTest
	case "Elapsed":
		return evElapsed
	case "Output":
		return evOutput
	case "FailedBuild":
		return evFailedBuild
	case "Key":
		return evKey
	case "Value":
		return evValue
	case "Path":
		return evPath
	case "OutputType":
		return evOutputType
	}
	return 0
}

// isEventVariant reports whether name differs from a member's name in case only. Decoders that ignore case
// would read it; one that does not would miss it.
func isEventVariant(name []byte) bool {
	for _, known := range []string{"Time", "Action", "Package", "ImportPath", "Test", "Elapsed", "Output", "FailedBuild", "Key", "Value", "Path", "OutputType"} {
		if len(known) == len(name) && bytes.EqualFold(name, []byte(known)) {
			return true
		}
	}
	return false
}

// eventText is a JSON string as it stands between its quotes.
type eventText struct {
	raw     []byte
	escaped bool
}

// goEvent is one event, its strings still in the window.
type goEvent struct {
	text  [evMembers]eventText // of the members in set
	set   uint32               // members with a value
	seen  uint32               // members, null ones included
	keys  int
	twice bool     // a member occurs twice, or in another case: decoders would disagree about it
	other [][]byte // unknown members, raw
	key   []byte   // scratch for an escaped member name
	b     []byte
	i     int
}

// get returns a member's string as it stands between its quotes, nil if there is none.
func (e *goEvent) get(id uint8) eventText {
	if e.set&(1<<id) == 0 {
		return eventText{}
	}
	return e.text[id]
}

// scan reads the JSON object that b begins with and returns its length.
func (e *goEvent) scan(b []byte) (int, scanState) {
	e.set, e.seen, e.keys, e.twice, e.other, e.b, e.i = 0, 0, 0, false, e.other[:0], b, 1
	if !e.space() {
		return 0, scanMore
	}
	if b[e.i] == '}' {
		return e.i + 1, scanGood
	}
	for {
		if !e.plainMember() {
			if st := e.member(); st != scanGood {
				return 0, st
			}
		}
		if !e.space() {
			return 0, scanMore
		}
		switch b[e.i] {
		case '}':
			return e.i + 1, scanGood
		case ',':
			e.i++
		default:
			return 0, scanBad
		}
		if !e.space() {
			return 0, scanMore
		}
	}
}

// space skips white space and reports whether anything follows.
func (e *goEvent) space() bool {
	for e.i < len(e.b) && isXMLSpace(e.b[e.i]) {
		e.i++
	}
	return e.i < len(e.b)
}

// plainMember reads a member as test2json writes most: a known name and a string, without any white space. It
// reports false, having read nothing, for any other.
func (e *goEvent) plainMember() bool {
	b, i := e.b, e.i
	if b[i] != '"' {
		return false
	}
	j := plainString(b, i+1)
	if j+2 >= len(b) || b[j] != '"' || b[j+1] != ':' || b[j+2] != '"' {
		return false
	}
	id := eventMember(b[i+1 : j])
	if id == 0 || id == evElapsed || e.seen&(1<<id) != 0 {
		return false
	}
	end, escaped, st := scanString(b, j+3)
	if st != scanGood {
		return false
	}
	e.seen |= 1 << id
	e.set |= 1 << id
	e.text[id] = eventText{raw: b[j+3 : end], escaped: escaped}
	e.i = end + 1
	return true
}

// member reads one member of the event; its name is next.
func (e *goEvent) member() scanState {
	if e.b[e.i] != '"' {
		return scanBad
	}
	name, st := e.str()
	if st != scanGood {
		return st
	}
	if e.keys++; e.keys > maxEventKeys {
		return scanBad
	}
	id := eventMember(name.raw)
	if id == 0 && !e.unknown(name, &id) {
		return scanBad
	}
	if id != 0 {
		if e.seen&(1<<id) != 0 {
			e.twice = true
			return scanBad
		}
		e.seen |= 1 << id
	}
	if e.i >= len(e.b) || e.b[e.i] != ':' {
		if !e.space() {
			return scanMore
		}
		if e.b[e.i] != ':' {
			return scanBad
		}
	}
	e.i++
	if !e.space() {
		return scanMore
	}
	if id == 0 || id == evElapsed || e.b[e.i] != '"' {
		return e.unread(id)
	}
	e.set |= 1 << id
	e.text[id], st = e.str()
	return st
}

// unread reads a value that nothing is read from: an unknown member's, Elapsed, or null, which is as if the
// member were absent. Every other value of a known member is of a wrong type.
func (e *goEvent) unread(id uint8) scanState {
	first := e.b[e.i]
	if id != 0 && first != 'n' && (id != evElapsed || first != '-' && (first < '0' || first > '9')) {
		return scanBad
	}
	return e.value()
}

// unknown checks a member name that is not known as it stands: one with escapes may be known all the same.
func (e *goEvent) unknown(name eventText, id *uint8) bool {
	raw := name.raw
	if name.escaped {
		e.key = appendUnescaped(e.key[:0], raw)
		raw = e.key
		if *id = eventMember(raw); *id != 0 {
			return true
		}
	}
	if isEventVariant(raw) {
		e.twice = true
		return false
	}
	for _, o := range e.other {
		if bytes.Equal(o, name.raw) {
			e.twice = true
			return false
		}
	}
	e.other = append(e.other, name.raw)
	return true
}

// str reads a string; its opening quote is next.
func (e *goEvent) str() (eventText, scanState) {
	from := e.i + 1
	end, escaped, st := scanString(e.b, from)
	if st != scanGood {
		return eventText{}, st
	}
	e.i = end + 1
	return eventText{raw: e.b[from:end], escaped: escaped}, scanGood
}

// scanString looks for the quote that ends the string whose first byte is b[i], and returns its index.
func scanString(b []byte, i int) (end int, escaped bool, st scanState) {
	for {
		if i = plainString(b, i); i >= len(b) {
			return 0, false, scanMore
		}
		switch c := b[i]; {
		case c == '"':
			return i, escaped, scanGood
		case c == '\\':
			n, st := escapeLength(b[i:])
			if st != scanGood {
				return 0, false, st
			}
			escaped = true
			i += n
		case c < ' ':
			return 0, false, scanBad
		default:
			r, size := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && size <= 1 {
				if !utf8.FullRune(b[i:]) {
					return 0, false, scanMore
				}
				return 0, false, scanBad
			}
			i += size
		}
	}
}

// escapeLength checks the escape that b begins with and returns its length.
func escapeLength(b []byte) (int, scanState) {
	if len(b) < 2 {
		return 0, scanMore
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, scanGood
	case 'u':
		for i := 2; i < 6; i++ {
			if i >= len(b) {
				return 0, scanMore
			}
			if unhex(b[i]) < 0 {
				return 0, scanBad
			}
		}
		return 6, scanGood
	}
	return 0, scanBad
}

func unhex(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

// appendUnescaped appends a checked string without its escapes. Lone surrogates become U+FFFD.
func appendUnescaped(dst, raw []byte) []byte {
	for len(raw) > 0 {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 || i+1 >= len(raw) {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		raw = raw[i:]
		if raw[1] == 'u' && len(raw) >= 6 {
			r := codeUnit(raw)
			raw = raw[6:]
			if utf16.IsSurrogate(r) {
				pair := rune(utf8.RuneError)
				if len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' {
					pair = utf16.DecodeRune(r, codeUnit(raw))
				}
				if r = pair; r != utf8.RuneError {
					raw = raw[6:]
				}
			}
			dst = utf8.AppendRune(dst, r)
			continue
		}
		c := raw[1]
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		}
		dst = append(dst, c)
		raw = raw[2:]
	}
	return dst
}

// codeUnit reads the four digits of \uXXXX.
func codeUnit(b []byte) rune {
	return unhex(b[2])<<12 | unhex(b[3])<<8 | unhex(b[4])<<4 | unhex(b[5])
}
