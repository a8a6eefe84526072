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
)

// container is an open block that holds others.
type container struct {
	width int  // columns that a line of it is indented, relative to its parent
	quote bool // a block quote
	note  bool // a footnote's text; otherwise it is a list item
	empty bool // nothing but its marker so far
}

// scanner walks over the lines of a text as a CommonMark reader does (spec 0.31.2, with GitHub's footnotes and
// tables) and finds what is visible. It builds no tree: it keeps the open containers and one open leaf.
// What is inside block quotes and footnotes is not looked at for reports: the first is somebody else's, the second
// is not shown unless something refers to it.
type scanner struct {
	src    []byte
	seen   []byte // src with everything a reader does not see, fences and quotes blanked
	inside []container
	quotes []int // which of them are quotes, so that a blank line finds the first of them at once
	aside  int   // how many of them are quotes or footnotes
	leaf   leaf
	from   int // where the open leaf's text begins and ends so far
	to     int
	quoted []byte // inside a quote the text of the open paragraph or HTML block, without the quote's marks

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
	if n < len(s.inside) || !s.continues(c, b, next) {
		s.starts(c, n, b, next)
	}
	if s.aside > 0 {
		s.blank(b, next)
		s.shown = true
	}
}

// match counts the open containers that the line belongs to, by its indentation and its quote marks.
func (s *scanner) match(c *cursor) int {
	quotes := 0
	for i, in := range s.inside {
		switch {
		case in.quote && c.quoteMark():
			quotes++
		case in.quote:
			return i
		case c.blank():
			return s.matchBlank(quotes)
		case c.indent() < in.width:
			return i
		default:
			c.base += in.width
		}
	}
	if n := len(s.inside); n > 0 && !c.blank() {
		s.inside[n-1].empty = false
	}
	return len(s.inside)
}

// matchBlank counts the containers that a blank line belongs to: all up to the next quote. But an item cannot
// begin with two blank lines.
func (s *scanner) matchBlank(quotes int) int {
	if quotes < len(s.quotes) {
		return s.quotes[quotes]
	}
	n := len(s.inside)
	if s.inside[n-1].empty {
		return n - 1
	}
	return n
}

