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
	"syscall"

	"github.com/outcome-gate/outcome-gate/internal/stage"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

func main() {
	args := os.Args[1:]
	if name := stageOf(os.Args[0]); name != "" {
		args = []string{name}
	}
	if isStage(args) {
		if err := stage.Fresh(os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "gate: error:", err)
			os.Exit(verdict.ExitCannotLook)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, args, machine())
	stop()
	os.Exit(code)
}
