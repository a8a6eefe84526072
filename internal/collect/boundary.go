package collect

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
)

// Sources is what the repository knows of the files that results are made from.
type Sources struct {
	Trees *Trees   // of them the head's and the index count
	Gone  []string // paths that the change removed, old names of renamed files among them
	// CommittedAt is the judged commit's own time, by which it had removed what is gone; zero: not known.
	CommittedAt time.Time
}

// LocalBoundary is the freshness boundary of a local run: startedAt if it is given, else the newest time at which a
// source is known to have changed, because results count for the sources as they are now. Sources are the paths of
// the head commit and of the index that no pattern of the contract's evidence means. A file counts by its
// modification time, a link by its own, a submodule by its folder's. What is not here any more has no time, and the
// nearest folder that is left stands for it: by then it was gone, and at the latest with the commit that removed it.
// The second result says where the boundary comes from or, with a zero time, why there is none.
func LocalBoundary(ctx context.Context, w *Workspace, c *contract.Contract, s Sources, startedAt time.Time) (boundary time.Time, source string) {
	if !startedAt.IsZero() {
		return startedAt.UTC(), "--run-started-at"
	}
	if s.Trees == nil || s.Trees.Head == nil && s.Trees.Index == nil {
		return time.Time{}, "no start of the run was given, and what git tracks is not known"
	}
	b := &newest{w: w}
	for _, set := range newPlan(c).sets {
		if more, err := compile(0, set.globs); err == nil {
			b.evidence = append(b.evidence, more...)
		}
	}
	for _, t := range []*Tree{s.Trees.Head, s.Trees.Index} {
		if t == nil {
			continue
		}
		for i := range t.entries {
			if ctx.Err() != nil {
				return time.Time{}, reason(ctx.Err())
			}
			name := t.entries[i].path
			if t == s.Trees.Index && s.Trees.Head != nil {
				if _, twice := s.Trees.Head.find(name); twice {
					continue
				}
			}
			if !b.present(name) && !s.Trees.Index.leavesOut(name) {
				b.removed(name, time.Time{})
			}
		}
	}
	if b.name == "" {
		return time.Time{}, "no start of the run was given, and no tracked file is here"
	}
	for _, name := range s.Gone {
		if !b.present(name) {
			b.removed(name, s.CommittedAt)
		}
	}
	if b.from != "" {
		return b.at, "a source file was removed from " + clip(printable(b.from), maxReason)
	}
	return b.at, "newest tracked file: " + clip(printable(b.name), maxReason)
}

// leavesOut says whether a sparse checkout leaves a path out of the worktree; a nil tree leaves out nothing.
func (t *Tree) leavesOut(name string) bool {
	if t == nil || len(t.stats) == 0 {
		return false
	}
	i, ok := t.find(name)
	return ok && t.stats[i].skip
}

// newest is the newest change of a source that was found so far.
type newest struct {
	w        *Workspace
	evidence []pattern
	at       time.Time
	name     string // of the file whose time it is, or of any
	from     string // the folder whose time it is, if it is a folder's
	holds    map[string]bool
}

// present counts a source that is here by its own time; what is evidence is none. It says false of one that is not here.
func (b *newest) present(name string) bool {
	if matchPath(b.evidence, name) {
		return true
	}
	info, err := b.w.root.Lstat(fromSlash(name))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNotDir):
		return false
	case err != nil, info.IsDir() && b.holdsEvidence(name):
		return true
	}
	if b.name == "" {
		b.name = name
	}
	if info.ModTime().After(b.at) {
		b.at, b.name, b.from = info.ModTime().UTC(), name, ""
	}
	return true
}

// removed counts a source that is not here by the time of the nearest folder that is left, at the latest by the end of
// the second in which the commit was made that lacks it. A folder that evidence is written into changes with the
// evidence too: its time counts only where a commit bounds it.
func (b *newest) removed(name string, committed time.Time) {
	dir := path.Dir(name)
	info, err := b.w.root.Lstat(fromSlash(dir))
	for dir != "." && (err != nil || !info.IsDir()) {
		dir = path.Dir(dir)
		info, err = b.w.root.Lstat(fromSlash(dir))
	}
	if err != nil || committed.IsZero() && b.holdsEvidence(dir) {
		return
	}
	at := info.ModTime()
	if end := committed.Add(time.Second); !committed.IsZero() && end.Before(at) {
		at = end
	}
	if at.After(b.at) {
		b.at, b.from = at.UTC(), dir
		if dir == "." {
			b.from = "the workspace's own folder"
		}
	}
}

// holdsEvidence says whether a file of the folder is evidence, or the folder cannot be listed.
func (b *newest) holdsEvidence(dir string) bool {
	if held, known := b.holds[dir]; known {
		return held
	}
	if b.holds == nil {
		b.holds = map[string]bool{}
	}
	b.holds[dir] = true
	f, err := b.w.root.OpenFile(fromSlash(dir), openDirFlags, 0)
	if err != nil {
		return true
	}
	defer release(f)
	entries, err := f.ReadDir(-1)
	b.holds[dir] = err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return !e.IsDir() && matchPath(b.evidence, join(dir, e.Name()))
	})
	return b.holds[dir]
}
