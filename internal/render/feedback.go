package render

import (
	"fmt"

	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// FeedbackBudget is the length of the longest Feedback, in bytes: runtimes cut what a hook says at some 10,000 characters,
// and an agent reads all of it.
const FeedbackBudget = 4096

// Feedback is what an agent that wants to stop is told of a receipt: the title, then every outcome that is open with what
// was seen and what to do, and what is wrong with its report. What there is no room for is counted.
func Feedback(r *receipt.Receipt) string {
	const rest = 120 // for the line that counts what is left out
	text := Title(r) + "\n"
	all := open(r)
	for i, o := range all {
		said := stateWord(o)
		if seen := observed(o); seen != "" {
			said += ": " + seen
		}
		line := fmt.Sprintf("- %s is %s", o.ID, said)
		if o.Next != verdict.NoNext {
			line += ". To do: " + adviceFor(r, o)
		}
		line = Line(line) + "\n"
		if len(text)+len(line)+rest > FeedbackBudget {
			text += "- and " + Many(len(all)-i, "more outcome") + ": gate check shows them\n"
			return unstart(text)
		}
		text += line
	}
	if ofTheWhole(r) {
		lines := []string{wholeAdvice(r)}
		if s := ReportHelp(r.Reason, r.Report.Facts); s != "" {
			lines = []string{s}
		}
		for _, e := range r.Report.Errors {
			lines = append(lines, "report: "+e)
		}
		for _, l := range lines {
			if l = Line(l) + "\n"; len(text)+len(l)+rest <= FeedbackBudget {
				text += l
			}
		}
	}
	return unstart(text)
}
