package remote

import (
	"context"
	"fmt"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/github"
)

// workflowRunEvent is a run that the end of another workflow's run started. It has the default branch's commit and
// workflow file, and judges the run that started it, whose id GitHub itself put into the input: the payload lies in a
// file. All else about that run comes from the API.
func (r *Run) workflowRunEvent(ctx context.Context) (*gate.Event, error) {
	run, err := r.c.Run(ctx, r.o.Inputs.RunID)
	if err != nil {
		return nil, err
	}
	if file := r.workflowFile(run); file != r.o.Inputs.EvidenceWorkflow {
		return nil, fmt.Errorf("run %d is of %.100q, and the evidence is made by %s", run.ID, file, r.o.Inputs.EvidenceWorkflow)
	}
	switch run.Event {
	case "pull_request":
		return r.pullBehind(ctx, run)
	case "merge_group":
		return r.groupBehind(ctx, run)
	}
	return nil, fmt.Errorf("run %d ran on the event %.40q: behind a workflow, its runs on pull_request and merge_group are judged", run.ID, run.Event)
}

// newest is an error if a later run of the same workflow at the same commit has taken the place of a run.
func (r *Run) newest(ctx context.Context, run *github.Run) error {
	later, err := r.newestAt(ctx, run.HeadSHA, run.Event, run.HeadRepository)
	if err == nil && later != nil && later.ID > run.ID {
		err = fmt.Errorf("run %d is superseded by run %d of the same commit, which is judged in its place", run.ID, later.ID)
	}
	return err
}

// pullBehind is a run of the evidence's workflow on a pull request.
func (r *Run) pullBehind(ctx context.Context, run *github.Run) (*gate.Event, error) {
	if run.HeadRepository == "" {
		return nil, fmt.Errorf("the repository that run %d was for is gone", run.ID)
	}
	if err := r.newest(ctx, run); err != nil {
		return nil, err
	}
	number, shared, err := r.pullOf(ctx, run)
	if err != nil {
		return nil, err
	}
	e, err := r.subject(ctx, fmt.Sprint(number))
	if err != nil {
		return nil, err
	}
	// The run is evidence for its own commit alone; should the head be another by now, it moved.
	e.Subject.HeadSHA, e.SharedHead = run.HeadSHA, shared
	if err := r.adopt(ctx, e, run); err != nil {
		return nil, err
	}
	r.seen(ctx, e)
	r.trouble = r.fill(ctx, e, "")
	return e, nil
}

// pullOf finds the one open pull request that a run was for: its head is the run's commit, from the run's repository.
// Of several with different bases the first stands for all, which share the head.
func (r *Run) pullOf(ctx context.Context, run *github.Run) (number int, shared bool, err error) {
	list, err := r.c.PullsOf(ctx, run.HeadSHA)
	if err == nil && list.Cut {
		err = fmt.Errorf("GitHub does not list all pull requests that have %s", run.HeadSHA)
	}
	if err != nil {
		return 0, false, err
	}
	var found, moved []github.PullRef
	for _, p := range list.Items {
		switch {
		case p.State != "open" || !strings.EqualFold(p.Head.Repository, run.HeadRepository):
		case p.Head.SHA == run.HeadSHA:
			found = append(found, p)
		case p.Head.Ref == run.HeadBranch:
			moved = append(moved, p)
		}
	}
	if len(found) == 0 {
		found = moved
	}
	bases := map[string]bool{}
	for _, p := range found {
		bases[p.Base.Ref] = true
		if number == 0 || p.Number < number {
			number = p.Number
		}
	}
	switch {
	case len(found) == 0:
		return 0, false, fmt.Errorf("no open pull request has the commit of run %d, %s, as its head", run.ID, run.HeadSHA)
	case len(bases) < len(found):
		return 0, false, fmt.Errorf("%d open pull requests have the commit of run %d, %s, as their head: which one it was for is not known", len(found), run.ID, run.HeadSHA)
	}
	return number, len(found) > 1, nil
}

// groupBehind is a run of the evidence's workflow on a merge group, whose branch names its last member.
func (r *Run) groupBehind(ctx context.Context, run *github.Run) (*gate.Event, error) {
	m := queueRef().FindStringSubmatch("refs/heads/" + run.HeadBranch)
	if m == nil || !strings.EqualFold(run.HeadRepository, r.o.Context.Repository) {
		return nil, fmt.Errorf("the branch of run %d, %.100q, is no merge group of this repository", run.ID, run.HeadBranch)
	}
	if err := r.newest(ctx, run); err != nil {
		return nil, err
	}
	return r.group(ctx, m, run.HeadSHA, func(e *gate.Event) error { return r.adopt(ctx, e, run) })
}
