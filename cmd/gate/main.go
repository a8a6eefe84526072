// Command gate judges an outcome contract against what it observes itself.
//
// It decides nothing: it reads flags and files, calls internal/gate, shows the receipt and turns the result into
// an exit code. Standard output is the answer, standard error is talk.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/outcome-gate/outcome-gate/internal/stage"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// gcPercent is by how much the heap may grow before it is swept. What is kept of many tests or files is the heap, and
// most of it takes no time to sweep: a quarter more, and not twice as much, keeps it small.
const gcPercent = 25

func main() {
	args := os.Args[1:]
	if name := stageOf(os.Args[0]); name != "" {
		args = []string{name}
	}
	if isStage(args) && !slices.Contains(args, "--help") && !slices.Contains(args, "-h") {
		if err := stage.Fresh(os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "gate: error:", err)
			os.Exit(verdict.ExitCannotLook)
		}
	}
	if onlyPrints(args) {
		os.Exit(run(context.Background(), args, machine()))
	}
	debug.SetGCPercent(gcPercent)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, args, machine())
	stop()
	os.Exit(code)
}

// onlyPrints says whether a command has nothing to bring to an end when it is interrupted. To watch for signals takes a
// twentieth of a start.
func onlyPrints(args []string) bool {
	return len(args) > 0 && slices.Contains([]string{"agents", "completion", "help", "schema", "version", "--help", "--version", "-h"}, args[0])
}
