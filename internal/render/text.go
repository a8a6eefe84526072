package render

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/report"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// observedWidth is how wide the table's column of observations gets on a terminal, in runes; what is longer stands
// whole below the table.
const observedWidth = 64

// wholeWidth is how wide a table with whole observations may get, in runes, before it shows only their ends too.
const wholeWidth = 160

// wrapWidth is where a long observation below the table goes on in another line, in runes.
const wrapWidth = 120

// quotedClaims is how many of the report's own sentences are shown.
const quotedClaims = 5

// cell is one place of a text table.
type cell struct{ s, colour string }

// page is a text being written.
type page struct {
	b      strings.Builder
	colour bool
	narrow bool // long observations are cut in the table
}

// Text is the receipt for a log or another program: title, one table with every observation whole unless a line of it
// would get too long to be read, then what stands behind it. With colour it holds SGR sequences, all of them ours.
func Text(r *receipt.Receipt, colour bool) string { return textOn(r, &page{colour: colour}) }

// Terminal is Text with a table that fits a terminal: of long observations it shows the two ends, and all of them
// below.
func Terminal(r *receipt.Receipt, colour bool) string {
	return textOn(r, &page{colour: colour, narrow: true})
}

func textOn(r *receipt.Receipt, p *page) string {
	p.line("%s", p.paint(bold+";"+resultColour(r), Title(r)))
	p.outcomes(r)
	p.problems(r)
	p.cut(r)
	p.sayReport(r)
	p.sayClaims(r)
	p.sayProtected(r)
	p.todo(r)
	p.origin(r)
	return unstart(p.b.String())
}

func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

func (p *page) paint(colour, s string) string {
	if !p.colour || colour == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

func resultColour(r *receipt.Receipt) string {
	switch r.Result {
	case verdict.Pass:
		return green
	case verdict.Wait:
		return yellow
	case verdict.Block, verdict.Error:
		return red
	}
	return red
}

// outcomes is the table.
func (p *page) outcomes(r *receipt.Receipt) {
	if len(r.Outcomes) == 0 {
		return
	}
	rows := [][]cell{{{"OUTCOME", dim}, {"STATE", dim}, {"OBSERVED", dim}, {"NEXT", dim}}}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		s := signOf(o.State)
		rows = append(rows, []cell{
			{Line(o.ID), ""}, {State(o), s.colour}, {Line(shortDigests(observed(o))), ""}, {Line(nextCell(o)), ""},
		})
	}
	if p.narrow = p.narrow || tableWidth(rows) > wholeWidth; p.narrow {
		for _, row := range rows[1:] {
			row[2].s = p.short(row[2].s)
		}
	}
	p.line("")
	p.table(rows)
}

// tableWidth is how wide a table gets, in runes.
func tableWidth(rows [][]cell) int {
	total := 0
	for _, w := range widths(rows) {
		total += w + 2
	}
	return total
}

// cuts says whether the table shows only the two ends of an observation.
func (p *page) cuts(s string) bool { return p.narrow && utf8.RuneCountInString(s) > observedWidth }

// short keeps both ends of a long observation: what it is about, and why.
func (p *page) short(s string) string {
	if !p.cuts(s) {
		return s
	}
	const tail = observedWidth / 2
	runes := []rune(s)
	return string(runes[:observedWidth-tail-1]) + "…" + string(runes[len(runes)-tail:])
}

// widths are those of the columns' widest cells, in runes.
func widths(rows [][]cell) []int {
	var width []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(c.s))
		}
	}
	return width
}

// table writes rows with columns as wide as their widest cell, two spaces between and in front.
func (p *page) table(rows [][]cell) {
	width := widths(rows)
	for _, row := range rows {
		for i, c := range row {
			p.b.WriteString("  " + p.paint(c.colour, c.s))
			if i < len(row)-1 {
				p.b.WriteString(strings.Repeat(" ", width[i]-utf8.RuneCountInString(c.s)))
			}
		}
		p.b.WriteByte('\n')
	}
}

// problems lists what is wrong with the contract, where that decided, and its warnings otherwise.
func (p *page) problems(r *receipt.Receipt) {
	if len(r.Problems) == 0 {
		return
	}
	p.line("")
	for _, m := range r.Problems {
		p.line("  %s", Line(m.String()))
		if m.Hint != "" {
			p.line("      %s", Line(m.Hint))
		}
	}
}

// cut shows whole what the table cut.
func (p *page) cut(r *receipt.Receipt) {
	first := true
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		s := Line(observed(o))
		if !p.cuts(Line(shortDigests(observed(o)))) {
			continue
		}
		if first {
			p.line("")
			first = false
		}
		for i, line := range wrap(Line(o.ID)+": "+s, wrapWidth) {
			indent := "  "
			if i > 0 {
				indent = "      "
			}
			p.line("%s%s", indent, line)
		}
	}
}

// wrap breaks a line at spaces into lines of at most width runes. A longer word stays whole.
func wrap(s string, width int) []string {
	var out []string
	line, n := "", 0
	for i, word := range strings.Split(s, " ") {
		w := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			line, n = word, w
		case n+1+w > width:
			out = append(out, line)
			line, n = word, w
		default:
			line, n = line+" "+word, n+1+w
		}
	}
	return append(out, line)
}

