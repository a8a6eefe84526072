package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/e2e/runstep"
	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/render"
)

// Names that people see.
const (
	checkName     = "Outcome Gate"
	statusContext = "outcome-gate/verdict"
	receiptName   = "outcome-gate-receipt.json"
)

// answer is what every surface of a run has to say alike.
type answer struct {
	exit       int
	result     string
	verdict    string
	reason     string
	title      string // of the check run, whole
	conclusion string // of the check run
	status     string // state of the commit status; empty: none was posted
	silent     bool   // nothing could be posted
	checkName  string // empty: the default
	sha        string // empty: the pull request's head
	noComment  bool
}

// agree holds every surface of the run to one answer.
func (s *scene) agree(t *testing.T, want answer) {
	t.Helper()
	if want.sha == "" {
		want.sha = s.hub.head
	}
	if want.checkName == "" {
		want.checkName = checkName
	}
	out := s.step.Result.Outputs
	if got := s.step.Result.Exit[runstep.Main]; got != want.exit {
		t.Errorf("exit code %d, want %d", got, want.exit)
	}
	for name, value := range map[string]string{"result": want.result, "verdict": want.verdict, "reason": want.reason} {
		if out[name] != value {
			t.Errorf("output %s is %q, want %q", name, out[name], value)
		}
	}
	s.agreeReceipt(t, want)
	if want.silent {
		return
	}
	s.agreeCheckRun(t, want)
	if got := s.status(want.sha); got != want.status {
		t.Errorf("commit status %q, want %q", got, want.status)
	}
	s.agreeComment(t, want)
}

// agreeReceipt holds receipt file, its digest, its replay and the job summary to the answer.
func (s *scene) agreeReceipt(t *testing.T, want answer) {
	t.Helper()
	r := s.receipt(t)
	if r == nil {
		return
	}
	if string(r.Result) != want.result || string(r.Verdict) != want.verdict || string(r.Reason) != want.reason {
		t.Errorf("the receipt says %s, %s, %s", r.Result, r.Verdict, r.Reason)
	}
	if got := s.step.Result.Outputs["receipt-digest"]; got != r.Digest || r.Digest == "" {
		t.Errorf("output receipt-digest is %q, the receipt has %q", got, r.Digest)
	}
	if d, err := receipt.Replay(r); err != nil || d != nil {
		t.Errorf("the receipt replays with the difference %v, error %v", d, err)
	}
	if got := render.Title(r); got != want.title {
		t.Errorf("the receipt's title is %q, want %q", got, want.title)
	}
	if got := plainHeading(s.step.Result.Summary); got != want.title {
		t.Errorf("the summary's heading is %q, want %q", got, want.title)
	}
}

// receipt reads the receipt file of the run, or nil where there is none, which is an error of the case.
func (s *scene) receipt(t *testing.T) *receipt.Receipt {
	t.Helper()
	data, err := os.ReadFile(s.receiptPath())
	if err != nil {
		t.Errorf("receipt file: %v", err)
		return nil
	}
	// Later steps find it as ${{ runner.temp }}/NAME: a path in the container would be of no use to them.
	if got := s.step.Result.Outputs["receipt-path"]; got != receiptName {
		t.Errorf("output receipt-path is %q, want %q", got, receiptName)
	}
	r, err := receipt.Parse(data)
	if err != nil {
		t.Errorf("receipt file: %v", err)
		return nil
	}
	return r
}

func (s *scene) receiptPath() string {
	return filepath.Join(s.job.Temp(), receiptName)
}

// agreeCheckRun wants exactly one check run of this run and attempt, on the right commit.
func (s *scene) agreeCheckRun(t *testing.T, want answer) {
	t.Helper()
	runs := s.checkRuns()
	if len(runs) != 1 {
		t.Errorf("%d check runs of run %d attempt %d, want one", len(runs), s.run, s.try)
		return
	}
	c := runs[0]
	if c.HeadSHA != want.sha {
		t.Errorf("the check run is on %s, want %s", s.hub.place(c.HeadSHA), s.hub.place(want.sha))
	}
	if c.Status != "completed" || c.Conclusion != want.conclusion || c.Name != want.checkName || c.App != fakegithub.ActionsApp {
		t.Errorf("check run %q of app %d is %s, %q; want %q completed, %q", c.Name, c.App, c.Status, c.Conclusion, want.checkName, want.conclusion)
	}
	if c.Title == nil || *c.Title != want.title {
		t.Errorf("the check run's title is %v, want %q", deref(c.Title), want.title)
	}
	if want.title != "" && (c.Summary == nil || *c.Summary == "") {
		t.Error("the check run has no summary")
	}
}

// checkRuns are those that this run and attempt made.
func (s *scene) checkRuns() []fakegithub.CheckRun {
	id := fmt.Sprintf("outcome-gate:%d:%d", s.run, s.try)
	var out []fakegithub.CheckRun
	s.hub.repo(func(r *fakegithub.Repository) {
		for _, c := range r.CheckRuns {
			if c.ExternalID == id {
				out = append(out, *c)
			}
		}
	})
	return out
}

