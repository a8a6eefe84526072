package collect

import (
	"context"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
)

// LocalBoundary is the freshness boundary of a local run: startedAt if it is given, else the newest
// modification time among tracked files that no pattern of the contract's evidence means, because results
// count for the sources as they are now. The second result says where it comes from or, with a zero time, why
// there is none.
func LocalBoundary(ctx context.Context, w *Workspace, c *contract.Contract, trees *Trees, startedAt time.Time) (boundary time.Time, source string) {
	if !startedAt.IsZero() {
		return startedAt.UTC(), "given as the start of the run"
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
		if err != nil || !info.Mode().IsRegular() {
			continue // deleted or replaced here: it is no source of this run
		}
		if info.ModTime().After(boundary) {
			boundary, newest = info.ModTime().UTC(), e.path
		}
	}
	if newest == "" {
		return time.Time{}, "no start of the run was given, and no tracked file is here"
	}
	return boundary, "the newest tracked source file, " + clip(printable(newest), maxReason)
}
