// Package evidence turns observed bytes and records into facts, and facts into findings, one validator
// kind a file.
//
// Each kind works in two pure steps: Observe reduces what was read to bounded facts, Judge decides from
// the kind's parameters and those facts alone. The receipt keeps parameters and facts, so that every
// finding can be judged again from it. The package trusts nothing it is shown, opens no file, reaches no
// network and knows no clock.
package evidence

import (
	"encoding/json"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/evidence/coverage"
	"github.com/outcome-gate/outcome-gate/internal/evidence/sarif"
)

// State is the evidence state of one outcome, file or validator. The zero value is no state and blocks.
type State string

// The eight states.
const (
	Waiting         State = "waiting"
	Unverified      State = "unverified"
	Missing         State = "missing"
	WrongArtifact   State = "wrong_artifact"
	Stale           State = "stale"
	HashMismatch    State = "hash_mismatch"
	ValidatorFailed State = "validator_failed"
	Verified        State = "verified"
)

// States lists the eight states in the order in which the first present one names a combination of
// several files or validators: an unreadable shard must not hide a failed one.
func States() []State {
	return []State{HashMismatch, ValidatorFailed, WrongArtifact, Stale, Missing, Unverified, Waiting, Verified}
}

// Finding is one conclusion: a state, the stable code of the reason, and a bounded detail for reading.
// Detail may hold text from the change; every surface escapes it.
type Finding struct {
	State  State  `json:"state"`
	Code   string `json:"code"`
	Detail string `json:"detail,omitempty"`
}

// File holds the observed facts of one evidence file. It is what the receipt keeps and what a replay
// judges again; times are UTC. The zero value verifies nothing.
type File struct {
	Name string `json:"name"` // relative to the workspace, slash separated
	// Problem is the code of what kept the file from being read, "" if it was read whole: artifact/unreadable,
	// artifact/not-regular, artifact/link-outside, artifact/link-broken, artifact/link-refused,
	// artifact/over-limit, artifact/moved (it changed while it was read), artifact/timeout.
	Problem       string     `json:"problem,omitempty"`
	ProblemDetail string     `json:"problem_detail,omitempty"`
	Link          bool       `json:"link,omitempty"` // reached through a symbolic link inside the workspace
	SizeBytes     int64      `json:"size_bytes"`
	ModifiedAt    *time.Time `json:"modified_at,omitempty"`
	// Boundary is the time from which a file inside an upload is fresh, BoundarySource where it comes from. Files of
	// the workspace have the run's.
	Boundary       *time.Time      `json:"boundary,omitempty"`
	BoundarySource string          `json:"boundary_source,omitempty"`
	SHA256         string          `json:"observed_sha256,omitempty"` // lower-case hex; absent for hmac_sha256 outcomes
	HMACSHA256     string          `json:"observed_hmac_sha256,omitempty"`
	NoKey          bool            `json:"no_key,omitempty"` // hmac_sha256 is asked for and no key was given
	Git            GitFacts        `json:"git"`
	Identity       []IdentityValue `json:"identity,omitempty"` // in the order of the artifact's identity rules
}

// GitFacts says what the trees of head, merge and base commit know of a file.
type GitFacts struct {
	Known   bool   `json:"known"`             // the trees could be read whole
	Reason  string `json:"reason,omitempty"`  // why not
	Tracked bool   `json:"tracked,omitempty"` // one of the trees tracks the path, or it lies below a submodule
	Copied  string `json:"copied,omitempty"`  // a tracked path with the same bytes (raw, CRLF folded, or as LFS pointer)
	Changed bool   `json:"changed,omitempty"` // the change itself adds or modifies the path
	// AtHead says that the bytes equal the head tree's blob of this very path.
	AtHead bool `json:"at_head,omitempty"`
}

// IdentityValue is what one identity rule found.
type IdentityValue struct {
	Value  string `json:"value,omitempty"` // bounded to 256 bytes
	Found  bool   `json:"found,omitempty"`
	Reason string `json:"reason,omitempty"` // why nothing was found
}

// Document is what was extracted of one readable file for the validators that asked for it, in the one
// read that also fed the digest.
type Document struct {
	Name     string
	Readable bool              // false: File.Problem says why, and Tests and Bytes are nil
	Tests    *TestSet          // if Wants.Tests
	Coverage *coverage.Profile // if Wants.Coverage
	SARIF    *sarif.Log        // if Wants.SARIF
	Bytes    []byte            // if Wants.Bytes, at most that many
	Cut      bool              // the file is longer than Wants.Bytes
	SHA256   string
	ModTime  time.Time
	// Tier is how the file is known, "service" for one that the API says another run made; "" means "run", made
	// in this job, the most that a file of the workspace can be.
	Tier string
}

// Wants says what a kind needs of a file.
type Wants struct {
	Tests    bool
	Coverage bool
	SARIF    bool
	Format   string // "" detects the format of test results or coverage from content
	Bytes    int64  // how many bytes at most; 0: none
	Names    bool   // of all tests, not of the first failing ones alone
	// Repository asks for what the head commit holds, ChangedLines for the lines that the change adds or modifies.
	Repository, ChangedLines bool
}

