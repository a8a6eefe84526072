// Package packed reads evidence files that are compressed by gzip as what is in them.
//
// It decides what is packed and how far it is unpacked. It trusts no byte: sums are checked, and data that grows beyond
// measure is given up. It keeps a fixed window in memory, and undoes gzip alone, once.
package packed

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
	// maxRatio is how many bytes each packed byte may stand for, once ratioFloor bytes came out.
	maxRatio   = 400
	ratioFloor = 128 << 20
	// windowBytes is how much packed data is read at a time.
	windowBytes = 32 << 10
)

// Error is what is wrong with packed data, and not with the reading of it.
type Error string

// Error is the text.
func (e Error) Error() string { return string(e) }

// What is wrong. Any other Error is damage.
const (
	ErrLimit   Error = "it unpacks to more than the limit" // which is no fault of the data
	ErrCut     Error = "the gzip data ends inside a member"
	errDamaged Error = "the gzip data is damaged: "
)

// Refused is data that is packed in a way that is not undone here, with what is to be said of it.
type Refused string

// Error is the text.
func (r Refused) Error() string { return string(r) + " data: only gzip is unpacked, once" }

// IsGzip reports whether data begins as gzip data does (RFC 1952, 2.3.1).
func IsGzip(head []byte) bool { return bytes.HasPrefix(head, []byte(gzipMagic)) }

const gzipMagic = "\x1f\x8b"

// Kind names the compression or archive that a file's first bytes tell of, "" for none that is known.
func Kind(head []byte) string {
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

// longestMagic is the length of the longest beginning that Kind knows.
const longestMagic = 10

// Open gives the content of a file: its bytes or, if they are gzip data, what is in that. Anything else that is packed, or
// packed twice, is an error of type Refused. It reads the beginning of the file; an error of that comes where it stands.
func Open(r io.Reader) (io.Reader, error) {
	head, content := begin(&countingReader{r: r})
	inside := ""
	if IsGzip(head) {
		head, content = begin(NewReader(content))
		inside = " data inside gzip"
	}
	if kind := Kind(head); kind != "" {
		return nil, Refused(kind + inside)
	}
	return content, nil
}

// begin reads the first bytes, and gives a reader of all.
func begin(r io.Reader) (head []byte, all io.Reader) {
	head = make([]byte, longestMagic)
	n, err := io.ReadFull(r, head)
	head = head[:n]
	switch {
	case err == nil:
		return head, io.MultiReader(bytes.NewReader(head), r)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return head, bytes.NewReader(head)
	}
	return head, io.MultiReader(bytes.NewReader(head), failed{err})
}

// failed is a reader that gives an error.
type failed struct{ err error }

// Read gives the error.
func (f failed) Read([]byte) (int, error) { return 0, f.err }

// Reader reads the contents of gzip data (RFC 1952), of all members one after the other, within the bounds. The sums of
// all members are checked.
type Reader struct {
	packed countingReader
	below  *bufio.Reader
	gz     *gzip.Reader
	out    int64
	err    error // which ended it
}

// NewReader unpacks what r gives.
func NewReader(r io.Reader) *Reader {
	u := &Reader{packed: countingReader{r: r}}
	u.below = bufio.NewReaderSize(&u.packed, windowBytes)
	return u
}

// Read unpacks. An error of the reader below comes through as it is, and any error again at every further call.
func (u *Reader) Read(p []byte) (n int, err error) {
	if u.err == nil {
		n, u.err = u.read(p)
	}
	return n, u.err
}

func (u *Reader) read(p []byte) (int, error) {
	if u.gz == nil {
		gz, err := gzip.NewReader(u.below)
		if errors.Is(err, io.EOF) {
			return 0, ErrCut // not even a member's beginning
		}
		if err != nil {
			return 0, unpackError(err)
		}
		u.gz = gz
	}
	n, err := u.gz.Read(p)
	u.out += int64(n)
	if u.out > maxUnpacked || u.out > ratioFloor && u.out/maxRatio > u.packed.n {
		return 0, ErrLimit
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
		return ErrCut
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, &corrupt):
		return errDamaged + Error(err.Error())
	}
	return err
}

// countingReader counts what is read through it.
type countingReader struct {
	r io.Reader
	n int64
}

// Read reads and counts. A reader that breaks the rules of io.Reader is an error.
func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if n < 0 || n > len(p) {
		return 0, errors.New("the reader gave an impossible count")
	}
	c.n += int64(n)
	return n, err
}
