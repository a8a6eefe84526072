package verdict

import (
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/report"
)

// Relation says how the commit that a report names belongs to the pull request.
type Relation string

// The relations. The zero value is that the report names none.
const (
	NamesNone    Relation = ""
	NamesHead    Relation = "head"    // the head or its merge commit
	NamesOlder   Relation = "older"   // an earlier commit of this pull request
	NamesForeign Relation = "foreign" // no commit of this pull request
	NamesUnknown Relation = "unknown" // the head commit is not known, so nothing can be compared
)

// minCommitPrefix is the shortest abbreviated commit name that is compared: seven digits is what git prints.
const minCommitPrefix = 7

// RelationOf compares the commit that a report claims with the commits of the pull request. head and merge
// may be "", commits are the pull request's own. A prefix of seven or more hex digits is accepted.
func RelationOf(claimed, head, merge string, commits []string) Relation {
	if claimed == "" {
		return NamesNone
	}
	if head == "" {
		return NamesUnknown
	}
	claimed = strings.ToLower(claimed)
	if len(claimed) < minCommitPrefix || strings.Trim(claimed, "0123456789abcdef") != "" {
		return NamesForeign
	}
	switch {
	case strings.HasPrefix(head, claimed), merge != "" && strings.HasPrefix(merge, claimed):
		return NamesHead
	}
	for _, c := range commits {
		if strings.HasPrefix(c, claimed) {
			return NamesOlder
		}
	}
	return NamesForeign
}

// ReportFacts is everything that the classification of a report looks at. It has no duration: a slow or
// silent agent stays UNVERIFIABLE however long it has been silent.
type ReportFacts struct {
	Found     bool           `json:"found"`                // a report block was found, decodable or not
	Problem   report.Problem `json:"problem,omitempty"`    // why no usable report came out
	Outcome   string         `json:"outcome,omitempty"`    // the decoded report's word
	AnyBad    bool           `json:"any_bad,omitempty"`    // some decoded block says failed or blocked
	Blocked   bool           `json:"blocked,omitempty"`    // ... blocked, and none says failed
	Evidence  int            `json:"evidence,omitempty"`   // non-blank evidence strings
	Failing   int            `json:"failing,omitempty"`    // entries of its failing list
	Commit    Relation       `json:"commit,omitempty"`     // what commit it names
	Bind      bool           `json:"bind,omitempty"`       // the contract demands the head commit
	OtherTask bool           `json:"other_task,omitempty"` // it names another task or dispatch than the expected one
	Runtime   report.Runtime `json:"runtime,omitempty"`    // what the agent's runtime said
	Exit      *int           `json:"exit_status,omitempty"`
	Draft     bool           `json:"draft,omitempty"` // the pull request is a draft or titled as work in progress
}

// Class is the report's own verdict.
type Class struct {
	Verdict  Verdict `json:"verdict"`
	Reason   Reason  `json:"reason"`
	MayRetry bool    `json:"may_retry"`
}

// Classify gives the report's class: the first row of the table that matches. It is total and never panics.
func Classify(f ReportFacts) Class {
	unverifiable := func(r Reason) Class { return Class{Verdict: Unverifiable, Reason: r} }
	exited := func(r Reason) Class { return Class{Verdict: Exited, Reason: r} }
	exit := exitOf(f.Exit)
	switch {
	case f.AnyBad || f.Outcome == "failed" || f.Outcome == "blocked": // 1
		return exited(OutcomeFailed)
	case exit == exitBad: // an exit status that no process can have: a bad observation
		return unverifiable(Internal)
	case exit == exitFailed: // 2
		c := exited(ExitNonzero)
		c.MayRetry = retryable(*f.Exit)
		return c
	case f.Runtime == report.RuntimeFailed: // 3
		return exited(RuntimeFailed)
	case f.Runtime == report.RuntimeRunning, f.Draft && !f.Found: // 3b
		return unverifiable(StillWorking)
	case f.Runtime == report.RuntimeNoOutput: // 4
		return unverifiable(NoOutput)
	case f.Runtime == report.RuntimeSchema: // 7, whatever else the runtime says
		return exited(ContractMiss)
	case f.Runtime == report.RuntimeProblem: // 9
		return unverifiable(NoVerdictInPayload)
	case f.Runtime == report.RuntimeStale: // 12
		return unverifiable(StaleReport)
	case f.Runtime != "" && f.Runtime != report.RuntimeTruncated:
		return unverifiable(Internal)
	}
	return classifyText(f, exit, unverifiable, exited)
}

