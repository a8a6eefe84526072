package testresult

import (
	"bytes"
	"math/bits"
	"unicode/utf8"
)

// startTag reads a start tag; '<' is next.
func (x *xmlScanner) startTag() bool {
	s := x.src
	if len(x.open) == 0 {
		if x.seenRoot {
			return x.refuse(NoteTwoRoots, "a second root element")
		}
		x.seenRoot = true
	}
	if read, ended := x.likeBefore(); ended {
		return true
	} else if read {
		x.learning = nil
		return x.attributes()
	}
	s.ensure(maxMarkup)
	name, local, ok := x.name(s.pos + 1)
	if !ok {
		return false
	}
	if len(x.open) >= maxOpen {
		return x.refuse(NoteTooDeep, "too many open elements")
	}
	x.push(x.voc.element(local), name)
	x.set, x.arena, x.other = 0, x.arena[:0], x.other[:0]
	x.remember(s.buf[s.pos:s.end], name)
	s.pos += 1 + len(name)
	return x.attributes()
}

// attributes reads the attributes of a start tag that are not read yet, and its end.
func (x *xmlScanner) attributes() bool {
	s := x.src
	for count := bits.OnesCount64(x.set) + len(x.other); ; count++ {
		spaced := true
		if s.pos+2 < s.end && s.buf[s.pos] == ' ' && s.buf[s.pos+1] > ' ' { // as written nearly always
			s.pos++
		} else {
			spaced = x.skipSpace()
		}
		if s.ensure(2) < 2 {
			if s.ensure(1) == 1 && s.buf[s.pos] == '>' {
				s.pos++
				x.values, x.inWindow = x.arena, false
				return true
			}
			return x.unclosed("inside a tag")
		}
		switch s.buf[s.pos] {
		case '>':
			s.pos++
			x.values, x.inWindow = x.arena, false
			return true
		case '/':
			if s.buf[s.pos+1] != '>' {
				return x.refuse(NoteMalformed, "a / inside a tag")
			}
			s.pos += 2
			x.pendEnd = true
			x.values, x.inWindow = x.arena, false
			return true
		}
		if !spaced {
			return x.refuse(NoteMalformed, "no space before an attribute")
		}
		if count == maxAttributes {
			return x.refuse(NoteOverLimit, "more attributes than the limit in one tag")
		}
		if !x.attribute() {
			return false
		}
	}
}

// attribute reads one attribute; its name is next.
func (x *xmlScanner) attribute() bool {
	s := x.src
	s.ensure(maxMarkup)
	name, local, ok := x.name(s.pos)
	if !ok {
		return false
	}
	id := uint8(0)
	if len(local) == len(name) { // a prefixed attribute is none of the format's
		id = x.voc.attribute(local)
	}
	if id != 0 {
		if x.set&(1<<id) != 0 {
			return x.refuse(NoteDuplicate, "attribute "+string(name)+" twice")
		}
		x.set |= 1 << id
	} else if !x.newAttribute(name) {
		return false
	}
	s.pos += len(name)
	if s.pos+1 < s.end && s.buf[s.pos] == '=' { // as written nearly always: name="
		x.rememberAttribute(name, id)
		s.pos++
	} else {
		x.learning = nil
		if !x.equals() {
			return false
		}
	}
	quote := s.buf[s.pos]
	s.pos++
	switch quote {
	case '"':
		return x.value(id, quote, doubleFold, doubleBoth)
	case '\'':
		return x.value(id, quote, singleFold, singleBoth)
	}
	s.pos--
	if !isXMLSpace(quote) {
		return x.refuse(NoteMalformed, "an attribute value without quotes")
	}
	x.skipSpace()
	if s.ensure(1) == 0 {
		return x.unclosed("inside a tag")
	}
	quote = s.buf[s.pos]
	s.pos++
	switch quote {
	case '"':
		return x.value(id, quote, doubleFold, doubleBoth)
	case '\'':
		return x.value(id, quote, singleFold, singleBoth)
	}
	return x.refuse(NoteMalformed, "an attribute value without quotes")
}

// newAttribute notes the name of an attribute that the format does not know, unless the tag had it before.
func (x *xmlScanner) newAttribute(name []byte) bool {
	for _, o := range x.other {
		if int(o.to-o.from) == len(name) && bytes.Equal(x.arena[o.from:o.to], name) {
			return x.refuse(NoteDuplicate, "attribute "+string(name)+" twice")
		}
	}
	from := int32(len(x.arena))
	x.arena = append(x.arena, name...)
	x.other = append(x.other, span{from, int32(len(x.arena))})
	return true
}

// equals reads an equals sign with white space before it. What follows is in the window.
func (x *xmlScanner) equals() bool {
	s := x.src
	x.skipSpace()
	if s.ensure(2) < 2 {
		return x.unclosed("inside a tag")
	}
	if s.buf[s.pos] != '=' {
		return x.refuse(NoteMalformed, "an attribute without a value")
	}
	s.pos++
	return true
}

