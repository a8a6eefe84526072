package collect

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // git names objects by SHA-1; it is compared, never trusted
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/evidence/coverage"
	"github.com/outcome-gate/outcome-gate/internal/evidence/sarif"
)

const (
	// readBytes is the size of one read: 256 KiB is where bigger ones stop to be faster.
	readBytes = 256 << 10
	// apartBytes is the least chunk for which a second hash is worth a goroutine of its own.
	apartBytes = 64 << 10
)

// need is what all the file sets that share a file want of its one read.
type need struct {
	forms []form // what to read it as
	keep  evidence.Keep
	bytes int64 // how many leading bytes to keep
	keyed bool  // the keyed digest
	blob  bool  // git's name for these bytes
	crlf  bool  // how many pairs of carriage return and line feed they have, which folding takes away
}

// form is one way to read a file's content: as what, and in which format; "" detects it.
type form struct {
	as     content
	format string
}

// content is what a file's content may be read as.
type content string

const (
	asTests    content = "tests"
	asCoverage content = "coverage"
	asSARIF    content = "sarif"
)

// parsed is what a file's content came to, in the member of what it was read as.
type parsed struct {
	form
	tests    *evidence.TestSet
	coverage *coverage.Profile
	sarif    *sarif.Log
}

// read reads a source as what is asked for.
func (p form) read(src io.Reader, keep evidence.Keep) parsed {
	switch p.as {
	case asCoverage:
		return parsed{form: p, coverage: coverage.Read(src, p.format)}
	case asSARIF:
		return parsed{form: p, sarif: sarif.Read(src)}
	case asTests:
		return parsed{form: p, tests: evidence.ReadTests(src, p.format, keep)}
	}
	return parsed{form: p}
}

// as is what the file was read as, nothing if it was not read so.
func (s *scanned) as(p form) parsed {
	for _, got := range s.parsed {
		if got.form == p {
			return got
		}
	}
	return parsed{}
}

// scanned is what came out of one read.
type scanned struct {
	n      int64
	sha256 string
	hmac   string
	blob   [20]byte // if it is named
	named  bool
	crlf   int64 // pairs of carriage return and line feed, if they were counted
	bytes  []byte
	cut    bool
	parsed []parsed // in the order of the need's forms
}

// scan is a reader that feeds everything that one read has to feed. What reads from it decides the pace.
type scan struct {
	src    io.Reader
	sums   []hash.Hash
	keep   bytes.Buffer
	room   int64
	pipes  []*io.PipeWriter
	n      int64
	pairs  bool // count them
	crlf   int64
	lastCR bool
}

// readFunc is a reader made of one function.
type readFunc func(p []byte) (int, error)

// Read calls the function.
func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// cancellable ends a source with the context's error.
func cancellable(ctx context.Context, src io.Reader) io.Reader {
	return readFunc(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return src.Read(p)
	})
}

// Read reads from the source and feeds what was read.
func (s *scan) Read(p []byte) (int, error) {
	n, err := s.src.Read(p)
	if n > 0 {
		s.feed(p[:n])
	}
	return n, err
}

func (s *scan) feed(p []byte) {
	s.n += int64(len(p))
	if s.room > 0 {
		k := min(s.room, int64(len(p)))
		s.keep.Write(p[:k])
		s.room -= k
	}
	for _, w := range s.pipes {
		_, _ = w.Write(p) // an end that stopped reading drains the rest
	}
	if len(s.sums) == 1 || len(p) < apartBytes {
		for _, h := range s.sums {
			h.Write(p)
		}
	} else {
		var wg sync.WaitGroup
		for _, h := range s.sums[1:] {
			wg.Go(func() { h.Write(p) })
		}
		s.sums[0].Write(p)
		wg.Wait()
	}
	if !s.pairs {
		return
	}
	s.crlf += int64(bytes.Count(p, []byte("\r\n")))
	if s.lastCR && p[0] == '\n' {
		s.crlf++
	}
	s.lastCR = p[len(p)-1] == '\r'
}

// blobHash is a hash that has read the header of a git blob of that size.
func blobHash(size int64) hash.Hash {
	h := sha1.New() //nolint:gosec // see the import
	h.Write(fmt.Appendf(nil, "blob %d\x00", size))
	return h
}

func blobOf(data []byte) [20]byte {
	h := blobHash(int64(len(data)))
	h.Write(data)
	return [20]byte(h.Sum(nil))
}

