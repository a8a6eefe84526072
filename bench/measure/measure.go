// Package measure runs whole programs one after the other and says what each used, by the kernel's own account.
//
// It decides nothing. It trusts what wait4 says of a process and the children that it waited for. Two programs are
// compared by running them in turns, so that whatever else the machine does hits both alike.
package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// Command is a program to run. Its input is a file or, with Feed, what is written to it while it runs.
type Command struct {
	Args []string
	Dir  string // "" is the current one
	Env  []string
	Feed func(w io.Writer) error
	// Count reads how many tests the program found from its standard output. nil: it says nothing of them.
	Count func(stdout []byte) (int, error)
	// Exits are the exit codes that are an answer.
	Exits []int
}

// Use is what one run used.
type Use struct {
	CPU  time.Duration // user and system
	Wall time.Duration
	RSS  int64 // bytes, the largest of its processes; never less than what the measuring program itself holds
	// Tests is what it counted, -1 if it counts nothing.
	Tests int
}

const (
	maxStdout = 256 << 10
	maxStderr = 4 << 10
	kibibyte  = 1 << 10 // ru_maxrss on Linux, getrusage(2)
)

// tail keeps the last bytes of an output. It has no more methods than it needs: the buffer that it holds would take an
// output whole.
type tail struct {
	kept  []byte
	limit int
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if len(t.kept) > 2*t.limit {
		t.kept = t.kept[:copy(t.kept, t.kept[len(t.kept)-t.limit:])]
	}
	return len(p), nil
}

func (t *tail) bytes() []byte { return t.kept[max(len(t.kept)-t.limit, 0):] }

// Run runs a command once to its end.
func Run(ctx context.Context, c Command) (Use, error) {
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Dir = c.Dir
	cmd.Env = append(os.Environ(), c.Env...)
	stdout, stderr := &tail{limit: maxStdout}, &tail{limit: maxStderr}
	cmd.Stderr = stderr
	if c.Count != nil {
		cmd.Stdout = stdout
	}
	var feed io.WriteCloser
	if c.Feed != nil {
		var err error
		if feed, err = cmd.StdinPipe(); err != nil {
			return Use{}, fmt.Errorf("run %s: %w", c.Args[0], err)
		}
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return Use{}, fmt.Errorf("run %s: %w", c.Args[0], err)
	}
	var fed error
	if feed != nil {
		fed = c.Feed(feed)
		if errors.Is(fed, syscall.EPIPE) {
			fed = nil // it had seen enough
		}
		_ = feed.Close() // it is closed already where the reader has gone
	}
	err := cmd.Wait()
	u := Use{Wall: time.Since(began), Tests: -1}
	if code := cmd.ProcessState.ExitCode(); err != nil && !slices.Contains(c.Exits, code) {
		return Use{}, fmt.Errorf("run %q: %w: %s", c.Args, err, stderr.bytes())
	}
	if fed != nil {
		return Use{}, fmt.Errorf("feed %s: %w", c.Args[0], fed)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return Use{}, fmt.Errorf("run %s: the system gives no account of it", c.Args[0])
	}
	u.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	u.RSS = usage.Maxrss * kibibyte
	if c.Count != nil {
		if u.Tests, err = c.Count(stdout.bytes()); err != nil {
			return Use{}, fmt.Errorf("run %q: read its answer: %w", c.Args, err)
		}
	}
	return u, nil
}

// Pair runs two commands in turns, the given number of times each.
func Pair(ctx context.Context, rounds int, a, b Command) (first, second []Use, err error) {
	for range rounds {
		one, err := Run(ctx, a)
		if err != nil {
			return nil, nil, err
		}
		two, err := Run(ctx, b)
		if err != nil {
			return nil, nil, err
		}
		first, second = append(first, one), append(second, two)
	}
	return first, second, nil
}

// Median is the middle of what a figure is in several runs, of two middles the lower.
func Median[T time.Duration | int64 | float64](uses []Use, of func(Use) T) T {
	all := make([]T, 0, len(uses))
	for _, u := range uses {
		all = append(all, of(u))
	}
	return middle(all)
}

// Ratio is the median of the quotients of each turn, b's figure by a's.
func Ratio(a, b []Use, of func(Use) float64) float64 {
	var all []float64
	for i := range min(len(a), len(b)) {
		all = append(all, of(b[i])/of(a[i]))
	}
	return middle(all)
}

func middle[T cmp.Ordered](all []T) T {
	slices.Sort(all)
	if len(all) == 0 {
		var none T
		return none
	}
	return all[(len(all)-1)/2]
}
