package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/bench/input"
	"github.com/outcome-gate/outcome-gate/bench/measure"
)

func TestCounts(t *testing.T) {
	gate := `{"files": [{"file":"a","tests":2}], "total": {"files": 1, "tests": 7, "passed": 2}}`
	for _, c := range []struct {
		name  string
		count func([]byte) (int, error)
		out   string
		want  int
	}{
		{"gate", countGate, gate, 7},
		{"gate, cut at its beginning", countGate, gate[20:], 7},
		{"peer", countPeer, "tests 12\n", 12},
		{"gotestsum", countGotestsum, "noise DONE 1 tests\nDONE 412 tests, 3 failures in 0.100s\n", 412},
	} {
		if got, err := c.count([]byte(c.out)); err != nil || got != c.want {
			t.Errorf("%s: %d, %v, want %d", c.name, got, err, c.want)
		}
		for _, none := range []string{"", "tests", "done", `{"tests": 3}`} {
			if n, err := c.count([]byte(none)); err == nil {
				t.Errorf("%s: reads %d from %q", c.name, n, none)
			}
		}
	}
	if _, err := verified([]byte(`{"state": "missing"}`)); err == nil {
		t.Error("what is missing counts as verified")
	}
	if _, err := verified([]byte(`{"state": "verified"}`)); err != nil {
		t.Error(err)
	}
	refusal := `{"files":[{"conclusion":"invalid","findings":[{"code":"tests/doctype"}]}]}`
	if err := refused([]byte(refusal), "tests/doctype"); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{
		"", `{"files":[]}`, strings.Replace(refusal, "invalid", "pass", 1), strings.Replace(refusal, "doctype", "other", 1),
	} {
		if refused([]byte(bad), "tests/doctype") == nil {
			t.Errorf("%q counts as refused", bad)
		}
	}
}

// The goals are judged on the right side of the line.
func TestGoals(t *testing.T) {
	uses := func(ms int) []measure.Use {
		return []measure.Use{{CPU: time.Duration(ms) * time.Millisecond, Wall: time.Duration(ms) * time.Millisecond, RSS: int64(ms) * mib}}
	}
	for _, c := range []struct {
		by    measureBy
		goal  float64
		ours  int
		other int
		met   bool
	}{
		{byCPU, 10, 10, 101, true}, {byCPU, 10, 10, 99, false},
		{byCost, 10, 99, 10, true}, {byCost, 10, 101, 10, false},
		{byWall, 2, 10, 21, true}, {byWall, 2, 10, 19, false},
		{byRSS, 32, 32, 1, true}, {byRSS, 32, 33, 1, false},
		{byTime, 20, 20, 1, true}, {byTime, 20, 21, 1, false},
		{byNone, 0, 1, 1, false},
	} {
		r := row{by: c.by, goal: c.goal}
		figure := r.figure(uses(c.ours), uses(c.other))
		if r.met(figure) != c.met {
			t.Errorf("%+v: %v", c, figure)
		}
		var b strings.Builder
		missed := (&table{out: &b}).line(&r, line{ours: uses(1)[0], ratio: figure, correct: true})
		if missed == c.met || strings.Contains(b.String(), "| met |") != c.met {
			t.Errorf("%+v prints %s", c, b.String())
		}
	}
}

// Every row has a goal, a name of its own with its peer, and inputs and commands that can be made.
func TestRows(t *testing.T) {
	s := scale{rounds: 1, large: 1, script: 2, events: 3, tap: 4, other: 5, small: 3, tree: 10, many: 2, noise: 6, memory: 7, cases: 8}
	w := &workshop{tools: tools{gate: "gate", peers: "peers", gotestsum: "gotestsum", node: "node", inputs: t.TempDir()}, size: s, made: map[string]input.Facts{}}
	seen := map[string]bool{}
	for _, r := range rows() {
		name := r.name + " / " + r.peer
		ours, other, err := r.from(w)
		if seen[name] || err != nil || r.by == byNone || r.goal <= 0 || len(ours.Args) == 0 || (r.peer == "") != (len(other.Args) == 0) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		seen[name] = true
	}
}

// The whole comparison, with programs that are on every machine in the places of the product and its peers.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	gate := filepath.Join(dir, "gate")
	script := "#!/bin/sh\ncat > /dev/null < /dev/null\necho '{\"total\": {\"tests\": 3}}'\n"
	if err := os.WriteFile(gate, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	o := &options{tools: tools{gate: gate, inputs: dir}, size: scale{rounds: 2, small: 1}}
	one := row{"one", "cat", byCost, 1e6, func(w *workshop) (program, program, error) {
		return w.gateTests(3, "x"), catFile(w, os.DevNull, input.Facts{}), nil
	}}
	ours, other, err := one.from(&workshop{tools: o.tools, size: o.size})
	if err != nil {
		t.Fatal(err)
	}
	l, err := one.run(context.Background(), 2, ours, other)
	if err != nil || !l.correct || l.ratio <= 0 {
		t.Errorf("%+v, %v", l, err)
	}
	ours.tests = 4
	if _, err := one.run(context.Background(), 1, ours, other); err == nil {
		t.Error("a wrong count of the product is no error")
	}
	for _, args := range [][]string{{"-size", "huge"}, {"-only", "("}, {"-nothing"}} {
		if run(context.Background(), args, io.Discard) == nil {
			t.Errorf("%q is taken", args)
		}
	}
	var out strings.Builder
	if err := run(context.Background(), []string{"-only", "^nothing$"}, &out); err != nil || !strings.Contains(out.String(), "| work |") {
		t.Errorf("%v: %s", err, out.String())
	}
}
