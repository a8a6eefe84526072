// Package transition keeps apart that an agent's work was claimed to be complete and that it was judged, for runtimes
// that cannot be held back by a hook: running, completion_claimed, and then verified, waiting or the state that is in
// the way.
//
// It decides which delivery of an answer is a run of its own and which is a repetition, and in which state a run is,
// from its receipt alone. It trusts no byte of a file that it parses: what is not of its form is refused, never
// repaired. It does no I/O, knows no clock and judges nothing: see disk, its edge.
package transition

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// Schema names the shape of the file; it changes with the shape.
const Schema = "https://outcome-gate.dev/transition/v1"

// State is how far a run has come. Besides these there is each evidence state that keeps a run from being verified, and
// each reason of a verdict where no evidence decided.
type State string

// The states that are no conclusion, and the two that end well or later. The zero value is no state.
const (
	Running  State = "running"            // the runtime said that the worker is at work
	Claimed  State = "completion_claimed" // an answer came and was not judged yet
	Waiting  State = "waiting"            // judged, and somebody or something is waited for: the same delivery looks again
	Verified State = "verified"           // every expected outcome is
)

// Bounds of a file: whoever delivers more runs of one task has left the track, and begins another file.
const (
	MaxRuns = 256
	MaxFile = 1 << 20 // bytes: 256 runs with names of the greatest length
	maxName = 200     // bytes of a task's or dispatch's name: it is kept for readers alone
)

// Delivery is an answer of a runtime, as it was handed in. Everything in it is part of what makes it a run of its own.
type Delivery struct {
	TaskID       string
	DispatchID   string
	HeadSHA      string // of the judged commit, "" if there is none
	RunStartedAt string
	AgentExit    string // decimal digits, "" if nobody observed it
	Contract     []byte // that judges; nil: none was found
	Texts        [][]byte
	// Admission says that the answer only says that the worker is at work: no completion is claimed.
	Admission bool
}

