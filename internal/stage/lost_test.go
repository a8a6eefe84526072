package stage

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// lose makes GitHub carry out the next such request and the answer get lost.
func (s *scene) lose(match string) {
	s.t.Helper()
	if err := s.world.Fault(fakegithub.Fault{Match: match, Lose: true}); err != nil {
		s.t.Fatal(err)
	}
}

// TestLostCheckRun holds that a check run that GitHub made and whose answer was lost is completed by the run that
// asked for it, or, if that was killed, by the last stage.
func TestLostCheckRun(t *testing.T) {
	s := newScene(t)
	s.lose("^POST .*/check-runs")
	if code := Main(context.Background(), s.options()); code != 0 {
		t.Errorf("exit %d\n%s", code, s.log.String())
	}
	if on := s.shown(); on.checks != 1 || on.conclusion != "success" {
		t.Errorf("%+v", on)
	}
	if strings.Contains(s.log.String(), "publish: failed") {
		t.Errorf("the log:\n%s", s.log.String())
	}

	s = newScene(t)
	s.lose("^POST .*/check-runs")
	if err := s.world.Fault(fakegithub.Fault{Match: "^GET .*/check-runs", Status: 404, Body: "{}", Times: 1}); err != nil { // not listed yet
		t.Fatal(err)
	}
	if code := Main(context.Background(), s.options()); code != 0 {
		t.Errorf("exit %d", code)
	}
	if on := s.shown(); on.checks != 1 || on.conclusion != "success" {
		t.Errorf("listed late: %+v", on)
	}
}

// TestLostCheckRunOfAKilledRun is the same for a main stage that ended before it had the answer.
func TestLostCheckRunOfAKilledRun(t *testing.T) {
	for name, times := range map[string]int{"interrupted": 0, "killed": -1} {
		s := newScene(t)
		ctx, stop := context.WithCancel(context.Background())
		s.lose("^POST .*/check-runs")
		if times != 0 { // whatever the main stage still tries
			if err := s.world.Fault(fakegithub.Fault{Match: "^(GET|PATCH) .*/check-runs", Status: 404, Body: "{}", Times: 9}); err != nil {
				t.Fatal(err)
			}
		}
		o := s.options()
		clock := o.Clock
		o.Clock = func() time.Time {
			if s.shown().checks > 0 {
				stop()
			}
			return clock()
		}
		if code := Main(ctx, o); code != 3 {
			t.Errorf("%s: exit %d", name, code)
		}
		stop()
		if times != 0 {
			if on := s.shown(); on.checks != 1 || on.conclusion != "" {
				t.Fatalf("%s: before the last stage: %+v", name, on)
			}
			lines := strings.Split(strings.TrimSpace(s.file("GITHUB_STATE")), "\n")
			s.env["STATE_"+stateCheck] = lines[len(lines)-2]
			for range 9 { // the fault is over
				_ = Post(context.Background(), s.options())
			}
		}
		if on := s.shown(); on.checks != 1 || on.conclusion != "cancelled" {
			t.Errorf("%s: %+v\n%s", name, on, s.log.String())
		}
	}
}

// TestPostFindsItsOwn holds that the last stage completes by what the main stage left nothing but that run's own.
func TestPostFindsItsOwn(t *testing.T) {
	s := newScene(t)
	at := time.Unix(1_790_000_000, 0)
	other := at.Add(time.Second)
	s.change(func(r *fakegithub.Repository) {
		for i, k := range []fakegithub.CheckRun{
			{ExternalID: "outcome-gate:900:1", StartedAt: &at},
			{ExternalID: "outcome-gate:900:2", StartedAt: &at},
			{ExternalID: "outcome-gate:900:1", StartedAt: &other},
			{ExternalID: "outcome-gate:900:1", StartedAt: &at, Name: "Another"},
		} {
			k.ID, k.App, k.Suite, k.HeadSHA, k.Status = int64(31+i), fakegithub.ActionsApp, 900, s.head, "in_progress"
			if k.Name == "" {
				k.Name = "Outcome Gate"
			}
			r.CheckRuns = append(r.CheckRuns, &k)
		}
	})
	for _, state := range []string{"@", "x@1", s.head + "@", s.head + "@x", "main@1790000000", s.head + "@1790000000"} {
		s.env["STATE_"+stateCheck] = state
		if code := Post(context.Background(), s.options()); code != 0 {
			t.Errorf("state %q: exit %d", state, code)
		}
	}
	s.change(func(r *fakegithub.Repository) {
		for i, want := range []string{"cancelled", "", "", ""} {
			if got := r.CheckRuns[i].Conclusion; got != want {
				t.Errorf("check run %d is %q, want %q", i, got, want)
			}
		}
	})
}

// TestCopiedCheckRun holds that a check run of another app that copied everything of a lost one keeps nobody from
// completing the lost one, and tells nothing about whose the token is.
func TestCopiedCheckRun(t *testing.T) {
	s := newScene(t)
	s.tokens()
	s.lose("^POST .*/check-runs")
	o := s.options()
	clock, copied := o.Clock, false
	o.Clock = func() time.Time {
		s.change(func(r *fakegithub.Repository) {
			if len(r.CheckRuns) == 1 && !copied {
				k := *r.CheckRuns[0]
				k.ID, k.App, copied = k.ID+100_000, 77, true
				r.CheckRuns = append(r.CheckRuns, &k)
			}
		})
		return clock()
	}
	code := Main(context.Background(), o)
	s.change(func(r *fakegithub.Repository) {
		if len(r.CheckRuns) != 2 || r.CheckRuns[0].Conclusion != "success" || r.CheckRuns[1].Conclusion != "" {
			t.Errorf("exit %d, %d check runs: %+v", code, len(r.CheckRuns), r.CheckRuns[0])
		}
	})
	if got := s.commentsBy("github-actions[bot]"); code != 0 || len(got) != 1 {
		t.Errorf("exit %d, %d comments", code, len(got))
	}
}
