package collect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// Defaults of Limits.
const (
	defaultFileBytes = 8 << 30   // the largest reports seen are 3 GB
	defaultFiles     = 100_000   // sharded suites write tens of thousands
	defaultEntries   = 5_000_000 // a workspace with a million files, several times over
	defaultDepth     = 128       // deeper trees are made, not found
)

// dirBatch is how many directory entries are held at a time, so that a directory of a million files is
// listed in bounded memory.
const dirBatch = 2048

// direntBytes is how much of a directory is asked of the system at a time.
const direntBytes = 64 << 10

// walkBytes bounds the names that one walk keeps, subdirBytes is what a directory still to enter takes
// besides its name.
const (
	walkBytes   = 64 << 20
	subdirBytes = 48
)

func (l Limits) filled() Limits {
	if l.FileBytes <= 0 {
		l.FileBytes = defaultFileBytes
	}
	if l.Files <= 0 {
		l.Files = defaultFiles
	}
	if l.Entries <= 0 {
		l.Entries = defaultEntries
	}
	if l.Depth <= 0 {
		l.Depth = defaultDepth
	}
	return l
}

// listing is what one list of patterns matched, or why it could not be listed.
type listing struct {
	names   []string // in byte order
	problem string
	detail  string
}

func (l *listing) fail(code, detail string) {
	if l.problem == "" {
		l.problem, l.detail = code, detail
	}
}

// walker matches the patterns of all file sets in one pass over the directories that can still match.
type walker struct {
	w       *Workspace
	lim     Limits
	pats    []pattern
	lists   []listing
	entries int
	bytes   int
	buf     []byte // of dirents
	batch   []dirent
}

// place is a pattern and the segment of it that the next name is compared with.
type place struct{ pat, seg int }

// subdir is a directory still to enter, with the places that are open in it.
type subdir struct {
	name   string
	places []place
}

// list walks the workspace once for all sets of globs. Every directory is read, never guessed, so that a
// name counts only if the file system spells it exactly so.
func (w *Workspace) list(ctx context.Context, sets [][]string) []listing {
	k := &walker{w: w, lim: w.limits.filled(), lists: make([]listing, len(sets))}
	var start []place
	for i, globs := range sets {
		pats, err := compile(i, globs)
		if err != nil {
			k.lists[i].fail(evidence.CodeArtifactUnlisted, err.Error())
			continue
		}
		for _, p := range pats {
			start = append(start, place{pat: len(k.pats)})
			k.pats = append(k.pats, p)
		}
	}
	if len(start) > 0 {
		k.dir(ctx, nil, ".", "", start, 0)
	}
	for i := range k.lists {
		if k.lists[i].problem != "" {
			k.lists[i].names = nil
			continue
		}
		slices.Sort(k.lists[i].names)
		k.lists[i].names = slices.Compact(k.lists[i].names)
	}
	return k.lists
}

// dir matches one directory's entries and then enters those that can hold matches. It is the entry name of the open
// directory parent, nil for the workspace.
func (k *walker) dir(ctx context.Context, parent *openDir, path, name string, places []place, depth int) {
	places = k.opened(places)
	if len(places) == 0 {
		return
	}
	if depth > k.lim.Depth {
		k.failAll(places, evidence.CodeArtifactUnlisted, fmt.Sprintf("%s lies deeper than %d directories", printable(path), k.lim.Depth))
		return
	}
	d, err := k.w.openDir(parent, path, name)
	var subs []subdir
	if err == nil {
		defer d.close()
		subs, err = k.read(ctx, d, path, places)
	}
	switch {
	case errors.Is(err, errTooMany):
		k.failAll(places, evidence.CodeArtifactTooMany, err.Error())
	case errors.Is(err, fs.ErrNotExist) && depth > 0: // removed since its parent was listed
	case err != nil:
		k.failAll(places, evidence.CodeArtifactUnlisted, fmt.Sprintf("list %s: %s", printable(path), reason(err)))
	}
	for _, s := range subs {
		k.dir(ctx, d, join(path, s.name), s.name, s.places, depth+1)
		k.bytes -= len(s.name) + subdirBytes
	}
}

var errTooMany = errors.New("too many directory entries")

// dirent is one directory entry. Its name is valid until the next ones are asked for; a type of fs.ModeIrregular is not
// known yet.
type dirent struct {
	name []byte
	typ  fs.FileMode
}

func (k *walker) read(ctx context.Context, d *openDir, path string, places []place) ([]subdir, error) {
	if k.buf == nil {
		k.buf = make([]byte, direntBytes)
	}
	var subs []subdir
	for {
		if err := ctx.Err(); err != nil {
			return subs, err
		}
		batch, end, err := d.next(k.buf, k.batch[:0])
		k.batch = batch
		if k.entries += len(batch); k.entries > k.lim.Entries {
			return nil, fmt.Errorf("%w: over %d in this workspace", errTooMany, k.lim.Entries)
		}
		for _, e := range batch {
			if e.typ == 0 && !k.mayMatch(e.name, places) {
				continue // as nearly always
			}
			name := string(e.name)
			next := k.entry(path, name, e.typ, places)
			if len(next) == 0 {
				continue
			}
			if len(subs) > 0 && slices.Equal(next, subs[len(subs)-1].places) {
				next = subs[len(subs)-1].places // siblings mostly share them
			}
			subs = append(subs, subdir{name: name, places: next})
			k.bytes += len(name) + subdirBytes
		}
		if k.bytes > walkBytes {
			return nil, fmt.Errorf("%w: their names take over %d MiB", errTooMany, walkBytes>>20)
		}
		if end || err != nil {
			return subs, err
		}
	}
}

