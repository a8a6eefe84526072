package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/e2e/runstep"
	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// runID is the workflow run of a scene; later runs count up.
const runID = 4242

// image is the built image, from e2e/run. Without it there is nothing to test.
func image(t testing.TB) string {
	t.Helper()
	name := os.Getenv("GATE_E2E_IMAGE")
	if name == "" {
		t.Skip("GATE_E2E_IMAGE is not set: e2e/run builds the image and runs these tests")
	}
	return name
}

// scene is one run of the gate on a change: the job, its steps, and GitHub around it.
type scene struct {
	t     testing.TB
	hub   *hub
	job   *runstep.Job
	step  *runstep.Step
	run   int64
	try   int
	event string
	tests int // exit status of the job's own test step
	count int // requests before this run
	sha   string
}

// settings are what a case changes of a run. The zero value is a workflow of this repository on a pull request.
type settings struct {
	event  string            // empty: pull_request
	token  string            // empty: writeToken
	with   map[string]string // inputs besides token and steps
	env    map[string]string // what earlier steps planted
	api    string            // empty: the hub's own address
	hosts  []string
	remote bool                     // uses: owner/repo@ref: pre runs
	serve  func(*httptest.Server)   // empty: plain HTTP
	change func(*testing.T, *hub)   // the world, before anything runs
	before func(*testing.T, *scene) // the workspace, after the tests and before the gate
	stop   func(*testing.T, *scene) (cancel, kill <-chan struct{})
}

// open lays out a change and its GitHub, without running anything.
func open(t *testing.T, c change, with settings) *hub {
	t.Helper()
	image(t)
	serve := with.serve
	if serve == nil {
		serve = (*httptest.Server).Start
	}
	h := newHub(t, c, serve)
	if with.change != nil {
		with.change(t, h)
	}
	return h
}

// judge runs the whole job once: pre, checkout, the demo's own tests, the gate, post.
func (h *hub) judge(t *testing.T, run int64, try int, with settings) *scene {
	t.Helper()
	s := h.begin(t, run, try, with)
	must(t, s.step.Run(t.Context(), runstep.Pre))
	s.work(t)
	if with.before != nil {
		with.before(t, s)
	}
	if with.stop != nil {
		s.step.Cancel, s.step.Kill = with.stop(t, s)
	}
	must(t, s.step.Run(t.Context(), runstep.Main))
	must(t, s.step.Run(t.Context(), runstep.Post))
	for _, l := range s.step.Result.Lines {
		t.Logf("[%s] %s", l.Stage, l.Text)
	}
	s.keep(t)
	s.always(t)
	return s
}

// begin makes the job as the runner has it before its first step, and its run at GitHub.
func (h *hub) begin(t *testing.T, run int64, try int, with settings) *scene {
	t.Helper()
	s := &scene{t: t, hub: h, run: run, try: try, event: cmp.Or(with.event, "pull_request"), count: len(h.Requests())}
	payload, vars := h.payload(t, s.event)
	for name, value := range map[string]string{
		"GITHUB_RUN_ID": strconv.FormatInt(run, 10), "GITHUB_RUN_ATTEMPT": strconv.Itoa(try), "GITHUB_EVENT_NAME": s.event,
		"GITHUB_API_URL": cmp.Or(with.api, h.server.URL+"/api/v3"), "GITHUB_SERVER_URL": h.server.URL,
		"GITHUB_REPOSITORY": repository, "GITHUB_REPOSITORY_OWNER": "acme", "GITHUB_JOB": "gate", "GITHUB_WORKFLOW": "gate",
		"GITHUB_WORKFLOW_REF": repository + "/.github/workflows/gate.yml@" + vars["GITHUB_REF"],
		"GITHUB_ACTOR":        "agent-one", "GITHUB_TRIGGERING_ACTOR": "agent-one",
	} {
		vars[name] = value
	}
	var err error
	s.job, err = runstep.NewJob(t.TempDir(), payload, vars)
	must(t, err)
	for name, value := range with.env {
		s.job.Env[name] = value
	}
	s.sha = vars["GITHUB_SHA"]
	h.startRun(run, try, s.sha, s.event)
	a, err := runstep.ReadAction("..")
	must(t, err)
	s.step = &runstep.Step{
		Action: a, Job: s.job, Image: image(t), Name: fmt.Sprintf("%d-%d", run, try), Token: cmp.Or(with.token, writeToken),
		With: map[string]string{}, Remote: with.remote, Hosts: with.hosts,
	}
	for name, value := range with.with {
		s.step.With[name] = value
	}
	return s
}

