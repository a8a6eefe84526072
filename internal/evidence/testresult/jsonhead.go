package testresult

import "bytes"

// maxHeadDepth is how deep the head of a document is looked into; what tells formats apart is within four levels.
const maxHeadDepth = 16

// jsonHead is what the first bytes of a JSON document show. What they show is only ever a hint at the format: the
// reader of that format checks the document.
type jsonHead struct {
	e     goEvent
	path  [maxHeadDepth][]byte // the names of the open members, nil for an element of an array
	close [maxHeadDepth]byte
	depth int

	reports bool
	// For each format, how many of its marks are there.
	ctrf, ctrfTest, mocha, mochaList, mochaTest, foreign, jestCounts, jestOnly, pytest, pytestTest int
}

// jsonFormat tells which of the formats that are one JSON object a head is of, "" if none. It is one decision, so
// that no head is of two.
func jsonFormat(head []byte) string {
	head = bytes.TrimLeft(head, " \t\r\n")
	if len(head) == 0 || head[0] != '{' {
		return ""
	}
	h := jsonHead{}
	h.e.b = head
	h.walk()
	switch {
	case h.reports || h.ctrf > 0 || h.ctrfTest > 1:
		return "ctrf"
	case h.jestOnly > 0 && h.jestCounts > 0:
		return "jest"
	case h.jestCounts > 1:
		return "vitest"
	case h.pytest > 2 || h.pytestTest > 1:
		return "pytest-json"
	case h.foreign == 0 && (h.mocha > 1 && h.mochaList > 0 || h.mochaTest > 1):
		return "mocha"
	}
	return ""
}

// walk looks at every value of the head in turn, until the head ends or is no JSON.
func (h *jsonHead) walk() {
	e := &h.e
	for {
		if !e.space() {
			return
		}
		first, at := e.b[e.i], e.i
		h.see(first, e.b[at:])
		st, closer := e.scalar()
		if st != scanGood {
			return
		}
		if closer != 0 {
			if h.depth == maxHeadDepth {
				return
			}
			h.close[h.depth], h.path[h.depth] = closer, nil
			h.depth++
		}
		if !h.next(closer != 0) {
			return
		}
	}
}

// next goes to the next value, out of what ends before it. It reports false at the end of the document or head.
func (h *jsonHead) next(opened bool) bool {
	e := &h.e
	for h.depth > 0 {
		if !e.space() {
			return false
		}
		closer := h.close[h.depth-1]
		switch c := e.b[e.i]; {
		case c == closer:
			e.i++
			h.depth--
			opened = false
			continue
		case opened:
		case c == ',':
			e.i++
		default:
			return false
		}
		from := e.i
		if st := e.next(closer); st != scanGood {
			return false
		}
		if closer == '}' {
			h.path[h.depth-1] = memberName(e.b[from:e.i])
		}
		return true
	}
	return false
}

// memberName cuts the name out of what leads to a member's value, its quotes and colon included.
func memberName(b []byte) []byte {
	b = bytes.TrimLeft(b, " \t\r\n")
	end, _, st := scanString(b, 1)
	if st != scanGood {
		return nil
	}
	return b[1:end]
}

// at reports whether the value that is next is at the path; "" stands for an element of an array.
func (h *jsonHead) at(path ...string) bool {
	if h.depth != len(path) {
		return false
	}
	for i, name := range path {
		if string(h.path[i]) != name {
			return false
		}
	}
	return true
}

// see counts the mark that a value is.
func (h *jsonHead) see(first byte, value []byte) {
	number := first >= '0' && first <= '9'
	switch {
	case h.depth == 1:
		h.seeTop(first, value)
	case h.at("results", "tool") && first == '{', h.at("results", "summary") && first == '{':
		h.ctrfTest++
	case h.at("results", "tool", "name") && first == '"', h.at("results", "summary", "passed"), h.at("results", "summary", "tests"):
		h.ctrf++
	case h.at("results", "tests", "", "status") && first == '"', h.at("results", "tests", "", "name") && first == '"':
		h.ctrfTest++
	case h.at("stats", "passes") && number, h.at("stats", "failures") && number, h.at("stats", "suites") && number:
		h.mocha++
	case h.depth == 3 && h.path[1] == nil:
		h.seeElement(first)
	}
}

// seeElement looks at a member of an element of a list in the outermost object.
func (h *jsonHead) seeElement(first byte) {
	name := string(h.path[2])
	switch string(h.path[0]) {
	case "tests", "collectors":
		if first == '"' && (name == "nodeid" || name == "outcome") {
			h.pytestTest++
		}
		if name == "fullTitle" || name == "currentRetry" {
			h.mochaTest++
		}
	case "pending", "failures", "passes":
		if name == "fullTitle" || name == "currentRetry" {
			h.mochaTest++
		}
	case "testResults":
		if name == "assertionResults" && first == '[' {
			h.jestCounts += 2
		}
	}
}

func (h *jsonHead) seeTop(first byte, value []byte) {
	number := first >= '0' && first <= '9'
	switch string(h.path[0]) {
	case "reportFormat":
		h.reports = bytes.HasPrefix(value, []byte(`"CTRF"`))
	case "numTotalTests", "numPassedTests", "numFailedTests", "numPendingTests", "numTotalTestSuites", "numPassedTestSuites", "numFailedTestSuites":
		if number {
			h.jestCounts++
		}
	case "numRuntimeErrorTestSuites", "openHandles", "wasInterrupted":
		h.jestOnly++
	case "exitcode":
		if number {
			h.pytest += 2
		}
	case "created", "root", "collectors":
		h.pytest++
	case "summary", "environment":
		if first == '{' {
			h.pytest++
		}
	case "tests", "pending", "failures", "passes":
		if first == '[' {
			h.mochaList++
		}
	case "results", "suites":
		h.foreign++
	}
}
