// Package remote is the edge of a run as a step on GitHub: it turns the runner's context, the action's inputs
// and GitHub's API into the world that the gate judges.
//
// It decides where bytes come from, never what they mean. It trusts the variables that the runner itself
// sets and what the API answers; the event payload lies in a file that earlier steps of the job can write, so
// everything that decides is read live. It writes nothing.
package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/action"
	"github.com/outcome-gate/outcome-gate/internal/collect"
	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/github"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/report"
	"github.com/outcome-gate/outcome-gate/internal/scope"
)

// Options are what a run starts from.
type Options struct {
	Version   string
	Clock     func() time.Time
	Context   *action.Context
	Inputs    *action.Inputs
	Client    *github.Client
	Workspace *collect.Workspace
	// Seen is called once the judged commit is known, before anything else is read: the check run begins there.
	// It returns the gate's own account as "login/type", or "" where that is not known for certain.
	Seen func(ctx context.Context, s receipt.Subject) (own string)
}

// Run is one run, ready to be judged once.
type Run struct {
	World *gate.World

	o       Options
	c       *github.Client
	event   *gate.Event
	pull    *github.Pull
	unasked error  // why it could not be found out what a comment asks for
	trouble error  // why what hangs on the pull request could not be read; what is judged is known all the same
	trusted string // the trusted branch's newest commit
	owner   int    // the open pull request whose head is the judged commit of a branch; 0: there is none
	base    *github.Tree
	repo    *collect.Repo // the local checkout; nil if there is none
	trees   func(context.Context) (*collect.Trees, error)
	reviews func(context.Context) ([]scope.Review, error)
	start   func(context.Context) (start, error)
	runs    func(context.Context) (github.List[*github.Run], error) // of the commit that people approve

	teams    map[string]func(context.Context) (github.List[github.User], error) // members by slug
	answered map[int64][]github.DeploymentReview                                // by run

	other foreign         // the run that makes the evidence, where it is not this one
	jobs  map[int]jobList // of its attempts

	archives   int64                       // bytes of the uploads that are kept
	own        string                      // the gate's own account as "login/type"; "" as long as it is not known
	comments   github.List[github.Comment] // as they were at the beginning
	commentsAt time.Time                   // of GitHub's clock, before they were listed; zero: they were not
}

// Open prepares a run. A mistake in an input is an *action.InputError. Close the run after use.
func Open(o Options) (*Run, error) {
	r := &Run{o: o, c: o.Client}
	w := &gate.World{
		Version: o.Version, Clock: o.Clock, Workspace: o.Workspace,
		AgentExit: o.Inputs.AgentExit, TaskID: o.Inputs.TaskID, DispatchID: o.Inputs.DispatchID,
	}
	if err := checkNumber(o.Context, o.Inputs.PRNumber); err != nil {
		return nil, err
	}
	if err := checkApart(o.Context, o.Inputs); err != nil {
		return nil, err
	}
	if err := checkEvidence(o.Context, o.Inputs); err != nil {
		return nil, err
	}
	if err := r.contexts(&w.Facts); err != nil {
		return nil, err
	}
	later, err := startInput(o.Inputs.RunStartedAt)
	if err != nil {
		return nil, err
	}
	if !r.apart() { // without a checkout of the change the API alone says what is tracked
		r.repo, _ = collect.OpenRepo(o.Context.Workspace)
	}
	r.trees = once(r.readTrees)
	r.reviews = once(r.readReviews)
	r.start = once(r.jobStart)
	r.runs = once(func(ctx context.Context) (github.List[*github.Run], error) { return r.c.RunsAt(ctx, r.approved()) })
	w.Event = r.readEvent
	w.Contract = r.readContract
	w.Proposed = func(ctx context.Context, path string) ([]byte, error) {
		data, err := r.c.File(ctx, path, r.event.Subject.HeadSHA, maxContract)
		if errors.Is(err, github.ErrNoFile) {
			return nil, nil
		}
		return data, err
	}
	w.ReportFile = r.reportText
	w.Again = r.again
	w.Reviews = r.reviews
	w.BaseBranches = r.baseBranches
	w.Boundary = func(ctx context.Context, _ *contract.Contract) (time.Time, string) { return r.boundary(ctx, later) }
	w.Facts.HMACKey = o.Inputs.HMACKey
	w.Facts.TrustedFile = func(ctx context.Context, path string) ([]byte, error) {
		return r.file(ctx, path, maxTrusted)
	}
	w.Facts.Checks = r.checks
	w.Facts.Uploads = r.uploads
	w.Facts.Approvals = r.approvals
	w.Facts.Environments = r.environment
	w.Facts.Git.Trees = r.trees
	w.Facts.Git.Blob = func(ctx context.Context, sha string) ([]byte, error) { return r.c.Blob(ctx, sha, maxBlob) }
	r.World = w
	return r, nil
}

