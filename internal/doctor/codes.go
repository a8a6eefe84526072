package doctor

// Code is one row of the table of findings.
type Code struct {
	Code     string
	Severity Severity
	Meaning  string // in general; a finding's message says what it is here
	Fix      string
	Snippet  string // short YAML or text, empty where there is nothing to paste
	Asks     bool   // only GitHub's answers show it
}

// The codes. A released one never changes its meaning.
const (
	CodeCancel            = "doctor/cancel-in-progress"
	CodeContinue          = "doctor/continue-on-error"
	CodeTokenWrites       = "doctor/default-token-writes"
	CodeEvidence          = "doctor/evidence-unknown"
	CodeEvidenceWrites    = "doctor/evidence-writes"
	CodeInvalidContract   = "doctor/invalid-contract"
	CodeJobSkipped        = "doctor/job-may-be-skipped"
	CodeMergeAdvised      = "doctor/merge-group-advised"
	CodeMergeGroup        = "doctor/missing-merge-group"
	CodePermissions       = "doctor/missing-permissions"
	CodeSteps             = "doctor/missing-steps"
	CodeNameTwice         = "doctor/name-twice"
	CodeNoContract        = "doctor/no-contract"
	CodeNoGate            = "doctor/no-gate"
	CodeNoOwners          = "doctor/no-owners"
	CodeNoReceipt         = "doctor/no-receipt-upload"
	CodeNotPinnedToApp    = "doctor/not-pinned-to-app"
	CodeNotRequired       = "doctor/not-required"
	CodeNotUploaded       = "doctor/not-uploaded"
	CodeObserve           = "doctor/observe-mode"
	CodeOwnersNotAsked    = "doctor/owners-not-asked"
	CodePathFilter        = "doctor/path-filter"
	CodeCredentials       = "doctor/persisted-credentials"
	CodeStepSkipped       = "doctor/step-may-be-skipped"
	CodeTooMany           = "doctor/too-many-permissions"
	CodeUnknownStep       = "doctor/unknown-step"
	CodeUnpinned          = "doctor/unpinned-action"
	CodeUnreadable        = "doctor/unreadable-workflow"
	CodeUntrustedCheckout = "doctor/untrusted-checkout"
	CodeWaitsNeedStatus   = "doctor/waits-need-status"
	CodeApproves          = "doctor/workflows-approve"
	CodeEvent             = "doctor/wrong-event"
	CodeSurface           = "doctor/wrong-surface"
)

const permissionsSnippet = `permissions:
  contents: read
  actions: read
  checks: write
  statuses: write
  pull-requests: write`

