package stage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// checkOut puts a git repository into the workspace that has files as objects, as a checkout leaves them.
func (s *scene) checkOut(texts ...string) {
	s.t.Helper()
	repo, err := git.PlainInit(s.dir, false)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, text := range texts {
		o := repo.Storer.NewEncodedObject()
		o.SetType(plumbing.BlobObject)
		w, err := o.Writer()
		if err != nil {
			s.t.Fatal(err)
		}
		_, err = w.Write([]byte(text))
		if err == nil {
			_, err = repo.Storer.SetEncodedObject(o)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// TestPlantedBlob holds that an object of the checkout with other bytes than its name says is no contract.
func TestPlantedBlob(t *testing.T) {
	s := newScene(t)
	weak := strings.Replace(agreed, "min_executed: 2", "min_executed: 0", 1)
	s.checkOut(weak)
	strong, planted := fakegithub.Blob([]byte(agreed)), fakegithub.Blob([]byte(weak))
	object := func(sha string) string { return filepath.Join(s.dir, ".git", "objects", sha[:2], sha[2:]) }
	if err := os.MkdirAll(filepath.Dir(object(strong)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(object(planted), object(strong)); err != nil {
		t.Fatal(err)
	}
	code := Main(context.Background(), s.options())
	if r := s.receipt(); code != 0 || len(r.Outcomes) != 1 || !strings.Contains(string(r.Outcomes[0].Rule.Validators[0].Params), "2") {
		t.Errorf("exit %d, judged by %+v", code, r.Outcomes)
	}
}

// TestManyFiles holds that a change of more files than a comparison lists is judged by the pull request's own list.
func TestManyFiles(t *testing.T) {
	for _, c := range []struct {
		last string
		code int
	}{{"crane/zz.go", 0}, {".github/workflows/ci.yml", 4}} {
		s := newScene(t)
		files := map[string]fakegithub.File{c.last: {Text: "x"}}
		for i := range 320 {
			files[fmt.Sprintf("crane/f%03d.go", i)] = fakegithub.File{Text: fmt.Sprint(i)}
		}
		s.head = s.commit("claude/mend", "", files)
		s.runsOn(s.head)
		if code := Main(context.Background(), s.options()); code != c.code {
			t.Errorf("%s: exit %d, %s %s", c.last, code, s.receipt().Reason, s.receipt().Scope.Look)
		}
	}
}

// TestHeadMovedAndBack holds that the list of changed files is that of the judged commit, although the branch moved
// while it was read and moved back: by a comparison of commits, or held against the commit's tree.
func TestHeadMovedAndBack(t *testing.T) {
	for _, many := range []bool{false, true} {
		s := newScene(t)
		files := map[string]fakegithub.File{".github/workflows/ci.yml": {Text: "on: push\n"}}
		if many {
			for i := range 320 {
				files[fmt.Sprintf("crane/f%03d.go", i)] = fakegithub.File{Text: fmt.Sprint(i)}
			}
		}
		s.head = s.commit("claude/mend", "", files)
		s.runsOn(s.head)
		// While the list is read the branch is at a commit without the protected file, and with another in its place.
		delete(files, ".github/workflows/ci.yml")
		files["crane/calm.go"], files["crane/low.go"] = fakegithub.File{Text: "package crane\n"}, fakegithub.File{Text: "package crane // mended\n"}
		if err := s.world.Fault(fakegithub.Fault{Match: "^GET .*/git/ref/heads/main", Push: &fakegithub.Push{Repository: repository, Commit: fakegithub.Commit{
			Branch: "elsewhere", From: "main", Message: "Calm\n", Files: files,
		}}}); err != nil {
			t.Fatal(err)
		}
		o := s.options()
		clock, away, back := o.Clock, false, false
		o.Clock = func() time.Time {
			all := s.world.Requests()
			last := ""
			if len(all) > 0 {
				last = all[len(all)-1].URI
			}
			s.change(func(r *fakegithub.Repository) {
				switch {
				case !away && r.Branches["elsewhere"] != "":
					r.Branches["claude/mend"], away = r.Branches["elsewhere"], true
				case away && !back && strings.Contains(last, "/issues/7/comments"):
					r.Branches["claude/mend"], back = s.head, true
				}
			})
			return clock()
		}
		code := Main(context.Background(), o)
		r := s.receipt()
		if !away {
			t.Fatal("the branch did not move")
		}
		if many && (code != 3 || !strings.Contains(r.Scope.Look, "moved while it was read")) || !many && (code != 4 || r.Reason != "protected_change") {
			t.Errorf("many %v: exit %d, %s (%s)", many, code, r.Reason, r.Scope.Look)
		}
	}
}

// TestNotCompared holds that where GitHub cannot compare two commits the pull request's own lists are read, and that
// they have to be those of the judged commit.
func TestNotCompared(t *testing.T) {
	for _, c := range []struct {
		name string
		push string // while the list of this is read, the branch moves
		code int
		look string
	}{
		{name: "at rest"},
		{name: "moved before the files", push: "files", code: 3, look: "changed files is not that of"},
		{name: "moved before the commits", push: "commits", code: 3, look: "commits is not that of"},
	} {
		s := newScene(t)
		if err := s.world.Fault(fakegithub.Fault{Match: "/compare/", Status: 422, Body: `{"message":"this diff is taking too long"}`, Times: -1}); err != nil {
			t.Fatal(err)
		}
		if c.push != "" {
			if err := s.world.Fault(fakegithub.Fault{Match: "/pulls/7/" + c.push, Push: &fakegithub.Push{Repository: repository, Commit: fakegithub.Commit{
				Branch: "claude/mend", Message: "Later\n", Files: map[string]fakegithub.File{"crane/low.go": {Text: "package crane // again\n"}},
			}}}); err != nil {
				t.Fatal(err)
			}
		}
		code := Main(context.Background(), s.options())
		if r := s.receipt(); code != c.code || !strings.Contains(r.Scope.Look, c.look) {
			t.Errorf("%s: exit %d, %s, %q", c.name, code, r.Reason, r.Scope.Look)
		}
	}
}

// TestCutLists holds that a list which GitHub cuts counts as holding the worst: a protected path may be touched, every
// `when` is met, and nobody's approval counts, since one more commit may be by who approved.
func TestCutLists(t *testing.T) {
	const whens = agreed + "  - id: docs\n    when: { paths: [\"docs/**\"] }\n    validators: [ step: test ]\n"
	for _, c := range []struct {
		name     string
		cut      func(*fakegithub.Pull)
		workflow bool // the change touches a protected path, and keeper approved
		code     int
		expected int
	}{
		{name: "whole", cut: func(*fakegithub.Pull) {}, expected: 1},
		{name: "files", cut: func(p *fakegithub.Pull) { n := 3001; p.ChangedFiles = &n }, code: 4, expected: 2},
		{name: "approved", cut: func(*fakegithub.Pull) {}, workflow: true, expected: 1},
		{name: "commits", cut: func(p *fakegithub.Pull) { n := 251; p.CommitCount = &n }, workflow: true, code: 4, expected: 1},
	} {
		s := newScene(t)
		s.contract(whens)
		if c.workflow {
			s.head = s.commit("claude/mend", "", map[string]fakegithub.File{".github/workflows/ci.yml": {Text: "on: push\n"}})
			s.runsOn(s.head)
			s.approve("keeper", s.head)
		}
		s.change(func(r *fakegithub.Repository) { c.cut(r.Pulls[0]) })
		code := Main(context.Background(), s.options())
		if r := s.receipt(); code != c.code || r.Expected != c.expected || code == 4 && r.Reason != "protected_change" {
			t.Errorf("%s: exit %d, %s, %d expected (%s)", c.name, code, r.Reason, r.Expected, r.Scope.Look)
		}
	}
}
