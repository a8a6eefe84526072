package fakegithub

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// Limits of GitHub's on what is in a repository.
const (
	maxListing    = 1000      // entries of a folder that the contents API lists
	maxInline     = 1 << 20   // bytes of a file that come inside JSON
	maxContent    = 100 << 20 // bytes of a file that come at all
	maxTree       = 100_000   // entries of a recursive tree
	maxComparison = 300       // files of a comparison
	maxCompared   = 250       // commits of a comparison that is asked for without pages: the newest
)

// escape writes a path for a URL.
func escape(p string) string { return (&url.URL{Path: p}).EscapedPath() }

// raw reports whether the client asked for the bytes instead of JSON.
func (c *call) raw() bool { return strings.Contains(c.r.Header.Get("Accept"), ".raw") }

// resolve finds a commit by branch, commit name or pull request ref. Empty is the default branch.
func (c *call) resolve(ref string) (string, bool) {
	if ref == "" {
		ref = c.repo.DefaultBranch
	}
	ref = strings.TrimPrefix(ref, "refs/")
	if sha, found := c.repo.Branches[strings.TrimPrefix(ref, "heads/")]; found {
		return sha, true
	}
	_, found := c.objects.commits[ref]
	return ref, found
}

func getRepository(c *call) answer { return ok(c.repositoryObject(c.repo)) }

func getBranch(c *call) answer {
	branch := c.args["branch"]
	sha, found := c.repo.Branches[branch]
	if !found {
		return refuse(http.StatusNotFound, "Branch not found")
	}
	at := c.base + "/repos/" + c.repo.FullName + "/branches/" + escape(branch)
	return ok(obj{
		"name": branch, "commit": c.commitObject(sha), "_links": obj{"self": at, "html": at},
		"protected":  c.repo.RequiredChecks[branch] != nil || len(c.repo.Rules[branch]) > 0,
		"protection": c.protectionObject(branch), "protection_url": at + "/protection",
	})
}

func getRef(c *call) answer {
	branch, isBranch := strings.CutPrefix(c.args["ref"], "heads/")
	sha, found := c.repo.Branches[branch]
	if !isBranch || !found {
		return notFound()
	}
	at := c.base + "/repos/" + c.repo.FullName + "/git/"
	return ok(obj{
		"ref": "refs/heads/" + branch, "node_id": "REF_" + branch, "url": at + "refs/heads/" + escape(branch),
		"object": obj{"sha": sha, "type": "commit", "url": at + "commits/" + sha},
	})
}

func getCommit(c *call) answer {
	sha, found := c.resolve(c.args["ref"])
	if !found {
		return refuse(http.StatusUnprocessableEntity, "No commit found for SHA: %s", c.args["ref"])
	}
	if strings.Contains(c.r.Header.Get("Accept"), ".sha") {
		return answer{status: http.StatusOK, raw: []byte(sha), kind: "application/vnd.github.sha; charset=utf-8"}
	}
	o := c.commitObject(sha)
	before := ""
	if parents := c.objects.commits[sha].Parents; len(parents) > 0 {
		before = parents[0]
	}
	o["files"] = each(page(c, c.objects.diff(before, sha)), c.fileObject)
	return ok(o)
}

func getTree(c *call) answer {
	sha := c.args["tree_sha"]
	if commit, found := c.resolve(sha); found {
		sha = c.objects.commits[commit].Tree
	}
	if _, found := c.objects.trees[sha]; !found {
		return notFound()
	}
	at := c.base + "/repos/" + c.repo.FullName + "/git/"
	recursive := c.r.URL.Query().Has("recursive") // any value, also 0 and false, as documented
	list := c.objects.list(sha, "", recursive)
	limit := c.repo.TreeLimit
	if limit == 0 {
		limit = maxTree
	}
	truncated := recursive && len(list) > limit
	if truncated {
		list = list[:limit]
	}
	return ok(obj{"sha": sha, "url": at + "trees/" + sha, "truncated": truncated, "tree": each(list, func(e entry) obj {
		o := obj{"path": e.name, "mode": e.mode, "type": e.kind(), "sha": e.sha}
		switch e.kind() {
		case "tree":
			o["url"] = at + "trees/" + e.sha
		case "blob":
			o["url"] = at + "blobs/" + e.sha
			o["size"] = len(c.objects.blobs[e.sha])
		}
		return o
	})})
}

