package report

import "bytes"

// label is what the info string of a fenced block says about it.
type label int

const (
	otherLabel   label = iota // some other language: neither a report nor prose
	jsonLabel                 // json, or nothing
	outcomeLabel              // outcome, or json outcome
)

// fenced is the content of a fenced block that may hold a report.
type fenced struct {
	from, to int
	label    label
}

// leaf is the kind of the block that the line before belonged to.
type leaf int

const (
	noLeaf    leaf = iota
	paragraph      // also a heading's text and a table
	code           // indented code
	fence
	rawHTML
	quote // a block quote with all that is in it
	note  // a footnote's text with all that is in it
)

// item is an open list item.
type item struct {
	width int  // columns that a line of it is indented, relative to its parent
	empty bool // nothing but its marker so far
}

// scanner walks over the lines of a text as a CommonMark reader does (spec 0.31.2, with GitHub's footnotes and
// tables) and finds what is visible. It builds no tree: it keeps the open list items and one open leaf.
// What is inside block quotes and footnotes is skipped whole: the first is somebody else's report, the second
// is not shown unless something refers to it.
type scanner struct {
	src   []byte
	seen  []byte // src with everything a reader does not see, fences and quotes blanked
	items []item
	leaf  leaf
	from  int // where the open leaf's text begins and ends so far
	to    int
	lazy  bool // quote, note: a plain line would continue a paragraph in it

	mark  byte // fence: its character, length and label
	run   int
	label label
	kind  int // rawHTML: the start condition, 1 to 7

	rule   int // a thematic break that begins before this offset of the line is known not to be one
	markup markup
	shown  bool // something that is no text is visible: a fence, a quote, a tag
	fences []fenced
	steps  int // bytes looked at; a law of the tests bounds it
}

// scan finds the visible text and the fenced blocks of src.
func scan(src []byte) *scanner {
	s := &scanner{src: src, seen: bytes.Clone(src)}
	for b := 0; b < len(src); {
		e, next := lineEnd(src, b)
		s.steps += next - b
		s.line(b, e, next)
		b = next
	}
	s.close(0)
	return s
}

// line takes the line src[b:e]; the next one begins at next.
func (s *scanner) line(b, e, next int) {
	c := &cursor{src: s.src, at: b, end: e}
	c.skip()
	s.rule = 0
	n := s.match(c)
	if n == len(s.items) && s.continues(c, b, next) {
		return
	}
	s.starts(c, n, b, next)
}

// match counts the open list items that the line belongs to by its indentation.
func (s *scanner) match(c *cursor) int {
	n := len(s.items)
	if c.blank() {
		// A blank line belongs to every item, but an item cannot begin with two of them.
		if n > 0 && s.items[n-1].empty {
			s.close(n - 1)
		}
		return len(s.items)
	}
	for i, it := range s.items {
		if c.indent() < it.width {
			return i
		}
		c.base += it.width
	}
	if n > 0 {
		s.items[n-1].empty = false
	}
	return n
}

// continues reports whether the line, which belongs to all open items, was taken by the open leaf.
func (s *scanner) continues(c *cursor, b, next int) bool {
	switch s.leaf {
	case fence:
		if c.indent() < 4 && s.closesFence(c) {
			s.blank(b, next)
			s.closeLeaf()
			return true
		}
		s.blank(b, next)
		s.to = next
		return true
	case rawHTML:
		if s.kind >= 6 && c.blank() {
			break
		}
		s.to = next
		if s.kind < 6 && endsHTML(s.kind, s.src[b:c.end]) {
			s.closeLeaf()
		}
		return true
	case code:
		if c.blank() || c.indent() >= 4 {
			s.hideIfHidden(b, next)
			return true
		}
	case note:
		if c.blank() || c.indent() >= 4 {
			s.lazy = !c.blank()
			s.blank(b, next)
			return true
		}
		return false
	}
	if c.blank() {
		s.closeLeaf()
	}
	return c.blank()
}

func (s *scanner) closesFence(c *cursor) bool {
	n := runLength(c.src[c.at:c.end], s.mark)
	return n >= s.run && len(bytes.Trim(c.src[c.at+n:c.end], " \t")) == 0
}

// starts opens the blocks that begin on the line, of which the first n open items are continued, and takes
// the rest of it.
func (s *scanner) starts(c *cursor, n, b, next int) {
	within := n == len(s.items) // nothing is closed or opened by this line so far
	lazy := s.leaf == paragraph || s.leaf >= quote && s.lazy
	for !c.blank() {
		if c.indent() >= 4 {
			if !lazy {
				s.open(code, n, c.at, next)
				s.hideIfHidden(b, next)
				return
			}
			break
		}
		if s.startsLeaf(c, n, within && s.leaf == paragraph, lazy, next) {
			return
		}
		it, ok := s.marker(c, within && s.leaf == paragraph)
		if !ok {
			break
		}
		s.close(n)
		s.items = append(s.items, it)
		n, within, lazy = n+1, true, false
	}
	switch {
	case c.blank():
		s.close(n)
	case lazy && s.leaf >= quote:
		s.blank(b, next)
	case lazy:
		s.to = next
	default:
		s.open(paragraph, n, c.at, next)
	}
}

