package collect

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// gitRepo is a repository that the git program makes for a test.
type gitRepo struct {
	t   *testing.T
	dir string
	n   int // commits so far: each one is a minute later
}

func newGit(t *testing.T) *gitRepo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git program to make repositories with")
	}
	g := &gitRepo{t: t, dir: t.TempDir()}
	g.git("init", "-q", "-b", "main")
	return g
}

// git runs the git program with nothing of this machine's configuration.
func (g *gitRepo) git(args ...string) string { return g.pipe("", args...) }

// pipe is git with one of the repository's files as its input.
func (g *gitRepo) pipe(input string, args ...string) string {
	g.t.Helper()
	cmd := exec.CommandContext(context.Background(), "git", args...)
	cmd.Dir = g.dir
	at := fmt.Sprintf("%d +0000", 1700000000+60*g.n)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "HOME="+g.dir,
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_COMMITTER_NAME=Bob", "GIT_COMMITTER_EMAIL=bob@example.com",
		"GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
	if input != "" {
		data, err := os.ReadFile(filepath.Join(g.dir, input))
		must(g.t, err)
		cmd.Stdin = bytes.NewReader(data)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		g.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes files and commits everything. It returns the commit's name.
func (g *gitRepo) commit(message string, files map[string]string) string {
	g.t.Helper()
	put(g.t, g.dir, files)
	g.n++
	g.git("add", "-A", "-f")
	g.git("commit", "-q", "--allow-empty", "-m", message)
	return g.git("rev-parse", "HEAD")
}

func openRepo(t *testing.T, dir string) *Repo {
	t.Helper()
	r, err := OpenRepo(dir)
	must(t, err)
	t.Cleanup(func() { must(t, r.Close()) })
	return r
}

// lsTree is what the git program lists, in the form of listTree.
func (g *gitRepo) lsTree(commit string) string {
	return g.git("-c", "core.quotePath=false", "ls-tree", "-r", "--format=%(objectmode) %(objectname) %(path)", commit)
}

func listTree(t *Tree) string {
	var lines []string
	for e := range t.All() {
		lines = append(lines, fmt.Sprintf("%06o %s %s", e.Mode, e.SHA, e.Path))
	}
	return strings.Join(lines, "\n")
}

func TestRepoReadsWhatGitReads(t *testing.T) {
	g := newGit(t)
	files := map[string]string{"a.txt": "a", "dir/b.txt": "b", "dir.txt": "sorts between", "dir/sub/c.sh": "#!/bin/sh\n", "link": "-> a.txt", "ünï/x": "u"}
	for i := range 40 {
		files[fmt.Sprintf("many/f%02d", i)] = strings.Repeat(fmt.Sprintf("line %d\n", i), 200)
	}
	first := g.commit("first", files)
	must(t, os.Chmod(filepath.Join(g.dir, "dir/sub/c.sh"), 0o755))
	for i := range 15 {
		g.commit("edit", map[string]string{"many/f01": strings.Repeat(fmt.Sprintf("edit %d\n", i), 200), fmt.Sprintf("many/g%d", i): "g"})
	}
	head := g.git("rev-parse", "HEAD")
	g.git("tag", "-a", "-m", "a tag", "v1", head)
	g.git("update-ref", "refs/remotes/origin/main", first)
	g.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	check := func(t *testing.T, dir string) {
		t.Helper()
		r := openRepo(t, dir)
		ctx := context.Background()
		for ref, want := range map[string]string{
			"HEAD": head, "main": head, "v1": head, "refs/heads/main": head, "heads/main": head, head: head,
			"origin/main": first, "origin": first,
		} {
			if got, err := r.Resolve(ref); err != nil || got != want {
				t.Errorf("resolve %s: got %s %v, want %s", ref, got, err, want)
			}
		}
		for _, commit := range []string{first, head} {
			tree, err := r.Tree(ctx, commit)
			must(t, err)
			if diff := cmp.Diff(g.lsTree(commit), listTree(tree)); diff != "" {
				t.Error(diff)
			}
		}
		index, err := r.IndexTree(ctx)
		must(t, err)
		if diff := cmp.Diff(g.lsTree(head), listTree(index)); diff != "" && dir == g.dir {
			t.Error(diff)
		}
		name, commit, err := r.DefaultBranch()
		if err != nil || name != "main" || commit != first {
			t.Errorf("default branch: %s %s %v", name, commit, err)
		}
		data, e, err := r.FileAt(ctx, head, "many/f01", 1<<20)
		if err != nil || !bytes.HasPrefix(data, []byte("edit 14\n")) || e.Mode != ModeFile {
			t.Errorf("many/f01: %.20q %v %v", data, e, err)
		}
		if _, e, err := r.FileAt(ctx, head, "link", 100); err != nil || e.Mode != ModeSymlink {
			t.Errorf("link: %v %v", e, err)
		}
		for _, path := range []string{"absent", "dir/absent", "a.txt/x", "", "dir//b.txt", "../a.txt"} {
			if _, _, err := r.FileAt(ctx, head, path, 100); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%q: got %v", path, err)
			}
		}
		if _, _, err := r.FileAt(ctx, head, "many/f01", 10); err == nil || !strings.Contains(err.Error(), "limit") {
			t.Errorf("over the limit: %v", err)
		}
	}
	t.Run("loose", func(t *testing.T) { check(t, g.dir) })
	t.Run("worktree", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "wt")
		g.git("worktree", "add", "-q", "--detach", dir, head)
		check(t, dir)
	})
	g.git("gc", "-q", "--aggressive")
	g.git("pack-refs", "--all")
	t.Run("packed", func(t *testing.T) { check(t, g.dir) })
	t.Run("alternates", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "borrowed")
		g.git("clone", "-q", "--shared", "--no-checkout", g.dir, dir)
		r := openRepo(t, dir)
		tree, err := r.Tree(context.Background(), head)
		must(t, err)
		if diff := cmp.Diff(g.lsTree(head), listTree(tree)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestRepoGivesTheTreesToCompareWith(t *testing.T) {
	g := newGit(t)
	base := g.commit("base", map[string]string{"a": "1", "gone": "g"})
	must(t, os.Remove(filepath.Join(g.dir, "gone")))
	head := g.commit("head", map[string]string{"b": "2"})
	put(t, g.dir, map[string]string{"staged": "s", "out/new": "n"})
	g.git("add", "staged")
	trees, err := openRepo(t, g.dir).Trees(context.Background(), head, "", base, true)
	must(t, err)
	for path, want := range map[string]bool{"a": true, "b": true, "gone": true, "staged": true, "out/new": false} {
		if got := trees.tracks(path); got != want {
			t.Errorf("%s: tracked %v, want %v", path, got, want)
		}
	}
	if _, err := openRepo(t, g.dir).Trees(context.Background(), head, strings.Repeat("0", 40), base, false); !errors.Is(err, errMissing) {
		t.Errorf("a merge commit that is not there: %v", err)
	}
}

func TestRepoListsChangesAndCommits(t *testing.T) {
	g := newGit(t)
	base := g.commit("base", map[string]string{"keep": "k", "edit": "old", "gone": "gone", "mv/old": "the same bytes"})
	g.git("checkout", "-q", "-b", "topic")
	must(t, os.Remove(filepath.Join(g.dir, "gone")))
	must(t, os.Rename(filepath.Join(g.dir, "mv/old"), filepath.Join(g.dir, "mv/new")))
	one := g.commit("one\n\nbody\n\nCo-authored-by: Bot <bot@agents.example.com>\nsome text\nX-Mark: yes", map[string]string{"edit": "new", "add": "a"})
	g.git("checkout", "-q", "main")
	main := g.commit("main goes on", map[string]string{"other": "o"})
	g.git("checkout", "-q", "topic")
	g.n++
	g.git("merge", "-q", "--no-ff", "-m", "merge main", "main")
	two := g.commit("two", map[string]string{"add": "b"})
	r, ctx := openRepo(t, g.dir), context.Background()

	changes, err := r.Changes(ctx, base, one)
	must(t, err)
	want := []ChangedFile{
		{Path: "add", Status: "added"}, {Path: "edit", Status: "modified"}, {Path: "gone", Status: "removed"},
		{Path: "mv/new", Previous: "mv/old", Status: "renamed"},
	}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Error(diff)
	}
	if at, err := r.MergeBase(ctx, base, two); err != nil || at != base {
		t.Errorf("merge base: %s %v", at, err)
	}
	if at, err := r.MergeBase(ctx, main, two); err != nil || at != main {
		t.Errorf("merge base: %s %v, want %s", at, err, main)
	}
	if at, err := r.MergeBase(ctx, main, one); err != nil || at != base {
		t.Errorf("merge base: %s %v, want %s", at, err, base)
	}
	commits, err := r.Commits(ctx, main, two)
	must(t, err)
	var names []string
	for _, c := range commits {
		names = append(names, c.SHA)
	}
	if got, want := strings.Join(names, "\n"), g.git("rev-list", "--date-order", main+".."+two); got != want {
		t.Errorf("commits: got\n%s\nwant\n%s", got, want)
	}
	last := commits[len(commits)-1]
	if last.SHA != one || last.Author.Email != "ann@example.com" || last.Committer.Name != "Bob" || last.Committer.When.IsZero() {
		t.Errorf("got %+v", last)
	}
	if diff := cmp.Diff([]Trailer{{"Co-authored-by", "Bot <bot@agents.example.com>"}, {"X-Mark", "yes"}}, last.Trailers); diff != "" {
		t.Error(diff)
	}
	if none, err := r.Commits(ctx, two, two); err != nil || len(none) != 0 {
		t.Errorf("no commits: %v %v", none, err)
	}
}

