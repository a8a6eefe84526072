package evidence

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/evidence/coverage"
)

// TestEveryFailureIsTold holds that a validator with several failures tells all of them: the second would otherwise show
// only after the first was repaired.
func TestEveryFailureIsTold(t *testing.T) {
	low := traced("a.js", "+---")
	change := Input{Documents: []Document{covered("l", low)}, Repository: coverage.Repository{Known: true, Paths: []string{"a.js"}},
		Changed: ChangedLines{Known: true, Files: []ChangedFile{changedFile("a.js", LineRange{2, 4})}}}
	log := analysed("log", `[{"level":"error","ruleId":"E"},{"level":"warning","ruleId":"W"}]`, "")
	for name, tt := range map[string]struct {
		kind, params string
		in           Input
		code         string
		says         []string
	}{
		"tests": {"tests", `{"min_executed": 4, "max_skipped": 0, "must_pass": ["a", "absent"]}`,
			Input{Documents: []Document{file("x", set(tc("a", failed), tc("b", skipped)))}}, CodeTestsFailed,
			[]string{"1 of 1 tests failed: a", "1 test was skipped", "1 of 1 tests that match a did not pass", "1 distinct test ran, at least 4 must", "no test matches absent"}},
		"tests, not all read": {"tests", `{"min_executed": 4}`,
			Input{Documents: []Document{file("x", set(tc("a", failed))), {Name: "y"}}}, CodeTestsFailed, []string{"1 of 1 tests failed: a"}},
		"coverage": {"coverage", `{"min_percent": 80, "min_changed_percent": 90, "min_lines": 9}`, change, CodeCoverageTooFew,
			[]string{"know 4 lines, at least 9", "25 % of the lines covered (1 of 4), at least 80 % must be", "0 % of the changed lines covered"}},
		"sarif": {"sarif", `{"max_warnings": 0}`, Input{Documents: []Document{log}}, CodeSARIFErrors, []string{"1 error: E", "1 warning: W"}},
	} {
		t.Run(name, func(t *testing.T) {
			kind, ok := KindByName(tt.kind)
			if !ok {
				t.Fatalf("there is no kind %s", tt.kind)
			}
			f := kind.Judge(json.RawMessage(tt.params), kind.Observe(json.RawMessage(tt.params), tt.in))
			if f.State != ValidatorFailed || f.Code != tt.code {
				t.Errorf("%+v, want code %s", f, tt.code)
			}
			at := 0
			for _, s := range tt.says {
				i := strings.Index(f.Detail[at:], s)
				if i < 0 {
					t.Fatalf("%q does not say %q behind %q", f.Detail, s, f.Detail[:at])
				}
				at += i + len(s)
			}
			if n := strings.Count(f.Detail, "; ") + 1; n != len(tt.says) {
				t.Errorf("%q says %d things, want %d", f.Detail, n, len(tt.says))
			}
		})
	}
}

func TestTogether(t *testing.T) {
	fail, other := find(ValidatorFailed, "a/b", "one"), find(ValidatorFailed, "a/c", "two")
	for _, c := range []struct{ f, g, want Finding }{
		{fine(), other, other},
		{fail, fine(), fail},
		{fail, fail, fail},
		{fail, find(Unverified, "a/d", "three"), fail},
		{fail, other, Finding{State: ValidatorFailed, Code: "a/b", Detail: "one; two"}},
	} {
		if got := together(c.f, c.g); got != c.want {
			t.Errorf("%+v and %+v: %+v", c.f, c.g, got)
		}
	}
	if got := together(fail, find(ValidatorFailed, "a/e", "%s", strings.Repeat("x", 2*maxDetailBytes))); len(got.Detail) > maxDetailBytes+len("…") {
		t.Errorf("%d bytes", len(got.Detail))
	}
	for n, want := range map[int]string{1: "1 of 2 files is", 2: "2 of 2 files are"} {
		if got := share(n, 2, "is", "are"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := share(1, 1, "breaks", "break"); got != "1 of 1 file breaks" {
		t.Error(got)
	}
}

func TestShortCommits(t *testing.T) {
	whole := strings.Repeat("ab", 20)
	if got := strings.Join(ShortCommits([]string{whole, "v1", whole + "cd", strings.ToUpper(whole)}), " "); got != whole[:12]+" v1 "+whole+"cd "+strings.ToUpper(whole) {
		t.Error(got)
	}
}
