package local

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
)

const withFileCarrier = `version: 1
mode: enforce
report: { required: never, carriers: [body, file] }
outcomes:
  - { id: made, artifact: { files: "out/*" } }
`

const plain = `version: 1
mode: enforce
outcomes:
  - { id: made, artifact: { files: "out/*" } }
`

// shop makes a repository with a contract, a source and one result of this run.
func shop(t *testing.T, contract string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git program to make repositories with")
	}
	dir := t.TempDir()
	write(t, dir, ".github/outcome-contract.yml", contract)
	write(t, dir, ".gitignore", "out/\n")
	write(t, dir, "shop.go", "package shop\n")
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "first")
	git(t, dir, "update-ref", "refs/remotes/origin/main", "HEAD")
	git(t, dir, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "second")
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{".github/outcome-contract.yml", ".gitignore", "shop.go"} {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, "out/result", "a result")
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "HOME="+dir,
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_COMMITTER_NAME=Bob", "GIT_COMMITTER_EMAIL=bob@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func judge(t *testing.T, dir string) *receipt.Receipt {
	t.Helper()
	c, err := Open(context.Background(), Options{Version: "test", Clock: time.Now, Workspace: dir})
	if err != nil {
		t.Fatal(err)
	}
	r, err := gate.Run(context.Background(), c.World)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestReportFileThatCannotBeRead holds that what lies at the report's place matters only where the contract names the
// carrier, and is then a broken report instead of the end of the run.
func TestReportFileThatCannotBeRead(t *testing.T) {
	for _, c := range []struct {
		name   string
		make   func(t *testing.T, dir string)
		absent bool // it counts as no file at all
	}{
		{"a folder", func(t *testing.T, dir string) { write(t, dir, ".agent/outcome.json/x", "") }, false},
		{"a link that leaves the workspace", func(t *testing.T, dir string) {
			write(t, dir, ".agent/x", "")
			if err := os.Symlink("/etc/passwd", filepath.Join(dir, ".agent", "outcome.json")); err != nil {
				t.Skip(err)
			}
		}, false},
		{"over the limit", func(t *testing.T, dir string) { write(t, dir, ".agent/outcome.json", strings.Repeat(" ", MaxReport+1)) }, false},
		{"its folder is a file", func(t *testing.T, dir string) { write(t, dir, ".agent", "notes") }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := shop(t, plain)
			c.make(t, dir)
			if r := judge(t, dir); r.Result != "pass" {
				t.Errorf("not asked for: %s %s %s", r.Verdict, r.Reason, r.Scope.Look)
			}
			dir = shop(t, withFileCarrier)
			c.make(t, dir)
			r := judge(t, dir)
			if c.absent {
				if r.Result != "pass" {
					t.Errorf("asked for and not there: %s %s %s", r.Verdict, r.Reason, r.Scope.Look)
				}
				return
			}
			if r.Reason != "contract_miss" || len(r.Report.Errors) != 1 || !strings.HasPrefix(r.Report.Errors[0], "file:1:1: read .agent/outcome.json: ") {
				t.Errorf("asked for: %s %s %v", r.Verdict, r.Reason, r.Report.Errors)
			}
		})
	}
}

// TestUncommittedWorkIsNamed holds that a verdict on changed files says that they are not the commit's.
func TestUncommittedWorkIsNamed(t *testing.T) {
	dir := shop(t, plain)
	if r := judge(t, dir); r.Result != "pass" || len(r.Notes) != 0 {
		t.Errorf("a clean workspace: %s %v", r.Result, r.Notes)
	}
	for i := range shownDirty + 1 {
		write(t, dir, "more/"+string(rune('a'+i)), "x")
	}
	write(t, dir, "shop.go", "package shop // the fix\n")
	write(t, dir, "out/result", "a result of the fix")
	r := judge(t, dir)
	if r.Result != "pass" || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "NOT COMMITTED: shop.go;") || !strings.Contains(r.Notes[0], short(r.Subject.HeadSHA)) {
		t.Errorf("%s %v", r.Result, r.Notes)
	}
	git(t, dir, "add", "-A")
	write(t, dir, "out/result", "a result of the fix")
	if r := judge(t, dir); len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "more/a, more/b, more/c, more/d, more/e and more;") {
		t.Errorf("%s %v", r.Result, r.Notes)
	}
}

// TestTop holds that the top folder is found from below, that a worktree's file counts, and that elsewhere a folder is its own.
func TestTop(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := Top(deep); got != deep {
		t.Errorf("without a repository: %s", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "a", ".git"), []byte("gitdir: elsewhere\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{deep, filepath.Join(dir, "a")} {
		if got := Top(from); got != filepath.Join(dir, "a") {
			t.Errorf("from %s: %s", from, got)
		}
	}
}

// TestReadFileErrors holds that what cannot be read is one kind of error, and never the user's value that is wrong.
func TestReadFileErrors(t *testing.T) {
	for _, path := range []string{filepath.Join(t.TempDir(), "absent"), t.TempDir()} {
		_, err := ReadFile("report", path, MaxReport)
		var wrong *UsageError
		if err == nil || errors.As(err, &wrong) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
