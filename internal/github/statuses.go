package github

import (
	"context"
	"errors"
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
	raw, err := collect(maxStatuses, func(o gogithub.ListOptions) ([]*gogithub.RepoStatus, *gogithub.Response, error) {
		return c.gh.Repositories.ListStatuses(ctx, c.owner, c.name, sha, &o)
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
