package report

import (
	"bytes"
	"strings"
)

// probe tries to read one construct of inline Markdown or HTML at i. Each method reports whether it could; after
// a failure i is where it became clear, so that the cost of trying is known.
type probe struct {
	src   []byte
	i, to int

	// Of a tag that was read:
	name           string // in lower case
	closing, empty bool   // </name>, <name/>
}

func (p *probe) peek() byte {
	if p.i < p.to {
		return p.src[p.i]
	}
	return 0
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func (p *probe) spaces() bool {
	from := p.i
	for p.i < p.to && isSpace(p.src[p.i]) {
		p.i++
	}
	return p.i > from
}

// past moves behind the next c.
func (p *probe) past(c byte) bool {
	k := bytes.IndexByte(p.src[p.i:p.to], c)
	if k < 0 {
		p.i = p.to
		return false
	}
	p.i += k + 1
	return true
}

// while moves over bytes that ok accepts.
func (p *probe) while(ok func(byte) bool) bool {
	from := p.i
	for p.i < p.to && ok(p.src[p.i]) {
		p.i++
	}
	return p.i > from
}

// tag reads an open or closing tag: by the grammar of CommonMark, or with html by the more lenient one in
// which HTML readers agree (any attribute name, a slash between attributes).
func (p *probe) tag(html bool) bool {
	p.i++
	if p.closing = p.peek() == '/'; p.closing {
		p.i++
	}
	from := p.i
	if !letter(p.peek()) {
		return false
	}
	p.while(func(c byte) bool {
		if html {
			return !isSpace(c) && c != '/' && c != '>' && c != '<' && c != 0
		}
		return letter(c) || digit(c) || c == '-'
	})
	p.name = strings.ToLower(string(p.src[from:min(p.i, from+maxTagName)]))
	for {
		spaced := p.spaces()
		switch p.peek() {
		case '>':
			p.i++
			return true
		case '/':
			p.i++
			if p.empty = p.peek() == '>'; p.closing || !html && !p.empty {
				return false
			}
			continue
		}
		if p.closing || !spaced && p.src[p.i-1] != '/' || !p.attribute(html) {
			return false
		}
	}
}

func (p *probe) attribute(html bool) bool {
	if c := p.peek(); !html && !letter(c) && c != '_' && c != ':' {
		return false
	}
	named := p.while(func(c byte) bool {
		if html {
			return !isSpace(c) && c != 0 && strings.IndexByte(`"'<>/=`, c) < 0
		}
		return letter(c) || digit(c) || c == '_' || c == ':' || c == '.' || c == '-'
	})
	if !named {
		return false
	}
	after := p.i
	if p.spaces(); p.peek() != '=' {
		p.i = after
		return true
	}
	p.i++
	p.spaces()
	switch c := p.peek(); c {
	case '"', '\'':
		p.i++
		return p.past(c)
	default:
		stop := `"'<>=` + "`"
		if html {
			stop = `"'<>` // a = or a backtick is an error that changes nothing
		}
		return p.while(func(c byte) bool { return !isSpace(c) && strings.IndexByte(stop, c) < 0 })
	}
}

// label reads "[text]", the label of a link's definition; p.i is at the bracket.
func (p *probe) label() bool {
	p.i++
	text := false
	for from := p.i; p.i < p.to && p.i-from <= 999; p.i++ {
		switch c := p.src[p.i]; {
		case c == '[':
			return false
		case c == ']':
			p.i++
			return text
		case c == '\\' && p.i+1 < p.to && punctuation(p.src[p.i+1]):
			p.i++
			text = true
		case !isSpace(c):
			text = true
		}
	}
	return false
}

// destination reads where a link leads: "<anything>", or text without white space whose parentheses match.
// angled says which.
func (p *probe) destination() (angled, ok bool) {
	if p.peek() == '<' {
		for p.i++; p.i < p.to; p.i++ {
			switch c := p.src[p.i]; c {
			case '>':
				p.i++
				return true, true
			case '<', '\n', '\r':
				return true, false
			case '\\':
				if p.i+1 < p.to && punctuation(p.src[p.i+1]) {
					p.i++
				}
			}
		}
		return true, false
	}
	from, open := p.i, 0
	for ; p.i < p.to; p.i++ {
		switch c := p.src[p.i]; {
		case c <= ' ' || c == 0x7f:
			return false, p.i > from && open == 0
		case c == '\\' && p.i+1 < p.to && punctuation(p.src[p.i+1]):
			p.i++
		case c == '(':
			if open++; open > maxParens {
				return false, false
			}
		case c == ')':
			if open == 0 {
				return false, p.i > from
			}
			open--
		}
	}
	return false, p.i > from && open == 0
}

const maxParens = 32 // as the reference implementation

// title reads a link's title in quotes or parentheses.
func (p *probe) title() bool {
	end := p.peek()
	switch end {
	case '"', '\'':
	case '(':
		end = ')'
	default:
		return false
	}
	for p.i++; p.i < p.to; p.i++ {
		switch c := p.src[p.i]; {
		case c == end:
			p.i++
			return true
		case c == '(' && end == ')':
			return false
		case c == '\\' && p.i+1 < p.to && punctuation(p.src[p.i+1]):
			p.i++
		}
	}
	return false
}

// punctuation says which characters a backslash escapes.
func punctuation(c byte) bool {
	return c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~'
}
