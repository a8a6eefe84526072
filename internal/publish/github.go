package publish

import (
	"context"
	"errors"
	"fmt"
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
	Label  string // the check's name
	Clock  func() time.Time

	// ID and URL are those of the check run that Begin made; 0 and "" if there is none.
	ID  int64
	URL string
	App string // slug of the app that the token belongs to

	Completed bool // it has its conclusion, which nothing changes afterwards

	err error // why there is none

	run     int64 // the workflow run and its attempt
	attempt int
}

// Name is the surface's name.
func (*CheckRun) Name() string { return "check run" }

// Begin makes the check run, in progress, on the head commit. That it could not be made is the error of Publish.
func (c *CheckRun) Begin(ctx context.Context, s receipt.Subject) error {
	run, err := c.Client.CreateCheckRun(ctx, github.NewCheckRun{
		Name: c.Label, HeadSHA: s.HeadSHA, ExternalID: ExternalID(s.RunID, s.RunAttempt), StartedAt: c.Clock(),
		CheckRunChange: github.CheckRunChange{Status: "in_progress"},
	})
	if err != nil {
		c.err = err
		return err
	}
	c.ID, c.URL, c.App = run.ID, run.URL, run.AppSlug
	c.run, c.attempt = s.RunID, s.RunAttempt
	return nil
}

// Publish completes the check run with the receipt. The conclusion is never neutral or skipped, which both
// satisfy a required check.
func (c *CheckRun) Publish(ctx context.Context, r *receipt.Receipt) error {
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
	_, err := c.Client.UpdateCheckRun(ctx, c.ID, name, github.CheckRunChange{
		Status: "completed", Conclusion: Conclusion(r), CompletedAt: c.Clock(),
		Output: &github.Output{Title: render.Title(r), Summary: render.MarkdownWithin(r, checkBudget)},
	})
	c.Completed = err == nil
	return err
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
	if c.ID == 0 || c.Completed {
		return nil
	}
	// Whether a completion that was under way arrived is not known, and one that did must not be undone.
	_, err := CompleteLeftOver(ctx, c.Client, c.ID, c.run, c.attempt, c.Clock())
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

// Status is the commit status, which binds where a verdict comes later than the job: the newest wins.
type Status struct {
	Client *github.Client
	Target string                     // page of the run
	Older  func(context.Context) bool // whether a later run has already spoken of this commit
}

// ErrOlder says that a later run or attempt has already spoken, so this one stays silent.
var ErrOlder = errors.New("a later run has already spoken of this commit")

// Name is the surface's name.
func (Status) Name() string { return "commit status" }

// maxDescription is GitHub's limit, in characters.
const maxDescription = 140

// Publish sets the status. In observe mode there is none.
func (s Status) Publish(ctx context.Context, r *receipt.Receipt) error {
	if r.Scope.Mode == contract.Observe {
		return nil
	}
	if r.Subject.HeadSHA == "" {
		return errors.New("the judged commit is not known, so there is nothing to put it on")
	}
	if s.Older(ctx) {
		return ErrOlder
	}
	state := map[verdict.Result]string{verdict.Pass: "success", verdict.Block: "failure", verdict.Wait: "pending", verdict.Error: "error"}[r.Result]
	if state == "" {
		state = "error"
	}
	// A status belongs to a commit, and a verdict to a base branch, so that is named.
	base := []rune(" (into " + render.Line(r.Subject.BaseRef) + ")")
	if r.Subject.BaseRef == "" || len(base) > maxDescription/2 {
		base = nil
	}
	description := []rune(render.Title(r))
	if room := maxDescription - len(base); len(description) > room {
		description = append(description[:room-1], '…')
	}
	description = append(description, base...)
	_, err := s.Client.CreateStatus(ctx, r.Subject.HeadSHA, github.NewStatus{
		State: state, Context: receipt.StatusContext, Description: string(description), TargetURL: s.Target,
	})
	return err
}

// Comment is the sticky comment: one, edited in place, made by this gate only, never older than what it replaces.
type Comment struct {
	Client *github.Client
	Label  string // the check's name: several gates keep several comments
	// Find gives the pull request's comments and the gate's own identity as "login/type".
	Find func() (comments github.List[github.Comment], own string)

	URL string // of the comment, once it was written or found as it should be
}

// Name is the surface's name.
func (*Comment) Name() string { return "comment" }

// Publish writes the comment: nothing where the gate does not judge and never commented, nothing where it would
// say the same, nothing over what a later run wrote.
func (c *Comment) Publish(ctx context.Context, r *receipt.Receipt) error {
	if r.Subject.PullRequest == 0 || r.Scope.ReportUnheard {
		return nil // a commit or a merge group has no conversation
	}
	comments, own := c.Find()
	have, memory := c.own(comments, own)
	if have == nil && (r.Reason == verdict.NotGated || comments.Cut) {
		if comments.Cut {
			return errors.New("the pull request has more comments than GitHub lists, so the gate's own cannot be found")
		}
		return nil
	}
	if have != nil && c.later(ctx, r, memory) {
		c.URL = have.URL
		return ErrOlder
	}
	body := render.Comment(r, render.Remember(r, c.Label, memory))
	var err error
	var written *github.Comment
	switch {
	case have == nil:
		written, err = c.Client.CreateComment(ctx, r.Subject.PullRequest, body)
	case strings.ReplaceAll(have.Body, "\r\n", "\n") == body:
		written = have
	default:
		written, err = c.Client.UpdateComment(ctx, have.ID, body)
	}
	if err != nil {
		return err
	}
	c.URL = written.URL
	return nil
}

// Older reports whether a later run or attempt has already commented on the same head: then this one must not
// set the commit status either.
func (c *Comment) Older(ctx context.Context, r *receipt.Receipt) bool {
	comments, own := c.Find()
	_, memory := c.own(comments, own)
	return c.later(ctx, r, memory)
}

// later reports whether memory is of a later run on the same head. Another workflow of the repository can comment as
// the same account, so a later run is believed only if GitHub knows it, on this very commit.
func (c *Comment) later(ctx context.Context, r *receipt.Receipt, memory render.Memory) bool {
	if memory.HeadSHA != r.Subject.HeadSHA || !memory.Newer(r.Subject) {
		return false
	}
	run, err := c.Client.RunAttempt(ctx, memory.RunID, memory.RunAttempt)
	return err == nil && run.HeadSHA == memory.HeadSHA
}

// own finds the gate's comment: by author and by what it remembers, so that one which only looks like it is
// never edited.
func (c *Comment) own(comments github.List[github.Comment], own string) (*github.Comment, render.Memory) {
	for i := range comments.Items {
		m := &comments.Items[i]
		memory, ok := render.ParseComment(m.Body)
		if ok && memory.Name == c.Label && own != "" && m.Author.Login+"/"+m.Author.Type == own {
			return m, memory
		}
	}
	return nil, render.Memory{}
}

// URLs are the outputs that name what was posted; they follow once it was.
func URLs(runner *action.Runner, check *CheckRun, comment *Comment) error {
	return runner.SetOutputs([]action.Pair{{Name: "check-run-url", Value: check.URL}, {Name: "comment-url", Value: comment.URL}})
}
