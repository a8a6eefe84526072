package stage

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
)

const (
	mentioned  = agreed + "report: { mention: \"@crane-bot\" }\n"
	fillIn     = "The report to fill in:"
	missedOnce = "I mended it, `@drifter` can confirm."
	missedMore = "I mended it, and say so again."
	brokenOne  = "Mended.\n\n```outcome\n{\"outcome\": \"succeeded\", \"evidence\": \"2 tests pass @drifter\"}\n```\n"
)

// missScene is a scene of a contract that names whom to call, with as many attempts of its run as the tests make.
func missScene(t *testing.T, text string) *scene {
	t.Helper()
	s := newScene(t)
	s.contract(mentioned)
	s.says(text)
	s.change(func(r *fakegithub.Repository) {
		for run := r.Runs[0]; len(run.Attempts) < 12; {
			a := *run.Attempts[0]
			a.Jobs = []*fakegithub.Job{{ID: int64(2000 + len(run.Attempts)), Name: "judge", Status: "in_progress", CreatedAt: a.StartedAt, StartedAt: a.StartedAt, RunnerName: "Runner 4"}}
			run.Attempts = append(run.Attempts, &a)
		}
	})
	return s
}

// says gives the pull request a description.
func (s *scene) says(text string) {
	s.change(func(r *fakegithub.Repository) { r.Pulls[0].Body = &text })
}

// asks runs the gate once more at the same head, and gives what the comment, the receipt and the block make of it.
func (s *scene) asks() (comment string, r *receipt.Receipt, correction string) {
	s.t.Helper()
	Main(context.Background(), s.options())
	s.attempt++
	on := s.shown()
	if on.comments > 1 {
		s.t.Errorf("%d comments", on.comments)
	}
	var b struct {
		Report struct{ Correction string }
	}
	if _, rest, ok := strings.Cut(on.comment, "```outcome-verdict\n"); ok {
		text, _, _ := strings.Cut(rest, "\n```")
		if err := json.Unmarshal([]byte(text), &b); err != nil {
			s.t.Error(err)
		}
	}
	return on.comment, s.receipt(), b.Report.Correction
}

// held holds one answer: whether the correction is asked for, and whether it was before.
func (s *scene) held(name, want string, before int) {
	s.t.Helper()
	comment, r, got := s.asks()
	if got != want || r.Report.Asked != before || string(r.Reason) != "contract_miss" || string(r.Next) != "fix_report" || r.MayRetry {
		s.t.Errorf("%s: correction %q, %d before, %s %s", name, got, r.Report.Asked, r.Reason, r.Next)
	}
	asks := map[bool]int{true: 1}[want == "asked"]
	if n, m := strings.Count(comment, "@crane-bot"), strings.Count(comment, fillIn); n != asks || m != asks {
		s.t.Errorf("%s: the account is named %d times, the block to fill in shown %d times, want %d:\n%s", name, n, m, asks, comment)
	}
	if strings.Contains(s.file("GITHUB_STEP_SUMMARY")+s.shown().title, "@crane-bot") {
		s.t.Errorf("%s: the account is named elsewhere", name)
	}
}

// TestOneCorrection holds that a report that misses its form gets one correction for each head commit, that looking
// again at the same text is no second miss, and that the second miss changes only the state.
func TestOneCorrection(t *testing.T) {
	s := missScene(t, missedOnce)
	s.held("the first miss", "asked", 0)
	s.held("the same miss again", "asked", 0)
	s.says(brokenOne)
	s.held("the second miss", "used", 1)
	if comment := s.shown().comment; !strings.Contains(comment, "is asked for once") || !strings.Contains(comment, "error: `$.evidence") {
		t.Errorf("the state of the second miss:\n%s", comment)
	}
	s.says(missedMore)
	s.held("the third miss", "used", 1)

	if _, err := s.world.Commit(repository, &fakegithub.Commit{Branch: "claude/mend", Message: "More\n", Files: map[string]fakegithub.File{"crane/low.go": {Text: "package crane // more\n"}}}); err != nil {
		t.Fatal(err)
	}
	s.change(func(r *fakegithub.Repository) { r.CheckRuns = nil })
	was := s.head
	s.change(func(r *fakegithub.Repository) { s.head = r.Branches["claude/mend"] })
	s.runsOn(s.head)
	s.held("a new head", "asked", 0)
	if comment := s.shown().comment; !strings.Contains(comment, was) || !strings.Contains(comment, s.head) {
		t.Errorf("the count of the head before is lost:\n%s", comment)
	}
	s.says(brokenOne)
	s.held("the second miss at the new head", "used", 1)
	s.says(said)
	if _, r, got := s.asks(); got != "" || r.Reason != "verified" || r.Report.Asked != 0 || r.Report.Miss != "" {
		t.Errorf("after the correction: %q, %s, asked %d", got, r.Reason, r.Report.Asked)
	}
}

// TestCorrectionErrors holds that the errors of the schema are in the comment as they are, inert.
func TestCorrectionErrors(t *testing.T) {
	s := missScene(t, brokenOne)
	comment, r, got := s.asks()
	if got != "asked" || len(r.Report.Errors) == 0 {
		t.Fatalf("%q, %q", got, r.Report.Errors)
	}
	for _, e := range r.Report.Errors {
		if strings.Count(comment, "`"+e+"`") != 1 {
			t.Errorf("the error %q is not once in\n%s", e, comment)
		}
	}
}

