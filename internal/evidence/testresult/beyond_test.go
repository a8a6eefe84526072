package testresult

import (
	"slices"
	"strings"
	"testing"
)

// beyondBases are results with one test that passed and one that failed, which say nothing else.
func beyondBases() map[string]string {
	return map[string]string{
		"pytest-json": `{"created":1,"exitcode":1,"root":"/r","summary":{"passed":1,"failed":1,"total":2,"collected":2},"tests":[
{"nodeid":"t.py::a","outcome":"passed","setup":{"outcome":"passed"},"call":{"outcome":"passed"},"teardown":{"outcome":"passed"}},
{"nodeid":"t.py::b","outcome":"failed","setup":{"outcome":"passed"},"call":{"outcome":"failed"},"teardown":{"outcome":"passed"}}]}`,
		"jest": `{"numFailedTestSuites":1,"numFailedTests":1,"numPassedTests":1,"numRuntimeErrorTestSuites":0,"numTotalTestSuites":1,"numTotalTests":2,"openHandles":[],
"snapshot":{"failure":false,"unmatched":0},"success":false,"wasInterrupted":false,"testResults":[{"name":"a.test.js","status":"failed","message":"● b","assertionResults":[
{"title":"a","ancestorTitles":["cart"],"status":"passed","failureMessages":[]},{"title":"b","ancestorTitles":["cart"],"status":"failed","failureMessages":["x"]}]}]}`,
		"vitest": `{"numTotalTestSuites":4,"numFailedTestSuites":3,"numTotalTests":3,"numPassedTests":1,"numFailedTests":2,"success":false,"testResults":[
{"name":"a.test.ts","status":"failed","message":"","assertionResults":[{"title":"a","ancestorTitles":["","cart"],"status":"failed","failureMessages":["x"]},
{"title":"b","ancestorTitles":["","cart","sums"],"status":"failed","failureMessages":["x"]}]},
{"name":"b.test.ts","status":"passed","message":"","assertionResults":[{"title":"a","ancestorTitles":["","cart"],"status":"passed","failureMessages":[]}]}]}`,
		"mocha": `{"stats":{"suites":1,"tests":2,"passes":1,"pending":0,"failures":1},"tests":[{"title":"a","fullTitle":"c a"},{"title":"b","fullTitle":"c b"}],"pending":[],
"failures":[{"title":"b","fullTitle":"c b","err":{"message":"x"}}],"passes":[{"title":"a","fullTitle":"c a","err":{}}]}`,
		"ctrf": `{"reportFormat":"CTRF","results":{"tool":{"name":"x"},"summary":{"tests":2},"tests":[{"name":"a","status":"passed","rawStatus":"passed"},{"name":"b","status":"failed"}]}}`,
		"trx": `<TestRun id="a"><Results><UnitTestResult testId="1" testName="N.A" outcome="Passed"/><UnitTestResult testId="2" testName="N.B(x: &quot;1&quot;)" outcome="Failed"/></Results>
<ResultSummary outcome="Failed"><Counters total="2" failed="1"/><RunInfos><RunInfo outcome="Error"><Text>[xUnit.net 00:00:01.2]     N.B(x: "1") [FAIL]</Text></RunInfo></RunInfos></ResultSummary></TestRun>`,
		"nunit": `<test-results name="x.dll" total="2" failures="1"><test-suite name="S" success="False" result="Failure"><failure><message><![CDATA[One or more child tests had errors]]></message></failure>
<test-case name="N.a" executed="True" success="True"/><test-case name="N.b" executed="True" success="False"><failure><message>x</message></failure></test-case></test-suite></test-results>`,
		"libtest": `{ "type": "suite", "event": "started", "test_count": 3 }
{ "type": "test", "event": "started", "name": "a" }
{ "type": "test", "name": "a", "event": "ok" }
{ "type": "test", "event": "started", "name": "b" }
{ "type": "test", "name": "b", "event": "allowed_failure" }
{ "type": "test", "event": "started", "name": "c" }
{ "type": "test", "name": "c", "event": "failed" }
{ "type": "suite", "event": "failed", "passed": 1, "failed": 2, "allowed_failures": 1, "ignored": 0, "measured": 0 }
error: test failed, to rerun pass --lib
`,
		"go-json": `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"fail","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Output":"FAIL\n"}
{"Action":"output","Package":"p","Output":"exit status 1\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
exit status 1
make: *** [Makefile:3: test] Error 1
`,
		"tap": `1..3
ok 1 - a
not ok 2 - b
not ok 3 - c
# Looks like you failed 2 tests of 3.
# fail 2
Dubious, test returned 2 (wstat 512, 0x200)
  Non-zero exit status: 2
Result: FAIL
npm ERR! Test failed.  See above for more details.
`,
	}
}

