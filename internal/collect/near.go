package collect

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
)

const (
	nearPatterns = 3    // patterns that are tried
	nearNames    = 1000 // names of one directory that are compared
	nearBytes    = 100  // longest name that is compared: the time is the product of both lengths
)

// near finds an existing path that nearly matches, for a set that no file matches: the usual cause is a
// wrong case, a wrong directory name or a typing mistake. It follows the fixed beginning of a pattern.
func (w *Workspace) near(ctx context.Context, globs []string) string {
	for _, g := range globs[:min(len(globs), nearPatterns)] {
		pats, err := compile(0, []string{g})
		if err != nil || ctx.Err() != nil {
			continue
		}
		if hit := w.nearOne(pats[0].segs); hit != "" {
			return hit
		}
	}
	return ""
}

func (w *Workspace) nearOne(segs []segment) string {
	dir := "."
	for _, s := range segs {
		if s.kind == segTree {
			return ""
		}
		names, err := w.names(dir)
		if err != nil {
			return ""
		}
		if s.kind == segLiteral && slices.ContainsFunc(names, func(e fs.DirEntry) bool { return e.Name() == s.text && e.IsDir() }) {
			dir = join(dir, s.text)
			continue
		}
		if name := nearest(&s, names); name != "" {
			return join(dir, name)
		}
		return ""
	}
	return dir // every segment is there, and the last one is a directory
}

func (w *Workspace) names(dir string) ([]fs.DirEntry, error) {
	d, err := w.root.OpenFile(fromSlash(dir), openDirFlags, 0)
	if err != nil {
		return nil, err
	}
	defer release(d)
	entries, err := d.ReadDir(nearNames)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// nearest is the name that a segment could have meant: by another case, or by at most a third of its letters.
func nearest(s *segment, names []fs.DirEntry) string {
	lower := newSegment(strings.ToLower(s.text))
	best, bestName := len(s.text)/3+1, ""
	for _, e := range names {
		name := strings.ToLower(e.Name())
		if name == "" || len(name) > nearBytes || skipped(name) {
			continue
		}
		if lower.kind != segLiteral {
			if lower.matches(name) && !e.IsDir() {
				return e.Name()
			}
			continue
		}
		if d := distance(name, lower.text); len(lower.text) <= nearBytes && d < best {
			best, bestName = d, e.Name()
		}
	}
	return bestName
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left := i + 1
		diagonal := i
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j] = left
			left = min(left+1, diagonal+1, change)
		}
		row[len(b)] = left
	}
	return row[len(b)]
}
