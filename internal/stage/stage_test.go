package stage

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
)

const (
	repository = "north/harbour"
	token      = "ghs_t0ken"
	readOnly   = "ghs_read0nly"
	runID      = 900
	green      = `<testsuite name="crane"><testcase classname="crane" name="lifts"/><testcase classname="crane" name="lowers"/></testsuite>`
	red        = `<testsuite name="crane"><testcase classname="crane" name="lifts"/><testcase classname="crane" name="lowers" file="crane/low.go" line="7"><failure message="it fell"/></testcase></testsuite>`
	agreed     = `version: 1
applies_to: { agents: [claude] }
outcomes:
  - id: crane
    artifact: { files: "out/junit.xml", made_by: test }
    validators:
      - tests: { min_executed: 2 }
`
	said = "Mended.\n\n```json\n{\"outcome\": \"succeeded\", \"evidence\": [\"2 tests pass\"]}\n```\n"
)

// scene is a world, a workspace and what a run in it left.
type scene struct {
	t       *testing.T
	world   *fakegithub.World
	dir     string // workspace
	temp    string
	env     map[string]string
	head    string
	log     bytes.Buffer
	attempt int
}

// newScene is a sound pull request of an agent with a green run behind it.
func newScene(t *testing.T) *scene {
	t.Helper()
	return newSceneBy(t, time.Now)
}

// newSceneBy is the same with another clock of GitHub's.
func newSceneBy(t *testing.T, now func() time.Time) *scene {
	t.Helper()
	s := &scene{t: t, world: fakegithub.New(now), dir: t.TempDir(), temp: t.TempDir(), attempt: 1}
	who := fakegithub.Person{Name: "Claude", Email: "noreply@anthropic.com", Date: time.Unix(1772355600, 0)}
	body := said
	r := &fakegithub.Repository{
		FullName: repository, DefaultBranch: "main", Collaborators: map[string]string{"keeper": "write"},
		Commits: []*fakegithub.Commit{
			{Branch: "main", Message: "Begin\n", Author: who, Files: map[string]fakegithub.File{
				".github/outcome-contract.yml": {Text: agreed}, "crane/low.go": {Text: "package crane\n"},
			}},
			{Branch: "claude/mend", From: "main", Message: "Mend\n", Author: who, Files: map[string]fakegithub.File{"crane/low.go": {Text: "package crane // mended\n"}}},
		},
		Pulls: []*fakegithub.Pull{{
			Number: 7, Title: "Mend the crane", Body: &body, User: fakegithub.User{Login: "mira"}, HeadRef: "claude/mend", BaseRef: "main", CreatedAt: now(),
		}},
	}
	bot := fakegithub.User{Login: "github-actions[bot]"}
	if err := s.world.Load(&fakegithub.Data{
		Tokens: map[string]*fakegithub.Token{
			token:    {User: bot, App: fakegithub.ActionsApp},
			readOnly: {User: bot, App: fakegithub.ActionsApp, ReadOnly: true},
		},
		Repositories: []*fakegithub.Repository{r},
	}); err != nil {
		t.Fatal(err)
	}
	s.head = r.Branches["claude/mend"]
	started := now().Add(-10 * time.Minute)
	s.world.Change(func(d *fakegithub.Data) {
		var attempts []*fakegithub.Attempt
		for i := range 3 {
			attempts = append(attempts, &fakegithub.Attempt{StartedAt: started, UpdatedAt: started, Status: "in_progress", Jobs: []*fakegithub.Job{
				{ID: int64(902 + 10*i), Name: "judge", Status: "in_progress", CreatedAt: started, StartedAt: started, RunnerName: "Runner 4"},
			}})
		}
		d.Repositories[0].Runs = []*fakegithub.Run{{
			ID: runID, Workflow: "CI", WorkflowID: 3, Path: ".github/workflows/ci.yml", Event: "pull_request", HeadSHA: s.head, HeadBranch: "claude/mend", CreatedAt: started, Attempts: attempts,
		}}
	})
	server := httptest.NewServer(s.world)
	t.Cleanup(server.Close)
	t.Cleanup(func() {
		for _, v := range s.world.Violations() {
			t.Error("outside of GitHub's description:", v)
		}
	})
	s.env = map[string]string{
		"GITHUB_REPOSITORY": repository, "GITHUB_EVENT_NAME": "pull_request", "GITHUB_REF": "refs/pull/7/merge", "GITHUB_SHA": s.head,
		"GITHUB_RUN_ID": strconv.Itoa(runID), "GITHUB_JOB": "judge", "RUNNER_NAME": "Runner 4", "GITHUB_API_URL": server.URL + "/api/v3",
		"GITHUB_SERVER_URL": server.URL, "GITHUB_WORKSPACE": s.dir, "RUNNER_TEMP": s.temp,
		"INPUT_TOKEN": token, "INPUT_STEPS": `{"test":{"outcome":"success","conclusion":"success"}}`,
	}
	s.write("out/junit.xml", green)
	return s
}

