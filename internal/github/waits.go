package github

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	gogithub "github.com/google/go-github/v62/github"
)

// RunsAt lists the workflow runs for a commit, newest first, each as its newest attempt.
func (c *Client) RunsAt(ctx context.Context, sha string) (List[*Run], error) {
	if err := object(sha); err != nil {
		return List[*Run]{}, c.fail(err, "list runs of a commit")
	}
	raw, err := collect(maxRunsAt, func(o gogithub.ListOptions) ([]*runObject, *gogithub.Response, error) {
		var list struct {
			Runs []*runObject `json:"workflow_runs"`
		}
		at := fmt.Sprintf("repos/%s/%s/actions/runs?exclude_pull_requests=true&head_sha=%s&%s", c.owner, c.name, sha, pageQuery(o))
		res, err := c.get(ctx, at, &list)
		return list.Runs, res, err
	})
	if err != nil {
		return List[*Run]{}, c.fail(err, "list runs of %s", sha)
	}
	out, err := each(raw, func(o *runObject) (*Run, error) {
		if o == nil || o.HeadSHA != sha {
			return nil, errors.New("it is of another commit")
		}
		return o.run()
	})
	if err != nil {
		return List[*Run]{}, c.fail(err, "list runs of %s", sha)
	}
	return out, nil
}

// DeploymentReview is what a person answered to a run that waited for environments.
type DeploymentReview struct {
	By           User
	State        string // approved, rejected; pending is a comment only
	Environments []string
}

// DeploymentReviews lists what people answered to a workflow run, all of its attempts together. GitHub gives the
// answers without times and promises no order.
func (c *Client) DeploymentReviews(ctx context.Context, run int64) ([]DeploymentReview, error) {
	var raw []*struct {
		State        string         `json:"state"`
		User         *gogithub.User `json:"user"`
		Environments []struct {
			Name string `json:"name"`
		} `json:"environments"`
	}
	_, err := c.get(ctx, fmt.Sprintf("repos/%s/%s/actions/runs/%d/approvals", c.owner, c.name, run), &raw)
	if err == nil && raw == nil {
		err = malformed("the list is null")
	}
	var out []DeploymentReview
	for i, r := range raw {
		if r == nil || r.State == "" {
			err = malformed("member %d of the list has no state", i)
			break
		}
		v := DeploymentReview{By: user(r.User), State: r.State}
		for _, e := range r.Environments {
			v.Environments = append(v.Environments, e.Name)
		}
		out = append(out, v)
	}
	if err != nil {
		return nil, c.fail(err, "list reviews of the deployments of run %d", run)
	}
	return out, nil
}

// EnvironmentReviewed reports whether an environment lets no deployment through before one of its reviewers approved
// it. An environment that is not there is a StatusError of 404.
func (c *Client) EnvironmentReviewed(ctx context.Context, name string) (bool, error) {
	if name == "" || name == "." || name == ".." {
		return false, c.fail(malformed("environment %q", name), "read environment")
	}
	var raw struct {
		Name  string `json:"name"`
		Rules []struct {
			Type      string `json:"type"`
			Reviewers []any  `json:"reviewers"`
		} `json:"protection_rules"`
	}
	_, err := c.get(ctx, fmt.Sprintf("repos/%s/%s/environments/%s", c.owner, c.name, url.PathEscape(name)), &raw)
	if err == nil && raw.Name == "" {
		err = malformed("it has no name")
	}
	if err != nil {
		return false, c.fail(err, "read environment %.60q", name)
	}
	for _, r := range raw.Rules {
		if r.Type == "required_reviewers" && len(r.Reviewers) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// TeamMembers lists who belongs to a team of the organization that owns the repository, or to a team below it. A
// token that may not read members gets 403, or 404, as for a team that is not there.
func (c *Client) TeamMembers(ctx context.Context, slug string) (List[User], error) {
	if slug == "" || slug == "." || slug == ".." {
		return List[User]{}, c.fail(malformed("team %q", slug), "list members")
	}
	at := fmt.Sprintf("orgs/%s/teams/%s/members", c.owner, url.PathEscape(slug))
	raw, err := collect(maxMembers, func(o gogithub.ListOptions) ([]*gogithub.User, *gogithub.Response, error) {
		var items []*gogithub.User
		res, err := c.get(ctx, at+"?"+pageQuery(o), &items)
		return items, res, err
	})
	if err != nil {
		return List[User]{}, c.fail(err, "list members of team %.60q", slug)
	}
	out, err := each(raw, func(u *gogithub.User) (User, error) {
		if u.GetLogin() == "" {
			return User{}, errors.New("it has no login")
		}
		return user(u), nil
	})
	if err != nil {
		return List[User]{}, c.fail(err, "list members of team %.60q", slug)
	}
	return out, nil
}
