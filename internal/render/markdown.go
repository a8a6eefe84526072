package render

import (
	"fmt"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// MarkdownBudget is the length of the longest Markdown, in bytes: GitHub takes 65,535 characters for a
// check run's summary and for a comment, and 1 MiB for a job summary.
const MarkdownBudget = 65_000

// section is a part of the Markdown that may be left out as a whole: those of the lowest worth go first.
type section struct {
	worth int
	name  string
	body  string
}

// Markdown is the receipt as GitHub Flavored Markdown of at most MarkdownBudget bytes: title, table, what was
// claimed, what to do, folded details. Where it would be longer, details are left out in a fixed order, the
// least needed first, and what was left out is named.
func Markdown(r *receipt.Receipt) string { return MarkdownWithin(r, MarkdownBudget) }

// MarkdownWithin is Markdown in at most budget bytes.
func MarkdownWithin(r *receipt.Receipt, budget int) string { return markdownWithin(r, budget, false) }

// markdownWithin leaves out the report's errors where the text around it says them.
func markdownWithin(r *receipt.Receipt, budget int, saidElsewhere bool) string {
	sections := []section{
		{8, "contract problems", problemList(r)},
		{5, "claims against observations", claimsAgainst(r)},
		{4, "claims of the report", claimList(r, saidElsewhere)},
		{6, "protected paths", protectedList(r)},
		{7, "what to do", todoList(r)},
		{2, "validators", validatorDetails(r)},
		{1, "files", fileDetails(r)},
		{3, "origin", originList(r)},
	}
	head := "## " + titleMarkdown(r) + "\n"
	report := reportParagraph(r)
	var dropped []string
	for worth := 1; ; worth++ {
		rest := 0
		for _, s := range sections {
			rest += len(s.body)
		}
		note := leftOut(dropped)
		room := budget - len(head) - len(report) - rest - len(note)
		table, whole := outcomeTable(r, room)
		// Rows are worth more than details: only when every detail is gone does the table lose rows.
		if whole && len(table) <= room || worth > len(sections) {
			var b strings.Builder
			b.WriteString(head + table + report)
			for _, s := range sections {
				b.WriteString(s.body)
			}
			b.WriteString(note)
			return b.String()
		}
		for i := range sections {
			if s := &sections[i]; s.worth == worth && s.body != "" {
				dropped = append(dropped, s.name)
				s.body = ""
			}
		}
	}
}

func leftOut(dropped []string) string {
	if len(dropped) == 0 {
		return ""
	}
	return "\nLeft out to fit: " + strings.Join(dropped, ", ") + ". The receipt holds everything.\n"
}

const tableHead = "\n| Outcome | State | Observed | Next |\n|---|---|---|---|\n"

// moreRow bounds the row that counts what the table leaves out.
const moreRow = 256

// outcomeTable is the table in at most room bytes, and whether it shows every row. What is verified goes first,
// the last ones first; the rows that stay keep the contract's order.
func outcomeTable(r *receipt.Receipt, room int) (table string, whole bool) {
	if len(r.Outcomes) == 0 {
		return "", true
	}
	rows := make([]string, len(r.Outcomes))
	total := len(tableHead)
	for i := range r.Outcomes {
		rows[i] = outcomeRow(&r.Outcomes[i])
		total += len(rows[i])
	}
	var gone []*receipt.Outcome
	for _, urgent := range []bool{false, true} {
		for i := len(rows) - 1; i >= 0 && total > room; i-- {
			o := &r.Outcomes[i]
			if rows[i] == "" || (counts(o) && o.State != evidence.Verified) != urgent {
				continue
			}
			if len(gone) == 0 {
				total += moreRow
			}
			total -= len(rows[i])
			rows[i] = ""
			gone = append(gone, o)
		}
	}
	table = tableHead + strings.Join(rows, "")
	if len(gone) > 0 {
		table += fmt.Sprintf("| and %d more | %s | | |\n", len(gone), tally(gone))
	}
	return table, len(gone) == 0
}

func outcomeRow(o *receipt.Outcome) string {
	return fmt.Sprintf("| %s | %s %s | %s | %s |\n", pipes(Code(o.ID)), signOf(o.State).mark, pipes(Prose(spaced(stateWord(o)))), pipes(Prose(shortDigests(observed(o)))), pipes(Prose(nextShort(o))))
}

// reportParagraph says what the report says.
func reportParagraph(r *receipt.Receipt) string {
	if !reportRead(r) {
		return ""
	}
	s := fmt.Sprintf("\n**Report:** %s (%s)", Prose(saidWords(r)), Code(string(r.Report.Reason)))
	if r.Report.Carrier != "" {
		s += ", from " + Prose(r.Report.Carrier)
	}
	if r.Report.Author != "" {
		s += " by " + Code(r.Report.Author)
	}
	if !r.Report.Heard {
		s += ", only noted"
	}
	return s + ".\n"
}

// reportRead says whether a report was looked for: not where the contract cannot be used or does not apply.
func reportRead(r *receipt.Receipt) bool {
	return r.Report.Verdict != "" && r.Report.Reason != verdict.NotRead
}

// saidWords say what the report says as what it is: a claim, which the verdict above may not follow.
func saidWords(r *receipt.Receipt) string {
	switch f := r.Report.Facts; {
	case f.Outcome == "succeeded":
		return "claims success"
	case f.Outcome != "":
		return "says " + f.Outcome
	case f.Found:
		return "not usable"
	}
	return "none"
}

func claimList(r *receipt.Receipt, saidElsewhere bool) string {
	var b strings.Builder
	list := func(label string, items []string) {
		for i, s := range items {
			if i == quotedClaims {
				fmt.Fprintf(&b, "- and %s\n", Many(len(items)-i, "more line"))
				return
			}
			fmt.Fprintf(&b, "- %s: %s\n", label, Code(s))
		}
	}
	list("claims", r.Report.Claimed.Evidence)
	list("says failing", r.Report.Claimed.Failing)
	list("names", r.Report.Claimed.Artifacts)
	if !saidElsewhere {
		list("error", r.Report.Errors)
	}
	if s := ReportHelp(r.Report.Reason, r.Report.Facts); s != "" && r.Report.Heard && !saidElsewhere {
		fmt.Fprintf(&b, "- %s\n", Prose(s))
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n**Said by the report**\n\n" + b.String()
}

func todoList(r *receipt.Receipt) string {
	if r.Result == verdict.Pass {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n**Next:**")
	if ofTheWhole(r) {
		words := wholeAdvice(r)
		if r.Reason == verdict.ContractMissing { // the path is the receipt's, the other words are ours
			words = Prose(words)
		}
		fmt.Fprintf(&b, " %s, %s", Code(string(r.Next)), words)
		if r.MayRetry {
			b.WriteString("; the run may be started again")
		}
		b.WriteByte('.')
	} else if r.MayRetry {
		b.WriteString(" the run may be started again.")
	}
	b.WriteByte('\n')
	if len(open(r)) > 0 {
		b.WriteByte('\n')
	}
	for _, o := range open(r) {
		fmt.Fprintf(&b, "- %s: %s, %s, %s\n", Code(o.ID), Prose(nextCell(o)), adviceFor(r, o), Code(o.Code))
	}
	return b.String()
}

func problemList(r *receipt.Receipt) string {
	var b strings.Builder
	for _, m := range r.Problems {
		fmt.Fprintf(&b, "- %s", Code(m.String()))
		if m.Hint != "" {
			b.WriteString(" " + Prose(m.Hint))
		}
		b.WriteByte('\n')
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n**Contract**\n\n" + b.String()
}

// folded is a details element with a list in it.
func folded(summary, list string) string {
	if list == "" {
		return ""
	}
	return "\n<details><summary>" + summary + "</summary>\n\n" + list + "\n</details>\n"
}

func validatorDetails(r *receipt.Receipt) string {
	var b strings.Builder
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		for _, v := range o.Validators {
			fmt.Fprintf(&b, "- %s %s version %s: %s, %s", Code(o.ID), Code(v.Kind), Code(v.Version), Prose(string(v.State)), Code(v.Code))
			if v.Detail != "" {
				b.WriteString(", " + Prose(v.Detail))
			}
			b.WriteByte('\n')
		}
	}
	return folded("Validators", b.String())
}

func fileDetails(r *receipt.Receipt) string {
	var b strings.Builder
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		for _, f := range o.Files {
			fmt.Fprintf(&b, "- %s %s, %s: %s\n", Code(o.ID), Prose(string(f.State)), Code(f.Code), Code(f.Detail))
		}
		if n := o.Observation.Files - len(o.Files); n > 0 && len(o.Files) > 0 {
			fmt.Fprintf(&b, "- %s and %s\n", Code(o.ID), Many(n, "further file"))
		}
	}
	return folded("Files", b.String())
}

func originList(r *receipt.Receipt) string {
	var b strings.Builder
	line := func(label, s string) {
		if s != "" {
			fmt.Fprintf(&b, "- %s: %s\n", label, Code(s))
		}
	}
	line("commit", r.Subject.HeadSHA)
	line("contract", contractLine(r))
	if r.Scope.Mode == contract.Observe {
		b.WriteString("- mode: observe, shown and never red\n")
	}
	for _, a := range r.Agents {
		line("mark of an agent", a)
	}
	for _, n := range r.Notes {
		line("note", n)
	}
	fmt.Fprintf(&b, "- outcomes: %s\n", Prose(coverage(r)))
	line("receipt", r.Digest)
	line("gate", r.Gate.Version)
	b.WriteString("- replay: `gate replay RECEIPT`\n")
	return folded("Where this comes from", b.String())
}
