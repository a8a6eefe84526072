package render

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// titleBytes bounds a title: check runs and mail subjects show little more.
const titleBytes = 240

// part is a piece of a title: words of ours, or data that may come from the change.
type part struct {
	s    string
	data bool
}

// title is words and data, kept apart until the surface is known.
type title []part

func words(format string, args ...any) title { return title{{s: fmt.Sprintf(format, args...)}} }
func (t title) add(format string, args ...any) title {
	return append(t, part{s: fmt.Sprintf(format, args...)})
}
func (t title) quote(s string) title { return append(t, part{s: s, data: true}) }
func (t title) then(u title) title   { return append(t, u...) }

// Title is the verdict in one line that a person reads in two seconds: plain text, visible, bounded.
func Title(r *receipt.Receipt) string {
	var b strings.Builder
	for _, p := range titleOf(r) {
		b.WriteString(clip(p.s, titleBytes/2))
	}
	return unstart(clip(apart(Visible(b.String())), titleBytes))
}

// titleMarkdown is the title with its data as code.
func titleMarkdown(r *receipt.Receipt) string {
	var b strings.Builder
	for _, p := range titleOf(r) {
		if p.data {
			b.WriteString(codeSpan(clip(p.s, titleBytes/2)))
			continue
		}
		b.WriteString(p.s)
	}
	return b.String()
}

func titleOf(r *receipt.Receipt) title {
	t := titleByResult(r)
	if r.Scope.Mode == contract.Observe && r.Result != verdict.Error {
		t = words("Observe: ").then(t)
	}
	return t
}

func titleByResult(r *receipt.Receipt) title {
	switch r.Result {
	case verdict.Error:
		return errorTitle(r)
	case verdict.Wait:
		return waitTitle(r)
	case verdict.Pass:
		return passTitle(r)
	case verdict.Block:
		return blockTitle(r)
	}
	return words("UNVERIFIABLE: the receipt holds no result")
}

func errorTitle(r *receipt.Receipt) title {
	switch r.Reason {
	case verdict.CannotLook:
		return words("Could not ").quote(r.Scope.Look)
	case verdict.ContractMissing:
		t := words("Contract is missing: there is no ").quote(r.Contract.Path)
		if r.Contract.Branch != "" {
			t = t.add(" on ").quote(r.Contract.Branch)
		}
		return t
	case verdict.ContractEmpty:
		return words("Contract asks for nothing: no outcome is required")
	case verdict.ContractInvalid:
		n := 0
		first := ""
		for _, p := range r.Problems {
			if p.Warning {
				continue
			}
			if n++; n == 1 {
				first = fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
			}
		}
		if n == 0 {
			return words("Contract is not valid")
		}
		return words("Contract is not valid: %s, the first at ", Many(n, "mistake")).quote(first)
	}
	return words("Could not judge: ").quote(string(r.Reason))
}

func passTitle(r *receipt.Receipt) title {
	switch r.Reason {
	case verdict.AllVerified:
		return words("LIVE: %d of %s verified", r.Verified, Many(r.Expected, "outcome"))
	case verdict.NotGated:
		return words("Not gated: the contract does not apply to this change")
	case verdict.NothingExpected:
		return words("Nothing expected: the change touches no outcome's paths")
	}
	return verdictWord(r).quote(string(r.Reason))
}

// verdictWord begins a title with the verdict; an unknown one is data.
func verdictWord(r *receipt.Receipt) title {
	switch r.Verdict {
	case verdict.Live, verdict.Unverifiable, verdict.Exited, verdict.None:
		return words("%s: ", r.Verdict)
	}
	return title{}.quote(string(r.Verdict)).add(": ")
}

func waitTitle(r *receipt.Receipt) title {
	switch r.Reason {
	case verdict.ContractProposed:
		return words("Waiting for approval of the contract that this change proposes")
	case verdict.HeadMoved:
		return words("Waiting for a run on the newest commit: the head moved")
	case verdict.BaseNotTrusted:
		return words("Waiting for a person: base branch ").quote(r.Subject.BaseRef).add(" is not trusted")
	case verdict.SharedHead:
		return words("Waiting for a person: another pull request with another base has this head")
	case verdict.StillWorking:
		return words("Waiting for the agent: it is still working")
	case verdict.ProtectedChange:
		t := words("Waiting for approval: ")
		if len(r.Protected) == 0 {
			return t.add("a protected path is touched")
		}
		if r.Subject.BaseSHA == "" && strings.HasPrefix(r.Protected[0], "(") {
			return t.add("what the change touches is not known, so it counts as protected")
		}
		t = t.quote(r.Protected[0])
		if n := len(r.Protected) - 1; n > 0 {
			return t.add(" and %s are protected", Many(n, "more path"))
		}
		return t.add(" is protected")
	case verdict.Awaiting:
		return awaitedTitle(r)
	case verdict.Partial:
		return words("Partial: %d of %s verified, the others were not looked at", r.Verified, Many(r.Expected, "selected outcome"))
	}
	return words("Waiting: ").quote(string(r.Reason))
}

// awaitedTitle names what the first waiting outcome waits for.
func awaitedTitle(r *receipt.Receipt) title {
	var first *receipt.Outcome
	n := 0
	for _, o := range open(r) {
		if o.State == evidence.Waiting {
			if n++; first == nil {
				first = o
			}
		}
	}
	if first == nil {
		return words("Waiting for somebody")
	}
	t := words("Waiting for ").then(awaited(first))
	if n > 1 {
		t = t.add(" (and %s)", Many(n-1, "more wait"))
	}
	return t
}