func (s *scene) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// options are a stage's, with command files of its own.
func (s *scene) options() Options {
	s.env["GITHUB_RUN_ATTEMPT"] = strconv.Itoa(s.attempt)
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"} {
		s.env[name] = filepath.Join(s.temp, name)
	}
	s.log.Reset()
	return Options{Version: "test", Getenv: func(n string) string { return s.env[n] }, Log: &s.log, Clock: time.Now}
}

func (s *scene) file(name string) string {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.temp, name))
	if err != nil {
		return ""
	}
	return string(data)
}

// receipt reads the receipt and replays it.
func (s *scene) receipt() *receipt.Receipt {
	s.t.Helper()
	r, err := receipt.Parse([]byte(strings.TrimSpace(s.file(receiptName))))
	if err != nil {
		s.t.Fatal(err)
	}
	if d, err := receipt.Replay(r); err != nil || d != nil {
		s.t.Errorf("replay: %+v, %v", d, err)
	}
	return r
}

// shown is what stands on GitHub: the newest check run's conclusion and title, the newest status, the comments.
type shown struct {
	conclusion, check, title, status string
	checks, comments                 int
	comment                          string
}

func (s *scene) shown() (out shown) {
	s.world.Change(func(d *fakegithub.Data) {
		r := d.Repositories[0]
		for _, c := range r.CheckRuns {
			if c.HeadSHA != s.head {
				s.t.Errorf("a check run on %s", c.HeadSHA)
			}
			out.checks++
			out.conclusion, out.check = c.Conclusion, c.Name
			if c.Title != nil {
				out.title = *c.Title
			}
		}
		newest := int64(0)
		for _, st := range r.Statuses {
			if st.ID > newest {
				newest, out.status = st.ID, st.State
			}
		}
		for _, c := range r.Comments {
			if c.User.Login == "github-actions[bot]" {
				out.comments++
				out.comment = c.Body
			}
		}
	})
	return out
}

func (s *scene) change(f func(*fakegithub.Repository)) {
	s.world.Change(func(d *fakegithub.Data) { f(d.Repositories[0]) })
}

func (s *scene) contract(text string) {
	if _, err := s.world.Commit(repository, &fakegithub.Commit{Branch: "main", Message: "Agree\n", Files: map[string]fakegithub.File{".github/outcome-contract.yml": {Text: text}}}); err != nil {
		s.t.Fatal(err)
	}
}

// runsOn makes the run one of that head commit.
func (s *scene) runsOn(head string) {
	s.head, s.env["GITHUB_SHA"] = head, head
	s.change(func(r *fakegithub.Repository) { r.Runs[0].HeadSHA = head })
}

