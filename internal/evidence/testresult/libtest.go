package testresult

import (
	"bytes"
	"strconv"
)

// libtestReader reads the event stream of Rust's test harness, one JSON object a line. Its suites follow one
// another; those of cargo-nextest may overlap, and then each event says which one it is of.
type libtestReader struct {
	in     lineScanner
	t      *tally
	ev     libtestEvent
	suites map[string]*libtestSuite

	events  int
	foreign int
	held    int // bytes of names of what is open
	open    int // tests
	full    bool
	fewer   bool
	exit    string // a line of cargo's says that a run failed, and nothing more
	exitAt  int
	name    []byte // scratch
	text    []byte
	c       Case
}

// libtestSuite is a suite that has begun and not ended.
type libtestSuite struct {
	key     string
	opens   int // beginnings without an end
	claims  libtestCounts
	counts  libtestCounts
	failing bool // an end says that it failed
	tests   map[string]struct{}
}

// libtestCounts are numbers of tests, as declared or as recorded.
type libtestCounts struct{ tests, passed, failed, measured, allowed int }

// readLibtest reads the output of cargo test -- --format json, or of cargo nextest run --message-format libtest-json.
func readLibtest(s *source, t *tally) {
	r := &libtestReader{t: t, in: lineScanner{s: s}, suites: map[string]*libtestSuite{}}
	for r.in.next() {
		r.line()
	}
	r.finish()
	t.conclude()
}

func (r *libtestReader) line() {
	line := bytes.TrimLeft(r.in.line, " \t")
	if len(line) == 0 {
		return
	}
	if line[0] != '{' {
		r.other(line, scanBad)
		return
	}
	st := r.ev.scan(line)
	if r.in.cut {
		r.long(st)
		return
	}
	if st == scanGood && r.ev.isLibtest() {
		r.apply()
		return
	}
	if st == scanGood && r.ev.word(ltType) == "report" {
		r.events++ // how long merged doctests took to compile
		return
	}
	r.other(line, st)
}

// long takes an event that is longer than the window: what a test printed may be. Its name and event come before that.
func (r *libtestReader) long(st scanState) {
	r.doubt(NoteOverLimit, "a line longer than "+strconv.Itoa(windowBytes)+" bytes")
	if st == scanMore && r.ev.isLibtest() {
		r.apply()
	}
}

func (r *libtestReader) doubt(code, detail string) {
	r.t.doubt = true
	r.t.note(code, detail, r.in.s.line())
}

// other takes a line that is no event. One that looks like an event may hide one: what a test prints may end up before
// an event on its line.
func (r *libtestReader) other(line []byte, st scanState) {
	if st == scanMore && r.in.last {
		r.doubt(NoteCut, "the last event has no end")
		return
	}
	if r.hides(line, st) {
		r.doubt(NoteMalformedLine, "")
		return
	}
	r.foreign++
	if otherDocument(line, "libtest") {
		r.t.otherDocument(line, r.in.s.line())
		return
	}
	text := cutAt(line, maxPlain)
	switch readToolExit(text) {
	case plainNoise, plainBuildFailed:
	case plainExit:
		r.failed(text)
	case plainFailed:
		r.t.runFailedAt(NotePlainFailure, string(bytes.ToValidUTF8(text, nil)), r.in.s.line())
	}
	switch {
	case bytes.HasPrefix(text, []byte("error: could not compile ")):
		r.t.res.ProcessFailure = true
		r.t.note(NoteBuildFailed, string(text), r.in.s.line())
	case bytes.HasPrefix(text, []byte("error: test failed")), bytes.HasPrefix(text, []byte("error: doctest failed")),
		bytes.HasPrefix(text, []byte("error: bench failed")), bytes.HasPrefix(text, []byte("error: test run failed")):
		r.failed(text)
	}
}

// failed keeps a line by which a run failed, which tests that failed explain.
func (r *libtestReader) failed(text []byte) {
	if r.exit == "" {
		r.exit, r.exitAt = string(bytes.ToValidUTF8(text, nil)), r.in.s.line()
	}
}

// hides reports whether a line that is no event looks like one, or like something with one in it.
func (r *libtestReader) hides(line []byte, st scanState) bool {
	if st == scanGood {
		switch r.ev.word(ltType) {
		case "suite", "test", "bench":
			return true
		}
		return false
	}
	return bytes.Contains(line, []byte(`"type"`)) &&
		(line[0] == '{' || bytes.Contains(line, []byte(`"event"`)) || bytes.Contains(line, []byte(`"name"`)))
}

// apply takes an event.
func (r *libtestReader) apply() {
	r.events++
	event := r.ev.word(ltEvent)
	switch r.ev.word(ltType) {
	case "suite":
		r.suiteEvent(event)
	case "bench":
		r.ended(Passed, true)
	case "test":
		switch event {
		case "started":
			r.started()
		case "ok":
			r.ended(Passed, false)
		case "failed":
			r.ended(Failed, false)
		case "ignored":
			r.ended(Skipped, false)
		case "allowed_failure": // before 1.60
			r.ended(Todo, false)
		case "timeout", "discovered": // it still runs, or is only listed
		default:
			r.doubt(NoteUnknownAction, "\""+event+"\"")
		}
	}
}

