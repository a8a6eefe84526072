package report

import (
	"bytes"
	"strings"
)

// maxTries bounds what failed attempts at tags and links may cost in one paragraph, as a multiple of its
// length. Only texts written to be slow reach it, and of those nothing more counts as visible.
const maxTries = 16

// text takes the text of a paragraph or heading, src[from:to], and hides what a reader does not see of it:
// comments, tags, definitions of links, where a link leads, the text of an image.
func (s *scanner) text(from, to int) {
	s.spans(s.definitions(from, to), to)
	// A table's cells are paragraphs of their own. What may be a table is read both ways, and what one of them
	// hides is hidden.
	if !hasDelimiterRow(s.src[from:to]) {
		return
	}
	for b := from; b < to; {
		e, next := lineEnd(s.src[:to], b)
		for i := b; i <= e; i++ {
			if i == e || s.src[i] == '|' && (i == b || s.src[i-1] != '\\') {
				s.spans(b, i)
				b = i + 1
			}
		}
		b = next
	}
}

// hasDelimiterRow reports whether a line may part a table's header from its rows.
func hasDelimiterRow(text []byte) bool {
	if bytes.IndexByte(text, '|') < 0 && !bytes.Contains(text, []byte(":-")) && !bytes.Contains(text, []byte("-:")) {
		return false
	}
	for b := 0; b < len(text); {
		e, next := lineEnd(text, b)
		line := text[b:e]
		if b > 0 && len(bytes.Trim(line, "|:- \t")) == 0 && bytes.IndexByte(line, '-') >= 0 {
			return true
		}
		b = next
	}
	return false
}

// definitions hides the link definitions at the start of a paragraph and gives where its text begins.
func (s *scanner) definitions(from, to int) int {
	for from < to {
		p := probe{src: s.src, i: from, to: to}
		if !p.definition() {
			s.steps += p.i - from
			break
		}
		s.steps += p.i - from
		s.hide(from, p.i)
		from = p.i
	}
	return from
}

// definition reads one link definition up to the end of its line.
func (p *probe) definition() bool {
	p.spaces()
	if p.peek() != '[' || !p.label() || p.peek() != ':' {
		return false
	}
	p.i++
	p.spaces()
	if _, ok := p.destination(); !ok {
		return false
	}
	bare := probe{src: p.src, i: p.i, to: p.to}
	if spaced := p.spaces(); spaced && p.title() && p.restBlank() {
		return true
	}
	// Without a title that fills the line, the line must end after the destination.
	if !bare.restBlank() {
		return false
	}
	p.i = bare.i
	return true
}

// restBlank moves to the next line if nothing is left on this one.
func (p *probe) restBlank() bool {
	e, next := lineEnd(p.src[:p.to], p.i)
	if len(bytes.Trim(p.src[p.i:e], " \t")) > 0 {
		return false
	}
	p.i = next
	return true
}

// spans reads inline text from left to right. Code spans, tags and comments bind strongest, whichever comes
// first.
func (s *scanner) spans(from, to int) {
	m := &s.markup
	s.steps += to - from
	hideFrom := -1
	if m.hidden() {
		hideFrom = from
	}
	tries := maxTries*(to-from) + 1024
	var runs *ticks // found at the first backtick
	var l links
	for i := from; i < to && !m.dead; {
		at, cost := i, 0
		switch s.src[i] {
		case '\\':
			if i++; i < to && punctuation(s.src[i]) {
				i++
			}
		case '`':
			if runs == nil {
				runs = findTicks(s.src[:to], i)
			}
			i = runs.skip(i)
		case '<':
			i, cost = s.inlineHTML(i, to)
		case '!':
			if i++; i < to && s.src[i] == '[' {
				l.open = append(l.open, ^i)
				i++
			}
		case '[':
			l.open = append(l.open, i)
			i++
		case ']':
			i, cost = s.closeBracket(&l, i+1, to)
		default:
			for i++; i < to && plain(s.src[i]); {
				i++
			}
		}
		if tries -= cost; tries < 0 {
			m.dead = true
		}
		s.steps += cost
		switch {
		case m.hidden() && hideFrom < 0:
			hideFrom = at
		case !m.hidden() && hideFrom >= 0:
			s.hide(hideFrom, i)
			hideFrom = -1
		}
	}
	if hideFrom >= 0 {
		s.hide(hideFrom, to)
	}
	for _, im := range l.images {
		s.hide(im[0], im[1])
	}
}

// links knows the brackets of a paragraph.
type links struct {
	open   []int    // where they open; those of images as the complement
	linked int      // open brackets below this one cannot become links: they hold one
	images [][2]int // where images are, none inside another
}

