package fakegithub

import (
	"cmp"
	"fmt"
	"slices"
)

// run is the workflow run that the path names, or nil.
func (c *call) run() *Run {
	for _, run := range c.repo.Runs {
		if run.ID == c.int("run_id") {
			return run
		}
	}
	return nil
}

// attempt is the attempt that the path names with its number, or nil.
func (c *call) attempt(run *Run) (*Attempt, int) {
	n := int(c.int("attempt_number"))
	if run == nil || n < 1 || n > len(run.Attempts) {
		return nil, 0
	}
	return run.Attempts[n-1], n
}

// getRun shows the newest attempt.
func getRun(c *call) answer {
	run := c.run()
	if run == nil {
		return notFound()
	}
	n := len(run.Attempts)
	return ok(c.runObject(run, run.Attempts[n-1], n))
}

func getAttempt(c *call) answer {
	run := c.run()
	a, n := c.attempt(run)
	if a == nil {
		return notFound()
	}
	return ok(c.runObject(run, a, n))
}

func (c *call) runObject(run *Run, a *Attempt, n int) obj {
	at := fmt.Sprintf("%s/repos/%s/actions/runs/%d", c.base, c.repo.FullName, run.ID)
	from := c.repo
	if run.HeadRepository != "" {
		from = c.repository(run.HeadRepository)
	}
	pulls := []obj{}
	if from == c.repo { // empty for forks
		for _, p := range c.repo.Pulls {
			if p.HeadRef != run.HeadBranch {
				continue
			}
			side := func(ref, sha string) obj {
				return obj{"ref": ref, "sha": sha, "repo": obj{"id": number(c.repo.FullName), "name": c.repo.FullName, "url": at}}
			}
			pulls = append(pulls, obj{
				"id": int64(p.Number), "number": p.Number, "url": at,
				"head": side(p.HeadRef, c.head(c.repo, p)), "base": side(p.BaseRef, c.World.base(c.repo, p)),
			})
		}
	}
	o := obj{
		"id": run.ID, "node_id": node("WFR", run.ID), "name": run.Workflow, "display_title": run.Workflow, "path": run.Path,
		"workflow_id": run.WorkflowID, "event": run.Event, "head_sha": run.HeadSHA, "head_branch": stringOr(run.HeadBranch),
		"run_number": 1, "run_attempt": n, "run_started_at": stamp(a.StartedAt), "created_at": stamp(run.CreatedAt),
		"updated_at": stamp(a.UpdatedAt), "status": a.Status, "conclusion": stringOr(a.Conclusion), "check_suite_id": cmp.Or(run.Suite, run.ID),
		"pull_requests": pulls, "head_commit": c.headCommit(run.HeadSHA), "repository": c.repositoryObject(c.repo), "head_repository": nil,
		"previous_attempt_url": nil,
	}
	if from != nil {
		o["head_repository"] = c.repositoryObject(from)
	}
	if n > 1 {
		o["previous_attempt_url"] = fmt.Sprintf("%s/attempts/%d", at, n-1)
	}
	for _, key := range []string{"artifacts_url", "cancel_url", "check_suite_url", "html_url", "jobs_url", "logs_url", "rerun_url", "url", "workflow_url"} {
		o[key] = at
	}
	return o
}

// headCommit is a commit as a run shows it, or null.
func (c *call) headCommit(sha string) any {
	commit := c.objects.commits[sha]
	if commit == nil {
		return nil
	}
	who := func(p Person) obj { return obj{"name": p.Name, "email": p.Email} }
	return obj{
		"id": sha, "tree_id": commit.Tree, "message": commit.Message, "timestamp": stamp(commit.Committer.Date),
		"author": who(commit.Author), "committer": who(commit.Committer),
	}
}

func listJobs(c *call) answer {
	run := c.run()
	a, n := c.attempt(run)
	if a == nil {
		return notFound()
	}
	return ok(obj{"total_count": len(a.Jobs), "jobs": each(page(c, a.Jobs), func(j *Job) obj { return c.jobObject(run, n, j) })})
}

