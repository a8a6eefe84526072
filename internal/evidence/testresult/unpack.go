package testresult

import (
	"bytes"
	"errors"
	"io"

	"github.com/outcome-gate/outcome-gate/internal/evidence/packed"
)

// unpack puts an unpacker below a source whose undecoded bytes so far are the beginning of gzip data.
func (s *source) unpack() {
	begun := append([]byte(nil), s.mem.raw[:s.rawEnd]...)
	rest := s.r
	if s.rawEOF {
		rest = errorReader{s.err}
	}
	s.r = packed.NewReader(io.MultiReader(bytes.NewReader(begun), rest))
	s.packed, s.rawEnd, s.rawEOF, s.err = true, 0, false, nil
}

// errorReader has ended, by an error or not.
type errorReader struct{ err error }

// Read returns the error.
func (e errorReader) Read([]byte) (int, error) {
	if e.err == nil {
		return 0, io.EOF
	}
	return 0, e.err
}

// refusePacked refuses data that is packed in a way that is not unpacked here, or packed twice.
func (s *source) refusePacked(t *tally) bool {
	kind := packed.Kind(s.head())
	if kind == "" {
		return false
	}
	if s.packed {
		kind += " data inside gzip"
	}
	t.refuse(NoteCompressed, packed.Refused(kind).Error(), 1)
	return true
}

// readFault notes why the file could not be read to its end. What was read of damaged data counts for nothing; what
// was read before a cut, a limit or an error of the reader may show a failure.
func (s *source) readFault(t *tally) {
	var wrong packed.Error
	switch errors.As(s.err, &wrong); wrong {
	case "":
		t.note(NoteReadError, s.err.Error(), 0)
	case packed.ErrCut:
		t.note(NoteGzipBroken, s.err.Error(), 0)
	case packed.ErrLimit:
		t.note(NoteOverLimit, s.err.Error(), 0)
	default:
		t.refuse(NoteGzipBroken, s.err.Error(), 0)
	}
	if t.res.Conclusion != Fail && t.res.Conclusion != Invalid {
		t.res.Conclusion = Incomplete
	}
}
