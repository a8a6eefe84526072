package collect

import (
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"
	"time"
)

// Modes of tree entries, as git writes them (gitformat-tree: octal file modes).
const (
	ModeDir       uint32 = 0o040000
	ModeFile      uint32 = 0o100644
	ModeExec      uint32 = 0o100755
	ModeSymlink   uint32 = 0o120000
	ModeSubmodule uint32 = 0o160000
)

// maxTreeFiles bounds one tree: the largest public monorepos hold about half a million files.
const maxTreeFiles = 2_000_000

// UnknownSize is the size of a tree entry whose size nobody looked up.
const UnknownSize int64 = -1

// TreeEntry is one file, symbolic link or submodule of a commit's tree.
type TreeEntry struct {
	Path string // slash separated, relative to the repository's root; any bytes
	Mode uint32
	SHA  string // object name, 40 lower-case hex digits
	Size int64  // bytes, or UnknownSize
}

// Tree is the flat list of everything that one commit (or the index) tracks. It never changes once made.
type Tree struct {
	commit  string
	entries []treeEntry // in byte order of the path
	modules []string    // submodule paths, in byte order
	byBlob  map[[20]byte]int32
	stats   []fileStat // of an index: by entry
	written time.Time  // of an index: when
}

type treeEntry struct {
	path string
	mode uint32
	sha  [20]byte
	size int64
}

// Trees are the trees that evidence is compared with. Head is needed; the others may be nil.
type Trees struct {
	Head  *Tree // the judged commit
	Merge *Tree // the test merge commit
	Base  *Tree // the newest commit of the base branch, or the merge base
	Index *Tree // the local index, in local runs
}

// NewTree builds a tree from entries in any order. Directories are refused, as is a path that occurs twice.
// The commit is the name of the commit, or "" for an index.
func NewTree(commit string, entries []TreeEntry) (*Tree, error) {
	flat := make([]treeEntry, 0, len(entries))
	for _, e := range entries {
		raw, err := hex.DecodeString(e.SHA)
		if err != nil || len(raw) != 20 {
			return nil, fmt.Errorf("tree of %s: %q has the object name %q, want 40 hex digits", commit, e.Path, e.SHA)
		}
		flat = append(flat, treeEntry{path: e.Path, mode: e.Mode, sha: [20]byte(raw), size: e.Size})
	}
	return newTree(commit, flat)
}

func newTree(commit string, flat []treeEntry) (*Tree, error) {
	if len(flat) > maxTreeFiles {
		return nil, fmt.Errorf("tree of %s: over the limit of %d files", commit, maxTreeFiles)
	}
	t := &Tree{commit: commit, entries: flat, byBlob: make(map[[20]byte]int32, len(flat))}
	slices.SortFunc(t.entries, func(a, b treeEntry) int { return strings.Compare(a.path, b.path) })
	for i := range t.entries {
		e := &t.entries[i]
		switch {
		case i > 0 && t.entries[i-1].path == e.path:
			return nil, fmt.Errorf("tree of %s: %q occurs twice", commit, e.path)
		case e.mode == ModeDir || e.path == "":
			return nil, fmt.Errorf("tree of %s: %q is not a file", commit, e.path)
		case e.mode == ModeSubmodule:
			t.modules = append(t.modules, e.path)
			continue
		}
		if _, ok := t.byBlob[e.sha]; !ok {
			t.byBlob[e.sha] = int32(i) // the first in path order names the blob
		}
	}
	return t, nil
}

// Commit is the name of the tree's commit, "" for an index.
func (t *Tree) Commit() string { return t.commit }

// Len is the number of files, links and submodules.
func (t *Tree) Len() int { return len(t.entries) }

// Lookup finds the entry of exactly this path.
func (t *Tree) Lookup(path string) (TreeEntry, bool) {
	i, ok := t.find(path)
	if !ok {
		return TreeEntry{}, false
	}
	return t.entries[i].export(), true
}

// All yields every entry in byte order of the path.
func (t *Tree) All() iter.Seq[TreeEntry] {
	return func(yield func(TreeEntry) bool) {
		for i := range t.entries {
			if !yield(t.entries[i].export()) {
				return
			}
		}
	}
}

// Tracks reports whether the tree tracks the path, or the path lies below one of its submodules.
func (t *Tree) Tracks(path string) bool {
	if _, ok := t.find(path); ok {
		return true
	}
	for dir := path; ; {
		cut := strings.LastIndexByte(dir, '/')
		if cut < 0 {
			return false
		}
		dir = dir[:cut]
		if _, ok := slices.BinarySearch(t.modules, dir); ok {
			return true
		}
	}
}

func (t *Tree) find(path string) (int, bool) {
	i := sort.Search(len(t.entries), func(i int) bool { return t.entries[i].path >= path })
	return i, i < len(t.entries) && t.entries[i].path == path
}

func (e *treeEntry) export() TreeEntry {
	return TreeEntry{Path: e.path, Mode: e.mode, SHA: hex.EncodeToString(e.sha[:]), Size: e.size}
}

// all lists the trees that there are.
func (ts *Trees) all() []*Tree {
	var out []*Tree
	for _, t := range []*Tree{ts.Head, ts.Merge, ts.Base, ts.Index} {
		if t != nil {
			out = append(out, t)
		}
	}
	return out
}

func (ts *Trees) tracks(path string) bool {
	for _, t := range ts.all() {
		if t.Tracks(path) {
			return true
		}
	}
	return false
}

// holder names a tracked file with that blob: the first path, in path order, over all trees.
func (ts *Trees) holder(blob [20]byte) string {
	name := ""
	for _, t := range ts.all() {
		if i, ok := t.byBlob[blob]; ok && (name == "" || t.entries[i].path < name) {
			name = t.entries[i].path
		}
	}
	return name
}

// blobSizes are the sizes of the blobs of trees, in order; the zero value has none.
type blobSizes struct {
	known   []int64
	unknown bool // there are blobs whose size nobody looked up
}

func (ts *Trees) sizes() blobSizes {
	var out blobSizes
	for _, t := range ts.all() {
		for i := range t.entries {
			switch e := &t.entries[i]; {
			case e.mode == ModeSubmodule:
			case e.size < 0:
				out.unknown = true
			default:
				out.known = append(out.known, e.size)
			}
		}
	}
	slices.Sort(out.known)
	out.known = slices.Clip(slices.Compact(out.known))
	return out
}

// between reports whether some blob may have a size from low to high: one has it, or sizes are not known.
func (b *blobSizes) between(low, high int64) bool {
	i, _ := slices.BinarySearch(b.known, low)
	return b.unknown || i < len(b.known) && b.known[i] <= high
}