// Close releases the local checkout.
func (r *Run) Close() error {
	if r.repo == nil {
		return nil
	}
	return r.repo.Close()
}

// Bounds of what is read through the API, in bytes.
const (
	maxContract = 256<<10 + 1 // one over the contract's own limit, which names itself
	maxTrusted  = 4 << 20     // schemas and the like
	maxBlob     = 100 << 20   // what GitHub's blob API gives at most
)

// once remembers an answer that several steps need.
func once[T any](read func(context.Context) (T, error)) func(context.Context) (T, error) {
	var mu sync.Mutex
	var done bool
	var value T
	var err error
	return func(ctx context.Context) (T, error) {
		mu.Lock()
		defer mu.Unlock()
		if !done {
			value, err = read(ctx)
			done = true
		}
		return value, err
	}
}

// contexts parses what the workflow hands over.
func (r *Run) contexts(f *collect.Facts) error {
	in := r.o.Inputs
	f.Contexts.OwnChecks = []string{in.CheckName, in.CheckName + " (observe)", receipt.StatusContext, r.o.Context.Job}
	var err error
	if in.Steps != nil {
		f.Contexts.HasSteps = true
		if f.Contexts.Steps, err = collect.ParseSteps(in.Steps); err != nil {
			return &action.InputError{Name: "steps", Problem: err.Error()}
		}
	}
	if in.Needs != nil {
		f.Contexts.HasJobs = true
		if f.Contexts.Jobs, err = collect.ParseNeeds(in.Needs); err != nil {
			return &action.InputError{Name: "needs", Problem: err.Error()}
		}
	}
	return nil
}

// fill reads what hangs on the pull request: files, commits, comments, and the texts that may hold a report.
// standsOn is the commit that a merge group was made on.
func (r *Run) fill(ctx context.Context, e *gate.Event, standsOn string) error {
	if err := r.readChange(ctx, e, standsOn); err != nil {
		return err
	}
	if r.commentsAt.IsZero() {
		if err := r.readComments(ctx); err != nil {
			return err
		}
	}
	e.DefaultBranch = r.pull.DefaultBranch
	r.recall(e)
	if s, err := r.start(ctx); err == nil { // an error shows again at the boundary, where it decides
		e.RunStartedAt = s.at
	}
	r.texts(e)
	return nil
}

// maxReport bounds a report that lies in the workspace; the report package has bounds of its own below it.
const maxReport = 1 << 20

// reportFile is where the carrier file looks by default.
const reportFile = ".agent/outcome.json"

// reportText is the report in the workspace, if one lies there. One that the repository tracks was not written
// by this run, unless the change itself wrote it; on a branch it came with what was merged.
func (r *Run) reportText(ctx context.Context) (*report.Text, error) {
	path := r.o.Inputs.ReportFile
	if path == "" {
		path = reportFile
	}
	if r.apart() {
		return nil, nil //nolint:nilnil // nothing in the workspace is the change's
	}
	data, err := r.o.Workspace.ReadPlain(path, maxReport)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // no report in the workspace is an answer, and no mistake
	}
	if err != nil {
		return nil, err
	}
	trees, err := r.trees(ctx)
	if err != nil {
		return nil, fmt.Errorf("find out whether %s is committed: %w", path, err)
	}
	if tracks(trees, path) && (r.event.OnBranch || !scope.Touches(r.event.Change, path)) {
		return nil, nil //nolint:nilnil // as above
	}
	return &report.Text{Carrier: "file", Ref: path, Body: string(data)}, nil
}
