package contract_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
)

func TestLint(t *testing.T) {
	facts := contract.LintFacts{
		Today: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC),
		Tracked: func(globs []string) []string {
			if strings.HasPrefix(globs[0], "reports/junit") {
				return []string{"reports/junit.xml", "reports/b\n.xml", "c", "d"}
			}
			return nil
		},
	}
	seen := map[string]bool{}
	for _, path := range files(t, "testdata/lint/*.yml") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data := read(t, path)
			c, problems := contract.Parse(filepath.Base(path), data, kinds())
			if c == nil {
				t.Fatal(problems)
			}
			warnings := contract.Lint(c, facts)
			for _, w := range warnings {
				seen[w.Code] = true
			}
			if len(warnings.Mistakes()) > 0 {
				t.Errorf("a warning that is none: %v", warnings)
			}
			lawful(t, data, warnings)
			golden(t, strings.TrimSuffix(path, ".yml")+".out", pretty(warnings))
		})
	}
	for _, c := range contract.Codes() {
		if c.Warning && !seen[c.Code] {
			t.Errorf("no file of testdata/lint shows %s", c.Code)
		}
	}
}

// A contract that came from JSON has no places, and is linted all the same.
func TestLintWithoutPlaces(t *testing.T) {
	c := must(t, "version: 1\noutcomes: [ { id: a, artifact: { files: a } } ]\n")
	c.Places = nil
	if got := contract.Lint(c, contract.LintFacts{}); len(got) != 2 || got[0].Line != 1 || got[0].Col != 1 {
		t.Errorf("warnings %v", got)
	}
	if got := contract.Lint(&contract.Contract{}, contract.LintFacts{}); len(got) != 0 {
		t.Errorf("warnings %v of nothing", got)
	}
}

func TestDiff(t *testing.T) {
	for _, dir := range files(t, "testdata/diff/*") {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			old, next := must(t, string(read(t, dir+"/old.yml"))), must(t, string(read(t, dir+"/new.yml")))
			var b strings.Builder
			for _, w := range contract.Diff(old, next) {
				fmt.Fprintf(&b, "%s\t%s\t%s\t%s\n", w.Direction, w.Outcome, w.Key, w.Text)
				if w.Text == "" || w.Key == "" || strings.Contains(w.Text, "\n") {
					t.Errorf("a weakening without words: %+v", w)
				}
			}
			golden(t, dir+"/out", b.String())
			for _, c := range []*contract.Contract{old, next} {
				if same := contract.Diff(c, c); len(same) > 0 {
					t.Errorf("against itself: %v", same)
				}
			}
		})
	}
}

func TestDiffOfNothing(t *testing.T) {
	c := must(t, string(read(t, "testdata/ok/whole.yml")))
	if got := contract.Diff(nil, c); got != nil {
		t.Errorf("a new contract weakens %v", got)
	}
	if got := contract.Diff(c, nil); len(got) != 1 || got[0].Key != "outcomes" {
		t.Errorf("a removed contract weakens %v", got)
	}
}
