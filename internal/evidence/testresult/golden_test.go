package testresult

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

var update = flag.Bool("update", false, "write the golden files")

// goldenCase is a record as golden files show it.
type goldenCase struct {
	ID      string `json:"id"`
	Key     string `json:"key"`
	Name    string `json:"name"`
	Status  string `json:"status"`
	Message string `json:"message,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
}

type golden struct {
	Format         string            `json:"format"`
	Conclusion     Conclusion        `json:"conclusion"`
	Counts         Counts            `json:"counts"`
	Notes          []Note            `json:"notes,omitempty"`
	Properties     map[string]string `json:"properties,omitempty"`
	Conflicts      map[string]bool   `json:"conflicts,omitempty"`
	Cached         []string          `json:"cached,omitempty"`
	CachedN        int               `json:"cached_n,omitempty"`
	ProcessFailure bool              `json:"process_failure,omitempty"`
	Cases          []goldenCase      `json:"cases,omitempty"`
}

// statusName names a status for golden files and failure texts.
func statusName(st Status) string {
	return []string{"none", "passed", "flaky", "failed", "errored", "skipped", "todo", "unfinished", "other", "aside"}[st]
}

func goldenOf(res *Results, cases []Case) golden {
	g := golden{
		Format: res.Format, Conclusion: res.Conclusion, Counts: res.Counts, Notes: res.Notes, Properties: res.Properties,
		Conflicts: res.Conflicts, Cached: res.Cached, CachedN: res.CachedN, ProcessFailure: res.ProcessFailure,
	}
	for _, c := range cases {
		g.Cases = append(g.Cases, goldenCase{
			ID: c.ID, Key: strings.ReplaceAll(c.Key, keySeparator, " | "), Name: c.Name, Status: statusName(c.Status),
			Message: c.Message, File: c.File, Line: c.Line,
		})
	}
	return g
}

// fixtures returns the paths of all fixtures, and fails if there are none.
func fixtures(tb testing.TB) []string {
	tb.Helper()
	var paths []string
	for _, pattern := range []string{
		"testdata/junit/*.xml", "testdata/nunit/*.xml", "testdata/trx/*.trx", "testdata/xunit/*.xml", "testdata/go-json/*.json*", "testdata/libtest/*.jsonl", "testdata/tap/*.tap",
		"testdata/ctrf/*.json", "testdata/jest/*.json", "testdata/mocha/*.json", "testdata/pytest-json/*.json", "testdata/vitest/*.json",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			tb.Fatalf("no fixtures match %s (%v)", pattern, err)
		}
		for _, path := range found {
			if !strings.HasSuffix(path, ".golden") {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

func mustRead(tb testing.TB, path string) []byte {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// TestGolden reads every fixture and compares the whole model with its golden file, whatever pieces the
// input comes in, and the counts also when nobody visits.
func TestGolden(t *testing.T) {
	for _, path := range fixtures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data := mustRead(t, path)
			var cases []Case
			res := Read(bytes.NewReader(data), "", Limits{}, func(c *Case) { cases = append(cases, *c) })
			got, err := json.MarshalIndent(goldenOf(res, cases), "", " ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			if *update {
				if err := os.WriteFile(path+".golden", got, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if want := mustRead(t, path+".golden"); !bytes.Equal(got, want) {
				t.Errorf("reads\n%s\nwant\n%s", got, want)
			}
			if silent := Read(iotest.OneByteReader(bytes.NewReader(data)), res.Format, Limits{}, nil); silent.Counts != res.Counts ||
				silent.Conclusion != res.Conclusion {
				t.Errorf("byte by byte and unvisited: %+v %s, want %+v %s", silent.Counts, silent.Conclusion, res.Counts, res.Conclusion)
			}
		})
	}
}
