package testresult

import (
	"bytes"
	"strconv"
)

// mochaReader reads what Mocha's json reporter writes: totals, and every test in one list of all and in one of its
// outcome. The lists by outcome count; the list of all has no outcomes, and no hooks.
type mochaReader struct {
	j *jsonDoc
	t *tally

	tests, passes, pending, failures declaredCount // as stats declares them
	listed, passed, skipped, failed  int           // as the lists show
	hooks                            int           // failures of hooks, which are no tests
	seen                             uint8         // which of the five members are there

	record jsonRecord
	title  []byte
	full   []byte
	again  bool // a try before this one failed
	names  jsonName
}

// The members of the document.
const (
	mochaStats uint8 = 1 << iota
	mochaTests
	mochaPending
	mochaFailures
	mochaPasses
	mochaAll = mochaStats | mochaTests | mochaPending | mochaFailures | mochaPasses
)

func readMocha(s *source, t *tally) {
	r := &mochaReader{t: t, tests: undeclared, passes: undeclared, pending: undeclared, failures: undeclared}
	readJSON(s, t, r.root, r.finish)
}

func (r *mochaReader) root(j *jsonDoc) {
	r.j = j
	for j.member() {
		switch string(j.key) {
		case "stats":
			r.stats()
		case "tests":
			if n := j.size("tests"); n >= 0 {
				r.seen |= mochaTests
				r.listed = n
			}
		case "pending":
			r.skipped = r.list("pending", mochaPending, Skipped)
		case "failures":
			r.failed = r.list("failures", mochaFailures, Failed)
		case "passes":
			r.passed = r.list("passes", mochaPasses, Passed)
		default:
			j.unknown("stats", "tests", "pending", "failures", "passes")
		}
	}
}

func (r *mochaReader) stats() {
	j := r.j
	if !j.into('{', "stats") {
		return
	}
	r.seen |= mochaStats
	for j.member() {
		switch string(j.key) {
		case "tests":
			r.tests = j.count()
		case "passes":
			r.passes = j.count()
		case "pending":
			r.pending = j.count()
		case "failures":
			r.failures = j.count()
		default:
			j.unknown("tests", "passes", "pending", "failures")
		}
	}
}

// list reads the tests of one outcome and returns how many there are.
func (r *mochaReader) list(what string, bit uint8, st Status) int {
	j, n := r.j, 0
	if !j.into('[', what) {
		return 0
	}
	r.seen |= bit
	for j.element() {
		n++
		r.title, r.full, r.again = r.title[:0], r.full[:0], false
		r.record = jsonRecord{status: st, file: r.record.file[:0], message: r.record.message[:0]}
		if j.into('{', "a test of "+what) {
			for j.member() {
				r.member()
			}
		} else if st != Failed {
			r.record.status = Other // not a test at all
		}
		if !j.stopped {
			r.end()
		}
	}
	return n
}

func (r *mochaReader) member() {
	j := r.j
	switch string(j.key) {
	case "title":
		r.title = j.label(r.title, "the title of a test")
	case "fullTitle":
		r.full = j.label(r.full, "the full title of a test")
	case "file":
		r.record.file = j.label(r.record.file, "the file of a test")
	case "currentRetry":
		r.again = j.truth()
	case "err":
		if r.record.status != Failed || j.peek() != '{' {
			j.skip()
			return
		}
		if j.into('{', "err") {
			for j.member() {
				if string(j.key) == "message" {
					r.record.message, _ = j.word(r.record.message, 4*maxMessage)
				} else {
					j.skip()
				}
			}
		}
	default:
		j.skip()
	}
}

// end counts a test. A hook that failed is no test's own failure.
func (r *mochaReader) end() {
	c := &r.record
	switch {
	case c.status == Failed && isMochaHook(r.title):
		c.status = Errored
		r.hooks++
		r.t.runFailed(NoteSuiteError, string(cutAt(r.full, maxDetail))) // the tests behind it never ran
	case c.status == Passed && r.again:
		c.status = Flaky
	}
	c.name = r.title
	if len(c.name) == 0 {
		c.name = r.full
	}
	r.names.reset()
	r.names.add(c.file)
	if len(r.full) > 0 {
		r.names.add(r.full)
	} else {
		r.names.add(r.title)
	}
	r.t.emit(c, &r.names)
}

// isMochaHook reports whether a title is that of a hook, which Mocha makes (lib/suite.js): "before each" hook,
// and what follows it in the quotes.
func isMochaHook(title []byte) bool {
	for _, when := range []string{"before all", "before each", "after all", "after each"} {
		rest, ok := bytes.CutPrefix(title, []byte("\""+when+"\" hook"))
		if ok && (len(rest) == 0 || rest[0] == ':' || rest[0] == ' ') {
			return true
		}
	}
	return false
}

func (r *mochaReader) finish() {
	if r.seen != mochaAll || max(r.tests, r.passes, r.pending, r.failures) == undeclared {
		r.t.doubt = true
		r.t.note(NoteMissingMember, "stats, a total in it, or a list of tests", 0)
	}
	r.t.settle(
		claim{"tests", r.tests, r.listed, false}, claim{"failures", r.failures, r.failed, true},
		claim{"passes", r.passes, r.passed, false}, claim{"pending", r.pending, r.skipped, false},
	)
	if known := r.passed + r.skipped + r.failed - r.hooks; r.listed > known {
		r.t.doubt = true
		r.t.note(NoteCountsDisagree, strconv.Itoa(r.listed)+" tests listed, "+strconv.Itoa(known)+" of them with an outcome", 0)
	}
}
