package claims

import (
	"fmt"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/report"
)

// short is a claim in one line: kind, scope, numbers, command.
func short(c Claim) string {
	out := []string{string(c.Kind)}
	if c.Scope != "" {
		out = append(out, string(c.Scope))
	}
	for _, n := range []struct {
		name string
		n    *int
	}{{"p", c.Passed}, {"f", c.Failed}, {"s", c.Skipped}, {"t", c.Total}, {"exit", c.Exit}} {
		if n.n != nil {
			out = append(out, fmt.Sprint(n.name, *n.n))
		}
	}
	if c.Command != "" {
		out = append(out, c.Command)
	}
	if c.From == FromBox {
		out = append(out, "box")
	}
	return strings.Join(out, " ")
}

func found(texts ...string) string {
	var out []string
	for _, c := range Find(&report.Reading{}, texts).Claims {
		out = append(out, short(c))
	}
	return strings.Join(out, "; ")
}

// TestRunners reads the summaries of common runners as they print them, and as they are told.
func TestRunners(t *testing.T) {
	for _, c := range [][2]string{
		{"pytest -q: 118 passed in 42.6s", "tests p118"},
		{"=========== 12 passed, 2 skipped, 1 xfailed in 3.41s ===========", "tests p12 s2"},
		{"2 failed, 116 passed, 3 errors in 12.00s", "tests p116 f5"},
		{"go test -count=1 ./...: ok, 214 tests", "tests p214 t214"},
		{"go test ./...: ok", "command whole exit0 go test ./..."},
		{"go vet ./... : clean", "command part exit0 go vet ./..."},
		{"Tests:       1 failed, 2 skipped, 11 passed, 14 total", "tests p11 f1 s2 t14"},
		{"Test Suites: 3 passed, 3 total", ""},
		{"Test Suites: 3 passed, 3 total\nTests: 24 passed, 24 total\nSnapshots: 2 passed, 2 total", "tests p24 t24"},
		{"Test Files  3 passed (3)\nTests  25 passed (25)", "tests p25 t25"},
		{"12 passing (34ms)\n1 failing", "tests p12 f1"},
		{"test result: ok. 31 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.02s", "tests p31 f0 s1"},
		{"14 examples, 0 failures, 2 pending", "tests p12 f0 s2 t14"},
		{"Passed!  - Failed:     0, Passed:    41, Skipped:     2, Total:    43, Duration: 1 s - unit.dll (net9.0)", "tests p41 f0 s2 t43"},
		{"Tests run: 17, Failures: 0, Errors: 0, Skipped: 1", "tests p16 f0 s1 t17"},
		{"[INFO] Tests run: 17, Failures: 1, Errors: 0, Skipped: 0", "tests p16 f1 s0 t17"},
		{"19 tests completed, 1 failed", "tests p18 f1 t19"},
		{"OK (21 tests, 55 assertions)", "tests p21 t21"},
		{"Tests: 21, Assertions: 55, Failures: 1.", "tests p20 f1 t21"},
		{"Ran 22 tests in 0.003s\n\nOK", ""},
		{"Ran 22 tests in 0.003s: OK", "tests p22 t22"},
		{"# tests 9\n", ""},
		{"ℹ tests 9 ℹ pass 8 ℹ fail 1", "tests p8 f1 t9"},
		{"100% tests passed, 0 tests failed out of 15", "all_tests whole"},
		{"80% tests passed, 3 tests failed out of 15", ""},
		{"16 tests, 0 failures", "tests p16 f0 t16"},
		{"`cargo nextest run`: 605 tests run: 605 passed, 1 skipped", "tests p605 s1 t605"},
		{"node --test: tests 4, pass 1, fail 0, skipped 1, todo 2", "tests part p1 f0 s1 t4"},
		{"node: pass 3, fail 0", "tests p3 f0"},
		{"Executed 12 tests, with 0 failures (0 unexpected) in 0.1s", "tests p12 f0 t12"},
		{"12 tests passed, 1 test failed", "tests p12 f1"},
		{"Tests passed: 42", "tests p42"},
		{"Tests passed: 42/43", "tests p42 t43"},
		{"42 pass\n0 fail", "tests p42 f0"},
		{"3 tests ran, none failed", "tests p3 f0 t3"},
		{"1,234 tests passed", "tests p1234"},
		{"38/38 tests pass", "tests p38 t38"},
		{"12 of 12 tests passed", "tests p12 t12"},
		{"11/12 tests passed", "tests p11 t12"},
		{"| Unit tests | 120 passed |", "tests p120"},
		{"| Parser | 120 passed |", "tests part p120"},
		{"Full suite: 340 passed, 0 failed.", "tests whole p340 f0"},
		{"All 340 tests pass.", "tests whole p340"},
		{"**All 340 tests pass** ✅", "tests whole p340"},
		{"All 12 tests in the file pass.", "tests part p12"},
		{"All 12 parser tests pass.", "tests part p12"},
		{"4 new tests, all passing", "tests part p4"},
		{"`cargo test -p core`: 49 passed", "tests part p49"},
		{"pytest tests/api: 49 passed", "tests part p49"},
		{"npm test: 49 passed", "tests p49"},
		{"Backend: 49 passed", "tests part p49"},
		{"The change is small; 49 tests pass, 2 skipped.", "tests p49 s2"},
	} {
		if got := found(c[0]); got != c[1] {
			t.Errorf("%q\n got %q\nwant %q", c[0], got, c[1])
		}
	}
}

