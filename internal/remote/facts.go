package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/outcome-gate/outcome-gate/internal/collect"
	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/github"
	"github.com/outcome-gate/outcome-gate/internal/scope"
)

// readContract reads the contract of the trusted branch's newest commit.
func (r *Run) readContract(ctx context.Context) (*gate.Source, error) {
	if r.trouble != nil { // said here, where the surfaces already know which commit is judged
		return nil, r.trouble
	}
	branch := r.event.Subject.BaseRef
	var err error
	if r.base, err = r.c.Tree(ctx, r.trusted); err != nil {
		return nil, err
	}
	path := r.o.Inputs.Contract
	s := &gate.Source{Path: path, Branch: branch, Commit: r.trusted}
	if slices.Contains(contract.DefaultPaths(), path) {
		return s, r.defaultContract(ctx, s)
	}
	return s, r.namedContract(ctx, s)
}

// defaultContract finds the one contract among the default paths.
func (r *Run) defaultContract(ctx context.Context, s *gate.Source) error {
	for _, p := range contract.DefaultPaths() {
		e, ok := r.baseEntry(p)
		if !ok {
			continue
		}
		s.Found = append(s.Found, p)
		s.Path, s.Link = p, !e.Regular()
	}
	if len(s.Found) == 0 && r.base.Truncated {
		return errors.New("GitHub does not list the whole tree of the trusted branch")
	}
	if len(s.Found) != 1 || s.Link {
		return nil
	}
	return r.load(ctx, s)
}

// namedContract reads a contract that the input names. The change decides what its workflow passes, so only one
// that the default contract lists may judge.
func (r *Run) namedContract(ctx context.Context, s *gate.Source) error {
	main := &gate.Source{}
	if err := r.defaultContract(ctx, main); err != nil {
		return err
	}
	if main.Data == nil { // none, several or a link: the default's own state is what is said
		main.Branch, main.Commit = s.Branch, s.Commit
		if main.Path == "" {
			main.Path = contract.DefaultPaths()[0]
		}
		*s = *main
		return nil
	}
	c, problems := contract.Parse(main.Path, main.Data, gate.ContractKinds())
	if c == nil {
		return fmt.Errorf("the default contract, which has to list %s, is not valid: %w", s.Path, problems.Mistakes())
	}
	if !slices.Contains(c.Contracts, s.Path) {
		return fmt.Errorf("the default contract %s does not list %s under contracts", main.Path, s.Path)
	}
	e, ok := r.baseEntry(s.Path)
	if !ok {
		return nil
	}
	s.Found, s.Link = []string{s.Path}, !e.Regular()
	if s.Link {
		return nil
	}
	return r.load(ctx, s)
}

func (r *Run) load(ctx context.Context, s *gate.Source) (err error) {
	s.Data, err = r.file(ctx, s.Path, maxContract)
	if errors.Is(err, github.ErrTooLarge) {
		// Let the contract's own reader say so, with its code: what is over the limit is never parsed.
		s.Data, err = make([]byte, maxContract), nil
	}
	return err
}

func (r *Run) baseEntry(path string) (github.Entry, bool) {
	for _, e := range r.base.Entries {
		if e.Path == path {
			return e, true
		}
	}
	return github.Entry{}, false
}

// again reads the pull request anew, by the list of those that have the judged commit: one request tells whether
// the head moved, the base was changed, or another open pull request has the same head.
func (r *Run) again(ctx context.Context) (gate.Again, error) {
	sha := r.event.Subject.HeadSHA
	if r.event.OnBranch {
		err := r.findOwner(ctx)
		return gate.Again{Head: sha, BaseRef: r.event.Subject.BaseRef}, err
	}
	if r.event.MergeGroup { // a group's commit never moves: a changed group is another one
		return gate.Again{Head: sha, BaseRef: r.event.Subject.BaseRef}, nil
	}
	list, err := r.c.PullsOf(ctx, sha)
	if err != nil {
		return gate.Again{}, err
	}
	out := gate.Again{Shared: list.Cut}
	for _, p := range list.Items {
		switch {
		case p.Number == r.pull.Number:
			out.Head, out.BaseRef = p.Head.SHA, p.Base.Ref
		case p.State == "open" && p.Head.SHA == sha:
			out.Shared = true
		}
	}
	if out.Head == "" { // the list does not have it: after a force push, or for some forks
		p, err := r.c.Pull(ctx, r.pull.Number)
		if err != nil {
			return gate.Again{}, err
		}
		out.Head, out.BaseRef = p.Head.SHA, p.Base.Ref
	}
	return out, nil
}