// TestBeyondRecords holds that a run which failed for more than the tests that failed says so: where those may fail, it
// is all that is left to tell.
func TestBeyondRecords(t *testing.T) {
	for _, c := range []struct{ format, was, is string }{
		{"pytest-json", `"exitcode":1`, `"exitcode":3`}, {"pytest-json", `"exitcode":1`, `"exitcode":4`}, {"pytest-json", `"exitcode":1`, `"exitcode":-9`},
		{"pytest-json", `"exitcode":1`, `"exitcode":"137"`}, {"pytest-json", `"exitcode":1`, `"exitcode":null`}, {"pytest-json", `"exitcode":1`, `"exitcode":5`}, {"pytest-json", `"exitcode":1`, `"exitcode":2`},
		{"pytest-json", `{"passed":1,"failed":1,"total":2,"collected":2}`, `{}`},
		{"jest", `"numRuntimeErrorTestSuites":0`, `"numRuntimeErrorTestSuites":3`}, {"jest", `"numRuntimeErrorTestSuites":0`, `"numRuntimeErrorTestSuites":"3"`}, {"jest", `"numFailedTestSuites":1`, `"numFailedTestSuites":2`},
		{"jest", `"failure":false`, `"failure":true`}, {"jest", `"unmatched":0`, `"unmatched":2`}, {"jest", `"status":"failed","message":"● b"`, `"status":"passed","message":"● b"`},
		{"vitest", `"numFailedTestSuites":3`, `"numFailedTestSuites":4`}, {"vitest", `"numFailedTestSuites":3`, `"numFailedTestSuites":9`}, {"vitest", `"status":"failed","message":""`, `"status":"failed","message":"afterAll: still open"`},
		{"vitest", `"status":"passed","message":""`, `"status":"passed","message":"Failed to load url ./pay"`},
		{"mocha", `"title":"b","fullTitle":"c b","err"`, `"title":"\"after all\" hook","fullTitle":"c \"after all\" hook","err"`}, {"mocha", `{"suites":1,"tests":2,"passes":1,"pending":0,"failures":1}`, `{}`},
		{"ctrf", `"rawStatus":"passed"`, `"rawStatus":"failed"`}, {"ctrf", `"rawStatus":"passed"`, `"rawStatus":"timedOut"`}, {"ctrf", `"summary":{"tests":2}`, `"summary":{}`},
		{"trx", `</RunInfo></RunInfos>`, `</RunInfo><RunInfo outcome="Error"><Text>Der aktive Testlauf wurde abgebrochen.</Text></RunInfo></RunInfos>`},
		{"trx", `[xUnit.net 00:00:01.2]     N.B(x: "1") [FAIL]`, `Le test a planté.`}, {"trx", `N.B(x: "1") [FAIL]`, `N.A [FAIL]`}, {"trx", `</RunInfo></RunInfos>`, `</RunInfo><RunInfo outcome="Error"/></RunInfos>`},
		{"trx", `[xUnit.net 00:00:01.2]     N.B(x: "1") [FAIL]`, `Exit code indicates failure: '3'. See https://aka.ms/testingplatform/exitcodes`},
		{"nunit", `One or more child tests had errors`, `TestFixtureTearDown failed in S`},
		{"libtest", `"failed": 2, "allowed_failures": 1`, `"failed": 2, "allowed_failures": 0`}, {"libtest", `"name": "c", "event": "failed"`, `"name": "c", "event": "allowed_failure"`},
		{"libtest", "error: test failed", "make: *** [Makefile:3: test] Error 137\nerror: test failed"},
		{"go-json", `"exit status 1\n"`, `"exit status 2\n"`}, {"go-json", `"exit status 1\n"`, `"signal: killed\n"`}, {"go-json", `"Output":"FAIL\n"`, `"Output":"bye\n"`},
		{"go-json", "}\nexit status 1", "}\nexit status 3"}, {"go-json", "test] Error 1\n", "test] Error 137\n"}, {"go-json", "test] Error 1\n", "test] Segmentation fault\n"},
		{"tap", "(wstat 512, 0x200)", "(wstat 65280, 0xff00)"}, {"tap", "(wstat 512, 0x200)", "(wstat 11, 0xb)"}, {"tap", "exit status: 2", "exit status: 255"}, {"tap", "Non-zero exit status: 2", "Non-zero wait status: 9"},
		{"tap", "# Looks like you failed", "# Looks like your test exited with 255 just after 3.\n# Looks like you failed"}, {"tap", "# Looks like you failed 2 tests of 3.", "# Looks like you failed 3 tests of 4."},
		{"tap", "# Looks like you failed", "# Looks like you planned 5 tests but ran 3.\n# Looks like you failed"}, {"tap", "# fail 2\n", "# fail 3\n# fail 0\n"}, {"tap", "# fail 2\n", "# fail 2\n# cancelled 1\n"},
		{"tap", "# fail 2\n", "# Totals: pass:1 fail:2 xfail:0 xpass:0 skip:0 error:1\n"}, {"tap", "# fail 2\n", "# failed 3 of 4 tests\n"}, {"tap", "Result: FAIL\n", "  Parse errors: Bad plan.  You planned 4 tests but ran 3.\n"},
		{"tap", "npm ERR! Test failed.", "npm ERR! errno 137\nnpm ERR! Test failed."}, {"tap", "Result: FAIL\n", "Segmentation fault (core dumped)\n"}, {"tap", "Result: FAIL\n", "signal: killed\n"},
	} {
		base := beyondBases()[c.format]
		res := Read(strings.NewReader(base), c.format, Limits{}, nil)
		if res.Conclusion != Fail || res.ProcessFailure || hidden(res) {
			t.Fatalf("%s: %s %v %v", c.format, res.Conclusion, res.ProcessFailure, res.Notes)
		}
		doc := strings.Replace(base, c.was, c.is, 1)
		res = Read(strings.NewReader(doc), c.format, Limits{}, nil)
		checkBest(t, doc, res)
		if doc == base || !res.ProcessFailure && !hidden(res) {
			t.Errorf("%s with %s: %s %v", c.format, c.is, res.Conclusion, res.Notes)
		}
		if again := Read(strings.NewReader(doc), c.format, Limits{}, func(*Case) {}); again.Conclusion != res.Conclusion || again.ProcessFailure != res.ProcessFailure {
			t.Errorf("%s with %s: %s visited, %s not", c.format, c.is, again.Conclusion, res.Conclusion)
		}
	}
}

