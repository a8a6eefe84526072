package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/e2e/runstep"
	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// Each case is one pull request, judged by the container as a step of a job; every surface must say the same.

func TestPass(t *testing.T) {
	s := open(t, goodChange(), settings{}).judge(t, runID, 1, settings{})
	s.agree(t, passed())
}

func passed() answer {
	return answer{
		exit: 0, result: "pass", verdict: "LIVE", reason: "verified", title: "LIVE: 1 of 1 outcome verified",
		conclusion: "success", status: "success",
	}
}

func falseSuccess() answer {
	return answer{
		exit: 1, result: "block", verdict: "EXITED", reason: "false_success",
		title:      "EXITED (false success): report says succeeded, unit-tests has 1 failure",
		conclusion: "failure", status: "failure",
	}
}

func TestFalseSuccess(t *testing.T) {
	s := open(t, badChange(), settings{}).judge(t, runID, 1, settings{})
	s.agree(t, falseSuccess())
	for _, c := range s.step.Result.Commands {
		if c.Name == "error" && c.Props["file"] == "price.sh" && strings.Contains(c.Data, "discount_of_ten_per_cent") {
			return
		}
	}
	t.Errorf("no annotation names the failing test: %s", s.said("error"))
}

func TestBlockWithoutClaim(t *testing.T) {
	c := badChange()
	c.body = "Discounts are per cent now."
	s := open(t, c, settings{}).judge(t, runID, 1, settings{})
	s.agree(t, answer{
		exit: 1, result: "block", verdict: "EXITED", reason: "evidence_rejected", title: "EXITED: unit-tests has 1 failure",
		conclusion: "failure", status: "failure",
	})
}

func TestMissing(t *testing.T) {
	c := goodChange()
	with := settings{before: func(t *testing.T, s *scene) { remove(t, s, "reports/junit.xml") }}
	s := open(t, c, with).judge(t, runID, 1, with)
	s.agree(t, answer{
		exit: 1, result: "block", verdict: "UNVERIFIABLE", reason: "evidence_incomplete", title: "UNVERIFIABLE: reports/junit.xml is missing",
		conclusion: "failure", status: "failure",
	})
}

// TestCommittedResult shows that a green file which the change brings along is none.
func TestCommittedResult(t *testing.T) {
	c := goodChange()
	c.head["reports/junit.xml"] = fakegithub.File{Text: `<testsuite name="price" tests="3" failures="0">
<testcase classname="price" name="total_a"/><testcase classname="price" name="total_b"/><testcase classname="price" name="c"/></testsuite>`}
	c.head["test"] = fakegithub.File{Text: "#!/bin/sh\nexit 0\n", Mode: "100755"}
	s := open(t, c, settings{}).judge(t, runID, 1, settings{})
	s.agree(t, answer{
		exit: 1, result: "block", verdict: "UNVERIFIABLE", reason: "evidence_incomplete", title: "UNVERIFIABLE: reports/junit.xml is stale",
		conclusion: "failure", status: "failure",
	})
}

func TestContractInvalid(t *testing.T) {
	c := goodChange()
	c.contract = strings.Replace(demoContract, "artifact:", "artifakt:", 1)
	s := open(t, c, settings{}).judge(t, runID, 1, settings{})
	want := answer{
		exit: 2, result: "error", verdict: "none", reason: "contract_invalid", conclusion: "failure", status: "error",
		title: "Contract is not valid: 1 mistake, the first at " + contractFile + ":5:5",
	}
	s.agree(t, want)
	if !strings.Contains(s.step.Result.Summary, "contract/unknown-key") {
		t.Error("the summary does not name the mistake")
	}
}

func TestContractAbsent(t *testing.T) {
	c := goodChange()
	c.contract = ""
	s := open(t, c, settings{}).judge(t, runID, 1, settings{})
	s.agree(t, answer{
		exit: 2, result: "error", verdict: "none", reason: "contract_missing", conclusion: "failure", status: "error",
		title: "Contract is missing: there is no " + contractFile + " on main",
	})
}

func TestWaitContractProposed(t *testing.T) {
	c := goodChange()
	c.contract = ""
	c.head[contractFile] = fakegithub.File{Text: demoContract}
	s := open(t, c, settings{}).judge(t, runID, 1, settings{})
	s.agree(t, waiting("none", "contract_proposed", "Waiting for approval of the contract that this change proposes"))
}

func waiting(verdict, reason, title string) answer {
	return answer{
		exit: 4, result: "wait", verdict: verdict, reason: reason, title: title, conclusion: "action_required", status: "pending",
	}
}

