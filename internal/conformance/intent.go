package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Intent is a contract in words with structured hints, not yet in the product's language.
type Intent struct {
	Path           string          `json:"contract_path"`
	Present        *bool           `json:"present_on_base"` // false: there is none on the base branch
	Source         string          `json:"contract_source"` // base, or ""
	AppliesTo      string          `json:"applies_to"`
	Detection      *Detection      `json:"agent_detection"`
	Report         ReportIntent    `json:"report"`
	ProtectedPaths []string        `json:"protected_paths"`
	Limits         json.RawMessage `json:"limits"`
	Outcomes       []Hint          `json:"outcomes"`

	unknown unread
}

// unread are the members of an object that nothing here reads, and that say something: neither null, false nor empty.
// A hint that is not understood is a condition that would be dropped.
type unread []string

// unreadOf finds the unread members of an object besides the known ones and those that only explain.
func unreadOf(data []byte, known ...string) (unread, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, err
	}
	known = append(known, "note", "notes", "comment", "description", "title", "words", "why", "origin")
	var out unread
	for name, value := range members {
		if !slices.Contains(known, name) && !slices.Contains([]string{"null", "false", `""`, "[]", "{}"}, string(value)) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
}

// UnmarshalJSON reads the intent and remembers the members that it does not know.
func (in *Intent) UnmarshalJSON(data []byte) (err error) {
	type plain Intent
	if err := json.Unmarshal(data, (*plain)(in)); err != nil {
		return err
	}
	in.unknown, err = unreadOf(data, "schema", "contract_path", "contract_source", "present_on_base", "applies_to", "agent_detection",
		"report", "protected_paths", "limits", "outcomes")
	return err
}

// Detection lists the marks of agents that the contract names itself.
type Detection struct {
	Logins   []string `json:"logins"`
	Branches []string `json:"branches"`
	Trailers []string `json:"trailers"`
	Labels   []string `json:"labels"`

	unknown unread
}

// UnmarshalJSON reads the marks and remembers the kinds of marks that it does not know.
func (d *Detection) UnmarshalJSON(data []byte) (err error) {
	type plain Detection
	if err := json.Unmarshal(data, (*plain)(d)); err != nil {
		return err
	}
	d.unknown, err = unreadOf(data, "logins", "branches", "trailers", "labels")
	return err
}

// ReportIntent is what is asked of the agent's report.
type ReportIntent struct {
	Requirement string   `json:"requirement"` // required or optional
	Fields      []string `json:"fields"`      // members that the report must have
	Outcomes    []string `json:"outcomes"`    // words that its outcome may be
	Carriers    []string `json:"carriers"`
	Authors     []string `json:"comment_authors"`

	unknown unread
}

// UnmarshalJSON reads what is asked of a report and remembers what it does not know.
func (r *ReportIntent) UnmarshalJSON(data []byte) (err error) {
	type plain ReportIntent
	if err := json.Unmarshal(data, (*plain)(r)); err != nil {
		return err
	}
	r.unknown, err = unreadOf(data, "requirement", "fields", "outcomes", "carriers", "comment_authors")
	return err
}

// Hint is one expected outcome. Which members mean something depends on the kind.
type Hint struct {
	ID          string   `json:"id"`
	Kind        string   `json:"kind"`
	Required    *bool    `json:"required"`
	Words       string   `json:"words"`
	Producer    string   `json:"producer_step"`
	Fresh       *bool    `json:"fresh"`
	Tracked     bool     `json:"allow_git_tracked"`
	WhenChanged []string `json:"when_changed"`
	WaitMinutes *int     `json:"wait_minutes"`

	// tests
	Files         texts    `json:"files"`
	Format        string   `json:"format"`
	MinExecuted   *int     `json:"min_executed"`
	MaxSkipped    *int     `json:"max_skipped"`
	MustInclude   texts    `json:"must_include"`
	AllowCached   bool     `json:"allow_cached"`
	AllowFlaky    *bool    `json:"allow_flaky"`
	NoNewFailures bool     `json:"no_new_failures"`
	BindCommit    *Binding `json:"bind_commit"`
	BaseResults   texts    `json:"base_results"`

	// fail_before_pass_after, besides base_results
	HeadResults     texts  `json:"head_results"`
	Tests           texts  `json:"tests"`
	BaseFailureKind string `json:"base_failure_kind"`

	// artifact
	ArtifactPath string            `json:"path"`
	SHA256       *string           `json:"sha256"`
	MinBytes     *int64            `json:"min_bytes"`
	AllowSymlink linkRule          `json:"allow_symlink"`
	Provenance   map[string]string `json:"provenance"`

	// validator
	Step        string `json:"step"`
	ExpectExit  *int   `json:"expect_exit"`
	Subject     string `json:"subject"`
	BindSubject bool   `json:"bind_subject"`

	// approval and external_check
	Environment string `json:"environment"`
	From        texts  `json:"from"`
	Count       int    `json:"count"`
	Check       string `json:"check"`
	App         string `json:"app"`

	unknown unread
}

// Binding says which commit a property of the results must name.
type Binding struct {
	Property string `json:"property"`
	Equals   string `json:"equals"`
}

// texts is a list of texts that may also be written as one.
type texts []string

// UnmarshalJSON takes a text, a list of texts or null.
func (l *texts) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*l = make(texts, 1)
		return json.Unmarshal(data, &(*l)[0])
	}
	return json.Unmarshal(data, (*[]string)(l))
}

// linkRule says whether the artifact may be a symbolic link.
type linkRule string

// UnmarshalJSON takes a truth value or a word; false refuses links, true and "workspace" allow them inside.
func (r *linkRule) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "null":
	case "false":
		*r = "refuse"
	case "true", `"workspace"`:
		*r = "inside"
	default:
		return fmt.Errorf("allow_symlink is %s, neither a truth value nor \"workspace\"", data)
	}
	return nil
}

// UnmarshalJSON reads the hints and remembers those that it does not know.
func (h *Hint) UnmarshalJSON(data []byte) (err error) {
	type plain Hint
	if err := json.Unmarshal(data, (*plain)(h)); err != nil {
		return fmt.Errorf("read outcome %s: %w", h.ID, err)
	}
	h.unknown, err = unreadOf(data, hintNames()...)
	return err
}

// hintNames are the members that the conversion reads, and "validator", whose name says nothing that a gate
// could check.
func hintNames() []string {
	return []string{
		"id", "kind", "required", "words", "producer_step", "fresh", "allow_git_tracked", "when_changed", "wait_minutes",
		"files", "format", "min_executed", "max_skipped", "must_include", "allow_cached", "allow_flaky", "no_new_failures",
		"bind_commit", "base_results", "head_results", "tests", "base_failure_kind",
		"path", "sha256", "min_bytes", "allow_symlink", "provenance",
		"validator", "step", "expect_exit", "subject", "bind_subject",
		"environment", "from", "count", "check", "app",
	}
}