// continues reports whether the line, which belongs to all open containers, was taken by the open leaf.
func (s *scanner) continues(c *cursor, b, next int) bool {
	switch s.leaf {
	case fence:
		closed := c.indent() < 4 && s.closesFence(c)
		s.blank(b, next)
		if closed {
			s.closeLeaf()
		} else {
			s.to = next
		}
		return true
	case rawHTML:
		if s.kind >= 6 && c.blank() {
			break
		}
		s.extend(c, next)
		if s.kind < 6 && endsHTML(s.kind, s.src[c.at:c.end]) {
			s.closeLeaf()
		}
		return true
	case code:
		if c.blank() || c.indent() >= 4 {
			s.hideIfHidden(b, next)
			return true
		}
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

// starts opens the blocks that begin on the line, of which the first n open containers are continued, and takes
// the rest of it.
func (s *scanner) starts(c *cursor, n, b, next int) {
	within := n == len(s.inside) // nothing is closed or opened by this line so far
	lazy := s.leaf == paragraph
	for !c.blank() && c.indent() < 4 {
		if s.startsLeaf(c, n, within && lazy, lazy, next) {
			return
		}
		in, ok := s.startsContainer(c, within && lazy)
		if !ok {
			break
		}
		s.close(n)
		s.push(in)
		n, within, lazy = n+1, true, false
	}
	switch {
	case c.blank():
		s.close(n)
	case lazy: // a plain line continues a paragraph, even that of a container it does not belong to
		s.extend(c, next)
	case c.indent() >= 4:
		s.open(code, n, c, next)
		s.hideIfHidden(b, next)
	default:
		s.open(paragraph, n, c, next)
	}
}

// startsContainer takes the mark of a container at c, if there is one.
func (s *scanner) startsContainer(c *cursor, inParagraph bool) (container, bool) {
	if c.quoteMark() {
		return container{quote: true}, true
	}
	if k := footnote(c.src[c.at:c.end]); k > 0 {
		c.take(k)
		c.base = c.col
		return container{note: true, width: 4}, true
	}
	return c.listMark(inParagraph)
}

// startsLeaf opens the leaf that begins at c, if one does. Some cannot begin in a paragraph, and some not where
// a plain line would continue one.
func (s *scanner) startsLeaf(c *cursor, n int, inParagraph, lazy bool, next int) bool {
	rest := c.src[c.at:c.end]
	switch rest[0] {
	case '#':
		if k := runLength(rest, '#'); k <= 6 && (k == len(rest) || rest[k] == ' ' || rest[k] == '\t') {
			s.open(paragraph, n, c, next)
			s.closeLeaf()
			return true
		}
	case '`', '~':
		if s.opensFence(c, n, next) {
			return true
		}
	case '<':
		if kind := startsHTML(rest, lazy); kind > 0 {
			s.open(rawHTML, n, c, next)
			s.kind = kind
			if kind < 6 && endsHTML(kind, rest) {
				s.closeLeaf()
			}
			return true
		}
	}
	if inParagraph && underlines(rest) && !s.onlyDefinitions() || s.isRule(c) {
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
	s.open(fence, n, c, next)
	s.from = next
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

// open closes what the line does not continue and begins a leaf in the n-th container.
func (s *scanner) open(kind leaf, n int, c *cursor, next int) {
	s.close(n)
	s.leaf, s.from, s.quoted = kind, c.at, s.quoted[:0]
	s.extend(c, next)
}

// extend adds the rest of the line to the open leaf.
func (s *scanner) extend(c *cursor, next int) {
	s.to = next
	if len(s.quotes) > 0 && s.leaf != fence {
		s.quoted = append(s.quoted, s.src[c.at:next]...)
	}
}

// close closes the open leaf and all but the first n containers.
func (s *scanner) close(n int) {
	s.closeLeaf()
	for _, in := range s.inside[n:] {
		if in.quote {
			s.quotes = s.quotes[:len(s.quotes)-1]
		}
		if in.quote || in.note {
			s.aside--
			// What hides here swallows the end of the quote too, and then the quote never ends.
			s.markup.dead = s.markup.dead || s.markup.hidden()
		}
	}
	s.inside = s.inside[:n]
}

func (s *scanner) push(in container) {
	if in.quote {
		s.quotes = append(s.quotes, len(s.inside))
	}
	if in.quote || in.note {
		s.aside++
	}
	s.inside = append(s.inside, in)
}

func (s *scanner) closeLeaf() {
	kind := s.leaf
	s.leaf = noLeaf
	switch kind {
	case paragraph, rawHTML:
		if len(s.quotes) == 0 {
			s.content(kind, s.from, s.to)
			break
		}
		// What is quoted is not looked at, but a tag or comment in it may reach beyond.
		sub := &scanner{src: s.quoted, seen: bytes.Clone(s.quoted), markup: s.markup}
		sub.content(kind, 0, len(s.quoted))
		s.markup, s.steps = sub.markup, s.steps+sub.steps
	case fence:
		if s.label != otherLabel && s.aside == 0 && !s.markup.hidden() {
			s.fences = append(s.fences, fenced{from: s.from, to: s.to, label: s.label})
		}
	}
}

// content takes the whole text of a paragraph or HTML block.
func (s *scanner) content(kind leaf, from, to int) {
	if kind == rawHTML {
		s.raw(from, to)
	} else {
		s.text(from, to)
	}
	s.markup.blockEnd()
}

// onlyDefinitions reports whether the open paragraph holds nothing but link definitions: such a paragraph becomes no
// heading.
func (s *scanner) onlyDefinitions() bool {
	p := probe{src: s.src, i: s.from, to: s.to}
	if len(s.quotes) > 0 {
		p = probe{src: s.quoted, to: len(s.quoted)}
	}
	s.steps += p.to - p.i
	for p.i < p.to {
		if !p.definition() {
			return false
		}
	}
	return true
}

func (s *scanner) hideIfHidden(from, to int) {
	if s.markup.hidden() {
		s.hide(from, to)
	}
}

// hide blanks what a reader does not see.
func (s *scanner) hide(from, to int) {
	for i := from; i < to; i++ {
		if c := s.seen[i]; c != '\n' && c != '\r' && c != 0 {
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
