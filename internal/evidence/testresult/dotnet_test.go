package testresult

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/evidence/packed"
)

// dotnetDialects are the least documents of the .NET formats, with a place to put things.
func dotnetDialects() []struct{ format, head, tail, test string } {
	return []struct{ format, head, tail, test string }{
		{
			"trx", `<TestRun id="1" name="r" xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Results><UnitTestResult testName="a" testId="1" outcome="Passed"/></Results>`,
			`<ResultSummary outcome="Completed"/></TestRun>`, `<UnitTestResult testName="b" testId="2" outcome="Passed">`,
		},
		{
			"nunit", `<test-run result="Passed"><test-suite type="Assembly" name="x.dll"><test-case name="a" fullname="N.a" result="Passed"/>`,
			`</test-suite></test-run>`, `<test-case name="b" fullname="N.b" result="Passed">`,
		},
		{
			"xunit", `<assemblies><assembly name="x.dll"><collection><test name="a" result="Pass"/>`,
			`</collection></assembly></assemblies>`, `<test name="b" result="Pass">`,
		},
	}
}

// TestRefusedDotNet holds every XML format to the strictness of JUnit's.
func TestRefusedDotNet(t *testing.T) {
	for _, d := range dotnetDialects() {
		good := d.head + d.tail
		name, _ := xmlRoot([]byte(good))
		root := string(name)
		body := func(inside string) string { return d.head + inside + d.tail }
		for _, c := range []struct{ doc, code string }{
			{good, ""}, {`<?xml version="1.0" encoding="utf-8" standalone="no"?><!-- c -->` + good + "\n<!-- c -->\n", ""}, {"\uFEFF" + good, ""},
			{body(`<x y="&lt;&#10;&amp;"><![CDATA[<test-case>]]>&gt;</x>`), ""}, {body("<x>\x1b[31m</x>"), ""}, {`<!DOCTYPE ` + root + `>` + good, ""},
			{good[:len(good)-1], NoteUnclosed}, {d.head, NoteUnclosed}, {good + good, NoteTwoRoots}, {good + "x", NoteTrailing}, {"x" + good, NoteTrailing}, {body("</x>"), NoteMalformed},
			{body("<x></y>"), NoteMalformed}, {body(`<x y="1" y="2"/>`), NoteDuplicate}, {body(`<x name="1" name="2"/>`), NoteDuplicate}, {body("\xff"), NoteEncoding}, {body("<x y='\xe9'/>"), NoteEncoding},
			{`<!DOCTYPE x [<!ENTITY a "b">]>` + good, NoteDoctype}, {`<!DOCTYPE x SYSTEM "x" []>` + good, NoteDoctype}, {body("&nbsp;"), NoteEntity}, {body("&xxe;"), NoteEntity}, {body("a & b"), NoteEntity}, {body("]]>"), NoteMalformed},
			{body("\x00"), NoteMalformed}, {body("&#0;"), NoteMalformed}, {body("<x y='\x1b'/>"), NoteMalformed}, {body("<x y='&#27;'/>"), NoteMalformed}, {body("<x y=1/>"), NoteMalformed}, {body("<!-- -- -->"), NoteMalformed},
			{strings.Replace(good, `name="`, "name=\"\x1b", 1), NoteMalformed}, {`<?xml version="1.0" encoding="x-klingon"?>` + good, NoteEncoding}, {`<x/>`, NoteNotResults}, {`<` + strings.ToUpper(root) + `/>`, NoteNotResults},
			{body(strings.Repeat("<x>", 1<<17)), NoteTooDeep}, {"", NoteUnclosed},
		} {
			res := Read(strings.NewReader(c.doc), d.format, Limits{}, func(*Case) {})
			checkBest(t, c.doc, res)
			if c.code == "" && res.Conclusion != Pass || c.code != "" && (res.Conclusion != Invalid || !slices.ContainsFunc(res.Notes, func(n Note) bool { return n.Code == c.code })) {
				t.Errorf("%s: %.200q concludes %s %v, want %q", d.format, c.doc, res.Conclusion, res.Notes, c.code)
			}
		}
		if d.format != "trx" { // whose results hold others on purpose
			end := "</" + d.test[1:strings.IndexByte(d.test, ' ')] + ">"
			if res := Read(strings.NewReader(body(d.test+d.test+end+end)), d.format, Limits{}, nil); res.Conclusion != Invalid || res.Notes[0].Code != NoteNestedCase {
				t.Errorf("%s: a test inside a test: %s %v", d.format, res.Conclusion, res.Notes)
			}
		}
		deep := body(strings.Repeat("<x>", 300) + strings.Repeat("</x>", 300))
		if res := Read(strings.NewReader(deep), d.format, Limits{}, nil); res.Conclusion != Incomplete || res.Notes[0].Code != NoteTooDeep {
			t.Errorf("%s, deep: %s %v", d.format, res.Conclusion, res.Notes)
		}
		long := body(`<x y="` + strings.Repeat("y", defaultMaxName+1) + `"/>`)
		if res := Read(strings.NewReader(long), d.format, Limits{}, nil); res.Conclusion != Incomplete || res.Notes[0].Code != NoteOverLimit {
			t.Errorf("%s, a long attribute: %s %v", d.format, res.Conclusion, res.Notes)
		}
	}
}

