package stage

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// TestPullRequestTypes holds that each type of the event is judged by the pull request as it is then, whatever the
// payload said when the event happened.
func TestPullRequestTypes(t *testing.T) {
	pull := func(change func(*fakegithub.Pull)) func(*scene) {
		return func(s *scene) { s.change(func(r *fakegithub.Repository) { change(r.Pulls[0]) }) }
	}
	working := func(p *fakegithub.Pull) { b := "Working on it."; p.Body, p.Draft = &b, true }
	reported := func(p *fakegithub.Pull) { b := said; p.Body, p.Draft = &b, false }
	for _, c := range []struct {
		action        string
		before, after func(*scene)
		first, then   string // reasons
	}{
		{"ready_for_review", pull(working), pull(reported), "still_working", "verified"},
		{"converted_to_draft", nil, pull(working), "verified", "still_working"},
		{"edited", nil, pull(func(p *fakegithub.Pull) { b := saidFailed; p.Body = &b }), "verified", "outcome_failed"},
		{"edited to another base", nil, func(s *scene) {
			s.commit("weak", "main", map[string]fakegithub.File{"crane/old.go": {Text: "package crane\n"}})
			pull(func(p *fakegithub.Pull) { p.BaseRef = "weak" })(s)
		}, "verified", "base_not_trusted"},
		{"labeled", func(s *scene) { s.contract(strings.Replace(agreed, "agents: [claude]", "labels: [agent]", 1)) }, pull(func(p *fakegithub.Pull) { p.Labels = []string{"agent"} }), "not_gated", "verified"},
		{"unlabeled", func(s *scene) {
			s.contract(strings.Replace(agreed, "agents: [claude]", "labels: [agent]", 1))
			pull(func(p *fakegithub.Pull) { p.Labels = []string{"agent"} })(s)
		}, pull(func(p *fakegithub.Pull) { p.Labels = nil }), "verified", "not_gated"},
		{"closed", nil, pull(func(p *fakegithub.Pull) { p.State = "closed" }), "verified", "verified"},
		{"reopened", pull(func(p *fakegithub.Pull) { p.State = "closed" }), pull(func(p *fakegithub.Pull) { p.State = "open" }), "verified", "verified"},
	} {
		t.Run(c.action, func(t *testing.T) {
			s := newScene(t)
			action, _, _ := strings.Cut(c.action, " ")
			s.payload(map[string]any{"action": action, "number": 7, "pull_request": map[string]any{"number": 7, "body": said}})
			if c.before != nil {
				c.before(s)
			}
			Main(context.Background(), s.options())
			if got := string(s.receipt().Reason); got != c.first {
				t.Errorf("before: %s, want %s", got, c.first)
			}
			c.after(s)
			s.attempt++
			Main(context.Background(), s.options())
			on := s.shown()
			if got := string(s.receipt().Reason); got != c.then || on.checks != 2 || on.comments != min(1, on.comments) {
				t.Errorf("after it: %s, want %s, %+v\n%s", got, c.then, on, s.log.String())
			}
		})
	}
}

// TestReviewTypes holds what each type of the review's event does to a wait for an approval.
func TestReviewTypes(t *testing.T) {
	review := func(state string) []*fakegithub.Review {
		return []*fakegithub.Review{{ID: 5, Pull: 7, User: fakegithub.User{Login: "keeper"}, State: state, SubmittedAt: time.Now()}}
	}
	for _, c := range []struct {
		action, before, after string // the review's state; "" is none
		first, then           int
	}{
		{"submitted", "", "APPROVED", 4, 0},
		{"submitted", "", "COMMENTED", 4, 4},
		{"submitted", "APPROVED", "CHANGES_REQUESTED", 0, 4},
		{"dismissed", "APPROVED", "DISMISSED", 0, 4},
		{"edited", "APPROVED", "APPROVED", 0, 0},
		{"edited", "COMMENTED", "COMMENTED", 4, 4},
	} {
		s := newScene(t)
		s.contract(agreed + "    waits_for: { approval: { from: [write], count: 1 } }\n")
		s.env["GITHUB_EVENT_NAME"] = "pull_request_review"
		s.payload(map[string]any{"action": c.action, "review": map[string]any{"state": "approved"}, "pull_request": map[string]any{"number": 7}})
		for i, state := range []string{c.before, c.after} {
			s.change(func(r *fakegithub.Repository) {
				r.Reviews = nil
				if state != "" {
					r.Reviews = review(state)
					r.Reviews[0].CommitID = s.head
				}
			})
			s.attempt = i + 1
			if code, want := Main(context.Background(), s.options()), []int{c.first, c.then}[i]; code != want {
				t.Errorf("%s, %q after %q: exit %d, want %d", c.action, c.after, c.before, code, want)
			}
		}
		if on, want := s.shown(), map[int]string{0: "success", 4: "pending"}[c.then]; on.status != want {
			t.Errorf("%s, %q after %q: status %s", c.action, c.after, c.before, on.status)
		}
	}
}

// TestOtherEvents holds that an event that is not judged is a failed look with nothing posted, never a pass.
func TestOtherEvents(t *testing.T) {
	for _, name := range []string{"release", "check_run", "repository_dispatch", "create", "pull_request_review_comment", "Push", ""} {
		s := newScene(t)
		s.env["GITHUB_EVENT_NAME"], s.env["GITHUB_REF"] = name, "refs/heads/main"
		code := Main(context.Background(), s.options())
		on, log, look := s.shown(), s.log.String(), s.receipt().Scope.Look
		if code != 3 || on != (shown{}) || !strings.Contains(log, "is not judged: run the gate on pull_request") || !strings.HasSuffix(look, "another of issue_comment, merge_group, pull_request, pull_request_review, pull_request_target, push, schedule, workflow_dispatch, workflow_run") {
			t.Errorf("%q: exit %d, %+v\n%s", name, code, on, log)
		}
		if n := len(s.world.Requests()); n != 0 {
			t.Errorf("%q: %d requests", name, n)
		}
	}
}
