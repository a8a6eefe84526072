package verdict

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// Judged is the conclusion about one outcome, with the findings that led to it.
type Judged struct {
	ID         string
	Required   bool // the contract requires it
	Expected   bool // the change makes it expected
	Waived     bool
	State      evidence.State
	Code       string
	Detail     string
	Next       Next
	Who        string
	Files      []evidence.Finding // of the kept files, in their order
	Validators []evidence.Finding // of the validators, in their order
	// Instrumented says that a deterministic check judges the outcome, Answered that it ran to an answer.
	Instrumented bool
	Answered     bool
}

// Counts reports whether the outcome is one of S: required, expected and not waived.
func (j *Judged) Counts() bool { return j.Required && j.Expected && !j.Waived }

// JudgeOutcome gives the state of one outcome from its observation. A missing observation is unverified.
// repairUsed says that the one authorized repair was used up.
func JudgeOutcome(o *contract.Outcome, artifact *contract.Artifact, obs *evidence.Observation, c *evidence.Circumstances, repairUsed bool) Judged {
	j := Judged{ID: o.ID, Required: !o.Optional}
	if obs == nil || obs.ID != o.ID {
		obs = &evidence.Observation{}
	}
	// Of findings with one state the first names the outcome: what explains comes before what is explained.
	var all []evidence.Finding
	for i, v := range o.Validators {
		j.Validators = append(j.Validators, judgeValidator(o, v, obs.Validators, i, c))
	}
	var producer []evidence.Finding
	if artifact != nil && artifact.MadeBy != "" {
		producer = []evidence.Finding{judgeProducer(artifact, o.Validators, j.Validators, obs.Producer)}
		if producer[0].Code == evidence.CodeEvidenceConflict {
			all, producer = producer, nil
		}
	}
	var set judgedSet
	if artifact != nil {
		if set = judgeSet(artifact, o.Trust, obs.Artifact, c); awaited(o, artifact, obs.Artifact, &set, c) {
			awaitJudged(o, j.Validators)
			if len(producer) > 0 && producer[0].Code == evidence.CodeProducerAbsent {
				producer[0].State, producer[0].Code = evidence.Waiting, evidence.CodeWaitWindow
			}
		}
	}
	all = append(all, j.Validators...)
	if artifact != nil {
		j.Files = set.files
		if obs.Artifact != nil && (obs.Artifact.Problem != "" || (artifact.URL != "" || artifact.Upload != "") && !verified(set.all)) {
			all = append(set.all, all...) // that nothing was listed or answered explains what the validators did not see
		} else {
			all = append(all, set.all...)
		}
	}
	all = append(all, producer...)
	if o.WaitsFor != nil {
		all = append(all, judgeWait(o, obs.Wait, c))
	}
	if c.HeadMoved {
		all = append(all, evidence.Finding{State: evidence.Stale, Code: evidence.CodeEvidenceHeadMoved, Detail: "the head commit moved on while the gate looked: this is evidence for an older one"})
	}
	w := worst(all)
	j.State, j.Code, j.Detail = w.State, w.Code, detailOf(w, all, len(j.Files))
	j.Instrumented = instrumented(o, artifact)
	j.Answered = j.Instrumented && answered(all)
	j.Next = nextFor(o, w, windowOpenAt(o, c.RunStartedAt, lastLook(obs, c)), repairUsed)
	j.Who = whoFor(j.Next)
	return j
}

// judgedSet is the findings of a file set: those of the kept files apart, and all that count.
type judgedSet struct{ files, all []evidence.Finding }

