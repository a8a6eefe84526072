package collect

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// shownLines is what changed lines say, in one line.
func shownLines(c evidence.ChangedLines) string {
	var out []string
	for _, f := range c.Files {
		text := f.Path
		for _, r := range f.Lines {
			text += fmt.Sprintf(" %d-%d", r.First, r.Last)
		}
		if !f.Known {
			text += " ?" + f.Reason
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

func TestChangedLines(t *testing.T) {
	g := newGit(t)
	many := strings.Repeat("x\n", maxDiffLines+2)
	all := func(string) bool { return true }
	base := g.commit("base", map[string]string{
		"a.go": "one\ntwo\nthree\nfour\n", "gone.go": "x\n", "old.go": "moved\nas\nit\nis\n", "same.go": "s\n", "b.bin": "a\x00b", "long.go": many, "end.go": "a",
	})
	must(t, os.Remove(filepath.Join(g.dir, "gone.go")))
	must(t, os.Rename(filepath.Join(g.dir, "old.go"), filepath.Join(g.dir, "new.go")))
	head := g.commit("head", map[string]string{
		"a.go": "zero\none\ntwo\n\n\t\nTHREE\nfour\nfive", "added.go": "1\n\n3\n", "b.bin": "a\x00c", "long.go": many + "y\n", "empty.go": "", "end.go": "a\nb\n",
	})
	r := openRepo(t, g.dir)
	got, err := r.ChangedLines(context.Background(), base, head, all)
	if err != nil || !got.Known {
		t.Fatal(got, err)
	}
	want := "a.go 1-1 6-6 8-8; added.go 1-1 3-3; b.bin ?it holds a NUL byte, so git shows no lines of it; empty.go; end.go 1-2; long.go ?it has over 100000 lines; new.go"
	if text := shownLines(got); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if _, err := r.ChangedLines(context.Background(), base, strings.Repeat("1", 40), all); err == nil {
		t.Error("an absent commit is no error")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.ChangedLines(ctx, base, head, all); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Lines that coverage files may number in another way than git are not known, however the change makes them so.
func TestChangedLinesShifted(t *testing.T) {
	g := newGit(t)
	base := g.commit("base", map[string]string{"a.go": "package a\n", "gone.py": "a\rb\nc\n", "page.c": "int a;\n"})
	head := g.commit("head", map[string]string{
		"a.go": "package a\n\n//line a.go:1\nfunc f() {}\n", "cr.js": "a\rb\n", "gone.py": "a\rb\n", "ls.js": "'\u2028'\nf()\n",
		"page.c": "int a;\n\f\nint b;\n", "wide.cs": "\xff\xfea\x00\n\x00", "skip.txt": "a\rb\n",
	})
	got, err := openRepo(t, g.dir).ChangedLines(context.Background(), base, head, func(path string) bool { return path != "skip.txt" })
	if err != nil {
		t.Fatal(err)
	}
	want := "a.go ?line 3 gives lines other numbers; cr.js ?line 1 holds a carriage return, at which some tools end a line; gone.py; " +
		"ls.js ?line 1 holds the character U+2028, at which some tools end a line; page.c 3-3; wide.cs ?it is encoded in UTF-16"
	if text := shownLines(got); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	c := evidence.ChangedFile{Path: "a.go"}
	err = openRepo(t, g.dir).diffBlobs(context.Background(), &c, TreeEntry{}, false, TreeEntry{SHA: strings.TrimSpace(g.git("rev-parse", head+":page.c"))}, time.Now())
	if err == nil || !strings.Contains(err.Error(), "to compare") || c.Known {
		t.Errorf("without time: %+v, %v", c, err)
	}
}

// Where nobody has looked at a file's bytes, the workspace shows them, or git does.
func TestObserveLooksAtBytes(t *testing.T) {
	tracked := map[string]string{"a.js": "a\rb\n", "b.js": "x\n", "c.js": "'\u2029'\n", "d.js": "x\ny\n"}
	dir := t.TempDir()
	put(t, dir, map[string]string{"a.js": tracked["a.js"], "b.js": tracked["b.js"], "l.info": "SF:a.js\nDA:1,1\nend_of_record\nSF:b.js\nDA:1,1\nend_of_record\nSF:c.js\nDA:1,1\nend_of_record\nSF:d.js\nDA:4,1\nend_of_record\n"})
	git := given(&Trees{Head: treeOf(t, tracked)})
	git.Lines = func(context.Context, func(string) bool) (evidence.ChangedLines, error) {
		out := evidence.ChangedLines{Known: true}
		for _, name := range []string{"a.js", "b.js", "c.js", "d.js"} {
			out.Files = append(out.Files, evidence.ChangedFile{Path: name, Known: true, Lines: []evidence.LineRange{{First: 1, Last: 1}}})
		}
		return out, nil
	}
	c := parse(t, "outcomes:\n  - id: a\n    artifact: {files: l.info}\n    validators: [coverage: {min_changed_percent: 50}]\n")
	git.Blob = func(_ context.Context, sha string) ([]byte, error) {
		for _, text := range tracked {
			if sum := blobOf([]byte(text)); hex.EncodeToString(sum[:]) == sha {
				return []byte(text), nil
			}
		}
		return nil, errors.New("no such blob")
	}
	seen := Observe(context.Background(), open(t, dir, Limits{}), c, Facts{Git: git})
	want := `"unknown":3,"unknown_files":["a.js: line 1 holds a carriage return, at which some tools end a line","c.js: line 1 holds the character U+2029, at which some tools end a line","d.js (a coverage file names line 4, it has 2)"]`
	if got := string(seen[0].Validators[0].Facts); !strings.Contains(got, want) {
		t.Errorf("got %s", got)
	}
	git.Blob = nil
	seen = Observe(context.Background(), open(t, dir, Limits{}), c, Facts{Git: git})
	if got := string(seen[0].Validators[0].Facts); !strings.Contains(got, `c.js: its bytes are not here to look at`) {
		t.Errorf("got %s", got)
	}
}

// Absolute names are those of the workspace, by its own name.
func TestObserveKnowsWhereItIs(t *testing.T) {
	tracked := map[string]string{"src/a.js": "x\n"}
	dir := t.TempDir()
	put(t, dir, tracked)
	c := parse(t, "outcomes:\n  - id: a\n    artifact: {files: l.info}\n    validators: [coverage: {min_changed_percent: 50}]\n")
	for name, want := range map[string]string{"src/a.js": `"covered":1,"missed":0,"total":1},"left_out":0`, "out/base/src/a.js": `"left_out":1,"absent":1`} {
		put(t, dir, map[string]string{"l.info": "SF:" + filepath.ToSlash(filepath.Join(dir, name)) + "\nDA:1,1\nend_of_record\n"})
		git := given(&Trees{Head: treeOf(t, tracked)})
		git.Lines = func(context.Context, func(string) bool) (evidence.ChangedLines, error) {
			return evidence.ChangedLines{Known: true, Files: []evidence.ChangedFile{{Path: "src/a.js", Known: true, Length: 1, Lines: []evidence.LineRange{{First: 1, Last: 1}}}}}, nil
		}
		seen := Observe(context.Background(), open(t, dir, Limits{}), c, Facts{Git: git})
		if got := string(seen[0].Validators[0].Facts); !strings.Contains(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestPatchLines(t *testing.T) {
	for patch, want := range map[string]string{
		"":                                       "f 0",
		"@@ -1,2 +1,3 @@ func f() {\n a\n+b\n c": "f 2-2 1",
		"@@ -0,0 +1,3 @@\n+a\n+\n+c\n\\ No newline at end of file":                        "f 1-1 3-3 3",
		"@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file": "f 1-1 1",
		"@@ -1,2 +0,0 @@\n-a\n-b":                            "f 0",
		"@@ -1,1 +1,2 @@\n \n+b\n@@ -9,1 +10,2 @@\n+x\n y\n": "f 2-2 10-10 2",
		"@@ -1,2 +1,3 @@\n a\n+b":                            "cut off",
		"@@ -1,1 +1,1 @@\n a\n b":                            "the line",
		"@@ -1,1 +1,1 @@\n-a\n-b":                            "more lines",
		"@@ -1,1 +1,1 @@\n-a\n!b":                            "the line",
		"+a":                                                 "the line",
		"@@ -1,1 +x,1 @@\n a":                                "the line",
		"@@ -1,1 +1,1\n a":                                   "the line",
		"@@ -1,1 -1,1 @@\n a":                                "the line",
		"@@ -99999999999 +1 @@":                              "the line",
		"Binary files differ\n":                              "the line",
		"@@@ -1 -1 +1 @@@\n  a":                              "the line",
		"@@ -1,1 +1,1 @@@@ x\na":                             "the line",
	} {
		lines, added, err := PatchLines(patch)
		text := fmt.Sprintf("%s %d", shownLines(evidence.ChangedLines{Files: []evidence.ChangedFile{{Path: "f", Known: true, Lines: lines}}}), added)
		if err != nil {
			text = err.Error()
		}
		if err == nil && text != want || err != nil && !strings.Contains(text, want) {
			t.Errorf("%q gives %s, want %s", patch, text, want)
		}
	}
}

// FuzzAddedLines holds the comparison of two texts to its law: without the lines that are named, and the blank ones, the
// new text has no line that the old one has not, in the same order.
func FuzzAddedLines(f *testing.F) {
	for _, s := range [][2]string{{"", ""}, {"", "a\nb"}, {"a\nb\nc\n", "a\nx\nc\ny"}, {"a\na\na\n", "a\na\n"}, {"a\r\n", "a\n"}, {"\n\n", "\n"}, {"é\xff\n", "\xff\n"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, old, now string) {
		added, err := addedLines(old, now, time.Second)
		if err != nil {
			return
		}
		in := map[int]bool{}
		last := 0
		for _, r := range added {
			if r.First <= last || r.Last < r.First {
				t.Fatalf("ranges %v", added)
			}
			last = r.Last
			for n := r.First; n <= r.Last; n++ {
				in[n] = true
			}
		}
		var left []string
		for line := range strings.Lines(old) {
			left = append(left, line)
		}
		n := 0
		for line := range strings.Lines(now) {
			n++
			if in[n] || strings.TrimSpace(line) == "" {
				continue
			}
			i := 0
			for i < len(left) && left[i] != line {
				i++
			}
			if i == len(left) {
				t.Fatalf("line %d, %q, is new and is not named: %q to %q, %v", n, line, old, now, added)
			}
			left = left[i+1:]
		}
		if last > n {
			t.Fatalf("%v of %d lines", added, n)
		}
	})
}

// TestObserveShowsCoverage follows coverage files and the change from the workspace into the facts.
func TestObserveShowsCoverage(t *testing.T) {
	dir := t.TempDir()
	tracked := map[string]string{"go.mod": "// it\nmodule m.test/a // the module\n\ngo 1.26\n", "a.go": "1\n2\n", "b.go": "1\n2\n", "c.go": "1\n", "lib/go.mod": "module (\n\tm.test/b\n)\n"}
	put(t, dir, tracked)
	put(t, dir, map[string]string{
		"c.out": "mode: set\nm.test/a/a.go:1.1,2.2 1 1\nm.test/a/b.go:1.1,2.2 1 0\n", "b.go": "1\r\n2\r\n", "a.go": "other\n2\n",
		"l.sarif": `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[{"level":"error"}]}]}`,
	})
	asked := 0
	git := given(&Trees{Head: treeOf(t, tracked)})
	git.Lines = func(_ context.Context, wanted func(string) bool) (evidence.ChangedLines, error) {
		asked++
		if !wanted("x/y.GO") || wanted("x.js") || wanted("Makefile") {
			t.Error("files of other languages are wanted")
		}
		return evidence.ChangedLines{Known: true, Files: []evidence.ChangedFile{
			{Path: "a.go", Known: true, Lines: []evidence.LineRange{{First: 1, Last: 1}}}, {Path: "b.go", Known: true, Lines: []evidence.LineRange{{First: 1, Last: 1}}},
			{Path: "gone.go", Known: true, Lines: []evidence.LineRange{{First: 1, Last: 1}}},
		}}, nil
	}
	const text = `
outcomes:
  - id: a
    artifact: {files: c.out}
    validators:
      - coverage: {min_percent: 50}
      - coverage: {min_changed_percent: 50}
      - coverage: {min_changed_percent: 60, format: go-cover}
  - {id: b, artifact: {files: l.sarif}, validators: [sarif: {}]}`
	c := parse(t, text)
	seen := Observe(context.Background(), open(t, dir, Limits{}), c, Facts{Git: git})
	for i, want := range []string{
		`"measured":{"covered":1,"missed":1,"total":2},"troubles":0}`,
		`"changed":{"known":true,"files":3,"ignored":0,"lines":{"covered":0,"missed":1,"total":2},"left_out":1,"absent":1,"absent_files":["gone.go"],"unknown":1,"unknown_files":["a.go: the workspace has other bytes than the head commit"],"ambiguous":0,"missed":[{"file":"b.go","lines":"1"}]}`,
		`"known":true`,
	} {
		if got := string(seen[0].Validators[i].Facts); !strings.Contains(got, want) {
			t.Errorf("validator %d has %s", i, got)
		}
	}
	if got := string(seen[1].Validators[0].Facts); !strings.Contains(got, `"errors":1`) {
		t.Errorf("sarif has %s", got)
	}
	if asked != 1 {
		t.Errorf("the changed lines were asked for %d times", asked)
	}
	git.Lines = func(context.Context, func(string) bool) (evidence.ChangedLines, error) {
		return evidence.ChangedLines{}, errors.New("no history")
	}
	for _, f := range []Facts{{Git: git}, {Git: given(&Trees{Head: treeOf(t, tracked)})}, {}} {
		o := Observe(context.Background(), open(t, dir, Limits{}), c, f)
		if got := string(o[0].Validators[1].Facts); !strings.Contains(got, `"changed":{"known":false,"reason":"`) {
			t.Errorf("without the lines: %s", got)
		}
	}
}

func TestModulePath(t *testing.T) {
	for text, want := range map[string]string{
		"module a.test/b\n": "a.test/b", "// module x\nmodule \"a.test/b\" // y\n": "a.test/b", "go 1.26\n": "", "": "", "module (\n a\n)\n": "", "modules a\n": "",
	} {
		if got := modulePath([]byte(text)); got != want {
			t.Errorf("%q names %q", text, got)
		}
	}
}
