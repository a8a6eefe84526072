package fakegithub

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Limits of GitHub's that the description counts in characters and that are bytes or are not said there.
const (
	maxStatusText  = 140   // characters of a status' description
	maxComment     = 65536 // characters
	maxPerRequest  = 50    // annotations
	maxCheckOutput = 65535 // bytes of summary or text
)

// checkInput is the body of a request that makes or changes a check run.
type checkInput struct {
	Name        *string    `json:"name"`
	HeadSHA     string     `json:"head_sha"`
	DetailsURL  *string    `json:"details_url"`
	ExternalID  *string    `json:"external_id"`
	Status      *string    `json:"status"`
	Conclusion  *string    `json:"conclusion"`
	StartedAt   *time.Time `json:"started_at"`
	CompletedAt *time.Time `json:"completed_at"`
	Output      *struct {
		Title       *string      `json:"title"`
		Summary     *string      `json:"summary"`
		Text        *string      `json:"text"`
		Annotations []Annotation `json:"annotations"`
	} `json:"output"`
}

// checkRuns are a commit's check runs, those of jobs among them, newest first.
func (c *call) checkRuns(sha string) []*CheckRun {
	var out []*CheckRun
	for _, cr := range c.allCheckRuns() {
		if cr.HeadSHA == sha {
			out = append(out, cr)
		}
	}
	slices.SortStableFunc(out, func(a, b *CheckRun) int { return cmp.Compare(b.ID, a.ID) })
	return out
}

// allCheckRuns adds to the check runs that apps made those that GitHub Actions makes, one for each job.
func (c *call) allCheckRuns() []*CheckRun {
	out := slices.Clone(c.repo.CheckRuns)
	for _, run := range c.repo.Runs {
		for _, a := range run.Attempts {
			for _, j := range a.Jobs {
				started := j.StartedAt
				out = append(out, &CheckRun{
					ID: j.ID, App: ActionsApp, Suite: cmp.Or(run.Suite, run.ID), Name: j.Name, HeadSHA: run.HeadSHA,
					Status: j.Status, Conclusion: j.Conclusion, StartedAt: &started, CompletedAt: j.CompletedAt,
				})
			}
		}
	}
	return out
}

// suite is where a new check run lands: nobody can choose it. One made with a workflow's token joins the
// first suite that GitHub Actions has at the commit.
func (c *call) suite(app int64, sha string) int64 {
	first := int64(0)
	for _, cr := range c.allCheckRuns() {
		if cr.App == app && cr.HeadSHA == sha && (first == 0 || cr.Suite < first) {
			first = cr.Suite
		}
	}
	if first == 0 {
		first = c.id()
	}
	return first
}

func createCheckRun(c *call) answer {
	if c.token.App == 0 {
		return refuse(http.StatusForbidden, "You must authenticate via a GitHub App.")
	}
	var in checkInput
	if err := c.decode(&in); err != nil {
		return refuse(http.StatusBadRequest, "%v", err)
	}
	if _, known := c.objects.commits[in.HeadSHA]; !known {
		return refuse(http.StatusUnprocessableEntity, "No commit found for SHA: %s", in.HeadSHA)
	}
	cr := &CheckRun{App: c.token.App, Suite: c.suite(c.token.App, in.HeadSHA), HeadSHA: in.HeadSHA, Status: "queued"}
	if a, bad := c.apply(cr, &in); bad {
		return a
	}
	cr.ID = c.id()
	if cr.StartedAt == nil {
		now := c.now()
		cr.StartedAt = &now
	}
	c.repo.CheckRuns = append(c.repo.CheckRuns, cr)
	return created(c.checkRunObject(cr))
}

func updateCheckRun(c *call) answer {
	i := slices.IndexFunc(c.repo.CheckRuns, func(cr *CheckRun) bool { return cr.ID == c.int("check_run_id") })
	if i < 0 {
		return notFound()
	}
	cr := c.repo.CheckRuns[i]
	switch {
	case c.token.App == 0:
		return refuse(http.StatusForbidden, "You must authenticate via a GitHub App.")
	case c.token.App != cr.App:
		return refuse(http.StatusForbidden, "Invalid app_id `%d` - check run can only be modified by the GitHub App that created it.", c.token.App)
	}
	var in checkInput
	if err := c.decode(&in); err != nil {
		return refuse(http.StatusBadRequest, "%v", err)
	}
	if a, bad := c.apply(cr, &in); bad {
		return a
	}
	return ok(c.checkRunObject(cr))
}

