package collect

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDirty holds what differs from the head commit against what the git program calls changed.
func TestDirty(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(g *gitRepo)
		want   string
	}{
		{"nothing", func(*gitRepo) {}, ""},
		{"an edited file", func(g *gitRepo) { put(g.t, g.dir, map[string]string{"a.go": "other"}) }, "a.go"},
		{"an edit of the same size and time", func(g *gitRepo) { // found by its change time, or because it is as young as the index
			at := filepath.Join(g.dir, "a.go")
			info, err := os.Stat(at)
			must(g.t, err)
			must(g.t, os.WriteFile(at, []byte("A"), 0o600))
			must(g.t, os.Chtimes(at, info.ModTime(), info.ModTime()))
		}, "a.go"},
		{"a staged edit", func(g *gitRepo) { put(g.t, g.dir, map[string]string{"a.go": "other"}); g.git("add", "a.go") }, "a.go"},
		{"a staged edit that was taken back in the worktree", func(g *gitRepo) {
			put(g.t, g.dir, map[string]string{"a.go": "other"})
			g.git("add", "a.go")
			put(g.t, g.dir, map[string]string{"a.go": "a"})
		}, ""},
		{"only touched", func(g *gitRepo) {
			must(g.t, os.Chtimes(filepath.Join(g.dir, "a.go"), time.Unix(1, 0), time.Unix(1, 0)))
		}, ""},
		{"a removed file", func(g *gitRepo) { must(g.t, os.Remove(filepath.Join(g.dir, "sub/b.go"))) }, "sub/b.go"},
		{"a renamed file", func(g *gitRepo) { g.git("mv", "a.go", "z.go") }, "a.go z.go"},
		{"taken out of the index", func(g *gitRepo) { g.git("rm", "-q", "--cached", "a.go") }, ""},
		{"a new file", func(g *gitRepo) { put(g.t, g.dir, map[string]string{"new.go": "n"}); g.git("add", "new.go") }, "new.go"},
		{"an untracked file", func(g *gitRepo) { put(g.t, g.dir, map[string]string{"new.go": "n"}) }, ""},
		{"another link", func(g *gitRepo) {
			must(g.t, os.Remove(filepath.Join(g.dir, "link")))
			must(g.t, os.Symlink("sub/b.go", filepath.Join(g.dir, "link")))
		}, "link"},
		{"a file in a link's place", func(g *gitRepo) {
			must(g.t, os.Remove(filepath.Join(g.dir, "link")))
			put(g.t, g.dir, map[string]string{"link": "x"})
		}, "link"},
		{"other line ends", func(g *gitRepo) { put(g.t, g.dir, map[string]string{"lines.txt": "one\r\ntwo\r\n"}) }, ""},
		{"a sparse checkout", func(g *gitRepo) { g.git("sparse-checkout", "set", "sub") }, ""},
		{"the file of an LFS pointer", func(g *gitRepo) { put(g.t, g.dir, map[string]string{"big.bin": "content"}) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGit(t)
			head := g.commit("first", map[string]string{
				"a.go": "a", "sub/b.go": "b", "link": "-> a.go", "lines.txt": "one\ntwo\n",
				"big.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73\nsize 7\n",
			})
			c.change(g)
			trees, err := openRepo(t, g.dir).Trees(context.Background(), head, "", "", true)
			must(t, err)
			w := open(t, g.dir, Limits{})
			got, err := Dirty(context.Background(), w, trees, 10)
			if err != nil || strings.Join(got, " ") != c.want {
				t.Errorf("got %v, %v, want %s", got, err, c.want)
			}
			trees.Index = nil
			if got, err := Dirty(context.Background(), w, trees, 1); err != nil || len(got) > 1 {
				t.Errorf("without an index and with a limit: %v, %v", got, err)
			}
		})
	}
	if _, err := Dirty(context.Background(), open(t, t.TempDir(), Limits{}), nil, 10); err == nil {
		t.Error("an unknown head is clean")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Dirty(ctx, open(t, t.TempDir(), Limits{}), &Trees{Head: treeOf(t, map[string]string{"a": ""})}, 10); err == nil {
		t.Error("a cancelled look says clean")
	}
}

// TestDirtyReadsNoFileThatTheIndexKnows holds the shortcut: a file with the remembered size and times is not read.
func TestDirtyReadsNoFileThatTheIndexKnows(t *testing.T) {
	g := newGit(t)
	head := g.commit("first", map[string]string{"a.go": "a"})
	at := filepath.Join(g.dir, "a.go")
	old := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(at, old, old))
	g.git("update-index", "--refresh")
	trees, err := openRepo(t, g.dir).Trees(context.Background(), head, "", "", true)
	must(t, err)
	must(t, os.WriteFile(at, []byte("A"), 0o600))
	must(t, os.Chtimes(at, old, old))
	w := open(t, g.dir, Limits{})
	if changed, err := os.Stat(at); err == nil && changeTime(changed) != 0 {
		if got, err := Dirty(context.Background(), w, trees, 10); err != nil || len(got) != 1 {
			t.Errorf("got %v, %v: a time that was set back hides the edit", got, err)
		}
		trees.Index.stats[0].changed = changeTime(changed)
	}
	if got, err := Dirty(context.Background(), w, trees, 10); err != nil || len(got) != 0 {
		t.Errorf("got %v, %v: the file was read", got, err)
	}
}
