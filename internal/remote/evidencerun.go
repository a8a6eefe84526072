package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/action"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/github"
)

// foreign is the run that makes the evidence where the gate runs apart from it. The zero value is none.
type foreign struct {
	run   *github.Run // nil: there is none at the judged commit
	unfit string      // why nothing of it is evidence
}

// apart reports whether the evidence is made by runs of another workflow.
func (r *Run) apart() bool { return r.o.Inputs.EvidenceWorkflow != "" }

// checkEvidence holds the inputs that name the evidence's workflow and run to the event.
func checkEvidence(c *action.Context, in *action.Inputs) error {
	behind := c.EventName == "workflow_run"
	switch {
	case in.EvidenceWorkflow == "" && behind:
		return &action.InputError{Name: "evidence-workflow", Problem: "on workflow_run the evidence is another workflow's: give the path of its file"}
	case in.EvidenceWorkflow == "" && in.RunID == 0:
		return nil
	case (in.RunID != 0) != behind:
		return &action.InputError{Name: "run-id", Problem: "it is the run that started this one by workflow_run: leave it at its default"}
	case slices.Contains([]string{"merge_group", "push", "schedule"}, c.EventName):
		return &action.InputError{Name: "evidence-workflow", Problem: "on " + c.EventName + " the gate cannot come after the evidence: run it on workflow_run"}
	case in.Steps != nil:
		return &action.InputError{Name: "steps", Problem: "they are this job's, and evidence-workflow says that another run makes the evidence: leave it out"}
	case in.ReportFile != "":
		return &action.InputError{Name: "report-file", Problem: "nothing in the workspace is the change's where evidence-workflow says that another run makes the evidence: leave it out"}
	case in.Needs != nil:
		return &action.InputError{Name: "needs", Problem: "they are this run's, and evidence-workflow says that another run makes the evidence: leave it out"}
	}
	return nil
}

// evidenceOf is the run and attempt whose jobs and uploads are evidence, and the commit that it is of.
func (r *Run) evidenceOf() (run int64, attempt int) {
	if r.other.run != nil {
		return r.other.run.ID, r.other.run.Attempt
	}
	return r.o.Context.RunID, r.o.Context.RunAttempt
}

// isEvidence reports whether a run is one of the evidence's workflow, on that event, for a branch of that repository.
func (r *Run) isEvidence(run *github.Run, event, repository string) bool {
	return run.Event == event && r.workflowFile(run) == r.o.Inputs.EvidenceWorkflow && run.HeadRepository != "" && strings.EqualFold(run.HeadRepository, repository)
}

// workflowFile is the path of a run's workflow file in this repository. GitHub shows some with the repository before
// it and the ref behind it.
func (r *Run) workflowFile(run *github.Run) string {
	path, _, _ := strings.Cut(run.Path, "@")
	return strings.TrimPrefix(path, r.o.Context.Repository+"/")
}

// newestAt finds the newest run of the evidence's workflow at a commit; nil is none.
func (r *Run) newestAt(ctx context.Context, sha, event, repository string) (*github.Run, error) {
	list, err := r.c.RunsAt(ctx, sha)
	if err != nil {
		return nil, err
	}
	var newest *github.Run
	for _, run := range list.Items {
		if r.isEvidence(run, event, repository) && (newest == nil || run.ID > newest.ID) {
			newest = run
		}
	}
	if newest == nil && list.Cut {
		return nil, fmt.Errorf("GitHub does not list all runs of %s", sha)
	}
	return newest, nil
}

// findEvidence finds the evidence of a pull request that an event names without a run: the newest run of the evidence's
// workflow at its head, judged as workflow_run would judge it. Where the gate's own run makes the evidence, it does
// nothing. Call it once the event's head commit is settled and before seen: a run that has not ended is an error, since
// its end starts the gate again.
func (r *Run) findEvidence(ctx context.Context, e *gate.Event) error {
	if !r.apart() {
		return nil
	}
	e.Subject.MergeSHA = "" // what the evidence was made on is not this run's own commit
	run, err := r.newestAt(ctx, e.Subject.HeadSHA, "pull_request", r.pull.Head.Repository)
	if err != nil {
		return err
	}
	return r.adopt(ctx, e, run)
}

