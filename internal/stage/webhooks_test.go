package stage

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// webhook is one kind of event as GitHub sends it, with examples.
type webhook struct {
	Name     string            `json:"name"`
	Examples []json.RawMessage `json:"examples"`
}

// TestWebhookExamples runs the stage on every published example of every event: each is answered with a defined exit
// code and a message, whatever the payload, and no request is outside of GitHub's description (the scene holds that).
func TestWebhookExamples(t *testing.T) {
	file := os.Getenv("GATE_WEBHOOKS")
	if file == "" {
		t.Skip("GATE_WEBHOOKS names no file of webhook examples: `bash .ci/run webhooks` fetches them")
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []webhook
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	count := 0
	answers := map[string]int{}
	for _, w := range all {
		for i, payload := range w.Examples {
			count++
			for _, own := range []bool{false, true} {
				answers[answered(t, fmt.Sprintf("%s %d", w.Name, i), w.Name, payload, own)]++
			}
		}
	}
	if count < 300 {
		t.Errorf("%d examples of %d events", count, len(all))
	}
	t.Logf("%d examples of %d events, each in two worlds:", count, len(all))
	for _, a := range slices.Sorted(maps.Keys(answers)) {
		t.Logf("%4d %s", answers[a], a)
	}
}

// answered runs the stage on one payload and gives its answer. With own, the runner's variables name what the world
// has, so that the payload alone is strange; else they name what the payload does.
func answered(t *testing.T, label, event string, payload []byte, own bool) string {
	t.Helper()
	s := newScene(t)
	path := filepath.Join(t.TempDir(), "event.json")
	if err := os.WriteFile(path, payload, 0o600); err != nil {
		t.Fatal(err)
	}
	s.env["GITHUB_EVENT_NAME"], s.env["GITHUB_EVENT_PATH"] = event, path
	var p struct {
		Ref         string `json:"ref"`
		WorkflowRun struct {
			ID int64 `json:"id"`
		} `json:"workflow_run"`
		After string `json:"after"`
		Pull  struct {
			Number int `json:"number"`
		} `json:"pull_request"`
		MergeGroup struct {
			Ref string `json:"head_ref"`
			SHA string `json:"head_sha"`
		} `json:"merge_group"`
	}
	_ = json.Unmarshal(payload, &p) // some have other types in these places
	if event != "pull_request" && event != "pull_request_review" {
		s.change(func(r *fakegithub.Repository) { s.head = r.Branches["main"] })
		s.env["GITHUB_REF"], s.env["GITHUB_SHA"] = "refs/heads/main", s.head
	}
	switch event { // what the workflow gives
	case "workflow_dispatch":
		s.env["INPUT_PR-NUMBER"] = "7"
	case "workflow_run", "issue_comment":
		s.env["INPUT_EVIDENCE-WORKFLOW"], s.env["INPUT_STEPS"] = evidence, ""
		if event == "workflow_run" {
			s.env["INPUT_RUN-ID"] = strconv.FormatInt(p.WorkflowRun.ID, 10)
		}
	}
	switch {
	case own:
	case event == "pull_request", event == "pull_request_review":
		s.env["GITHUB_REF"] = fmt.Sprintf("refs/pull/%d/merge", p.Pull.Number)
	case event == "push":
		s.env["GITHUB_REF"], s.env["GITHUB_SHA"] = p.Ref, p.After
	case event == "merge_group":
		s.env["GITHUB_REF"], s.env["GITHUB_SHA"] = p.MergeGroup.Ref, p.MergeGroup.SHA
	}
	before := len(s.world.Violations())
	code := Main(context.Background(), s.options())
	log := s.log.String()
	if bad := s.world.Violations(); len(bad) > before {
		t.Errorf("%s: outside of GitHub's description: %v", label, bad)
	}
	if code < 0 || code > 4 || strings.Contains(log, "internal error") || strings.Contains(log, "panic") || strings.TrimSpace(log) == "" {
		t.Errorf("%s: exit %d\n%s", label, code, log)
	}
	judged := slices.Contains([]string{"issue_comment", "merge_group", "pull_request", "pull_request_review", "pull_request_target", "push", "schedule", "workflow_dispatch", "workflow_run"}, event)
	if !judged && (code != 3 || !strings.Contains(log, "is not judged: run the gate on") || !strings.Contains(log, event)) {
		t.Errorf("%s: exit %d\n%s", label, code, log)
	}
	if !judged && s.shown() != (shown{}) {
		t.Errorf("%s: something was posted: %+v", label, s.shown())
	}
	if !own && code == 0 && event != "issue_comment" {
		t.Errorf("%s: passed\n%s", label, log)
	}
	if !judged {
		event = "(others)"
	}
	return fmt.Sprintf("%s: exit %d", event, code)
}
