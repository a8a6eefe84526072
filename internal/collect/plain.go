package collect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// ErrNotRegular says that a path holds something else than a regular file.
var ErrNotRegular = errors.New("it is no regular file")

// ReadPlain reads one regular file of the workspace that is no evidence, such as a report: at most maxBytes, through no
// link that leaves the workspace, and never waiting for a pipe. A file that is not there is fs.ErrNotExist.
func (w *Workspace) ReadPlain(path string, maxBytes int64) (data []byte, err error) {
	info, err := w.root.Stat(path)
	if errors.Is(err, errNotDir) { // its folder is a file: nothing is there either
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: %w", path, ErrNotRegular)
	}
	f, err := w.root.OpenFile(path, openFileFlags, 0)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: %w", path, errors.Join(err, ErrNotRegular))
	}
	data, err = io.ReadAll(io.LimitReader(f, maxBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", path, err)
	case int64(len(data)) > maxBytes:
		return nil, fmt.Errorf("read %s: it has over %d bytes", path, maxBytes)
	}
	return data, nil
}

// Parents gives the parents of a commit, in order. The commit's bytes are held to its name, so they are as
// sure as the name is, in a shallow clone too.
func (r *Repo) Parents(sha string) (parents []string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { err = guard("read commit "+sha, err, recover()) }()
	c, err := r.commit(sha)
	if err != nil {
		return nil, err
	}
	return c.Parents, nil
}
