package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// explained are the fixtures whose only sign of a failed run is one that any failed test gives: with one among the
// records, the run has failed for no more than that.
func explained() map[string]string {
	return map[string]string{
		"testdata/nunit/run-failed.xml":          "the run failed, as it does where a test failed",
		"testdata/pytest-json/exit-alone.json":   "exit code 1 is that of tests that failed",
		"testdata/trx/failed-without-record.trx": "the run failed, as it does where a test failed",
		"testdata/vitest/not-a-success.json":     "success is false where a test failed",
	}
}

// raise adds one to each declared count that a pattern finds; its first group is the number.
func raise(doc string, first bool, patterns ...string) string {
	for _, p := range patterns {
		re := regexp.MustCompile(p)
		done := false
		doc = re.ReplaceAllStringFunc(doc, func(s string) string {
			if first && done {
				return s
			}
			done = true
			at := re.FindStringSubmatchIndex(s)
			n, err := strconv.Atoi(s[at[2]:at[3]])
			if err != nil {
				return s
			}
			return s[:at[2]] + strconv.Itoa(n+1) + s[at[3]:]
		})
	}
	return doc
}

// element puts an element at the front of the JSON array that a member's name begins; "" if there is none.
func element(doc, member, add string) string {
	at := regexp.MustCompile(`"` + member + `":\s*\[`).FindStringIndex(doc)
	if at == nil {
		return ""
	}
	if rest := strings.TrimLeft(doc[at[1]:], " \t\r\n"); rest != "" && rest[0] != ']' {
		add += ","
	}
	return doc[:at[1]] + add + doc[at[1]:]
}

// inside puts text before the last of the end tags that is there first; "" if none is.
func inside(doc, add string, ends ...string) string {
	for _, end := range ends {
		if i := strings.LastIndex(doc, end); i >= 0 {
			return doc[:i] + add + doc[i:]
		}
	}
	return ""
}

// rootTag applies a change to the start tag of the outermost element.
func rootTag(doc string, change func(string) string) string {
	at := regexp.MustCompile(`<[A-Za-z][^>]*>`).FindStringIndex(doc)
	if at == nil {
		return doc
	}
	return doc[:at[0]] + change(doc[at[0]:at[1]]) + doc[at[1]:]
}

