package conformance

import (
	"context"
	"slices"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/scope"
)

// environments says what the service knows of an environment's reviewers. It shows their review as a check run
// of the workflow's own app; without one, nobody has decided yet.
func (w *world) environments(_ context.Context, environment string) evidence.WaitFacts {
	f := evidence.WaitFacts{Known: true, Need: 1}
	for _, c := range w.s.Run.Checks {
		if c.Name != environment+" deployment review" || c.HeadSHA != w.s.Tested() || c.Status != "completed" || c.Conclusion == nil {
			continue
		}
		f.Arrived, f.Rejected = *c.Conclusion == "success", *c.Conclusion == "failure"
		if f.Arrived {
			f.By = []string{"a reviewer of " + environment}
		}
	}
	return f
}

// approvals says who approved the tested commit, may approve at all, and is one of those that the contract names.
func (w *world) approvals(ctx context.Context, wait contract.Approval) evidence.WaitFacts {
	f := evidence.WaitFacts{Known: true, Need: wait.Count}
	reviews, err := w.reviews(ctx)
	if err != nil {
		return evidence.WaitFacts{Reason: err.Error()}
	}
	var others []string
	for _, login := range scope.Approvers(w.change(), w.s.Tested(), reviews) {
		if slices.ContainsFunc(w.s.Pull.Reviews, func(r Review) bool { return r.User.Login == login && entitled(wait.From, r) }) {
			f.By = append(f.By, login)
		} else {
			others = append(others, login)
		}
	}
	for _, from := range wait.From {
		slug, team := strings.CutPrefix(from, "team:")
		if !team || len(f.By) >= f.Need || len(others) == 0 {
			continue
		}
		members, known := w.s.Run.Teams[slug]
		if !known {
			return evidence.WaitFacts{Reason: "the token may not look into " + from}
		}
		for _, login := range others {
			if slices.Contains(members, login) && !slices.Contains(f.By, login) {
				f.By = append(f.By, login)
			}
		}
	}
	f.Arrived = len(f.By) >= f.Need
	return f
}

// entitled reports whether the reviewer is one of from: a login, or somebody with at least that permission.
func entitled(from []string, r Review) bool {
	order := []string{"read", "triage", "write", "maintain", "admin"}
	has := slices.Index(order, r.permission())
	for _, want := range from {
		if want == "user:"+r.User.Login {
			return true
		}
		if need := slices.Index(order, want); need >= 0 && has >= need {
			return true
		}
	}
	return false
}

// permission is what the reviewer may do in the repository, as the service answers when it is asked.
func (r *Review) permission() string {
	if r.Permission != "" {
		return r.Permission
	}
	switch r.Association {
	case "OWNER":
		return "admin"
	case "MEMBER", "COLLABORATOR":
		return "write"
	}
	return "read"
}
