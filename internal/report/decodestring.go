package report

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string; d.i is at its opening quote.
func (d *decoder) str() string {
	d.i++
	from := d.i
	var out []byte // set once there was an escape
	for d.i < len(d.src) {
		switch c := d.src[d.i]; {
		case c == '"':
			chunk := d.src[from:d.i]
			if !utf8.Valid(chunk) {
				d.note(from, "invalid UTF-8")
			}
			d.i++
			if out == nil {
				return string(chunk)
			}
			return string(append(out, chunk...))
		case c < 0x20:
			d.unexpected("the end of a string")
			return ""
		case c == '\\':
			chunk := d.src[from:d.i]
			if !utf8.Valid(chunk) {
				d.note(from, "invalid UTF-8")
			}
			out = d.escape(append(out, chunk...))
			if d.ended {
				return ""
			}
			from = d.i
		default:
			d.i++
		}
	}
	d.unexpected("the end of a string")
	return ""
}

// escape reads one escape sequence, which begins at d.i, and appends what it stands for.
func (d *decoder) escape(out []byte) []byte {
	at := d.i
	d.i++
	if c := d.peek(); c != 'u' {
		k := strings.IndexByte(`"\/bfnrt`, c)
		if k < 0 {
			d.unexpected("a JSON escape")
			return nil
		}
		d.i++
		return append(out, "\"\\/\b\f\n\r\t"[k])
	}
	r, ok := d.unit()
	if !ok {
		return nil
	}
	if utf16.IsSurrogate(r) {
		low := rune(utf8.RuneError)
		if bytes.HasPrefix(d.src[d.i:], []byte(`\u`)) {
			d.i++
			if low, ok = d.unit(); !ok {
				return nil
			}
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			d.note(at, "half of a surrogate pair")
		}
	}
	return utf8.AppendRune(out, r)
}

// unit reads the u and four hex digits of one UTF-16 code unit.
func (d *decoder) unit() (rune, bool) {
	d.i++
	var r rune
	for range 4 {
		c := rune(d.peek())
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			d.unexpected("four hex digits")
			return 0, false
		}
		r = r<<4 | c
		d.i++
	}
	return r, true
}