func (r *libtestReader) suiteEvent(event string) {
	key := ""
	if r.ev.has(ltCrate) || r.ev.has(ltBinary) {
		key = string(appendUnescaped(nil, r.ev.text[ltCrate].raw)) + "::" + string(appendUnescaped(nil, r.ev.text[ltBinary].raw))
	}
	s := r.suites[key]
	switch event {
	case "started":
		if s != nil && (key == "" || s.opens == 0) {
			r.lost(s)
			s = nil
		}
		if s == nil {
			s = r.begin(key)
		}
		s.opens++
		s.claims.tests += r.ev.count(ltTestCount)
	case "ok", "failed":
		if s == nil {
			s = r.begin(key)
		}
		if s.opens == 0 {
			r.doubt(NoteNoTerminalEvent, "a suite that ends and has not begun")
		}
		s.claims.passed += r.ev.count(ltPassed)
		s.claims.failed += r.ev.count(ltFailed)
		s.claims.allowed += r.ev.count(ltAllowed)
		s.claims.measured += r.ev.count(ltMeasured)
		s.failing = s.failing || event == "failed"
		if s.opens--; s.opens <= 0 {
			r.end(s)
		}
	case "discovery", "completed": // a list of tests, none of which runs
	default:
		r.doubt(NoteUnknownAction, "\""+event+"\"")
	}
}

// count is a declared number, 0 if there is none.
func (e *libtestEvent) count(id uint8) int {
	if !e.has(id) {
		return 0
	}
	return e.num[id]
}

func (r *libtestReader) begin(key string) *libtestSuite {
	s := &libtestSuite{key: key, tests: map[string]struct{}{}}
	if len(r.suites) >= maxOpenTests || r.held > maxOpenNames {
		r.overLimit()
		return s // it is followed until it is forgotten, which is at once
	}
	r.suites[key] = s
	r.held += len(key)
	return s
}

func (r *libtestReader) overLimit() {
	if !r.full {
		r.full = true
		r.doubt(NoteOverLimit, "more suites and tests open at once than the limit")
	}
}

// testName reads the name of the test that the event is of. cargo-nextest marks runs of a stress test and retries.
func (r *libtestReader) testName() {
	v := r.ev.text[ltName]
	r.name = append(r.name[:0], v.raw...)
	if v.escaped {
		r.name = appendUnescaped(r.name[:0], v.raw)
	}
	for i := firstControl(r.name); i < len(r.name); i++ {
		if r.name[i] < ' ' || r.name[i] == 0x7F {
			r.name[i] = ' '
		}
	}
	if len(r.name) > r.t.lim.MaxName {
		r.doubt(NoteOverLimit, "a name longer than "+strconv.Itoa(r.t.lim.MaxName)+" bytes")
		r.name = cutAt(r.name, r.t.lim.MaxName)
	}
}

// suiteOf returns the suite that the event's test is of, nil if none is open.
func (r *libtestReader) suiteOf() *libtestSuite {
	if i := bytes.IndexByte(r.name, '$'); i > 0 {
		key := r.name[:i]
		if at := bytes.Index(key, []byte("@stress-")); at > 0 {
			key = key[:at]
		}
		if s := r.suites[string(key)]; s != nil {
			return s
		}
	}
	return r.suites[""]
}

func (r *libtestReader) started() {
	r.testName()
	s := r.suiteOf()
	if s == nil {
		r.doubt(NoteNoTerminalEvent, "a test outside of every suite")
		s = r.begin("")
	}
	if _, ok := s.tests[string(r.name)]; ok {
		r.doubt(NoteRepeated, string(r.name))
		return
	}
	if r.open >= maxOpenTests || r.held > maxOpenNames {
		r.overLimit()
		return
	}
	s.tests[string(r.name)] = struct{}{}
	r.open++
	r.held += len(r.name)
}

// ended records how a test ended. A benchmark's end has a form of its own.
func (r *libtestReader) ended(st Status, bench bool) {
	r.testName()
	s := r.suiteOf()
	if s == nil {
		r.doubt(NoteNoTerminalEvent, "a test outside of every suite")
		s = r.begin("")
	}
	if _, ok := s.tests[string(r.name)]; !ok {
		if base, n := retried(r.name); n > 1 && s.has(base) {
			r.name = base
			if st == Passed {
				st = Flaky
			}
		} else if !r.full {
			r.doubt(NoteRepeated, string(r.name))
		}
	}
	if s.has(r.name) {
		delete(s.tests, string(r.name))
		r.open--
		r.held -= len(r.name)
	}
	s.counts.tests++
	switch {
	case bench:
		s.counts.measured++
	case st == Passed || st == Flaky:
		s.counts.passed++
	case st == Todo:
		s.counts.allowed++
		s.counts.failed++ // as the harness counts
	case st == Failed:
		s.counts.failed++
	}
	r.record(st)
}

func (s *libtestSuite) has(name []byte) bool {
	_, ok := s.tests[string(name)]
	return ok
}

// retried splits the number of the try from a name, as cargo-nextest writes it for a test that was tried again.
func retried(name []byte) (base []byte, n int) {
	i := bytes.LastIndexByte(name, '#')
	if i < 0 {
		return name, 0
	}
	return name[:i], number(name[i+1:])
}
