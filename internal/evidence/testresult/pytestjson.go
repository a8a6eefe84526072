package testresult

import (
	"bytes"
	"strconv"
)

// pytestReader reads the report of the pytest-json-report plugin.
type pytestReader struct {
	j *jsonDoc
	t *tally

	exit                                    declaredCount
	total, passed, failed, errors, skipped  declaredCount
	xfailed, xpassed, collected, deselected declaredCount
	seen                                    uint8
	shown                                   struct{ passed, failed, errors, skipped, xfailed, xpassed int } // records, by the word of their outcome
	collectors                              int                                                             // that failed

	node, outcome []byte
	line          declaredCount
	phases        [3]pytestPhase // setup, call, teardown
	message       []byte
	names         jsonName
}

// pytestPhase is one stage of a test.
type pytestPhase struct {
	there   bool
	outcome []byte
}

// The members of the document.
const (
	pytestExit uint8 = 1 << iota
	pytestSummary
	pytestTests
	pytestAll = pytestExit | pytestSummary | pytestTests
)

func readPytestJSON(s *source, t *tally) {
	r := &pytestReader{
		t: t, exit: undeclared, total: undeclared, passed: undeclared, failed: undeclared, errors: undeclared, skipped: undeclared,
		xfailed: undeclared, xpassed: undeclared, collected: undeclared, deselected: undeclared,
	}
	readJSON(s, t, r.root, r.finish)
}

func (r *pytestReader) root(j *jsonDoc) {
	r.j = j
	for j.member() {
		switch string(j.key) {
		case "exitcode":
			if r.exit = j.count(); r.exit != undeclared {
				r.seen |= pytestExit
			}
		case "summary":
			r.summary()
		case "collectors":
			r.collector()
		case "tests":
			if j.into('[', "tests") {
				r.seen |= pytestTests
				for j.element() {
					r.test()
				}
			}
		case "environment":
			j.properties("environment")
		default:
			j.unknown("exitcode", "summary", "collectors", "tests")
		}
	}
}

func (r *pytestReader) summary() {
	j := r.j
	if !j.into('{', "summary") {
		return
	}
	r.seen |= pytestSummary
	for j.member() {
		var to *declaredCount
		switch string(j.key) {
		case "total":
			to = &r.total
		case "passed":
			to = &r.passed
		case "failed":
			to = &r.failed
		case "error":
			to = &r.errors
		case "skipped":
			to = &r.skipped
		case "xfailed":
			to = &r.xfailed
		case "xpassed":
			to = &r.xpassed
		case "collected":
			to = &r.collected
		case "deselected":
			to = &r.deselected
		default:
			j.unknown("total", "passed", "failed", "error", "skipped", "xfailed", "xpassed", "collected", "deselected")
			continue
		}
		*to = j.count()
	}
}

// collector reads the collectors: one that failed is an error of no test.
func (r *pytestReader) collector() {
	j := r.j
	if !j.into('[', "collectors") {
		return
	}
	for j.element() {
		if !j.into('{', "a collector") {
			continue
		}
		r.node, r.outcome = r.node[:0], r.outcome[:0]
		for j.member() {
			switch string(j.key) {
			case "nodeid":
				r.node = j.label(r.node, "the id of a collector")
			case "outcome":
				r.outcome, _ = j.word(r.outcome, maxStatus)
			default:
				j.unknown("nodeid", "outcome")
			}
		}
		switch string(r.outcome) {
		case "passed", "skipped":
		case "failed":
			r.collectors++
			r.t.strayError("could not be collected: " + string(r.node))
		default:
			if !j.stopped {
				j.doubt(NoteUnknownStatus, "\""+string(r.outcome)+"\" of the collector "+string(r.node))
			}
		}
	}
}

func (r *pytestReader) test() {
	j := r.j
	r.node, r.outcome, r.message, r.line = r.node[:0], r.outcome[:0], r.message[:0], undeclared
	for i := range r.phases {
		r.phases[i] = pytestPhase{outcome: r.phases[i].outcome[:0]}
	}
	if j.into('{', "a test") {
		for j.member() {
			switch string(j.key) {
			case "nodeid":
				r.node = j.label(r.node, "the id of a test")
			case "outcome":
				r.outcome, _ = j.word(r.outcome, maxStatus)
			case "lineno":
				r.line = j.count()
			case "setup":
				r.phase(0, "setup")
			case "call":
				r.phase(1, "call")
			case "teardown":
				r.phase(2, "teardown")
			default:
				j.unknown("nodeid", "outcome", "setup", "call", "teardown")
			}
		}
	}
	if !j.stopped {
		r.end()
	}
}

func (r *pytestReader) phase(i int, what string) {
	j, p := r.j, &r.phases[i]
	if !j.into('{', what) {
		return
	}
	p.there = true
	for j.member() {
		switch string(j.key) {
		case "outcome":
			p.outcome, _ = j.word(p.outcome, maxStatus)
		case "crash":
			if j.peek() != '{' || len(r.message) > 0 {
				j.skip()
				continue
			}
			j.into('{', "crash")
			for j.member() {
				if string(j.key) == "message" {
					r.message, _ = j.word(r.message, 4*maxMessage)
				} else {
					j.skip()
				}
			}
		default:
			j.unknown("outcome")
		}
	}
}

