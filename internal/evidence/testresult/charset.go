package testresult

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"

	"github.com/outcome-gate/outcome-gate/internal/evidence/codepage"
)

// charset is an encoding that result files come in.
type charset uint8

// The charsets. tabled stands for encodings that agree with ASCII and are decoded by a table.
const (
	utf8Charset charset = iota
	utf16LE
	utf16BE
	latin1
	windows1252
	tabled
)

const (
	invalidByte = 0xFF // occurs in no UTF-8 text, so whoever meets it refuses it
	// rawLookahead is the longest encoded character (a UTF-16 surrogate pair); decoding waits for so much.
	rawLookahead = 4
	// declarationBytes is where a declaration must have ended to be taken for one.
	declarationBytes = 512
)

// windows1252High is what 0x80 to 0x9F mean in windows-1252 (WHATWG Encoding Standard, index windows-1252).
var windows1252High = [32]rune{
	0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
	0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178,
}

// sniff tells the encoding of a file from its first bytes: a byte order mark decides, then the form of the
// first characters, then the XML declaration (XML 1.0, appendix F).
func (s *source) sniff(head []byte) {
	declared := ""
	switch {
	case bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")):
		s.rawPos = 3
		declared = declaredEncoding(head[3:])
	case bytes.HasPrefix(head, []byte("\xFF\xFE")):
		s.rawPos, s.charset = 2, utf16LE
		return // a declaration in it can only repeat or contradict the mark
	case bytes.HasPrefix(head, []byte("\xFE\xFF")):
		s.rawPos, s.charset = 2, utf16BE
		return
	case bytes.HasPrefix(head, []byte("<\x00?\x00")):
		s.charset = utf16LE
		return
	case bytes.HasPrefix(head, []byte("\x00<\x00?")):
		s.charset = utf16BE
		return
	default:
		declared = declaredEncoding(head)
	}
	cs, known := charsetOf(declared)
	switch {
	case !known && s.rawPos == 0:
		s.declared = declared
	case cs != utf8Charset && s.rawPos > 0, cs == utf16LE:
		// The mark, or the very fact that the declaration could be read byte by byte, says otherwise.
		s.override = declared
	default:
		s.charset = cs
		if cs == tabled {
			s.table = table(declared)
		}
	}
}

// declaredEncoding returns the encoding that an XML declaration names, in lower case, or "".
func declaredEncoding(head []byte) string {
	if !isXMLDeclaration(head) {
		return ""
	}
	head = head[:min(len(head), declarationBytes)]
	end := bytes.Index(head, []byte("?>"))
	if end < 0 {
		return ""
	}
	_, after, ok := bytes.Cut(head[:end], []byte("encoding"))
	if !ok {
		return ""
	}
	after = bytes.TrimLeft(after, " \t\r\n")
	if len(after) == 0 || after[0] != '=' {
		return ""
	}
	after = bytes.TrimLeft(after[1:], " \t\r\n")
	if len(after) < 2 || (after[0] != '"' && after[0] != '\'') {
		return ""
	}
	name, _, ok := bytes.Cut(after[1:], after[:1])
	if !ok {
		return ""
	}
	return strings.ToLower(string(name))
}

// isXMLDeclaration reports whether b begins with an XML declaration.
func isXMLDeclaration(b []byte) bool {
	return len(b) > 5 && string(b[:5]) == "<?xml" && isXMLSpace(b[5])
}

// charsetOf maps a declared name, in lower case, to a charset. Known is false for names whose encoding may
// give ASCII bytes another meaning.
func charsetOf(name string) (cs charset, known bool) {
	switch name {
	case "", "utf-8", "utf8", "unicode-1-1-utf-8":
		return utf8Charset, true
	case "utf-16", "utf16", "utf-16le", "utf-16be", "unicode", "ucs-2", "iso-10646-ucs-2":
		return utf16LE, true
	}
	switch e := codepage.Named(name); {
	case e == charmap.ISO8859_1:
		return latin1, true
	case e == charmap.Windows1252:
		return windows1252, true
	case e != nil, codepage.IsASCII(name):
		return tabled, true
	}
	return utf8Charset, false
}

// table is what decodes an encoding with a table.
func table(name string) transform.Transformer {
	if e := codepage.Named(name); e != nil {
		return e.NewDecoder()
	}
	return nil
}

// decode converts as much of src as fits into dst. It consumes a broken tail only at the end.
func (c charset) decode(dst, src []byte, atEnd bool) (nDst, nSrc int) {
	switch c {
	case utf16LE, utf16BE:
		return decodeUTF16(dst, src, atEnd, c == utf16BE)
	case latin1, windows1252, tabled:
		return c.decodeBytes(dst, src)
	case utf8Charset:
		n := copy(dst, src)
		return n, n
	}
	return 0, 0
}

func (c charset) decodeBytes(dst, src []byte) (nDst, nSrc int) {
	for nSrc < len(src) && nDst+utf8.UTFMax <= len(dst) {
		b := src[nSrc]
		nSrc++
		switch {
		case b < utf8.RuneSelf:
			dst[nDst] = b
			nDst++
		case c == tabled: // beyond ASCII only a table knows it
			dst[nDst] = invalidByte
			nDst++
		case c == windows1252 && b < 0xA0:
			nDst += utf8.EncodeRune(dst[nDst:], windows1252High[b-0x80])
		default:
			nDst += utf8.EncodeRune(dst[nDst:], rune(b))
		}
	}
	return nDst, nSrc
}

// decodeTable is decode by a table. The tables put U+FFFD in the place of what the encoding does not allow.
func decodeTable(t transform.Transformer, dst, src []byte, atEnd bool) (nDst, nSrc int) {
	nDst, nSrc, err := t.Transform(dst, src, atEnd)
	for rest := dst[:nDst]; ; {
		i := bytes.Index(rest, []byte(replacement))
		if i < 0 {
			break
		}
		rest[i] = invalidByte
		rest = rest[i+len(replacement):]
	}
	if nDst == 0 && nSrc == 0 && err == transform.ErrShortSrc && atEnd { //nolint:errorlint // Transform returns the value itself
		dst[0] = invalidByte
		return 1, len(src)
	}
	return nDst, nSrc
}

func decodeUTF16(dst, src []byte, atEnd, bigEndian bool) (nDst, nSrc int) {
	unit := func(i int) rune {
		if bigEndian {
			return rune(src[i])<<8 | rune(src[i+1])
		}
		return rune(src[i+1])<<8 | rune(src[i])
	}
	for nDst+utf8.UTFMax <= len(dst) && nSrc < len(src) {
		rest := len(src) - nSrc
		if rest < rawLookahead && !atEnd {
			break
		}
		if rest < 2 {
			dst[nDst] = invalidByte
			return nDst + 1, len(src)
		}
		r := unit(nSrc)
		nSrc += 2
		if utf16.IsSurrogate(r) {
			if rest >= 4 {
				r = utf16.DecodeRune(r, unit(nSrc))
			} else {
				r = utf8.RuneError
			}
			if r == utf8.RuneError { // a lone surrogate: DecodeRune returns RuneError for nothing else
				dst[nDst] = invalidByte
				nDst++
				continue
			}
			nSrc += 2
		}
		nDst += utf8.EncodeRune(dst[nDst:], r)
	}
	return nDst, nSrc
}
