// Package doctor finds the ways in which a repository's own set-up lets a change around the gate: a gate that may be
// skipped, that nothing requires, that runs with too little or too much, that the change's code can reach.
//
// It decides from facts that are handed in: the texts of workflow files, the contract as it was read, the owners file,
// and what GitHub said of rules and settings, where it was asked. It trusts none of these texts: they are bounded, and
// never become a path, a pattern of expressions or a command. It changes nothing, and to find nothing proves nothing
// about what it was not given.
package doctor

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/outcome-gate/outcome-gate/internal/contract"
)

// Severity says how much a finding matters. The zero value is none and never leaves Check.
type Severity string

// The severities, worst first.
const (
	Mistake Severity = "error"   // a change gets past the gate, or the gate does not work
	Warning Severity = "warning" // it holds among colleagues, and not against who wants past it
	Advice  Severity = "advice"  // something else would serve better
)

// Finding is one thing that was found, with its place.
type Finding struct {
	Code     string   `json:"code"` // doctor/kebab-case, stable
	Severity Severity `json:"severity"`
	File     string   `json:"file,omitempty"`   // from the repository's root; empty: it lies in GitHub's settings
	Line     int      `json:"line,omitempty"`   // from 1; 0: the file as a whole
	Column   int      `json:"column,omitempty"` // from 1; 0: unknown
	Message  string   `json:"message"`          // what is there and what it means
	Fix      string   `json:"fix"`              // what to do
	Snippet  string   `json:"snippet,omitempty"`
}

// Place is where the finding is, as editors jump to it.
func (f Finding) Place() string {
	switch {
	case f.File == "":
		return "settings"
	case f.Line == 0:
		return f.File
	default:
		return fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
	}
}

// File is one file of the repository: its path from the root, and its bytes.
type File struct {
	Path string
	Data []byte
}

// Facts is all that Check knows.
type Facts struct {
	Action    string // owner/name by which workflows use the gate
	LocalGate bool   // the repository's own action is the gate: `uses: ./` is a step of it
	Workflows []File // every file of .github/workflows
	Owners    *File  // the CODEOWNERS file that GitHub reads, nil: none

	ContractPath     string             // where the contract is, or belongs
	Contract         *contract.Contract // nil: there is none, or it is not valid
	ContractProblems contract.Problems  // its mistakes; none with a nil contract: there is no contract

	Service *Service // nil: GitHub was not asked
}

// Service is what GitHub said.
type Service struct {
	Branch     string          // the default branch
	Checks     []RequiredCheck // required on it, by rulesets and by classic protection
	Workflows  []string        // paths of the workflow files that rulesets require
	MergeQueue bool
	CodeOwners Known     // whether owners have to approve
	Settings   *Settings // nil: the token may not read them
}

// RequiredCheck is a check or status that is required; App is the id of the app it must come from, 0 for any.
type RequiredCheck struct {
	Context string
	App     int64
}

// Settings is what workflows' tokens may do where no workflow says it.
type Settings struct{ Writes, Approves bool }

// Known is a yes or no that may be unknown. The zero value is unknown.
type Known int

// The values of Known.
const (
	Unknown Known = iota
	Yes
	No
)

// MaxFindings bounds the findings: nobody reads more, and files are many.
const MaxFindings = 500

// checker gathers findings.
type checker struct {
	Facts
	workflows []*workflow
	sites     []*site
	found     []Finding
}

// Check looks at the facts and lists what it finds: mistakes first, then by place. The same facts give the same list.
func Check(f Facts) []Finding {
	c := &checker{Facts: f}
	c.readWorkflows()
	c.findSites()
	c.checkContract()
	for _, s := range c.sites {
		c.checkSite(s)
	}
	for _, w := range c.workflows {
		c.checkWorkflow(w)
	}
	c.checkOwners()
	c.checkService()
	slices.SortStableFunc(c.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(rank(a.Severity), rank(b.Severity)), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.Code, b.Code))
	})
	c.found = slices.Compact(c.found)
	return c.found[:min(len(c.found), MaxFindings)]
}

// rank orders severities; an unknown one comes first, so that it is seen.
func rank(s Severity) int {
	return slices.Index([]Severity{Mistake, Warning, Advice}, s)
}

// add makes a finding of a code at a place of a file.
func (c *checker) add(code, file string, at place, format string, args ...any) {
	row := codeOf(code)
	c.found = append(c.found, Finding{
		Code: code, Severity: row.Severity, File: file, Line: at.line, Column: at.column,
		Message: fmt.Sprintf(format, args...), Fix: row.Fix, Snippet: row.Snippet,
	})
}
