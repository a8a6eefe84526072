package testresult

import (
	"bytes"
	"math"
	"strconv"
)

// xmlVariant is the number of every element and attribute whose name differs in case only from one that decides.
const xmlVariant uint8 = 63

// xmlDocument is what the readers of the XML formats share: the scanner, the tally, and what all of them note.
type xmlDocument struct {
	x     *xmlScanner
	t     *tally
	fewer bool // a count in an attribute claims fewer than there are records
}

// xmlEvents is what makes records of one XML format's tags. Start is called after a start tag and reports whether
// to go on, end after an end tag, finish once after the document, however it ended.
type xmlEvents interface {
	start() bool
	end()
	finish()
}

// openXML begins to read a document of a format's vocabulary, and refuses one in an encoding that is not decoded.
func openXML(s *source, t *tally, voc xmlVocabulary) (xmlDocument, bool) {
	if s.declared != "" {
		t.refuse(NoteEncoding, "encoding "+s.declared+" is not decoded here: write the file in UTF-8", 1)
		return xmlDocument{}, false
	}
	if s.override != "" {
		t.note(NoteEncoding, "declared "+s.override+", which it is not", 1)
	}
	return xmlDocument{t: t, x: newXMLScanner(s, voc, t.lim.MaxName)}, true
}

// read reads the whole document and concludes.
func (d *xmlDocument) read(e xmlEvents) {
	d.run(e)
	if d.x.badChars > 0 {
		d.t.note(NoteBadCharacters, strconv.Itoa(d.x.badChars)+" replaced", 0)
	}
	if d.x.overName {
		d.t.doubt = true
		d.t.note(NoteOverLimit, "an attribute longer than "+strconv.Itoa(d.x.maxName)+" bytes", 0)
	}
	e.finish()
	if d.fewer && d.t.res.Conclusion != Invalid {
		d.t.note(NoteCountsFewer, "", 0)
	}
	d.t.conclude()
}

func (d *xmlDocument) run(e xmlEvents) {
	x, deep := d.x, false
	for {
		switch x.next() {
		case xmlStart:
			if !deep && x.depth > d.t.lim.MaxDepth {
				deep = true
				d.t.doubt = true
				d.t.note(NoteTooDeep, "", x.src.line())
			}
			if x.depth == 1 && x.voc.roots&(1<<x.kind) == 0 {
				d.t.refuse(NoteNotResults, "the root element is <"+string(x.names)+">", x.src.line())
				return
			}
			if x.kind == xmlVariant || x.set&(1<<xmlVariant) != 0 {
				d.t.doubt = true
				d.t.note(NoteNameCase, "in <"+string(x.names[x.open[len(x.open)-1].nameAt:])+">", x.src.line())
			}
			if !e.start() {
				return
			}
		case xmlEnd:
			e.end()
		case xmlDone:
			return
		case xmlBroken:
			why := x.refusal
			d.t.refuse(why.code, why.detail, why.line)
			return
		}
	}
}

// parent is the kind of the element around the one just started, 0 around the root.
func (d *xmlDocument) parent() uint8 {
	if n := len(d.x.open); n > 1 {
		return d.x.open[n-2].kind
	}
	return 0
}

// suiteFailed says that a suite or the run ended with a word that its records do not explain.
func (d *xmlDocument) suiteFailed(word []byte, line int) {
	d.t.res.ProcessFailure = true
	d.t.note(NoteSuiteError, "a suite ended with "+strconv.Quote(string(cutAt(word, maxDetail))), line)
}

// unknownStatus notes a word that nobody here knows.
func (d *xmlDocument) unknownStatus(word []byte) {
	d.t.doubt = true
	d.t.note(NoteUnknownStatus, strconv.Quote(string(cutAt(word, maxDetail))), d.x.src.line())
}

// declaredFailure says that counts claim a failure where no record shows one.
func (d *xmlDocument) declaredFailure(line int) {
	d.t.res.ProcessFailure = true
	d.t.note(NoteDeclaredFailure, "", line)
}

// disagree notes that attributes claim more than there are records of, unless that is none.
func (d *xmlDocument) disagree(n int, what string, line int) {
	if n > 0 {
		d.t.doubt = true
		d.t.note(NoteCountsDisagree, strconv.Itoa(n)+" "+what+" declared and not recorded", line)
	}
}

// claim reads a count attribute by which a suite claims tests, failures or errors: -1 if it claims nothing. One that is
// no count is not taken for an absent one: what it claims cannot be held against the records, unless it is a zero.
func (d *xmlDocument) claim(id uint8) int {
	b := bytes.TrimSpace(d.x.attr(id))
	n := number(b)
	if n >= 0 || len(b) == 0 {
		return n
	}
	if bytes.ContainsRune(b, '0') && len(bytes.Trim(b, "+-0.")) == 0 {
		return 0
	}
	d.t.doubt = true
	d.t.note(NoteCountsDisagree, "a count that is none: "+strconv.Quote(string(cutAt(b, maxDetail))), d.x.src.line())
	return -1
}

// number reads a count attribute: -1 if it is absent, blank or none.
func number(b []byte) int {
	if len(b) == 0 {
		return -1 // as nearly always, and the parser makes an error of it
	}
	n, err := strconv.ParseUint(string(bytes.TrimSpace(cutAt(b, maxDetail))), 10, 31)
	if err != nil || n > math.MaxInt32 {
		return -1
	}
	return int(n)
}

// isVariant reports whether a name differs in case only from one that decides: readers disagree about such a name.
func isVariant(name []byte, known ...string) bool {
	if bytes.IndexFunc(name, func(c rune) bool { return c < 'a' || c > 'z' }) < 0 {
		return false // most names, and quickly
	}
	return foldsTo(name, known...)
}

// foldsTo reports whether a name is one of those that are known but for the case of its letters.
func foldsTo(name []byte, known ...string) bool {
	for _, k := range known {
		if len(k) == len(name) && bytes.EqualFold(name, []byte(k)) {
			return true
		}
	}
	return false
}

// xmlRoot returns the local name of the root element that begins in head, and the rest of its start tag as far as
// head has it, or nothing.
func xmlRoot(head []byte) (name, tag []byte) {
	for {
		head = bytes.TrimLeft(head, " \t\r\n")
		var end string
		switch {
		case bytes.HasPrefix(head, []byte("<?")):
			end = "?>"
		case bytes.HasPrefix(head, []byte("<!--")):
			end = "-->"
		case bytes.HasPrefix(head, []byte("<!DOCTYPE")):
			end = ">"
			if i := bytes.IndexAny(head, "[>"); i >= 0 && head[i] == '[' {
				end = "]>" // looked past only to name the format: the document is refused for it
			}
		case bytes.HasPrefix(head, []byte("<")):
			n := 1
			for n < len(head) && (nameBytes[head[n]] != notInName || head[n] == ':' || head[n] >= 0x80) {
				n++
			}
			name := head[1:n]
			if n == len(head) {
				return nil, nil
			}
			tag, _, _ = bytes.Cut(head[n:], []byte(">"))
			return name[bytes.IndexByte(name, ':')+1:], tag
		default:
			return nil, nil
		}
		i := bytes.Index(head, []byte(end))
		if i < 0 {
			return nil, nil
		}
		head = head[i+len(end):]
	}
}
