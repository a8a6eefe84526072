package remote

import (
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/github"
)

// TestCutTreesAreUnknown holds that a tree that GitHub does not list whole counts for nothing: what it leaves out would
// look like a file that nobody committed.
func TestCutTreesAreUnknown(t *testing.T) {
	entries := []github.Entry{{Path: "a", Mode: "100644", Type: "blob", SHA: "78981922613b2afb6025042ff6bd878ac1994e85", Size: 2}}
	if got, err := tree("1", &github.Tree{Entries: entries}); err != nil || !got.Tracks("a") {
		t.Errorf("a whole tree: %v, %v", got, err)
	}
	if got, err := tree("1", &github.Tree{Entries: entries, Truncated: true}); err == nil || got != nil {
		t.Errorf("a cut tree: %v, %v", got, err)
	}
}
