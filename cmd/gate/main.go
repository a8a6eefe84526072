// Command gate judges an outcome contract against what it observes itself.
//
// It decides nothing: it reads flags and files, calls internal/gate, shows the receipt and turns the result into
// an exit code. Standard output is the answer, standard error is talk.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	args := os.Args[1:]
	if stage := stageOf(os.Args[0]); stage != "" {
		args = []string{stage}
	}
	code := run(ctx, args, machine())
	stop()
	os.Exit(code)
}
