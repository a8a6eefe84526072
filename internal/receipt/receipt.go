// Package receipt is the record of one judgement: every fact that the verdict used, and the conclusions
// drawn from them.
//
// It decides nothing by itself: Complete draws all conclusions through package verdict from the facts that
// the record holds, so that a replay of the same record gives the same verdict, offline. It trusts no byte of
// a record it parses. It does no I/O and knows no clock.
package receipt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/claims"
	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// SchemaURI names the shape of a receipt; it changes with the shape.
const SchemaURI = "https://outcome-gate.dev/receipt/v1"

// StatusContext is the commit status's name. A check of that name is the gate's own and proves nothing to it.
const StatusContext = "outcome-gate/verdict"

// Receipt is one judgement. Members that are facts come in from outside, those that are conclusions are
// set by Complete alone.
type Receipt struct {
	Schema        string                 `json:"schema"`
	Gate          Gate                   `json:"gate"`
	Subject       Subject                `json:"subject"`
	Contract      Contract               `json:"contract"`
	Scope         verdict.Scope          `json:"scope"`
	Agents        []string               `json:"agents"`    // marks of known agents that the pull request carries
	Protected     []string               `json:"protected"` // protected paths that the change touches
	Report        Report                 `json:"report"`
	Circumstances evidence.Circumstances `json:"circumstances"`
	Outcomes      []Outcome              `json:"outcomes"`
	Problems      []contract.Problem     `json:"problems"` // mistakes and warnings of the contract
	Notes         []string               `json:"notes"`

	Verdict      verdict.Verdict `json:"verdict"`
	Reason       verdict.Reason  `json:"reason"`
	Result       verdict.Result  `json:"result"`
	MayRetry     bool            `json:"may_retry"`
	Next         verdict.Next    `json:"next"`
	Expected     int             `json:"expected"`
	Verified     int             `json:"verified"`
	VerifiedRate *string         `json:"verified_rate"` // a fraction, null when nothing was expected
	Coverage     *string         `json:"coverage"`      // a fraction, null when nothing was expected

	Now        time.Time `json:"now"`
	StartedAt  time.Time `json:"started_at"`
	FinishedAt time.Time `json:"finished_at"`
	Digest     string    `json:"digest"` // sha256: and hex digits, over the canonical bytes with this member empty
}

// Gate names the program that judged.
type Gate struct {
	Version string `json:"version"`
}

// Subject is what was judged.
type Subject struct {
	Repository  string `json:"repository,omitempty"`
	PullRequest int    `json:"pull_request,omitempty"`
	BaseRef     string `json:"base_ref,omitempty"`
	HeadSHA     string `json:"head_sha"`
	BaseSHA     string `json:"base_sha,omitempty"`
	MergeSHA    string `json:"merge_sha,omitempty"`
	// RunID and RunAttempt are those of the workflow run that made the evidence; 0: none is known.
	RunID      int64 `json:"run_id,omitempty"`
	RunAttempt int   `json:"run_attempt,omitempty"`
	// GateRunID and GateRunAttempt are those of the gate's own run, where another run made the evidence; else 0.
	GateRunID      int64 `json:"gate_run_id,omitempty"`
	GateRunAttempt int   `json:"gate_run_attempt,omitempty"`
}

// Contract says which contract judged.
type Contract struct {
	Path             string `json:"path"`
	Branch           string `json:"branch,omitempty"`
	Commit           string `json:"commit,omitempty"`
	SHA256           string `json:"sha256,omitempty"`
	AppliesTo        bool   `json:"applies_to"` // it narrows itself to some pull requests
	ChangedBySubject bool   `json:"changed_by_subject"`
	ProposedSHA256   string `json:"proposed_sha256,omitempty"` // of the change's own version
	// Weakens is what the change's version would ask less of, and what it would ask for instead; WeakensMore counts what
	// is beyond the first MaxWeakens.
	Weakens     []contract.Weakening `json:"weakens"`
	WeakensMore int                  `json:"weakens_more,omitempty"`
	ApprovedBy  []string             `json:"approved_by"`
}

// Report is the report's own axis: its class, and what was claimed.
type Report struct {
	Verdict  verdict.Verdict `json:"verdict"`
	Reason   verdict.Reason  `json:"reason"`
	MayRetry bool            `json:"may_retry"`
	Heard    bool            `json:"heard"`
	Carrier  string          `json:"carrier,omitempty"`
	Author   string          `json:"author,omitempty"`
	At       string          `json:"at,omitempty"`
	Errors   []string        `json:"errors"`
	Claims   []claims.Claim  `json:"claims"` // found, and compared with what was observed
	// ClaimsMore is how many claims the receipt has no room for, ClaimsUnread how much was not looked at.
	ClaimsMore   int                 `json:"claims_more,omitempty"`
	ClaimsUnread int                 `json:"claims_unread,omitempty"`
	Claimed      Claimed             `json:"claimed"`
	Facts        verdict.ReportFacts `json:"facts"`
	// Miss is the digest of the texts of which none holds a report of the agreed form, "" for every other class. Asked
	// is how many corrections were asked for at this head commit before those texts were written: none or one. Mention
	// is the account that the contract has named in it.
	Miss    string `json:"miss_sha256,omitempty"`
	Asked   int    `json:"corrections_asked,omitempty"`
	Mention string `json:"mention,omitempty"`
}

