package stage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

const (
	gateRun  = 990 // the gate's own
	evidence = ".github/workflows/ci.yml"
)

// apartScene is a pull request whose evidence the run 900 made, and a run of the gate that its end started.
func apartScene(t *testing.T) *scene {
	t.Helper()
	s := uploadScene(t)
	s.change(func(r *fakegithub.Repository) {
		began := r.Runs[0].Attempts[0].StartedAt.Add(-time.Hour)
		r.Pulls[0].CreatedAt = began
		run := r.Runs[0]
		run.Attempts = run.Attempts[:1]
		a := run.Attempts[0]
		a.Jobs, a.Status, a.Conclusion = a.Jobs[1:], "completed", "success"
		r.Runs = append(r.Runs, s.gateAt(gateRun, r.Branches["main"]))
		s.env["GITHUB_SHA"] = r.Branches["main"]
	})
	for name, value := range map[string]string{
		"GITHUB_EVENT_NAME": "workflow_run", "GITHUB_REF": "refs/heads/main", "GITHUB_RUN_ID": strconv.Itoa(gateRun),
		"INPUT_EVIDENCE-WORKFLOW": evidence, "INPUT_RUN-ID": strconv.Itoa(runID),
	} {
		s.env[name] = value
	}
	return s
}

// gateAt is a run of the gate's own workflow.
func (s *scene) gateAt(id int64, sha string) *fakegithub.Run {
	now := time.Now().Truncate(time.Second)
	return &fakegithub.Run{
		ID: id, Workflow: "outcome-gate", WorkflowID: 8, Path: ".github/workflows/outcome-gate.yml", Event: "workflow_run", HeadSHA: sha, HeadBranch: "main",
		CreatedAt: now, Attempts: []*fakegithub.Attempt{{StartedAt: now, UpdatedAt: now, Status: "in_progress"}},
	}
}

// made makes a run of the evidence's workflow at the head, with an upload.
func (s *scene) made(id int64, xml string) *fakegithub.Run {
	data := zipped(s.t, "out/junit.xml", xml)
	sum := sha256.Sum256(data)
	began := time.Now().Add(-5 * time.Minute).Truncate(time.Second)
	end := began.Add(3 * time.Minute)
	conclusion := "success"
	if xml == red {
		conclusion = "failure"
	}
	return &fakegithub.Run{
		ID: id, Workflow: "CI", WorkflowID: 3, Path: evidence, Event: "pull_request", HeadSHA: s.head, HeadBranch: "claude/mend", CreatedAt: began,
		Attempts: []*fakegithub.Attempt{{StartedAt: began, UpdatedAt: end, Status: "completed", Conclusion: conclusion, Jobs: []*fakegithub.Job{
			{ID: id + 5000, Name: "test", Status: "completed", Conclusion: conclusion, CreatedAt: began, StartedAt: began, CompletedAt: &end},
		}}},
		Artifacts: []*fakegithub.Artifact{{
			ID: id + 6000, Name: "results-linux", Size: int64(len(data)), Digest: "sha256:" + hex.EncodeToString(sum[:]), CreatedAt: end.Add(-time.Minute), Zip: data,
		}},
	}
}