// adopt makes a run the one whose jobs and uploads are judged; nil is none.
func (r *Run) adopt(ctx context.Context, e *gate.Event, run *github.Run) error {
	e.Subject.GateRunID, e.Subject.GateRunAttempt = e.Subject.RunID, e.Subject.RunAttempt
	e.Subject.RunID, e.Subject.RunAttempt = 0, 0
	r.World.Facts.Contexts.Elsewhere = true
	if run == nil {
		r.start = once(func(context.Context) (start, error) { return start{}, r.noEvidence() })
		e.Notes = append(e.Notes, r.noEvidence().Error())
		return nil
	}
	if run.Status != "completed" {
		return fmt.Errorf("the evidence run %d, attempt %d, has not ended: its end starts the gate again", run.ID, run.Attempt)
	}
	r.other.run = run
	r.start = once(r.foreignStart)
	e.Subject.RunID, e.Subject.RunAttempt = run.ID, run.Attempt
	var err error
	if r.other.unfit, err = r.unfit(ctx, e, run); err != nil {
		return err
	}
	if r.other.unfit != "" {
		e.Notes = append(e.Notes, "nothing of the evidence run counts: "+r.other.unfit)
	}
	return nil
}

func (r *Run) noEvidence() error {
	return fmt.Errorf("there is no run of %s for this commit", r.o.Inputs.EvidenceWorkflow)
}

// unfit says why nothing of a run is evidence for the pull request: it did not run to an end, or it may have run for
// another pull request or another base branch. GitHub names neither, but what a run tests is the merge with the base,
// and its workflow file is the merge's: whoever may choose the base chooses what runs.
func (r *Run) unfit(ctx context.Context, e *gate.Event, run *github.Run) (string, error) {
	if run.Conclusion != "success" && run.Conclusion != "failure" {
		return fmt.Sprintf("run %d, attempt %d, ended as %q", run.ID, run.Attempt, run.Conclusion), nil
	}
	if e.MergeGroup {
		return "", nil
	}
	owner, _, _ := strings.Cut(run.HeadRepository, "/")
	list, err := r.c.PullsFrom(ctx, owner, run.HeadBranch)
	if err == nil && list.Cut {
		err = fmt.Errorf("GitHub does not list all pull requests of branch %.60q", run.HeadBranch)
	}
	if err != nil {
		return "", err
	}
	mine := false
	for _, p := range list.Items {
		switch {
		case p.Number == e.Subject.PullRequest:
			mine = wasOpen(&p, run.CreatedAt)
		case p.Head.Repository != "" && !strings.EqualFold(p.Head.Repository, run.HeadRepository), !wasOpen(&p, run.CreatedAt):
		default:
			return fmt.Sprintf("when run %d was started, pull request %d was open from the same branch, and it may be that one's", run.ID, p.Number), nil
		}
	}
	if !mine {
		return fmt.Sprintf("run %d is of branch %.60q, and was not started for this pull request", run.ID, run.HeadBranch), nil
	}
	return r.otherBase(ctx, e, run)
}

// wasOpen reports whether a pull request may have been open at a time: where GitHub does not say, it may.
func wasOpen(p *github.PullRef, at time.Time) bool {
	closed := p.State != "open" && !p.ClosedAt.IsZero() && p.ClosedAt.Before(at.Add(-slack))
	return !closed && !p.CreatedAt.After(at.Add(slack))
}

// otherBase says that the pull request had another base branch when the run was started, or may have had.
func (r *Run) otherBase(ctx context.Context, e *gate.Event, run *github.Run) (string, error) {
	changes, err := r.c.BaseChanges(ctx, e.Subject.PullRequest)
	if err == nil && changes.Cut {
		err = errors.New("GitHub does not list all that happened to the pull request")
	}
	if err != nil {
		return "", err
	}
	for _, at := range changes.Items {
		if at.After(run.CreatedAt.Add(-slack)) {
			return fmt.Sprintf("the pull request was given another base branch at %s, and run %d is of %s", stamp(at), run.ID, stamp(run.CreatedAt)), nil
		}
	}
	return "", nil
}

// foreignStart is the start of the evidence's run, with what its jobs came to.
func (r *Run) foreignStart(ctx context.Context) (start, error) {
	run := r.other.run
	skew, known := r.c.Skew()
	if !known {
		return start{}, errClock
	}
	out := start{at: run.StartedAt.Add(-skew).UTC(), source: "the evidence run's start, as GitHub has it", head: run.HeadSHA}
	r.World.Facts.Contexts.HasJobs = true
	if r.other.unfit != "" {
		return out, nil
	}
	// A job that was not run again in the newest attempt stands as it ended in the one before.
	var jobs jobList
	for attempt := run.Attempt; attempt >= max(1, run.Attempt-maxEarlier); attempt-- {
		list, err := r.jobsOf(ctx, attempt)
		if err != nil {
			return start{}, err
		}
		for _, j := range list {
			if !slices.ContainsFunc(jobs, func(k github.Job) bool { return k.Name == j.Name }) {
				jobs = append(jobs, j)
			}
		}
	}
	r.addJobs(jobs)
	return out, nil
}
