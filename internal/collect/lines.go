package collect

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
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
	// maxDiffTime bounds the comparison of all files of a change. What is not compared then is not known.
	maxDiffTime = 10 * time.Second
	// maxGoModules is how many Go modules of one repository are known, maxGoMod how long a go.mod file is.
	maxGoModules = 1000
	maxGoMod     = 1 << 20
)

// ChangedLines compares the files of two commits and lists the lines of head that base does not have, of the files that
// are wanted. Lines that hold only white space are left out. Lines that a coverage file may number in another way than
// git are not known.
func (r *Repo) ChangedLines(ctx context.Context, base, head string, wanted func(path string) bool) (evidence.ChangedLines, error) {
	from, err := r.Tree(ctx, base)
	if err != nil {
		return evidence.ChangedLines{}, err
	}
	to, err := r.Tree(ctx, head)
	if err != nil {
		return evidence.ChangedLines{}, err
	}
	out := evidence.ChangedLines{Known: true}
	until := time.Now().Add(maxDiffTime)
	for _, c := range diffTrees(from, to) {
		if err := ctx.Err(); err != nil {
			return evidence.ChangedLines{}, err
		}
		now, ok := to.Lookup(c.Path)
		if !ok || !isFile(now.Mode) || !wanted(c.Path) {
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
			if err = r.diffBlobs(ctx, &one, before, there && isFile(before.Mode), now, until); err != nil {
				one.Known, one.Reason, one.Lines = false, reason(err), nil
			}
		}
		out.Files = append(out.Files, one)
	}
	return out, nil
}

func isFile(mode uint32) bool {
	return mode == ModeFile || mode == ModeExec || mode == modeGroupWritable
}

func (r *Repo) diffBlobs(ctx context.Context, c *evidence.ChangedFile, before TreeEntry, there bool, now TreeEntry, until time.Time) error {
	var old []byte
	var err error
	if there {
		if old, err = r.Blob(ctx, before.SHA, maxDiffBytes); err != nil {
			return err
		}
	}
	data, err := r.Blob(ctx, now.SHA, maxDiffBytes)
	if err != nil {
		return err
	}
	left := time.Until(until)
	if left <= 0 {
		return fmt.Errorf("the files before it took over %s to compare", maxDiffTime)
	}
	if c.Lines, err = addedLines(string(old), string(data), left); err != nil {
		return err
	}
	c.Known = true
	numbered(c, data)
	return nil
}

// numbered looks whether coverage files number a file's lines as git does.
func numbered(c *evidence.ChangedFile, data []byte) {
	c.Length = coverage.Length(data)
	if len(c.Lines) == 0 && !strings.ContainsRune(string(data), 0) {
		return // whatever their numbers, none is new
	}
	if why := coverage.Shifted(c.Path, data); why != "" {
		c.Known, c.Reason, c.Lines = false, why, nil
	}
}

// addedLines lists the lines of a text that an older text does not have, as far as it can be told in some time: what is
// not compared then counts as added.
func addedLines(old, now string, left time.Duration) ([]evidence.LineRange, error) {
	if strings.Count(old, "\n") > maxDiffLines || strings.Count(now, "\n") > maxDiffLines {
		return nil, fmt.Errorf("it has over %d lines", maxDiffLines)
	}
	var out []evidence.LineRange
	line, size := 1, 0
	for _, d := range diff.DoWithTimeout(old, now, left) {
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

// changedLines asks for the changed lines of files of the kinds that some coverage files name, once for each set of
// kinds, and leaves out what the workspace does not show: coverage was measured there, and goes by the numbers of its
// lines.
func (o *observer) changedLines(ctx context.Context, docs []evidence.Document) evidence.ChangedLines {
	kinds := map[string]bool{}
	for i := range docs {
		if docs[i].Coverage != nil {
			docs[i].Coverage.AddExtensions(kinds)
		}
	}
	key := strings.Join(slices.Sorted(maps.Keys(kinds)), "\x00")
	if out, ok := o.lines[key]; ok {
		return out
	}
	out := evidence.ChangedLines{Reason: "this run does not ask for them"}
	if o.f.Git.Lines != nil {
		var err error
		if out, err = o.f.Git.Lines(ctx, func(path string) bool { return kinds[coverage.Extension(path)] }); err != nil {
			out = evidence.ChangedLines{Reason: reason(err)}
		}
	}
	if o.lines == nil {
		o.lines = map[string]evidence.ChangedLines{}
	}
	o.lines[key] = out
	git := o.gitView(ctx)
	if !out.Known || !git.known() {
		return out
	}
	d := &dirtier{w: o.w, index: git.trees.Index, left: maxDirtyBytes, buf: make([]byte, readBytes)}
	for i := range out.Files {
		c := &out.Files[i]
		at, ok := git.trees.Head.find(c.Path)
		if !ok || !c.Known || len(c.Lines) == 0 || !kinds[coverage.Extension(c.Path)] {
			continue
		}
		if err := o.compareLines(ctx, d, c, &git.trees.Head.entries[at]); err != nil {
			c.Known, c.Reason = false, reason(err)
		}
	}
	return out
}

// compareLines holds the workspace's file against the head commit's, and looks at its bytes where nobody did: those in
// the workspace, or, if it was measured somewhere else, git's.
func (o *observer) compareLines(ctx context.Context, d *dirtier, c *evidence.ChangedFile, e *treeEntry) error {
	_, err := o.w.root.Lstat(fromSlash(c.Path))
	here := !errors.Is(err, fs.ErrNotExist)
	if here {
		differs, err := d.differs(ctx, e)
		if err != nil {
			return err
		}
		if differs {
			return errors.New("the workspace has other bytes than the head commit")
		}
	}
	if c.Length > 0 {
		return nil
	}
	var data []byte
	switch {
	case here:
		data, err = o.w.contents(c.Path, maxDiffBytes)
	case o.f.Git.Blob != nil:
		data, err = o.f.Git.Blob(ctx, hex.EncodeToString(e.sha[:]))
	default:
		err = errors.New("its bytes are not here to look at")
	}
	if err == nil {
		numbered(c, data)
	}
	return err
}

// contents reads a regular file of the workspace that has at most so many bytes.
func (w *Workspace) contents(name string, most int64) ([]byte, error) {
	f, err := w.root.OpenFile(fromSlash(name), openFileFlags, 0)
	if err != nil {
		return nil, err
	}
	defer release(f)
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errors.New("it is no regular file"))
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("it has over %d MiB", most>>20)
	}
	return data, err
}

// folders are the absolute names of the workspace's folder: as it was given, and without links.
func (w *Workspace) folders() []string {
	var out []string
	if dir, err := filepath.Abs(w.dir); err == nil {
		out = append(out, filepath.ToSlash(dir))
		if target, err := filepath.EvalSymlinks(dir); err == nil && target != dir {
			out = append(out, filepath.ToSlash(target))
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
	o.holds.Roots = o.w.folders()
	o.holds.Share()
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
