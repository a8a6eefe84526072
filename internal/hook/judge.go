package hook

import (
	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/render"
	"github.com/outcome-gate/outcome-gate/internal/report"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// Finding is what a judgement means for an agent that wants to stop. The zero value holds it back.
type Finding string

// The findings.
const (
	Open     Finding = ""         // something that the agent can change is not verified
	Accepted Finding = "accepted" // the contract is met
	Waiting  Finding = "waiting"  // what is left is not the agent's to do
	Admitted Finding = "admitted" // the agent itself says that the work failed or is blocked
	Observed Finding = "observed" // the contract is in mode: observe, which stops nobody
	Trouble  Finding = "trouble"  // nothing could be judged
)

// Judge says what a receipt of a local check means for the agent.
func Judge(r *receipt.Receipt) Finding {
	switch {
	case r.Result == verdict.Error:
		return Trouble
	case r.Result == verdict.Pass:
		return Accepted
	case r.Scope.Mode == contract.Observe:
		return Observed
	case admits(r):
		return Admitted
	}
	if unfinished(r) {
		return Open
	}
	switch {
	case r.Result == verdict.Wait:
		return Waiting
	case r.Reason == verdict.ClaimConflict, r.Reason == r.Report.Reason && r.Report.Facts.Found:
		return Open // the report is the agent's to write
	case len(r.Outcomes) > 0:
		return Waiting
	}
	return Open
}

// unfinished says whether an outcome that counts is not verified for a reason that work in this folder can change.
func unfinished(r *receipt.Receipt) bool {
	for i := range r.Outcomes {
		if o := &r.Outcomes[i]; o.Required && o.Expected && !o.Waived && changeable(o) {
			return true
		}
	}
	return false
}

// admits says whether the agent's own last message is a report of failure: it claims no completion, and to hold it back
// would teach it to.
func admits(r *receipt.Receipt) bool {
	f := &r.Report.Facts
	return r.Report.Carrier == "input" && f.Problem == "" && (f.Outcome == "failed" || f.Outcome == "blocked")
}

// changeable says whether an outcome is not verified for a reason that work in this folder can change.
func changeable(o *receipt.Outcome) bool {
	switch o.State {
	case evidence.Verified, evidence.Waiting:
		return false
	case evidence.Unverified:
	default:
		return true
	}
	if !elsewhere(o.Code) {
		return true
	}
	for i := range o.Files {
		if o.Files[i].State != evidence.Verified && !elsewhere(o.Files[i].Code) {
			return true
		}
	}
	for i := range o.Validators {
		v := &o.Validators[i]
		if v.Code == evidence.CodeInputNoFiles { // the artifact is not looked at here, so there was nothing to read
			continue
		}
		if v.State != evidence.Verified && v.State != evidence.Waiting && !elsewhere(v.Code) {
			return true
		}
	}
	return false
}

// elsewhere says whether a finding is one that no work in this folder changes: what only the runner, the service or a person
// knows, and a local check was not told.
func elsewhere(code string) bool {
	switch code {
	case evidence.CodeInputSteps, evidence.CodeInputNeeds, evidence.CodeInputChecks,
		evidence.CodeProducerAbsent, evidence.CodeStepAbsent, evidence.CodeJobAbsent,
		evidence.CodeCheckAbsent, evidence.CodeCheckNotCompleted, evidence.CodeUploadNotHere, evidence.CodeWaitUnknown,
		evidence.CodeWaitApproval, evidence.CodeWaitEnvironment, evidence.CodeWaitWindow,
		evidence.CodeAddressNotHere, evidence.CodeArtifactHMACNoKey, evidence.CodeArtifactElsewhere, evidence.CodeStepElsewhere,
		evidence.CodeEvidenceTier, evidence.CodeEvidenceNoKind, evidence.CodeEvidenceLater, evidence.CodeCommandNotHere,
		evidence.CodeJudgementMakersUnknown, evidence.CodeTestsBaseNotTrusted:
		return true
	}
	return false
}

// Repeats says whether the same files lead to the same answer, whatever the agent says beside a report: an outcome is open,
// and nothing outside of the folder was looked at. Only then an answer may be given again without judging anew.
func Repeats(r *receipt.Receipt) bool {
	for i := range r.Outcomes {
		rule := &r.Outcomes[i].Rule
		if a := rule.Artifact; a != nil && (a.URL != "" || a.Upload != "") {
			return false
		}
		for _, v := range rule.Validators {
			if v.Kind == "command" || v.Kind == "check" {
				return false
			}
		}
	}
	return unfinished(r)
}

// Reports is what of the agent's last message can change an answer that repeats: the message, if it holds a report, else "".
func Reports(message string) string {
	if message == "" {
		return ""
	}
	if r := report.Read([]report.Text{{Carrier: "input", Body: message}}, report.Options{}); !r.Found && r.Wrapper == "" {
		return ""
	}
	return message
}

// Feedback is what the agent is told of the receipt.
func Feedback(r *receipt.Receipt) string { return render.Feedback(r) }
