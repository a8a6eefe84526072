package testresult

import (
	"bytes"
	"io"
	"slices"
	"sync"
)

// headBytes is how much of a file is looked at to tell its format and encoding. Every known writer names
// its root element or its first event well within it.
const headBytes = 4 << 10

// Format is a result format: data and two functions, listed once in Formats.
type Format struct {
	Name string
	Doc  string
	// Detect looks at the first bytes (up to 4 KiB, decoded to UTF-8, BOM removed).
	Detect func(head []byte) bool
	// read consumes the source and leaves counts, notes and conclusion in the tally.
	read func(s *source, t *tally)
}

// Formats lists the known formats in name order. No two of them accept the same head.
func Formats() []Format { return slices.Clone(formats()) }

// formats is the one list, for the reader of many files.
var formats = sync.OnceValue(func() []Format {
	return []Format{
		jsonObject("ctrf", "Common Test Report Format (CTRF)", readCTRF),
		{Name: "go-json", Doc: "the event stream of `go test -json` (test2json)", Detect: detectGoJSON, read: readGoJSON},
		jsonObject("jest", "what jest --json writes", readJest),
		{Name: "junit", Doc: "JUnit XML in its dialects", Detect: detectJUnit, read: readJUnit},
		{Name: "libtest", Doc: "the event stream of Rust's test harness and of cargo-nextest", Detect: detectLibtest, read: readLibtest},
		jsonObject("mocha", "what Mocha's json reporter writes", readMocha),
		{Name: "nunit", Doc: "NUnit 2 and 3 XML", Detect: detectNUnit, read: readNUnit},
		jsonObject("pytest-json", "the report of pytest-json-report", readPytestJSON),
		{Name: "tap", Doc: "the Test Anything Protocol, versions 12 to 14, and KTAP", Detect: detectTAP, read: readTAP},
		{Name: "trx", Doc: "Visual Studio's TRX", Detect: detectTRX, read: readTRX},
		jsonObject("vitest", "what Vitest's json reporter writes", readJest),
		{Name: "xunit", Doc: "xUnit.net XML", Detect: detectXUnit, read: readXUnit},
	}
})

// jsonObject is a format that is one JSON object.
func jsonObject(name, doc string, read func(s *source, t *tally)) Format {
	return Format{Name: name, Doc: doc, Detect: func(head []byte) bool { return jsonFormat(head) == name }, read: read}
}

// Detect names the format of a file that begins with head (decoded to UTF-8, without BOM), or returns "".
func Detect(head []byte) string {
	for _, f := range formats() {
		if f.Detect(head) {
			return f.Name
		}
	}
	return ""
}

// Parse reads r to its end, hands every record to visit in document order (visit may be nil; the Case is
// only valid during the call, its strings are copies) and returns the model. It never fails: what is wrong
// with the file is a note and a conclusion.
func (f Format) Parse(r io.Reader, lim Limits, visit func(*Case)) *Results {
	s := openSource(r)
	defer s.release()
	return f.parse(s, newTally(f.Name, lim, visit))
}

func (f Format) parse(s *source, t *tally) *Results {
	if f.read == nil {
		return t.close(UnknownFormat)
	}
	if s.refusePacked(t) {
		return t.res
	}
	f.read(s, t)
	if s.err != nil {
		s.readFault(t)
	}
	return t.res
}

// Read reads one result file. The format "" is told from content; an unknown one concludes UnknownFormat.
// visit may be nil; it sees records as they come, so that they count for nothing if the conclusion is Invalid.
// Read never fails and never panics: what is wrong with the file is a note and a
// conclusion. It stops when r ends or errs, and keeps no more than a fixed window of it in memory.
func Read(r io.Reader, format string, lim Limits, visit func(*Case)) *Results {
	return ReadSome(r, format, lim, nil, visit)
}

// ReadSome is Read for a visitor that is asked first: visit sees the records of whose key and status asks says so. The
// key is only valid during the call. To put together the names of a record takes longer than to read it.
func ReadSome(r io.Reader, format string, lim Limits, asks func(key []byte, s Status) bool, visit func(*Case)) *Results {
	s := openSource(r)
	defer s.release()
	head := s.head()
	for _, f := range formats() {
		if f.Name == format || format == "" && f.Detect(head) {
			t := newTally(f.Name, lim, visit)
			t.asks = asks
			return f.parse(s, t)
		}
	}
	if format == "" {
		return undetected(s, head)
	}
	t := newTally("", lim, visit)
	t.note(NoteUnknownFormat, "format "+clip([]byte(format)), 0)
	return t.close(UnknownFormat)
}

// undetected concludes about a file that no format accepts: nothing at all is empty, data that claims to be
// a document of a kind that results come in is invalid, anything else is an unknown format.
func undetected(s *source, head []byte) *Results {
	t := newTally("", Limits{}, nil)
	body := bytes.TrimLeft(head, " \t\r\n")
	switch {
	case s.err != nil:
		s.readFault(t)
		return t.res
	case len(body) == 0 && s.eof:
		t.note(NoteEmptyFile, "", 0)
		return t.close(Empty)
	case s.refusePacked(t):
		return t.res
	case isXMLDeclaration(body) || bytes.HasPrefix(body, []byte("<!E")):
		t.note(NoteNotResults, "an XML document without a root element of test results", 1)
		return t.close(Invalid)
	case body[0] == '{':
		j := &jsonDoc{s: s, t: t}
		j.skip() // what begins like a document and is none is broken; more values behind the first are a stream
		if t.res.Conclusion == Invalid {
			return t.res
		}
	}
	t.note(NoteUnknownFormat, looks(head), 1)
	return t.close(UnknownFormat)
}

// What a file of no known format may look like, as the details of NoteUnknownFormat say it.
const (
	LooksGoText    = "it looks like what go test prints for people"
	LooksNestedTAP = "it looks like TAP with every test point indented, as a subtest's are"
)

// looks says what the head of a file of no known format looks like, "" if like nothing known.
func looks(head []byte) string {
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\r\n")
		if indent, body := indentation(line); indent > 0 && isTAP(body) {
			return LooksNestedTAP
		}
		line = bytes.TrimLeft(line, " ")
		for _, start := range []string{"=== RUN ", "--- PASS: ", "--- FAIL: ", "--- SKIP: ", "ok  \t", "?   \t", "FAIL\t"} {
			if bytes.HasPrefix(line, []byte(start)) {
				return LooksGoText
			}
		}
	}
	return ""
}
