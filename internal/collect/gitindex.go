package collect

import (
	"bufio"
	"context"
	"crypto/sha1" //nolint:gosec // the index ends in a SHA-1 of itself
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"slices"
	"strings"
	"time"
)

// Layout of an index file (gitformat-index).
const (
	indexHeader  = 12 // "DIRC", version, number of entries
	indexTrailer = 20 // SHA-1 of all before it; zeros with index.skipHash
	indexFixed   = 62 // what every entry has before its name

	indexStage     = 0x3000
	indexExtended  = 0x4000
	indexNameBytes = 0x0fff
	indexSkip      = 0x4000 // of the extended flags: skip-worktree

	maxIndexName  = 64 << 10 // longer than any path that a system opens
	maxIndexExtra = 64 << 20 // bytes of one extension: caches of untracked files take some megabytes
)

// indexEntry is one path of the index with what git remembers of the file in the worktree.
type indexEntry struct {
	treeEntry
	fileStat
}

// fileStat is what the index remembers of a worktree's file when it had the bytes that the entry names.
type fileStat struct {
	modified time.Time
	changed  int64  // the change time, in nanoseconds since 1970
	size     uint32 // its size, modulo 2^32
	skip     bool   // sparse checkout: it does not belong into the worktree
}

// IndexTree lists what the local index holds. A repository without an index holds nothing in it. Split indexes are put
// together, and the folded directories of a sparse one are listed.
func (r *Repo) IndexTree(ctx context.Context) (t *Tree, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { err = guard("read the index", err, recover()) }()
	if _, err := r.dirs.own.Lstat("index"); errors.Is(err, fs.ErrNotExist) {
		return newTree("", nil)
	}
	x, err := r.readIndex(ctx, "index", true)
	if err != nil {
		return nil, err
	}
	var all []indexEntry
	for _, e := range x.entries {
		if e.mode != ModeDir {
			all = append(all, e)
			continue
		}
		f := &flattener{repo: r} // a directory of a sparse index, all of which is left out of the worktree
		if err := f.dir(ctx, e.sha, strings.TrimSuffix(e.path, "/"), 0); err != nil {
			return nil, err
		}
		for _, below := range f.out {
			all = append(all, indexEntry{treeEntry: below, fileStat: fileStat{skip: true}})
		}
	}
	slices.SortStableFunc(all, func(a, b indexEntry) int { return strings.Compare(a.path, b.path) })
	var flat []treeEntry
	var stats []fileStat
	for _, e := range all {
		if n := len(flat); n > 0 && flat[n-1].path == e.path {
			continue // the further stages of an unmerged path
		}
		flat, stats = append(flat, e.treeEntry), append(stats, e.fileStat)
	}
	if t, err = newTree("", flat); err != nil {
		return nil, err
	}
	t.stats, t.written = stats, x.written
	return t, nil
}

// index is one index file.
type index struct {
	entries []indexEntry
	written time.Time
	sum     [20]byte
	base    string // of a split index: the hex name of the shared one
	deleted []uint64
	changed []uint64
}

// readIndex reads one index file and, if it is split, the shared one that it belongs to.
func (r *Repo) readIndex(ctx context.Context, name string, mayBeSplit bool) (*index, error) {
	f, err := openGit(r.dirs.own, name, maxIndexBytes)
	if err != nil {
		return nil, err
	}
	defer release(f)
	x, err := parseIndex(ctx, f)
	switch {
	case err != nil:
		return nil, err
	case x.base == "" || strings.Trim(x.base, "0") == "":
		return x, nil
	case !mayBeSplit:
		return nil, errors.New("a shared index is split itself")
	}
	shared, err := r.readIndex(ctx, "sharedindex."+x.base, false)
	if err != nil {
		return nil, fmt.Errorf("the index is split, and its shared part cannot be read (git update-index --no-split-index puts it together): %w", err)
	}
	if hex.EncodeToString(shared.sum[:]) != x.base && shared.sum != [20]byte{} {
		return nil, errors.New("the index is split, and its shared part is another one")
	}
	if err := x.join(shared.entries); err != nil {
		return nil, err
	}
	return x, nil
}

