package collect

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// TestLimitsOfOneFile holds the size of a file and the links to it just under and just over their limits.
func TestLimitsOfOneFile(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"hundred": strings.Repeat("x", 100), "more": strings.Repeat("x", 101), "end": "x"})
	w := open(t, dir, Limits{FileBytes: 100})
	for name, want := range map[string]string{"hundred": "", "more": evidence.CodeArtifactOverLimit} {
		got := ""
		if r := readOne(t, w, name, need{}, nil); r.trouble != nil {
			got = r.trouble.code
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	target := "end"
	for i := range maxLinks + 1 {
		name := "l" + strconv.Itoa(i+1)
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
		target = name
	}
	if where, tr := w.locate("l" + strconv.Itoa(maxLinks)); tr != nil || where.path != "end" {
		t.Errorf("over %d links: %v", maxLinks, tr)
	}
	if _, tr := w.locate("l" + strconv.Itoa(maxLinks+1)); tr == nil || tr.code != evidence.CodeArtifactLinkBroken {
		t.Errorf("over %d links: %v", maxLinks+1, tr)
	}
}
