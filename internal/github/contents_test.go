package github

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

func TestBranches(t *testing.T) {
	s := play(t)
	for _, name := range []string{"release/1.x/next", "a#b", "50%25", "tag?", "ünïcode/ö"} {
		if _, err := s.world.Commit(repository, &fakegithub.Commit{Branch: name, From: "main", Message: name}); err != nil {
			t.Fatal(err)
		}
		if sha, err := s.BranchHead(t.Context(), name); err != nil || reObject().FindString(sha) == "" {
			t.Errorf("%q: %q, %v", name, sha, err)
		}
	}
	n := s.Requests()
	for _, name := range []string{"", "/", "a//b", "a/", "../x", "a/./b", strings.Repeat("x", maxPath+1)} {
		if _, err := s.BranchHead(t.Context(), name); !errors.Is(err, ErrMalformed) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if s.Requests() != n {
		t.Error("a branch that cannot be was asked for")
	}
	if _, err := s.BranchHead(t.Context(), "release/1.x"); !IsStatus(err, 404) {
		t.Errorf("part of a name: %v", err)
	}
	s.fault(fakegithub.Fault{Match: "ref/heads/main", Status: 200, Body: `{"ref":"refs/heads/main","object":{"type":"tag","sha":"` + s.main + `"}}`})
	if _, err := s.BranchHead(t.Context(), "main"); !errors.Is(err, ErrMalformed) {
		t.Errorf("a branch at a tag: %v", err)
	}
}

func TestFiles(t *testing.T) {
	s := play(t)
	ctx := t.Context()
	for name, want := range map[string]string{
		".github/outcome-contract.yml": "version: 1\n", "run.sh": "#!/bin/sh\n", "deep/er/file": "x", "empty": "",
	} {
		if got, err := s.File(ctx, name, s.main, 100); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if s.Requests() != 5 { // the tree once, and each blob
		t.Errorf("%d requests", s.Requests())
	}
	n := s.Requests()
	for name, want := range map[string]error{
		"deep": ErrNotRegular, "link": ErrNotRegular, "outside": ErrNotRegular, "sub": ErrNotRegular,
		"none": ErrNoFile, "deep/none": ErrNoFile, "link/README.md": ErrNoFile, "README.md/x": ErrNoFile, "readme.md": ErrNoFile,
		"": ErrMalformed, ".": ErrMalformed, "/README.md": ErrMalformed, "./README.md": ErrMalformed, "deep/../README.md": ErrMalformed,
		"README.md/": ErrMalformed, strings.Repeat("x", maxPath+1): ErrMalformed,
	} {
		if got, err := s.File(ctx, name, s.main, 100); !errors.Is(err, want) || got != nil {
			t.Errorf("%q: %q, %v, want %v", name, got, err, want)
		}
	}
	if got, err := s.File(ctx, "README.md", s.main, 9); !errors.Is(err, ErrTooLarge) || got != nil {
		t.Errorf("a byte too many: %q, %v", got, err)
	}
	if s.Requests() != n {
		t.Errorf("%d requests for what the tree had told", s.Requests()-n)
	}
	if got, err := s.File(ctx, "README.md", s.main, 10); err != nil || len(got) != 10 {
		t.Errorf("just the size: %q, %v", got, err)
	}
	if _, err := s.File(ctx, "README.md", gone, 100); !IsStatus(err, 404) || errors.Is(err, ErrNoFile) {
		t.Errorf("a commit that cannot be seen: %v", err)
	}
	if _, err := s.File(ctx, "README.md", "main", 100); !errors.Is(err, ErrMalformed) {
		t.Errorf("a branch for a commit: %v", err)
	}
}

func TestBlobs(t *testing.T) {
	s := play(t)
	body := strings.Repeat("0123456789abcdef", 1<<17) // 2 MiB, more than JSON would carry
	if _, err := s.world.Commit(repository, &fakegithub.Commit{Branch: "main", Files: map[string]fakegithub.File{"large": {Text: body}}}); err != nil {
		t.Fatal(err)
	}
	sha := fakegithub.Blob([]byte(body))
	if got, err := s.Blob(t.Context(), sha, int64(len(body))); err != nil || string(got) != body {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	for _, limit := range []int64{int64(len(body)) - 1, 1, 0, -1} {
		if got, err := s.Blob(t.Context(), sha, limit); !errors.Is(err, ErrTooLarge) || got != nil {
			t.Errorf("limit %d: %d bytes, %v", limit, len(got), err)
		}
	}
	if _, err := s.Blob(t.Context(), "../x", 10); !errors.Is(err, ErrMalformed) {
		t.Error(err)
	}
}

// TestCutTrees holds that a tree which GitHub cuts is put together from its folders, and comes out the same.
func TestCutTrees(t *testing.T) {
	s := play(t)
	whole, err := s.as(jobToken).Tree(t.Context(), s.main)
	if err != nil || whole.Truncated || len(whole.Entries) != 13 {
		t.Fatalf("%+v, %v", whole, err)
	}
	for limit := 1; limit <= 13; limit++ {
		s.change(func(r *fakegithub.Repository) { r.TreeLimit = limit })
		c := s.as(jobToken)
		tree, err := c.Tree(t.Context(), s.main)
		if err != nil || tree.Truncated || fmt.Sprint(tree.Entries) != fmt.Sprint(whole.Entries) {
			t.Errorf("limit %d: %+v, %v", limit, tree, err)
		}
		n := c.Requests()
		if _, err := c.Tree(t.Context(), s.main); err != nil || c.Requests() != n {
			t.Errorf("limit %d: the tree was fetched again: %v", limit, err)
		}
		c = s.as(jobToken)
		for name, want := range map[string]error{"deep/er/still/more": nil, "deep/er": ErrNotRegular, "zzz": ErrNoFile, "run.sh/x": ErrNoFile, "link/x": ErrNoFile} {
			if _, err := c.File(t.Context(), name, s.main, 10); !errors.Is(err, want) || (want == nil) != (err == nil) {
				t.Errorf("limit %d, %s: %v, want %v", limit, name, err, want)
			}
		}
	}
}

// TestTreesWithoutEnd holds the bounds of a walk: what lies beyond is said to be missing.
func TestTreesWithoutEnd(t *testing.T) {
	s := play(t)
	files := map[string]fakegithub.File{}
	for i := range maxTreeWalk + 5 {
		files[fmt.Sprintf("d%04d/f", i)] = fakegithub.File{Text: "x"}
	}
	sha, err := s.world.Commit(repository, &fakegithub.Commit{Branch: "wide", Files: files})
	if err != nil {
		t.Fatal(err)
	}
	s.change(func(r *fakegithub.Repository) { r.TreeLimit = 5 })
	tree, err := s.Tree(t.Context(), sha)
	if err != nil || !tree.Truncated || s.Requests() != maxTreeWalk+1 {
		t.Errorf("truncated %v after %d requests, %v", tree.Truncated, s.Requests(), err)
	}
	deep, err := s.world.Commit(repository, &fakegithub.Commit{Branch: "deep", Files: map[string]fakegithub.File{strings.Repeat("d/", 100) + "f": {Text: "x"}}})
	if err != nil {
		t.Fatal(err)
	}
	s.change(func(r *fakegithub.Repository) { r.TreeLimit = 1 })
	if tree, err := s.Tree(t.Context(), deep); err != nil || !tree.Truncated {
		t.Errorf("%d entries, truncated %v, %v", len(tree.Entries), tree.Truncated, err)
	}
	if _, err := s.File(t.Context(), strings.Repeat("d/", 100)+"f", deep, 10); err == nil {
		t.Error("a path without end was walked")
	}
	// A folder that cannot be listed whole, even by itself, proves nothing absent.
	s.fault(fakegithub.Fault{Match: "trees/" + s.head, Times: 2, Status: 200, Body: `{"truncated":true,"tree":[]}`})
	if _, err := s.File(t.Context(), "README.md", s.head, 100); err == nil || errors.Is(err, ErrNoFile) {
		t.Errorf("got %v", err)
	}
}

// TestTreeMemoryIsBounded asks for more trees than are kept.
func TestTreeMemoryIsBounded(t *testing.T) {
	s := play(t)
	for i := range 3 * maxTrees {
		sha, err := s.world.Commit(repository, &fakegithub.Commit{Branch: "many", Files: map[string]fakegithub.File{"f": {Text: fmt.Sprint(i)}}})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.File(t.Context(), "f", sha, 10); err != nil || string(got) != fmt.Sprint(i) {
			t.Fatalf("%q, %v", got, err)
		}
		if len(s.trees) > maxTrees {
			t.Fatalf("%d trees are kept", len(s.trees))
		}
	}
}
