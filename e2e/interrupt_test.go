package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/e2e/runstep"
	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// during gives a channel that is closed once the gate's check run exists and a request that matches has been
// asked, whose answer never comes in time.
func during(match string) func(*testing.T, *scene) <-chan struct{} {
	return func(t *testing.T, s *scene) <-chan struct{} {
		must(t, s.hub.Fault(fakegithub.Fault{Match: match, DelayMS: 120_000, Times: -1}))
		now := make(chan struct{})
		go func() {
			for try := 0; try < 1200; try++ {
				time.Sleep(50 * time.Millisecond)
				asked := false
				for _, r := range s.hub.Requests() {
					asked = asked || r.Method == http.MethodGet && strings.Contains(r.URI, "/compare/")
				}
				if asked && len(s.checkRuns()) > 0 {
					close(now)
					return
				}
			}
		}()
		return now
	}
}

// interrupted holds what may be left of a run that was ended: its check run completed, nothing called good.
func (s *scene) interrupted(t *testing.T) {
	t.Helper()
	runs := s.checkRuns()
	if len(runs) != 1 {
		t.Fatalf("%d check runs", len(runs))
	}
	if runs[0].Status != "completed" || runs[0].Conclusion != "cancelled" {
		t.Errorf("the check run is %s, %q; want completed, cancelled", runs[0].Status, runs[0].Conclusion)
	}
	if runs[0].HeadSHA != s.hub.head {
		t.Errorf("the check run is on %s", s.hub.place(runs[0].HeadSHA))
	}
	if got := s.status(s.hub.head); got != "" {
		t.Errorf("commit status %q, want it unchanged", got)
	}
}

// TestCancelled: the runner's signal ends the gate with exit 3 within the runner's patience.
func TestCancelled(t *testing.T) {
	stop := during("^GET .*/compare/")
	with := settings{stop: func(t *testing.T, s *scene) (cancel, kill <-chan struct{}) { return stop(t, s), nil }}
	s := open(t, goodChange(), with).judge(t, runID, 1, with)
	s.interrupted(t)
	if got := s.step.Result.Exit[runstep.Main]; got != 3 {
		t.Errorf("exit code %d, want 3", got)
	}
	if r := s.receipt(t); r != nil && r.Result == "pass" {
		t.Error("the receipt of an interrupted run says pass")
	}
}

// TestKilled: a gate that is killed leaves its check run to the post stage.
func TestKilled(t *testing.T) {
	stop := during("^GET .*/compare/")
	with := settings{stop: func(t *testing.T, s *scene) (cancel, kill <-chan struct{}) { return nil, stop(t, s) }}
	s := open(t, goodChange(), with).judge(t, runID, 1, with)
	s.interrupted(t)
	if got := s.step.Result.Exit[runstep.Main]; got != 137 {
		t.Errorf("exit code %d, want 137", got)
	}
	if got := s.step.Result.Exit[runstep.Post]; got != 0 {
		t.Errorf("exit code %d of the post stage", got)
	}
}

// TestPostChangesNothing: after a run that ended by itself, the post stage writes nothing.
func TestPostChangesNothing(t *testing.T) {
	h := open(t, badChange(), settings{})
	s := h.judge(t, runID, 1, settings{})
	s.agree(t, falseSuccess())
	last := 0
	for i, r := range h.Requests() {
		if r.Method != http.MethodGet {
			last = i
		}
	}
	writes := len(h.Requests())
	must(t, s.step.Run(t.Context(), runstep.Post))
	for _, r := range h.Requests()[writes:] {
		if r.Method != http.MethodGet {
			t.Errorf("the post stage wrote: %s %s (the last one before was number %d)", r.Method, r.URI, last)
		}
	}
	s.agree(t, falseSuccess())
}

// TestPlantedState: a check run id that an earlier step planted is not completed by any stage.
func TestPlantedState(t *testing.T) {
	first := open(t, goodChange(), settings{}).judge(t, runID, 1, settings{})
	if len(first.step.Result.State) == 0 {
		t.Fatal("no stage saved any state")
	}
	h := open(t, goodChange(), settings{})
	now := time.Now().UTC().Truncate(time.Second)
	h.repo(func(r *fakegithub.Repository) {
		for i, name := range []string{"another check", checkName} {
			r.CheckRuns = append(r.CheckRuns, &fakegithub.CheckRun{
				ID: int64(6001 + i), App: fakegithub.ActionsApp, Suite: 6009, Name: name, HeadSHA: h.head,
				ExternalID: fmt.Sprintf("outcome-gate:%d:1", runID-1-i), Status: "in_progress", StartedAt: &now,
			})
		}
	})
	for _, planted := range []string{"6001", "6002"} {
		env := map[string]string{}
		for name := range first.step.Result.State {
			env["STATE_"+name] = planted
		}
		s := h.begin(t, runID+7, 1, settings{env: env})
		must(t, s.step.Run(t.Context(), runstep.Post)) // as if main had died before it saved anything
		s.always(t)
	}
	env := map[string]string{}
	for name := range first.step.Result.State {
		env["STATE_"+name] = "6001"
	}
	h.judge(t, runID, 1, settings{env: env}).agree(t, passed())
	h.repo(func(r *fakegithub.Repository) {
		for _, c := range r.CheckRuns {
			if (c.ID == 6001 || c.ID == 6002) && c.Status != "in_progress" {
				t.Errorf("another run's check was completed: %+v", c)
			}
		}
	})
}
