package testresult

import (
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// The bounds of one JSON document.
const (
	// maxOpenMembers is how many member names of all open objects are known at once, to find one that is there
	// twice: eight bytes each. Coverage maps have the largest objects, with a member a file or statement.
	maxOpenMembers = 1 << 17
	// fewMembers is up to how many members of one object are compared one by one.
	fewMembers = 24
	// maxCount is the highest number that is read as a count: far above the limit of records.
	maxCount = 1 << 40
)

// jsonFrame is an open object or array.
type jsonFrame struct {
	closer byte
	begun  bool
	names  int // where its members' hashes begin
	many   map[uint64]struct{}
}

// jsonDoc reads one JSON document (RFC 8259) from the window, value by value. It is strict: every value is
// checked, those too that nobody reads; a member that is there twice is refused, since readers disagree about
// it. Once it has stopped, every call reads nothing and ends every loop.
type jsonDoc struct {
	s       *source
	t       *tally
	frames  []jsonFrame
	hashes  []uint64 // of the members of open objects
	members int      // in hashes and in maps
	stopped bool     // refused, cut off, or over a limit
	key     []byte   // the name of the member whose value is next; valid until that is read
	scratch []byte
	odd     int  // characters that were replaced
	cut     bool // the last text was longer than its limit
}

// readJSON reads the one document that a source holds: read is called with the outermost object open.
func readJSON(s *source, t *tally, read func(j *jsonDoc), finish func()) {
	j := &jsonDoc{s: s, t: t}
	switch {
	case j.peek() == '{':
		j.push('}')
		read(j)
	case !j.stopped:
		j.refuse(NoteNotResults, "the document is no object")
	}
	j.end()
	if j.odd > 0 {
		t.note(NoteBadCharacters, strconv.Itoa(j.odd)+" replaced", 0)
	}
	if t.res.Conclusion != Invalid {
		finish()
	}
	t.conclude()
}

// end refuses anything behind the document.
func (j *jsonDoc) end() {
	s := j.s
	for !j.stopped {
		for s.pos < s.end {
			if !isXMLSpace(s.buf[s.pos]) {
				j.refuse(NoteTrailing, "content behind the document")
				return
			}
			s.pos++
		}
		if !s.fill() {
			return
		}
	}
}

func (j *jsonDoc) refuse(code, detail string) {
	if !j.stopped {
		j.t.refuse(code, detail, j.s.line())
	}
	j.stopped = true
}

func (j *jsonDoc) unclosed() { j.refuse(NoteUnclosed, "the document ends inside a value") }

// doubt notes what keeps a file from passing.
func (j *jsonDoc) doubt(code, detail string) {
	j.t.doubt = true
	j.t.note(code, detail, j.s.line())
}

// over notes a limit behind which nothing is read.
func (j *jsonDoc) over(code, detail string) {
	if !j.stopped {
		j.doubt(code, detail)
	}
	j.stopped = true
}

// peek skips white space and returns the first byte behind it, or 0 when there is nothing or reading stopped.
func (j *jsonDoc) peek() byte {
	if j.stopped {
		return 0
	}
	s := j.s
	for {
		for s.pos < s.end {
			if c := s.buf[s.pos]; !isXMLSpace(c) {
				return c
			}
			s.pos++
		}
		if !s.fill() {
			j.unclosed()
			return 0
		}
	}
}

// push opens the object or array whose bracket is next.
func (j *jsonDoc) push(closer byte) {
	if len(j.frames) >= j.t.lim.MaxDepth {
		j.over(NoteTooDeep, "deeper than "+strconv.Itoa(j.t.lim.MaxDepth)+" values")
		return
	}
	j.s.pos++
	j.frames = append(j.frames, jsonFrame{closer: closer, names: len(j.hashes)})
}

func (j *jsonDoc) pop() {
	f := &j.frames[len(j.frames)-1]
	j.s.pos++
	j.members -= len(j.hashes) - f.names + len(f.many)
	j.hashes = j.hashes[:f.names]
	j.frames = j.frames[:len(j.frames)-1]
}

// more goes to the next entry of the innermost open value, or closes it and returns false.
func (j *jsonDoc) more() bool {
	c := j.peek()
	if j.stopped {
		return false
	}
	f := &j.frames[len(j.frames)-1]
	if c == f.closer {
		j.pop()
		return false
	}
	if f.begun {
		if c != ',' {
			j.refuse(NoteMalformed, "no comma between two values")
			return false
		}
		j.s.pos++
		c = j.peek()
	}
	f.begun = true
	if c == f.closer && !j.stopped {
		j.refuse(NoteMalformed, "a comma and nothing behind it")
	}
	return !j.stopped
}

// element goes to the next element of the innermost array, or closes it and returns false.
func (j *jsonDoc) element() bool { return j.more() }

// member goes to the value of the next member of the innermost object and sets key, or closes the object and
// returns false.
func (j *jsonDoc) member() bool {
	if !j.more() {
		return false
	}
	if j.s.buf[j.s.pos] != '"' {
		j.refuse(NoteMalformed, "a member without a name in quotes")
		return false
	}
	if !j.name() || !j.once() {
		return false
	}
	if s := j.s; s.pos < s.end && s.buf[s.pos] == ':' {
		s.pos++
		return true
	}
	// White space before the colon may move the window: the name has to be kept.
	j.scratch = append(j.scratch[:0], j.key...)
	j.key = j.scratch
	if j.peek() != ':' {
		j.refuse(NoteMalformed, "no colon behind a name")
		return false
	}
	j.s.pos++
	return true
}

// name reads the name of a member into key. One without escapes stays in the window.
func (j *jsonDoc) name() bool {
	s := j.s
	from := s.pos + 1
	if i := plainString(s.buf[:s.end], from); i+1 < s.end && s.buf[i] == '"' && i-from <= j.t.lim.MaxName {
		j.key = s.buf[from:i]
		s.pos = i + 1
		return true
	}
	j.scratch = j.text(j.scratch[:0], j.t.lim.MaxName)
	j.key = j.scratch
	if j.cut && !j.stopped {
		j.over(NoteOverLimit, "the name of a member is longer than "+strconv.Itoa(j.t.lim.MaxName)+" bytes")
	}
	return !j.stopped
}

// once refuses a name that the innermost object has already. Names are told apart by 64 bits of a hash: who
// makes two of them meet has the own document refused.
func (j *jsonDoc) once() bool {
	f := &j.frames[len(j.frames)-1]
	h := hashName(j.key)
	twice := false
	if f.many != nil {
		_, twice = f.many[h]
		f.many[h] = struct{}{}
	} else {
		for _, o := range j.hashes[f.names:] {
			twice = twice || o == h
		}
		j.hashes = append(j.hashes, h)
		if len(j.hashes)-f.names > fewMembers {
			f.many = make(map[uint64]struct{}, 2*fewMembers)
			for _, o := range j.hashes[f.names:] {
				f.many[o] = struct{}{}
			}
			j.hashes = j.hashes[:f.names]
		}
	}
	if twice {
		j.refuse(NoteDuplicate, "\""+string(cutAt(j.key, maxDetail))+"\"")
		return false
	}
	if j.members++; j.members > maxOpenMembers {
		j.over(NoteOverLimit, "objects with more than "+strconv.Itoa(maxOpenMembers)+" members")
		return false
	}
	return true
}

// hashName mixes eight bytes at a time by the halves of a product.
func hashName(b []byte) uint64 {
	const a, c = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93 // odd, of no pattern
	h := uint64(len(b)) ^ a
	for len(b) > 0 {
		var v uint64
		n := min(len(b), 8)
		for i := range n {
			v |= uint64(b[i]) << (8 * i)
		}
		hi, lo := bits.Mul64(h^v, c)
		h = bits.RotateLeft64(hi^lo, 23) + a
		b = b[n:]
	}
	return h
}

// text reads a string; its opening quote is next. Of its characters it appends as many to dst as make it no longer
// than limit; cut says whether there were more.
func (j *jsonDoc) text(dst []byte, limit int) []byte {
	s := j.s
	s.pos++
	j.cut = false
	for {
		i := plainString(s.buf[:s.end], s.pos)
		dst = j.keep(dst, s.buf[s.pos:i], limit)
		s.pos = i
		if i == s.end {
			if !s.fill() {
				j.unclosed()
				return dst
			}
			continue
		}
		switch c := s.buf[i]; {
		case c == '"':
			s.pos++
			return dst
		case c == '\\':
			var r [utf8.UTFMax]byte
			n := j.escape(&r)
			dst = j.keep(dst, r[:n], limit)
		case c < ' ':
			j.refuse(NoteMalformed, "a control character inside a string")
		default:
			n := j.wide()
			dst = j.keep(dst, s.buf[s.pos:s.pos+n], limit)
			s.pos += n
		}
		if j.stopped {
			return dst
		}
	}
}

func (j *jsonDoc) keep(dst, piece []byte, limit int) []byte {
	room := limit - len(dst)
	if len(piece) <= room && !j.cut {
		return append(dst, piece...)
	}
	if j.cut || len(piece) == 0 {
		return dst
	}
	j.cut = true
	return append(dst, cutAt(piece, max(room, 0))...)
}
