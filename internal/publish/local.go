package publish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/outcome-gate/outcome-gate/internal/action"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/render"
)

// File writes the receipt to a file: whole or not at all.
type File struct{ Path string }

// Name is the surface's name.
func (File) Name() string { return "receipt file" }

// Publish writes the canonical bytes and a final newline.
func (f File) Publish(_ context.Context, r *receipt.Receipt) error {
	data, err := r.Bytes()
	if err != nil {
		return err
	}
	if err := WriteFile(f.Path, append(data, '\n')); err != nil {
		return fmt.Errorf("write %s: %w", f.Path, err)
	}
	return nil
}

// WriteFile puts data at path in one step: a reader sees the old file or the new one, never a part. It is written
// beside the path, synced and renamed, and readable by later steps under other users. What is there and is no regular
// file stays: a name such as /dev/null means a device, which the rename would replace.
func WriteFile(path string, data []byte) (err error) {
	info, err := os.Lstat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return errors.New("it is there and is no regular file; only a regular file is replaced")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	t, err := os.CreateTemp(filepath.Dir(path), ".receipt-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(t.Name()))
		}
	}()
	_, err = t.Write(data)
	if err = errors.Join(err, t.Chmod(0o644), t.Sync(), t.Close()); err != nil {
		return err
	}
	return os.Rename(t.Name(), path)
}

// Summary writes the job summary.
type Summary struct{ Runner *action.Runner }

// Name is the surface's name.
func (Summary) Name() string { return "job summary" }

// Publish appends the receipt as Markdown.
func (s Summary) Publish(_ context.Context, r *receipt.Receipt) error {
	return s.Runner.WriteSummary(render.Markdown(r))
}

// Outputs writes the step's outputs; those that name URLs follow once their surfaces are written.
type Outputs struct {
	Runner      *action.Runner
	ReceiptPath string // as later steps of the job see it
}

// Name is the surface's name.
func (Outputs) Name() string { return "outputs" }

// maxStates bounds the states output: the outputs of a run are kept below what the runner takes.
const maxStates = 512 << 10

// Publish writes every output that the receipt alone gives.
func (o Outputs) Publish(_ context.Context, r *receipt.Receipt) error {
	states := map[string]string{}
	for i := range r.Outcomes {
		states[r.Outcomes[i].ID] = string(r.Outcomes[i].State)
	}
	raw, err := json.Marshal(states)
	if err != nil {
		return err
	}
	if len(raw) > maxStates {
		raw = []byte("{}")
	}
	return o.Runner.SetOutputs([]action.Pair{
		{Name: "verdict", Value: string(r.Verdict)},
		{Name: "reason", Value: string(r.Reason)},
		{Name: "result", Value: string(r.Result)},
		{Name: "may-retry", Value: strconv.FormatBool(r.MayRetry)},
		{Name: "next", Value: string(r.Next)},
		{Name: "report-verdict", Value: string(r.Report.Verdict)},
		{Name: "report-reason", Value: string(r.Report.Reason)},
		{Name: "verified", Value: strconv.Itoa(r.Verified)},
		{Name: "expected", Value: strconv.Itoa(r.Expected)},
		{Name: "coverage", Value: orNull(r.Coverage)},
		{Name: "states", Value: string(raw)},
		{Name: "receipt-path", Value: o.ReceiptPath},
		{Name: "receipt-digest", Value: r.Digest},
	})
}

func orNull(s *string) string {
	if s == nil {
		return "null"
	}
	return *s
}
