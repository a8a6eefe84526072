package testresult

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// declaration reads what begins with "<!": a comment, a CDATA section or the document type.
func (x *xmlScanner) declaration() bool {
	s := x.src
	n := s.ensure(len("<![CDATA["))
	b := s.buf[s.pos : s.pos+min(n, len("<![CDATA["))]
	switch {
	case bytes.HasPrefix(b, []byte("<!--")):
		s.pos += 4
		return x.comment()
	case string(b) == "<![CDATA[":
		if len(x.open) == 0 {
			return x.refuse(NoteTrailing, "text outside the root element")
		}
		s.pos += len(b)
		return x.cdata()
	case string(b) == "<!DOCTYPE":
		if x.seenRoot || x.seenType {
			return x.refuse(NoteDoctype, "a document type in a wrong place")
		}
		x.seenType = true
		s.pos += len(b)
		return x.doctype()
	case begins("<!--", b), begins("<![CDATA[", b), begins("<!DOCTYPE", b):
		return x.unclosed("inside markup")
	default:
		return x.refuse(NoteMalformed, "a declaration that does not belong here")
	}
}

// until reads free text up to the byte stop, which stays unread, replacing what XML forbids.
func (x *xmlScanner) until(stop byte, where string) bool {
	s, word := x.src, every(stop)
	for {
		n := plain(s.buf[s.pos:s.end], word, word, word)
		x.take(s.buf[s.pos : s.pos+n])
		s.pos += n
		switch {
		case s.pos == s.end:
			if !s.fill() {
				return x.unclosed(where)
			}
		case s.buf[s.pos] == stop:
			return true
		case !x.character(true, nil):
			return false
		}
	}
}

func (x *xmlScanner) cdata() bool {
	s := x.src
	for x.until(']', "inside a CDATA section") {
		if s.ensure(3) < 3 {
			return x.unclosed("inside a CDATA section")
		}
		if string(s.buf[s.pos:s.pos+3]) == "]]>" {
			s.pos += 3
			return true
		}
		x.take(s.buf[s.pos : s.pos+1])
		s.pos++
	}
	return false
}

// comment reads the rest of a comment. Its text belongs to nothing.
func (x *xmlScanner) comment() bool {
	s := x.src
	keep := x.keep
	x.keep = false
	defer func() { x.keep = keep }()
	for x.until('-', "inside a comment") {
		if s.ensure(3) < 3 {
			return x.unclosed("inside a comment")
		}
		if s.buf[s.pos+1] == '-' {
			if s.buf[s.pos+2] != '>' {
				return x.refuse(NoteMalformed, "-- inside a comment")
			}
			s.pos += 3
			return true
		}
		s.pos++
	}
	return false
}

// doctype reads the rest of a document type. Nothing of it is fetched or defined: an internal subset, the
// only place for entities, is refused.
func (x *xmlScanner) doctype() bool {
	s := x.src
	if !x.skipSpace() {
		return x.refuse(NoteMalformed, "a document type without a name")
	}
	quote := byte(0)
	for s.ensure(utf8.UTFMax) > 0 {
		b := s.buf[s.pos]
		switch {
		case b >= utf8.RuneSelf || b < ' ' && !isXMLSpace(b):
			if !x.character(false, nil) {
				return false
			}
			continue
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '"' || b == '\'':
			quote = b
		case b == '[':
			return x.refuse(NoteDoctype, "a document type with an internal subset")
		case b == '<':
			return x.refuse(NoteMalformed, "a < inside a document type")
		case b == '>':
			s.pos++
			return true
		}
		s.pos++
	}
	return x.unclosed("inside the document type")
}