// TestApart judges what another run made, from the API to every surface, and every lie about which run that is.
func TestApart(t *testing.T) {
	other := fakegithub.User{Login: "mira"}
	long := time.Now().Add(-10 * time.Hour)
	for _, c := range []struct {
		name   string
		change func(*scene, *fakegithub.Repository)
		code   int
		reason string // "": nothing is posted
		says   string
	}{
		{name: "honest", reason: "verified"},
		{name: "a path with its ref", reason: "verified", change: func(_ *scene, r *fakegithub.Repository) { r.Runs[0].Path += "@refs/heads/main" }},
		{name: "a lie", code: 1, reason: "false_success", change: func(s *scene, r *fakegithub.Repository) { r.Runs[0] = s.made(runID, red) }},
		{name: "another repository's run", code: 3, says: "404", change: func(s *scene, _ *fakegithub.Repository) { s.env["INPUT_RUN-ID"] = "12345" }},
		{name: "another workflow's run", code: 3, says: `is of ".github/workflows/evil.yml"`, change: func(_ *scene, r *fakegithub.Repository) { r.Runs[0].Path = ".github/workflows/evil.yml" }},
		{name: "another repository's workflow", code: 3, says: "the evidence is made by", change: func(_ *scene, r *fakegithub.Repository) { r.Runs[0].Path = "evil/harbour/" + evidence }},
		{name: "a push's run", code: 3, says: `event "push"`, change: func(_ *scene, r *fakegithub.Repository) { r.Runs[0].Event = "push" }},
		{name: "not ended", code: 3, says: "has not ended", change: func(_ *scene, r *fakegithub.Repository) {
			r.Runs[0].Attempts[0].Status, r.Runs[0].Attempts[0].Conclusion = "in_progress", ""
		}},
		{name: "a new attempt has begun", code: 3, says: "attempt 2, has not ended", change: func(_ *scene, r *fakegithub.Repository) {
			r.Runs[0].Attempts = append(r.Runs[0].Attempts, &fakegithub.Attempt{StartedAt: time.Now(), Status: "queued"})
		}},
		{name: "cancelled", code: 1, reason: "evidence_incomplete", says: `ended as "cancelled"`, change: func(_ *scene, r *fakegithub.Repository) { r.Runs[0].Attempts[0].Conclusion = "cancelled" }},
		{name: "never approved", code: 1, reason: "evidence_incomplete", says: `ended as "action_required"`, change: func(_ *scene, r *fakegithub.Repository) { r.Runs[0].Attempts[0].Conclusion = "action_required" }},
		{name: "superseded", code: 3, says: "superseded by run 950", change: func(s *scene, r *fakegithub.Repository) { r.Runs = append(r.Runs, s.made(950, red)) }},
		{name: "a later run of another workflow", reason: "verified", change: func(s *scene, r *fakegithub.Repository) {
			run := s.made(950, red)
			run.Path = ".github/workflows/other.yml"
			r.Runs = append(r.Runs, run)
		}},
		{name: "another run's upload", code: 1, reason: "evidence_incomplete", says: "is of run 950", change: func(_ *scene, r *fakegithub.Repository) { r.Runs[0].Artifacts[0].OfRun = 950 }},
		{name: "a fork's run of the same commit", code: 3, says: "no open pull request", change: func(_ *scene, r *fakegithub.Repository) { r.Runs[0].HeadRepository = "evil/harbour" }},
		{name: "closed", code: 3, says: "no open pull request", change: func(_ *scene, r *fakegithub.Repository) { r.Pulls[0].State = "closed" }},
		{name: "two with one head", code: 4, reason: "shared_head", change: func(_ *scene, r *fakegithub.Repository) {
			r.Pulls = append(r.Pulls, &fakegithub.Pull{Number: 8, Title: "The same", User: other, HeadRef: "claude/mend", BaseRef: "weak", CreatedAt: long})
		}},
		{name: "two with one head into one base", code: 3, says: "2 open pull requests", change: func(_ *scene, r *fakegithub.Repository) {
			r.Branches["twin"] = r.Branches["claude/mend"]
			r.Pulls = append(r.Pulls, &fakegithub.Pull{Number: 8, Title: "The same", User: other, HeadRef: "twin", BaseRef: "main", CreatedAt: long})
		}},
		{name: "run for another one, closed since", code: 1, reason: "evidence_incomplete", says: "pull request 8 was open", change: func(_ *scene, r *fakegithub.Repository) {
			now := time.Now()
			r.Pulls = append(r.Pulls, &fakegithub.Pull{Number: 8, Title: "Weak", State: "closed", User: other, HeadRef: "claude/mend", BaseRef: "weak", CreatedAt: long, ClosedAt: &now})
		}},
		{name: "another one, closed before", reason: "verified", change: func(_ *scene, r *fakegithub.Repository) {
			end := long.Add(time.Hour)
			r.Pulls = append(r.Pulls, &fakegithub.Pull{Number: 8, Title: "Weak", State: "closed", User: other, HeadRef: "claude/mend", BaseRef: "weak", CreatedAt: long, ClosedAt: &end})
		}},
		{name: "retargeted since", code: 1, reason: "evidence_incomplete", says: "another base branch", change: func(_ *scene, r *fakegithub.Repository) { r.Pulls[0].BaseChanged = []time.Time{time.Now()} }},
		{name: "retargeted before", reason: "verified", change: func(_ *scene, r *fakegithub.Repository) { r.Pulls[0].BaseChanged = []time.Time{long} }},
		{name: "its job failed", code: 1, reason: "false_success", change: func(_ *scene, r *fakegithub.Repository) {
			r.Runs[0].Attempts[0].Conclusion, r.Runs[0].Attempts[0].Jobs[0].Conclusion = "failure", "failure"
		}},
		{name: "no run named", code: 2, says: "run-id", change: func(s *scene, _ *fakegithub.Repository) { s.env["INPUT_RUN-ID"] = "" }},
		{name: "no workflow named", code: 2, says: "evidence-workflow", change: func(s *scene, _ *fakegithub.Repository) { s.env["INPUT_EVIDENCE-WORKFLOW"] = "" }},
		{name: "the gate's own steps", code: 2, says: "input steps", change: func(s *scene, _ *fakegithub.Repository) { s.env["INPUT_STEPS"] = "{}" }},
		{name: "the gate's own needs", code: 2, says: "input needs", change: func(s *scene, _ *fakegithub.Repository) { s.env["INPUT_NEEDS"] = "{}" }},
		{name: "a report in the workspace", code: 2, says: "input report-file", change: func(s *scene, _ *fakegithub.Repository) { s.env["INPUT_REPORT-FILE"] = "r.json" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := apartScene(t)
			if strings.HasPrefix(c.name, "two with one head") || strings.Contains(c.name, "another one, closed") {
				s.commit("weak", "main", map[string]fakegithub.File{"crane/old.go": {Text: "package crane\n"}})
			}
			s.world.Change(func(d *fakegithub.Data) {
				d.Repositories = append(d.Repositories, &fakegithub.Repository{FullName: "evil/harbour", Fork: true, DefaultBranch: "main"})
			})
			if c.change != nil {
				s.change(func(r *fakegithub.Repository) { c.change(s, r) })
			}
			code := Main(context.Background(), s.options())
			on, log := s.shown(), s.log.String()
			if code != c.code || !strings.Contains(log, c.says) {
				t.Errorf("exit %d, want %d and %q\n%s", code, c.code, c.says, log)
			}
			if c.reason == "" {
				if on != (shown{}) {
					t.Errorf("posted: %+v", on)
				}
				return
			}
			status := map[int]string{0: "success", 1: "failure", 4: "pending"}[c.code]
			r := s.receipt()
			if string(r.Reason) != c.reason || on.status != status || on.checks != 1 || on.comments != 1 || r.Subject.HeadSHA != s.head {
				t.Errorf("%s on %s, %+v", r.Reason, r.Subject.HeadSHA, on)
			}
			if sub := r.Subject; sub.RunID != runID || sub.RunAttempt != 1 || sub.GateRunID != gateRun || sub.GateRunAttempt != 1 || sub.PullRequest != 7 {
				t.Errorf("subject %+v", sub)
			}
			if from := r.Circumstances.BoundarySource; from != "the evidence run's start, as GitHub has it" {
				t.Errorf("boundary by %s", from)
			}
		})
	}
}

