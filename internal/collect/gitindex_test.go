package collect

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lsFiles is what the git program says of the index, in the form of listTree.
func (g *gitRepo) lsFiles() string {
	var lines []string
	last := ""
	for line := range strings.Lines(g.git("-c", "core.quotePath=false", "ls-files", "-s")) {
		head, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		f := strings.Fields(head) // mode, object, stage
		if path != last {
			lines = append(lines, f[0]+" "+f[1]+" "+path)
		}
		last = path
	}
	return strings.Join(lines, "\n")
}

// TestIndexForms compares with the git program every form in which it writes an index.
func TestIndexForms(t *testing.T) {
	long := strings.Repeat("d/", 100) + strings.Repeat("n", 200)
	for _, c := range []struct {
		name string
		make func(g *gitRepo)
	}{
		{"version 2", func(*gitRepo) {}},
		{"version 3", func(g *gitRepo) { g.git("add", "-N", "new.txt"); g.git("update-index", "--skip-worktree", "dir/f07") }},
		{"version 4", func(g *gitRepo) { g.git("update-index", "--index-version", "4") }},
		{"without a checksum", func(g *gitRepo) {
			at := filepath.Join(g.dir, ".git", "index")
			data, err := os.ReadFile(at)
			must(g.t, err)
			must(g.t, os.WriteFile(at, append(data[:len(data)-indexTrailer], make([]byte, indexTrailer)...), 0o600))
		}},
		{"with caches", func(g *gitRepo) { g.git("update-index", "--untracked-cache"); g.git("status") }},
		{"split", func(g *gitRepo) { g.git("update-index", "--split-index") }},
		{"split and changed", func(g *gitRepo) {
			g.git("update-index", "--split-index")
			put(g.t, g.dir, map[string]string{"dir/f01": "other", "dir/f70": "other", "more/a": "new"})
			g.git("add", "dir/f01", "dir/f70", "more/a")
			g.git("rm", "-q", "--cached", "dir/f02", "dir/f69", "dir/f99")
		}},
		{"split in version 4", func(g *gitRepo) {
			g.git("update-index", "--index-version", "4")
			g.git("update-index", "--split-index")
			put(g.t, g.dir, map[string]string{"dir/f01": "other", "x": "new"})
			g.git("add", "dir/f01", "x")
			g.git("rm", "-q", "--cached", "dir/f50")
		}},
		{"sparse", func(g *gitRepo) {
			g.git("sparse-checkout", "init", "--cone", "--sparse-index")
			g.git("sparse-checkout", "set", "other")
		}},
		{"unmerged", func(g *gitRepo) {
			blob := g.git("rev-parse", "HEAD:dir/f03")
			cmd := fmt.Sprintf("100644 %s 1\tdir/f03\n100644 %s 2\tdir/f03\n", blob, blob)
			put(g.t, g.dir, map[string]string{"info": cmd})
			g.git("rm", "-q", "--cached", "dir/f03")
			g.pipe("info", "update-index", "--index-info")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGit(t)
			files := map[string]string{"new.txt": "n", "other/x": "x", "other/run.sh": "r", long: "long"}
			for i := range 100 {
				files[fmt.Sprintf("dir/f%02d", i)] = fmt.Sprint(i)
			}
			g.commit("first", files)
			c.make(g)
			want := g.lsFiles()
			if strings.HasPrefix(c.name, "split") {
				if shared, err := filepath.Glob(filepath.Join(g.dir, ".git", "sharedindex.*")); err != nil || len(shared) == 0 {
					t.Skip("this git does not split its index")
				}
			}
			tree, err := openRepo(t, g.dir).IndexTree(context.Background())
			must(t, err)
			if got := listTree(tree); got != want || strings.Count(want, "\n") < 90 {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if len(tree.stats) != tree.Len() {
				t.Errorf("%d stats for %d entries", len(tree.stats), tree.Len())
			}
		})
	}
}

// TestIndexRefuses holds that an index that is broken, or means something unknown, is an error that says what.
func TestIndexRefuses(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(g *gitRepo, data []byte) []byte
	}{
		{"a changed byte", "checksum", func(_ *gitRepo, d []byte) []byte { d[len(d)-indexTrailer-1] ^= 1; return d }},
		{"another checksum", "checksum", func(_ *gitRepo, d []byte) []byte { d[len(d)-1] ^= 1; return d }},
		{"cut off", "early", func(_ *gitRepo, d []byte) []byte { return d[:100] }},
		{"a later version", "version is 9", func(_ *gitRepo, d []byte) []byte { d[7] = 9; return d }},
		{"too many entries", "limit", func(_ *gitRepo, d []byte) []byte { d[8] = 0xff; return d }},
		{"no index", "no index", func(_ *gitRepo, d []byte) []byte { d[0] = 'X'; return d }},
		{"an unknown extension", `"zzzz"`, func(_ *gitRepo, d []byte) []byte {
			d = append(d[:len(d)-indexTrailer], "zzzz\x00\x00\x00\x00"...)
			return append(d, make([]byte, indexTrailer)...)
		}},
		{"a shared part that is gone", "--no-split-index", func(g *gitRepo, _ []byte) []byte {
			g.git("update-index", "--split-index")
			shared, err := filepath.Glob(filepath.Join(g.dir, ".git", "sharedindex.*"))
			must(g.t, err)
			if len(shared) == 0 {
				g.t.Skip("this git does not split its index")
			}
			for _, s := range shared {
				must(g.t, os.Remove(s))
			}
			return nil
		}},
		{"a bitmap that promises more than there is", "malformed split", func(_ *gitRepo, d []byte) []byte {
			d = append(d[:len(d)-indexTrailer], "link\x00\x00\x00\x20"+strings.Repeat("a", 20)+"\x00\x00\x00\x40\xff\xff\xff\xff\x00\x00\x00\x00"...)
			return append(d, make([]byte, indexTrailer)...)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGit(t)
			g.commit("first", map[string]string{"a": "a", "b": "b", "c": "c"})
			at := filepath.Join(g.dir, ".git", "index")
			data, err := os.ReadFile(at)
			must(t, err)
			if data = c.change(g, data); data != nil {
				must(t, os.WriteFile(at, data, 0o600))
			}
			soon(t, c.name, func() {
				if _, err := openRepo(t, g.dir).IndexTree(context.Background()); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want it to say %q", err, c.want)
				}
			})
		})
	}
}

// FuzzIndex states the law that no bytes make the reader panic, wait or hold more than the file is worth.
func FuzzIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00" + strings.Repeat("\x00", 20)))
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01" + strings.Repeat("\x00", 62) + "\x00a\x00" + strings.Repeat("\x00", 20)))
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00link\x00\x00\x00\x30" + strings.Repeat("\x00", 20) +
		"\x00\x00\x00\x40\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("\x00", 20)))
	f.Fuzz(func(t *testing.T, data []byte) {
		at := filepath.Join(t.TempDir(), "index")
		must(t, os.WriteFile(at, data, 0o600))
		file, err := os.Open(at)
		must(t, err)
		defer release(file)
		x, err := parseIndex(context.Background(), file)
		if err != nil {
			return
		}
		if len(x.entries)*indexFixed > len(data) {
			t.Errorf("%d entries from %d bytes", len(x.entries), len(data))
		}
		if len(x.deleted)+len(x.changed) > 2*(maxTreeFiles/64+1) {
			t.Error("a bitmap is longer than any index")
		}
	})
}
