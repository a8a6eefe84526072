package e2e

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/e2e/runstep"
	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// TestCouldNotLook: an API that does not answer, or refuses, is exit 3, never a pass. Nothing can be posted
// there, so only what is local speaks.
func TestCouldNotLook(t *testing.T) {
	lost := func(title string) answer {
		return answer{exit: 3, result: "error", verdict: "none", reason: "cannot_look", title: title, silent: true}
	}
	tests := []struct {
		name   string
		with   settings
		faults []fakegithub.Fault
	}{
		{"down", settings{api: "http://127.0.0.1:9/api/v3"}, nil}, // discard: nobody listens
		{"unknown token", settings{token: wrongToken}, nil},
		{"server errors", settings{}, []fakegithub.Fault{{Match: "^GET ", Status: 500, Body: `{"message":"Server Error"}`, Times: -1}}},
		{"cut connections", settings{}, []fakegithub.Fault{{Match: "^GET .*/pulls/", Cut: true, Times: -1}}},
		{"not JSON", settings{}, []fakegithub.Fault{{Match: "^GET .*/pulls/7$", Status: 200, Body: "<html>", Times: -1}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := open(t, goodChange(), tt.with)
			for _, f := range tt.faults {
				must(t, h.Fault(f))
			}
			began := time.Now()
			s := h.judge(t, runID, 1, tt.with)
			r := s.receipt(t)
			if r == nil {
				return
			}
			title := plainHeading(s.step.Result.Summary)
			if !strings.HasPrefix(title, "Could not ") {
				t.Errorf("the summary's heading is %q", title)
			}
			s.agree(t, lost(title))
			if took := time.Since(began); took > 3*time.Minute {
				t.Errorf("it took %s to give up", took)
			}
			for _, c := range s.checkRuns() {
				if c.Status != "completed" || c.Conclusion != "failure" || !strings.HasPrefix(deref(c.Title), "Could not ") {
					t.Errorf("the check run is %s, %q, %q", c.Status, c.Conclusion, deref(c.Title))
				}
			}
			if got := s.status(h.head); got != "" && got != "error" {
				t.Errorf("commit status %q", got)
			}
		})
	}
}

// TestShortTrouble: what passes by itself changes nothing.
func TestShortTrouble(t *testing.T) {
	h := open(t, goodChange(), settings{})
	for _, f := range []fakegithub.Fault{
		{Match: "^GET .*/pulls/7$", Status: 502, Body: `{"message":"Bad Gateway"}`},
		{Match: "^GET .*/compare/", Status: 429, Headers: map[string]string{"Retry-After": "1"}, Body: `{"message":"slow down"}`},
		{Match: "^GET .*/git/trees/", Cut: true},
	} {
		must(t, h.Fault(f))
	}
	h.judge(t, runID, 1, settings{}).agree(t, passed())
}

// TestReadOnlyToken: a pull request of a fork. The same verdict and exit code, nothing posted, and a notice says
// what could not be posted.
func TestReadOnlyToken(t *testing.T) {
	for _, c := range []struct {
		name string
		change
		want answer
	}{{"pass", goodChange(), passed()}, {"block", badChange(), falseSuccess()}} {
		t.Run(c.name, func(t *testing.T) {
			with := settings{token: readToken, change: fork}
			s := open(t, c.change, with).judge(t, runID, 1, with)
			c.want.silent = true
			s.agree(t, c.want)
			if len(s.checkRuns()) > 0 || len(s.hub.comments(botLogin)) > 0 || s.status(s.hub.head) != "" {
				t.Error("something was posted with a token that may not")
			}
			notices := s.said("notice")
			for _, want := range []string{"check run", "commit status", "comment", "permissions"} {
				if !strings.Contains(notices, want) {
					t.Errorf("no notice about %q: %s", want, notices)
				}
			}
			if got := s.step.Result.Outputs["check-run-url"] + s.step.Result.Outputs["comment-url"]; got != "" {
				t.Errorf("outputs name what was not posted: %s", got)
			}
		})
	}
}

// fork lets the pull request come from somebody else's copy of the repository.
func fork(_ *testing.T, h *hub) {
	h.Change(func(d *fakegithub.Data) {
		d.Repositories = append(d.Repositories, &fakegithub.Repository{
			FullName: "stranger/widgets", Fork: true, DefaultBranch: "main", Branches: map[string]string{"main": h.base, headBranch: h.head},
		})
		d.Repositories[0].Private = false
		p := d.Repositories[0].Pulls[0]
		p.HeadRepository, p.HeadSHA, p.User = "stranger/widgets", h.head, fakegithub.User{Login: "stranger"}
	})
}

// said are the texts of one kind of command in the log.
func (s *scene) said(kind string) string {
	var b strings.Builder
	for _, c := range s.step.Result.Commands {
		if c.Name == kind {
			b.WriteString(c.Data + "\n")
		}
	}
	return b.String()
}

// TestRequiredSurface: a surface that the workflow requires and GitHub refuses is exit 3, and the receipt that
// was written before it stays as it was.
func TestRequiredSurface(t *testing.T) {
	for input, match := range map[string]string{
		"check-run": "^(POST|PATCH) .*/check-runs", "status": "^POST .*/statuses/", "comment": "^(POST|PATCH) .*/comments",
	} {
		t.Run(input, func(t *testing.T) {
			with := settings{with: map[string]string{input: "required"}}
			h := open(t, goodChange(), with)
			must(t, h.Fault(fakegithub.Fault{Match: match, Status: 403, Body: `{"message":"Resource not accessible by integration"}`, Times: -1}))
			s := h.judge(t, runID, 1, with)
			if got := s.step.Result.Exit[runstep.Main]; got != 3 {
				t.Errorf("exit code %d, want 3", got)
			}
			r := s.receipt(t)
			if r == nil {
				return
			}
			if r.Result != "pass" || r.Digest != s.step.Result.Outputs["receipt-digest"] {
				t.Errorf("the receipt says %s, digest %s; the output %s", r.Result, r.Digest, s.step.Result.Outputs["receipt-digest"])
			}
			text := s.step.Result.Log(runstep.Main) + s.step.Result.Summary
			if !strings.Contains(text, "publish: failed") {
				t.Error("neither log nor summary says publish: failed")
			}
		})
	}
}

