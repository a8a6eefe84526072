package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// TestFeedback: an agent is told every open outcome, or how many there are besides, in inert lines and within the budget.
func TestFeedback(t *testing.T) {
	hostile := "::error::x\x1b[31m\n##[group]\u202e" + strings.Repeat("z", 500)
	for _, n := range []int{0, 1, 200} {
		r := &receipt.Receipt{Result: verdict.Block, Verdict: verdict.Unverifiable, Reason: verdict.EvidenceIncomplete}
		for i := range n {
			r.Outcomes = append(r.Outcomes, receipt.Outcome{
				ID: fmt.Sprintf("o%d", i), Required: true, Expected: true, State: evidence.Missing, Code: evidence.CodeArtifactMissing, Detail: hostile, Next: verdict.Produce,
			})
		}
		text := Feedback(r)
		if len(text) > FeedbackBudget || strings.ContainsAny(text, "\x1b\u202e") || strings.Contains(text, "##[") || strings.Contains("\n"+text, "\n::") {
			t.Errorf("%d outcomes, %d bytes: %q", n, len(text), text)
		}
		if n == 1 && !strings.Contains(text, "\n- o0 is missing: ") {
			t.Errorf("%q", text)
		}
		if n == 200 && !strings.HasSuffix(text, " more outcomes: gate check shows them\n") {
			t.Errorf("what is left out is not counted: %q", text[len(text)-200:])
		}
	}
	r := &receipt.Receipt{Result: verdict.Block, Verdict: verdict.Exited, Reason: verdict.ContractMiss}
	r.Report.Reason, r.Report.Errors = verdict.ContractMiss, []string{"$.evidence: expected array"}
	if text := Feedback(r); !strings.Contains(text, "\nreport: $.evidence: expected array\n") {
		t.Errorf("%q", text)
	}
}
