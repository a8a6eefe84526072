package verdict

import (
	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// ContractStatus says what became of the contract. The zero value blocks.
type ContractStatus string

// The statuses of a contract.
const (
	ContractOK       ContractStatus = "ok"
	ContractAbsent   ContractStatus = "missing"
	ContractBroken   ContractStatus = "invalid"
	ContractBare     ContractStatus = "empty"    // no required outcome
	ContractPreview  ContractStatus = "proposed" // the change adds the first one, nobody approved it yet
	ContractApproved ContractStatus = "approved" // the head's contract judges after an approval
)

// Gating says whether applies_to covers the pull request. The zero value blocks.
type Gating string

// The gatings.
const (
	Gated   Gating = "gated"
	Outside Gating = "outside"
)

// Protection says whether the change touches a protected path. The zero value blocks.
type Protection string

// The protections.
const (
	Untouched Protection = "untouched"
	Touched   Protection = "touched" // and nobody approved it
	Approved  Protection = "approved"
)

// Scope is every fact besides report and evidence that the decision looks at.
type Scope struct {
	// Look is why pull request, contract or changed files could not be read, "" if they were.
	Look                string         `json:"look,omitempty"`
	HeadMoved           bool           `json:"head_moved,omitempty"`
	BaseNotTrusted      bool           `json:"base_not_trusted,omitempty"`
	SharedHead          bool           `json:"shared_head,omitempty"`
	Contract            ContractStatus `json:"contract"`
	Gating              Gating         `json:"gating"`
	Protection          Protection     `json:"protection"`
	ReportRequired      bool           `json:"report_required"`
	ReportUnheard       bool           `json:"report_unheard,omitempty"` // a merge group: the report is not heard at all
	ClaimOverstates     bool           `json:"claim_overstates,omitempty"`
	OnClaimConflict     string         `json:"on_claim_conflict,omitempty"`
	WhenNothingExpected string         `json:"when_nothing_expected,omitempty"`
	Mode                contract.Mode  `json:"mode,omitempty"`
	// Partial says that only some outcomes were looked at: never a pass of the whole.
	Partial bool `json:"partial,omitempty"`
}

// Outcome is what the decision sees of one outcome.
type Outcome struct {
	Required bool
	Expected bool
	Waived   bool
	State    evidence.State
	Next     Next
}

// Decision is the verdict on the pull request.
type Decision struct {
	Verdict  Verdict `json:"verdict"`
	Reason   Reason  `json:"reason"`
	Result   Result  `json:"result"`
	MayRetry bool    `json:"may_retry"`
	Next     Next    `json:"next"`
}

// Decide gives the first row of the decision table that matches. It is total; what matches no row blocks.
func Decide(s Scope, f ReportFacts, outcomes []Outcome) Decision {
	class := Classify(f)
	d := decide(s, f, class, outcomes)
	if s.Partial && d.Result == Pass {
		d.Verdict, d.Reason, d.Result = Unverifiable, Partial, Wait
	}
	d.MayRetry = d.Result == Block && d.Reason == ExitNonzero && class.MayRetry
	d.Next = nextOf(d, class, heard(s, f), outcomes)
	return d
}

func heard(s Scope, f ReportFacts) bool { return !s.ReportUnheard && Heard(f, s.ReportRequired) }

func decide(s Scope, f ReportFacts, class Class, outcomes []Outcome) Decision {
	say := func(v Verdict, r Reason, res Result) Decision { return Decision{Verdict: v, Reason: r, Result: res} }
	switch {
	case s.Look != "": // a
		return say(None, CannotLook, Error)
	case s.HeadMoved: // b
		return say(Unverifiable, HeadMoved, Wait)
	case s.BaseNotTrusted:
		return say(Unverifiable, BaseNotTrusted, Wait)
	case s.SharedHead:
		return say(Unverifiable, SharedHead, Wait)
	}
	switch s.Contract { // c, c'
	case ContractOK, ContractApproved:
	case ContractAbsent:
		return say(None, ContractMissing, Error)
	case ContractBroken:
		return say(None, ContractInvalid, Error)
	case ContractBare:
		return say(None, ContractEmpty, Error)
	case ContractPreview:
		return say(None, ContractProposed, Wait)
	default:
		return say(Unverifiable, Internal, Block)
	}
	switch s.Gating { // d
	case Gated:
	case Outside:
		return say(None, NotGated, Pass)
	default:
		return say(Unverifiable, Internal, Block)
	}
	return decideGated(s, f, class, outcomes, say)
}

// decideGated is rows 1 to 12: a contract judges this pull request.
func decideGated(s Scope, f ReportFacts, class Class, outcomes []Outcome, say func(Verdict, Reason, Result) Decision) Decision {
	present, n := tally(outcomes)
	hears := heard(s, f)
	settled := !hears || class.Verdict == Live
	has := func(states ...evidence.State) bool {
		for _, st := range states {
			if present[1+stateRank(st)] > 0 {
				return true
			}
		}
		return false
	}
	switch {
	case hears && class.Verdict == Exited: // 1
		return say(Exited, class.Reason, Block)
	case hears && class.Reason == StillWorking: // 2
		return say(Unverifiable, StillWorking, Wait)
	case has(evidence.HashMismatch, evidence.ValidatorFailed): // 3
		if f.Outcome == "succeeded" && !s.ReportUnheard {
			return say(Exited, FalseSuccess, Block)
		}
		return say(Exited, EvidenceRejected, Block)
	case hears && class.Verdict == Unverifiable: // 4
		return say(Unverifiable, class.Reason, Block)
	case !settled: // a class that is none of the three
		return say(Unverifiable, Internal, Block)
	case has(evidence.Missing, evidence.WrongArtifact, evidence.Stale, evidence.Unverified): // 5
		return say(Unverifiable, EvidenceIncomplete, Block)
	case present[0] > 0: // a state that is none of the eight
		return say(Unverifiable, Internal, Block)
	case s.Protection == Touched: // 6
		return say(Unverifiable, ProtectedChange, Wait)
	case s.Protection != Untouched && s.Protection != Approved:
		return say(Unverifiable, Internal, Block)
	case has(evidence.Waiting): // 7
		return say(Unverifiable, Awaiting, Wait)
	case s.ClaimOverstates && s.OnClaimConflict != "warn": // 8
		return say(Unverifiable, ClaimConflict, Block)
	case n.judged == 0 && n.waived > 0: // 9
		return say(Unverifiable, AllWaived, Block)
	case n.judged == 0 && n.excluded > 0: // 10
		if s.WhenNothingExpected != "pass" {
			return say(Unverifiable, NothingExpected, Block)
		}
		return say(None, NothingExpected, Pass)
	case n.judged > 0 && present[1+stateRank(evidence.Verified)] == n.judged: // 11
		return say(Live, AllVerified, Pass)
	}
	return say(Unverifiable, Internal, Block) // 12
}

// numbers counts the required outcomes by why they count or do not.
type numbers struct{ judged, waived, excluded int }

// tally counts the outcomes that count by their state's rank plus one; place 0 holds the unknown states.
func tally(outcomes []Outcome) ([9]int, numbers) {
	var present [9]int
	var n numbers
	for _, o := range outcomes {
		switch {
		case !o.Required:
		case !o.Expected:
			n.excluded++
		case o.Waived:
			n.waived++
		default:
			n.judged++
			present[1+stateRank(o.State)]++
		}
	}
	return present, n
}

// nextOf is the most urgent of all that has to be done.
func nextOf(d Decision, class Class, hears bool, outcomes []Outcome) Next {
	switch d.Reason {
	case CannotLook:
		return RunCheck
	case HeadMoved:
		return ObserveAgain
	}
	switch {
	case d.Result == Pass:
		return NoNext
	case d.Verdict == None, d.Reason == BaseNotTrusted, d.Reason == SharedHead:
		return NeedsHuman
	}
	var all []Next
	for _, o := range outcomes {
		if o.Required && o.Expected && !o.Waived && o.State != evidence.Verified {
			all = append(all, o.Next)
		}
	}
	if hears && class.Verdict != Live {
		all = append(all, reportNext(class.Reason))
	}
	switch d.Reason {
	case ProtectedChange, ClaimConflict, AllWaived, NothingExpected, Internal:
		all = append(all, NeedsHuman)
	case Partial:
		all = append(all, RunCheck)
	}
	return firstNext(all)
}

// reportNext is what a report that is not LIVE asks for.
func reportNext(r Reason) Next {
	switch r {
	case ContractMiss, AmbiguousReport, NoVerdictInPayload, SuccessWithoutEvidence, ReportConflict, StaleReport:
		return FixReport
	case StillWorking:
		return AwaitIt
	}
	return NeedsHuman
}

// ExitCode is the exit code of a judging command. Observe mode never turns red, but usage, contract and
// cannot-look errors keep their codes.
func ExitCode(d Decision, mode contract.Mode) int {
	switch {
	case d.Result == Error && d.Reason == CannotLook:
		return ExitCannotLook
	case d.Result == Error:
		return ExitUsage
	case mode == contract.Observe:
		return ExitPass
	case d.Result == Pass:
		return ExitPass
	case d.Result == Wait:
		return ExitWait
	}
	return ExitBlock
}

// Metric counts outcomes for the two rates.
type Metric struct {
	Expected int // required, expected by when, not waived
	Verified int
	Answered int // whose required check ran to an answer
}

// Measure counts over the outcomes that count.
func Measure(all []Judged) Metric {
	var m Metric
	for i := range all {
		if !all[i].Counts() {
			continue
		}
		m.Expected++
		if all[i].State == evidence.Verified {
			m.Verified++
		}
		if all[i].Answered {
			m.Answered++
		}
	}
	return m
}
