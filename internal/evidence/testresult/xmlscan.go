package testresult

import (
	"bytes"
	"unicode/utf8"
)

// The bounds of the XML scanner.
const (
	// maxMarkup is the longest name, and what is looked ahead for a name and what follows it.
	maxMarkup  = 1 << 10
	maxXMLName = 512
	// maxAttributes bounds the attributes of one element: each is compared with all others of its tag.
	maxAttributes = 256
	// maxOpen bounds the open elements of which the names are kept, far beyond any MaxDepth. What a reader keeps of as
	// many open suites is some megabyte.
	maxOpen = 1 << 13
	// maxReference is the longest character reference, leading zeros included.
	maxReference = 32
	// maxKeptText bounds the text kept of one element, enough for a property or a failure's first line.
	maxKeptText = maxPropertyText + 1
)

// xmlVocabulary says which elements and attributes a format knows, by local name. Number 0 is any other:
// it is checked and dropped. At most 62 of each; xmlVariant is a name that decides, in another case.
type xmlVocabulary struct {
	element   func(name []byte) uint8
	attribute func(name []byte) uint8
	// roots are the elements that the format's documents begin with.
	roots uint64
	// tolerant attributes hold free text, in which forbidden characters are replaced as in text.
	tolerant uint64
}

// xmlToken is what the scanner stopped at.
type xmlToken uint8

// The tokens. xmlBroken means that the document is refused and refusal says why.
const (
	xmlBroken xmlToken = iota
	xmlStart
	xmlEnd
	xmlDone
)

// xmlRefusal is why a document is not well-formed.
type xmlRefusal struct {
	code, detail string
	line         int
}

type openElement struct {
	nameAt int32
	kind   uint8
}

type span struct{ from, to int32 }

// xmlScanner reads an XML 1.0 document as a stream of start and end tags. It is stricter than
// encoding/xml: one root, no content beside it, no attribute twice, valid UTF-8 everywhere, no internal
// subset, no undefined entity. It is looser in one thing: a character that XML forbids (not NUL) is replaced
// in text, comments and tolerant attributes, and counted, because terminals' colour codes end up there.
type xmlScanner struct {
	src *source
	voc xmlVocabulary

	kind     uint8 // of the element that the last token is about
	depth    int   // open elements, the one just started included, the one just ended not
	names    []byte
	open     []openElement
	pendEnd  bool
	strict   bool // replace nothing
	began    bool // past the XML declaration
	seenType bool // past the document type
	seenRoot bool

	set   uint64 // known attributes of the last start tag
	attrs [64]span
	arena []byte
	// values is what attrs refer to: the arena or, where all values could stay where they are, the window.
	values []byte
	// inWindow says that they did: they have no control characters, references and other than ASCII.
	inWindow bool
	other    []span // names of the tag's unknown attributes

	shapes   *[shapeCount]tagShape // of earlier start tags; nil remembers none
	learning *tagShape             // of the current one

	keep bool // collect text into kept
	kept []byte

	maxName  int
	overName bool // an attribute was longer than maxName
	badChars int
	refusal  *xmlRefusal
}

func newXMLScanner(src *source, voc xmlVocabulary, maxName int) *xmlScanner {
	x := &src.mem.xml
	x.maxName, x.shapes = maxName, &src.mem.shapes
	x.src, x.voc = src, voc
	for i := range x.shapes {
		x.shapes[i].begin.n = 0 // of another file, perhaps of another vocabulary
	}
	return x
}

// maxHeld is how much of a scanner's memory the next file gets, each piece: what a file needed beyond is let go.
const maxHeld = 16 << 10

// clear leaves a scanner without a document, and with its memory.
func (x *xmlScanner) clear() {
	if cap(x.names) > maxHeld || cap(x.open) > maxHeld || cap(x.arena) > maxHeld || cap(x.kept) > maxHeld {
		*x = xmlScanner{}
		return
	}
	*x = xmlScanner{names: x.names[:0], open: x.open[:0], arena: x.arena[:0], other: x.other[:0], kept: x.kept[:0]}
}

// refuse ends the document.
func (x *xmlScanner) refuse(code, detail string) bool {
	if x.refusal == nil {
		x.refusal = &xmlRefusal{code: code, detail: detail, line: x.src.line()}
	}
	return false
}

// unclosed refuses a document that ends here.
func (x *xmlScanner) unclosed(where string) bool { return x.refuse(NoteUnclosed, "ends "+where) }

// attr returns the value of a known attribute of the last start tag, nil if it is absent. It is valid until
// the next token.
func (x *xmlScanner) attr(id uint8) []byte {
	if x.set&(1<<id) == 0 {
		return nil
	}
	return x.values[x.attrs[id].from:x.attrs[id].to]
}

// collect starts to keep the text that follows, up to a bound, until the next call of text.
func (x *xmlScanner) collect() { x.keep, x.kept = true, x.kept[:0] }

// text returns what was collected and stops collecting.
func (x *xmlScanner) text() []byte {
	x.keep = false
	return x.kept
}

