package contract

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// LintFacts is what the linter may know besides the contract. Zero values are unknown, and what depends on
// them is then not judged.
type LintFacts struct {
	Today time.Time
	// Tracked lists paths that git tracks and that one of the globs matches.
	Tracked func(globs []string) []string
}

const (
	reviewDays = 180 // a rule that nobody has looked at for half a year tends to be wrong
	maxNamed   = 3   // tracked paths named in one warning
)

// Lint reports what makes a valid contract weaker than it looks, in order of place. All are warnings.
func Lint(c *Contract, facts LintFacts) Problems {
	l := &linter{c: c, facts: facts}
	l.whole()
	for i := range c.Outcomes {
		l.outcome(&c.Outcomes[i], "/outcomes/"+strconv.Itoa(i))
	}
	return l.out.sorted()
}

type linter struct {
	c     *Contract
	facts LintFacts
	out   Problems
}

// warn reports code at the first of ptr and its parents that has a place.
func (l *linter) warn(ptr, code, hint, format string, args ...any) {
	pos, ok := l.c.Places[ptr]
	for !ok && ptr != "" {
		ptr = ptr[:strings.LastIndexByte(ptr, '/')]
		pos, ok = l.c.Places[ptr]
	}
	l.out = append(l.out, Problem{
		File: l.c.File, Line: max(pos.Line, 1), Col: max(pos.Col, 1), Code: code,
		Message: fmt.Sprintf(format, args...), Hint: hint, Warning: true,
	})
}

func (l *linter) whole() {
	c := l.c
	for i, glob := range c.BaseBranches {
		if strings.Trim(glob, "*/") == "" {
			l.warn("/base_branches/"+strconv.Itoa(i), CodeTrustsAll, "Name the release branches.",
				"base_branches trusts every branch, also one that an author makes to hold a weaker contract")
		}
	}
	if a := c.AppliesTo; a != nil {
		var marks []string
		for _, list := range []struct {
			name string
			n    int
		}{{"agents", len(a.Agents)}, {"labels", len(a.Labels)}, {"head_branches", len(a.HeadBranches)}, {"trailers", len(a.Trailers)}} {
			if list.n > 0 {
				marks = append(marks, list.name)
			}
		}
		if len(marks) > 0 {
			l.warn("/applies_to", CodeHideableMark, "Leave applies_to out, and every pull request is gated.",
				"applies_to goes by %s, and an author can leave such marks out; the change is then not gated", orWords(marks))
		}
	}
	if day, err := time.Parse(time.DateOnly, c.Reviewed); err == nil && !l.facts.Today.IsZero() {
		if days := int(l.facts.Today.Sub(day).Hours() / 24); days > reviewDays {
			l.warn("/reviewed", CodeOldReview, "Go through the contract and set `reviewed` to today.", "the contract was reviewed %d days ago; a stale rule blocks good changes", days)
		}
	}
	l.nothingAlways()
}

// nothingAlways warns if some changes are held to nothing.
func (l *linter) nothingAlways() {
	var waived, when int
	required := l.c.Required()
	for _, o := range required {
		switch {
		case o.Waive != nil && !l.ended(o.Waive):
			waived++
		case o.When != nil:
			when++
		}
	}
	if len(required) == 0 || waived+when < len(required) {
		return
	}
	switch {
	case when == 0:
		l.warn("/outcomes", CodeAllWaived, "Let one waiver end.", "every required outcome is waived, so no change can be verified")
	case l.c.WhenNothingExpected != "block":
		l.warn("/outcomes", CodeAllWaived, "Add an outcome without `when`, or `when_nothing_expected: block`.",
			"every required outcome depends on `when` or is waived; a change that touches none of those paths passes unchecked")
	}
}

// ended reports whether a waiver is over; one of unknown standing is not.
func (l *linter) ended(w *Waive) bool {
	day, err := time.Parse(time.DateOnly, w.Until)
	return err == nil && !l.facts.Today.IsZero() && !l.facts.Today.Before(day.AddDate(0, 0, 1))
}

