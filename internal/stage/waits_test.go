package stage

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// member is the token of an app that may read members.
const member = "ghs_memb3r"

// waiting is a scene whose contract also waits.
func waiting(t *testing.T, wait string) *scene {
	t.Helper()
	s := newScene(t)
	s.contract(agreed + "  - id: let-through\n    waits_for: " + wait + "\n")
	s.world.Change(func(d *fakegithub.Data) {
		d.Tokens[member] = &fakegithub.Token{User: fakegithub.User{Login: "gate[bot]"}, App: 77, Permissions: map[string]string{
			"members": "read", "contents": "read", "checks": "write", "statuses": "write", "pull_requests": "write", "actions": "read",
		}}
		d.Apps = []fakegithub.App{{ID: 77, Slug: "gate", Name: "Gate"}}
		d.Teams = map[string][]fakegithub.User{"north/core": {{Login: "Keeper"}, {Login: "mira"}}, "north/other": {{Login: "warden"}}}
		d.Repositories[0].Environments = []*fakegithub.Environment{{Name: "production", Reviewers: []fakegithub.User{{Login: "keeper"}}}, {Name: "open"}}
	})
	return s
}

// answer lets somebody answer to a run's deployments, in a run of its own.
func (s *scene) answer(run int64, head, who, state string, environments ...string) {
	s.change(func(r *fakegithub.Repository) {
		i := slices.IndexFunc(r.Runs, func(x *fakegithub.Run) bool { return x.ID == run })
		if i < 0 {
			more := *r.Runs[0]
			more.ID, more.HeadSHA, more.Approvals = run, head, nil
			r.Runs, i = append(r.Runs, &more), len(r.Runs)
		}
		r.Runs[i].Approvals = append(r.Runs[i].Approvals, &fakegithub.Approval{User: fakegithub.User{Login: who}, State: state, Environments: environments})
	})
}

func (s *scene) approve(who, commit string) {
	s.change(func(r *fakegithub.Repository) {
		r.Collaborators[who] = "write"
		r.Reviews = append(r.Reviews, &fakegithub.Review{ID: int64(50 + len(r.Reviews)), Pull: 7, User: fakegithub.User{Login: who}, State: "APPROVED", CommitID: commit, SubmittedAt: time.Now()})
	})
}

// holds runs the stage and holds what it says of the outcome that waits.
func (s *scene) holds(t *testing.T, code int, state, find, text string) {
	t.Helper()
	if got := Main(context.Background(), s.options()); got != code {
		t.Errorf("exit %d, want %d\n%s", got, code, s.log.String())
	}
	r := s.receipt()
	for _, o := range r.Outcomes {
		if o.Rule.ID == "let-through" {
			if string(o.State) != state || o.Code != find || !strings.Contains(o.Detail, text) {
				t.Errorf("%s %s: %s", o.State, o.Code, o.Detail)
			}
			return
		}
	}
	t.Errorf("%s %s: the outcome is not judged: %s", r.Verdict, r.Reason, r.Scope.Look)
}

