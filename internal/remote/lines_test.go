package remote

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/github"
)

func TestChangedLines(t *testing.T) {
	const patch = "@@ -1,3 +1,4 @@ package a\n a\n-b\n+B\n+C\n c\n@@ -10 +11,2 @@\n x\n+y\n\\ No newline at end of file"
	files := github.List[github.ChangedFile]{Items: []github.ChangedFile{
		{Path: "a.go", Status: "modified", Additions: 3, Patch: patch},
		{Path: "big.go", Status: "modified", Additions: 30_000},
		{Path: "cut.go", Status: "modified", Additions: 2, Patch: "@@ -1 +1,3 @@\n a\n+b"},
		{Path: "gone.go", Status: "removed", Deletions: 3, Patch: "@@ -1,1 +0,0 @@\n-a"},
		{Path: "empty.go", Status: "added", SHA: emptyBlob},
		{Path: "image.png", Status: "added", SHA: "1"},
		{Path: "less.go", Status: "added", Additions: 2, Patch: "@@ -0,0 +1 @@\n+a"},
		{Path: "mode.go", Status: "modified", SHA: "4"},
		{Path: "moved.go", Status: "renamed", Previous: "old.go", SHA: "2"},
		{Path: "unsaid.go", Status: "modified", SHA: "3"},
	}}
	before := func(path string) string {
		return map[string]string{"old.go": "2", "unsaid.go": "1", "mode.go": "4"}[path]
	}
	want := evidence.ChangedLines{Known: true, Files: []evidence.ChangedFile{
		{Path: "a.go", Known: true, Lines: []evidence.LineRange{{First: 2, Last: 3}, {First: 12, Last: 12}}},
		{Path: "big.go", Reason: "GitHub shows no patch of it"},
		{Path: "cut.go", Reason: "a patch is cut off"},
		{Path: "empty.go", Known: true},
		{Path: "image.png", Reason: "GitHub shows no patch of it"},
		{Path: "less.go", Reason: "its patch does not add as many lines as GitHub says"},
		{Path: "mode.go", Known: true},
		{Path: "moved.go", Known: true},
		{Path: "unsaid.go", Reason: "GitHub shows no patch of it"},
	}}
	if d := cmp.Diff(want, changedLines(files, before)); d != "" {
		t.Error(d)
	}
	files.Cut = true
	if got := changedLines(files, before); got.Known || got.Reason == "" || got.Files != nil {
		t.Errorf("a cut list gives %+v", got)
	}
}
