package fakegithub

import (
	"cmp"
	"net/http"
)

// listRules lists the active rules of a branch. A branch that is not there has those that it would have: here none.
func listRules(c *call) answer {
	number := 0
	return ok(each(page(c, c.repo.Rules[c.args["branch"]]), func(r *Rule) obj {
		number++
		o := obj{"type": r.Type, "ruleset_id": number, "ruleset_source": c.repo.FullName, "ruleset_source_type": "Repository"}
		if r.Parameters != nil {
			o["parameters"] = r.Parameters
		}
		return o
	}))
}

// protectionObject is the classic protection of a branch in the form that everyone may read.
func (c *call) protectionObject(branch string) obj {
	checks := c.repo.RequiredChecks[branch]
	if checks == nil {
		return obj{"enabled": false, "required_status_checks": obj{"enforcement_level": "off", "contexts": []string{}, "checks": []obj{}}}
	}
	names := []string{}
	for _, k := range checks {
		names = append(names, k.Context)
	}
	return obj{"enabled": true, "required_status_checks": obj{
		"enforcement_level": "non_admins", "contexts": names,
		"checks": each(checks, func(k RequiredCheck) obj { return obj{"context": k.Context, "app_id": k.App} }),
	}}
}

// getWorkflowSettings is for who administers the repository: no installation of an app that lacks the permission,
// and no workflow's own token.
func getWorkflowSettings(c *call) answer {
	if c.token.App == ActionsApp {
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	s := c.repo.WorkflowSettings
	return ok(obj{"default_workflow_permissions": cmp.Or(s.Default, "read"), "can_approve_pull_request_reviews": s.Approves})
}
