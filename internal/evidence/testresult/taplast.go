package testresult

import (
	"bytes"
	"strconv"
)

// tapLast is what stands in a stream beside its points and says how the run ended: a runner's last words in comments,
// the summary of prove, what npm or make print when a script failed.
type tapLast struct {
	failures  int64  // points of any level that failed without a directive
	broken    int64  // points that are not ok, which some runners count all as failures
	claimed   int64  // failures by the runner's own count, the highest of several
	cancelled int64  // likewise, of tests that a runner gave up
	exit      string // a line that says that the run failed, as it does if points did
	exitAt    int
	status    int64 // of a script by prove, where it is not 1
	beyond    bool  // a line says that the run failed for more than its points

	doc     []byte // what may be a JSON document, from its first line on
	docAt   int
	reading bool // it is being kept
}

func (l *tapLast) hear(p *tapPoint) {
	if !p.ok {
		l.broken++
	}
	if p.status == Failed {
		l.failures++
	}
}

// maxPerlStatus is the highest number of failures that a script of Perl's Test::More ends with.
const maxPerlStatus = 254

// lastWords takes a comment of the top level, and reports whether it is of the run. The runner's last words count its failures (node, tape, mocha, tap and
// Perl's Test::Builder write them, and the kernel's self-tests), or say that it ended early (Test::Builder).
func (r *tapReader) lastWords(text []byte) bool {
	l := &r.last
	for _, c := range []struct {
		start, end string
		into       *int64
	}{
		{"fail ", "", &l.claimed}, {"cancelled ", "", &l.cancelled}, {"failed ", " of ", &l.claimed},
		{"Looks like you failed ", " test", &l.claimed},
	} {
		rest, ok := bytes.CutPrefix(text, []byte(c.start))
		if !ok {
			continue
		}
		rest = trimBlanks(rest)
		n, digits := tapNumber(rest)
		after := bytes.TrimRight(rest[digits:], " \t\r")
		if digits > 0 && (c.end == "" && len(after) == 0 || c.end != "" && bytes.HasPrefix(after, []byte(c.end))) {
			*c.into = max(*c.into, n)
			return true
		}
	}
	if rest, ok := bytes.CutPrefix(text, []byte("Totals: ")); ok {
		failed := int64(0)
		for _, field := range bytes.Fields(rest) {
			name, number, _ := bytes.Cut(field, []byte(":"))
			switch n, _ := tapNumber(number); string(name) {
			case "fail", "error", "xpass":
				failed += n
			}
		}
		l.claimed = max(l.claimed, failed)
		return true
	}
	for _, start := range []string{
		"Looks like your test exited with ", "Looks like your test died ", "Looks like you planned ", "No tests run!",
		"Tests were run but no plan was declared",
	} {
		if bytes.HasPrefix(text, []byte(start)) {
			r.failsBeyond(text)
			return true
		}
	}
	return false
}

// failsBeyond notes a line by which the run failed for more than its points show.
func (r *tapReader) failsBeyond(line []byte) {
	if !r.last.beyond {
		r.last.beyond = true
		r.t.runFailedAt(NotePlainFailure, string(bytes.ToValidUTF8(cutAt(line, maxDetail), nil)), r.in.s.line())
	}
}

// failsPlainly keeps a line by which the run failed, which points that failed explain.
func (r *tapReader) failsPlainly(line []byte) {
	if l := &r.last; l.exit == "" {
		l.exit, l.exitAt = string(bytes.ToValidUTF8(cutAt(line, maxDetail), nil)), r.in.s.line()
	}
}

// plain hears a line that is nothing of TAP, given without its indentation.
func (r *tapReader) plain(line []byte) {
	line = bytes.TrimRight(line, " \t\r")
	if i := bytes.Index(line, []byte("Dubious, test returned ")); i >= 0 {
		if _, wait, ok := bytes.Cut(line[i:], []byte("(wstat ")); ok {
			status, digits := tapNumber(wait)
			if digits == 0 || status&0x7F != 0 { // a signal
				r.failsBeyond(line)
				return
			}
			r.status(line, status>>8)
			return
		}
	}
	if rest, ok := bytes.CutPrefix(line, []byte("Non-zero exit status: ")); ok {
		n, digits := tapNumber(rest)
		if digits < len(rest) {
			n = 0
		}
		r.status(line, n)
		return
	}
	switch {
	case string(line) == "Result: FAIL", string(line) == "FAIL", string(line) == "exit status 1":
		r.failsPlainly(line)
		return
	case bytes.HasPrefix(line, []byte("Non-zero wait status: ")), bytes.HasPrefix(line, []byte("Parse errors: ")), isExit(string(cutAt(line, maxPlain))):
		r.failsBeyond(line)
		return
	}
	switch readToolExit(line) {
	case plainNoise, plainBuildFailed:
	case plainExit:
		r.failsPlainly(line)
	case plainFailed:
		r.failsBeyond(line)
	}
}

// status hears the exit status of a script. Perl's Test::More ends with the number of tests that failed, others
// with 1. Two other ones cannot both be that number.
func (r *tapReader) status(line []byte, n int64) {
	l := &r.last
	switch {
	case n == 1:
	case n == 0, l.status > 0 && l.status != n:
		r.failsBeyond(line)
		return
	default:
		l.status = n
	}
	r.failsPlainly(line)
}

// ended compares the last words with the points.
func (r *tapReader) ended() {
	l := &r.last
	r.document(nil)
	switch claimed := l.claimed + l.cancelled; {
	case claimed > l.broken && l.broken == 0:
		r.doubt(NoteCountsDisagree, counted(claimed, "failure")+" declared, none recorded")
	case claimed > l.broken:
		r.doubt(NoteCountsDisagree, counted(claimed, "failure")+" declared, "+strconv.FormatInt(l.broken, 10)+" recorded")
	}
	if l.exit != "" && !l.beyond && (l.failures == 0 || l.status > 0 && l.status != min(l.failures, maxPerlStatus)) {
		r.t.runFailedAt(NotePlainFailure, l.exit, l.exitAt)
	}
}

// foreignDocument looks for a document of another format among the lines that are nothing of TAP. One of JSON may go on
// for many lines.
func (r *tapReader) foreignDocument(indent int, body []byte) {
	if indent > 0 {
		return
	}
	if otherDocument(body, "tap") {
		r.t.otherDocument(body, r.in.s.line())
		return
	}
	if body[0] != '{' {
		return
	}
	if e := (goEvent{b: body}); e.value() == scanGood {
		return // whole, and of no format
	}
	r.document(nil)
	l := &r.last
	l.reading, l.doc, l.docAt = true, l.doc[:0], r.in.s.line()
	r.document(body)
}

// document takes a line of what may be a JSON document, or its end, nil.
func (r *tapReader) document(line []byte) {
	l := &r.last
	if !l.reading {
		return
	}
	l.doc = append(append(l.doc, cutAt(line, headBytes)...), '\n')
	if line != nil && len(l.doc) < headBytes {
		return
	}
	l.reading = false
	if jsonFormat(l.doc) != "" {
		r.t.otherDocument(l.doc[:bytes.IndexByte(l.doc, '\n')], l.docAt)
	}
}