// scanAll reads size bytes of src once and feeds digests, kept bytes and test readers. buf is scratch space.
func scanAll(ctx context.Context, src io.Reader, size int64, n need, key, buf []byte) (*scanned, error) {
	s := &scan{src: cancellable(ctx, io.LimitReader(src, size)), room: n.bytes, pairs: n.crlf}
	sum := sha256.New()
	s.sums = append(s.sums, sum)
	var mac, blob hash.Hash
	if n.keyed && len(key) > 0 {
		mac = hmac.New(sha256.New, key)
		s.sums = append(s.sums, mac)
	}
	if n.blob {
		blob = blobHash(size)
		s.sums = append(s.sums, blob)
	}
	if k := min(n.bytes, size); k > 0 && k <= readBytes {
		s.keep.Grow(int(k))
	}
	all, err := s.run(&n, buf)
	if err != nil {
		return nil, err
	}
	out := &scanned{n: s.n, sha256: hex.EncodeToString(sum.Sum(nil)), crlf: s.crlf, parsed: all}
	if n.bytes > 0 {
		out.bytes, out.cut = s.keep.Bytes(), s.n > n.bytes
		if out.bytes == nil {
			out.bytes = []byte{}
		}
	}
	if mac != nil {
		out.hmac = hex.EncodeToString(mac.Sum(nil))
	}
	if blob != nil {
		out.blob, out.named = [20]byte(blob.Sum(nil)), true
	}
	return out, nil
}

// run pulls the whole source through the scan. What the file is first read as sets the pace; anything further is
// fed from the same read and runs beside it.
func (s *scan) run(n *need, buf []byte) ([]parsed, error) {
	forms := n.forms
	if len(forms) == 0 {
		return nil, s.drain(buf)
	}
	out := make([]parsed, len(forms))
	var wg sync.WaitGroup
	for i, p := range forms[1:] {
		r, w := io.Pipe()
		s.pipes = append(s.pipes, w)
		wg.Go(func() {
			out[i+1] = p.read(r, n.keep)
			_, _ = io.Copy(io.Discard, r) // so that the writer never waits
		})
	}
	out[0] = forms[0].read(s, n.keep)
	err := s.drain(buf)
	for _, w := range s.pipes {
		w.CloseWithError(err) // nil is the end of the file
	}
	wg.Wait()
	return out, err
}

func (s *scan) drain(buf []byte) error {
	for {
		if _, err := s.Read(buf); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// foldedBlob is git's name for the bytes with every CRLF made LF; size is the folded size.
func foldedBlob(src io.Reader, size int64, buf []byte) ([20]byte, error) {
	h := blobHash(size)
	pending := false // a carriage return that ended the chunk before
	for {
		n, err := src.Read(buf)
		p := buf[:n]
		if pending && n > 0 {
			if p[0] != '\n' {
				h.Write([]byte{'\r'})
			}
			pending = false
		}
		for len(p) > 0 {
			i := bytes.IndexByte(p, '\r')
			if i < 0 {
				h.Write(p)
				break
			}
			h.Write(p[:i])
			if i == len(p)-1 {
				pending = true
				break
			}
			if p[i+1] != '\n' {
				h.Write(p[i : i+1])
			}
			p = p[i+1:]
		}
		if errors.Is(err, io.EOF) {
			if pending {
				h.Write([]byte{'\r'})
			}
			return [20]byte(h.Sum(nil)), nil
		}
		if err != nil {
			return [20]byte{}, err
		}
	}
}

// pointerBlobs are git's names for the LFS pointers of a file.
func pointerBlobs(sum string, size int64) [][20]byte {
	var out [][20]byte
	for _, p := range lfsPointers(sum, size) {
		out = append(out, blobOf(p))
	}
	return out
}

// lfsPointers are the LFS pointers of a file (git-lfs specification, spec.md: version, oid, size, in that order), in
// the current form and the two former ones that git-lfs still reads.
func lfsPointers(sum string, size int64) [][]byte {
	var out [][]byte
	for _, version := range []string{"https://git-lfs.github.com/spec/v1", "https://hawser.github.com/spec/v1", "http://git-media.io/v/2"} {
		out = append(out, fmt.Appendf(nil, "version %s\noid sha256:%s\nsize %d\n", version, sum, size))
	}
	return out
}
