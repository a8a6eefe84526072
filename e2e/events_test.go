package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/e2e/runstep"
	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// onMain is an event whose job has the newest commit of main, as the runner hands it over.
func (h *hub) onMain(event string) (payload map[string]any, vars map[string]string) {
	payload = map[string]any{"action": "created", "repository": map[string]any{"full_name": repository}, "ref": "refs/heads/main"}
	if event == "issue_comment" || event == "pull_request_target" {
		payload["number"] = pullNumber
		payload["issue"] = map[string]any{"number": pullNumber, "pull_request": map[string]any{}}
	}
	vars = map[string]string{"GITHUB_REF": "refs/heads/main", "GITHUB_REF_NAME": "main"}
	h.repo(func(r *fakegithub.Repository) {
		vars["GITHUB_SHA"] = r.Branches["main"]
		if n := len(r.Comments); n > 0 {
			payload["comment"] = map[string]any{"id": r.Comments[n-1].ID}
		}
	})
	return payload, vars
}

// merged puts the pull request's work on main, after an earlier push that started a run.
func merged(_ *testing.T, h *hub) {
	began := time.Now().Add(-time.Hour)
	h.repo(func(r *fakegithub.Repository) {
		r.Branches["main"], r.Pulls[0].State, r.Pulls[0].Merged = h.merge, "closed", true
		r.Runs = append(r.Runs, &fakegithub.Run{
			ID: runID - 10, Workflow: "gate", WorkflowID: 99, Path: ".github/workflows/gate.yml", Event: "push", HeadSHA: h.base, HeadBranch: "main",
			CreatedAt: began, Attempts: []*fakegithub.Attempt{{StartedAt: began, UpdatedAt: began, Status: "completed", Conclusion: "success"}},
		})
	})
}

// TestPush: after the merge the commit of main is judged, without a report and without a comment.
func TestPush(t *testing.T) {
	for name, c := range map[string]struct {
		change change
		want   answer
	}{
		"sound": {goodChange(), passed()},
		"failed": {badChange(), answer{
			exit: 1, result: "block", verdict: "EXITED", reason: "evidence_rejected", title: "EXITED: unit-tests has 1 failure", conclusion: "failure", status: "failure",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			with := settings{event: "push", remote: true, change: merged}
			h := open(t, c.change, with)
			s := h.judge(t, runID, 1, with)
			c.want.sha, c.want.noComment = h.merge, true
			s.agree(t, c.want)
		})
	}
}

// TestSchedule: the whole of main is judged, although nothing that the outcome is about was changed last.
func TestSchedule(t *testing.T) {
	c := badChange()
	c.contract = strings.Replace(demoContract, "    artifact:", "    when: { paths: [nowhere] }\n    artifact:", 1)
	with := settings{event: "schedule", change: merged}
	h := open(t, c, with)
	s := h.judge(t, runID, 1, with)
	s.agree(t, answer{
		exit: 1, result: "block", verdict: "EXITED", reason: "evidence_rejected", title: "EXITED: unit-tests has 1 failure", conclusion: "failure", status: "failure",
		sha: h.merge, noComment: true,
	})
}

// TestReviewEvent: an approval ends the wait by its own event, and without a push.
func TestReviewEvent(t *testing.T) {
	c := goodChange()
	c.head[".github/workflows/other.yml"] = fakegithub.File{Text: "name: other\n"}
	h := open(t, c, settings{})
	h.judge(t, runID, 1, settings{}).agree(t, waiting("UNVERIFIABLE", "protected_change", "Waiting for approval: .github/workflows/other.yml is protected"))
	h.repo(func(r *fakegithub.Repository) {
		r.Reviews = []*fakegithub.Review{{ID: 9000, Pull: pullNumber, User: fakegithub.User{Login: "mona"}, State: "APPROVED", CommitID: h.head, SubmittedAt: time.Now().UTC()}}
	})
	h.judge(t, runID+1, 1, settings{event: "pull_request_review"}).agree(t, passed())
}

