package testresult

import "strconv"

// junitSuite is an open suite: what its attributes claim and where the records stood when it began.
type junitSuite struct {
	tests, failures, errors, skips int // as declared; -1: not
	records, skipped               int // the totals at its start
	elements, retries, failed      int // likewise
	missing                        int // records that inner suites claim and do not show
	path                           int // length of the suite path outside of it
	line                           int
	claims                         []byte // a plain failure of its own status, which its tests must explain
}

func (r *junitReader) openSuite() {
	x := r.x
	s := junitSuite{
		tests: r.claim(atTests), failures: r.claim(atFailures), errors: r.claim(atErrors), skips: -1,
		records: r.t.res.Counts.Tests, skipped: r.t.res.Counts.Skipped, elements: r.elements, retries: r.retries,
		failed: r.t.res.Counts.Failed + r.t.res.Counts.Errors,
		path:   len(r.ids.path), line: x.src.line(),
	}
	for _, id := range []uint8{atSkipped, atSkips, atDisabled, atIgnored} {
		if n := number(x.attr(id)); n >= 0 {
			s.skips = max(s.skips, 0) + n
		}
	}
	r.suiteStatus(&s)
	r.suites = append(r.suites, s)
	r.ids.openSuite(x)
}

// closeSuite compares what a suite claims with its records. What it claims beyond them is missing, unless it
// declares skips that it does not list; the rest goes to the suite around it, whose own declared skips may
// explain it (Mocha's reporters declare a skip only at the root and list it nowhere).
func (r *junitReader) closeSuite() {
	s := r.suites[len(r.suites)-1]
	r.suites = r.suites[:len(r.suites)-1]
	r.ids.closeSuite(s.path)
	n := r.t.res.Counts
	records, elements := n.Tests-s.records, r.elements-s.elements
	missing := s.missing
	if s.tests >= 0 {
		missing = max(missing, s.tests-records)
		r.fewer = r.fewer || s.tests < records
	}
	if unlisted := s.skips - (n.Skipped - s.skipped); unlisted > 0 {
		missing = max(0, missing-unlisted)
	}
	if len(s.claims) > 0 && n.Failed+n.Errors == s.failed {
		r.suiteFailed(s.claims, s.line)
	}
	claimed := max(s.failures, 0) + max(s.errors, 0)
	if claimed > elements+r.retries-s.retries { // a failed try shows a failure too
		r.t.doubt = true
		r.t.note(NoteCountsDisagree, strconv.Itoa(claimed)+" failures and errors declared, "+strconv.Itoa(elements)+" recorded", s.line)
	}
	r.fewer = r.fewer || s.failures >= 0 && claimed < n.Failed+n.Errors-s.failed
	if len(r.suites) > 0 {
		r.suites[len(r.suites)-1].missing += missing
		return
	}
	if missing > 0 {
		r.t.doubt = true
		r.t.note(NoteCountsDisagree, strconv.Itoa(missing)+" tests declared and not recorded", s.line)
	}
}

// finish has nothing left to do: every suite was compared at its end.
func (r *junitReader) finish() {}
