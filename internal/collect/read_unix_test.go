//go:build unix

package collect

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/mishap"
)

func TestReadNeverWaitsForWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	must(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", filepath.Join(dir, "sock"))
	must(t, err)
	t.Cleanup(func() { release(l) })
	put(t, dir, map[string]string{"tofifo": "-> fifo", "null": "-> /dev/null", "zero": "-> /dev/zero", "fd": "-> /proc/self/fd/0"})
	w := open(t, dir, Limits{})
	for name, code := range map[string]string{
		"fifo": evidence.CodeArtifactNotRegular, "tofifo": evidence.CodeArtifactNotRegular, "sock": evidence.CodeArtifactNotRegular,
		"null": evidence.CodeArtifactLinkOutside, "zero": evidence.CodeArtifactLinkOutside, "fd": evidence.CodeArtifactLinkOutside,
	} {
		soon(t, name, func() {
			if r := readOne(t, w, name, need{}, nil); r.trouble == nil || r.trouble.code != code {
				t.Errorf("%s: got %v, want %s", name, r.trouble, code)
			}
		})
	}
	soon(t, "the walk", func() {
		l := w.list(context.Background(), [][]string{{"**"}})[0]
		if l.problem != "" || len(l.names) != 6 {
			t.Errorf("got %q %s", l.names, l.problem)
		}
	})
}

func TestReadSeesAPipePutInTheFilesPlace(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"a": "bytes"})
	w := open(t, dir, Limits{})
	where, tr := w.locate("a")
	if tr != nil {
		t.Fatal(tr)
	}
	must(t, os.Remove(filepath.Join(dir, "a")))
	must(t, syscall.Mkfifo(filepath.Join(dir, "a"), 0o600))
	soon(t, "opening it", func() {
		r := newReader(w, nil, nil, new(atomic.Int64))
		if tr := r.bytes(context.Background(), &reading{name: "a", size: 5}, where, need{}); tr == nil || tr.code != evidence.CodeArtifactMoved {
			t.Errorf("got %v", tr)
		}
	})
}

func TestReadNamesAnUnreadableFile(t *testing.T) {
	if !mishap.Bound(t) {
		return
	}
	dir := t.TempDir()
	put(t, dir, map[string]string{"a": "bytes"})
	must(t, os.Chmod(filepath.Join(dir, "a"), 0))
	if r := readOne(t, open(t, dir, Limits{}), "a", need{}, nil); r.trouble == nil || r.trouble.code != evidence.CodeArtifactUnreadable {
		t.Errorf("got %v", r.trouble)
	}
}

// pipe makes a named pipe.
func pipe(t *testing.T, path string) {
	t.Helper()
	must(t, syscall.Mkfifo(path, 0o600))
}