// TestSurfacesOff: what is off is not written, and nothing complains.
func TestSurfacesOff(t *testing.T) {
	with := settings{with: map[string]string{"check-run": "off", "status": "off", "comment": "off"}}
	s := open(t, goodChange(), with).judge(t, runID, 1, with)
	want := passed()
	want.silent = true
	s.agree(t, want)
	for _, r := range s.hub.Requests() {
		if r.Method != http.MethodGet {
			t.Errorf("it wrote: %s %s", r.Method, r.URI)
		}
	}
}

// TestBadInput: a mistake in the workflow is exit 2, and says which input.
func TestBadInput(t *testing.T) {
	for name, with := range map[string]map[string]string{
		"comment": {"comment": "maybe"}, "agent-exit-status": {"agent-exit-status": "256"},
		"wait-exit-zero": {"wait-exit-zero": "true", "status": "off"},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, goodChange(), settings{}).judge(t, runID, 1, settings{with: with})
			if got := s.step.Result.Exit[runstep.Main]; got != 2 {
				t.Errorf("exit code %d, want 2", got)
			}
			if !strings.Contains(s.said("error"), name) {
				t.Errorf("no error names the input: %s", s.step.Result.Log(runstep.Main))
			}
		})
	}
}

// TestHeadMoved: a commit that arrives while the gate looks makes its answer one about the past.
func TestHeadMoved(t *testing.T) {
	h := open(t, goodChange(), settings{})
	must(t, h.Fault(fakegithub.Fault{
		Match: "^GET .*/compare/",
		Push: &fakegithub.Push{Repository: repository, Commit: fakegithub.Commit{
			Branch: headBranch, Files: map[string]fakegithub.File{"price.sh": {Text: badPrice}}, Message: "One more thing\n",
			Author: fakegithub.Person{Name: "An Agent", Email: "agent@acme.invalid", Login: "agent-one", Date: time.Now().UTC().Truncate(time.Second)},
		}},
	}))
	s := h.judge(t, runID, 1, settings{})
	if got, want := s.step.Result.Exit[runstep.Main], 4; got != want {
		t.Errorf("exit code %d, want %d", got, want)
	}
	if got := s.step.Result.Outputs["reason"]; got != "head_moved" {
		t.Errorf("reason %q", got)
	}
	newest := ""
	h.repo(func(r *fakegithub.Repository) { newest = r.Branches[headBranch] })
	if newest == h.head {
		t.Fatal("the head did not move")
	}
	if got := s.status(newest); got == "success" {
		t.Error("the new head was called good")
	}
	if got := s.status(h.head); got == "success" {
		t.Error("the old head was called good")
	}
}

// TestForeignSurfaces: a comment with our marker and a check run of our name that others made stay as they are.
func TestForeignSurfaces(t *testing.T) {
	h := open(t, goodChange(), settings{})
	h.judge(t, runID, 1, settings{}).agree(t, passed())
	ours := h.comments(botLogin)
	if len(ours) != 1 {
		t.Fatalf("%d comments of ours", len(ours))
	}
	forged := ours[0].Body
	h = open(t, goodChange(), settings{})
	now := time.Now().UTC().Truncate(time.Second)
	h.repo(func(r *fakegithub.Repository) {
		r.Comments = append(r.Comments, &fakegithub.Comment{
			ID: 5001, Issue: pullNumber, Body: forged, User: fakegithub.User{Login: "agent-one"}, CreatedAt: now, UpdatedAt: now,
		})
		r.CheckRuns = append(r.CheckRuns, &fakegithub.CheckRun{
			ID: 5002, App: 77, Suite: 5003, Name: checkName, HeadSHA: h.head, ExternalID: "outcome-gate:4242:1", Status: "in_progress", StartedAt: &now,
		})
	})
	h.Change(func(d *fakegithub.Data) {
		d.Apps = append(d.Apps, fakegithub.App{ID: 77, Slug: "other", Name: "Other"})
	})
	s := h.judge(t, runID, 1, settings{})
	if got := h.comments("agent-one"); len(got) != 1 || got[0].Body != forged {
		t.Errorf("the other's comment changed: %+v", got)
	}
	s.agreeComment(t, passed())
	h.repo(func(r *fakegithub.Repository) {
		mine := 0
		for _, c := range r.CheckRuns {
			switch {
			case c.App == 77 && (c.Status != "in_progress" || c.Conclusion != ""):
				t.Errorf("the other's check run changed: %+v", c)
			case c.App == fakegithub.ActionsApp:
				mine++
			}
		}
		if mine != 1 {
			t.Errorf("%d check runs of ours", mine)
		}
	})
}

// TestReceiptUntouched: the receipt of a run with every surface is the receipt of a run with none, but for times.
func TestReceiptUntouched(t *testing.T) {
	receiptOf := func(with settings) []byte {
		s := open(t, goodChange(), with).judge(t, runID, 1, with)
		return stable(t, read(t, s.receiptPath()))
	}
	a := receiptOf(settings{})
	b := receiptOf(settings{with: map[string]string{"check-run": "off", "status": "off", "comment": "off"}})
	if !bytes.Equal(a, b) {
		t.Errorf("the receipts differ:\n%s\n%s", a, b)
	}
}