// sayReport shows the report's own class and what it claims.
func (p *page) sayReport(r *receipt.Receipt) {
	if !reportRead(r) || len(r.Outcomes) == 0 && !r.Report.Heard {
		return
	}
	p.line("")
	p.line("Report     %s", Line(reportLine(r)))
	for i, e := range r.Report.Claimed.Evidence {
		if i == quotedClaims {
			p.line("           and %s", Many(len(r.Report.Claimed.Evidence)-i, "more claim"))
			break
		}
		p.line("           claims: %s", Line(e))
	}
	for _, e := range r.Report.Errors {
		p.line("           error: %s", Line(e))
	}
	if !r.Report.Heard {
		return
	}
	if s := ReportHelp(r.Report.Reason, r.Report.Facts); s != "" {
		p.line("           %s", Line(s))
	}
	if wantsTemplate(r.Report.Reason) {
		p.line("           The block to fill in:")
		for line := range strings.Lines(report.Template()) {
			p.line("             %s", Line(strings.TrimSuffix(line, "\n")))
		}
	}
}

// reportLine is the report's class in one line, for any surface to escape.
func reportLine(r *receipt.Receipt) string {
	s := fmt.Sprintf("%s (%s)", saidWords(r), r.Report.Reason)
	if r.Report.Carrier != "" {
		s += ", from " + r.Report.Carrier
	}
	if r.Report.Author != "" {
		s += " by " + r.Report.Author
	}
	if !r.Report.Heard {
		s += ", only noted"
	}
	return s
}

// todo says what to do, one line for each outcome that keeps the change from passing.
func (p *page) todo(r *receipt.Receipt) {
	if r.Result == verdict.Pass {
		return
	}
	p.line("")
	head := "Next      "
	say := func(format string, args ...any) {
		p.line("%s %s", head, fmt.Sprintf(format, args...))
		head = "          "
	}
	if ofTheWhole(r) {
		say("%s", Line(nextLine(r)))
	}
	for _, o := range open(r) {
		say("%s: %s, %s [%s]", Line(o.ID), Line(nextCell(o)), Line(adviceFor(r, o)), Line(o.Code))
	}
	if r.MayRetry {
		say("The run may be started again.")
	}
}

// nextLine is the one next action of the whole, where the outcomes do not say it.
func nextLine(r *receipt.Receipt) string {
	s := string(r.Next)
	if s == "" {
		s = string(verdict.NeedsHuman)
	}
	return s + ": " + wholeAdvice(r)
}

// origin says what judged, and how to judge again.
func (p *page) origin(r *receipt.Receipt) {
	p.line("")
	if s := contractLine(r); s != "" {
		p.line("Contract   %s", Line(s))
	}
	if r.Scope.Mode == contract.Observe {
		p.line("Mode       observe: shown, never red")
	}
	for i, n := range r.Notes {
		head := "          "
		if i == 0 {
			head = "Notes     "
		}
		p.line("%s %s", head, Line(n))
	}
	if r.Result != verdict.Error { // nothing was judged
		p.line("Outcomes   %s", Line(coverage(r)))
	}
	p.line("Receipt    %s", Line(r.Digest))
}

// coverage is the two rates in words, for any surface to escape.
func coverage(r *receipt.Receipt) string {
	if r.Coverage == nil || r.VerifiedRate == nil {
		return "nothing was expected"
	}
	return *r.VerifiedRate + " verified, " + *r.Coverage + " by a check that ran to an answer"
}

// contractLine names the judging contract, for any surface to escape.
func contractLine(r *receipt.Receipt) string {
	c := r.Contract
	if c.Path == "" || c.SHA256 == "" { // there is none, or it could not be read: the title says so
		return ""
	}
	s := c.Path
	if c.Branch != "" {
		s += " of " + c.Branch
	}
	if c.Branch == "" && c.Commit == "" {
		s += " from the workspace, of no trusted branch"
	}
	if c.Commit != "" {
		s += " at " + c.Commit[:min(len(c.Commit), 12)]
	}
	s += ", sha256 " + c.SHA256[:min(len(c.SHA256), 12)]
	if c.ChangedBySubject {
		s += ", counts as changed by this change"
	}
	return s
}

// tally counts outcomes by state word, in the order of States, for tables that leave rows out.
func tally(all []*receipt.Outcome) string {
	n := map[evidence.State]int{}
	for _, o := range all {
		n[o.State]++
	}
	var out []string
	for _, s := range append(evidence.States(), receipt.NotExpected) {
		if n[s] > 0 {
			out = append(out, fmt.Sprintf("%d %s", n[s], s))
			delete(n, s)
		}
	}
	rest := 0
	for _, k := range n {
		rest += k
	}
	if rest > 0 {
		out = append(out, fmt.Sprintf("%d without a known state", rest))
	}
	return strings.Join(out, ", ")
}

// Table is rows under a head as aligned text, every cell inert, without colour.
func Table(rows [][]string) string {
	var p page
	cells := make([][]cell, len(rows))
	for i, row := range rows {
		for _, s := range row {
			cells[i] = append(cells[i], cell{s: Line(s)})
		}
	}
	p.table(cells)
	return unstart(p.b.String())
}
