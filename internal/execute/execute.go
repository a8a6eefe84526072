// Package execute runs one command for a step and writes down how it ended, as the exit record that the validator
// kind exit_code reads.
//
// It decides nothing: the record says what ran, how it ended, and which bytes the outcome's files had before and
// after. It trusts the caller with the command, which sees the whole environment and all standard streams; it hides
// nothing of its command line. A record shows that somebody in this job ran something, and no more: whoever runs
// code in the same job can write one by hand.
package execute

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"time"
)

// Exit statuses of a command that did not run (IEEE Std 1003.1, shell command language, 2.8.2).
const (
	statusNotExecutable = 126
	statusNotFound      = 127
)

// outputGrace is how long the last output is waited for where a process that the command left behind still holds
// a stream that is no file.
const outputGrace = 2 * time.Second

// Command is what is run and with what.
type Command struct {
	Argv           []string // the program and its arguments; never given to a shell
	Dir            string   // "": where this process runs
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Terminal says that a standard stream is a terminal. The command then stays in this process's group: in one of
	// its own it could not use the terminal, and what the terminal sends it gets from there.
	Terminal bool
	Now      func() time.Time
}

// Ended is how a command ended.
type Ended struct {
	Status                int // 0 to 255; 128+N when killed by signal N, 127 and 126 if it was not found or could not be executed
	StartedAt, FinishedAt time.Time
	Reason                string // why it could not be started, "" if it was
}

// Run runs the command to its end and passes on each signal that arrives meanwhile. The end of the command is the only
// thing that ends it.
func Run(c *Command, signals <-chan os.Signal) Ended {
	start := c.Now()
	e := Ended{StartedAt: start.UTC()}
	var reason error
	e.Status, reason = run(c, signals)
	if reason != nil {
		e.Reason = reason.Error()
	}
	// The difference comes from the monotonic clock, so that a clock that is set back makes no end before the start.
	e.FinishedAt = start.Add(max(c.Now().Sub(start), 0)).UTC()
	return e
}

func run(c *Command, signals <-chan os.Signal) (int, error) {
	// The command line is the caller's own, as with env(1) and timeout(1), and no shell reads it.
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...) //nolint:gosec,noctx // G204: see above; only its own end ends it
	if errors.Is(cmd.Err, exec.ErrDot) {
		cmd.Err = nil // PATH names the working directory: a shell would run it too
	}
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Dir, c.Stdin, c.Stdout, c.Stderr
	cmd.WaitDelay = outputGrace
	group(cmd, c.Terminal)
	if err := cmd.Start(); err != nil {
		return notStarted(err), fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			pass(cmd, s, c.Terminal)
		case err := <-ended:
			if err != nil && !errors.As(err, new(*exec.ExitError)) && !errors.Is(err, exec.ErrWaitDelay) && cmd.ProcessState == nil {
				return statusNotExecutable, fmt.Errorf("wait for %s: %w", c.Argv[0], err)
			}
			return statusOf(cmd.ProcessState), nil
		}
	}
}

// notStarted is the status that a shell gives to a command that it could not start.
func notStarted(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return statusNotFound
	}
	return statusNotExecutable
}
