package execute

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/outcome-gate/outcome-gate/internal/collect"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

const (
	// maxRecord is the longest record that exit_code reads.
	maxRecord = evidence.MaxExitRecordBytes
	// maxCommandLine leaves room in a record for the rest of it, whatever has to be escaped: six bytes for one.
	maxCommandLine = maxRecord / 8
)

// Recorder writes the record of one command into a workspace.
type Recorder struct {
	Workspace string // directory
	Target    Target
	// Say tells the user what a record will lack, and why. It decides nothing.
	Say func(format string, args ...any)
}

// Run removes an older record, looks at the outcome's files, runs the command, looks again and writes the record in
// one step. The command runs whatever cannot be looked at: what the record lacks then proves nothing. An error says
// that the command was not run (Ended is nil), or that the record could not be written.
func (r *Recorder) Run(ctx context.Context, c *Command, signals <-chan os.Signal) (*Ended, error) {
	total := 0
	for _, a := range c.Argv {
		total += len(a) + 1
	}
	if total > maxCommandLine {
		return nil, fmt.Errorf("the command line has %d bytes, a record holds %d", total, maxCommandLine)
	}
	root, err := os.OpenRoot(r.Workspace)
	if err != nil {
		return nil, fmt.Errorf("open workspace %s: %w", r.Workspace, err)
	}
	defer func() { _ = root.Close() }()
	// A record that is left from before would speak for a command that never came to its end.
	name := filepath.FromSlash(r.Target.File)
	if info, err := root.Lstat(name); err == nil && info.IsDir() {
		return nil, fmt.Errorf("write the record %s: it is a directory", r.Target.File)
	}
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove the older record %s: %w", r.Target.File, err)
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of the record %s: %w", r.Target.File, err)
	}
	rec := evidence.ExitRecord{Schema: evidence.ExitRecordSchema, Argv: c.Argv, Commit: r.commit()}
	before := r.digests(ctx)
	e := Run(c, signals)
	rec.Status, rec.StartedAt, rec.FinishedAt = e.Status, e.StartedAt, e.FinishedAt
	rec.Artifacts = artifacts(before, r.digests(ctx))
	data, err := r.encode(&rec)
	if err == nil {
		err = write(root, name, data)
	}
	if err != nil {
		return &e, fmt.Errorf("write the record %s: %w", r.Target.File, err)
	}
	return &e, nil
}

// commit is HEAD of the workspace's repository, "" if there is none to be known.
func (r *Recorder) commit() string {
	repo, err := collect.OpenRepo(r.Workspace)
	if err != nil {
		return ""
	}
	defer func() { _ = repo.Close() }()
	sha, err := repo.Resolve("HEAD")
	if err != nil {
		return ""
	}
	return sha
}

// digests looks at the outcome's files.
func (r *Recorder) digests(ctx context.Context) map[string]string {
	if len(r.Target.Globs) == 0 {
		return nil
	}
	w, err := collect.Open(r.Workspace)
	if err != nil {
		r.Say("the record names no files: %v", err)
		return nil
	}
	defer func() { _ = w.Close() }()
	sums, err := w.Digests(ctx, r.Target.Globs)
	if err != nil {
		r.Say("the record names no files: %v", err)
	}
	return sums
}

// artifacts joins both looks, in name order.
func artifacts(before, after map[string]string) []evidence.ExitArtifact {
	names := maps.Clone(before)
	if names == nil {
		names = map[string]string{}
	}
	maps.Copy(names, after)
	var out []evidence.ExitArtifact
	for _, n := range slices.Sorted(maps.Keys(names)) {
		out = append(out, evidence.ExitArtifact{Path: n, SHA256Before: before[n], SHA256After: after[n]})
	}
	return out
}

// encode writes a record that exit_code can read: without the files, if they are too many.
func (r *Recorder) encode(rec *evidence.ExitRecord) ([]byte, error) {
	data, err := json.Marshal(rec)
	if err == nil && len(data) >= maxRecord {
		r.Say("the record names no files: %d are too many for it", len(rec.Artifacts))
		rec.Artifacts = nil
		data, err = json.Marshal(rec)
	}
	if err == nil && len(data) >= maxRecord {
		err = fmt.Errorf("it has %d bytes, the limit is %d", len(data), maxRecord)
	}
	return append(data, '\n'), err
}

// write puts the record at its place in one step: a reader sees all of it or nothing. The command may have removed
// the folder, or put something else at the place; a link there is replaced, not followed.
func write(root *os.Root, name string, data []byte) (err error) {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	part := fmt.Sprintf("%s.%d.part", name, os.Getpid())
	f, err := root.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, root.Remove(part))
		}
	}()
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return root.Rename(part, name)
}