// mayMatch is false for the name of a regular file that no open place can mean.
func (k *walker) mayMatch(name []byte, places []place) bool {
	for _, p := range places {
		segs := k.pats[p.pat].segs
		if s := &segs[p.seg]; !(s.kind == segTree && p.seg < len(segs)-1) && s.mayMatch(name) {
			return true
		}
	}
	return false
}

// entry matches one name at every open place. It returns the places that are open below it if it is a
// directory that can hold matches.
func (k *walker) entry(dir, name string, typ fs.FileMode, places []place) []place {
	if typ == fs.ModeIrregular {
		if info, err := k.w.root.Lstat(fromSlash(join(dir, name))); err == nil {
			typ = info.Mode().Type()
		}
	}
	isDir := typ.IsDir()
	linked := typ&fs.ModeSymlink != 0 && k.linksDir(join(dir, name))
	var next []place
	for _, p := range places {
		segs := k.pats[p.pat].segs
		s, last := &segs[p.seg], p.seg == len(segs)-1
		if s.kind == segTree {
			if !crosses(name) {
				continue
			}
			switch {
			case isDir:
				next = append(next, p)
			case linked:
				k.passed(join(dir, name), p)
			case last:
				k.add(p.pat, dir, name, typ, false)
			}
			continue
		}
		if !s.matches(name) {
			continue
		}
		// "a/**" means a file named a as well.
		ends := last || (p.seg == len(segs)-2 && segs[p.seg+1].kind == segTree)
		switch {
		case isDir && last && s.kind == segLiteral:
			k.add(p.pat, dir, name, typ, true)
		case isDir && !last:
			next = append(next, place{p.pat, p.seg + 1})
		case linked && !last:
			k.passed(join(dir, name), place{p.pat, p.seg + 1})
		case !isDir && ends:
			k.add(p.pat, dir, name, typ, s.kind == segLiteral)
		}
	}
	return next
}

// add records a match. A wildcard does not mean a directory, nor a link to one.
func (k *walker) add(pat int, dir, name string, typ fs.FileMode, named bool) {
	l := &k.lists[k.pats[pat].set]
	path := join(dir, name)
	if l.problem != "" || (len(l.names) > 0 && l.names[len(l.names)-1] == path) {
		return
	}
	if typ&fs.ModeSymlink != 0 && !named {
		if fi, err := k.w.root.Stat(fromSlash(path)); err == nil && fi.IsDir() {
			return
		}
	}
	k.bytes += len(path)
	if len(l.names) >= k.lim.Files || k.bytes > walkBytes {
		l.fail(evidence.CodeArtifactTooMany, fmt.Sprintf("over %d files match", len(l.names)))
		l.names = nil
		return
	}
	l.names = append(l.names, path)
}

// linksDir says whether a symbolic link leads to a directory, inside the workspace or out of it.
func (k *walker) linksDir(path string) bool {
	info, err := k.w.root.Stat(fromSlash(path))
	if err != nil { // the link leaves the workspace, or leads nowhere
		info, err = os.Stat(filepath.Join(k.w.dir, fromSlash(path)))
	}
	return err == nil && info.IsDir()
}

// passed is told of every linked directory below which a pattern could match. Links to directories are not entered, so
// that a file has one path and no circle is walked; but what lies behind one must not be passed over in silence, be it
// one red shard of many. The set has a problem then, under either rule of symlinks, unless the walk comes to the same
// place by the directory's own path.
func (k *walker) passed(path string, p place) {
	l := &k.lists[k.pats[p.pat].set]
	if l.problem != "" {
		return
	}
	where, t := k.w.locate(path)
	if t == nil || where.path == "" && t.code == evidence.CodeArtifactNotRegular { // the workspace itself
		var names []string
		if where.path != "" {
			names = strings.Split(where.path, "/")
		}
		if k.comesTo(p, names) {
			return
		}
	}
	l.fail(evidence.CodeArtifactLinkedDirectory, printable(path)+" is a symbolic link to a directory, which is not entered, and files below it could match")
}

// comesTo says whether a pattern of the same set looks in the directory of these names for what p looks for.
func (k *walker) comesTo(p place, names []string) bool {
	want := k.pats[p.pat].segs[p.seg:]
	for i := range k.pats {
		q := &k.pats[i]
		if at := len(q.segs) - len(want); q.set == k.pats[p.pat].set && at >= 0 && slices.Equal(q.segs[at:], want) && reach(q.segs, names)[at] {
			return true
		}
	}
	return false
}

// opened adds the places that "**" opens by meaning no directory, and drops those of sets that failed.
func (k *walker) opened(places []place) []place {
	out := make([]place, 0, len(places)+1)
	add := func(p place) {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	for _, p := range places {
		pat := &k.pats[p.pat]
		if k.lists[pat.set].problem != "" {
			continue
		}
		add(p)
		if pat.segs[p.seg].kind == segTree && p.seg+1 < len(pat.segs) {
			add(place{p.pat, p.seg + 1})
		}
	}
	return out
}

func (k *walker) failAll(places []place, code, detail string) {
	for _, p := range places {
		k.lists[k.pats[p.pat].set].fail(code, detail)
	}
}

func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

func fromSlash(path string) string {
	if os.PathSeparator == '/' {
		return path
	}
	return strings.ReplaceAll(path, "/", string(os.PathSeparator))
}
