package report

import (
	"bytes"
	"strings"
)

// The bytes of Prose that stand for what is visible and no prose.
const (
	Barrier = 0 // fences, indented code, quotes, footnotes: nothing reads across it
	Opaque  = 1 // struck out, code or quotation by HTML, a control character: inside a sentence, and no word of it
)

// Prose is text as a reader of its Markdown sees it, byte for byte in its place: what is not shown is blank, and what is
// shown and not the author's own prose is Barrier or Opaque. The second result is false for a text over the limit of all
// carriers, of which nothing is looked at. The third counts the bytes looked at.
func Prose(text string) (visible []byte, ok bool, steps int) {
	if len(text) > maxText {
		return nil, false, 0
	}
	src := []byte(text)
	for i, c := range src {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7f {
			src[i] = Opaque
		}
	}
	s := &scanner{src: src, seen: bytes.Clone(src)}
	for b := 0; b < len(src); {
		e, next := lineEnd(src, b)
		s.line(b, e, next)
		// A blanked line begins with a zero byte; the source has none.
		from := bytes.IndexByte(s.seen[b:next], Barrier)
		if s.leaf == code {
			from = 0
		}
		if from >= 0 {
			clear(s.seen[b+from : max(b+from, e)])
		}
		b = next
	}
	s.close(0)
	aside(src, s.seen)
	return s.seen, true, s.steps + 3*len(src)
}

// aside makes opaque what HTML elements say is struck out, code, or said by somebody else. An element that does not end
// reaches to the end: nothing after it is sure.
func aside(src, seen []byte) {
	depth, from := 0, 0
	endless := false // no comment ends any more
	for i := 0; i < len(src); {
		k := bytes.IndexByte(src[i:], '<')
		if k < 0 {
			break
		}
		i += k
		if seen[i] != ' ' {
			i++
			continue
		}
		if !endless && bytes.HasPrefix(src[i:], []byte("<!--")) {
			if k := bytes.Index(src[i:], []byte("-->")); k >= 0 {
				i += k
			} else {
				endless = true
			}
		}
		closing := i+1 < len(src) && src[i+1] == '/'
		at := i + 1
		if closing {
			at++
		}
		end := at
		for end < len(src) && end-at < maxTagName && (letter(src[end]) || digit(src[end])) {
			end++
		}
		switch inside := isAside(strings.ToLower(string(src[at:end]))); {
		case !inside:
		case !closing:
			if depth == 0 {
				from = end
			}
			depth++
		case depth > 0:
			if depth--; depth == 0 {
				opaque(seen, from, i)
			}
		}
		i = end
	}
	if depth > 0 {
		opaque(seen, from, len(seen))
	}
}

func isAside(name string) bool {
	switch name {
	case "code", "del", "kbd", "pre", "q", "s", "samp", "strike":
		return true
	}
	return false
}

func opaque(seen []byte, from, to int) {
	for i := from; i < to; i++ {
		if c := seen[i]; c != '\n' && c != '\r' && c != Barrier {
			seen[i] = Opaque
		}
	}
}
