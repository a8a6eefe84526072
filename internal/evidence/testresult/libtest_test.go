package testresult

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

const (
	ltSuite1 = `{ "type": "suite", "event": "started", "test_count": 1 }` + "\n"
	ltBegin  = `{ "type": "test", "event": "started", "name": "a" }` + "\n"
	ltOK     = `{ "type": "test", "name": "a", "event": "ok" }` + "\n"
	ltFail   = `{ "type": "test", "name": "a", "event": "failed", "stdout": "why\n" }` + "\n"
	ltEnd    = `{ "type": "suite", "event": "ok", "passed": 1, "failed": 0, "ignored": 0, "measured": 0, "filtered_out": 0 }` + "\n"
	ltEndBad = `{ "type": "suite", "event": "failed", "passed": 0, "failed": 1, "ignored": 0, "measured": 0, "filtered_out": 0 }` + "\n"
)

// TestLibtestStreams concludes about short streams.
func TestLibtestStreams(t *testing.T) {
	for _, c := range []struct {
		name, doc  string
		conclusion Conclusion
		code       string
	}{
		{"pass", ltSuite1 + ltBegin + ltOK + ltEnd, Pass, ""}, {"fail", ltSuite1 + ltBegin + ltFail + ltEndBad, Fail, ""}, {"two suites", strings.Repeat(ltSuite1+ltBegin+ltOK+ltEnd, 2), Pass, ""},
		{"nothing", "", Empty, NoteEmptyFile}, {"no events", "running 1 test\n", Invalid, NoteNotResults}, {"other objects", `{"reason":"build-finished"}` + "\n", Invalid, NoteNotResults},
		{"other objects between", ltSuite1 + `{"reason":"compiler-artifact","name":"x"}` + "\n" + ltBegin + ltOK + ltEnd, Pass, NoteForeignLines},
		{"no end", ltSuite1 + ltBegin + ltOK, Incomplete, NoteNoTerminalEvent}, {"no end of the first", ltSuite1 + ltBegin + ltOK + ltSuite1 + ltBegin + ltOK + ltEnd, Incomplete, NoteNoTerminalEvent},
		{"no beginning", ltBegin + ltOK + ltEnd, Incomplete, NoteNoTerminalEvent}, {"an end alone", ltEnd, Incomplete, NoteNoTerminalEvent}, {"not started", ltSuite1 + ltOK + ltEnd, Incomplete, NoteRepeated},
		{"started twice", ltSuite1 + ltBegin + ltBegin + ltOK + ltEnd, Incomplete, NoteRepeated}, {"failed and ok", ltSuite1 + ltBegin + ltFail + ltOK + ltEnd, Fail, NoteRepeated},
		{"failed, the suite ok", ltSuite1 + ltBegin + ltFail + ltEnd, Fail, NoteCountsDisagree}, {"ok, the suite failed", ltSuite1 + ltBegin + ltOK + ltEndBad, Fail, NotePackageFailed},
		{"an unknown event of a suite", ltSuite1 + ltBegin + ltOK + `{"type":"suite","event":"paused"}` + "\n" + ltEnd, Incomplete, NoteUnknownAction}, {"a member in another case", ltSuite1 + ltBegin + ltOK + strings.Replace(ltEnd, "event", "Event", 1), Incomplete, NoteMalformedLine},
		{"a member with an escape", ltSuite1 + ltBegin + strings.Replace(ltOK, "event", `\u0065vent`, 1) + ltEnd, Pass, ""}, {"a count that is none", ltSuite1 + ltBegin + ltOK + strings.Replace(ltEnd, `"passed": 1`, `"passed": -1`, 1), Incomplete, NoteMalformedLine},
		{"a count of a wrong type", strings.Replace(ltSuite1, "1", `"1"`, 1) + ltBegin + ltOK + ltEnd, Incomplete, NoteMalformedLine}, {"a name of a wrong type", ltSuite1 + ltBegin + strings.Replace(ltOK, `"a"`, "1", 1) + ltEnd, Incomplete, NoteMalformedLine},
		{"something behind an event", ltSuite1 + ltBegin + strings.TrimSpace(ltOK) + "x\n" + ltEnd, Incomplete, NoteMalformedLine}, {"an end without a line end", ltSuite1 + ltBegin + ltOK + strings.TrimSpace(ltEnd), Pass, ""},
		{"a report", ltSuite1 + ltBegin + ltOK + ltEnd + `{ "type": "report", "total_time": 1.5, "compilation_time": 1.0 }` + "\n", Pass, ""}, {"cargo gives up", ltSuite1 + ltBegin + ltOK + ltEnd + "error: test failed, to rerun pass `--lib`\n", Fail, NotePlainFailure},
		{"cargo says what is known", ltSuite1 + ltBegin + ltFail + ltEndBad + "error: test failed, to rerun pass `--lib`\n", Fail, NoteForeignLines}, {"no build", "error: could not compile `shop`\n", Fail, NoteBuildFailed},
		{"retries of a name with a hash", ltSuite1 + strings.Replace(ltBegin, `"a"`, `"a#2"`, 1) + strings.Replace(ltOK, `"a"`, `"a#2"`, 1) + ltEnd, Pass, ""},
		{"nested object twice", strings.Replace(ltSuite1, "}", `, "nextest": {"crate":"a","crate":"b"} }`, 1) + ltBegin + ltOK + ltEnd, Incomplete, NoteMalformedLine},
	} {
		res := Read(strings.NewReader(c.doc), "libtest", Limits{}, nil)
		checkBest(t, c.name, res)
		if res.Conclusion != c.conclusion || c.code != "" && !hasNote(res, c.code) || c.code == "" && len(res.Notes) > 0 {
			t.Errorf("%s: %s %v, want %s with %q", c.name, res.Conclusion, res.Notes, c.conclusion, c.code)
		}
	}
}

