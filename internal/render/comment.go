package render

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// CommentBudget is the most bytes of a comment: GitHub refuses one of over 65,536 characters.
const CommentBudget = 65_000

// maxBlockOutcomes bounds the outcomes in the block for the agent; those that ask for something come first.
const maxBlockOutcomes = 100

const (
	commentMarker = "<!-- outcome-gate:"
	blockOpen     = "\n```outcome-verdict\n"
	blockClose    = "\n```\n"
)

// block is what the agent reads.
type block struct {
	Memory
	Verdict  verdict.Verdict `json:"verdict"`
	Reason   verdict.Reason  `json:"reason"`
	Result   verdict.Result  `json:"result"`
	MayRetry bool            `json:"may_retry"`
	Next     verdict.Next    `json:"next"`
	Report   blockReport     `json:"report"`
	Outcomes []blockOutcome  `json:"outcomes"`
	More     int             `json:"more_outcomes,omitempty"`
	Receipt  string          `json:"receipt_digest"`
}

type blockReport struct {
	Verdict verdict.Verdict `json:"verdict"`
	Reason  verdict.Reason  `json:"reason"`
	Errors  []string        `json:"errors,omitempty"`
	// Correction is "asked" where this comment asks for the one correction of the head commit, "used" where that was
	// asked for and the report missed its form again, and absent for every other report.
	Correction string `json:"correction,omitempty"`
}

type blockOutcome struct {
	ID    string       `json:"id"`
	State string       `json:"state"`
	Code  string       `json:"code"`
	Next  verdict.Next `json:"next"`
	Who   string       `json:"who,omitempty"`
	// RepairUsed says that the one repair that the contract authorizes was offered at an earlier commit.
	RepairUsed bool `json:"repair_used,omitempty"`
}

// Comment is the sticky comment: a marker, the verdict as people read it, and a block as the agent reads it. A
// report that missed its form gets its errors and the block to fill in, once for each head commit.
func Comment(r *receipt.Receipt, m Memory) string {
	mark := fmt.Sprintf("%s%s -->\n", commentMarker, inMarker(m.Name))
	c := correctionOf(r, m)
	tail := correctionText(r, c) + "\n<details><summary>For the agent</summary>\n" + blockOpen + blockJSON(r, m) + blockClose + "\n</details>\n"
	return mark + markdownWithin(r, CommentBudget-len(mark)-len(tail), c == asked) + tail
}

// blockJSON is the block's JSON. A backtick could end its fence, so none is left in it.
func blockJSON(r *receipt.Receipt, m Memory) string {
	b := block{
		Memory: m, Verdict: r.Verdict, Reason: r.Reason, Result: r.Result, MayRetry: r.MayRetry, Next: r.Next, Receipt: r.Digest,
		Report: blockReport{Verdict: r.Report.Verdict, Reason: r.Report.Reason, Correction: correctionOf(r, m)}, Outcomes: []blockOutcome{},
	}
	for _, e := range r.Report.Errors {
		b.Report.Errors = append(b.Report.Errors, Line(e))
	}
	for _, calm := range []bool{false, true} {
		for i := range r.Outcomes {
			o := &r.Outcomes[i]
			if (o.Next == verdict.NoNext) != calm {
				continue
			}
			if len(b.Outcomes) == maxBlockOutcomes {
				b.More++
				continue
			}
			b.Outcomes = append(b.Outcomes, blockOutcome{ID: o.ID, State: string(o.State), Code: o.Code, Next: o.Next, Who: o.Who, RepairUsed: o.RepairUsed && o.Rule.RepairOnce})
		}
	}
	raw, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return "{}" // strings and numbers always marshal
	}
	return strings.ReplaceAll(string(raw), "`", `\u0060`)
}

// inMarker makes a name harmless inside an HTML comment.
func inMarker(name string) string {
	return strings.Map(func(c rune) rune {
		if c == ' ' || c == '.' || c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			return c
		}
		return '_'
	}, name)
}
