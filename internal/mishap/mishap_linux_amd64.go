package mishap

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
)

// What ptrace(2) is asked for: marks of system calls in the signal, threads traced from their first instruction, and an
// end of the program with that of the tracer.
const (
	options     = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE | exitKill
	exitKill    = 0x100000
	syscallStop = syscall.SIGTRAP | 0x80
	waitAll     = 0x40000000 // __WALL: threads too
)

// Run runs the program once. The kind meets step number at, counted from 1; with a number beyond the last one
// everything goes right. Standard input is empty.
func (p *Program) Run(at int, what Kind) (*Ended, error) {
	type result struct {
		*Ended
		error
	}
	done := make(chan result)
	go func() {
		// All requests of a tracer come from one thread, which ends with this goroutine.
		runtime.LockOSThread()
		e, err := p.run(at, what)
		done <- result{e, err}
	}()
	r := <-done
	return r.Ended, r.error
}

func (p *Program) run(at int, what Kind) (*Ended, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile(p.Output, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, errors.Join(err, null.Close())
	}
	pid, err := syscall.ForkExec(p.Path, append([]string{p.Path}, p.Args...), &syscall.ProcAttr{ //nolint:gosec // G204: a test names the program
		Dir: p.Dir, Env: p.Env, Files: []uintptr{null.Fd(), out.Fd(), out.Fd()},
		Sys: &syscall.SysProcAttr{Ptrace: true, Setpgid: true},
	})
	err = errors.Join(err, null.Close(), out.Close())
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) {
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", p.Path, err)
	}
	t := &tracer{pid: pid, at: at, what: what, folders: p.Folders, threads: map[int]*thread{}}
	if err := t.follow(); err != nil {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		for {                                  // its threads and itself
			if _, end := syscall.Wait4(-pid, nil, waitAll, nil); end != nil && !errors.Is(end, syscall.EINTR) {
				return nil, fmt.Errorf("trace %s: %w", p.Path, err)
			}
		}
	}
	return &t.ended, nil
}

// tracer follows one program.
type tracer struct {
	pid     int
	at      int
	what    Kind
	folders []string
	threads map[int]*thread
	ended   Ended
}

// thread is a thread between the beginning and the end of a system call.
type thread struct {
	inside bool
	errno  syscall.Errno // what the call fails with; 0: it is carried out
	kill   bool          // the program is killed at the call's end
}

// follow traces the program to its end.
func (t *tracer) follow() error {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(t.pid, &status, waitAll, nil); err != nil {
		return err
	}
	if !status.Stopped() {
		return fmt.Errorf("it ended at once: %v", status)
	}
	if err := syscall.PtraceSetOptions(t.pid, options); err != nil {
		return err
	}
	tid, signal := t.pid, 0
	for {
		// A thread that is killed meanwhile is no longer there: its end is waited for below.
		if err := syscall.PtraceSyscall(tid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		var err error
		if tid, status, err = t.next(); err != nil || tid == 0 {
			return err
		}
		if signal, err = t.stopped(tid, status); err != nil {
			return err
		}
	}
}

// next waits for the next stop of a thread; 0 is the program's end.
func (t *tracer) next() (tid int, status syscall.WaitStatus, err error) {
	for {
		tid, err = syscall.Wait4(-t.pid, &status, waitAll, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 0, status, err
		case !status.Exited() && !status.Signaled():
			return tid, status, nil
		case tid == t.pid:
			t.ended.Killed, t.ended.Code = status.Signaled(), max(status.ExitStatus(), 0)
			return 0, status, nil
		default:
			delete(t.threads, tid)
		}
	}
}

// stopped handles one stop of a thread and gives the signal that it goes on with.
func (t *tracer) stopped(tid int, status syscall.WaitStatus) (signal int, err error) {
	th, known := t.threads[tid]
	if !known {
		th = &thread{}
		t.threads[tid] = th
	}
	switch s := status.StopSignal(); {
	case s == syscallStop:
		th.inside = !th.inside
		var regs syscall.PtraceRegs
		if err := syscall.PtraceGetRegs(tid, &regs); err != nil {
			return 0, ignoreGone(err)
		}
		if th.inside {
			return 0, t.enter(tid, th, &regs)
		}
		return 0, t.leave(tid, th, &regs)
	case s == syscall.SIGTRAP: // a new thread, or the program itself
		return 0, nil
	case s == syscall.SIGSTOP && !known: // a new thread's first stop
		return 0, nil
	default:
		return int(s), nil
	}
}

// enter looks at a system call before it is carried out.
func (t *tracer) enter(tid int, th *thread, regs *syscall.PtraceRegs) error {
	c := t.step(tid, regs)
	if c == nil {
		return nil
	}
	t.ended.Steps = append(t.ended.Steps, c.Step)
	n := len(t.ended.Steps)
	if n < t.at || t.what == Nothing {
		return nil
	}
	half := c.write && n == t.at && regs.Rdx >= 2
	switch {
	case t.what == Kill, t.what == Tear && !half:
		return syscall.Kill(t.pid, syscall.SIGKILL)
	case t.what == Tear:
		th.kill = true
		regs.Rdx /= 2
	case t.what == Full && half:
		regs.Rdx /= 2
	case t.what == Full && c.grows:
		th.errno = syscall.ENOSPC
	case t.what == Broken:
		th.errno = syscall.EIO
	case t.what == ReadOnly && c.Call != "fsync":
		th.errno = syscall.EROFS
	default:
		return nil
	}
	if th.errno != 0 {
		regs.Orig_rax = ^uint64(0) // no system call has this number
	}
	return ignoreGone(syscall.PtraceSetRegs(tid, regs))
}

// leave looks at a system call after it was carried out.
func (t *tracer) leave(tid int, th *thread, regs *syscall.PtraceRegs) error {
	if th.kill {
		return syscall.Kill(t.pid, syscall.SIGKILL)
	}
	if th.errno == 0 {
		return nil
	}
	regs.Rax = -uint64(th.errno)
	th.errno = 0
	return ignoreGone(syscall.PtraceSetRegs(tid, regs))
}

// ignoreGone is err, unless it says that the thread is no longer there.
func ignoreGone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}