// TestLibtestPrefixes holds the law that no part of a stream passes that ends inside a suite.
func TestLibtestPrefixes(t *testing.T) {
	suite := ltSuite1 + ltBegin + ltOK + ltEnd
	doc := suite + suite
	for n := range doc {
		whole := n == len(suite) || n == len(suite)-1 || n == len(doc)-1 // the last line end is no part of it
		if res := Read(strings.NewReader(doc[:n]), "libtest", Limits{}, nil); (res.Conclusion == Pass) != whole {
			t.Errorf("%d of %d bytes: %s %v", n, len(doc), res.Conclusion, res.Notes)
		}
	}
}

// TestLibtestRetries reads what cargo-nextest writes of tests that it tried again, and of overlapping suites.
func TestLibtestRetries(t *testing.T) {
	var cases []Case
	data := mustRead(t, "testdata/libtest/nextest-plus.jsonl")
	res := Read(strings.NewReader(string(data)), "", Limits{}, func(c *Case) { cases = append(cases, *c) })
	if res.Conclusion != Pass || res.Counts.Flaky != 1 || len(cases) != 3 {
		t.Fatalf("%s %+v %v", res.Conclusion, res.Counts, cases)
	}
	if c := cases[2]; c.ID != "shop::shop$cart::flaky" || c.Name != "cart::flaky" || c.Status != Flaky {
		t.Errorf("%+v", c)
	}
}

// TestLibtestLimits meets what is oversized by name, and never passes it.
func TestLibtestLimits(t *testing.T) {
	word := strings.Repeat("x", 1<<10)
	for _, c := range []struct {
		name string
		r    io.Reader
		want Conclusion
	}{
		{"output beyond the window", repeatReader(ltSuite1+ltBegin+`{ "type": "test", "name": "a", "event": "failed", "stdout": "`, word, "\" }\n"+ltEndBad, 1<<10), Fail},
		{"passing output beyond the window", repeatReader(ltSuite1+ltBegin+`{ "type": "test", "name": "a", "event": "ok", "stdout": "`, word, "\" }\n"+ltEnd, 1<<10), Incomplete},
		{"long name", repeatReader(ltSuite1+`{ "type": "test", "event": "started", "name": "`, word, "\" }\n"+ltOK+ltEnd, 100), Incomplete},
		{"open tests", &counter{format: `{"type":"test","event":"started","name":"t%d"}` + "\n", left: 100_000}, Incomplete},
		{"open suites", &counter{format: `{"type":"suite","event":"started","test_count":0,"nextest":{"crate":"c%d","test_binary":"b","kind":"lib"}}` + "\n", left: 100_000}, Incomplete},
		{"ended and never started", &counter{format: `{"type":"test","event":"ok","name":"t%d"}` + "\n", left: 1000}, Incomplete},
	} {
		res := Read(c.r, "libtest", Limits{}, func(*Case) {})
		checkBest(t, c.name, res)
		if res.Conclusion != c.want || !hasNote(res, NoteOverLimit) && !hasNote(res, NoteRepeated) {
			t.Errorf("%s: %s with %v, want %s", c.name, res.Conclusion, res.Notes, c.want)
		}
	}
}

// TestLibtestDetection tells the stream by its first event.
func TestLibtestDetection(t *testing.T) {
	for head, want := range map[string]bool{
		ltSuite1: true, "   Compiling shop v0.1.0\n" + ltSuite1: true, "{}\n" + ltSuite1: true, ltBegin: true, `{"type":"bench","name":"b","median":1}`: true, ltSuite1[:30]: false, ltFail[:60]: true,
		"{\n" + ltSuite1: false, "<a>\n" + ltSuite1: false, `{"type":"suite"}`: false, `{"type":"test","event":"ok"}`: false, `{"type":"report"}`: false, "1..2\n": false,
		fmt.Sprintf("%s\n%s", `{"Action":"pass","Package":"p"}`, ltSuite1): false,
	} {
		if got := detectLibtest([]byte(head)); got != want {
			t.Errorf("%.60q: %v", head, got)
		}
	}
}
