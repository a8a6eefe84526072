package testresult

import "bytes"

// The elements that the reader knows.
const (
	elSuites uint8 = iota + 1
	elSuite
	elCase
	elFailure
	elError
	elSkipped
	elFlaky
	elRerun
	elProperty
)

// The attributes that the reader knows.
const (
	atName uint8 = iota + 1
	atClassname
	atClass
	atFile
	atLine
	atTests
	atFailures
	atErrors
	atSkipped
	atSkips
	atDisabled
	atIgnored
	atStatus
	atResult
	atType
	atMessage
	atFailure
	atValue
)

func junitElement(name []byte) uint8 {
	switch string(name) {
	case "testcase":
		return elCase
	case "testsuite":
		return elSuite
	case "testsuites":
		return elSuites
	case "failure":
		return elFailure
	case "error":
		return elError
	case "skipped", "disabled", "ignored":
		return elSkipped
	case "flakyFailure", "flakyError":
		return elFlaky
	case "rerunFailure", "rerunError":
		return elRerun
	case "property":
		return elProperty
	case "flakyfailure", "flakyerror", "rerunfailure", "rerunerror":
		return xmlVariant
	}
	if isVariant(name, "testcase", "testsuite", "testsuites", "failure", "error", "skipped", "disabled", "ignored",
		"flakyFailure", "flakyError", "rerunFailure", "rerunError") {
		return xmlVariant
	}
	return 0
}

func junitAttribute(name []byte) uint8 {
	switch string(name) {
	case "name":
		return atName
	case "classname":
		return atClassname
	case "class":
		return atClass
	case "file":
		return atFile
	case "line":
		return atLine
	case "tests":
		return atTests
	case "failures":
		return atFailures
	case "errors":
		return atErrors
	case "skipped":
		return atSkipped
	case "skips", "skip":
		return atSkips
	case "disabled":
		return atDisabled
	case "ignored":
		return atIgnored
	case "status":
		return atStatus
	case "result":
		return atResult
	case "type":
		return atType
	case "message":
		return atMessage
	case "failure":
		return atFailure
	case "value":
		return atValue
	}
	if isVariant(name, "tests", "failures", "errors", "status", "result") {
		return xmlVariant
	}
	return 0
}

// detectJUnit looks for the root element behind declaration, comments and document type.
func detectJUnit(head []byte) bool {
	root, _ := xmlRoot(head)
	return string(root) == "testsuites" || string(root) == "testsuite"
}

// junitReader turns the tags of one document into records.
type junitReader struct {
	xmlDocument
	ids  junitNames
	test junitCase

	record   Case // handed to the visitor, one after the other
	suites   []junitSuite
	elements int // failure and error elements so far, in and out of test cases
	retries  int // flaky and rerun elements so far
}

// junitCase is the test case that is open.
type junitCase struct {
	open    bool
	depth   int
	failed  bool
	errored bool
	skipped bool
	todo    bool
	flaky   bool
	rerun   bool
	status  Status // what its own attributes say
	result  Status
	word    []byte // the first of them that is not known
	message []byte
	// reading says that the text of the failure at readDepth is being collected for want of a message.
	reading   bool
	readDepth int
}

// readJUnit reads a JUnit XML document.
func readJUnit(s *source, t *tally) {
	doc, ok := openXML(s, t, xmlVocabulary{
		element: junitElement, attribute: junitAttribute, roots: 1<<elSuites | 1<<elSuite,
		tolerant: 1<<atMessage | 1<<atFailure,
	})
	if !ok {
		return
	}
	r := &junitReader{xmlDocument: doc}
	r.read(r)
}

