package testresult

import "bytes"

// The elements of NUnit's result formats: of NUnit 2 (root test-results) and of NUnit 3 (root test-run, or a
// test-suite where an adapter or a test host writes one assembly).
const (
	nunitRun uint8 = iota + 1
	nunitResults2
	nunitSuite
	nunitCase
	nunitFailure
	nunitMessage
	nunitAssertion
	nunitProperty
)

// The attributes of both formats.
const (
	nunitName uint8 = iota + 1
	nunitFullname
	nunitClassname
	nunitType
	nunitResult
	nunitLabel
	nunitSite
	nunitExecuted
	nunitSuccess
	nunitValue
	nunitTotal
	nunitFailed   // NUnit 3
	nunitFailures // NUnit 2, as are the next ones
	nunitErrors
	nunitSkipped
	nunitInconclusive
	nunitNotRun
)

func nunitElement(name []byte) uint8 {
	switch string(name) {
	case "test-case":
		return nunitCase
	case "test-suite":
		return nunitSuite
	case "test-run":
		return nunitRun
	case "test-results":
		return nunitResults2
	case "failure":
		return nunitFailure
	case "message":
		return nunitMessage
	case "assertion":
		return nunitAssertion
	case "property":
		return nunitProperty
	case "stack-trace":
		return 0
	}
	if isVariant(name, "test-case", "test-suite", "test-run", "test-results", "failure", "assertion") {
		return xmlVariant
	}
	return 0
}

func nunitAttribute(name []byte) uint8 {
	switch string(name) {
	case "name":
		return nunitName
	case "fullname":
		return nunitFullname
	case "classname":
		return nunitClassname
	case "type":
		return nunitType
	case "result":
		return nunitResult
	case "label":
		return nunitLabel
	case "site":
		return nunitSite
	case "executed":
		return nunitExecuted
	case "success":
		return nunitSuccess
	case "value":
		return nunitValue
	case "total":
		return nunitTotal
	case "failed":
		return nunitFailed
	case "failures":
		return nunitFailures
	case "errors":
		return nunitErrors
	case "skipped":
		return nunitSkipped
	case "inconclusive":
		return nunitInconclusive
	case "not-run":
		return nunitNotRun
	case "start-time", "end-time":
		return 0
	}
	if isVariant(name, "result", "label", "site", "executed", "success", "total", "failed", "failures", "errors") {
		return xmlVariant
	}
	return 0
}

func detectNUnit(head []byte) bool {
	root, _ := xmlRoot(head)
	return string(root) == "test-run" || string(root) == "test-results" || string(root) == "test-suite"
}

// nunitReader turns the tags of one NUnit document into records.
type nunitReader struct {
	xmlDocument
	names    xmlNames
	message  xmlMessage
	own      xmlMessage // of the failure of a suite
	record   Case
	suites   []nunitSuiteState
	assembly []byte // the name of the open assembly

	open   bool // a test case is
	broke  bool // it holds a failure
	errors bool // or an error
	status Status
	word   []byte // of a status that is not known
}

// readNUnit reads a result document of NUnit 2 or 3.
func readNUnit(s *source, t *tally) {
	doc, ok := openXML(s, t, xmlVocabulary{
		element: nunitElement, attribute: nunitAttribute, roots: 1<<nunitRun | 1<<nunitResults2 | 1<<nunitSuite,
	})
	if !ok {
		return
	}
	r := &nunitReader{xmlDocument: doc}
	r.read(r)
}

func (r *nunitReader) start() bool {
	x := r.x
	switch x.kind {
	case nunitRun, nunitResults2, nunitSuite:
		if r.open {
			r.t.refuse(NoteNestedCase, "a suite inside a test case", x.src.line())
			return false
		}
		r.openSuite()
	case nunitCase:
		if r.open {
			r.t.refuse(NoteNestedCase, "", x.src.line())
			return false
		}
		r.openCase()
	case nunitFailure:
		r.failure()
	case nunitAssertion:
		if st, known := nunitWord(x.attr(nunitResult), nil); r.open && known {
			r.broke = r.broke || st == Failed
			r.errors = r.errors || st == Errored
		}
	case nunitMessage:
		if r.open && r.parent() == nunitFailure && r.t.visit != nil {
			r.message.begin(x)
		} else if !r.open && r.parent() == nunitFailure {
			r.own.reset()
			r.own.begin(x)
		}
	case nunitProperty:
		if x.set&(1<<nunitValue) != 0 {
			r.t.property(x.attr(nunitName), x.attr(nunitValue))
		}
	}
	return true
}

func (r *nunitReader) end() {
	switch r.x.kind {
	case nunitRun, nunitResults2, nunitSuite:
		r.closeSuite()
	case nunitCase:
		r.closeCase()
	case nunitMessage:
		r.message.end(r.x)
		if r.own.reading {
			r.own.end(r.x)
			r.suiteMessage(r.own.line)
		}
	}
}

func (r *nunitReader) finish() {}

// failure hears of a failure: of the open test case, or of a suite, whose own result explains it or not.
func (r *nunitReader) failure() {
	if r.open {
		r.broke = true
	} else if p := r.parent(); p == nunitRun || p == nunitResults2 || p == nunitSuite {
		r.suites[len(r.suites)-1].failure = true
	}
}

func (r *nunitReader) openCase() {
	x := r.x
	r.open, r.broke, r.errors, r.word = true, false, false, r.word[:0]
	r.status = r.caseStatus()
	if r.t.visit == nil {
		return
	}
	r.message.reset()
	name, full, class := x.attr(nunitName), x.attr(nunitFullname), x.attr(nunitClassname)
	switch prefix, ok := bytes.CutSuffix(full, name); {
	case ok && len(name) > 0 && bytes.HasSuffix(prefix, []byte(".")):
		class = prefix[:len(prefix)-1] // with the arguments of a generic or parameterized fixture
	case len(full) == 0 && len(class) == 0:
		full = name // NUnit 2 writes full names
		class, name = splitName(name)
	}
	r.names.hold(nameParts{path: r.assembly, class: class, name: name, full: full})
}

// splitName parts the full name that NUnit 2 writes at the last dot before the arguments. A name that is a sentence
// has no parts.
func splitName(full []byte) (class, name []byte) {
	end := bytes.IndexAny(full, `("`)
	if end < 0 {
		end = len(full)
	}
	dot := bytes.LastIndexByte(full[:end], '.')
	if dot <= 0 || dot == len(full)-1 || bytes.IndexByte(full[:end], ' ') >= 0 {
		return nil, full
	}
	return full[:dot], full[dot+1:]
}

func (r *nunitReader) closeCase() {
	r.open = false
	st := r.status
	switch {
	case st == Errored || st == Failed:
	case r.errors:
		st = Errored
	case r.broke:
		st = Failed
	case st == Other:
		r.unknownStatus(r.word)
	}
	if r.t.visit == nil {
		r.t.record(st, nil)
		return
	}
	r.names.build(&r.record)
	r.record.Status = st
	if st == Failed || st == Errored {
		r.record.Message = string(r.message.line)
	}
	r.t.record(st, &r.record)
}
