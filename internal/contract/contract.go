// Package contract turns the bytes of an outcome contract into a typed Contract, with every mistake
// named by file, line and column.
//
// It decides what a contract says, never whether an outcome is met. It trusts nothing: the bytes may
// come from anywhere, and are judged by a published JSON Schema (draft 2020-12), strictly. It reads no
// file, reaches no network and knows no clock.
package contract

import "encoding/json"

// Mode says what a verdict does to the pull request. The zero value is no mode and never leaves Parse.
type Mode string

// The two modes. Observe computes and shows the same verdict, and never turns a pull request red.
const (
	Enforce Mode = "enforce"
	Observe Mode = "observe"
)

// Contract is one parsed outcome contract, every default filled in.
type Contract struct {
	Version      int        `json:"version"`
	Mode         Mode       `json:"mode"`
	BaseBranches []string   `json:"base_branches,omitempty"`
	Contracts    []string   `json:"contracts,omitempty"`
	AppliesTo    *AppliesTo `json:"applies_to,omitempty"` // nil: every pull request
	Report       Report     `json:"report"`
	// ProtectedPaths holds only what the contract lists; the always protected ones are in AlwaysProtected.
	ProtectedPaths      []string  `json:"protected_paths,omitempty"`
	Outcomes            []Outcome `json:"outcomes"`
	OnClaimConflict     string    `json:"on_claim_conflict"`     // "warn" or "block"
	WhenNothingExpected string    `json:"when_nothing_expected"` // "pass" or "block"
	Reviewed            string    `json:"reviewed,omitempty"`    // YYYY-MM-DD
	// File is the name that Parse was given; Places holds the place of every value by JSON Pointer (RFC 6901)
	// into the document. Lint names them. Neither is kept in JSON.
	File   string         `json:"-"`
	Places map[string]Pos `json:"-"`
}

// AppliesTo narrows the contract to some pull requests. A pull request is gated if any one entry of any list matches.
type AppliesTo struct {
	Agents       []string            `json:"agents,omitempty"`
	Authors      []string            `json:"authors,omitempty"`       // logins, by equality
	Labels       []string            `json:"labels,omitempty"`        // by equality
	HeadBranches []string            `json:"head_branches,omitempty"` // globs
	Trailers     map[string][]string `json:"trailers,omitempty"`      // trailer key to addresses or "@domain", by equality
}

// Report is what the contract asks of the agent's own claim.
type Report struct {
	Required       string   `json:"required"` // "agents" (default), "always" or "never"
	Carriers       []string `json:"carriers"` // default body, comment
	CommentAuthors []string `json:"comment_authors,omitempty"`
	Mention        string   `json:"mention,omitempty"`
	Schema         string   `json:"schema,omitempty"` // path on the trusted branch; empty: built in
	BindCommit     bool     `json:"bind_commit,omitempty"`
}

// Tier is how an observation is known (03-contract of the documentation: trust tiers), strongest first.
type Tier string

// The tiers, strongest first. Claimed alone is never enough.
const (
	Service  Tier = "service"
	Attested Tier = "attested"
	Run      Tier = "run"
	Commit   Tier = "commit"
	Claimed  Tier = "claimed"
)

// Outcome is one expected result and the conditions under which it counts as delivered.
type Outcome struct {
	ID         string      `json:"id"`
	About      string      `json:"about,omitempty"`
	Optional   bool        `json:"optional,omitempty"` // the contract writes required: false
	Artifact   *Artifact   `json:"artifact,omitempty"`
	Validators []Validator `json:"validators,omitempty"`
	ObserveFor Seconds     `json:"observe_for,omitempty"`
	WaitsFor   *WaitsFor   `json:"waits_for,omitempty"`
	Deadline   Seconds     `json:"deadline,omitempty"`
	When       *When       `json:"when,omitempty"`
	Waive      *Waive      `json:"waive,omitempty"`
	RepairOnce bool        `json:"repair_once,omitempty"` // the contract writes repair: once
	Trust      Tier        `json:"trust"`                 // least tier; default run, or commit where Committed allows it
	Pos        Pos         `json:"-"`
}

// Seconds is a whole number of seconds; contracts write Go-like durations (90s, 5m, 72h).
type Seconds int64

