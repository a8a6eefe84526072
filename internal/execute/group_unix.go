//go:build unix

package execute

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// group gives the command a process group of its own, but on a terminal.
func group(cmd *exec.Cmd, terminal bool) {
	if !terminal {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
}

// pass sends a signal on to the command's group. A group on the terminal gets from there what the keyboard and the
// end of the session send, so that those signals would arrive twice.
func pass(cmd *exec.Cmd, s os.Signal, terminal bool) {
	n, ok := s.(syscall.Signal)
	switch {
	case !ok:
	case !terminal:
		_ = syscall.Kill(-cmd.Process.Pid, n) // a group that has ended is no error
	case n != syscall.SIGINT && n != syscall.SIGQUIT && n != syscall.SIGHUP:
		_ = cmd.Process.Signal(n)
	}
}

// Signals lists the signals that are passed on: those that ask a process to end or to do something, as far as this
// process does not ignore them, as under nohup(1).
func Signals() []os.Signal {
	var out []os.Signal
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2} {
		if !signal.Ignored(s) {
			out = append(out, s)
		}
	}
	return out
}

// statusOf is the exit status, or 128 and the signal's number.
func statusOf(s *os.ProcessState) int {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return s.ExitCode()
}
