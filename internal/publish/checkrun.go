package publish

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/action"
	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/github"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/render"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// ExternalID is how check runs of this gate are recognised: one for each run and attempt.
func ExternalID(runID int64, attempt int) string {
	return fmt.Sprintf("outcome-gate:%d:%d", runID, attempt)
}

// CheckRun is the check run of one run and attempt: begun when the judged commit is known, completed once.
type CheckRun struct {
	Client *github.Client
	Self   *Self
	Label  string // the check's name
	Clock  func() time.Time

	// ID and URL are those of the check run that Begin made; 0 and "" if there is none.
	ID  int64
	URL string

	Completed bool // it has its conclusion, which nothing changes afterwards

	err  error   // why there is none
	made Lost    // as it was asked for
	lost bool    // it may have been made although no answer said so
	also []int64 // further ones that it may be
}

// Lost says of a check run that was asked for how to know it again, in case the answer is lost.
type Lost struct {
	Label   string
	Head    string // commit
	Run     int64  // the workflow run and its attempt
	Attempt int
	Started time.Time // to the second
}

// Name is the surface's name.
func (*CheckRun) Name() string { return "check run" }

// Plan says how the check run will be known that Begin makes next.
func (c *CheckRun) Plan(s receipt.Subject) Lost {
	c.made = Lost{Label: c.Label, Head: s.HeadSHA, Run: s.RunID, Attempt: s.RunAttempt, Started: c.Clock().UTC().Truncate(time.Second)}
	if s.GateRunID != 0 { // only the run that made a check run changes it
		c.made.Run, c.made.Attempt = s.GateRunID, s.GateRunAttempt
	}
	return c.made
}

// Begin makes the planned check run, in progress, on the head commit. That it could not be made is the error of
// Publish. One that GitHub made and whose answer was lost is found and taken over.
func (c *CheckRun) Begin(ctx context.Context) error {
	run, err := c.Client.CreateCheckRun(ctx, github.NewCheckRun{
		Name: c.Label, HeadSHA: c.made.Head, ExternalID: ExternalID(c.made.Run, c.made.Attempt), StartedAt: c.made.Started,
		CheckRunChange: github.CheckRunChange{Status: "in_progress"},
	})
	if err != nil {
		c.err = err
		c.lost = unanswered(err)
		return errors.Join(err, c.adopt(ctx))
	}
	c.ID, c.URL = run.ID, run.URL
	if run.AppSlug != "" {
		c.Self.Learn(github.User{Login: run.AppSlug + "[bot]", Type: "Bot"})
	}
	return nil
}

// unanswered reports whether a request may have been carried out although its answer does not say so.
func unanswered(err error) bool {
	var e *github.StatusError
	return !errors.As(err, &e) || e.Status >= 500
}

// adopt takes over the check run that was made without an answer. Whose it is nobody said, so nothing is learnt.
func (c *CheckRun) adopt(ctx context.Context) error {
	if !c.lost || c.ID != 0 {
		return nil
	}
	runs, err := c.made.find(ctx, c.Client)
	if err != nil || len(runs) == 0 {
		return err
	}
	c.ID, c.URL, c.err = runs[0].ID, runs[0].URL, nil
	for i := range runs[1:] {
		c.also = append(c.also, runs[i+1].ID)
	}
	return nil
}

// find lists the check runs that it can be, the newest first: those of the name, the run and the attempt that began
// at the same second and are not completed.
func (l Lost) find(ctx context.Context, client *github.Client) ([]github.CheckRun, error) {
	list, err := client.CheckRuns(ctx, l.Head, github.CheckRunQuery{Name: l.Label, All: true})
	if err != nil {
		return nil, err
	}
	var out []github.CheckRun
	for i := range list.Items {
		k := &list.Items[i]
		if k.Name == l.Label && k.ExternalID == ExternalID(l.Run, l.Attempt) && k.Status != "completed" && k.StartedAt.Equal(l.Started) {
			out = append(out, *k)
		}
	}
	return out, nil
}

// Complete completes it as cancelled, if it was made. It reports whether it did.
func (l Lost) Complete(ctx context.Context, client *github.Client, now time.Time) (bool, error) {
	runs, err := l.find(ctx, client)
	done := false
	for i := range runs {
		stopped := cancel(ctx, client, runs[i].ID, runs[i].Name, now)
		done = done || stopped == nil
		err = errors.Join(err, stopped)
	}
	return done, err
}

// maxLeftOver bounds the check runs of earlier attempts that one run completes: who re-runs a job more often has looked.
const maxLeftOver = 20

