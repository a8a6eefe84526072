//go:build unix

package collect

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// apart gives the command a process group of its own, which is killed instead of the program alone, and keeps
// descriptors that this process inherited from its own parent out of it.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return // no such directory on this system: Go's own descriptors are closed on exec anyway
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}

// killRest ends what the program left behind in its group. A group without members is no error.
func killRest(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}

// exitCode is the exit status, or 128 and the signal's number.
func exitCode(s *os.ProcessState) int {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return s.ExitCode()
}
