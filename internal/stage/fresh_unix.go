//go:build unix

package stage

import (
	"os"
	"syscall"
)

// restart replaces the process by the same program with the same arguments, the same process id and the
// environment as it is now. It returns only with an error.
func restart() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	return syscall.Exec(program, os.Args, os.Environ()) //nolint:gosec // G204: this very program, with its own arguments
}