// Earlier completes as cancelled what earlier attempts of the same run left in progress: a machine that was lost runs no
// last stage, and GitHub begins no attempt before the one before it has ended. It reports how many.
func (c *CheckRun) Earlier(ctx context.Context) (int, error) {
	if c.made.Attempt < 2 || c.made.Run == 0 {
		return 0, nil
	}
	list, err := c.Client.CheckRuns(ctx, c.made.Head, github.CheckRunQuery{Name: c.Label, All: true})
	done := 0
	for i := range list.Items {
		k := &list.Items[i]
		if k.Name != c.Label || k.Status == "completed" || done >= maxLeftOver || !c.made.follows(k.ExternalID) {
			continue
		}
		stopped := cancel(ctx, c.Client, k.ID, k.Name, c.Clock())
		if stopped == nil {
			done++
		} else if !github.IsStatus(stopped, http.StatusForbidden) { // another app's, which copied ours
			err = errors.Join(err, stopped)
		}
	}
	return done, err
}

// follows says whether an external id is that of an earlier attempt of the same run.
func (l Lost) follows(id string) bool {
	_, number, _ := strings.Cut(strings.TrimPrefix(id, "outcome-gate:"), ":")
	n, err := strconv.Atoi(number)
	return err == nil && n > 0 && n < l.Attempt && id == ExternalID(l.Run, n)
}

// Publish completes the check run with the receipt. The conclusion is never neutral or skipped, which both
// satisfy a required check.
func (c *CheckRun) Publish(ctx context.Context, r *receipt.Receipt) error {
	if err := c.adopt(ctx); err != nil {
		return errors.Join(c.err, err)
	}
	switch {
	case c.err != nil:
		return c.err
	case c.ID == 0:
		return errors.New("the judged commit is not known, so there is nothing to put it on")
	}
	name := c.Label
	if r.Scope.Mode == contract.Observe && r.Result != verdict.Error {
		name += " (observe)"
	}
	change := github.CheckRunChange{
		Status: "completed", Conclusion: Conclusion(r), CompletedAt: c.Clock(),
		Output: &github.Output{Title: render.Title(r), Summary: render.MarkdownWithin(r, checkBudget)},
	}
	run, err := c.Client.UpdateCheckRun(ctx, c.ID, name, change)
	for len(c.also) > 0 && github.IsStatus(err, http.StatusForbidden) { // it is another app's, which copied ours
		c.ID, c.also = c.also[0], c.also[1:]
		run, err = c.Client.UpdateCheckRun(ctx, c.ID, name, change)
	}
	if err != nil {
		return err
	}
	c.URL, c.Completed = run.URL, true
	return nil
}

// checkBudget is what fits into a check run's summary: 65,535 bytes.
const checkBudget = 65_000

// Conclusion is the check run's conclusion for a result.
func Conclusion(r *receipt.Receipt) string {
	switch {
	case r.Result == verdict.Error:
		return "failure"
	case r.Scope.Mode == contract.Observe, r.Result == verdict.Pass:
		return "success"
	case r.Result == verdict.Wait:
		return "action_required"
	}
	return "failure"
}

// Cancel completes the check run of an interrupted run, unless it has its conclusion already.
func (c *CheckRun) Cancel(ctx context.Context) error {
	if err := c.adopt(ctx); err != nil || c.ID == 0 || c.Completed {
		return err
	}
	// Whether a completion that was under way arrived is not known, and one that did must not be undone.
	_, err := CompleteLeftOver(ctx, c.Client, c.ID, c.made.Run, c.made.Attempt, c.Clock())
	return err
}

func cancel(ctx context.Context, client *github.Client, id int64, name string, now time.Time) error {
	_, err := client.UpdateCheckRun(ctx, id, name, github.CheckRunChange{
		Status: "completed", Conclusion: "cancelled", CompletedAt: now,
		Output: &github.Output{Title: "Interrupted: nothing was judged", Summary: "The gate was stopped before it had a verdict. Run the job again."},
	})
	return err
}

// CompleteLeftOver completes the check run that a killed run left in progress. The id comes from a place that
// others can write, so it is believed only if GitHub says that it is this run's and still open. It reports
// whether it did.
func CompleteLeftOver(ctx context.Context, client *github.Client, id, runID int64, attempt int, now time.Time) (bool, error) {
	run, err := client.CheckRun(ctx, id)
	if err != nil {
		return false, err
	}
	if run.ExternalID != ExternalID(runID, attempt) || run.Status == "completed" {
		return false, nil
	}
	return true, cancel(ctx, client, id, run.Name, now)
}

// URLs are the outputs that name what was posted; they follow once it was.
func URLs(runner *action.Runner, check *CheckRun, comment *Comment) error {
	return runner.SetOutputs([]action.Pair{{Name: "check-run-url", Value: check.URL}, {Name: "comment-url", Value: comment.URL}})
}
