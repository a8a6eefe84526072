package fakegithub

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// route is one operation of the description: "METHOD /template", the area of its permission and what
// answers it.
type route struct {
	operation string
	area      string // empty: metadata, which every token may read
	answer    func(*call) answer
}

// routes are all operations, in the order of the description.
func routes() []route {
	return []route{
		{"GET /orgs/{org}/teams/{team_slug}/members", "", listTeamMembers},
		{"GET /repos/{owner}/{repo}", "", getRepository},
		{"GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}", "actions", downloadArtifact},
		{"GET /repos/{owner}/{repo}/actions/jobs/{job_id}", "actions", getJob},
		{"GET /repos/{owner}/{repo}/actions/permissions/workflow", "administration", getWorkflowSettings},
		{"GET /repos/{owner}/{repo}/actions/runs", "actions", listRuns},
		{"GET /repos/{owner}/{repo}/actions/runs/{run_id}", "actions", getRun},
		{"GET /repos/{owner}/{repo}/actions/runs/{run_id}/approvals", "actions", listApprovals},
		{"GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts", "actions", listArtifacts},
		{"GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}", "actions", getAttempt},
		{"GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs", "actions", listJobs},
		{"GET /repos/{owner}/{repo}/actions/runs/{run_id}/pending_deployments", "actions", listPending},
		{"GET /repos/{owner}/{repo}/branches/{branch}", "contents", getBranch},
		{"POST /repos/{owner}/{repo}/check-runs", "checks", createCheckRun},
		{"GET /repos/{owner}/{repo}/check-runs/{check_run_id}", "checks", getCheckRun},
		{"PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}", "checks", updateCheckRun},
		{"GET /repos/{owner}/{repo}/collaborators/{username}/permission", "", getPermission},
		{"GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls", "pull_requests", listPullsOfCommit},
		{"GET /repos/{owner}/{repo}/commits/{ref}", "contents", getCommit},
		{"GET /repos/{owner}/{repo}/commits/{ref}/check-runs", "checks", listCheckRuns},
		{"GET /repos/{owner}/{repo}/commits/{ref}/status", "statuses", getCombinedStatus},
		{"GET /repos/{owner}/{repo}/commits/{ref}/statuses", "statuses", listStatuses},
		{"GET /repos/{owner}/{repo}/compare/{basehead}", "contents", getComparison},
		{"GET /repos/{owner}/{repo}/contents/{path}", "contents", getContents},
		{"GET /repos/{owner}/{repo}/environments/{environment_name}", "actions", getEnvironment},
		{"GET /repos/{owner}/{repo}/git/blobs/{file_sha}", "contents", getBlob},
		{"GET /repos/{owner}/{repo}/git/ref/{ref}", "contents", getRef},
		{"GET /repos/{owner}/{repo}/git/trees/{tree_sha}", "contents", getTree},
		{"DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}", "pull_requests", deleteComment},
		{"PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}", "pull_requests", updateComment},
		{"GET /repos/{owner}/{repo}/issues/{issue_number}/comments", "pull_requests", listComments},
		{"POST /repos/{owner}/{repo}/issues/{issue_number}/comments", "pull_requests", createComment},
		{"GET /repos/{owner}/{repo}/issues/{issue_number}/events", "pull_requests", listIssueEvents},
		{"GET /repos/{owner}/{repo}/pulls", "pull_requests", listPulls},
		{"GET /repos/{owner}/{repo}/pulls/{pull_number}", "pull_requests", getPull},
		{"GET /repos/{owner}/{repo}/pulls/{pull_number}/commits", "pull_requests", listPullCommits},
		{"GET /repos/{owner}/{repo}/pulls/{pull_number}/files", "pull_requests", listPullFiles},
		{"GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews", "pull_requests", listReviews},
		{"GET /repos/{owner}/{repo}/rules/branches/{branch}", "", listRules},
		{"POST /repos/{owner}/{repo}/statuses/{sha}", "statuses", createStatus},
		{"GET /user", "", getUser},
	}
}

func (r route) method() string   { m, _, _ := strings.Cut(r.operation, " "); return m }
func (r route) template() string { _, t, _ := strings.Cut(r.operation, " "); return t }

// matcher is a route with its template as an expression over the escaped path.
type matcher struct {
	route
	path  *regexp.Regexp
	names []string
}

var reParameter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([a-z_]+)\}`) })

// matchers are the routes, the ones with more fixed text first: a branch or a path may hold slashes, which
// an OpenAPI template cannot say, and so would swallow what stands behind it.
var matchers = sync.OnceValue(func() []matcher {
	var out []matcher
	for _, r := range routes() {
		m := matcher{route: r}
		pattern := reParameter().ReplaceAllStringFunc(r.template(), func(p string) string {
			p = strings.Trim(p, "{}")
			m.names = append(m.names, p)
			if slices.Contains([]string{"path", "ref", "branch", "basehead"}, p) {
				return "(.+)"
			}
			return "([^/]+)"
		})
		m.path = regexp.MustCompile("^" + pattern + "$")
		out = append(out, m)
	}
	slices.SortStableFunc(out, func(a, b matcher) int {
		fixed := func(m matcher) int { return len(reParameter().ReplaceAllString(m.template(), "")) }
		return cmp.Compare(fixed(b), fixed(a))
	})
	return out
})

// match finds the route of a request and the parameters in its path.
func match(r *http.Request) (route, map[string]string, bool) {
	for _, m := range matchers() {
		found := m.path.FindStringSubmatch(r.URL.EscapedPath())
		if found == nil || m.method() != r.Method {
			continue
		}
		args := map[string]string{}
		for i, name := range m.names {
			value, err := url.PathUnescape(found[i+1])
			if err != nil {
				return route{}, nil, false
			}
			args[name] = value
		}
		return m.route, args, true
	}
	return route{}, nil, false
}
