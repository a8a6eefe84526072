//go:build unix

package local

import (
	"os"
	"syscall"
)

// openFlags keep an open from waiting for the other end of a pipe that took a file's place meanwhile.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK
