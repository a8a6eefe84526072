package e2e

import (
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// TestEnvironmentWait shows that the wait for an environment ends with the answer of one of its reviewers to a run of
// this very head, and with nothing else.
func TestEnvironmentWait(t *testing.T) {
	c := goodChange()
	c.contract = demoContract + "  - id: go-live\n    waits_for: { environment: production }\n"
	h := open(t, c, settings{})
	h.repo(func(r *fakegithub.Repository) {
		r.Environments = []*fakegithub.Environment{{Name: "production", Reviewers: []fakegithub.User{{Login: "mona"}}}}
	})
	answer := func(run int64, head, login, state string) {
		h.repo(func(r *fakegithub.Repository) {
			deploy := *r.Runs[0]
			deploy.ID, deploy.HeadSHA, deploy.Path = run, head, ".github/workflows/deploy.yml"
			deploy.Approvals = []*fakegithub.Approval{{User: fakegithub.User{Login: login}, State: state, Environments: []string{"production"}}}
			r.Runs = append(r.Runs, &deploy)
		})
	}
	title := "Waiting for environment production"
	h.judge(t, runID, 1, settings{}).agree(t, waiting("UNVERIFIABLE", "waiting", title))
	answer(3001, h.base, "mona", "approved")      // another commit
	answer(3002, h.head, "agent-one", "approved") // the author
	h.judge(t, runID, 2, settings{}).agree(t, waiting("UNVERIFIABLE", "waiting", title))
	answer(3003, h.head, "mona", "approved")
	over := passed()
	over.title = "LIVE: 2 of 2 outcomes verified"
	h.judge(t, runID, 3, settings{}).agree(t, over)
}

// TestWeakenedContract shows that a change of the contract waits for a person, who is told what it weakens.
func TestWeakenedContract(t *testing.T) {
	c := goodChange()
	c.head[contractFile] = fakegithub.File{Text: strings.Replace(demoContract, "version: 1", "version: 1\nmode: observe", 1)}
	s := open(t, c, settings{}).judge(t, runID, 1, settings{})
	s.agree(t, waiting("UNVERIFIABLE", "protected_change", "Waiting for approval: "+contractFile+" is protected"))
	if w := s.receipt(t).Contract.Weakens; len(w) != 1 || w[0].Key != "mode" || w[0].Direction != "weaker" {
		t.Errorf("the receipt says %+v", w)
	}
	s.hub.repo(func(r *fakegithub.Repository) {
		if body := r.Comments[len(r.Comments)-1].Body; !strings.Contains(body, "What the change weakens in the contract") || !strings.Contains(body, "mode goes from enforce to observe") {
			t.Errorf("the comment does not say what is weakened:\n%s", body)
		}
	})
}