func getBlob(c *call) answer {
	body, found := c.objects.blobs[c.args["file_sha"]]
	switch {
	case !found:
		return notFound()
	case len(body) > maxContent:
		return refuse(http.StatusForbidden, "This API returns blobs up to 100 MB in size.")
	case c.raw():
		return c.rawAnswer(body)
	}
	sha := c.args["file_sha"]
	return ok(obj{
		"sha": sha, "node_id": "B_" + sha, "size": len(body), "encoding": "base64", "content": base64.StdEncoding.EncodeToString(body),
		"url": c.base + "/repos/" + c.repo.FullName + "/git/blobs/" + sha,
	})
}

func (c *call) rawAnswer(body []byte) answer {
	return answer{status: http.StatusOK, raw: body, kind: "application/vnd.github.raw+json; charset=utf-8"}
}

// getContents follows a link to a file of the repository, lists a folder, and describes what else there is.
func getContents(c *call) answer {
	ref := c.r.URL.Query().Get("ref")
	sha, found := c.resolve(ref)
	if !found {
		return refuse(http.StatusNotFound, "No commit found for the ref %s", ref)
	}
	where := strings.Trim(c.args["path"], "/")
	tree := c.objects.commits[sha].Tree
	e, found := c.objects.find(tree, where)
	if !found {
		return notFound()
	}
	if e.mode == modeTree {
		list := c.objects.list(e.sha, where+"/", false)
		return ok(each(list[:min(len(list), maxListing)], c.contentObject))
	}
	e.name = where
	if e.mode == modeLink {
		target := path.Join(path.Dir(where), string(c.objects.blobs[e.sha]))
		if to, exists := c.objects.find(tree, target); exists && (to.mode == modeFile || to.mode == modeProgram) {
			e = entry{to.mode, where, to.sha}
		}
	}
	if c.raw() && e.kind() == "blob" {
		if len(c.objects.blobs[e.sha]) > maxContent {
			return refuse(http.StatusForbidden, "This API returns blobs up to 100 MB in size.")
		}
		return c.rawAnswer(c.objects.blobs[e.sha])
	}
	return ok(c.inline(c.contentObject(e), e))
}

// contentObject is an entry of a folder.
func (c *call) contentObject(e entry) obj {
	at := c.base + "/repos/" + c.repo.FullName + "/contents/" + escape(e.name)
	o := obj{
		"name": path.Base(e.name), "path": e.name, "sha": e.sha, "size": len(c.objects.blobs[e.sha]), "url": at, "git_url": at,
		"html_url": at, "download_url": at, "_links": obj{"self": at, "git": at, "html": at}, "type": "file",
	}
	switch e.mode {
	case modeTree:
		o["type"] = "dir"
	case modeLink:
		o["type"] = "symlink"
	case modeSubmodule:
		o["type"] = "submodule"
	}
	return o
}

// inline adds what an entry has when it is asked for by itself.
func (c *call) inline(o obj, e entry) obj {
	body := c.objects.blobs[e.sha]
	switch {
	case e.mode == modeLink:
		o["target"] = string(body)
	case e.mode == modeSubmodule:
		o["submodule_git_url"] = c.base
	case len(body) > maxInline:
		o["encoding"], o["content"] = "none", ""
	default:
		o["encoding"], o["content"] = "base64", base64.StdEncoding.EncodeToString(body)
	}
	return o
}

func getComparison(c *call) answer {
	base, head, split := strings.Cut(c.args["basehead"], "...")
	from, known := c.resolve(base)
	to, known2 := c.resolve(head)
	if !split || !known || !known2 {
		return notFound()
	}
	ahead, fork := c.objects.between(from, to)
	behind, _ := c.objects.between(to, from)
	if fork == "" {
		return refuse(http.StatusNotFound, "No common ancestor between %s and %s.", base, head)
	}
	status := "diverged"
	switch {
	case len(ahead) == 0 && len(behind) == 0:
		status = "identical"
	case len(behind) == 0:
		status = "ahead"
	case len(ahead) == 0:
		status = "behind"
	}
	files := c.objects.diff(fork, to)
	listed := ahead[max(0, len(ahead)-maxCompared):]
	if q := c.r.URL.Query(); q.Has("page") || q.Has("per_page") {
		listed = page(c, ahead)
		if positive(q.Get("page"), 1) > 1 {
			files = nil
		}
	}
	at := c.base + "/repos/" + c.repo.FullName + "/compare/" + escape(c.args["basehead"])
	return ok(obj{
		"url": at, "html_url": at, "permalink_url": at, "diff_url": at + ".diff", "patch_url": at + ".patch", "status": status,
		"ahead_by": len(ahead), "behind_by": len(behind), "total_commits": len(ahead), "base_commit": c.commitObject(from),
		"merge_base_commit": c.commitObject(fork), "commits": each(listed, c.commitObject),
		"files": each(files[:min(len(files), maxComparison)], c.fileObject),
	})
}