func judgeSet(a *contract.Artifact, tier contract.Tier, set *evidence.FileSet, c *evidence.Circumstances) judgedSet {
	one := func(s evidence.State, code, detail string) judgedSet {
		return judgedSet{all: []evidence.Finding{{State: s, Code: code, Detail: detail}}}
	}
	switch {
	case set == nil:
		return one(evidence.Unverified, evidence.CodeArtifactUnlisted, "the files were not looked for")
	case set.Problem == evidence.CodeUploadMissing:
		return one(evidence.Missing, set.Problem, set.ProblemDetail)
	case set.Problem != "":
		return one(evidence.Unverified, set.Problem, set.ProblemDetail)
	case set.Total <= 0 || len(set.Files) == 0:
		return one(evidence.Missing, evidence.CodeArtifactMissing, missingDetail(a, set))
	}
	var out judgedSet
	seen := 0
	for i := range set.Files {
		f := JudgeFile(a, tier, &set.Files[i], c)
		out.files = append(out.files, f)
		seen++
	}
	out.all = append(out.all, out.files...)
	for _, g := range set.More {
		seen += g.N
		out.all = append(out.all, evidence.Finding{State: g.State, Code: g.Code, Detail: numbered(g.N, "further file", "further files")})
	}
	if seen != set.Total {
		out.all = append(out.all, evidence.Finding{State: evidence.Unverified, Code: evidence.CodeArtifactUnlisted, Detail: fmt.Sprintf("%d of %d files were looked at", seen, set.Total)})
	}
	switch {
	case set.Total < a.Count.Min:
		out.all = append(out.all, evidence.Finding{State: evidence.Missing, Code: evidence.CodeArtifactTooFew, Detail: fmt.Sprintf("%s, %s", numbered(set.Total, "file matches", "files match"), expectedFiles(a.Count))})
	case a.Count.Max > 0 && set.Total > a.Count.Max:
		out.all = append(out.all, evidence.Finding{State: evidence.WrongArtifact, Code: evidence.CodeArtifactTooMany, Detail: fmt.Sprintf("%s, at most %d expected", numbered(set.Total, "file matches", "files match"), a.Count.Max)})
	}
	return out
}

func expectedFiles(c contract.Count) string {
	if c.Min == c.Max {
		return fmt.Sprintf("%d expected", c.Min)
	}
	return fmt.Sprintf("at least %d expected", c.Min)
}

func missingDetail(a *contract.Artifact, set *evidence.FileSet) string {
	what := a.Upload + a.URL
	if len(a.Files) > 0 {
		what = a.Files[0]
		if len(a.Files) > 1 {
			what += " (and " + numbered(len(a.Files)-1, "more pattern", "more patterns") + ")"
		}
	}
	if set.Near != "" {
		return fmt.Sprintf("no file matches %s; the nearest is %s", what, set.Near)
	}
	return "no file matches " + what
}

// numbered is a number with its noun.
func numbered(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + several
}

// readArtifact is the artifact whose rules hold for every further file that a validator reads.
func readArtifact() *contract.Artifact {
	return &contract.Artifact{Fresh: contract.Fresh{Rule: "run"}, Committed: "no", Symlinks: "inside", MinBytes: 1, Count: contract.Count{Min: 1}}
}

// judgeValidator judges one validator from its recorded parameters and facts, and the files it read.
func judgeValidator(o *contract.Outcome, v contract.Validator, seen []evidence.ValidatorFacts, i int, c *evidence.Circumstances) evidence.Finding {
	kind, ok := evidence.KindByName(v.Kind)
	if !ok || kind.Judge == nil {
		return evidence.Finding{State: evidence.Unverified, Code: evidence.CodeEvidenceNoKind, Detail: "this gate knows no validator " + v.Kind}
	}
	if i >= len(seen) || seen[i].Kind != v.Kind {
		return evidence.Finding{State: evidence.Unverified, Code: evidence.CodeEvidenceNone, Detail: v.Kind + " was not run"}
	}
	facts := seen[i]
	if facts.Version != kind.Version {
		return evidence.Finding{State: evidence.Unverified, Code: evidence.CodeEvidenceNoKind, Detail: fmt.Sprintf("%s facts are of version %q, this gate judges version %q", v.Kind, facts.Version, kind.Version)}
	}
	all := []evidence.Finding{kind.Judge(v.Params, facts.Facts)}
	for _, read := range facts.Reads {
		if read.Set.Total == 0 && read.Set.Problem == "" {
			continue // the kind itself says what an absent file means to it
		}
		for _, f := range judgeSet(readArtifact(), contract.Run, &read.Set, c).all {
			f.Detail = read.Role + " " + f.Detail
			all = append(all, f)
		}
	}
	w := worst(all)
	if w.State == evidence.Verified {
		w = all[0]
	}
	if facts.ObservedAt != nil {
		return window(o, w, c.RunStartedAt, *facts.ObservedAt)
	}
	return window(o, w, c.RunStartedAt, c.Now)
}

