package render

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/report"
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

// Memory is what the gate has to remember from one run to the next. It lies in the block of its own comment.
type Memory struct {
	Name       string            `json:"gate"` // the check's name: several gates keep several comments
	HeadSHA    string            `json:"head_sha"`
	RunID      int64             `json:"run_id"`
	RunAttempt int               `json:"run_attempt"`
	FirstSeen  time.Time         `json:"first_seen"`        // when this head was judged first
	Repairs    map[string]string `json:"repairs,omitempty"` // outcome id to the head at which its one repair was offered
}

// Newer reports whether m was written by a later run or attempt than that of subject s.
func (m Memory) Newer(s receipt.Subject) bool {
	return m.RunID > s.RunID || m.RunID == s.RunID && m.RunAttempt > s.RunAttempt
}

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
}

type blockOutcome struct {
	ID    string       `json:"id"`
	State string       `json:"state"`
	Code  string       `json:"code"`
	Next  verdict.Next `json:"next"`
	Who   string       `json:"who,omitempty"`
}

// Remember is the memory that a comment about r carries on from the one before.
func Remember(r *receipt.Receipt, name string, before Memory) Memory {
	m := Memory{Name: name, HeadSHA: r.Subject.HeadSHA, RunID: r.Subject.RunID, RunAttempt: r.Subject.RunAttempt, FirstSeen: r.Now, Repairs: map[string]string{}}
	if before.HeadSHA == m.HeadSHA && !before.FirstSeen.IsZero() {
		m.FirstSeen = before.FirstSeen
	}
	for id, at := range before.Repairs {
		m.Repairs[id] = at
	}
	for i := range r.Outcomes {
		if o := &r.Outcomes[i]; o.Next == verdict.RepairOnce && m.Repairs[o.ID] == "" {
			m.Repairs[o.ID] = m.HeadSHA
		}
	}
	return m
}

// Comment is the sticky comment: a marker, the verdict as people read it, and a block as the agent reads it. A
// report that missed its form gets the block to fill in.
func Comment(r *receipt.Receipt, m Memory) string {
	mark := fmt.Sprintf("%s%s -->\n", commentMarker, inMarker(m.Name))
	tail := ""
	if r.Report.Heard && r.Report.Reason == verdict.ContractMiss {
		tail = "\nThe report to fill in:\n\n" + report.Template() + "\n"
	}
	tail += "\n<details><summary>For the agent</summary>\n" + blockOpen + blockJSON(r, m) + blockClose + "\n</details>\n"
	return mark + MarkdownWithin(r, CommentBudget-len(mark)-len(tail)) + tail
}

// blockJSON is the block's JSON. A backtick could end its fence, so none is left in it.
func blockJSON(r *receipt.Receipt, m Memory) string {
	b := block{
		Memory: m, Verdict: r.Verdict, Reason: r.Reason, Result: r.Result, MayRetry: r.MayRetry, Next: r.Next, Receipt: r.Digest,
		Report: blockReport{Verdict: r.Report.Verdict, Reason: r.Report.Reason}, Outcomes: []blockOutcome{},
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
			b.Outcomes = append(b.Outcomes, blockOutcome{ID: o.ID, State: string(o.State), Code: o.Code, Next: o.Next, Who: o.Who})
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

// ParseComment reads the memory out of a comment of the gate. Whoever wrote the comment must be checked first:
// anybody can write one that looks like it.
func ParseComment(body string) (Memory, bool) {
	body = strings.ReplaceAll(body, "\r\n", "\n")
	if !strings.HasPrefix(body, commentMarker) {
		return Memory{}, false
	}
	at := strings.LastIndex(body, blockOpen)
	if at < 0 {
		return Memory{}, false
	}
	text, _, closed := strings.Cut(body[at+len(blockOpen):], blockClose)
	var b block
	if !closed || json.Unmarshal([]byte(text), &b) != nil || b.HeadSHA == "" {
		return Memory{}, false
	}
	return b.Memory, true
}
