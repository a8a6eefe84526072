package github

import (
	"errors"
	"fmt"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

func TestRunsAt(t *testing.T) {
	s := play(t)
	s.change(func(r *fakegithub.Repository) {
		later := *r.Runs[0]
		later.ID = 950
		other := *r.Runs[0]
		other.ID, other.HeadSHA = 960, s.main
		r.Runs = append(r.Runs, &later, &other)
	})
	l, err := s.RunsAt(t.Context(), s.head)
	if err != nil || len(l.Items) != 2 || l.Items[0].ID != 950 || l.Items[1].Attempt != 2 || l.Cut {
		t.Errorf("%+v, %v", l, err)
	}
	s.fault(fakegithub.Fault{Match: "/actions/runs", Status: 200, Body: `{"workflow_runs":[{"id":1,"run_attempt":1,"head_sha":"` + s.main + `"}]}`})
	if _, err := s.RunsAt(t.Context(), s.head); !errors.Is(err, ErrMalformed) {
		t.Errorf("a run of another commit: %v", err)
	}
	s.change(func(r *fakegithub.Repository) {
		for i := range 120 {
			more := *r.Runs[0]
			more.ID = int64(2000 + i)
			r.Runs = append(r.Runs, &more)
		}
	})
	if l, err := s.RunsAt(t.Context(), s.head); err != nil || len(l.Items) != maxRunsAt || !l.Cut {
		t.Errorf("%d runs, cut %t, %v", len(l.Items), l.Cut, err)
	}
	if _, err := s.RunsAt(t.Context(), "../.."); !errors.Is(err, ErrMalformed) {
		t.Errorf("a path for a commit: %v", err)
	}
}

func TestDeploymentReviews(t *testing.T) {
	s := play(t)
	for _, body := range []string{"null", `[null]`, `[{"state":""}]`, `{}`} {
		s.fault(fakegithub.Fault{Match: "/approvals", Status: 200, Body: body})
		if l, err := s.DeploymentReviews(t.Context(), 900); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v, %v", body, l, err)
		}
	}
	s.change(func(r *fakegithub.Repository) {
		r.Runs[0].Approvals = []*fakegithub.Approval{{User: fakegithub.User{Login: "tomas"}, State: "rejected", Environments: []string{"a", "b"}}}
	})
	if l, err := s.DeploymentReviews(t.Context(), 900); err != nil || len(l) != 1 || l[0].By.Login != "tomas" || l[0].By.Type != "User" || fmt.Sprint(l[0].Environments) != "[a b]" {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestEnvironmentReviewed(t *testing.T) {
	s := play(t)
	if reviewed, err := s.EnvironmentReviewed(t.Context(), "test"); err != nil || reviewed {
		t.Errorf("an environment without reviewers: %t, %v", reviewed, err)
	}
	if _, err := s.EnvironmentReviewed(t.Context(), "gone"); !IsStatus(err, 404) {
		t.Errorf("no environment: %v", err)
	}
	for _, name := range []string{"", ".", ".."} {
		if _, err := s.EnvironmentReviewed(t.Context(), name); !errors.Is(err, ErrMalformed) {
			t.Errorf("%q: %v", name, err)
		}
	}
	s.fault(fakegithub.Fault{Match: "/environments/", Status: 200, Body: `{}`})
	if _, err := s.EnvironmentReviewed(t.Context(), "test"); !errors.Is(err, ErrMalformed) {
		t.Errorf("an environment without a name: %v", err)
	}
}

// TestTeamMembers holds that a workflow's own token is refused, and that a team of several pages is read to its end.
func TestTeamMembers(t *testing.T) {
	s := play(t)
	s.world.Change(func(d *fakegithub.Data) {
		d.Tokens["ghs_app"] = &fakegithub.Token{User: fakegithub.User{Login: "gate[bot]"}, App: 77, Permissions: map[string]string{"members": "read"}}
		d.Apps = []fakegithub.App{{ID: 77, Slug: "gate", Name: "Gate"}}
		d.Teams = map[string][]fakegithub.User{"acme/core": {}, "acme/empty": {}}
		for i := range 230 {
			d.Teams["acme/core"] = append(d.Teams["acme/core"], fakegithub.User{Login: fmt.Sprintf("member-%d", i)})
		}
	})
	if _, err := s.TeamMembers(t.Context(), "core"); !IsStatus(err, 403) {
		t.Errorf("a workflow's own token: %v", err)
	}
	app := s.as("ghs_app")
	l, err := app.TeamMembers(t.Context(), "core")
	if err != nil || len(l.Items) != 230 || l.Cut || l.Items[229].Login != "member-229" {
		t.Errorf("%d members, cut %t, %v", len(l.Items), l.Cut, err)
	}
	if l, err := app.TeamMembers(t.Context(), "empty"); err != nil || len(l.Items) != 0 {
		t.Errorf("an empty team: %v, %v", l, err)
	}
	if _, err := app.TeamMembers(t.Context(), "gone"); !IsStatus(err, 404) {
		t.Errorf("no team: %v", err)
	}
	for _, slug := range []string{"", ".", "..", "../x"} {
		if _, err := app.TeamMembers(t.Context(), slug); err == nil {
			t.Errorf("team %q is read", slug)
		}
	}
	s.fault(fakegithub.Fault{Match: "/members", Status: 200, Body: `[{}]`})
	if _, err := app.TeamMembers(t.Context(), "core"); !errors.Is(err, ErrMalformed) {
		t.Errorf("a member without a login: %v", err)
	}
}
