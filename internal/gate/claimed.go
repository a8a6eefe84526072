package gate

import (
	"strings"
	"unicode/utf8"

	"github.com/outcome-gate/outcome-gate/internal/claims"
	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/report"
)

// claimedBytes bounds each item that a receipt quotes of a report: enough to compare claim and observation by eye.
const claimedBytes = 500

// claimed quotes a report for the receipt, bounded.
func claimed(r *report.Report) receipt.Claimed {
	return receipt.Claimed{
		Evidence: boundList(r.Evidence), Failing: boundList(r.Failing), Artifacts: boundList(r.Artifacts),
		Commit: boundText(r.Commit),
	}
}

// foundClaims are the claims of the report that is used and of the prose that stands where reports are looked for. Of
// comments only the one with the report counts: the others talk of it. What a runtime wraps around the agent's answer is
// not the agent's prose.
func foundClaims(texts []report.Text, reading *report.Reading) claims.Found {
	var prose []string
	for i := range texts {
		t := &texts[i]
		used := t.Carrier == reading.Carrier && t.Ref == reading.Ref && t.At == reading.At && t.Author == reading.Author
		if t.Unreadable != "" || t.Carrier == "comment" && !(used && reading.Found) || used && reading.Wrapper != "" {
			continue
		}
		prose = append(prose, t.Body)
	}
	return claims.Find(reading, prose)
}

func boundList(in []string) []string {
	var out []string
	for _, s := range in[:min(len(in), receipt.ClaimedItems)] {
		out = append(out, boundText(s))
	}
	return out
}

// boundText cuts s at a rune boundary and keeps it valid UTF-8.
func boundText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= claimedBytes {
		return s
	}
	cut := claimedBytes
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// trustedFiles lists the files that the contract has the gate read from the trusted branch: all of them are
// protected, since a change could otherwise rewrite the rule it is judged by.
func trustedFiles(c *contract.Contract) []string {
	var out []string
	if c.Report.Schema != "" {
		out = append(out, c.Report.Schema)
	}
	for i := range c.Outcomes {
		for _, v := range c.Outcomes[i].Validators {
			kind, ok := evidence.KindByName(v.Kind)
			if !ok || kind.Reads == nil {
				continue
			}
			for _, read := range kind.Reads(v.Params) {
				if read.Trusted != "" {
					out = append(out, read.Trusted)
				}
			}
		}
	}
	return out
}

// outcomeArtifact is the artifact of the outcome with that id.
func outcomeArtifact(c *contract.Contract, id string) *contract.Artifact {
	for i := range c.Outcomes {
		if c.Outcomes[i].ID == id {
			return c.Outcomes[i].Artifact
		}
	}
	return nil
}