func TestRepoSaysThatAShallowCloneIsShort(t *testing.T) {
	g := newGit(t)
	base := g.commit("base", map[string]string{"a": "1"})
	g.git("checkout", "-q", "-b", "topic")
	for i := range 5 {
		g.commit("c", map[string]string{"b": fmt.Sprint(i)})
	}
	head := g.git("rev-parse", "HEAD")
	dir := filepath.Join(t.TempDir(), "clone")
	g.git("clone", "-q", "--depth", "2", "--branch", "topic", "file://"+g.dir, dir)
	r, ctx := openRepo(t, dir), context.Background()
	if !r.Shallow() {
		t.Error("not known to be shallow")
	}
	if tree, err := r.Tree(ctx, head); err != nil || tree.Len() != 2 {
		t.Errorf("the head's tree: %v", err)
	}
	if _, err := r.Tree(ctx, base); !errors.Is(err, errMissing) {
		t.Errorf("a commit that is not there: %v", err)
	}
	if _, err := r.Commits(ctx, base, head); !errors.Is(err, errShallow) {
		t.Errorf("commits: %v", err)
	}
	if _, err := r.MergeBase(ctx, base, head); !errors.Is(err, errShallow) {
		t.Errorf("merge base: %v", err)
	}
	parent := g.git("rev-parse", "HEAD~1")
	if list, err := r.Commits(ctx, parent, head); err != nil || len(list) != 1 {
		t.Errorf("commits within the clone: %v %v", list, err)
	}
}

