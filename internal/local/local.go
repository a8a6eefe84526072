// Package local is the edge of a local check: it turns a directory, its git repository and the values that a
// user gives into the world that the gate judges.
//
// It decides where bytes come from and says so, never what they mean. It trusts the person who calls it: the
// contract of origin's default branch judges if there is one, without origin that of the base that is named, else
// the file that lies in the workspace. It reaches no network, and never waits for a file that is no regular file.
package local

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/collect"
	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
)

// Options are the values of one local check.
type Options struct {
	Version      string
	Clock        func() time.Time
	Workspace    string // directory
	ContractFile string // read this file
	ContractRef  string // or this one: REF:PATH
	Head, Base   string // revisions; "": found in the repository
	RunStartedAt time.Time
	Given        Given
	Only         []string
}

// Given are the bytes and values that the caller read for the check. A nil slice was not given.
type Given struct {
	Event, Steps, Needs, Checks []byte
	Report                      []byte
	HMACKey                     []byte
	AgentExit                   *int
	TaskID, DispatchID          string
}

// Check is one local check, ready to be judged once.
type Check struct {
	World *gate.World
	// Said tells in one line each where contract and change come from.
	Said []string

	o      Options
	event  *event
	repo   *collect.Repo
	noRepo error // why there is none
	source *source
	head   string // the judged commit, "" if there is no repository
	merge  string
	base   string // the commit that the change is compared with
	noBase error  // why there is none
	trees  func(context.Context) (*collect.Trees, error)
}

