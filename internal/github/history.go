package github

import (
	"context"
	"fmt"
	"net/url"
	"time"

	gogithub "github.com/google/go-github/v62/github"
)

// maxIssueEvents bounds what is listed of what happened to one pull request.
const maxIssueEvents = 3000

// Run fetches a workflow run as its newest attempt.
func (c *Client) Run(ctx context.Context, id int64) (*Run, error) {
	var o runObject
	_, err := c.get(ctx, fmt.Sprintf("repos/%s/%s/actions/runs/%d?exclude_pull_requests=true", c.owner, c.name, id), &o)
	if err == nil && o.ID != id {
		err = malformed("it is about run %d", o.ID)
	}
	var out *Run
	if err == nil {
		out, err = o.run()
	}
	if err != nil {
		return nil, c.fail(err, "read run %d", id)
	}
	return out, nil
}

// PullsFrom lists the pull requests, open ones and closed ones, that come from a branch of any repository of one owner,
// newest first, 300 at most.
func (c *Client) PullsFrom(ctx context.Context, owner, branch string) (List[PullRef], error) {
	if owner == "" || branch == "" {
		return List[PullRef]{}, c.fail(malformed("no owner or branch"), "list pull requests of a branch")
	}
	at := fmt.Sprintf("repos/%s/%s/pulls?state=all&head=%s", c.owner, c.name, url.QueryEscape(owner+":"+branch))
	raw, err := collect(maxPulls, func(o gogithub.ListOptions) ([]*gogithub.PullRequest, *gogithub.Response, error) {
		var items []*gogithub.PullRequest
		res, err := c.get(ctx, at+"&"+pageQuery(o), &items)
		return items, res, err
	})
	var out List[PullRef]
	if err == nil {
		out, err = each(raw, pullRef)
	}
	if err != nil {
		return List[PullRef]{}, c.fail(err, "list pull requests of branch %.60q", branch)
	}
	return out, nil
}

// BaseChanges lists when pull request n was given another base branch, by a person or by GitHub.
func (c *Client) BaseChanges(ctx context.Context, n int) (List[time.Time], error) {
	type issueEvent struct {
		Event     string     `json:"event"`
		CreatedAt *time.Time `json:"created_at"`
	}
	raw, err := collect(maxIssueEvents, func(o gogithub.ListOptions) ([]*issueEvent, *gogithub.Response, error) {
		var items []*issueEvent
		res, err := c.get(ctx, fmt.Sprintf("repos/%s/%s/issues/%d/events?%s", c.owner, c.name, n, pageQuery(o)), &items)
		return items, res, err
	})
	out := List[time.Time]{Cut: raw.Cut}
	for _, e := range raw.Items {
		if e == nil || e.Event == "" || e.CreatedAt == nil || e.CreatedAt.IsZero() {
			err = malformed("an event has no name or time")
			break
		}
		if e.Event == "base_ref_changed" || e.Event == "automatic_base_change_succeeded" {
			out.Items = append(out.Items, e.CreatedAt.UTC())
		}
	}
	if err != nil {
		return List[time.Time]{}, c.fail(err, "list what happened to pull request %d", n)
	}
	return out, nil
}
