package remote

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/outcome-gate/outcome-gate/internal/action"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/github"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/scope"
)

// Refs as the runner writes them (GITHUB_REF).
var (
	pullRef  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^refs/pull/([1-9][0-9]{0,11})/merge$`) })
	queueRef = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^refs/heads/gh-readonly-queue/(.+)/pr-([1-9][0-9]{0,11})-([0-9a-f]{40})$`)
	})
)

// checkNumber holds the input pr-number to the event: it names the pull request of an event that names none, and no
// other one than the event's.
func checkNumber(c *action.Context, given int) error {
	m := pullRef().FindStringSubmatch(c.Ref)
	switch {
	case c.EventName == "workflow_dispatch" && given == 0:
		return &action.InputError{Name: "pr-number", Problem: "workflow_dispatch names no pull request: give its number"}
	case given == 0 || slices.Contains([]string{"workflow_dispatch", issueComment, pullRequestTarget}, c.EventName):
		return nil
	case len(m) < 2 || m[1] != strconv.Itoa(given):
		return &action.InputError{Name: "pr-number", Problem: "the event names another pull request: leave the input out"}
	}
	return nil
}

// event is one event that is judged: how what is judged is found when it happens.
type event struct {
	name string
	read func(r *Run, ctx context.Context) (*gate.Event, error)
}

// events lists what is judged, in name order. An event that is not in it is judged never: "could not look".
func events() []event {
	return []event{
		{issueComment, (*Run).commentEvent},
		{"merge_group", (*Run).groupEvent},
		{"pull_request", (*Run).pullEvent},
		{"pull_request_review", (*Run).pullEvent},
		{pullRequestTarget, (*Run).targetEvent},
		{"push", (*Run).pushEvent},
		{"schedule", (*Run).scheduleEvent},
		{"workflow_dispatch", (*Run).branchEvent},
		{"workflow_run", (*Run).workflowRunEvent},
	}
}

// readEvent reads the pull request live. Which one it is comes from the runner's own variables.
func (r *Run) readEvent(ctx context.Context) (*gate.Event, error) {
	all := events()
	names := make([]string, len(all))
	for i, e := range all {
		if e.name == r.o.Context.EventName {
			out, err := e.read(r, ctx)
			if out != nil {
				out.ServerNow = r.serverNow()
			}
			return out, err
		}
		names[i] = e.name
	}
	return nil, fmt.Errorf("the event %q is not judged: run the gate on pull_request, or another of %s", r.o.Context.EventName, strings.Join(names, ", "))
}

// branchEvent is a run that somebody started on the pull request's head branch. Should its head be another commit than
// this job's, it moved, as far as this run can show.
func (r *Run) branchEvent(ctx context.Context) (*gate.Event, error) {
	e, err := r.subject(ctx, strconv.Itoa(r.o.Inputs.PRNumber))
	if err != nil {
		return nil, err
	}
	if !r.apart() { // else the evidence is of the head itself, whatever this run has checked out
		e.Subject.HeadSHA = r.o.Context.SHA
	}
	if err := r.findEvidence(ctx, e); err != nil {
		return nil, err
	}
	r.seen(ctx, e)
	r.trouble = r.fill(ctx, e, "")
	return e, nil
}

// pullEvent is a run on a pull request's test merge commit.
func (r *Run) pullEvent(ctx context.Context) (*gate.Event, error) {
	m, merge := pullRef().FindStringSubmatch(r.o.Context.Ref), r.o.Context.SHA
	if m == nil {
		return nil, fmt.Errorf("GITHUB_REF %q names no pull request", r.o.Context.Ref)
	}
	e, err := r.subject(ctx, m[1])
	if err != nil {
		return nil, err
	}
	e.Subject.MergeSHA = merge
	// What this job tested is evidence for that commit alone; should the head be another by now, it moved.
	if e.Subject.HeadSHA, err = r.testedHead(ctx, merge); err != nil {
		return nil, err
	}
	if merge == e.Subject.HeadSHA {
		e.Subject.MergeSHA = ""
	}
	if err := r.findEvidence(ctx, e); err != nil {
		return nil, err
	}
	r.seen(ctx, e)
	r.trouble = r.fill(ctx, e, "")
	return e, nil
}

// testedHead is the head commit that this job tested: the second parent of the test merge commit, whose bytes are
// held to its name, or, where the checkout does not hold that commit, the one that GitHub says the job runs for.
func (r *Run) testedHead(ctx context.Context, merge string) (string, error) {
	if r.repo != nil {
		if parents, err := r.repo.Parents(merge); err == nil && len(parents) == 2 {
			return parents[1], nil
		}
	}
	s, err := r.start(ctx)
	if err != nil {
		return "", fmt.Errorf("find out which commit this job tests: %w", err)
	}
	return s.head, nil
}

// groupEvent is a run on a merge group, whose last member the ref names.
func (r *Run) groupEvent(ctx context.Context) (*gate.Event, error) {
	m := queueRef().FindStringSubmatch(r.o.Context.Ref)
	if m == nil {
		return nil, fmt.Errorf("GITHUB_REF %q names no merge group", r.o.Context.Ref)
	}
	return r.group(ctx, m, r.o.Context.SHA, func(*gate.Event) error { return nil })
}

// group is a merge group at its own commit; named is what its ref says: base branch, last member, the commit that it
// stands on. Settle is called before anything is shown.
func (r *Run) group(ctx context.Context, named []string, sha string, settle func(*gate.Event) error) (*gate.Event, error) {
	branch, number, standsOn := named[1], named[2], named[3]
	e, err := r.subject(ctx, number)
	if err != nil {
		return nil, err
	}
	e.MergeGroup, e.Reviewed = true, e.Subject.HeadSHA
	e.Subject.HeadSHA, e.Subject.BaseRef = sha, branch
	if err := settle(e); err != nil {
		return nil, err
	}
	r.seen(ctx, e)
	r.trouble = r.fill(ctx, e, standsOn)
	return e, nil
}

// subject reads the pull request itself.
func (r *Run) subject(ctx context.Context, number string) (*gate.Event, error) {
	n, err := strconv.Atoi(number)
	if err != nil {
		return nil, fmt.Errorf("pull request %q: %w", number, err)
	}
	p, err := r.c.Pull(ctx, n)
	if err != nil {
		return nil, err
	}
	r.pull = p
	return &gate.Event{
		Pull: true,
		Subject: receipt.Subject{
			Repository: r.o.Context.Repository, PullRequest: n, BaseRef: p.Base.Ref, HeadSHA: p.Head.SHA, BaseSHA: p.Base.SHA,
			RunID: r.o.Context.RunID, RunAttempt: r.o.Context.RunAttempt,
		},
		Change: scope.Change{
			Author: account(p.Author), HeadBranch: p.Head.Ref, Title: p.Title, Body: p.Body, Draft: p.Draft, Labels: slices.Clone(p.Labels),
		},
	}, nil
}

func account(u github.User) scope.Account { return scope.Account{Login: u.Login, Type: u.Type} }

// seen settles what is judged and tells the caller.
func (r *Run) seen(ctx context.Context, e *gate.Event) {
	r.event = e
	if r.o.Seen != nil {
		r.own = r.o.Seen(ctx, e.Subject)
	}
	e.Own = r.own
}
