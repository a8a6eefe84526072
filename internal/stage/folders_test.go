package stage

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/mishap"
)

// TestClosedFolders holds what a run comes to where a folder may not be read or written: a workspace need not be written,
// evidence that cannot be read verifies nothing, and without a receipt there is no verdict.
func TestClosedFolders(t *testing.T) {
	if !mishap.Bound(t) {
		return
	}
	for _, c := range []struct {
		name, path string // of the workspace, or "temp"
		mode       os.FileMode
		code       int
		log        string // part of what is said
		status     string
	}{
		{"a read-only workspace", ".", 0o500, 0, "LIVE", "success"},
		{"a read-only folder of evidence", "out", 0o500, 0, "LIVE", "success"},
		{"a closed folder of evidence", "out", 0, 1, "permission denied", "failure"},
		{"a folder of evidence that can be listed alone", "out", 0o400, 1, "permission denied", "failure"},
		{"a closed file of evidence", "out/junit.xml", 0, 1, "permission denied", "failure"},
		{"a closed folder beside the evidence", "other", 0, 0, "LIVE", "success"},
		{"a closed workspace", ".", 0, 3, "open workspace", ""},
		{"a read-only temporary folder", "temp", 0o500, 3, "publish: failed: receipt file:", "error"},
		{"a closed temporary folder", "temp", 0, 3, "publish: failed: receipt file:", "error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t)
			s.write("other/x", "x")
			path := filepath.Join(s.dir, c.path)
			if c.path == "temp" {
				path = s.temp
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, c.mode); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := os.Chmod(path, info.Mode().Perm()); err != nil {
					t.Error(err)
				}
			})
			code := Main(context.Background(), s.options())
			on := s.shown()
			if code != c.code || on.status != c.status || !strings.Contains(s.log.String(), c.log) {
				t.Errorf("exit %d, want %d; %+v\n%s", code, c.code, on, s.log.String())
			}
			if on.status == "error" && (on.conclusion != "failure" || !strings.Contains(on.comment, "could not be written")) {
				t.Errorf("without a receipt: %+v", on)
			}
		})
	}
}
