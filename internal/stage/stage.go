// Package stage runs the action's three stages: pre, main and post.
//
// It puts the edges together and decides nothing: the gate judges, the surfaces show, and the exit code is the
// receipt's. It treats the environment as hostile, since earlier steps of the job can set variables and write
// files: certificates come from the image, everything that decides from the runner or from GitHub.
package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/action"
	"github.com/outcome-gate/outcome-gate/internal/collect"
	"github.com/outcome-gate/outcome-gate/internal/fetch"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/github"
	"github.com/outcome-gate/outcome-gate/internal/publish"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/remote"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// Bounds in time.
const (
	total   = 8 * time.Minute // of judging: below the shortest job time-outs that people set
	posting = 2 * time.Minute // of publishing, however long GitHub asks to wait
	afterIt = 6 * time.Second // for what still has to be said once the runner wants the step to end (it kills after 10 s)
)

// stateCheck is the state under which the post stage finds the check run.
const stateCheck = "check_run_id"

// receiptName is the receipt's file in the runner's temporary folder.
const receiptName = "outcome-gate-receipt.json"

// Options are what a stage starts from.
type Options struct {
	Version string
	Getenv  func(string) string
	Log     io.Writer
	Clock   func() time.Time
	// Pause waits before something is asked or looked at again; nil: it takes its time. Try is how long one try of a
	// request may take; 0: the client's own.
	Pause func(ctx context.Context, d time.Duration) error
	Try   time.Duration
}

// step is one stage under way.
type step struct {
	o      Options
	runner *action.Runner
	in     *action.Inputs
	c      *action.Context
	client *github.Client
	fetch  *fetch.Client
}

// open reads context and inputs and makes the client. Its error has been shown.
func open(o Options) (*step, error) {
	planted := action.Scrub() // nothing is left where Fresh was called
	s := &step{o: o, runner: action.New(o.Getenv, o.Log)}
	s.runner.Ignored(planted)
	var err error
	if s.c, err = s.runner.Context(); err != nil {
		return s, err
	}
	if s.in, err = s.runner.Inputs(); err != nil {
		return s, err
	}
	roots, err := certificates(s.in.CAFile, s.c)
	if err != nil {
		return s, err
	}
	s.client, err = github.New(github.Options{
		BaseURL: s.c.APIURL, Token: s.in.Token, Repository: s.c.Repository, Roots: roots, UserAgent: "outcome-gate/" + agentVersion(o.Version),
		Clock: github.Clock{Now: o.Clock, Sleep: o.Pause}, Try: o.Try,
	})
	if err != nil {
		return s, &action.InputError{Name: "token", Problem: err.Error()}
	}
	s.fetch = fetch.New(fetch.Options{Roots: roots, UserAgent: "outcome-gate/" + agentVersion(o.Version)})
	return s, nil
}

// agentVersion is the version as a product token may spell it.
func agentVersion(v string) string { return strings.Trim(v, "()") }

// inside gives the path of a file that an input names, which must lie in one of the folders.
func inside(path string, folders ...string) (string, error) {
	for _, dir := range folders {
		if dir == "" {
			continue
		}
		rel := path
		if filepath.IsAbs(path) {
			var err error
			if rel, err = filepath.Rel(dir, path); err != nil {
				continue
			}
		}
		if filepath.IsLocal(rel) {
			return filepath.Join(dir, rel), nil
		}
	}
	return "", errors.New("a path inside the runner's temporary folder is needed")
}

// fail shows an error that came before there was a receipt and gives its exit code.
func (s *step) fail(err error) int {
	s.runner.Error("gate: " + err.Error())
	var in *action.InputError
	if errors.As(err, &in) {
		return verdict.ExitUsage
	}
	return verdict.ExitCannotLook
}

// Pre checks the inputs at the job's start, so that a mistake shows before the work is done. The runner runs it
// for actions of other repositories only.
func Pre(_ context.Context, o Options) int {
	s, err := open(o)
	if err != nil {
		return s.fail(err)
	}
	return verdict.ExitPass
}

// Post completes the check run that a killed main stage left in progress.
func Post(ctx context.Context, o Options) int {
	id, head, started := readState(action.New(o.Getenv, o.Log).State(stateCheck))
	if id <= 0 && head == "" {
		return verdict.ExitPass // the main stage made none, or completed it
	}
	s, err := open(o)
	if err != nil {
		return s.fail(err)
	}
	ctx, stop := context.WithDeadline(ctx, o.Clock().Add(total))
	defer stop()
	done := false
	if id > 0 {
		done, err = publish.CompleteLeftOver(ctx, s.client, id, s.c.RunID, s.c.RunAttempt, o.Clock())
	} else {
		lost := publish.Lost{Label: s.in.CheckName, Head: head, Run: s.c.RunID, Attempt: s.c.RunAttempt, Started: started}
		done, err = lost.Complete(ctx, s.client, o.Clock())
	}
	if err != nil {
		s.runner.Notice("gate: the check run could not be looked at: " + err.Error())
	}
	if done {
		s.runner.Notice("gate: the check run was left in progress and is now completed as cancelled")
	}
	return verdict.ExitPass
}

