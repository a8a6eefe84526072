package mishap

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// workVar names the folder that this test program works in when it is the one that is run.
const workVar = "MISHAP_TEST_FOLDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(workVar); dir != "" {
		if err := work(dir); err != nil {
			fmt.Println(err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// work replaces a file, as the products that are tested do.
func work(dir string) error {
	f, err := os.CreateTemp(dir, "new-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("0123456789")
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, "file"))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// play runs work once in a folder of its own and gives what is left there: names, with the size behind.
func play(t *testing.T, at int, what Kind) (*Ended, []string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &Program{Path: exe, Env: append(os.Environ(), workVar+"="+dir), Dir: dir, Output: filepath.Join(t.TempDir(), "out"), Folders: []string{dir}}
	e, err := p.Run(at, what)
	if errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, f := range entries {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(f.Name(), "-")
		left = append(left, fmt.Sprintf("%s %d", name, info.Size()))
	}
	return e, left
}

// TestEachStep holds what every kind leaves at every step of a small program.
func TestEachStep(t *testing.T) {
	e, left := play(t, 0, Nothing)
	var calls []string
	for _, s := range e.Steps {
		calls = append(calls, s.Call)
	}
	if got := strings.Join(calls, " "); got != "open write fsync rename" || e.Code != 0 || e.Killed || strings.Join(left, ",") != "file 10" {
		t.Fatalf("%s, exit %d, %v", got, e.Code, left)
	}
	for _, c := range []struct {
		at   int
		what Kind
		code int // -1: killed
		left string
	}{
		{1, Kill, -1, ""}, {2, Kill, -1, "new 0"}, {3, Kill, -1, "new 10"}, {4, Kill, -1, "new 10"}, {5, Kill, 0, "file 10"},
		{1, Tear, -1, ""}, {2, Tear, -1, "new 5"}, {3, Tear, -1, "new 10"},
		{1, Full, 3, ""}, {2, Full, 3, ""}, {3, Full, 0, "file 10"},
		{2, Broken, 3, "new 0"}, {3, Broken, 3, "new 10"}, {4, Broken, 3, "new 10"},
		{1, ReadOnly, 3, ""}, {3, ReadOnly, 3, "new 10"},
	} {
		e, left := play(t, c.at, c.what)
		if got := strings.Join(left, ","); e.Killed != (c.code < 0) || !e.Killed && e.Code != c.code || got != c.left {
			t.Errorf("%s at step %d: killed %t, exit %d, left %q; want exit %d, left %q", c.what, c.at, e.Killed, e.Code, got, c.code, c.left)
		}
	}
}

func TestNoProgram(t *testing.T) {
	p := &Program{Path: filepath.Join(t.TempDir(), "none"), Output: filepath.Join(t.TempDir(), "out")}
	if _, err := p.Run(1, Kill); err == nil {
		t.Error("it ran")
	}
}
