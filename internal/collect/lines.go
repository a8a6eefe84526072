package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/utils/diff"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/evidence/coverage"
)

const (
	// maxDiffBytes and maxDiffLines bound the files whose changed lines are looked for; the longest source files that
	// people write have some tens of thousands of lines.
	maxDiffBytes = 4 << 20
	maxDiffLines = 100_000
	// maxDiffTime bounds the comparison of one file. What is not compared then counts as changed.
	maxDiffTime = 10 * time.Second
	// maxGoModules is how many Go modules of one repository are known, maxGoMod how long a go.mod file is.
	maxGoModules = 1000
	maxGoMod     = 1 << 20
)

// ChangedLines compares the files of two commits and lists the lines of head that base does not have. Lines that hold
// only white space are left out.
func (r *Repo) ChangedLines(ctx context.Context, base, head string) (evidence.ChangedLines, error) {
	from, err := r.Tree(ctx, base)
	if err != nil {
		return evidence.ChangedLines{}, err
	}
	to, err := r.Tree(ctx, head)
	if err != nil {
		return evidence.ChangedLines{}, err
	}
	out := evidence.ChangedLines{Known: true}
	for _, c := range diffTrees(from, to) {
		if err := ctx.Err(); err != nil {
			return evidence.ChangedLines{}, err
		}
		now, ok := to.Lookup(c.Path)
		if !ok || !isFile(now.Mode) {
			continue
		}
		one := evidence.ChangedFile{Path: c.Path}
		before, there := from.Lookup(c.Path)
		if c.Previous != "" {
			before, there = from.Lookup(c.Previous)
		}
		switch {
		case there && before.SHA == now.SHA:
			one.Known = true
		default:
			one.Lines, err = r.diffBlobs(ctx, before, there && isFile(before.Mode), now)
			if one.Known = err == nil; err != nil {
				one.Reason = reason(err)
			}
		}
		out.Files = append(out.Files, one)
	}
	return out, nil
}

func isFile(mode uint32) bool {
	return mode == ModeFile || mode == ModeExec || mode == modeGroupWritable
}

func (r *Repo) diffBlobs(ctx context.Context, before TreeEntry, there bool, now TreeEntry) ([]evidence.LineRange, error) {
	var old []byte
	var err error
	if there {
		if old, err = r.Blob(ctx, before.SHA, maxDiffBytes); err != nil {
			return nil, err
		}
	}
	data, err := r.Blob(ctx, now.SHA, maxDiffBytes)
	if err != nil {
		return nil, err
	}
	return addedLines(string(old), string(data))
}

// addedLines lists the lines of a text that an older text does not have. A binary file has no lines.
func addedLines(old, now string) ([]evidence.LineRange, error) {
	if strings.ContainsRune(now, 0) {
		return nil, nil
	}
	if strings.Count(old, "\n") > maxDiffLines || strings.Count(now, "\n") > maxDiffLines {
		return nil, fmt.Errorf("it has over %d lines", maxDiffLines)
	}
	var out []evidence.LineRange
	line, size := 1, 0
	for _, d := range diff.DoWithTimeout(old, now, maxDiffTime) {
		if d.Type < 0 { // a deletion
			continue
		}
		size += len(d.Text)
		for text := range strings.Lines(d.Text) {
			if d.Type > 0 {
				out = addLine(out, line, text)
			}
			line++
		}
	}
	if size != len(now) {
		return nil, errors.New("the comparison does not give the text back")
	}
	return out, nil
}

// addLine adds a line to ranges, unless it is blank.
func addLine(list []evidence.LineRange, n int, text string) []evidence.LineRange {
	if strings.TrimSpace(text) == "" {
		return list
	}
	if k := len(list) - 1; k >= 0 && list[k].Last == n-1 {
		list[k].Last = n
		return list
	}
	return append(list, evidence.LineRange{First: n, Last: n})
}

// changedLines asks for the changed lines, once, and leaves out what the workspace does not show: coverage was measured
// there, and goes by the numbers of its lines.
func (o *observer) changedLines(ctx context.Context) evidence.ChangedLines {
	if o.lines != nil {
		return *o.lines
	}
	out := evidence.ChangedLines{Reason: "this run does not ask for them"}
	if o.f.Git.Lines != nil {
		var err error
		if out, err = o.f.Git.Lines(ctx); err != nil {
			out = evidence.ChangedLines{Reason: reason(err)}
		}
	}
	o.lines = &out
	git := o.gitView(ctx)
	if !out.Known || !git.known() {
		return out
	}
	d := &dirtier{w: o.w, index: git.trees.Index, left: maxDirtyBytes, buf: make([]byte, readBytes)}
	for i := range out.Files {
		c := &out.Files[i]
		at, ok := git.trees.Head.find(c.Path)
		if !ok || !c.Known || len(c.Lines) == 0 {
			continue
		}
		if _, err := o.w.root.Lstat(fromSlash(c.Path)); errors.Is(err, fs.ErrNotExist) {
			continue // it was measured somewhere else
		}
		differs, err := d.differs(ctx, &git.trees.Head.entries[at])
		switch {
		case err != nil:
			c.Known, c.Reason = false, reason(err)
		case differs:
			c.Known, c.Reason = false, "the workspace has other bytes than the head commit"
		}
	}
	return out
}

