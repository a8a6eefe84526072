package evidence

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// maxCheckFacts bounds the check runs that facts list; a name rarely has more than one app.
const maxCheckFacts = 10

const checkSchema = `{
  "type": "object",
  "description": "Another check run or commit status at the head commit.",
  "properties": {
    "name": {"type": "string", "minLength": 1, "maxLength": 255,
      "description": "The check run's name or the commit status's context, by equality."},
    "app": {"type": "string", "minLength": 1, "maxLength": 100,
      "description": "The slug of the app that must have made it, for example github-actions. Without it the newest check of every app of that name must have passed."}
  },
  "required": ["name"],
  "additionalProperties": false,
  "examples": [{"name": "e2e", "app": "github-actions"}, {"name": "deploy/preview"}]
}`

type checkParams struct {
	Name string `json:"name"`
	App  string `json:"app,omitempty"`
}

type checkFacts struct {
	Given       bool       `json:"given"` // the check runs were listed
	Note        string     `json:"note,omitempty"`
	HeadKnown   bool       `json:"head_known"`
	Own         bool       `json:"own"`                    // the name is the gate's own
	Newest      []checkRun `json:"newest,omitempty"`       // at the head commit, the newest of each app that counts
	OtherApps   []string   `json:"other_apps,omitempty"`   // apps with a check of that name at the head commit
	OtherCommit int        `json:"other_commit,omitempty"` // checks of that name and app at other commits
	More        int        `json:"more,omitempty"`         // apps beyond those listed
}

type checkRun struct {
	App        string `json:"app"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
	RunAttempt int    `json:"run_attempt,omitempty"`
	StartedAt  string `json:"started_at,omitempty"`
	ID         int64  `json:"id,omitempty"`
}

func checkKind() Kind {
	return Kind{
		Name: "check", Version: "1", Short: "name", Schema: checkSchema, Deterministic: true,
		Doc:     "The newest check run or commit status of that name and app at the head commit succeeded.",
		Observe: observing(observeCheck),
		Judge:   judging(judgeCheck),
	}
}

func observeCheck(p *checkParams, in *Input) checkFacts {
	f := checkFacts{
		Given: in.HasChecks, Note: clip(in.CheckNote, maxNameBytes), HeadKnown: in.Subject.HeadSHA != "",
		Own: slices.Contains(in.OwnChecks, p.Name),
	}
	if !f.Given || !f.HeadKnown || f.Own {
		return f
	}
	newest := map[string]Check{}
	others := map[string]bool{}
	for _, c := range in.Checks {
		switch {
		case c.Name != p.Name:
		case p.App != "" && c.App != p.App:
			if c.HeadSHA == in.Subject.HeadSHA {
				others[c.App] = true
			}
		case c.HeadSHA != in.Subject.HeadSHA:
			f.OtherCommit++
		default:
			if old, ok := newest[c.App]; !ok || newer(c, old) {
				newest[c.App] = c
			}
		}
	}
	for app := range others {
		f.OtherApps = append(f.OtherApps, clip(app, 100))
	}
	slices.Sort(f.OtherApps)
	f.OtherApps = f.OtherApps[:min(len(f.OtherApps), maxCheckFacts)]
	for _, c := range newest {
		f.Newest = append(f.Newest, runOf(c))
	}
	// The worst come first, so that the bound never hides a failure.
	slices.SortFunc(f.Newest, func(a, b checkRun) int {
		order := States()
		ra, rb := judgeRun(p, a).State, judgeRun(p, b).State
		return cmp.Or(cmp.Compare(slices.Index(order, ra), slices.Index(order, rb)), strings.Compare(a.App, b.App))
	})
	if len(f.Newest) > maxCheckFacts {
		f.More = len(f.Newest) - maxCheckFacts
		f.Newest = f.Newest[:maxCheckFacts]
	}
	return f
}

// newer orders by attempt, then start, then id.
func newer(a, b Check) bool {
	return cmp.Or(cmp.Compare(a.RunAttempt, b.RunAttempt), a.StartedAt.Compare(b.StartedAt), cmp.Compare(a.ID, b.ID),
		// Of two that nothing else tells apart the one that did not succeed counts.
		cmp.Compare(answer(a), answer(b))) > 0
}

// answer orders ends for newer: success last.
func answer(c Check) int {
	if c.Status == "completed" && c.Conclusion == "success" {
		return 0
	}
	return 1
}

func runOf(c Check) checkRun {
	r := checkRun{
		App: clip(c.App, 100), Status: clip(c.Status, 64), Conclusion: clip(c.Conclusion, 64),
		RunAttempt: c.RunAttempt, ID: c.ID,
	}
	if !c.StartedAt.IsZero() {
		r.StartedAt = c.StartedAt.UTC().Format(time.RFC3339)
	}
	return r
}

func judgeCheck(p *checkParams, f *checkFacts) Finding {
	switch why := f.unusable(p); {
	case why != "":
		return find(Unverified, CodeInputFacts, "%s", why)
	case f.Own:
		return find(Unverified, CodeContractSelfWait, "%s is the gate's own check: it cannot wait for itself", p.Name)
	case !f.Given:
		return find(Unverified, CodeInputChecks, "check %s was not looked up%s", p.Name, because(f.Note))
	case !f.HeadKnown:
		return find(Unverified, CodeInputHead, "check %s was not looked up: the head commit is not known", p.Name)
	case len(f.Newest) == 0 && len(f.OtherApps) > 0:
		return find(WrongArtifact, CodeCheckWrongApp, "check %s at the head commit is by %s, not by %s", p.Name, appNames(f.OtherApps), p.App)
	case len(f.Newest) == 0 && f.OtherCommit > 0:
		return find(Unverified, CodeCheckAbsent, "check %s ran at other commits only, not at the head commit", p.Name)
	case len(f.Newest) == 0:
		return find(Unverified, CodeCheckAbsent, "no check named %s at the head commit", p.Name)
	}
	all := make([]Finding, len(f.Newest))
	for i, r := range f.Newest {
		all[i] = judgeRun(p, r)
	}
	return worst(all)
}

func because(note string) string {
	if note == "" {
		return ""
	}
	return ": " + note
}

func appNames(apps []string) string {
	names := make([]string, len(apps))
	for i, a := range apps {
		names[i] = byApp(a)
	}
	return strings.Join(names, ", ")
}

// byApp names the maker of a check; commit statuses have no app.
func byApp(app string) string {
	if app == "" {
		return "a commit status"
	}
	return app
}

func judgeRun(p *checkParams, r checkRun) Finding {
	if r.Status != "completed" {
		return find(Waiting, CodeCheckNotCompleted, "check %s (%s) is %q, not completed", p.Name, byApp(r.App), r.Status)
	}
	switch r.Conclusion {
	case "success":
		return find(Verified, CodeCheckSucceeded, "check %s (%s) succeeded", p.Name, byApp(r.App))
	case "failure", "error":
		return find(ValidatorFailed, CodeCheckFailed, "check %s (%s) ended with %s", p.Name, byApp(r.App), r.Conclusion)
	case "skipped":
		return find(Unverified, CodeCheckSkipped, "check %s (%s) was skipped", p.Name, byApp(r.App))
	case "cancelled":
		return find(Unverified, CodeCheckCancelled, "check %s (%s) was cancelled", p.Name, byApp(r.App))
	}
	return find(Unverified, CodeCheckNoAnswer, "check %s (%s) ended with %q, which answers nothing", p.Name, byApp(r.App), r.Conclusion)
}
