package mishap

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// call is a system call that changes a file.
type call struct {
	Step
	write bool // its third argument is how many bytes are written
	grows bool // it needs room
}

// maxPath bounds a path that is read out of the program, in bytes (PATH_MAX of Linux).
const maxPath = 4096

// sysRenameat2 is not among the names of package syscall.
const sysRenameat2 = 316

// step is the change that a system call makes to a file of the folders, nil if it makes none.
func (t *tracer) step(tid int, r *syscall.PtraceRegs) *call {
	var c call
	switch r.Orig_rax {
	case syscall.SYS_WRITE, syscall.SYS_PWRITE64, syscall.SYS_WRITEV:
		// Of many buffers no half is written, which the program would see.
		c = call{Step: Step{"write", t.opened(r.Rdi)}, write: r.Orig_rax != syscall.SYS_WRITEV, grows: true}
	case syscall.SYS_FTRUNCATE:
		c = call{Step: Step{"ftruncate", t.opened(r.Rdi)}}
	case syscall.SYS_FSYNC, syscall.SYS_FDATASYNC:
		c = call{Step: Step{"fsync", t.opened(r.Rdi)}}
	case syscall.SYS_FCHMOD:
		c = call{Step: Step{"fchmod", t.opened(r.Rdi)}}
	case syscall.SYS_OPENAT:
		if r.Rdx&(syscall.O_CREAT|syscall.O_TRUNC) == 0 && r.Rdx&syscall.O_ACCMODE == syscall.O_RDONLY {
			return nil
		}
		c = call{Step: Step{"open", t.named(tid, r.Rdi, r.Rsi)}, grows: r.Rdx&syscall.O_EXCL != 0}
	case syscall.SYS_MKDIRAT:
		c = call{Step: Step{"mkdir", t.named(tid, r.Rdi, r.Rsi)}, grows: true}
	case syscall.SYS_UNLINKAT:
		c = call{Step: Step{"unlink", t.named(tid, r.Rdi, r.Rsi)}}
	case syscall.SYS_RENAMEAT, sysRenameat2:
		c = call{Step: Step{"rename", t.named(tid, r.Rdi, r.Rsi)}}
	case syscall.SYS_LINKAT:
		c = call{Step: Step{"link", t.named(tid, r.Rdx, r.R10)}, grows: true}
	case syscall.SYS_SYMLINKAT:
		c = call{Step: Step{"symlink", t.named(tid, r.Rsi, r.Rdx)}, grows: true}
	case syscall.SYS_FCHMODAT:
		c = call{Step: Step{"chmod", t.named(tid, r.Rdi, r.Rsi)}}
	case syscall.SYS_UTIMENSAT:
		c = call{Step: Step{"utimens", t.named(tid, r.Rdi, r.Rsi)}}
	default:
		return nil
	}
	for _, dir := range t.folders {
		if c.Path == dir || strings.HasPrefix(c.Path, dir+"/") {
			return &c
		}
	}
	return nil
}

// opened is the path of an open file, "" if it has none.
func (t *tracer) opened(fd uint64) string {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", t.pid, int32(fd))) //nolint:gosec // G115: the kernel reads it as an int too
	if err != nil {
		return ""
	}
	return path
}

// named is the path that a name of the program stands for below an open folder.
func (t *tracer) named(tid int, dir, at uint64) string {
	raw := make([]byte, maxPath)
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", tid))
	if err != nil {
		return ""
	}
	n, _ := mem.ReadAt(raw, int64(at)) //nolint:gosec // G115: an address of the program, below 1<<47; what lies behind the name may not be readable
	_ = mem.Close()                    // it was only read
	name, _, _ := bytes.Cut(raw[:n], []byte{0})
	path := string(name)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	base := t.opened(dir)
	if int32(dir) == atFDCWD { //nolint:gosec // G115: the kernel reads it as an int too
		base, err = os.Readlink(fmt.Sprintf("/proc/%d/cwd", t.pid))
		if err != nil {
			return ""
		}
	}
	return filepath.Join(base, path)
}

// atFDCWD stands for the working directory (AT_FDCWD).
const atFDCWD = -100
