package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/outcome-gate/outcome-gate/bench/measure"
)

// line is what a row came to: medians, and the ratio that its goal is about.
type line struct {
	ours, other       measure.Use
	ratio             float64
	hasOther, correct bool
}

// run runs a row's programs in turns.
func (r *row) run(ctx context.Context, rounds int, ours, other program) (line, error) {
	var a, b []measure.Use
	var err error
	if r.peer == "" {
		for range rounds {
			var u measure.Use
			if u, err = measure.Run(ctx, ours.Command); err != nil {
				return line{}, err
			}
			a = append(a, u)
		}
	} else if a, b, err = measure.Pair(ctx, rounds, ours.Command, other.Command); err != nil {
		return line{}, err
	}
	l := line{ours: medians(a), other: medians(b), hasOther: r.peer != "", correct: true}
	for _, u := range a {
		if ours.tests >= 0 && u.Tests != ours.tests {
			return line{}, fmt.Errorf("the product counts %d tests, and the input has %d", u.Tests, ours.tests)
		}
	}
	for _, u := range b {
		l.correct = l.correct && (other.tests < 0 || u.Tests == other.tests)
	}
	l.ratio = r.figure(a, b)
	return l, nil
}

// figure is what the goal is about.
func (r *row) figure(a, b []measure.Use) float64 {
	cpu := func(u measure.Use) float64 { return u.CPU.Seconds() }
	switch r.by {
	case byCPU:
		return measure.Ratio(a, b, cpu)
	case byCost:
		return measure.Ratio(b, a, cpu)
	case byWall:
		return measure.Ratio(a, b, func(u measure.Use) float64 { return u.Wall.Seconds() })
	case byRSS:
		return float64(medians(a).RSS) / mib
	case byTime:
		return float64(medians(a).CPU) / float64(time.Millisecond)
	case byNone:
	}
	return 0
}

// met reports whether a figure reaches the goal.
func (r *row) met(figure float64) bool {
	switch r.by {
	case byCPU, byWall:
		return figure >= r.goal
	case byCost, byRSS, byTime:
		return figure <= r.goal
	case byNone:
	}
	return false
}

func medians(uses []measure.Use) measure.Use {
	return measure.Use{
		CPU:  measure.Median(uses, func(u measure.Use) time.Duration { return u.CPU }),
		Wall: measure.Median(uses, func(u measure.Use) time.Duration { return u.Wall }),
		RSS:  measure.Median(uses, func(u measure.Use) int64 { return u.RSS }),
	}
}

// table prints rows as they come, in Markdown.
type table struct{ out io.Writer }

func (t *table) head() {
	_, _ = fmt.Fprintln(t.out, "| work | against | CPU ms | wall ms | MiB | their CPU ms | wall ms | MiB | ratio | goal | |")
	_, _ = fmt.Fprintln(t.out, "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|")
}

// line prints one row and reports whether its goal was missed.
func (t *table) line(r *row, l line) bool {
	ratio, goal := "", ""
	switch r.by {
	case byCPU:
		ratio, goal = fmt.Sprintf("%.1fx faster", l.ratio), fmt.Sprintf("≥ %gx", r.goal)
	case byWall:
		ratio, goal = fmt.Sprintf("%.2fx faster", l.ratio), fmt.Sprintf("≥ %gx", r.goal)
	case byCost:
		ratio, goal = fmt.Sprintf("%.2fx its CPU", l.ratio), fmt.Sprintf("≤ %gx", r.goal)
	case byRSS:
		ratio, goal = fmt.Sprintf("%.0f MiB", l.ratio), fmt.Sprintf("≤ %g MiB", r.goal)
	case byTime:
		ratio, goal = fmt.Sprintf("%.0f ms", l.ratio), fmt.Sprintf("≤ %g ms", r.goal)
	case byNone:
	}
	word := "met"
	if !r.met(l.ratio) {
		word = "missed"
	}
	theirs := "| | |"
	if l.hasOther {
		theirs = figures(l.other)
	}
	if !l.correct {
		word += "; it counts otherwise"
	}
	_, _ = fmt.Fprintf(t.out, "| %s | %s | %s | %s | %s | %s | %s |\n", r.name, r.peer, figures(l.ours), theirs, ratio, goal, word)
	return !r.met(l.ratio)
}

func figures(u measure.Use) string {
	return fmt.Sprintf("%d | %d | %d", u.CPU.Milliseconds(), u.Wall.Milliseconds(), u.RSS/mib)
}
