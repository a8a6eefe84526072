package testresult

// maxStatusWord bounds a status word, in bytes, blanks left out: a longer one is none that is known.
const maxStatusWord = 64

// statusWord is a status or result attribute as it is compared: in lower case, without blanks, dots, lines and slashes,
// so that "Not Run", "not_run" and "notRun" are one word. Another word for blank is "".
func statusWord(b []byte) string {
	var word [maxStatusWord]byte
	n := 0
	for _, c := range b {
		switch {
		case isXMLSpace(c), c == '_', c == '-', c == '.', c == '/':
			continue
		case n == len(word):
			return string(word[:n]) + "…"
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		word[n] = c
		n++
	}
	return string(word[:n])
}

// attrStatus reads a status or result attribute of a test case: NoStatus if it is blank or absent, Unfinished if it
// is a word that is not known, so that it can never stand for a pass. The words are those of GoogleTest, Bazel, CTest,
// NUnit, xUnit, Visual Studio, JUnit, Cucumber, Playwright, Allure, Robot Framework and Jenkins.
func attrStatus(b []byte) Status {
	if len(b) == 0 {
		return NoStatus // as nearly always
	}
	switch statusWord(b) {
	case "":
		return NoStatus
	case "run", "ran", "executed", "complete", "completed", "finished", "done",
		"pass", "passed", "passing", "success", "successful", "succeeded", "ok", "okay", "fixed", "expected":
		return Passed
	case "flaky":
		return Flaky
	case "notrun", "notexecuted", "untested", "disabled", "suppressed", "skip", "skipped", "ignore", "ignored",
		"pending", "filtered", "excluded", "deselected", "notapplicable":
		return Skipped
	case "todo", "xfail", "xfailed", "expectedfailure", "expectedfail":
		return Todo
	case "fail", "failed", "failing", "failure", "testfailed", "timeout", "timedout", "unexpected", "unsuccessful",
		"xpass", "xpassed", "unexpectedpass", "unexpectedsuccess", "regression", "nok", "notok", "ko", "rejected":
		return Failed
	case "error", "errored", "erroneous", "exception", "broken", "crash", "crashed", "fatal", "abort", "aborted",
		"passedbutrunaborted", "cancel", "cancelled", "canceled", "interrupted", "killed", "terminated", "stopped",
		"inconclusive", "incomplete", "undefined", "ambiguous", "invalid", "notrunnable", "blocked", "disconnected",
		"inprogress", "running", "started", "unstable":
		return Errored
	}
	return Unfinished
}

// suiteStatus hears what a suite says of itself as a whole. A plain failure may be that of its tests; anything else
// that is bad is about the run. An unknown word is noted, and keeps the file from passing.
func (r *junitReader) suiteStatus(s *junitSuite) {
	for _, id := range []uint8{atStatus, atResult} {
		word := r.x.attr(id)
		switch attrStatus(word) {
		case NoStatus, Passed, Flaky, Skipped, Todo:
		case Unfinished:
			r.unknownStatus(word)
		case Errored:
			r.suiteFailed(word, s.line)
		case Failed:
			switch statusWord(word) {
			case "fail", "failed", "failing", "failure", "testfailed", "unsuccessful", "unexpected":
				s.claims = append([]byte(nil), cutAt(word, maxDetail)...)
			default:
				r.suiteFailed(word, s.line)
			}
		}
	}
}