// Main judges and publishes, and returns the exit code.
func Main(ctx context.Context, o Options) int {
	s, err := open(o)
	if err != nil {
		return s.fail(err)
	}
	bounded, stop := context.WithDeadline(ctx, o.Clock().Add(total))
	defer stop()
	workspace, err := collect.Open(s.c.Workspace)
	if err != nil {
		return s.fail(err)
	}
	defer func() { _ = workspace.Close() }() // it was only read
	self := &publish.Self{}
	j := &judgement{step: s, self: self, check: &publish.CheckRun{Client: s.client, Self: self, Label: s.in.CheckName, Clock: o.Clock}}
	j.run, err = remote.Open(remote.Options{
		Version: o.Version, Clock: o.Clock, Context: s.c, Inputs: s.in, Client: s.client, Workspace: workspace, Seen: j.seen,
	})
	if err != nil {
		return s.fail(err)
	}
	defer func() { _ = j.run.Close() }() // it was only read
	facts := &j.run.World.Facts
	facts.Look, facts.Now, facts.Pause = s.fetch.Look, o.Clock, o.Pause
	if facts.Pause == nil {
		facts.Pause = fetch.Pause
	}
	if why := j.run.Idle(bounded); why != "" {
		s.runner.Notice("gate: nothing is judged: " + why)
		return verdict.ExitPass
	}
	r, err := gate.Run(bounded, j.run.World)
	if ctx.Err() != nil {
		return j.interrupted(ctx, r)
	}
	if err != nil {
		err = errors.Join(err, j.cancel(bounded))
		return s.fail(err)
	}
	return j.publish(ctx, r)
}

// judgement is the main stage under way.
type judgement struct {
	*step
	run   *remote.Run
	self  *publish.Self
	check *publish.CheckRun
}

// seen begins the check run and says who the gate is on GitHub: the app that made it, or the person that the token
// belongs to. Where neither is known, what is posted later will tell.
func (j *judgement) seen(ctx context.Context, subject receipt.Subject) string {
	if j.in.CheckRun != action.Off {
		plan := j.check.Plan(subject)
		j.save(plan.Head + "@" + strconv.FormatInt(plan.Started.Unix(), 10))
		err := j.check.Begin(ctx)
		if err == nil || j.check.ID != 0 {
			j.remember(j.check.ID)
		} // else it is said again, and judged, when the surface is published
		n, err := j.check.Earlier(ctx)
		if err != nil {
			j.runner.Notice("gate: what earlier attempts left could not be looked at: " + err.Error())
		}
		if n > 0 {
			j.runner.Notice(fmt.Sprintf("gate: %d check run(s) of earlier attempts were left in progress and are now completed as cancelled", n))
		}
	}
	if j.self.Account == "" {
		if me, err := j.client.Me(ctx); err == nil { // an app's installation may not ask, which is no news
			j.self.Learn(me)
		}
	}
	return j.self.Account
}

// remember leaves the check run that is in progress to the post stage; 0 is none.
func (j *judgement) remember(check int64) { j.save(strconv.FormatInt(check, 10)) }

func (j *judgement) save(state string) {
	if err := j.runner.SaveState([]action.Pair{{Name: stateCheck, Value: state}}); err != nil {
		j.runner.Notice("gate: " + err.Error())
	}
}

// readState reads what the main stage left: the check run, or, where the main stage ended before it had the answer,
// the commit that it asked for one on, and when. Earlier steps could have written anything there.
func readState(s string) (id int64, head string, started time.Time) {
	head, at, asked := strings.Cut(s, "@")
	if !asked {
		id, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return 0, "", time.Time{}
		}
		return id, "", time.Time{}
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || head == "" {
		return 0, "", time.Time{}
	}
	return 0, head, time.Unix(seconds, 0)
}

// interrupted ends a run that the runner stopped: nothing was judged, and the check run says so first. The receipt
// of what was seen until then, if there is one, follows on the surfaces that need no network.
func (j *judgement) interrupted(ctx context.Context, r *receipt.Receipt) int {
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), afterIt)
	defer stop()
	if err := j.cancel(last); err != nil {
		j.runner.Notice("gate: the check run could not be completed: " + err.Error())
	} else {
		j.remember(0)
	}
	if r != nil {
		r.Scope.Look = "finish: the runner stopped this step"
		if err := r.Complete(); err != nil {
			j.runner.Notice("gate: " + err.Error())
		} else if sinks, err := j.local(); err == nil {
			j.exit(r, publish.All(last, r, sinks), false)
		}
	}
	j.runner.Error("gate: interrupted, nothing was judged")
	return verdict.ExitCannotLook
}

func (j *judgement) cancel(ctx context.Context) error { return j.check.Cancel(ctx) }
