package testresult

import "strconv"

// trxSummaryState is what <ResultSummary> says of the run, before the results or after them.
type trxSummaryState struct {
	seen                     int
	word                     []byte // its outcome, if that is bad
	status                   Status
	line                     int
	total, failed, unlisted  int
	counted                  bool
	infoErrors, infoFailures int // messages of errors, and those that say that the run was aborted
	infoLine                 int
	infoText                 []byte
	badInfo                  bool // the open message is one of an error
}

func (r *trxReader) openSummary() {
	s := &r.summary
	s.seen++
	s.line = r.x.src.line()
	word := r.x.attr(trxOutcome)
	switch st := statusWord(word); st {
	case "completed", "passed", "warning", "inconclusive", "notexecuted", "notrunnable":
	case "failed":
		if s.status != Errored {
			s.status, s.word = Failed, append(s.word[:0], cutAt(word, maxDetail)...)
		}
	case "error", "timeout", "aborted", "passedbutrunaborted", "disconnected":
		s.status, s.word = Errored, append(s.word[:0], cutAt(word, maxDetail)...)
	case "inprogress", "pending":
		r.t.doubt = true
		r.t.note(NoteUnfinished, "the run is "+string(cutAt(word, maxDetail)), s.line)
	default:
		r.unknownStatus(word)
	}
}

// counters keeps what <Counters> claims. Of two the greater claim counts.
func (r *trxReader) counters() {
	s := &r.summary
	failed := 0
	for _, id := range []uint8{trxFailed, trxError, trxTimeout, trxAborted} {
		failed += max(0, r.claim(id))
	}
	unlisted := 0
	for _, id := range []uint8{trxNotRun, trxInconclusive, trxNotRunnable, trxDisconnected, trxPending} {
		unlisted += max(0, number(r.x.attr(id)))
	}
	total := r.claim(trxTotal)
	if !s.counted {
		s.total, s.failed, s.unlisted = total, failed, unlisted
	}
	s.total, s.failed, s.unlisted = max(s.total, total), max(s.failed, failed), min(s.unlisted, unlisted)
	s.counted = true
}

// runInfo notes a message about the run. One of an error is explained by a failed record, unless it says that the
// run was aborted: adapters write one for each failure.
func (r *trxReader) runInfo() {
	s := &r.summary
	switch statusWord(r.x.attr(trxOutcome)) {
	case "error", "failed", "aborted", "timeout", "passedbutrunaborted", "disconnected":
		s.badInfo = true
		s.infoErrors++
		if s.infoLine == 0 {
			s.infoLine = r.x.src.line()
		}
	default:
		s.badInfo = false // a warning, or something that no failure is told by
	}
}

func (r *trxReader) runInfoText(text []byte) {
	s := &r.summary
	if !s.badInfo {
		return
	}
	crash := isCrash(text)
	if crash {
		s.infoFailures++
	}
	if len(s.infoText) == 0 || crash && s.infoFailures == 1 {
		s.infoText = append(s.infoText[:0], firstLine(text)...)
	}
}

// finish compares the summary with the records.
func (r *trxReader) finish() {
	r.settle()
	if r.t.res.Conclusion == Invalid {
		return
	}
	s, n := &r.summary, r.t.res.Counts
	failed := n.Failed + n.Errors
	if s.status == Errored || s.status == Failed && failed == 0 {
		r.suiteFailed(s.word, s.line)
	}
	if s.infoFailures > 0 || s.infoErrors > 0 && failed == 0 {
		r.t.res.ProcessFailure = true
		r.t.note(NoteSuiteError, string(s.infoText), s.infoLine)
	}
	if s.seen == 0 {
		r.t.doubt = true
		r.t.note(NoteNoSummary, "no <ResultSummary>", 0)
	}
	if !s.counted {
		return
	}
	// The counters of data-driven tests count their rows too.
	missing := s.total - n.Tests - r.inner
	r.disagree(missing-max(0, s.unlisted-n.Skipped), "tests", s.line)
	if s.failed > failed+r.innerFailed {
		r.t.doubt = true
		r.t.note(NoteCountsDisagree, strconv.Itoa(s.failed)+" failures and errors declared, "+strconv.Itoa(failed)+" recorded", s.line)
	}
	if s.failed > 0 && failed+r.innerFailed == 0 {
		r.declaredFailure(s.line)
	}
	r.fewer = r.fewer || s.total >= 0 && s.total < n.Tests || s.failed < failed
}