func TestRepoKnowsSubmodules(t *testing.T) {
	g := newGit(t)
	head := g.commit("base", map[string]string{"a": "1"})
	g.git("update-index", "--add", "--cacheinfo", "160000,"+head+",vendor/lib")
	g.git("commit", "-q", "-m", "a submodule")
	tree, err := openRepo(t, g.dir).Tree(context.Background(), g.git("rev-parse", "HEAD"))
	must(t, err)
	for path, want := range map[string]bool{"vendor/lib": true, "vendor/lib/out/report.xml": true, "vendor/library/x": false, "vendor": false, "a": true, "a/b": false} {
		if got := tree.Tracks(path); got != want {
			t.Errorf("%s: tracked %v, want %v", path, got, want)
		}
	}
}

// loose writes a loose object with the name that its caller gives, right or wrong.
func loose(t *testing.T, dir, sha, content string) {
	t.Helper()
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, err := z.Write([]byte(content))
	must(t, errors.Join(err, z.Close()))
	path := filepath.Join(dir, ".git", "objects", sha[:2], sha[2:])
	must(t, os.MkdirAll(filepath.Dir(path), 0o750))
	must(t, os.WriteFile(path, b.Bytes(), 0o600))
}

func TestRepoSurvivesAHostileDirectory(t *testing.T) {
	sha := strings.Repeat("ab", 20)
	huge := "tree 99999999999\x00"
	commit := "tree " + sha + "\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nm"
	forged := hex.EncodeToString(func() []byte { b := blobOf([]byte("x")); return b[:] }())
	cases := []struct {
		name string
		make func(t *testing.T, dir string)
		use  func(r *Repo) error
		want string
	}{
		{"an object under another name", func(t *testing.T, dir string) {
			loose(t, dir, sha, fmt.Sprintf("commit %d\x00%s", len(commit), commit))
		},
			func(r *Repo) error { _, err := r.Tree(context.Background(), sha); return err }, "hash to its name"},
		{"another type", func(t *testing.T, dir string) { loose(t, dir, forged, "blob 1\x00x") },
			func(r *Repo) error { _, err := r.Tree(context.Background(), forged); return err }, "is a blob"},
		{"a length that lies", func(t *testing.T, dir string) { loose(t, dir, sha, "blob 5\x00x") },
			func(r *Repo) error { _, err := r.Blob(context.Background(), sha, 100); return err }, "declared"},
		{"a huge object", func(t *testing.T, dir string) { loose(t, dir, sha, huge) },
			func(r *Repo) error { _, err := r.Blob(context.Background(), sha, 100); return err }, "limit"},
		{"no header", func(t *testing.T, dir string) { loose(t, dir, sha, strings.Repeat("x", 200)) },
			func(r *Repo) error { _, err := r.Blob(context.Background(), sha, 100); return err }, "header"},
		{"a missing object", func(*testing.T, string) {},
			func(r *Repo) error { _, err := r.Blob(context.Background(), sha, 100); return err }, "not in this clone"},
		{"a ref that leaves", func(t *testing.T, dir string) {
			put(t, dir, map[string]string{".git/HEAD": "ref: ../../etc/passwd\n"})
		}, func(r *Repo) error { _, err := r.Resolve("HEAD"); return err }, "no such ref"},
		{"refs in a circle", func(t *testing.T, dir string) {
			put(t, dir, map[string]string{".git/refs/heads/a": "ref: refs/heads/b\n", ".git/refs/heads/b": "ref: refs/heads/a\n"})
		}, func(r *Repo) error { _, err := r.Resolve("a"); return err }, "symbolic refs"},
		{"a garbled ref", func(t *testing.T, dir string) { put(t, dir, map[string]string{".git/refs/heads/a": "zzz\n"}) },
			func(r *Repo) error { _, err := r.Resolve("a"); return err }, "malformed"},
		{"a link out of .git", func(t *testing.T, dir string) {
			must(t, os.Symlink("/etc/hostname", filepath.Join(dir, ".git", "refs", "heads", "a")))
		}, func(r *Repo) error { _, err := r.Resolve("a"); return err }, "escapes"},
		{"another file of .git as a ref", func(t *testing.T, dir string) { put(t, dir, map[string]string{".git/secret": sha + "\n"}) },
			func(r *Repo) error { _, err := r.Resolve("secret"); return err }, "no such ref"},
		{"a garbled index", func(t *testing.T, dir string) {
			put(t, dir, map[string]string{".git/index": "DIRC\x00\x00\x00\x02\xff\xff\xff\xff"})
		},
			func(r *Repo) error { _, err := r.IndexTree(context.Background()); return err }, "index"},
		{"a pipe for packed-refs", func(t *testing.T, dir string) { pipe(t, filepath.Join(dir, ".git", "packed-refs")) },
			func(r *Repo) error { _, err := r.Resolve("a"); return err }, "named pipe"},
		{"a pipe for an object", func(t *testing.T, dir string) {
			put(t, dir, map[string]string{".git/objects/" + sha[:2] + "/": ""})
			pipe(t, filepath.Join(dir, ".git", "objects", sha[:2], sha[2:]))
		}, func(r *Repo) error { _, err := r.Blob(context.Background(), sha, 100); return err }, "named pipe"},
		{"a garbled pack", func(t *testing.T, dir string) {
			put(t, dir, map[string]string{".git/objects/pack/pack-" + sha + ".idx": "\xfftOc\x00\x00\x00\x02", ".git/objects/pack/pack-" + sha + ".pack": "PACK"})
		}, func(r *Repo) error { _, err := r.Blob(context.Background(), sha, 100); return err }, "pack-"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g := newGit(t)
			c.make(t, g.dir)
			soon(t, c.name, func() {
				err := c.use(openRepo(t, g.dir))
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want it to say %q", err, c.want)
				}
			})
		})
	}
}

