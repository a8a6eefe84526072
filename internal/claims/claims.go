// Package claims finds what a text claims of tests, commands and files, and compares it with what was observed.
//
// It decides whether a claim is confirmed, contradicted or not observed, and never that anything is true: a claim can add
// doubt and removes none. Every byte it reads is written by the agent and is data. It leaves out whatever may be meant
// otherwise: negations, plans, questions, conditions, quotations and code are no claims of success. It does no I/O, knows no
// clock, and takes time linear in the text.
package claims

import "github.com/outcome-gate/outcome-gate/internal/report"

// Limits of what is read and kept.
const (
	// MaxFound is how many different claims are told apart: a body of the longest length that GitHub takes cannot hold more.
	MaxFound = 10_000
	// maxBlock is the longest paragraph or list item that is read, in bytes: all that fits into one body.
	maxBlock = 256 << 10
	// maxSentence is how many words and marks of one sentence are looked at. A longer one is a listing, and claims nothing.
	maxSentence = 512
	// maxQuote is how much of the text a claim quotes, in bytes, before and after the claim itself.
	maxQuote = 100
	// maxItem is how much is kept of a command, or of an item of a list, in bytes.
	maxItem = 200
)

// Kind is what a claim is about. The zero value is no kind and counts as one that overstates.
type Kind string

// The kinds.
const (
	Counts    Kind = "tests"     // how many tests passed
	AllPass   Kind = "all_tests" // that the tests pass, without a number
	Command   Kind = "command"   // how a command ended
	Checked   Kind = "checked"   // a checked box that says that something was tested, with no result to compare
	Failing   Kind = "failing"   // an item of the report's list of what fails
	Artifact  Kind = "artifact"  // an item of the report's list of files
	Admission Kind = "admission" // that something was not run
)

// Scope is how much of the tests a claim speaks of.
type Scope string

// The scopes. The zero value does not say.
const (
	Unsaid Scope = ""
	Whole  Scope = "whole" // it says all, the whole suite
	Part   Scope = "part"  // it names a part: a package, a file, new tests
)

// Source is where in a report a claim stands.
type Source string

// The sources.
const (
	FromEvidence  Source = "evidence"
	FromFailing   Source = "failing"
	FromArtifacts Source = "artifacts"
	FromProse     Source = "prose"
	FromBox       Source = "box"     // a checked box
	FromRuntime   Source = "runtime" // the agent's runtime tells how a command ended
)

// Claim is one claim, and what became of it. Texts are the agent's own, bounded.
type Claim struct {
	Kind    Kind   `json:"kind"`
	From    Source `json:"from"`
	Scope   Scope  `json:"scope,omitempty"`
	Text    string `json:"text"`
	Passed  *int   `json:"passed,omitempty"`
	Failed  *int   `json:"failed,omitempty"`
	Skipped *int   `json:"skipped,omitempty"`
	Total   *int   `json:"total,omitempty"`
	Command string `json:"command,omitempty"`
	Exit    *int   `json:"exit,omitempty"`

	// Set by Judge.
	Result     Result `json:"result"`
	Overstates bool   `json:"overstates"`
	Detail     string `json:"detail"`
}

// Found is what all texts together claim.
type Found struct {
	Claims []Claim // each once, those of the report's own lists first
	// Unread is how many claims and paragraphs, over the limits, were not looked at.
	Unread int
	steps  int // bytes and words looked at; a law of the tests bounds it
}

// Find gives the claims of a reading: of its report, if it has one, and of what the agent's runtime tells; then of the
// texts, in their order.
func Find(reading *report.Reading, texts []string) Found {
	f := &finder{seen: map[key]bool{}}
	if r := reading.Report; r != nil {
		for _, s := range r.Evidence {
			f.text(s, FromEvidence)
		}
		for _, s := range r.Failing {
			f.item(Failing, FromFailing, s)
		}
		for _, s := range r.Artifacts {
			f.item(Artifact, FromArtifacts, s)
		}
	}
	for _, e := range reading.Exits {
		f.exit(e)
	}
	for _, s := range texts {
		f.text(s, FromProse)
	}
	return f.out
}

// finder collects claims.
type finder struct {
	out  Found
	seen map[key]bool
}

// key is what makes two claims the same one.
type key struct {
	kind                           Kind
	scope                          Scope
	passed, failed, skipped, total int
	exit                           int
	text                           string // where the text itself is what is claimed
}

func keyOf(c *Claim) key {
	number := func(n *int) int {
		if n == nil {
			return -1
		}
		return *n
	}
	k := key{
		kind: c.Kind, scope: c.Scope, passed: number(c.Passed), failed: number(c.Failed), skipped: number(c.Skipped),
		total: number(c.Total), exit: number(c.Exit), text: c.Command,
	}
	if c.Kind == Failing || c.Kind == Artifact || c.Kind == Admission || c.Kind == Checked {
		k.text = c.Text
	}
	return k
}

func (f *finder) add(c Claim) {
	k := keyOf(&c)
	switch {
	case f.seen[k]:
	case len(f.out.Claims) >= MaxFound:
		f.out.Unread++
	default:
		f.seen[k] = true
		f.out.Claims = append(f.out.Claims, c)
	}
}

// item takes an item of one of the report's lists.
func (f *finder) item(kind Kind, from Source, s string) {
	f.out.steps += len(s)
	if s = squeezed(s, maxItem); s != "" {
		f.add(Claim{Kind: kind, From: from, Text: s})
	}
}

// exit takes what a runtime tells of one command: nobody but the runtime saw it.
func (f *finder) exit(e report.Exit) {
	n, ok := count([]byte(e.Status))
	if !ok || n > 255 {
		return
	}
	c := Claim{Kind: Command, From: FromRuntime, Scope: Part, Command: squeezed(e.Command, maxItem), Exit: &n}
	if wholeCommand([]byte(e.Command)) && runsTests([]byte(e.Command)) {
		c.Scope = Whole
	}
	c.Text = c.Command
	f.add(c)
}

// text takes a Markdown text.
func (f *finder) text(s string, from Source) {
	visible, ok, steps := report.Prose(s)
	f.out.steps += steps
	if !ok {
		f.out.Unread++
		return
	}
	p := &page{f: f, src: visible, from: from}
	p.read()
}