// value reads an attribute value up to its closing quote, and keeps that of a known attribute in the arena.
func (x *xmlScanner) value(id, quote uint8, fold, both uint64) bool {
	s := x.src
	v := attrValue{from: int32(len(x.arena)), id: id}
	for {
		n := plainQuoted(s.buf[s.pos:s.end], fold, both)
		x.keepValue(&v, s.buf[s.pos:s.pos+n])
		s.pos += n
		if s.pos == s.end {
			if s.fill() {
				continue
			}
			return x.unclosed("inside an attribute")
		}
		if s.buf[s.pos] == quote {
			s.pos++
			if id != 0 {
				x.attrs[id] = span{v.from, int32(len(x.arena))}
			}
			return true
		}
		if !x.special(&v) {
			return false
		}
	}
}

// attrValue is a value being read.
type attrValue struct {
	from int32
	size int
	id   uint8
}

// keepValue appends to the value of a known attribute, within the limit.
func (x *xmlScanner) keepValue(v *attrValue, b []byte) {
	v.size += len(b)
	if v.size > x.maxName {
		x.overName = true
		b = cutAt(b, max(0, len(b)-(v.size-x.maxName)))
	}
	if v.id != 0 {
		x.arena = append(x.arena, b...)
	}
}

// special reads what is neither plain nor the closing quote in an attribute value.
func (x *xmlScanner) special(v *attrValue) bool {
	s := x.src
	tolerant := x.voc.tolerant&(1<<v.id) != 0
	switch s.buf[s.pos] {
	case '<':
		return x.refuse(NoteMalformed, "a < in an attribute value")
	case '&':
		r, ok := x.reference(tolerant)
		if !ok {
			return false
		}
		var buf [utf8.UTFMax]byte
		x.keepValue(v, buf[:utf8.EncodeRune(buf[:], r)])
		return true
	default:
		return x.character(tolerant, v)
	}
}

// endTag reads an end tag; "</" is next.
func (x *xmlScanner) endTag() bool {
	s := x.src
	if len(x.open) == 0 {
		return x.refuse(NoteMalformed, "an end tag that closes nothing")
	}
	s.ensure(maxMarkup)
	want := x.names[x.open[len(x.open)-1].nameAt:]
	got := s.buf[s.pos+2 : s.end]
	if len(got) > len(want) && string(got[:len(want)]) == string(want) && got[len(want)] == '>' {
		s.pos += len(want) + 3
		return true
	}
	name, _, ok := x.name(s.pos + 2)
	if !ok {
		return false
	}
	if !bytes.Equal(name, want) {
		return x.refuse(NoteMalformed, "</"+string(name)+"> closes <"+string(want)+">")
	}
	s.pos += 2 + len(name)
	x.skipSpace()
	if s.ensure(1) == 0 {
		return x.unclosed("inside a tag")
	}
	if s.buf[s.pos] != '>' {
		return x.refuse(NoteMalformed, "an end tag that does not end")
	}
	s.pos++
	return true
}

// name returns the qualified name at an offset of the window, and its local part. What follows the name is
// in the window too, unless the input ends.
func (x *xmlScanner) name(at int) (name, local []byte, ok bool) {
	s := x.src
	b := s.buf[at:s.end]
	n := 0
	for n < len(b) && nameBytes[b[n]] != notInName {
		n++
	}
	if n == 0 || n == len(b) || n > maxXMLName || nameBytes[b[0]] != nameAny || b[n] == ':' || b[n] >= utf8.RuneSelf {
		return x.rareName(b)
	}
	return b[:n], b[:n], true
}

// rareName reads a name with a prefix or with other than ASCII letters, or refuses what is none.
func (x *xmlScanner) rareName(b []byte) (name, local []byte, ok bool) {
	n, colon, colons := 0, -1, 0
	for n < len(b) && (nameBytes[b[n]] != notInName || b[n] == ':' || b[n] >= utf8.RuneSelf) {
		if b[n] == ':' {
			colon = n
			colons++
		}
		n++
		if n > maxXMLName {
			return nil, nil, x.refuse(NoteOverLimit, "a name longer than the limit")
		}
	}
	if n == len(b) && x.src.eof {
		return nil, nil, x.unclosed("inside a tag")
	}
	name = b[:n]
	if colons > 1 {
		return nil, nil, x.refuse(NoteMalformed, "more than one colon in a name")
	}
	if n == 0 || !isXMLName(name) {
		return nil, nil, x.refuse(NoteMalformed, "no name where one must be")
	}
	if colon > 0 && colon < n-1 {
		return name, name[colon+1:], true
	}
	return name, name, true
}
