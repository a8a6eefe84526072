package sarif

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestCorpus reads real logs from a folder outside of the repository and holds what they come to against its index.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("GATE_CORPUS")
	if dir == "" {
		t.Skip("GATE_CORPUS names no folder: the real logs are not read")
	}
	if _, err := os.Stat(filepath.Join(dir, "results")); err == nil {
		dir = filepath.Join(dir, "results")
	}
	raw, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var index []struct {
		File, Format, Verdict string
		Measured              *struct {
			Runs, Results, Suppressed int
			Levels                    map[string]int
			Execution                 []bool `json:"execution_successful"`
			Version                   string
		}
	}
	if err := json.Unmarshal(raw, &index); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, e := range index {
		if e.Format != "sarif" {
			continue
		}
		seen++
		f, err := os.Open(filepath.Join(dir, filepath.FromSlash(e.File)))
		if err != nil {
			t.Fatal(err)
		}
		l := Read(f)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %s, %d runs; %s", e.File, short(l), l.Runs, l.Detail)
		m := e.Measured
		if m == nil {
			continue
		}
		if m.Version != Version {
			if l.Problem != ProblemOtherVersion {
				t.Errorf("%s: version %s is read as %s", e.File, m.Version, short(l))
			}
			continue
		}
		if l.Runs != m.Runs || l.Counts.Total() != m.Results || l.Counts.Suppressed > m.Suppressed {
			t.Errorf("%s: %s in %d runs, the index says %+v", e.File, short(l), l.Runs, *m)
		}
		if l.Counts.Suppressed == 0 && (l.Counts.Errors+l.Baseline.Errors < m.Levels["error"] || l.Counts.Notes+l.Baseline.Notes < m.Levels["note"]) {
			t.Errorf("%s: %s, the index says %v", e.File, short(l), m.Levels)
		}
		failed := false
		for _, ok := range m.Execution {
			failed = failed || !ok
		}
		if failed != (l.Problem == ProblemExecutionFailed) {
			t.Errorf("%s: %q, invocations succeeded %v", e.File, l.Problem, m.Execution)
		}
	}
	if seen == 0 {
		t.Error("the folder holds no log")
	}
}
