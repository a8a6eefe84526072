package receipt

import (
	"slices"
	"sort"

	"github.com/outcome-gate/outcome-gate/internal/claims"
	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// KeptClaims is how many claims a receipt keeps: those that overstate first, the rest is counted.
const KeptClaims = 40

// Observed is what the receipt holds that claims can be compared with: the test results, recorded commands and files of
// this run. What is stale, of another target or could not be read is compared with nothing.
func (r *Receipt) Observed() *claims.Observed {
	rules := make([]contract.Outcome, len(r.Outcomes))
	for i := range r.Outcomes {
		rules[i] = r.Outcomes[i].Rule
	}
	out := &claims.Observed{}
	foreign := map[string]bool{} // outcomes with a file that this run did not make for its target, whatever else is wrong with it
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		foreign[o.ID] = slices.ContainsFunc(o.Files, func(f evidence.Finding) bool {
			return f.State == evidence.Stale || f.State == evidence.WrongArtifact || f.State == evidence.HashMismatch
		})
	}
	counted := map[string]bool{} // artifacts whose tests were counted: outcomes can share one
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if f, ok := o.listed(contract.ArtifactOf(rules, &rules[i])); ok {
			out.Files = append(out.Files, f)
		}
		artifact := o.Rule.ID
		if o.Facts.Of != "" {
			artifact = o.Facts.Of
		}
		if !sound(o.State) || foreign[o.ID] || foreign[artifact] {
			continue
		}
		for j := range o.Validators {
			v := &o.Validators[j]
			if !sound(v.State) {
				continue
			}
			if s, ok := evidence.SeenTests(v.Kind, v.Facts); ok && !counted[artifact] {
				counted[artifact] = true
				out.Suites = append(out.Suites, claims.Suite{
					Distinct: claims.Sum{Passed: s.Passed, Failed: s.Failed, Skipped: s.Skipped},
					Records:  claims.Sum{Passed: s.PassedRecords, Failed: s.FailedRecords, Skipped: s.SkippedRecords},
					Whole:    s.Whole, Broken: s.Broken, Failing: s.Failing, FailingAll: s.FailingAll,
				})
			}
			if command, exit, ok := evidence.SeenCommand(v.Kind, o.Rule.Validators[j].Params, v.Facts); ok {
				out.Commands = append(out.Commands, claims.Ended{Command: command, Exit: exit})
			}
		}
	}
	return out
}

// sound says whether what was observed in that state is of this run and its target.
func sound(s evidence.State) bool {
	return s == evidence.Verified || s == evidence.ValidatorFailed || s == evidence.Waiting
}

// listed is the outcome's artifact as files, if it was looked for.
func (o *Outcome) listed(a *contract.Artifact) (claims.Files, bool) {
	set := o.Facts.Artifact
	if a == nil || set == nil || o.State == NotExpected || set.Problem != "" {
		return claims.Files{}, false
	}
	f := claims.Files{Whole: set.Total == len(set.Files)}
	if a.Upload == "" && a.URL == "" && a.Committed != "changed" {
		f.Patterns = a.Files
	}
	for i := range set.Files {
		if set.Files[i].Problem == "" {
			f.Names = append(f.Names, set.Files[i].Name)
		} else {
			f.Whole = false
		}
	}
	return f, true
}

// judgeClaims compares the claims with what was observed, and keeps as many as a receipt has room for. What was not even
// looked at could overstate too.
func (r *Receipt) judgeClaims() {
	p := &r.Report
	if r.Scope.ReportUnheard {
		p.Claims, p.ClaimsMore, p.ClaimsUnread = nil, 0, 0
	}
	r.Scope.ClaimOverstates = claims.Judge(p.Claims, r.Observed()) || p.ClaimsUnread != 0
	if n := len(p.Claims) - KeptClaims; n > 0 {
		kept := append([]claims.Claim{}, p.Claims...)
		sort.SliceStable(kept, func(i, j int) bool { return claimRank(&kept[i]) < claimRank(&kept[j]) })
		p.Claims, p.ClaimsMore = kept[:KeptClaims:KeptClaims], p.ClaimsMore+n
	}
	if p.Claims == nil {
		p.Claims = []claims.Claim{}
	}
}

// claimRank orders claims by what a reader needs of them.
func claimRank(c *claims.Claim) int {
	switch {
	case c.Overstates:
		return 0
	case c.Result == claims.Contradicted:
		return 1
	case c.Result == claims.Admitted:
		return 2
	case c.Result == claims.Confirmed:
		return 3
	}
	return 4
}
