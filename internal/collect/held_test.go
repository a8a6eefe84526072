package collect

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// Files that lie in one directory are read in it, and come to what each comes to alone.
func TestNextReadsAsFileDoes(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"top.xml": junit, "a/b/here": "-> ../../top.xml", "a/b/away": "-> /etc/passwd", "a/b/dir/x": "x", "linked": "-> a/b", "a/c": "-> b"}
	for i := range 40 {
		files[fmt.Sprintf("a/b/%02d.xml", i)] = fmt.Sprintf("%d", i)
		files[fmt.Sprintf("z/%02d.xml", i)] = fmt.Sprintf("%d", i)
	}
	put(t, dir, files)
	w := open(t, dir, Limits{})
	var room atomic.Int64
	r := newReader(w, nil, nil, &room)
	names := []string{"a/b/gone", "a/b/dir", "gone/too", "a/../top.xml", "linked/00.xml", "a/c/00.xml", "a//b", ".", ""}
	for name := range files {
		names = append(names, name)
	}
	held := 0
	var got []*reading
	for _, name := range names {
		got = append(got, r.next(context.Background(), name, need{}))
		if r.held != nil {
			held++
		}
	}
	r.leave()
	if held < 40 {
		t.Errorf("%d of %d files were read in a held directory", held, len(names))
	}
	for i, name := range names {
		want := readOne(t, w, name, need{}, nil)
		want.noKey = got[i].noKey // a key was given to one of them
		if fmt.Sprintf("%+v", *got[i]) != fmt.Sprintf("%+v", *want) && (want.trouble == nil || got[i].trouble == nil || *want.trouble != *got[i].trouble) {
			t.Errorf("%s: %+v %v, alone %+v %v", name, *got[i], got[i].trouble, *want, want.trouble)
		}
	}
}

// What happens to a directory while its files are read is seen, of each of them.
func TestNextSeesThatADirectoryWasMoved(t *testing.T) {
	for name, touch := range map[string]func(dir string) error{
		"renamed": func(dir string) error { return os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "b")) },
		"replaced": func(dir string) error {
			if err := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "b")); err != nil {
				return err
			}
			return os.CopyFS(filepath.Join(dir, "a"), os.DirFS(filepath.Join(dir, "b")))
		},
		"replaced by a link to it": func(dir string) error {
			if err := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "b")); err != nil {
				return err
			}
			return os.Symlink("b", filepath.Join(dir, "a"))
		},
		"not at all": func(string) error { return nil },
	} {
		dir := t.TempDir()
		put(t, dir, map[string]string{"a/x/1": "one", "a/x/2": "two", "a/x/3": "three"})
		r := newReader(open(t, dir, Limits{}), nil, nil, new(atomic.Int64))
		first := r.next(context.Background(), "a/x/1", need{})
		if first.trouble != nil || r.held == nil {
			t.Fatalf("%s: %v", name, first.trouble)
		}
		if err := touch(dir); err != nil {
			t.Fatal(err)
		}
		all := []*reading{first, r.next(context.Background(), "a/x/2", need{}), r.next(context.Background(), "a/x/gone", need{})}
		r.leave()
		r.leave() // there is nothing to leave
		for i, out := range all {
			switch {
			case i == 2 && out.trouble == nil:
				t.Errorf("%s: a file that is not there was read", name)
			case i < 2 && name == "not at all" && (out.trouble != nil || out.scanned.sha256 == ""):
				t.Errorf("%s: %v", name, out.trouble)
			case i < 2 && name != "not at all" && (out.trouble == nil || out.trouble.code != evidence.CodeArtifactMoved || out.scanned.sha256 != ""):
				t.Errorf("%s: file %d: %v, %+v", name, i, out.trouble, out.scanned)
			}
		}
	}
}
