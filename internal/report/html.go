package report

import (
	"bytes"
	"strings"
)

// markup is what the raw HTML so far leaves open. A comment, an attribute or an element that a block opens and does not
// close swallows the blocks after it, fences too, and readers differ on where that ends: then nothing more counts as
// visible. Only a quotation may reach over blocks.
type markup struct {
	dead    bool   // nothing more counts
	element string // the element whose content is not shown, "" none
	depth   int    // how often that element is open
	quoted  int    // how many blockquote elements are open: they quote as much as Markdown's own
}

func (m *markup) hidden() bool { return m.dead || m.element != "" || m.quoted > 0 }

// blockEnd takes the end of a block.
func (m *markup) blockEnd() { m.dead = m.dead || m.element != "" }

// tag takes a tag's name. Elements whose content a browser or GitHub's sanitizer does not show hide what is
// inside.
func (m *markup) tag(name string, closing, empty, inline bool) {
	switch {
	case m.element != "" && name == m.element && closing:
		if m.depth--; m.depth == 0 {
			m.element = ""
		}
	case m.element != "" && name == m.element:
		m.depth++
	case m.element != "":
		// GitHub's tag filter shows the content of some of these, and then what is in it counts.
		m.dead = m.dead || hides(name, false)
	case name == "blockquote" && closing:
		m.quoted = max(0, m.quoted-1)
	case name == "blockquote":
		m.quoted++
	case !closing && hides(name, inline) && !(empty && (name == "svg" || name == "math")):
		m.element, m.depth = name, 1
	}
}

func hides(name string, inline bool) bool {
	switch name {
	case "audio", "canvas", "datalist", "dialog", "head", "math", "noscript", "object", "select", "svg", "template", "video":
		return true
	case "iframe", "noembed", "noframes", "plaintext", "script", "style", "textarea", "title", "xmp":
		// GitHub shows these as text (the tag filter of GFM), so that a careless mention in prose hides nothing.
		return !inline
	}
	return false
}

// startsHTML gives the start condition, 1 to 7, of the HTML block that begins with the line, or 0. The
// seventh cannot interrupt a paragraph.
func startsHTML(line []byte, inParagraph bool) int {
	switch {
	case bytes.HasPrefix(line, []byte("<!--")):
		return 2
	case bytes.HasPrefix(line, []byte("<?")):
		return 3
	case bytes.HasPrefix(line, []byte("<![CDATA[")):
		return 5
	case bytes.HasPrefix(line, []byte("<!")) && len(line) > 2 && letter(line[2]):
		return 4
	}
	closing := len(line) > 1 && line[1] == '/'
	from := 1
	if closing {
		from = 2
	}
	to := from
	for to < len(line) && (letter(line[to]) || to > from && (digit(line[to]) || line[to] == '-')) {
		to++
	}
	name := strings.ToLower(string(line[from:min(to, from+maxTagName)]))
	ends := to == len(line) || strings.IndexByte(" \t\v\f>", line[to]) >= 0
	switch {
	case name == "":
		return 0
	case !closing && ends && verbatim(name):
		return 1
	case (ends || bytes.HasPrefix(line[to:], []byte("/>"))) && blockElement(name):
		return 6
	case inParagraph:
		return 0
	}
	p := probe{src: line, to: len(line)}
	if p.tag(false) && len(bytes.TrimSpace(line[p.i:])) == 0 {
		return 7
	}
	return 0
}

const maxTagName = 16 // longer than every name that means something here

func verbatim(name string) bool {
	return name == "script" || name == "pre" || name == "style" || name == "textarea"
}

// endsHTML reports whether the line ends an HTML block of start condition 1 to 5.
func endsHTML(kind int, line []byte) bool {
	switch kind {
	case 1:
		line = bytes.ToLower(line)
		for _, end := range []string{"</script>", "</pre>", "</style>", "</textarea>"} {
			if bytes.Contains(line, []byte(end)) {
				return true
			}
		}
		return false
	case 2:
		return bytes.Contains(line, []byte("-->"))
	case 3:
		return bytes.Contains(line, []byte("?>"))
	case 4:
		return bytes.IndexByte(line, '>') >= 0
	default:
		return bytes.Contains(line, []byte("]]>"))
	}
}