// status is the newest state of our context at a commit.
func (s *scene) status(sha string) string {
	state := ""
	s.hub.repo(func(r *fakegithub.Repository) {
		for _, st := range r.Statuses { // in the order they were made
			if st.SHA == sha && st.Context == statusContext {
				state = st.State
			}
		}
	})
	return state
}

// verdictBlock is what the comment says to the agent.
type verdictBlock struct {
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
	Result  string `json:"result"`
}

var reVerdictBlock = regexp.MustCompile("(?ms)^```outcome-verdict\n(.*?)\n```$")

// agreeComment wants one comment of ours with the answer's title and block.
func (s *scene) agreeComment(t *testing.T, want answer) {
	t.Helper()
	comments := s.hub.comments(botLogin)
	switch {
	case want.noComment && len(comments) == 0:
		return
	case want.noComment, len(comments) != 1:
		t.Errorf("%d comments of ours, want one: %t", len(comments), !want.noComment)
		return
	}
	if got := plainHeading(comments[0].Body); got != want.title {
		t.Errorf("the comment's heading is %q, want %q", got, want.title)
	}
	block := reVerdictBlock.FindStringSubmatch(comments[0].Body)
	if block == nil {
		t.Errorf("the comment has no outcome-verdict block:\n%s", comments[0].Body)
		return
	}
	var got verdictBlock
	if err := json.Unmarshal([]byte(block[1]), &got); err != nil || got.Verdict != want.verdict || got.Reason != want.reason {
		t.Errorf("the comment's block says %+v (%v): %s", got, err, block[1])
	}
}

// comments are those of one author on the pull request.
func (h *hub) comments(login string) []fakegithub.Comment {
	var out []fakegithub.Comment
	h.repo(func(r *fakegithub.Repository) {
		for _, c := range r.Comments {
			if c.User.Login == login {
				out = append(out, *c)
			}
		}
	})
	return out
}

// always holds what no run may do, whatever comes of it.
func (s *scene) always(t *testing.T) {
	t.Helper()
	r := &s.step.Result
	for _, e := range r.Errors {
		t.Errorf("the runner complains: %s", e)
	}
	if got := s.step.Undeclared(); len(got) > 0 {
		t.Errorf("outputs that action.yml does not declare: %q", got)
	}
	if got, err := s.job.Foreign(); err != nil || len(got) > 0 {
		t.Errorf("left in the workspace by another user: %q (%v)", got, err)
	}
	if len(r.Env) > 0 || len(r.Path) > 0 {
		t.Errorf("it set the job's environment: %v, path %v", r.Env, r.Path)
	}
	// The words that we write ourselves. What they say is escaped by the runner's own rules.
	ours := []string{"add-mask", "debug", "notice", "warning", "error", "group", "endgroup", "stop-commands"}
	for _, c := range r.Commands {
		if !slices.Contains(ours, c.Name) || c.Legacy {
			t.Errorf("the log holds the workflow command %+v", c)
		}
	}
	for _, secret := range []string{writeToken, readToken, wrongToken} {
		for _, l := range r.Lines {
			if strings.Contains(l.Text, secret) && l.Text != "::add-mask::"+secret {
				t.Errorf("the log holds the token: %q", l.Text)
			}
		}
		if strings.Contains(r.Summary+fmt.Sprint(r.Outputs, r.State), secret) {
			t.Error("summary, outputs or state hold the token")
		}
	}
}

// heading is the first heading of a Markdown text.
var heading = regexp.MustCompile(`(?m)^## (.*)$`)

// plainHeading is the first heading without what Markdown makes of it.
func plainHeading(markdown string) string {
	m := heading.FindStringSubmatch(markdown)
	if m == nil {
		return ""
	}
	return pageOf("## " + m[1]).heading
}

// place says what a commit is to the case.
func (h *hub) place(sha string) string {
	switch sha {
	case h.head:
		return "the head commit"
	case h.merge:
		return "the merge commit"
	case h.base:
		return "the base commit"
	}
	return sha
}

func deref(s *string) string {
	if s == nil {
		return "(none)"
	}
	return *s
}

func remove(t *testing.T, s *scene, path string) {
	t.Helper()
	must(t, os.Remove(filepath.Join(s.job.Workspace(), path)))
}

// keep leaves what people see in the folder that GATE_E2E_KEEP names, one folder a run, to be looked at.
func (s *scene) keep(t *testing.T) {
	t.Helper()
	folder := os.Getenv("GATE_E2E_KEEP")
	if folder == "" {
		return
	}
	folder = filepath.Join(folder, strings.ReplaceAll(t.Name(), "/", "-"), fmt.Sprintf("%d-%d", s.run, s.try))
	must(t, os.MkdirAll(folder, 0o755))
	shown := map[string]string{"summary.md": s.step.Result.Summary, "log.txt": s.step.Result.Log(runstep.Main)}
	for _, c := range s.hub.comments(botLogin) {
		shown["comment.md"] = c.Body
	}
	for _, c := range s.checkRuns() {
		shown["check-run.md"] = "# " + deref(c.Title) + "\n\n" + deref(c.Summary)
	}
	for name, text := range shown {
		must(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
}