// readTrees lists what the head and the trusted branch's newest commit track, and what the local index holds.
// Every path of the test merge commit is a path of one of the two.
func (r *Run) readTrees(ctx context.Context) (*collect.Trees, error) {
	head, err := r.c.Tree(ctx, r.event.Subject.HeadSHA)
	if err != nil {
		return nil, err
	}
	var out collect.Trees
	if out.Head, err = tree(r.event.Subject.HeadSHA, head); err != nil {
		return nil, err
	}
	if r.base == nil { // the contract step reads it; a report in the workspace is looked at before
		if r.base, err = r.c.Tree(ctx, r.trusted); err != nil {
			return nil, err
		}
	}
	if out.Base, err = tree(r.trusted, r.base); err != nil {
		return nil, err
	}
	if r.repo != nil {
		// The index only adds to what is tracked; one that cannot be read adds nothing, and takes nothing away.
		out.Index, _ = r.repo.IndexTree(ctx)
	}
	return &out, nil
}

func tree(commit string, t *github.Tree) (*collect.Tree, error) {
	if t.Truncated {
		return nil, fmt.Errorf("list %s: GitHub does not list its whole tree", commit)
	}
	entries := make([]collect.TreeEntry, 0, len(t.Entries))
	for _, e := range t.Entries {
		if e.Type == "tree" {
			continue
		}
		mode, err := strconv.ParseUint(e.Mode, 8, 32)
		if err != nil {
			return nil, fmt.Errorf("list %s: mode %.10q of %.100q", commit, e.Mode, e.Path)
		}
		size := e.Size
		if e.Type != "blob" {
			size = collect.UnknownSize
		}
		entries = append(entries, collect.TreeEntry{Path: e.Path, Mode: uint32(mode), SHA: e.SHA, Size: size})
	}
	return collect.NewTree(commit, entries)
}

func tracks(t *collect.Trees, path string) bool {
	for _, x := range []*collect.Tree{t.Head, t.Merge, t.Base, t.Index} {
		if x != nil && x.Tracks(path) {
			return true
		}
	}
	return false
}

// checks lists check runs and commit statuses at the head commit.
func (r *Run) checks(ctx context.Context) ([]evidence.Check, error) {
	sha := r.event.Subject.HeadSHA
	runs, err := r.c.CheckRuns(ctx, sha, github.CheckRunQuery{All: true})
	if err != nil {
		return nil, err
	}
	statuses, err := r.c.Statuses(ctx, sha)
	if err != nil {
		return nil, err
	}
	if runs.Cut || statuses.Cut {
		return nil, fmt.Errorf("GitHub does not list all checks of %s", sha)
	}
	var out []evidence.Check
	for _, k := range runs.Items {
		out = append(out, evidence.Check{
			Name: k.Name, App: k.AppSlug, Status: k.Status, Conclusion: k.Conclusion, HeadSHA: k.HeadSHA, StartedAt: k.StartedAt, ID: k.ID,
		})
	}
	for _, s := range statuses.Items {
		k := evidence.Check{Name: s.Context, Status: "completed", Conclusion: s.State, HeadSHA: sha, StartedAt: s.CreatedAt, ID: s.ID}
		if s.State == "pending" {
			k.Status, k.Conclusion = "in_progress", ""
		}
		out = append(out, k)
	}
	return out, nil
}

// readReviews lists the reviews, with the permission of those who approved the head commit.
func (r *Run) readReviews(ctx context.Context) ([]scope.Review, error) {
	if r.pull == nil {
		return nil, errors.New("a commit without a pull request has no reviews")
	}
	list, err := r.c.Reviews(ctx, r.pull.Number)
	if err != nil {
		return nil, err
	}
	if list.Cut {
		return nil, errors.New("GitHub does not list all reviews")
	}
	permission := map[string]string{}
	var out []scope.Review
	for _, v := range list.Items {
		who := account(v.Author)
		if _, known := permission[who.Login]; !known && v.State == "APPROVED" && v.CommitID == r.pull.Head.SHA && who.Type == "User" {
			p, err := r.c.Permission(ctx, who.Login)
			if github.IsStatus(err, http.StatusNotFound) { // the account is gone: it may do nothing
				p, err = github.PermissionNone, nil
			}
			if err != nil {
				return nil, err
			}
			permission[who.Login] = string(p)
		}
		out = append(out, scope.Review{By: who, State: v.State, Commit: v.CommitID, Permission: permission[who.Login]})
	}
	return out, nil
}

// baseBranches reads what the default branch's contract trusts.
func (r *Run) baseBranches(ctx context.Context) ([]string, error) {
	head, err := r.c.BranchHead(ctx, r.event.DefaultBranch)
	if err != nil {
		return nil, err
	}
	for _, path := range contract.DefaultPaths() {
		data, err := r.c.File(ctx, path, head, maxContract)
		if errors.Is(err, github.ErrNoFile) {
			continue
		}
		if err != nil {
			return nil, err
		}
		c, problems := contract.Parse(path, data, gate.ContractKinds())
		if c == nil {
			return nil, fmt.Errorf("%s of %s: %w", path, r.event.DefaultBranch, problems.Mistakes())
		}
		return c.BaseBranches, nil
	}
	return nil, nil
}
