//go:build !linux

package collect

import (
	"errors"
	"io"
	"os"
)

// openDir is a directory that is listed.
type openDir struct{ file *os.File }

// openDir opens the directory at a path of the workspace.
func (w *Workspace) openDir(_ *openDir, path, _ string) (*openDir, error) {
	f, err := w.root.OpenFile(fromSlash(path), openDirFlags, 0)
	if err != nil {
		return nil, err
	}
	return &openDir{f}, nil
}

func (d *openDir) close() { release(d.file) }

// next gives the next entries in out, and says whether these are the last.
func (d *openDir) next(_ []byte, out []dirent) ([]dirent, bool, error) {
	batch, err := d.file.ReadDir(dirBatch)
	for _, e := range batch {
		out = append(out, dirent{name: []byte(e.Name()), typ: e.Type()})
	}
	if errors.Is(err, io.EOF) {
		return out, true, nil
	}
	return out, false, err
}
