package receipt

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// keptFiles is how many files of one set a receipt names: enough to act on, few enough to read.
const keptFiles = 10

// Complete draws every conclusion from the facts of r and sets the digest. It is pure: the same facts give
// the same bytes. finished_at is a fact like any other. A fact that follows from others is set anew, and facts
// that cannot be those of one run are an error.
func (r *Receipt) Complete() error {
	r.Schema = SchemaURI
	if err := r.settle(); err != nil {
		return fmt.Errorf("complete receipt: %w", err)
	}
	r.conclude()
	digest, err := digestOf(*r)
	if err != nil {
		return err
	}
	r.Digest = digest
	return nil
}

// conclude draws the conclusions from settled facts.
func (r *Receipt) conclude() {
	rules := make([]contract.Outcome, len(r.Outcomes))
	for i := range r.Outcomes {
		rules[i] = r.Outcomes[i].Rule
	}
	judged := make([]verdict.Judged, len(r.Outcomes))
	decided := make([]verdict.Outcome, len(r.Outcomes))
	for i := range r.Outcomes {
		judged[i] = r.judge(&r.Outcomes[i], contract.ArtifactOf(rules, &rules[i]))
		decided[i] = verdict.Outcome{
			Required: judged[i].Required, Expected: judged[i].Expected, Waived: judged[i].Waived,
			State: judged[i].State, Next: judged[i].Next,
		}
	}
	class := verdict.Classify(r.Report.Facts)
	if r.reportUnread() {
		class = verdict.Class{Verdict: verdict.None, Reason: verdict.NotRead}
	}
	r.Report.Verdict, r.Report.Reason, r.Report.MayRetry = class.Verdict, class.Reason, class.MayRetry
	r.Report.Heard = !r.reportUnread() && !r.Scope.ReportUnheard && verdict.Heard(r.Report.Facts, r.Scope.ReportRequired)

	r.judgeClaims()
	d := verdict.Decide(r.Scope, r.Report.Facts, decided)
	r.Verdict, r.Reason, r.Result, r.MayRetry, r.Next = d.Verdict, d.Reason, d.Result, d.MayRetry, d.Next
	m := verdict.Measure(judged)
	r.Expected, r.Verified = m.Expected, m.Verified
	r.VerifiedRate, r.Coverage = rate(m.Verified, m.Expected), rate(m.Answered, m.Expected)
	r.fillLists()
}

// reportUnread says whether the judgement ended before anybody looked for a report: a reading leaves facts.
func (r *Receipt) reportUnread() bool {
	return r.Report.Facts == verdict.ReportFacts{} && (r.Scope.Gating != verdict.Gated || r.Scope.Look != "")
}

// fillLists turns absent lists into empty ones, so that one receipt has one form.
func (r *Receipt) fillLists() {
	for _, l := range []*[]string{&r.Agents, &r.Notes, &r.Contract.ApprovedBy, &r.Report.Errors, &r.Protected} {
		if *l == nil {
			*l = []string{}
		}
	}
	if r.Contract.Weakens == nil {
		r.Contract.Weakens = []contract.Weakening{}
	}
	if r.Problems == nil {
		r.Problems = []contract.Problem{}
	}
	if r.Outcomes == nil {
		r.Outcomes = []Outcome{}
	}
	for i := range r.Outcomes {
		if r.Outcomes[i].Validators == nil {
			r.Outcomes[i].Validators = []Validator{}
		}
	}
}

// rate is a fraction of counts, nil when nothing was expected.
func rate(n, of int) *string {
	if of == 0 {
		return nil
	}
	s := fmt.Sprintf("%d/%d", n, of)
	return &s
}

// judge draws the conclusions about one outcome and writes them into it.
func (r *Receipt) judge(o *Outcome, artifact *contract.Artifact) verdict.Judged {
	obs := o.Facts
	obs.Validators = make([]evidence.ValidatorFacts, len(o.Validators))
	for i, v := range o.Validators {
		obs.Validators[i] = evidence.ValidatorFacts{Kind: v.Kind, Version: v.Version, Facts: v.Facts, Reads: v.Reads, ObservedAt: v.ObservedAt}
	}
	j := verdict.JudgeOutcome(&o.Rule, artifact, &obs, &r.Circumstances, o.RepairUsed)
	j.Expected, j.Waived = o.Expected, o.Waived
	o.Required = j.Required
	o.ID, o.About = o.Rule.ID, o.Rule.About
	o.Files = j.Files
	for i, f := range j.Validators {
		if i < len(o.Validators) {
			v := &o.Validators[i]
			v.State, v.Code, v.Detail, v.ExitCode = f.State, f.Code, f.Detail, exitCode(v.Facts)
		}
	}
	if !o.Expected {
		o.Facts, o.Files, o.Validators = evidence.Observation{ID: o.ID}, nil, nil
		o.Observation = r.summary(o, artifact)
		o.State, o.Code, o.Detail, o.Next, o.Who = NotExpected, "scope/not-expected", "the change touches none of its paths", verdict.NoNext, ""
		return j
	}
	o.Observation = r.summary(o, artifact)
	o.State, o.Code, o.Detail, o.Next, o.Who = j.State, j.Code, j.Detail, j.Next, j.Who
	return j
}