// classifyText is the table's rows 4 to 13: what the text itself says.
func classifyText(f ReportFacts, exit exitKind, unverifiable, exited func(Reason) Class) Class {
	switch f.Problem {
	case report.NoText: // 4, 5
		if exit == exitClean {
			return unverifiable(CleanExitNoReport)
		}
		return unverifiable(NoOutput)
	case report.NoBlock, report.Broken: // 7
		return exited(ContractMiss)
	case report.Ambiguous: // 8
		return unverifiable(AmbiguousReport)
	case report.NoOutcome: // 9
		return unverifiable(NoVerdictInPayload)
	case report.NoEvidence: // 10
		return unverifiable(SuccessWithoutEvidence)
	case "":
	default:
		return unverifiable(Internal)
	}
	switch {
	case f.Outcome != "succeeded" || !f.Found: // 9 again, should a caller not have named it
		return unverifiable(NoVerdictInPayload)
	case f.Evidence < 1: // 10
		return unverifiable(SuccessWithoutEvidence)
	case f.Failing != 0, f.Runtime == report.RuntimeTruncated: // 11
		return unverifiable(ReportConflict)
	case f.OtherTask, f.Commit == NamesForeign, f.Bind && f.Commit != NamesHead: // 12
		return unverifiable(StaleReport)
	}
	switch f.Commit {
	case NamesNone, NamesHead, NamesOlder, NamesUnknown: // 13
		return Class{Verdict: Live, Reason: StructuredSuccess}
	}
	return unverifiable(StaleReport)
}

type exitKind int

const (
	exitUnknown exitKind = iota
	exitClean
	exitFailed
	exitBad
)

func exitOf(status *int) exitKind {
	switch {
	case status == nil:
		return exitUnknown
	case *status == 0:
		return exitClean
	case *status > 0 && *status <= 255:
		return exitFailed
	}
	return exitBad
}

// retryable says whether a failed process may be started again: not where the command could not run (126,
// 127: fix it first), nor where somebody stopped it (130 SIGINT, 143 SIGTERM).
func retryable(status int) bool {
	switch status {
	case 126, 127, 130, 143:
		return false
	}
	return true
}

// Heard says whether the report's class counts for the decision: the report is required, or a block was
// found, or the worker is known to have failed. Silence of a report nobody asked for is only noted.
func Heard(f ReportFacts, required bool) bool {
	exit := exitOf(f.Exit)
	return required || f.Found || exit == exitFailed || exit == exitBad || f.Runtime == report.RuntimeFailed
}

// OtherTask says whether a report names another task or dispatch than the expected one. An expected name of "" fits all,
// and so does a report that names none.
func OtherTask(r *report.Report, task, dispatch string) bool {
	return task != "" && r.TaskID != "" && r.TaskID != task || dispatch != "" && r.DispatchID != "" && r.DispatchID != dispatch
}

// FactsOf reduces a reading to the facts that Classify looks at.
func FactsOf(r report.Reading) ReportFacts {
	f := ReportFacts{Found: r.Found, Problem: r.Problem, Runtime: r.Runtime, AnyBad: r.AnyBad != "", Blocked: r.AnyBad == "blocked"}
	if r.Report != nil {
		f.Outcome = r.Report.Outcome
		f.Failing = len(r.Report.Failing)
		f.Evidence = r.Report.EvidenceCount()
		if known := map[string]bool{"succeeded": true, "failed": true, "blocked": true}; !known[f.Outcome] {
			f.Outcome = ""
		}
	}
	return f
}
