package collect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestResolveAsGitDoes compares with the git program every form of a revision that is known, loose and packed.
func TestResolveAsGitDoes(t *testing.T) {
	g := newGit(t)
	for i := range 6 {
		g.commit(fmt.Sprint("commit ", i), map[string]string{"a": fmt.Sprint(i)})
	}
	g.git("switch", "-q", "-c", "side", "HEAD~3")
	side := g.commit("side", map[string]string{"b": "b"})
	g.git("switch", "-q", "main")
	g.n++
	g.git("merge", "-q", "--no-edit", "side")
	g.git("tag", "-a", "-m", "a tag", "v1", "HEAD~1")
	g.git("tag", side[:8], "HEAD~2") // a ref that looks like an abbreviation comes first
	head := g.git("rev-parse", "HEAD")
	check := func(t *testing.T) {
		t.Helper()
		r := openRepo(t, g.dir)
		for _, rev := range []string{
			"HEAD", "@", "@~1", "@~", "@^", "@^1", "@^2", "@^2~1", "@~~", "@^^", "@~2^1", "HEAD~4", "main~0", "@^0", "v1", "v1~1", "v1^", "side", "side~2",
			head[:7], head[:4], head[:39], strings.ToUpper(head[:12]), head[:10] + "~2", side[:8], side[:9], g.git("rev-parse", "v1")[:9],
		} {
			want := g.git("rev-parse", rev+"^{commit}")
			want = want[strings.LastIndexByte(want, '\n')+1:] // it warns of what looks like two things
			if got, err := r.Resolve(rev); err != nil || got != want {
				t.Errorf("%s: got %s, %v, want %s", rev, got, err, want)
			}
		}
		blob := g.git("rev-parse", "HEAD:a")
		for rev, want := range map[string]string{
			"@~99": "has 0 parents", "@^3": "has 2 parents", "@~99999999999999999999": "too far", "@~100000": "parents", "@~1x": "no step", "@^{commit}": "no step",
			blob: "is a blob", blob[:9]: "no such ref", "abc": "no such ref", "": "no such ref", "~1": "no such ref", "@@": "no such ref", "main@{1}": "no such ref",
			strings.Repeat("@^", 600): "no such ref", "0000": "no such ref",
		} {
			if got, err := r.Resolve(rev); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %s, %v, want %q", clip(rev, 20), got, err, want)
			}
		}
	}
	t.Run("loose", check)
	g.git("gc", "-q")
	t.Run("packed", check)
}

// TestResolveAmbiguous holds that an abbreviation of two commits names none, and one of a commit and a blob the commit.
func TestResolveAmbiguous(t *testing.T) {
	g := newGit(t)
	g.commit("first", map[string]string{"a": "a"})
	tree := g.git("rev-parse", "HEAD^{tree}")
	first := map[string]string{} // by the first digits: a commit's whole text
	sum := func(text string) string { return fmt.Sprintf("%x", sha1Sum([]byte(text))) }
	for i := range 5000 {
		body := fmt.Sprintf("tree %s\nauthor A <a@x> %d +0000\ncommitter A <a@x> %d +0000\n\nx\n", tree, i, i)
		text := fmt.Sprintf("commit %d\x00%s", len(body), body)
		other, twice := first[sum(text)[:leastShort]]
		if first[sum(text)[:leastShort]] = text; !twice {
			continue
		}
		loose(t, g.dir, sum(text), text)
		loose(t, g.dir, sum(other), other)
		r := openRepo(t, g.dir)
		if got, err := r.Resolve(sum(text)[:leastShort]); err == nil || !strings.Contains(err.Error(), "several commits") {
			t.Errorf("got %s, %v", got, err)
		}
		if got, err := r.Resolve(sum(text)[:20]); err != nil || got != sum(text) {
			t.Errorf("got %s, %v", got, err)
		}
		return
	}
	t.Fatal("no two commits share their first digits")
}

// TestDefaultBranchThatIsGone holds that a dangling origin/HEAD says what to do, once.
func TestDefaultBranchThatIsGone(t *testing.T) {
	g := newGit(t)
	g.commit("first", map[string]string{"a": "a"})
	g.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
	_, _, err := openRepo(t, g.dir).DefaultBranch()
	if err == nil || strings.Count(err.Error(), "find the default branch") != 1 || !strings.Contains(err.Error(), "git remote set-head origin -a") || !strings.Contains(err.Error(), "origin/gone") {
		t.Errorf("got %v", err)
	}
	must(t, os.WriteFile(filepath.Join(g.dir, ".git", "refs", "remotes", "origin", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
	if _, _, err = openRepo(t, g.dir).DefaultBranch(); err == nil || !strings.Contains(err.Error(), "names no branch of origin") {
		t.Errorf("got %v", err)
	}
}
