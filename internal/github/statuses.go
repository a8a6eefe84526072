package github

import (
	"context"
	"errors"
	"slices"
	"time"

	gogithub "github.com/google/go-github/v62/github"
)

// Status is a commit status. The newest of a context counts.
type Status struct {
	ID          int64
	State       string // error, failure, pending, success
	Context     string
	Description string
	TargetURL   string
	Creator     User
	CreatedAt   time.Time
}

// Statuses lists all statuses of a commit, newest first, 3000 at most.
func (c *Client) Statuses(ctx context.Context, sha string) (List[Status], error) {
	if err := object(sha); err != nil {
		return List[Status]{}, c.fail(err, "list statuses")
	}
	return c.statuses(ctx, sha, func(*gogithub.RepoStatus) bool { return false })
}

// StatusesOf lists the newest statuses of a commit, back to the page that has one of the context, or all of them if
// none has. The others on those pages are listed too.
func (c *Client) StatusesOf(ctx context.Context, sha, name string) (List[Status], error) {
	if err := object(sha); err != nil {
		return List[Status]{}, c.fail(err, "list statuses")
	}
	return c.statuses(ctx, sha, func(s *gogithub.RepoStatus) bool { return s.GetContext() == name })
}

// statuses lists page after page until one has what is looked for.
func (c *Client) statuses(ctx context.Context, sha string, found func(*gogithub.RepoStatus) bool) (List[Status], error) {
	raw, err := collect(maxStatuses, func(o gogithub.ListOptions) ([]*gogithub.RepoStatus, *gogithub.Response, error) {
		items, res, err := c.gh.Repositories.ListStatuses(ctx, c.owner, c.name, sha, &o)
		if err == nil && slices.ContainsFunc(items, found) {
			res.NextPage = 0
		}
		return items, res, err
	})
	if err != nil {
		return List[Status]{}, c.fail(err, "list statuses of %s", sha)
	}
	out, err := each(raw, status)
	if err != nil {
		return List[Status]{}, c.fail(err, "list statuses of %s", sha)
	}
	return out, nil
}

func status(s *gogithub.RepoStatus) (Status, error) {
	if s.GetID() == 0 || s.GetState() == "" || s.GetContext() == "" {
		return Status{}, errors.New("it has no id, state or context")
	}
	return Status{
		ID: s.GetID(), State: s.GetState(), Context: s.GetContext(), Description: s.GetDescription(), TargetURL: s.GetTargetURL(),
		Creator: user(s.Creator), CreatedAt: when(s.CreatedAt),
	}, nil
}

// NewStatus is a status to be set.
type NewStatus struct {
	State       string // error, failure, pending, success
	Context     string
	Description string // 140 characters at most
	TargetURL   string // empty: none
}

// CreateStatus sets a status of a commit. It is repeated after any mishap: of two equal ones the newer counts
// and says the same.
func (c *Client) CreateStatus(ctx context.Context, sha string, s NewStatus) (*Status, error) {
	if err := object(sha); err != nil {
		return nil, c.fail(err, "set status")
	}
	raw, _, err := c.gh.Repositories.CreateStatus(plan{repeat: true}.in(ctx), c.owner, c.name, sha, &gogithub.RepoStatus{
		State: &s.State, Context: &s.Context, Description: text(s.Description), TargetURL: text(s.TargetURL),
	})
	if err != nil {
		return nil, c.fail(err, "set status %q of %s", s.Context, sha)
	}
	out, err := status(raw)
	if err != nil {
		return nil, c.fail(malformed("%w", err), "set status %q of %s", s.Context, sha)
	}
	return &out, nil
}
