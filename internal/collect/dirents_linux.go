package collect

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// dirents lists a directory's entries as they come from the kernel (getdents64(2): inode, offset, length of
// the record, type, name up to a NUL). Of a directory opened in a Root, ReadDir looks up every entry's
// attributes, which takes ten times as long; a type that the file system does not tell is looked up by the
// caller and is fs.ModeIrregular here.
type dirents struct {
	dir  *os.File
	buf  []byte
	rest []byte
}

// direntName is where a record's name begins.
const direntName = 19

func newDirents(dir *os.File, buf []byte) *dirents { return &dirents{dir: dir, buf: buf} }

// next gives up to dirBatch entries in out, fewer only at the end. Names hold no slash and are never empty.
func (d *dirents) next(out []dirent) ([]dirent, bool, error) {
	for len(out) < dirBatch {
		if len(d.rest) == 0 {
			n, err := syscall.ReadDirent(int(d.dir.Fd()), d.buf)
			if errors.Is(err, syscall.EINTR) {
				continue
			}
			if err != nil {
				return out, false, &fs.PathError{Op: "readdir", Path: d.dir.Name(), Err: err}
			}
			if n <= 0 {
				return out, true, nil
			}
			d.rest = d.buf[:n]
		}
		size := 0
		if len(d.rest) > direntName {
			size = int(binary.NativeEndian.Uint16(d.rest[16:]))
		}
		if size <= direntName || size > len(d.rest) {
			return out, false, errors.New("the kernel gave a malformed directory entry")
		}
		rec := d.rest[:size]
		d.rest = d.rest[size:]
		name, _, _ := bytes.Cut(rec[direntName:], []byte{0})
		if text := string(name); text != "." && text != ".." && text != "" {
			out = append(out, dirent{name: text, typ: direntType(rec[18])})
		}
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
