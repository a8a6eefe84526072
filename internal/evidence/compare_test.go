package evidence

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

// compared are the four lists of two runs, each written as "name=status" records.
func compared(before, now map[string]testresult.Status, order []string) Comparison {
	set := func(of map[string]testresult.Status) []*TestSet {
		var cases []testresult.Case
		for _, name := range order {
			if st, ok := of[name]; ok {
				cases = append(cases, testresult.Case{ID: name, Key: name, Name: name, Status: st})
			}
		}
		return []*TestSet{NewTestSet(&testresult.Results{Conclusion: testresult.Pass}, cases)}
	}
	return CompareTests(set(before), set(now))
}

func TestCompareTests(t *testing.T) {
	const absent = testresult.NoStatus
	lists := func(c Comparison) (out []string) {
		for name, n := range map[string]int{"lost": c.Lost.Count, "new": c.New.Count, "fixed": c.Fixed.Count, "broken": c.Broken.Count} {
			for range n {
				out = append(out, name)
			}
		}
		return out
	}
	for _, c := range []struct {
		before, now testresult.Status
		want        string
	}{
		{testresult.Passed, testresult.Passed, ""},
		{testresult.Passed, testresult.Flaky, ""},
		{testresult.Passed, testresult.Failed, "broken"},
		{testresult.Passed, testresult.Errored, "broken"},
		{testresult.Passed, testresult.Unfinished, "broken"},
		{testresult.Passed, testresult.Skipped, "lost"},
		{testresult.Passed, testresult.Todo, "lost"},
		{testresult.Passed, absent, "lost"},
		{testresult.Failed, absent, "lost"},
		{testresult.Failed, testresult.Passed, "fixed"},
		{testresult.Errored, testresult.Flaky, "fixed"},
		{testresult.Unfinished, testresult.Passed, "fixed"},
		{testresult.Failed, testresult.Errored, ""},
		{testresult.Skipped, testresult.Passed, "new"},
		{testresult.Skipped, testresult.Failed, "new"},
		{absent, testresult.Passed, "new"},
		{absent, testresult.Failed, "new"},
		{absent, testresult.Skipped, ""},
		{testresult.Skipped, absent, ""},
	} {
		of := func(s testresult.Status) map[string]testresult.Status {
			if s == absent {
				return nil
			}
			return map[string]testresult.Status{"t": s}
		}
		want := []string{c.want}
		if c.want == "" {
			want = nil
		}
		if got := lists(compared(of(c.before), of(c.now), []string{"t"})); !cmp.Equal(got, want) {
			t.Errorf("status %d, then %d: %v, want %q", c.before, c.now, got, c.want)
		}
	}
}

// Turning the two runs around turns lost into new and fixed into broken, whatever they hold.
func TestCompareTestsMirrors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var order []string
	for i := range 50 {
		order = append(order, fmt.Sprint("t", i))
	}
	someRun := func() map[string]testresult.Status {
		of := map[string]testresult.Status{}
		for _, name := range order {
			if s := []testresult.Status{testresult.NoStatus, testresult.Passed, testresult.Failed, testresult.Skipped}[r.IntN(4)]; s != testresult.NoStatus {
				of[name] = s
			}
		}
		return of
	}
	for range 200 {
		a, b := someRun(), someRun()
		there, back := compared(a, b, order), compared(b, a, order)
		if diff := cmp.Diff(Comparison{Lost: back.New, New: back.Lost, Fixed: back.Broken, Broken: back.Fixed}, there); diff != "" {
			t.Fatalf("%v and %v:\n%s", a, b, diff)
		}
	}
}

// A list names a thousand tests and counts them all.
func TestCompareTestsBounds(t *testing.T) {
	of := map[string]testresult.Status{}
	var order []string
	for i := range maxCompared + 5 {
		order = append(order, fmt.Sprint(i))
		of[fmt.Sprint(i)] = testresult.Passed
	}
	c := compared(of, nil, order)
	if c.Lost.Count != maxCompared+5 || len(c.Lost.Tests) != maxCompared || c.New.Tests == nil {
		t.Errorf("%d lost, %d named", c.Lost.Count, len(c.Lost.Tests))
	}
}