// TestDotNetHeads tells the formats' root elements from those of others that look like them.
func TestDotNetHeads(t *testing.T) {
	for head, want := range map[string]string{
		`<TestRun xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2006">`: "trx", `<t:TestRun id="1" xmlns:t="x">`: "trx", `<TestRun><FailedTests>`: "", `<TestRun>`: "",
		`<test-run id="2">`: "nunit", `<test-results name="x">`: "nunit", `<test-suite type="Assembly">`: "nunit", `<n:test-run xmlns:n="x">`: "nunit", `<testrun name="x">`: "",
		`<assemblies/>`: "xunit", `<assembly name="x" run-date="2026-11-30">`: "xunit", `<assembly name="x" total="1">`: "xunit",
		`<assembly xmlns="http://maven.apache.org/ASSEMBLY/2.1.1"><id>total=</id>`: "", `<assembly manifestVersion="1.0">`: "", `<?xml version="1.0"?><!-- <testsuite> --><assemblies>`: "xunit",
	} {
		if got := Detect([]byte(head)); got != want {
			t.Errorf("%s is %q, want %q", head, got, want)
		}
	}
}

// TestDotNetWords reads results that say it in other ways, or say two things at once.
func TestDotNetWords(t *testing.T) {
	trx := func(inside string) string {
		return `<TestRun id="1"><Results><UnitTestResult testName="a" outcome="Passed"/>` + inside + `</Results><ResultSummary outcome="Completed"/></TestRun>`
	}
	summary := func(inside string) string {
		return `<TestRun id="1"><Results><UnitTestResult testName="a" outcome="Passed"/></Results>` + inside + `</TestRun>`
	}
	run := func(attributes, inside string) string {
		return `<test-run ` + attributes + `><test-case name="a" fullname="N.a" result="Passed"/>` + inside + `</test-run>`
	}
	group := func(attributes, inside string) string {
		return `<assemblies><assembly name="x"><collection ` + attributes + `><test name="a" result="Pass"/>` + inside + `</collection></assembly></assemblies>`
	}
	for _, c := range []struct {
		doc  string
		want Conclusion
		code string
	}{
		{trx(`<WebTestResult outcome="passed"/>`), Pass, ""}, {trx(`<SomeDay outcome="Failed"/>`), Fail, ""}, {trx(`<UnitTestResult outcome="NotRunnable"/>`), Pass, ""}, {trx(`<UnitTestResult outcome="Disconnected"/>`), Incomplete, NoteUnfinished},
		{trx(`<UnitTestResult Outcome="Failed"/>`), Incomplete, NoteNameCase}, {trx(`<UnitTestResult outcome=""/>`), Incomplete, NoteUnknownStatus}, {trx(`<UnitTestResult outcome="NotExecuted"><InnerResults><X outcome="Error"/></InnerResults></UnitTestResult>`), Fail, ""},
		{summary(`<ResultSummary outcome="Passed"/>`), Pass, ""}, {summary(`<ResultSummary outcome="Error"/>`), Fail, NoteSuiteError}, {summary(`<ResultSummary outcome="InProgress"/>`), Incomplete, NoteUnfinished}, {summary(`<ResultSummary outcome="Fine"/>`), Incomplete, NoteUnknownStatus},
		{summary(`<ResultSummary/>`), Incomplete, NoteUnknownStatus}, {summary(``), Incomplete, NoteNoSummary}, {summary(`<ResultSummary outcome="Completed"><Counters total="1,000"/></ResultSummary>`), Incomplete, NoteCountsDisagree},
		{summary(`<ResultSummary outcome="Completed"><Counters total="1"/></ResultSummary><ResultSummary outcome="Failed"/>`), Fail, NoteSuiteError}, {summary(`<ResultSummary outcome="Completed"><RunInfos><RunInfo outcome="Error"><Text>lost</Text></RunInfo></RunInfos></ResultSummary>`), Fail, NoteSuiteError},
		{summary(`<UnitTestResult outcome="Failed"/><ResultSummary outcome="Completed"/>`), Fail, NoteSuiteError}, {summary(`<Results><UnitTestResult outcome="Aborted"/></Results><ResultSummary outcome="Completed"/>`), Fail, ""}, {summary(`<results/><ResultSummary outcome="Completed"/>`), Incomplete, NoteNameCase},
		{run(`result="Passed"`, ``), Pass, ""}, {run(``, ``), Pass, ""}, {run(`result="Failed"`, ``), Fail, NoteSuiteError}, {run(`result="Skipped"`, ``), Pass, ""}, {run(`result="Great"`, ``), Incomplete, NoteUnknownStatus}, {run(`result="Cancelled"`, ``), Fail, NoteSuiteError},
		{run(`total="3" skipped="2"`, ``), Pass, ""}, {run(`total="3"`, ``), Incomplete, NoteCountsDisagree}, {run(`failed="1"`, ``), Fail, NoteDeclaredFailure}, {run(`total="0"`, ``), Pass, NoteCountsFewer}, {run(`failed="x"`, ``), Incomplete, NoteCountsDisagree},
		{run(``, `<test-case name="b" result="Failed(Error)"/>`), Fail, ""}, {run(``, `<test-case name="b" result="Success" success="False"/>`), Fail, ""}, {run(``, `<test-case name="b" executed="False"/>`), Pass, ""}, {run(``, `<test-case name="b"/>`), Incomplete, NoteUnknownStatus},
		{run(``, `<test-case name="b" success="Turue"/>`), Incomplete, NoteUnknownStatus}, {run(``, `<test-case name="b" success="Turue" executed="True"><failure/></test-case>`), Fail, ""}, {run(``, `<test-case name="b" result="Passed"><assertions><assertion result="Error"/></assertions></test-case>`), Fail, ""},
		{run(``, `<test-suite result="Passed"><failure/></test-suite>`), Fail, NoteSuiteError}, {run(``, `<test-suite result="Failed" site="Child"/>`), Fail, NoteSuiteError}, {run(``, `<Test-Case name="b" result="Failed"/>`), Incomplete, NoteNameCase},
		{run(``, `<test-case name="b" result="Passed"><test-suite/></test-case>`), Invalid, NoteNestedCase},
		{group(`total="1"`, ``), Pass, ""}, {group(`total="2" skipped="1"`, ``), Pass, ""}, {group(`total="2"`, ``), Incomplete, NoteCountsDisagree}, {group(`failed="1"`, ``), Fail, NoteDeclaredFailure}, {group(`errors="1"`, ``), Fail, NoteDeclaredFailure},
		{group(``, `<failure><message>x</message></failure>`), Fail, NoteSuiteError}, {group(``, `<errors><error type="fatal"><failure/></error></errors>`), Fail, NoteSuiteError}, {group(``, `<test name="b"/>`), Incomplete, NoteUnknownStatus}, {group(``, `<test name="b" result="Skip"><failure/></test>`), Fail, ""},
		{group(``, `<test name="b" result="Error"/>`), Fail, ""}, {group(``, `<test name="b" result="todo"/>`), Pass, ""}, {group(``, `<test name="b" Result="Fail"/>`), Incomplete, NoteNameCase}, {group(``, `<test name="b" result="Pass"><collection/></test>`), Invalid, NoteNestedCase},
		{group(``, `<test name="b" result="Pass"><error/></test>`), Fail, ""},
	} {
		var visited Counts
		res := Read(strings.NewReader(c.doc), "", Limits{}, func(c *Case) { visited.add(c.Status) })
		checkBest(t, c.doc, res)
		if res.Conclusion != c.want || visited != res.Counts || c.code != "" && !slices.ContainsFunc(res.Notes, func(n Note) bool { return n.Code == c.code }) {
			t.Errorf("%s\nconcludes %s %+v %v, want %s by %q", c.doc, res.Conclusion, res.Counts, res.Notes, c.want, c.code)
		}
	}
}

