//go:build !unix

package execute

import (
	"os"
	"os/exec"
)

// group has nothing to do: there are no process groups.
func group(*exec.Cmd, bool) {}

// pass cannot send signals on this system; what the console sends, the command gets from there.
func pass(*exec.Cmd, os.Signal, bool) {}

// Signals lists what this process must not end by while the command runs.
func Signals() []os.Signal { return []os.Signal{os.Interrupt} }

// statusOf is the exit status, as far as a record can hold it: a greater one is a failure.
func statusOf(s *os.ProcessState) int {
	if n := s.ExitCode(); n >= 0 && n <= 255 {
		return n
	}
	return 1
}
