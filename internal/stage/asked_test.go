package stage

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// askedScene is a run on the default branch, beside a pull request whose own run ended with an upload. The pull request
// has one comment, which the event is about.
func askedScene(t *testing.T, event, by, body string) *scene {
	t.Helper()
	s := apartScene(t)
	s.contract(uploaded + "report: { carriers: [body, comment], comment_authors: [scribe] }\n")
	delete(s.env, "INPUT_RUN-ID")
	s.env["GITHUB_EVENT_NAME"] = event
	s.change(func(r *fakegithub.Repository) {
		r.Runs[1].Event, r.Runs[1].HeadSHA, s.env["GITHUB_SHA"] = event, r.Branches["main"], r.Branches["main"]
		r.Comments = []*fakegithub.Comment{{ID: 11, Issue: 7, Body: body, User: fakegithub.User{Login: by}, CreatedAt: time.Now(), UpdatedAt: time.Now()}}
	})
	s.payload(map[string]any{
		"action": "created", "number": 7, "issue": map[string]any{"number": 7, "pull_request": map[string]any{"url": "x"}}, "comment": map[string]any{"id": 11},
	})
	return s
}

// payload lays out the event's payload.
func (s *scene) payload(p any) {
	s.t.Helper()
	raw, err := json.Marshal(p)
	if err != nil {
		s.t.Fatal(err)
	}
	s.env["GITHUB_EVENT_PATH"] = filepath.Join(s.temp, "event.json")
	if err := os.WriteFile(s.env["GITHUB_EVENT_PATH"], raw, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

const saidFailed = "```outcome\n{\"outcome\": \"failed\", \"evidence\": [\"it fell\"]}\n```\n"

// TestComment holds whose comment judges anew, and that any other one changes nothing.
func TestComment(t *testing.T) {
	const recheck = "/outcome-gate recheck"
	comment := func(id int, action string) map[string]any {
		return map[string]any{"action": action, "issue": map[string]any{"number": 7, "pull_request": map[string]any{}}, "comment": map[string]any{"id": id}}
	}
	for _, c := range []struct {
		name, by, body string
		prepare        func(*scene)
		code           int
		reason         string // "": nothing is judged
		says           string
	}{
		{name: "a recheck by who may write", by: "keeper", body: recheck, reason: "verified"},
		{name: "with more below it", by: "keeper", body: recheck + " \r\nThe runner was down.\r\n", reason: "verified"},
		{name: "edited", by: "keeper", body: recheck, prepare: func(s *scene) { s.payload(comment(11, "edited")) }, reason: "verified"},
		{name: "with the number from the workflow", by: "keeper", body: recheck, prepare: func(s *scene) { s.env["INPUT_PR-NUMBER"] = "7" }, reason: "verified"},
		{name: "a recheck by the author, who may not", by: "mira", body: recheck, says: "may not write"},
		{name: "a recheck by a stranger", by: "drifter", body: recheck, says: "may not write"},
		{name: "a recheck by an app", by: "helper[bot]", body: recheck, says: "may not write"},
		{name: "another command", by: "keeper", body: recheck + "s", says: "holds no report"},
		{name: "in a quotation", by: "keeper", body: "> " + recheck, says: "holds no report"},
		{name: "further down", by: "keeper", body: "Please:\n" + recheck, says: "holds no report"},
		{name: "talk", by: "keeper", body: "Looks good.", says: "holds no report"},
		{name: "the author's report", by: "mira", body: saidFailed, code: 1, reason: "outcome_failed"},
		{name: "a report by an account that the contract names", by: "scribe", body: saidFailed, code: 1, reason: "outcome_failed"},
		{name: "a report by who may write", by: "keeper", body: saidFailed, says: "neither the pull request's author"},
		{name: "a report by a stranger", by: "drifter", body: saidFailed, says: "neither the pull request's author"},
		{name: "the gate's own", by: "github-actions[bot]", body: "<!-- outcome-gate:Outcome%20Gate -->\n" + saidFailed, says: "a gate's own"},
		{name: "with the gate's marker", by: "keeper", body: recheck + "\n<!-- outcome-gate:x -->", says: "a gate's own"},
		{name: "edited since", by: "drifter", body: "Never mind.", says: "holds no report"},
		{name: "deleted", by: "keeper", body: recheck, prepare: func(s *scene) { s.payload(comment(11, "deleted")) }, says: "taken back"},
		{name: "gone", by: "keeper", body: recheck, prepare: func(s *scene) { s.payload(comment(12, "created")) }, says: "not one of"},
		{name: "on another conversation", by: "keeper", body: recheck, prepare: func(s *scene) { s.change(func(r *fakegithub.Repository) { r.Comments[0].Issue = 8 }) }, says: "not one of"},
		{name: "on an issue", by: "keeper", body: recheck, prepare: func(s *scene) {
			s.payload(map[string]any{"action": "created", "issue": map[string]any{"number": 7}, "comment": map[string]any{"id": 11}})
		}, says: "on an issue"},
		{name: "on a closed pull request", by: "keeper", body: recheck, prepare: func(s *scene) { s.change(func(r *fakegithub.Repository) { r.Pulls[0].State = "closed" }) }, says: "is closed"},
		{name: "permission cannot be read", by: "keeper", body: recheck, prepare: func(s *scene) {
			if err := s.world.Fault(fakegithub.Fault{Match: "/permission", Status: 403, Times: -1, Body: `{"message":"Resource not accessible by integration"}`}); err != nil {
				s.t.Fatal(err)
			}
		}, code: 3, reason: "cannot_look"},
		{name: "no such pull request", by: "keeper", body: recheck, prepare: func(s *scene) { s.env["INPUT_PR-NUMBER"] = "9" }, code: 3, reason: "cannot_look"},
		{name: "another payload", by: "keeper", body: recheck, prepare: func(s *scene) { s.payload([]int{1}) }, code: 3, reason: "cannot_look"},
		{name: "a payload without a comment", by: "keeper", body: recheck, prepare: func(s *scene) { s.payload(map[string]any{"action": "created"}) }, code: 3, reason: "cannot_look"},
		{name: "no payload", by: "keeper", body: recheck, prepare: func(s *scene) { delete(s.env, "GITHUB_EVENT_PATH") }, code: 3, reason: "cannot_look"},
		{name: "no payload at its place", by: "keeper", body: recheck, prepare: func(s *scene) { s.env["GITHUB_EVENT_PATH"] += "x" }, code: 3, reason: "cannot_look"},
		{name: "no evidence's workflow", by: "keeper", body: recheck, prepare: func(s *scene) { delete(s.env, "INPUT_EVIDENCE-WORKFLOW") }, code: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := askedScene(t, "issue_comment", c.by, c.body)
			if c.prepare != nil {
				c.prepare(s)
			}
			code := Main(context.Background(), s.options())
			if code != c.code {
				t.Errorf("exit %d, want %d\n%s", code, c.code, s.log.String())
			}
			on := s.shown()
			if c.reason == "" || c.reason == "cannot_look" {
				writes := slices.ContainsFunc(s.world.Requests(), func(q fakegithub.Request) bool { return q.Method != http.MethodGet })
				if writes || on.status != "" || on.checks != 0 {
					t.Errorf("something was posted: %+v", on)
				}
			}
			if c.reason == "" {
				if s.file(receiptName) != "" || !strings.Contains(s.log.String(), c.says) || c.says != "" && !strings.Contains(s.log.String(), "nothing is judged") {
					t.Errorf("a receipt, or another message\n%s", s.log.String())
				}
				return
			}
			r := s.receipt()
			if string(r.Reason) != c.reason {
				t.Errorf("%s (%s)", r.Reason, r.Scope.Look)
			}
			if c.reason != "cannot_look" && (on.checks != 1 || on.comments != 1 || on.status == "" || r.Subject.RunID != runID || r.Subject.GateRunID != gateRun) {
				t.Errorf("%+v, %+v", on, r.Subject)
			}
		})
	}
}

// TestTarget holds that with the base's workflow file another run's evidence is judged, and nothing in the workspace.
func TestTarget(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(*scene)
		code    int
		reason  string
	}{
		{name: "sound", reason: "verified"},
		{name: "with the number from the workflow", prepare: func(s *scene) { s.env["INPUT_PR-NUMBER"] = "7"; delete(s.env, "GITHUB_EVENT_PATH") }, reason: "verified"},
		{name: "the workspace is not the change's", prepare: func(s *scene) { s.contract(agreed) }, code: 1, reason: "evidence_incomplete"},
		{name: "the evidence's run goes on", prepare: func(s *scene) {
			s.change(func(r *fakegithub.Repository) {
				r.Runs[0].Attempts[0].Status, r.Runs[0].Attempts[0].Conclusion = "in_progress", ""
			})
		}, code: 3, reason: "cannot_look"},
		{name: "no number", prepare: func(s *scene) { s.payload(map[string]any{}) }, code: 3, reason: "cannot_look"},
		{name: "no payload", prepare: func(s *scene) { delete(s.env, "GITHUB_EVENT_PATH") }, code: 3, reason: "cannot_look"},
		{name: "steps of this job", prepare: func(s *scene) { s.env["INPUT_STEPS"] = `{"test":{"outcome":"success","conclusion":"success"}}` }, code: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := askedScene(t, "pull_request_target", "mira", "Looks good.")
			if c.prepare != nil {
				c.prepare(s)
			}
			if code := Main(context.Background(), s.options()); code != c.code || c.reason != "" && string(s.receipt().Reason) != c.reason {
				t.Errorf("exit %d\n%s", code, s.log.String())
			}
		})
	}
}
