package fakegithub

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/memory"
)

const widgets = "/repos/acme/widgets"

// TestObjectNames holds the names of blobs, trees and commits against another implementation of git's.
func TestObjectNames(t *testing.T) {
	s := start(t)
	storage := memory.NewStorage()
	names := map[plumbing.Hash]bool{}
	put := func(encode func(plumbing.EncodedObject) error) {
		o := storage.NewEncodedObject()
		if err := encode(o); err != nil {
			t.Fatal(err)
		}
		names[o.Hash()] = true
	}
	for sha, body := range s.objects.blobs {
		if got := plumbing.ComputeHash(plumbing.BlobObject, body).String(); got != sha {
			t.Errorf("blob %q is named %s, want %s", body, sha, got)
		}
	}
	for sha, entries := range s.objects.trees {
		tree := object.Tree{}
		for _, e := range entries {
			mode, err := filemode.New(e.mode)
			if err != nil {
				t.Fatal(err)
			}
			tree.Entries = append(tree.Entries, object.TreeEntry{Name: e.name, Mode: mode, Hash: plumbing.NewHash(e.sha)})
		}
		put(tree.Encode)
		if !names[plumbing.NewHash(sha)] {
			t.Errorf("tree %v is not named %s", entries, sha)
		}
	}
	for sha, c := range s.objects.commits {
		if c.SHA != "" {
			continue // named by the test
		}
		who := func(p Person) object.Signature {
			return object.Signature{Name: p.Name, Email: p.Email, When: p.Date.UTC()}
		}
		commit := object.Commit{Author: who(c.Author), Committer: who(c.Committer), Message: c.Message, TreeHash: plumbing.NewHash(c.Tree)}
		for _, p := range c.Parents {
			commit.ParentHashes = append(commit.ParentHashes, plumbing.NewHash(p))
		}
		put(commit.Encode)
		if !names[plumbing.NewHash(sha)] {
			t.Errorf("commit %q is not named %s", c.Message, sha)
		}
	}
	if len(s.objects.trees) < 6 || len(s.objects.commits) < 4 {
		t.Errorf("only %d trees and %d commits were held", len(s.objects.trees), len(s.objects.commits))
	}
}

func TestWhoMayAsk(t *testing.T) {
	s := start(t)
	run := `{"name":"Gate","head_sha":"` + s.head + `"}`
	s.Change(func(d *Data) { d.Tokens["narrow"].Permissions["contents"] = "none" })
	for name, c := range map[string]struct {
		token, method, path, body string
		status                    int
		says                      string
	}{
		"nobody":               {"", "GET", "", "", 401, "Requires authentication"},
		"unknown token":        {"stolen", "GET", "", "", 401, "Bad credentials"},
		"read with a reader":   {"reader", "GET", "/pulls/7", "", 200, ""},
		"write with a reader":  {"reader", "POST", "/check-runs", run, 403, "Resource not accessible by integration"},
		"comment of a reader":  {"reader", "POST", "/issues/7/comments", `{"body":"x"}`, 403, "Resource not accessible by integration"},
		"within permissions":   {"narrow", "POST", "/check-runs", run, 201, ""},
		"outside permissions":  {"narrow", "POST", "/issues/7/comments", `{"body":"x"}`, 403, "Resource not accessible by integration"},
		"public read":          {"narrow", "GET", "/contents/README.md", "", 200, ""},
		"check run by a human": {"person", "POST", "/check-runs", run, 403, "You must authenticate via a GitHub App."},
		"another app's run":    {"job", "PATCH", "/check-runs/31", `{"external_id":"x"}`, 403, "Invalid app_id `15368`"},
		"a job's run":          {"job", "PATCH", "/check-runs/902", `{"external_id":"x"}`, 404, "Not Found"},
		"another repository":   {"job", "GET", "x", "", 404, "Not Found"},
	} {
		t.Run(name, func(t *testing.T) {
			r := s.ask(c.token, c.method, widgets+c.path, c.body)
			if r.status != c.status || !strings.Contains(r.body, c.says) {
				t.Errorf("status %d, want %d with %q: %s", r.status, c.status, c.says, r.body)
			}
		})
	}
	s.Change(func(d *Data) { d.Repositories[0].Private = true })
	if r := s.ask("narrow", "GET", widgets+"/contents/README.md", ""); r.status != 403 {
		t.Errorf("a private repository was read without permission: %d", r.status)
	}
	if r := s.ask("job", "GET", widgets, "", "User-Agent", ""); r.status != 403 || !strings.Contains(r.body, "User-Agent") {
		t.Errorf("without a user agent: %d %s", r.status, r.body)
	}
	s.fits()
}