// withFailure adds one failed test to results of a format, and to the counts that the whole declares; "" where there is
// no place for it.
func withFailure(format, doc string) string {
	const name = "known-to-fail"
	switch format {
	case "junit":
		doc = rootTag(doc, func(tag string) string { return raise(tag, true, `\btests="(\d+)"`, `\bfailures="(\d+)"`) })
		return inside(doc, `<testsuite name="z" tests="1" failures="1"><testcase name="`+name+`"><failure/></testcase></testsuite>`, "</testsuites>", "</testsuite>")
	case "nunit":
		doc = rootTag(doc, func(tag string) string { return raise(tag, true, `\btotal="(\d+)"`, `\bfail(?:ed|ures)="(\d+)"`) })
		return inside(doc, `<test-suite type="TestFixture" name="Z" result="Failed"><failure><message>One or more child tests had errors</message></failure><test-case name="`+
			name+`" fullname="Z.`+name+`" result="Failed"><failure/></test-case></test-suite>`, "</test-run>", "</test-results>", "</test-suite>")
	case "xunit":
		doc = rootTag(doc, func(tag string) string { return raise(tag, true, `\btotal="(\d+)"`, `\bfailed="(\d+)"`) })
		test := `<collection total="1" failed="1"><test name="` + name + `" type="Z" result="Fail"/></collection>`
		if strings.Contains(doc, "</assemblies>") {
			test = `<assembly name="z" total="1" failed="1">` + test + `</assembly>`
		}
		return inside(doc, test, "</assemblies>", "</assembly>")
	case "trx":
		doc = raise(doc, true, `\btotal="(\d+)"`, `\bexecuted="(\d+)"`, `\bfailed="(\d+)"`)
		return inside(doc, `<UnitTestResult testId="z" testName="`+name+`" outcome="Failed"/>`, "</Results>")
	case "jest", "vitest":
		doc = raise(doc, true, `"numTotalTests":\s*(\d+)`, `"numFailedTests":\s*(\d+)`, `"numTotalTestSuites":\s*(\d+)`, `"numFailedTestSuites":\s*(\d+)`)
		return element(doc, "testResults", `{"name":"z","status":"failed","message":"","assertionResults":[{"title":"`+name+`","fullName":"`+name+`","ancestorTitles":[],"status":"failed","failureMessages":["x"]}]}`)
	case "pytest-json":
		doc = raise(doc, true, `"total":\s*(\d+)`, `"failed":\s*(\d+)`, `"collected":\s*(\d+)`)
		return element(doc, "tests", `{"nodeid":"z.py::`+name+`","outcome":"failed","setup":{"outcome":"passed"},"call":{"outcome":"failed"},"teardown":{"outcome":"passed"}}`)
	case "mocha":
		doc = raise(doc, true, `"tests":\s*(\d+)`, `"failures":\s*(\d+)`)
		test := `{"title":"` + name + `","fullTitle":"z ` + name + `","err":{"message":"x"}}`
		if with := element(doc, "tests", test); with != "" {
			return element(with, "failures", test)
		}
		return element(doc, "failures", test)
	case "ctrf":
		doc = raise(doc, true, `"tests":\s*(\d+)`, `"failed":\s*(\d+)`)
		return element(doc, "tests", `{"name":"`+name+`","status":"failed","duration":1}`)
	case "go-json":
		if strings.HasPrefix(strings.TrimSpace(doc), "[") {
			return ""
		}
		return `{"Action":"start","Package":"z"}` + "\n" + `{"Action":"run","Package":"z","Test":"TestZ"}` + "\n" + `{"Action":"fail","Package":"z","Test":"TestZ"}` + "\n" +
			`{"Action":"output","Package":"z","Output":"FAIL\n"}` + "\n" + `{"Action":"fail","Package":"z"}` + "\n" + doc
	case "libtest":
		return `{ "type": "suite", "event": "started", "test_count": 1 }` + "\n" + `{ "type": "test", "event": "started", "name": "` + name + `" }` + "\n" +
			`{ "type": "test", "name": "` + name + `", "event": "failed" }` + "\n" + `{ "type": "suite", "event": "failed", "passed": 0, "failed": 1 }` + "\n" + doc
	case "tap":
		head := regexp.MustCompile(`^(?:(?:TAP version \d+|1\.\.\d+.*|pragma .*)\r?\n)*`).FindString(doc)
		doc = head + "not ok - " + name + "\n" + doc[len(head):]
		return raise(doc, true, `(?m)^1\.\.(\d+)`, `(?m)^# fail\s+(\d+)`)
	}
	return ""
}

// TestKnownFailures holds the law that a failure which is allowed hides nothing: results of a run that failed beyond its
// records, or that are not whole, are no better with one more failed test among them.
func TestKnownFailures(t *testing.T) {
	paths, err := filepath.Glob("testresult/testdata/*/*")
	if err != nil || len(paths) == 0 {
		t.Fatal("no fixtures", err)
	}
	k, _ := KindByName("tests")
	params := json.RawMessage(`{"max_failed": 1000}`)
	tried := map[string]int{}
	for _, path := range paths {
		if filepath.Ext(path) == ".golden" {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		state := func(doc []byte) (string, Finding) {
			s := ReadTests(bytes.NewReader(doc), "", Keep{Names: true, Properties: true})
			d := Document{Name: path, Readable: true, Tests: s}
			trouble := troubleOf(&d, false)
			why, failed := runFailed(s)
			if failed || trouble.Code != "" {
				why = fmt.Sprintf("%s %s %s", why, trouble.Code, trouble.Detail)
			}
			return why, k.Judge(params, k.Observe(params, Input{Documents: []Document{d}}))
		}
		before, _ := state(data)
		format := filepath.Base(filepath.Dir(path))
		with := withFailure(format, string(data))
		if before == "" || with == "" {
			continue
		}
		tried[format]++
		after, f := state([]byte(with))
		if _, ok := explained()[strings.TrimPrefix(path, "testresult/")]; ok {
			if after != "" {
				t.Errorf("%s needs no exception: %s", path, after)
			}
			continue
		}
		if after == "" || f.State == Verified {
			t.Errorf("%s: %s\nwith one more failure: %q %+v", path, before, after, f)
		}
	}
	for _, format := range TestFormats() {
		if tried[format] < 2 {
			t.Errorf("%s: only %d results fail beyond their records", format, tried[format])
		}
	}
	t.Log(tried)
}
