package render

import (
	"fmt"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/claims"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
)

// shownClaims is how many claims are shown beside what was observed: contradictions come first.
const shownClaims = 10

// claimSign says what became of a claim, in words.
func claimSign(c *claims.Claim) string {
	switch c.Result {
	case claims.Confirmed:
		return "confirmed"
	case claims.Contradicted:
		if c.Overstates {
			return "contradicted, claims more"
		}
		return "contradicted"
	case claims.Admitted:
		return "admission"
	case claims.NotObserved:
		return "not observed"
	}
	return "not judged"
}

// claimSource says where a claim stands, in words.
func claimSource(c *claims.Claim) string {
	switch c.From {
	case claims.FromEvidence:
		return "evidence"
	case claims.FromFailing:
		return "says failing"
	case claims.FromArtifacts:
		return "names"
	case claims.FromProse:
		return "prose"
	case claims.FromBox:
		return "checked box"
	case claims.FromRuntime:
		return "runtime"
	}
	return "unknown source"
}

// claimsMore says what is not shown, "" if that is nothing.
func claimsMore(r *receipt.Receipt) string {
	var out []string
	if n := len(r.Report.Claims) - shownClaims + r.Report.ClaimsMore; len(r.Report.Claims) > shownClaims || r.Report.ClaimsMore > 0 {
		out = append(out, "and "+Many(max(n, r.Report.ClaimsMore), "more claim"))
	}
	if r.Report.ClaimsUnread > 0 {
		out = append(out, Many(r.Report.ClaimsUnread, "claim or long paragraph")+" over the limits, not looked at")
	}
	return strings.Join(out, "; ")
}

// observedDetail says what was observed, for any surface to escape; of an admission there is nothing to say.
func observedDetail(c *claims.Claim) string {
	if c.Result == claims.Admitted {
		return ""
	}
	return c.Detail
}

// sayClaims shows what was claimed beside what was observed.
func (p *page) sayClaims(r *receipt.Receipt) {
	for i := range r.Report.Claims[:min(len(r.Report.Claims), shownClaims)] {
		c := &r.Report.Claims[i]
		if i == 0 {
			p.line("")
			p.line("Claimed against observed")
		}
		p.line("  %s: %s", claimSign(c), Line(claimSource(c)+": "+c.Text))
		if s := observedDetail(c); s != "" {
			p.line("      %s", Line(s))
		}
	}
	if s := claimsMore(r); s != "" {
		p.line("  %s", s)
	}
}

// claimsAgainst is the same as a list in Markdown.
func claimsAgainst(r *receipt.Receipt) string {
	var b strings.Builder
	for i := range r.Report.Claims[:min(len(r.Report.Claims), shownClaims)] {
		c := &r.Report.Claims[i]
		mark := ""
		if c.Overstates {
			mark = "⚠ "
		}
		fmt.Fprintf(&b, "- %s%s: %s: %s", mark, claimSign(c), claimSource(c), Code(c.Text))
		if s := observedDetail(c); s != "" {
			b.WriteString(", " + Prose(s))
		}
		b.WriteByte('\n')
	}
	if s := claimsMore(r); s != "" {
		fmt.Fprintf(&b, "- %s\n", Prose(s))
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n**Claimed against observed**\n\n" + b.String()
}
