package testresult

import (
	"bytes"
	"strconv"
)

// jestShown is what the files show of what the totals declare.
type jestShown struct {
	broken, failed int    // files that could not be run, and that failed
	suites         int    // around tests that failed, each once as long as its tests come one after the other
	most           int    // the same, each as often as a test failed in it
	path           []byte // the key of those around the last test that failed
	messages       int    // files with a message beside tests that failed
	message        string // the first of them
}

// suitesOf counts the suites around a test that failed, which are of one file with those before.
func (s *jestShown) suitesOf(key []byte) {
	depth := bytes.Count(key, []byte(keySeparator))
	shared, old := 0, s.path
	for rest := key; len(rest) > 0 && len(old) > 0; shared++ {
		a, b := nextPart(&rest), nextPart(&old)
		if !bytes.Equal(a, b) {
			break
		}
	}
	s.suites += depth - shared
	s.most += depth
	s.path = append(s.path[:0], key...)
}

// nextPart cuts the first part off a key that begins with a separator.
func nextPart(key *[]byte) []byte {
	rest := (*key)[len(keySeparator):]
	i := bytes.IndexByte(rest, keySeparator[0])
	if i < 0 {
		*key = nil
		return rest
	}
	*key = rest[i:]
	return rest[:i]
}

func (r *jestReader) finish() {
	t, n := r.t, r.t.res.Counts
	if !r.listed || !r.saidSuccess || r.total == undeclared {
		t.doubt = true
		t.note(NoteMissingMember, "success, testResults or numTotalTests", 0)
	}
	claims := []claim{{"tests", r.total, n.Tests, false}, {"failed tests", r.failed, n.Failed, true}}
	if r.jest { // Vitest counts suites instead of files, and of old tests that did not fail as passed
		claims = append(claims, claim{"passed tests", r.passed, n.Passed, false}, claim{"test files", r.suites, r.files, false})
	} else if r.pending > 0 {
		t.doubt = true
		t.note(NoteUnfinished, "tests that are still pending", 0) // Vitest's word for those that had no result yet
	}
	t.settle(claims...)
	if r.interrupted {
		t.doubt = true
		t.note(NoteInterrupted, "", 0)
	}
	if r.handles > 0 {
		t.note(NoteOpenHandles, "", 0)
	}
	r.beyond()
}

// beyond looks for failures of the run that tests which failed do not explain: those may be known ones.
func (r *jestReader) beyond() {
	t, shown := r.t, &r.shown
	explained, most := shown.failed, shown.failed
	if !r.jest { // Vitest counts files and what is in them, and gives a file a message only for an error of its own
		explained, most = explained+shown.suites, most+shown.most
		if shown.messages > 0 {
			t.runFailed(NoteSuiteError, shown.message)
		}
	}
	quiet := !t.failed && !t.res.ProcessFailure
	switch {
	case int(r.brokenFiles) > shown.broken:
		t.runFailed(NoteDeclaredFailure, strconv.Itoa(int(r.brokenFiles))+" test files that could not be run, "+strconv.Itoa(shown.broken)+" recorded")
	case t.res.ProcessFailure:
	case int(r.failedSuites) > most:
		t.runFailed(NoteDeclaredFailure, strconv.Itoa(int(r.failedSuites))+" suites that failed, "+strconv.Itoa(explained)+" recorded")
	case r.jest && r.saidSuccess && !r.success && r.stale && r.unmatched <= 0: // no test fails for an obsolete one
		t.runFailed(NoteDeclaredFailure, "obsolete snapshots")
	case quiet && r.unmatched > 0:
		t.runFailed(NoteDeclaredFailure, "snapshots that do not match")
	case quiet && r.saidSuccess && !r.success && (r.files > 0 || r.total > 0):
		t.runFailed(NoteDeclaredFailure, "success is false")
	}
	// Suites of one name beside each other look like one, and so does a test with several snapshots.
	for _, c := range []claim{
		{"broken test files", r.brokenFiles, shown.broken, false}, {"suites that failed", r.failedSuites, explained, false},
		{"snapshots that do not match", r.unmatched, t.res.Counts.Failed, false},
	} {
		if c.declared == unreadable || int(c.declared) > c.shown && !t.res.ProcessFailure {
			t.settle(c)
		}
	}
}
