package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/collect"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/report"
	"github.com/outcome-gate/outcome-gate/internal/scope"
)

// reportPath is where agents leave their report by default, relative to the workspace.
const reportPath = ".agent/outcome.json"

// locate finds contract, head and base. What only the judgement needs is not read yet.
func (c *Check) locate(ctx context.Context) error {
	if err := c.findHead(ctx); err != nil {
		return err
	}
	if err := c.findSource(ctx); err != nil {
		return err
	}
	if err := c.findBase(ctx); err != nil {
		return err
	}
	if c.source.said != "" { // where there is none, the answer says so
		c.say("contract: %s", c.source.said)
	}
	if up := repositoryAbove(c.o.Workspace); errors.Is(c.noRepo, fs.ErrNotExist) && up != "" {
		c.say("this folder lies inside the repository %s; to judge that: --workspace %s", up, up)
	}
	switch {
	case c.noBase != nil:
		c.say("change: not known, so every outcome is expected and protected paths count as touched (%v)", c.noBase)
	default:
		c.say("change: %s..%s", short(c.base), short(c.head))
	}
	return nil
}

func (c *Check) say(format string, args ...any) {
	c.Said = append(c.Said, fmt.Sprintf(format, args...))
}

func short(sha string) string { return sha[:min(len(sha), 12)] }

// findHead finds the judged commit: the one that the user names, else the event's, else HEAD. What lies in the
// workspace is evidence for HEAD, so another commit than HEAD is judged only where HEAD is its test merge commit.
func (c *Check) findHead(ctx context.Context) error {
	if c.repo == nil {
		if c.o.Head != "" {
			return usage("find --head %s: %w", c.o.Head, c.noRepo)
		}
		if c.event != nil {
			c.head = c.event.headSHA
		}
		return nil
	}
	want, err := c.wanted()
	if err != nil {
		return err
	}
	at, err := c.repo.Resolve("HEAD")
	switch {
	case err != nil && want != "":
		return fmt.Errorf("find HEAD: %w", err)
	case err != nil: // a repository without a commit: the head is unknown, and nothing is tracked by it
		c.noBase = err
		return nil
	case want == "" || want == at:
		c.head = at
		return nil
	}
	c.head = want
	ahead, err := c.repo.Commits(ctx, want, at)
	if err != nil {
		return fmt.Errorf("compare the workspace's commit %s with the judged one %s: %w", short(at), short(want), err)
	}
	for _, commit := range ahead {
		if commit.SHA == at && len(commit.Parents) > 1 && slices.Contains(commit.Parents, want) {
			c.merge = at
			return nil
		}
	}
	return usage("the workspace is at %s, which is neither the judged commit %s nor its merge commit", short(at), short(want))
}

// wanted is the commit that flags or event name, "" if they name none.
func (c *Check) wanted() (string, error) {
	want := ""
	if c.event != nil {
		want = c.event.headSHA
	}
	if c.o.Head == "" {
		return want, nil
	}
	sha, err := c.repo.Resolve(c.o.Head)
	if err != nil {
		return "", usage("find --head: %w", err)
	}
	if want != "" && want != sha {
		return "", usage("--head is %s, the event's head is %s", short(sha), short(want))
	}
	return sha, nil
}

// findBase finds the commit that the change is compared with: where the head left its base. Not to know it is
// no error: the change is then unknown.
func (c *Check) findBase(ctx context.Context) error {
	switch {
	case c.repo == nil:
		c.noBase = fmt.Errorf("no git repository: %w", c.noRepo)
		if errors.Is(c.noRepo, fs.ErrNotExist) {
			c.noBase = errors.New("there is no git repository here")
		}
		return nil
	case c.head == "":
		return nil // findHead said why
	}
	_, base, err := c.namedBase()
	if err != nil {
		return err
	}
	if base == "" {
		if _, base, err = c.repo.DefaultBranch(); err != nil {
			c.noBase = errors.New("there is no default branch of origin; name the base with --base")
			return nil
		}
	}
	sha, err := c.repo.MergeBase(ctx, base, c.head)
	if err != nil {
		c.noBase = err
		return nil
	}
	c.base = sha
	return nil
}

// readEvent gathers what is judged.
func (c *Check) readEvent(ctx context.Context) (*gate.Event, error) {
	e := &gate.Event{Subject: receipt.Subject{HeadSHA: c.head, MergeSHA: c.merge, BaseSHA: c.base}}
	if p := c.event; p != nil {
		e.Pull, e.DefaultBranch = true, p.defaultBranch
		e.Subject.Repository, e.Subject.PullRequest, e.Subject.BaseRef = p.repository, p.number, p.baseRef
		e.Change = scope.Change{
			Author: p.author, HeadBranch: p.headRef, Title: p.title, Body: p.body, Draft: p.draft, Labels: p.labels,
		}
		e.Texts = append(e.Texts, report.Text{Carrier: "body", Author: p.author.Login + "/" + p.author.Type, Body: p.body})
	}
	if err := c.readHistory(ctx, e); err != nil {
		return nil, err
	}
	e.Notes = c.uncommitted(ctx)
	if c.o.Given.Report != nil {
		e.Texts = append(e.Texts, report.Text{Carrier: "input", Body: string(c.o.Given.Report)})
	}
	return e, nil
}

