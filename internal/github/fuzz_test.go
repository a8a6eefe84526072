package github

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"
)

// tripper answers without a network.
type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// FuzzAnswers holds the law that whatever is answered, a method gives an error, or something about what was
// asked for with names that are names; and that no error holds the token.
func FuzzAnswers(f *testing.F) {
	const sha = "0123456789abcdef0123456789abcdef01234567"
	side := `{"ref":"b","sha":"` + sha + `","repo":{"full_name":"acme/widgets","default_branch":"main"}}`
	seeds := []struct {
		status int
		head   string
		body   string
	}{
		{200, "", `{"number":7,"state":"open","changed_files":1,"commits":1,"head":` + side + `,"base":` + side + `}`},
		{200, "", `{"id":900,"run_attempt":2,"status":"queued","event":"push","run_started_at":"2026-03-01T12:00:00Z","created_at":"2026-03-01T12:00:00Z","head_sha":"` + sha + `"}`},
		{200, "", `[{"sha":"` + sha + `","commit":{"message":"m"},"parents":[{"sha":"` + sha + `"}]}]`},
		{200, "", `{"truncated":false,"tree":[{"path":"a","mode":"100644","type":"blob","sha":"` + sha + `"}]}`},
		{200, "", `{"total_count":1,"check_runs":[{"id":1,"name":"n","status":"queued","head_sha":"` + sha + `"}]}`},
		{200, "", `[{"filename":"a","status":"renamed","previous_filename":"b"}]`},
		{200, "", "null"}, {403, "5", `{"message":"x"}`}, {429, "-1", ``}, {500, "", `{"errors":[1,{"code":"x"}]}`}, {302, "", ""},
	}
	for _, s := range seeds {
		f.Add(s.status, s.head, []byte(s.body))
	}
	if len(seeds) == 0 {
		f.Fatal("no seeds")
	}
	f.Fuzz(func(t *testing.T, status int, retry string, body []byte) {
		c, err := New(Options{
			BaseURL: "http://127.0.0.1:1", Token: jobToken, Repository: repository, UserAgent: "x",
			Clock: Clock{Sleep: func(_ context.Context, d time.Duration) error {
				if d < 0 || d > maxWait {
					t.Fatalf("waits %v", d)
				}
				return nil
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		c.transport.base = tripper(func(r *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: status, Header: http.Header{"Retry-After": {retry}, "Location": {retry}}, Request: r, Body: io.NopCloser(bytes.NewReader(body)),
			}, nil
		})
		judge := func(err error, good bool) {
			t.Helper()
			if err == nil && (!good || status < 200 || status > 299) {
				t.Errorf("status %d, %q: taken for an answer", status, body)
			}
			if err != nil && bytes.Contains([]byte(err.Error()), []byte(jobToken)) {
				t.Errorf("the error holds the token: %v", err)
			}
		}
		ctx := t.Context()
		p, err := c.Pull(ctx, 7)
		judge(err, p != nil && p.Number == 7 && reObject().MatchString(p.Head.SHA) && reObject().MatchString(p.Base.SHA) && p.Base.Ref != "")
		r, err := c.RunAttempt(ctx, 900, 2)
		judge(err, r != nil && r.ID == 900 && r.Attempt == 2 && !r.StartedAt.IsZero())
		commits, err := c.Commits(ctx, 7, 0)
		judge(err, commits.Items != nil)
		for _, commit := range commits.Items {
			judge(nil, reObject().MatchString(commit.SHA))
		}
		tree, err := c.Tree(ctx, sha)
		judge(err, tree != nil)
		runs, err := c.CheckRuns(ctx, sha, CheckRunQuery{})
		judge(err, runs.Items != nil)
		files, err := c.Files(ctx, 7, 1)
		judge(err, files.Cut || len(files.Items) > 0)
		blob, err := c.Blob(ctx, sha, 100)
		judge(err, false) // nothing found by chance has this name
		if blob != nil || errors.Is(err, ErrNoFile) {
			t.Errorf("blob %q, %v", blob, err)
		}
	})
}
