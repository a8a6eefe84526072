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

// LocalBoundary is the freshness boundary of a local run: startedAt if it is given, else the newest
// modification time among tracked files that no pattern of the contract's evidence means, because results
// count for the sources as they are now. A source that went away has no time; its folder's stands for it: of
// tracked files that are not here, and of gone, the paths that the change removed. The second result says where
// the boundary comes from or, with a zero time, why there is none.
func LocalBoundary(ctx context.Context, w *Workspace, c *contract.Contract, trees *Trees, gone []string, startedAt time.Time) (boundary time.Time, source string) {
	if !startedAt.IsZero() {
		return startedAt.UTC(), "--run-started-at"
	}
	var t *Tree
	if trees != nil {
		if t = trees.Index; t == nil {
			t = trees.Head
		}
	}
	if t == nil {
		return time.Time{}, "no start of the run was given, and what git tracks is not known"
	}
	var pats []pattern
	for _, s := range newPlan(c).sets {
		if more, err := compile(0, s.globs); err == nil {
			pats = append(pats, more...)
		}
	}
	newest := ""
	for i := range t.entries {
		e := &t.entries[i]
		if ctx.Err() != nil {
			return time.Time{}, reason(ctx.Err())
		}
		if e.mode == ModeSubmodule || e.mode == ModeSymlink || matchPath(pats, e.path) {
			continue
		}
		info, err := w.root.Lstat(fromSlash(e.path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			gone = append(gone, e.path)
			continue
		case err != nil || !info.Mode().IsRegular():
			continue // replaced here: it is no source of this run
		}
		if info.ModTime().After(boundary) {
			boundary, newest = info.ModTime().UTC(), e.path
		}
	}
	if newest == "" {
		return time.Time{}, "no start of the run was given, and no tracked file is here"
	}
	if at, folder := w.lastRemoval(gone, pats); at.After(boundary) {
		return at, "a source file was removed from " + clip(printable(folder), maxReason)
	}
	return boundary, "newest tracked source file: " + clip(printable(newest), maxReason)
}

// lastRemoval is the newest modification time among the folders that the paths went away from, and that folder.
// The workspace itself does not count, nor a folder that evidence is written into: what is written there changes
// their times too.
func (w *Workspace) lastRemoval(gone []string, evidence []pattern) (last time.Time, folder string) {
	seen := map[string]bool{}
	for _, name := range gone {
		if matchPath(evidence, name) {
			continue
		}
		for dir := path.Dir(name); dir != "." && !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			info, err := w.root.Lstat(fromSlash(dir))
			if errors.Is(err, fs.ErrNotExist) {
				continue // it went away too: the one above changed then
			}
			if err == nil && info.IsDir() && info.ModTime().After(last) && !w.holdsEvidence(dir, evidence) {
				last, folder = info.ModTime().UTC(), dir
			}
			break
		}
	}
	return last, folder
}

// holdsEvidence says whether an entry of the folder is evidence, or the folder cannot be listed.
func (w *Workspace) holdsEvidence(dir string, evidence []pattern) bool {
	f, err := w.root.Open(fromSlash(dir))
	if err != nil {
		return true
	}
	defer func() { _ = f.Close() }() // it was only read
	names, err := f.Readdirnames(-1)
	return err != nil || slices.ContainsFunc(names, func(n string) bool { return matchPath(evidence, dir+"/"+n) })
}
