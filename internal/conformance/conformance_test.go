package conformance_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/conformance"
)

// TestScenarios runs the directories of the folder that GATE_SCENARIOS names.
func TestScenarios(t *testing.T) {
	folder := os.Getenv("GATE_SCENARIOS")
	if folder == "" {
		t.Skip("GATE_SCENARIOS names no folder of scenarios")
	}
	sum := runAll(t, folder)
	t.Logf("%d right, %d lies passed, %d honest blocked, %d waits passed, %d not expressible",
		sum[conformance.Right], sum[conformance.LiePassed], sum[conformance.HonestBlocked], sum[conformance.WaitPassed], sum[conformance.Inexpressible])
}

// TestOwnScenarios runs the product's own scenarios. Each of them must be expressible and exactly right.
func TestOwnScenarios(t *testing.T) {
	sum := runAll(t, filepath.Join("testdata", "scenarios"))
	if n := sum[conformance.Inexpressible]; n > 0 {
		t.Errorf("%d of the product's own scenarios cannot be expressed", n)
	}
}

// runAll runs every directory of the folder as a case of its own and counts the grades.
func runAll(t *testing.T, folder string) map[conformance.Grade]int {
	t.Helper()
	dirs := scenarioDirs(t, folder)
	sum := map[conformance.Grade]int{}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			r := conformance.RunDir(t.Context(), dir, filepath.Join(t.TempDir(), "w"))
			sum[r.Grade]++
			fmt.Println(r.Line())
			for _, note := range r.Notes {
				t.Log("note:", note)
			}
			switch r.Grade {
			case conformance.Right:
				checkLaws(t, dir, r)
			case conformance.Inexpressible:
				t.Skip("not expressible:", r.Detail)
			default:
				t.Errorf("%s: %s", r.Grade, r.Detail)
				explain(t, r)
			}
		})
	}
	return sum
}

// scenarioDirs lists the directories below folder that hold an expectation. None at all is a mistake of the caller.
func scenarioDirs(t *testing.T, folder string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "*", "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatalf("%s holds no scenario", folder)
	}
	for i := range found {
		found[i] = filepath.Dir(found[i])
	}
	return found
}

// checkLaws holds a scenario to the laws of all receipts, and to the ceiling of a claim: what passes with a report
// must pass without one, when none is required.
func checkLaws(t *testing.T, dir string, r *conformance.Result) {
	t.Helper()
	if broken := conformance.Laws(r.Receipt); broken != "" {
		t.Errorf("law: %s", broken)
	}
	if r.Answer.Gate != "pass" {
		return
	}
	silent := conformance.RunDir(t.Context(), dir, filepath.Join(t.TempDir(), "silent"), conformance.Silent)
	if silent.Receipt == nil || silent.Answer.Gate != "pass" {
		t.Errorf("law: it passes with its report, and without one the gate says %s", silent.Line())
	}
}

// explain logs what the gate found.
func explain(t *testing.T, r *conformance.Result) {
	t.Helper()
	if r.Receipt == nil {
		return
	}
	for _, p := range r.Receipt.Problems {
		t.Log("contract:", p.String())
	}
	t.Logf("verdict %s, reason %s, look %q, report %s/%s %s", r.Receipt.Verdict, r.Receipt.Reason, r.Receipt.Scope.Look,
		r.Receipt.Report.Verdict, r.Receipt.Report.Reason, strings.Join(r.Receipt.Report.Errors, "; "))
	for i := range r.Receipt.Outcomes {
		o := &r.Receipt.Outcomes[i]
		t.Logf("%s: %s [%s] %s", o.ID, o.State, o.Code, o.Detail)
		for _, v := range o.Validators {
			t.Logf("  %s: %s [%s] %s %s", v.Kind, v.State, v.Code, v.Detail, v.Facts)
		}
		for _, f := range o.Files {
			t.Logf("  file: %s [%s] %s", f.State, f.Code, f.Detail)
		}
	}
}
