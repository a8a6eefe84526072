package testresult

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"golang.org/x/text/transform"

	"github.com/outcome-gate/outcome-gate/internal/evidence/packed"
)

// The sizes of the memory that one reader holds. A window of 256 KiB is where larger reads gain nothing.
const (
	windowBytes = 256 << 10
	rawBytes    = 32 << 10
	// maxEmptyReads bounds readers that return neither data nor an error.
	maxEmptyReads = 100
)

// errCount is the error of a reader that breaks the rules of io.Reader.
const errCount = readError("the reader gave an impossible count")

// readError is an error of this package.
type readError string

// Error is the text.
func (e readError) Error() string { return string(e) }

// buffers are the memory of one reader.
type buffers struct {
	window [windowBytes]byte
	raw    [rawBytes]byte
	shapes [shapeCount]tagShape // of XML start tags
	xml    xmlScanner
}

// bufferPool hands used buffers to the next file: fresh ones for each of many small files would cost more
// than reading them. It holds no state besides memory.
var bufferPool = sync.Pool{New: func() any { return new(buffers) }}

// source is a window over a reader, decoded to UTF-8. Bytes that the encoding does not allow come out as
// 0xFF, which no format accepts. The unread part of the window is buf[pos:end].
type source struct {
	r        io.Reader
	mem      *buffers
	buf      []byte
	pos, end int
	eof      bool  // nothing follows buf[:end]
	err      error // why reading stopped, if not at the end

	lines    int // line ends before buf[counted]
	counted  int
	charset  charset
	table    transform.Transformer // of a charset that is decoded by one
	declared string                // the encoding that cannot be decoded, "" if there is none
	packed   bool                  // by gzip, which is undone below
	override string                // what a byte order mark overrides or what a declaration gets wrong

	rawPos, rawEnd int
	rawEOF         bool
}

// openSource reads the head of r, tells its encoding and leaves the window filled.
func openSource(r io.Reader) *source {
	mem, ok := bufferPool.Get().(*buffers)
	if !ok {
		mem = new(buffers)
	}
	s := &source{r: r, mem: mem, buf: mem.window[:]}
	s.readHead()
	if packed.IsGzip(mem.raw[:s.rawEnd]) {
		s.unpack()
		s.readHead()
	}
	s.sniff(mem.raw[:s.rawEnd])
	s.fill()
	return s
}

// readHead reads until there are headBytes of undecoded bytes, or all.
func (s *source) readHead() {
	for s.rawEnd < headBytes && !s.rawEOF {
		s.readRaw()
	}
}

// release gives the buffers back. Nothing may refer to the window afterwards.
func (s *source) release() {
	s.mem.xml.clear()
	bufferPool.Put(s.mem)
	s.mem, s.buf, s.pos, s.end = nil, nil, 0, 0
}

// head returns the first decoded bytes. It may only be called before anything is consumed.
func (s *source) head() []byte { return s.buf[s.pos:min(s.end, s.pos+headBytes)] }

// read reads once into p and says how much, noting the end and errors.
func (s *source) read(p []byte) int {
	for range maxEmptyReads {
		n, err := s.r.Read(p)
		if n < 0 || n > len(p) { // nothing that it says counts: the window may hold what another file left there
			s.rawEOF, s.err = true, errCount
			return 0
		}
		if err != nil {
			s.rawEOF = true
			if !errors.Is(err, io.EOF) {
				s.err = err
			}
			return n
		}
		if n > 0 {
			return n
		}
	}
	s.rawEOF, s.err = true, io.ErrNoProgress
	return 0
}

// readRaw reads more undecoded bytes.
func (s *source) readRaw() {
	if s.rawPos > 0 {
		copy(s.mem.raw[:], s.mem.raw[s.rawPos:s.rawEnd])
		s.rawEnd -= s.rawPos
		s.rawPos = 0
	}
	s.rawEnd += s.read(s.mem.raw[s.rawEnd:])
}

// fill drops what is consumed and fills the window. It reports whether that added anything; if not, the
// input has ended (eof) or the window holds windowBytes of unconsumed data.
func (s *source) fill() bool {
	if s.eof {
		return false
	}
	if s.pos > 0 {
		s.countLines()
		s.counted = 0
		copy(s.buf, s.buf[s.pos:s.end])
		s.end -= s.pos
		s.pos = 0
	}
	before := s.end
	for s.end < len(s.buf) && !s.eof {
		if !s.fillOnce() {
			break
		}
	}
	return s.end > before
}

// fillOnce adds one read to the window and reports whether more may fit.
func (s *source) fillOnce() bool {
	if s.rawPos < s.rawEnd || s.charset != utf8Charset {
		return s.decodeOnce()
	}
	if s.rawEOF {
		s.eof = true
		return false
	}
	s.end += s.read(s.buf[s.end:])
	return true
}

// decodeOnce moves raw bytes into the window through the charset.
func (s *source) decodeOnce() bool {
	if s.rawEnd-s.rawPos < rawLookahead && !s.rawEOF {
		s.readRaw()
	}
	nDst, nSrc := 0, 0
	if dst, src := s.buf[s.end:], s.mem.raw[s.rawPos:s.rawEnd]; s.table != nil {
		nDst, nSrc = decodeTable(s.table, dst, src, s.rawEOF)
	} else {
		nDst, nSrc = s.charset.decode(dst, src, s.rawEOF)
	}
	s.end += nDst
	s.rawPos += nSrc
	if s.rawPos == s.rawEnd && s.rawEOF {
		s.eof = true
		return false
	}
	return nDst > 0 || nSrc > 0
}

// ensure makes at least n bytes available where the input has as many, and says how many there are. n is
// far below windowBytes.
func (s *source) ensure(n int) int {
	if s.end-s.pos < n && !s.eof {
		s.fill()
	}
	return s.end - s.pos
}

// countLines counts the line ends up to the read position, each once.
func (s *source) countLines() {
	if s.counted < s.pos {
		s.lines += bytes.Count(s.buf[s.counted:s.pos], []byte{'\n'})
		s.counted = s.pos
	}
}

// line is the number of the line that the next unread byte is on, from 1.
func (s *source) line() int {
	s.countLines()
	return s.lines + 1
}