func TestWaitProtectedChange(t *testing.T) {
	c := goodChange()
	c.head[".github/workflows/other.yml"] = fakegithub.File{Text: "name: other\n"}
	s := open(t, c, settings{}).judge(t, runID, 1, settings{})
	s.agree(t, waiting("UNVERIFIABLE", "protected_change", "Waiting for approval: .github/workflows/other.yml is protected"))
}

// TestApproval shows that the wait ends with the approval of somebody who may, and of nobody else.
func TestApproval(t *testing.T) {
	c := goodChange()
	c.head[".github/workflows/other.yml"] = fakegithub.File{Text: "name: other\n"}
	h := open(t, c, settings{})
	approve := func(login, sha string) {
		h.repo(func(r *fakegithub.Repository) {
			r.Reviews = append(r.Reviews, &fakegithub.Review{
				ID: int64(9000 + len(r.Reviews)), Pull: pullNumber, User: fakegithub.User{Login: login}, State: "APPROVED", CommitID: sha,
				SubmittedAt: time.Now().UTC().Truncate(time.Second),
			})
		})
	}
	approve("agent-one", h.head) // the author
	approve("stranger", h.head)  // may not write
	approve("mona", h.base)      // not at this head
	s := h.judge(t, runID, 1, settings{})
	s.agree(t, waiting("UNVERIFIABLE", "protected_change", "Waiting for approval: .github/workflows/other.yml is protected"))
	approve("mona", h.head)
	h.judge(t, runID, 2, settings{}).agree(t, passed())
}

func TestWaitExitZero(t *testing.T) {
	c := goodChange()
	c.head[".github/workflows/other.yml"] = fakegithub.File{Text: "name: other\n"}
	with := settings{with: map[string]string{"wait-exit-zero": "true"}}
	s := open(t, c, with).judge(t, runID, 1, with)
	want := waiting("UNVERIFIABLE", "protected_change", "Waiting for approval: .github/workflows/other.yml is protected")
	want.exit = 0
	s.agree(t, want)
}

func TestDraftStillWorking(t *testing.T) {
	c := goodChange()
	c.contract = demoContract + "report: { required: always }\n"
	c.draft, c.body = true, "Not there yet."
	s := open(t, c, settings{}).judge(t, runID, 1, settings{})
	s.agree(t, waiting("UNVERIFIABLE", "still_working", "Waiting for the agent: it is still working"))
}

func TestObserve(t *testing.T) {
	c := badChange()
	c.contract = "mode: observe\n" + demoContract
	s := open(t, c, settings{}).judge(t, runID, 1, settings{})
	want := falseSuccess()
	want.exit, want.title, want.conclusion, want.status, want.checkName = 0, "Observe: "+want.title, "success", "", "Outcome Gate (observe)"
	s.agree(t, want)
}

// TestMergeGroup: the group's head carries check run and status; the report is not heard.
func TestMergeGroup(t *testing.T) {
	with := settings{event: "merge_group", remote: true}
	h := open(t, goodChange(), with)
	s := h.judge(t, runID, 1, with)
	want := passed()
	want.sha, want.noComment = h.merge, true
	s.agree(t, want)
}

// TestThreeRuns: one comment after three runs and a re-run, one check run for each, the newest status last.
func TestThreeRuns(t *testing.T) {
	h := open(t, badChange(), settings{})
	h.judge(t, runID, 1, settings{}).agree(t, falseSuccess())
	h.judge(t, runID, 2, settings{}).agree(t, falseSuccess())
	h.repo(func(r *fakegithub.Repository) {
		body := "No report any more."
		r.Pulls[0].Body = &body
	})
	s := h.judge(t, runID+1, 1, settings{})
	s.agree(t, answer{
		exit: 1, result: "block", verdict: "EXITED", reason: "evidence_rejected", title: "EXITED: unit-tests has 1 failure",
		conclusion: "failure", status: "failure",
	})
	if n := len(h.comments(botLogin)); n != 1 {
		t.Errorf("%d comments after three runs", n)
	}
}

// TestOlderRunIsQuiet: what an older run has to say comes after a newer one spoke.
func TestOlderRunIsQuiet(t *testing.T) {
	h := open(t, goodChange(), settings{})
	h.judge(t, runID+1, 1, settings{}).agree(t, passed())
	before := h.comments(botLogin)
	with := settings{before: func(t *testing.T, s *scene) { remove(t, s, "reports/junit.xml") }}
	s := h.judge(t, runID, 1, with)
	if got := s.step.Result.Exit[runstep.Main]; got != 1 {
		t.Errorf("exit code %d, want its own verdict, 1", got)
	}
	after := h.comments(botLogin)
	if len(before) != 1 || len(after) != 1 || before[0].Body != after[0].Body {
		t.Errorf("the older run changed the newer comment: %+v", after)
	}
	if got := s.status(h.head); got != "success" {
		t.Errorf("the older run changed the newer status to %q", got)
	}
}
