package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/github"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/report"
)

// pushEvent is a run on a commit that was pushed to a branch. No pull request is judged.
func (r *Run) pushEvent(ctx context.Context) (*gate.Event, error) { return r.commitEvent(ctx, false) }

// scheduleEvent is a run on the newest commit of the default branch, whose whole state is judged.
func (r *Run) scheduleEvent(ctx context.Context) (*gate.Event, error) {
	return r.commitEvent(ctx, true)
}

func (r *Run) commitEvent(ctx context.Context, whole bool) (*gate.Event, error) {
	c := r.o.Context
	branch, ok := strings.CutPrefix(c.Ref, "refs/heads/")
	if !ok || branch == "" {
		return nil, fmt.Errorf("GITHUB_REF %q names no branch: of pushes, those to branches are judged", c.Ref)
	}
	main, err := r.c.DefaultBranch(ctx)
	if err != nil {
		return nil, err
	}
	r.event = &gate.Event{
		OnBranch: true, DefaultBranch: main,
		Subject: receipt.Subject{Repository: c.Repository, BaseRef: branch, HeadSHA: c.SHA, RunID: c.RunID, RunAttempt: c.RunAttempt},
	}
	if err := r.findOwner(ctx); err != nil {
		return nil, err
	}
	if r.owner == 0 {
		r.seen(ctx, r.event)
	}
	r.trouble = r.fillCommit(ctx, r.event, whole)
	return r.event, nil
}

// findOwner looks for an open pull request whose head is the judged commit. A status and a check run belong to the
// commit, so there they are that pull request's own: a verdict on the branch must not count as one on it.
func (r *Run) findOwner(ctx context.Context) error {
	sha := r.event.Subject.HeadSHA
	list, err := r.c.PullsOf(ctx, sha)
	if err != nil {
		return err
	}
	if list.Cut {
		return fmt.Errorf("GitHub does not list all pull requests that have %s", sha)
	}
	for _, p := range list.Items {
		if p.State == "open" && p.Head.SHA == sha {
			r.owner = p.Number
		}
	}
	return nil
}

// Owner is the number of the open pull request whose surfaces a run without one must leave alone, or 0.
func (r *Run) Owner() int { return r.owner }

// fillCommit reads what hangs on a commit of a branch.
func (r *Run) fillCommit(ctx context.Context, e *gate.Event, whole bool) error {
	var err error
	if r.trusted, err = r.c.BranchHead(ctx, e.Subject.BaseRef); err != nil {
		return err
	}
	before, x, why := r.pushed(ctx, e)
	if why != "" {
		x = &github.Comparison{Commits: github.List[github.Commit]{Cut: true}, Files: github.List[github.ChangedFile]{Cut: true}}
		e.Notes = append(e.Notes, "what this push changes is not known, so everything counts as changed: "+why)
	}
	e.Subject.BaseSHA = before
	r.changes(e, x.Files, x.Commits)
	if whole { // what the last push changed says nothing of what else the branch holds
		e.Change.FilesCut = true
	}
	if s, err := r.start(ctx); err == nil { // an error shows again at the boundary, where it decides
		e.RunStartedAt = s.at
	}
	if r.o.Inputs.Report != "" {
		e.Texts = append(e.Texts, report.Text{Carrier: "input", Body: r.o.Inputs.Report})
	}
	return nil
}

// pushed compares the judged commit with the one that the branch had before it: that of the last run of an earlier
// push. The event payload names it too, in a file that earlier steps of the job can write. Where pushes started no
// run in between, the comparison is the wider. why says that what the push changes is not known.
func (r *Run) pushed(ctx context.Context, e *gate.Event) (before string, x *github.Comparison, why string) {
	runs, err := r.c.PushRuns(ctx, e.Subject.BaseRef)
	if err != nil {
		return "", nil, err.Error()
	}
	first := r.firstRunOf(runs.Items, e.Subject.HeadSHA)
	for _, run := range runs.Items {
		if run.ID < first && run.HeadRepository == e.Subject.Repository {
			before = run.HeadSHA
			break
		}
	}
	if before == "" {
		return "", nil, "GitHub names no run of an earlier push to this branch"
	}
	x, err = r.c.Compare(ctx, before, e.Subject.HeadSHA)
	switch {
	case err != nil:
		return "", nil, err.Error()
	case x.Fork != before || len(x.Commits.Items) == 0:
		return "", nil, errNotOnTop.Error()
	}
	return before, x, ""
}

var errNotOnTop = errors.New("the commit does not stand on the one that the branch had before")

// firstRunOf is the id of the first run of the push that is judged: its runs stand together, whatever workflows they
// are of, and this one is among them, unless it runs by a schedule.
func (r *Run) firstRunOf(runs []*github.Run, sha string) int64 {
	first := r.o.Context.RunID
	for _, run := range runs {
		if run.ID > first {
			continue
		}
		if run.HeadSHA != sha {
			break
		}
		first = run.ID
	}
	return first
}
