package stage

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// branchScene is a push to main whose results are green, after an earlier push of the branch's first commit.
func branchScene(t *testing.T, files map[string]fakegithub.File) *scene {
	t.Helper()
	s := newScene(t)
	var first string
	s.change(func(r *fakegithub.Repository) { first = r.Branches["main"] })
	sha := s.commit("main", "", files)
	s.env["GITHUB_EVENT_NAME"], s.env["GITHUB_REF"] = "push", "refs/heads/main"
	s.runsOn(sha)
	s.change(func(r *fakegithub.Repository) {
		run := r.Runs[0]
		run.Event, run.HeadBranch = "push", "main"
		r.Runs = append(r.Runs, &fakegithub.Run{
			ID: runID - 10, Workflow: "CI", WorkflowID: 3, Path: run.Path, Event: "push", HeadSHA: first, HeadBranch: "main", CreatedAt: run.CreatedAt.Add(-time.Hour), Attempts: run.Attempts[:1],
		}, &fakegithub.Run{ // of another workflow, for the same push
			ID: runID - 1, Workflow: "Lint", WorkflowID: 4, Path: ".github/workflows/lint.yml", Event: "push", HeadSHA: sha, HeadBranch: "main", CreatedAt: run.CreatedAt, Attempts: run.Attempts[:1],
		})
	})
	return s
}

const whenCrane = "    when: { paths: [\"crane/**\"] }\n"

// TestPush holds what is judged of a commit that was pushed to a branch, and by which contract.
func TestPush(t *testing.T) {
	crane := map[string]fakegithub.File{"crane/low.go": {Text: "package crane // on main\n"}}
	for _, c := range []struct {
		name     string
		files    map[string]fakegithub.File
		contract string
		prepare  func(*scene)
		code     int
		reason   string
		status   string
	}{
		{name: "sound", files: crane, reason: "verified", status: "success"},
		{name: "failed tests", files: crane, prepare: func(s *scene) { s.write("out/junit.xml", red) }, code: 1, reason: "evidence_rejected", status: "failure"},
		{name: "applies_to leaves out no commit", files: crane, contract: strings.Replace(agreed, "agents: [claude]", "labels: [careful]", 1), reason: "verified", status: "success"},
		{name: "a protected path is on the branch already", files: map[string]fakegithub.File{".github/workflows/ci.yml": {Text: "on: push\n"}}, reason: "verified", status: "success"},
		{name: "the contract itself", files: map[string]fakegithub.File{".github/outcome-contract.yml": {Text: strings.Replace(agreed, "min_executed: 2", "min_executed: 3", 1)}}, code: 1, reason: "evidence_rejected", status: "failure"},
		{name: "nothing expected", files: map[string]fakegithub.File{"README.md": {Text: "Cranes\n"}}, contract: agreed + whenCrane, reason: "nothing_expected", status: "success"},
		{name: "expected", files: crane, contract: agreed + whenCrane, prepare: func(s *scene) { s.write("out/junit.xml", red) }, code: 1, reason: "evidence_rejected", status: "failure"},
		{name: "what it changes is not known", files: map[string]fakegithub.File{"README.md": {Text: "Cranes\n"}}, contract: agreed + whenCrane, prepare: func(s *scene) {
			s.write("out/junit.xml", red)
			s.change(func(r *fakegithub.Repository) { r.Runs = r.Runs[:1] })
		}, code: 1, reason: "evidence_rejected", status: "failure"},
		{name: "an agent's commit needs no report", files: crane, contract: agreed + "report: { required: agents }\n", reason: "verified", status: "success"},
		{name: "a report is always required", files: crane, contract: agreed + "report: { required: always }\n", code: 1, reason: "clean_exit_no_report", status: "failure", prepare: func(s *scene) { s.env["INPUT_AGENT-EXIT-STATUS"] = "0" }},
		{name: "a report that was handed in", files: crane, prepare: func(s *scene) {
			s.env["INPUT_REPORT"] = `{"outcome":"failed","evidence":["it fell"]}`
		}, code: 1, reason: "outcome_failed", status: "failure"},
		{name: "a report that was merged is none of this run", files: map[string]fakegithub.File{".agent/outcome.json": {Text: `{"outcome":"failed","evidence":["it fell"]}`}}, contract: agreed + "report: { carriers: [file] }\n", prepare: func(s *scene) {
			s.write(".agent/outcome.json", `{"outcome":"failed","evidence":["it fell"]}`)
		}, reason: "verified", status: "success"},
		{name: "a branch that nobody trusts", files: crane, prepare: func(s *scene) {
			s.commit("weak", "main", nil)
			s.env["GITHUB_REF"] = "refs/heads/weak"
		}, code: 4, reason: "base_not_trusted", status: "pending"},
		{name: "no contract", files: map[string]fakegithub.File{".github/outcome-contract.yml": {Removed: true}}, code: 2, reason: "contract_missing", status: "error"},
		{name: "an approval that nobody can give", files: crane, contract: agreed + "    waits_for: { approval: { from: [write], count: 1 } }\n", code: 1, reason: "evidence_incomplete", status: "failure"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := branchScene(t, c.files)
			if c.contract != "" {
				s.contract(c.contract)
			}
			if c.prepare != nil {
				c.prepare(s)
			}
			code := Main(context.Background(), s.options())
			r, on := s.receipt(), s.shown()
			if code != c.code || string(r.Reason) != c.reason || on.status != c.status {
				t.Errorf("exit %d, %s (%s), %+v\n%s", code, r.Reason, r.Scope.Look, on, s.log.String())
			}
			if on.checks != 1 || on.comments != 0 || r.Subject.PullRequest != 0 || r.Subject.HeadSHA != s.head {
				t.Errorf("%+v, %+v", on, r.Subject)
			}
		})
	}
}

