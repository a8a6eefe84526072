//go:build unix

package sessions

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestPipe: what lies where a memory is drafted is taken away and never opened, as a pipe would block for good.
func TestPipe(t *testing.T) {
	s := &Store{Dir: t.TempDir(), Limit: 100, Now: time.Now}
	if err := syscall.Mkfifo(filepath.Join(s.Dir, name([]string{"x"})+".new"), 0o600); err != nil {
		t.Skip(err)
	}
	if err := s.Update(plusOne, "x"); err != nil {
		t.Fatal(err)
	}
	if data, err := s.Read("x"); string(data) != "1" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}