// TestApartWorkspace holds that nothing of the gate's own job is the change's evidence.
func TestApartWorkspace(t *testing.T) {
	for _, c := range []struct{ name, contract, code string }{
		{"files", agreed, "artifact/elsewhere"},
		{"a step", "version: 1\noutcomes:\n  - { id: crane, validators: [ { step: test } ] }\n", "step/elsewhere"},
		{"a record", "version: 1\noutcomes:\n  - { id: crane, validators: [ { exit_code: { file: out/junit.xml } } ] }\n", "exit/absent"},
		{"a job", "version: 1\noutcomes:\n  - { id: crane, validators: [ { job: test } ] }\n", "job/succeeded"},
		{"an absent job", "version: 1\noutcomes:\n  - { id: crane, validators: [ { job: lint } ] }\n", "job/absent"},
	} {
		s := apartScene(t)
		s.contract(c.contract)
		s.write(".agent/outcome.json", `{"outcome": "failed"}`)
		code := Main(context.Background(), s.options())
		r := s.receipt()
		if o := r.Outcomes[0]; o.Code != c.code || (code == 0) != (c.code == "job/succeeded") {
			t.Errorf("%s: exit %d, %s %s (%s)\n%s", c.name, code, o.State, o.Code, o.Detail, s.log.String())
		}
	}
}