// verified says whether nothing stands against a set.
func verified(all []evidence.Finding) bool {
	return !slices.ContainsFunc(all, func(f evidence.Finding) bool { return f.State != evidence.Verified })
}

// judgeProducer holds the step or job of made_by against the records: both must be good.
func judgeProducer(a *contract.Artifact, vs []contract.Validator, findings []evidence.Finding, p *evidence.Producer) evidence.Finding {
	say := func(s evidence.State, code, format string, args ...any) evidence.Finding {
		return evidence.Finding{State: s, Code: code, Detail: fmt.Sprintf(format, args...)}
	}
	switch {
	case p == nil || p.Name != a.MadeBy:
		return say(evidence.Unverified, evidence.CodeProducerAbsent, "how %s ended was not looked for", a.MadeBy)
	case !p.Given:
		return say(evidence.Unverified, evidence.CodeInputSteps, "how %s ended is not known: the steps context was not given", a.MadeBy)
	case p.Source == "":
		return say(evidence.Unverified, evidence.CodeProducerAbsent, "no step or job is named %s", a.MadeBy)
	}
	red := recordsSay(vs, findings, evidence.CodeTestsFailed)
	switch p.Outcome {
	case "success":
		if red {
			return say(evidence.ValidatorFailed, evidence.CodeEvidenceConflict, "%s says success, its records hold failures", a.MadeBy)
		}
		return say(evidence.Verified, evidence.CodeProducerOK, "%s succeeded", a.MadeBy)
	case "failure":
		switch {
		case a.AnyExit:
			return say(evidence.Verified, evidence.CodeProducerOK, "%s failed, which the contract accepts (any_exit)", a.MadeBy)
		case recordsSay(vs, findings, evidence.CodeTestsPassed):
			return say(evidence.ValidatorFailed, evidence.CodeEvidenceConflict, "%s failed, its records hold no failure", a.MadeBy)
		}
		return say(evidence.ValidatorFailed, evidence.CodeProducerFailed, "%s failed", a.MadeBy)
	case "skipped":
		return say(evidence.Unverified, evidence.CodeProducerSkipped, "%s was skipped", a.MadeBy)
	case "cancelled":
		return say(evidence.Unverified, evidence.CodeProducerCancelled, "%s was cancelled", a.MadeBy)
	case "":
		return say(evidence.Unverified, evidence.CodeProducerAbsent, "%s has not run", a.MadeBy)
	}
	return say(evidence.Unverified, evidence.CodeProducerAbsent, "%s ended with an outcome that is not known here", a.MadeBy)
}

// recordsSay reports whether a tests validator came to that very conclusion.
func recordsSay(vs []contract.Validator, findings []evidence.Finding, code string) bool {
	for i, v := range vs {
		if v.Kind == "tests" && i < len(findings) && findings[i].Code == code {
			return true
		}
	}
	return false
}

