package evidence

import (
	"bufio"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

// tc makes a record of one test; the identity is the text form.
func tc(id string, s testresult.Status) testresult.Case {
	name := id
	if i := strings.LastIndexAny(id, ".:/"); i >= 0 {
		name = id[i+1:]
	}
	return testresult.Case{ID: id, Key: "suite\x1f" + id, Name: name, Status: s}
}

// set makes a result file of records, counted and concluded as a reader would.
func set(cases ...testresult.Case) *TestSet {
	r := &testresult.Results{Format: "junit"}
	for _, c := range cases {
		r.Counts.Tests++
		switch c.Status {
		case testresult.Passed:
			r.Counts.Passed++
		case testresult.Flaky:
			r.Counts.Passed++
			r.Counts.Flaky++
		case testresult.Errored, testresult.Unfinished:
			r.Counts.Errors++
		case testresult.Skipped, testresult.Todo:
			r.Counts.Skipped++
		case testresult.Aside:
			r.Counts.Other++
			r.Counts.Todo++
		case testresult.Other:
			r.Counts.Other++
		case testresult.Failed, testresult.NoStatus:
			r.Counts.Failed++
		}
	}
	r.Conclusion = testresult.Pass
	switch {
	case r.Counts.Failed+r.Counts.Errors > 0:
		r.Conclusion = testresult.Fail
	case r.Counts.Passed == 0:
		r.Conclusion = testresult.Empty
	}
	return NewTestSet(r, cases)
}

// many makes n records of one status.
func many(n int, s testresult.Status) []testresult.Case {
	var out []testresult.Case
	for i := range n {
		out = append(out, tc(fmt.Sprintf("pkg.Test%d", i), s))
	}
	return out
}

func TestTestSetKeepsRecords(t *testing.T) {
	var cases []testresult.Case
	for i := range 3000 {
		c := testresult.Case{
			ID: fmt.Sprintf("tests.test_invoice::test_%d", i/2), Key: fmt.Sprintf("s\x1ftests.test_invoice\x1ftest_%d", i/2),
			Name: fmt.Sprintf("test_%d", i/2), Status: testresult.Status(1 + i%7),
		}
		if i%10 == 0 {
			c.Name = "a name of its own"
		}
		if k := classOf(c.Status); k != classPassed && k != classSkipped {
			c.File, c.Line, c.Message = "tests/test_invoice.py", i, "assert "+fmt.Sprint(i)
		}
		cases = append(cases, c)
	}
	cases = append(cases, testresult.Case{}, testresult.Case{ID: strings.Repeat("long", 50000), Key: strings.Repeat("k", 70000), Status: testresult.Passed})
	s := NewTestSet(&testresult.Results{}, cases)
	var got []testresult.Case
	s.Each(func(c *testresult.Case) bool { got = append(got, *c); return true })
	if !slices.Equal(got, cases) {
		for i := range cases {
			if i >= len(got) || got[i] != cases[i] {
				t.Fatalf("record %d of %d is %+v, want %+v", i, len(got), got[i], cases[i])
			}
		}
	}
	if s.Len() != len(cases) {
		t.Errorf("Len is %d", s.Len())
	}
	n := 0
	s.Each(func(*testresult.Case) bool { n++; return n < 5 })
	if n != 5 {
		t.Errorf("Each went on to %d", n)
	}
	if found := s.Lookup("tests.test_invoice::test_7"); len(found) != 2 || found[0] != cases[14] || found[1] != cases[15] {
		t.Errorf("Lookup gives %+v", found)
	}
	if found := s.Lookup("no such test"); found != nil {
		t.Errorf("Lookup gives %+v", found)
	}
}

func TestTestSetCountsIdentities(t *testing.T) {
	s := set(tc("a", testresult.Passed), tc("a", testresult.Passed), tc("b", testresult.Skipped), tc("c", testresult.Failed), tc("d", testresult.Flaky), tc("e", testresult.Unfinished))
	if n := s.Distinct(); n != 3 {
		t.Errorf("%d distinct tests", n)
	}
	if n := (&TestSet{}).Distinct(); n != 0 {
		t.Errorf("an empty set has %d distinct tests", n)
	}
	both := union([]*TestSet{s, set(tc("a", testresult.Passed), tc("b", testresult.Skipped), tc("b", testresult.Todo), tc("c", testresult.Errored))})
	if n := len(both.executed()); n != 3 {
		t.Errorf("%d distinct tests in both", n)
	}
	if n := both.runs[classSkipped].total(); n != 2 {
		t.Errorf("%d skipped in both: the file with the most counts", n)
	}
	if n := both.failing().total(); n != 3 {
		t.Errorf("%d failing in both", n)
	}
	if both.passing(identityOf("suite\x1fc")) || !both.passing(identityOf("suite\x1fa")) || both.passing(identityOf("suite\x1fz")) {
		t.Error("passing is wrong")
	}
}

// The digest depends on the identities alone: no order, file, result or occurrence changes it.
func TestTestSetDigest(t *testing.T) {
	one := union([]*TestSet{set(tc("a", testresult.Passed), tc("b", testresult.Failed))})
	same := union([]*TestSet{set(tc("b", testresult.Skipped)), set(tc("a", testresult.Passed), tc("a", testresult.Passed))})
	other := union([]*TestSet{set(tc("a", testresult.Passed), tc("c", testresult.Failed))})
	if one.digest() != same.digest() || one.digest() == other.digest() {
		t.Error("the digest is not of the identities alone")
	}
}

func TestReadTests(t *testing.T) {
	const file = `<testsuite name="s" tests="2" failures="1"><testcase classname="c" name="a"/><testcase classname="c" name="b"><failure message="no"/></testcase></testsuite>`
	s := ReadTests(strings.NewReader(file), "", Limits{})
	if s.Format != "junit" || s.Conclusion != testresult.Fail || s.Len() != 2 || s.Distinct() != 2 {
		t.Errorf("%+v, %d records", s.Results, s.Len())
	}
	if found := s.Lookup("c.b"); len(found) != 1 || found[0].Status != testresult.Failed || found[0].Name != "b" {
		t.Errorf("%+v", found)
	}
	if s := ReadTests(strings.NewReader("nothing of the kind"), "", Limits{}); s.Conclusion != testresult.UnknownFormat || s.Len() != 0 {
		t.Errorf("%+v", s.Results)
	}
	if got := TestFormats(); !slices.Contains(got, "junit") || !slices.Contains(got, "go-json") {
		t.Errorf("formats are %v", got)
	}
}

// bigJUnit writes a JUnit file of n passing tests as it is read.
func bigJUnit(n int) io.Reader {
	r, w := io.Pipe()
	go func() {
		buffered := bufio.NewWriterSize(w, 1<<20)
		_, err := io.WriteString(buffered, "<testsuites><testsuite name=\"suite\">")
		for i := 0; i < n && err == nil; i++ {
			_, err = fmt.Fprintf(buffered, "<testcase classname=\"com.example.billing.Package%d\" name=\"test_number_%d\" time=\"0.01\"/>\n", i/100, i)
		}
		if err == nil {
			_, err = io.WriteString(buffered, "</testsuite></testsuites>")
		}
		if err == nil {
			err = buffered.Flush()
		}
		w.CloseWithError(err)
	}()
	return r
}

// BenchmarkReadTests reads a file of a million tests and reports what stays in memory for each.
func BenchmarkReadTests(b *testing.B) {
	const n = 1_000_000
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s := ReadTests(bigJUnit(n), "junit", Limits{})
		runtime.GC()
		runtime.ReadMemStats(&after)
		if s.Distinct() != n {
			b.Fatalf("%d tests", s.Distinct())
		}
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/test")
	}
}