// TestApartRerun holds that of a run of which one job ran again, what the other uploaded stands, and what the one
// uploaded before does not.
func TestApartRerun(t *testing.T) {
	for again, want := range map[string]int{"lint": 0, "test": 1} {
		s := apartScene(t)
		s.contract(strings.Replace(uploaded, "      - tests: { min_executed: 2 }\n", "      - tests: { min_executed: 2 }\n      - job: lint\n", 1))
		s.change(func(r *fakegithub.Repository) {
			run := r.Runs[0]
			first := run.Attempts[0]
			lint := *first.Jobs[0]
			lint.ID, lint.Name = 2500, "lint"
			first.Jobs = append(first.Jobs, &lint)
			began := first.Jobs[0].CompletedAt.Add(time.Minute)
			second := &fakegithub.Attempt{StartedAt: began, UpdatedAt: began, Status: "completed", Conclusion: "success"}
			for i, j := range first.Jobs {
				if j.Name == again { // the other one is not listed again
					k := *j
					end := began.Add(time.Minute)
					k.ID, k.StartedAt, k.CompletedAt = int64(2600+i), began, &end
					second.Jobs = append(second.Jobs, &k)
				}
			}
			run.Attempts = append(run.Attempts, second)
		})
		code := Main(context.Background(), s.options())
		if r := s.receipt(); code != want || r.Subject.RunAttempt != 2 || want == 1 && r.Outcomes[0].Code != "upload/superseded" {
			t.Errorf("%s ran again: exit %d, %s (%s)", again, code, r.Outcomes[0].Code, r.Outcomes[0].Detail)
		}
	}
}

