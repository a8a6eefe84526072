// Package render shows a receipt: as text for a terminal or log, as Markdown, as JSON and as problem+json
// (RFC 9457).
//
// It decides nothing: every word about the verdict comes from the receipt's own conclusions. It trusts no
// string of a receipt: report text, file names, test names and details are made visible and inert for their
// surface, so that nothing of the change renders live. It does no I/O and knows no clock.
package render

import (
	"cmp"
	"encoding/json"

	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// JSON is the receipt's canonical bytes and a final newline.
func JSON(r *receipt.Receipt) ([]byte, error) {
	b, err := r.Bytes()
	if err != nil {
		return nil, err
	}
	return append(b, '\n'), nil
}

// problemBase is the address below which each reason has its problem type.
const problemBase = "https://outcome-gate.dev/problems/"

// problem is a problem details object (RFC 9457). There is no member status, since there is no HTTP exchange;
// the members behind detail are extensions.
type problem struct {
	Type     string           `json:"type"`
	Title    string           `json:"title"`
	Detail   string           `json:"detail"`
	Verdict  string           `json:"verdict"`
	Reason   string           `json:"reason"`
	Result   string           `json:"result"`
	MayRetry bool             `json:"may_retry"`
	Next     string           `json:"next"`
	Outcomes []problemOutcome `json:"outcomes"`       // those that keep the change from passing
	Errors   []string         `json:"errors"`         // of the contract and of the report
	Digest   string           `json:"receipt_digest"` // "" where there is no receipt
	Hint     string           `json:"hint,omitempty"` // the one thing to try
}

type problemOutcome struct {
	ID     string `json:"id"`
	State  string `json:"state"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Next   string `json:"next"`
	Who    string `json:"who,omitempty"`
}

// Problem is the verdict as one application/problem+json object and a newline. Its type is stable for each
// reason, a pass included.
func Problem(r *receipt.Receipt) ([]byte, error) {
	p := problem{
		Type: problemBase + Line(string(r.Reason)), Title: problemTitle(r), Detail: Title(r),
		Verdict: Line(string(r.Verdict)), Reason: Line(string(r.Reason)), Result: Line(string(r.Result)),
		MayRetry: r.MayRetry, Next: Line(string(r.Next)), Outcomes: []problemOutcome{}, Errors: []string{}, Digest: Line(r.Digest),
	}
	for _, o := range open(r) {
		p.Outcomes = append(p.Outcomes, problemOutcome{
			ID: Line(o.ID), State: Line(string(o.State)), Code: Line(o.Code), Detail: Line(o.Detail), Next: Line(string(o.Next)), Who: Line(o.Who),
		})
	}
	for _, m := range r.Problems {
		if !m.Warning {
			p.Errors = append(p.Errors, Line(m.String()))
		}
	}
	for _, e := range r.Report.Errors {
		p.Errors = append(p.Errors, Line(e))
	}
	return p.bytes()
}

// bytes is the object in canonical form and a newline.
func (p *problem) bytes() ([]byte, error) {
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	out, err := receipt.Canonical(raw)
	if err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}

// Failure is a call that came to no judgement as one application/problem+json object and a newline: reason is usage or
// that of a receipt, detail what went wrong, hint the one thing to try, if there is one.
func Failure(reason, detail, hint string) ([]byte, error) {
	p := problem{
		Type: problemBase + Line(reason), Title: cmp.Or(constantTitle(reason), "The call cannot be used"), Detail: Line(detail), Hint: Line(hint),
		Verdict: string(verdict.None), Reason: Line(reason), Result: string(verdict.Error), Next: string(verdict.NeedsHuman),
		Outcomes: []problemOutcome{}, Errors: []string{},
	}
	if reason == string(verdict.CannotLook) {
		p.Next = string(verdict.RunCheck)
	}
	return p.bytes()
}

// problemTitle is the reason in constant words, as RFC 9457 (section 3.1.3) asks of a title.
func problemTitle(r *receipt.Receipt) string {
	if s := constantTitle(string(r.Reason)); s != "" {
		return s
	}
	return "The verdict has no known reason"
}

func constantTitle(reason string) string {
	for _, t := range constantTitles() {
		if t[0] == reason {
			return t[1]
		}
	}
	return ""
}

// constantTitles are all reasons with their titles.
func constantTitles() [][2]string {
	return [][2]string{
		{"all_waived", "Every expected outcome is waived"},
		{"ambiguous_report", "There are several different reports"},
		{"base_not_trusted", "The base branch is not trusted"},
		{"cannot_look", "What is judged could not be read"},
		{"claim_conflict", "The report claims more than was observed"},
		{"clean_exit_no_report", "The agent exited with 0 and left no report"},
		{"contract_empty", "The contract requires no outcome"},
		{"contract_invalid", "The contract is not valid"},
		{"contract_miss", "The report is not of the agreed form"},
		{"contract_missing", "There is no contract"},
		{"contract_proposed", "The change proposes the first contract"},
		{"evidence_incomplete", "Evidence is incomplete"},
		{"evidence_rejected", "Evidence was rejected"},
		{"exit_nonzero", "The agent exited with a failure"},
		{"false_success", "The report says succeeded and the evidence says otherwise"},
		{"head_moved", "The head commit moved"},
		{"internal", "No rule covers what was found"},
		{"no_output", "Nothing came back from the agent"},
		{"no_verdict_in_payload", "The report names none of the three outcomes"},
		{"not_gated", "The contract does not apply"},
		{"nothing_expected", "Nothing is expected of this change"},
		{"outcome_failed", "The report says that the work did not succeed"},
		{"partial", "Only some outcomes were looked at"},
		{"protected_change", "A protected path waits for approval"},
		{"report_conflict", "The report contradicts itself"},
		{"runtime_failed", "The agent's runtime says that it failed"},
		{"shared_head", "Another pull request has the same head"},
		{"stale_report", "The report belongs to other work"},
		{"still_working", "The agent is still working"},
		{"success_without_evidence", "The report says succeeded and names no evidence"},
		{"verified", "Every expected outcome is verified"},
		{"waiting", "An outcome waits for somebody"},
	}
}