// apply changes a check run, wholly or not at all. What is completed does not open again, and annotations
// are added to those that are there.
func (c *call) apply(cr *CheckRun, in *checkInput) (answer, bool) {
	if in.Status != nil && *in.Status == "completed" && in.Conclusion == nil && cr.Conclusion == "" {
		return refuse(http.StatusUnprocessableEntity, "Invalid request.\n\nMissing required key: conclusion"), true
	}
	if o := in.Output; o != nil {
		for _, text := range []*string{o.Summary, o.Text} {
			if text != nil && len(*text) > maxCheckOutput {
				return refuse(http.StatusUnprocessableEntity, "Invalid request.\n\nOnly %d characters are allowed; %d were supplied.", maxCheckOutput, len(*text)), true
			}
		}
		if len(o.Annotations) > maxPerRequest {
			return refuse(http.StatusUnprocessableEntity, "Invalid request.\n\nNo more than %d items are allowed; %d were supplied.", maxPerRequest, len(o.Annotations)), true
		}
		cr.Title, cr.Summary = cmp.Or(o.Title, cr.Title), cmp.Or(o.Summary, cr.Summary)
		cr.Text = cmp.Or(o.Text, cr.Text)
		cr.Annotations = append(cr.Annotations, o.Annotations...)
	}
	set(&cr.Name, in.Name)
	set(&cr.ExternalID, in.ExternalID)
	if cr.App != ActionsApp { // a workflow's token cannot choose where the run leads
		set(&cr.DetailsURL, in.DetailsURL)
	}
	if in.StartedAt != nil {
		cr.StartedAt = in.StartedAt
	}
	switch {
	case in.Conclusion != nil:
		cr.Status, cr.Conclusion, cr.CompletedAt = "completed", *in.Conclusion, in.CompletedAt
		if cr.CompletedAt == nil {
			now := c.now()
			cr.CompletedAt = &now
		}
	case cr.Status != "completed":
		set(&cr.Status, in.Status)
	}
	return answer{}, false
}

func set(to, from *string) {
	if from != nil {
		*to = *from
	}
}

func getCheckRun(c *call) answer {
	for _, cr := range c.allCheckRuns() {
		if cr.ID == c.int("check_run_id") {
			return ok(c.checkRunObject(cr))
		}
	}
	return notFound()
}

func listCheckRuns(c *call) answer {
	sha, found := c.resolve(c.args["ref"])
	if !found {
		return refuse(http.StatusUnprocessableEntity, "No commit found for SHA: %s", c.args["ref"])
	}
	q := c.r.URL.Query()
	type line struct {
		name       string
		app, suite int64
	}
	seen := map[line]bool{}
	var out []*CheckRun
	for _, cr := range c.checkRuns(sha) {
		is := line{cr.Name, cr.App, cr.Suite}
		older := seen[is]
		seen[is] = true
		switch {
		case older && q.Get("filter") != "all",
			q.Has("check_name") && q.Get("check_name") != cr.Name,
			q.Has("app_id") && q.Get("app_id") != fmt.Sprint(cr.App),
			q.Has("status") && q.Get("status") != cr.Status:
			continue
		}
		out = append(out, cr)
	}
	return ok(obj{"total_count": len(out), "check_runs": each(page(c, out), c.checkRunObject)})
}