func TestAllPass(t *testing.T) {
	for _, c := range [][2]string{
		{"All tests pass.", "all_tests whole"},
		{"all tests are passing now", "all_tests whole"},
		{"All unit tests pass locally.", "all_tests whole"},
		{"The full test suite passes.", "all_tests whole"},
		{"After the fix all tests pass.", "all_tests whole"},
		{"Test suite is green", "all_tests whole"},
		{"Tests: passing", "all_tests whole"},
		{"Tests: ✅ passing", "all_tests whole"},
		{"Verified that all tests pass.", "all_tests whole"},
		{"Fixed the parser, and all tests pass.", "all_tests whole"},
		{"The existing tests pass.", "all_tests part"},
		{"All tests in the package pass.", "all_tests part"},
		{"All tests pass for the parser.", "all_tests part"},
		{"All tests pass on 3.14.", "all_tests part"},
		{"All tests\npass.", "all_tests whole"},
		{"All tests pass, and the docs are in place.", "all_tests whole"},
		{"- [x] All tests pass", "all_tests whole box"},
		{"## Test plan\n\n- [x] All tests pass\n- [ ] CI passes\n", "all_tests whole box"},
		{"- [x] `make test`", "checked box"},
		{"- [x] I tested this on a phone", "checked box"},
		{"- [x] Add the parser", ""},
		{"- [x] Tests added", ""},
		{"`make lint` passes", "command part exit0 make lint"},
		{"`npm test` exits with code 1", "command whole exit1 npm test"},
		{"`pnpm run build` locally — passes.", "command part exit0 pnpm run build"},
		{"make check: ok", "command part exit0 make check"},
	} {
		if got := found(c[0]); got != c[1] {
			t.Errorf("%q\n got %q\nwant %q", c[0], got, c[1])
		}
	}
}

// TestNoClaim are texts out of which nothing may be taken for a claim of success.
func TestNoClaim(t *testing.T) {
	for _, s := range []string{
		// negations
		"Not all tests pass.", "Not all\ntests pass.", "Not all of the 12 tests pass.", "Some tests pass.", "Most tests pass.", "Almost all tests pass.", "None of the tests pass.",
		"I could not confirm that all tests pass.", "The tests don't pass.", "The tests don’t pass.", "It is not true that 12 tests pass.", "No tests pass.", "Only 3 tests pass.",
		"All tests pass is wrong.", "All tests pass, except the slow ones.", "All tests pass (except two).", "All tests pass apart from one.", "Not yet 12 passed.",
		"❌ All tests pass", "~~All tests pass~~", "All tests pass without the fix.", "Without this, 12 tests pass.", "Never had 12 passed.",
		// plans, demands, conditions, questions
		"All tests should pass.", "The tests must pass.", "All tests will pass once the service is up.", "If all tests pass, merge.", "When 12 tests pass, merge.", "Merge after CI shows 12 passed.",
		"Make sure all tests pass.", "Make all tests pass.", "Ensure all tests pass.", "Verify all tests pass.", "TODO: 12 tests pass", "I expect 12 passed.", "Goal: all tests pass.",
		"All tests pass?", "Do all tests pass?", "12 passed?", "Wait until all tests pass.", "Please check that all tests pass; they should.", "To get all tests passing, run it twice.",
		"## Test plan\n\n- All tests pass\n- 12 passed\n", "**Expected**\n\nAll tests pass.", "TODO:\n- All tests pass\n", "## Before\n\n12 tests pass, 3 fail.", "Expected:\n\n- 12 passed, 0 failed\n",
		"| Before | After |\n|---|---|\n| 12 passed | 14 passed |\n",
		// another time
		"Previously all tests pass.", "Before: 12 passed.", "On main 12 tests pass.", "All tests pass on master.",
		// quotations and code
		`The old report said "all tests pass".`, "It prints “12 passed”.", "> All tests pass", "> 12 passed\nand so on", "```\n12 passed\n```", "~~~text\nAll tests pass\n~~~", "    12 passed\n",
		"`12 passed`", "`All tests pass`", "<!-- All tests pass -->", "<code>All tests pass</code>", "<pre>\n12 passed\n</pre>", "<del>All tests pass</del>", "<s>12 passed</s>", "<blockquote>All tests pass</blockquote>",
		"He wrote 'all tests pass' there.", "The bot claims all tests pass.", "[^1]: All tests pass", "[a]: /u 'All tests pass'\n",
		// boxes
		"- [ ] All tests pass", "* [ ] 12 passed", "1. [ ] All tests pass", "- [ ] Run it\n  - All tests pass\n", "- [-] All tests pass", "☐ All tests pass", "[ ] All tests pass",
		"- [ ] All\n  tests pass",
		// other numbers
		"Step 3 passed.", "Phase 2 passed", "#12 passed", "Test 12 passed.", "5 arguments passed", "3 passed arguments", "2 passes over the tree", "12 checks passed", "12 files changed", "3 jobs passed", "about 12 passed", "over 300 tests pass",
		"12% passed", "12+ tests passed", "v1.2 passed", "The tests pass a flag through.", "All tests pass `--foo` to it.", "tests passed to the runner", "12 tests", "Added 12 tests.", "3 failed", "3 tests fail", "0 errors", "223 checks: 223 pass, 31 skip",
		"Failing tests pass now.", "The assertion that 12 passed is bogus and false", "n\u200bot all tests pass",
		"e.g. all tests pass", "For example, 12 passed.", "All tests pass - not true", "With the guard removed, all tests pass.",
		"The test suites\npassed to us are old.", "passed 12 arguments", "You pass 2, as before.", "The tests pass and fail randomly.", "Tests pass: no", "| Tests pass | no |", "| All tests pass | todo |", "All tests pass (pending CI)", "All tests pass — not",
		"Tests pass/fail as before.", "# pass 12", "tests 3, 4 and 5", "they pass 2, 3",
	} {
		for _, c := range Find(&report.Reading{}, []string{s}).Claims {
			t.Errorf("%q is taken for a claim: %s", s, short(c))
		}
	}
}

