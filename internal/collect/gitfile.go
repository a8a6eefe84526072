package collect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Bounds of what is read of a .git directory, which the change can write to.
const (
	maxGitText    = 1 << 20   // HEAD, a ref, config, alternates: a few hundred bytes in life
	maxPackedRefs = 64 << 20  // half a million refs
	maxIndexBytes = 512 << 20 // an index of two million entries, and pack indexes of ten million objects
	maxPacks      = 10_000    // git gc keeps 50
	maxAlternates = 32
	maxAltDepth   = 5 // git's own limit
)

// openGit opens a regular file below root, never waiting on anything that is none.
func openGit(root *os.Root, name string, maxBytes int64) (*os.File, error) {
	f, err := root.OpenFile(fromSlash(name), openFileFlags, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is %s", name, kindOf(info.Mode()))
	case info.Size() > maxBytes:
		err = fmt.Errorf("%s has %d bytes, the limit is %d", name, info.Size(), maxBytes)
	}
	if err != nil {
		release(f)
		return nil, err
	}
	return f, nil
}

// release closes what was only read: nothing is lost if that goes wrong.
func release(c io.Closer) { _ = c.Close() }

// readGit reads a small file below root whole.
func readGit(root *os.Root, name string, maxBytes int64) ([]byte, error) {
	f, err := openGit(root, name, maxBytes)
	if err != nil {
		return nil, err
	}
	defer release(f)
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err == nil && int64(len(data)) > maxBytes {
		err = fmt.Errorf("%s grew over the limit of %d bytes", name, maxBytes)
	}
	return data, err
}

// gitDirs are the two directories of a repository; for a plain one they are the same (gitrepository-layout).
type gitDirs struct {
	own    *os.Root // HEAD, index
	common *os.Root // objects, refs, packed-refs, config, shallow
}

func (d *gitDirs) close() error {
	err := d.own.Close()
	if d.common != d.own {
		err = errors.Join(err, d.common.Close())
	}
	return err
}

// openGitDirs finds the repository of a worktree. A .git file names the directory of a linked worktree or a
// submodule; commondir in there names the directory that all worktrees share.
func openGitDirs(worktree string) (*gitDirs, error) {
	dir := filepath.Join(worktree, ".git")
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if info.Mode().IsRegular() {
		if dir, err = followGitFile(worktree); err != nil {
			return nil, err
		}
	}
	own, err := openDirRoot(dir)
	if err != nil {
		return nil, err
	}
	d := &gitDirs{own: own, common: own}
	data, err := readGit(own, "commondir", maxGitText)
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err == nil {
		common := filepath.FromSlash(strings.TrimRight(string(data), "\r\n"))
		if !filepath.IsAbs(common) {
			common = filepath.Join(dir, common)
		}
		d.common, err = openDirRoot(common)
	}
	if err != nil {
		release(own)
		return nil, fmt.Errorf("commondir: %w", err)
	}
	return d, nil
}

func followGitFile(worktree string) (string, error) {
	root, err := os.OpenRoot(worktree)
	if err != nil {
		return "", err
	}
	defer release(root)
	data, err := readGit(root, ".git", maxGitText)
	if err != nil {
		return "", err
	}
	name, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
	if !ok || name == "" {
		return "", errors.New(".git is a file that names no directory")
	}
	dir := filepath.FromSlash(name)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(worktree, dir)
	}
	return dir, nil
}

// openDirRoot opens a directory, after making sure that it is one: opening a pipe would wait for a writer.
func openDirRoot(dir string) (*os.Root, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is %s", filepath.Base(dir), kindOf(info.Mode()))
	}
	return os.OpenRoot(dir)
}
