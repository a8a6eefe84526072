package claims

import (
	"bytes"

	"github.com/outcome-gate/outcome-gate/internal/report"
)

// page reads one text, block by block: a paragraph, a heading, a list item, a row of a table. What a block above says of
// the ones below it (that they are a plan, that their box is not checked) is carried on.
type page struct {
	f    *finder
	src  []byte // visible text, see report.Prose
	from Source

	plan     bool // the heading above announces what is to be done, or what was before
	aside    bool // so does the line above, for the items or the one block behind it
	listed   bool // an item stood behind that line already
	open     int  // what is indented further belongs to a box that is not checked; -1 none
	rowPlan  bool // the table's head does
	inTable  bool
	sentence sentence
	spans    []span // code spans of the block
	dull     int    // up to here no word begins: a run of marks is passed once
}

type span struct{ from, to int }

// blockKind is what a block of text is.
type blockKind int

const (
	paragraph blockKind = iota
	heading
	listItem
	tableRow
)

// box is a task list's box.
type box int

const (
	noBox box = iota
	checked
	unchecked
)

// block is a run of lines.
type block struct {
	from, to int
	kind     blockKind
	indent   int // columns before its mark
	box      box
}

func (p *page) read() {
	p.open = -1
	var b block
	begun := false
	end := func() {
		if begun {
			p.block(b)
		}
		begun = false
	}
	for at := 0; at < len(p.src); {
		stop, next := line(p.src, at)
		p.f.out.steps += next - at
		text := stop
		if k := bytes.IndexByte(p.src[at:stop], report.Barrier); k >= 0 {
			text = at + k
		}
		start, kind, continues := p.startOf(at, text)
		switch {
		case start.from == text: // blank
			end()
		case !begun || !continues:
			end()
			b, begun = start, true
			b.kind, b.to = kind, text
		default:
			b.to = text
		}
		if text < stop || begun && b.kind != paragraph && b.kind != listItem {
			end()
		}
		if start.from == text && text == stop {
			p.inTable, p.rowPlan = false, false
		}
		at = next
	}
	end()
}

// line gives where the line at b ends, and where the next one begins.
func line(src []byte, b int) (stop, next int) {
	k := bytes.IndexAny(src[b:], "\r\n")
	if k < 0 {
		return len(src), len(src)
	}
	stop = b + k
	if src[stop] == '\r' && stop+1 < len(src) && src[stop+1] == '\n' {
		return stop, stop + 2
	}
	return stop, stop + 1
}

// startOf says what kind of block the line would begin, and whether it continues a paragraph instead.
func (p *page) startOf(at, to int) (b block, kind blockKind, continues bool) {
	i := at
	for i < to && (p.src[i] == ' ' || p.src[i] == '\t') {
		i++
	}
	b = block{from: i, indent: i - at}
	if i == to {
		return b, paragraph, true
	}
	switch c := p.src[i]; {
	case c == '#':
		k := i
		for k < to && p.src[k] == '#' {
			k++
		}
		if k-i <= 6 && k < to && p.src[k] == ' ' {
			b.from = k
			return b, heading, false
		}
	case c == '|':
		return b, tableRow, false
	}
	if k := listMark(p.src[i:to]); k > 0 {
		b.from = i + k
		b.box, k = boxAt(p.src[b.from:to])
		b.from += k
		return b, listItem, false
	}
	return b, paragraph, true
}

// listMark is the length of a list item's mark with the blanks behind it, 0 if there is none.
func listMark(l []byte) int {
	k := 0
	switch c := l[0]; {
	case c == '-' || c == '*' || c == '+':
		k = 1
	case c >= '0' && c <= '9':
		for k < len(l) && k < 9 && l[k] >= '0' && l[k] <= '9' {
			k++
		}
		if k == len(l) || l[k] != '.' && l[k] != ')' {
			return 0
		}
		k++
	default:
		return 0
	}
	n := k
	for n < len(l) && (l[n] == ' ' || l[n] == '\t') {
		n++
	}
	if n == k {
		return 0
	}
	return n
}

// boxAt reads a task list's box. What is neither empty nor checked as GitHub checks it is not checked.
func boxAt(l []byte) (is box, length int) {
	if len(l) < 3 || l[0] != '[' {
		return noBox, 0
	}
	k := bytes.IndexByte(l[:min(len(l), 6)], ']')
	if k < 0 {
		return noBox, 0
	}
	switch in := string(l[1:k]); {
	case in == "x" || in == "X":
		return checked, k + 1
	case k == 1 || in == " " || len(in) == 1 && !letterOrDigit(in[0]) || in[0] >= 0x80:
		return unchecked, k + 1
	}
	return noBox, 0
}

func letterOrDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// block reads one block.
func (p *page) block(b block) {
	if b.to-b.from > maxBlock {
		p.f.out.Unread++
		return
	}
	text := p.src[b.from:b.to]
	if b.kind != tableRow {
		p.inTable, p.rowPlan = false, false
	}
	quiet := p.quiet(b)
	p.f.out.steps += len(text)
	p.scan(b.from, b.to, quiet, b)
	words := p.plans(text)
	switch {
	case b.kind == heading || b.kind == paragraph && isBold(text):
		p.plan, p.aside = words, false
	case b.kind == tableRow && !p.inTable:
		p.inTable, p.rowPlan = true, words
	case b.kind == tableRow:
	case endsInColon(text):
		p.aside, p.listed = words, false
	case b.kind == listItem:
		p.listed = true
	default:
		p.aside = false
	}
}

// quiet says whether what surrounds the block keeps it from claiming a success.
func (p *page) quiet(b block) bool {
	if b.kind == paragraph && p.listed && b.indent == 0 || b.kind == heading {
		p.aside, p.listed = false, false
	}
	if b.kind == heading || b.indent <= p.open {
		p.open = -1
	}
	inOpen := p.open >= 0 && b.indent > p.open
	if b.box == unchecked && !inOpen {
		p.open = b.indent
	}
	switch {
	case b.box == unchecked || inOpen:
		return true
	case b.box == checked: // in a plan, what is checked is done
		return false
	case b.kind == heading:
		return p.plans(p.src[b.from:b.to])
	}
	return p.plan || p.aside || p.inTable && p.rowPlan
}

// plans says whether a text announces what is to be done, what was before, or an example.
func (p *page) plans(text []byte) bool {
	if len(text) > 2*maxQuote {
		return false
	}
	p.f.out.steps += len(text)
	for i := 0; i < len(text); {
		if !letterOrDigit(text[i]) {
			i++
			continue
		}
		k := i
		for k < len(text) && (letterOrDigit(text[k]) || text[k] == '-' || text[k] == '\'') {
			k++
		}
		if c := meaning(text[i:k]); c&(clsPlan|clsHedge) != 0 {
			return true
		}
		i = k
	}
	return false
}

// isBold says whether a paragraph is nothing but bold words: a heading by its looks.
func isBold(text []byte) bool {
	text = bytes.TrimSuffix(bytes.TrimSpace(text), []byte(":"))
	return len(text) > 4 && len(text) <= maxQuote && (bytes.HasPrefix(text, []byte("**")) && bytes.HasSuffix(text, []byte("**")) ||
		bytes.HasPrefix(text, []byte("__")) && bytes.HasSuffix(text, []byte("__")))
}

func endsInColon(text []byte) bool {
	text = bytes.TrimRight(text, " \t*_")
	return bytes.HasSuffix(text, []byte(":")) || bytes.HasSuffix(text, []byte("："))
}
