package collect

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// maxLinks is how many symbolic links may lead to one file (Linux itself stops after 40).
const maxLinks = 40

// trouble is what keeps a file from being read: the code and the detail of evidence.File.
type trouble struct{ code, detail string }

func (t *trouble) Error() string { return t.code + ": " + t.detail }

// located is where the bytes of a name really are.
type located struct {
	path string // without any symbolic link in it
	link bool   // a symbolic link led there
	info os.FileInfo
	held *heldDir // in which it was located, if it was
}

// locate resolves a name of the walk to a regular file inside the workspace. Links are resolved here, step
// by step and not by the kernel, because git's rules hold for the target's own path too.
func (w *Workspace) locate(name string) (located, *trouble) {
	if path.Clean(name) != name || !fs.ValidPath(strings.ToValidUTF8(name, "x")) {
		return located{}, &trouble{evidence.CodeArtifactLinkOutside, "not a path inside the workspace"}
	}
	var out located
	todo, done := strings.Split(name, "/"), ""
	for links := 0; len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		if part == ".." {
			if done == "" {
				return out, &trouble{evidence.CodeArtifactLinkOutside, "its target leaves the workspace"}
			}
			done = done[:max(strings.LastIndexByte(done, '/'), 0)]
			continue
		}
		here := join2(done, part)
		info, err := w.root.Lstat(fromSlash(here))
		if err != nil {
			return out, lookupTrouble(err, out.link)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done, out.info = here, info
			continue
		}
		out.link = true
		if links++; links > maxLinks {
			return out, &trouble{evidence.CodeArtifactLinkBroken, "too many links lead to it"}
		}
		target, t := w.linkTarget(here)
		if t != nil {
			return out, t
		}
		if strings.HasPrefix(target, "/") {
			done, target = "", strings.TrimPrefix(target, "/")
		}
		todo = append(steps(target), todo...)
	}
	out.path = done
	if out.path == "" || out.info == nil {
		return out, &trouble{evidence.CodeArtifactNotRegular, "its target is the workspace itself"}
	}
	return out, nil
}

// linkTarget reads a link. An absolute target inside the workspace comes back as a path from "/" that is
// meant to begin at the workspace.
func (w *Workspace) linkTarget(name string) (string, *trouble) {
	target, err := w.root.Readlink(fromSlash(name))
	if err != nil {
		return "", lookupTrouble(err, true)
	}
	if !filepath.IsAbs(target) {
		return filepath.ToSlash(target), nil
	}
	for _, base := range w.bases() {
		if rel, err := filepath.Rel(base, target); err == nil && filepath.IsLocal(rel) {
			return "/" + filepath.ToSlash(rel), nil
		}
	}
	return "", &trouble{evidence.CodeArtifactLinkOutside, "its target leaves the workspace"}
}

// bases are the absolute paths by which a link may name the workspace.
func (w *Workspace) bases() []string {
	abs, err := filepath.Abs(w.dir)
	if err != nil {
		return nil
	}
	if plain, err := filepath.EvalSymlinks(abs); err == nil && plain != abs {
		return []string{abs, plain}
	}
	return []string{abs}
}

func steps(target string) []string {
	var out []string
	for part := range strings.SplitSeq(target, "/") {
		if part != "" && part != "." {
			out = append(out, part)
		}
	}
	return out
}

func join2(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

func lookupTrouble(err error, link bool) *trouble {
	switch {
	case link && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir)):
		return &trouble{evidence.CodeArtifactLinkBroken, "its target does not exist"}
	case errors.Is(err, fs.ErrNotExist):
		return &trouble{evidence.CodeArtifactMoved, "it was removed while the workspace was read"}
	}
	return &trouble{evidence.CodeArtifactUnreadable, reason(err)}
}

// kindOf names what a file is, if it is no regular file.
func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	}
	return "no regular file"
}

// same says whether two looks at a file saw the same bytes: identity, size and both times.
func same(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.Mode() == b.Mode() &&
		a.ModTime().Equal(b.ModTime()) && changeTime(a) == changeTime(b)
}
