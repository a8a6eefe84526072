// Package verdict turns facts into states, states into one decision, and a decision into the next action.
//
// It decides everything that is decided: the state of a file, of an outcome, the class of the report, the
// verdict of the pull request. It is pure and total: values in, values out, no clock, no I/O, and every zero
// or unknown value blocks. A report can lower a verdict and never raise one.
package verdict

import (
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// Verdict is one of three words, or none where nothing was judged.
type Verdict string

// The verdicts.
const (
	Live         Verdict = "LIVE"
	Unverifiable Verdict = "UNVERIFIABLE"
	Exited       Verdict = "EXITED"
	None         Verdict = "none"
)

// Reason is the stable name of why a verdict was given.
type Reason string

// The reasons of the report's class.
const (
	OutcomeFailed          Reason = "outcome_failed"
	ExitNonzero            Reason = "exit_nonzero"
	RuntimeFailed          Reason = "runtime_failed"
	StillWorking           Reason = "still_working"
	NoOutput               Reason = "no_output"
	CleanExitNoReport      Reason = "clean_exit_no_report"
	ContractMiss           Reason = "contract_miss"
	AmbiguousReport        Reason = "ambiguous_report"
	NoVerdictInPayload     Reason = "no_verdict_in_payload"
	SuccessWithoutEvidence Reason = "success_without_evidence"
	ReportConflict         Reason = "report_conflict"
	StaleReport            Reason = "stale_report"
	StructuredSuccess      Reason = "structured_success"
	NotRead                Reason = "not_read" // nobody looked for a report
)

// The reasons of the pull request's verdict, besides those of the report's class.
const (
	CannotLook         Reason = "cannot_look"
	HeadMoved          Reason = "head_moved"
	BaseNotTrusted     Reason = "base_not_trusted"
	SharedHead         Reason = "shared_head"
	ContractMissing    Reason = "contract_missing"
	ContractInvalid    Reason = "contract_invalid"
	ContractEmpty      Reason = "contract_empty"
	ContractProposed   Reason = "contract_proposed"
	NotGated           Reason = "not_gated"
	FalseSuccess       Reason = "false_success"
	EvidenceRejected   Reason = "evidence_rejected"
	EvidenceIncomplete Reason = "evidence_incomplete"
	ProtectedChange    Reason = "protected_change"
	Awaiting           Reason = "waiting"
	ClaimConflict      Reason = "claim_conflict"
	AllWaived          Reason = "all_waived"
	NothingExpected    Reason = "nothing_expected"
	AllVerified        Reason = "verified"
	Partial            Reason = "partial" // only some outcomes were asked for
	Internal           Reason = "internal"
)

// Result is what a verdict does to the pull request. The zero value blocks.
type Result string

// The results.
const (
	Pass  Result = "pass"
	Block Result = "block"
	Wait  Result = "wait"
	Error Result = "error"
)

// Next is the one next action.
type Next string

// The next actions, most urgent first.
const (
	NeedsHuman   Next = "needs_human"
	FixReport    Next = "fix_report"
	Produce      Next = "produce"
	RunCheck     Next = "run_check"
	RepairOnce   Next = "repair_once"
	ObserveAgain Next = "observe_again"
	AwaitIt      Next = "wait"
	NoNext       Next = "none"
)

// nextOrder lists the next actions, most urgent first.
func nextOrder() []Next {
	return []Next{NeedsHuman, FixReport, Produce, RunCheck, RepairOnce, ObserveAgain, AwaitIt, NoNext}
}

// firstNext is the most urgent action present; an unknown one counts as needs_human.
func firstNext(present []Next) Next {
	best, order := len(nextOrder())-1, nextOrder()
	for _, n := range present {
		rank := 0
		for i, o := range order {
			if n == o {
				rank = i
			}
		}
		best = min(best, rank)
	}
	return order[best]
}

// Exit codes of the judging commands.
const (
	ExitPass       = 0
	ExitBlock      = 1
	ExitUsage      = 2 // usage or contract
	ExitCannotLook = 3
	ExitWait       = 4
)

// stateRank is the position of s in the order of combination; an unknown state ranks first, so it is never hidden.
func stateRank(s evidence.State) int {
	switch s {
	case evidence.HashMismatch:
		return 0
	case evidence.ValidatorFailed:
		return 1
	case evidence.WrongArtifact:
		return 2
	case evidence.Stale:
		return 3
	case evidence.Missing:
		return 4
	case evidence.Unverified:
		return 5
	case evidence.Waiting:
		return 6
	case evidence.Verified:
		return 7
	}
	return -1
}

// worst is the finding that names the combination: the first present state, and the first finding with it.
// No finding at all verifies nothing.
func worst(findings []evidence.Finding) evidence.Finding {
	if len(findings) == 0 {
		return evidence.Finding{State: evidence.Unverified, Code: evidence.CodeEvidenceNone, Detail: "nothing was observed"}
	}
	best := findings[0]
	for _, f := range findings[1:] {
		if stateRank(f.State) < stateRank(best.State) {
			best = f
		}
	}
	return best
}