// apart is a contract that the service's own records meet, and the pull request's own run beside them.
func apart() (c change, with settings) {
	c = goodChange()
	c.contract = "version: 1\noutcomes:\n  - id: unit-tests\n    about: The suite of the pull request's own run passed.\n    validators: [ { check: widgets-ci } ]\n"
	with = settings{
		with: map[string]string{"evidence-workflow": ".github/workflows/tests.yml", "steps": ""},
		change: func(_ *testing.T, h *hub) {
			began := time.Now().Add(-time.Minute)
			ended := began.Add(30 * time.Second)
			h.repo(func(r *fakegithub.Repository) {
				r.Runs = append(r.Runs, &fakegithub.Run{
					ID: runID - 5, Workflow: "tests", WorkflowID: 98, Path: ".github/workflows/tests.yml", Event: "pull_request", HeadSHA: h.head, HeadBranch: headBranch,
					CreatedAt: began, Attempts: []*fakegithub.Attempt{{StartedAt: began, UpdatedAt: ended, Status: "completed", Conclusion: "success"}},
				})
				r.CheckRuns = append(r.CheckRuns, &fakegithub.CheckRun{
					ID: 71, App: fakegithub.ActionsApp, Suite: runID - 5, Name: "widgets-ci", HeadSHA: h.head, Status: "completed", Conclusion: "success", StartedAt: &began, CompletedAt: &ended,
				})
			})
		},
	}
	return c, with
}

// says adds a comment to the pull request's conversation.
func (h *hub) says(id int64, login, body string) {
	h.repo(func(r *fakegithub.Repository) {
		r.Comments = append(r.Comments, &fakegithub.Comment{ID: id, Issue: pullNumber, Body: body, User: fakegithub.User{Login: login}, CreatedAt: time.Now(), UpdatedAt: time.Now()})
	})
}

// TestRecheck: who may write can ask for another look, and anybody else's comment leaves everything as it is.
func TestRecheck(t *testing.T) {
	c, with := apart()
	with.event = "issue_comment"
	h := open(t, c, with)
	h.says(81, "stranger", "/outcome-gate recheck")
	s := h.judge(t, runID, 1, with)
	if s.step.Result.Exit[runstep.Main] != 0 || len(s.checkRuns()) != 0 || s.status(h.head) != "" || len(h.comments(botLogin)) != 0 || !strings.Contains(s.said("notice"), "may not write") {
		t.Errorf("a stranger's comment: exit %d, %d check runs, status %q: %s", s.step.Result.Exit[runstep.Main], len(s.checkRuns()), s.status(h.head), s.said("notice"))
	}
	for _, q := range h.Requests()[s.count:] {
		if q.Method != http.MethodGet {
			t.Errorf("a stranger's comment: %s %s", q.Method, q.URI)
		}
	}
	h.says(82, "mona", "/outcome-gate recheck\n\nThe runner was down.")
	h.judge(t, runID+1, 1, with).agree(t, passed())
	h.says(83, "agent-one", "```outcome\n{\"outcome\": \"failed\", \"evidence\": [\"total_of_two fails\"]}\n```\n")
	s = h.judge(t, runID+2, 1, with)
	if got := s.step.Result.Outputs["reason"]; s.step.Result.Exit[runstep.Main] != 1 || got != "outcome_failed" || s.status(h.head) != "failure" {
		t.Errorf("the author's report: exit %d, %s, status %q", s.step.Result.Exit[runstep.Main], got, s.status(h.head))
	}
}

// TestTarget: with the base's workflow nothing of the job's own workspace counts.
func TestTarget(t *testing.T) {
	c, with := apart()
	with.event = "pull_request_target"
	open(t, c, with).judge(t, runID, 1, with).agree(t, passed())
	c.contract = demoContract
	s := open(t, c, with).judge(t, runID, 1, with)
	if got := s.step.Result.Outputs["reason"]; s.step.Result.Exit[runstep.Main] != 1 || got != "evidence_incomplete" {
		t.Errorf("the base's own results: exit %d, %s", s.step.Result.Exit[runstep.Main], got)
	}
}

// TestOtherEvent: an event that is not judged is a failed look, and nothing is posted.
func TestOtherEvent(t *testing.T) {
	with := settings{event: "release"}
	h := open(t, goodChange(), with)
	s := h.judge(t, runID, 1, with)
	if s.step.Result.Exit[runstep.Main] != 3 || s.step.Result.Outputs["reason"] != "cannot_look" || len(h.Requests()) != s.count || !strings.Contains(s.step.Result.Summary, "is not judged: run the gate on pull_request") {
		t.Errorf("exit %d, %s, %d requests", s.step.Result.Exit[runstep.Main], s.step.Result.Outputs["reason"], len(h.Requests())-s.count)
	}
}
