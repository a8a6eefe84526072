package testresult

import "bytes"

// ctrfReader reads the Common Test Report Format: one object with results, which holds a summary and the tests.
type ctrfReader struct {
	j       *jsonDoc
	t       *tally
	tests   bool // there are lists of tests and of totals
	summary bool
	total   declaredCount
	passed  declaredCount
	failed  declaredCount
	skipped declaredCount
	pending declaredCount
	other   declaredCount
	shown   struct{ skipped, pending int }
	test    ctrfTest
	names   jsonName
	one     []byte
}

// ctrfTest is a test as its members come.
type ctrfTest struct {
	record    jsonRecord
	word, raw []byte // status and rawStatus
	flaky     bool
	retries   bool
	suite     jsonName
	said      bool // status is a string
}

func readCTRF(s *source, t *tally) {
	r := &ctrfReader{
		t: t, total: undeclared, passed: undeclared, failed: undeclared, skipped: undeclared, pending: undeclared, other: undeclared,
	}
	readJSON(s, t, r.root, r.finish)
}

func (r *ctrfReader) root(j *jsonDoc) {
	r.j = j
	for j.member() {
		switch string(j.key) {
		case "results":
			r.results()
		default:
			j.unknown("results")
		}
	}
}

func (r *ctrfReader) results() {
	j := r.j
	if !j.into('{', "results") {
		return
	}
	for j.member() {
		switch string(j.key) {
		case "summary":
			r.totals()
		case "tests":
			if j.into('[', "results.tests") {
				r.tests = true
				for j.element() {
					r.readTest()
				}
			}
		case "environment":
			j.properties("results.environment")
		default:
			j.unknown("summary", "tests")
		}
	}
}

func (r *ctrfReader) totals() {
	j := r.j
	if !j.into('{', "results.summary") {
		return
	}
	r.summary = true
	for j.member() {
		switch string(j.key) {
		case "tests":
			r.total = j.count()
		case "passed":
			r.passed = j.count()
		case "failed":
			r.failed = j.count()
		case "skipped":
			r.skipped = j.count()
		case "pending":
			r.pending = j.count()
		case "other":
			r.other = j.count()
		default:
			j.unknown("tests", "passed", "failed", "skipped", "pending", "other")
		}
	}
}

func (r *ctrfReader) readTest() {
	j, c := r.j, &r.test
	c.record = jsonRecord{name: c.record.name[:0], file: c.record.file[:0], message: c.record.message[:0]}
	c.word, c.raw, c.flaky, c.retries, c.said = c.word[:0], c.raw[:0], false, false, false
	c.suite.reset()
	if !j.into('{', "a test") {
		if !j.stopped {
			r.end() // whatever it is, it stands for no pass
		}
		return
	}
	for j.member() {
		r.member()
	}
	if !j.stopped {
		r.end()
	}
}

func (r *ctrfReader) member() {
	j, c := r.j, &r.test
	switch string(j.key) {
	case "name":
		c.record.name = j.label(c.record.name, "the name of a test")
	case "status":
		c.word, c.said = j.word(c.word, maxStatus)
	case "rawStatus":
		c.raw, _ = j.word(c.raw, maxStatus)
	case "suite":
		r.readSuite()
	case "filePath":
		c.record.file = j.label(c.record.file, "the path of a test")
	case "line":
		c.record.line = max(int(j.count()), 0)
	case "message":
		c.record.message, _ = j.word(c.record.message, 4*maxMessage)
	case "flaky":
		c.flaky = j.truth()
	case "retries":
		c.retries = j.truth()
	default:
		j.unknown("name", "status", "flaky", "retries")
	}
}

// readSuite reads the suite of a test: its path in one string, or one string a level.
func (r *ctrfReader) readSuite() {
	j, c := r.j, &r.test
	if j.peek() != '[' {
		r.one = j.label(r.one, "the suite of a test")
		c.suite.add(r.one)
		return
	}
	if j.into('[', "the suite of a test") {
		for j.element() {
			r.one = j.label(r.one, "the suite of a test")
			c.suite.add(r.one)
		}
	}
}

// maxStatus bounds a status word, in bytes; no known one is as long.
const maxStatus = 64

// end counts the test. A pass after a failed try is flaky, whichever of the two members says so.
func (r *ctrfReader) end() {
	c := &r.test
	switch string(c.word) {
	case "passed":
		c.record.status = Passed
		if c.flaky || c.retries {
			c.record.status = Flaky
		}
	case "failed":
		c.record.status = Failed
	case "skipped":
		c.record.status = Skipped
		r.shown.skipped++
	case "pending":
		c.record.status = Skipped
		r.shown.pending++
	default:
		if c.record.status = Other; string(c.word) == "other" && isCTRFAside(c.raw) {
			c.record.status = Aside
		} else {
			r.unclear()
		}
	}
	if st := attrStatus(c.raw); c.record.status != Failed && (st == Failed || st == Errored) && string(c.word) != "other" {
		r.j.doubt(NoteUnknownStatus, "\""+string(c.word)+"\", of "+string(c.raw))
	}
	r.names.reset()
	if len(c.suite.id) > 0 {
		r.names.mark(c.record.file)
		r.names.id = append(r.names.id, c.suite.id...)
		r.names.key = append(r.names.key, c.suite.key...)
	} else {
		r.names.add(c.record.file)
	}
	r.names.add(c.record.name)
	r.t.emit(&c.record, &r.names)
}

// isCTRFAside reports whether the runner's own word for a test that is in no bucket says that it was not to run, or
// to fail.
func isCTRFAside(raw []byte) bool {
	switch string(raw) {
	case "todo", "pending", "skipped", "disabled", "focused", "xfail", "xfailed":
		return true
	}
	return false
}

// unclear says what a status is that stands for no pass.
func (r *ctrfReader) unclear() {
	c := &r.test
	word := bytes.Clone(c.word)
	if !c.said {
		word = []byte("no word")
	}
	if len(c.raw) > 0 {
		word = append(append(word, ", of "...), c.raw...)
	}
	r.t.note(NoteUnknownStatus, string(word), r.j.s.line())
}

func (r *ctrfReader) finish() {
	if !r.tests || !r.summary || max(r.total, r.passed, r.failed, r.skipped, r.pending, r.other) == undeclared {
		r.t.doubt = true
		r.t.note(NoteMissingMember, "results.summary, a total in it, or results.tests", 0)
	}
	n := r.t.res.Counts
	r.t.settle(
		claim{"tests", r.total, n.Tests, false}, claim{"failed tests", r.failed, n.Failed, true}, claim{"passed tests", r.passed, n.Passed, false},
		claim{"skipped tests", r.skipped, r.shown.skipped, false}, claim{"pending tests", r.pending, r.shown.pending, false}, claim{"other tests", r.other, n.Other, false},
	)
}
