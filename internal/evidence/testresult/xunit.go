package testresult

import "bytes"

// The elements of xUnit.net's XML (schema-version 1 to 3, and what xUnit.net 1 wrote: classes for collections).
const (
	xunitAssemblies uint8 = iota + 1
	xunitAssembly
	xunitGroup // collection or class
	xunitTest
	xunitFailure
	xunitMessage
	xunitErrors
	xunitError
	xunitTrait
)

// The attributes.
const (
	xunitName uint8 = iota + 1
	xunitType
	xunitResult
	xunitTotal
	xunitFailed
	xunitErrorsAttr
	xunitSkipped
	xunitNotRun
	xunitFile
	xunitLine
	xunitValue
)

func xunitElement(name []byte) uint8 {
	switch string(name) {
	case "test":
		return xunitTest
	case "collection", "class":
		return xunitGroup
	case "assembly":
		return xunitAssembly
	case "assemblies":
		return xunitAssemblies
	case "failure":
		return xunitFailure
	case "message":
		return xunitMessage
	case "errors":
		return xunitErrors
	case "error":
		return xunitError
	case "trait":
		return xunitTrait
	}
	if isVariant(name, "test", "collection", "class", "assembly", "assemblies", "failure", "errors", "error") {
		return xmlVariant
	}
	return 0
}

func xunitAttribute(name []byte) uint8 {
	switch string(name) {
	case "name":
		return xunitName
	case "type":
		return xunitType
	case "result":
		return xunitResult
	case "total":
		return xunitTotal
	case "failed":
		return xunitFailed
	case "errors":
		return xunitErrorsAttr
	case "skipped":
		return xunitSkipped
	case "not-run":
		return xunitNotRun
	case "source-file":
		return xunitFile
	case "source-line":
		return xunitLine
	case "value":
		return xunitValue
	}
	if isVariant(name, "result", "total", "failed", "errors") {
		return xmlVariant
	}
	return 0
}

// detectXUnit looks for the root element. An assembly is the root of other documents too (Maven's descriptors, the
// manifests of Windows): xUnit's says of itself when or how it ran.
func detectXUnit(head []byte) bool {
	switch root, tag := xmlRoot(head); string(root) {
	case "assemblies":
		return true
	case "assembly":
		return bytes.Contains(tag, []byte("run-date=")) || bytes.Contains(tag, []byte("test-framework=")) || bytes.Contains(tag, []byte("total="))
	}
	return false
}

// xunitReader turns the tags of one xUnit.net document into records.
type xunitReader struct {
	xmlDocument
	names    xmlNames
	message  xmlMessage
	record   Case
	groups   []xunitState
	assembly []byte // the name of the open assembly

	open      bool // a test is
	broke     bool // it holds a failure
	status    Status
	word      []byte // of a result that is not known
	runErrors int    // errors outside of every test
}

// readXUnit reads a result document of xUnit.net.
func readXUnit(s *source, t *tally) {
	doc, ok := openXML(s, t, xmlVocabulary{
		element: xunitElement, attribute: xunitAttribute, roots: 1<<xunitAssemblies | 1<<xunitAssembly,
	})
	if !ok {
		return
	}
	r := &xunitReader{xmlDocument: doc}
	r.read(r)
}

func (r *xunitReader) start() bool {
	x := r.x
	switch x.kind {
	case xunitAssembly, xunitGroup, xunitTest:
		if r.open {
			r.t.refuse(NoteNestedCase, "", x.src.line())
			return false
		}
	}
	switch x.kind {
	case xunitAssembly:
		r.assembly = assemblyName(r.assembly[:0], x.attr(xunitName))
		r.openGroup()
	case xunitGroup:
		r.openGroup()
	case xunitTest:
		r.openTest()
	case xunitFailure:
		if r.open {
			r.broke = true
		} else if r.parent() != xunitError {
			r.runError() // of a class's fixture
		}
	case xunitError:
		r.runError()
	case xunitMessage:
		if (r.parent() == xunitFailure || r.parent() == xunitError) && r.t.visit != nil && r.open {
			r.message.begin(x)
		}
	case xunitTrait:
		if x.set&(1<<xunitValue) != 0 {
			r.t.property(x.attr(xunitName), x.attr(xunitValue))
		}
	}
	return true
}

