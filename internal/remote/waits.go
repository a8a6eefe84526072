package remote

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/github"
	"github.com/outcome-gate/outcome-gate/internal/scope"
)

// maxRunsAsked bounds the workflow runs of one commit whose reviews are read for an environment: a commit rarely has
// more than its workflows, and each costs a request.
const maxRunsAsked = 30

// approved is the commit that people have to have approved: the head, or that of the merge group's pull request.
func (r *Run) approved() string { return cmp.Or(r.event.Reviewed, r.event.Subject.HeadSHA) }

// approvals says who of those that a wait asks for approved the head commit.
func (r *Run) approvals(ctx context.Context, wait contract.Approval) evidence.WaitFacts {
	reviews, err := r.reviews(ctx)
	if err != nil {
		return evidence.WaitFacts{Reason: err.Error()}
	}
	out := evidence.WaitFacts{Known: true, Need: max(wait.Count, 1)}
	var others []string
	for _, login := range scope.Approvers(r.event.Change, r.approved(), reviews) {
		if asked(wait.From, login, reviews) {
			out.By = append(out.By, login)
		} else {
			others = append(others, login)
		}
	}
	for _, from := range wait.From {
		slug, team := strings.CutPrefix(from, "team:")
		if !team || len(out.By) >= out.Need || len(others) == 0 {
			continue // who belongs to it would change nothing
		}
		members, err := r.members(ctx, slug)
		if err != nil {
			return evidence.WaitFacts{Need: out.Need, Reason: err.Error() + permissionOf(err, "a token that may read the organization's members (`members: read`), which a workflow's own never may")}
		}
		out.By = append(out.By, take(&others, members)...)
	}
	out.Arrived = len(out.By) >= out.Need
	return out
}

// take moves those out of others who are members.
func take(others *[]string, members []github.User) (taken []string) {
	*others = slices.DeleteFunc(*others, func(login string) bool {
		if !slices.ContainsFunc(members, func(u github.User) bool { return strings.EqualFold(u.Login, login) }) {
			return false
		}
		taken = append(taken, login)
		return true
	})
	return taken
}

// members lists who belongs to a team, once for all outcomes that name it.
func (r *Run) members(ctx context.Context, slug string) ([]github.User, error) {
	if r.teams == nil {
		r.teams = map[string]func(context.Context) (github.List[github.User], error){}
	}
	if r.teams[slug] == nil {
		r.teams[slug] = once(func(ctx context.Context) (github.List[github.User], error) { return r.c.TeamMembers(ctx, slug) })
	}
	list, err := r.teams[slug](ctx)
	if err == nil && list.Cut {
		err = fmt.Errorf("GitHub does not list all members of team %s", slug)
	}
	return list.Items, err
}

// permissionOf names the permission whose lack is the reason, if it can be.
func permissionOf(err error, need string) string {
	if github.IsStatus(err, http.StatusForbidden) || github.IsStatus(err, http.StatusNotFound) {
		return ". It needs " + need
	}
	return ""
}

// asked reports whether one of the entries names the approver. The API shows maintain as write, so a demand
// for maintain is only met by admin.
func asked(from []string, login string, reviews []scope.Review) bool {
	permission := ""
	for _, v := range reviews {
		if v.By.Login == login && v.Permission != "" {
			permission = v.Permission
		}
	}
	for _, f := range from {
		switch name, user := strings.CutPrefix(f, "user:"); {
		case user:
			if strings.EqualFold(name, login) {
				return true
			}
		case f == "write" && (permission == "write" || permission == "admin"), (f == "maintain" || f == "admin") && permission == "admin":
			return true
		}
	}
	return false
}

// environment says what the reviewers of an environment answered to the runs of the head commit. Only GitHub's log of
// reviews counts, which nobody but a reviewer can write into: deployments and their statuses any workflow of the change
// may make. Of several runs the newest that was answered decides; in one run a refusal outweighs what else was said,
// since GitHub promises no order.
func (r *Run) environment(ctx context.Context, name string) evidence.WaitFacts {
	out, err := r.reviewed(ctx, name)
	if err != nil {
		return evidence.WaitFacts{Reason: err.Error() + permissionOf(err, "`actions: read`")}
	}
	return out
}

func (r *Run) reviewed(ctx context.Context, name string) (evidence.WaitFacts, error) {
	guarded, err := r.c.EnvironmentReviewed(ctx, name)
	if github.IsStatus(err, http.StatusNotFound) {
		return evidence.WaitFacts{}, fmt.Errorf("this repository has no environment of that name that the token may see: %w", err)
	}
	if err != nil {
		return evidence.WaitFacts{}, err
	}
	if !guarded {
		return evidence.WaitFacts{Reason: "the environment has no required reviewers, so nobody is asked"}, nil
	}
	runs, err := r.runs(ctx)
	if err != nil {
		return evidence.WaitFacts{}, err
	}
	out := evidence.WaitFacts{Known: true, Need: 1}
	for i, run := range runs.Items {
		if i >= maxRunsAsked {
			return evidence.WaitFacts{Reason: fmt.Sprintf("the newest %d runs of the head commit say nothing of it, and there are more", maxRunsAsked)}, nil
		}
		answers, err := r.answers(ctx, run.ID)
		if err != nil {
			return evidence.WaitFacts{}, err
		}
		said := false
		for _, a := range answers {
			if !slices.Contains(a.Environments, name) {
				continue
			}
			switch a.State {
			case "rejected":
				out.Rejected, said = true, true
			case "approved":
				said = true
				if who := account(a.By); scope.MayApprove(r.event.Change, who) && !slices.Contains(out.By, who.Login) {
					out.By = append(out.By, who.Login)
				}
			}
		}
		if said {
			break
		}
	}
	out.Arrived = len(out.By) > 0 && !out.Rejected
	return out, nil
}

// answers lists the reviews of a run, once for all environments that are asked for.
func (r *Run) answers(ctx context.Context, run int64) ([]github.DeploymentReview, error) {
	if r.answered == nil {
		r.answered = map[int64][]github.DeploymentReview{}
	}
	if list, known := r.answered[run]; known {
		return list, nil
	}
	list, err := r.c.DeploymentReviews(ctx, run)
	if err == nil {
		r.answered[run] = list
	}
	return list, err
}
