package fakegithub

import (
	"strconv"
	"strings"
	"time"
)

// These make the JSON objects that every area has in it. Fields that nothing here knows have the value that
// a new and plain thing has at GitHub.

// stamp is a time as the API writes it.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// stampOr is a time, or null.
func stampOr(t *time.Time) any {
	if t == nil {
		return nil
	}
	return stamp(*t)
}

// stringOr is a string, or null if it is empty.
func stringOr(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// pointer is a string, or null.
func pointer(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

func node(kind string, id int64) string { return kind + "_" + strconv.FormatInt(id, 10) }

// user is an account, or null for one that was deleted.
func (c *call) user(u User) any {
	if u.Login == "" {
		return nil
	}
	u = u.whole()
	at := c.base + "/users/" + strings.NewReplacer("[", "%5B", "]", "%5D").Replace(u.Login)
	o := obj{"login": u.Login, "id": u.ID, "node_id": node("U", u.ID), "gravatar_id": "", "type": u.Type, "site_admin": false, "user_view_type": "public"}
	for _, key := range []string{
		"avatar_url", "events_url", "followers_url", "following_url", "gists_url", "html_url", "organizations_url",
		"received_events_url", "repos_url", "starred_url", "subscriptions_url", "url",
	} {
		o[key] = at
	}
	return o
}

// repositoryURLs are the keys of a repository that hold nothing but a URL below it.
func repositoryURLs() []string {
	return []string{
		"archive_url", "assignees_url", "blobs_url", "branches_url", "clone_url", "collaborators_url", "comments_url",
		"commits_url", "compare_url", "contents_url", "contributors_url", "deployments_url", "downloads_url", "events_url",
		"forks_url", "git_commits_url", "git_refs_url", "git_tags_url", "git_url", "hooks_url", "html_url",
		"issue_comment_url", "issue_events_url", "issues_url", "keys_url", "labels_url", "languages_url", "merges_url",
		"milestones_url", "notifications_url", "pulls_url", "releases_url", "ssh_url", "stargazers_url", "statuses_url",
		"subscribers_url", "subscription_url", "svn_url", "tags_url", "teams_url", "trees_url",
	}
}

// repositoryObject is a repository in the full, the minimal and the plain form, which differ in what they
// leave out.
func (c *call) repositoryObject(r *Repository) obj {
	owner, short, _ := strings.Cut(r.FullName, "/")
	at := c.base + "/repos/" + r.FullName
	id := number(r.FullName)
	visibility := "public"
	if r.Private {
		visibility = "private"
	}
	o := obj{
		"id": id, "node_id": node("R", id), "name": short, "full_name": r.FullName, "private": r.Private, "fork": r.Fork,
		"owner": c.user(User{Login: owner}), "default_branch": r.DefaultBranch, "url": at, "description": nil,
		"homepage": nil, "language": nil, "license": nil, "mirror_url": nil, "archived": false, "disabled": false,
		"visibility": visibility, "created_at": stamp(time.Unix(0, 0)), "updated_at": stamp(c.now()), "pushed_at": stamp(c.now()),
	}
	for _, key := range repositoryURLs() {
		o[key] = at
	}
	for _, key := range []string{"has_issues", "has_projects", "has_downloads", "has_wiki", "has_pages", "has_discussions"} {
		o[key] = key == "has_issues"
	}
	for _, key := range []string{
		"forks", "forks_count", "network_count", "open_issues", "open_issues_count", "size", "stargazers_count",
		"subscribers_count", "watchers", "watchers_count",
	} {
		o[key] = 0
	}
	return o
}

// app is a GitHub App, or null for none.
func (c *call) app(id int64) any {
	a := App{ID: ActionsApp, Slug: "github-actions", Name: "GitHub Actions"}
	if id != ActionsApp {
		a = App{}
		for _, known := range c.data.Apps {
			if known.ID == id {
				a = known
			}
		}
	}
	if a.ID == 0 {
		return nil
	}
	at := c.base + "/apps/" + a.Slug
	return obj{
		"id": a.ID, "slug": a.Slug, "name": a.Name, "node_id": node("A", a.ID), "owner": c.user(User{Login: "github"}),
		"description": "", "external_url": at, "html_url": at, "created_at": stamp(time.Unix(0, 0)), "updated_at": stamp(time.Unix(0, 0)),
		"permissions": obj{"checks": "write"}, "events": []string{},
	}
}

// commitObject is a commit as lists of commits show it.
func (c *call) commitObject(sha string) obj {
	commit := c.objects.commits[sha]
	at := c.base + "/repos/" + c.repo.FullName + "/commits/" + sha
	who := func(p Person) obj { return obj{"name": p.Name, "email": p.Email, "date": stamp(p.Date)} }
	parents := each(commit.Parents, func(p string) obj {
		return obj{"sha": p, "url": c.base + "/repos/" + c.repo.FullName + "/commits/" + p}
	})
	return obj{
		"sha": sha, "node_id": "C_" + sha, "url": at, "html_url": at, "comments_url": at + "/comments", "parents": parents,
		"author": c.user(User{Login: commit.Author.Login}), "committer": c.user(User{Login: commit.Committer.Login}),
		"commit": obj{
			"author": who(commit.Author), "committer": who(commit.Committer), "message": commit.Message, "comment_count": 0,
			"tree": obj{"sha": commit.Tree, "url": c.base + "/repos/" + c.repo.FullName + "/git/trees/" + commit.Tree},
			"url":  at,
		},
	}
}

// fileObject is one changed file.
func (c *call) fileObject(f *Changed) obj {
	at := c.base + "/repos/" + c.repo.FullName + "/contents/" + escape(f.Path)
	o := obj{
		"sha": stringOr(f.SHA), "filename": f.Path, "status": f.Status, "additions": 1, "deletions": 0, "changes": 1,
		"blob_url": at, "raw_url": at, "contents_url": at,
	}
	if f.Previous != "" {
		o["previous_filename"] = f.Previous
	}
	if f.Patch != "" {
		o["patch"] = f.Patch
	}
	return o
}