func awaited(o *receipt.Outcome) title {
	if w := o.Rule.WaitsFor; w != nil {
		if w.Environment != "" {
			return words("environment ").quote(w.Environment)
		}
		if w.Approval != nil {
			t := words("approval by ")
			if w.Approval.Count > 1 {
				t = words("%d approvals by ", w.Approval.Count)
			}
			for i, from := range w.Approval.From {
				if i > 0 {
					t = t.add(" or ")
				}
				t = t.then(approver(from))
			}
			return t
		}
	}
	for _, v := range o.Validators {
		if v.Kind == "check" && v.State == evidence.Waiting {
			return words("check ").quote(checkName(&o.Rule, o.ID))
		}
	}
	return title{}.quote(o.ID)
}

func approver(from string) title {
	switch {
	case from == "write" || from == "maintain" || from == "admin":
		return words("a person with %s permission", from)
	case strings.HasPrefix(from, "user:"), strings.HasPrefix(from, "team:"):
		return title{}.quote(from[len("user:"):])
	}
	return title{}.quote(from)
}

// checkName is the name of the first check that an outcome's rule asks for.
func checkName(rule *contract.Outcome, otherwise string) string {
	for _, v := range rule.Validators {
		var p struct {
			Name string `json:"name"`
		}
		if v.Kind == "check" && json.Unmarshal(v.Params, &p) == nil && p.Name != "" {
			return p.Name
		}
	}
	return otherwise
}

func blockTitle(r *receipt.Receipt) title {
	t := verdictWord(r)
	switch r.Reason {
	case verdict.FalseSuccess:
		return words("EXITED (false success): report says succeeded, ").then(worstOf(r, evidence.HashMismatch, evidence.ValidatorFailed))
	case verdict.EvidenceRejected:
		return t.then(worstOf(r, evidence.HashMismatch, evidence.ValidatorFailed))
	case verdict.EvidenceIncomplete:
		return t.then(worstOf(r, evidence.WrongArtifact, evidence.Stale, evidence.Missing, evidence.Unverified))
	case verdict.ExitNonzero:
		if r.Report.Facts.Exit != nil {
			return t.add("the agent exited with status %d", *r.Report.Facts.Exit)
		}
	case verdict.OutcomeFailed:
		if r.Report.Facts.Blocked {
			return t.add("the report says blocked")
		}
		return t.add("the report says failed")
	case verdict.Internal:
		if nothingSelected(r) {
			return t.add("nothing that was selected is required")
		}
	}
	if s := reasonWords(r.Reason); s != "" {
		return t.add("%s", s)
	}
	return t.quote(string(r.Reason))
}

// reasonWords says a reason as the second half of a title; "" where the title needs more than the reason.
func reasonWords(reason verdict.Reason) string {
	switch reason {
	case verdict.ExitNonzero:
		return "the agent exited with a failure"
	case verdict.RuntimeFailed:
		return "the agent's runtime says that it failed"
	case verdict.NoOutput:
		return "nothing came back from the agent"
	case verdict.CleanExitNoReport:
		return "the agent exited with 0 and left no report"
	case verdict.ContractMiss:
		return "the report is not of the agreed form"
	case verdict.AmbiguousReport:
		return "there are several different reports"
	case verdict.NoVerdictInPayload:
		return "the report names none of the three outcomes"
	case verdict.SuccessWithoutEvidence:
		return "the report says succeeded and names no evidence"
	case verdict.ReportConflict:
		return "the report contradicts itself"
	case verdict.StaleReport:
		return "the report belongs to other work"
	case verdict.ClaimConflict:
		return "the report claims more than was observed"
	case verdict.AllWaived:
		return "every expected outcome is waived"
	case verdict.NothingExpected:
		return "nothing is expected of this change, which the contract refuses"
	case verdict.Internal:
		return "no rule covers what was found"
	}
	return ""
}

// worstOf names the first outcome in the worst of the given states, and counts the others.
func worstOf(r *receipt.Receipt, order ...evidence.State) title {
	all := open(r)
	for _, state := range order {
		for _, o := range all {
			if o.State != state {
				continue
			}
			return said(o).add("%s", others(all))
		}
	}
	return words("an outcome is not verified")
}

// said is one outcome's state as a clause.
func said(o *receipt.Outcome) title {
	what := title{}.quote(subject(o))
	switch o.State {
	case evidence.Missing:
		if o.Code == evidence.CodeWaitExpired {
			return words("what ").quote(o.ID).add(" waits for did not arrive in time")
		}
		return what.add(" is missing")
	case evidence.Stale:
		return what.add(" is stale")
	case evidence.WrongArtifact:
		return what.add(" belongs to something else")
	case evidence.HashMismatch:
		return what.add(" has other bytes than expected")
	case evidence.ValidatorFailed:
		if n := failures(o); n > 0 {
			return title{}.quote(o.ID).add(" has %s", Many(n, "failure"))
		}
		return title{}.quote(o.ID).add(" did not pass its check")
	case evidence.Unverified, evidence.Waiting, evidence.Verified:
	}
	return title{}.quote(o.ID).add(" could not be verified")
}

// Many is a number with its noun, such as 3 mistakes.
func Many(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