func (r *xunitReader) end() {
	switch r.x.kind {
	case xunitAssembly, xunitGroup:
		r.closeGroup()
	case xunitTest:
		r.closeTest()
	case xunitMessage:
		r.message.end(r.x)
	}
}

func (r *xunitReader) finish() {}

// runError hears of an error outside of every test: a clean-up that failed, a crash, a fixture.
func (r *xunitReader) runError() {
	if r.open {
		r.broke = true
		return
	}
	r.runErrors++
	r.t.res.ProcessFailure = true
	detail := "a failure outside every test"
	if r.x.kind == xunitError {
		detail = "an error: " + string(cutAt(r.x.attr(xunitType), maxDetail)) + " " + string(cutAt(r.x.attr(xunitName), maxDetail))
	}
	r.t.note(NoteSuiteError, detail, r.x.src.line())
}

func (r *xunitReader) openTest() {
	x := r.x
	r.open, r.broke, r.word = true, false, r.word[:0]
	switch word := x.attr(xunitResult); xunitWord(word) {
	case Passed, Flaky:
		r.status = Passed
	case Failed:
		r.status = Failed
	case Errored:
		r.status = Errored
	case Skipped, Todo:
		r.status = Skipped
	case NoStatus, Unfinished, Other:
		r.status = Other
		r.word = append(r.word, cutAt(word, maxDetail)...)
	}
	if r.t.visit == nil {
		return
	}
	r.message.reset()
	r.names.hold(nameParts{path: r.assembly, class: x.attr(xunitType), name: x.attr(xunitName), file: x.attr(xunitFile)})
	r.names.line = max(0, number(x.attr(xunitLine)))
}

// xunitWord reads a result attribute: Pass, Fail, Skip or NotRun, or a word that other writers of the format use.
func xunitWord(word []byte) Status {
	if string(word) == "Pass" { // as nearly always
		return Passed
	}
	return attrStatus(word)
}

func (r *xunitReader) closeTest() {
	r.open = false
	st := r.status
	if r.broke && st != Errored {
		st = Failed
	} else if st == Other {
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

// xunitState is an open assembly, collection or class: what its attributes claim and where the records stood when it
// began.
type xunitState struct {
	total, failed, errors, unlisted   int // as declared; -1: not
	records, broken, skipped, strayed int // the totals at its start
	line                              int
}

func (r *xunitReader) openGroup() {
	n := r.t.res.Counts
	s := xunitState{
		total: r.claim(xunitTotal), failed: r.claim(xunitFailed), errors: r.claim(xunitErrorsAttr),
		records: n.Tests, broken: n.Failed + n.Errors, skipped: n.Skipped, strayed: r.runErrors, line: r.x.src.line(),
	}
	for _, id := range []uint8{xunitSkipped, xunitNotRun} {
		s.unlisted += max(0, number(r.x.attr(id)))
	}
	r.groups = append(r.groups, s)
}

// closeGroup compares what an assembly or a collection claims with its records. The format has no other word for how
// a run ended: a failure that only a count shows is one.
func (r *xunitReader) closeGroup() {
	s := r.groups[len(r.groups)-1]
	r.groups = r.groups[:len(r.groups)-1]
	n := r.t.res.Counts
	records, broken := n.Tests-s.records, n.Failed+n.Errors-s.broken
	if s.total >= 0 {
		r.disagree(s.total-records-max(0, s.unlisted-(n.Skipped-s.skipped)), "tests", s.line)
		r.fewer = r.fewer || s.total < records
	}
	r.disagree(s.failed-broken, "failures", s.line)
	r.disagree(s.errors-(r.runErrors-s.strayed), "errors", s.line)
	if max(s.failed, 0) > 0 && broken == 0 || max(s.errors, 0) > 0 && r.runErrors == s.strayed {
		r.declaredFailure(s.line)
	}
	r.fewer = r.fewer || s.failed >= 0 && s.failed < broken
}