func TestOpenRepoRefusesWhatItWouldMisread(t *testing.T) {
	cases := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"sha256", map[string]string{".git/config": "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n"}, "SHA-1"},
		{"reftable", map[string]string{".git/config": "[extensions]\n\trefStorage = reftable\n"}, "reftable"},
		{"sha256 on the section's line", map[string]string{".git/config": "[EXTENSIONS]ObjectFormat=\"SHA256\"\r\n"}, "SHA-1"},
		{"sha256 over two lines", map[string]string{".git/config": "[extensions]\n\tobjectformat = sha\\\n256\n"}, "SHA-1"},
		{"sha1 and a comment", map[string]string{".git/config": "[extensions]\n\tobjectformat = sha1 ; or = sha256\n# objectformat = sha256\n"}, ""},
		{"alternate that is no directory", map[string]string{".git/objects/info/alternates": "/dev/null\n"}, "alternates"},
		{"alternate of itself", map[string]string{".git/objects/info/alternates": ".\n"}, ""},
	}
	for _, c := range cases {
		g := newGit(t)
		put(t, g.dir, c.files)
		r, err := OpenRepo(g.dir)
		if err == nil {
			must(t, r.Close())
		}
		if (err == nil) != (c.want == "") || (err != nil && !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want it to say %q", c.name, err, c.want)
		}
	}
	dir := t.TempDir()
	if _, err := OpenRepo(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no repository: %v", err)
	}
	put(t, dir, map[string]string{".git": "nonsense"})
	if _, err := OpenRepo(dir); err == nil {
		t.Error("a .git file that names nothing was taken")
	}
}