// instruction reads a processing instruction; "<?" is next.
func (x *xmlScanner) instruction() bool {
	s := x.src
	s.ensure(maxMarkup)
	name, _, ok := x.name(s.pos + 2)
	if !ok {
		return false
	}
	if len(name) == 3 && bytes.EqualFold(name, []byte("xml")) {
		return x.refuse(NoteTrailing, "an XML declaration that is not at the very start")
	}
	if bytes.IndexByte(name, ':') >= 0 {
		return x.refuse(NoteMalformed, "a colon in the name of a processing instruction")
	}
	keep := x.keep
	x.keep = false
	defer func() { x.keep = keep }()
	s.pos += 2 + len(name)
	if s.ensure(2) < 2 {
		return x.unclosed("inside a processing instruction")
	}
	if string(s.buf[s.pos:s.pos+2]) != "?>" && !isXMLSpace(s.buf[s.pos]) {
		return x.refuse(NoteMalformed, "no space in a processing instruction")
	}
	for x.until('?', "inside a processing instruction") {
		if s.ensure(2) < 2 {
			return x.unclosed("inside a processing instruction")
		}
		if s.buf[s.pos+1] == '>' {
			s.pos += 2
			return true
		}
		s.pos++
	}
	return false
}

// xmlDeclaration reads the XML declaration; "<?xml" is next. The encoding was told before.
func (x *xmlScanner) xmlDeclaration() bool {
	s := x.src
	n := s.ensure(maxMarkup)
	b := s.buf[s.pos : s.pos+min(n, maxMarkup)]
	end := bytes.Index(b, []byte("?>"))
	if end < 0 {
		if s.eof && n < maxMarkup {
			return x.unclosed("inside the XML declaration")
		}
		return x.refuse(NoteMalformed, "an XML declaration that does not end")
	}
	if why := checkXMLDeclaration(b[len("<?xml"):end]); why != "" {
		return x.refuse(NoteMalformed, why)
	}
	// A document of version 1.1 is read by the rules of 1.0 (XML 1.0, fifth edition, 2.8), to the letter: what
	// only 1.1 allows is not repaired.
	x.strict = bytes.Contains(b[:end], []byte(`1.1`))
	s.pos += end + 2
	return true
}

// checkXMLDeclaration says what is wrong with the inside of an XML declaration, "" if nothing is.
func checkXMLDeclaration(b []byte) string {
	for i, want := range []string{"version", "encoding", "standalone"} {
		rest := bytes.TrimLeft(b, " \t\r\n")
		name, after, ok := bytes.Cut(rest, []byte("="))
		if string(bytes.TrimRight(name, " \t\r\n")) != want || !ok {
			if i == 0 {
				return "an XML declaration without a version"
			}
			continue
		}
		if len(rest) == len(b) {
			return "no space in the XML declaration"
		}
		after = bytes.TrimLeft(after, " \t\r\n")
		if len(after) == 0 || after[0] != '"' && after[0] != '\'' {
			return "a value without quotes in the XML declaration"
		}
		value, tail, ok := bytes.Cut(after[1:], after[:1])
		if !ok {
			return "a value without an end in the XML declaration"
		}
		if why := checkDeclared(want, value); why != "" {
			return why
		}
		b = tail
	}
	if len(bytes.TrimLeft(b, " \t\r\n")) != 0 {
		return "something unknown in the XML declaration"
	}
	return ""
}

func checkDeclared(name string, value []byte) string {
	switch name {
	case "version":
		if string(value) != "1.0" && string(value) != "1.1" {
			return "an XML version that is neither 1.0 nor 1.1"
		}
	case "encoding":
		for i, c := range value {
			letter := c|0x20 >= 'a' && c|0x20 <= 'z'
			if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-')) {
				return "an encoding name that is none"
			}
		}
		if len(value) == 0 {
			return "an encoding name that is none"
		}
	case "standalone":
		if string(value) != "yes" && string(value) != "no" {
			return "standalone is neither yes nor no"
		}
	}
	return ""
}

// What an ASCII byte is to a name: nothing, a character of any place, or one that no name begins with.
const (
	notInName uint8 = iota
	nameAny
	nameInside
)

