package fakegithub

import (
	"cmp"
	"net/http"
	"slices"
	"time"
)

// listRuns lists workflow runs, newest first, each as its newest attempt.
func listRuns(c *call) answer {
	q := c.r.URL.Query()
	is := func(key, has string) bool { return !q.Has(key) || q.Get(key) == has }
	var out []*Run
	for _, run := range c.repo.Runs {
		if is("head_sha", run.HeadSHA) && is("branch", run.HeadBranch) && is("event", run.Event) {
			out = append(out, run)
		}
	}
	slices.SortStableFunc(out, func(a, b *Run) int { return cmp.Compare(b.ID, a.ID) })
	return ok(obj{"total_count": len(out), "workflow_runs": each(page(c, out), func(run *Run) obj {
		n := len(run.Attempts)
		return c.runObject(run, run.Attempts[n-1], n)
	})})
}

// getEnvironment shows an environment with the rule that names its reviewers, if it has any.
func getEnvironment(c *call) answer {
	i := slices.IndexFunc(c.repo.Environments, func(e *Environment) bool { return e.Name == c.args["environment_name"] })
	if i < 0 {
		return notFound()
	}
	e := c.repo.Environments[i]
	o := c.environment(e.Name)
	o["created_at"], o["updated_at"] = stamp(time.Unix(0, 0)), stamp(time.Unix(0, 0))
	rules := []obj{}
	if len(e.Reviewers) > 0 {
		rules = append(rules, obj{
			"id": 1, "node_id": node("GA", 1), "type": "required_reviewers", "prevent_self_review": false,
			"reviewers": each(e.Reviewers, func(u User) obj { return obj{"type": "User", "reviewer": c.user(u)} }),
		})
	}
	o["protection_rules"] = rules
	return ok(o)
}

// listTeamMembers is for who may read members, which no workflow's own token may.
func listTeamMembers(c *call) answer {
	may := c.token.App != ActionsApp
	if p := c.token.Permissions; p != nil {
		may = may && (p["members"] == "read" || p["members"] == "write")
	}
	if !may {
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	members, there := c.data.Teams[c.args["org"]+"/"+c.args["team_slug"]]
	if !there {
		return notFound()
	}
	out := []any{}
	for _, u := range page(c, members) {
		out = append(out, c.user(u))
	}
	return ok(out)
}
