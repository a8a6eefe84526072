// Package publish puts one receipt on every surface: file, job summary, outputs, annotations, check run,
// commit status, comment.
//
// It decides nothing: every surface is a projection of the same receipt within its own byte budget, and one
// that could not be written never changes the verdict. All surfaces are tried, local ones first, so that a
// crash or a cut network leaves the receipt behind.
package publish

import (
	"context"
	"errors"
	"fmt"

	"github.com/outcome-gate/outcome-gate/internal/action"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
)

// Publisher is one surface.
type Publisher interface {
	// Name is the surface's name as the documentation writes it.
	Name() string
	// Publish writes the receipt. Writing the same receipt twice leaves what writing it once leaves.
	Publish(ctx context.Context, r *receipt.Receipt) error
}

// Sink is a surface with the setting that the workflow gave it.
type Sink struct {
	Publisher
	Setting action.Surface
}

// Outcome says what became of one surface.
type Outcome struct {
	Name     string
	Required bool
	Err      error // nil: written
}

// Outcomes says what became of every surface that was not off, in the order they were tried.
type Outcomes []Outcome

// All tries every sink in order. A panic of one is that one's error.
func All(ctx context.Context, r *receipt.Receipt, sinks []Sink) Outcomes {
	var out Outcomes
	for _, s := range sinks {
		if s.Setting == action.Off {
			continue
		}
		out = append(out, Outcome{Name: s.Name(), Required: s.Setting == action.Required, Err: try(ctx, s, r)})
	}
	return out
}

func try(ctx context.Context, s Sink, r *receipt.Receipt) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: internal error: %v", s.Name(), p)
		}
	}()
	if err := s.Publish(ctx, r); err != nil {
		return fmt.Errorf("%s: %w", s.Name(), err)
	}
	return nil
}

// Err joins the errors of all surfaces.
func (o Outcomes) Err() error {
	var errs []error
	for _, s := range o {
		errs = append(errs, s.Err)
	}
	return errors.Join(errs...)
}

// RequiredFailed reports whether a surface that the workflow requires could not be written.
func (o Outcomes) RequiredFailed() bool {
	for _, s := range o {
		if s.Required && s.Err != nil && !errors.Is(s.Err, ErrOlder) {
			return true
		}
	}
	return false
}
