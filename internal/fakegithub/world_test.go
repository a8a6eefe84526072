package fakegithub

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// noon is when the tests happen.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// newestHead stands in the fixture for the head of pull request 7.
const newestHead = "1111111111111111111111111111111111111111"

// server is a world with a client that asks it.
type server struct {
	t *testing.T
	*World
	url  string
	now  time.Time
	head string // of pull request 7
}

// start serves the fixture. The head's name is known only when its commit is made, so the fixture is loaded
// once to learn it.
func start(t *testing.T) *server {
	t.Helper()
	raw, err := os.ReadFile("testdata/world.json")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, now: noon}
	s.World = New(func() time.Time { return s.now })
	// The pull request whose fork is gone keeps its commit.
	lost := `{"sha": "` + newestHead + `", "message": "Lost", "files": {}, "author": {"name": "", "email": "", "date": "2026-03-01T09:00:00Z"}},`
	world := strings.Replace(string(raw), `"commits": [`, `"commits": [`+lost, 1)
	if err := s.Read(strings.NewReader(world)); err != nil {
		t.Fatal(err)
	}
	s.head = s.data.Repositories[0].Branches["feature/turn"]
	world = strings.ReplaceAll(world, newestHead, s.head)
	world = strings.Replace(world, `"sha": "`+s.head+`", "message": "Lost"`, `"sha": "`+newestHead+`", "message": "Lost"`, 1)
	world = strings.Replace(world, `"head_sha": "`+s.head+`", "base_ref"`, `"head_sha": "`+newestHead+`", "base_ref"`, 1)
	if err := s.Read(strings.NewReader(world)); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.World)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// reply is what came back.
type reply struct {
	status int
	header http.Header
	body   string
}

// get reads a JSON value of the reply by keys and indices.
func (r reply) get(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), v); err != nil {
		t.Fatalf("%v in %s", err, r.body)
	}
}

// ask sends a request as a token and gives the reply, whatever it is.
func (s *server) ask(token, method, path, body string, header ...string) reply {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(got)}
}

// want asks as the workflow's token and expects a status.
func (s *server) want(status int, method, path, body string) reply {
	s.t.Helper()
	r := s.ask("job", method, path, body)
	if r.status != status {
		s.t.Fatalf("%s %s: status %d, want %d: %s", method, path, r.status, status, r.body)
	}
	return r
}

// fits expects that all requests and responses so far fitted the description.
func (s *server) fits() {
	s.t.Helper()
	for _, v := range s.Violations() {
		s.t.Error("violation:", v)
	}
}