// end counts a test.
func (r *pytestReader) end() {
	rec := jsonRecord{status: r.status(), message: r.message}
	if r.line >= 0 {
		rec.line = int(r.line) + 1 // pytest counts lines from 0
	}
	r.show()
	r.names.reset()
	r.names.id = append(r.names.id, r.node...)
	rest := r.node
	for {
		head := rest
		if i := bytes.IndexByte(head, '['); i >= 0 {
			head = head[:i] // what stands in brackets is a parameter, not a part
		}
		i := bytes.Index(head, []byte("::"))
		if i < 0 {
			break
		}
		if rec.file == nil {
			rec.file = rest[:i]
		}
		r.names.mark(rest[:i])
		rest = rest[i+2:]
	}
	r.names.mark(rest)
	rec.name = rest
	r.t.emit(&rec, &r.names)
}

// show counts the word of an outcome, as the summary does.
func (r *pytestReader) show() {
	switch string(r.outcome) {
	case "passed":
		r.shown.passed++
	case "failed":
		r.shown.failed++
	case "error":
		r.shown.errors++
	case "skipped":
		r.shown.skipped++
	case "xfailed":
		r.shown.xfailed++
	case "xpassed":
		r.shown.xpassed++
	}
}

// status reads the outcome together with the stages, which say what really happened: the outcome begins as passed
// and stays so when the run is stopped inside a test.
func (r *pytestReader) status() Status {
	setup, call, teardown := &r.phases[0], &r.phases[1], &r.phases[2]
	broken := string(setup.outcome) == "failed" || string(teardown.outcome) == "failed"
	switch string(r.outcome) {
	case "passed", "xpassed", "subtests passed":
	case "rerun":
		if string(call.outcome) != "passed" {
			return r.unfinished()
		}
	case "failed", "subtests failed":
		return Failed
	case "error":
		return Errored
	case "skipped", "subtests skipped":
		switch {
		case broken:
			return Errored
		case string(call.outcome) == "failed":
			return Failed
		}
		return Skipped
	case "xfailed":
		if broken {
			return Errored
		}
		return Todo
	default:
		r.t.note(NoteUnknownStatus, "\""+string(r.outcome)+"\"", r.j.s.line())
		return Other
	}
	switch {
	case string(call.outcome) == "failed":
		return Failed
	case broken:
		return Errored
	case (setup.there || call.there || teardown.there) && !(setup.there && call.there && teardown.there):
		return r.unfinished()
	case string(r.outcome) == "rerun":
		return Flaky
	}
	return Passed
}

func (r *pytestReader) unfinished() Status {
	r.j.doubt(NoteUnfinished, string(cutAt(r.node, maxDetail)))
	return Unfinished
}

// The exit codes of pytest (pytest.ExitCode).
const (
	pytestOK declaredCount = iota
	pytestFailed
	pytestInterrupted
	_ // internal error
	_ // usage
	pytestNone
)

func (r *pytestReader) finish() {
	t := r.t
	if r.seen != pytestAll || max(r.total, r.passed, r.failed, r.errors, r.skipped, r.xfailed, r.xpassed, r.collected) == undeclared {
		t.doubt = true
		t.note(NoteMissingMember, "exitcode, summary, a total in it, or tests", 0)
	}
	t.settle(
		claim{"tests", r.total, t.res.Counts.Tests, false}, claim{"failed tests", r.failed, r.shown.failed, true}, claim{"errors", r.errors, r.shown.errors, true},
		claim{"passed tests", r.passed, r.shown.passed, false}, claim{"skipped tests", r.skipped, r.shown.skipped, false},
		claim{"xfailed tests", r.xfailed, r.shown.xfailed, false}, claim{"xpassed tests", r.xpassed, r.shown.xpassed, false},
	)
	if run := r.collected - max(r.deselected, 0); r.collected > 0 && int(run) > t.res.Counts.Tests {
		t.doubt = true
		t.note(NoteCountsDisagree, strconv.Itoa(int(run))+" tests collected, "+strconv.Itoa(t.res.Counts.Tests)+" recorded", 0)
	}
	code := "exit code " + strconv.Itoa(int(r.exit))
	switch n := t.res.Counts; r.exit {
	case pytestOK, undeclared:
	case unreadable:
		t.runFailed(NoteDeclaredFailure, "an exit code that is none")
	case pytestNone:
		if n.Tests > n.Skipped+n.Other {
			t.runFailed(NoteDeclaredFailure, code)
		}
	case pytestInterrupted:
		if r.collectors == 0 { // else that is why
			t.doubt = true
			t.note(NoteInterrupted, code, 0)
		}
	case pytestFailed:
		if !t.failed {
			t.runFailed(NoteDeclaredFailure, code)
		}
	default:
		t.runFailed(NoteDeclaredFailure, code) // of an internal error, of usage, of a signal: which no test makes
	}
}
