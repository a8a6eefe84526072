package github

import (
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// TestPushRuns holds that what GitHub lists beside the branch's pushes is refused, and that a full list is cut.
func TestPushRuns(t *testing.T) {
	for name, body := range map[string]string{
		"another event":  `{"total_count":1,"workflow_runs":[{"id":5,"run_attempt":1,"event":"schedule","head_branch":"main","status":"queued"}]}`,
		"another branch": `{"total_count":1,"workflow_runs":[{"id":5,"run_attempt":1,"event":"push","head_branch":"maine","status":"queued"}]}`,
		"null":           `{"total_count":1,"workflow_runs":[null]}`,
		"no list":        `{"total_count":1}`,
		"no start":       `{"total_count":1,"workflow_runs":[{"id":5,"run_attempt":1,"event":"push","head_branch":"main","status":"queued"}]}`,
	} {
		s := play(t)
		s.fault(fakegithub.Fault{Match: "/actions/runs", Status: 200, Body: body})
		if l, err := s.PushRuns(t.Context(), "main"); err == nil {
			t.Errorf("%s: %v", name, l)
		}
	}
	s := play(t)
	if _, err := s.PushRuns(t.Context(), "../x"); err == nil || s.Requests() != 0 {
		t.Error("a name that is no branch's is asked for")
	}
	s.change(func(r *fakegithub.Repository) {
		push := r.Runs[len(r.Runs)-1]
		for i := range int64(120) {
			run := *push
			run.ID = 1000 + i
			r.Runs = append(r.Runs, &run)
		}
	})
	l, err := s.PushRuns(t.Context(), "main")
	if err != nil || len(l.Items) != pageSize || !l.Cut || l.Items[0].ID != 1119 {
		t.Errorf("%d, cut %v, %v", len(l.Items), l.Cut, err)
	}
	if q := s.world.Requests(); len(q) != 1 || !strings.Contains(q[0].URI, "branch=main&event=push") {
		t.Errorf("%+v", q)
	}
}