// TestPushOfSeveral holds that a push is judged by all of its commits, and one over another history by everything.
func TestPushOfSeveral(t *testing.T) {
	readme := map[string]fakegithub.File{"README.md": {Text: "Cranes\n"}}
	for name, forced := range map[string]bool{"two commits": false, "over another history": true} {
		s := branchScene(t, map[string]fakegithub.File{"crane/low.go": {Text: "package crane // fell\n"}})
		s.write("out/junit.xml", red)
		var before string
		if forced { // the branch lost the commit that it had
			s.change(func(r *fakegithub.Repository) { before = r.Runs[1].HeadSHA })
			other := s.commit("aside", "main", nil)
			s.change(func(r *fakegithub.Repository) { r.Runs[1].HeadSHA = other; r.Branches["main"] = before })
		}
		s.contract(agreed + whenCrane)
		s.runsOn(s.commit("main", "", readme))
		s.change(func(r *fakegithub.Repository) { r.Runs = r.Runs[:2] })
		if code := Main(context.Background(), s.options()); code != 1 || s.receipt().Reason != "evidence_rejected" {
			t.Errorf("%s: exit %d, %s\n%s", name, code, s.receipt().Reason, s.log.String())
		}
	}
}

// TestSchedule holds that the whole branch is judged, whatever was changed last.
func TestSchedule(t *testing.T) {
	for file, code := range map[string]int{green: 0, red: 1} {
		s := branchScene(t, map[string]fakegithub.File{"README.md": {Text: "Cranes\n"}})
		s.contract(agreed + whenCrane)
		s.env["GITHUB_EVENT_NAME"] = "schedule"
		s.write("out/junit.xml", file)
		if got := Main(context.Background(), s.options()); got != code || s.receipt().Expected != 1 {
			t.Errorf("exit %d, want %d: %s\n%s", got, code, s.receipt().Reason, s.log.String())
		}
	}
}

// TestPushOfAHead holds that a verdict on a branch never stands where a pull request's own has to.
func TestPushOfAHead(t *testing.T) {
	for name, late := range map[string]bool{"from the beginning": false, "opened meanwhile": true} {
		s := branchScene(t, map[string]fakegithub.File{"crane/low.go": {Text: "package crane // on main\n"}})
		s.commit("release", "claude/mend", nil)
		open := func(r *fakegithub.Repository) {
			r.Pulls = append(r.Pulls, &fakegithub.Pull{Number: 8, Title: "Release", User: fakegithub.User{Login: "mira"}, HeadRef: "main", BaseRef: "release", CreatedAt: time.Now()})
		}
		o := s.options()
		if !late {
			s.change(open)
		} else {
			clock, done := o.Clock, false
			o.Clock = func() time.Time {
				if len(s.world.Requests()) > 6 && !done {
					done = true
					s.change(open)
				}
				return clock()
			}
		}
		code := Main(context.Background(), o)
		on := s.shown()
		if code != 0 || on.status != "" || !strings.Contains(s.log.String(), "head of pull request 8") || s.receipt().Reason != "verified" {
			t.Errorf("%s: exit %d, %+v\n%s", name, code, on, s.log.String())
		}
		if late && on.conclusion != "success" || !late && on.checks != 0 {
			t.Errorf("%s: %+v", name, on)
		}
	}
}

// TestPushElsewhere holds that what is no branch is not judged.
func TestPushElsewhere(t *testing.T) {
	for _, ref := range []string{"refs/tags/v1", "refs/heads/", "main", ""} {
		s := branchScene(t, map[string]fakegithub.File{"crane/low.go": {Text: "package crane // on main\n"}})
		s.env["GITHUB_REF"] = ref
		if code := Main(context.Background(), s.options()); code != 3 || s.shown().checks != 0 || !strings.Contains(s.receipt().Scope.Look, "names no branch") {
			t.Errorf("%q: exit %d, %s", ref, code, s.receipt().Scope.Look)
		}
	}
	s := branchScene(t, nil)
	s.env["INPUT_PR-NUMBER"] = "7"
	if code := Main(context.Background(), s.options()); code != 2 {
		t.Errorf("a push with the number of a pull request: exit %d", code)
	}
}