func TestAdmissions(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"Not run: the integration tests.", true},
		{"I could not run the tests.", true},
		{"I couldn't run the test suite here.", true},
		{"I couldn’t run the tests.", true},
		{"The integration tests were not run.", true},
		{"Integration tests: not run", true},
		{"The e2e tests could not be run locally.", true},
		{"Unable to run the tests in this sandbox.", true},
		{"- [x] Could not run the tests", true},
		{"- [ ] Tests not run", true},
		{"`npm test` was not run", true},
		{"Did not run the tests.", true},
		{"No tests were run.", true},
		{"No tests were run by it when the flag is off.", false},
		{"The tests compile, but could not be executed here.", true},
		{"Tests that do not run on Linux are skipped.", false},
		{"The migration could not run twice.", false},
		{"The old build couldn't run it in the image.", false},
		{"If the tests could not run, the job fails.", false},
		{"> I could not run the tests", false},
		{"`could not run the tests`", false},
		{"Could not run the tests?", false},
	} {
		got := found(c.text)
		if (strings.TrimSuffix(got, " box") == "admission") != c.want || !c.want && got != "" {
			t.Errorf("%q: %q", c.text, got)
		}
	}
}

func TestJapanese(t *testing.T) {
	for _, c := range [][2]string{
		{"テスト: 12件成功", "tests p12"},
		{"テスト12件が成功しました。", "tests p12"},
		{"12件のテストが成功しました", "tests p12"},
		{"全テスト通過", "all_tests whole"},
		{"- 全てのテストが成功しています。", "all_tests whole"},
		{"すべてのテストが通過しました。", "all_tests whole"},
		{"全テスト通過の予定", ""},
		{"全てのテストが成功していません", ""},
		{"全てのテストが成功するはずです", ""},
		{"全テスト通過？", ""},
		{"全テスト通過したらマージします", ""},
		{"「全テスト通過」と表示", ""},
		{"- [ ] 全テスト通過", ""},
		{"テストは実行していません。", "admission"},
		{"テストを12件追加しました。", ""},
		{"変更: パーサを直しました。\n\npytest: 12 passed\n", "tests p12"},
		{"12件成功", ""},
		{"ほぼ全テスト通過", ""},
	} {
		if got := found(c[0]); got != c[1] {
			t.Errorf("%q\n got %q\nwant %q", c[0], got, c[1])
		}
	}
}

// TestSources reads the lists of a report beside its prose; the block that holds the report is no prose.
func TestSources(t *testing.T) {
	r := report.Report{Evidence: []string{"pytest: 12 passed", "make lint: ok"}, Failing: []string{"a.TestB", " "}, Artifacts: []string{"dist/a.tar.gz"}}
	reading := report.Reading{Report: &r, Exits: []report.Exit{{Command: "make test", Status: "2"}, {Command: "x", Status: "killed"}}}
	body := "All tests pass.\n\n```outcome\n{\"evidence\": [\"99 passed\"]}\n```\n\npytest: 12 passed"
	var got []string
	for _, c := range Find(&reading, []string{body}).Claims {
		got = append(got, string(c.From)+" "+string(c.Kind)+" "+c.Text)
	}
	if tap := Find(&report.Reading{Report: &report.Report{Evidence: []string{"1..9\n# tests 9\n# pass 9\n# fail 0"}}}, nil).Claims; len(tap) != 1 || short(tap[0]) != "tests p9" {
		t.Errorf("TAP: %+v", tap)
	}
	want := []string{
		"evidence tests pytest: 12 passed", "evidence command make lint: ok", "failing failing a.TestB", "artifacts artifact dist/a.tar.gz",
		"runtime command make test", "prose all_tests All tests pass.",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}
