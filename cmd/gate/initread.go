package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/setup"
)

// Bounds of what is looked at. A repository beyond them is set up from what was seen until then, and the plan says so.
const (
	maxInitFiles = 200_000
	maxInitDepth = 24
	maxInitRead  = 1 << 20 // bytes of one file: manifests are far smaller
	maxInitTotal = 64 << 20
)

// repoReader walks one repository.
type repoReader struct {
	root  *os.Root
	facts *setup.Facts
	read  int64
}

// lookAround looks at the repository below top. Links are named and never followed.
func lookAround(top string) (*setup.Facts, error) {
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	r := &repoReader{root: root, facts: &setup.Facts{Files: map[string][]byte{}, Unread: map[string]string{}}}
	err = r.folder(".")
	for _, name := range setup.HiddenFiles() {
		r.hidden(name)
	}
	r.schema()
	return r.facts, errors.Join(err, root.Close())
}

// hidden reads one file in a folder that is not looked at otherwise.
func (r *repoReader) hidden(name string) {
	for up := path.Dir(name); up != "."; up = path.Dir(up) {
		info, err := r.root.Lstat(filepath.FromSlash(up))
		if err == nil && !info.IsDir() {
			r.facts.Unread[up] = kindOf(info.Mode())
			return
		}
	}
	info, err := r.root.Lstat(filepath.FromSlash(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		r.facts.Unread[name] = "a file that cannot be read"
	case !info.Mode().IsRegular():
		r.facts.Unread[name] = kindOf(info.Mode())
	default:
		r.file(name)
	}
}

func kindOf(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m.IsDir():
		return "a folder"
	case m.IsRegular():
		return "a file"
	}
	return "no regular file"
}

// schema reads the schema of reports that a contract of the repository names, which can lie anywhere in it.
func (r *repoReader) schema() {
	name := setup.ExistingContract(r.facts)
	c, _ := contract.Parse(name, r.facts.Files[name], gate.ContractKinds())
	if c != nil && c.Report.Schema != "" && r.facts.Files[c.Report.Schema] == nil {
		r.hidden(c.Report.Schema)
	}
}

// folder looks at the files of one folder, then at its folders.
func (r *repoReader) folder(dir string) error {
	f, err := r.root.Open(filepath.FromSlash(dir))
	if err != nil {
		return err
	}
	entries, err := f.ReadDir(-1)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	var below []string
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			r.facts.Unread[name] = "a symbolic link"
		case e.IsDir():
			if setup.Enter(name) {
				below = append(below, name)
			}
			if isTarget(name) {
				r.facts.Unread[name] = "a folder"
			}
		case !e.Type().IsRegular():
			r.facts.Unread[name] = "no regular file"
		case len(r.facts.Paths) >= maxInitFiles:
			r.facts.Cut = true
			return nil
		default:
			r.facts.Paths = append(r.facts.Paths, name)
			if setup.Wanted(name) {
				r.file(name)
			}
		}
	}
	if strings.Count(dir, "/") >= maxInitDepth && len(below) > 0 {
		r.facts.Cut = true
		return nil
	}
	for _, b := range below {
		if err := r.folder(b); err != nil {
			if !errors.Is(err, fs.ErrPermission) {
				return err
			}
			r.facts.Unread[b] = "a folder that may not be read"
		}
	}
	return nil
}

// isTarget says whether init writes a file of that name.
func isTarget(name string) bool {
	return slices.Contains([]string{"CLAUDE.md", ".github/copilot-instructions.md"}, name) || name == setup.WorkflowPath || name == setup.EvidencePath || name == setup.ContractPath || name == setup.AgentsPath
}

// file reads one file whole, or says why not.
func (r *repoReader) file(name string) {
	f, err := r.root.Open(filepath.FromSlash(name))
	if err != nil {
		r.facts.Unread[name] = "a file that cannot be read"
		return
	}
	data, err := io.ReadAll(io.LimitReader(f, maxInitRead+1))
	if errors.Join(err, f.Close()) != nil {
		r.facts.Unread[name] = "a file that cannot be read"
		return
	}
	if r.read += int64(len(data)); len(data) > maxInitRead || r.read > maxInitTotal {
		r.facts.Unread[name] = "too large to be read"
		return
	}
	r.facts.Files[name] = data
}

// writePlanned writes one file, if nobody changed it since it was looked at.
func writePlanned(top string, f *setup.File) error {
	root, err := os.OpenRoot(top)
	if err != nil {
		return err
	}
	if err := errors.Join(unmoved(root, f), root.Close()); err != nil {
		return err
	}
	return writeFile(filepath.Join(top, filepath.FromSlash(f.Path)), f.After)
}

// unmoved makes the folders of a planned file, and holds what is there to what was seen.
func unmoved(root *os.Root, f *setup.File) error {
	for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
		if info, err := root.Lstat(filepath.FromSlash(dir)); err == nil && !info.IsDir() {
			return errors.New(dir + " is no folder any more")
		}
	}
	if dir := path.Dir(f.Path); dir != "." {
		if err := root.MkdirAll(filepath.FromSlash(dir), 0o755); err != nil {
			return err
		}
	}
	now, err := root.ReadFile(filepath.FromSlash(f.Path))
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.Before == nil:
	case err != nil:
		return err
	case f.Before == nil || string(now) != string(f.Before):
		return errors.New("it changed meanwhile")
	}
	return nil
}
