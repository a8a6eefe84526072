package github

import (
	"context"
	"errors"
	"fmt"
	"net/url"
)

// PushRuns lists the newest hundred workflow runs that pushes to a branch of this repository started, newest first,
// each as its newest attempt. The list is cut if it has that many.
func (c *Client) PushRuns(ctx context.Context, branch string) (List[*Run], error) {
	if err := branchName(branch); err != nil {
		return List[*Run]{}, c.fail(err, "list runs of a branch")
	}
	var list struct {
		Runs []*runObject `json:"workflow_runs"`
	}
	at := fmt.Sprintf("repos/%s/%s/actions/runs?branch=%s&event=push&exclude_pull_requests=true&per_page=%d", c.owner, c.name, url.QueryEscape(branch), pageSize)
	_, err := c.get(ctx, at, &list)
	if err == nil && list.Runs == nil {
		err = malformed("there is no list")
	}
	var out List[*Run]
	if err == nil {
		out, err = each(List[*runObject]{Items: list.Runs, Cut: len(list.Runs) >= pageSize}, func(o *runObject) (*Run, error) {
			if o == nil || o.Event != "push" || o.HeadBranch != branch {
				return nil, errors.New("it is of another branch or event")
			}
			return o.run()
		})
	}
	if err != nil {
		return List[*Run]{}, c.fail(err, "list runs of %.200q", branch)
	}
	return out, nil
}
