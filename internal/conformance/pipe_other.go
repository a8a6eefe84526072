//go:build !unix

package conformance

// makePipe says that this system has no FIFO in its file system.
func makePipe(string) error { return &NotExpressible{What: "a FIFO on this system"} }
