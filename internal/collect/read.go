package collect

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// maxKept bounds the bytes that the files of one outcome keep for kinds that need whole documents.
const maxKept = 512 << 20

// copyLeast is the size in bytes from which equal bytes mean a copy: shorter files ("0\n", "{}") are equal by chance.
const copyLeast = 64

// reading is everything that was observed of one file, before any set's own rules.
type reading struct {
	name    string // as the walk found it
	trouble *trouble
	link    bool
	size    int64
	modTime time.Time // zero for a blob of the head tree that no working file stands for
	noKey   bool
	copied  string // a tracked path with the same bytes, from copyLeast bytes on
	git     evidence.GitFacts
	scanned scanned
	seen    time.Time // when an address was last looked at
	// boundary is from when on a file of an upload is fresh; zero: not known.
	boundary       time.Time
	boundarySource string
}

// reader reads files one after another. Each worker has its own.
type reader struct {
	w   *Workspace
	key []byte
	git *gitView
	buf []byte
	// held is the directory of the file before, in which the next most likely lies too.
	held *heldDir
	// room is what the files that are read together may still keep of their bytes.
	room *atomic.Int64
}

func newReader(w *Workspace, key []byte, git *gitView, room *atomic.Int64) *reader {
	return &reader{w: w, key: key, git: git, buf: make([]byte, readBytes), room: room}
}

// file reads one file of the workspace once.
func (r *reader) file(ctx context.Context, name string, n need) *reading {
	return r.readAt(ctx, name, func() (located, *trouble) { return r.w.locate(name) }, n)
}

// next reads one of several files, in the order of their names. What it gives holds once leave was called.
func (r *reader) next(ctx context.Context, name string, n need) *reading {
	where, ok := r.inHeld(name)
	if !ok {
		return r.file(ctx, name, n)
	}
	out := r.readAt(ctx, name, func() (located, *trouble) { return where, nil }, n)
	r.held.read = append(r.held.read, out)
	return out
}

// readAt reads a file once. A panic while doing so is a problem of that file.
func (r *reader) readAt(ctx context.Context, name string, find func() (located, *trouble), n need) (out *reading) {
	out = &reading{name: name}
	defer func() {
		if p := recover(); p != nil {
			out.trouble = &trouble{evidence.CodeArtifactUnreadable, clip(fmt.Sprint("reading it broke: ", p), maxReason)}
		}
	}()
	where, t := find()
	out.link = where.link
	if t == nil && !where.info.Mode().IsRegular() {
		t = &trouble{evidence.CodeArtifactNotRegular, "it is " + kindOf(where.info.Mode())}
	}
	if t != nil {
		out.trouble = t
		r.git.place(out, where)
		return out
	}
	out.size, out.modTime = where.info.Size(), where.info.ModTime().UTC()
	if out.trouble = r.bytes(ctx, out, where, n); out.trouble != nil {
		out.scanned = scanned{}
	}
	out.noKey = n.keyed && len(r.key) == 0
	r.git.place(out, where)
	return out
}

// bytes opens the file, reads it, and looks again whether it is still the same file with the same bytes.
func (r *reader) bytes(ctx context.Context, out *reading, where located, n need) *trouble {
	limit := r.w.limits.filled().FileBytes
	if out.size > limit {
		return &trouble{evidence.CodeArtifactOverLimit, fmt.Sprintf("it has %s, the limit is %d", count(out.size, "byte"), limit)}
	}
	if r.room.Add(-min(n.bytes, out.size)) < 0 {
		return &trouble{evidence.CodeArtifactOverLimit, fmt.Sprintf("the files of this outcome have over %d MiB that would have to be kept", maxKept>>20)}
	}
	f, err := r.w.open(where)
	if err != nil {
		return lookupTrouble(err, false)
	}
	defer release(f)
	opened, err := f.Stat()
	if err != nil {
		return lookupTrouble(err, false)
	}
	if !same(where.info, opened) {
		return moved("it was changed or replaced while it was opened")
	}
	if err := settle(ctx, opened); err != nil {
		return readTrouble(err)
	}
	copies := n.blob && r.git.known()
	if n.blob {
		n.blob, n.crlf = r.git.wants(out.size)
	}
	s, err := scanAll(ctx, f, out.size, n, r.key, r.buf)
	if err != nil {
		return readTrouble(err)
	}
	out.scanned = *s
	if s.n != out.size {
		return moved(fmt.Sprintf("it had %s when it was opened, %d could be read", count(out.size, "byte"), s.n))
	}
	if copies {
		fold := func() io.Reader { return io.NewSectionReader(f, 0, out.size) }
		if out.copied, err = r.copyOf(ctx, s, fold); err != nil {
			return readTrouble(err)
		}
	}
	return r.again(f, opened, out.name, where)
}