func TestEnvironment(t *testing.T) {
	const other = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	for _, c := range []struct {
		name        string
		environment string // empty: production
		prepare     func(*scene)
		code        int
		state, find string
		text        string
	}{
		{name: "nobody answered", code: 4, state: "waiting", find: "wait/environment"},
		{name: "approved", prepare: func(s *scene) { s.answer(runID, s.head, "keeper", "approved", "production") }, state: "verified", find: "wait/over"},
		{name: "approved among others", prepare: func(s *scene) { s.answer(950, s.head, "keeper", "approved", "staging", "production") }, state: "verified", find: "wait/over"},
		{name: "another environment", prepare: func(s *scene) { s.answer(runID, s.head, "keeper", "approved", "Production", "production-eu") }, code: 4, state: "waiting", find: "wait/environment"},
		{name: "an older head", prepare: func(s *scene) { s.answer(800, other, "keeper", "approved", "production") }, code: 4, state: "waiting", find: "wait/environment"},
		{name: "a comment only", prepare: func(s *scene) { s.answer(runID, s.head, "keeper", "pending", "production") }, code: 4, state: "waiting", find: "wait/environment"},
		{name: "by the author", prepare: func(s *scene) { s.answer(runID, s.head, "Mira", "approved", "production") }, code: 4, state: "waiting", find: "wait/environment"},
		{name: "by a bot", prepare: func(s *scene) { s.answer(runID, s.head, "helper[bot]", "approved", "production") }, code: 4, state: "waiting", find: "wait/environment"},
		{name: "refused", prepare: func(s *scene) { s.answer(runID, s.head, "keeper", "rejected", "production") }, code: 1, state: "validator_failed", find: "wait/rejected"},
		{name: "refused by the author", prepare: func(s *scene) { s.answer(runID, s.head, "mira", "rejected", "production") }, code: 1, state: "validator_failed", find: "wait/rejected"},
		{name: "approved and refused in one run", prepare: func(s *scene) {
			s.answer(runID, s.head, "keeper", "rejected", "production")
			s.answer(runID, s.head, "keeper", "approved", "production")
		}, code: 1, state: "validator_failed", find: "wait/rejected"},
		{name: "refused, then approved in a newer run", prepare: func(s *scene) {
			s.answer(runID, s.head, "keeper", "rejected", "production")
			s.answer(950, s.head, "keeper", "approved", "production")
		}, state: "verified", find: "wait/over"},
		{name: "approved, then refused in a newer run", prepare: func(s *scene) {
			s.answer(runID, s.head, "keeper", "approved", "production")
			s.answer(950, s.head, "keeper", "rejected", "production")
		}, code: 1, state: "validator_failed", find: "wait/rejected"},
		{name: "approved by the author in a newer run", prepare: func(s *scene) {
			s.answer(runID, s.head, "keeper", "approved", "production")
			s.answer(950, s.head, "mira", "approved", "production")
		}, code: 4, state: "waiting", find: "wait/environment"},
		{name: "no such environment", environment: "nowhere", code: 1, state: "unverified", find: "wait/unknown", text: "no environment of that name"},
		{name: "nobody is asked", environment: "open", code: 1, state: "unverified", find: "wait/unknown", text: "no required reviewers"},
		{name: "the token may not look", prepare: func(s *scene) { s.fault("/approvals", 403) }, code: 1, state: "unverified", find: "wait/unknown", text: "actions: read"},
		{name: "runs are not listed", prepare: func(s *scene) { s.fault("/actions/runs\\?", 404) }, code: 1, state: "unverified", find: "wait/unknown", text: "actions: read"},
		{name: "more runs than are asked", prepare: func(s *scene) {
			for i := range maxAsked + 5 {
				s.answer(int64(2000+i), s.head, "keeper", "approved", "staging")
			}
			s.answer(runID, s.head, "keeper", "approved", "production")
		}, code: 1, state: "unverified", find: "wait/unknown", text: "newest 30 runs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := c.environment
			if name == "" {
				name = "production"
			}
			s := waiting(t, "{ environment: "+name+" }")
			if c.prepare != nil {
				c.prepare(s)
			}
			s.holds(t, c.code, c.state, c.find, c.text)
			want := map[int]string{0: "success", 1: "failure", 4: "pending"}[c.code]
			if on := s.shown(); on.status != want {
				t.Errorf("the status is %s", on.status)
			}
		})
	}
}

// maxAsked is how many runs of a commit are asked for the answers of an environment's reviewers.
const maxAsked = 30

func (s *scene) fault(match string, status int) {
	s.t.Helper()
	if err := s.world.Fault(fakegithub.Fault{Match: match, Status: status, Times: -1, Body: `{"message":"Resource not accessible by integration"}`}); err != nil {
		s.t.Fatal(err)
	}
}

