package testresult

import (
	"bytes"
	"strconv"
	"strings"
)

// nunitSuiteState is an open suite, or the run: what its attributes claim and where the records stood when it began.
type nunitSuiteState struct {
	total, failed, unlisted  int // as declared; -1: not
	records, broken, skipped int // the totals at its start
	suiteFailures            bool
	failure                  bool   // it holds a failure of its own
	word                     []byte // a failure of its own status, which its records must explain
	assembly                 int    // length of the assembly's name outside of it
	outer                    []byte // that name
	line                     int
}

// nunitWord reads a result attribute with its label: the states of NUnit 3 (ResultState: Passed, Failed, Skipped,
// Inconclusive, Warning) and of NUnit 2 (Success, Failure, Error, Cancelled, Inconclusive, NotRunnable, Skipped,
// Ignored). A label may stand behind the result in brackets. What neither passed nor failed is skipped.
func nunitWord(result, label []byte) (st Status, known bool) {
	if string(result) == "Passed" || string(result) == "Success" { // as nearly always
		return Passed, true
	}
	if i := bytes.IndexByte(result, '('); i > 0 {
		if len(label) == 0 {
			label = bytes.TrimRight(result[i+1:], ") ")
		}
		result = result[:i]
	}
	switch statusWord(result) {
	case "passed", "success":
		return Passed, true
	case "failed", "failure":
		if statusWord(label) == "error" {
			return Errored, true
		}
		return Failed, true
	case "error", "cancelled", "canceled":
		return Errored, true
	case "skipped", "inconclusive", "warning", "notrunnable", "ignored", "explicit", "notrun":
		return Skipped, true
	}
	return Other, false
}

// truth reads the attributes executed and success: yes, no, or neither.
func truth(b []byte) (yes, no bool) {
	switch string(b) { // as nearly always
	case "":
		return false, false
	case "True":
		return true, false
	}
	word := statusWord(b)
	return word == "true", word == "false"
}

// caseStatus reads how a test case ended. NUnit before 2.5 writes no result: executed and success say it, and a case
// that was executed without saying more passed unless it holds a failure.
func (r *nunitReader) caseStatus() Status {
	x := r.x
	ran, notRun := truth(x.attr(nunitExecuted))
	good, bad := truth(x.attr(nunitSuccess))
	st, known := nunitWord(x.attr(nunitResult), x.attr(nunitLabel))
	switch has := func(id uint8) bool { return len(bytes.TrimSpace(x.attr(id))) > 0 }; {
	case known && st == Passed && (bad || has(nunitSuccess) && !good):
		return Failed // contradicts itself
	case known && st == Passed && notRun:
		return Skipped
	case known:
		return st
	case has(nunitResult):
		r.word = append(r.word, cutAt(x.attr(nunitResult), maxDetail)...)
		return Other
	case notRun:
		return Skipped
	case bad:
		return Failed
	case good, ran && !has(nunitSuccess):
		return Passed
	}
	r.word = append(r.word, cutAt(x.attr(nunitSuccess), maxDetail)...)
	return Other
}

func (r *nunitReader) openSuite() {
	x, n := r.x, r.t.res.Counts
	s := nunitSuiteState{
		total: r.claim(nunitTotal), failed: r.claim(nunitFailed), records: n.Tests, broken: n.Failed + n.Errors,
		skipped: n.Skipped, line: x.src.line(), assembly: len(r.assembly),
	}
	for _, id := range []uint8{nunitFailures, nunitErrors} {
		if more := r.claim(id); more >= 0 {
			s.failed = max(s.failed, 0) + more
		}
	}
	for _, id := range []uint8{nunitSkipped, nunitInconclusive, nunitNotRun} {
		s.unlisted += max(0, number(x.attr(id)))
	}
	r.suiteStatus(&s)
	if x.kind == nunitResults2 || string(x.attr(nunitType)) == "Assembly" {
		s.outer = append([]byte(nil), r.assembly...)
		r.assembly = assemblyName(r.assembly[:0], x.attr(nunitName))
		s.assembly = -1
	}
	r.suites = append(r.suites, s)
}

// suiteStatus hears what a suite says of itself as a whole. A plain failure may be that of its tests; one of its own
// set-up or tear-down, an error or a cancellation is about the run.
func (r *nunitReader) suiteStatus(s *nunitSuiteState) {
	x := r.x
	result, label := x.attr(nunitResult), x.attr(nunitLabel)
	_, bad := truth(x.attr(nunitSuccess))
	st, known := nunitWord(result, nil)
	blank := len(bytes.TrimSpace(result)) == 0
	switch site := statusWord(x.attr(nunitSite)); {
	case !known && !blank:
		r.unknownStatus(result)
	case blank && !bad, known && st != Failed && st != Errored:
	case blank:
		s.word = []byte("success " + strconv.Quote("False"))
	case st == Errored, site == "setup", site == "teardown", statusWord(label) == "cancelled":
		s.suiteFailures = true
		word := append([]byte(nil), cutAt(result, maxDetail)...)
		for _, more := range [][]byte{x.attr(nunitLabel), x.attr(nunitSite)} {
			if len(more) > 0 {
				word = append(append(word, ' '), cutAt(more, maxDetail)...)
			}
		}
		r.suiteFailed(word, s.line)
	default:
		s.word = append([]byte(nil), cutAt(result, maxDetail)...)
	}
}

// suiteMessage hears why a suite failed. NUnit 3 and 2 have one sentence each for a suite whose tests did; anything else
// is about the suite itself, such as a tear-down, whatever its tests show besides.
func (r *nunitReader) suiteMessage(line []byte) {
	if len(line) == 0 || r.own.reading || len(r.suites) == 0 {
		return
	}
	switch strings.ToLower(strings.TrimRight(string(line), ".")) {
	case "one or more child tests had errors", "one or more child tests had warnings", "child test failed":
		return
	}
	if s := &r.suites[len(r.suites)-1]; !s.suiteFailures {
		s.suiteFailures = true
		r.suiteFailed(line, r.x.src.line())
	}
}

// closeSuite compares what a suite claims with its records.
func (r *nunitReader) closeSuite() {
	s := r.suites[len(r.suites)-1]
	r.suites = r.suites[:len(r.suites)-1]
	if s.assembly < 0 {
		r.assembly = append(r.assembly[:0], s.outer...)
	}
	n := r.t.res.Counts
	broken := n.Failed + n.Errors - s.broken
	explained := broken > 0 || s.suiteFailures
	if len(s.word) == 0 && s.failure && !s.suiteFailures {
		s.word, explained = []byte("a failure"), false // though it says that it passed
	}
	if len(s.word) > 0 && !explained {
		r.suiteFailed(s.word, s.line)
		s.suiteFailures = true
	}
	if s.suiteFailures && len(r.suites) > 0 {
		r.suites[len(r.suites)-1].suiteFailures = true
	}
	records := n.Tests - s.records
	if s.total >= 0 {
		r.disagree(s.total-records-max(0, s.unlisted-(n.Skipped-s.skipped)), "tests", s.line)
		r.fewer = r.fewer || s.total < records && s.total+s.unlisted < records
	}
	r.disagree(s.failed-broken, "failures", s.line)
	if s.failed > 0 && !explained {
		r.declaredFailure(s.line)
	}
	r.fewer = r.fewer || s.failed >= 0 && s.failed < broken
}
