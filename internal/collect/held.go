package collect

import (
	"io/fs"
	"os"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// maxHeldFiles is how many files are read in a held directory before it is looked at again.
const maxHeldFiles = 1 << 10

// heldDir is a directory in which files are read one after another. It was found without any symbolic link on the way,
// and is looked at again at the end: were it another by then, none of its files counts as read.
type heldDir struct {
	path string
	root *os.Root
	info os.FileInfo
	read []*reading
}

// inHeld locates a name by the directory that is held, and holds another where it lies elsewhere. ok is false for what
// is looked up from the workspace on: a link, a name in the workspace itself, and whatever is out of order.
func (r *reader) inHeld(name string) (where located, ok bool) {
	cut := strings.LastIndexByte(name, '/')
	if cut < 0 || !fs.ValidPath(strings.ToValidUTF8(name, "x")) {
		return located{}, false
	}
	if r.held == nil || r.held.path != name[:cut] || len(r.held.read) >= maxHeldFiles {
		r.leave()
		if r.held = r.w.hold(name[:cut]); r.held == nil {
			return located{}, false
		}
	}
	info, err := r.held.root.Lstat(name[cut+1:])
	if err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return located{}, false
	}
	return located{path: name, info: info, held: r.held}, true
}

// hold opens a directory that no symbolic link leads to, nil if it cannot be held.
func (w *Workspace) hold(path string) *heldDir {
	where, t := w.locate(path)
	if t != nil || where.link || !where.info.IsDir() {
		return nil
	}
	root, err := w.root.OpenRoot(fromSlash(path))
	if err != nil {
		return nil
	}
	info, err := root.Stat(".")
	if err != nil || !os.SameFile(info, where.info) {
		_ = root.Close() // nothing was read in it
		return nil
	}
	return &heldDir{path: path, root: root, info: info}
}

// leave looks at the held directory a second time, as again does at a file's path.
func (r *reader) leave() {
	h := r.held
	if r.held = nil; h == nil {
		return
	}
	_ = h.root.Close() // it was only read
	if where, t := r.w.locate(h.path); t == nil && !where.link && os.SameFile(where.info, h.info) {
		return
	}
	for _, out := range h.read {
		if out.trouble == nil {
			out.trouble = &trouble{evidence.CodeArtifactMoved, "its path leads elsewhere since it was read"}
		}
		out.scanned, out.copied, out.git.AtHead = scanned{}, "", false
	}
}

// open opens a file where it was located.
func (w *Workspace) open(where located) (*os.File, error) {
	if where.held != nil {
		return where.held.root.OpenFile(where.path[len(where.held.path)+1:], openFileFlags, 0)
	}
	return w.root.OpenFile(fromSlash(where.path), openFileFlags, 0)
}

// locateAgain looks at a name the way it was located.
func (w *Workspace) locateAgain(name string, where located) (located, *trouble) {
	if where.held == nil {
		return w.locate(name)
	}
	info, err := where.held.root.Lstat(where.path[len(where.held.path)+1:])
	if err != nil {
		return located{}, lookupTrouble(err, false)
	}
	return located{path: where.path, info: info, held: where.held}, nil
}
