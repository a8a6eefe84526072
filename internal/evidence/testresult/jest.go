package testresult

import "bytes"

// jestReader reads what jest --json writes, and Vitest's json reporter after it: totals, and the tests of each file.
// The two differ in few members; what those say holds whichever name the format was given.
type jestReader struct {
	j *jsonDoc
	t *tally

	total, passed, failed             declaredCount
	suites, failedSuites, brokenFiles declaredCount
	unmatched                         declaredCount // snapshots
	success, saidSuccess, listed      bool
	stale                             bool // snapshots failed the run
	interrupted, jest                 bool // jest: a member that only Jest writes is there
	files, handles, pending           int
	shown                             jestShown

	file jestFile
	test jestTest
	held heldRecords
	one  []byte
}

// jestFile is a test file as its members come.
type jestFile struct {
	name, message, status []byte
	broken                bool // it could not be run
	said                  bool // the status is there
	before                int  // failures before it
	loose                 bool // its records did not wait for its name
}

// jestTest is a test as its members come.
type jestTest struct {
	record             jsonRecord
	title, full, word  []byte
	names              jsonName
	invocations        declaredCount
	failures, attempts int
}

func readJest(s *source, t *tally) {
	r := &jestReader{
		t: t, total: undeclared, passed: undeclared, failed: undeclared, suites: undeclared, failedSuites: undeclared,
		brokenFiles: undeclared, unmatched: undeclared,
	}
	readJSON(s, t, r.root, r.finish)
}

func (r *jestReader) root(j *jsonDoc) {
	r.j = j
	for j.member() {
		if to := r.declared(); to != nil {
			*to = j.count()
			continue
		}
		switch string(j.key) {
		case "success":
			r.saidSuccess = true
			r.success = j.truth()
		case "wasInterrupted":
			r.jest = true
			r.interrupted = j.truth()
		case "openHandles":
			r.jest = true
			r.handles = j.size("openHandles")
		case "snapshot":
			r.snapshot()
		case "testResults":
			if j.into('[', "testResults") {
				r.listed = true
				for j.element() {
					r.readFile()
				}
			}
		default:
			j.unknown("success", "wasInterrupted", "testResults", "numTotalTests", "numPassedTests", "numFailedTests",
				"numTotalTestSuites", "numFailedTestSuites", "numRuntimeErrorTestSuites")
		}
	}
}

// declared returns where the count of the member that is next goes, nil if it is none.
func (r *jestReader) declared() *declaredCount {
	switch string(r.j.key) {
	case "numTotalTests":
		return &r.total
	case "numPassedTests":
		return &r.passed
	case "numFailedTests":
		return &r.failed
	case "numTotalTestSuites":
		return &r.suites
	case "numFailedTestSuites":
		return &r.failedSuites
	case "numRuntimeErrorTestSuites":
		r.jest = true
		return &r.brokenFiles
	}
	return nil
}

func (r *jestReader) snapshot() {
	j := r.j
	if !j.into('{', "snapshot") {
		return
	}
	for j.member() {
		switch string(j.key) {
		case "unmatched":
			r.unmatched = j.count()
		case "failure":
			r.stale = j.truth()
		default:
			j.skip()
		}
	}
}

func (r *jestReader) readFile() {
	j, f := r.j, &r.file
	*f = jestFile{name: f.name[:0], message: f.message[:0], status: f.status[:0], before: r.t.res.Counts.Failed}
	r.files++
	r.shown.path = r.shown.path[:0]
	r.held.reset()
	tests := false
	if j.into('{', "a test file") {
		for j.member() {
			switch string(j.key) {
			case "name":
				f.name = j.label(f.name, "the name of a test file")
			case "message":
				f.message, _ = j.word(f.message, 4*maxMessage)
			case "status":
				f.said = true
				f.status, _ = j.word(f.status, maxStatus)
			case "testExecError":
				f.broken = j.truth()
			case "assertionResults":
				if j.into('[', "assertionResults") {
					tests = true
					for j.element() {
						r.readTest()
					}
				}
			default:
				j.unknown("name", "status", "assertionResults")
			}
		}
	}
	r.held.release(r.t, f.name) // of a cut document too, as they were counted
	if j.stopped {
		return
	}
	if !tests {
		j.doubt(NoteMissingMember, "assertionResults")
	}
	r.endFile()
}

