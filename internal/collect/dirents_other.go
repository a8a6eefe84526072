//go:build !linux

package collect

import (
	"errors"
	"io"
	"os"
)

// dirents lists a directory's entries.
type dirents struct{ dir *os.File }

func newDirents(dir *os.File, _ []byte) *dirents { return &dirents{dir} }

// next gives up to dirBatch entries in out, fewer only at the end.
func (d *dirents) next(out []dirent) ([]dirent, bool, error) {
	batch, err := d.dir.ReadDir(dirBatch)
	for _, e := range batch {
		out = append(out, dirent{name: e.Name(), typ: e.Type()})
	}
	if errors.Is(err, io.EOF) {
		return out, true, nil
	}
	return out, false, err
}
