package github

import (
	"context"
	"errors"
	"net/url"
	"time"

	gogithub "github.com/google/go-github/v62/github"
)

// Limits of GitHub's lists of a pull request
// (docs.github.com/rest/pulls/pulls: list files 3000, list commits 250).
const (
	maxFiles   = 3000
	maxCommits = 250
)

// User is an account. Zero: it was deleted, or GitHub does not say.
type User struct {
	Login string
	ID    int64  // stays the same when the login changes
	Type  string // User, Bot, Organization
}

// Side is one side of a pull request.
type Side struct {
	Ref        string // branch, without refs/heads/
	SHA        string // its commit
	Repository string // owner/name; empty: deleted since
}

// PullRef is what a list says of a pull request.
type PullRef struct {
	Number int
	State  string // open, closed
	Draft  bool
	Merged bool
	Author User
	Head   Side
	Base   Side

	CreatedAt time.Time // zero: GitHub does not say
	ClosedAt  time.Time // zero: it is open, or GitHub does not say
}

// Pull is a pull request as it is now.
type Pull struct {
	PullRef
	Title         string
	Body          string
	Labels        []string
	MergeSHA      string // of the test merge, or of the merge; empty: not made
	Mergeable     *bool  // nil: GitHub has not found out yet
	ChangedFiles  int
	Commits       int
	DefaultBranch string // of the base's repository
}

// Pull fetches pull request n.
func (c *Client) Pull(ctx context.Context, n int) (*Pull, error) {
	p, _, err := c.gh.PullRequests.Get(ctx, c.owner, c.name, n)
	if err != nil {
		return nil, c.fail(err, "read pull request %d", n)
	}
	ref, err := pullRef(p)
	switch {
	case err != nil:
	case ref.Number != n:
		err = malformed("it is about pull request %d", ref.Number)
	case p.ChangedFiles == nil || *p.ChangedFiles < 0 || p.Commits == nil || *p.Commits < 0:
		err = malformed("it does not say how many files and commits there are")
	case p.GetBase().GetRepo().GetDefaultBranch() == "":
		err = malformed("it does not say what the default branch is")
	case ref.CreatedAt.IsZero():
		err = malformed("it does not say when it was opened")
	case p.MergeCommitSHA != nil && *p.MergeCommitSHA != "":
		err = object(*p.MergeCommitSHA)
	}
	if err != nil {
		return nil, c.fail(err, "read pull request %d", n)
	}
	out := &Pull{
		PullRef: ref, Title: p.GetTitle(), Body: p.GetBody(), MergeSHA: p.GetMergeCommitSHA(), Mergeable: p.Mergeable,
		ChangedFiles: *p.ChangedFiles, Commits: *p.Commits, DefaultBranch: p.GetBase().GetRepo().GetDefaultBranch(),
	}
	out.Merged = p.GetMerged() || ref.Merged
	for _, l := range p.Labels {
		out.Labels = append(out.Labels, l.GetName())
	}
	return out, nil
}

// Me fetches the account that a personal token belongs to. An installation of an app has none: GitHub answers 403.
func (c *Client) Me(ctx context.Context) (User, error) {
	u, _, err := c.gh.Users.Get(ctx, "")
	if err == nil && (u.GetLogin() == "" || u.GetType() == "") {
		err = malformed("it has no login or type")
	}
	if err != nil {
		return User{}, c.fail(err, "read the token's own account")
	}
	return user(u), nil
}

func user(u *gogithub.User) User { return User{Login: u.GetLogin(), ID: u.GetID(), Type: u.GetType()} }

// pullRef takes what a decision may rest on only if it is there.
func pullRef(p *gogithub.PullRequest) (PullRef, error) {
	if p == nil {
		return PullRef{}, errors.New("it is null")
	}
	out := PullRef{
		Number: p.GetNumber(), State: p.GetState(), Draft: p.GetDraft(), Merged: p.MergedAt != nil, Author: user(p.User),
		Head: side(p.Head), Base: side(p.Base), CreatedAt: when(p.CreatedAt), ClosedAt: when(p.ClosedAt),
	}
	switch {
	case out.Number <= 0:
		return PullRef{}, malformed("there is no number")
	case out.State != "open" && out.State != "closed":
		return PullRef{}, malformed("state %.20q", out.State)
	case out.Head.Ref == "" || out.Base.Ref == "" || out.Base.Repository == "":
		return PullRef{}, malformed("there is no head or base")
	}
	return out, errors.Join(object(out.Head.SHA), object(out.Base.SHA))
}