// startRun tells GitHub of a run that began a little ago, or of its next attempt.
func (h *hub) startRun(run int64, try int, sha, event string) {
	began := time.Now().UTC().Add(-20 * time.Second).Truncate(time.Second)
	attempt := &fakegithub.Attempt{
		StartedAt: began, UpdatedAt: began, Status: "in_progress",
		Jobs: []*fakegithub.Job{{
			ID: run*10 + int64(try), Name: "gate", Status: "in_progress", CreatedAt: began, StartedAt: began.Add(2 * time.Second),
			RunnerID: 1, RunnerName: "runner-1", Labels: []string{"ubuntu-latest"},
		}},
	}
	h.repo(func(r *fakegithub.Repository) {
		for _, known := range r.Runs {
			if known.ID == run {
				last := known.Attempts[len(known.Attempts)-1]
				last.Status, last.Conclusion = "completed", "failure"
				known.Attempts = append(known.Attempts, attempt)
				return
			}
		}
		branch := headBranch
		switch event {
		case "pull_request", "pull_request_review":
			sha = h.head // the API shows a pull request's run at its head
		case "push", "schedule", "issue_comment", "pull_request_target", "release":
			branch = "main"
		}
		r.Runs = append(r.Runs, &fakegithub.Run{
			ID: run, Workflow: "gate", WorkflowID: 99, Path: ".github/workflows/gate.yml", Event: event, HeadSHA: sha,
			HeadBranch: branch, CreatedAt: began, Attempts: []*fakegithub.Attempt{attempt},
		})
	})
}

// payload is the event as the runner hands it over, with the variables that go with it.
func (h *hub) payload(t testing.TB, event string) ([]byte, map[string]string) {
	t.Helper()
	about := map[string]any{"full_name": repository, "default_branch": "main", "private": true}
	var payload map[string]any
	var vars map[string]string
	switch event {
	case "workflow_run":
		payload = map[string]any{"action": "completed", "repository": about, "workflow_run": map[string]any{"id": evidenceRun, "head_sha": h.head}}
		vars = map[string]string{"GITHUB_SHA": h.base, "GITHUB_REF": "refs/heads/main", "GITHUB_REF_NAME": "main"}
	case "push", "schedule", "issue_comment", "pull_request_target", "release":
		payload, vars = h.onMain(event)
	case "pull_request", "pull_request_review":
		var title, body, branch string
		h.repo(func(r *fakegithub.Repository) {
			title, body, branch = r.Pulls[0].Title, *r.Pulls[0].Body, r.Pulls[0].HeadRef
		})
		payload = map[string]any{
			"action": "synchronize", "number": pullNumber, "repository": about,
			"pull_request": map[string]any{
				"number": pullNumber, "title": title, "body": body, "state": "open",
				"head": map[string]any{"sha": h.head, "ref": branch, "repo": about},
				"base": map[string]any{"sha": h.base, "ref": "main", "repo": about},
			},
		}
		vars = map[string]string{
			"GITHUB_SHA": h.merge, "GITHUB_REF": fmt.Sprintf("refs/pull/%d/merge", pullNumber), "GITHUB_REF_NAME": fmt.Sprintf("%d/merge", pullNumber),
			"GITHUB_HEAD_REF": branch, "GITHUB_BASE_REF": "main",
		}
	case "merge_group":
		ref := fmt.Sprintf("refs/heads/gh-readonly-queue/main/pr-%d-%s", pullNumber, h.base)
		payload = map[string]any{
			"action": "checks_requested", "repository": about,
			"merge_group": map[string]any{"head_sha": h.merge, "head_ref": ref, "base_sha": h.base, "base_ref": "refs/heads/main"},
		}
		vars = map[string]string{"GITHUB_SHA": h.merge, "GITHUB_REF": ref, "GITHUB_REF_NAME": ref[len("refs/heads/"):]}
	default:
		t.Fatalf("this harness knows no event %q", event)
	}
	raw, err := json.Marshal(payload)
	must(t, err)
	return raw, vars
}

// work is what the workflow does before the gate: check out, and run the demo's tests.
func (s *scene) work(t *testing.T) {
	t.Helper()
	s.hub.checkOut(t, s.job.Workspace(), s.sha)
	c := exec.Command("./test")
	c.Dir = s.job.Workspace()
	out, err := c.CombinedOutput()
	t.Logf("./test: %s", out)
	s.tests = c.ProcessState.ExitCode()
	if err != nil && s.tests < 0 {
		t.Fatal(err)
	}
	outcome := "success"
	if s.tests != 0 {
		outcome = "failure"
	}
	if _, given := s.step.With["steps"]; !given {
		s.step.With["steps"] = stepsContext(map[string]string{"checkout": "success", "test": outcome})
	}
	must(t, s.job.Own())
}

// stepsContext is what ${{ toJSON(steps) }} gives.
func stepsContext(outcomes map[string]string) string {
	steps := map[string]any{}
	for id, outcome := range outcomes {
		steps[id] = map[string]any{"outputs": map[string]any{}, "outcome": outcome, "conclusion": outcome}
	}
	raw, err := json.MarshalIndent(steps, "", "  ")
	if err != nil {
		panic(err) // maps and strings
	}
	return string(raw)
}
