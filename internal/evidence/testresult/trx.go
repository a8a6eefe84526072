package testresult

import (
	"bytes"
	"strings"
)

// The elements of a TRX document (Visual Studio's vstst.xsd, namespaces TeamTest/2006 and TeamTest/2010). What stands
// in <Results> is a record whatever its name: there is one for each kind of test.
const (
	trxRun uint8 = iota + 1
	trxResults
	trxResult
	trxInnerResults
	trxErrorInfo
	trxMessage
	trxSummary
	trxCounters
	trxRunInfo
	trxText
	trxUnitTest
	trxTestMethod
)

// The attributes of a TRX document.
const (
	trxOutcome uint8 = iota + 1
	trxTestName
	trxTestID
	trxID
	trxClassName
	trxTotal
	trxFailed
	trxError
	trxTimeout
	trxAborted
	trxNotRun // the first of several
	trxInconclusive
	trxNotRunnable
	trxDisconnected
	trxPending
)

func trxElement(name []byte) uint8 {
	switch string(name) {
	case "TestRun":
		return trxRun
	case "Results":
		return trxResults
	case "UnitTestResult", "TestResult", "TestResultAggregation", "GenericTestResult", "ManualTestResult", "WebTestResult",
		"LoadTestResult", "CodedWebTestResult", "DatabaseTestResult":
		return trxResult
	case "InnerResults":
		return trxInnerResults
	case "ErrorInfo":
		return trxErrorInfo
	case "Message":
		return trxMessage
	case "ResultSummary":
		return trxSummary
	case "Counters":
		return trxCounters
	case "RunInfo":
		return trxRunInfo
	case "Text":
		return trxText
	case "UnitTest":
		return trxUnitTest
	case "TestMethod":
		return trxTestMethod
	case "Output", "StdOut", "StdErr", "StackTrace", "DebugTrace", "TestEntry", "Execution", "Times", "TextMessages":
		return 0
	}
	if foldsTo(name, "TestRun", "Results", "UnitTestResult", "InnerResults", "ResultSummary", "Counters", "RunInfo") {
		return xmlVariant
	}
	return 0
}

func trxAttribute(name []byte) uint8 {
	switch string(name) {
	case "outcome":
		return trxOutcome
	case "testName":
		return trxTestName
	case "testId":
		return trxTestID
	case "id":
		return trxID
	case "className":
		return trxClassName
	case "total":
		return trxTotal
	case "failed":
		return trxFailed
	case "error":
		return trxError
	case "timeout":
		return trxTimeout
	case "aborted":
		return trxAborted
	case "notExecuted":
		return trxNotRun
	case "inconclusive":
		return trxInconclusive
	case "notRunnable":
		return trxNotRunnable
	case "disconnected":
		return trxDisconnected
	case "pending":
		return trxPending
	case "executionId", "computerName", "startTime", "endTime", "testType", "testListId", "relativeResultsDirectory":
		return 0
	}
	if foldsTo(name, "outcome", "total", "failed", "error", "timeout", "aborted") {
		return xmlVariant
	}
	return 0
}

// detectTRX looks for the root element. CppUnit's has the same name and no attributes.
func detectTRX(head []byte) bool {
	root, tag := xmlRoot(head)
	return string(root) == "TestRun" && (bytes.Contains(tag, []byte("/TeamTest/20")) || bytes.Contains(tag, []byte(" id=")))
}

// The bounds of what is kept of test definitions where they stand before the results.
const (
	maxDefinitions     = 50_000
	maxDefinitionBytes = 4 << 20 // of their class names and ids together
	maxDefinitionID    = 64      // a GUID in braces has 38
)

// trxReader turns the tags of one TRX document into records.
type trxReader struct {
	xmlDocument
	names   xmlNames
	message xmlMessage
	record  Case

	open   bool // a record is
	status Status
	broke  bool // a result inside of it failed

	inner, innerFailed int
	summary            trxSummaryState
	failing            trxNames
	definitions        map[string]string // class by test id
	defined            int               // bytes of them
	held               []trxHeld
	arena              []byte // of the held records
	settled            bool   // nothing waits any more
	testID             string // of the open definition
	class              string // the last definition's class: many tests share one
}

// readTRX reads a TRX document.
func readTRX(s *source, t *tally) {
	doc, ok := openXML(s, t, xmlVocabulary{element: trxElement, attribute: trxAttribute, roots: 1 << trxRun})
	if !ok {
		return
	}
	r := &trxReader{xmlDocument: doc, definitions: map[string]string{}}
	r.read(r)
}

