package stage

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// TestInterruptedLeavesAReceipt holds that a stopped run says on every local surface that it was stopped.
func TestInterruptedLeavesAReceipt(t *testing.T) {
	s := newScene(t)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if code := Main(ctx, s.options()); code != 3 {
		t.Errorf("exit %d", code)
	}
	r := s.receipt()
	if r.Result != "error" || r.Reason != "cannot_look" || r.Scope.Look != "finish: the runner stopped this step" {
		t.Errorf("the receipt says %s, %s, %q", r.Result, r.Reason, r.Scope.Look)
	}
	if on := s.shown(); on.status != "" || on.comments != 0 {
		t.Errorf("%+v", on)
	}
	if outputs := s.file("GITHUB_OUTPUT"); !strings.Contains(outputs, "\nerror\n") {
		t.Errorf("outputs: %s", outputs)
	}
}

// TestPostNeedsNothing holds that the last stage does and asks nothing after a run that completed its check run:
// neither a token, which some runners do not hand to it, nor GitHub.
func TestPostNeedsNothing(t *testing.T) {
	s := newScene(t)
	if code := Main(context.Background(), s.options()); code != 0 {
		t.Fatalf("exit %d\n%s", code, s.log.String())
	}
	saved := s.file("GITHUB_STATE")
	lines := strings.Split(strings.TrimSpace(saved), "\n")
	if len(lines) < 3 || lines[len(lines)-2] != "0" { // NAME<<DELIMITER, value, DELIMITER
		t.Fatalf("the newest state is not that nothing is in progress: %q", saved)
	}
	s.env["STATE_"+stateCheck], s.env["INPUT_TOKEN"] = "0", ""
	before := len(s.world.Requests())
	if code := Post(context.Background(), s.options()); code != 0 || len(s.world.Requests()) != before {
		t.Errorf("exit %d after %d requests", code, len(s.world.Requests())-before)
	}
}

// TestStoppedLate holds that a check run keeps the conclusion that it has.
func TestStoppedLate(t *testing.T) {
	s := newScene(t)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if err := s.world.Fault(fakegithub.Fault{Match: "^POST .*/comments", DelayMS: 60_000, Times: -1}); err != nil {
		t.Fatal(err)
	}
	go func() {
		for s.shown().conclusion == "" && ctx.Err() == nil {
			time.Sleep(5 * time.Millisecond)
		}
		stop()
	}()
	code := Main(ctx, s.options())
	if on := s.shown(); code != 3 || on.conclusion != "success" || on.status != "success" {
		t.Errorf("exit %d, %+v", code, on)
	}
}
