package fakegithub

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Limits of GitHub's on a pull request's lists.
const (
	maxPullFiles   = 3000
	maxPullCommits = 250
)

// pull is the pull request that the path names, or nil.
func (c *call) pull(arg string) *Pull {
	for _, p := range c.repo.Pulls {
		if int64(p.Number) == c.int(arg) {
			return p
		}
	}
	return nil
}

// commitsOf is what a pull request would bring, oldest first, and where it left its base.
func (c *call) commitsOf(p *Pull) (commits []string, fork string) {
	return c.objects.between(c.World.base(c.repo, p), c.head(c.repo, p))
}

// filesOf is what a pull request changes.
func (c *call) filesOf(p *Pull) []*Changed {
	if p.Files != nil {
		return p.Files
	}
	_, fork := c.commitsOf(p)
	return c.objects.diff(fork, c.head(c.repo, p))
}

// side is the head or the base of a pull request.
func (c *call) side(r *Repository, ref, sha string, author User) obj {
	if r == nil { // a fork that is gone
		return obj{"label": ref, "ref": ref, "sha": sha, "user": c.user(author), "repo": nil}
	}
	owner, _, _ := strings.Cut(r.FullName, "/")
	return obj{"label": owner + ":" + ref, "ref": ref, "sha": sha, "user": c.user(User{Login: owner}), "repo": c.repositoryObject(r)}
}

// pullObject is a pull request as lists show it.
func (c *call) pullObject(p *Pull) obj {
	at := fmt.Sprintf("%s/repos/%s/pulls/%d", c.base, c.repo.FullName, p.Number)
	issue := fmt.Sprintf("%s/repos/%s/issues/%d", c.base, c.repo.FullName, p.Number)
	head := c.head(c.repo, p)
	author := p.User
	if author.Login == "" { // pull requests of deleted accounts are given to this one
		author = User{Login: "ghost", ID: 10137}
	}
	statuses := c.base + "/repos/" + c.repo.FullName + "/statuses/" + head
	o := obj{
		"id": number(at), "node_id": node("PR", int64(p.Number)), "number": p.Number, "title": p.Title, "body": pointer(p.Body),
		"state": cmp.Or(p.State, "open"), "draft": p.Draft, "locked": false, "user": c.user(author),
		"created_at": stamp(p.CreatedAt), "updated_at": stamp(c.now()), "closed_at": nil, "merged_at": nil,
		"merge_commit_sha": stringOr(p.MergeSHA), "assignee": nil, "assignees": []obj{}, "milestone": nil,
		"requested_reviewers": []obj{}, "requested_teams": []obj{}, "auto_merge": nil, "author_association": "NONE",
		"head": c.side(c.headRepository(c.repo, p), p.HeadRef, head, author),
		"base": c.side(c.repo, p.BaseRef, c.World.base(c.repo, p), author),
		"url":  at, "html_url": at, "diff_url": at + ".diff", "patch_url": at + ".patch", "issue_url": issue, "commits_url": at + "/commits",
		"review_comments_url": at + "/comments", "review_comment_url": at + "/comments{/number}", "comments_url": issue + "/comments",
		"statuses_url": statuses,
		"labels": each(p.Labels, func(name string) obj {
			return obj{"id": number(name), "node_id": "L_" + name, "url": at, "name": name, "description": "", "color": "ededed", "default": false}
		}),
	}
	links := obj{}
	for _, rel := range []string{"comments", "commits", "html", "issue", "review_comment", "review_comments", "self", "statuses"} {
		links[rel] = obj{"href": at}
	}
	o["_links"] = links
	if o["state"] == "closed" {
		o["closed_at"] = stamp(c.now())
		if p.ClosedAt != nil {
			o["closed_at"] = stamp(*p.ClosedAt)
		}
	}
	if p.Merged {
		o["merged_at"] = stamp(c.now())
	}
	return o
}

