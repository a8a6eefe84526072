// Command bench compares the product with what others read the same files with, whole processes on the same files in
// the same run.
//
// It decides nothing but whether a ratio reached its goal. Everything that it reads it has written itself; see
// README.md for what it needs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"runtime/debug"
	"syscall"
)

func main() {
	debug.SetGCPercent(25) // a child is charged with what this process holds when it starts
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	var missed missedError
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.As(err, &missed):
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
}

// options are what the command line says.
type options struct {
	tools tools
	size  scale
	only  *regexp.Regexp
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var o options
	fl := flag.NewFlagSet("bench", flag.ContinueOnError)
	fl.StringVar(&o.tools.gate, "gate", "", "the product's program")
	fl.StringVar(&o.tools.peers, "peers", "", "the program of the Go peers")
	fl.StringVar(&o.tools.gotestsum, "gotestsum", "", "gotestsum's program")
	fl.StringVar(&o.tools.node, "node", "", "folder of peer.mjs and its packages")
	fl.StringVar(&o.tools.inputs, "inputs", "", "folder for the generated files")
	size := fl.String("size", "quick", "quick or full")
	only := fl.String("only", "", "rows whose name matches this expression")
	if err := fl.Parse(args); err != nil {
		return err
	}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	switch *size {
	case "quick":
		o.size = quick()
	case "full":
		o.size = full()
	default:
		return fmt.Errorf("-size %q: quick or full", *size)
	}
	_, _ = fmt.Fprintf(out, "%s run, medians of %d turns, %d cores, %s\n\n", *size, o.size.rounds, runtime.NumCPU(), runtime.Version())
	missed, err := compare(ctx, &o, out)
	if err == nil && missed > 0 {
		err = missedError(missed)
	}
	return err
}

// missedError is how many goals were missed.
type missedError int

// Error says it.
func (m missedError) Error() string { return fmt.Sprintf("%d goals missed", int(m)) }
