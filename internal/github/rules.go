package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	gogithub "github.com/google/go-github/v62/github"
)

// maxRules bounds the rules of one branch: GitHub allows 75 rulesets, each of which has a rule of a type once.
const maxRules = 3000

// RequiredCheck is a check or commit status that must be there before a change is merged.
type RequiredCheck struct {
	Context string
	App     int64 // id of the app that it must come from; 0: any source counts
}

// RequiredWorkflow is a workflow file that a ruleset requires itself, wherever it lies.
type RequiredWorkflow struct {
	Path       string
	Repository int64 // id of the repository that holds the file
}

// Rule is one rule that holds for a branch, from a ruleset of the repository or of its organization. Of the
// parameters, those of the types below are kept.
type Rule struct {
	Type       string             // required_status_checks, merge_queue, pull_request, workflows and others
	Checks     []RequiredCheck    // of required_status_checks
	Workflows  []RequiredWorkflow // of workflows
	CodeOwners bool               // of pull_request: the owners of what is changed must approve
}

// rawRule is a rule as the API gives it.
type rawRule struct {
	Type       string          `json:"type"`
	Parameters json.RawMessage `json:"parameters"`
}

// Rules lists the active rules that hold for a branch, those of an organization included. Every token that reads the
// repository may ask.
func (c *Client) Rules(ctx context.Context, branch string) (List[Rule], error) {
	if err := branchName(branch); err != nil {
		return List[Rule]{}, c.fail(err, "list rules")
	}
	at := fmt.Sprintf("repos/%s/%s/rules/branches/%s", c.owner, c.name, url.PathEscape(branch))
	raw, err := collect(maxRules, func(o gogithub.ListOptions) ([]*rawRule, *gogithub.Response, error) {
		var items []*rawRule
		res, err := c.get(ctx, at+"?"+pageQuery(o), &items)
		return items, res, err
	})
	if err != nil {
		return List[Rule]{}, c.fail(err, "list rules of branch %q", branch)
	}
	out, err := each(raw, rule)
	if err != nil {
		return List[Rule]{}, c.fail(err, "list rules of branch %q", branch)
	}
	return out, nil
}

// rule takes what is needed of a rule. A rule of a type whose parameters are needed must have them.
func rule(r *rawRule) (Rule, error) {
	if r == nil || r.Type == "" {
		return Rule{}, errors.New("it has no type")
	}
	out := Rule{Type: r.Type}
	switch r.Type {
	case "required_status_checks":
		var p struct {
			Checks []struct {
				Context string `json:"context"`
				App     int64  `json:"integration_id"`
			} `json:"required_status_checks"`
		}
		if json.Unmarshal(r.Parameters, &p) != nil || p.Checks == nil {
			return Rule{}, errors.New("it lists no checks")
		}
		for _, k := range p.Checks {
			out.Checks = append(out.Checks, RequiredCheck{Context: k.Context, App: k.App})
		}
	case "workflows":
		var p struct {
			Workflows []struct {
				Path       string `json:"path"`
				Repository int64  `json:"repository_id"`
			} `json:"workflows"`
		}
		if json.Unmarshal(r.Parameters, &p) != nil || p.Workflows == nil {
			return Rule{}, errors.New("it lists no workflows")
		}
		for _, w := range p.Workflows {
			out.Workflows = append(out.Workflows, RequiredWorkflow{Path: w.Path, Repository: w.Repository})
		}
	case "pull_request":
		var p struct {
			CodeOwners *bool `json:"require_code_owner_review"`
		}
		if json.Unmarshal(r.Parameters, &p) != nil || p.CodeOwners == nil {
			return Rule{}, errors.New("it does not say whether owners must approve")
		}
		out.CodeOwners = *p.CodeOwners
	default: // what such a rule asks is not looked at
	}
	return out, nil
}

// Protection is the classic protection of a branch, as far as everyone may read it.
type Protection struct {
	Protected bool // the branch is protected by this or by a ruleset
	Checks    []RequiredCheck
}

// Protection fetches the checks that the classic protection of a branch requires. What else it asks only
// administrators may read.
func (c *Client) Protection(ctx context.Context, branch string) (Protection, error) {
	if err := branchName(branch); err != nil {
		return Protection{}, c.fail(err, "read branch")
	}
	var raw struct {
		Name       string `json:"name"`
		Protected  *bool  `json:"protected"`
		Protection struct {
			Checks *struct {
				Level  string `json:"enforcement_level"` // off: listed, and not asked for
				Checks []struct {
					Context string `json:"context"`
					App     *int64 `json:"app_id"`
				} `json:"checks"`
			} `json:"required_status_checks"`
		} `json:"protection"`
	}
	at := fmt.Sprintf("repos/%s/%s/branches/%s", c.owner, c.name, url.PathEscape(branch))
	_, err := c.get(ctx, at, &raw)
	if err == nil && (raw.Name != branch || raw.Protected == nil) {
		err = malformed("it is about %.100q, or does not say whether it is protected", raw.Name)
	}
	if err != nil {
		return Protection{}, c.fail(err, "read branch %q", branch)
	}
	out := Protection{Protected: *raw.Protected}
	if k := raw.Protection.Checks; out.Protected && k != nil && k.Level != "off" {
		for _, check := range k.Checks {
			var app int64
			if check.App != nil {
				app = max(*check.App, 0) // -1 is any source
			}
			out.Checks = append(out.Checks, RequiredCheck{Context: check.Context, App: app})
		}
	}
	return out, nil
}

// DefaultBranch fetches the name of the repository's default branch.
func (c *Client) DefaultBranch(ctx context.Context) (string, error) {
	var raw struct {
		DefaultBranch string `json:"default_branch"`
	}
	_, err := c.get(ctx, fmt.Sprintf("repos/%s/%s", c.owner, c.name), &raw)
	if err == nil {
		err = branchName(raw.DefaultBranch)
	}
	if err != nil {
		return "", c.fail(err, "read repository")
	}
	return raw.DefaultBranch, nil
}

// WorkflowSettings is what a workflow's own token may do where no workflow says it.
type WorkflowSettings struct {
	Writes   bool // a workflow that names no permissions may write
	Approves bool // workflows may approve pull requests
}

// WorkflowSettings fetches the settings of workflows' tokens. GitHub answers 403 or 404 to who does not administer
// the repository.
func (c *Client) WorkflowSettings(ctx context.Context) (WorkflowSettings, error) {
	var raw struct {
		Default  string `json:"default_workflow_permissions"`
		Approves *bool  `json:"can_approve_pull_request_reviews"`
	}
	_, err := c.get(ctx, fmt.Sprintf("repos/%s/%s/actions/permissions/workflow", c.owner, c.name), &raw)
	if err == nil && (raw.Default != "read" && raw.Default != "write" || raw.Approves == nil) {
		err = malformed("the token's default is %.20q, or approval is not said", raw.Default)
	}
	if err != nil {
		return WorkflowSettings{}, c.fail(err, "read settings of workflows")
	}
	return WorkflowSettings{Writes: raw.Default == "write", Approves: *raw.Approves}, nil
}

// get asks for what go-github has no method for, or none that reads it whole.
func (c *Client) get(ctx context.Context, at string, into any) (*gogithub.Response, error) {
	req, err := c.gh.NewRequest(http.MethodGet, at, nil)
	if err != nil {
		return nil, fmt.Errorf("ask for %s: %w", at, err)
	}
	return c.gh.Do(ctx, req, into)
}