func (c *call) checkRunObject(cr *CheckRun) obj {
	at := fmt.Sprintf("%s/repos/%s/check-runs/%d", c.base, c.repo.FullName, cr.ID)
	details := cr.DetailsURL
	if details == "" {
		details = at
	}
	pulls := []obj{}
	for _, p := range c.repo.Pulls {
		if p.HeadRepository == "" && c.head(c.repo, p) == cr.HeadSHA { // empty for forks
			side := func(ref, sha string) obj {
				return obj{"ref": ref, "sha": sha, "repo": obj{"id": number(c.repo.FullName), "name": c.repo.FullName, "url": at}}
			}
			pulls = append(pulls, obj{
				"id": int64(p.Number), "number": p.Number, "url": at,
				"head": side(p.HeadRef, cr.HeadSHA), "base": side(p.BaseRef, c.World.base(c.repo, p)),
			})
		}
	}
	return obj{
		"id": cr.ID, "node_id": node("CR", cr.ID), "head_sha": cr.HeadSHA, "external_id": cr.ExternalID, "url": at, "html_url": at,
		"details_url": details, "status": cr.Status, "conclusion": stringOr(cr.Conclusion), "started_at": stampOr(cr.StartedAt),
		"completed_at": stampOr(cr.CompletedAt), "name": cr.Name, "check_suite": obj{"id": cr.Suite}, "app": c.app(cr.App),
		"pull_requests": pulls,
		"output": obj{
			"title": pointer(cr.Title), "summary": pointer(cr.Summary), "text": pointer(cr.Text),
			"annotations_count": len(cr.Annotations), "annotations_url": at + "/annotations",
		},
	}
}

func createStatus(c *call) answer {
	sha := c.args["sha"]
	if _, known := c.objects.commits[sha]; !known {
		return refuse(http.StatusUnprocessableEntity, "No commit found for SHA: %s", sha)
	}
	var in struct {
		State       string  `json:"state"`
		Context     string  `json:"context"`
		Description *string `json:"description"`
		TargetURL   *string `json:"target_url"`
	}
	if err := c.decode(&in); err != nil {
		return refuse(http.StatusBadRequest, "%v", err)
	}
	if in.Description != nil && len([]rune(*in.Description)) > maxStatusText {
		return refuse(http.StatusUnprocessableEntity, "Validation Failed: description is too long (maximum is %d characters)", maxStatusText)
	}
	if u := in.TargetURL; u != nil && !strings.HasPrefix(*u, "http://") && !strings.HasPrefix(*u, "https://") {
		return refuse(http.StatusUnprocessableEntity, "Validation Failed: target_url must use http(s) scheme")
	}
	s := &Status{
		ID: c.id(), SHA: sha, State: in.State, Context: cmp.Or(in.Context, "default"), Description: in.Description,
		TargetURL: in.TargetURL, Creator: c.token.User, CreatedAt: c.now(),
	}
	c.repo.Statuses = append(c.repo.Statuses, s)
	return created(c.statusObject(s))
}

func (c *call) statusObject(s *Status) obj {
	at := c.base + "/repos/" + c.repo.FullName + "/statuses/" + s.SHA
	return obj{
		"id": s.ID, "node_id": node("SC", s.ID), "state": s.State, "context": s.Context, "description": pointer(s.Description),
		"target_url": pointer(s.TargetURL), "creator": c.user(s.Creator), "avatar_url": nil, "url": at,
		"created_at": stamp(s.CreatedAt), "updated_at": stamp(s.CreatedAt),
	}
}

// statusesOf are a commit's statuses, newest first.
func (c *call) statusesOf(sha string) []*Status {
	var out []*Status
	for _, s := range c.repo.Statuses {
		if s.SHA == sha {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b *Status) int { return cmp.Compare(b.ID, a.ID) })
	return out
}

func listStatuses(c *call) answer {
	sha, found := c.resolve(c.args["ref"])
	if !found {
		return notFound()
	}
	return ok(each(page(c, c.statusesOf(sha)), c.statusObject))
}

// getCombinedStatus shows the newest status of each context and what they come to.
func getCombinedStatus(c *call) answer {
	sha, found := c.resolve(c.args["ref"])
	if !found {
		return notFound()
	}
	var newest []*Status
	state := "pending"
	bad := false
	for _, s := range c.statusesOf(sha) {
		if slices.ContainsFunc(newest, func(n *Status) bool { return n.Context == s.Context }) {
			continue
		}
		newest = append(newest, s)
		bad = bad || s.State == "failure" || s.State == "error"
	}
	switch {
	case bad:
		state = "failure"
	case len(newest) > 0 && !slices.ContainsFunc(newest, func(s *Status) bool { return s.State != "success" }):
		state = "success"
	}
	at := c.base + "/repos/" + c.repo.FullName + "/commits/" + sha
	return ok(obj{
		"state": state, "sha": sha, "total_count": len(newest), "url": at + "/status", "commit_url": at,
		"repository": c.repositoryObject(c.repo), "statuses": each(page(c, newest), c.statusObject),
	})
}
