package remote

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/action"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/github"
)

// slack is taken off the start that GitHub names: its clock and the machine's are compared to about a second,
// and file systems round.
const slack = 60 * time.Second

// errClock says why no time of GitHub's can be compared with one of the machine's.
var errClock = errors.New("GitHub's clock was not seen, or the machine's was set back meanwhile")

// start is when this job began, by the machine's clock, and how that is known.
type start struct {
	at     time.Time
	source string
	head   string // the commit that the job runs for; for a pull request its head, not the test merge
}

// boundary is the freshness boundary: the later of the job's start and the run attempt's. What the workflow
// gives can only make it later.
func (r *Run) boundary(ctx context.Context, later time.Time) (time.Time, string) {
	s, err := r.start(ctx)
	if err != nil {
		return time.Time{}, err.Error()
	}
	b := s.at.Add(-slack).Truncate(time.Second)
	if later.After(b) {
		return later, "the input run-started-at"
	}
	return b, s.source
}

// jobStart finds this job's start: the one that runs on this runner now. A runner runs one job at a time.
func (r *Run) jobStart(ctx context.Context) (start, error) {
	id, attempt := r.o.Context.RunID, r.o.Context.RunAttempt
	out := start{source: "this job's start, as GitHub has it"}
	jobs, err := r.c.Jobs(ctx, id, attempt)
	if err == nil {
		r.addJobs(jobs.Items)
		for _, k := range jobs.Items {
			if k.RunnerName != "" && k.RunnerName == r.o.Context.RunnerName && k.Status == "in_progress" && k.StartedAt.After(out.at) {
				out.at, out.head = k.StartedAt, k.HeadSHA
			}
		}
	}
	if out.at.IsZero() || out.head == "" {
		run, err := r.c.RunAttempt(ctx, id, attempt)
		if err != nil {
			return start{}, err
		}
		out.at, out.source, out.head = run.StartedAt, "the run attempt's start, as GitHub has it", run.HeadSHA
	}
	skew, known := r.c.Skew()
	if !known {
		return start{}, errClock
	}
	out.at = out.at.Add(-skew).UTC()
	return out, nil
}

// addJobs adds what the API knows of the run's jobs to what the workflow handed over. Of two answers about one
// job the worse counts: a job under continue-on-error shows success in needs.
func (r *Run) addJobs(jobs []github.Job) {
	c := &r.World.Facts.Contexts
	all := map[string]evidence.Job{}
	for id, j := range c.Jobs {
		all[id] = j
	}
	seen := map[string]string{}
	for _, k := range jobs {
		if k.Status != "completed" || k.Name == r.o.Context.Job {
			continue
		}
		name, _, _ := strings.Cut(k.Name, " (") // the members of a matrix: test (linux), test (mac)
		if was, ok := seen[name]; !ok || worse(k.Conclusion, was) {
			seen[name] = k.Conclusion
		}
	}
	for name, conclusion := range seen {
		if have, ok := all[name]; !ok || worse(conclusion, have.Result) {
			all[name] = evidence.Job{Result: conclusion, Source: "api"}
		}
	}
	c.Jobs, c.HasJobs = all, true
}

// worse orders conclusions: a failure before what did not finish before success.
func worse(a, b string) bool {
	rank := func(s string) int {
		switch s {
		case "success":
			return 2
		case "failure", "timed_out":
			return 0
		}
		return 1
	}
	return rank(a) < rank(b)
}

// startInput parses the input run-started-at.
func startInput(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, &action.InputError{Name: "run-started-at", Problem: "an RFC 3339 time is needed, such as 2026-03-04T10:00:00Z"}
	}
	if t = t.UTC(); t.Year() < 1970 || t.Year() > 9998 {
		return time.Time{}, &action.InputError{Name: "run-started-at", Problem: "a time of this age is needed"}
	}
	return t, nil
}
