package testresult

import (
	"bytes"
	"strconv"
)

// maxHeldBytes bounds the records of one test file that wait for its name, which some writers put last.
const maxHeldBytes = 8 << 20

// nameSeparator joins the parts of a text form whose runner has none of its own.
const nameSeparator = " > "

// jsonName is a test's identity as it is put together: the text form and the key.
type jsonName struct{ id, key []byte }

func (n *jsonName) reset() { n.id, n.key = n.id[:0], n.key[:0] }

// add appends a part to both. An empty one is none.
func (n *jsonName) add(part []byte) {
	if len(part) == 0 {
		return
	}
	if len(n.id) > 0 {
		n.id = append(n.id, nameSeparator...)
	}
	n.id = append(n.id, part...)
	n.mark(part)
}

// mark appends a part to the key only.
func (n *jsonName) mark(part []byte) {
	n.key = append(n.key, keySeparator...)
	n.key = append(n.key, part...)
}

// jsonRecord is a record before it is handed on.
type jsonRecord struct {
	status              Status
	name, file, message []byte
	line                int
}

// emit counts a record and hands it on under its name.
func (t *tally) emit(r *jsonRecord, n *jsonName) {
	if t.visit == nil {
		t.record(r.status, nil)
		return
	}
	c := Case{
		ID: string(n.id), Key: string(bytes.TrimPrefix(n.key, []byte(keySeparator))), Name: string(r.name),
		Status: r.status, File: string(r.file), Line: r.line,
	}
	switch r.status {
	case Failed, Errored, Unfinished, Other, NoStatus:
		c.Message = string(firstLine(r.message))
	case Passed, Flaky, Skipped, Todo, Aside:
	}
	t.record(r.status, &c)
}

// heldRecord is a record that waits for the name of its file, its texts in the arena.
type heldRecord struct {
	status                     Status
	line                       int
	id, key, name, messageSize int
}

// heldRecords are the records of one test file whose name may come behind them.
type heldRecords struct {
	list  []heldRecord
	arena []byte
	size  int
	full  bool
}

func (h *heldRecords) reset() {
	h.list, h.arena, h.size, h.full = h.list[:0], h.arena[:0], 0, false
}

// add holds a record, or reports that there is no room. One that nobody visits only takes its room.
func (h *heldRecords) add(r *jsonRecord, n *jsonName, visited bool) bool {
	message := firstLine(r.message)
	size := heldOverhead + len(n.id) + len(n.key) + len(r.name) + len(message)
	if h.full || h.size+size > maxHeldBytes {
		h.full = true
		return false
	}
	h.size += size
	if !visited {
		return true
	}
	h.list = append(h.list, heldRecord{status: r.status, line: r.line, id: len(n.id), key: len(n.key), name: len(r.name), messageSize: len(message)})
	h.arena = append(h.arena, n.id...)
	h.arena = append(h.arena, n.key...)
	h.arena = append(h.arena, r.name...)
	h.arena = append(h.arena, message...)
	return true
}

// heldOverhead is about what a held record takes besides its texts, in bytes.
const heldOverhead = 48

// release hands all held records on, under the name of their file.
func (h *heldRecords) release(t *tally, file []byte) {
	rest := h.arena
	take := func(n int) []byte {
		b := rest[:n]
		rest = rest[n:]
		return b
	}
	var n jsonName
	for i := range h.list {
		held := &h.list[i]
		n.reset()
		n.add(file)
		if id := take(held.id); len(id) > 0 {
			if len(n.id) > 0 {
				n.id = append(n.id, nameSeparator...)
			}
			n.id = append(n.id, id...)
		}
		n.key = append(n.key, take(held.key)...)
		r := jsonRecord{status: held.status, line: held.line, file: file, name: take(held.name), message: take(held.messageSize)}
		t.emit(&r, &n)
	}
	h.reset()
}

// claim is a count that a document declares, beside what its records show.
type claim struct {
	what     string
	declared declaredCount
	shown    int
	failure  bool // of tests that failed
}

// settle compares what a document declares with what its records show. One that declares failures and shows none
// failed all the same.
func (t *tally) settle(claims ...claim) {
	fewer := false
	for _, c := range claims {
		switch {
		case c.declared == undeclared:
		case c.declared == unreadable:
			t.doubt = true
			t.note(NoteCountsDisagree, "the number of "+c.what+" cannot be read", 0)
		case int(c.declared) > c.shown:
			t.doubt = true
			t.note(NoteCountsDisagree, strconv.Itoa(int(c.declared))+" "+c.what+" declared, "+strconv.Itoa(c.shown)+" recorded", 0)
			if c.failure && !t.failed {
				t.runFailed(NoteDeclaredFailure, strconv.Itoa(int(c.declared))+" "+c.what)
			}
		default:
			fewer = fewer || int(c.declared) < c.shown
		}
	}
	if fewer {
		t.note(NoteCountsFewer, "", 0)
	}
}

// runFailed notes that the run failed beyond its records.
func (t *tally) runFailed(code, detail string) { t.runFailedAt(code, detail, 0) }

func (t *tally) runFailedAt(code, detail string, line int) {
	t.res.ProcessFailure = true
	t.note(code, detail, line)
}

// strayError counts an error of no test: what went wrong before there was one.
func (t *tally) strayError(detail string) {
	t.res.Counts.Errors++
	t.res.Counts.Stray++
	t.failed = true
	t.runFailed(NoteSuiteError, detail)
}

// isMemberVariant reports whether name differs from one that decides in its case only: readers disagree about it.
func isMemberVariant(name []byte, known ...string) bool {
	for _, k := range known {
		if len(k) == len(name) && bytes.EqualFold(name, []byte(k)) {
			return true
		}
	}
	return false
}

// unknown skips the value of a member that is not read, unless its name is one that decides in another case.
func (j *jsonDoc) unknown(known ...string) {
	if isMemberVariant(j.key, known...) {
		j.doubt(NoteNameCase, "\""+string(cutAt(j.key, maxDetail))+"\"")
	}
	j.skip()
}

// properties keeps the strings of an object as properties of the document.
func (j *jsonDoc) properties(what string) {
	if !j.into('{', what) {
		return
	}
	var value []byte
	for j.member() {
		name := string(cutAt(j.key, maxPropertyKey+1))
		if j.peek() != '"' {
			j.skip()
			continue
		}
		value = j.text(value[:0], maxPropertyText+1)
		if !j.stopped {
			j.t.property([]byte(name), value)
		}
	}
}