// TestRoutesAreTheDescription holds the routes, the list that openapi.json was cut by, and the description to
// one another.
func TestRoutesAreTheDescription(t *testing.T) {
	doc, err := description()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("operations.txt")
	if err != nil {
		t.Fatal(err)
	}
	described := 0
	for _, item := range doc.Paths.Map() {
		described += len(item.Operations())
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	if len(lines) != len(routes()) || described != len(routes()) {
		t.Fatalf("%d routes, %d lines in operations.txt, %d operations described", len(routes()), len(lines), described)
	}
	for i, r := range routes() {
		item := doc.Paths.Value(r.template())
		if lines[i] != r.operation || item == nil || item.GetOperation(r.method()) == nil {
			t.Errorf("%s is not described, or line %d of operations.txt is %q", r.operation, i+1, lines[i])
		}
	}
}

// TestEveryOperationFits asks every operation once, at both roots, and finds nothing that GitHub's
// description does not have.
func TestEveryOperationFits(t *testing.T) {
	const r = "/repos/acme/widgets"
	for _, root := range []string{"", prefix} {
		s := start(t)
		tree := s.objects.commits[s.head].Tree
		blob := Blob([]byte("new\n"))
		asked := map[string]bool{}
		for _, q := range []struct {
			status             int
			method, path, body string
		}{
			{200, "GET", "", ""},
			{302, "GET", "/actions/artifacts/951/zip", ""},
			{404, "GET", "/actions/artifacts/951/tar", ""},
			{410, "GET", "/actions/artifacts/952/zip", ""},
			{200, "GET", "/actions/jobs/902", ""},
			{200, "GET", "/actions/runs?head_sha=" + s.head, ""},
			{200, "GET", "/actions/runs/900", ""},
			{200, "GET", "/actions/runs/900/approvals", ""},
			{200, "GET", "/actions/runs/900/artifacts?name=results&direction=asc", ""},
			{200, "GET", "/actions/runs/900/attempts/1", ""},
			{200, "GET", "/actions/runs/900/attempts/2/jobs?per_page=1", ""},
			{200, "GET", "/actions/runs/900/pending_deployments", ""},
			{200, "GET", "/branches/feature/turn", ""},
			{201, "POST", "/check-runs", `{"name":"Gate","head_sha":"` + s.head + `","status":"in_progress"}`},
			{200, "GET", "/check-runs/31", ""},
			{200, "GET", "/collaborators/maya/permission", ""},
			{200, "GET", "/commits/" + s.head + "/pulls", ""},
			{200, "GET", "/commits/feature/turn", ""},
			{200, "GET", "/commits/" + s.head + "/check-runs?filter=all", ""},
			{200, "GET", "/commits/feature/turn/status", ""},
			{200, "GET", "/commits/" + s.head + "/statuses", ""},
			{200, "GET", "/compare/main...feature/turn", ""},
			{200, "GET", "/contents/docs/guide.md?ref=main", ""},
			{200, "GET", "/contents/docs/nowhere?ref=main", ""},
			{200, "GET", "/contents/docs?ref=main", ""},
			{200, "GET", "/contents/third/party", ""},
			{200, "GET", "/environments/live%2Feu", ""},
			{404, "GET", "/environments/gone", ""},
			{200, "GET", "/git/blobs/" + blob, ""},
			{200, "GET", "/git/ref/heads/feature/turn", ""},
			{200, "GET", "/git/trees/" + tree + "?recursive=1", ""},
			{200, "PATCH", "/issues/comments/11", `{"body":"Nicer"}`},
			{200, "GET", "/issues/7/comments", ""},
			{201, "POST", "/issues/7/comments", `{"body":"So"}`},
			{200, "GET", "/issues/7/events", ""},
			{200, "GET", "/pulls?state=all&head=acme:feature/turn", ""},
			{200, "GET", "/pulls/7", ""},
			{200, "GET", "/pulls/7/commits", ""},
			{200, "GET", "/pulls/7/files", ""},
			{200, "GET", "/pulls/7/reviews", ""},
			{200, "GET", "/rules/branches/main", ""},
			{201, "POST", "/statuses/" + s.head, `{"state":"success","context":"gate"}`},
			{204, "DELETE", "/issues/comments/11", ""},
		} {
			s.want(q.status, q.method, root+r+q.path, q.body)
			req := httptest.NewRequestWithContext(t.Context(), q.method, r+q.path, nil)
			if rt, _, found := match(req); found {
				asked[rt.operation] = true
			}
		}
		var runs struct {
			CheckRuns []struct {
				ID int64 `json:"id"`
			} `json:"check_runs"`
		}
		s.want(200, "GET", r+"/commits/"+s.head+"/check-runs?check_name=Gate", "").get(t, &runs)
		if len(runs.CheckRuns) != 1 {
			t.Fatalf("%d check runs of the name that was made, want 1", len(runs.CheckRuns))
		}
		s.want(200, "PATCH", r+"/check-runs/"+itoa(runs.CheckRuns[0].ID), `{"status":"completed","conclusion":"success"}`)
		asked["PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}"] = true
		if r := s.ask("person", "GET", root+"/user", ""); r.status != 200 || !strings.Contains(r.body, `"login":"maya"`) {
			t.Errorf("a personal token's user: %d %s", r.status, r.body)
		}
		if r := s.ask("job", "GET", root+"/user", ""); r.status != 403 {
			t.Errorf("an installation is a user: %d", r.status)
		}
		asked["GET /user"] = true
		if r := s.ask("person", "GET", root+r+"/actions/permissions/workflow", ""); r.status != 200 || !strings.Contains(r.body, `"read"`) {
			t.Errorf("the settings of workflows: %d %s", r.status, r.body)
		}
		if r := s.ask("job", "GET", root+r+"/actions/permissions/workflow", ""); r.status != 403 {
			t.Errorf("a workflow's own token reads settings: %d", r.status)
		}
		asked["GET /repos/{owner}/{repo}/actions/permissions/workflow"] = true
		if r := s.ask("person", "GET", root+"/orgs/acme/teams/core/members", ""); r.status != 200 || !strings.Contains(r.body, `"login":"maya"`) {
			t.Errorf("the members of a team: %d %s", r.status, r.body)
		}
		if r := s.ask("job", "GET", root+"/orgs/acme/teams/core/members", ""); r.status != 403 {
			t.Errorf("a workflow's own token reads members: %d", r.status)
		}
		asked["GET /orgs/{org}/teams/{team_slug}/members"] = true
		for _, rt := range routes() {
			if !asked[rt.operation] {
				t.Errorf("%s was not asked", rt.operation)
			}
		}
		s.fits()
	}
}

// TestMisfitsAreSeen sends what GitHub would not understand: each is refused and listed.
func TestMisfitsAreSeen(t *testing.T) {
	many := strings.Repeat(`{"path":"a","start_line":1,"end_line":1,"annotation_level":"notice","message":"m"},`, 51)
	for name, q := range map[string]struct{ method, path, body, says string }{
		"unknown operation":   {"GET", "/repos/acme/widgets/nothing", "", "no such operation"},
		"unknown method":      {"DELETE", "/repos/acme/widgets/pulls/7", "", "no such operation"},
		"unknown parameter":   {"GET", "/repos/acme/widgets/pulls/7?wat=1", "", `no query parameter "wat"`},
		"word for a number":   {"GET", "/repos/acme/widgets/pulls/seven", "", "pull_number"},
		"body of a read":      {"GET", "/repos/acme/widgets/pulls/7", "{}", "body not allowed"},
		"unknown status":      {"POST", "/repos/acme/widgets/check-runs", `{"name":"n","head_sha":"s","status":"waiting"}`, "status"},
		"unknown conclusion":  {"POST", "/repos/acme/widgets/check-runs", `{"name":"n","head_sha":"s","conclusion":"passed"}`, "conclusion"},
		"no head":             {"POST", "/repos/acme/widgets/check-runs", `{"name":"n"}`, "head_sha"},
		"output without text": {"POST", "/repos/acme/widgets/check-runs", `{"name":"n","head_sha":"s","output":{"title":"t"}}`, "summary"},
		"51 annotations": {
			"POST", "/repos/acme/widgets/check-runs",
			`{"name":"n","head_sha":"s","output":{"title":"t","summary":"s","annotations":[` + strings.TrimSuffix(many, ",") + `]}}`, "annotations",
		},
		"not JSON":      {"POST", "/repos/acme/widgets/check-runs", `{`, "decode request body"},
		"unknown state": {"POST", "/repos/acme/widgets/statuses/" + newestHead, `{"state":"good"}`, "state"},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			if r := s.ask("job", q.method, q.path, q.body); r.status != 422 && r.status != 404 {
				t.Errorf("status %d: %s", r.status, r.body)
			}
			got := s.Violations()
			if len(got) != 1 || !strings.Contains(got[0], q.says) {
				t.Errorf("violations %q, want one with %q", got, q.says)
			}
		})
	}
}

