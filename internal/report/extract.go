package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of one text.
const (
	maxText   = 16 << 20 // bytes; carriers are pages of text, this leaves room for a log around the report
	maxBlocks = 256      // blocks looked at in one text
)

// unfilled is the outcome of the block to fill in: a block that has it is not a report yet.
const unfilled = "…"

// block is one report block: decoded, or why it is not.
type block struct {
	at     int // offset in the text
	object map[string]any
	fault  *fault // set if it does not decode
	src    []byte // the text that offsets are in, if it is not the carrier's
	where  string // what of a wrapper it was in
}

// extraction is what one text holds.
type extraction struct {
	blocks  []block
	nothing bool // no visible text, or a placeholder that means that nothing came back
	offset  int  // bytes cut from the text's beginning
	body    []byte
	steps   int

	// Of a wrapper:
	wrapper string
	runtime Runtime
	said    []string
	exits   []Exit
}

// extractor collects the candidates of one text.
type extractor struct {
	always     bool // an object without the outcome member is a report too
	looked     int
	reports    []block
	memberless []block
	steps      int

	wrappers []Wrapper // whose objects are taken apart
	wrapper  string    // the last one found
	inner    []unwrapped
}

// extract finds the report blocks of text. With always, a JSON object is a report even without an outcome.
func extract(text string, always bool) extraction {
	x := &extractor{always: always}
	return x.extract(text)
}

func (x *extractor) extract(text string) extraction {
	body := []byte(strings.TrimPrefix(text, "\ufeff"))
	out := extraction{offset: len(text) - len(body), body: body}
	if len(body) > maxText {
		out.blocks = []block{{fault: &fault{reason: fmt.Sprintf("the text is over %d MiB", maxText>>20)}}}
		return out
	}
	whole, isWhole := x.whole(body)
	if isWhole {
		out.blocks, out.steps = whole, x.steps
		return out
	}
	s := scan(body)
	x.markdown(s)
	out.blocks = x.reports
	for _, u := range x.inner {
		out.runtime, out.said, out.exits = worse(out.runtime, u.runtime), append(out.said, u.said...), append(out.exits, u.exits...)
	}
	out.wrapper = x.wrapper
	if len(out.blocks) == 0 && x.always && len(x.inner) == 0 {
		if out.blocks = x.memberless; len(out.blocks) == 0 {
			out.blocks = whole
		}
	}
	out.steps = x.steps + s.steps
	out.nothing = !s.shown && nothing(s.seen)
	return out
}

// whole reads a text that is one JSON object. If it begins like one but is none, the second result is false and
// the first what is wrong with it, for carriers that hold nothing but a report.
func (x *extractor) whole(body []byte) ([]block, bool) {
	at := len(body) - len(bytes.TrimLeft(body, " \t\r\n"))
	if at == len(body) || body[at] != '{' {
		return nil, false
	}
	object, d := decodeObject(body, at)
	x.steps += d.i - at
	d.space()
	if d.ended || d.i < len(body) {
		d.only()
		return []block{{at: at, fault: d.fault}}, false
	}
	if d.fault != nil && !x.always && !d.sawOutcome {
		return nil, true
	}
	if object["outcome"] == unfilled {
		return nil, true
	}
	return []block{{at: at, object: object, fault: d.fault}}, true
}

// markdown reads the candidates of a scanned text. Blocks labelled outcome win over all others.
func (x *extractor) markdown(s *scanner) {
	for _, f := range s.fences {
		if f.label == outcomeLabel && !x.full(f.from) {
			x.fenced(s.src, f)
		}
	}
	if len(x.reports) > 0 || len(x.inner) > 0 {
		return
	}
	x.looked = 0
	for _, f := range s.fences {
		if f.label == jsonLabel && !x.full(f.from) {
			x.fenced(s.src, f)
		}
	}
	x.prose(s.seen)
}

// full reports whether no more blocks are looked at. What is not looked at could be a report: that is a
// fault.
func (x *extractor) full(at int) bool {
	x.looked++
	if x.looked == maxBlocks+1 {
		x.reports = append(x.reports, block{at: at, fault: &fault{at: at, reason: fmt.Sprintf("more than %d JSON blocks", maxBlocks)}})
	}
	return x.looked > maxBlocks
}

