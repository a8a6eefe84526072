package stage

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// TestWeakenedContract holds that what a change weakens in the contract stands on every surface, that the trusted
// branch's contract judges until somebody approved it, and the change's own from then on.
func TestWeakenedContract(t *testing.T) {
	const fresh = `version: 1
mode: enforce
applies_to: { agents: [claude] }
outcomes:
  - id: crane
    artifact: { files: "out/junit.xml", made_by: test }
    validators:
      - tests: { min_executed: 1, must_pass: "</details> @everyone ![x](https://evil.example/x.png)" }
  - id: more
    required: false
    validators: [ step: test ]
`
	for _, approved := range []bool{false, true} {
		s := newScene(t)
		s.head = s.commit("claude/mend", "Loosen\n", map[string]fakegithub.File{".github/outcome-contract.yml": {Text: fresh}})
		s.runsOn(s.head)
		if approved {
			s.change(func(r *fakegithub.Repository) {
				r.Reviews = []*fakegithub.Review{{ID: 51, Pull: 7, User: fakegithub.User{Login: "keeper"}, State: "APPROVED", CommitID: s.head, SubmittedAt: time.Now()}}
			})
		}
		code := Main(context.Background(), s.options())
		r := s.receipt()
		w := r.Contract.Weakens
		if len(w) != 1 || w[0].Direction != "weaker" || w[0].Outcome != "crane" || w[0].Key != "validators.tests.min_executed" {
			t.Errorf("the receipt says %+v", w)
		}
		const text = "validators.tests.min_executed goes from 2 to 1"
		for name, surface := range map[string]string{
			"the comment": s.shown().comment, "the summary": s.file("GITHUB_STEP_SUMMARY"), "the log": s.log.String(),
			"the check run": s.checkText(),
		} {
			if !strings.Contains(surface, text) || strings.Contains(surface, "evil.example") && name != "the log" && !approved {
				t.Errorf("%s does not say what is weakened:\n%s", name, surface)
			}
		}
		if approved {
			// Judged by the change's own contract, whose test did not run.
			if code != 1 || r.Contract.SHA256 != r.Contract.ProposedSHA256 || strings.Join(r.Contract.ApprovedBy, " ") != "keeper" {
				t.Errorf("approved: exit %d, %s, judged by %s, approved by %v", code, r.Reason, r.Contract.SHA256, r.Contract.ApprovedBy)
			}
		} else if code != 4 || r.Reason != "protected_change" || r.Contract.SHA256 == r.Contract.ProposedSHA256 {
			t.Errorf("not approved: exit %d, %s", code, r.Reason)
		}
	}
}

// checkText is all that the newest check run says.
func (s *scene) checkText() (text string) {
	s.change(func(r *fakegithub.Repository) {
		c := r.CheckRuns[len(r.CheckRuns)-1]
		for _, part := range []*string{c.Title, c.Summary, c.Text} {
			if part != nil {
				text += *part + "\n"
			}
		}
	})
	return text
}

// TestApprovals holds that each clause of the rule on approvals has a case that would pass without it.
func TestApprovals(t *testing.T) {
	who := func(login, email string) fakegithub.Person {
		return fakegithub.Person{Name: "X", Email: email, Login: login, Date: time.Unix(1772355600, 0)}
	}
	for _, c := range []struct {
		name    string
		by      string // empty: keeper
		may     string // empty: write
		state   string // empty: APPROVED
		commit  string // empty: the head
		message string // of the head commit
		author  fakegithub.Person
		maker   fakegithub.Person // its committer
		later   string            // the state of a later review of the same person
		code    int
	}{
		{name: "sound"},
		{name: "an admin", may: "admin"},
		{name: "an older commit", commit: strings.Repeat("a", 40), code: 4},
		{name: "a comment", state: "COMMENTED", code: 4},
		{name: "changes requested", state: "CHANGES_REQUESTED", code: 4},
		{name: "dismissed", state: "DISMISSED", code: 4},
		{name: "taken back", later: "CHANGES_REQUESTED", code: 4},
		{name: "commented on later", later: "COMMENTED"},
		{name: "who may only read", may: "read", code: 4},
		{name: "who may only triage", may: "triage", code: 4},
		{name: "who has no permission", may: "none", code: 4},
		{name: "who opened it", by: "Mira", code: 4},
		{name: "the author of a commit", author: who("keeper", "k@harbour.example"), code: 4},
		{name: "the committer of a commit", author: who("mira", "m@harbour.example"), maker: who("keeper", "k@harbour.example"), code: 4},
		{name: "a co-author", message: "Loosen\n\nCo-authored-by: K <123+keeper@users.noreply.github.com>\n", code: 4},
		{name: "a bot", by: "helper[bot]", code: 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t)
			or := func(a, b string) string {
				if a == "" {
					return b
				}
				return a
			}
			by := or(c.by, "keeper")
			commit := &fakegithub.Commit{
				Branch: "claude/mend", Message: or(c.message, "CI\n"), Author: c.author, Committer: c.maker,
				Files: map[string]fakegithub.File{".github/workflows/ci.yml": {Text: "on: push\n"}},
			}
			if c.author.Email == "" {
				commit.Author = who("mira", "m@harbour.example")
			}
			if _, err := s.world.Commit(repository, commit); err != nil {
				t.Fatal(err)
			}
			s.change(func(r *fakegithub.Repository) { s.head = r.Branches["claude/mend"] })
			s.runsOn(s.head)
			s.change(func(r *fakegithub.Repository) {
				r.Collaborators[by] = or(c.may, "write")
				review := func(id int64, state string) *fakegithub.Review {
					return &fakegithub.Review{ID: id, Pull: 7, User: fakegithub.User{Login: by}, State: state, CommitID: or(c.commit, s.head), SubmittedAt: time.Now()}
				}
				r.Reviews = []*fakegithub.Review{review(51, or(c.state, "APPROVED"))}
				if c.later != "" {
					r.Reviews = append(r.Reviews, review(52, c.later))
				}
			})
			if code := Main(context.Background(), s.options()); code != c.code {
				t.Errorf("exit %d, %s %v", code, s.receipt().Reason, s.receipt().Contract.ApprovedBy)
			}
		})
	}
}
