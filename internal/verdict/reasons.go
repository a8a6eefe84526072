package verdict

import "strings"

// ReasonDoc documents one reason of a pull request's verdict.
type ReasonDoc struct {
	Reason  Reason
	Verdict Verdict
	Result  Result
	// OfReport says that it is the class of a report as well, and decides only where the report is heard.
	OfReport bool
	Meaning  string
	Next     Next   // "": the most urgent one of the outcomes
	Who      string // who acts; "" where nobody has to
}

// Reasons documents every reason that a pull request's verdict can have, in the order in which they are looked for.
func Reasons() []ReasonDoc {
	const ofOutcomes = "whom the outcomes name"
	return []ReasonDoc{
		{CannotLook, None, Error, false, "The pull request, the contract or the changed files could not be read, or a required surface could not be written.", RunCheck, "platform"},
		{HeadMoved, Unverifiable, Wait, false, "Another commit became the head while the gate looked.", ObserveAgain, "nobody yet: the newer commit has a run of its own"},
		{BaseNotTrusted, Unverifiable, Wait, false, "The base is not the default branch, and `base_branches` does not name it.", NeedsHuman, "human"},
		{SharedHead, Unverifiable, Wait, false, "Another open pull request with another base has the same head commit.", NeedsHuman, "human"},
		{ContractMissing, None, Error, false, "There is no contract, and the change adds none.", NeedsHuman, "human"},
		{ContractInvalid, None, Error, false, "The contract has mistakes.", NeedsHuman, "human"},
		{ContractEmpty, None, Error, false, "The contract requires no outcome.", NeedsHuman, "human"},
		{ContractProposed, None, Wait, false, "The change adds the first contract, and nobody approved that yet.", NeedsHuman, "human"},
		{NotGated, None, Pass, false, "`applies_to` does not cover the change.", NoNext, ""},
		{OutcomeFailed, Exited, Block, true, "A report says failed or blocked.", NeedsHuman, "human"},
		{ExitNonzero, Exited, Block, true, "The agent's observed exit status is not 0.", NeedsHuman, "human"},
		{RuntimeFailed, Exited, Block, true, "The agent's runtime says that it failed or was interrupted.", NeedsHuman, "human"},
		{ContractMiss, Exited, Block, true, "There is text and no report in it, or the report breaks its schema.", FixReport, "agent"},
		{StillWorking, Unverifiable, Wait, true, "The pull request is a draft and holds no report yet, or the agent's runtime says that it works.", AwaitIt, "nobody yet"},
		{FalseSuccess, Exited, Block, false, "The report says succeeded, and an outcome was rejected.", "", ofOutcomes},
		{EvidenceRejected, Exited, Block, false, "An outcome was rejected: a check failed, or bytes differ.", "", ofOutcomes},
		{NoOutput, Unverifiable, Block, true, "Nothing came back from the agent.", NeedsHuman, "human"},
		{CleanExitNoReport, Unverifiable, Block, true, "The agent exited with 0 and left no report.", NeedsHuman, "human"},
		{AmbiguousReport, Unverifiable, Block, true, "There are several reports that differ.", FixReport, "agent"},
		{NoVerdictInPayload, Unverifiable, Block, true, "The report's outcome is absent or none of the three words.", FixReport, "agent"},
		{SuccessWithoutEvidence, Unverifiable, Block, true, "The report says succeeded and names no evidence.", FixReport, "agent"},
		{ReportConflict, Unverifiable, Block, true, "The report says succeeded and lists what fails, or was cut short.", FixReport, "agent"},
		{StaleReport, Unverifiable, Block, true, "The report names another task or commit.", FixReport, "agent"},
		{EvidenceIncomplete, Unverifiable, Block, false, "Evidence is missing, stale, of something else, or could not be looked at.", "", ofOutcomes},
		{ProtectedChange, Unverifiable, Wait, false, "The change touches a protected path, and nobody approved that.", NeedsHuman, "human"},
		{Awaiting, Unverifiable, Wait, false, "All else is verified, and an outcome waits for an approval, an environment or a check.", "", ofOutcomes},
		{ClaimConflict, Unverifiable, Block, false, "The report claims more than was observed, and `on_claim_conflict` is block.", NeedsHuman, "human"},
		{AllWaived, Unverifiable, Block, false, "Every expected outcome is waived.", NeedsHuman, "human"},
		{NothingExpected, None, Pass, false, "`when` expects no outcome of this change. With `when_nothing_expected: block` it is UNVERIFIABLE and blocks.", NoNext, ""},
		{AllVerified, Live, Pass, false, "Every expected outcome is verified.", NoNext, ""},
		{Partial, Unverifiable, Wait, false, "`--only` left outcomes out, and those that it selected are verified.", RunCheck, "whoever checks: without `--only`"},
		{Internal, Unverifiable, Block, false, "No rule covers what was found.", NeedsHuman, "human"},
	}
}

// ReasonTable is Reasons as a Markdown table, ending in a line break.
func ReasonTable() string {
	var b strings.Builder
	b.WriteString("| reason | verdict | result | meaning | next | who acts |\n|---|---|---|---|---|---|\n")
	for _, d := range Reasons() {
		name, next := "`"+string(d.Reason)+"`", "that of the outcomes"
		if d.OfReport {
			name += " †"
		}
		if d.Next != "" {
			next = "`" + string(d.Next) + "`"
		}
		b.WriteString("| " + name + " | " + string(d.Verdict) + " | " + string(d.Result) + " | " + d.Meaning + " | " + next + " | " + d.Who + " |\n")
	}
	return b.String()
}