func TestLimitRunsOutAndComesBack(t *testing.T) {
	s := start(t)
	for i, want := range []struct {
		status    int
		remaining string
	}{{200, "1"}, {200, "0"}, {403, "0"}} {
		r := s.ask("spent", "GET", widgets, "")
		if r.status != want.status || r.header.Get("X-RateLimit-Remaining") != want.remaining {
			t.Fatalf("request %d: status %d, remaining %s: %s", i, r.status, r.header.Get("X-RateLimit-Remaining"), r.body)
		}
		if want.status == 403 && r.header.Get("X-RateLimit-Reset") != fmt.Sprint(noon.Add(time.Hour).Unix()) {
			t.Errorf("reset %s", r.header.Get("X-RateLimit-Reset"))
		}
	}
	s.now = noon.Add(time.Hour)
	if r := s.ask("spent", "GET", widgets, ""); r.status != 200 || r.header.Get("X-RateLimit-Remaining") != "2" {
		t.Errorf("after the reset: status %d, remaining %s", r.status, r.header.Get("X-RateLimit-Remaining"))
	}
	s.fits()
}

func TestUnchangedAnswers(t *testing.T) {
	s := start(t)
	first := s.ask("spent", "GET", widgets+"/pulls/7/reviews", "")
	etag := first.header.Get("ETag")
	again := s.ask("spent", "GET", widgets+"/pulls/7/reviews", "", "If-None-Match", etag)
	if etag == "" || again.status != 304 || again.body != "" || again.header.Get("X-RateLimit-Remaining") != "1" {
		t.Errorf("etag %q, then status %d with %q, remaining %s", etag, again.status, again.body, again.header.Get("X-RateLimit-Remaining"))
	}
	s.Change(func(d *Data) { d.Repositories[0].Reviews[0].State = "DISMISSED" })
	if r := s.ask("spent", "GET", widgets+"/pulls/7/reviews", "", "If-None-Match", etag); r.status != 200 {
		t.Errorf("after a change: status %d", r.status)
	}
	s.fits()
}

func TestPages(t *testing.T) {
	s := start(t)
	s.Change(func(d *Data) {
		r := d.Repositories[0]
		for i := range 250 {
			r.Comments = append(r.Comments, &Comment{ID: int64(2000 + i), Issue: 7, Body: fmt.Sprint(i), User: User{Login: "maya"}, CreatedAt: noon, UpdatedAt: noon})
		}
	})
	next := regexp.MustCompile(`<([^>]+)>; rel="next"`)
	path, seen, pages := widgets+"/issues/7/comments?per_page=100", 0, 0
	for path != "" {
		r := s.want(200, "GET", path, "")
		var list []struct{ ID int64 }
		r.get(t, &list)
		seen += len(list)
		pages++
		m := next.FindStringSubmatch(r.header.Get("Link"))
		path = ""
		if m != nil {
			path = strings.TrimPrefix(m[1], s.url)
		}
	}
	if seen != 252 || pages != 3 {
		t.Errorf("%d comments on %d pages, want 252 on 3", seen, pages)
	}
	var list []any
	s.want(200, "GET", widgets+"/issues/7/comments?per_page=1000", "").get(t, &list)
	if len(list) != 100 {
		t.Errorf("%d comments on a page of 1000, want 100", len(list))
	}
	s.want(200, "GET", widgets+"/issues/7/comments?page=99", "").get(t, &list)
	if len(list) != 0 {
		t.Errorf("%d comments behind the last page", len(list))
	}
	s.fits()
}

