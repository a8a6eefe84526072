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
	for _, fd := range descriptors("/dev/fd") {
		syscall.CloseOnExec(fd)
	}
}

// blindly is up to which descriptor all are closed where the system does not list them: what most systems let a process
// have open.
const blindly = 1024

// descriptors are those of this process that a folder of the system lists, but for the standard streams. Go's own are
// closed on exec anyway; those that this process was started with are not.
func descriptors(folder string) (all []int) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		for fd := 3; fd < blindly; fd++ {
			all = append(all, fd)
		}
		return all
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			all = append(all, fd)
		}
	}
	return all
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
