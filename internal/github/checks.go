package github

import (
	"context"
	"errors"
	"time"

	gogithub "github.com/google/go-github/v62/github"
)

// Limits of GitHub's on check runs (docs.github.com/rest/checks/runs), and one of our own: each further 50
// annotations cost a request.
const (
	annotationsPerRequest = 50
	maxAnnotations        = 1000
)

// CheckRun is a check run.
type CheckRun struct {
	ID          int64
	Name        string
	HeadSHA     string
	ExternalID  string
	Status      string // queued, in_progress, completed, waiting, requested, pending
	Conclusion  string // empty: not completed
	URL         string // of its page
	AppID       int64  // whose it is; only that app can change it
	AppSlug     string
	SuiteID     int64
	StartedAt   time.Time
	CompletedAt time.Time // zero: not completed
	Title       string
	Annotations int // how many it has
}

// CheckRunQuery says which check runs of a commit to list.
type CheckRunQuery struct {
	Name  string // exactly; empty: any
	AppID int64  // 0: any
	All   bool   // older runs of a name too, and not only the newest in each suite
}

// CheckRuns lists check runs of a commit, newest first, 3000 at most.
func (c *Client) CheckRuns(ctx context.Context, sha string, q CheckRunQuery) (List[CheckRun], error) {
	if err := object(sha); err != nil {
		return List[CheckRun]{}, c.fail(err, "list check runs")
	}
	filter := "latest"
	if q.All {
		filter = "all"
	}
	opts := gogithub.ListCheckRunsOptions{CheckName: text(q.Name), Filter: &filter}
	if q.AppID != 0 {
		opts.AppID = &q.AppID
	}
	total := 0
	raw, err := collect(maxCheckRuns, func(o gogithub.ListOptions) ([]*gogithub.CheckRun, *gogithub.Response, error) {
		opts.ListOptions = o
		runs, res, err := c.gh.Checks.ListCheckRunsForRef(ctx, c.owner, c.name, sha, &opts)
		if err != nil {
			return nil, res, err
		}
		if runs == nil || runs.Total == nil {
			return nil, res, malformed("there is no count")
		}
		total = *runs.Total
		return runs.CheckRuns, res, nil
	})
	if err != nil {
		return List[CheckRun]{}, c.fail(err, "list check runs of %s", sha)
	}
	out, err := each(raw, checkRun)
	if err != nil {
		return List[CheckRun]{}, c.fail(err, "list check runs of %s", sha)
	}
	out.Cut = out.Cut || len(out.Items) < total
	return out, nil
}

func checkRun(r *gogithub.CheckRun) (CheckRun, error) {
	if r.GetID() == 0 || r.GetName() == "" || r.GetStatus() == "" {
		return CheckRun{}, errors.New("it has no id, name or status")
	}
	if err := object(r.GetHeadSHA()); err != nil {
		return CheckRun{}, err
	}
	return CheckRun{
		ID: r.GetID(), Name: r.GetName(), HeadSHA: r.GetHeadSHA(), ExternalID: r.GetExternalID(), Status: r.GetStatus(),
		Conclusion: r.GetConclusion(), URL: r.GetHTMLURL(), AppID: r.GetApp().GetID(), AppSlug: r.GetApp().GetSlug(),
		SuiteID: r.GetCheckSuite().GetID(), StartedAt: when(r.StartedAt), CompletedAt: when(r.CompletedAt),
		Title: r.GetOutput().GetTitle(), Annotations: r.GetOutput().GetAnnotationsCount(),
	}, nil
}

// CheckRun fetches one check run.
func (c *Client) CheckRun(ctx context.Context, id int64) (*CheckRun, error) {
	raw, _, err := c.gh.Checks.GetCheckRun(ctx, c.owner, c.name, id)
	return c.checked(raw, err, id, "read check run %d", id)
}

// checked converts the check run of an answer. ID 0 takes any.
func (c *Client) checked(raw *gogithub.CheckRun, err error, id int64, doing string, args ...any) (*CheckRun, error) {
	if err != nil {
		return nil, c.fail(err, doing, args...)
	}
	out, err := checkRun(raw)
	switch {
	case err != nil:
		return nil, c.fail(malformed("%w", err), doing, args...)
	case id != 0 && out.ID != id:
		return nil, c.fail(malformed("it is about check run %d", out.ID), doing, args...)
	}
	return &out, nil
}

// Annotation is a remark of a check run on lines of a file.
type Annotation struct {
	Path      string // of the repository
	StartLine int    // from 1
	EndLine   int
	Level     string // notice, warning, failure
	Title     string // 255 characters at most
	Message   string // 64 KB at most
}

