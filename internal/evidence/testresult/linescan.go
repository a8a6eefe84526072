package testresult

import "bytes"

// lineScanner hands out the lines of a source, one after the other, without copying them.
type lineScanner struct {
	s *source
	// line is the current line without its end, valid until the next call of next.
	line []byte
	// cut says that line is only the beginning of a line that is longer than the window.
	cut bool
	// last says that no line end follows.
	last bool
	size int // bytes to consume before the next line
}

// next goes to the next line and reports whether there is one. What follows the last line end is a line too,
// unless it is empty.
func (l *lineScanner) next() bool {
	s := l.s
	s.pos += l.size
	l.size = 0
	if l.cut {
		l.cut = false
		l.skip()
	}
	i := bytes.IndexByte(s.buf[s.pos:s.end], '\n')
	if i < 0 && s.fill() {
		i = bytes.IndexByte(s.buf[s.pos:s.end], '\n')
	}
	if i >= 0 {
		l.line, l.size, l.last = s.buf[s.pos:s.pos+i], i+1, false
		if i > 0 && l.line[i-1] == '\r' {
			l.line = l.line[:i-1]
		}
		return true
	}
	l.line, l.size, l.cut, l.last = s.buf[s.pos:s.end], s.end-s.pos, !s.eof, s.eof
	if n := len(l.line); l.last && n > 0 && l.line[n-1] == '\r' {
		l.line = l.line[:n-1]
	}
	return l.size > 0
}

// skip consumes the rest of a line.
func (l *lineScanner) skip() {
	s := l.s
	for {
		if i := bytes.IndexByte(s.buf[s.pos:s.end], '\n'); i >= 0 {
			s.pos += i + 1
			return
		}
		s.pos = s.end
		if !s.fill() {
			return
		}
	}
}