// summary is the observation that readers see first.
func (r *Receipt) summary(o *Outcome, a *contract.Artifact) Observation {
	s := Observation{ArtifactID: o.ID, EvidenceSource: "none"}
	if o.Facts.Of != "" {
		s.ArtifactID = o.Facts.Of
	}
	if t := r.Circumstances.Boundary; !t.IsZero() {
		s.RunStartedAt = &t
	}
	if t := r.Circumstances.Now; !t.IsZero() {
		s.ObservedAt = &t
	}
	set := o.Facts.Artifact
	if a == nil || set == nil {
		return s
	}
	s.EvidenceSource, s.Provenance, s.MadeBy = "workspace", set.Tier, a.MadeBy
	s.Files, s.SizeBytes = set.Total, set.SizeBytes
	if a.URL != "" {
		s.EvidenceSource, s.ObservedAt = "address", set.ObservedAt
	}
	if a.Upload != "" {
		s.EvidenceSource = "upload"
		if set.ObservedAt != nil {
			s.ObservedAt = set.ObservedAt
		}
	}
	if a.SHA256 != "" {
		s.ExpectedSHA256 = &a.SHA256
	}
	var oldest time.Time
	for i := range set.Files {
		f := &set.Files[i]
		s.Committed = s.Committed || f.Git.Tracked
		if f.ModifiedAt != nil && (oldest.IsZero() || f.ModifiedAt.Before(oldest)) {
			oldest = *f.ModifiedAt
		}
	}
	if !oldest.IsZero() {
		s.ModifiedAt = &oldest
	}
	if set.Total == 1 && len(set.Files) == 1 && set.Files[0].SHA256 != "" && a.HMACSHA256 == "" {
		s.ObservedSHA256 = &set.Files[0].SHA256
	}
	return s
}

// exitCode is the exit status that a validator's facts hold, if they hold one.
func exitCode(facts json.RawMessage) *int {
	var f struct {
		ExitCode *int `json:"exit_code"`
	}
	if json.Unmarshal(facts, &f) != nil {
		return nil
	}
	return f.ExitCode
}

// Condense keeps the facts of at most ten files of each set of an observation, those that are not verified
// first, and counts the rest by conclusion. tier is the outcome's least tier.
func Condense(obs *evidence.Observation, a *contract.Artifact, tier contract.Tier, c *evidence.Circumstances) {
	if obs.Artifact != nil && a != nil {
		condense(obs.Artifact, func(f *evidence.File) evidence.Finding { return verdict.JudgeFile(a, tier, f, c) })
	}
	for i := range obs.Validators {
		for j := range obs.Validators[i].Reads {
			condense(&obs.Validators[i].Reads[j].Set, func(f *evidence.File) evidence.Finding { return verdict.JudgeRead(f, c) })
		}
	}
}

func condense(set *evidence.FileSet, judge func(*evidence.File) evidence.Finding) {
	if len(set.Files) <= keptFiles {
		return
	}
	keep := make([]bool, len(set.Files))
	findings := make([]evidence.Finding, len(set.Files))
	kept := 0
	for i := range set.Files {
		findings[i] = judge(&set.Files[i])
		if findings[i].State != evidence.Verified && kept < keptFiles {
			keep[i] = true
			kept++
		}
	}
	for i := range set.Files {
		if !keep[i] && kept < keptFiles {
			keep[i] = true
			kept++
		}
	}
	var files []evidence.File
	for i := range set.Files {
		if keep[i] {
			files = append(files, set.Files[i])
			continue
		}
		set.More = addGroup(set.More, findings[i])
	}
	set.Files = files
}

// addGroup counts one more file with that conclusion.
func addGroup(groups []evidence.Group, f evidence.Finding) []evidence.Group {
	for i := range groups {
		if groups[i].State == f.State && groups[i].Code == f.Code {
			groups[i].N++
			return groups
		}
	}
	return append(groups, evidence.Group{State: f.State, Code: f.Code, N: 1})
}
