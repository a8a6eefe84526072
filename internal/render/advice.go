package render

import (
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/report"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// isLocal says whether a local check made the receipt: no workflow run is named in it.
func isLocal(r *receipt.Receipt) bool { return r.Subject.RunID == 0 }

// adviceFor is what to do about an outcome in words: that of its finding's code, else of its next action.
func adviceFor(r *receipt.Receipt, o *receipt.Outcome) string {
	s := evidence.Advice(o.Code, isLocal(r))
	if s == "" {
		s = nextWords(o.Next)
	}
	if o.Next == verdict.RepairOnce {
		s += "; one reversible repair is authorized"
	}
	return strings.TrimSuffix(s, ".")
}

// wholeAdvice is what to do where no single outcome is in the way.
func wholeAdvice(r *receipt.Receipt) string {
	switch r.Reason {
	case verdict.Partial:
		return "nothing is left to do for the selection; check without --only for the whole"
	case verdict.Internal:
		if nothingSelected(r) {
			return "select a required outcome, or check without --only"
		}
	case verdict.ProtectedChange, verdict.ContractProposed:
		if !isLocal(r) {
			break
		}
		if r.Subject.BaseSHA == "" {
			return "the change is not known, so it counts as touching everything: name its base with --base"
		}
		return "a person approves it on the pull request; a local check ends with exit code 4"
	case verdict.ContractMissing:
		if isLocal(r) {
			return "write " + r.Contract.Path + ", or name a contract with --contract FILE"
		}
		return "add " + r.Contract.Path + " to the default branch"
	case verdict.ContractInvalid, verdict.ContractEmpty:
		return "correct the contract; gate contract lint FILE shows every mistake"
	case verdict.ClaimConflict:
		return "a person decides: the report claims more than was observed, see claimed against observed"
	case verdict.CannotLook:
		return "make it readable, and judge again"
	}
	if s := ReportHelp(r.Reason, r.Report.Facts); s != "" {
		return nextWords(r.Next) + " (above)"
	}
	return nextWords(r.Next)
}

// ofTheWhole says whether what is next is not, or not only, that of the outcomes: then it has to be said itself.
func ofTheWhole(r *receipt.Receipt) bool { return len(open(r)) == 0 || r.Reason == r.Report.Reason }

// nothingSelected says whether a selection holds no outcome that counts.
func nothingSelected(r *receipt.Receipt) bool { return r.Scope.Partial && r.Expected == 0 }

// ReportHelp says in one sentence what a report's class means and what helps; "" where its name says it all.
func ReportHelp(reason verdict.Reason, f verdict.ReportFacts) string {
	if s := runtimeHelp(reason, f.Runtime); s != "" {
		return s
	}
	switch reason {
	case verdict.ContractMiss, verdict.AmbiguousReport, verdict.NoVerdictInPayload, verdict.SuccessWithoutEvidence:
		return report.Explain(f.Problem)
	case verdict.NoOutput, verdict.CleanExitNoReport:
		return "No carrier that the contract names holds a text: let the agent write a report."
	case verdict.ReportConflict:
		if f.Failing > 0 {
			return "The report says succeeded and lists what still fails: empty the list, or say failed."
		}
		return "The report says succeeded, and the agent's runtime cut it short: report again."
	case verdict.StaleReport:
		return "The report names another task, or another commit than the one that is judged: report on this one."
	case verdict.StillWorking:
		return "The pull request is a draft, or its title begins with [WIP], WIP: or Draft:, and it holds no report yet."
	}
	return ""
}

// runtimeHelp is ReportHelp where the agent's runtime gave the class.
func runtimeHelp(reason verdict.Reason, said report.Runtime) string {
	switch {
	case reason == verdict.RuntimeFailed && said == report.RuntimeFailed:
		return "The agent's runtime says that it failed or was interrupted."
	case reason == verdict.ContractMiss && said == report.RuntimeSchema:
		return "The agent's runtime says that the answer breaks its schema: correct what the errors name."
	case reason == verdict.StillWorking && said == report.RuntimeRunning:
		return "The agent's runtime says that it still works or asks a question: let it end."
	case reason == verdict.NoOutput && said == report.RuntimeNoOutput:
		return "The agent's runtime handed back no answer: it ran out of time, does not say how it ended, or gave only a handle."
	case reason == verdict.NoVerdictInPayload && said == report.RuntimeProblem:
		return "The text is a problem document (RFC 9457), which is never a report."
	case reason == verdict.StaleReport && said == report.RuntimeStale:
		return "The agent's runtime says that the answer is that of another task or dispatch."
	}
	return ""
}

// wantsTemplate says whether the block to fill in helps: the report is absent or not of its form.
func wantsTemplate(reason verdict.Reason) bool {
	switch reason {
	case verdict.ContractMiss, verdict.NoVerdictInPayload, verdict.SuccessWithoutEvidence, verdict.NoOutput, verdict.CleanExitNoReport:
		return true
	}
	return false
}