// endFile hears what a file says of itself: one that failed without a test of it that did could not be run, and so
// could one that has a message and did not fail.
func (r *jestReader) endFile() {
	f := &r.file
	message := firstLine(bytes.TrimPrefix(bytes.TrimSpace(f.message), []byte("● Test suite failed to run")))
	switch string(f.status) {
	case "passed", "pending", "skipped", "focused", "todo":
		f.broken = f.broken || len(message) > 0
	case "failed":
		f.broken = f.broken || r.t.res.Counts.Failed == f.before
		r.shown.failed++
	default:
		if f.said {
			r.j.doubt(NoteUnknownStatus, "\""+string(f.status)+"\" of a test file")
		} else {
			r.j.doubt(NoteMissingMember, "the status of a test file")
		}
	}
	detail := string(f.name)
	if len(message) > 0 {
		detail += ": " + string(message)
	}
	switch {
	case f.broken:
		r.shown.broken++
		r.t.runFailed(NoteSuiteError, detail)
	case len(message) > 0:
		if r.shown.messages++; r.shown.messages == 1 {
			r.shown.message = detail
		}
	}
}

func (r *jestReader) readTest() {
	j, c := r.j, &r.test
	c.record = jsonRecord{message: c.record.message[:0]}
	c.title, c.full, c.word, c.invocations, c.failures, c.attempts = c.title[:0], c.full[:0], c.word[:0], undeclared, 0, 0
	c.names.reset()
	if j.into('{', "a test") {
		for j.member() {
			r.member()
		}
	}
	if !j.stopped {
		r.end()
	}
}

func (r *jestReader) member() {
	j, c := r.j, &r.test
	switch string(j.key) {
	case "title":
		c.title = j.label(c.title, "the title of a test")
	case "fullName":
		c.full = j.label(c.full, "the full name of a test")
	case "status":
		c.word, _ = j.word(c.word, maxStatus)
	case "ancestorTitles":
		if j.into('[', "ancestorTitles") {
			for j.element() {
				r.one = j.label(r.one, "the title of a suite")
				c.names.add(r.one)
			}
		}
	case "failureMessages":
		r.readFailures()
	case "invocations":
		c.invocations = j.count()
	case "retryReasons":
		c.attempts = j.size("retryReasons")
	case "location":
		r.location()
	default:
		j.unknown("status", "title", "ancestorTitles", "failureMessages")
	}
}

// readFailures counts the failures of a test and keeps the first.
func (r *jestReader) readFailures() {
	j, c := r.j, &r.test
	if !j.into('[', "failureMessages") {
		return
	}
	for j.element() {
		if c.failures++; c.failures == 1 {
			c.record.message, _ = j.word(c.record.message, 4*maxMessage)
		} else {
			j.skip()
		}
	}
}

func (r *jestReader) location() {
	j := r.j
	if j.peek() != '{' {
		j.skip()
		return
	}
	j.into('{', "location")
	for j.member() {
		if string(j.key) == "line" {
			r.test.record.line = max(int(j.count()), 0)
		} else {
			j.skip()
		}
	}
}

// end counts a test, and holds it until the name of its file is known.
func (r *jestReader) end() {
	c := &r.test
	switch string(c.word) {
	case "passed":
		c.record.status = Passed
		if c.invocations > 1 || c.attempts > 0 || c.failures > 0 {
			c.record.status = Flaky
		}
	case "failed":
		c.record.status = Failed
		r.shown.suitesOf(c.names.key)
	case "skipped", "disabled", "focused":
		c.record.status = Skipped
	case "pending":
		c.record.status = Skipped
		r.pending++
	case "todo":
		c.record.status = Todo
	default:
		c.record.status = Other
		r.t.note(NoteUnknownStatus, "\""+string(c.word)+"\"", r.j.s.line())
	}
	c.record.name = c.title
	if len(c.record.name) == 0 {
		c.record.name = c.full
	}
	c.names.add(c.record.name)
	if r.held.add(&c.record, &c.names, r.t.visit != nil) {
		if r.t.visit == nil {
			r.t.record(c.record.status, nil)
		}
		return
	}
	if !r.file.loose {
		r.file.loose = true
		r.j.doubt(NoteOverLimit, "more tests in one file than can wait for its name")
		r.held.release(r.t, nil)
		r.held.full = true
	}
	r.t.emit(&c.record, &c.names)
}