// next returns the next token. After xmlBroken and xmlDone it must not be called again.
func (x *xmlScanner) next() xmlToken {
	if x.pendEnd {
		x.pendEnd = false
		return x.pop()
	}
	if !x.began {
		x.began = true
		x.src.ensure(maxMarkup)
		if isXMLDeclaration(x.src.buf[x.src.pos:x.src.end]) && !x.xmlDeclaration() {
			return xmlBroken
		}
	}
	for {
		if len(x.open) == 0 {
			if !x.beside() {
				return xmlBroken
			}
			if x.src.ensure(1) == 0 {
				if !x.seenRoot {
					x.unclosed("before a root element")
					return xmlBroken
				}
				return xmlDone
			}
		} else if !x.content() {
			return xmlBroken
		}
		// A '<' is next.
		if x.src.ensure(2) < 2 {
			x.unclosed("inside a tag")
			return xmlBroken
		}
		switch x.src.buf[x.src.pos+1] {
		case '/':
			if !x.endTag() {
				return xmlBroken
			}
			return x.pop()
		case '!':
			if !x.declaration() {
				return xmlBroken
			}
		case '?':
			if !x.instruction() {
				return xmlBroken
			}
		default:
			if !x.startTag() {
				return xmlBroken
			}
			return xmlStart
		}
	}
}

func (x *xmlScanner) pop() xmlToken {
	top := x.open[len(x.open)-1]
	x.open = x.open[:len(x.open)-1]
	x.names = x.names[:top.nameAt]
	x.kind, x.depth = top.kind, len(x.open)
	return xmlEnd
}

// beside skips the white space before and after the root element and refuses anything else but markup.
func (x *xmlScanner) beside() bool {
	x.skipSpace()
	if x.src.ensure(1) == 0 || x.src.buf[x.src.pos] == '<' {
		return true
	}
	return x.refuse(NoteTrailing, "text outside the root element")
}

// skipSpace skips white space and reports whether there was any.
func (x *xmlScanner) skipSpace() bool {
	s, found := x.src, false
	for {
		for s.pos < s.end {
			if !isXMLSpace(s.buf[s.pos]) {
				return found
			}
			s.pos++
			found = true
		}
		if !s.fill() {
			return found
		}
	}
}

// content reads character data up to the next '<'.
func (x *xmlScanner) content() bool {
	s := x.src
	if !x.keep {
		s.indent()
		if s.pos < s.end && s.buf[s.pos] == '<' {
			return true
		}
	}
	for {
		n := plain(s.buf[s.pos:s.end], everyLow*'<', everyLow*'&', everyLow*']')
		if x.keep {
			x.take(s.buf[s.pos : s.pos+n])
		}
		s.pos += n
		if s.pos == s.end {
			if s.fill() {
				continue
			}
			return x.unclosed("inside an element")
		}
		switch s.buf[s.pos] {
		case '<':
			return true
		case '&':
			r, ok := x.reference(true)
			if !ok {
				return false
			}
			if x.keep {
				x.take(utf8.AppendRune(nil, r))
			}
		case ']':
			if s.ensure(3) >= 3 && string(s.buf[s.pos:s.pos+3]) == "]]>" {
				return x.refuse(NoteMalformed, "]]> in text")
			}
			x.take(s.buf[s.pos : s.pos+1])
			s.pos++
		default:
			if !x.character(true, nil) {
				return false
			}
		}
	}
}

// take keeps text, if text is kept.
func (x *xmlScanner) take(b []byte) {
	if x.keep && len(x.kept) < maxKeptText {
		x.kept = append(x.kept, b[:min(len(b), maxKeptText-len(x.kept))]...)
	}
}

// character reads a run of characters that are not ASCII, or of control characters, into the value v or, if
// there is none, as text.
func (x *xmlScanner) character(tolerant bool, v *attrValue) bool {
	s := x.src
	for s.ensure(utf8.UTFMax) > 0 && (s.buf[s.pos] >= utf8.RuneSelf || s.buf[s.pos] < ' ' && !isXMLSpace(s.buf[s.pos])) {
		r, size := utf8.DecodeRune(s.buf[s.pos:s.end])
		text := s.buf[s.pos : s.pos+size]
		switch {
		case r == utf8.RuneError && size <= 1:
			return x.refuse(NoteEncoding, "bytes that the encoding does not allow: declare the file's own, or write it in UTF-8")
		case isXMLChar(r):
		case r == 0 || !tolerant || x.strict:
			return x.refuse(NoteMalformed, "a character that XML forbids, outside text")
		default:
			x.badChars++
			text = []byte(replacement)
		}
		if v != nil {
			x.keepValue(v, text)
		} else {
			x.take(text)
		}
		s.pos += size
	}
	return true
}

// reference reads an entity or character reference. In tolerant places one to a character that XML forbids
// becomes the replacement character.
func (x *xmlScanner) reference(tolerant bool) (rune, bool) {
	s := x.src
	n := s.ensure(maxReference)
	ref := s.buf[s.pos+1 : s.pos+min(n, maxReference)]
	i := bytes.IndexByte(ref, ';')
	if i < 0 {
		if n < maxReference && isReferencePart(ref) {
			return 0, x.unclosed("inside a reference")
		}
		return 0, x.refuse(NoteEntity, "an & that begins no reference")
	}
	name := ref[:i]
	r, ok := namedEntity(name)
	if !ok {
		r, ok = characterReference(name)
	}
	if !ok {
		return 0, x.refuse(NoteEntity, "&"+string(bytes.ToValidUTF8(name, []byte("?")))+"; is not defined")
	}
	if !isXMLChar(r) {
		if r == 0 || !tolerant || x.strict {
			return 0, x.refuse(NoteMalformed, "a reference to a character that XML forbids")
		}
		x.badChars++
		r = utf8.RuneError
	}
	s.pos += i + 2
	return r, true
}