func TestPullRequestShowsItsCommits(t *testing.T) {
	s := start(t)
	var files []struct {
		Filename, Status string
		Previous         string `json:"previous_filename"`
	}
	s.want(200, "GET", widgets+"/pulls/7/files", "").get(t, &files)
	got := fmt.Sprint(files)
	want := "[{README.md modified } {docs/manual.md renamed docs/guide.md} {logo.bin removed } {new.txt added }]"
	if got != want {
		t.Errorf("files %s, want %s", got, want)
	}
	type side struct {
		SHA, Ref string
		Repo     *struct {
			FullName string `json:"full_name"`
		}
	}
	var p struct {
		Head, Base side
		Changed    int `json:"changed_files"`
		Commits    int
		Mergeable  *bool
		User       struct{ Login, Type string }
		Body       *string
	}
	s.want(200, "GET", widgets+"/pulls/7", "").get(t, &p)
	if p.Head.SHA != s.head || p.Head.Repo.FullName != "acme/widgets" || p.Changed != 4 || p.Commits != 1 || p.User.Type != "Bot" || !*p.Mergeable {
		t.Errorf("pull request %+v", p)
	}
	sha, err := s.Commit("acme/widgets", &Commit{Branch: "feature/turn", Files: map[string]File{"more": {Text: "x"}}})
	if err != nil {
		t.Fatal(err)
	}
	s.want(200, "GET", widgets+"/pulls/7", "").get(t, &p)
	if p.Head.SHA != sha || p.Commits != 2 || p.Changed != 5 {
		t.Errorf("after a push: %+v", p)
	}
	s.want(200, "GET", widgets+"/pulls/8", "").get(t, &p)
	if p.Head.SHA != newestHead || p.Head.Repo != nil || p.User.Login != "ghost" || p.Mergeable != nil || p.Body != nil {
		t.Errorf("pull request of a fork that is gone: %+v", p)
	}
	s.fits()
}

func TestContents(t *testing.T) {
	s := start(t)
	s.Change(func(d *Data) { d.Repositories[0].TreeLimit = 3 })
	raw := func(path string) reply {
		return s.ask("job", "GET", widgets+path, "", "Accept", "application/vnd.github.raw+json")
	}
	for path, want := range map[string]string{
		"/contents/docs/guide.md?ref=main":                      "Turn it.\n",
		"/contents/docs/latest?ref=main":                        "Turn it.\n", // a link is followed
		"/contents/docs/nowhere?ref=main":                       "gone.md",
		"/git/blobs/" + Blob([]byte{0, 1, 2, 3, 4}):             "\x00\x01\x02\x03\x04",
		"/contents/docs/manual.md?ref=feature/turn":             "Turn it.\n",
		"/contents/README.md?ref=" + s.head:                     "# Widgets, faster\n",
		"/contents/README.md?ref=refs%2Fheads%2Ffeature%2Fturn": "# Widgets, faster\n",
	} {
		if r := raw(path); r.status != 200 || r.body != want || !strings.Contains(r.header.Get("Content-Type"), "raw") {
			t.Errorf("%s: %d %q (%s)", path, r.status, r.body, r.header.Get("Content-Type"))
		}
	}
	for path, says := range map[string]string{
		"/contents/gone":              "Not Found",
		"/contents/README.md?ref=old": "No commit found for the ref old",
		"/contents/README.md/x":       "Not Found",
		"/contents/docs/latest/x":     "Not Found",
		"/git/blobs/" + newestHead:    "Not Found",
		"/git/trees/nothing":          "Not Found",
		"/git/ref/heads/feature":      "Not Found",
		"/git/ref/tags/v1":            "Not Found",
		"/branches/none":              "Branch not found",
		"/compare/main...none":        "Not Found",
	} {
		if r := raw(path); r.status != 404 || !strings.Contains(r.body, says) {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	var list []struct{ Path, Type string }
	s.want(200, "GET", widgets+"/contents/docs?ref=main", "").get(t, &list)
	if got := fmt.Sprint(list); got != "[{docs/guide.md file} {docs/latest symlink} {docs/nowhere symlink}]" {
		t.Errorf("folder %s", got)
	}
	var tree struct {
		Truncated bool
		Tree      []struct{ Path, Mode, Type string }
	}
	s.want(200, "GET", widgets+"/git/trees/main?recursive=0", "").get(t, &tree)
	if got := fmt.Sprint(tree); got != "{true [{CHANGES.md 100644 blob} {README.md 100644 blob} {cmd 040000 tree}]}" {
		t.Errorf("cut tree %s", got)
	}
	s.want(200, "GET", widgets+"/git/trees/main", "").get(t, &tree)
	if tree.Truncated || len(tree.Tree) != 6 {
		t.Errorf("tree %v", tree)
	}
	if r := s.ask("job", "GET", widgets+"/commits/main", "", "Accept", "application/vnd.github.sha"); len(r.body) != 40 {
		t.Errorf("name of a commit: %q", r.body)
	}
	s.fits()
}
