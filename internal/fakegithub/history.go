package fakegithub

import "strings"

// listPulls lists pull requests, newest first, by their state and their head, as OWNER:BRANCH.
func listPulls(c *call) answer {
	q := c.r.URL.Query()
	state := q.Get("state")
	if state == "" {
		state = "open"
	}
	var out []*Pull
	for i := len(c.repo.Pulls) - 1; i >= 0; i-- {
		p := c.repo.Pulls[i]
		is := p.State
		if is == "" {
			is = "open"
		}
		owner := "" // of a fork that is gone
		if from := c.headRepository(c.repo, p); from != nil {
			owner, _, _ = strings.Cut(from.FullName, "/")
		}
		if (state == "all" || state == is) && (!q.Has("head") || q.Get("head") == owner+":"+p.HeadRef) {
			out = append(out, p)
		}
	}
	return ok(each(page(c, out), c.pullObject))
}

// listIssueEvents lists what happened to a pull request: of that, only its changes of the base branch are kept.
func listIssueEvents(c *call) answer {
	p := c.pull("issue_number")
	if p == nil {
		return notFound()
	}
	type event struct {
		id   int64
		name string
		at   string
	}
	all := []event{{1, "subscribed", stamp(p.CreatedAt)}}
	for _, at := range p.BaseChanged {
		all = append(all, event{int64(len(all) + 1), "base_ref_changed", stamp(at)})
	}
	url := c.base + "/repos/" + c.repo.FullName + "/issues/events"
	return ok(each(page(c, all), func(e event) obj {
		return obj{
			"id": e.id, "node_id": node("EV", e.id), "url": url, "actor": c.user(p.User), "event": e.name, "commit_id": nil, "commit_url": nil,
			"created_at": e.at, "performed_via_github_app": nil,
		}
	}))
}