// Artifact names the evidence of an outcome and its conditions. Exactly one of Files, URL, Of is set.
// With Of, the conditions are those of the artifact that it leads to; ArtifactOf gives that one.
type Artifact struct {
	Files []string `json:"files,omitempty"` // doublestar globs, slash separated, relative to the workspace or the upload
	// Upload is the name, or a glob over the names, of what a job of this run uploaded. Files are then inside it.
	Upload string `json:"upload,omitempty"`
	URL    string `json:"url,omitempty"`
	// Status is the answer's status with URL, Redirects how many are followed to get there.
	Status    int    `json:"status,omitempty"`
	Redirects int    `json:"redirects,omitempty"`
	Of        string `json:"of,omitempty"` // another outcome's id

	MadeBy   string     `json:"made_by,omitempty"` // a step of this job, or a job
	AnyExit  bool       `json:"any_exit,omitempty"`
	Identity []Identity `json:"identity,omitempty"`
	Fresh    Fresh      `json:"fresh"`
	// Committed is "no" (default), "yes" or "changed".
	Committed string `json:"committed"`
	// Symlinks is "inside" (default) or "refuse".
	Symlinks   string `json:"symlinks"`
	SHA256     string `json:"sha256,omitempty"`      // 64 lower-case hex digits
	HMACSHA256 string `json:"hmac_sha256,omitempty"` // 64 lower-case hex digits
	MinBytes   int64  `json:"min_bytes"`             // least and default 1
	MaxBytes   int64  `json:"max_bytes,omitempty"`   // 0: no bound of its own
	Count      Count  `json:"count"`
}

// Fresh is the time rule of an artifact.
type Fresh struct {
	Rule   string  `json:"rule"`              // "run" (default), "max_age" or "none"
	MaxAge Seconds `json:"max_age,omitempty"` // with max_age
}

// Count bounds the number of files. Max 0 means no upper bound.
type Count struct {
	Min int `json:"min"` // least and default 1
	Max int `json:"max,omitempty"`
}

// Identity binds an artifact to its target: the value found must equal one of Equals.
type Identity struct {
	Pointer  string   `json:"pointer,omitempty"`  // JSON Pointer (RFC 6901)
	Property string   `json:"property,omitempty"` // a <property> of a test document
	Regexp   string   `json:"regexp,omitempty"`   // RE2; the first group if there is one, else the match
	File     string   `json:"file,omitempty"`     // look here instead of in the artifact; relative to the workspace
	Equals   []string `json:"equals,omitempty"`   // commit, head_sha, merge_sha, base_sha, run_id, run_attempt, artifact_sha256
	Text     []string `json:"text,omitempty"`     // literal values
}

// Validator is one acceptance check: a kind and its parameters as canonical JSON.
type Validator struct {
	Kind   string          `json:"kind"`
	Params json.RawMessage `json:"params"`
	Pos    Pos             `json:"-"`
}

// WaitsFor declares a wait for a person or an environment. Exactly one member is set.
type WaitsFor struct {
	Approval    *Approval `json:"approval,omitempty"`
	Environment string    `json:"environment,omitempty"`
}

// Approval asks for Count approving reviews at the head commit by people of From.
type Approval struct {
	From  []string `json:"from"` // write, maintain, admin, user:LOGIN, team:SLUG
	Count int      `json:"count"`
}

// When makes an outcome expected only if the change touches one of Paths (globs).
type When struct {
	Paths []string `json:"paths"`
}

// Waive suspends the requirement through the end (24:00 UTC) of the day Until (YYYY-MM-DD).
type Waive struct {
	Until  string `json:"until"`
	Reason string `json:"reason"`
}

// Pos is a place in the contract file; Line and Col count from 1, 0 is unknown.
type Pos struct{ Line, Col int }

// Agents are the names of the coding agents that applies_to knows, in alphabetical order. Package scope
// holds their marks.
func Agents() []string {
	return []string{"claude", "codex", "copilot", "cursor", "devin", "jules"}
}

// Outcome is the outcome with this id, nil if there is none.
func (c *Contract) Outcome(id string) *Outcome {
	for i := range c.Outcomes {
		if c.Outcomes[i].ID == id {
			return &c.Outcomes[i]
		}
	}
	return nil
}

// AlwaysProtected are the paths that no change may touch without a person's approval, besides the
// contract's own path, those it names in Contracts, and every file read from the trusted branch.
func AlwaysProtected() []string {
	return []string{".github/**", "action.yml", "action.yaml", ".gitmodules", ".gitattributes"}
}

// Required reports the outcomes that the contract requires, waived or not.
func (c *Contract) Required() []*Outcome {
	var out []*Outcome
	for i := range c.Outcomes {
		if !c.Outcomes[i].Optional {
			out = append(out, &c.Outcomes[i])
		}
	}
	return out
}
