package github

import (
	"context"
	"errors"
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

// Comments lists the comments in pull request n's conversation, oldest first, 5000 at most.
func (c *Client) Comments(ctx context.Context, n int) (List[Comment], error) {
	if n <= 0 { // the library lists those of the whole repository for 0
		return List[Comment]{}, c.fail(malformed("number %d", n), "list comments")
	}
	raw, err := collect(maxComments, func(o gogithub.ListOptions) ([]*gogithub.IssueComment, *gogithub.Response, error) {
		return c.gh.Issues.ListComments(ctx, c.owner, c.name, n, &gogithub.IssueListCommentsOptions{ListOptions: o})
	})
	if err != nil {
		return List[Comment]{}, c.fail(err, "list comments of pull request %d", n)
	}
	out, err := each(raw, comment)
	if err != nil {
		return List[Comment]{}, c.fail(err, "list comments of pull request %d", n)
	}
	return out, nil
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
