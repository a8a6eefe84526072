package publish

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWriteFileReplacesOnlyRegularFiles holds that a name that means something else stays what it is.
func TestWriteFileReplacesOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("old"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(at("folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("old", at("link")); err != nil {
		t.Skipf("this system makes no symbolic links: %v", err)
	}
	if err := os.Symlink(os.DevNull, at("null")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"folder", "link", "null"} {
		before, err := os.Lstat(at(name))
		if err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(at(name), []byte("new")); err == nil {
			t.Errorf("%s is replaced", name)
		}
		if after, err := os.Lstat(at(name)); err != nil || after.Mode() != before.Mode() {
			t.Errorf("%s became %v, %v", name, after, err)
		}
	}
	for _, name := range []string{"old", "fresh"} {
		if err := WriteFile(at(name), []byte("new")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := os.ReadFile(at(name)); err != nil || string(got) != "new" {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 5 {
		t.Errorf("%d entries are left, %v", len(entries), err)
	}
	if err := WriteFile(at("none/fresh"), nil); err == nil {
		t.Error("a folder is made for it")
	}
}
