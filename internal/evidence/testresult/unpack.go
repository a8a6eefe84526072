package testresult

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
)

// The bounds of a file that is compressed by gzip. Real results, the most repetitive ones included, shrink some
// twenty to a hundred times; the format allows a thousand, and only what is made to be large comes near it.
const (
	// maxUnpacked is how many bytes one file may unpack to.
	maxUnpacked = 8 << 30
	// maxUnpackRatio is how many bytes each packed byte may stand for, once unpackFloor bytes came out.
	maxUnpackRatio = 400
	unpackFloor    = 128 << 20
)

// The errors of unpacking. errUnpackLimit is no fault of the data.
const (
	errUnpackLimit = readError("it unpacks to more than the limit")
	errUnpackCut   = readError("the gzip data ends inside a member")
	errUnpackBad   = readError("the gzip data is damaged: ")
)

// packedBy names the compression or archive that a file's first bytes tell of, "" for none that is known.
func packedBy(head []byte) string {
	for _, kind := range []struct{ magic, name string }{
		{gzipMagic, "gzip"}, {"PK\x03\x04", "zip"}, {"PK\x05\x06", "zip"}, {"\xFD7zXZ\x00", "xz"},
		{"\x28\xB5\x2F\xFD", "zstd"}, {"BZh91AY&SY", "bzip2"}, {"7z\xBC\xAF\x27\x1C", "7z"},
	} {
		if bytes.HasPrefix(head, []byte(kind.magic)) {
			return kind.name
		}
	}
	return ""
}

// gzipMagic is what gzip data begins with (RFC 1952, 2.3.1).
const gzipMagic = "\x1f\x8b"

// unpacker reads the contents of a gzip file (RFC 1952), of all members one after the other, within the bounds. The
// sums of all members are checked.
type unpacker struct {
	packed countingReader
	below  *bufio.Reader
	gz     *gzip.Reader
	out    int64
}

// countingReader counts what is read through it.
type countingReader struct {
	r io.Reader
	n int64
}

// Read reads and counts.
func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if n < 0 || n > len(p) {
		return 0, errCount
	}
	c.n += int64(n)
	return n, err
}

// Read unpacks. An error of the reader below comes through as it is.
func (u *unpacker) Read(p []byte) (int, error) {
	if u.gz == nil {
		gz, err := gzip.NewReader(u.below)
		if err != nil {
			return 0, unpackError(err)
		}
		u.gz = gz
	}
	n, err := u.gz.Read(p)
	u.out += int64(n)
	if u.out > maxUnpacked || u.out > unpackFloor && u.out/maxUnpackRatio > u.packed.n {
		return 0, errUnpackLimit
	}
	return n, unpackError(err)
}

// unpackError tells what is wrong with the data from what is wrong with the reading.
func unpackError(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case err == nil, errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errUnpackCut
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, &corrupt):
		return errUnpackBad + readError(err.Error())
	}
	return err
}

// unpack puts an unpacker below a source whose undecoded bytes so far are the beginning of gzip data.
func (s *source) unpack() {
	begun := append([]byte(nil), s.mem.raw[:s.rawEnd]...)
	rest := s.r
	if s.rawEOF {
		rest = errorReader{s.err}
	}
	u := &unpacker{packed: countingReader{r: io.MultiReader(bytes.NewReader(begun), rest)}}
	u.below = bufio.NewReaderSize(&u.packed, rawBytes)
	s.r = u
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
	kind := packedBy(s.head())
	if kind == "" {
		return false
	}
	if s.packed {
		kind += " data inside gzip"
	}
	t.refuse(NoteCompressed, kind+" data: only gzip is unpacked, once", 1)
	return true
}

// readFault notes why the file could not be read to its end. What was read of damaged data counts for nothing; what
// was read before a cut, a limit or an error of the reader may show a failure.
func (s *source) readFault(t *tally) {
	var own readError
	switch errors.As(s.err, &own); {
	case own == errUnpackCut:
		t.note(NoteGzipBroken, s.err.Error(), 0)
	case own == errUnpackLimit:
		t.note(NoteOverLimit, s.err.Error(), 0)
	case own != "" && s.packed && own != errCount:
		t.refuse(NoteGzipBroken, s.err.Error(), 0)
	default:
		t.note(NoteReadError, s.err.Error(), 0)
	}
	if t.res.Conclusion != Fail && t.res.Conclusion != Invalid {
		t.res.Conclusion = Incomplete
	}
}
