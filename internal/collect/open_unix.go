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