func TestTeam(t *testing.T) {
	for _, c := range []struct {
		name, from  string
		token       string // empty: the workflow's own
		prepare     func(*scene)
		code        int
		state, find string
		text        string
	}{
		{name: "nobody approved", from: `["team:core"]`, code: 4, state: "waiting", find: "wait/approval"},
		{name: "a member", from: `["team:core"]`, token: member, prepare: func(s *scene) { s.approve("keeper", s.head) }, state: "verified", find: "wait/over"},
		{name: "no member", from: `["team:other"]`, token: member, prepare: func(s *scene) { s.approve("keeper", s.head) }, code: 4, state: "waiting", find: "wait/approval"},
		{name: "the author, who is a member", from: `["team:core"]`, token: member, prepare: func(s *scene) { s.approve("mira", s.head) }, code: 4, state: "waiting", find: "wait/approval"},
		{name: "one of two", from: `["team:core"], count: 2`, token: member, prepare: func(s *scene) {
			s.approve("keeper", s.head)
			s.approve("warden", s.head)
		}, code: 4, state: "waiting", find: "wait/approval"},
		{name: "each of another team", from: `["team:core", "team:other"], count: 2`, token: member, prepare: func(s *scene) {
			s.approve("keeper", s.head)
			s.approve("warden", s.head)
		}, state: "verified", find: "wait/over"},
		{name: "nobody counts twice", from: `["user:keeper", "team:core"], count: 2`, token: member, prepare: func(s *scene) { s.approve("keeper", s.head) }, code: 4, state: "waiting", find: "wait/approval"},
		{name: "a workflow's own token", from: `["team:core"]`, prepare: func(s *scene) { s.approve("keeper", s.head) }, code: 1, state: "unverified", find: "wait/unknown", text: "members: read"},
		{name: "no such team", from: `["team:gone"]`, token: member, prepare: func(s *scene) { s.approve("keeper", s.head) }, code: 1, state: "unverified", find: "wait/unknown", text: "members: read"},
		{name: "enough without the team", from: `["user:keeper", "team:core"]`, prepare: func(s *scene) { s.approve("keeper", s.head) }, state: "verified", find: "wait/over"},
		{name: "an older head", from: `["team:core"]`, token: member, prepare: func(s *scene) { s.approve("keeper", strings.Repeat("a", 40)) }, code: 4, state: "waiting", find: "wait/approval"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := waiting(t, "{ approval: { from: "+c.from+" } }")
			if c.token != "" {
				s.env["INPUT_TOKEN"] = c.token
			}
			if c.prepare != nil {
				c.prepare(s)
			}
			s.holds(t, c.code, c.state, c.find, c.text)
		})
	}
}

// TestCheckIsAwaited holds that a check which ends within its window is waited for, and one that does not leaves a wait.
func TestCheckIsAwaited(t *testing.T) {
	for _, ends := range []bool{true, false} {
		s := newScene(t)
		s.contract(agreed + "  - id: let-through\n    observe_for: 10m\n    validators: [check: { name: e2e, app: github-actions }]\n")
		s.change(func(r *fakegithub.Repository) {
			r.CheckRuns = append(r.CheckRuns, &fakegithub.CheckRun{ID: 77, App: fakegithub.ActionsApp, Suite: 5, Name: "e2e", HeadSHA: s.head, Status: "in_progress"})
		})
		o, ahead, pauses := s.options(), time.Duration(0), 0
		machine := o.Clock
		o.Clock = func() time.Time { return machine().Add(ahead) }
		o.Pause = func(_ context.Context, d time.Duration) error {
			pauses++
			ahead += d
			if pauses == 3 && ends {
				s.change(func(r *fakegithub.Repository) {
					r.CheckRuns[0].Status, r.CheckRuns[0].Conclusion = "completed", "success"
				})
			}
			return nil
		}
		// The run began as the gate did, so that its window is open.
		s.change(func(r *fakegithub.Repository) { r.Runs[0].Attempts[0].Jobs[0].StartedAt = time.Now().Add(-time.Second) })
		s.write("out/junit.xml", green)
		code := Main(context.Background(), o)
		r := s.receipt()
		if ends && (code != 0 || pauses != 3) || !ends && (code != 4 || r.Reason != "waiting" || ahead > 5*time.Minute || ahead < 4*time.Minute || s.shown().status != "pending") {
			t.Errorf("ends %t: exit %d, %s after %d pauses and %s", ends, code, r.Reason, pauses, ahead)
		}
	}
}