// TestBadAnswerIsSeen shows that an answer of this package's own that does not fit is listed as well.
func TestBadAnswerIsSeen(t *testing.T) {
	s := start(t)
	s.Change(func(d *Data) { d.Repositories[0].Runs[0].Attempts[1].Jobs[0].Status = "humming" })
	s.want(200, "GET", "/repos/acme/widgets/actions/jobs/902", "")
	if got := s.Violations(); len(got) != 1 || !strings.Contains(got[0], "response to GET /repos/acme/widgets/actions/jobs/902") {
		t.Errorf("violations %q", got)
	}
}

func TestWorldsThatCannotBe(t *testing.T) {
	for name, c := range map[string]struct{ world, says string }{
		"unknown key":     {`{"repos":[]}`, `unknown field "repos"`},
		"key of a file":   {`{"repositories":[{"full_name":"a/b","commits":[{"files":{"x":{"texts":""}}}]}]}`, `unknown field "texts"`},
		"no owner":        {`{"repositories":[{"full_name":"b"}]}`, "no owner/name"},
		"no parent":       {`{"repositories":[{"full_name":"a/b","commits":[{"branch":"m","from":"x"}]}]}`, `there is no parent "x"`},
		"no commit":       {`{"repositories":[{"full_name":"a/b","branches":{"m":"x"}}]}`, `there is no commit "x"`},
		"no head":         {`{"repositories":[{"full_name":"a/b","pulls":[{"number":1,"head_ref":"x","base_ref":"y"}]}]}`, "no commit at its head or base"},
		"no attempt":      {`{"repositories":[{"full_name":"a/b","runs":[{"id":1}]}]}`, "has no attempt"},
		"mode":            {`{"repositories":[{"full_name":"a/b","commits":[{"files":{"x":{"mode":"100600"}}}]}]}`, `mode "100600"`},
		"empty segment":   {`{"repositories":[{"full_name":"a/b","commits":[{"files":{"x//y":""}}]}]}`, "no path"},
		"file and folder": {`{"repositories":[{"full_name":"a/b","commits":[{"files":{"x":"","x/y":""}}]}]}`, "a file and a folder"},
		"submodule":       {`{"repositories":[{"full_name":"a/b","commits":[{"files":{"x":{"mode":"160000","text":"z"}}}]}]}`, "no object name"},
	} {
		t.Run(name, func(t *testing.T) {
			err := New(nil).Read(strings.NewReader(c.world))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
