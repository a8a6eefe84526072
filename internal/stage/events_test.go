package stage

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// commit makes a commit and gives its name.
func (s *scene) commit(branch, from string, files map[string]fakegithub.File) string {
	s.t.Helper()
	sha, err := s.world.Commit(repository, &fakegithub.Commit{Branch: branch, From: from, Message: "More\n", Files: files})
	if err != nil {
		s.t.Fatal(err)
	}
	return sha
}

// TestMergeGroup holds what a group is judged by: everything that it brings to the base branch.
func TestMergeGroup(t *testing.T) {
	const workflow = ".github/workflows/ci.yml"
	for _, c := range []struct {
		name     string
		other    string // what a further member, which the group stands on, touches
		base     string // what the base branch got since the group was made
		own      string // what the member itself touches
		approved bool   // the member's head, by a person who may
		nobody   bool   // the contract applies to nobody of the last member
		code     int
		reason   string
	}{
		{name: "the only member", own: "crane/low.go", reason: "verified"},
		{name: "the base is ahead by now", base: "crane/base.go", own: "crane/low.go", reason: "verified"},
		{name: "a further member", other: "crane/other.go", own: "crane/low.go", reason: "verified"},
		{name: "a further member touches a protected path", other: workflow, own: "crane/low.go", code: 4, reason: "protected_change"},
		{name: "approved as the only member", own: workflow, approved: true, reason: "verified"},
		{name: "one approval is not that of all members", other: "crane/other.go", own: workflow, approved: true, code: 4, reason: "protected_change"},
		{name: "not gated", own: "crane/low.go", nobody: true, reason: "not_gated"},
		{name: "a further member may be gated", other: "crane/other.go", own: "crane/low.go", nobody: true, reason: "verified"},
	} {
		s := newScene(t)
		if c.nobody {
			s.contract(strings.Replace(agreed, "agents: [claude]", "labels: [careful]", 1))
		}
		var on string
		s.change(func(r *fakegithub.Repository) {
			on = r.Branches["main"]
			r.Reviews = []*fakegithub.Review{{ID: 5, Pull: 7, User: fakegithub.User{Login: "keeper"}, State: "APPROVED", CommitID: r.Branches["claude/mend"], SubmittedAt: time.Now()}}
			if !c.approved {
				r.Reviews = nil
			}
		})
		from := on
		if c.other != "" {
			on = s.commit("gh-readonly-queue/main/pr-6-"+on, "main", map[string]fakegithub.File{c.other: {Text: "package crane\n"}})
			from = on
		}
		branch := "gh-readonly-queue/main/pr-7-" + on
		s.head = s.commit(branch, from, map[string]fakegithub.File{c.own: {Text: "package crane // mended\n"}})
		if c.base != "" {
			s.commit("main", "", map[string]fakegithub.File{c.base: {Text: "package crane\n"}})
		}
		s.env["GITHUB_EVENT_NAME"], s.env["GITHUB_REF"], s.env["GITHUB_SHA"] = "merge_group", "refs/heads/"+branch, s.head
		s.change(func(r *fakegithub.Repository) { b := "no report here"; r.Pulls[0].Body = &b })
		code := Main(context.Background(), s.options())
		r, on2 := s.receipt(), s.shown()
		if code != c.code || string(r.Reason) != c.reason {
			t.Errorf("%s: exit %d, %s (%s)", c.name, code, r.Reason, r.Scope.Look)
		}
		if on2.checks != 1 || on2.comments != 0 {
			t.Errorf("%s: %+v", c.name, on2)
		}
	}
}

func TestHeadMoved(t *testing.T) {
	s := newScene(t)
	// The second time that the pull request is read its branch has a further commit.
	if err := s.world.Fault(fakegithub.Fault{Match: "^GET .*/git/blobs/", Push: &fakegithub.Push{Repository: repository, Commit: fakegithub.Commit{
		Branch: "claude/mend", Message: "Later\n", Files: map[string]fakegithub.File{"crane/late.go": {Text: "package crane\n"}},
	}}}); err != nil {
		t.Fatal(err)
	}
	code := Main(context.Background(), s.options())
	r, on := s.receipt(), s.shown()
	if code != 4 || r.Reason != "head_moved" || r.Outcomes[0].State != "stale" || on.conclusion != "action_required" || on.status != "pending" {
		t.Errorf("exit %d, %s, %s, %+v", code, r.Reason, r.Outcomes[0].State, on)
	}
}

func TestUntrustedBase(t *testing.T) {
	for _, c := range []struct {
		name, lists string
		code        int
		reason      string
	}{
		{"a branch of the author's own", "", 4, "base_not_trusted"},
		{"one that the default branch lists", "base_branches: [\"release/*\"]\n", 0, "verified"},
	} {
		s := newScene(t)
		s.contract(c.lists + agreed)
		// What the branch's own contract lists does not count.
		s.commit("release/1", "main", map[string]fakegithub.File{".github/outcome-contract.yml": {Text: "base_branches: [\"release/*\"]\n" + agreed}})
		s.change(func(r *fakegithub.Repository) {
			r.Pulls[0].BaseRef = "release/1"
			r.Pulls[0].Files = []*fakegithub.Changed{{Path: "crane/low.go", Status: "modified", SHA: fakegithub.Blob([]byte("package crane // mended\n"))}}
		})
		code := Main(context.Background(), s.options())
		if r := s.receipt(); code != c.code || string(r.Reason) != c.reason {
			t.Errorf("%s: exit %d, %s (%s)", c.name, code, r.Reason, r.Scope.Look)
		}
	}
}

