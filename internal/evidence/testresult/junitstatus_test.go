package testresult

import (
	"slices"
	"strings"
	"testing"
)

// TestStatusWords reads the words that runners write, in their spellings; a word that nobody knows never passes.
func TestStatusWords(t *testing.T) {
	for words, want := range map[string]Status{
		" |\t": NoStatus, "run|completed|Passed|PASS|Success|SUCCESSFUL|ok|succeeded|fixed|expected": Passed,
		"flaky": Flaky, "notrun|not_run|Not Run|notExecuted|skipped|Disabled|suppressed|ignored|pending|untested": Skipped,
		"xfail|Expected Failure|todo": Todo, "failed|failed |FAIL|failure|Timed out|TIMED_OUT|TestFailed|unexpected|N/OK": Failed,
		"error|interrupted|Inconclusive|undefined|aborted|cancelled|canceled|killed|crashed|InProgress|broken": Errored,
		"wonky|passed?|not passed|0|true|pass fail|ｐassed|" + strings.Repeat("pass", 40):                       Unfinished,
	} {
		for _, word := range strings.Split(words, "|") {
			if got := attrStatus([]byte(word)); got != want {
				t.Errorf("%q is %s, want %s", word, statusName(got), statusName(want))
			}
			for _, name := range []string{"status", "result"} {
				res := readString(`<testsuite><testcase name="sound"/><testcase name="a" ` + name + `="` + word + `"><system-out>x</system-out></testcase></testsuite>`)
				checkBest(t, word, res)
				passes := want == NoStatus || want == Passed || want == Flaky || want == Skipped || want == Todo
				if passes != (res.Conclusion == Pass) || (want == Passed || want == NoStatus) != (res.Counts.Passed == 2 && res.Counts.Flaky == 0) {
					t.Errorf("%s=%q concludes %s, %+v", name, word, res.Conclusion, res.Counts)
				}
			}
		}
	}
}

// TestSuiteWords hears what suites say of themselves, and counts that are none.
func TestSuiteWords(t *testing.T) {
	const good, bad = `<testcase name="a"/>`, `<testcase name="b"><failure/></testcase>`
	for _, c := range []struct {
		attributes, body string
		want             Conclusion
		beyond           bool // the run failed beyond its records
		code             string
	}{
		{`status="passed"`, good, Pass, false, ""}, {`result="Success"`, good, Pass, false, ""}, {`status="skipped"`, good, Pass, false, ""}, {`status=""`, good, Pass, false, ""},
		{`status="failed"`, good, Fail, true, NoteSuiteError}, {`status="failed"`, good + bad, Fail, false, ""}, {`result="Aborted"`, good + bad, Fail, true, NoteSuiteError},
		{`status="timeout"`, good + bad, Fail, true, NoteSuiteError}, {`status="interrupted"`, good, Fail, true, NoteSuiteError}, {`status="wonky"`, good, Incomplete, false, NoteUnknownStatus},
		{`failures="1,000"`, good, Incomplete, false, NoteCountsDisagree}, {`failures="99999999999"`, good, Incomplete, false, NoteCountsDisagree}, {`failures="1.0"`, good, Incomplete, false, NoteCountsDisagree},
		{`errors="-1"`, good, Incomplete, false, NoteCountsDisagree}, {`tests="many"`, good, Incomplete, false, NoteCountsDisagree}, {`tests="."`, good, Incomplete, false, NoteCountsDisagree},
		{`failures="0.0" errors="-0" tests=" "`, good, Pass, false, ""}, {`failures="" errors="00"`, good, Pass, false, ""}, {`skipped="none"`, good, Pass, false, ""},
		{`Failures="1"`, good, Incomplete, false, NoteNameCase}, {`STATUS="failed"`, good, Incomplete, false, NoteNameCase}, {`Name="s" ID="1"`, good, Pass, false, ""},
		{``, `<testcase name="a"><Failure/></testcase>`, Incomplete, false, NoteNameCase}, {``, good + `<testcase name="b"><ERROR>x</ERROR></testcase>`, Incomplete, false, NoteNameCase},
		{``, good + `<testCase name="b"><failure/></testCase>`, Fail, true, NoteNameCase}, {``, good + `<TestSuite/>`, Incomplete, false, NoteNameCase}, {``, good + `<testcase name="b"><rerunfailure/></testcase>`, Incomplete, false, NoteNameCase},
		{``, good + `<testcase name="b" Status="failed" className="x"/>`, Incomplete, false, NoteNameCase}, {``, `<testcase name="b" className="x"/>`, Pass, false, ""},
		{``, `<testcase name="b" status="failed"><skipped/></testcase>`, Fail, false, ""}, {``, good + `<testcase name="b" status="wonky"><skipped/></testcase>`, Pass, false, ""},
		{``, `<testcase name="b" status="` + strings.Repeat(" ", 300) + `failed"/>`, Fail, false, ""},
	} {
		for _, doc := range []string{`<testsuite ` + c.attributes + `>` + c.body + `</testsuite>`, `<testsuites ` + c.attributes + `><testsuite>` + c.body + `</testsuite></testsuites>`} {
			res := readString(doc)
			checkBest(t, doc, res)
			noted := c.code == "" || slices.ContainsFunc(res.Notes, func(n Note) bool { return n.Code == c.code && n.Line == 1 })
			if res.Conclusion != c.want || res.ProcessFailure != c.beyond || !noted {
				t.Errorf("%s\nconcludes %s, beyond its records %v, %v; want %s, %v, %q", doc, res.Conclusion, res.ProcessFailure, res.Notes, c.want, c.beyond, c.code)
			}
		}
	}
}

// FuzzStatus holds the law that a test passes only by a word that is known, whatever the word.
func FuzzStatus(f *testing.F) {
	for _, seed := range []string{"passed", "failed ", "inter\trupted", "", "Ｐassed", "ok\u0301"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, word string) {
		escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;").Replace(word)
		res := readString(`<testsuite><testcase name="a" result="` + escaped + `"/></testsuite>`)
		if res.Conclusion != Pass {
			return
		}
		switch strings.Join(strings.FieldsFunc(strings.ToLower(word), func(r rune) bool { return strings.ContainsRune(" \t\r\n_-./", r) }), "") {
		case "", "run", "ran", "executed", "complete", "completed", "finished", "done", "pass", "passed", "passing", "success", "successful", "succeeded", "ok", "okay", "fixed", "expected", "flaky":
		default:
			t.Errorf("%q passes", word)
		}
	})
}