// hidden reports whether a note says that something is missing.
func hidden(res *Results) bool {
	return slices.ContainsFunc(res.Notes, func(n Note) bool {
		return slices.ContainsFunc(NoteCodes(), func(c NoteCode) bool { return c.Code == n.Code && c.AtBest != Pass && c.AtBest != Fail })
	})
}

// TestLastWords holds that a stream whose points all pass is no pass once something beside them says that the run
// failed, and that what only looks like it is none of that.
func TestLastWords(t *testing.T) {
	for line, want := range map[string]Conclusion{
		"Dubious, test returned 1 (wstat 256, 0x100)": Fail, "t/a.t .. Dubious, test returned 1 (wstat 256, 0x100)": Fail, "  Non-zero exit status: 1": Fail, "Result: FAIL": Fail,
		"# Looks like your test exited with 255 just after 1.": Fail, "# Looks like you planned 3 tests but ran 1.": Fail, "# No tests run!": Fail, "# Looks like you failed 1 test of 1.": Incomplete,
		"# fail 1\n# fail 0": Incomplete, "# fail 0\n# fail 1": Incomplete, "# cancelled 1": Incomplete, "# Totals: pass:1 fail:0 error:1": Incomplete, "# failed 1 of 2 tests": Incomplete,
		"npm ERR! Test failed.  See above for more details.": Fail, "npm error Lifecycle script `test` failed with error:": Fail, "npm ERR! code ELIFECYCLE": Fail, "npm ERR! errno 1": Fail,
		"error Command failed with exit code 1.": Fail, " ELIFECYCLE  Command failed with exit code 1.": Fail, " ELIFECYCLE  Test failed. See above for more details.": Fail,
		"make: *** [test] Error 1": Fail, "make[2]: *** [Makefile:3: test] Error 2": Fail, "make: *** [test] Killed": Fail, "Segmentation fault (core dumped)": Fail, "exit status 1": Fail, "signal: killed": Fail, "FAIL": Fail,
		"# fail 0": Pass, "# cancelled 0": Pass, "# Totals: pass:1 fail:0 error:0": Pass, "# fail safe": Pass, "# Looks like rain": Pass, "# failed": Pass, "Result: PASS": Pass, "All tests successful.": Pass,
		"npm WARN deprecated x": Pass, "make: Nothing to be done for 'test'.": Pass, "make: *** waiting": Pass, "make: *** [": Pass, "exit status 0": Pass, "error Command failed with exit code x.": Pass, "make: *** [test] Error 0": Pass,
		"the Result: FAIL": Pass, "    # Looks like you planned 3 tests but ran 1.": Pass,
	} {
		for format, base := range map[string]string{"tap": "1..1\nok 1 - a\n", "go-json": string(mustRead(t, "testdata/go-json/pass.jsonl")), "libtest": string(mustRead(t, "testdata/libtest/pass.jsonl"))} {
			tool := strings.HasPrefix(line, "npm") || strings.HasPrefix(line, "make") || strings.HasPrefix(line, "error Command") || strings.HasPrefix(line, "Segm")
			if format != "tap" && !tool {
				continue
			}
			if res := Read(strings.NewReader(base+line+"\n"), format, Limits{}, nil); res.Conclusion != want {
				t.Errorf("%s, %q: %s %v, want %s", format, line, res.Conclusion, res.Notes, want)
			}
		}
	}
}