// Output is what a check run shows.
type Output struct {
	Title       string
	Summary     string // Markdown, 65535 bytes at most
	Text        string // Markdown, 65535 bytes at most; empty: as it was
	Annotations []Annotation
}

// NewCheckRun is what a check run is made with.
type NewCheckRun struct {
	Name       string
	HeadSHA    string
	ExternalID string
	StartedAt  time.Time // zero: now
	CheckRunChange
}

// CheckRunChange is what a check run is changed to. What is zero stays as it is.
type CheckRunChange struct {
	Status      string // queued, in_progress, completed
	Conclusion  string // action_required, cancelled, failure, neutral, success, skipped, timed_out; completes the run
	CompletedAt time.Time
	Output      *Output
}

// CreateCheckRun makes a check run on a commit. Annotations over 50 follow in further requests: if one of
// those goes wrong, the check run is returned with the error. After an error without a check run that is no
// StatusError it may have been made all the same; it is not tried again, since that could leave two.
func (c *Client) CreateCheckRun(ctx context.Context, n NewCheckRun) (*CheckRun, error) {
	if err := errors.Join(object(n.HeadSHA), annotationCount(n.Output)); err != nil {
		return nil, c.fail(err, "make check run %q", n.Name)
	}
	now, later := batches(n.Output)
	raw, _, err := c.gh.Checks.CreateCheckRun(ctx, c.owner, c.name, gogithub.CreateCheckRunOptions{
		Name: n.Name, HeadSHA: n.HeadSHA, ExternalID: text(n.ExternalID), Status: text(n.Status), Conclusion: text(n.Conclusion),
		StartedAt: stamp(n.StartedAt), CompletedAt: stamp(n.CompletedAt), Output: now,
	})
	run, err := c.checked(raw, err, 0, "make check run %q", n.Name)
	if err != nil {
		return nil, err
	}
	return c.annotate(ctx, run, later)
}

// UpdateCheckRun changes a check run of this name that the token's app made; to any other GitHub answers 403.
// The first request carries the conclusion, so that a run is completed even if its further annotations are
// lost; then the check run is returned with the error.
func (c *Client) UpdateCheckRun(ctx context.Context, id int64, name string, change CheckRunChange) (*CheckRun, error) {
	if err := annotationCount(change.Output); err != nil {
		return nil, c.fail(err, "change check run %d", id)
	}
	now, later := batches(change.Output)
	raw, _, err := c.gh.Checks.UpdateCheckRun(ctx, c.owner, c.name, id, gogithub.UpdateCheckRunOptions{
		Name: name, Status: text(change.Status), Conclusion: text(change.Conclusion), CompletedAt: stamp(change.CompletedAt), Output: now,
	})
	run, err := c.checked(raw, err, id, "change check run %d", id)
	if err != nil {
		return nil, err
	}
	return c.annotate(ctx, run, later)
}

func annotationCount(o *Output) error {
	if o != nil && len(o.Annotations) > maxAnnotations {
		return malformed("%d annotations, over %d", len(o.Annotations), maxAnnotations)
	}
	return nil
}

// batches splits an output into what one request may carry and what has to follow.
func batches(o *Output) (now *gogithub.CheckRunOutput, later []*gogithub.CheckRunOutput) {
	if o == nil {
		return nil, nil
	}
	out := []*gogithub.CheckRunOutput{{Title: &o.Title, Summary: &o.Summary, Text: text(o.Text)}}
	for i := range o.Annotations {
		if i > 0 && i%annotationsPerRequest == 0 {
			out = append(out, &gogithub.CheckRunOutput{Title: &o.Title, Summary: &o.Summary, Text: text(o.Text)})
		}
		a := &o.Annotations[i]
		last := out[len(out)-1]
		last.Annotations = append(last.Annotations, &gogithub.CheckRunAnnotation{
			Path: &a.Path, StartLine: &a.StartLine, EndLine: &a.EndLine, AnnotationLevel: &a.Level, Title: text(a.Title), Message: &a.Message,
		})
	}
	return out[0], out[1:]
}

// annotate adds the annotations that the first request had no room for.
func (c *Client) annotate(ctx context.Context, run *CheckRun, later []*gogithub.CheckRunOutput) (*CheckRun, error) {
	for i, out := range later {
		raw, _, err := c.gh.Checks.UpdateCheckRun(ctx, c.owner, c.name, run.ID, gogithub.UpdateCheckRunOptions{Name: run.Name, Output: out})
		next, err := c.checked(raw, err, run.ID, "annotate check run %d, part %d of %d", run.ID, i+2, len(later)+1)
		if err != nil {
			return run, err
		}
		run = next
	}
	return run, nil
}
