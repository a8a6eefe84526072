package testresult

import (
	"bytes"
	"slices"
	"strconv"
)

// record hands a record on.
func (r *libtestReader) record(st Status) {
	r.t.count(st)
	if !r.t.wanted(r.name, st) {
		return
	}
	name := string(r.name)
	r.c = Case{ID: name, Key: name, Name: name, Status: st}
	if i := bytes.LastIndexByte(r.name, '$'); i > 0 {
		r.c.Name = name[i+1:]
	}
	if st == Failed {
		r.c.Message = string(r.message())
	}
	r.t.visit(&r.c)
}

// message is what the harness says about a failure, or else the first line that the test printed that says more than
// where it panicked.
func (r *libtestReader) message() []byte {
	for _, id := range []uint8{ltMessage, ltReason, ltStdout} {
		if !r.ev.has(id) {
			continue
		}
		r.text = appendUnescaped(r.text[:0], cutEscaped(r.ev.text[id].raw, 4*maxMessage))
		line := firstLine(r.text)
		if bytes.HasPrefix(line, []byte("thread '")) {
			if _, after, ok := bytes.Cut(bytes.TrimLeft(r.text, " \t\r\n"), []byte("\n")); ok && len(firstLine(after)) > 0 {
				line = firstLine(after)
			}
		}
		if len(line) > 0 {
			return line
		}
	}
	return nil
}

// end ends a suite and compares what it claims with what it shows.
func (r *libtestReader) end(s *libtestSuite) {
	r.forget(s, false)
	claims, counts := s.claims, s.counts
	switch {
	case claims.tests > counts.tests:
		r.doubt(NoteCountsDisagree, strconv.Itoa(claims.tests)+" tests declared, "+strconv.Itoa(counts.tests)+" recorded")
	case claims.passed > counts.passed, claims.measured > counts.measured, claims.failed > counts.failed:
		r.doubt(NoteCountsDisagree, strconv.Itoa(claims.passed)+" passed, "+strconv.Itoa(claims.failed)+" failed and "+strconv.Itoa(claims.measured)+
			" measured declared, "+strconv.Itoa(counts.passed)+", "+strconv.Itoa(counts.failed)+" and "+strconv.Itoa(counts.measured)+" recorded")
	case claims.tests < counts.tests, claims.passed < counts.passed, claims.failed < counts.failed:
		r.fewer = true
	}
	if s.failing && claims.failed-claims.allowed > counts.failed-counts.allowed {
		r.doubt(NoteCountsDisagree, strconv.Itoa(claims.failed-claims.allowed)+" failed declared that may not, "+strconv.Itoa(counts.failed-counts.allowed)+" recorded")
	}
	if s.failing && counts.failed == counts.allowed {
		r.t.res.ProcessFailure = true
		r.t.note(NotePackageFailed, s.key, r.in.s.line())
	}
}

// lost gives up a suite that has no end: its process crashed, or the stream is cut off.
func (r *libtestReader) lost(s *libtestSuite) {
	r.doubt(NoteNoTerminalEvent, s.key)
	r.forget(s, true)
}

// forget records the tests of a suite that have not ended, and closes it.
func (r *libtestReader) forget(s *libtestSuite, lost bool) {
	names := make([]string, 0, len(s.tests))
	for name := range s.tests {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !lost {
			r.doubt(NoteUnfinished, name)
		}
		r.name = append(r.name[:0], name...)
		s.counts.tests++
		r.record(Unfinished)
		r.open--
		r.held -= len(name)
	}
	if r.suites[s.key] == s {
		delete(r.suites, s.key)
		r.held -= len(s.key)
	}
}

// finish concludes what the end of the stream decides.
func (r *libtestReader) finish() {
	keys := make([]string, 0, len(r.suites))
	for key := range r.suites {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		r.lost(r.suites[key])
	}
	if r.exit != "" && !r.t.failed && !r.t.res.ProcessFailure {
		r.t.res.ProcessFailure = true
		r.t.note(NotePlainFailure, r.exit, r.exitAt)
	}
	if r.fewer {
		r.t.note(NoteCountsFewer, "", 0)
	}
	if r.foreign > 0 {
		r.t.note(NoteForeignLines, lineCount(r.foreign), 0)
	}
	if r.events == 0 && !r.t.doubt && !r.t.res.ProcessFailure {
		if r.foreign > 0 {
			r.t.refuse(NoteNotResults, "no line is an event", 1)
			return
		}
		r.t.note(NoteEmptyFile, "", 0)
	}
}