// join puts a split index together: the first entries, which have no name, stand for those of the shared index that
// the replace bitmap names, in its order; the rest is added.
func (x *index) join(shared []indexEntry) error {
	own := x.entries
	keep := make([]bool, len(shared))
	for i := range keep {
		keep[i] = true
	}
	err := eachBit(x.changed, func(at int) error {
		if at >= len(shared) || len(own) == 0 || own[0].path != "" {
			return errors.New("the index is split, and replaces entries that are not there")
		}
		name := shared[at].path
		shared[at] = own[0]
		shared[at].path, own = name, own[1:]
		return nil
	})
	if err != nil {
		return err
	}
	err = eachBit(x.deleted, func(at int) error {
		if at >= len(shared) {
			return errors.New("the index is split, and deletes entries that are not there")
		}
		keep[at] = false
		return nil
	})
	if err != nil {
		return err
	}
	x.entries = nil
	for i, e := range shared {
		if keep[i] {
			x.entries = append(x.entries, e)
		}
	}
	x.entries = append(x.entries, own...)
	return nil
}

// indexReader reads an index in order and hashes it.
type indexReader struct {
	src     *bufio.Reader
	sum     hash.Hash
	left    int64 // before the trailer
	version uint32
	name    []byte // of the entry before, for version 4
	one     [1]byte
}

func (r *indexReader) read(n int) ([]byte, error) {
	if int64(n) > r.left {
		return nil, errors.New("it ends too early")
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r.src, b); err != nil {
		return nil, err
	}
	r.left -= int64(n)
	r.sum.Write(b)
	return b, nil
}

// byte reads one byte.
func (r *indexReader) byte() (byte, error) {
	if r.left < 1 {
		return 0, errors.New("it ends too early")
	}
	b, err := r.src.ReadByte()
	if err != nil {
		return 0, err
	}
	r.left--
	r.one[0] = b
	r.sum.Write(r.one[:])
	return b, nil
}

func parseIndex(ctx context.Context, f *os.File) (*index, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r := &indexReader{src: bufio.NewReaderSize(cancellable(ctx, f), readBytes), sum: sha1.New(), left: info.Size() - indexTrailer} //nolint:gosec // see the import
	head, err := r.read(indexHeader)
	if err != nil {
		return nil, err
	}
	r.version = binary.BigEndian.Uint32(head[4:])
	n := binary.BigEndian.Uint32(head[8:])
	switch {
	case string(head[:4]) != "DIRC":
		return nil, errors.New("it is no index")
	case r.version < 2 || r.version > 4:
		return nil, fmt.Errorf("its version is %d; 2 to 4 can be read", r.version)
	case n > maxTreeFiles:
		return nil, fmt.Errorf("over the limit of %d files", maxTreeFiles)
	}
	x := &index{written: info.ModTime()}
	for range n {
		e, err := r.entry()
		if err != nil {
			return nil, err
		}
		x.entries = append(x.entries, e)
	}
	for r.left > 0 {
		if err := r.extension(x); err != nil {
			return nil, err
		}
	}
	if _, err := io.ReadFull(r.src, x.sum[:]); err != nil {
		return nil, err
	}
	if x.sum != [20]byte{} && x.sum != [20]byte(r.sum.Sum(nil)) { // zeros: git was told not to hash it (index.skipHash)
		return nil, errors.New("its checksum is not that of its bytes")
	}
	return x, nil
}