// TestTRXWaits holds that records which wait for their classes come in document order, and that those of a file with
// more than may wait go by their ids.
func TestTRXWaits(t *testing.T) {
	doc := func(tests int) io.Reader {
		var b, defs bytes.Buffer
		for i := range tests {
			fmt.Fprintf(&b, `<UnitTestResult testId="id%d" testName="T%d" outcome="Passed"/>`, i, i)
			if i < 10 {
				fmt.Fprintf(&defs, `<UnitTest id="id%d"><TestMethod className="N.C%d"/></UnitTest>`, i, i)
			}
		}
		return strings.NewReader(`<TestRun id="1"><Results>` + b.String() + `</Results><TestDefinitions>` + defs.String() +
			`</TestDefinitions><Results><UnitTestResult testId="id3" testName="T3" outcome="Failed"/></Results><ResultSummary outcome="Failed"/></TestRun>`)
	}
	for _, tests := range []int{20, maxWaiting, maxWaiting + 1} {
		at := 0
		res := Read(doc(tests), "trx", Limits{}, func(c *Case) {
			class := at < 10 && tests <= maxWaiting || at == tests
			want, key := fmt.Sprintf("T%d", at), fmt.Sprintf("id%d", at)
			if at == tests { // behind the definitions
				want, key = "T3", "N.C3"
			} else if class {
				key = fmt.Sprintf("N.C%d", at)
			}
			id := want
			if class {
				id = key + "." + want
			}
			if c.Name != want || c.ID != id || c.Key != keySeparator+key+keySeparator+want {
				t.Errorf("%d tests, record %d: %+v", tests, at, c)
			}
			at++
		})
		if at != tests+1 || res.Counts.Tests != at || res.Counts.Failed != 1 || res.Conclusion != Fail {
			t.Errorf("%d tests: %d visited, %+v %s", tests, at, res.Counts, res.Conclusion)
		}
	}
}

