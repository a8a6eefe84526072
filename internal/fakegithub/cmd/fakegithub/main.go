// Command fakegithub serves an in-memory GitHub on loopback, for tests that run the product in another
// process. It decides nothing and trusts whoever can reach it, so it listens on loopback addresses only.
//
//	fakegithub -addr 127.0.0.1:8765 -world world.json
//
// It prints the address it listens on, on one line, once requests are answered.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// headerTime bounds how long a client may take for its request's head.
const headerTime = 10 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "fakegithub: error:", err)
		os.Exit(1) //nolint:gocritic // exitAfterDefer: the process ends, and with it the signals
	}
}

// run serves until the context ends.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("fakegithub", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "127.0.0.1:0", "loopback address; port 0 takes a free one")
	world := flags.String("world", "", "JSON file of the world to begin with")
	if err := flags.Parse(args); err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(*addr)
	if err != nil {
		return fmt.Errorf("read -addr: %w", err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("address %q is not a loopback address", *addr)
	}
	w := fakegithub.New(nil)
	if *world != "" {
		if err := load(w, *world); err != nil {
			return err
		}
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if _, err := fmt.Fprintf(stdout, "http://%s\n", l.Addr()); err != nil {
		return err
	}
	s := &http.Server{Handler: w, ReadHeaderTimeout: headerTime}
	closed := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer closed()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// load reads the world from a file.
func load(w *fakegithub.World, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read world: %w", err)
	}
	if err := w.Read(f); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return f.Close()
}
