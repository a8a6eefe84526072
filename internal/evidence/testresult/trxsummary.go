package testresult

import (
	"bytes"
	"hash/maphash"
	"strconv"
)

// The bounds of names and messages that are compared with each other. Beyond them a message is of no known test.
const (
	maxTRXNames    = 50_000
	maxTRXMessages = 50_000
	maxTRXName     = 1 << 10 // bytes of a name
)

// trxNames are the names of tests that failed, as digests, and the tests that messages of errors are about.
type trxNames struct {
	seed     maphash.Seed
	name     []byte // of the open record
	failed   map[uint64]bool
	messages []uint64
	lost     int // messages that are about no test
}

// digest is that of the letters and digits of a name: blanks and signs are written in several ways.
func (n *trxNames) digest(name []byte) uint64 {
	if n.failed == nil {
		n.seed, n.failed = maphash.MakeSeed(), map[uint64]bool{}
	}
	var h maphash.Hash
	h.SetSeed(n.seed)
	for _, c := range name {
		if isWord(c) || c >= 0x80 {
			h.WriteByte(c)
		}
	}
	return h.Sum64()
}

func (n *trxNames) open(name []byte) { n.name = append(n.name[:0], cutAt(name, maxTRXName)...) }

// add says that the open record failed.
func (n *trxNames) add() {
	if d := n.digest(n.name); len(n.failed) < maxTRXNames {
		n.failed[d] = true
	}
}

// tell hears a message of an error. Adapters write one for each test that failed: the time in brackets, its name, and
// [FAIL]. Microsoft's testing platform writes one exit code for all of them, which has a number for each other reason.
func (n *trxNames) tell(text []byte) {
	text = bytes.TrimSpace(text)
	if bytes.HasPrefix(text, []byte("[")) {
		if i := bytes.IndexByte(text, ']'); i > 0 {
			text = text[i+1:]
		}
	}
	if bytes.Contains(text, []byte("'2'")) && bytes.Contains(text, []byte("aka.ms/testingplatform/exitcodes")) {
		return
	}
	name, ok := bytes.CutSuffix(text, []byte("[FAIL]"))
	if !ok || len(n.messages) >= maxTRXMessages {
		n.lost++
		return
	}
	n.messages = append(n.messages, n.digest(cutAt(bytes.TrimSpace(name), maxTRXName)))
}

// unexplained is how many messages are about no test that failed, or about one that another was about.
func (n *trxNames) unexplained(failed int) int {
	lost := n.lost
	for _, m := range n.messages {
		if !n.failed[m] {
			lost++
		}
	}
	return max(lost, n.lost+len(n.messages)-failed)
}

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
	infoTexts                int  // such messages with a text
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

// runInfo notes a message about the run. One of an error is explained by the failed record that it names, unless it
// says that the run was aborted.
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
	s.infoTexts++
	r.failing.tell(text)
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
	if more := r.failing.unexplained(failed) + s.infoErrors - s.infoTexts; more > 0 && !r.t.res.ProcessFailure {
		r.t.doubt = true
		r.t.note(NoteInterrupted, "an error of the run that is of no failed test: "+string(s.infoText), s.infoLine)
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
