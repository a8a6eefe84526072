package receipt

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/report"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// ClaimedItems is how many items of one list a receipt quotes of a report: a shorter list is quoted whole.
const ClaimedItems = 20

// settle sets every fact that follows from other facts of the receipt, so that a record cannot say it otherwise,
// and refuses facts that exclude each other. What remains is the outside world's to say.
func (r *Receipt) settle() error {
	c, s := &r.Circumstances, &r.Subject
	c.Subject = evidence.Subject{HeadSHA: s.HeadSHA, MergeSHA: s.MergeSHA, BaseSHA: s.BaseSHA, RunID: s.RunID, RunAttempt: s.RunAttempt}
	c.Now = r.Now
	moved := c.HeadMoved || r.Scope.HeadMoved
	c.HeadMoved, r.Scope.HeadMoved = moved, moved
	r.settleScope()
	r.settleReport()
	seen := map[string]bool{}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if seen[o.Rule.ID] {
			return fmt.Errorf("outcome %q occurs twice", o.Rule.ID)
		}
		seen[o.Rule.ID] = true
		o.Waived = o.Rule.WaivedAt(c.Date())
		o.Expected = o.Expected || o.Rule.When == nil
		o.settle()
	}
	return r.agree()
}

// settleScope holds what the contract does to this change against what is recorded of both.
func (r *Receipt) settleScope() {
	s, c := &r.Scope, &r.Contract
	if s.Contract == verdict.ContractApproved && len(c.ApprovedBy) == 0 {
		s.Contract = verdict.ContractPreview
	}
	switch s.Contract {
	case verdict.ContractOK, verdict.ContractApproved, verdict.ContractPreview:
		if slices.ContainsFunc(r.Problems, func(p contract.Problem) bool { return !p.Warning }) {
			s.Contract = verdict.ContractBroken
		}
	}
	c.settleWeakens()
	if s.Gating == verdict.Outside && !c.AppliesTo {
		s.Gating = verdict.Gated
	}
	if s.Protection != "" { // else the change's paths were not looked at
		switch {
		case len(r.Protected) == 0 && !c.ChangedBySubject:
			s.Protection = verdict.Untouched
		case len(c.ApprovedBy) > 0:
			s.Protection = verdict.Approved
		default:
			s.Protection = verdict.Touched
		}
	}
}

// MaxWeakens is how many changes of the contract a receipt keeps; further ones are counted.
const MaxWeakens = 50

// settleWeakens keeps what a change of the contract weakens in its bounds. A direction that is not known is the worst.
func (c *Contract) settleWeakens() {
	if !c.ChangedBySubject {
		c.Weakens, c.WeakensMore = nil, 0
	}
	if more := len(c.Weakens) - MaxWeakens; more > 0 {
		c.Weakens, c.WeakensMore = c.Weakens[:MaxWeakens], c.WeakensMore+more
	}
	for i := range c.Weakens {
		if c.Weakens[i].Direction != contract.Changed {
			c.Weakens[i].Direction = contract.Weaker
		}
	}
	c.WeakensMore = max(c.WeakensMore, 0)
}

// settleReport holds what a report was found to be against what is quoted of it.
func (r *Receipt) settleReport() {
	f, said := &r.Report.Facts, &r.Report.Claimed
	switch f.Outcome {
	case "succeeded", "":
	case "blocked":
		f.AnyBad = true
	case "failed":
		f.AnyBad, f.Blocked = true, false
	default:
		f.Outcome = ""
	}
	f.AnyBad = f.AnyBad || f.Blocked
	f.Found = f.Found || f.AnyBad || f.Outcome != "" || r.Report.Carrier != "" || len(r.Report.Errors) > 0
	if f.Problem == "" && len(r.Report.Errors) > 0 {
		f.Problem = report.Broken
	}
	f.Failing = max(f.Failing, len(said.Failing))
	if len(said.Evidence) < ClaimedItems {
		quoted := report.Report{Evidence: said.Evidence}
		f.Evidence = min(f.Evidence, quoted.EvidenceCount())
	}
	// The names of a change's earlier commits are not recorded: that a report names one of them is known from the run.
	if rel := verdict.RelationOf(said.Commit, r.Subject.HeadSHA, r.Subject.MergeSHA, nil); rel != verdict.NamesForeign || f.Commit != verdict.NamesOlder {
		f.Commit = rel
	}
	if verdict.Classify(*f).Reason != verdict.ContractMiss {
		r.Report.Miss, r.Report.Asked, r.Report.Mention = "", 0, ""
	}
	r.Report.Asked = min(max(r.Report.Asked, 0), 1)
}

// settle gives an outcome's facts the form that its rule has: those of other validators than the rule's count for none.
func (o *Outcome) settle() {
	o.Facts.ID, o.Facts.Of = o.Rule.ID, ""
	if a := o.Rule.Artifact; a != nil {
		o.Facts.Of = a.Of
	} else {
		o.Facts.Artifact = nil
	}
	if w := o.Rule.WaitsFor; w != nil && w.Approval != nil && o.Facts.Wait != nil {
		o.Facts.Wait.Need = max(w.Approval.Count, 1)
	}
	o.Validators = o.Validators[:min(len(o.Validators), len(o.Rule.Validators))]
	for i := range o.Validators {
		v, rule := &o.Validators[i], &o.Rule.Validators[i]
		if v.Kind != rule.Kind {
			*v = Validator{Kind: rule.Kind, Facts: json.RawMessage(`{}`)}
		}
		v.Reads = settledReads(rule, v.Reads)
		if v.Kind != "check" {
			v.ObservedAt = nil // nothing else is looked at again
		}
	}
	sets := o.sets()
	for i := range sets {
		settleSet(sets[i].set)
	}
}

// settledReads are the further files that the validator has to read, in its order: one that is not recorded was not
// looked for.
func settledReads(rule *contract.Validator, recorded []evidence.ReadFacts) []evidence.ReadFacts {
	var out []evidence.ReadFacts
	for _, want := range readsOf(rule) {
		read := evidence.ReadFacts{Set: evidence.FileSet{Problem: evidence.CodeArtifactUnlisted, ProblemDetail: "it was not looked for", Tier: string(contract.Run)}}
		if i := len(out); i < len(recorded) && recorded[i].Role == want.Role {
			read = recorded[i]
		}
		read.Role, read.Trust = want.Role, want.Trust
		out = append(out, read)
	}
	return out
}

// readsOf are the further files of the workspace that a validator reads.
func readsOf(rule *contract.Validator) []evidence.Read {
	kind, ok := evidence.KindByName(rule.Kind)
	if !ok || kind.Reads == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(kind.Reads(rule.Params)), func(r evidence.Read) bool { return r.Trusted != "" })
}

// settleSet makes the sums of a set follow from its files, and leaves no group a state that its code never comes with.
func settleSet(set *evidence.FileSet) {
	for i := range set.More {
		g := &set.More[i]
		if !slices.Contains(statesOf(g.Code), g.State) {
			g.State = evidence.Unverified
		}
	}
	known, size := len(set.Files), int64(0)
	for i := range set.Files {
		size += set.Files[i].SizeBytes
	}
	for _, g := range set.More {
		known += max(g.N, 0)
	}
	set.Total = max(set.Total, known)
	if len(set.More) == 0 && set.Problem == "" {
		set.SizeBytes = size
	}
}

// statesOf are the states that a finding code can come with.
func statesOf(code string) []evidence.State {
	for _, c := range evidence.Codes() {
		if c.Code == code {
			return c.States
		}
	}
	return nil
}
