package stage

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

var reFirstSeen = regexp.MustCompile(`"first_seen": "[^"]*"`)

// TestMemoryOfNoTime holds that the gate does not believe of its own comment what cannot have been: that it saw the
// commit after now, or before there was a pull request.
func TestMemoryOfNoTime(t *testing.T) {
	waiting := agreed + "  - id: blessing\n    waits_for: { approval: { from: [write] } }\n    deadline: 1h\n"
	now := time.Now().UTC()
	for _, c := range []struct {
		name   string
		seen   time.Time
		reason string
		kept   bool
	}{
		{"two hours ago", now.Add(-2 * time.Hour), "evidence_incomplete", true},
		{"a minute ago", now.Add(-time.Minute), "waiting", true},
		{"before the pull request", now.Add(-30 * time.Hour), "waiting", false},
		{"tomorrow", now.Add(24 * time.Hour), "waiting", false},
		{"in a year without end", time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC), "waiting", false},
	} {
		s := newScene(t)
		s.contract(waiting)
		s.change(func(r *fakegithub.Repository) { r.Pulls[0].CreatedAt = now.Add(-24 * time.Hour) })
		Main(context.Background(), s.options())
		said := `"first_seen": "` + c.seen.Truncate(time.Second).Format(time.RFC3339) + `"`
		s.change(func(r *fakegithub.Repository) {
			r.Comments[0].Body = reFirstSeen.ReplaceAllString(r.Comments[0].Body, said)
		})
		s.attempt = 2
		Main(context.Background(), s.options())
		if r := s.receipt(); string(r.Reason) != c.reason {
			t.Errorf("%s: %s, first seen %s", c.name, r.Reason, r.Circumstances.FirstSeen)
		}
		if kept := strings.Contains(s.shown().comment, said); kept != c.kept {
			t.Errorf("%s: kept %v in %s", c.name, kept, reFirstSeen.FindString(s.shown().comment))
		}
	}
}

// TestTooManyComments holds that a conversation with more comments than are read gets no second comment, finds the
// first one all the same, and says that it was not read whole.
func TestTooManyComments(t *testing.T) {
	const many = 5200
	for name, at := range map[string]int{"among the first": 3, "among the last": many - 3, "in between": 4100, "nowhere": -1} {
		s := newScene(t)
		s.contract(agreed + "report: { carriers: [body] }\n")
		Main(context.Background(), s.options())
		own := s.shown().comment
		s.change(func(r *fakegithub.Repository) {
			r.Comments = nil
			for i := range many {
				m := &fakegithub.Comment{ID: int64(10_000 + i), Issue: 7, Body: "x", User: fakegithub.User{Login: "drifter"}, CreatedAt: time.Unix(1, 0), UpdatedAt: time.Unix(1, 0)}
				if i == at {
					m.User.Login, m.Body = "github-actions[bot]", own
				}
				r.Comments = append(r.Comments, m)
			}
		})
		s.attempt = 2
		code := Main(context.Background(), s.options())
		on, log := s.shown(), s.log.String()
		found := name == "among the first" || name == "among the last"
		if want := map[bool]int{true: 1, false: 0}[at >= 0]; code != 0 || on.comments != want {
			t.Errorf("%s: exit %d, %d comments", name, code, on.comments)
		}
		if edited := strings.Contains(on.comment, `"run_attempt": 2`); edited != found || !found && !strings.Contains(log, "more comments than are read") {
			t.Errorf("%s: edited %v; the log:\n%s", name, edited, log)
		}
		if notes := strings.Join(s.receipt().Notes, "\n"); !strings.Contains(notes, "the first 4000 and the last 1000 are read") {
			t.Errorf("%s: notes %s", name, notes)
		}
	}
}

// TestTooManyCommentsForAReport holds that a report among comments that were not read is not taken for none, unless a
// newer one was read.
func TestTooManyCommentsForAReport(t *testing.T) {
	for name, c := range map[string]struct{ at, code int }{"none": {-1, 1}, "a newer one": {5150, 0}, "an older one": {5, 1}} {
		s := newScene(t)
		s.change(func(r *fakegithub.Repository) {
			body := "no report"
			r.Pulls[0].Body = &body
			for i := range 5200 {
				m := &fakegithub.Comment{ID: int64(10_000 + i), Issue: 7, Body: "x", User: fakegithub.User{Login: "drifter"}, CreatedAt: time.Unix(1, 0), UpdatedAt: time.Unix(1, 0)}
				if i == c.at {
					m.User.Login, m.Body = "mira", said
				}
				r.Comments = append(r.Comments, m)
			}
		})
		code := Main(context.Background(), s.options())
		if r := s.receipt(); code != c.code || c.code != 0 && !strings.Contains(strings.Join(r.Report.Errors, "\n"), "more comments than are read") {
			t.Errorf("%s: exit %d, %s, %q", name, code, r.Reason, r.Report.Errors)
		}
	}
}
