package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// TestDoctorAsks runs gate doctor against a GitHub that works, with the workflow that README shows.
func TestDoctorAsks(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(docs, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, m := range fenced.FindAllStringSubmatch(string(readme), -1) {
		writeBelow(t, dir, map[string]string{"contract": ".github/outcome-contract.yml", "workflow": ".github/workflows/outcome-gate.yml"}[m[1]], strings.Replace(m[2], "mode: observe\n", "", 1)+"\n")
	}
	writeBelow(t, dir, ".github/CODEOWNERS", "/.github/ @acme/keepers\n")
	required := func(context string, app any) []*fakegithub.Rule {
		return []*fakegithub.Rule{
			{Type: "required_status_checks", Parameters: map[string]any{"strict_required_status_checks_policy": false, "required_status_checks": []any{
				map[string]any{"context": context, "integration_id": app},
			}}},
			{Type: "merge_queue"},
			{Type: "pull_request", Parameters: map[string]any{
				"dismiss_stale_reviews_on_push": false, "require_code_owner_review": true, "require_last_push_approval": false,
				"required_approving_review_count": 1, "required_review_thread_resolution": false,
			}},
		}
	}
	any15368 := int64(fakegithub.ActionsApp)
	for _, c := range []struct {
		name   string
		token  string
		change func(*fakegithub.Repository)
		fault  *fakegithub.Fault
		code   int
		want   []string
		not    int // things that were not looked at
		says   string
	}{
		{"all is well", "admin", func(r *fakegithub.Repository) { r.Rules["main"] = required("outcome-gate", any15368) }, nil, 0, nil, 0, ""},
		{"all that a workflow sees", "job", func(r *fakegithub.Repository) { r.Rules["main"] = required("outcome-gate", any15368) }, nil, 0, nil, 1, ""},
		{"nothing required", "admin", func(*fakegithub.Repository) {}, nil, 1, []string{"doctor/not-required", "doctor/owners-not-asked"}, 0, ""},
		{"the check run", "admin", func(r *fakegithub.Repository) { r.Rules["main"] = required("Outcome Gate", any15368) }, nil, 1, []string{"doctor/wrong-surface"}, 0, ""},
		{"classic, any source", "admin", func(r *fakegithub.Repository) {
			r.RequiredChecks = map[string][]fakegithub.RequiredCheck{"main": {{Context: "outcome-gate"}}}
		}, nil, 1, []string{"doctor/not-pinned-to-app"}, 1, ""},
		{"settings", "admin", func(r *fakegithub.Repository) {
			r.Rules["main"] = required("outcome-gate", any15368)
			r.WorkflowSettings = fakegithub.WorkflowSettings{Default: "write", Approves: true}
		}, nil, 1, []string{"doctor/default-token-writes", "doctor/workflows-approve"}, 0, ""},
		{"rules refused", "admin", func(*fakegithub.Repository) {}, &fakegithub.Fault{Match: "/rules/", Times: -1, Status: 403, Body: `{"message":"Resource not accessible"}`}, 3, nil, 0, "list rules of branch"},
		{"another answer", "admin", func(*fakegithub.Repository) {}, &fakegithub.Fault{Match: "/rules/", Times: -1, Status: 200, Body: `{}`}, 3, nil, 0, "not what the API promises"},
		{"no branch", "admin", func(*fakegithub.Repository) {}, &fakegithub.Fault{Match: "/branches/main$", Times: -1, Status: 404, Body: `{"message":"Not Found"}`}, 3, nil, 0, ""},
		{"a stolen token", "stolen", func(*fakegithub.Repository) {}, nil, 3, nil, 0, "401"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := fakegithub.New(nil)
			repository := &fakegithub.Repository{
				FullName: "acme/shop", DefaultBranch: "main", Rules: map[string][]*fakegithub.Rule{},
				Commits: []*fakegithub.Commit{{Branch: "main", Message: "Begin\n", Author: fakegithub.Person{Name: "A", Email: "a@acme.example", Date: time.Unix(1, 0)}, Files: map[string]fakegithub.File{"a": {Text: "a"}}}},
			}
			c.change(repository)
			if err := w.Load(&fakegithub.Data{Repositories: []*fakegithub.Repository{repository}, Tokens: map[string]*fakegithub.Token{
				"admin": {User: fakegithub.User{Login: "maya"}}, "job": {User: fakegithub.User{Login: "github-actions[bot]"}, App: fakegithub.ActionsApp},
			}}); err != nil {
				t.Fatal(err)
			}
			if c.fault != nil {
				if err := w.Fault(*c.fault); err != nil {
					t.Fatal(err)
				}
			}
			server := httptest.NewServer(w)
			defer server.Close()
			var stdout, stderr bytes.Buffer
			env := map[string]string{"GITHUB_TOKEN": c.token, "GITHUB_REPOSITORY": "acme/shop", "GITHUB_API_URL": server.URL + "/api/v3"}
			m := &outside{stdout: &stdout, stderr: &stderr, getenv: func(name string) string { return env[name] }, now: time.Now, dir: dir}
			code := run(context.Background(), []string{"doctor", "--format", "json"}, m)
			var out doctorAnswer
			if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
				t.Fatalf("%v\n%s%s", err, stdout.Bytes(), stderr.Bytes())
			}
			var got []string
			for _, f := range out.Findings {
				got = append(got, f.Code)
			}
			if code != c.code || !slices.Equal(got, c.want) || len(out.NotLookedAt) != c.not || !strings.Contains(stderr.String(), c.says) {
				t.Errorf("exit code %d, want %d\nfound %q, want %q\nnot looked at %q\n%s", code, c.code, got, c.want, out.NotLookedAt, stderr.Bytes())
			}
			if strings.Contains(stdout.String()+stderr.String(), c.token) && c.token == "stolen" {
				t.Error("the token is shown")
			}
			if v := w.Violations(); len(v) > 0 {
				t.Errorf("violations: %q", v)
			}
		})
	}
}

func writeBelow(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