// Claimed is what the report says, bounded: text from the change.
type Claimed struct {
	Evidence  []string `json:"evidence,omitempty"`
	Failing   []string `json:"failing,omitempty"`
	Artifacts []string `json:"artifacts,omitempty"`
	Commit    string   `json:"commit,omitempty"`
}

// Outcome is one expected outcome: its rule, what was observed, what follows.
type Outcome struct {
	ID         string               `json:"id"`
	About      string               `json:"about,omitempty"`
	Required   bool                 `json:"required"`
	Expected   bool                 `json:"expected"`
	Waived     bool                 `json:"waived"`
	RepairUsed bool                 `json:"repair_used,omitempty"`
	Rule       contract.Outcome     `json:"rule"`
	Facts      evidence.Observation `json:"facts"` // without the validators, which have a place of their own

	State       evidence.State     `json:"state"` // or not_expected
	Code        string             `json:"code"`
	Detail      string             `json:"detail"`
	Next        verdict.Next       `json:"next"`
	Who         string             `json:"who,omitempty"`
	Observation Observation        `json:"observation"`
	Files       []evidence.Finding `json:"files,omitempty"` // of facts.artifact.files, in their order
	Validators  []Validator        `json:"validators"`
}

// NotExpected is shown in the place of a state for outcomes that the change does not make expected.
const NotExpected evidence.State = "not_expected"

// Validator is one validator's facts and conclusion.
type Validator struct {
	Kind    string               `json:"kind"`
	Version string               `json:"version"`
	Facts   json.RawMessage      `json:"facts"`
	Reads   []evidence.ReadFacts `json:"reads,omitempty"`
	// ObservedAt is when checks were last looked at; nil for what is looked at once.
	ObservedAt *time.Time `json:"observed_at,omitempty"`

	State    evidence.State `json:"state"`
	Code     string         `json:"code"`
	Detail   string         `json:"detail,omitempty"`
	ExitCode *int           `json:"exit_code"`
}

// Observation is the summary of an outcome's artifact for readers.
type Observation struct {
	ArtifactID     string     `json:"artifact_id"`
	EvidenceSource string     `json:"evidence_source"` // workspace, address, upload, or none
	Provenance     string     `json:"provenance,omitempty"`
	MadeBy         string     `json:"made_by,omitempty"`
	Committed      bool       `json:"committed"`
	RunStartedAt   *time.Time `json:"run_started_at"`
	ObservedAt     *time.Time `json:"observed_at"`
	ModifiedAt     *time.Time `json:"modified_at"` // of the oldest file
	Files          int        `json:"files"`
	SizeBytes      int64      `json:"size_bytes"`
	ExpectedSHA256 *string    `json:"expected_sha256"`
	ObservedSHA256 *string    `json:"observed_sha256"` // of a single file, and never where a keyed digest is asked for
}

// Bytes is the receipt in canonical form, without a final newline.
func (r *Receipt) Bytes() ([]byte, error) {
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("write receipt: %w", err)
	}
	return Canonical(raw)
}

// digestOf is the digest over the canonical bytes with an empty digest member.
func digestOf(r Receipt) (string, error) {
	r.Digest = ""
	b, err := r.Bytes()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// maxReceipt bounds what Parse reads: a thousand outcomes with ten files each stay below a tenth of it.
const maxReceipt = 64 << 20

// Parse reads a receipt strictly: what parses prints back to the same canonical bytes, so unknown members,
// members in another case, duplicates and values of another type are refused. It does not judge: see Replay.
func Parse(data []byte) (*Receipt, error) {
	if len(data) > maxReceipt {
		return nil, fmt.Errorf("read receipt: over %d bytes", maxReceipt)
	}
	want, err := Canonical(data)
	if err != nil {
		return nil, fmt.Errorf("read receipt: %w", err)
	}
	var r Receipt
	d := json.NewDecoder(bytes.NewReader(want))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("read receipt: %w", err)
	}
	if r.Schema != SchemaURI {
		return nil, fmt.Errorf("read receipt: schema is %q, this gate reads %s", r.Schema, SchemaURI)
	}
	got, err := r.Bytes()
	if err != nil {
		return nil, fmt.Errorf("read receipt: %w", err)
	}
	if at := firstDifference(want, got); at != "" {
		return nil, fmt.Errorf("read receipt: %s is not of a receipt's shape", at)
	}
	return &r, nil
}