// judgeWait judges a declared wait.
func judgeWait(o *contract.Outcome, w *evidence.WaitFacts, c *evidence.Circumstances) evidence.Finding {
	what, code := "an approval", evidence.CodeWaitApproval
	if o.WaitsFor.Environment != "" {
		what, code = "environment "+o.WaitsFor.Environment, evidence.CodeWaitEnvironment
	}
	since := c.FirstSeen
	if since.IsZero() {
		since = c.Now
	}
	expired := o.Deadline > 0 && !c.Now.IsZero() && c.Now.After(since.Add(time.Duration(o.Deadline)*time.Second))
	switch {
	case w == nil || !w.Known:
		reason := "it was not looked for"
		if w != nil {
			reason = w.Reason
		}
		return evidence.Finding{State: evidence.Unverified, Code: evidence.CodeWaitUnknown, Detail: "whether " + what + " was given is not known: " + reason}
	case w.Rejected:
		return evidence.Finding{State: evidence.ValidatorFailed, Code: evidence.CodeWaitRejected, Detail: what + " was refused"}
	case w.Arrived && len(w.By) >= max(w.Need, 1):
		return evidence.Finding{State: evidence.Verified, Code: evidence.CodeWaitOver, Detail: what + " was given"}
	case expired:
		return evidence.Finding{State: evidence.Missing, Code: evidence.CodeWaitExpired, Detail: what + " did not arrive in time"}
	}
	return evidence.Finding{State: evidence.Waiting, Code: code, Detail: fmt.Sprintf("waiting for %s (%d of %d)", what, len(w.By), max(w.Need, 1))}
}

// instrumented says whether a deterministic check judges the outcome: a validator or exact bytes. Existence
// or an approval alone do not.
func instrumented(o *contract.Outcome, a *contract.Artifact) bool {
	if a != nil && (a.SHA256 != "" || a.HMACSHA256 != "") {
		return true
	}
	for _, v := range o.Validators {
		if k, ok := evidence.KindByName(v.Kind); ok && k.Deterministic {
			return true
		}
	}
	return false
}

// answered says whether every check came to an answer: nothing is missing, waited for or unverified.
func answered(all []evidence.Finding) bool {
	for _, f := range all {
		switch f.State {
		case evidence.Verified, evidence.ValidatorFailed, evidence.HashMismatch, evidence.WrongArtifact, evidence.Stale:
		default:
			return false
		}
	}
	return len(all) > 0
}

// nextFor is the one next action for an outcome. open says that its window is.
func nextFor(o *contract.Outcome, f evidence.Finding, open, repairUsed bool) Next {
	switch f.Code {
	case evidence.CodeEvidenceConflict, evidence.CodeWaitExpired, evidence.CodeWaitRejected:
		return NeedsHuman
	}
	switch f.State {
	case evidence.Verified:
		return NoNext
	case evidence.Waiting:
		if f.Code == evidence.CodeWaitWindow || open {
			return ObserveAgain
		}
		return AwaitIt
	case evidence.Unverified:
		return RunCheck
	case evidence.Missing, evidence.WrongArtifact, evidence.Stale:
		return Produce
	case evidence.ValidatorFailed:
		if o.RepairOnce && !repairUsed {
			return RepairOnce
		}
	}
	return NeedsHuman
}

// ByDefault is the next action that a finding of this state and code leads to, and who has to take it, where the
// contract authorizes no repair and no window is open.
func ByDefault(state evidence.State, code string) (Next, string) {
	n := nextFor(&contract.Outcome{}, evidence.Finding{State: state, Code: code}, false, false)
	return n, whoFor(n)
}

// whoFor is who has to take an action.
func whoFor(n Next) string {
	switch n {
	case NoNext:
		return ""
	case Produce, RepairOnce, FixReport:
		return "agent"
	case RunCheck:
		return "platform"
	case AwaitIt, ObserveAgain:
		return "nobody yet"
	}
	return "human"
}

// JudgeRead gives the state of a further file that a validator read: the same rules of time, git and path
// hold for it.
func JudgeRead(f *evidence.File, c *evidence.Circumstances) evidence.Finding {
	return JudgeFile(readArtifact(), contract.Run, f, c)
}
