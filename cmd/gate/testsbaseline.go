package main

import (
	"context"
	"fmt"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
	"github.com/outcome-gate/outcome-gate/internal/render"
)

// testBaseline is how results differ from those of an earlier run.
type testBaseline struct {
	Total testTotal `json:"total"`
	evidence.Comparison
}

// worse reports whether a test that ran is gone or one that passed fails.
func (b *testBaseline) worse() bool { return b != nil && b.Lost.Count+b.Broken.Count > 0 }

// compareTests reads the earlier run. Where its own files allow no conclusion, a difference would say nothing.
func (m *outside) compareTests(ctx context.Context, out *testAnswer, baseline []string) error {
	before, err := m.readTests(ctx, baseline, true)
	if err != nil {
		return fmt.Errorf("baseline: %w", err)
	}
	for _, f := range before.Files {
		if f.Conclusion != testresult.Pass && f.Conclusion != testresult.Fail {
			return fmt.Errorf("baseline: %s allows no comparison: it is %s (%s)", f.File, f.Conclusion, f.Findings[0].Detail)
		}
	}
	out.Baseline = &testBaseline{before.Total, evidence.CompareTests(before.sets(), out.sets())}
	return nil
}

func (a *testAnswer) sets() []*evidence.TestSet {
	var out []*evidence.TestSet
	for _, f := range a.Files {
		if f.Conclusion != testresult.Invalid && f.Conclusion != testresult.UnknownFormat {
			out = append(out, f.set)
		}
	}
	return out
}

// shownTests is how many tests of each list a person is shown; JSON has more.
const shownTests = 20

// showBaseline lists the differences, the bad ones first.
func (m *outside) showBaseline(b *testBaseline) error {
	if b == nil {
		return nil
	}
	text := fmt.Sprintf("\nAgainst the baseline, tests %d: %d lost, %d broken, %d fixed, %d new\n",
		b.Total.Tests, b.Lost.Count, b.Broken.Count, b.Fixed.Count, b.New.Count)
	for _, list := range []struct {
		word string
		of   evidence.Compared
	}{{"lost", b.Lost}, {"broken", b.Broken}, {"fixed", b.Fixed}, {"new", b.New}} {
		for i, id := range list.of.Tests {
			if i == shownTests {
				text += fmt.Sprintf("  %-8s and %d more\n", list.word, list.of.Count-shownTests)
				break
			}
			text += fmt.Sprintf("  %-8s %s\n", list.word, render.Line(id))
		}
	}
	return m.write([]byte(text))
}