// Codes lists all codes in order.
func Codes() []Code {
	return []Code{
		{CodeCancel, Warning, "A newer run of the same concurrency group cancels the gate, so that the commit keeps a cancelled check or none.",
			"Remove `cancel-in-progress`, or set it to `false`.", "cancel-in-progress: false", false},
		{CodeContinue, Mistake, "The gate's verdict does not decide: the job goes on, and may be green, after it said no.",
			"Remove `continue-on-error`. To see verdicts without red jobs, write `mode: observe` into the contract.", "", false},
		{CodeTokenWrites, Warning, "A workflow that names no permissions gets a token that writes to the repository, also in jobs that run a change's code.",
			"Settings, Actions, General, Workflow permissions: choose read.", "", true},
		{CodeEvidence, Mistake, "The gate runs apart from the change's jobs, and does not know the workflow that runs them, or is not started by it.",
			"Name the file of that workflow in the gate's step, and its name in `workflow_run`. Leave out what is of the gate's own job.", "on:\n  workflow_run: { workflows: [outcome-evidence], types: [completed] }\n# and in the step of the gate\nwith:\n  evidence-workflow: .github/workflows/outcome-evidence.yml", false},
		{CodeEvidenceWrites, Warning, "The workflow that runs the change's code has a token that writes, or may have: that code can post a verdict of its own.",
			"Give that workflow `contents: read` alone.", "permissions:\n  contents: read", false},
		{CodeInvalidContract, Mistake, "The contract is not valid, so every run of the gate ends with an error.",
			"Run `gate contract lint` and put right what it names.", "", false},
		{CodeJobSkipped, Mistake, "The gate's job can be skipped, and GitHub takes a skipped job for a successful check.",
			"Write `if: always()` on the job, or no `if:` where it has no `needs:`. What is not to be judged belongs in `applies_to` of the contract.", "if: always()", false},
		{CodeMergeAdvised, Advice, "The gate does not run for merge groups. With a merge queue, a required check of it would never arrive.",
			"Add `merge_group` to the events.", "on: [pull_request, merge_group]", false},
		{CodeMergeGroup, Mistake, "The branch has a merge queue and the gate does not run for merge groups, so that its required check never arrives there.",
			"Add `merge_group` to the events.", "on: [pull_request, merge_group]", true},
		{CodePermissions, Warning, "The gate's job lacks a permission: it cannot read what it needs, or cannot write one of its surfaces.",
			"Name the permissions in full; naming one sets all others to none. A surface that is not wanted is switched off by its input.", permissionsSnippet, false},
		{CodeSteps, Mistake, "The contract names steps, and the gate is not told how the steps of its job ended: such outcomes stay `unverified`.",
			"Hand over the steps context.", "with:\n  steps: ${{ toJSON(steps) }}", false},
		{CodeNameTwice, Warning, "Another job has the name of the gate's job, so that a required check of that name is satisfied by either.",
			"Give the other job another name.", "", false},
		{CodeNoContract, Mistake, "There is no contract, so every run of the gate ends with an error.",
			"Write one, and merge it to the default branch; begin with `mode: observe`.", "version: 1\nmode: observe\noutcomes:\n  - { id: unit-tests, artifact: { files: reports/unit.json, made_by: test }, validators: [ { tests: { min_executed: 1 } } ] }", false},
		{CodeNoGate, Mistake, "No workflow has a step of the gate.", "Add the workflow that the documentation of the action shows.", "", false},
		{CodeNoOwners, Warning, "Nobody is named to review changes of the contract or of the gate's workflow, which decide what the gate asks and whether it runs.",
			"Name them in `.github/CODEOWNERS`, in lines behind all others: the last one that matches counts.", "/.github/ @OWNER", false},
		{CodeNoReceipt, Advice, "The receipt is not kept: after the run nobody can replay the verdict.",
			"Upload it in a step behind the gate.", "- if: always()\n  uses: actions/upload-artifact@043fb46d1a93c77aae656e7c1c64a875d1fc6a0a # v7.0.1\n  with: { name: outcome-gate-receipt, path: \"${{ runner.temp }}/outcome-gate-receipt.json\" }", false},
		{CodeNotPinnedToApp, Warning, "What is required may come from any source, so that whoever may write checks or statuses can post it.",
			"Choose GitHub Actions, or the app whose token the gate has, as its source in the ruleset.", "", true},
		{CodeNotRequired, Mistake, "Nothing of the gate is required, so that a change can be merged whatever the verdict is.",
			"Require the status `outcome-gate/verdict` in a ruleset of the default branch, once it was posted: in `mode: observe` it is not.", "", true},
		{CodeNotUploaded, Mistake, "The gate runs apart from the change's jobs, and the contract asks for what stays there: such outcomes are `unverified`.",
			"Upload the files in the job that makes them and name the `upload`; judge a job by `job`.", "artifact: { upload: results-test, files: \"**/junit.xml\", made_by: test }", false},
		{CodeObserve, Advice, "The contract observes only: verdicts are shown, and nothing is ever blocked.",
			"When its verdicts are right, remove `mode: observe`.", "", false},
		{CodeOwnersNotAsked, Warning, "The branch's rules do not ask for the approval of code owners, so that CODEOWNERS protects nothing.",
			"Switch on \"Require review from Code Owners\" in the ruleset's rule for pull requests.", "", true},
		{CodePathFilter, Mistake, "The gate's workflow does not run for changes outside of its path filter, and a required check then never arrives.",
			"Remove the filter. What is not to be judged belongs in `applies_to` or `when` of the contract.", "", false},
		{CodeCredentials, Warning, "The checkout leaves the job's token in the workspace, where code that runs later can take it.",
			"Add `persist-credentials: false` to the checkout.", "with: { persist-credentials: false }", false},
		{CodeStepSkipped, Warning, "The gate's step is skipped when its `if:` does not hold, or when a step before it failed: there is no verdict then.",
			"Write `if: always()` on the step.", "if: always()", false},
		{CodeTooMany, Warning, "The gate's job may write more than the gate needs, and the change's code may run in it.",
			"Name only what is needed.", permissionsSnippet, false},
		{CodeUnknownStep, Mistake, "The contract names a step or job that the gate's workflow does not have: the outcome can never be verified.",
			"Give the step that id, or put the contract right.", "", false},
		{CodeUnpinned, Warning, "An action is named by a tag or branch, which its owner, or who takes over the account, can move to other code.",
			"Name the full commit SHA, with the version as a comment; of an image, the digest.", "uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2", false},
		{CodeUnreadable, Mistake, "The file is not a workflow that can be read, so that nothing is known of it.", "Put the YAML right.", "", false},
		{CodeUntrustedCheckout, Mistake, "A workflow that runs with the default branch's rights checks the change out: its code then runs with a token that writes, and with secrets.",
			"Check out nothing of the change there. Run its code in a workflow on `pull_request`, and read what that uploaded.", "", false},
		{CodeWaitsNeedStatus, Warning, "The contract waits for people or environments, and only the gate's job is required: it stays red after the wait is over, until it is run again.",
			"Require the status `outcome-gate/verdict` instead, and run the gate on `pull_request_review` too.", "", true},
		{CodeApproves, Warning, "Workflows may approve pull requests, so that a change's own workflow can give an approval that the gate or the ruleset waits for.",
			"Settings, Actions, General: switch off \"Allow GitHub Actions to create and approve pull requests\".", "", true},
		{CodeEvent, Mistake, "The gate's workflow does not run for pull requests.", "Run it on `pull_request`.", "on: [pull_request, merge_group]", false},
		{CodeSurface, Mistake, "What is required is not what carries the verdict: it never arrives, or can be green without the gate.",
			"Require the status `outcome-gate/verdict`; the gate's job only where forks' tokens cannot set it; never the check run.", "", true},
	}
}

// codeOf is the row of a code. One that is not in the table has no severity, which a test refuses.
func codeOf(code string) Code {
	for _, c := range Codes() {
		if c.Code == code {
			return c
		}
	}
	return Code{Code: code}
}