// fuzzDotNet holds a reader to encoding/xml: it refuses what encoding/xml refuses, and more for the reasons in stricter
// alone; what both accept they count alike; and no whole document twice is a document.
func fuzzDotNet(f *testing.F, format string, count func(*oracleNode) Counts) {
	addFixtures(f, "testdata/"+format)
	f.Fuzz(func(t *testing.T, data []byte) {
		var visited Counts
		res := Read(bytes.NewReader(data), format, Limits{}, func(c *Case) { visited.add(c.Status) })
		checkBest(t, "document", res)
		if visited != res.Counts {
			t.Errorf("visited %+v, counted %+v", visited, res.Counts)
		}
		if packed.IsGzip(data) {
			return // another layer, with laws of its own
		}
		tree, err := oracleTree(data)
		switch {
		case res.Conclusion == Invalid && err == nil:
			if !isStricter(data, res.Notes) {
				t.Errorf("refused: %v", res.Notes)
			}
		case res.Conclusion != Invalid && err != nil:
			if !isLooser(data, res, err) {
				t.Errorf("accepted, %s; encoding/xml: %v", res.Conclusion, err)
			}
		case res.Conclusion != Invalid:
			if want := count(tree); res.Counts != want {
				t.Errorf("counts %+v, encoding/xml %+v", res.Counts, want)
			}
			if twice := Read(io.MultiReader(bytes.NewReader(data), bytes.NewReader(data)), format, Limits{}, nil); twice.Conclusion != Invalid {
				t.Errorf("twice: %s", twice.Conclusion)
			}
		}
	})
}

// FuzzTRX is fuzzDotNet for TRX.
func FuzzTRX(f *testing.F) { fuzzDotNet(f, "trx", oracleTRX) }

// FuzzNUnit is fuzzDotNet for NUnit.
func FuzzNUnit(f *testing.F) { fuzzDotNet(f, "nunit", oracleNUnit) }

// FuzzXUnit is fuzzDotNet for xUnit.net.
func FuzzXUnit(f *testing.F) { fuzzDotNet(f, "xunit", oracleXUnit) }
