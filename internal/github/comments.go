package github

import (
	"context"
	"errors"
	"net/http"
	"time"

	gogithub "github.com/google/go-github/v62/github"
)

// Comment is a comment in a pull request's conversation.
type Comment struct {
	ID        int64
	Body      string
	URL       string // of its page
	Author    User
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Comments lists the comments in pull request n's conversation, oldest first. Of more than 5000 it lists the
// oldest 4000 and the newest 1000, and the list is cut: what was said last matters, and so does the gate's own
// comment, which is among the first. With since it lists those that were written or changed then or later.
func (c *Client) Comments(ctx context.Context, n int, since time.Time) (List[Comment], error) {
	if n <= 0 { // the library lists those of the whole repository for 0
		return List[Comment]{}, c.fail(malformed("number %d", n), "list comments")
	}
	opts := gogithub.IssueListCommentsOptions{}
	if !since.IsZero() {
		since = since.UTC().Truncate(time.Second)
		opts.Since = &since
	}
	last := 0
	ask := func(o gogithub.ListOptions) ([]*gogithub.IssueComment, *gogithub.Response, error) {
		opts.ListOptions = o
		items, res, err := c.gh.Issues.ListComments(ctx, c.owner, c.name, n, &opts)
		if err == nil && res.LastPage > 0 {
			last = res.LastPage
		}
		return items, res, err
	}
	raw, err := collect(OldestComments, ask)
	if err == nil && raw.Cut {
		raw, err = withNewest(raw, last, ask)
	}
	if err != nil {
		return List[Comment]{}, c.fail(err, "list comments of pull request %d", n)
	}
	out, err := each(raw, comment)
	if err != nil {
		return List[Comment]{}, c.fail(err, "list comments of pull request %d", n)
	}
	return out, nil
}

// withNewest puts the newest members of a list that was cut in the place of the middle ones: its last pages,
// from the last one backwards.
func withNewest[T any](cut List[T], last int, ask func(gogithub.ListOptions) ([]T, *gogithub.Response, error)) (List[T], error) {
	var newest []T
	page := last
	for ; page > OldestComments/pageSize && len(newest) < NewestComments; page-- {
		items, _, err := ask(gogithub.ListOptions{PerPage: pageSize, Page: page})
		if err != nil {
			return List[T]{}, err
		}
		newest = append(items, newest...)
	}
	if len(newest) == 0 {
		return cut, nil // it does not say where it ends
	}
	return List[T]{Items: append(cut.Items, newest...), Cut: page > OldestComments/pageSize}, nil
}

func comment(m *gogithub.IssueComment) (Comment, error) {
	if m.GetID() == 0 {
		return Comment{}, errors.New("it has no id")
	}
	return Comment{
		ID: m.GetID(), Body: m.GetBody(), URL: m.GetHTMLURL(), Author: user(m.User), CreatedAt: when(m.CreatedAt), UpdatedAt: when(m.UpdatedAt),
	}, nil
}

// CreateComment writes a comment into pull request n's conversation. After an error that is no StatusError it
// may have been written all the same; it is not tried again, since that could leave two.
func (c *Client) CreateComment(ctx context.Context, n int, body string) (*Comment, error) {
	if n <= 0 {
		return nil, c.fail(malformed("number %d", n), "write comment")
	}
	m, _, err := c.gh.Issues.CreateComment(ctx, c.owner, c.name, n, &gogithub.IssueComment{Body: &body})
	return c.written(m, err, "write comment in pull request %d", n)
}

// UpdateComment replaces a comment's text.
func (c *Client) UpdateComment(ctx context.Context, id int64, body string) (*Comment, error) {
	m, _, err := c.gh.Issues.EditComment(ctx, c.owner, c.name, id, &gogithub.IssueComment{Body: &body})
	return c.written(m, err, "change comment %d", id)
}

// DeleteComment takes a comment away.
func (c *Client) DeleteComment(ctx context.Context, id int64) error {
	res, err := c.gh.Issues.DeleteComment(plan{raw: true}.in(ctx), c.owner, c.name, id)
	if err == nil && res.StatusCode != http.StatusNoContent {
		err = malformed("status %d", res.StatusCode)
	}
	if err != nil {
		return c.fail(err, "delete comment %d", id)
	}
	return nil
}

func (c *Client) written(m *gogithub.IssueComment, err error, doing string, args ...any) (*Comment, error) {
	if err != nil {
		return nil, c.fail(err, doing, args...)
	}
	out, err := comment(m)
	if err != nil {
		return nil, c.fail(malformed("%w", err), doing, args...)
	}
	return &out, nil
}