// closeBracket takes what follows the closing bracket before i and gives where the text goes on, and what finding
// out cost.
func (s *scanner) closeBracket(l *links, i, to int) (end, cost int) {
	if len(l.open) == 0 {
		return i, 0
	}
	last := len(l.open) - 1
	at := l.open[last]
	image := at < 0
	l.open = l.open[:last]
	end = i
	if image || last >= l.linked {
		end, cost = s.linkTail(i, to)
	}
	if end > i && !image {
		l.linked = last
	}
	l.linked = min(l.linked, last)
	if image {
		at = ^at
		for len(l.images) > 0 && l.images[len(l.images)-1][0] > at {
			l.images = l.images[:len(l.images)-1]
		}
		l.images = append(l.images, [2]int{at, end})
	}
	return end, cost
}

// plain says that nothing begins or ends at the character.
func plain(c byte) bool {
	return c > '`' || c < '[' && c != '!' && c != '<' || c == '^' || c == '_'
}

// linkTail hides `(destination "title")` at i and gives where it ends, or i if there is none; and what the
// attempt cost.
func (s *scanner) linkTail(i, to int) (end, cost int) {
	p := probe{src: s.src, i: i, to: to}
	if p.peek() != '(' {
		return i, 0
	}
	p.i++
	p.spaces()
	plain := p.i
	angled, ok := p.destination()
	if p.peek() == ')' && !ok && !angled {
		ok = true // an empty destination
	}
	if ok {
		if angled {
			plain = p.i
		}
		if p.spaces() {
			switch p.peek() {
			case '"', '\'', '(':
				ok = p.title()
				p.spaces()
			}
		}
	}
	if !ok || p.peek() != ')' {
		return i, p.i - i
	}
	p.i++
	// Whether this is a link may hang on definitions further down. Where it decides what else is code or a tag,
	// nothing more is sure.
	if bytes.ContainsAny(s.src[plain:p.i], "`<") {
		s.markup.dead = true
	}
	s.hide(i, p.i)
	return p.i, p.i - i
}

// inlineHTML hides the tag, comment, instruction or declaration that begins at i and gives where it ends, or the
// next byte if there is none; and what the attempt cost.
func (s *scanner) inlineHTML(i, to int) (end, cost int) {
	rest := s.src[i:to]
	if len(rest) < 3 || rest[1] <= ' ' || rest[1] == '<' {
		return i + 1, 0
	}
	if rest[1] != '!' && rest[1] != '?' {
		return s.inlineTag(i, to)
	}
	for _, kind := range []struct{ open, end string }{{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}, {"<!", ">"}} {
		if !bytes.HasPrefix(rest, []byte(kind.open)) {
			continue
		}
		body := rest[len(kind.open):]
		k := bytes.Index(body, []byte(kind.end))
		switch {
		case kind.open == "<!" && (len(body) == 0 || !letter(body[0])):
			return i + 1, 1
		case k < 0:
			return i + 1, len(body)
		case kind.open != "<!--":
		case bytes.HasPrefix(body, []byte(">")):
			k = 1 - len(kind.end) // "<!-->" is a whole comment
		case bytes.HasPrefix(body, []byte("->")):
			k = 2 - len(kind.end)
		case bytes.Contains(body[:k], []byte("--")) && bytes.ContainsAny(body[:k], "`<"):
			s.markup.dead = true // older readers take it for text, and then other spans begin in it
		}
		end = i + len(kind.open) + k + len(kind.end)
		s.hide(i, end)
		return end, end - i
	}
	return i + 1, 0
}

// inlineTag does the same for a tag and for a link in angle brackets, which is visible.
func (s *scanner) inlineTag(i, to int) (end, cost int) {
	rest := s.src[i:to]
	p := probe{src: s.src, i: i, to: to}
	if p.tag(false) {
		s.shown = true
		s.hide(i, p.i)
		s.markup.tag(p.name, p.closing, p.empty, true)
		return p.i, p.i - i
	}
	cost = p.i - i
	k := bytes.IndexAny(rest[1:], "<> \t\r\n")
	if k < 0 {
		return i + 1, cost + len(rest)
	}
	if link := rest[1 : k+1]; rest[k+1] == '>' && isAutolink(link) {
		return i + k + 2, cost + k
	}
	return i + 1, cost + k
}

// isAutolink reports whether text in angle brackets is a link to itself: an address with a scheme, or one of a
// mailbox.
func isAutolink(link []byte) bool {
	if k := bytes.IndexByte(link, ':'); k >= 2 && k <= 32 && letter(link[0]) && made(link[:k], "+.-") {
		return true
	}
	k := bytes.IndexByte(link, '@')
	return k > 0 && made(link[k+1:], ".-")
}

// made reports whether text is made of letters, digits and some other characters only.
func made(text []byte, others string) bool {
	for _, c := range text {
		if !letter(c) && !digit(c) && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return true
}
