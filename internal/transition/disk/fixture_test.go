package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/transition"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// TestMain lets this test program be a delivery of its own, which another one kills.
func TestMain(m *testing.M) {
	if path := os.Getenv("GATE_TEST_DELIVER"); path != "" {
		n, _ := strconv.Atoi(os.Getenv("GATE_TEST_DELIVERY"))
		a, err := New(path).Deliver(context.Background(), delivery(n), func(context.Context) (*receipt.Receipt, error) {
			time.Sleep(2 * time.Millisecond)
			return judgement(ends()[n%len(ends())], time.Now())
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(a.Receipt.Digest)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var errKilled = errors.New("killed")

const head = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

// ends are how a run's only step ended, each of which gives another state.
func ends() []string { return []string{"success", "failure", "skipped", "waits"} }

func delivery(n int) *transition.Delivery {
	return &transition.Delivery{TaskID: "task", DispatchID: fmt.Sprint(n), HeadSHA: head, Texts: [][]byte{[]byte("done")}}
}

// judgement is a completed receipt of one outcome.
func judgement(end string, now time.Time) (*receipt.Receipt, error) {
	now = now.UTC()
	r := &receipt.Receipt{
		Subject: receipt.Subject{HeadSHA: head}, Now: now, StartedAt: now, FinishedAt: now,
		Scope:    verdict.Scope{Contract: verdict.ContractOK, Gating: verdict.Gated, Protection: verdict.Untouched, Mode: contract.Enforce},
		Outcomes: []receipt.Outcome{{Rule: contract.Outcome{ID: "smoke", Trust: contract.Run}, Expected: true, Facts: evidence.Observation{ID: "smoke"}}},
	}
	switch end {
	case "waits":
		r.Scope.HeadMoved = true
	case "blind":
		r.Scope.Look = "read the event: it is gone"
	}
	o := &r.Outcomes[0]
	o.Rule.Validators = []contract.Validator{{Kind: "step", Params: []byte(`{"id":"smoke"}`)}}
	if end != "success" && end != "failure" {
		end = "skipped"
	}
	o.Validators = []receipt.Validator{{Kind: "step", Version: "1", Facts: []byte(`{"given":true,"present":true,"outcome":"` + end + `"}`)}}
	err := r.Complete()
	return r, err
}

// judge counts the judgements of each run.
type judge struct {
	mu sync.Mutex
	n  map[string]int
}

func (j *judge) of(d *transition.Delivery, end string) func(context.Context) (*receipt.Receipt, error) {
	return func(context.Context) (*receipt.Receipt, error) {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.n == nil {
			j.n = map[string]int{}
		}
		j.n[d.ID()]++
		return judgement(end, time.Now())
	}
}

// sound holds that every state has its receipt, and gives how many receipts each run has on the disk.
func sound(t *testing.T, path string) (*transition.File, map[string]int) {
	t.Helper()
	k := New(path)
	f, err := k.read()
	if err != nil {
		t.Fatal(err)
	}
	on := map[string]int{}
	entries, err := os.ReadDir(k.folder())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if id, _, ok := strings.Cut(e.Name(), "."); ok && !strings.HasSuffix(e.Name(), ".new") {
			on[id]++
		}
	}
	for i := range f.Runs {
		run := &f.Runs[i]
		if !run.State.Concluded() {
			continue
		}
		if _, err := k.kept(run); err != nil {
			t.Fatalf("a state without its receipt: %v", err)
		}
	}
	return f, on
}
