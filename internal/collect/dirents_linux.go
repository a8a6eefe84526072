package collect

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openDir is a directory that is listed, entries as they come from the kernel (getdents64(2): inode, offset, length of
// the record, type, name up to a NUL). Of a directory opened in a Root, ReadDir looks up every entry's attributes, which
// takes ten times as long; a type that the file system does not tell is looked up by the caller and is fs.ModeIrregular
// here.
type openDir struct {
	fd   int
	file *os.File // of the workspace itself, nil of what is below
}

// direntName is where a record's name begins.
const direntName = 19

// openDir opens an entry of an open directory by one step that follows no link; without a parent it opens the workspace.
func (w *Workspace) openDir(parent *openDir, path, name string) (*openDir, error) {
	if parent == nil {
		f, err := w.root.OpenFile(path, openDirFlags, 0)
		if err != nil {
			return nil, err
		}
		return &openDir{int(f.Fd()), f}, nil
	}
	for {
		fd, err := syscall.Openat(parent.fd, name, openDirFlags|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return nil, &fs.PathError{Op: "openat", Path: path, Err: err}
		}
		return &openDir{fd: fd}, nil
	}
}

func (d *openDir) close() {
	if d.file != nil {
		release(d.file)
		return
	}
	_ = syscall.Close(d.fd) // it was only read
}

// next gives the next entries in out, and says whether these are the last. Names hold no slash, are never empty and lie
// in buf.
func (d *openDir) next(buf []byte, out []dirent) ([]dirent, bool, error) {
	n, err := syscall.ReadDirent(d.fd, buf)
	for errors.Is(err, syscall.EINTR) {
		n, err = syscall.ReadDirent(d.fd, buf)
	}
	if err != nil {
		return out, false, &fs.PathError{Op: "readdir", Path: ".", Err: err}
	}
	if n <= 0 {
		return out, true, nil
	}
	for rest := buf[:n]; len(rest) > 0; {
		size := 0
		if len(rest) > direntName {
			size = int(binary.NativeEndian.Uint16(rest[16:]))
		}
		if size <= direntName || size > len(rest) {
			return out, false, errors.New("the kernel gave a malformed directory entry")
		}
		name, _, _ := bytes.Cut(rest[direntName:size], []byte{0})
		if len(name) > 0 && string(name) != "." && string(name) != ".." {
			out = append(out, dirent{name: name, typ: direntType(rest[18])})
		}
		rest = rest[size:]
	}
	return out, false, nil
}

func direntType(t byte) fs.FileMode {
	switch t {
	case syscall.DT_REG:
		return 0
	case syscall.DT_DIR:
		return fs.ModeDir
	case syscall.DT_LNK:
		return fs.ModeSymlink
	case syscall.DT_FIFO:
		return fs.ModeNamedPipe
	case syscall.DT_SOCK:
		return fs.ModeSocket
	case syscall.DT_CHR, syscall.DT_BLK:
		return fs.ModeDevice
	}
	return fs.ModeIrregular
}
