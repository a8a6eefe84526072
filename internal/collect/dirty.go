package collect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"
)

// maxDirtyBytes bounds what Dirty reads where the index cannot tell: a fresh index tells it of every file.
const maxDirtyBytes = 1 << 30

// Dirty lists, in path order and at most limit, the tracked paths at which the worktree is not as the head commit has
// it: changed, removed or added to the index without a commit. Results that were made there are not those of the head
// commit alone. Where the index remembers a file's size and time the file is not read; line ends and LFS pointers are
// no difference, nor are modes. Paths that git does not track are not looked at, nor what lies inside of submodules.
func Dirty(ctx context.Context, w *Workspace, trees *Trees, limit int) ([]string, error) {
	if trees == nil || trees.Head == nil {
		return nil, errors.New("compare the workspace with the head commit: what it holds is not known")
	}
	d := &dirtier{w: w, index: trees.Index, left: maxDirtyBytes}
	var out []string
	for i := range trees.Head.entries {
		e := &trees.Head.entries[i]
		if len(out) >= limit {
			return out, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("compare the workspace with the head commit: %w", err)
		}
		differs, err := d.differs(ctx, e)
		if err != nil {
			return nil, fmt.Errorf("compare %s with the head commit: %w", clip(printable(e.path), maxReason), err)
		}
		if differs {
			out = append(out, printable(e.path))
		}
	}
	if trees.Index != nil {
		for i := range trees.Index.entries {
			name := trees.Index.entries[i].path
			if _, known := trees.Head.find(name); !known {
				out = append(out, printable(name))
			}
		}
	}
	slices.Sort(out)
	return out[:min(len(out), limit)], nil
}

// dirtier compares one file after another.
type dirtier struct {
	w     *Workspace
	index *Tree
	left  int64
	buf   []byte
}

// differs says whether the worktree has other bytes at the entry's path.
func (d *dirtier) differs(ctx context.Context, e *treeEntry) (bool, error) {
	info, err := d.w.root.Lstat(fromSlash(e.path))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNotDir):
		return !d.index.leavesOut(e.path), nil
	case err != nil:
		return false, err
	case e.mode == ModeSubmodule:
		return !info.IsDir(), nil
	case info.Mode()&fs.ModeSymlink != 0:
		if e.mode != ModeSymlink {
			return true, nil
		}
		target, err := d.w.root.Readlink(fromSlash(e.path))
		return blobOf([]byte(filepath.ToSlash(target))) != e.sha, err
	case !info.Mode().IsRegular():
		return true, nil
	case d.unchanged(e, info):
		return false, nil
	}
	// A system without links writes their targets into files, whose bytes are those of the blob too.
	return d.other(ctx, e)
}

// unchanged says whether the index remembers this very file under the blob of the entry. A file as young as the index
// may have changed after the index was written without another time.
func (d *dirtier) unchanged(e *treeEntry, info fs.FileInfo) bool {
	if d.index == nil || len(d.index.stats) == 0 {
		return false
	}
	i, ok := d.index.find(e.path)
	if !ok || d.index.entries[i].sha != e.sha {
		return false
	}
	s := &d.index.stats[i]
	if at := changeTime(info); at != 0 && at != s.changed {
		return false // a time that was set back leaves this one
	}
	return int64(s.size) == info.Size()&0xffffffff && s.modified.Equal(info.ModTime()) && s.modified.Before(d.index.written.Truncate(time.Second))
}

// other reads the file and compares git's names for its bytes with the entry's blob.
func (d *dirtier) other(ctx context.Context, e *treeEntry) (bool, error) {
	f, err := d.w.root.OpenFile(fromSlash(e.path), openFileFlags, 0)
	if err != nil {
		return false, err
	}
	defer release(f)
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return true, err
	}
	size := info.Size()
	if d.left -= size; d.left < 0 {
		return false, fmt.Errorf("over %d MiB would have to be read", maxDirtyBytes>>20)
	}
	if d.buf == nil {
		d.buf = make([]byte, readBytes)
	}
	s, err := scanAll(ctx, f, size, need{blob: true, crlf: true}, nil, d.buf)
	if err != nil || s.n != size {
		return true, err
	}
	if s.blob == e.sha || slices.Contains(pointerBlobs(s.sha256, size), e.sha) {
		return false, nil
	}
	if s.crlf == 0 {
		return true, nil
	}
	if _, err := f.Seek(0, 0); err != nil {
		return false, err
	}
	folded, err := foldedBlob(cancellable(ctx, f), size-s.crlf, d.buf)
	return folded != e.sha, err
}
