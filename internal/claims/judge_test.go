package claims

import (
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/report"
)

func suite(passed, failed, skipped int) Suite {
	s := Sum{passed, failed, skipped}
	return Suite{Distinct: s, Records: s, Whole: true, FailingAll: true}
}

func seen(suites ...Suite) *Observed { return &Observed{Suites: suites} }

// verdictOf judges the one claim of a text.
func verdictOf(t *testing.T, text string, o *Observed) string {
	t.Helper()
	found := Find(&report.Reading{}, []string{text})
	if len(found.Claims) != 1 {
		t.Fatalf("%q: %d claims", text, len(found.Claims))
	}
	over := Judge(found.Claims, o)
	c := found.Claims[0]
	if over != c.Overstates || c.Overstates && c.Result != Contradicted || c.Detail == "" {
		t.Errorf("%q: %v %+v", text, over, c)
	}
	out := string(c.Result)
	if c.Overstates {
		out += "!"
	}
	return out
}

// TestJudge compares what is said with what was seen; "!" marks a claim that overstates.
func TestJudge(t *testing.T) {
	matrix := suite(10, 0, 1)
	matrix.Records = Sum{20, 0, 2}
	cut := suite(10, 1, 0)
	cut.Whole = false
	cutGreen := suite(10, 0, 0)
	cutGreen.Whole = false
	broken := suite(10, 0, 0)
	broken.Broken = true
	for _, c := range []struct {
		text string
		o    *Observed
		want string
	}{
		{"12 passed", seen(), "not_observed"},
		{"12 passed", seen(suite(12, 0, 0)), "confirmed"},
		{"12 passed", seen(suite(12, 3, 0)), "confirmed"}, // it says nothing of failures
		{"12 passed, 0 failed", seen(suite(12, 3, 0)), "contradicted!"},
		{"12 passed, 3 failed", seen(suite(12, 3, 0)), "confirmed"},
		{"12 passed, 4 failed", seen(suite(12, 3, 0)), "not_observed"},
		{"12 passed", seen(suite(340, 0, 0)), "not_observed"}, // it can be one package
		{"12 passed, 0 failed", seen(suite(340, 2, 0)), "not_observed"},
		{"400 passed", seen(suite(340, 0, 0)), "contradicted!"},
		{"All 400 tests pass.", seen(suite(340, 0, 0)), "contradicted!"},
		{"All 300 tests pass.", seen(suite(340, 0, 0)), "contradicted"},
		{"All 340 tests pass.", seen(suite(340, 0, 0)), "confirmed"},
		{"All 340 tests pass.", seen(suite(338, 2, 0)), "contradicted!"},
		{"All 338 tests pass.", seen(suite(338, 2, 0)), "contradicted!"},
		{"340 tests, 0 failures", seen(suite(338, 2, 0)), "contradicted!"},
		{"pytest tests/api: 400 passed", seen(suite(340, 0, 0)), "not_observed"}, // a part that may not be observed
		{"pytest tests/api: 40 passed", seen(suite(340, 0, 0)), "not_observed"},
		{"pytest tests/api: 40 passed", seen(suite(340, 0, 0), suite(40, 0, 0)), "confirmed"},
		{"380 passed", seen(suite(340, 0, 0), suite(40, 0, 0)), "confirmed"},
		{"340 passed", seen(suite(340, 0, 0), suite(40, 0, 0)), "confirmed"},
		{"381 passed", seen(suite(340, 0, 0), suite(40, 0, 0)), "contradicted!"},
		{"20 passed", seen(matrix), "confirmed"},
		{"10 passed, 1 skipped", seen(matrix), "confirmed"},
		{"15 passed", seen(matrix), "not_observed"},
		{"10 passed, 0 skipped", seen(suite(10, 0, 4)), "contradicted!"},
		{"10 passed, 6 skipped", seen(suite(10, 0, 4)), "confirmed"},
		{"11 passed", seen(cut), "not_observed"},
		{"10 passed, 0 failed", seen(cut), "contradicted!"},
		{"10 passed, 0 failed", seen(cutGreen), "not_observed"},
		{"All 10 tests pass.", seen(broken), "contradicted!"},
		{"0 of 4 tests passed", seen(suite(0, 4, 0)), "confirmed"},

		{"All tests pass.", seen(), "not_observed"},
		{"All tests pass.", seen(suite(9, 0, 1)), "confirmed"},
		{"All tests pass.", seen(suite(9, 1, 0)), "contradicted!"},
		{"All tests pass.", seen(suite(9, 0, 0), suite(0, 1, 0)), "contradicted!"},
		{"All tests pass.", seen(suite(0, 0, 3)), "contradicted!"},
		{"All tests pass.", seen(broken), "contradicted!"},
		{"All tests pass.", seen(cut), "contradicted!"},
		{"All tests pass.", seen(cutGreen), "not_observed"},
		{"The parser tests pass.", seen(suite(9, 1, 0)), "not_observed"},
		{"The parser tests pass.", seen(suite(9, 0, 0)), "confirmed"},
		{"The parser tests pass.", seen(suite(0, 0, 1)), "not_observed"},

		{"`make lint`: ok", seen(suite(9, 0, 0)), "not_observed"},
		{"`make  lint`: ok", &Observed{Commands: []Ended{{"make lint", 0}}}, "confirmed"},
		{"`make lint`: ok", &Observed{Commands: []Ended{{"make lint", 2}}}, "contradicted!"},
		{"`make lint` exits 1", &Observed{Commands: []Ended{{"make lint", 0}}}, "contradicted"},
		{"`make lint`: ok", &Observed{Commands: []Ended{{"make lint all", 2}}}, "not_observed"},
		{"`npm test`: ok", seen(suite(9, 1, 0)), "contradicted!"},
		{"`npm test`: ok", seen(suite(9, 0, 0)), "confirmed"},
		{"I could not run the tests.", seen(suite(9, 0, 0)), "admission"},
		{"- [x] I tested it by hand", seen(suite(9, 1, 0)), "not_observed"},
	} {
		if got := verdictOf(t, c.text, c.o); got != c.want {
			t.Errorf("%q beside %+v: %s, want %s", c.text, c.o.Suites, got, c.want)
		}
	}
}

