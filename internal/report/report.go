// Package report finds the agent's own report in the text of its carriers and decodes it.
//
// It decides what was said, never whether it is true. Every byte it reads is written by the agent and is
// treated as data: nothing here becomes a path, a pattern or a command. It does no I/O, knows no clock and
// runs in time linear in the text.
package report

import "encoding/json"

// Report is one decoded report. Strings are as the agent wrote them; every surface escapes them.
type Report struct {
	Outcome    string   `json:"outcome"`            // succeeded, failed, blocked, or what else was written
	Evidence   []string `json:"evidence,omitempty"` // blank ones included; they do not count
	Failing    []string `json:"failing,omitempty"`
	Artifacts  []string `json:"artifacts,omitempty"`
	Commit     string   `json:"commit,omitempty"`
	TaskID     string   `json:"task_id,omitempty"`
	DispatchID string   `json:"dispatch_id,omitempty"`
	Trace      string   `json:"trace,omitempty"`
	// Value is the whole decoded object in canonical form, for comparison and for a contract's own schema.
	Value json.RawMessage `json:"-"`
}

// Text is what one carrier holds. Newest first decides nothing by itself: see Read.
type Text struct {
	Carrier string // body, comment, file, input
	Author  string // who wrote it: "login/type", or "" where nobody is named
	At      string // RFC 3339 UTC; when it was last edited, "" unknown
	Ref     string // comment id, path: for the receipt
	Body    string
	// Unreadable says why the text is there and could not be read, "" if it was: it then counts as a broken report.
	Unreadable string
}

// Problem says why no usable report came out of a Reading. The zero value is no problem.
type Problem string

// The problems, by row of the classification table.
const (
	NoText     Problem = "no_text"     // nothing readable: blank or a placeholder
	NoBlock    Problem = "no_block"    // text, but no report block
	Broken     Problem = "broken"      // blocks, and none decodes, or it breaks its schema
	Ambiguous  Problem = "ambiguous"   // two or more different blocks
	NoOutcome  Problem = "no_outcome"  // outcome absent or not one of the three words
	NoEvidence Problem = "no_evidence" // succeeded, and no non-blank evidence string
)

// Runtime is what the agent's runtime itself said, apart from any report.
type Runtime string

// What a runtime can say. The zero value is silence.
const (
	RuntimeFailed    Runtime = "failed"    // failed or interrupted
	RuntimeRunning   Runtime = "running"   // still works, or asks a question
	RuntimeNoOutput  Runtime = "no_output" // timed out, stalled, unknown, or handed back only a handle
	RuntimeSchema    Runtime = "schema"    // says that the answer broke its schema, whatever the status
	RuntimeTruncated Runtime = "truncated" // says that the answer was cut short
	RuntimeProblem   Runtime = "problem"   // an RFC 9457 problem document
	RuntimeStale     Runtime = "stale"     // says that the answer is that of another task or dispatch
)

// Reading is what all carriers together gave.
type Reading struct {
	Report  *Report  `json:"report,omitempty"` // decoded, even when Problem names a defect of it
	Carrier string   `json:"carrier,omitempty"`
	Author  string   `json:"author,omitempty"`
	At      string   `json:"at,omitempty"`
	Ref     string   `json:"ref,omitempty"`
	Found   bool     `json:"found,omitempty"` // a report block was found, decodable or not
	Problem Problem  `json:"problem,omitempty"`
	Errors  []string `json:"errors,omitempty"` // why, verbatim, at most ten, each with its place
	Runtime Runtime  `json:"runtime,omitempty"`
	Wrapper string   `json:"wrapper,omitempty"` // in whose form the carrier's text was, "" for none
	Exits   []Exit   `json:"exits,omitempty"`   // of commands that the runtime tells of: claims
	// AnyBad says that one of the decoded blocks says failed or blocked, also when the reading is ambiguous.
	AnyBad string `json:"any_bad,omitempty"` // "failed", "blocked" or ""
}

// EvidenceCount is how many of the evidence strings say anything: blank ones, and those left as the block to
// fill in has them, do not count.
func (r *Report) EvidenceCount() int {
	n := 0
	for _, s := range r.Evidence {
		if isEvidence(s) {
			n++
		}
	}
	return n
}