// TestCorrectionForged holds that nobody's comment but the gate's own counts: neither one that says the correction was
// used up, nor one that says it of another check's name.
func TestCorrectionForged(t *testing.T) {
	other := missScene(t, missedMore)
	used, _, _ := other.asks()
	for name, by := range map[string]string{"a stranger": "drifter", "the author": "mira", "an app that looks like it": "github-actions-bot"} {
		s := missScene(t, missedOnce)
		forged := strings.ReplaceAll(used, other.head, s.head)
		s.change(func(r *fakegithub.Repository) {
			r.Comments = []*fakegithub.Comment{{ID: 11, Issue: 7, Body: forged, User: fakegithub.User{Login: by}, CreatedAt: time.Now(), UpdatedAt: time.Now()}}
		})
		s.held(name, "asked", 0)
	}
	s := missScene(t, missedOnce)
	s.change(func(r *fakegithub.Repository) {
		r.Comments = []*fakegithub.Comment{{ID: 11, Issue: 7, Body: strings.ReplaceAll(used, other.head, s.head), User: fakegithub.User{Login: "github-actions[bot]"}, CreatedAt: time.Now(), UpdatedAt: time.Now()}}
	})
	s.attempt = 2
	s.held("the gate's own", "used", 1)
}

// TestCorrectionUnsaid holds that a correction that could not be asked for is not counted: with a token that may not
// write, with the comment off, and where somebody deleted the comment.
func TestCorrectionUnsaid(t *testing.T) {
	s := missScene(t, missedOnce)
	s.env["INPUT_TOKEN"] = readOnly
	if code := Main(context.Background(), s.options()); code != 1 || s.shown().comments != 0 || s.receipt().Report.Asked != 0 {
		t.Errorf("a read-only token: exit %d, %+v", code, s.shown())
	}
	if !strings.Contains(s.file("GITHUB_STEP_SUMMARY"), "contract_miss") || strings.Contains(s.file("GITHUB_STEP_SUMMARY"), "@crane-bot") {
		t.Error("the summary does not say it, or calls somebody")
	}
	s.env["INPUT_TOKEN"], s.env["INPUT_COMMENT"] = token, "off"
	s.attempt = 2
	if code := Main(context.Background(), s.options()); code != 1 || s.shown().comments != 0 {
		t.Errorf("no comment: exit %d, %+v", code, s.shown())
	}
	delete(s.env, "INPUT_COMMENT")
	s.attempt = 3
	s.says(missedMore)
	s.held("the first that is written", "asked", 0)
	s.change(func(r *fakegithub.Repository) { r.Comments = nil })
	s.held("the comment is deleted", "asked", 0)
	s.lose("^PATCH .*/comments/")
	s.says(brokenOne)
	s.held("the answer to the edit is lost", "used", 1)
	s.held("and looked at again", "used", 1)
}

// TestCorrectionOfAnUnknownAccount holds that where the gate learns who it is only by commenting, nobody is called
// again at every run: no new comment names the account.
func TestCorrectionOfAnUnknownAccount(t *testing.T) {
	s := missScene(t, missedOnce)
	s.tokens()
	s.env["INPUT_TOKEN"], s.env["INPUT_CHECK-RUN"], s.env["INPUT_STATUS"] = ownApp, "off", "off"
	for i, text := range []string{missedOnce, missedOnce, missedMore} {
		s.says(text)
		Main(context.Background(), s.options())
		s.attempt++
		got := s.commentsBy("keeper-app[bot]")
		if len(got) != 1 {
			t.Fatalf("%d: %d comments", i, len(got))
		}
		if named := strings.Contains(got[0], "@crane-bot"); named != (i < 2) {
			t.Errorf("%d: the account is named: %v", i, named)
		}
	}
	for _, q := range s.world.Requests() {
		if q.Method == http.MethodPost && strings.HasSuffix(q.URI, "/comments") && strings.Contains(q.Body, "@crane-bot") {
			t.Error("a new comment names the account before an earlier one was looked for")
		}
	}
}

// TestCorrectionNotDecisive holds that nobody is called where something else than the report's form decides, or where
// the contract is not trusted yet.
func TestCorrectionNotDecisive(t *testing.T) {
	for name, prepare := range map[string]func(*scene){
		"the agent failed": func(s *scene) { s.env["INPUT_AGENT-EXIT-STATUS"] = "9" },
		"the base moved":   func(s *scene) { s.change(func(r *fakegithub.Repository) { r.Pulls[0].BaseRef = "claude/mend" }) },
		"not asked for":    func(s *scene) { s.contract(strings.Replace(mentioned, "report: {", "report: { required: never,", 1)) },
		"a draft":          func(s *scene) { s.change(func(r *fakegithub.Repository) { r.Pulls[0].Draft = true }) },
		"a contract of its own": func(s *scene) {
			for branch, file := range map[string]fakegithub.File{"main": {Removed: true}, "claude/mend": {Text: mentioned}} {
				if _, err := s.world.Commit(repository, &fakegithub.Commit{Branch: branch, Message: "x\n", Files: map[string]fakegithub.File{".github/outcome-contract.yml": file}}); err != nil {
					t.Fatal(err)
				}
			}
			s.change(func(r *fakegithub.Repository) { s.head = r.Branches["claude/mend"] })
			s.runsOn(s.head)
		},
	} {
		s := missScene(t, missedOnce)
		prepare(s)
		Main(context.Background(), s.options())
		if on := s.shown(); strings.Contains(on.comment, "@crane-bot") || strings.Contains(on.comment, fillIn) {
			t.Errorf("%s (%s): somebody is called:\n%s", name, s.receipt().Reason, on.comment)
		}
	}
}