// TestSurfacesAgree holds every result against every surface.
func TestSurfacesAgree(t *testing.T) {
	for _, c := range []struct {
		name                             string
		prepare                          func(*scene)
		code                             int
		verdict, reason                  string
		conclusion, status, title, check string
	}{
		{name: "pass", verdict: "LIVE", reason: "verified", conclusion: "success", status: "success", title: "LIVE: 1 of 1"},
		{name: "false success", prepare: func(s *scene) { s.write("out/junit.xml", red) }, code: 1, verdict: "EXITED", reason: "false_success", conclusion: "failure", status: "failure", title: "EXITED (false success)"},
		{name: "missing", prepare: func(s *scene) { _ = os.RemoveAll(filepath.Join(s.dir, "out")) }, code: 1, verdict: "UNVERIFIABLE", reason: "evidence_incomplete", conclusion: "failure", status: "failure", title: "UNVERIFIABLE"},
		{name: "invalid contract", prepare: func(s *scene) { s.contract("version: 1\noutcome: []\n") }, code: 2, verdict: "none", reason: "contract_invalid", conclusion: "failure", status: "error", title: "Contract"},
		{name: "no contract", prepare: func(s *scene) {
			if _, err := s.world.Commit(repository, &fakegithub.Commit{Branch: "main", Message: "Drop\n", Files: map[string]fakegithub.File{".github/outcome-contract.yml": {Removed: true}}}); err != nil {
				s.t.Fatal(err)
			}
		}, code: 2, verdict: "none", reason: "contract_missing", conclusion: "failure", status: "error", title: "Contract"},
		{name: "protected change", prepare: func(s *scene) {
			if _, err := s.world.Commit(repository, &fakegithub.Commit{Branch: "claude/mend", Message: "CI\n", Files: map[string]fakegithub.File{".github/workflows/ci.yml": {Text: "on: push\n"}}}); err != nil {
				s.t.Fatal(err)
			}
			s.change(func(r *fakegithub.Repository) { s.head = r.Branches["claude/mend"] })
			s.runsOn(s.head)
		}, code: 4, verdict: "UNVERIFIABLE", reason: "protected_change", conclusion: "action_required", status: "pending", title: "Waiting for"},
		{name: "observe", prepare: func(s *scene) {
			s.contract(strings.Replace(agreed, "version: 1", "version: 1\nmode: observe", 1))
			s.write("out/junit.xml", red)
		}, verdict: "EXITED", reason: "false_success", conclusion: "success", title: "Observe:", check: "Outcome Gate (observe)"},
		{name: "draft at work", prepare: func(s *scene) {
			s.change(func(r *fakegithub.Repository) { b := "Working on it."; r.Pulls[0].Draft, r.Pulls[0].Body = true, &b })
		}, code: 4, verdict: "UNVERIFIABLE", reason: "still_working", conclusion: "action_required", status: "pending", title: "Waiting for"},
		{name: "no steps", prepare: func(s *scene) { delete(s.env, "INPUT_STEPS") }, code: 1, verdict: "UNVERIFIABLE", reason: "evidence_incomplete", conclusion: "failure", status: "failure", title: "UNVERIFIABLE"},
		{name: "agent killed", prepare: func(s *scene) { s.env["INPUT_AGENT-EXIT-STATUS"] = "137" }, code: 1, verdict: "EXITED", reason: "exit_nonzero", conclusion: "failure", status: "failure", title: "EXITED"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t)
			if c.prepare != nil {
				c.prepare(s)
			}
			code := Main(context.Background(), s.options())
			r, on, outputs := s.receipt(), s.shown(), s.file("GITHUB_OUTPUT")
			if code != c.code || string(r.Verdict) != c.verdict || string(r.Reason) != c.reason {
				t.Errorf("exit %d, %s %s (%s)\n%s", code, r.Verdict, r.Reason, r.Scope.Look, s.log.String())
			}
			if on.conclusion != c.conclusion || on.status != c.status || !strings.HasPrefix(on.title, c.title) {
				t.Errorf("on GitHub: %+v", on)
			}
			if want := c.check; want != "" && on.check != want {
				t.Errorf("the check run is named %q", on.check)
			}
			for name, value := range map[string]string{"verdict": c.verdict, "reason": c.reason, "result": string(r.Result), "receipt-digest": r.Digest} {
				if !strings.Contains(outputs, name+"<<") || !strings.Contains(outputs, "\n"+value+"\n") {
					t.Errorf("output %s is not %q in\n%s", name, value, outputs)
				}
			}
			if !strings.Contains(s.file("GITHUB_STEP_SUMMARY"), "## ") || on.comments != 1 || !strings.Contains(on.comment, `"verdict": "`+c.verdict+`"`) {
				t.Errorf("summary or comment: %d comments, %q", on.comments, on.comment)
			}
		})
	}
}

