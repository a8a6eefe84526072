package collect

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadPlain(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{filepath.Join(dir, "a.json"): "{}", filepath.Join(outside, "secret"): "s3cret"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"in": "a.json", "out": filepath.Join(outside, "secret"), "up": "../../etc/hostname", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	for _, name := range []string{"a.json", "in"} {
		if data, err := w.ReadPlain(name, 2); err != nil || string(data) != "{}" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	for _, name := range []string{"out", "up", "loop", "../a.json", "/etc/hostname", "."} {
		if data, err := w.ReadPlain(name, 100); err == nil {
			t.Errorf("%s is read: %q", name, data)
		}
	}
	if _, err := w.ReadPlain("none", 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := w.ReadPlain("a.json", 1); err == nil || !strings.Contains(err.Error(), "over 1 bytes") {
		t.Errorf("a file over the limit: %v", err)
	}
}