// TestJudgeLists compares the lists of a report.
func TestJudgeLists(t *testing.T) {
	failed := suite(1, 2, 0)
	failed.Failing = []string{"pkg/a.TestRound", "tests/test_x.py::test_sum"}
	some := failed
	some.FailingAll = false
	files := []Files{{Patterns: []string{"dist/*.gz", "out/**"}, Names: []string{"dist/a.gz"}, Whole: true}, {Names: []string{"app.whl"}, Whole: true}}
	for _, c := range []struct {
		kind Kind
		text string
		o    *Observed
		want string
	}{
		{Failing, "TestRound", seen(failed), "confirmed"},
		{Failing, "pkg/a.TestRound", seen(failed), "confirmed"},
		{Failing, "test_sum", seen(failed), "confirmed"},
		{Failing, "Round", seen(failed), "contradicted"},
		{Failing, "Round", seen(some), "not_observed"},
		{Failing, "Round", seen(), "not_observed"},
		{Artifact, "dist/a.gz", &Observed{Files: files}, "confirmed"},
		{Artifact, "./dist/a.gz", &Observed{Files: files}, "confirmed"},
		{Artifact, "app.whl", &Observed{Files: files}, "confirmed"},
		{Artifact, "dist/b.gz", &Observed{Files: files}, "contradicted!"},
		{Artifact, "out/a/b", &Observed{Files: files}, "contradicted!"},
		{Artifact, "out/.a/b", &Observed{Files: files}, "not_observed"},
		{Artifact, "../dist/b.gz", &Observed{Files: files}, "not_observed"},
		{Artifact, "doc/b", &Observed{Files: files}, "not_observed"},
		{Artifact, "dist/b.gz", &Observed{Files: []Files{{Patterns: []string{"dist/*"}}}}, "not_observed"},
		// What no text leads to, and a forged record can hold.
		{"", "x", seen(), "contradicted!"},
		{Counts, "x", seen(), "contradicted!"},
		{Command, "x", seen(), "contradicted!"},
	} {
		all := []Claim{{Kind: c.kind, Text: c.text}}
		over := Judge(all, c.o)
		got := string(all[0].Result)
		if over {
			got += "!"
		}
		if got != c.want || all[0].Detail == "" {
			t.Errorf("%s %q: %s (%s), want %s", c.kind, c.text, got, all[0].Detail, c.want)
		}
	}
	if all := []Claim{{Kind: AllPass, Scope: "most"}}; !Judge(all, seen(suite(1, 0, 0))) {
		t.Error("an unknown scope is taken for a known one")
	}
}

// TestJudgeNeverHelps states the laws: judging is the same twice, more failures never make a contradiction go away, and
// details hold nothing of the claim's own text.
func TestJudgeNeverHelps(t *testing.T) {
	for _, text := range []string{"12 passed", "12 passed, 0 failed", "12 tests, 1 failure", "All 12 tests pass.", "All tests pass.", "`npm test`: ok"} {
		for passed := range 16 {
			for failed := range 4 {
				a := Find(&report.Reading{}, []string{text}).Claims
				first := Judge(a, seen(suite(passed, failed, 0)))
				if again := Judge(a, seen(suite(passed, failed, 0))); again != first {
					t.Errorf("%q: %v, then %v", text, first, again)
				}
				if strings.Contains(a[0].Detail, text) {
					t.Errorf("the detail quotes %q", text)
				}
				if worse := Judge(a, seen(suite(max(passed-1, 0), failed, 0))); passed > 12 && first && !worse {
					t.Errorf("%q: %d passed, %d failed contradict it, and fewer do not", text, passed, failed)
				}
			}
		}
	}
}
