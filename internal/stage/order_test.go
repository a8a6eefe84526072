package stage

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// meanwhile runs f once, after everything was read and before anything is posted.
func (s *scene) meanwhile(o Options, f func()) Options {
	clock, done := o.Clock, false
	o.Clock = func() time.Time {
		if all := s.world.Requests(); !done && len(all) > 0 && strings.HasSuffix(strings.SplitN(all[len(all)-1].URI, "?", 2)[0], "/pulls") {
			done = true
			f()
		}
		return clock()
	}
	s.t.Cleanup(func() {
		if !done {
			s.t.Error("nothing happened meanwhile")
		}
	})
	return o
}

// another is a run of the same scene with a runner and a log of its own.
func (s *scene) another(run int64, attempt int, xml string) (code int) {
	s.t.Helper()
	other := *s
	other.log.Reset()
	other.temp, other.dir, other.attempt = s.t.TempDir(), s.t.TempDir(), attempt
	other.env = map[string]string{}
	for k, v := range s.env {
		other.env[k] = v
	}
	other.env["GITHUB_WORKSPACE"], other.env["RUNNER_TEMP"], other.env["GITHUB_RUN_ID"] = other.dir, other.temp, fmt.Sprint(run)
	other.write("out/junit.xml", xml)
	return Main(context.Background(), other.options())
}

// laterRun is a run that GitHub knows at the head commit.
func (s *scene) laterRun(id int64) {
	s.change(func(r *fakegithub.Repository) {
		run := *r.Runs[0]
		run.ID = id
		r.Runs = append(r.Runs, &run)
	})
}

// TestLaterRunMeanwhile holds that what a later run or attempt posts while an older one still looks stays as it is,
// on every surface, and that the older run ends as it judged and says why it is silent.
func TestLaterRunMeanwhile(t *testing.T) {
	for _, c := range []struct {
		name    string
		run     int64
		attempt int
		before  bool // an earlier run has commented already
		off     string
	}{
		{name: "a later attempt", run: runID, attempt: 2},
		{name: "a later run", run: 950, attempt: 1},
		{name: "a later run over a comment", run: 950, attempt: 1, before: true},
		{name: "the comment alone", run: 950, attempt: 1, before: true, off: "INPUT_STATUS"},
		{name: "the status alone", run: 950, attempt: 1, off: "INPUT_COMMENT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t)
			s.laterRun(950)
			s.laterRun(800)
			if c.off != "" {
				s.env[c.off] = "off"
			}
			if c.before {
				s.another(800, 1, green)
			}
			var want shown
			code := Main(context.Background(), s.meanwhile(s.options(), func() {
				if code := s.another(c.run, c.attempt, red); code != 1 {
					t.Errorf("the later run exits %d", code)
				}
				want = s.shown()
			}))
			got := s.shown()
			if code != 0 || got.status != want.status || got.comment != want.comment || got.comments != want.comments {
				t.Errorf("exit %d; the older run left %+v of %+v", code, got, want)
			}
			var own string
			s.change(func(r *fakegithub.Repository) {
				for _, k := range r.CheckRuns {
					if k.ExternalID == "outcome-gate:900:1" {
						own = k.Conclusion
					}
				}
			})
			if log := s.log.String(); own != "success" || !strings.Contains(log, "later run or attempt has already spoken") || strings.Contains(log, "publish: failed") {
				t.Errorf("its own check run is %q; the log:\n%s", own, log)
			}
		})
	}
}

// TestEarlierRunMeanwhile holds the other order: what an earlier run posts meanwhile is replaced, and there is one
// comment in the end.
func TestEarlierRunMeanwhile(t *testing.T) {
	s := newScene(t)
	s.laterRun(800)
	s.write("out/junit.xml", red)
	code := Main(context.Background(), s.meanwhile(s.options(), func() { s.another(800, 1, green) }))
	if on := s.shown(); code != 1 || on.status != "failure" || on.comments != 1 || !strings.Contains(on.comment, `"run_id": 900`) {
		t.Errorf("exit %d, %+v", code, on)
	}
}