// forRun is a run of the gate for a run of the evidence, with a runner of its own.
func (s *scene) forRun(gate, run int64) (code int, log string) {
	s.t.Helper()
	other := *s
	other.log.Reset()
	other.temp = s.t.TempDir()
	other.env = maps.Clone(s.env)
	other.env["RUNNER_TEMP"], other.env["GITHUB_RUN_ID"], other.env["INPUT_RUN-ID"] = other.temp, fmt.Sprint(gate), fmt.Sprint(run)
	ca := filepath.Join(other.temp, "ca.pem")
	data, err := os.ReadFile(s.env["INPUT_CA-FILE"])
	if err == nil {
		err = os.WriteFile(ca, data, 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	other.env["INPUT_CA-FILE"] = ca
	code = Main(context.Background(), other.options())
	return code, other.log.String()
}

// TestApartOrder holds that the newest evidence has the word, whichever run of the gate comes last.
func TestApartOrder(t *testing.T) {
	s := apartScene(t)
	newer := func() {
		s.change(func(r *fakegithub.Repository) {
			r.Runs = append(r.Runs, s.made(950, red), s.gateAt(991, r.Branches["main"]))
		})
		if code, log := s.forRun(991, 950); code != 1 || s.shown().status != "failure" {
			t.Errorf("the newer evidence: exit %d, %+v\n%s", code, s.shown(), log)
		}
	}
	// The run for the older evidence looks first and posts last.
	code := Main(context.Background(), s.meanwhile(s.options(), newer))
	if on := s.shown(); code != 0 || on.status != "failure" || on.comments != 1 || !strings.Contains(on.comment, `"run_id": 950`) || !strings.Contains(s.log.String(), "run 950, attempt 1") {
		t.Errorf("the older evidence, posted last: exit %d, %+v\n%s", code, on, s.log.String())
	}
	// And one that begins only now says so, and shows nothing.
	before := s.shown()
	if code, log := s.forRun(992, runID); code != 3 || s.shown() != before || !strings.Contains(log, "superseded by run 950") {
		t.Errorf("the older evidence, later: exit %d, %+v", code, s.shown())
	}
}

// TestApartLooks holds that of two looks at one evidence the later one has the word, and that a look claimed by
// another workflow's run counts for nothing.
func TestApartLooks(t *testing.T) {
	for _, c := range []struct {
		name   string
		forged bool
		want   string
	}{{"a later look", false, "failure"}, {"another workflow's claim", true, "success"}} {
		s := apartScene(t)
		s.change(func(r *fakegithub.Repository) {
			late := s.gateAt(991, r.Branches["main"])
			if c.forged {
				late.WorkflowID, late.Event = 9, "push"
			}
			page := fmt.Sprintf("%s/%s/actions/runs/991/attempts/1#evidence=%d/1", s.env["GITHUB_SERVER_URL"], repository, runID)
			r.Runs = append(r.Runs, late)
			r.Statuses = append(r.Statuses, &fakegithub.Status{
				ID: 60, SHA: s.head, State: "failure", Context: "outcome-gate/verdict", TargetURL: &page, Creator: fakegithub.User{Login: "github-actions[bot]"}, CreatedAt: time.Now(),
			})
		})
		if code := Main(context.Background(), s.options()); code != 0 || s.shown().status != c.want {
			t.Errorf("%s: exit %d, %+v\n%s", c.name, code, s.shown(), s.log.String())
		}
	}
}

// TestApartReview holds that a wait ends without a push and without new tests: the review's own event judges the
// newest evidence again.
func TestApartReview(t *testing.T) {
	s := apartScene(t)
	s.contract(uploaded + "    waits_for: { approval: { from: [write], count: 1 } }\n")
	if code := Main(context.Background(), s.options()); code != 4 || s.shown().status != "pending" {
		t.Fatalf("before the review: exit %d, %+v\n%s", code, s.shown(), s.log.String())
	}
	s.change(func(r *fakegithub.Repository) {
		r.Reviews = []*fakegithub.Review{{ID: 5, Pull: 7, User: fakegithub.User{Login: "keeper"}, State: "APPROVED", CommitID: s.head, SubmittedAt: time.Now()}}
		run := s.gateAt(993, s.head)
		run.Event = "pull_request_review"
		run.Attempts[0].Jobs = []*fakegithub.Job{{ID: 9930, Name: "judge", Status: "in_progress", CreatedAt: time.Now(), StartedAt: time.Now(), RunnerName: "Runner 4"}}
		r.Runs = append(r.Runs, run)
	})
	s.env["GITHUB_EVENT_NAME"], s.env["GITHUB_REF"], s.env["GITHUB_SHA"], s.env["GITHUB_RUN_ID"], s.env["INPUT_RUN-ID"] = "pull_request_review", "refs/pull/7/merge", s.head, "993", ""
	code := Main(context.Background(), s.options())
	if r := s.receipt(); code != 0 || s.shown().status != "success" || r.Subject.RunID != runID || r.Subject.GateRunID != 993 {
		t.Errorf("after it: exit %d, %s, %+v\n%s", code, r.Reason, s.shown(), s.log.String())
	}
}

// TestApartDispatch holds what is judged where an event names no run: the newest of the evidence's workflow at the head.
func TestApartDispatch(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*scene, *fakegithub.Repository)
		code   int
		says   string
	}{
		{name: "the newest", code: 1, says: "false success", change: func(s *scene, r *fakegithub.Repository) { r.Runs = append(r.Runs, s.made(950, red)) }},
		{name: "one", says: "LIVE"},
		{name: "none", code: 1, says: "there is no run of " + evidence, change: func(_ *scene, r *fakegithub.Repository) { r.Runs[0].Path = ".github/workflows/other.yml" }},
		{name: "not ended", code: 3, says: "its end starts the gate again", change: func(_ *scene, r *fakegithub.Repository) {
			r.Runs[0].Attempts[0].Status, r.Runs[0].Attempts[0].Conclusion = "in_progress", ""
		}},
		{name: "of another branch at the same commit", code: 1, says: "was not started for this pull request", change: func(_ *scene, r *fakegithub.Repository) { r.Runs[0].HeadBranch = "weak" }},
	} {
		s := apartScene(t)
		s.env["GITHUB_EVENT_NAME"], s.env["INPUT_PR-NUMBER"], s.env["INPUT_RUN-ID"] = "workflow_dispatch", "7", ""
		if c.change != nil {
			s.change(func(r *fakegithub.Repository) { c.change(s, r) })
		}
		if code := Main(context.Background(), s.options()); code != c.code || !strings.Contains(s.log.String(), c.says) {
			t.Errorf("%s: exit %d, want %d and %q\n%s", c.name, code, c.code, c.says, s.log.String())
		}
	}
}