// circle is a pack of two deltas, each on the other one, with an index that names both.
func circle(t *testing.T, dir string) (sha string) {
	t.Helper()
	a, b := bytes.Repeat([]byte{0xaa}, 20), bytes.Repeat([]byte{0xbb}, 20)
	pack := []byte("PACK\x00\x00\x00\x02\x00\x00\x00\x02")
	var at []uint32
	for _, base := range [][]byte{b, a} {
		at = append(at, uint32(len(pack)))
		var z bytes.Buffer
		w := zlib.NewWriter(&z)
		_, err := w.Write([]byte{1, 1, 1, 'x'})
		must(t, errors.Join(err, w.Close()))
		pack = append(pack, 7<<4|4)
		pack = append(append(pack, base...), z.Bytes()...)
	}
	sum := sha1Sum(pack)
	pack = append(pack, sum...)
	idx := []byte("\xfftOc\x00\x00\x00\x02")
	for i := range 256 {
		n := uint32(0)
		if i >= 0xaa {
			n++
		}
		if i >= 0xbb {
			n++
		}
		idx = binary.BigEndian.AppendUint32(idx, n)
	}
	idx = append(append(idx, a...), b...)
	idx = append(idx, make([]byte, 8)...)
	for _, o := range at {
		idx = binary.BigEndian.AppendUint32(idx, o)
	}
	idx = append(idx, sum...)
	idx = append(idx, sha1Sum(idx)...)
	name := ".git/objects/pack/pack-" + hex.EncodeToString(sum)
	put(t, dir, map[string]string{name + ".idx": string(idx), name + ".pack": string(pack)})
	return hex.EncodeToString(a)
}

func TestRepoEndsOnACircleOfDeltas(t *testing.T) {
	g := newGit(t)
	sha := circle(t, g.dir)
	soon(t, "reading it", func() {
		if _, err := openRepo(t, g.dir).Blob(context.Background(), sha, 100); err == nil || !strings.Contains(err.Error(), "chain") {
			t.Errorf("got %v", err)
		}
	})
}

func TestParseTreeRefusesNamesThatArePaths(t *testing.T) {
	for _, name := range []string{"a/b", "", ".", ".."} {
		if _, err := parseTree([]byte("100644 " + name + "\x00" + strings.Repeat("x", 20))); err == nil {
			t.Errorf("%q was taken", name)
		}
	}
	for _, data := range []string{"100644 a", "100644 a\x00short", "10064x a\x00" + strings.Repeat("x", 20), "777777777777 a\x00" + strings.Repeat("x", 20)} {
		if _, err := parseTree([]byte(data)); err == nil {
			t.Errorf("%q was taken", data)
		}
	}
}

func TestNewTreeRefusesWhatNoTreeHolds(t *testing.T) {
	sha := strings.Repeat("a", 40)
	for _, entries := range [][]TreeEntry{
		{{Path: "a", Mode: ModeFile, SHA: "short"}},
		{{Path: "a", Mode: ModeFile, SHA: sha}, {Path: "a", Mode: ModeExec, SHA: sha}},
		{{Path: "", Mode: ModeFile, SHA: sha}},
		{{Path: "d", Mode: ModeDir, SHA: sha}},
	} {
		if _, err := NewTree(sha, entries); err == nil {
			t.Errorf("%v was taken", entries)
		}
	}
}

// FuzzParseCommit holds a law: whatever the bytes, reading a commit ends with names that are object names.
func FuzzParseCommit(f *testing.F) {
	sha := strings.Repeat("0", 40)
	f.Add([]byte("tree " + sha + "\nparent " + sha + "\nauthor A <a@b> 1700000000 +0200\ncommitter B <> x\n\nm\n\nKey: v\n"))
	f.Add([]byte("tree x\n\n"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseCommit(sha, data)
		if err != nil {
			return
		}
		for _, p := range append(c.Parents, c.tree) {
			if !isSHA(p) {
				t.Errorf("%q names %q", data, p)
			}
		}
		if len(c.Message) > maxMessage || len(c.Trailers) > maxTrailers || c.Author.When.Location() != time.UTC {
			t.Errorf("%q: unbounded %+v", data, c)
		}
	})
}
