package github

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	gogithub "github.com/google/go-github/v62/github"
)

// Run is one attempt of a workflow run.
type Run struct {
	ID             int64
	Attempt        int // from 1
	WorkflowID     int64
	Workflow       string // its name
	Path           string // of the workflow file
	Event          string
	HeadSHA        string
	HeadBranch     string
	HeadRepository string // owner/name; empty: deleted since
	Status         string
	Conclusion     string    // empty: not completed
	StartedAt      time.Time // of this attempt
	CreatedAt      time.Time // of the run
}

// runObject is what is read of a run. The library's type has no path.
type runObject struct {
	ID             int64      `json:"id"`
	Attempt        int        `json:"run_attempt"`
	WorkflowID     int64      `json:"workflow_id"`
	Name           string     `json:"name"`
	Path           string     `json:"path"`
	Event          string     `json:"event"`
	HeadSHA        string     `json:"head_sha"`
	HeadBranch     string     `json:"head_branch"`
	Status         string     `json:"status"`
	Conclusion     string     `json:"conclusion"`
	StartedAt      *time.Time `json:"run_started_at"`
	CreatedAt      *time.Time `json:"created_at"`
	HeadRepository *struct {
		FullName string `json:"full_name"`
	} `json:"head_repository"`
}

// RunAttempt fetches one attempt of a workflow run.
func (c *Client) RunAttempt(ctx context.Context, run int64, attempt int) (*Run, error) {
	at := fmt.Sprintf("repos/%s/%s/actions/runs/%d/attempts/%d?exclude_pull_requests=true", c.owner, c.name, run, attempt)
	var o runObject
	_, err := c.get(ctx, at, &o)
	if err == nil && (o.ID != run || o.Attempt != attempt) {
		err = malformed("it is about run %d, attempt %d", o.ID, o.Attempt)
	}
	var out *Run
	if err == nil {
		out, err = o.run()
	}
	if err != nil {
		return nil, c.fail(err, "read run %d, attempt %d", run, attempt)
	}
	return out, nil
}

// run takes what a decision may rest on only if it is there.
func (o *runObject) run() (*Run, error) {
	switch {
	case o.ID <= 0 || o.Attempt <= 0:
		return nil, malformed("it has no id or attempt")
	case o.StartedAt == nil || o.StartedAt.IsZero() || o.CreatedAt == nil:
		return nil, malformed("it does not say when it started")
	case o.Status == "" || o.Event == "":
		return nil, malformed("it has no status or event")
	}
	if err := object(o.HeadSHA); err != nil {
		return nil, err
	}
	out := &Run{
		ID: o.ID, Attempt: o.Attempt, WorkflowID: o.WorkflowID, Workflow: o.Name, Path: o.Path, Event: o.Event, HeadSHA: o.HeadSHA,
		HeadBranch: o.HeadBranch, Status: o.Status, Conclusion: o.Conclusion, StartedAt: o.StartedAt.UTC(), CreatedAt: o.CreatedAt.UTC(),
	}
	if o.HeadRepository != nil {
		out.HeadRepository = o.HeadRepository.FullName
	}
	return out, nil
}

// Job is one job of an attempt.
type Job struct {
	ID          int64
	Name        string
	Attempt     int // 0: GitHub does not say
	HeadSHA     string
	Status      string // queued, in_progress, completed, waiting, requested, pending
	Conclusion  string // empty: not completed
	CreatedAt   time.Time
	StartedAt   time.Time
	CompletedAt time.Time // zero: not completed
	RunnerName  string    // empty: none has it yet
	CheckRunID  int64     // the check run that shows it; 0: GitHub does not say
}

// Jobs lists the jobs of one attempt of a workflow run, 1000 at most.
func (c *Client) Jobs(ctx context.Context, run int64, attempt int) (List[Job], error) {
	total := 0
	raw, err := collect(maxJobs, func(o gogithub.ListOptions) ([]*gogithub.WorkflowJob, *gogithub.Response, error) {
		jobs, res, err := c.gh.Actions.ListWorkflowJobsAttempt(ctx, c.owner, c.name, run, int64(attempt), &o)
		if err != nil {
			return nil, res, err
		}
		if jobs == nil || jobs.TotalCount == nil {
			return nil, res, malformed("there is no count")
		}
		total = *jobs.TotalCount
		return jobs.Jobs, res, nil
	})
	if err != nil {
		return List[Job]{}, c.fail(err, "list jobs of run %d, attempt %d", run, attempt)
	}
	out, err := each(raw, func(j *gogithub.WorkflowJob) (Job, error) { return job(j, run) })
	if err != nil {
		return List[Job]{}, c.fail(err, "list jobs of run %d, attempt %d", run, attempt)
	}
	out.Cut = out.Cut || len(out.Items) < total
	return out, nil
}

func job(j *gogithub.WorkflowJob, run int64) (Job, error) {
	if j.GetID() == 0 || j.GetRunID() != run || j.GetName() == "" || j.GetStatus() == "" {
		return Job{}, errors.New("it has no id, name or status, or is of another run")
	}
	return Job{
		ID: j.GetID(), Name: j.GetName(), Attempt: int(j.GetRunAttempt()), HeadSHA: j.GetHeadSHA(), Status: j.GetStatus(), Conclusion: j.GetConclusion(),
		CreatedAt: when(j.CreatedAt), StartedAt: when(j.StartedAt), CompletedAt: when(j.CompletedAt), RunnerName: j.GetRunnerName(),
		CheckRunID: lastNumber(j.GetCheckRunURL()),
	}, nil
}

// lastNumber is the number at the end of a URL, or 0.
func lastNumber(u string) int64 {
	n, err := strconv.ParseInt(u[strings.LastIndexByte(u, '/')+1:], 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