// ID is the name of the delivery's run: 64 lower-case hex digits, equal for equal deliveries.
func (d *Delivery) ID() string {
	raw, err := json.Marshal(d)
	if err != nil {
		raw = nil // texts always marshal
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// File is what is kept of one task: its runs in the order of their first delivery, and the state of the last.
type File struct {
	Schema string `json:"schema"`
	State  State  `json:"state"`
	Runs   []Run  `json:"runs"`
}

// Run is one delivery and what became of it. A conclusion has a receipt, and nothing else has one.
type Run struct {
	ID         string `json:"id"`
	State      State  `json:"state"`
	TaskID     string `json:"task_id,omitempty"` // bounded
	DispatchID string `json:"dispatch_id,omitempty"`
	HeadSHA    string `json:"head_sha,omitempty"`
	// Judged counts the judgements: more than one follows from waiting alone.
	Judged  int    `json:"judged"`
	Receipt string `json:"receipt,omitempty"` // the name of its file in the folder of receipts
	Digest  string `json:"receipt_digest,omitempty"`

	Verdict  verdict.Verdict `json:"verdict,omitempty"`
	Reason   verdict.Reason  `json:"reason,omitempty"`
	Result   verdict.Result  `json:"result,omitempty"`
	Next     verdict.Next    `json:"next,omitempty"`
	MayRetry bool            `json:"may_retry"`
}

// Concluded says whether a state is one that only a receipt gives.
func (s State) Concluded() bool { return s != "" && s != Running && s != Claimed }

// Settled says whether nothing of the run is looked at again.
func (r *Run) Settled() bool { return r.State.Concluded() && r.State != Waiting }

// ReceiptName is the name of the run's receipt of that judgement, counted from 1.
func ReceiptName(id string, judged int) string { return fmt.Sprintf("%s.%d.json", id, judged) }

// StateOf is the state that a receipt gives its run; "" where nothing was concluded, since something could not be read
// or the contract cannot be used.
func StateOf(r *receipt.Receipt) State {
	switch r.Result {
	case verdict.Pass:
		if r.Reason == verdict.AllVerified {
			return Verified
		}
		return State(r.Reason)
	case verdict.Wait:
		return Waiting
	case verdict.Block:
		switch r.Reason {
		case verdict.EvidenceRejected, verdict.FalseSuccess, verdict.EvidenceIncomplete:
			return gravest(r)
		}
		return State(r.Reason)
	}
	return ""
}

// gravest is the first state, gravest first, of the outcomes that keep the change from passing.
func gravest(r *receipt.Receipt) State {
	for _, s := range []evidence.State{
		evidence.HashMismatch, evidence.ValidatorFailed, evidence.WrongArtifact, evidence.Stale, evidence.Missing, evidence.Unverified,
	} {
		for i := range r.Outcomes {
			if o := &r.Outcomes[i]; o.Required && o.Expected && !o.Waived && o.State == s {
				return State(s)
			}
		}
	}
	return State(r.Reason)
}

// Find gives the run of that name, nil if there is none.
func (f *File) Find(id string) *Run {
	for i := range f.Runs {
		if f.Runs[i].ID == id {
			return &f.Runs[i]
		}
	}
	return nil
}

// ErrFull says that a file has no room for another run.
var ErrFull = fmt.Errorf("it holds %d runs, which is all it takes", MaxRuns)

// Begin enters a delivery that is not there yet, as running or as a claim. What was only running gives way to it.
func (f *File) Begin(d *Delivery) (*Run, error) {
	run := Run{ID: d.ID(), State: Claimed, TaskID: name(d.TaskID), DispatchID: name(d.DispatchID), HeadSHA: d.HeadSHA}
	if d.Admission {
		run.State = Running
	}
	if last := len(f.Runs) - 1; last >= 0 && f.Runs[last].State == Running {
		f.Runs = f.Runs[:last]
	}
	if len(f.Runs) >= MaxRuns {
		return nil, ErrFull
	}
	f.Runs = append(f.Runs, run)
	return &f.Runs[len(f.Runs)-1], nil
}

// name bounds a name that is kept for readers.
func name(s string) string {
	s = strings.ToValidUTF8(s, "�")
	if len(s) <= maxName {
		return s
	}
	return strings.ToValidUTF8(s[:maxName], "") + "…"
}

// Conclude gives the run the state of its newest receipt, and says whether it is one: an error is no conclusion.
func (r *Run) Conclude(c *receipt.Receipt) bool {
	s := StateOf(c)
	if s == "" {
		return false
	}
	r.Judged++
	r.State, r.Receipt, r.Digest = s, ReceiptName(r.ID, r.Judged), c.Digest
	r.Verdict, r.Reason, r.Result, r.Next, r.MayRetry = c.Verdict, c.Reason, c.Result, c.Next, c.MayRetry
	return true
}

// Agrees says whether a receipt is the one that the run's state came from.
func (r *Run) Agrees(c *receipt.Receipt) bool {
	return r.State == StateOf(c) && r.Digest == c.Digest && r.Verdict == c.Verdict && r.Reason == c.Reason && r.Result == c.Result &&
		r.Next == c.Next && r.MayRetry == c.MayRetry
}

// Bytes is the file as JSON with a newline at its end, which shows that it is whole.
func (f *File) Bytes() ([]byte, error) {
	f.Schema = Schema
	f.State = ""
	if n := len(f.Runs); n > 0 {
		f.State = f.Runs[n-1].State
	}
	raw, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the transition: %w", err)
	}
	return append(raw, '\n'), nil
}

// Parse reads a file strictly: what is torn, of another program or edited is an error that says which, and what parses
// prints back to the same bytes.
func Parse(data []byte) (*File, error) {
	if len(data) > MaxFile {
		return nil, fmt.Errorf("it has over %d bytes", MaxFile)
	}
	var head struct {
		Schema *string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		if len(bytes.TrimSpace(data)) == 0 {
			return nil, fmt.Errorf("it is empty: cut short, or of something else")
		}
		return nil, fmt.Errorf("it is no whole JSON object: cut short, or of something else: %w", err)
	}
	if head.Schema == nil || *head.Schema != Schema {
		return nil, fmt.Errorf("it is of something else: its schema is not %s", Schema)
	}
	var f File
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("it was edited: %w", err)
	}
	if err := f.sound(); err != nil {
		return nil, fmt.Errorf("it was edited: %w", err)
	}
	state := f.State
	if back, err := f.Bytes(); err != nil || f.State != state || !bytes.Equal(back, data) {
		return nil, fmt.Errorf("it was edited: it is not as it was written")
	}
	return &f, nil
}

// sound refuses what no writer leaves behind: above all a conclusion without a receipt.
func (f *File) sound() error {
	if len(f.Runs) == 0 || len(f.Runs) > MaxRuns {
		return fmt.Errorf("it holds %d runs", len(f.Runs))
	}
	seen := map[string]bool{}
	for i := range f.Runs {
		r := &f.Runs[i]
		switch {
		case !isHex(r.ID, 64) || seen[r.ID]:
			return fmt.Errorf("run %d has no name of its own", i+1)
		case r.State == "":
			return fmt.Errorf("run %d has no state", i+1)
		case !r.State.Concluded() && (r.Judged != 0 || r.Receipt != "" || r.Digest != "" || r.Verdict != ""):
			return fmt.Errorf("run %d is %s and has a judgement", i+1, r.State)
		case r.State.Concluded() && (r.Judged < 1 || r.Receipt != ReceiptName(r.ID, r.Judged) || !isDigest(r.Digest)):
			return fmt.Errorf("run %d is %s without its receipt", i+1, r.State)
		}
		seen[r.ID] = true
	}
	return nil
}

func isDigest(s string) bool {
	hexed, ok := strings.CutPrefix(s, "sha256:")
	return ok && isHex(hexed, 64)
}

// isHex reports whether s is n lower-case hex digits.
func isHex(s string, n int) bool { return len(s) == n && strings.Trim(s, "0123456789abcdef") == "" }