// again looks at the open file and at its path a second time.
func (r *reader) again(f *os.File, opened os.FileInfo, name string, where located) *trouble {
	after, err := f.Stat()
	if err != nil {
		return lookupTrouble(err, false)
	}
	now, t := r.w.locateAgain(name, where)
	switch {
	case t != nil || now.path != where.path:
		return moved("its path leads elsewhere since it was read")
	case !same(opened, after) || !same(opened, now.info):
		return moved("it was changed while it was read")
	}
	return nil
}

// copyOf names a tracked file with these bytes: raw, as its LFS pointer, or with CRLF folded, which needs a
// second look at the same open file because git's names begin with the size.
func (r *reader) copyOf(ctx context.Context, s *scanned, again func() io.Reader) (string, error) {
	if s.n < copyLeast {
		return "", nil
	}
	for _, p := range lfsPointers(s.sha256, s.n) {
		if size := int64(len(p)); r.git.sizes.between(size, size) {
			if name := r.git.trees.holder(blobOf(p)); name != "" {
				return name, nil
			}
		}
	}
	if s.named {
		if name := r.git.trees.holder(s.blob); name != "" {
			return name, nil
		}
	}
	if folded := s.n - s.crlf; s.crlf == 0 || !r.git.sizes.between(folded, folded) {
		return "", nil
	}
	folded, err := foldedBlob(cancellable(ctx, again()), s.n-s.crlf, r.buf)
	if err != nil {
		return "", err
	}
	return r.git.trees.holder(folded), nil
}

// blobAt reads the head tree's blob of a path, for files that the change itself commits. The working file
// only lends its time, and what differs in it is said.
func (r *reader) blobAt(ctx context.Context, name string, n need) *reading {
	out := &reading{name: name}
	e, _ := r.git.trees.Head.Lookup(name)
	switch {
	case e.Mode == ModeSymlink || e.Mode == ModeSubmodule:
		out.trouble = &trouble{evidence.CodeArtifactNotRegular, "the head commit holds no regular file there"}
	case e.Mode != ModeFile && e.Mode != ModeExec && e.Mode != modeGroupWritable:
		out.trouble = &trouble{evidence.CodeArtifactNotRegular, fmt.Sprintf("the head commit gives it the mode %o", e.Mode)}
	case r.git.blob == nil:
		out.trouble = &trouble{evidence.CodeArtifactUnreadable, "the head commit's files cannot be read here"}
	}
	if out.trouble == nil {
		out.trouble = r.blobBytes(ctx, out, e, n)
	}
	out.git = r.git.facts(name, name)
	if out.trouble != nil {
		out.scanned = scanned{}
		return out
	}
	out.git.AtHead = true
	out.noKey = n.keyed && len(r.key) == 0
	work := r.file(ctx, name, need{blob: true})
	out.modTime = work.modTime
	switch {
	case work.trouble != nil:
		out.git.Reason = "judged at the head commit; the working file could not be read"
	case !work.scanned.named || work.scanned.blob != out.scanned.blob:
		out.git.Reason = "judged at the head commit; the working file differs"
	}
	return out
}

func (r *reader) blobBytes(ctx context.Context, out *reading, e TreeEntry, n need) *trouble {
	data, err := r.git.blob(ctx, e.SHA)
	if err != nil {
		return readTrouble(err)
	}
	out.size = int64(len(data))
	if limit := r.w.limits.filled().FileBytes; out.size > limit {
		return &trouble{evidence.CodeArtifactOverLimit, fmt.Sprintf("it has %s, the limit is %d", count(out.size, "byte"), limit)}
	}
	n.blob = true
	s, err := scanAll(ctx, bytes.NewReader(data), out.size, n, r.key, r.buf)
	if err != nil {
		return readTrouble(err)
	}
	if hex.EncodeToString(s.blob[:]) != e.SHA {
		return &trouble{evidence.CodeArtifactUnreadable, "the bytes that were given are not those of the head commit"}
	}
	out.scanned = *s
	return nil
}

func moved(detail string) *trouble { return &trouble{evidence.CodeArtifactMoved, detail} }

func readTrouble(err error) *trouble {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return &trouble{evidence.CodeArtifactTimeout, reason(err)}
	case errors.Is(err, fs.ErrNotExist):
		return moved("it was removed while it was read")
	}
	return &trouble{evidence.CodeArtifactUnreadable, reason(err)}
}