// start handles a start tag and reports whether to go on.
func (r *junitReader) start() bool {
	x := r.x
	switch x.kind {
	case elSuites, elSuite:
		r.openSuite()
	case elCase:
		if r.test.open {
			r.t.refuse(NoteNestedCase, "", x.src.line())
			return false
		}
		r.openCase()
	case elFailure, elError:
		r.elements++
		if !r.test.open {
			r.t.res.ProcessFailure = true
			r.t.note(NoteSuiteError, string(firstLine(x.attr(atMessage))), x.src.line())
			break
		}
		r.test.failed = r.test.failed || x.kind == elFailure
		r.test.errored = r.test.errored || x.kind == elError
		r.readMessage()
	case elSkipped:
		r.test.skipped = true
		r.test.todo = r.test.todo || isExpectedFailure(x.attr(atType))
	case elFlaky:
		r.retries++
		r.test.flaky = true
	case elRerun:
		r.retries++
		r.test.rerun = true
	case elProperty:
		if value := x.attr(atValue); x.set&(1<<atValue) != 0 {
			r.t.property(x.attr(atName), value)
		} else {
			r.ids.property = append(r.ids.property[:0], x.attr(atName)...)
			x.collect()
		}
	}
	return true
}

func (r *junitReader) end() {
	x := r.x
	switch x.kind {
	case elSuites, elSuite:
		r.closeSuite()
	case elCase:
		r.closeCase()
	case elFailure, elError:
		if r.test.reading && x.depth+1 == r.test.readDepth {
			r.test.reading = false
			r.test.message = append(r.test.message[:0], firstLine(x.text())...)
		}
	case elProperty:
		if x.keep && len(r.ids.property) > 0 {
			r.t.property(r.ids.property, bytes.TrimSpace(x.text()))
			r.ids.property = r.ids.property[:0]
		}
	}
}

// readMessage keeps the first line of the first failure, from the attribute or else from the text.
func (r *junitReader) readMessage() {
	if len(r.test.message) > 0 || r.test.reading || r.t.visit == nil {
		return
	}
	if line := firstLine(r.x.attr(atMessage)); len(line) > 0 {
		r.test.message = append(r.test.message[:0], line...)
		return
	}
	r.test.reading, r.test.readDepth = true, r.x.depth
	r.x.collect()
}

// isExpectedFailure says whether a skipped element's type marks the record as todo or expected to fail: as
// Node and TAP converters, pytest and unittest-xml-reporting write it.
func isExpectedFailure(kind []byte) bool {
	switch string(bytes.ToLower(cutAt(kind, maxDetail))) {
	case "todo", "xfail", "pytest.xfail", "expectedfailure":
		return true
	}
	return false
}

func (r *junitReader) openCase() {
	x, c := r.x, &r.test
	*c = junitCase{open: true, depth: x.depth, word: c.word[:0], message: c.message[:0]}
	if x.set&(1<<atStatus|1<<atResult) != 0 {
		c.status, c.result = attrStatus(x.attr(atStatus)), attrStatus(x.attr(atResult))
		if c.status == Unfinished {
			c.word = append(c.word, cutAt(x.attr(atStatus), maxDetail)...)
		} else if c.result == Unfinished {
			c.word = append(c.word, cutAt(x.attr(atResult), maxDetail)...)
		}
	}
	if r.t.visit != nil {
		r.ids.setCase(x)
	}
}

func (r *junitReader) closeCase() {
	st := r.test.verdict()
	r.test.open = false
	if st == Unfinished {
		r.unknownStatus(r.test.word)
	}
	r.t.count(st)
	if !r.t.visited() || r.t.asks != nil && !r.t.wanted(r.ids.key(), st) {
		return
	}
	c := &r.record
	r.ids.build(c)
	c.Status = st
	if st == Failed || st == Errored {
		c.Message = string(r.test.message)
	}
	r.t.visit(c)
}

// verdict says how a test case ended, from its elements and, where they are silent, from its status.
func (c *junitCase) verdict() Status {
	st, res := c.status, c.result
	switch {
	case c.todo:
		return Todo
	case c.errored:
		return Errored
	case c.failed:
		return Failed
	case st == Errored || res == Errored:
		return Errored
	case st == Failed || res == Failed:
		return Failed
	case c.skipped:
		return Skipped
	case st == Unfinished || res == Unfinished:
		return Unfinished // a word that is not known
	case st == Todo || res == Todo:
		return Todo
	case st == Skipped || res == Skipped:
		return Skipped
	case c.rerun && !c.flaky:
		return Failed // tried again and again, and no word of a pass
	case c.flaky || st == Flaky || res == Flaky:
		return Flaky
	default:
		return Passed
	}
}