func (r *trxReader) start() bool {
	x, parent := r.x, r.parent()
	switch {
	case x.depth == 3 && parent == trxResults:
		r.openResult()
		return true
	case parent == trxInnerResults || x.kind == trxResult:
		r.innerResult()
		return true
	}
	switch x.kind {
	case trxMessage:
		if r.open && parent == trxErrorInfo && r.t.visit != nil {
			r.message.begin(x)
		}
	case trxSummary:
		r.openSummary()
	case trxCounters:
		if parent == trxSummary {
			r.counters()
		}
	case trxRunInfo:
		r.runInfo()
	case trxText:
		if parent == trxRunInfo {
			x.collect()
		}
	case trxUnitTest:
		r.testID = string(cutAt(x.attr(trxID), maxDefinitionID+1))
	case trxTestMethod:
		if parent == trxUnitTest {
			r.define(x.attr(trxClassName))
		}
	}
	return true
}

func (r *trxReader) end() {
	x := r.x
	if r.open && x.depth == 2 {
		r.closeResult()
		return
	}
	switch x.kind {
	case trxMessage:
		r.message.end(x)
	case trxText:
		if x.keep && !r.message.reading {
			r.runInfoText(x.text())
		}
	}
}

// outcome reads an outcome attribute (TestOutcome in vstst.xsd). What neither passed nor failed is skipped; a word that
// is missing, unknown or says that the test was not over keeps the file from passing.
func (r *trxReader) outcome() Status {
	word := r.x.attr(trxOutcome)
	if string(word) == "Passed" { // as nearly always
		return Passed
	}
	switch statusWord(word) {
	case "passed":
		return Passed
	case "failed":
		return Failed
	case "error", "timeout", "aborted":
		return Errored
	case "inconclusive", "notrunnable", "notexecuted", "warning", "completed":
		return Skipped
	case "passedbutrunaborted", "disconnected", "inprogress", "pending":
		r.t.doubt = true
		r.t.note(NoteUnfinished, string(cutAt(word, maxDetail)), r.x.src.line())
		return Skipped
	}
	r.unknownStatus(word)
	return Skipped
}

func (r *trxReader) openResult() {
	r.open, r.broke, r.status = true, false, r.outcome()
	r.failing.open(r.x.attr(trxTestName))
	if r.t.visit == nil {
		return
	}
	if r.crowded() {
		r.settle()
	}
	r.message.reset()
	id := r.x.attr(trxTestID)
	r.names.hold(nameParts{class: []byte(r.definitions[string(id)]), key: id, name: r.x.attr(trxTestName)})
}

// innerResult counts a row of a data-driven test or a part of an ordered one. It is no record, but where it failed
// the record failed.
func (r *trxReader) innerResult() {
	r.inner++
	if st := r.outcome(); st != Failed && st != Errored {
		return
	}
	r.innerFailed++
	if r.open {
		r.broke = true
		return
	}
	r.t.res.ProcessFailure = true
	r.t.note(NoteSuiteError, "a failed result outside <Results>", r.x.src.line())
}

func (r *trxReader) closeResult() {
	r.open = false
	st := r.status
	if r.broke && st != Errored {
		st = Failed
	}
	if st == Failed || st == Errored {
		r.failing.add()
	}
	if r.t.visit == nil {
		r.t.record(st, nil)
		return
	}
	if r.hold(st) {
		return
	}
	r.emit(st, r.message.line)
}

// emit hands on a record. Where its class is not known its id, a digest of the test's full name, stands for the class.
func (r *trxReader) emit(st Status, message []byte) {
	r.names.build(&r.record)
	r.record.Status = st
	if st == Failed || st == Errored {
		r.record.Message = string(message)
	}
	r.t.record(st, &r.record)
}

// define keeps the class of a test, within the bounds. Beyond them tests go by their id.
func (r *trxReader) define(className []byte) {
	class, _, _ := bytes.Cut(className, []byte(",")) // what follows is the assembly's name
	class = bytes.TrimSpace(class)
	size := len(class) + len(r.testID)
	if r.t.visit == nil || len(class) == 0 || r.testID == "" || len(r.testID) > maxDefinitionID || len(r.definitions) >= maxDefinitions || r.defined+size > maxDefinitionBytes {
		return
	}
	if _, ok := r.definitions[r.testID]; ok {
		return
	}
	r.defined += size
	if string(class) != r.class {
		r.class = string(class)
	}
	r.definitions[r.testID] = r.class
}

// isCrash reports whether a message of the run says that the run itself ended early (vstest's and mstest's words).
func isCrash(text []byte) bool {
	for _, words := range []string{"test run was aborted", "host process crashed", "run has been aborted"} {
		if strings.Contains(strings.ToLower(string(text)), words) {
			return true
		}
	}
	return false
}