// repository says what the head commit holds, once.
func (o *observer) repository(ctx context.Context) coverage.Repository {
	if o.holds != nil {
		return *o.holds
	}
	o.holds = &coverage.Repository{}
	git := o.gitView(ctx)
	if !git.known() {
		o.holds.Reason = git.reason
		return *o.holds
	}
	o.holds.Known = true
	for e := range git.trees.Head.All() {
		if !isFile(e.Mode) {
			continue
		}
		o.holds.Paths = append(o.holds.Paths, e.Path)
		if path.Base(e.Path) != "go.mod" || len(o.holds.Modules) >= maxGoModules {
			continue
		}
		if name := o.goModule(e.Path); name != "" {
			dir := path.Dir(e.Path)
			if dir == "." {
				dir = ""
			}
			o.holds.Modules = append(o.holds.Modules, coverage.Module{Dir: dir, Path: name})
		}
	}
	return *o.holds
}

// goModule is the module path that a go.mod file of the workspace declares, "" if it cannot be told.
func (o *observer) goModule(name string) string {
	where, t := o.w.locate(name)
	if t != nil || !where.info.Mode().IsRegular() {
		return ""
	}
	f, err := o.w.root.OpenFile(fromSlash(where.path), openFileFlags, 0)
	if err != nil {
		return ""
	}
	defer release(f)
	data, err := io.ReadAll(io.LimitReader(f, maxGoMod))
	if err != nil {
		return ""
	}
	return modulePath(data)
}

// modulePath finds the module directive (go.dev/ref/mod#go-mod-file-module). Those who write it in a block are not known.
func modulePath(data []byte) string {
	for line := range bytes.Lines(data) {
		text, _, _ := strings.Cut(string(line), "//")
		fields := strings.Fields(text)
		if len(fields) == 2 && fields[0] == "module" && fields[1] != "(" {
			return strings.Trim(fields[1], "\"`")
		}
	}
	return ""
}

// PatchLines lists the lines that a unified diff adds, as the new file numbers them, and how many there are with the
// blank ones, which are left out. A patch that does not hold what its hunks announce is an error.
func PatchLines(patch string) (lines []evidence.LineRange, added int, err error) {
	var line, oldLeft, newLeft int
	for text := range strings.Lines(patch) {
		text = strings.TrimSuffix(text, "\n")
		if oldLeft == 0 && newLeft == 0 {
			if strings.HasPrefix(text, `\`) {
				continue
			}
			if line, oldLeft, newLeft, err = hunk(text); err != nil {
				return nil, 0, err
			}
			continue
		}
		kind := byte(' ')
		if text != "" {
			kind = text[0]
		}
		switch kind {
		case '+':
			lines = addLine(lines, line, text[1:])
			added++
			line, newLeft = line+1, newLeft-1
		case '-':
			oldLeft--
		case ' ':
			line, oldLeft, newLeft = line+1, oldLeft-1, newLeft-1
		case '\\': // no newline at the end of the file
		default:
			return nil, 0, fmt.Errorf("a patch has the line %.40q", text)
		}
		if oldLeft < 0 || newLeft < 0 {
			return nil, 0, errors.New("a patch has more lines than it announces")
		}
	}
	if oldLeft != 0 || newLeft != 0 {
		return nil, 0, errors.New("a patch is cut off")
	}
	return lines, added, nil
}

// hunk reads "@@ -first,count +first,count @@"; a count of one may be left out.
func hunk(text string) (line, oldLines, newLines int, err error) {
	fields := strings.Fields(text)
	bad := fmt.Errorf("a patch has the line %.40q", text)
	if len(fields) < 4 || fields[0] != "@@" || fields[3] != "@@" || fields[1][0] != '-' || fields[2][0] != '+' {
		return 0, 0, 0, bad
	}
	_, oldLines, ok1 := span(fields[1][1:])
	line, newLines, ok2 := span(fields[2][1:])
	if !ok1 || !ok2 {
		return 0, 0, 0, bad
	}
	return line, oldLines, newLines, nil
}

func span(text string) (first, count int, ok bool) {
	a, b, two := strings.Cut(text, ",")
	if !two {
		b = "1"
	}
	n, err1 := strconv.ParseUint(a, 10, 31)
	m, err2 := strconv.ParseUint(b, 10, 31)
	return int(n), int(m), err1 == nil && err2 == nil
}