// readHistory lists the change's files and commits. A list that cannot be read counts as cut.
func (c *Check) readHistory(ctx context.Context, e *gate.Event) error {
	if c.base == "" {
		e.Change.FilesCut, e.Change.CommitsCut = true, true
		return nil
	}
	commits, err := c.repo.Commits(ctx, c.base, c.head)
	if err != nil {
		return err
	}
	for i := len(commits) - 1; i >= 0; i-- { // newest last
		k := commits[i]
		e.Commits = append(e.Commits, k.SHA)
		e.Change.Commits = append(e.Change.Commits, scope.Commit{
			AuthorEmail: k.Author.Email, CommitterEmail: k.Committer.Email, Message: k.Message,
		})
	}
	changed := c.World.Facts.Git.Changed
	if !changed.Known {
		e.Change.FilesCut = true
		return nil
	}
	for _, f := range changed.Files {
		e.Change.Files = append(e.Change.Files, scope.File{Path: f.Path, Previous: f.Previous, Status: f.Status})
	}
	return nil
}

// shownDirty is how many changed files a note names.
const shownDirty = 5

// uncommitted says what of the workspace the judged commit does not hold: what was made there is evidence for both.
func (c *Check) uncommitted(ctx context.Context) []string {
	if c.repo == nil || c.head == "" {
		return nil
	}
	trees, err := c.trees(ctx)
	if err != nil {
		return nil // every file's evidence says so
	}
	at := *trees
	if at.Merge != nil {
		at.Head = at.Merge // which is checked out
	}
	names, err := collect.Dirty(ctx, c.World.Workspace, &at, shownDirty+1)
	switch {
	case err != nil:
		return []string{"whether the workspace is as the judged commit is not known: " + err.Error()}
	case len(names) == 0:
		return nil
	}
	more := ""
	if len(names) > shownDirty {
		names, more = names[:shownDirty], " and more"
	}
	return []string{"NOT COMMITTED: " + strings.Join(names, ", ") + more + "; the evidence is that of the workspace with these changes, which commit " + short(c.head) + " does not hold"}
}

// changed lists the files of the change.
func (c *Check) changed(ctx context.Context) collect.Changed {
	if c.base == "" {
		reason := "the base commit is not known"
		if c.noBase != nil {
			reason = c.noBase.Error()
		}
		return collect.Changed{Reason: reason}
	}
	files, err := c.repo.Changes(ctx, c.base, c.head)
	if err != nil {
		return collect.Changed{Reason: err.Error()}
	}
	return collect.Changed{Known: true, Files: files}
}

// reportFile is the report that lies in the workspace, if one does. One that the repository tracks was not written by
// this run, unless the change itself wrote it.
func (c *Check) reportFile(ctx context.Context) (*report.Text, error) {
	data, err := c.World.Workspace.ReadPlain(reportPath, MaxReport)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // no report in the workspace is an answer, and no mistake
	}
	if err != nil {
		return nil, err
	}
	if c.repo != nil {
		trees, err := c.trees(ctx)
		if err != nil {
			return nil, fmt.Errorf("find out whether %s is committed: %w", reportPath, err)
		}
		tracked := false
		for _, t := range []*collect.Tree{trees.Head, trees.Merge, trees.Base, trees.Index} {
			if t == nil {
				continue
			}
			_, ok := t.Lookup(reportPath)
			tracked = tracked || ok
		}
		if tracked && !touches(c.World.Facts.Git.Changed.Files, reportPath) {
			return nil, nil //nolint:nilnil // as above
		}
	}
	return &report.Text{Carrier: "file", Ref: reportPath, Body: string(data)}, nil
}

func touches(files []collect.ChangedFile, path string) bool {
	for _, f := range files {
		if f.Path == path && f.Status != "removed" {
			return true
		}
	}
	return false
}

// readInside reads a regular file below dir, through no link that leaves it.
func readInside(dir, path string, read func(io.Reader) ([]byte, error)) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // it was only read
	info, err := root.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular(info.Mode())
	}
	f, err := root.OpenFile(path, openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return readRegular(f, read)
}

// changedLines lists the lines of the change.
func (c *Check) changedLines(ctx context.Context, wanted func(path string) bool) (evidence.ChangedLines, error) {
	if c.base == "" {
		return evidence.ChangedLines{Reason: c.World.Facts.Git.Changed.Reason}, nil
	}
	return c.repo.ChangedLines(ctx, c.base, c.head, wanted)
}