func TestPlainRunRequests(t *testing.T) {
	s := newScene(t)
	s.checkOut(agreed)
	if code := Main(context.Background(), s.options()); code != 0 {
		t.Fatalf("exit %d\n%s", code, s.log.String())
	}
	var list []string
	for _, q := range s.world.Requests() {
		list = append(list, q.Method+" "+q.URI)
	}
	if len(list) > 14 {
		t.Errorf("%d requests, at most 14:\n%s", len(list), strings.Join(list, "\n"))
	}
	doc, err := os.ReadFile("../../docs/action.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(doc), "<!-- requests:begin -->")
	table, _, _ = strings.Cut(table, "<!-- requests:end -->")
	var said []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([A-Z]+ [^`]+)`").FindAllStringSubmatch(table, -1) {
		said = append(said, m[1])
	}
	plain := strings.NewReplacer("/repos/"+repository+"/", "")
	sha, number, branch := regexp.MustCompile(`[0-9a-f]{40}`), regexp.MustCompile(`/[0-9]+\b`), regexp.MustCompile(`heads/main$`)
	var made []string
	for _, l := range list {
		l, _, _ = strings.Cut(plain.Replace(l), "?")
		made = append(made, number.ReplaceAllString(branch.ReplaceAllString(sha.ReplaceAllString(l, "SHA"), "heads/BRANCH"), "/N"))
	}
	slices.Sort(said) // where the checkout holds the test merge commit the jobs are read later
	slices.Sort(made)
	if !slices.Equal(said, made) {
		t.Errorf("the documentation names\n%s\na plain run makes\n%s", strings.Join(said, "\n"), strings.Join(made, "\n"))
	}
	t.Logf("%d requests:\n%s", len(list), strings.Join(list, "\n"))
}

// TestRunsOverRuns holds that three runs leave one comment, a check run each, and that an older run changes
// nothing that a newer one wrote.
func TestRunsOverRuns(t *testing.T) {
	s := newScene(t)
	for attempt := 1; attempt <= 3; attempt++ {
		s.attempt = attempt
		if attempt == 2 {
			s.write("out/junit.xml", red)
		}
		Main(context.Background(), s.options())
	}
	on := s.shown()
	if on.checks != 3 || on.comments != 1 || on.status != "failure" || !strings.Contains(on.comment, `"run_attempt": 3`) {
		t.Errorf("after three runs: %+v", on)
	}
	s.attempt = 1
	s.write("out/junit.xml", green)
	if code := Main(context.Background(), s.options()); code != 0 {
		t.Errorf("the older run itself exits %d", code)
	}
	if again := s.shown(); again.comment != on.comment || again.status != "failure" {
		t.Errorf("an older run wrote over a newer one: %+v", again)
	}
}

func TestReadOnlyToken(t *testing.T) {
	for name, xml := range map[string]string{"pass": green, "block": red} {
		s := newScene(t)
		s.write("out/junit.xml", xml)
		want := Main(context.Background(), s.options())
		other := newScene(t)
		other.write("out/junit.xml", xml)
		other.env["INPUT_TOKEN"] = readOnly
		if got := Main(context.Background(), other.options()); got != want {
			t.Errorf("%s: exit %d with a read-only token, %d else", name, got, want)
		}
		if on := other.shown(); on.checks+on.comments != 0 || on.status != "" {
			t.Errorf("%s: something was posted: %+v", name, on)
		}
		if log := other.log.String(); !strings.Contains(log, "checks: write") || !strings.Contains(log, "statuses: write") {
			t.Errorf("%s: the log does not say what is missing:\n%s", name, log)
		}
	}
}

func TestRequiredSurface(t *testing.T) {
	for _, surface := range []string{"check-run", "status", "comment"} {
		s := newScene(t)
		s.env["INPUT_TOKEN"], s.env["INPUT_"+strings.ToUpper(surface)] = readOnly, "required"
		if code := Main(context.Background(), s.options()); code != 3 {
			t.Errorf("%s is required and refused: exit %d", surface, code)
		}
		if r := s.receipt(); r.Verdict != "LIVE" || r.Result != "pass" {
			t.Errorf("%s: the receipt changed to %s %s", surface, r.Verdict, r.Result)
		}
	}
}

func TestInterrupted(t *testing.T) {
	s := newScene(t)
	ctx, stop := context.WithCancel(context.Background())
	o := s.options()
	base := o.Clock
	o.Clock = func() time.Time {
		if len(s.world.Requests()) >= 8 { // the check run is begun, and the contract is being read
			stop()
		}
		return base()
	}
	code := Main(ctx, o)
	stop()
	on := s.shown()
	if code != 3 || on.conclusion != "cancelled" || on.status != "" || on.comments != 0 {
		t.Errorf("exit %d, %+v\n%s", code, on, s.log.String())
	}
}

// TestPost holds that the last stage completes what a killed run left, and nothing else.
func TestPost(t *testing.T) {
	s := newScene(t)
	mine, other, done := "outcome-gate:900:1", "outcome-gate:899:1", "completed"
	s.change(func(r *fakegithub.Repository) {
		r.CheckRuns = []*fakegithub.CheckRun{
			{ID: 31, App: fakegithub.ActionsApp, Suite: 900, Name: "Outcome Gate", HeadSHA: s.head, Status: "in_progress", ExternalID: mine},
			{ID: 32, App: fakegithub.ActionsApp, Suite: 900, Name: "Outcome Gate", HeadSHA: s.head, Status: "in_progress", ExternalID: other},
			{ID: 33, App: fakegithub.ActionsApp, Suite: 900, Name: "Outcome Gate", HeadSHA: s.head, Status: done, Conclusion: "success", ExternalID: mine},
		}
	})
	for _, id := range []string{"32", "33", "77", "x", "", "-1", "31"} {
		s.env["STATE_"+stateCheck] = id
		if code := Post(context.Background(), s.options()); code != 0 {
			t.Errorf("state %q: exit %d", id, code)
		}
	}
	s.change(func(r *fakegithub.Repository) {
		for i, want := range []string{"cancelled", "", "success"} {
			if got := r.CheckRuns[i].Conclusion; got != want {
				t.Errorf("check run %d is %q, want %q", r.CheckRuns[i].ID, got, want)
			}
		}
	})
}

// TestForeignMarkers holds that others' comments and check runs of our name stay as they are and are not believed.
func TestForeignMarkers(t *testing.T) {
	s := newScene(t)
	first := newScene(t)
	Main(context.Background(), first.options())
	copied := first.shown().comment
	s.change(func(r *fakegithub.Repository) {
		r.Comments = []*fakegithub.Comment{{ID: 11, Issue: 7, Body: copied, User: fakegithub.User{Login: "drifter"}, CreatedAt: time.Now(), UpdatedAt: time.Now()}}
		r.CheckRuns = []*fakegithub.CheckRun{{ID: 31, App: fakegithub.ActionsApp, Suite: 5, Name: "Outcome Gate", HeadSHA: s.head, Status: "completed", Conclusion: "success", ExternalID: "forged"}}
	})
	s.write("out/junit.xml", red)
	if code := Main(context.Background(), s.options()); code != 1 {
		t.Errorf("exit %d", code)
	}
	s.change(func(r *fakegithub.Repository) {
		if r.Comments[0].Body != copied || len(r.Comments) != 2 || r.CheckRuns[0].Conclusion != "success" || len(r.CheckRuns) != 2 {
			t.Errorf("%d comments, %d check runs, or a foreign one was edited", len(r.Comments), len(r.CheckRuns))
		}
	})
}

func TestInputMistakes(t *testing.T) {
	for name, set := range map[string][2]string{
		"steps": {"INPUT_STEPS", `{"test":`}, "needs": {"INPUT_NEEDS", `[]`}, "time": {"INPUT_RUN-STARTED-AT", "yesterday"},
		"token": {"INPUT_TOKEN", "a b"}, "status": {"INPUT_STATUS", "maybe"}, "ca": {"INPUT_CA-FILE", "../../etc/passwd"},
	} {
		s := newScene(t)
		s.env[set[0]] = set[1]
		if code := Main(context.Background(), s.options()); code != 2 {
			t.Errorf("%s: exit %d\n%s", name, code, s.log.String())
		}
		if code := Pre(context.Background(), s.options()); name != "steps" && name != "needs" && name != "time" && code != 2 {
			t.Errorf("%s: the pre stage exits %d", name, code)
		}
	}
	s := newScene(t)
	if code := Pre(context.Background(), s.options()); code != 0 {
		t.Errorf("sound inputs: the pre stage exits %d\n%s", code, s.log.String())
	}
	s.env["GITHUB_EVENT_NAME"] = "release"
	if code := Main(context.Background(), s.options()); code != 3 {
		t.Errorf("an event that is not judged: exit %d", code)
	}
}

func TestBlockIsJSON(t *testing.T) {
	s := newScene(t)
	Main(context.Background(), s.options())
	_, rest, _ := strings.Cut(s.shown().comment, "```outcome-verdict\n")
	text, _, _ := strings.Cut(rest, "\n```")
	var b map[string]any
	if err := json.Unmarshal([]byte(text), &b); err != nil || b["head_sha"] != s.head || b["next"] != "none" {
		t.Errorf("%v in %s", err, text)
	}
}

// TestCertificatesFromTheWorkspace holds that the change cannot choose who may answer as GitHub.
func TestCertificatesFromTheWorkspace(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	bundle := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	for _, c := range []struct {
		name string
		file func(s *scene) string
		code int
	}{
		{"in the workspace", func(s *scene) string { return filepath.Join(s.dir, "ca.pem") }, 2},
		{"of the workspace, by a path through the other folder", func(s *scene) string {
			rel, _ := filepath.Rel(s.temp, filepath.Join(s.dir, "ca.pem"))
			return rel
		}, 2},
		{"a link to the workspace", func(s *scene) string {
			if err := os.Symlink(filepath.Join(s.dir, "ca.pem"), filepath.Join(s.temp, "link.pem")); err != nil {
				t.Fatal(err)
			}
			return "link.pem"
		}, 2},
		{"relative, which is the temporary folder", func(*scene) string { return "ca.pem" }, 0},
		{"in the temporary folder", func(s *scene) string { return filepath.Join(s.temp, "ca.pem") }, 0},
	} {
		s := newScene(t)
		s.write("ca.pem", bundle)
		if err := os.WriteFile(filepath.Join(s.temp, "ca.pem"), []byte(bundle), 0o600); err != nil {
			t.Fatal(err)
		}
		s.env["INPUT_CA-FILE"] = c.file(s)
		code := Pre(context.Background(), s.options())
		if log := s.log.String(); code != c.code || c.code != 0 && !strings.Contains(log, "in the workspace the change itself could write it") {
			t.Errorf("%s: exit %d\n%s", c.name, code, log)
		}
	}
}
