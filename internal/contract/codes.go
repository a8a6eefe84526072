package contract

// The codes of mistakes in a contract. They never change meaning.
const (
	CodeAmbiguous     = "contract/ambiguous"
	CodeConflict      = "contract/conflict"
	CodeCycle         = "contract/cycle"
	CodeDuplicateID   = "contract/duplicate-id"
	CodeDuplicateKey  = "contract/duplicate-key"
	CodeEmpty         = "contract/empty"
	CodeEncoding      = "contract/encoding"
	CodeGlob          = "contract/glob"
	CodeInternal      = "contract/internal"
	CodeJudgedAlone   = "contract/judged-alone"
	CodeManyDocuments = "contract/many-documents"
	CodeMergeKey      = "contract/merge-key"
	CodeMissingKey    = "contract/missing-key"
	CodeNeedsArtifact = "contract/needs-artifact"
	CodeNoEvidence    = "contract/no-evidence"
	CodeNoWait        = "contract/no-wait"
	CodeNoWindow      = "contract/no-window"
	CodeNotBuilt      = "contract/not-built"
	CodePath          = "contract/path"
	CodeRange         = "contract/range"
	CodeRegexp        = "contract/regexp"
	CodeSelfWait      = "contract/self-wait"
	CodeSymlink       = "contract/symlink"
	CodeSyntax        = "contract/syntax"
	CodeTag           = "contract/tag"
	CodeTooDeep       = "contract/too-deep"
	CodeTooLarge      = "contract/too-large"
	CodeTrust         = "contract/trust"
	CodeType          = "contract/type"
	CodeUnknownKey    = "contract/unknown-key"
	CodeUnknownOf     = "contract/unknown-outcome"
	CodeValue         = "contract/value"
	CodeVersion       = "contract/version"
)

// The codes of warnings: the contract is valid, and weaker than it looks.
const (
	CodeAllWaived       = "contract/all-waived"
	CodeAnyExit         = "contract/any-exit"
	CodeCommitTime      = "contract/commit-time"
	CodeExistenceOnly   = "contract/existence-only"
	CodeExpiredWaiver   = "contract/expired-waiver"
	CodeFailuresAllowed = "contract/failures-allowed"
	CodeHideableMark    = "contract/hideable-mark"
	CodeIdlePass        = "contract/idle-pass"
	CodeNeverVerifies   = "contract/never-verifies"
	CodeNoLeast         = "contract/no-least"
	CodeNoProducer      = "contract/no-producer"
	CodeNoTimeRule      = "contract/no-time-rule"
	CodeOldReview       = "contract/old-review"
	CodeRunTrust        = "contract/run-trust"
	CodeTeamPermission  = "contract/team-permission"
	CodeTracked         = "contract/tracked"
	CodeTrustsAll       = "contract/trusts-all"
)

// Code is one stable code with what it means and what to do about it.
type Code struct {
	Code    string
	Warning bool
	Meaning string
	Next    string // one action, in words
	Who     string // "human" or "platform"
}