// The identities of several classes come in order and each once, as many blocks as they may take.
func TestEachIdentityOnce(t *testing.T) {
	var cases []testresult.Case
	for i := range 3 * identityBlock {
		key := strconv.Itoa(i % (2*identityBlock + 7))
		cases = append(cases, testresult.Case{ID: key, Key: key, Name: key, Status: testresult.Status(1 + i%5)})
	}
	set := NewTestSet(&testresult.Results{}, cases)
	all := union([]*TestSet{set})
	twice := union([]*TestSet{set, set})
	for k := range all.runs {
		if !slices.Equal(all.runs[k], twice.runs[k]) {
			t.Error("a set is not the same as the most that two of its kind hold")
		}
	}
	of := []class{classPassed, classFlaky, classFailed, classErrored, classUnfinished, classSkipped}
	var got []identity
	all.each(func(id identity) { got = append(got, id) }, of...)
	want := all.merge(of...)
	if len(got) != len(want) || len(got) != 2*identityBlock+7 {
		t.Fatalf("%d identities, want %d", len(got), len(want))
	}
	for i, id := range got {
		if id != want[i].id {
			t.Fatalf("identity %d differs", i)
		}
	}
	total := 0
	for _, k := range of {
		total += all.runs[k].total()
	}
	if total != len(cases) {
		t.Errorf("%d records, want %d", total, len(cases))
	}
}