// entry reads one entry.
func (r *indexReader) entry() (e indexEntry, err error) {
	b, err := r.read(indexFixed)
	if err != nil {
		return e, err
	}
	number := func(at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
	e.fileStat.changed = int64(number(0))*int64(time.Second) + int64(number(4))
	e.modified = time.Unix(int64(number(8)), int64(number(12)))
	e.treeEntry.mode, e.fileStat.size, e.treeEntry.size = number(24), number(36), UnknownSize
	e.sha = [20]byte(b[40:])
	flags, fixed := binary.BigEndian.Uint16(b[60:]), indexFixed
	if flags&indexExtended != 0 {
		more, err := r.read(2)
		if err != nil {
			return e, err
		}
		e.skip = binary.BigEndian.Uint16(more)&indexSkip != 0
		fixed += 2
	}
	if r.version == 4 {
		e.path, err = r.prefixedName()
		return e, err
	}
	length := int(flags & indexNameBytes)
	if length == indexNameBytes { // or more
		name, err := r.untilNUL()
		if err != nil {
			return e, err
		}
		e.path = string(name)
		_, err = r.read(7 - (fixed+len(name))%8) // one NUL was read
		return e, err
	}
	name, err := r.read(length)
	if err != nil {
		return e, err
	}
	e.path = string(name)
	_, err = r.read(8 - (fixed+length)%8)
	return e, err
}

// prefixedName reads a name of version 4: how many bytes to take off the one before, and what follows.
func (r *indexReader) prefixedName() (string, error) {
	strip, done := 0, false
	for i := 0; !done; i++ {
		b, err := r.byte()
		if err != nil {
			return "", err
		}
		if i > 0 {
			strip++
		}
		strip, done = strip<<7+int(b&0x7f), b&0x80 == 0
		if strip > maxIndexName {
			return "", errors.New("malformed name")
		}
	}
	rest, err := r.untilNUL()
	if err != nil {
		return "", err
	}
	if strip > len(r.name) || len(r.name)-strip+len(rest) > maxIndexName {
		return "", errors.New("malformed name")
	}
	r.name = append(r.name[:len(r.name)-strip], rest...)
	return string(r.name), nil
}

func (r *indexReader) untilNUL() ([]byte, error) {
	var out []byte
	for {
		b, err := r.byte()
		switch {
		case err != nil:
			return nil, err
		case b == 0:
			return out, nil
		case len(out) >= maxIndexName:
			return nil, errors.New("malformed name")
		}
		out = append(out, b)
	}
}

// extension reads one extension: a split index's is used, those with a capital letter are caches, any other one
// changes what the index means.
func (r *indexReader) extension(x *index) error {
	head, err := r.read(8)
	if err != nil {
		return err
	}
	name, size := string(head[:4]), binary.BigEndian.Uint32(head[4:])
	if size > maxIndexExtra {
		return fmt.Errorf("its extension %q has %d bytes", name, size)
	}
	data, err := r.read(int(size))
	switch {
	case err != nil:
		return err
	case name == "link":
		return x.link(data)
	case name == "sdir", name[0] >= 'A' && name[0] <= 'Z': // sdir only says that directories may be folded
		return nil
	}
	return fmt.Errorf("its extension %q is not known", name)
}

// link reads the extension of a split index: the shared index's name, what to delete of it, what to replace.
func (x *index) link(data []byte) error {
	if len(data) < indexTrailer {
		return errors.New("malformed split index")
	}
	x.base = hex.EncodeToString(data[:indexTrailer])
	data = data[indexTrailer:]
	if len(data) == 0 {
		return nil
	}
	var err error
	if x.deleted, data, err = bitmap(data); err != nil {
		return err
	}
	x.changed, _, err = bitmap(data)
	return err
}

// bitmap reads an EWAH bitmap (gitformat-bitmap, appendix A) and gives its words and what follows it. Each run is a
// word that counts words of one bit and words that follow as they are.
func bitmap(data []byte) (words []uint64, rest []byte, err error) {
	broken := errors.New("malformed split index")
	if len(data) < 8 {
		return nil, nil, broken
	}
	nbits, n := binary.BigEndian.Uint32(data), binary.BigEndian.Uint32(data[4:])
	data = data[8:]
	if nbits > maxTreeFiles || int64(n)*8+4 > int64(len(data)) {
		return nil, nil, broken
	}
	body := data[:n*8]
	const most = maxTreeFiles/64 + 1
	for len(body) > 0 {
		run := binary.BigEndian.Uint64(body)
		same, literal := run>>1&0xffffffff, run>>33
		body = body[8:]
		if uint64(len(words))+same+literal > most || literal*8 > uint64(len(body)) {
			return nil, nil, broken
		}
		fill := uint64(0)
		if run&1 != 0 {
			fill = ^uint64(0)
		}
		for range same {
			words = append(words, fill)
		}
		for range literal {
			words = append(words, binary.BigEndian.Uint64(body))
			body = body[8:]
		}
	}
	if extra := len(words)*64 - int(nbits); extra > 0 && extra < 64 {
		words[len(words)-1] &= ^uint64(0) >> extra
	}
	return words, data[n*8+4:], nil
}

func eachBit(words []uint64, do func(at int) error) error {
	for i, w := range words {
		for w != 0 {
			if err := do(i*64 + bits.TrailingZeros64(w)); err != nil {
				return err
			}
			w &= w - 1
		}
	}
	return nil
}
