package mishap

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestAsNobody holds that permissions bind in the test that is run by another user, and that one that fails, or is not
// there, is no pass.
func TestAsNobody(t *testing.T) {
	if os.Getuid() != 0 {
		path := filepath.Join(t.TempDir(), "closed")
		if err := os.WriteFile(path, []byte("x"), 0); err != nil {
			t.Fatal(err)
		}
		if _, err := os.ReadFile(path); !errors.Is(err, os.ErrPermission) {
			t.Errorf("a closed file: %v", err)
		}
		return
	}
	dir, err := os.MkdirTemp("", "nobody-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	out, err := AsNobody(t.Name(), dir)
	if errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := AsNobody("TestThatIsNone", dir); err == nil || bytes.Contains(out, []byte("--- PASS")) {
		t.Errorf("a test that is none passes: %s", out)
	}
}
