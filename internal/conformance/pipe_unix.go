//go:build unix

package conformance

import "syscall"

// makePipe makes a FIFO.
func makePipe(name string) error { return syscall.Mkfifo(name, 0o644) }