func side(b *gogithub.PullRequestBranch) Side {
	return Side{Ref: b.GetRef(), SHA: b.GetSHA(), Repository: b.GetRepo().GetFullName()}
}

// ChangedFile is one file that a pull request changes.
type ChangedFile struct {
	Path      string
	Previous  string // where a renamed file was before; else empty
	Status    string // added, removed, modified, renamed, copied, changed, unchanged
	SHA       string // of its blob; empty: GitHub does not say
	Additions int
	Deletions int
	Patch     string // unified diff; empty: binary, too large, or nothing but a move
}

// Files lists the files that pull request n changes. Changed is the pull request's own count. The list is
// cut if it has fewer than that, or if it has as many as GitHub lists at most: then nobody can say that a
// file was not touched.
func (c *Client) Files(ctx context.Context, n, changed int) (List[ChangedFile], error) {
	raw, err := collect(maxFiles, func(o gogithub.ListOptions) ([]*gogithub.CommitFile, *gogithub.Response, error) {
		return c.gh.PullRequests.ListFiles(ctx, c.owner, c.name, n, &o)
	})
	if err != nil {
		return List[ChangedFile]{}, c.fail(err, "list files of pull request %d", n)
	}
	out, err := each(raw, changedFile)
	if err != nil {
		return List[ChangedFile]{}, c.fail(err, "list files of pull request %d", n)
	}
	out.Cut = out.Cut || len(out.Items) < changed || len(out.Items) >= maxFiles
	return out, nil
}

func changedFile(f *gogithub.CommitFile) (ChangedFile, error) {
	if f.GetFilename() == "" || f.GetStatus() == "" {
		return ChangedFile{}, errors.New("it has no name or status")
	}
	if f.GetStatus() == "renamed" && f.GetPreviousFilename() == "" {
		return ChangedFile{}, errors.New("it was renamed from nowhere")
	}
	return ChangedFile{
		Path: f.GetFilename(), Previous: f.GetPreviousFilename(), Status: f.GetStatus(), SHA: f.GetSHA(),
		Additions: f.GetAdditions(), Deletions: f.GetDeletions(), Patch: f.GetPatch(),
	}, nil
}

// Signature is who made a commit, as the commit says, and the account that GitHub takes that for. Anybody can
// write any name and address into a commit.
type Signature struct {
	Name    string
	Email   string
	Account User // zero: none has this address
	Date    time.Time
}

// Commit is one commit.
type Commit struct {
	SHA       string
	Message   string
	Author    Signature
	Committer Signature
	Parents   []string
}

// Commits lists the commits of pull request n, oldest first. Total is the pull request's own count. The list
// is cut if it has fewer than that, or as many as GitHub lists at most.
func (c *Client) Commits(ctx context.Context, n, total int) (List[Commit], error) {
	raw, err := collect(maxCommits, func(o gogithub.ListOptions) ([]*gogithub.RepositoryCommit, *gogithub.Response, error) {
		return c.gh.PullRequests.ListCommits(ctx, c.owner, c.name, n, &o)
	})
	if err != nil {
		return List[Commit]{}, c.fail(err, "list commits of pull request %d", n)
	}
	out, err := each(raw, commit)
	if err != nil {
		return List[Commit]{}, c.fail(err, "list commits of pull request %d", n)
	}
	out.Cut = out.Cut || len(out.Items) < total || len(out.Items) >= maxCommits
	return out, nil
}

func commit(r *gogithub.RepositoryCommit) (Commit, error) {
	if err := object(r.GetSHA()); err != nil {
		return Commit{}, err
	}
	if r.Commit == nil {
		return Commit{}, errors.New("it has no commit")
	}
	sign := func(a *gogithub.CommitAuthor, u *gogithub.User) Signature {
		return Signature{Name: a.GetName(), Email: a.GetEmail(), Account: user(u), Date: a.GetDate().UTC()}
	}
	out := Commit{
		SHA: r.GetSHA(), Message: r.Commit.GetMessage(), Author: sign(r.Commit.Author, r.Author), Committer: sign(r.Commit.Committer, r.Committer),
	}
	for _, p := range r.Parents {
		if err := object(p.GetSHA()); err != nil {
			return Commit{}, err
		}
		out.Parents = append(out.Parents, p.GetSHA())
	}
	return out, nil
}

// PullsOf lists the pull requests that have a commit, closed ones too.
func (c *Client) PullsOf(ctx context.Context, sha string) (List[PullRef], error) {
	if err := object(sha); err != nil {
		return List[PullRef]{}, c.fail(err, "list pull requests of a commit")
	}
	raw, err := collect(maxPulls, func(o gogithub.ListOptions) ([]*gogithub.PullRequest, *gogithub.Response, error) {
		return c.gh.PullRequests.ListPullRequestsWithCommit(ctx, c.owner, c.name, sha, &o)
	})
	if err != nil {
		return List[PullRef]{}, c.fail(err, "list pull requests of %s", sha)
	}
	out, err := each(raw, pullRef)
	if err != nil {
		return List[PullRef]{}, c.fail(err, "list pull requests of %s", sha)
	}
	return out, nil
}

// Review is a review of a pull request.
type Review struct {
	ID          int64
	Author      User
	State       string // APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED, PENDING
	Body        string
	CommitID    string // the head that was reviewed; empty: gone
	SubmittedAt time.Time
}

// Reviews lists the reviews of pull request n, oldest first.
func (c *Client) Reviews(ctx context.Context, n int) (List[Review], error) {
	raw, err := collect(maxReviews, func(o gogithub.ListOptions) ([]*gogithub.PullRequestReview, *gogithub.Response, error) {
		return c.gh.PullRequests.ListReviews(ctx, c.owner, c.name, n, &o)
	})
	if err != nil {
		return List[Review]{}, c.fail(err, "list reviews of pull request %d", n)
	}
	out, err := each(raw, func(r *gogithub.PullRequestReview) (Review, error) {
		if r.GetID() == 0 || r.GetState() == "" {
			return Review{}, errors.New("it has no id or state")
		}
		return Review{
			ID: r.GetID(), Author: user(r.User), State: r.GetState(), Body: r.GetBody(), CommitID: r.GetCommitID(), SubmittedAt: when(r.SubmittedAt),
		}, nil
	})
	if err != nil {
		return List[Review]{}, c.fail(err, "list reviews of pull request %d", n)
	}
	return out, nil
}

// Permission is what an account may do in the repository. Roles that GitHub added later show as the one
// below them: maintain as write, triage as read.
type Permission string

// The permissions, from least to most. Anything else is as good as none.
const (
	PermissionNone  Permission = "none"
	PermissionRead  Permission = "read"
	PermissionWrite Permission = "write"
	PermissionAdmin Permission = "admin"
)

// Writes reports whether the account may push.
func (p Permission) Writes() bool { return p == PermissionWrite || p == PermissionAdmin }

// Permission fetches what an account may do. A login that is no account is a StatusError of 404.
func (c *Client) Permission(ctx context.Context, login string) (Permission, error) {
	if login == "" || login == "." || login == ".." {
		return PermissionNone, c.fail(malformed("login %q", login), "read permission")
	}
	level, _, err := c.gh.Repositories.GetPermissionLevel(ctx, c.owner, c.name, url.PathEscape(login))
	if err != nil {
		return PermissionNone, c.fail(err, "read permission of %.60q", login)
	}
	switch p := Permission(level.GetPermission()); p {
	case PermissionNone, PermissionRead, PermissionWrite, PermissionAdmin:
		return p, nil
	default:
		return PermissionNone, c.fail(malformed("permission %.20q", string(p)), "read permission of %.60q", login)
	}
}