func getPull(c *call) answer {
	p := c.pull("pull_number")
	if p == nil {
		return notFound()
	}
	o := c.pullObject(p)
	changed, commits := len(c.filesOf(p)), 0
	if p.ChangedFiles != nil {
		changed = *p.ChangedFiles
	}
	if all, _ := c.commitsOf(p); p.CommitCount == nil {
		commits = len(all)
	} else {
		commits = *p.CommitCount
	}
	o["changed_files"], o["commits"] = changed, commits
	o["merged"], o["merged_by"], o["rebaseable"], o["maintainer_can_modify"] = p.Merged, nil, nil, false
	o["comments"], o["review_comments"], o["additions"], o["deletions"] = len(c.commentsOf(p.Number)), 0, changed, 0
	switch {
	case p.Mergeable == nil:
		o["mergeable"], o["mergeable_state"] = nil, "unknown"
	case *p.Mergeable:
		o["mergeable"], o["mergeable_state"] = true, "clean"
	default:
		o["mergeable"], o["mergeable_state"] = false, "dirty"
	}
	return ok(o)
}

func listPullFiles(c *call) answer {
	p := c.pull("pull_number")
	if p == nil {
		return notFound()
	}
	all := c.filesOf(p)
	return ok(each(page(c, all[:min(len(all), maxPullFiles)]), c.fileObject))
}

func listPullCommits(c *call) answer {
	p := c.pull("pull_number")
	if p == nil {
		return notFound()
	}
	all, _ := c.commitsOf(p)
	return ok(each(page(c, all[:min(len(all), maxPullCommits)]), c.commitObject))
}

// listPullsOfCommit lists every pull request that has the commit, open or not.
func listPullsOfCommit(c *call) answer {
	sha := c.args["commit_sha"]
	if _, known := c.objects.commits[sha]; !known {
		return refuse(422, "No commit found for SHA: %s", sha)
	}
	var out []*Pull
	for _, p := range c.repo.Pulls {
		if commits, _ := c.commitsOf(p); slices.Contains(commits, sha) || p.MergeSHA == sha {
			out = append(out, p)
		}
	}
	return ok(each(page(c, out), c.pullObject))
}

func listReviews(c *call) answer {
	p := c.pull("pull_number")
	if p == nil {
		return notFound()
	}
	var out []*Review
	for _, r := range c.repo.Reviews {
		if r.Pull == p.Number {
			out = append(out, r)
		}
	}
	at := fmt.Sprintf("%s/repos/%s/pulls/%d", c.base, c.repo.FullName, p.Number)
	return ok(each(page(c, out), func(r *Review) obj {
		return obj{
			"id": r.ID, "node_id": node("PRR", r.ID), "user": c.user(r.User), "body": r.Body, "state": r.State,
			"commit_id": stringOr(r.CommitID), "submitted_at": stamp(r.SubmittedAt), "author_association": "NONE",
			"html_url": at, "pull_request_url": at, "_links": obj{"html": obj{"href": at}, "pull_request": obj{"href": at}},
		}
	}))
}

// getPermission answers for every account that the world has heard of.
func getPermission(c *call) answer {
	login := c.args["username"]
	if !c.known(login) {
		return refuse(404, "%s is not a user", login)
	}
	role := "none"
	if !c.repo.Private {
		role = "read"
	}
	for who, has := range c.repo.Collaborators {
		if strings.EqualFold(who, login) {
			role = has
		}
	}
	if owner, _, _ := strings.Cut(c.repo.FullName, "/"); strings.EqualFold(owner, login) {
		role = "admin"
	}
	permission := role
	switch role { // roles that came later show as the one below them that was there before
	case "maintain":
		permission = "write"
	case "triage":
		permission = "read"
	}
	user, _ := c.user(User{Login: login}).(obj)
	user["role_name"] = role
	return ok(obj{"permission": permission, "role_name": role, "user": user})
}

// known reports whether an account of this login exists.
func (c *call) known(login string) bool {
	logins := []string{"github-actions[bot]"}
	for _, t := range c.data.Tokens {
		logins = append(logins, t.User.Login)
	}
	for _, u := range c.data.Users {
		logins = append(logins, u.Login)
	}
	for _, r := range c.data.Repositories {
		owner, _, _ := strings.Cut(r.FullName, "/")
		logins = append(logins, owner)
		for who := range r.Collaborators {
			logins = append(logins, who)
		}
		for _, p := range r.Pulls {
			logins = append(logins, p.User.Login)
		}
		for _, m := range r.Comments {
			logins = append(logins, m.User.Login)
		}
		for _, v := range r.Reviews {
			logins = append(logins, v.User.Login)
		}
	}
	return slices.ContainsFunc(logins, func(l string) bool { return strings.EqualFold(l, login) })
}