// blockElement knows the names of start condition 6; source was one of them until version 0.30.
func blockElement(name string) bool {
	switch name {
	case "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col",
		"colgroup", "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure",
		"footer", "form", "frame", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr",
		"html", "iframe", "legend", "li", "link", "main", "menu", "menuitem", "nav", "noframes", "ol",
		"optgroup", "option", "p", "param", "search", "section", "source", "summary", "table", "tbody", "td",
		"tfoot", "th", "thead", "title", "tr", "track", "ul":
		return true
	}
	return false
}

// raw takes an HTML block, src[from:to]. Its tags and comments are hidden, its text is visible. What HTML
// readers understand differently ends all visibility.
func (s *scanner) raw(from, to int) {
	m := &s.markup
	i, hideFrom := from, -1
	if m.hidden() {
		hideFrom = from
	}
	for i < to && !m.dead {
		k := bytes.IndexByte(s.src[i:to], '<')
		if k < 0 {
			break
		}
		j := i + k
		i = s.rawToken(j, to)
		switch {
		case m.hidden() && hideFrom < 0:
			hideFrom = j
		case !m.hidden() && hideFrom >= 0:
			s.hide(hideFrom, i)
			hideFrom = -1
		}
	}
	if hideFrom >= 0 {
		s.hide(hideFrom, to)
	}
	s.steps += to - from
}

// rawToken takes what begins with the < at j and gives where the text goes on.
func (s *scanner) rawToken(j, to int) int {
	rest := s.src[j:to]
	next := byte(0)
	if len(rest) > 1 {
		next = rest[1]
	}
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		return s.rawComment(j, to)
	case next == '!' || next == '?':
		until := ">"
		if next == '?' {
			until = "?>"
		} else if bytes.HasPrefix(rest, []byte("<![CDATA[")) {
			until = "]]>"
		}
		k := bytes.Index(rest, []byte(until))
		if k < 0 || bytes.IndexByte(rest, '>') < k {
			s.markup.dead = true // browsers end it at the first >
			return to
		}
		s.hide(j, j+k+len(until))
		return j + k + len(until)
	case next == '/' || letter(next):
		p := probe{src: s.src, i: j, to: to}
		ok := p.tag(true)
		s.steps += p.i - j
		if !ok {
			s.markup.dead = true
			return to
		}
		s.shown = true
		s.hide(j, p.i)
		s.markup.tag(p.name, p.closing, p.empty, false)
		return p.i
	default:
		return j + 1
	}
}

// rawComment hides the comment that begins at j and gives where it ends.
func (s *scanner) rawComment(j, to int) int {
	body := s.src[j+len("<!--") : to]
	k := bytes.Index(body, []byte("-->"))
	// The others end a comment for some readers only.
	if k < 0 || bytes.HasPrefix(body, []byte(">")) || bytes.HasPrefix(body, []byte("->")) || bytes.Contains(body[:k], []byte("--!>")) {
		s.markup.dead = true
		return to
	}
	end := j + len("<!--") + k + len("-->")
	s.hide(j, end)
	return end
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

func runLength(b []byte, c byte) int {
	n := 0
	for n < len(b) && b[n] == c {
		n++
	}
	return n
}

// underlines reports whether the line makes a heading of the paragraph above it.
func underlines(line []byte) bool {
	if line[0] != '=' && line[0] != '-' {
		return false
	}
	return len(bytes.Trim(line[runLength(line, line[0]):], " \t")) == 0
}

// footnote gives the length of the mark that begins a footnote, "[^name]:", or 0.
func footnote(line []byte) int {
	if !bytes.HasPrefix(line, []byte("[^")) {
		return 0
	}
	k := bytes.IndexAny(line, "] \t\x00")
	if k <= 2 || !bytes.HasPrefix(line[k:], []byte("]:")) {
		return 0
	}
	return k + 2
}
