package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/outcome-gate/outcome-gate/internal/collect"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/github"
	"github.com/outcome-gate/outcome-gate/internal/scope"
)

// readChange reads what the judged commit changes and who wrote it. Both come from a comparison of two commits by
// their names, which nothing can move while it is read; the pull request's own lists follow its branch.
func (r *Run) readChange(ctx context.Context, e *gate.Event, standsOn string) error {
	var err error
	if r.trusted, err = r.c.BranchHead(ctx, e.Subject.BaseRef); err != nil {
		return err
	}
	x, err := r.c.Compare(ctx, r.trusted, e.Subject.HeadSHA)
	if github.NotCompared(err) {
		x, err = &github.Comparison{Commits: github.List[github.Commit]{Cut: true}, Files: github.List[github.ChangedFile]{Cut: true}}, nil
	}
	if err != nil {
		return err
	}
	files, commits := x.Files, x.Commits
	if e.MergeGroup {
		commits, err = r.groupCommits(ctx, e, x.Commits, standsOn)
	} else if r.pull.Head.SHA == e.Subject.HeadSHA { // else its counts and lists are of another commit
		files, commits, err = r.pullLists(ctx, files, commits)
	}
	if err != nil {
		return err
	}
	r.changes(e, files, commits)
	return nil
}

// pullLists takes the pull request's own list where it says that there is more than the comparison shows.
func (r *Run) pullLists(ctx context.Context, files github.List[github.ChangedFile], commits github.List[github.Commit]) (
	github.List[github.ChangedFile], github.List[github.Commit], error,
) {
	var err error
	if files.Cut || len(files.Items) < r.pull.ChangedFiles {
		if files, err = r.pullFiles(ctx); err != nil {
			return files, commits, err
		}
	}
	if commits.Cut || len(commits.Items) < r.pull.Commits {
		if commits, err = r.c.Commits(ctx, r.pull.Number, r.pull.Commits); err != nil {
			return files, commits, err
		}
		if n := len(commits.Items); !commits.Cut && n > 0 && commits.Items[n-1].SHA != r.pull.Head.SHA {
			return files, commits, errMoved("commits", r.pull.Head.SHA)
		}
	}
	return files, commits, nil
}

func errMoved(what, head string) error {
	return fmt.Errorf("the list of %s is not that of %s: the pull request moved while it was read", what, head)
}

// pullFiles reads the pull request's own list of files. It follows the branch, which can move away and back while
// the list is read, so each entry is held against the tree of the judged commit.
func (r *Run) pullFiles(ctx context.Context) (github.List[github.ChangedFile], error) {
	files, err := r.c.Files(ctx, r.pull.Number, r.pull.ChangedFiles)
	if err != nil || files.Cut {
		return files, err
	}
	head, err := r.c.Tree(ctx, r.pull.Head.SHA)
	if err != nil {
		return files, err
	}
	if head.Truncated {
		files.Cut = true // what cannot be held against anything may hide something
		return files, nil
	}
	has := make(map[string]string, len(head.Entries))
	for _, t := range head.Entries {
		if t.Type != "tree" {
			has[t.Path] = t.SHA
		}
	}
	for _, f := range files.Items {
		sha, there := has[f.Path]
		_, before := has[f.Previous]
		switch {
		case f.Status == "removed" && !there:
		case f.Status != "removed" && there && sha == f.SHA && (f.Status != "renamed" || !before):
		default:
			return files, errMoved("changed files", r.pull.Head.SHA)
		}
	}
	return files, nil
}

// groupCommits finds out whether a merge group has further members: then the commit that it stands on is one of
// those that the base branch does not have yet. Who wrote what is known of the last member only, so such a group
// is judged as a whole, whatever the contract applies to, and no approval of one member counts for all of them.
func (r *Run) groupCommits(ctx context.Context, e *gate.Event, all github.List[github.Commit], standsOn string) (github.List[github.Commit], error) {
	further := all.Cut || slices.ContainsFunc(all.Items, func(c github.Commit) bool { return c.SHA == standsOn })
	commits, err := r.c.Commits(ctx, r.pull.Number, r.pull.Commits)
	if err != nil {
		return commits, err
	}
	if further {
		e.Pull, commits.Cut = false, true
		e.Notes = append(e.Notes, "the merge group has further members, so everything that it brings to the base branch is judged, and a protected path among it waits")
	}
	return commits, nil
}

// changes enters what was read.
func (r *Run) changes(e *gate.Event, files github.List[github.ChangedFile], commits github.List[github.Commit]) {
	e.Change.FilesCut, e.Change.CommitsCut = files.Cut, commits.Cut
	changed := collect.Changed{Known: !files.Cut}
	if files.Cut {
		changed.Reason = "GitHub does not list all changed files"
	}
	for _, f := range files.Items {
		e.Change.Files = append(e.Change.Files, scope.File{Path: f.Path, Previous: f.Previous, Status: f.Status})
		changed.Files = append(changed.Files, collect.ChangedFile{Path: f.Path, Previous: f.Previous, Status: f.Status})
	}
	r.World.Facts.Git.Changed = changed
	r.World.Facts.Git.Lines = func(context.Context, func(string) bool) (evidence.ChangedLines, error) {
		return changedLines(files, func(path string) string {
			if r.base == nil {
				return ""
			}
			e, _ := r.baseEntry(path)
			return e.SHA
		}), nil
	}
	for _, k := range commits.Items {
		e.Commits = append(e.Commits, k.SHA)
		e.Change.Commits = append(e.Change.Commits, scope.Commit{
			AuthorLogin: k.Author.Account.Login, CommitterLogin: k.Committer.Account.Login,
			AuthorEmail: k.Author.Email, CommitterEmail: k.Committer.Email, Message: k.Message,
		})
	}
}

// file reads a file of the trusted branch's newest commit. The tree names its blob, and what has that name has
// those bytes, so the local checkout can give them; GitHub does where it has not got them.
func (r *Run) file(ctx context.Context, path string, maxBytes int64) ([]byte, error) {
	if r.repo != nil && r.base != nil {
		if e, ok := r.baseEntry(path); ok && e.Regular() && e.Size <= maxBytes {
			data, err := r.repo.Blob(ctx, e.SHA, maxBytes)
			if err == nil || ctx.Err() != nil {
				return data, errors.Join(err, ctx.Err())
			}
		}
	}
	return r.c.File(ctx, path, r.trusted, maxBytes)
}
