package sessions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"
)

// TestDir: only an absolute folder of the environment is used.
func TestDir(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{nil, ""},
		{map[string]string{"XDG_STATE_HOME": "state", "HOME": "."}, ""},
		{map[string]string{"XDG_STATE_HOME": home, "HOME": "/h"}, filepath.Join(home, "outcome-gate", "hook")},
		{map[string]string{"XDG_STATE_HOME": "x", "HOME": home}, filepath.Join(home, ".local", "state", "outcome-gate", "hook")},
	} {
		if got := Dir(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: %q, want %q", c.env, got, c.want)
		}
	}
}

func plusOne(data []byte) ([]byte, error) {
	n := 0
	if data != nil {
		var err error
		if n, err = strconv.Atoi(string(data)); err != nil {
			return nil, err
		}
	}
	return []byte(strconv.Itoa(n + 1)), nil
}

// TestUpdate: no count is lost among hooks that run at once, and sessions are apart.
func TestUpdate(t *testing.T) {
	s := &Store{Dir: filepath.Join(t.TempDir(), "a", "b"), Limit: 100, Now: time.Now}
	if data, err := s.Read("x"); data != nil || err != nil {
		t.Fatalf("%q, %v", data, err)
	}
	var wg sync.WaitGroup
	errs := make(chan error, 40)
	for range 40 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs <- s.Update(plusOne, "x", "y")
		}()
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	if data, err := s.Read("x", "y"); string(data) != "40" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if data, err := s.Read("x", "z"); data != nil || err != nil {
		t.Errorf("another session: %q, %v", data, err)
	}
	if err := s.Update(func([]byte) ([]byte, error) { return nil, nil }, "new"); err != nil {
		t.Error(err)
	}
	stop := errors.New("stop")
	if err := s.Update(func([]byte) ([]byte, error) { return nil, stop }, "x", "y"); !errors.Is(err, stop) {
		t.Error(err)
	}
	entries, err := os.ReadDir(s.Dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	if err := (&Store{Now: time.Now}).Update(plusOne, "x"); err == nil {
		t.Error("a store without a folder is written")
	}
	if err := (&Store{Dir: filepath.Join(s.Dir, entries[0].Name()), Now: time.Now}).Update(plusOne, "x"); err == nil {
		t.Error("a store in a file is written")
	}
}

// TestLock: a lock that is held ends in an error, one that was left behind in an update.
func TestLock(t *testing.T) {
	now := time.Now()
	waited := time.Duration(0)
	s := &Store{Dir: t.TempDir(), Limit: 100, Now: func() time.Time { return now }, Pause: func(d time.Duration) { waited += d }}
	lock := filepath.Join(s.Dir, name([]string{"x"})+".lock")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(plusOne, "x"); err == nil || waited < lockWait || waited > 2*lockWait {
		t.Errorf("a lock that is held: %v after %s", err, waited)
	}
	for name, since := range map[string]time.Duration{"a minute ago": lockStale + time.Minute, "in the next year, by a clock that was set back since": -365 * 24 * time.Hour} {
		if err := os.WriteFile(lock, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		now = time.Now().Add(since)
		if err := s.Update(plusOne, "x"); err != nil {
			t.Errorf("a lock that was left behind %s: %v", name, err)
		}
		if _, err := os.Lstat(lock); err == nil {
			t.Errorf("the lock of %s is still there", name)
		}
	}
}

// TestSweep keeps the folder small, and removes nothing that is not its own.
func TestSweep(t *testing.T) {
	now := time.Now()
	s := &Store{Dir: t.TempDir(), Limit: 100, Now: func() time.Time { return now }}
	write := func(name string, age time.Duration) {
		file := filepath.Join(s.Dir, name)
		if err := errors.Join(os.WriteFile(file, []byte("1"), 0o600), os.Chtimes(file, now.Add(-age), now.Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	for i := range maxFiles + 20 {
		write(fmt.Sprintf("%d.json", i), time.Duration(i)*time.Second)
	}
	write("old.json", 2*keptFor)
	write("mine.txt", 2*keptFor)
	if err := s.Update(plusOne, "x"); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(s.Dir)
	if err != nil || len(entries) != maxFiles+1 {
		t.Errorf("%d files, %v", len(entries), err)
	}
	for name, want := range map[string]bool{"0.json": true, "old.json": false, "mine.txt": true, fmt.Sprint(maxFiles+19) + ".json": false} {
		if _, err := os.Lstat(filepath.Join(s.Dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestForeignFiles: what lies in the place of a memory is not followed and not replaced unread.
func TestForeignFiles(t *testing.T) {
	s := &Store{Dir: t.TempDir(), Limit: 4, Now: time.Now}
	file := filepath.Join(s.Dir, name([]string{"x"}))
	if err := os.WriteFile(file, []byte("123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := s.Read("x"); len(data) != 5 || err != nil {
		t.Errorf("a large memory is read to %d bytes, %v", len(data), err)
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := errors.Join(os.Remove(file), os.WriteFile(other, []byte("1"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, file); err != nil {
		t.Skip(err)
	}
	if err := s.Update(plusOne, "x"); err == nil {
		t.Error("a link is followed")
	}
	if data, err := os.ReadFile(other); string(data) != "1" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}

// TestInputs: every change of what is looked at gives another key, and nothing else does.
func TestInputs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no key is known on this system")
	}
	ctx := t.Context()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("a.txt", "aaa")
	write("out/r.xml", "<a/>")
	write(".git/HEAD", "ref: refs/heads/main\n")
	write(".git/refs/heads/main", "1")
	write(".git/objects/aa/bb", "1")
	later := func() time.Time { return time.Now().Add(2 * settled) }
	key := func() string { return Inputs(ctx, dir, later(), "x") }
	last := key()
	if last == "" || last != key() {
		t.Fatalf("keys %q, %q", last, key())
	}
	if k := Inputs(ctx, dir, time.Now(), "x"); k != "" {
		t.Error("a change of just now has a key")
	}
	if k := Inputs(ctx, dir, later(), "y"); k == last || k == "" {
		t.Errorf("other values: %q", k)
	}
	write(".git/objects/aa/bb", "2")
	if key() != last {
		t.Error("the bytes of an object count")
	}
	info, err := os.Stat(filepath.Join(dir, "a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func() error{
		"bytes": func() error { write("a.txt", "aab"); return nil },
		"bytes, time back": func() error {
			write("a.txt", "aac")
			return os.Chtimes(filepath.Join(dir, "a.txt"), info.ModTime(), info.ModTime())
		},
		"mode":     func() error { return os.Chmod(filepath.Join(dir, "a.txt"), 0o600) },
		"new file": func() error { write("b.txt", "b"); return nil },
		"gone":     func() error { return os.Remove(filepath.Join(dir, "out", "r.xml")) },
		"branch":   func() error { write(".git/refs/heads/main", "2"); return nil },
		"head":     func() error { write(".git/HEAD", "1"); return nil },
		"replaced": func() error {
			write("c.txt", "aaa")
			return os.Rename(filepath.Join(dir, "c.txt"), filepath.Join(dir, "a.txt"))
		},
	} {
		if err := change(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		now := key()
		if now == last || now == "" {
			t.Errorf("%s: %q", what, now)
		}
		last = now
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if Inputs(gone, dir, later()) != "" || Inputs(ctx, filepath.Join(dir, "nowhere"), later()) != "" || Inputs(ctx, t.TempDir(), later()) != "" {
		t.Error("what cannot be walked, or is no repository of its own, has a key")
	}
	if bytes.Contains([]byte(last), []byte("a.txt")) {
		t.Error("a key names files")
	}
}
