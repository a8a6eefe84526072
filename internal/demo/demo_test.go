package demo

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// TestSixRuns is what the demo is for: all end well by their own account, two did.
func TestSixRuns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	all, err := Run(context.Background(), dir, "v0", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	accepted, passed := 0, 0
	states := map[evidence.State]int{}
	for i := range all {
		o := &all[i]
		if TrustsTerminal(&o.Case) {
			accepted++
		}
		if o.Receipt.Result == verdict.Pass {
			passed++
		}
		states[o.State()]++
		if !o.AsExpected() {
			t.Errorf("%s: state %s and result %s, want state %s", o.Case.Name, o.State(), o.Receipt.Result, o.Case.Want)
		}
		if o.Receipt.Report.Verdict != verdict.Live {
			t.Errorf("%s: its report is %s, and every run says that it succeeded", o.Case.Name, o.Receipt.Report.Verdict)
		}
		if diff, err := receipt.Replay(o.Receipt); err != nil || diff != nil {
			t.Errorf("%s: its replay differs: %v %v", o.Case.Name, diff, err)
		}
	}
	if accepted != 6 || passed != 2 || len(all) != 6 {
		t.Errorf("of %d runs the terminal rule accepts %d and the contract passes %d", len(all), accepted, passed)
	}
	for _, s := range []evidence.State{evidence.Missing, evidence.Stale, evidence.HashMismatch, evidence.ValidatorFailed} {
		if states[s] != 1 {
			t.Errorf("%d runs are %s, want 1", states[s], s)
		}
	}
	if _, err := Run(context.Background(), dir, "v0", time.Now); err == nil {
		t.Error("a folder that is not empty was built into")
	}
}

// TestRepositoriesAreReal asks git itself.
func TestRepositoriesAreReal(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not there to ask")
	}
	c := Cases()[0]
	ws := t.TempDir()
	if err := build(ws, &c, time.Now().Add(-time.Minute)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"fsck", "--strict"}, {"diff", "--exit-code", "HEAD"}, {"merge-base", "--is-ancestor", "origin/HEAD", "HEAD"},
	} {
		cmd := exec.Command(git, args...)
		cmd.Dir = ws
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CEILING_DIRECTORIES="+filepath.Dir(ws))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("git %v: %v\n%s", args, err, out)
		}
	}
}
