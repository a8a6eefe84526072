package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

func notes(n int) []Annotation {
	out := make([]Annotation, n)
	for i := range out {
		out[i] = Annotation{Path: "a.go", StartLine: i + 1, EndLine: i + 1, Level: "failure", Title: "t", Message: fmt.Sprint(i)}
	}
	return out
}

// check is the check run that the world has, newest of its name.
func (s *stage) check(name string) fakegithub.CheckRun {
	s.t.Helper()
	var out *fakegithub.CheckRun
	s.change(func(r *fakegithub.Repository) {
		for _, cr := range r.CheckRuns {
			if cr.Name == name {
				out = cr
			}
		}
	})
	if out == nil {
		s.t.Fatalf("there is no check run %q", name)
	}
	return *out
}

func TestCheckRunFromBeginningToEnd(t *testing.T) {
	s := play(t)
	ctx := t.Context()
	started := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	run, err := s.CreateCheckRun(ctx, NewCheckRun{
		Name: "Outcome Gate", HeadSHA: s.head, ExternalID: "outcome-gate:900:2", StartedAt: started,
		CheckRunChange: CheckRunChange{Status: "in_progress", Output: &Output{Title: "Judging", Summary: "…"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if run.Status != "in_progress" || run.ExternalID != "outcome-gate:900:2" || run.AppID != fakegithub.ActionsApp || run.AppSlug != "github-actions" ||
		run.SuiteID != 900 || run.Title != "Judging" || !run.StartedAt.Equal(started) || !run.CompletedAt.IsZero() || run.HeadSHA != s.head {
		t.Errorf("%+v", run)
	}
	n := s.Requests()
	done, err := s.UpdateCheckRun(ctx, run.ID, run.Name, CheckRunChange{
		Status: "completed", Conclusion: "failure", CompletedAt: started.Add(time.Minute),
		Output: &Output{Title: "EXITED", Summary: "No", Text: "Details", Annotations: notes(120)},
	})
	if err != nil || done.Conclusion != "failure" || done.Annotations != 120 || !done.CompletedAt.Equal(started.Add(time.Minute)) || s.Requests() != n+3 {
		t.Errorf("%+v, %v, %d requests", done, err, s.Requests()-n)
	}
	has := s.check("Outcome Gate")
	for i, a := range has.Annotations {
		if a.Message != fmt.Sprint(i) || a.StartLine != i+1 || a.Level != "failure" || a.Title != "t" || a.Path != "a.go" {
			t.Errorf("annotation %d: %+v", i, a)
		}
	}
	if len(has.Annotations) != 120 || *has.Title != "EXITED" || *has.Summary != "No" || *has.Text != "Details" {
		t.Errorf("%d annotations, %q", len(has.Annotations), *has.Title)
	}
	// The first request completes; the others only annotate.
	for i, r := range s.world.Requests()[n:] {
		var sent map[string]any
		if err := json.Unmarshal([]byte(r.Body), &sent); err != nil {
			t.Fatal(err)
		}
		if _, completes := sent["conclusion"]; completes != (i == 0) {
			t.Errorf("request %d: %s", i, r.Body)
		}
	}
	found, err := s.CheckRuns(ctx, s.head, CheckRunQuery{Name: "Outcome Gate", AppID: fakegithub.ActionsApp})
	if err != nil || len(found.Items) != 1 || found.Items[0].ID != run.ID {
		t.Errorf("%+v, %v", found, err)
	}
	if got, err := s.CheckRun(ctx, run.ID); err != nil || got.Conclusion != "failure" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestCheckRunBornDone makes one with its end and many annotations at once.
func TestCheckRunBornDone(t *testing.T) {
	s := play(t)
	run, err := s.CreateCheckRun(t.Context(), NewCheckRun{Name: "Late", HeadSHA: s.head, CheckRunChange: CheckRunChange{
		Conclusion: "success", Output: &Output{Title: "LIVE", Summary: "Yes", Annotations: notes(51)},
	}})
	if err != nil || run.Conclusion != "success" || run.Annotations != 51 || s.Requests() != 2 {
		t.Errorf("%+v, %v", run, err)
	}
}

// TestAnnotationsLost holds that a run is completed although its further annotations cannot be added.
func TestAnnotationsLost(t *testing.T) {
	s := play(t)
	s.fault(fakegithub.Fault{Match: "PATCH", Status: 200, Times: 0, DelayMS: 0, Body: s.patched(t)})
	s.fault(fakegithub.Fault{Match: "PATCH", Status: 422, Times: -1, Body: `{"message":"no more"}`})
	run, err := s.UpdateCheckRun(t.Context(), 31, "Gate", CheckRunChange{Conclusion: "failure", Output: &Output{Title: "t", Summary: "s", Annotations: notes(60)}})
	noToken(t, err)
	if run == nil || run.ID != 31 || !IsStatus(err, 422) || !strings.Contains(err.Error(), "part 2 of 2") {
		t.Errorf("%+v, %v", run, err)
	}
}

// patched is what GitHub answers to a change of check run 31.
func (s *stage) patched(t *testing.T) string {
	t.Helper()
	return `{"id":31,"name":"Gate","status":"completed","conclusion":"failure","head_sha":"` + s.head + `"}`
}

func TestWritesThatCannotBe(t *testing.T) {
	s := play(t)
	ctx := t.Context()
	for name, call := range map[string]func() error{
		"too many annotations": func() error {
			_, err := s.UpdateCheckRun(ctx, 31, "Gate", CheckRunChange{Output: &Output{Annotations: notes(maxAnnotations + 1)}})
			return err
		},
		"check run of a branch":  func() error { _, err := s.CreateCheckRun(ctx, NewCheckRun{Name: "x", HeadSHA: "main"}); return err },
		"status of a path":       func() error { _, err := s.CreateStatus(ctx, "../x", NewStatus{}); return err },
		"comment on nothing":     func() error { _, err := s.CreateComment(ctx, 0, "x"); return err },
		"comments of everything": func() error { _, err := s.Comments(ctx, 0, time.Time{}); return err },
		"statuses of a branch":   func() error { _, err := s.Statuses(ctx, "main"); return err },
		"check runs of a branch": func() error { _, err := s.CheckRuns(ctx, "main", CheckRunQuery{}); return err },
		"pulls of a branch":      func() error { _, err := s.PullsOf(ctx, "main"); return err },
		"tree of a branch":       func() error { _, err := s.Tree(ctx, "main"); return err },
	} {
		if err := call(); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s.Requests() != 0 {
		t.Errorf("%d requests", s.Requests())
	}
	large := strings.Repeat("x", maxRequest)
	if _, err := s.CreateComment(ctx, 7, large); !errors.Is(err, ErrTooLarge) || s.Requests() != 0 {
		t.Errorf("got %v after %d requests", err, s.Requests())
	}
	if _, err := s.CreateComment(ctx, 7, strings.Repeat("x", 65537)); !IsStatus(err, 422) || !strings.Contains(err.Error(), "Body is too long (maximum is 65536 characters)") {
		t.Errorf("got %v", err)
	}
	s.world.Change(func(d *fakegithub.Data) { d.Repositories[0].CheckRuns[0].App = 77 })
	if _, err := s.UpdateCheckRun(ctx, 31, "Gate", CheckRunChange{Conclusion: "success"}); !IsStatus(err, 403) || !strings.Contains(err.Error(), "Invalid app_id") {
		t.Errorf("another app's run: %v", err)
	}
}

func TestCommentsAndStatuses(t *testing.T) {
	s := play(t)
	ctx := t.Context()
	made, err := s.CreateComment(ctx, 7, "<b>&amp;</b> \u2028 é")
	if err != nil {
		t.Fatal(err)
	}
	changed, err := s.UpdateComment(ctx, made.ID, "after")
	if err != nil || changed.ID != made.ID || changed.Body != "after" || made.Body != "<b>&amp;</b> \u2028 é" || !strings.HasPrefix(made.URL, s.url) {
		t.Errorf("%+v, %+v, %v", made, changed, err)
	}
	if _, err := s.UpdateComment(ctx, 404404, "x"); !IsStatus(err, 404) {
		t.Errorf("got %v", err)
	}
	for _, state := range []string{"pending", "success"} {
		st, err := s.CreateStatus(ctx, s.head, NewStatus{State: state, Context: "outcome-gate/verdict", Description: "5 of 5", TargetURL: "https://x.example/"})
		if err != nil || st.State != state || st.Context != "outcome-gate/verdict" || st.Description != "5 of 5" || st.TargetURL != "https://x.example/" || st.Creator.ID != 41898282 {
			t.Errorf("%+v, %v", st, err)
		}
	}
	l, err := s.Statuses(ctx, s.head)
	if err != nil || len(l.Items) != 3 || l.Items[0].State != "success" || l.Items[1].State != "pending" {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestDeleteComment(t *testing.T) {
	s := play(t)
	if err := s.DeleteComment(t.Context(), 11); err != nil {
		t.Error(err)
	}
	if l, err := s.Comments(t.Context(), 7, time.Time{}); err != nil || len(l.Items) != 1 || l.Items[0].ID != 12 {
		t.Errorf("%+v, %v", l, err)
	}
	if err := s.DeleteComment(t.Context(), 11); !IsStatus(err, 404) {
		t.Errorf("deleted twice: %v", err)
	}
	s.fault(fakegithub.Fault{Match: "^DELETE", Status: 200, Body: "{}"})
	if err := s.DeleteComment(t.Context(), 12); !errors.Is(err, ErrMalformed) {
		t.Errorf("another answer than GitHub's: %v", err)
	}
}
