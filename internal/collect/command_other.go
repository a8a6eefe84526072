//go:build !unix

package collect

import (
	"os"
	"os/exec"
)

// apart has nothing to add here: there are no process groups, the program alone is killed.
func apart(*exec.Cmd) {}

// killRest cannot name what the program left behind on this system.
func killRest(*exec.Cmd) {}

// exitCode is the exit status; a killed program has the status 1 here.
func exitCode(s *os.ProcessState) int { return s.ExitCode() }
