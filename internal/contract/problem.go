package contract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one mistake or warning in a contract, with its place.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"` // from 1
	Col     int    `json:"col"`  // from 1
	Code    string `json:"code"` // contract/kebab-case, stable
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // what to do, if there is one thing
	Warning bool   `json:"warning,omitempty"`
}

// String is the one-line form: file:line:col: message [code].
func (p Problem) String() string {
	kind := ""
	if p.Warning {
		kind = "warning: "
	}
	return fmt.Sprintf("%s:%d:%d: %s%s [%s]", p.File, p.Line, p.Col, kind, p.Message, p.Code)
}

// Problems is what Parse and Lint report, in order of position. It is an error when it holds a mistake.
type Problems []Problem

// Error joins the one-line forms of all problems.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Mistakes are the problems that are not mere warnings.
func (ps Problems) Mistakes() Problems {
	var out Problems
	for _, p := range ps {
		if !p.Warning {
			out = append(out, p)
		}
	}
	return out
}

// OnlyEmpty reports whether the one thing wrong is that nothing is required (contract/empty), which the
// decision table tells apart from an invalid contract.
func (ps Problems) OnlyEmpty() bool {
	mistakes := ps.Mistakes()
	for _, p := range mistakes {
		if p.Code != CodeEmpty {
			return false
		}
	}
	return len(mistakes) > 0
}

// sorted is ps in order of place, equal ones once.
func (ps Problems) sorted() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(ps)
}

// Kind is what the contract language must know of a validator kind. The caller passes the kinds in, so
// that this package depends on none of them.
type Kind struct {
	Name   string
	Short  string // the parameter that a scalar stands for ("" if the kind has no short form)
	Schema string // JSON Schema (draft 2020-12) of the parameters, additionalProperties false
	Later  string // not empty: the kind belongs to the language and is not built yet; Parse refuses it by name with this text
	// NeedsArtifact says that the kind judges the outcome's artifact and has nothing to judge without one.
	NeedsArtifact bool
	// Deterministic is false for kinds that cannot be the only evidence of an outcome. An outcome whose
	// validators are all of that sort is refused.
	Deterministic bool
}