// TestApartGroup judges a merge group's evidence.
func TestApartGroup(t *testing.T) {
	s := apartScene(t)
	var base string
	s.change(func(r *fakegithub.Repository) { base = r.Branches["main"] })
	branch := "gh-readonly-queue/main/pr-7-" + base
	group, err := s.world.Commit(repository, &fakegithub.Commit{Branch: branch, From: "main", Merges: []string{s.head}, Message: "Merge\n", Files: map[string]fakegithub.File{"crane/low.go": {Text: "package crane // mended\n"}}})
	if err != nil {
		t.Fatal(err)
	}
	s.head = group
	s.change(func(r *fakegithub.Repository) {
		r.Runs[0].Event, r.Runs[0].HeadSHA, r.Runs[0].HeadBranch = "merge_group", group, branch
	})
	if code := Main(context.Background(), s.options()); code != 0 || s.shown().status != "success" {
		t.Errorf("exit %d, %+v\n%s", code, s.shown(), s.log.String())
	}
	s.change(func(r *fakegithub.Repository) { r.Runs[0].HeadBranch = "gh-readonly-queue/main" })
	if code := Main(context.Background(), s.options()); code != 3 {
		t.Errorf("a branch that is no queue's: exit %d", code)
	}
}

// TestApartFaults holds that no answer of GitHub's that fails, at any call, lets anything pass or posts a success.
func TestApartFaults(t *testing.T) {
	for _, at := range []string{
		"GET /repos/north/harbour/actions/runs/900?", "GET /repos/north/harbour/actions/runs?", "GET /repos/north/harbour/commits/", "GET /repos/north/harbour/pulls?",
		"GET /repos/north/harbour/issues/7/events", "GET /repos/north/harbour/actions/runs/900/attempts/1/jobs", "GET /repos/north/harbour/actions/runs/900/artifacts",
		"GET /repos/north/harbour/actions/artifacts/", "STORAGE /",
	} {
		for _, status := range []int{403, 404, 422} {
			s := apartScene(t)
			if err := s.world.Fault(fakegithub.Fault{Match: strings.TrimSuffix(at, "?"), Times: -1, Status: status, Body: `{"message":"no"}`}); err != nil {
				t.Fatal(err)
			}
			if code := Main(context.Background(), s.options()); code == 0 || s.shown().status == "success" {
				t.Errorf("%s answers %d: exit %d, %+v", at, status, code, s.shown())
			}
		}
	}
}
