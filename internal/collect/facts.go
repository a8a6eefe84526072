package collect

import (
	"context"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// Facts is what the caller knows of the run besides the workspace. Every function may be nil: what it would
// have told is then unknown, never assumed.
type Facts struct {
	// Circumstances names the subject and the run. Observe only uses the subject, and the boundary for
	// files that an identity rule looks in.
	Circumstances evidence.Circumstances
	Contexts      Contexts
	Git           Git
	HMACKey       []byte   // of hmac_sha256; empty: no key was given
	RunCommands   bool     // run the contract's commands now: local checks and hooks only
	ApprovedBy    []string // people whose approving review at the head commit counts
	Makers        []string // logins, addresses and agents that had a hand in the change
	HasMakers     bool     // all of them are known

	// Look looks at an address of the contract once; nil: addresses are not looked at here. Now and Pause are the clock
	// by which they, uploads and checks are looked at again while a window is open; without them once has to be enough.
	Look  func(ctx context.Context, a Address) Answer
	Now   func() time.Time
	Pause func(ctx context.Context, d time.Duration) error
	// NoWait reports whether nothing hangs on an outcome here, so that no run waits for it; nil: something hangs on each.
	NoWait func(id string) bool

	// Uploads looks at uploads of this run once; nil: they are not read here.
	Uploads func(ctx context.Context, up Upload) Uploads

	// Checks lists check runs and statuses. It is called only if a validator needs them, and again while one is not
	// completed and its window is open.
	Checks func(ctx context.Context) ([]evidence.Check, error)
	// TrustedFile reads a file of the trusted branch; path is relative to the repository's root.
	TrustedFile func(ctx context.Context, path string) ([]byte, error)
	// Approvals says what is known of a declared wait for people.
	Approvals func(ctx context.Context, wait contract.Approval) evidence.WaitFacts
	// Environments says what is known of a declared wait for an environment's reviewers.
	Environments func(ctx context.Context, environment string) evidence.WaitFacts
}

// Contexts is what the runner says of this job and the jobs that it needs.
type Contexts struct {
	Steps     map[string]evidence.Step // by step id
	HasSteps  bool                     // the steps context was given, even if empty
	Jobs      map[string]evidence.Job  // by job id
	HasJobs   bool
	OwnChecks []string // names of the gate's own job, check run and status
	// Elsewhere says that another run than the gate's own makes the evidence: the workspace is not the change's, no file
	// in it is evidence, and steps have no ids.
	Elsewhere bool
}

// Git is what is known of the repository.
type Git struct {
	// Trees lists the trees that evidence is compared with. It is called at most once, and only if an
	// evidence file exists.
	Trees func(ctx context.Context) (*Trees, error)
	// Blob reads one blob of the head tree, for committed: changed. Several goroutines call it at once.
	Blob func(ctx context.Context, sha string) ([]byte, error)
	// Changed is what the change touches.
	Changed Changed
	// Lines says which lines of the head commit's files the change adds or modifies. It may leave
	// out files that are not wanted, and is called only if a validator needs it.
	Lines func(ctx context.Context, wanted func(path string) bool) (evidence.ChangedLines, error)
}

// Changed is the list of files that the change touches. The zero value is an unknown list.
type Changed struct {
	Known  bool
	Reason string // why it is not known, or not whole
	Files  []ChangedFile
}

// ChangedFile is one file of a change.
type ChangedFile struct {
	Path     string
	Previous string // the former path of a renamed file
	Status   string // "added", "modified", "removed" or "renamed"
}
