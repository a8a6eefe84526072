package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

// testBatch is how many files are read before their answers are put in order.
const testBatch = 256

// testReading is what one run's files came to.
type testReading struct {
	total  testTotal
	sets   []*evidence.TestSet // where the records are needed
	unread error               // of the first file that could not be read
}

// readTests reads the files that arguments name on every core, hands each one's answer on in order and keeps none.
func (m *outside) readTests(ctx context.Context, args []string, records bool, visit func(*testFile) error) (*testReading, error) {
	out := &testReading{total: testTotal{Conclusion: testresult.Pass}}
	files, err := m.expand(args)
	if err != nil {
		return nil, err
	}
	var ready []testFile // of the batch before, whose answers are handed on while the next one is read
	for batch := range slices.Chunk(files, testBatch) {
		reading := m.readBatch(ctx, batch, records)
		err := out.hand(ready, visit)
		ready = reading()
		if err != nil {
			return nil, err
		}
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
	}
	if err := out.hand(ready, visit); err != nil {
		return nil, err
	}
	return out, nil
}

// hand hands on the answers of a batch.
func (r *testReading) hand(batch []testFile, visit func(*testFile) error) error {
	for i := range batch {
		r.add(&batch[i])
		if err := visit(&batch[i]); err != nil {
			return err
		}
	}
	return nil
}

// readBatch begins to read files, and gives what waits for their answers.
func (m *outside) readBatch(ctx context.Context, batch []string, records bool) func() []testFile {
	into := make([]testFile, len(batch))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(batch)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(batch) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				into[i] = m.testFile(batch[i], records)
			}
		})
	}
	return func() []testFile {
		workers.Wait()
		return into
	}
}

// add counts one more file. One that did not pass decides for all; a failure says more than a doubt.
func (r *testReading) add(f *testFile) {
	t := &r.total
	t.Files++
	t.Tests += f.Tests
	t.Passed += f.Passed
	t.Failed += f.Failed
	t.Errors += f.Errors
	t.Skipped += f.Skipped
	t.Flaky += f.Flaky
	if f.Conclusion != testresult.Pass && t.Conclusion != testresult.Fail &&
		(t.Conclusion == testresult.Pass || f.Conclusion == testresult.Fail) {
		t.Conclusion = f.Conclusion
	}
	if f.set != nil && f.Conclusion != testresult.Invalid && f.Conclusion != testresult.UnknownFormat {
		r.sets = append(r.sets, f.set)
	}
	if r.unread == nil {
		r.unread = f.unread
	}
}

// readBaseline reads an earlier run. Where its own files allow no conclusion, a difference would say nothing.
func (m *outside) readBaseline(ctx context.Context, names []string) (*testReading, error) {
	done := m.progress("reading the baseline")
	defer done()
	r, err := m.readTests(ctx, names, true, func(f *testFile) error {
		if f.Conclusion != testresult.Pass && f.Conclusion != testresult.Fail {
			return fmt.Errorf("%s allows no comparison: it is %s (%s)", f.File, f.Conclusion, f.Findings[0].Detail)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	return r, nil
}

// testBaseline is how results differ from those of an earlier run.
type testBaseline struct {
	Total testTotal `json:"total"`
	evidence.Comparison
}

// compare gives nil where there is no earlier run.
func (r *testReading) compare(now *testReading) *testBaseline {
	if r == nil {
		return nil
	}
	return &testBaseline{r.total, evidence.CompareTests(r.sets, now.sets)}
}

// worse reports whether a test that ran is gone or one that passed fails.
func (b *testBaseline) worse() bool { return b != nil && b.Lost.Count+b.Broken.Count > 0 }
