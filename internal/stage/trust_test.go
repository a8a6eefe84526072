package stage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// TestContractLink holds that a contract that is a link is refused as such, whatever it leads to.
func TestContractLink(t *testing.T) {
	s := newScene(t)
	s.commit("main", "", map[string]fakegithub.File{
		".github/outcome-contract.yml": {Text: "../agreed.yml", Mode: "120000"}, "agreed.yml": {Text: agreed},
	})
	code := Main(context.Background(), s.options())
	if r := s.receipt(); code != 2 || r.Reason != "contract_invalid" || len(r.Problems) != 1 || !strings.HasSuffix(r.Problems[0].Code, "symlink") {
		t.Errorf("exit %d, %s (%s), %+v", code, r.Reason, r.Scope.Look, r.Problems)
	}
}

// TestWeakeningIsShown holds that the person who is asked for an approval sees what the edit would weaken, wherever the
// verdict is shown.
func TestWeakeningIsShown(t *testing.T) {
	s := newScene(t)
	s.head = s.commit("claude/mend", "", map[string]fakegithub.File{".github/outcome-contract.yml": {Text: strings.Replace(agreed, "min_executed: 2", "min_executed: 1", 1)}})
	s.runsOn(s.head)
	code := Main(context.Background(), s.options())
	r := s.receipt()
	if code != 4 || r.Reason != "protected_change" || len(r.Contract.Weakens) != 1 {
		t.Fatalf("exit %d, %s, %+v (%s)", code, r.Reason, r.Contract.Weakens, r.Scope.Look)
	}
	for where, text := range map[string]string{"summary": s.file("GITHUB_STEP_SUMMARY"), "comment": s.shown().comment, "log": s.log.String()} {
		if !strings.Contains(text, "min_executed") {
			t.Errorf("the %s does not show %q:\n%s", where, r.Contract.Weakens[0].Text, text)
		}
	}
}

// TestOwnCheckIsNoEvidence holds that a green check run or status with one of the gate's own names proves nothing: any
// workflow can post one.
func TestOwnCheckIsNoEvidence(t *testing.T) {
	for _, name := range []string{"Outcome Gate", "Outcome Gate (observe)", "outcome-gate/verdict", "judge"} {
		s := newScene(t)
		s.contract(fmt.Sprintf("%s  - id: let-through\n    validators: [check: { name: %q, app: github-actions }]\n", agreed, name))
		s.change(func(r *fakegithub.Repository) {
			r.CheckRuns = append(r.CheckRuns, &fakegithub.CheckRun{
				ID: 77, App: fakegithub.ActionsApp, Suite: 5, Name: name, HeadSHA: s.head, Status: "completed", Conclusion: "success", StartedAt: new(time.Now()), CompletedAt: new(time.Now()),
			})
		})
		code := Main(context.Background(), s.options())
		if r := s.receipt(); code != 1 || r.Outcomes[1].State != "unverified" || r.Outcomes[1].Code != "contract/self-wait" {
			t.Errorf("%s: exit %d, %s, %s", name, code, r.Outcomes[1].State, r.Outcomes[1].Code)
		}
	}
}

// TestStartInputOnlyLater holds that the workflow can move the freshness boundary later and never earlier.
func TestStartInputOnlyLater(t *testing.T) {
	for _, c := range []struct {
		name        string
		made, input time.Duration // ago
		code        int
	}{
		{"an input before an old file", time.Hour, 2 * time.Hour, 1},
		{"an input before a new file", time.Minute, 2 * time.Hour, 0},
		{"an input after a file of this run", 2 * time.Minute, time.Minute, 1},
	} {
		s := newScene(t)
		at := time.Now().Add(-c.made)
		if err := os.Chtimes(filepath.Join(s.dir, "out/junit.xml"), at, at); err != nil {
			t.Fatal(err)
		}
		s.env["INPUT_RUN-STARTED-AT"] = time.Now().Add(-c.input).UTC().Format(time.RFC3339)
		code := Main(context.Background(), s.options())
		if r := s.receipt(); code != c.code || c.code != 0 && r.Outcomes[0].State != "stale" {
			t.Errorf("%s: exit %d, %s (%s)", c.name, code, r.Outcomes[0].State, r.Circumstances.BoundarySource)
		}
	}
}

// TestJobsWorseCounts holds that of what needs and the API say of a job the worse counts: continue-on-error makes a
// success of a failed job in needs.
func TestJobsWorseCounts(t *testing.T) {
	for _, c := range []struct {
		api  string
		code int
	}{{"success", 0}, {"failure", 1}, {"cancelled", 1}} {
		s := newScene(t)
		s.contract(agreed + "  - id: built\n    validators: [job: { id: build }]\n")
		s.env["INPUT_NEEDS"] = `{"build":{"result":"success","outputs":{}}}`
		s.change(func(r *fakegithub.Repository) {
			a := r.Runs[0].Attempts[0]
			a.Jobs = append(a.Jobs, &fakegithub.Job{ID: 903, Name: "build", Status: "completed", Conclusion: c.api, CreatedAt: a.StartedAt, StartedAt: a.StartedAt, CompletedAt: &a.StartedAt})
		})
		if code := Main(context.Background(), s.options()); code != c.code {
			t.Errorf("the API says %s: exit %d, %s", c.api, code, s.receipt().Outcomes[1].Code)
		}
	}
}

// TestCutChecksAreUnknown holds that of a list of checks that is not whole nothing is taken: the red one may be missing.
func TestCutChecksAreUnknown(t *testing.T) {
	s := newScene(t)
	s.contract(agreed + "  - id: let-through\n    validators: [check: { name: e2e, app: github-actions }]\n")
	s.change(func(r *fakegithub.Repository) {
		for i := range 3001 {
			r.CheckRuns = append(r.CheckRuns, &fakegithub.CheckRun{
				ID: int64(10_000 + i), App: fakegithub.ActionsApp, Suite: 5, Name: "e2e", HeadSHA: s.head, Status: "completed", Conclusion: "success", StartedAt: new(time.Now()), CompletedAt: new(time.Now()),
			})
		}
	})
	code := Main(context.Background(), s.options())
	if r := s.receipt(); code != 1 || r.Outcomes[1].State != "unverified" {
		t.Errorf("exit %d, %s, %s", code, r.Outcomes[1].State, r.Outcomes[1].Code)
	}
}

// TestDependabot holds that a pull request of Dependabot, whose token only reads, is judged like others, and that the
// exit code, the summary and a notice say what could not be posted.
func TestDependabot(t *testing.T) {
	for xml, want := range map[string]int{green: 0, red: 1} {
		s := newScene(t)
		s.contract(strings.Replace(agreed, "applies_to: { agents: [claude] }", "report: { required: never }", 1))
		s.change(func(r *fakegithub.Repository) {
			none := ""
			r.Pulls[0].User, r.Pulls[0].Body = fakegithub.User{Login: "dependabot[bot]"}, &none
		})
		s.write("out/junit.xml", xml)
		s.env["INPUT_TOKEN"] = readOnly
		if code := Main(context.Background(), s.options()); code != want {
			t.Errorf("exit %d, want %d: %s", code, want, s.receipt().Reason)
		}
		if on := s.shown(); on.checks+on.comments != 0 || on.status != "" || !strings.Contains(s.log.String(), "statuses: write") || !strings.Contains(s.file("GITHUB_STEP_SUMMARY"), "## ") {
			t.Errorf("%+v\n%s", on, s.log.String())
		}
	}
}