func getJob(c *call) answer {
	for _, run := range c.repo.Runs {
		for n, a := range run.Attempts {
			for _, j := range a.Jobs {
				if j.ID == c.int("job_id") {
					return ok(c.jobObject(run, n+1, j))
				}
			}
		}
	}
	return notFound()
}

func (c *call) jobObject(run *Run, attempt int, j *Job) obj {
	repo := c.base + "/repos/" + c.repo.FullName
	at := fmt.Sprintf("%s/actions/jobs/%d", repo, j.ID)
	o := obj{
		"id": j.ID, "node_id": node("JOB", j.ID), "run_id": run.ID, "run_url": fmt.Sprintf("%s/actions/runs/%d", repo, run.ID),
		"run_attempt": attempt, "head_sha": run.HeadSHA, "head_branch": stringOr(run.HeadBranch), "url": at, "html_url": at,
		"name": j.Name, "workflow_name": stringOr(run.Workflow), "status": j.Status, "conclusion": stringOr(j.Conclusion),
		"created_at": stamp(j.CreatedAt), "started_at": stamp(j.StartedAt), "completed_at": stampOr(j.CompletedAt),
		"check_run_url": fmt.Sprintf("%s/check-runs/%d", repo, j.ID), "labels": append([]string{}, j.Labels...),
		"runner_id": nil, "runner_name": stringOr(j.RunnerName), "runner_group_id": nil, "runner_group_name": nil,
		"steps": each(j.Steps, func(s Step) obj {
			return obj{
				"name": s.Name, "number": s.Number, "status": s.Status, "conclusion": stringOr(s.Conclusion),
				"started_at": stampOr(s.StartedAt), "completed_at": stampOr(s.CompletedAt),
			}
		}),
	}
	if j.RunnerName != "" {
		o["runner_id"] = j.RunnerID
	}
	return o
}

func listArtifacts(c *call) answer {
	run := c.run()
	if run == nil {
		return notFound()
	}
	q := c.r.URL.Query()
	var out []*Artifact
	for _, a := range run.Artifacts {
		if !q.Has("name") || q.Get("name") == a.Name {
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b *Artifact) int {
		if q.Get("direction") == "asc" {
			return cmp.Compare(a.ID, b.ID)
		}
		return cmp.Compare(b.ID, a.ID)
	})
	return ok(obj{"total_count": len(out), "artifacts": each(page(c, out), func(a *Artifact) obj {
		at := fmt.Sprintf("%s/repos/%s/actions/artifacts/%d", c.base, c.repo.FullName, a.ID)
		return obj{
			"id": a.ID, "node_id": node("ART", a.ID), "name": a.Name, "size_in_bytes": a.Size, "url": at,
			"archive_download_url": at + "/zip", "expired": a.Expired, "digest": stringOr(a.Digest), "created_at": stamp(a.CreatedAt),
			"updated_at": stamp(a.CreatedAt), "expires_at": stamp(a.CreatedAt.AddDate(0, 0, 90)),
			"workflow_run": obj{"id": cmp.Or(a.OfRun, run.ID), "head_sha": cmp.Or(a.HeadSHA, run.HeadSHA), "head_branch": run.HeadBranch},
		}
	})})
}

// environment is a deployment environment by name.
func (c *call) environment(name string) obj {
	at := c.base + "/repos/" + c.repo.FullName + "/environments/" + escape(name)
	return obj{"id": number(name), "node_id": "EN_" + name, "name": name, "url": at, "html_url": at}
}

func listApprovals(c *call) answer {
	run := c.run()
	if run == nil {
		return notFound()
	}
	return ok(each(run.Approvals, func(a *Approval) obj {
		return obj{"user": c.user(a.User), "state": a.State, "comment": a.Comment, "environments": each(a.Environments, c.environment)}
	}))
}

func listPending(c *call) answer {
	run := c.run()
	if run == nil {
		return notFound()
	}
	return ok(each(run.Pending, func(p *Pending) obj {
		return obj{
			"environment": c.environment(p.Environment), "wait_timer": 0, "wait_timer_started_at": nil, "current_user_can_approve": false,
			"reviewers": each(p.Reviewers, func(u User) obj { return obj{"type": "User", "reviewer": c.user(u)} }),
		}
	}))
}
