package testresult

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// jsonFormats are the formats that are one JSON object.
var jsonFormats = []string{"ctrf", "jest", "mocha", "pytest-json", "vitest"}

// jsonFixtures returns the fixtures of these formats, and fails if one has none.
func jsonFixtures(tb testing.TB) []string {
	tb.Helper()
	var out []string
	for _, format := range jsonFormats {
		n := len(out)
		for _, path := range fixtures(tb) {
			if strings.Contains(path, "testdata/"+format+"/") {
				out = append(out, path)
			}
		}
		if len(out) == n {
			tb.Fatalf("no fixtures of %s", format)
		}
	}
	return out
}

// ctrfWith is a report that passes, with more in it: of a test, and behind the tests.
func ctrfWith(inTest, inResults string) string {
	return `{"reportFormat":"CTRF","results":{"tool":{"name":"t"},"summary":{"tests":1,"passed":1},"tests":[{"name":"a","status":"passed"` + inTest + `}]` + inResults + `}}`
}

// TestRefusedJSON lists documents that are none, with the code that says why, and those that only look so.
func TestRefusedJSON(t *testing.T) {
	text := func(s string) string { return ctrfWith(`,"message":"`+s+`"`, "") }
	value := func(s string) string { return ctrfWith("", `,"extra":`+s) }
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	many := "{"
	for i := range 100 {
		many += fmt.Sprintf(`"k%d":%d,`, i, i)
	}
	for _, c := range []struct {
		doc  string
		code string // "" for a document that passes
	}{
		{ctrfWith("", ""), ""}, {" \r\n\t" + ctrfWith("", "") + " \r\n\t", ""}, {"\uFEFF" + ctrfWith("", ""), ""}, {encodeUTF16(ctrfWith("", ""), false, true), ""},
		{"\uFEFF\uFEFF" + ctrfWith("", ""), NoteNotResults}, {"", NoteUnclosed}, {"  ", NoteUnclosed}, {"[]", NoteNotResults}, {`"a"`, NoteNotResults}, {"Done.\n" + ctrfWith("", ""), NoteNotResults},
		{ctrfWith("", "") + "{}", NoteTrailing}, {ctrfWith("", "") + "\x00", NoteTrailing}, {ctrfWith("", "") + "\nDone.", NoteTrailing}, {ctrfWith("", "") + "\uFEFF", NoteTrailing}, {ctrfWith("", "") + "]", NoteTrailing},
		{value("null"), ""}, {value("true"), ""}, {value("false"), ""}, {value("nul"), NoteMalformed}, {value("True"), NoteMalformed}, {value("truex"), NoteMalformed}, {value("undefined"), NoteMalformed}, {value("NaN"), NoteMalformed}, {value("Infinity"), NoteMalformed},
		{value("0"), ""}, {value("-0"), ""}, {value("1e999"), ""}, {value("-1.50E+05"), ""}, {value("0.0"), ""}, {value("01"), NoteMalformed}, {value("1."), NoteMalformed}, {value(".5"), NoteMalformed}, {value("+1"), NoteMalformed}, {value("-"), NoteMalformed}, {value("1e"), NoteMalformed}, {value("1e+"), NoteMalformed}, {value("0x1"), NoteMalformed}, {value(strings.Repeat("9", 1<<19)), ""},
		{value("[]"), ""}, {value("{}"), ""}, {value("[1, {} ,[ ]\n]"), ""}, {value("[1,]"), NoteMalformed}, {value("[,1]"), NoteMalformed}, {value("[1 2]"), NoteMalformed}, {value("[1}"), NoteMalformed}, {value(`{"a":1]`), NoteMalformed}, {value(`{"a":1,}`), NoteMalformed}, {value(`{"a"}`), NoteMalformed}, {value(`{"a" 1}`), NoteMalformed}, {value(`{"a"::1}`), NoteMalformed}, {value(`{a:1}`), NoteMalformed}, {value(`{'a':1}`), NoteMalformed}, {value(`{1:1}`), NoteMalformed}, {value("// c\n1"), NoteMalformed}, {value("\f1"), NoteMalformed}, {value("\u00a01"), NoteMalformed},
		{value(`{"a" : 1 , "b" : 2}`), ""}, {value(`{"a":1,"a":1}`), NoteDuplicate}, {value(`{"a":1,"\u0061":2}`), NoteDuplicate}, {value(`{"":1,"":2}`), NoteDuplicate}, {value(`{"a":{"a":1},"b":{"a":1}}`), ""}, {value(many + `"z":1}`), ""}, {value(many + `"k7":1}`), NoteDuplicate}, {value(many + `"k99":1}`), NoteDuplicate}, {value(`{"a":1,"A":2}`), ""},
		{ctrfWith(`,"status":"passed"`, ""), NoteDuplicate}, {ctrfWith("", `,"tests":[]`), NoteDuplicate}, {ctrfWith("", `,"summary":{"tests":0}`), NoteDuplicate},
		{text(`\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é😀`), ""}, {text(`\x`), NoteMalformed}, {text(`\u12G4`), NoteMalformed}, {text(`\u12`), NoteMalformed}, {text("\t"), NoteMalformed}, {text("\x01"), NoteMalformed}, {text("a\nb"), NoteMalformed}, {text("\x7f"), ""}, {text(`\ud83d`), ""}, {text(`\ude00\ud83d`), ""}, {text(`\ud83dx`), ""},
		{text("\xff"), NoteEncoding}, {text("\xed\xa0\x80"), NoteEncoding}, {text("\xc3("), NoteEncoding}, {text("\xf8\x88\x80\x80\x80"), NoteEncoding}, {value("{\"\xff\":1}"), NoteEncoding}, {value("\xff"), NoteMalformed},
		{value(deep), ""}, {strings.TrimSuffix(ctrfWith("", ""), "}"), NoteUnclosed}, {ctrfWith("", "")[:20], NoteUnclosed}, {`{"results":{"tests":[{"name":"a\`, NoteUnclosed}, {`{"results":tr`, NoteUnclosed}, {`{"results":-`, NoteUnclosed}, {`{"results":1`, NoteUnclosed}, {`{"a":"\ud83d\u`, NoteUnclosed},
	} {
		res := Read(strings.NewReader(c.doc), "ctrf", Limits{}, func(*Case) {})
		checkBest(t, clip([]byte(c.doc)), res)
		if c.code == "" {
			if res.Conclusion != Pass {
				t.Errorf("%.200q: %s %v, want a pass", c.doc, res.Conclusion, res.Notes)
			}
			continue
		}
		if res.Conclusion != Invalid || !slices.ContainsFunc(res.Notes, func(n Note) bool { return n.Code == c.code && n.Line > 0 }) {
			t.Errorf("%.200q: %s %v, want invalid by %s", c.doc, res.Conclusion, res.Notes, c.code)
		}
	}
}

// TestJSONLabels reads names that are not plain.
func TestJSONLabels(t *testing.T) {
	for _, c := range []struct {
		name, want string
		noted      bool
	}{
		{`a\u0041`, "aA", false}, {`\ud83d\ude00`, "😀", false}, {`a\nb\tc`, "a b c", false}, {`a\u001bb`, "a\uFFFDb", true}, {`a\u001fb`, "a\uFFFDb", true}, {`a\u007f`, "a\uFFFD", true},
		{`\ud83d`, "\uFFFD", true}, {`\ude00x`, "\uFFFDx", true}, {`\ud83d\u0041`, "\uFFFDA", true}, {"é漢", "é漢", false},
	} {
		var got Case
		res := Read(strings.NewReader(strings.Replace(ctrfWith("", ""), `"a"`, `"`+c.name+`"`, 1)), "", Limits{}, func(x *Case) { got = *x })
		noted := slices.ContainsFunc(res.Notes, func(n Note) bool { return n.Code == NoteBadCharacters })
		if got.Name != c.want || got.ID != c.want || got.Key != c.want || noted != c.noted || res.Conclusion != Pass {
			t.Errorf("%s: %+v, noted %v, %s; want %q", c.name, got, noted, res.Conclusion, c.want)
		}
	}
}

// TestJSONMembers lists documents whose members decide in ways of their own.
func TestJSONMembers(t *testing.T) {
	jest := func(top, file, test string) string {
		return `{"numTotalTests":1,"numPassedTests":1,"numFailedTests":0,"success":true` + top + `,"testResults":[{"name":"f","status":"passed"` + file + `,"assertionResults":[{"title":"a","status":"passed"` + test + `}]}]}`
	}
	mocha := func(passes string) string {
		return `{"stats":{"suites":1,"tests":1,"passes":1,"pending":0,"failures":0},"tests":[{"title":"a"}],"pending":[],"failures":[],"passes":[` + passes + `]}`
	}
	pytest := func(exit, test string) string {
		return `{"created":1,"exitcode":` + exit + `,"root":"/r","summary":{"total":1},"tests":[{"nodeid":"f.py::a","outcome":` + test + `}]}`
	}
	for _, c := range []struct {
		doc  string
		want Conclusion
		code string
	}{
		{ctrfWith(`,"flaky":"true"`, ""), Pass, ""}, {ctrfWith(`,"Status":"failed"`, ""), Incomplete, NoteNameCase}, {ctrfWith(`,"suite":7`, ""), Incomplete, NoteMissingMember}, {ctrfWith(`,"suite":[["a"]]`, ""), Incomplete, NoteMissingMember}, {ctrfWith("", `,"environment":[]`), Incomplete, NoteMissingMember},
		{`{"results":{"tool":{"name":"x"},"tests":{},"summary":[]}}`, Incomplete, NoteMissingMember}, {`{"reportFormat":"CTRF"}`, Incomplete, NoteMissingMember}, {`{"reportFormat":"CTRF","results":null}`, Incomplete, NoteMissingMember}, {`{"reportFormat":"CTRF","results":[]}`, Incomplete, NoteMissingMember},
		{strings.Replace(ctrfWith("", ""), `"tests":1`, `"tests":-1`, 1), Incomplete, NoteCountsDisagree}, {strings.Replace(ctrfWith("", ""), `"tests":1`, `"tests":99999999999999999999999`, 1), Incomplete, NoteCountsDisagree}, {strings.Replace(ctrfWith("", ""), `"tests":1`, `"tests":null`, 1), Pass, ""},
		{jest("", "", ""), Pass, ""}, {jest(`,"wasInterrupted":true`, "", ""), Incomplete, NoteInterrupted}, {jest(`,"numFailedTestSuites":1`, "", ""), Fail, NoteDeclaredFailure}, {jest(`,"snapshot":{"unmatched":1}`, "", ""), Fail, NoteDeclaredFailure}, {jest(`,"snapshot":{"failure":true}`, "", ""), Pass, ""},
		{jest("", `,"testExecError":{}`, ""), Fail, NoteSuiteError}, {jest("", `,"testExecError":null`, ""), Pass, ""}, {jest("", `,"Status":"failed"`, ""), Incomplete, NoteNameCase}, {jest("", "", `,"failureMessages":{}`), Incomplete, NoteMissingMember}, {jest(`,"NumFailedTests":4`, "", ""), Incomplete, NoteNameCase},
		{strings.Replace(jest("", "", ""), `"success":true`, `"success":0`, 1), Fail, NoteDeclaredFailure}, {strings.Replace(jest("", "", ""), `"status":"passed"`, `"status":"odd"`, 1), Incomplete, NoteUnknownStatus}, {strings.Replace(jest("", "", ""), `"status":"passed",`, ``, 1), Incomplete, NoteMissingMember},
		{`{"numTotalTests":0,"numFailedTests":0,"success":true,"testResults":[3]}`, Incomplete, NoteMissingMember}, {`{"numTotalTests":1,"numFailedTests":0,"success":false,"testResults":[]}`, Fail, NoteDeclaredFailure},
		{mocha(`{"title":"a"}`), Pass, ""}, {mocha(`{"title":"a","currentRetry":2}`), Pass, ""}, {mocha(`7`), Incomplete, NoteMissingMember}, {mocha(`null`), Incomplete, ""}, {strings.Replace(mocha(`{"title":"a"}`), `"failures":[]`, `"failures":null`, 1), Incomplete, NoteMissingMember}, {strings.Replace(mocha(`{"title":"a"}`), `[{"title":"a"}],"pending"`, `null,"pending"`, 1), Incomplete, NoteMissingMember}, {strings.Replace(mocha(`{"title":"a"}`), `"failures":[]`, `"failures":{}`, 1), Incomplete, NoteMissingMember}, {strings.Replace(mocha(`{"title":"a"}`), `"failures":[]`, `"failures":[{"title":"b","err":{"message":7}}]`, 1), Fail, ""},
		{pytest("0", `"passed"`), Pass, ""}, {pytest("0", `"passed","call":{"outcome":"failed"}`), Fail, ""}, {pytest("0", `"skipped","call":{"outcome":"failed"}`), Fail, ""}, {pytest("0", `"skipped","teardown":{"outcome":"failed"}`), Fail, ""}, {pytest("0", `"xfailed","setup":{"outcome":"failed"}`), Fail, ""}, {pytest("0", `"passed","setup":{"outcome":"passed"}`), Incomplete, NoteUnfinished}, {pytest("0", `"melted"`), Incomplete, NoteUnknownStatus}, {pytest("0", `null`), Incomplete, NoteUnknownStatus}, {pytest("0", `"subtests failed"`), Fail, ""},
		{pytest("5", `"passed"`), Fail, NoteDeclaredFailure}, {pytest("-9", `"passed"`), Fail, NoteDeclaredFailure}, {pytest("2", `"passed"`), Incomplete, NoteInterrupted}, {pytest("null", `"passed"`), Incomplete, NoteMissingMember}, {pytest("{}", `"passed"`), Fail, NoteDeclaredFailure}, {pytest(`0,"collectors":[{"nodeid":"x","outcome":"odd"}]`, `"passed"`), Incomplete, NoteUnknownStatus}, {pytest(`0,"collectors":[1]`, `"passed"`), Incomplete, NoteMissingMember},
	} {
		res := Read(strings.NewReader(c.doc), "", Limits{}, func(*Case) {})
		checkBest(t, c.doc, res)
		if res.Conclusion != c.want || c.code != "" && !slices.ContainsFunc(res.Notes, func(n Note) bool { return n.Code == c.code }) {
			t.Errorf("%s\n%s concludes %s %+v %v, want %s by %q", c.doc, res.Format, res.Conclusion, res.Counts, res.Notes, c.want, c.code)
		}
	}
}

// TestJSONPrefixes holds the laws that no part of a document passes, and that no document twice is one.
func TestJSONPrefixes(t *testing.T) {
	passes := 0
	for _, path := range jsonFixtures(t) {
		data := bytes.TrimSpace(mustRead(t, path))
		whole := Read(bytes.NewReader(data), "", Limits{}, nil)
		if whole.Conclusion == Pass {
			passes++
		}
		if slices.ContainsFunc(whole.Notes, func(n Note) bool { return n.Code == NoteTrailing }) {
			continue // its beginning is a whole document
		}
		for n := 0; n < len(data); n += stride {
			res := Read(bytes.NewReader(data[:n]), whole.Format, Limits{}, nil)
			if checkBest(t, path, res); res.Conclusion != Invalid {
				t.Fatalf("%s: %s with only %d of %d bytes", path, res.Conclusion, n, len(data))
			}
			if res := Read(bytes.NewReader(data[:n]), "", Limits{}, nil); res.Conclusion == Pass {
				t.Fatalf("%s: passes as %s with only %d of %d bytes", path, res.Format, n, len(data))
			}
		}
		if res := Read(io.MultiReader(bytes.NewReader(data), bytes.NewReader(data)), whole.Format, Limits{}, nil); res.Conclusion != Invalid {
			t.Errorf("%s twice: %s", path, res.Conclusion)
		}
	}
	if passes < len(jsonFormats) {
		t.Fatalf("only %d fixtures pass", passes)
	}
}

// TestJSONHeads tells formats apart, and from what is near them.
func TestJSONHeads(t *testing.T) {
	for head, want := range map[string]string{
		`{"reportFormat":"CTRF"`: "ctrf", `{"reportFormat":"other"}`: "", `{"results":{"tool":{"name":"x"`: "ctrf", `{"results":{"summary":{"tests":1`: "ctrf", `{"results":{"tests":[{"status":"passed","name":"a"`: "ctrf", `{"results":{"tests":[{"name":"a"}]}}`: "", `{"results":[{"tool":{"name":"x"}}]}`: "",
		`{"numFailedTests":0,"numRuntimeErrorTestSuites":0`: "jest", `{"numTotalTests":0,"openHandles":[]`: "jest", `{"numTotalTestSuites":1,"numPassedTestSuites":1`: "vitest", `{"numTotalTests":1}`: "", `{"testResults":[{"assertionResults":[`: "vitest", `{"testResults":[{"testFilePath":"x"`: "",
		`{"stats":{"suites":1,"tests":1,"passes":1},"tests":[`: "mocha", `{"stats":{"suites":1,"passes":1}`: "", `{"stats":{"suites":1,"passes":1},"results":[],"tests":[]`: "", `{"failures":[{"currentRetry":0,"fullTitle":"a"`: "mocha", `{"stats":{"suites":1,"tests":1,"passes":1},"suites":{`: "",
		`{"created":1,"duration":1,"exitcode":0`: "pytest-json", `{"exitcode":0}`: "", `{"collectors":[{"nodeid":"","outcome":"passed"`: "pytest-json", `{"tests":[{"nodeid":"a","lineno":1,"outcome":"passed"`: "pytest-json", `{"tests":11,"failures":2,"testsuites":[`: "", `{"version":"3","examples":[],"summary":{`: "",
		`{"a":` + strings.Repeat("[", 40): "", `{"reportFormat":"CTRF","a":` + strings.Repeat("[", 40): "ctrf", `{"":{"":1}}`: "", `{"a":nope,"reportFormat":"CTRF"`: "",
		`{"reportFormat":"CTRF","a":[` + "\n" + `{"Action":"pass","Package":"p","Test":"T"}` + "\n]":          "ctrf",
		`{"numFailedTests":0,"numTotalTests":0}` + "\n" + `{"type":"suite","event":"started","test_count":1}`: "vitest",
	} {
		var got []string
		for _, f := range Formats() {
			if f.Detect([]byte(head)) {
				got = append(got, f.Name)
			}
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%s: %v, want %q", head, got, want)
		}
	}
	for doc, want := range map[string]Conclusion{
		`{"a":1}`: UnknownFormat, `{"a":1}` + "\n" + `{"b":2}`: UnknownFormat, `{"a":1,}`: Invalid, `{"a"`: Invalid, `{oops}`: Invalid, `["a",1]`: UnknownFormat, `[info] started`: UnknownFormat, strings.Repeat(`{"a":`, 1<<16): UnknownFormat,
	} {
		if res := Read(strings.NewReader(doc), "", Limits{}, nil); res.Conclusion != want {
			t.Errorf("%.40s: %s %v, want %s", doc, res.Conclusion, res.Notes, want)
		}
	}
}

// TestJSONLimits meets what is oversized by name, and never passes it; long text is no matter.
func TestJSONLimits(t *testing.T) {
	word := strings.Repeat("x", 1<<10)
	before, after, _ := strings.Cut(ctrfWith(`,"message":"@"`, ""), "@")
	nameBefore, nameAfter, _ := strings.Cut(strings.Replace(ctrfWith("", ""), `"a"`, `"@"`, 1), "@")
	valueBefore, valueAfter, _ := strings.Cut(ctrfWith("", `,"extra":@`), "@")
	jestFile := func(n int) io.Reader {
		return repeatReader(`{"numTotalTests":0,"numFailedTests":0,"success":true,"testResults":[{"status":"passed","assertionResults":[{"title":"a","status":"passed"}`,
			`,{"title":"a test","status":"passed"}`, `],"name":"f"}]}`, n)
	}
	for _, c := range []struct {
		name string
		r    io.Reader
		lim  Limits
		want Conclusion
		code string
	}{
		{"deep", repeatReader(valueBefore, "[", "", 1<<20), Limits{}, Incomplete, NoteTooDeep},
		{"deep objects", repeatReader(valueBefore, `{"a":`, "", 1<<20), Limits{}, Incomplete, NoteTooDeep},
		{"long text", repeatReader(before, word, after, 100<<10), Limits{}, Pass, ""},
		{"long wide text", repeatReader(before, strings.Repeat("漢😀", 100), after, 10<<10), Limits{}, Pass, ""},
		{"long escaped text", repeatReader(before, strings.Repeat(`\u001b[31m\ud83d\ude00`, 50), after, 10<<10), Limits{}, Pass, ""},
		{"long name", repeatReader(nameBefore, word, nameAfter, 100), Limits{}, Incomplete, NoteOverLimit},
		{"long member name", repeatReader(valueBefore+`{"`, word, `":1}`+valueAfter, 1<<10), Limits{}, Incomplete, NoteOverLimit},
		{"long spaces", repeatReader(valueBefore+"1", "   \n", valueAfter, 1<<20), Limits{}, Pass, ""},
		{"long number", repeatReader(valueBefore+"1", "0000", valueAfter, 1<<20), Limits{}, Pass, ""},
		{"many members", io.MultiReader(strings.NewReader(valueBefore+`{"k":1`), &counter{format: `,"k%d":1`, left: 1 << 16}, strings.NewReader("}"+valueAfter)), Limits{}, Pass, ""},
		{"too many members", io.MultiReader(strings.NewReader(valueBefore+`{"k":1`), &counter{format: `,"k%d":1`, left: 1 << 18}, strings.NewReader("}"+valueAfter)), Limits{}, Incomplete, NoteOverLimit},
		{"many records", repeatReader(`{"reportFormat":"CTRF","results":{"summary":{},"tests":[{"name":"a","status":"passed"}`, `,{"name":"a","status":"passed"}`, `]}}`, 20), Limits{MaxCases: 10}, Incomplete, NoteOverLimit},
		{"one large file", jestFile(10_000), Limits{}, Pass, ""},
		{"one huge file", jestFile(400_000), Limits{}, Incomplete, NoteOverLimit},
	} {
		t.Run(c.name, func(t *testing.T) {
			visited := 0
			res := Read(c.r, "", c.lim, func(*Case) { visited++ })
			checkBest(t, c.name, res)
			if res.Conclusion != c.want || c.code != "" && !slices.ContainsFunc(res.Notes, func(n Note) bool { return n.Code == c.code }) {
				t.Errorf("concludes %s with %v, want %s with %s", res.Conclusion, res.Notes, c.want, c.code)
			}
			if want := res.Counts.Tests; c.lim.MaxCases == 0 && visited != want {
				t.Errorf("visited %d of %d records", visited, want)
			}
		})
	}
}

// TestJSONMemory holds the readers to memory that does not grow with the document.
func TestJSONMemory(t *testing.T) {
	for name, doc := range map[string][3]string{
		"ctrf":        {`{"results":{"summary":{"tests":1},"tests":[`, `{"name":"adds","status":"passed","suite":"cart","message":"fine"},`, `{"name":"z","status":"passed"}]}}`},
		"jest":        {`{"numTotalTests":1,"success":true,"wasInterrupted":false,"testResults":[`, `{"assertionResults":[{"title":"adds","status":"passed"}],"name":"f","status":"passed"},`, `{"assertionResults":[],"status":"passed"}]}`},
		"mocha":       {`{"stats":{"failures":0},"tests":[],"failures":[],"pending":[],"passes":[`, `{"title":"adds","fullTitle":"cart adds","err":{}},`, `{"title":"z"}]}`},
		"pytest-json": {`{"exitcode":0,"summary":{"total":1},"tests":[`, `{"nodeid":"f.py::adds","outcome":"passed","setup":{"outcome":"passed"},"call":{"outcome":"passed"},"teardown":{"outcome":"passed"}},`, `{"nodeid":"z","outcome":"passed"}]}`},
	} {
		used := func(n int) float64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if res := Read(repeatReader(doc[0], doc[1], doc[2], n), name, Limits{}, nil); res.Counts.Passed < n || res.Conclusion != Pass {
				t.Fatalf("%s: %+v %s %v, want %d tests", name, res.Counts, res.Conclusion, res.Notes, n)
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
