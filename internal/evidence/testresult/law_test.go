package testresult

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func readString(doc string) *Results { return Read(strings.NewReader(doc), "", Limits{}, nil) }

// TestFormats holds the list to its order and each format to its own heads.
func TestFormats(t *testing.T) {
	names := []string{}
	for _, f := range Formats() {
		names = append(names, f.Name)
		if f.Doc == "" || f.Detect == nil || f.read == nil {
			t.Errorf("format %s is not whole", f.Name)
		}
		for _, head := range []string{"", " ", "\x00", "{}", "[]", "<a/>", "ok\n", "ok  \tshop\t0.1s\n", "<!DOCTYPE html><html></html>", "%PDF-1.7"} {
			if f.Detect([]byte(head)) {
				t.Errorf("format %s takes %q for its own", f.Name, head)
			}
		}
		if res := f.Parse(strings.NewReader(""), Limits{}, nil); res.Conclusion == Pass || res.Format != f.Name {
			t.Errorf("format %s concludes %s of nothing", f.Name, res.Conclusion)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("formats are not in name order or not unique: %v", names)
	}
	for _, path := range fixtures(t) {
		head := bytes.TrimPrefix(mustRead(t, path), []byte(byteOrderMark))
		head = head[:min(len(head), headBytes)]
		accepted := 0
		for _, f := range Formats() {
			if f.Detect(head) {
				accepted++
			}
		}
		if accepted != 1 {
			t.Errorf("%s: %d formats accept it", path, accepted)
		}
	}
	if res := (Format{Name: "unread"}).Parse(strings.NewReader("x"), Limits{}, nil); res.Conclusion != UnknownFormat {
		t.Errorf("a format without a reader concludes %s", res.Conclusion)
	}
}

// TestNoteCodes holds the constants, the list and the fixtures together.
func TestNoteCodes(t *testing.T) {
	listed := map[string]bool{}
	last := ""
	for _, c := range NoteCodes() {
		if c.Code <= last || c.Meaning == "" || c.AtBest == "" {
			t.Errorf("code %q is out of order or not whole", c.Code)
		}
		last, listed[c.Code] = c.Code, true
	}
	src, err := os.ReadFile("note.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`Note\w+ += "(tests/[a-z-]+)"`).FindAllSubmatch(src, -1)
	if len(declared) != len(listed) {
		t.Errorf("%d codes declared, %d listed", len(declared), len(listed))
	}
	for _, m := range declared {
		if !listed[string(m[1])] {
			t.Errorf("code %s is not listed", m[1])
		}
	}
}

// checkBest fails if a conclusion is better than one of its notes allows.
func checkBest(tb testing.TB, what string, res *Results) {
	tb.Helper()
	for _, n := range res.Notes {
		i := slices.IndexFunc(NoteCodes(), func(c NoteCode) bool { return c.Code == n.Code })
		if i < 0 {
			tb.Errorf("%s: note %q is not listed", what, n.Code)
			continue
		}
		best := NoteCodes()[i].AtBest
		ok := res.Conclusion == best || res.Conclusion == Invalid || best == Pass || best == Incomplete && res.Conclusion == Fail
		if !ok {
			tb.Errorf("%s: concludes %s with note %s, which allows %s at best", what, res.Conclusion, n.Code, best)
		}
	}
	if len(res.Notes) > maxNotes {
		tb.Errorf("%s: %d notes", what, len(res.Notes))
	}
	n := res.Counts
	if n.Tests != n.Passed+n.Failed+n.Errors-n.Stray+n.Skipped+n.Other || n.Stray > n.Errors || n.Flaky > n.Passed || n.Todo > n.Skipped+n.Other {
		tb.Errorf("%s: counts do not add up: %+v", what, n)
	}
	if res.Conclusion == Pass && (n.Passed == 0 || n.Failed+n.Errors > 0 || n.Other > n.Todo || res.ProcessFailure) {
		tb.Errorf("%s: passes with %+v, process failure %v", what, n, res.ProcessFailure)
	}
}

// TestPrefixes holds the law that no prefix of a document passes: of XML, none that ends before the root element
// does; of an event stream, none but one that is itself a whole stream, where every package that began ended.
func TestPrefixes(t *testing.T) {
	for _, path := range fixtures(t) {
		data := mustRead(t, path)
		format := Read(bytes.NewReader(data), "", Limits{}, nil).Format
		passes := 0
		for n := range data {
			// Of long files some are enough: all short ones, those around line ends, the last ones, and one in 17 besides.
			if n > 1<<10 && n%17 != 0 && data[n-1] != '\n' && data[n] != '\n' && n < len(data)-64 {
				continue
			}
			if n%stride != 0 && n < len(data)-1 {
				continue
			}
			res := Read(bytes.NewReader(data[:n]), format, Limits{}, nil)
			checkBest(t, path, res)
			if res.Conclusion != Pass {
				continue
			}
			passes++
			if rest := bytes.TrimSpace(data[n:]); isXML(format) && len(rest) > 0 {
				t.Errorf("%s: passes with only %d of %d bytes", path, n, len(data))
			} else if format == "go-json" && !wholeStream(data[:n]) {
				t.Errorf("%s: passes with only %d of %d bytes, an unfinished stream", path, n, len(data))
			}
		}
		if strings.HasSuffix(path, "pass.jsonl") && passes == 0 {
			t.Errorf("%s: not even all but the last line end passes", path)
		}
	}
}

// isXML reports whether a format's files are XML documents.
func isXML(format string) bool {
	return slices.Contains([]string{"junit", "nunit", "trx", "xunit"}, format)
}

// wholeStream reports by the plainest means whether every package that begins in data ends in it.
func wholeStream(data []byte) bool {
	begun := bytes.Count(data, []byte(`"Action":"start"`)) + bytes.Count(data, []byte(`"Action": "start"`))
	terminal := regexp.MustCompile(`"Action": ?"(pass|fail|skip)",\s*"Package": ?"[^"]*"(,\s*"Elapsed": ?[0-9.]+)?\s*}`)
	return len(terminal.FindAll(data, -1)) >= begun
}

// TestConcatenation holds the law that two XML documents in one file are none.
func TestConcatenation(t *testing.T) {
	docs := 0
	for _, path := range fixtures(t) {
		data := mustRead(t, path)
		if format := Read(bytes.NewReader(data), "", Limits{}, nil).Format; !isXML(format) {
			continue
		}
		docs++
		for _, between := range []string{"", "\n", "<!-- and -->"} {
			twice := string(data) + between + string(data)
			if res := readString(twice); res.Conclusion != Invalid {
				t.Errorf("%s twice, with %q between: %s", path, between, res.Conclusion)
			}
		}
	}
	if docs == 0 {
		t.Fatal("no XML fixtures")
	}
}

// TestStreamsConcatenate holds the law that two event streams in one file add up.
func TestStreamsConcatenate(t *testing.T) {
	data := string(mustRead(t, "testdata/go-json/pass.jsonl"))
	one, two := readString(data), readString(data+"\uFEFF"+data)
	if two.Counts.Tests != 2*one.Counts.Tests || two.Conclusion != Pass {
		t.Errorf("twice %+v is %+v %s %v", one.Counts, two.Counts, two.Conclusion, two.Notes)
	}
}

// TestReaders reads through readers that misbehave.
func TestReaders(t *testing.T) {
	for _, path := range []string{"testdata/junit/pytest.xml", "testdata/go-json/count.jsonl", "testdata/junit/gtest.xml"} {
		data := mustRead(t, path)
		want := Read(bytes.NewReader(data), "", Limits{}, nil)
		for name, r := range map[string]io.Reader{
			"data with error": iotest.DataErrReader(bytes.NewReader(data)),
			"half":            iotest.HalfReader(bytes.NewReader(data)),
		} {
			if got := Read(r, "", Limits{}, nil); got.Counts != want.Counts || got.Conclusion != want.Conclusion {
				t.Errorf("%s by %s: %+v %s, want %+v %s", path, name, got.Counts, got.Conclusion, want.Counts, want.Conclusion)
			}
		}
		broken := io.MultiReader(bytes.NewReader(data[:len(data)/2]), iotest.ErrReader(errors.New("disk on fire")))
		if got := Read(broken, "", Limits{}, nil); got.Conclusion == Pass || got.Conclusion == Empty {
			t.Errorf("%s with a read error: %s", path, got.Conclusion)
		}
		whole := io.MultiReader(bytes.NewReader(data), iotest.ErrReader(errors.New("disk on fire")))
		if got := Read(whole, "", Limits{}, nil); !slices.ContainsFunc(got.Notes, func(n Note) bool { return n.Code == NoteReadError }) {
			t.Errorf("%s: a read error at the end goes unnoted: %v", path, got.Notes)
		}
	}
	for name, r := range map[string]io.Reader{
		"stuck": stuckReader{}, "lying": lyingReader{}, "broken": iotest.ErrReader(errors.New("gone")),
	} {
		if got := Read(r, "", Limits{}, nil); got.Conclusion != Incomplete {
			t.Errorf("%s reader: %s, want incomplete", name, got.Conclusion)
		}
		if got := Read(r, "junit", Limits{}, nil); got.Conclusion != Incomplete && got.Conclusion != Invalid {
			t.Errorf("%s reader as junit: %s", name, got.Conclusion)
		}
	}
}

type stuckReader struct{}

func (stuckReader) Read([]byte) (int, error) { return 0, nil }

type lyingReader struct{}

func (lyingReader) Read(p []byte) (int, error) { return len(p) + 1, errors.New("lied") }

// repeatReader repeats a piece a number of times between a head and a tail.
func repeatReader(head, piece, tail string, n int) io.Reader {
	return io.MultiReader(strings.NewReader(head), &pieces{piece: piece, left: n}, strings.NewReader(tail))
}

type pieces struct {
	piece string
	at    int
	left  int
}

func (p *pieces) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) && p.left > 0 {
		c := copy(b[n:], p.piece[p.at:])
		n += c
		if p.at += c; p.at == len(p.piece) {
			p.at = 0
			p.left--
		}
	}
	if n == 0 && p.left == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// TestLimits meets what is oversized by name, and never passes it.
func TestLimits(t *testing.T) {
	const million = 1 << 20
	word := strings.Repeat("x", 1<<10)
	for _, c := range []struct {
		name string
		r    io.Reader
		lim  Limits
		want Conclusion
		code string
	}{
		{"deep", repeatReader("", "<testsuite>", "", million), Limits{}, Invalid, NoteTooDeep},
		{"closed and deep", repeatReader(strings.Repeat("<testsuite>", 300), "<testcase name='a'/>", strings.Repeat("</testsuite>", 300), 1), Limits{}, Incomplete, NoteTooDeep},
		{"long attribute", repeatReader(`<testsuite><testcase name="`, word, `"/></testsuite>`, 100<<10), Limits{}, Incomplete, NoteOverLimit},
		{"long unknown attribute", repeatReader(`<testsuite><testcase x="`, word, `"/></testsuite>`, 1<<10), Limits{}, Incomplete, NoteOverLimit},
		{"many attributes", repeatReader(`<testsuite `, ` a`, `/>`, 1), Limits{}, Invalid, NoteMalformed},
		{"long name", repeatReader("<testsuite><", word, "/></testsuite>", 1<<10), Limits{}, Invalid, NoteOverLimit},
		{"many cases", repeatReader("<testsuite>", "<testcase name='a'/>", "</testsuite>", 11), Limits{MaxCases: 10}, Incomplete, NoteOverLimit},
		{"long text", repeatReader("<testsuite><testcase name='a'/><system-out><![CDATA[", word, "]]></system-out></testsuite>", 100<<10), Limits{}, Pass, ""},
		{"long comment", repeatReader("<testsuite><!--", word, "--><testcase name='a'/></testsuite>", 10<<10), Limits{}, Pass, ""},
		{"long spaces", repeatReader("<testsuite><testcase ", "   \n", "name='a'/></testsuite>", million), Limits{}, Pass, ""},
		{"open tests", &counter{format: `{"Action":"run","Package":"p","Test":"Test%d"}` + "\n", left: 200_000}, Limits{}, Incomplete, NoteOverLimit},
		{"open packages", &counter{format: `{"Action":"start","Package":"p%d"}` + "\n", left: 200_000}, Limits{}, Incomplete, NoteOverLimit},
		{"long line", repeatReader(`{"Action":"start","Package":"p","Output":"`, word, "\"}\n", 1<<10), Limits{}, Incomplete, NoteOverLimit},
		{"long test name", repeatReader(`{"Action":"start","Package":"p","Test":"`, word, "\"}\n", 100), Limits{}, Incomplete, NoteMalformedLine},
		{"deep value", repeatReader(`{"Action":"start","Package":"p"}`+"\n"+`{"Action":"run","x":`, "[", "\n", 100), Limits{}, Incomplete, NoteMalformedLine},
	} {
		t.Run(c.name, func(t *testing.T) {
			format := "junit"
			if strings.Contains(c.name, "open") || strings.Contains(c.name, "line") || strings.Contains(c.name, "value") || strings.Contains(c.name, "test name") {
				format = "go-json"
			}
			res := Read(c.r, format, c.lim, func(*Case) {})
			checkBest(t, c.name, res)
			if res.Conclusion != c.want || c.code != "" && !slices.ContainsFunc(res.Notes, func(n Note) bool { return n.Code == c.code }) {
				t.Errorf("concludes %s with %v, want %s with %s", res.Conclusion, res.Notes, c.want, c.code)
			}
		})
	}
}

// counter writes numbered lines.
type counter struct {
	format string
	left   int
	held   []byte
}

func (c *counter) Read(b []byte) (int, error) {
	for len(c.held) < len(b) && c.left > 0 {
		c.held = fmt.Appendf(c.held, c.format, c.left)
		c.left--
	}
	n := copy(b, c.held)
	c.held = c.held[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// TestMemory holds the readers to memory that does not grow with the file.
func TestMemory(t *testing.T) {
	for name, read := range map[string]func(n int) io.Reader{
		"junit": func(n int) io.Reader {
			return repeatReader("<testsuite>", "<testcase name='adds' classname='Cart'><system-out>fine</system-out></testcase>\n", "</testsuite>", n)
		},
		"nunit": func(n int) io.Reader {
			return repeatReader("<test-run>", "<test-case name='adds' fullname='Cart.adds' result='Passed'><output>fine</output></test-case>\n", "</test-run>", n)
		},
		"tap": func(n int) io.Reader {
			return repeatReader("TAP version 14\n", "    ok - adds\n    1..1\nok - Cart\n  ---\n  at: cart.js\n  ...\n", "", n)
		},
		"trx": func(n int) io.Reader {
			return repeatReader("<TestRun><Results>", "<UnitTestResult testName='adds' testId='1' outcome='Passed'/>\n", "</Results><ResultSummary outcome='Completed'/></TestRun>", n)
		},
		"xunit": func(n int) io.Reader {
			return repeatReader("<assemblies><assembly><collection>", "<test name='adds' type='Cart' result='Pass'/>\n", "</collection></assembly></assemblies>", n)
		},
		"go-json": func(n int) io.Reader {
			return repeatReader("", `{"Action":"pass","Package":"p","Test":"TestAdds"}`+"\n", "", n)
		},
	} {
		used := func(n int) float64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if res := Read(read(n), name, Limits{}, nil); res.Counts.Tests != n {
				t.Fatalf("%s: %d tests, want %d", name, res.Counts.Tests, n)
			}
			runtime.ReadMemStats(&after)
			return float64(after.TotalAlloc - before.TotalAlloc)
		}
		used(1_000)
		if small, large := used(1_000), used(200_000); large > small+windowBytes*2 {
			t.Errorf("%s: %v bytes for 1,000 records, %v for 200,000", name, small, large)
		}
	}
}