// fenced takes the content of a fenced block.
func (x *extractor) fenced(src []byte, f fenced) {
	content := src[:f.to]
	at := f.to - len(bytes.TrimLeft(content[f.from:], " \t\r\n"))
	x.steps += 2 * (f.to - f.from)
	if at == f.to || content[at] != '{' {
		if f.label == outcomeLabel {
			x.reports = append(x.reports, block{at: at, fault: &fault{at: at, reason: "expected a JSON object"}})
		}
		return
	}
	object, d := decodeObject(content, at)
	d.only()
	if d.fault != nil {
		object = nil
	}
	x.take(block{at: at, object: object, fault: d.fault}, f.label == outcomeLabel || d.fault != nil && looksLikeReport(content[at:]))
}

// take keeps a candidate if it is a report: named says that something else than the member tells so.
func (x *extractor) take(b block, named bool) {
	outcome, has := b.object["outcome"]
	switch {
	case x.unwrap(b):
	case has && outcome == unfilled:
	case has || named:
		x.reports = append(x.reports, b)
	case b.fault == nil:
		x.memberless = append(x.memberless, b)
	}
}

// prose takes the bare objects of the visible text; what is inside an array or another object is not bare. After each
// the search goes on where the decoder stopped, so that no byte is decoded twice.
func (x *extractor) prose(seen []byte) {
	x.steps += len(seen)
	for i := 0; i < len(seen); {
		at := i
		for at < len(seen) && seen[at] != '{' && seen[at] != '[' {
			at++
		}
		i = at + 1
		for i < len(seen) && isSpace(seen[i]) {
			i++
		}
		if i >= len(seen) {
			break
		}
		next := seen[i]
		switch {
		case seen[at] == '[' && (next == '{' || next == '[' || next == '"'):
			i = max(i, skipArray(seen, at))
		case seen[at] == '{' && next == '"':
			if x.full(at) {
				return
			}
			d := decoder{src: seen, i: at, start: at, quiet: true}
			object := d.whole()
			i = max(i, d.i)
			x.take(block{at: at, object: object, fault: d.fault}, d.fault != nil && d.sawOutcome)
		}
		x.steps += i - at
	}
}

// looksLikeReport reports whether a block that does not decode has, on its outermost level, something like an
// outcome member: in other quotes, without quotes, in other letters.
func looksLikeReport(content []byte) bool {
	depth := 0
	for i := 0; i < len(content); i++ {
		switch c := content[i]; {
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == '"':
			end := i + 1
			for end < len(content) && content[end] != '"' && content[end] != '\n' {
				if content[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end, len(content))
			if depth == 1 && bytes.EqualFold(content[i+1:end], []byte("outcome")) && colonFollows(content[end:]) {
				return true
			}
			i = end
		case letter(c):
			end := i
			for end < len(content) && (letter(content[end]) || digit(content[end]) || content[end] == '_') {
				end++
			}
			if depth == 1 && bytes.EqualFold(content[i:end], []byte("outcome")) && colonFollows(content[end:]) {
				return true
			}
			i = end - 1
		}
	}
	return false
}

func colonFollows(b []byte) bool {
	b = bytes.TrimLeft(b[:min(len(b), 16)], "\"'”’ \t")
	return len(b) > 0 && b[0] == ':'
}

// nothing reports whether a reader finds no text: white space, invisible characters or a placeholder of an
// agent's runtime that means that nothing came back.
func nothing(text []byte) bool {
	switch string(bytes.TrimSpace(text)) {
	case "(empty)", "[SILENT]", "(No response generated)":
		return true
	}
	return blank(text)
}

// blank reports whether text shows nothing: only white space, control, format and other characters without a
// picture, zero-width and filler ones among them.
func blank(text []byte) bool {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 || visible(r) {
			return false
		}
		i += size
	}
	return true
}

func visible(r rune) bool {
	const blankBraille = '\u2800'
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != blankBraille &&
		!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) && !unicode.Is(unicode.Variation_Selector, r)
}