// Read is a further file or set of files that a kind needs besides the outcome's artifact.
type Read struct {
	Role    string   // "before", "baseline", "record", "schema", "judgement", "rubric"
	Files   []string // globs in the workspace; every rule of evidence files applies to them
	Trusted string   // or a path on the trusted branch
	Trust   string   // the tier that the contract accepts: "service" or "run"
	Wants   Wants
}

// Input is everything that Observe may look at.
type Input struct {
	Documents []Document            // the artifact's files, in name order
	Reads     map[string][]Document // by role
	ReadError map[string]string     // by role: why a trusted file could not be read
	Steps     map[string]Step       // this job's steps by id
	HasSteps  bool                  // the steps context was given
	Elsewhere bool                  // another run makes the evidence, of whose steps nobody knows the ids
	Jobs      map[string]Job        // needed jobs, or job check runs, by job id
	HasJobs   bool
	Checks    []Check // check runs and statuses, of any commit; Observe filters by Subject.HeadSHA
	HasChecks bool
	CheckNote string // why not
	Subject   Subject
	Commands  map[string]CommandResult // by canonical params: commands that were run now (local only)
	OwnChecks []string                 // names of the gate's own job, check run and status
	// ApprovedBy are the people whose approving review at the head commit counts (write permission, not the
	// change's author): with one, tests lost against the baseline are accepted. Empty: nobody.
	ApprovedBy []string
	// Makers are the logins, addresses and agents that had a hand in the change; HasMakers says that all are known.
	Makers     []string
	HasMakers  bool
	Repository coverage.Repository // if Wants.Repository
	Changed    ChangedLines        // if Wants.ChangedLines
}

// ChangedLines are the lines that the change adds or modifies, as the head commit numbers them. The zero value is
// unknown.
type ChangedLines struct {
	Known  bool
	Reason string        // why not
	Files  []ChangedFile // the ones that the head commit still has, in path order
}

// ChangedFile is one file of the change.
type ChangedFile struct {
	Path   string
	Known  bool        // its lines are
	Reason string      // why not
	Lines  []LineRange // in order, none next to another
	// Length is how many lines the file has, 0 if that is not known.
	Length int
}

// LineRange is a run of lines, from 1, both ends included.
type LineRange struct{ First, Last int }

// Subject names what is judged. SHAs are 40 lower-case hex digits or "".
type Subject struct {
	HeadSHA    string `json:"head_sha"`
	MergeSHA   string `json:"merge_sha,omitempty"`
	BaseSHA    string `json:"base_sha,omitempty"`
	RunID      int64  `json:"run_id,omitempty"`
	RunAttempt int    `json:"run_attempt,omitempty"`
}

// Step is one entry of the runner's steps context; outputs are dropped at parse.
type Step struct {
	Outcome    string `json:"outcome"` // before continue-on-error; "" while it has not run
	Conclusion string `json:"conclusion"`
}

// Job is the result of a needed job, or the conclusion of its check run.
type Job struct {
	Result string `json:"result"`
	Source string `json:"source"` // "needs" or "api"
}

// Check is one check run or commit status.
type Check struct {
	Name       string    `json:"name"`
	App        string    `json:"app"`    // app slug; "" for a commit status
	Status     string    `json:"status"` // "completed" or anything else
	Conclusion string    `json:"conclusion"`
	HeadSHA    string    `json:"head_sha"`
	RunAttempt int       `json:"run_attempt,omitempty"`
	StartedAt  time.Time `json:"started_at,omitzero"`
	ID         int64     `json:"id,omitempty"`
}

// CommandResult is how a local command ended.
type CommandResult struct {
	Ran      bool   `json:"ran"`
	ExitCode int    `json:"exit_code"` // 128+N when killed by signal N
	TimedOut bool   `json:"timed_out,omitempty"`
	Reason   string `json:"reason,omitempty"` // why it did not run
	Output   string `json:"output,omitempty"` // bounded tail
}

// Kind is a validator kind: data and two pure functions, listed once in Kinds.
type Kind struct {
	Name    string
	Version string // changes when the same facts would be judged differently
	Doc     string // one sentence for the documentation
	Short   string // the parameter that a scalar stands for, or ""
	Schema  string // JSON Schema (draft 2020-12) of the parameters, with "examples"
	Later   string // not empty: named in the language, not built yet, refused with this text
	// NeedsArtifact says that the kind judges the artifact's files and that none means unverified.
	NeedsArtifact bool
	// Deterministic is false for kinds that cannot be the only evidence of an outcome.
	Deterministic bool
	// Wants says what the kind needs of the artifact's files; nil: nothing.
	Wants func(params json.RawMessage) Wants
	// Reads says which further files the kind needs; nil: none.
	Reads func(params json.RawMessage) []Read
	// Observe reduces the input to facts, a JSON object of at most 64 KiB without floats.
	Observe func(params json.RawMessage, in Input) json.RawMessage
	// Judge decides from parameters and facts alone. Empty or unknown facts are never verified.
	Judge func(params, facts json.RawMessage) Finding
}

// Code is one stable finding code with what it means and what to do about it.
type Code struct {
	Code    string
	States  []State // the states it can come with
	Meaning string
	Next    string // what to do, in words; who has to is the verdict's to say
}