// TestApproval holds whose review lets a protected change through.
func TestApproval(t *testing.T) {
	for _, c := range []struct {
		by   string
		code int
	}{{"keeper", 0}, {"passer", 4}, {"mira", 4}} {
		s := newScene(t)
		s.head = s.commit("claude/mend", "", map[string]fakegithub.File{".github/workflows/ci.yml": {Text: "on: push\n"}})
		s.runsOn(s.head)
		s.change(func(r *fakegithub.Repository) {
			r.Collaborators["mira"] = "write"
			r.Reviews = []*fakegithub.Review{{ID: 5, Pull: 7, User: fakegithub.User{Login: c.by}, State: "APPROVED", CommitID: s.head, SubmittedAt: time.Now()}}
		})
		if code := Main(context.Background(), s.options()); code != c.code {
			t.Errorf("approved by %s: exit %d, want %d\n%s", c.by, code, c.code, s.log.String())
		}
	}
}

// TestNamedContract holds that only a contract that the default one lists may be named.
func TestNamedContract(t *testing.T) {
	for _, c := range []struct {
		name, main, input string
		code              int
	}{
		{"listed", "contracts: [dock/contract.yml]\n" + agreed, "dock/contract.yml", 0},
		{"not listed", agreed, "dock/contract.yml", 3},
		{"listed and absent", "contracts: [dock/none.yml]\n" + agreed, "dock/none.yml", 2},
	} {
		s := newScene(t)
		s.commit("main", "", map[string]fakegithub.File{".github/outcome-contract.yml": {Text: c.main}, "dock/contract.yml": {Text: agreed}})
		s.env["INPUT_CONTRACT"] = c.input
		code := Main(context.Background(), s.options())
		if r := s.receipt(); code != c.code {
			t.Errorf("%s: exit %d, %s (%s)", c.name, code, r.Reason, r.Scope.Look)
		}
	}
}

// TestContractProposed holds that the first contract is shown as a preview and passes nothing by itself.
func TestContractProposed(t *testing.T) {
	s := newScene(t)
	s.commit("main", "", map[string]fakegithub.File{".github/outcome-contract.yml": {Removed: true}})
	s.head = s.commit("claude/mend", "", map[string]fakegithub.File{".github/outcome-contract.yml": {Text: strings.Replace(agreed, "min_executed: 2", "min_executed: 1", 1)}})
	s.runsOn(s.head)
	code := Main(context.Background(), s.options())
	if r := s.receipt(); code != 4 || r.Reason != "contract_proposed" || len(r.Outcomes) != 1 {
		t.Errorf("exit %d, %s, %d outcomes (%s)", code, r.Reason, len(r.Outcomes), r.Scope.Look)
	}
}

func TestWaitExitZero(t *testing.T) {
	for _, c := range []struct {
		token string
		code  int
	}{{token, 0}, {readOnly, 4}} {
		s := newScene(t)
		s.change(func(r *fakegithub.Repository) { b := "Working."; r.Pulls[0].Draft, r.Pulls[0].Body = true, &b })
		s.env["INPUT_WAIT-EXIT-ZERO"], s.env["INPUT_TOKEN"] = "true", c.token
		if code := Main(context.Background(), s.options()); code != c.code {
			t.Errorf("exit %d, want %d: a wait ends with 0 only where the pending status stands", code, c.code)
		}
	}
}

// TestUntestedHead holds that results of one commit prove nothing about a later one, where no checkout tells which
// commit was tested: GitHub knows what the job runs for.
func TestUntestedHead(t *testing.T) {
	s := newScene(t)
	s.commit("claude/mend", "", map[string]fakegithub.File{"crane/late.go": {Text: "package crane\n"}})
	code := Main(context.Background(), s.options())
	if r, on := s.receipt(), s.shown(); code != 4 || r.Reason != "head_moved" || r.Subject.HeadSHA != s.head || on.status != "pending" {
		t.Errorf("exit %d, %s on %s, %+v", code, r.Reason, r.Subject.HeadSHA, on)
	}
}

// TestSharedHead holds that a pass of one pull request is no pass of another one with the same head.
func TestSharedHead(t *testing.T) {
	for state, want := range map[string]int{"open": 4, "closed": 0} {
		s := newScene(t)
		s.commit("weak", "main", map[string]fakegithub.File{"crane/old.go": {Text: "package crane\n"}})
		s.change(func(r *fakegithub.Repository) {
			r.Pulls = append(r.Pulls, &fakegithub.Pull{Number: 8, Title: "The same", State: state, User: fakegithub.User{Login: "mira"}, HeadRef: "claude/mend", BaseRef: "weak", CreatedAt: time.Now()})
		})
		if code := Main(context.Background(), s.options()); code != want {
			t.Errorf("the other one is %s: exit %d, %s", state, code, s.receipt().Reason)
		}
	}
}

