package collect

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxReason bounds the text of one reason that goes into the receipt, in bytes.
const maxReason = 300

// printable is a file name as the receipt writes it. A name of valid UTF-8 is itself; in any other the bytes
// that are none, and backslashes, are written as \xNN, so that two different names of that kind stay different.
func printable(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		if (r == utf8.RuneError && n == 1) || r == '\\' {
			const hex = "0123456789abcdef"
			b.WriteString(`\x`)
			b.WriteByte(hex[name[i]>>4])
			b.WriteByte(hex[name[i]&15])
		} else {
			b.WriteString(name[i : i+n])
		}
		i += n
	}
	return b.String()
}

// reason is the bounded text of an error without the machine's own paths, which have no place in a receipt.
func reason(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "the time limit was reached"
	case errors.Is(err, context.Canceled):
		return "the run was cancelled"
	}
	text := err.Error()
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		text = pe.Err.Error()
	}
	if se := (*os.SyscallError)(nil); errors.As(err, &se) {
		text = se.Err.Error()
	}
	return clip(text, maxReason)
}

// clip cuts text to at most n bytes at a rune's border and replaces what is not UTF-8.
func clip(text string, n int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= n {
		return text
	}
	cut := n - len("…")
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// count writes a number with its noun.
func count(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatInt(n, 10) + " " + noun
}
