//go:build unix

package collect

import (
	"os"
	"syscall"
)

// Flags that never wait for a writer of a pipe or a device's carrier. What a link or a pipe put in the place
// of a listed file would be is then seen by fstat.
const (
	openFileFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY
	openDirFlags  = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_DIRECTORY
)

// errNotDir is what the system says of a path that goes on below a file.
const errNotDir = syscall.ENOTDIR

// listable gives a second handle of a directory that was opened in a Root. Of the first one, ReadDir looks up
// every entry's attributes, which takes ten times as long; the walk only needs the types, which the directory
// itself holds.
func listable(d *os.File) (*os.File, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Dup(int(d.Fd()))
	if err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), d.Name()), nil
}