// startsLeaf opens the leaf that begins at c, if one does. Some cannot begin in a paragraph, and some not where
// a plain line would continue one.
func (s *scanner) startsLeaf(c *cursor, n int, inParagraph, lazy bool, next int) bool {
	rest := c.src[c.at:c.end]
	switch rest[0] {
	case '>':
		s.open(quote, n, c.at, next)
		s.shown = true
		s.lazy = len(bytes.TrimLeft(rest, "> \t")) > 0
		s.blank(c.at, next)
		return true
	case '#':
		if k := runLength(rest, '#'); k <= 6 && (k == len(rest) || rest[k] == ' ' || rest[k] == '\t') {
			s.open(paragraph, n, c.at, next)
			s.closeLeaf()
			return true
		}
	case '`', '~':
		if s.opensFence(c, n, next) {
			return true
		}
	case '<':
		if kind := startsHTML(rest, lazy); kind > 0 {
			s.open(rawHTML, n, c.at, next)
			s.kind = kind
			if kind < 6 && endsHTML(kind, rest) {
				s.closeLeaf()
			}
			return true
		}
	case '[':
		if k := footnote(rest); k > 0 {
			s.open(note, n, c.at, next)
			s.lazy = true
			s.blank(c.at, next)
			return true
		}
	}
	if inParagraph && underlines(rest) || s.isRule(c) {
		s.close(n)
		return true
	}
	return false
}

func (s *scanner) opensFence(c *cursor, n, next int) bool {
	rest := c.src[c.at:c.end]
	k := runLength(rest, rest[0])
	info := rest[k:]
	if k < 3 || rest[0] == '`' && bytes.IndexByte(info, '`') >= 0 {
		return false
	}
	s.open(fence, n, next, next)
	s.shown = true
	s.mark, s.run, s.label = rest[0], k, otherLabel
	switch words := bytes.Fields(bytes.ToLower(info)); {
	case len(words) == 0,
		len(words) == 1 && string(words[0]) == "json":
		s.label = jsonLabel
	case len(words) == 1 && string(words[0]) == "outcome",
		len(words) == 2 && string(words[0]) == "json" && string(words[1]) == "outcome":
		s.label = outcomeLabel
	}
	s.blank(c.at, next)
	return true
}

// marker takes a list item's marker at c, if there is one. An empty item and a number other than 1 cannot
// interrupt a paragraph.
func (s *scanner) marker(c *cursor, inParagraph bool) (item, bool) {
	rest := c.src[c.at:c.end]
	k := 0
	switch {
	case rest[0] == '-' || rest[0] == '+' || rest[0] == '*':
		k = 1
	default:
		for k < len(rest) && k < 9 && rest[k] >= '0' && rest[k] <= '9' {
			k++
		}
		if k == 0 || k == len(rest) || rest[k] != '.' && rest[k] != ')' || inParagraph && string(rest[:k]) != "1" {
			return item{}, false
		}
		k++
	}
	after := cursor{src: c.src, at: c.at + k, end: c.end, col: c.col + k}
	after.skip()
	gap := after.col - (c.col + k)
	width := c.indent() + k + gap
	switch {
	case after.blank():
		if inParagraph {
			return item{}, false
		}
		width = c.indent() + k + 1
	case gap == 0:
		return item{}, false
	case gap > 4:
		width = c.indent() + k + 1
	}
	after.base = c.base + width
	*c = after
	return item{width: width, empty: c.blank()}, true
}

// isRule reports whether the rest of the line is a thematic break. A scan that failed is not begun again for
// the list markers inside it, which would take quadratic time.
func (s *scanner) isRule(c *cursor) bool {
	mark := c.src[c.at]
	if c.at < s.rule || mark != '-' && mark != '*' && mark != '_' {
		return false
	}
	n := 0
	for i := c.at; i < c.end; i++ {
		switch c.src[i] {
		case mark:
			n++
		case ' ', '\t':
		default:
			s.rule = i
			return false
		}
	}
	return n >= 3
}

// open closes what the line does not continue and begins a leaf in the n-th item.
func (s *scanner) open(kind leaf, n, from, to int) {
	s.close(n)
	s.leaf, s.from, s.to = kind, from, to
}

// close closes the open leaf and all but the first n items.
func (s *scanner) close(n int) {
	s.closeLeaf()
	s.items = s.items[:n]
}

func (s *scanner) closeLeaf() {
	kind := s.leaf
	s.leaf = noLeaf
	switch kind {
	case paragraph:
		s.text(s.from, s.to)
	case rawHTML:
		s.raw(s.from, s.to)
	case fence:
		if s.label != otherLabel && !s.markup.hidden() {
			s.fences = append(s.fences, fenced{from: s.from, to: s.to, label: s.label})
		}
	}
}

func (s *scanner) hideIfHidden(from, to int) {
	if s.markup.hidden() {
		s.hide(from, to)
	}
}

// hide blanks what a reader does not see.
func (s *scanner) hide(from, to int) {
	for i := from; i < to; i++ {
		if c := s.seen[i]; c != '\n' && c != '\r' {
			s.seen[i] = ' '
		}
	}
}

// blank blanks what is visible but no prose, and leaves a barrier that no JSON value reaches across.
func (s *scanner) blank(from, to int) {
	s.hide(from, to)
	if from < to {
		s.seen[from] = 0
	}
}
