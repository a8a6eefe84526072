package verdict

import (
	"fmt"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

func TestDetailOf(t *testing.T) {
	f := func(s evidence.State, code, detail string) evidence.Finding {
		return evidence.Finding{State: s, Code: code, Detail: detail}
	}
	conflict := f(evidence.ValidatorFailed, evidence.CodeEvidenceConflict, "test says success, its records hold failures")
	failed := f(evidence.ValidatorFailed, evidence.CodeTestsFailed, "1 of 1 tests failed: a")
	few := f(evidence.Missing, evidence.CodeArtifactTooFew, "1 file matches, 2 expected")
	stale := func(n int) evidence.Finding {
		return f(evidence.Stale, evidence.CodeArtifactStale, fmt.Sprintf("f%d: old", n))
	}
	nothing := f(evidence.Unverified, evidence.CodeInputNoFiles, "no result file was read")
	gone := f(evidence.Missing, evidence.CodeArtifactMissing, "no file matches out/a")
	ok := f(evidence.Verified, evidence.CodeArtifactOK, "a")
	long := f(evidence.Unverified, "a/long", strings.Repeat("x", detailBytes))
	for _, c := range []struct {
		name  string
		files int
		all   []evidence.Finding
		want  string
	}{
		{"one", 1, []evidence.Finding{failed, ok}, failed.Detail},
		{"conflict", 1, []evidence.Finding{conflict, failed, ok}, conflict.Detail + "; " + failed.Detail},
		{"too few files", 1, []evidence.Finding{failed, ok, few}, failed.Detail + "; " + few.Detail},
		{"what follows is left out", 0, []evidence.Finding{nothing, gone}, gone.Detail},
		{"files alike", 3, []evidence.Finding{stale(1), stale(2), stale(3)}, "f1: old (and 2 more like it)"},
		{"said twice", 1, []evidence.Finding{failed, failed}, failed.Detail},
		{"worse first", 1, []evidence.Finding{stale(1), few, failed}, failed.Detail + "; f1: old; " + few.Detail},
		{"too long", 1, []evidence.Finding{failed, long}, failed.Detail + "; and 1 more finding"},
		{"nothing stands against it", 1, []evidence.Finding{ok}, ok.Detail},
	} {
		if got := detailOf(worst(c.all), c.all, c.files); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	var many []evidence.Finding
	for i := range 10 {
		many = append(many, f(evidence.ValidatorFailed, fmt.Sprint("x/", i), fmt.Sprint("finding ", i)))
	}
	if got := detailOf(worst(many), many, 1); strings.Count(got, ";") != detailFindings || !strings.HasSuffix(got, "and 6 more findings") {
		t.Errorf("ten findings: %q", got)
	}
}