// Codes are all codes of contract problems in alphabetical order, mistakes first.
func Codes() []Code {
	human := func(code, meaning, next string) Code {
		return Code{Code: code, Meaning: meaning, Next: next, Who: "human"}
	}
	warn := func(code, meaning, next string) Code {
		return Code{Code: code, Warning: true, Meaning: meaning, Next: next, Who: "human"}
	}
	return []Code{
		human(CodeAmbiguous, "More than one of the default contract files is on the trusted branch.", "Keep one, or name the contract in the action's input."),
		human(CodeConflict, "Two keys exclude each other.", "Keep one of them."),
		human(CodeCycle, "Outcomes take their artifact from each other in a circle.", "Give one of them files of its own."),
		human(CodeDuplicateID, "Two outcomes have the same id.", "Rename one."),
		human(CodeDuplicateKey, "A key is given twice in one mapping.", "Remove one."),
		human(CodeEmpty, "No outcome is required, so nothing could ever be verified.", "Require at least one outcome."),
		human(CodeEncoding, "The file is not UTF-8 text.", "Save it as UTF-8."),
		human(CodeGlob, "A glob is malformed, absolute, or leaves the workspace.", "Write it relative to the workspace with `/` separators."),
		{Code: CodeInternal, Meaning: "The reader met a case that it has no rule for.", Next: "Report it with the contract.", Who: "platform"},
		human(CodeJudgedAlone, "An outcome's only validators are recorded judgements.", "Add a validator that a machine can decide."),
		human(CodeManyDocuments, "The file holds more than one YAML document.", "Keep one."),
		human(CodeMergeKey, "The file uses YAML's merge key.", "Write the keys out."),
		human(CodeMissingKey, "A key that must be there is not.", "Add it."),
		human(CodeNeedsArtifact, "A validator judges an artifact and the outcome has none.", "Add `artifact`."),
		human(CodeNoEvidence, "An outcome names no artifact, no validator and no wait.", "Say what shows that it was delivered."),
		human(CodeNoWait, "A deadline without anything that is waited for.", "Add `waits_for`, or remove the deadline."),
		human(CodeNoWindow, "`observe_for` where there is nothing to wait for, or for too long.", "Use it with a `check` validator, for at most 10m."),
		human(CodeNotBuilt, "A part of the language that this version does not have yet.", "Remove it, or use a version that has it."),
		human(CodePath, "A path is absolute, malformed, or leaves the repository.", "Write it relative to the repository with `/` separators."),
		human(CodeRange, "A least value is greater than the greatest one.", "Swap or correct them."),
		human(CodeRegexp, "A regular expression is not valid RE2.", "Correct it."),
		human(CodeSelfWait, "A `check` validator waits for the gate's own check.", "Name another check."),
		human(CodeSymlink, "The contract is a symbolic link.", "Put the file itself in its place."),
		human(CodeSyntax, "The file is not valid YAML or JSON.", "Correct it at the place named."),
		human(CodeTag, "The file uses a YAML tag.", "Remove the tag."),
		human(CodeTooDeep, "The file is nested too deeply.", "Write it flatter."),
		human(CodeTooLarge, "The file, a list or a text is over its limit.", "Write less, or split the contract."),
		human(CodeTrust, "The trust that an outcome asks for does not fit its artifact.", "Let `committed` allow it, or ask for another tier."),
		human(CodeType, "A value is of the wrong type.", "Write the type that the message names."),
		human(CodeUnknownKey, "A key that the language does not have.", "Correct or remove it."),
		human(CodeUnknownOf, "`of` names no outcome that has an artifact.", "Name one that does."),
		human(CodeValue, "A value is not one of those allowed.", "Write one that the message names."),
		human(CodeVersion, "The contract is written for another version of the language.", "Use a gate that reads it."),

		warn(CodeAllWaived, "Every required outcome is waived or depends on `when`, so that some changes are held to nothing.", "Let one outcome always count."),
		warn(CodeAnyExit, "The producer may fail and nothing looks at what it recorded.", "Add a `tests` validator, or remove `any_exit`."),
		warn(CodeCommitTime, "A committed file has the time of its checkout, which says nothing of this run.", "Add `fresh: none`."),
		warn(CodeExistenceOnly, "Only existence is checked.", "Add a validator, a digest or an identity."),
		warn(CodeExpiredWaiver, "A waiver has ended.", "Remove it."),
		warn(CodeFailuresAllowed, "Failures or mismatches are allowed.", "Lower the allowance, or say why in `about`."),
		warn(CodeHideableMark, "`applies_to` depends on marks that the author of a change can leave out.", "Gate every pull request, or name authors."),
		warn(CodeIdlePass, "A change that does nothing passes.", "Use `committed: changed`, or a validator that runs."),
		warn(CodeNeverVerifies, "The conditions cannot be met together, so the outcome never verifies.", "Change one of them."),
		warn(CodeNoLeast, "A missing file or a single passing test is enough.", "Add `count`, `min_executed`, `must_pass` or `keep_tests`."),
		warn(CodeNoProducer, "No producer is named, so a file from anywhere in the job counts.", "Add `made_by`."),
		warn(CodeNoTimeRule, "Times are ignored and nothing else binds the artifact to this run.", "Add `identity` or a digest."),
		warn(CodeOldReview, "Nobody reviewed the contract for more than 180 days.", "Go through it and set `reviewed`."),
		warn(CodeRunTrust, "Base results that were made in this job can be invented by the change.", "Take them from an upload of the base branch's own run."),
		warn(CodeTeamPermission, "Team membership needs a token with `members: read`.", "Give the action such a token, or name users."),
		warn(CodeTracked, "Git tracks files that the artifact's globs match, and `committed` is `no`.", "Do not commit them, or say `committed: changed`."),
		warn(CodeTrustsAll, "Every branch is trusted as a base.", "Name the release branches."),
	}
}
