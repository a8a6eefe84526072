package github

import (
	"errors"
	"fmt"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

func TestRules(t *testing.T) {
	s := play(t)
	l, err := s.Rules(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(l.Items)
	want := "[{required_status_checks [{gate 15368} {lint 0}] [] false} {merge_queue [] [] false} " +
		"{workflows [] [{.github/workflows/gate.yml 5}] false} {pull_request [] [] true}]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if l, err = s.Rules(t.Context(), "feature/turn"); err != nil || len(l.Items) != 0 {
		t.Errorf("a branch without rules: %v, %v", l, err)
	}
	if _, err := s.Rules(t.Context(), "../.."); !errors.Is(err, ErrMalformed) {
		t.Errorf("a path for a branch: %v", err)
	}
}

// TestRulesAreWhole holds that a rule which lacks what it is about is no rule that asks for nothing, and that a
// list of several pages is read to its end.
func TestRulesAreWhole(t *testing.T) {
	s := play(t)
	for _, body := range []string{
		`[{"type":"required_status_checks"}]`, `[{"type":"required_status_checks","parameters":{}}]`, `[{"type":"required_status_checks","parameters":7}]`,
		`[{"type":"workflows","parameters":{"workflows":null}}]`, `[{"type":"pull_request","parameters":{}}]`, `[{"type":""}]`,
	} {
		s.fault(fakegithub.Fault{Match: "/rules/", Status: 200, Body: body})
		if l, err := s.Rules(t.Context(), "main"); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v, %v", body, l, err)
		}
	}
	s.change(func(r *fakegithub.Repository) {
		for range 250 {
			r.Rules["main"] = append(r.Rules["main"], &fakegithub.Rule{Type: "deletion"})
		}
	})
	if l, err := s.Rules(t.Context(), "main"); err != nil || len(l.Items) != 254 || l.Cut {
		t.Errorf("%d rules, %v", len(l.Items), err)
	}
}

func TestProtection(t *testing.T) {
	s := play(t)
	if p, err := s.Protection(t.Context(), "feature/turn"); err != nil || p.Protected || len(p.Checks) != 0 {
		t.Errorf("a branch without protection: %v, %v", p, err)
	}
	if _, err := s.Protection(t.Context(), "gone"); !IsStatus(err, 404) {
		t.Errorf("no branch: %v", err)
	}
	s.fault(fakegithub.Fault{Match: "/branches/", Status: 200, Body: `{"name":"main","protected":true,"protection":{"required_status_checks":{"enforcement_level":"off","checks":[{"context":"x","app_id":-1}]}}}`})
	if p, err := s.Protection(t.Context(), "main"); err != nil || !p.Protected || len(p.Checks) != 0 {
		t.Errorf("checks that are not asked for: %v, %v", p, err)
	}
	s.fault(fakegithub.Fault{Match: "/branches/", Status: 200, Body: `{"name":"main","protected":true,"protection":{"required_status_checks":{"enforcement_level":"everyone","checks":[{"context":"x","app_id":-1}]}}}`})
	if p, err := s.Protection(t.Context(), "main"); err != nil || fmt.Sprint(p.Checks) != "[{x 0}]" {
		t.Errorf("a check of any source: %v, %v", p, err)
	}
}

func TestWorkflowSettings(t *testing.T) {
	s := play(t)
	if _, err := s.WorkflowSettings(t.Context()); !IsStatus(err, 403) {
		t.Errorf("a workflow's own token: %v", err)
	}
	s.world.Change(func(d *fakegithub.Data) {
		d.Tokens["ghp_adminsecret"] = &fakegithub.Token{User: fakegithub.User{Login: "maya"}}
		d.Repositories[0].WorkflowSettings = fakegithub.WorkflowSettings{Default: "write", Approves: true}
	})
	admin := s.as("ghp_adminsecret")
	if got, err := admin.WorkflowSettings(t.Context()); err != nil || got != (WorkflowSettings{Writes: true, Approves: true}) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, body := range []string{"", "null", "{}", `{"default_workflow_permissions":"admin","can_approve_pull_request_reviews":true}`, `{"default_workflow_permissions":"read"}`} {
		s.fault(fakegithub.Fault{Match: "/permissions/", Status: 200, Body: body})
		if got, err := admin.WorkflowSettings(t.Context()); !errors.Is(err, ErrMalformed) {
			t.Errorf("%q: %v, %v", body, got, err)
		}
	}
}
