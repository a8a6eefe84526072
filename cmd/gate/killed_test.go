package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/mishap"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
)

// TestCheckMeetsAMishap lets something go wrong at each change of a file of gate check --receipt: what is there afterwards
// is the old receipt or the new one, whole, or none where none was; and the next run is as if nothing had happened.
func TestCheckMeetsAMishap(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	runs := filepath.Join(t.TempDir(), "runs")
	m := &outside{stdout: io.Discard, stderr: io.Discard, getenv: func(string) string { return "" }, now: time.Now}
	if code := run(context.Background(), []string{"demo", "--keep", runs}, m); code != 0 {
		t.Fatalf("demo: exit code %d", code)
	}
	// try runs one check and gives what is in the receipt's place then, and what was said.
	try := func(t *testing.T, workspace, dir string, at int, what mishap.Kind) (e *mishap.Ended, left []byte, said string) {
		t.Helper()
		output := filepath.Join(t.TempDir(), "said")
		p := &mishap.Program{
			Path: exe, Args: []string{"check", "--receipt", filepath.Join(dir, "receipt.json")}, Env: append(os.Environ(), "GATE_TEST_RUN_MAIN=1"),
			Dir: filepath.Join(runs, workspace), Output: output, Folders: []string{dir, runs},
		}
		e, err := p.Run(at, what)
		if errors.Is(err, mishap.ErrUnsupported) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		left, err = os.ReadFile(filepath.Join(dir, "receipt.json"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		words, err := os.ReadFile(output)
		if err != nil {
			t.Fatal(err)
		}
		return e, left, string(words)
	}
	first, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	_, passed, _ := try(t, "exact-bytes", first, 0, mishap.Nothing)
	wholeReceipt(t, passed, "pass")
	points, survived := 0, 0
	for _, old := range []bool{false, true} {
		for i, what := range []mishap.Kind{mishap.Kill, mishap.Tear, mishap.Full, mishap.Broken, mishap.ReadOnly} {
			for at, undisturbed := 1+i%stride, false; !undisturbed; at += stride {
				points++
				ok := t.Run(fmt.Sprintf("%s at %d, old receipt %t", what, at, old), func(t *testing.T) {
					dir, err := filepath.EvalSymlinks(t.TempDir())
					if err != nil {
						t.Fatal(err)
					}
					var before []byte
					if old {
						before = passed
						if err := os.WriteFile(filepath.Join(dir, "receipt.json"), before, 0o600); err != nil {
							t.Fatal(err)
						}
					}
					e, left, said := try(t, "check-failed", dir, at, what)
					undisturbed = len(e.Steps) < at
					switch {
					case bytes.Equal(left, before):
						if !e.Killed && e.Code != 3 {
							t.Errorf("no new receipt and exit code %d", e.Code)
						}
					default:
						wholeReceipt(t, left, "block")
					}
					if stopped := e.Killed || e.Code == 3; !stopped && (e.Code != 1 || bytes.Equal(left, before)) || e.Code == 3 && !bytes.Contains([]byte(said), []byte("write the receipt")) {
						t.Errorf("killed %t, exit code %d: %s", e.Killed, e.Code, said)
					}
					next := &outside{stdout: io.Discard, stderr: io.Discard, getenv: m.getenv, now: time.Now, dir: filepath.Join(runs, "check-failed")}
					if code := run(context.Background(), []string{"check", "--receipt", filepath.Join(dir, "receipt.json")}, next); code != 1 {
						t.Errorf("the next run: exit code %d", code)
					}
					if left, err = os.ReadFile(filepath.Join(dir, "receipt.json")); err != nil {
						t.Fatal(err)
					}
					wholeReceipt(t, left, "block")
				})
				if !ok {
					break
				}
				survived++
			}
		}
	}
	t.Logf("gate check --receipt: %d points, %d survived, %d lost", points, survived, points-survived)
	if points < 30/stride {
		t.Errorf("%d points: too little is tried", points)
	}
}

func wholeReceipt(t *testing.T, data []byte, result string) {
	t.Helper()
	r, err := receipt.Parse(bytes.TrimSpace(data))
	if err != nil {
		t.Fatalf("a receipt in pieces, %d bytes: %v", len(data), err)
	}
	if diff, err := receipt.Replay(r); err != nil || diff != nil || string(r.Result) != result {
		t.Errorf("result %s, want %s; replay %v, %v", r.Result, result, diff, err)
	}
}
