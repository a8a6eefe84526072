package main

import (
	"context"
	"io"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkCheck judges the demo's first workspace, whole.
func BenchmarkCheck(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "runs")
	m := &outside{stdout: io.Discard, stderr: io.Discard, getenv: func(string) string { return "" }, now: time.Now}
	if code := run(context.Background(), []string{"demo", "--keep", dir}, m); code != 0 {
		b.Fatalf("demo: exit code %d", code)
	}
	m.dir = filepath.Join(dir, "exact-bytes")
	for b.Loop() {
		if code := run(context.Background(), []string{"check"}, m); code != 0 {
			b.Fatalf("check: exit code %d", code)
		}
	}
}