// TestRetargeted holds that the contract of a base that is no longer the base's passes nothing.
func TestRetargeted(t *testing.T) {
	s := newScene(t)
	s.contract("base_branches: [\"release/*\"]\n" + agreed)
	s.commit("release/1", "main", nil)
	s.change(func(r *fakegithub.Repository) { r.Pulls[0].BaseRef = "release/1" })
	o := s.options()
	clock, done := o.Clock, false
	o.Clock = func() time.Time {
		if len(s.world.Requests()) > 8 && !done {
			done = true
			s.change(func(r *fakegithub.Repository) { r.Pulls[0].BaseRef = "main" })
		}
		return clock()
	}
	code := Main(context.Background(), o)
	if r := s.receipt(); done && (code != 4 || r.Reason != "base_not_trusted") {
		t.Errorf("exit %d, %s", code, r.Reason)
	}
}

// TestForgedLaterRun holds that a comment of the same account which claims to be of a later run silences nobody.
func TestForgedLaterRun(t *testing.T) {
	s := newScene(t)
	Main(context.Background(), s.options())
	s.change(func(r *fakegithub.Repository) {
		r.Comments[0].Body = strings.Replace(r.Comments[0].Body, `"run_id": 900`, `"run_id": 9007199254740991`, 1)
	})
	s.attempt = 2
	s.write("out/junit.xml", red)
	code := Main(context.Background(), s.options())
	if on := s.shown(); code != 1 || on.status != "failure" || strings.Contains(on.comment, "9007199254740991") {
		t.Errorf("exit %d, %+v", code, on)
	}
}

// TestOlderStatusIsNoPost holds that a wait ends with 0 only where this run's status stands.
func TestOlderStatusIsNoPost(t *testing.T) {
	s := newScene(t)
	s.attempt = 3
	Main(context.Background(), s.options())
	s.attempt = 1
	s.env["INPUT_WAIT-EXIT-ZERO"] = "true"
	s.change(func(r *fakegithub.Repository) { b := "Working."; r.Pulls[0].Draft, r.Pulls[0].Body = true, &b })
	if code := Main(context.Background(), s.options()); code != 4 {
		t.Errorf("an older run that waits and sets no status exits %d", code)
	}
}

// TestReview holds that an approval lifts the wait that asked for it: the review's own event judges again.
func TestReview(t *testing.T) {
	s := newScene(t)
	s.contract(agreed + "    waits_for: { approval: { from: [write], count: 1 } }\n")
	if code := Main(context.Background(), s.options()); code != 4 || s.shown().status != "pending" {
		t.Fatalf("before the review: exit %d, %+v\n%s", code, s.shown(), s.log.String())
	}
	s.change(func(r *fakegithub.Repository) {
		r.Reviews = []*fakegithub.Review{{ID: 5, Pull: 7, User: fakegithub.User{Login: "keeper"}, State: "APPROVED", CommitID: s.head, SubmittedAt: time.Now()}}
	})
	s.attempt++
	s.env["GITHUB_EVENT_NAME"] = "pull_request_review"
	if code := Main(context.Background(), s.options()); code != 0 || s.shown().status != "success" || s.receipt().Reason != "verified" {
		t.Errorf("after it: exit %d, %s, %+v", code, s.receipt().Reason, s.shown())
	}
}

// TestDispatch holds that a run that somebody starts judges the pull request whose number it is given, if it runs on its head.
func TestDispatch(t *testing.T) {
	for _, c := range []struct {
		name, event, number string
		sha                 string // "" is the pull request's head
		code                int
		reason              string
	}{
		{name: "on the head", event: "workflow_dispatch", number: "7", reason: "verified"},
		{name: "on another commit", event: "workflow_dispatch", number: "7", sha: "main", code: 4, reason: "head_moved"},
		{name: "without a number", event: "workflow_dispatch", code: 2},
		{name: "a number that is none", event: "workflow_dispatch", number: "8", code: 3},
		{name: "the event's own number", event: "pull_request", number: "7", reason: "verified"},
		{name: "another number than the event's", event: "pull_request", number: "8", code: 2},
	} {
		s := newScene(t)
		s.env["GITHUB_EVENT_NAME"], s.env["INPUT_PR-NUMBER"] = c.event, c.number
		if c.event == "workflow_dispatch" {
			s.env["GITHUB_REF"] = "refs/heads/claude/mend"
		}
		if c.sha != "" {
			s.change(func(r *fakegithub.Repository) { s.env["GITHUB_SHA"] = r.Branches[c.sha] })
		}
		code := Main(context.Background(), s.options())
		if code != c.code || c.reason != "" && string(s.receipt().Reason) != c.reason {
			t.Errorf("%s: exit %d, want %d %s\n%s", c.name, code, c.code, c.reason, s.log.String())
		}
	}
}