// Open prepares a local check. A *UsageError is a value that cannot be used; another error is something that
// could not be read. Close the check after use.
func Open(ctx context.Context, o Options) (*Check, error) {
	c := &Check{o: o}
	facts, err := c.given()
	if err != nil {
		return nil, err
	}
	ws, err := collect.Open(o.Workspace)
	if err != nil {
		return nil, err
	}
	c.repo, c.noRepo = collect.OpenRepo(o.Workspace)
	c.World = &gate.World{
		Version: o.Version, Clock: o.Clock, Workspace: ws,
		AgentExit: o.Given.AgentExit, TaskID: o.Given.TaskID, DispatchID: o.Given.DispatchID, Only: o.Only,
	}
	if err := c.locate(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.fill(ctx, facts)
	return c, nil
}

// Asked is what a check is asked about: what tells one answer of an agent from the next.
type Asked struct {
	HeadSHA  string // the judged commit, "" if there is none
	Contract []byte // nil: none was found
	// Texts are the report that was handed in, the event, and the report's file in the workspace, each nil if there is none.
	Texts [][]byte
}

// Asked reads what the check is asked about. What cannot be read is told apart from what is not there.
func (c *Check) Asked(ctx context.Context) Asked {
	a := Asked{HeadSHA: c.head, Texts: [][]byte{c.o.Given.Report, c.o.Given.Event, nil}}
	if s, err := c.source.found(); err == nil {
		a.Contract = s.Data
	}
	switch t, err := c.reportFile(ctx); {
	case err != nil:
		a.Texts[2] = []byte("cannot be read: " + err.Error())
	case t != nil:
		a.Texts[2] = append([]byte("as it is: "), t.Body...)
	}
	return a
}

// Close releases workspace and repository.
func (c *Check) Close() error {
	err := c.World.Workspace.Close()
	if c.repo != nil {
		err = errors.Join(err, c.repo.Close())
	}
	return err
}

// given parses the values that need no repository.
func (c *Check) given() (collect.Facts, error) {
	g := c.o.Given
	f := collect.Facts{HMACKey: g.HMACKey, RunCommands: true}
	f.Contexts.OwnChecks = []string{"Outcome Gate", "Outcome Gate (observe)", receipt.StatusContext}
	var err error
	if g.Event != nil {
		if c.event, err = parseEvent(g.Event); err != nil {
			return f, usage("read the event: %w", err)
		}
	}
	if g.Steps != nil {
		f.Contexts.HasSteps = true
		if f.Contexts.Steps, err = collect.ParseSteps(g.Steps); err != nil {
			return f, usage("read the steps context, which is like {\"ID\": {\"outcome\": \"success\"}}: %w", err)
		}
	}
	if g.Needs != nil {
		f.Contexts.HasJobs = true
		if f.Contexts.Jobs, err = collect.ParseNeeds(g.Needs); err != nil {
			return f, usage("read the needs context, which is like {\"ID\": {\"result\": \"success\"}}: %w", err)
		}
	}
	if g.Checks != nil {
		checks, err := collect.ParseChecks(g.Checks)
		if err != nil {
			return f, usage("read the checks: %w", err)
		}
		f.Checks = func(context.Context) ([]evidence.Check, error) { return checks, nil }
	}
	return f, nil
}

// fill makes the world's functions.
func (c *Check) fill(ctx context.Context, f collect.Facts) {
	w := c.World
	f.Circumstances.RunStartedAt = c.o.RunStartedAt.UTC()
	f.TrustedFile = c.source.trusted
	f.Approvals = func(context.Context, contract.Approval) evidence.WaitFacts { return c.awaited("who approved") }
	f.Environments = func(context.Context, string) evidence.WaitFacts { return c.awaited("for environments") }
	c.trees = onceTrees(c.readTrees)
	f.Git.Trees = c.trees
	if c.repo != nil {
		f.Git.Blob = func(ctx context.Context, sha string) ([]byte, error) { return c.repo.Blob(ctx, sha, MaxReceipt) }
	}
	w.Event = func(ctx context.Context) (*gate.Event, error) { return c.readEvent(ctx) }
	w.ReportFile = c.reportFile
	w.Contract = func(context.Context) (*gate.Source, error) { return c.source.found() }
	w.Proposed = func(ctx context.Context, path string) ([]byte, error) { return c.proposed(ctx, path) }
	w.Boundary = func(ctx context.Context, judging *contract.Contract) (time.Time, string) {
		trees, err := c.trees(ctx)
		if err != nil && c.o.RunStartedAt.IsZero() {
			return time.Time{}, err.Error()
		}
		s := collect.Sources{Trees: trees, Gone: c.removed()}
		if c.repo != nil && c.head != "" {
			if s.CommittedAt, err = c.repo.CommittedAt(c.head); err != nil {
				return time.Time{}, err.Error()
			}
		}
		return collect.LocalBoundary(ctx, w.Workspace, judging, s, c.o.RunStartedAt)
	}
	if c.head != "" && c.repo != nil {
		w.Head = func(context.Context) (string, error) { return c.headNow() }
	}
	f.Git.Changed = c.changed(ctx)
	f.Git.Lines = c.changedLines
	w.Facts = f
}

// awaited is what is known of a wait. Of a commit without a pull request, nothing was approved yet; what is with a
// pull request, only the service knows.
func (c *Check) awaited(what string) evidence.WaitFacts {
	if c.event == nil {
		return evidence.WaitFacts{Known: true}
	}
	return evidence.WaitFacts{Reason: "a local check asks no service " + what}
}

// removed lists the paths that the change took away, by removing a file or by giving it another name.
func (c *Check) removed() []string {
	var out []string
	for _, f := range c.World.Facts.Git.Changed.Files {
		if f.Previous != "" {
			out = append(out, f.Previous)
		}
		if f.Status == "removed" {
			out = append(out, f.Path)
		}
	}
	return out
}

// onceTrees remembers the trees, which two steps need.
func onceTrees(read func(context.Context) (*collect.Trees, error)) func(context.Context) (*collect.Trees, error) {
	var once sync.Once
	var trees *collect.Trees
	var err error
	return func(ctx context.Context) (*collect.Trees, error) {
		once.Do(func() { trees, err = read(ctx) })
		return trees, err
	}
}

// readTrees lists what head, merge and base commit and the index track.
func (c *Check) readTrees(ctx context.Context) (*collect.Trees, error) {
	if c.repo == nil {
		return nil, fmt.Errorf("read the git repository: %w", c.noRepo)
	}
	var t collect.Trees
	for _, x := range []struct {
		commit string
		into   **collect.Tree
	}{{c.head, &t.Head}, {c.merge, &t.Merge}, {c.base, &t.Base}} {
		if x.commit == "" {
			continue
		}
		tree, err := c.repo.Tree(ctx, x.commit)
		if err != nil {
			return nil, err
		}
		*x.into = tree
	}
	index, err := c.repo.IndexTree(ctx)
	if err != nil {
		return nil, err
	}
	t.Index = index
	return &t, nil
}

// headNow is the judged commit as the repository says now: the head that was found, or where HEAD moved to.
func (c *Check) headNow() (string, error) {
	now, err := c.repo.Resolve("HEAD")
	if err != nil {
		return "", err
	}
	if now == c.head || now == c.merge {
		return c.head, nil
	}
	return now, nil
}