// nameBytes says what each byte is to a name. The colon is not in it: it parts a name in two.
var nameBytes = [256]uint8{
	'a': nameAny, 'b': nameAny, 'c': nameAny, 'd': nameAny, 'e': nameAny, 'f': nameAny, 'g': nameAny,
	'h': nameAny, 'i': nameAny, 'j': nameAny, 'k': nameAny, 'l': nameAny, 'm': nameAny, 'n': nameAny,
	'o': nameAny, 'p': nameAny, 'q': nameAny, 'r': nameAny, 's': nameAny, 't': nameAny, 'u': nameAny,
	'v': nameAny, 'w': nameAny, 'x': nameAny, 'y': nameAny, 'z': nameAny,
	'A': nameAny, 'B': nameAny, 'C': nameAny, 'D': nameAny, 'E': nameAny, 'F': nameAny, 'G': nameAny,
	'H': nameAny, 'I': nameAny, 'J': nameAny, 'K': nameAny, 'L': nameAny, 'M': nameAny, 'N': nameAny,
	'O': nameAny, 'P': nameAny, 'Q': nameAny, 'R': nameAny, 'S': nameAny, 'T': nameAny, 'U': nameAny,
	'V': nameAny, 'W': nameAny, 'X': nameAny, 'Y': nameAny, 'Z': nameAny, '_': nameAny,
	'0': nameInside, '1': nameInside, '2': nameInside, '3': nameInside, '4': nameInside, '5': nameInside,
	'6': nameInside, '7': nameInside, '8': nameInside, '9': nameInside, '-': nameInside, '.': nameInside,
}

func isXMLSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// isXMLChar is the production Char of XML 1.0.
func isXMLChar(r rune) bool {
	return r >= 0x20 && r <= 0xD7FF || r == '\n' || r == '\t' || r == '\r' ||
		r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= 0x10FFFF
}

// isXMLName reports whether b, made of name bytes and bytes beyond ASCII, is a Name of XML 1.0 (fifth edition).
func isXMLName(b []byte) bool {
	if nameBytes[b[0]] == nameInside {
		return false
	}
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf { // a name byte or a colon
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size <= 1 {
			return false
		}
		if !isNameStart(r) && (i == 0 || !isNameRest(r)) {
			return false
		}
		i += size
	}
	return true
}

func isNameStart(r rune) bool {
	return r >= 0xC0 && r <= 0x2FF && r != 0xD7 && r != 0xF7 || r >= 0x370 && r <= 0x1FFF && r != 0x37E ||
		r == 0x200C || r == 0x200D || r >= 0x2070 && r <= 0x218F || r >= 0x2C00 && r <= 0x2FEF ||
		r >= 0x3001 && r <= 0xD7FF || r >= 0xF900 && r <= 0xFDCF || r >= 0xFDF0 && r <= 0xFFFD ||
		r >= 0x10000 && r <= 0xEFFFF
}

func isNameRest(r rune) bool {
	return r == 0xB7 || r >= 0x300 && r <= 0x36F || r == 0x203F || r == 0x2040
}

// namedEntity is the five entities that XML defines.
func namedEntity(name []byte) (rune, bool) {
	switch string(name) {
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "amp":
		return '&', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	return 0, false
}

// characterReference reads the inside of &#10; or &#xA;. Any number up to U+10FFFF is one, allowed or not.
func characterReference(name []byte) (rune, bool) {
	if len(name) < 2 || name[0] != '#' {
		return 0, false
	}
	digits, base := name[1:], 10
	if digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	if len(digits) == 0 || digits[0] == '+' || digits[0] == '_' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(digits), base, 32)
	if err != nil || n > utf8.MaxRune {
		return 0, false
	}
	return rune(n), true
}

// isReferencePart reports whether b may be the beginning of a reference.
func isReferencePart(b []byte) bool {
	for _, c := range b {
		if c != '#' && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// begins reports whether what was read is the beginning of whole, cut off.
func begins(whole string, read []byte) bool { return strings.HasPrefix(whole, string(read)) }
