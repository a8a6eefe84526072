package coverage

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestCorpus reads real coverage files from a folder outside of the repository and holds what they come to against its
// index.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("GATE_CORPUS")
	if dir == "" {
		t.Skip("GATE_CORPUS names no folder: the real coverage files are not read")
	}
	if _, err := os.Stat(filepath.Join(dir, "results")); err == nil {
		dir = filepath.Join(dir, "results")
	}
	raw, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var index []struct {
		File, Format string
		Measured     struct{ Lines, Statements, Covered, Files *int }
	}
	if err := json.Unmarshal(raw, &index); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{"cobertura": cobertura, "lcov": lcov, "gocover": goCover, "jacoco": jacoco, "clover": clover}
	seen := 0
	for _, e := range index {
		format, ok := names[e.Format]
		if !ok {
			continue
		}
		seen++
		f, err := os.Open(filepath.Join(dir, filepath.FromSlash(e.File)))
		if err != nil {
			t.Fatal(err)
		}
		p := Read(f, "")
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		c := Count{}
		for i := range p.Files {
			c = c.Plus(p.Files[i].Count())
		}
		t.Logf("%s: %s, %d of %d in %d files; %s%s %s", e.File, p.Format, c.Covered, c.Total, len(p.Files), p.Problem, p.Detail, p.Disagree)
		m := e.Measured
		total := m.Lines
		if total == nil {
			total = m.Statements
		}
		if p.Format != format || p.Problem != "" {
			t.Errorf("%s: read as %q: %s %s", e.File, p.Format, p.Problem, p.Detail)
		}
		if total != nil && c.Total != *total || m.Covered != nil && c.Covered != *m.Covered || m.Files != nil && len(p.Files) != *m.Files {
			t.Errorf("%s: %d of %d in %d files, the index says otherwise", e.File, c.Covered, c.Total, len(p.Files))
		}
	}
	if seen == 0 {
		t.Error("the folder holds no coverage file")
	}
}