// TestOtherHeadsComment holds that the comment of a later run on another commit stays, and that a status of another
// commit does not matter.
func TestOtherHeadsComment(t *testing.T) {
	s := newScene(t)
	s.laterRun(950)
	first := s.head
	s.head = s.commit("claude/mend", "", map[string]fakegithub.File{"crane/late.go": {Text: "package crane\n"}})
	s.change(func(r *fakegithub.Repository) { r.Runs[1].HeadSHA = s.head })
	s.env["GITHUB_SHA"] = s.head
	s.another(950, 1, green)
	want := s.lastComment()
	s.head, s.env["GITHUB_SHA"] = first, first
	if code := Main(context.Background(), s.options()); code != 4 { // the head moved
		t.Errorf("exit %d", code)
	}
	if got := s.lastComment(); got != want {
		t.Errorf("the later comment was replaced: %s", got)
	}
	s.change(func(r *fakegithub.Repository) {
		if last := r.Statuses[len(r.Statuses)-1]; last.SHA != first || last.State != "pending" {
			t.Errorf("the newest status is %+v", last)
		}
	})
}

func (s *scene) lastComment() (body string) {
	s.change(func(r *fakegithub.Repository) {
		if n := len(r.Comments); n > 0 {
			body = r.Comments[n-1].Body
		}
	})
	return body
}

// TestForgedLaterStatus holds that a status which names a run that GitHub does not know, or of somebody else, silences
// nobody; and that nothing is written where GitHub does not say whether it knows it.
func TestForgedLaterStatus(t *testing.T) {
	for _, c := range []struct {
		by, target string
		refuse     bool
		status     string
		elsewhere  bool // the run is of another commit
	}{
		{by: "github-actions[bot]", target: "/actions/runs/950/attempts/1", status: "failure", elsewhere: true},
		{by: "github-actions[bot]", target: "/actions/runs/9007199254740991/attempts/1", status: "failure"},
		{by: "github-actions[bot]", target: "/actions/runs/950/attempts/1?x=1", status: "failure"},
		{by: "mira", target: "/actions/runs/950/attempts/1", status: "failure"},
		{by: "github-actions[bot]", target: "/actions/runs/950/attempts/1", status: "success"},
		{by: "github-actions[bot]", target: "/actions/runs/950/attempts/1", refuse: true, status: "success"},
	} {
		s := newScene(t)
		s.laterRun(950)
		target := s.env["GITHUB_SERVER_URL"] + "/" + repository + c.target
		s.change(func(r *fakegithub.Repository) {
			if c.elsewhere {
				r.Runs[1].HeadSHA = r.Branches["main"]
			}
			r.Statuses = []*fakegithub.Status{{ID: 1, SHA: s.head, State: "success", Context: "outcome-gate/verdict", TargetURL: &target, Creator: fakegithub.User{Login: c.by}, CreatedAt: time.Now()}}
		})
		if c.refuse {
			if err := s.world.Fault(fakegithub.Fault{Match: "^GET .*/runs/950/", Status: 403, Times: -1, Body: `{"message":"Resource not accessible by integration"}`}); err != nil {
				t.Fatal(err)
			}
		}
		s.write("out/junit.xml", red)
		code := Main(context.Background(), s.options())
		if on := s.shown(); code != 1 || on.status != c.status {
			t.Errorf("%s, %s, refused %v: exit %d, %+v", c.by, c.target, c.refuse, code, on)
		}
	}
}

// TestOneCommentAfterTrouble holds that a run that came to an end before it listed the comments writes no second one.
func TestOneCommentAfterTrouble(t *testing.T) {
	s := newScene(t)
	Main(context.Background(), s.options())
	s.attempt = 2
	if err := s.world.Fault(fakegithub.Fault{Match: "/compare/", Status: 403, Times: -1, Body: `{"message":"Resource not accessible by integration"}`}); err != nil {
		t.Fatal(err)
	}
	code := Main(context.Background(), s.options())
	if on := s.shown(); code != 3 || on.comments != 1 || on.status != "error" || !strings.Contains(on.comment, `"run_attempt": 2`) {
		t.Errorf("exit %d, %+v", code, on)
	}
}
