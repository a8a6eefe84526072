package conformance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
)

// spoiling is one way to take the ground from under a pass: what it does to every file that this run made, and to
// which artifacts it matters.
type spoiling struct {
	name    string
	spoil   func(s *Scenario, path string) error
	matters func(*contract.Artifact) bool
}

func spoilings() []spoiling {
	at := func(path string, t time.Time) error { return os.Chtimes(path, t, t) }
	return []spoiling{
		{
			name:    "older than the run",
			spoil:   func(s *Scenario, path string) error { return at(path, s.started().Add(-time.Hour)) },
			matters: func(a *contract.Artifact) bool { return a.Fresh.Rule == "run" },
		},
		{
			name: "empty",
			spoil: func(s *Scenario, path string) error {
				if err := os.Truncate(path, 0); err != nil {
					return err
				}
				return at(path, s.Now())
			},
			matters: func(*contract.Artifact) bool { return true },
		},
		{
			name:    "gone",
			spoil:   func(_ *Scenario, path string) error { return os.Remove(path) },
			matters: func(*contract.Artifact) bool { return true },
		},
	}
}

// spoiled holds a pass to its evidence: with the files that this run made older than the run, empty or gone, it is no
// pass any more. The text says what still passes. The workspace is of no use afterwards.
func (w *world) spoiled(ctx context.Context, passed *receipt.Receipt) (string, error) {
	for _, sp := range spoilings() {
		for name, f := range w.s.Files.Files {
			if f.Git == "tracked" || f.Type != "" && f.Type != "file" {
				continue
			}
			if err := sp.spoil(w.s, filepath.Join(w.b.dir, filepath.FromSlash(name))); err != nil {
				return "", fmt.Errorf("spoil evidence of %s: %w", w.s.Name, err)
			}
		}
		if !rests(passed, sp.matters) {
			continue
		}
		r, err := gate.Run(ctx, w.gate())
		if err != nil {
			return "", err
		}
		if a := answerOf(r); a.Gate == "pass" {
			return fmt.Sprintf("it still passes (%s) when every file that this run made is %s", a.Reason, sp.name), nil
		}
	}
	return "", nil
}

// rests reports whether a pass rests on a file that this run made and that the way of spoiling matters to.
func rests(r *receipt.Receipt, matters func(*contract.Artifact) bool) bool {
	rules := make([]contract.Outcome, len(r.Outcomes))
	for i := range r.Outcomes {
		rules[i] = r.Outcomes[i].Rule
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		a := contract.ArtifactOf(rules, &rules[i])
		if !o.Required || !o.Expected || o.Waived || a == nil || a.URL != "" || a.Upload != "" || o.Facts.Artifact == nil || !matters(a) {
			continue
		}
		for _, f := range o.Facts.Artifact.Files {
			if !f.Git.Tracked {
				return true
			}
		}
	}
	return false
}