// TestOtherDocuments holds that results of another format among the lines of a stream keep it from passing.
func TestOtherDocuments(t *testing.T) {
	jest := string(mustRead(t, "testdata/jest/mixed.json"))
	if !strings.HasPrefix(jest, "{\n") {
		t.Fatal("not over many lines")
	}
	event := `{"Time":"2026-11-30T17:32:31Z","Action":"fail","Package":"p","Test":"TestA"}`
	suite := `{ "type": "suite", "event": "started", "test_count": 1 }`
	bases := map[string]string{"tap": "1..1\nok 1 - a\n", "go-json": string(mustRead(t, "testdata/go-json/pass.jsonl")), "libtest": string(mustRead(t, "testdata/libtest/pass.jsonl"))}
	for more, formats := range map[string]string{
		`<testsuite tests="1" failures="1"><testcase name="x"><failure/></testcase></testsuite>`: "tap go-json libtest", `<?xml version="1.0"?>`: "tap go-json libtest", "<testsuites>": "tap go-json libtest", "<testsuite\n name='a'>": "tap go-json libtest",
		`<x:test-run xmlns:x="y">`: "tap go-json libtest", `{"reportFormat":"CTRF","results":{}}`: "tap go-json libtest", jest: "tap", "{ a: 1 }\n" + jest: "tap", "noise\n" + jest: "tap", "{\n  a: 1\n}\n" + jest: "tap", event: "tap libtest", suite: "tap",
		"TAP version 14": "go-json libtest", "not ok 1 - a": "go-json libtest",
	} {
		for format, base := range bases {
			res := Read(strings.NewReader(base+more+"\n"), format, Limits{}, nil)
			if strings.Contains(formats, format) && (res.Conclusion == Pass || !hidden(res)) {
				t.Errorf("%s with %.40q: %s %v", format, more, res.Conclusion, res.Notes)
			}
		}
	}
	for _, noise := range []string{"<html>", "<", "<testsuitex>", "{ a: 1 }", `{"a": 1}`, "{\n  \"level\": \"info\"\n}", "ok 1 - a", "not ok", "#<Cart>", "TAP is a protocol"} {
		for format, base := range bases {
			if strings.Contains(noise, "ok") && format == "tap" || strings.Contains(noise, "\n") && format != "tap" || noise == "{ a: 1 }" && format != "tap" {
				continue
			}
			if res := Read(strings.NewReader(base+noise+"\n"), format, Limits{}, nil); res.Conclusion != Pass {
				t.Errorf("%s with %q: %s %v", format, noise, res.Conclusion, res.Notes)
			}
		}
	}
}
