package conformance_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/conformance"
)

// ownFolder holds the product's own scenarios.
const ownFolder = "testdata/scenarios"

// TestScenarios runs the directories of the folder that GATE_SCENARIOS names.
func TestScenarios(t *testing.T) {
	folder := os.Getenv("GATE_SCENARIOS")
	if folder == "" {
		t.Skip("GATE_SCENARIOS names no folder of scenarios")
	}
	runAll(t, folder, func(t *testing.T, r *conformance.Result) {
		if r.Grade == conformance.Inexpressible {
			t.Skip("not expressible:", r.Detail)
		}
	})
}

// TestOwnScenarios runs the product's own scenarios. Each of them says exactly what the gate must answer, by the
// product's own names, and together they reach everything that a gate without the service can say.
func TestOwnScenarios(t *testing.T) {
	seen := newSeen()
	runAll(t, ownFolder, func(t *testing.T, r *conformance.Result) {
		if r.Want == nil || r.Receipt == nil {
			t.Fatalf("%s: %s", r.Grade, r.Detail)
		}
		if w := r.Want; len(w.AcceptableGate)+len(w.AcceptableStates) > 0 || w.ProductVerdict == "" || w.ProductReason == "" {
			t.Error("its expectation is not exact: one gate, one state for each outcome, a verdict and a reason")
		}
		if len(r.Answer.States) != len(r.Want.States) {
			t.Errorf("the gate judged %v, the expectation names %v", r.Answer.States, r.Want.States)
		}
		seen.add(r)
	}, seen.check)
}

// runAll runs every directory of the folder as a case of its own, and hands each result to check. When all are done, it
// prints a line for each and one that counts the grades, and calls after.
func runAll(t *testing.T, folder string, check func(*testing.T, *conformance.Result), after ...func(*testing.T)) {
	t.Helper()
	dirs := scenarioDirs(t, folder)
	results := make([]*conformance.Result, len(dirs))
	t.Cleanup(func() {
		report(results)
		for _, f := range after {
			if !slices.Contains(results, nil) { // all were run
				f(t)
			}
		}
	})
	for i, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			r := conformance.RunDir(t.Context(), dir, filepath.Join(t.TempDir(), "w"))
			results[i] = r
			for _, note := range r.Notes {
				t.Log("note:", note)
			}
			if r.Law != "" {
				t.Errorf("law: %s", r.Law)
			}
			if r.Receipt != nil {
				checkSurfaces(t, r.Receipt)
			}
			if r.Grade != conformance.Right && r.Grade != conformance.Inexpressible {
				t.Errorf("%s: %s", r.Grade, r.Detail)
				explain(t, r)
			}
			check(t, r)
		})
	}
}

// report prints what the cases that ran came to.
func report(results []*conformance.Result) {
	sum := map[conformance.Grade]int{}
	for _, r := range results {
		if r != nil {
			sum[r.Grade]++
			fmt.Println(r.Line())
		}
	}
	fmt.Printf("%d right, %d lies passed, %d honest blocked, %d waits passed, %d not expressible\n",
		sum[conformance.Right], sum[conformance.LiePassed], sum[conformance.HonestBlocked], sum[conformance.WaitPassed], sum[conformance.Inexpressible])
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
