package disk

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/transition"
)

// TestThousandDeliveries delivers 1,000 answers of 25 runs at the same time: each run is judged once and has one
// receipt, which every delivery of it is answered with.
func TestThousandDeliveries(t *testing.T) {
	const runs, each = 25, 40
	path := filepath.Join(t.TempDir(), "task.json")
	var j judge
	var digests [runs]sync.Map
	var known atomic.Int32
	var wg sync.WaitGroup
	begun := time.Now()
	for _, i := range rand.Perm(runs * each) {
		wg.Go(func() {
			n := i % runs
			d := delivery(n)
			a, err := New(path).Deliver(t.Context(), d, j.of(d, ends()[n%3]))
			if err != nil {
				t.Error(err)
				return
			}
			digests[n].Store(a.Receipt.Digest, true)
			if a.Known {
				known.Add(1)
			}
		})
	}
	wg.Wait()
	f, on := sound(t, path)
	for n := range runs {
		id, different := delivery(n).ID(), 0
		digests[n].Range(func(any, any) bool { different++; return true })
		if run := f.Find(id); run == nil || j.n[id] != 1 || on[id] != 1 || different != 1 || run.Judged != 1 || !run.Settled() {
			t.Errorf("run %d: %+v, judged %d times, %d receipts, %d answers", n, run, j.n[id], on[id], different)
		}
	}
	if len(f.Runs) != runs || len(on) != runs || known.Load() != runs*each-runs {
		t.Errorf("%d runs, %d with receipts, %d answered again", len(f.Runs), len(on), known.Load())
	}
	t.Logf("%d deliveries of %d runs in %s", runs*each, runs, time.Since(begun).Round(time.Millisecond))
}

// TestKilledAtEachStep ends a delivery before each thing that it does to the disk, as a kill would. Whatever is left, no
// state is without its receipt, and the next delivery of the same answer ends with one receipt.
func TestKilledAtEachStep(t *testing.T) {
	for _, end := range ends() {
		for _, before := range []bool{false, true} { // whether it was delivered before
			var steps []string
			for {
				where := killAt(t, end, len(steps), before)
				if where == "" {
					break // nothing is left to be killed at
				}
				steps = append(steps, where)
			}
			// A settled run is only read; one that waits, and one that is new, is written with its receipt first.
			if want := !before || end == "waits"; want != (len(steps) >= 10) || !want && len(steps) > 0 {
				t.Errorf("%s, delivered before %v: killed at %q", end, before, steps)
			}
			t.Logf("%s, delivered before %v: killed at %d steps: %s", end, before, len(steps), strings.Join(steps, ", "))
		}
	}
}

// killAt kills a delivery at one step, holds what is left and what the next delivery makes of it, and names the step;
// "" if the delivery came to its end.
func killAt(t *testing.T, end string, at int, before bool) (where string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "task.json")
	var j judge
	other, d := delivery(7), delivery(1)
	deliver := func(k *Keeper, x *transition.Delivery) (Answer, error) {
		return k.Deliver(t.Context(), x, j.of(x, end))
	}
	runs := 1
	if before {
		runs = 2
		for _, x := range []*transition.Delivery{other, d} {
			if _, err := deliver(New(path), x); err != nil {
				t.Fatal(err)
			}
		}
	}
	was, _ := sound(t, path)
	k, n := New(path), 0
	k.before = func(what, file string) error {
		if n++; n > at {
			where = what + " " + strings.TrimPrefix(filepath.Base(file), d.ID())
			return errKilled
		}
		return nil
	}
	_, err := deliver(k, d)
	if err == nil {
		return ""
	}
	if !errors.Is(err, errKilled) {
		t.Fatalf("%s, killed at %q: %v", end, where, err)
	}
	f, _ := sound(t, path)
	for _, r := range was.Runs {
		if f.Find(r.ID) == nil {
			t.Errorf("%s, killed at %q: a run is lost", end, where)
		}
	}
	judged := j.n[d.ID()]
	a, err := deliver(New(path), d)
	if err != nil {
		t.Fatalf("%s, after a kill at %q: %v", end, where, err)
	}
	f, on := sound(t, path)
	run := f.Find(d.ID())
	if run == nil || a.State != run.State || a.Receipt.Digest != run.Digest || on[d.ID()] != 1 || len(f.Runs) != runs {
		t.Errorf("%s, after a kill at %q: %+v, %d receipts", end, where, run, on[d.ID()])
	}
	if a.Known && j.n[d.ID()] != judged {
		t.Errorf("%s, after a kill at %q: judged again", end, where)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.new")); len(left) > 0 {
		t.Errorf("%s, after a kill at %q: left %v", end, where, left)
	}
	return where
}

// TestKilledProcesses kills real processes at any time while others deliver the same answers.
func TestKilledProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "task.json")
	const runs, processes = 4, 40
	deliver := func(n int, after time.Duration) (out string, err error) {
		c := exec.CommandContext(t.Context(), os.Args[0])
		c.Env = append(os.Environ(), "GATE_TEST_DELIVER="+path, "GATE_TEST_DELIVERY="+strconv.Itoa(n))
		var text strings.Builder
		c.Stdout, c.Stderr = &text, &text
		if err := c.Start(); err != nil {
			return "", err
		}
		if after > 0 {
			time.AfterFunc(after, func() { _ = c.Process.Kill() })
		}
		err = c.Wait()
		return strings.TrimSpace(text.String()), err
	}
	var wg sync.WaitGroup
	var killed atomic.Int32
	for i := range processes {
		wg.Go(func() {
			if _, err := deliver(i%runs, time.Duration(1+rand.IntN(300))*time.Millisecond); err != nil {
				killed.Add(1)
			}
		})
		if i%8 == 7 {
			wg.Wait()
			if _, err := os.Stat(path); err == nil {
				sound(t, path)
			}
		}
	}
	for n := range runs {
		for range 2 {
			wg.Go(func() {
				if out, err := deliver(n, 0); err != nil || !strings.HasPrefix(out, "sha256:") {
					t.Errorf("run %d: %v: %s", n, err, out)
				}
			})
		}
	}
	wg.Wait()
	f, on := sound(t, path)
	for n := range runs {
		if run := f.Find(delivery(n).ID()); run == nil || !run.State.Concluded() || on[run.ID] != 1 {
			t.Errorf("run %d: %+v, %v", n, run, on)
		}
	}
	if len(f.Runs) != runs || killed.Load() == 0 {
		t.Errorf("%d runs, %d of the processes were killed", len(f.Runs), killed.Load())
	}
	t.Logf("%d of %d processes were killed", killed.Load(), processes)
}