func (l *linter) outcome(o *Outcome, ptr string) {
	if o.Waive != nil && l.ended(o.Waive) {
		l.warn(ptr+"/waive/until", CodeExpiredWaiver, "Remove the waiver.", "outcome %s: the waiver ended on %s", o.ID, o.Waive.Until)
	}
	if o.WaitsFor != nil && o.WaitsFor.Approval != nil {
		for i, from := range o.WaitsFor.Approval.From {
			if strings.HasPrefix(from, "team:") {
				l.warn(ptr+"/waits_for/approval/from/"+strconv.Itoa(i), CodeTeamPermission, "Give the action a token that may read members, or name users.",
					"outcome %s: %s needs a token with `members: read`; without it the approval is never seen", o.ID, from)
			}
		}
	}
	params := make([]map[string]any, len(o.Validators))
	for i, v := range o.Validators {
		// Parse wrote the parameters: they are an object, and nothing is judged of any other.
		_ = json.Unmarshal(v.Params, &params[i])
		l.validator(o, v.Kind, params[i], ptr+"/validators/"+strconv.Itoa(i)+"/"+escapePointer(v.Kind))
	}
	if a := ArtifactOf(l.c.Outcomes, o); o.Trust == Service && a != nil && a.URL != "" {
		l.warn(ptr+"/trust", CodeNeverVerifies, "Ask for `run`.", "outcome %s: an address is known from this run's own look, never from the service, so the outcome never verifies", o.ID)
	}
	if a := ArtifactOf(l.c.Outcomes, o); o.Trust == Service && o.Artifact != nil && len(l.c.filesOf(o)) > 0 && a.Upload == "" {
		l.warn(ptr+"/trust", CodeNeverVerifies, "Ask for `run`.", "outcome %s: files of the workspace are never known from the service, so the outcome never verifies", o.ID)
	}
	if o.Artifact == nil {
		return
	}
	a := ArtifactOf(l.c.Outcomes, o)
	if a == nil {
		return
	}
	if o.Artifact.Of == "" {
		l.artifact(o, a, ptr+"/artifact")
	}
	l.least(o, a, params, ptr)
	l.idle(o, a, ptr)
}

// filesOf is the globs of o's artifact, its own or those of the outcome that `of` names.
func (c *Contract) filesOf(o *Outcome) []string {
	if a := ArtifactOf(c.Outcomes, o); a != nil {
		return a.Files
	}
	return nil
}

// artifact judges the conditions of an artifact by themselves.
func (l *linter) artifact(o *Outcome, a *Artifact, ptr string) {
	switch {
	case a.MadeBy != "" || a.Committed != "no" || len(a.Files) == 0:
	case a.Upload != "":
		l.warn(ptr, CodeNoProducer, "Add `made_by: JOB`.", "outcome %s: no producer is named; an upload of any job of the run counts", o.ID)
	default:
		l.warn(ptr, CodeNoProducer, "Add `made_by: STEP`.", "outcome %s: no producer is named; a file that anything in the job leaves there counts", o.ID)
	}
	if a.Fresh.Rule == "none" && a.Committed == "no" && a.SHA256 == "" && a.HMACSHA256 == "" && len(a.Identity) == 0 {
		l.warn(ptr+"/fresh", CodeNoTimeRule, "Add `identity` or a digest.", "outcome %s: times are ignored and nothing else binds the file to this run", o.ID)
	}
	if a.Committed == "yes" && a.Fresh.Rule != "none" {
		l.warn(ptr+"/committed", CodeCommitTime, "Add `fresh: none`.", "outcome %s: a committed file has the time of its checkout, which says nothing of this run", o.ID)
	}
	if a.AnyExit && !slices.ContainsFunc(o.Validators, func(v Validator) bool { return v.Kind == "tests" || v.Kind == "fail_to_pass" }) {
		l.warn(ptr+"/any_exit", CodeAnyExit, "Add a `tests` validator, or remove any_exit.", "outcome %s: %s may fail, and nothing looks at what it recorded", o.ID, cmp.Or(a.MadeBy, "the producer"))
	}
	if a.Committed != "no" && o.Trust != Commit {
		l.warn(ptr+"/committed", CodeNeverVerifies, "Leave `trust` out, or say `trust: commit`.", "outcome %s: a committed file is known from the commit only, and trust asks for %s", o.ID, o.Trust)
	}
	if a.Committed == "no" && l.facts.Tracked != nil && len(a.Files) > 0 {
		if tracked := l.facts.Tracked(a.Files); len(tracked) > 0 {
			names := strings.Join(quoteAll(tracked[:min(len(tracked), maxNamed)]), ", ")
			l.warn(ptr+"/files", CodeTracked, "Do not commit them, or say `committed: changed`.", "outcome %s: git tracks %d matching files (%s); they are stale whatever this run does", o.ID, len(tracked), names)
		}
	}
}

func quoteAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = quote(s)
	}
	return out
}

// least warns if a lost file, or all tests but one, would go unnoticed.
func (l *linter) least(o *Outcome, a *Artifact, params []map[string]any, ptr string) {
	if len(o.Validators) == 0 && a.SHA256 == "" && a.HMACSHA256 == "" && len(a.Identity) == 0 {
		l.warn(ptr, CodeExistenceOnly, "Add a validator, a digest or an identity.", "outcome %s: only existence is checked; any file of that name will do", o.ID)
	}
	strict := a.Count.Min > 1 || a.Count.Max > 0
	tests := false
	for i, v := range o.Validators {
		if v.Kind == "fail_to_pass" { // it is about one test by its nature
			strict = true
		}
		if v.Kind != "tests" {
			continue
		}
		tests = true
		p := params[i]
		keep, _ := p["keep_tests"].(bool)
		strict = strict || number(p, "min_executed") > 1 || p["must_pass"] != nil || keep
	}
	several := len(a.Files) > 1 || slices.ContainsFunc(a.Files, func(g string) bool { return strings.ContainsAny(g, "*?[{") })
	switch {
	case strict:
	case tests:
		l.warn(ptr+"/validators", CodeNoLeast, "Add `min_executed`, `must_pass` or `keep_tests`.", "outcome %s: one executed test is enough, so tests can be deleted or filtered away", o.ID)
	case several && o.Artifact.Of == "":
		l.warn(ptr+"/artifact/files", CodeNoLeast, "Add `count`.", "outcome %s: one matching file is enough, so the others can be missing", o.ID)
	}
}

// idle warns if a change that does nothing would verify the outcome.
func (l *linter) idle(o *Outcome, a *Artifact, ptr string) {
	if a.Committed != "yes" {
		return
	}
	for _, v := range o.Validators {
		switch v.Kind {
		case "content", "json_schema": // they look at the same committed bytes
		default:
			return
		}
	}
	l.warn(ptr+"/artifact", CodeIdlePass, "Say `committed: changed`, or add a validator that runs something.", "outcome %s: the file may have been committed long ago, so a change that does nothing passes", o.ID)
}

// validator judges parameters that allow what the contract is there to refuse.
func (l *linter) validator(o *Outcome, kind string, p map[string]any, ptr string) {
	for _, role := range []string{"before", "baseline"} {
		value, given := p[role]
		if !given {
			continue
		}
		source, _ := value.(map[string]any)
		if trust, _ := source["trust"].(string); trust == "run" {
			l.warn(ptr+"/"+role, CodeRunTrust, "Make them in a run of the base branch.", "outcome %s: the base results are made in this job, where the change can invent failures that then count as old or as fixed", o.ID)
		} else if _, upload := source["upload"]; !upload {
			l.warn(ptr+"/"+role, CodeNeverVerifies, "Say `{ files: …, trust: run }` to accept base results of this job.", "outcome %s: base results of this job are not accepted without `trust: run`, so the outcome never verifies", o.ID)
		}
	}
	for _, key := range []string{"allow_count_mismatch", "count_errors"} {
		if on, _ := p[key].(bool); on {
			l.warn(ptr+"/"+key, CodeFailuresAllowed, "Remove it if the runner can do without.", "outcome %s: %s accepts records that do not add up or are no test's own failure", o.ID, key)
		}
	}
	if kind == "tests" && number(p, "max_failed") > 0 {
		l.warn(ptr+"/max_failed", CodeFailuresAllowed, "Use `new_failures_only` with a baseline.", "outcome %s: %d tests may fail, whichever they are", o.ID, number(p, "max_failed"))
	}
	if kind == "check" {
		if name, _ := p["name"].(string); name == "Outcome Gate" || name == "outcome-gate/verdict" {
			l.warn(ptr, CodeSelfWait, "Name another check.", "outcome %s: %q is the gate's own name, unless the action was given another; it cannot wait for itself", o.ID, name)
		}
	}
}

// number is a whole number among parameters, 0 if there is none.
func number(p map[string]any, key string) int64 {
	f, ok := p[key].(float64)
	if !ok || f > maxExact || f < -maxExact {
		return 0
	}
	return int64(f)
}
