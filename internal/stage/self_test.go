package stage

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// Tokens besides the workflow's own.
const (
	personal = "ghp_pers0nal"
	ownApp   = "ghs_0wnapp"
)

// tokens gives the scene a person's token and that of an app of one's own.
func (s *scene) tokens() {
	s.world.Change(func(d *fakegithub.Data) {
		d.Apps = append(d.Apps, fakegithub.App{ID: 77, Slug: "keeper-app", Name: "Keeper"})
		d.Tokens[personal] = &fakegithub.Token{User: fakegithub.User{Login: "mira"}}
		d.Tokens[ownApp] = &fakegithub.Token{User: fakegithub.User{Login: "keeper-app[bot]"}, App: 77}
	})
}

func (s *scene) commentsBy(login string) (bodies []string) {
	s.change(func(r *fakegithub.Repository) {
		for _, c := range r.Comments {
			if c.User.Login == login {
				bodies = append(bodies, c.Body)
			}
		}
	})
	return bodies
}

// TestOwnAccount holds that the gate finds its own comment again whoever its token belongs to and whatever is off,
// and that it asks who it is only where nothing that it posted can tell.
func TestOwnAccount(t *testing.T) {
	for _, c := range []struct {
		name, token, by string
		off             []string
		observe         bool
	}{
		{name: "a workflow's token", token: token, by: "github-actions[bot]"},
		{name: "a workflow's token without the check run", token: token, by: "github-actions[bot]", off: []string{"CHECK-RUN"}},
		{name: "a person's token", token: personal, by: "mira"},
		{name: "a person's token, the comment alone", token: personal, by: "mira", off: []string{"CHECK-RUN", "STATUS"}},
		{name: "an app's token", token: ownApp, by: "keeper-app[bot]"},
		{name: "an app's token without the check run", token: ownApp, by: "keeper-app[bot]", off: []string{"CHECK-RUN"}},
		{name: "an app's token, the comment alone", token: ownApp, by: "keeper-app[bot]", off: []string{"CHECK-RUN", "STATUS"}},
		{name: "an app's token, observing without the check run", token: ownApp, by: "keeper-app[bot]", off: []string{"CHECK-RUN"}, observe: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t)
			s.tokens()
			if c.observe {
				s.contract("mode: observe\n" + agreed)
			}
			s.env["INPUT_TOKEN"] = c.token
			for _, off := range c.off {
				s.env["INPUT_"+off] = "off"
			}
			for s.attempt = 1; s.attempt <= 3; s.attempt++ {
				if s.attempt == 3 {
					s.write("out/junit.xml", red)
				}
				Main(context.Background(), s.options())
			}
			got := s.commentsBy(c.by)
			if len(got) != 1 || !strings.Contains(got[0], `"run_attempt": 3`) || !strings.Contains(got[0], "false success") {
				t.Errorf("%d comments: %q", len(got), got)
			}
			s.attempt = 2 // an older one again
			Main(context.Background(), s.options())
			if again := s.commentsBy(c.by); len(again) != 1 || again[0] != got[0] {
				t.Errorf("an older attempt left %d comments, the first %q", len(again), again)
			}
			asked := 0
			for _, q := range s.world.Requests() {
				if q.URI == "/user" {
					asked++
				}
			}
			if known := c.token != personal && len(c.off) == 0; known != (asked == 0) {
				t.Errorf("it asked %d times who it is", asked)
			}
		})
	}
}

// TestUncertainAccount holds that a comment that looks like the gate's own is neither edited, nor believed, nor taken
// for the agent's report while nobody said whose the token is.
func TestUncertainAccount(t *testing.T) {
	first := newScene(t)
	Main(context.Background(), first.options())
	marked := first.shown().comment
	for _, by := range []string{"github-actions[bot]", "mira", "drifter"} {
		s := newScene(t)
		s.tokens()
		s.env["INPUT_TOKEN"], s.env["INPUT_CHECK-RUN"], s.env["INPUT_STATUS"] = ownApp, "off", "off"
		s.contract(agreed + "report: { carriers: [body, comment], required: always }\n")
		report := marked + "\n```json\n{\"outcome\": \"succeeded\", \"evidence\": [\"2 tests pass\"]}\n```\n"
		s.change(func(r *fakegithub.Repository) {
			body := "no report"
			r.Pulls[0].Body = &body
			r.Comments = []*fakegithub.Comment{{ID: 11, Issue: 7, Body: report, User: fakegithub.User{Login: by}, CreatedAt: time.Now(), UpdatedAt: time.Now()}}
		})
		code := Main(context.Background(), s.options())
		r := s.receipt()
		if code == 0 || r.Report.Carrier != "" {
			t.Errorf("%s: exit %d, %s, a report from %q", by, code, r.Reason, r.Report.Carrier)
		}
		s.change(func(r *fakegithub.Repository) {
			if len(r.Comments) != 2 || r.Comments[0].Body != report {
				t.Errorf("%s: %d comments, or the foreign one was edited", by, len(r.Comments))
			}
		})
	}
}
