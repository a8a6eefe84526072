package evidence

import (
	"encoding/json"
	"time"
)

// Observation is everything that was observed for one outcome: facts only, no conclusion. The receipt
// keeps it, and a replay judges it again.
type Observation struct {
	ID         string           `json:"id"`
	Artifact   *FileSet         `json:"artifact,omitempty"` // nil: the outcome has no artifact
	Of         string           `json:"of,omitempty"`       // the outcome whose artifact this is
	Producer   *Producer        `json:"producer,omitempty"` // made_by
	Validators []ValidatorFacts `json:"validators,omitempty"`
	Wait       *WaitFacts       `json:"wait,omitempty"`
}

// FileSet is the facts of the files that one list of globs matched.
type FileSet struct {
	// Problem is the code of what kept the set from being listed (artifact/unlisted, artifact/too-many), "" if it was.
	Problem       string  `json:"problem,omitempty"`
	ProblemDetail string  `json:"problem_detail,omitempty"`
	Total         int     `json:"total"`
	SizeBytes     int64   `json:"size_bytes"`
	Files         []File  `json:"files,omitempty"` // in name order; a receipt keeps up to ten
	More          []Group `json:"more,omitempty"`  // the conclusions of the files not kept
	Tier          string  `json:"tier"`            // service, run, commit or claimed
	Near          string  `json:"near,omitempty"`  // with no file: an existing path that nearly matches
	// ObservedAt is when an address or the uploads were last looked at; nil for files.
	ObservedAt *time.Time `json:"observed_at,omitempty"`
	// WindowFrom is when the job that makes the upload ended, from which observe_for counts; nil: the run's start.
	WindowFrom *time.Time `json:"window_from,omitempty"`
}

// Group counts files with one and the same conclusion.
type Group struct {
	State State  `json:"state"`
	Code  string `json:"code"`
	N     int    `json:"n"`
}

// Producer is how the step or job named by made_by ended.
type Producer struct {
	Name   string `json:"name"`
	Source string `json:"source"`          // "step", "needs", "api", or "" when nothing knows the name
	Given  bool   `json:"given,omitempty"` // a steps or needs context was given at all
	// Outcome is success, failure, cancelled, skipped, or "" while it has not run or is not known.
	Outcome string `json:"outcome,omitempty"`
}

// ValidatorFacts is what one validator observed.
type ValidatorFacts struct {
	Kind    string          `json:"kind"`
	Version string          `json:"version"`
	Params  json.RawMessage `json:"params"`
	Facts   json.RawMessage `json:"facts"`
	Reads   []ReadFacts     `json:"reads,omitempty"`
	// ObservedAt is when checks were last looked at; nil for what is looked at once.
	ObservedAt *time.Time `json:"observed_at,omitempty"`
}

// ReadFacts is a further file set that a validator read.
type ReadFacts struct {
	Role  string  `json:"role"`
	Trust string  `json:"trust,omitempty"` // the tier that the contract accepts
	Set   FileSet `json:"set"`
}

// WaitFacts is what is known of a declared wait.
type WaitFacts struct {
	Known    bool     `json:"known"`
	Reason   string   `json:"reason,omitempty"` // why not
	Arrived  bool     `json:"arrived,omitempty"`
	By       []string `json:"by,omitempty"`       // who gave it
	Need     int      `json:"need,omitempty"`     // how many are asked for
	Rejected bool     `json:"rejected,omitempty"` // an environment reviewer said no
}

// Circumstances are the facts of the run that every outcome is judged by.
type Circumstances struct {
	Subject Subject   `json:"subject"`
	Now     time.Time `json:"now"`
	// HeadMoved says that the pull request's head is no longer the subject's: nothing seen here is evidence for it.
	HeadMoved bool `json:"head_moved,omitempty"`
	// Boundary is the freshness boundary, clock skew already taken off; zero: unknown.
	Boundary time.Time `json:"boundary,omitzero"`
	// BoundarySource says where the boundary comes from, or why there is none.
	BoundarySource string `json:"boundary_source"`
	// RunStartedAt is the start of the run attempt; the windows of observe_for count from it.
	RunStartedAt time.Time `json:"run_started_at,omitzero"`
	// FirstSeen is the head commit's first gate run, from which deadlines count; zero: now.
	FirstSeen time.Time `json:"first_seen,omitzero"`
	// ServerNow is now by GitHub's clock, where the machine's is known to differ from it by more than a minute; zero: now.
	ServerNow time.Time `json:"server_now,omitzero"`
}

// Date is the time by which a day of the calendar has passed or not: files have the machine's time, dates the world's.
func (c *Circumstances) Date() time.Time {
	if !c.ServerNow.IsZero() {
		return c.ServerNow
	}
	return c.Now
}
