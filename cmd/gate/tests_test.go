package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

// TestTestsOfManyFiles holds that every file is counted and listed in order, whatever reads them, and that people are
// shown a bounded part of them with every file that did not pass.
func TestTestsOfManyFiles(t *testing.T) {
	const files, failing = shownFiles + 2*testBatch + 7, shownFiles + 300
	dir := t.TempDir()
	for i := range files {
		body := `<testsuite name="s"><testcase classname="c" name="a"/></testsuite>`
		if i == failing {
			body = `<testsuite name="s"><testcase classname="c" name="a"><failure/></testcase></testsuite>`
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%05d.xml", i)), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(format string) string {
		var out bytes.Buffer
		m := &outside{stdout: &out, stderr: &out, getenv: func(string) string { return "" }, now: time.Now, dir: dir}
		if code := run(context.Background(), []string{"tests", "--format", format, "*.xml"}, m); code != exitFound {
			t.Errorf("exit code %d", code)
		}
		return out.String()
	}
	var answer struct {
		Files []testFile `json:"files"`
		Total testTotal  `json:"total"`
	}
	if err := json.Unmarshal([]byte(ask("json")), &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.Files) != files || answer.Total.Tests != files || answer.Total.Failed != 1 || answer.Total.Conclusion != testresult.Fail {
		t.Errorf("%d files, total %+v", len(answer.Files), answer.Total)
	}
	for i, f := range answer.Files {
		if want := fmt.Sprintf("%05d.xml", i); f.File != want || (f.Failed == 1) != (i == failing) {
			t.Fatalf("file %d is %s with %d failed", i, f.File, f.Failed)
		}
	}
	text := ask("text")
	if n := strings.Count(text, "junit"); n != shownFiles+1 || !strings.Contains(text, fmt.Sprintf("%05d.xml", failing)) {
		t.Errorf("%d rows, or the failed file has none", n)
	}
	if want := fmt.Sprintf("and %d more that passed", files-shownFiles-1); !strings.Contains(text, want) {
		t.Errorf("no line says %q", want)
	}
}
