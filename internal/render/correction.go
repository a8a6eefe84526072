package render

import (
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/report"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// What became of the one correction of a head commit.
const (
	asked = "asked"
	used  = "used"
)

// missed says whether the report misses its form and this decided: a contract that is trusted asks for the report.
func missed(r *receipt.Receipt) bool {
	return r.Reason == verdict.ContractMiss && r.Report.Heard && r.Report.Reason == verdict.ContractMiss && isHexOf(r.Report.Miss, 64)
}

// correctionOf is what the comment about r says of the correction. It is asked for as long as the texts are those that
// it was asked about: a run that only looks again is no second miss.
func correctionOf(r *receipt.Receipt, m Memory) string {
	switch about := m.Corrections[r.Subject.HeadSHA]; {
	case !missed(r):
		return ""
	case r.Report.Asked > 0, about != "" && about != r.Report.Miss:
		return used
	case about != "":
		return asked
	}
	return ""
}

// correctionText asks for the correction: whom, what is wrong, verbatim, and the block to fill in. It is bounded, since
// the receipt bounds the errors.
func correctionText(r *receipt.Receipt, correction string) string {
	switch correction {
	case asked:
	case used:
		return "\nA correction was asked for at this commit already, and is asked for once.\n"
	default:
		return ""
	}
	var b strings.Builder
	b.WriteString("\n**To correct, once:** ")
	if who := r.Report.Mention; isHandle(who) {
		b.WriteString(who + " ") // the only text of a receipt that is live: see isHandle
	}
	b.WriteString("the report misses its form. Nothing has to be done again but the report.\n\n")
	for i, e := range r.Report.Errors {
		if i == quotedErrors {
			break
		}
		b.WriteString("- " + codeSpan(clip(e, errorBytes)) + "\n")
	}
	if s := ReportHelp(r.Report.Reason, r.Report.Facts); s != "" {
		b.WriteString("- " + Prose(s) + "\n")
	}
	b.WriteString("\nThe report to fill in:\n\n" + report.Template())
	return b.String()
}

// Bounds of what a correction quotes, above those of a run's receipt: a forged one may hold more. What is hidden takes
// eight times its room once it is shown.
const (
	quotedErrors = 10
	errorBytes   = 400
)

// Longest names of accounts and teams on GitHub.
const (
	accountBytes = 39
	teamBytes    = 100
)

// isHandle reports whether s is the handle of an account or of a team, "@" included, and nothing besides: what is
// written as it is must not be able to become anything else.
func isHandle(s string) bool {
	name, ok := strings.CutPrefix(s, "@")
	name, team, isTeam := strings.Cut(name, "/")
	return ok && isName(name, accountBytes, "-") && (!isTeam || isName(team, teamBytes, "-_"))
}

// isName reports whether s is at most n ASCII letters, digits and characters of more, and begins with none of these.
func isName(s string, n int, more string) bool {
	for i := range len(s) {
		if !isLetter(s[i]) && !isDigit(s[i]) && (i == 0 || strings.IndexByte(more, s[i]) < 0) {
			return false
		}
	}
	return s != "" && len(s) <= n
}
