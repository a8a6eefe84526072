//go:build !unix

package collect

import (
	"os"
	"syscall"
)

// On these systems no path of a directory tree names a pipe.
const (
	openFileFlags = os.O_RDONLY
	openDirFlags  = os.O_RDONLY
)

// errNotDir is what the system says of a path that goes on below a file.
const errNotDir = syscall.ENOTDIR
