package collect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

const (
	commandTimeout = 5 * time.Minute // if the contract names none
	commandGrace   = 2 * time.Second // for the last output after the program ended or was killed
	maxOutputTail  = 16 << 10        // bytes of output kept: the last lines say what went wrong
	maxArguments   = 1000            // a contract's own schema takes a hundred
)

// Command is one command of the contract.
type Command struct {
	Run     []string      // program and arguments; never given to a shell
	Timeout time.Duration // 0: five minutes
}

// RunCommand runs a command of the contract in the workspace, for local checks only. The program gets a short
// allow-list of the environment, no input, no descriptor but its output, and a process group of its own, which
// is killed as a whole when the time is over and when the program has ended. The exit code of a program that a
// signal N killed is 128+N.
func RunCommand(ctx context.Context, w *Workspace, c Command) evidence.CommandResult {
	if len(c.Run) == 0 || len(c.Run) > maxArguments || c.Run[0] == "" {
		return evidence.CommandResult{Reason: "the contract names no program"}
	}
	dir, err := filepath.Abs(w.dir)
	if err != nil {
		return evidence.CommandResult{Reason: "the workspace cannot be entered"}
	}
	timeout := c.Timeout
	if timeout <= 0 {
		timeout = commandTimeout
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	out := &tail{}
	// The argument list is the contract's own, from the trusted branch, and no shell reads it.
	cmd := exec.CommandContext(limited, c.Run[0], c.Run[1:]...) //nolint:gosec // G204: see above
	cmd.Dir, cmd.Env = dir, commandEnv()
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = commandGrace
	apart(cmd)
	if err := cmd.Start(); err != nil {
		return evidence.CommandResult{Reason: "it could not be started: " + reason(err)}
	}
	err = cmd.Wait()
	killRest(cmd)
	r := evidence.CommandResult{Ran: true, ExitCode: exitCode(cmd.ProcessState), Output: out.String()}
	switch {
	case ctx.Err() != nil:
		r.Ran, r.Reason = false, reason(ctx.Err())
	case limited.Err() != nil:
		r.TimedOut, r.Reason = true, fmt.Sprintf("it ran longer than %s", timeout)
	case err != nil && !errors.As(err, new(*exec.ExitError)) && !errors.Is(err, exec.ErrWaitDelay):
		r.Ran, r.Reason = false, reason(err)
	}
	return r
}

// commandEnv is what a command sees of the environment: what programs need to start, nothing that could hold
// a token, load code or redirect a connection.
func commandEnv() []string {
	names := []string{"PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"}
	if runtime.GOOS == "windows" {
		names = append(names, "SYSTEMROOT", "USERPROFILE", "PATHEXT", "TEMP", "TMP")
	}
	env := []string{}
	for _, n := range names {
		if v, ok := os.LookupEnv(n); ok {
			env = append(env, n+"="+v)
		}
	}
	return env
}

// tail keeps the last bytes that were written to it.
type tail struct {
	buf []byte
	cut bool
}

// Write keeps the end of p.
func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if n > maxOutputTail {
		p, t.cut = p[n-maxOutputTail:], true
	}
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - maxOutputTail; over > 0 {
		t.buf, t.cut = append(t.buf[:0], t.buf[over:]...), true
	}
	return n, nil
}

// String is the kept text as valid UTF-8; output that was cut begins with an ellipsis.
func (t *tail) String() string {
	text := strings.ToValidUTF8(string(t.buf), "\uFFFD")
	if t.cut {
		text = "…" + text
	}
	return text
}
