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
	if n := both.executed().distinct(); n != 3 {
		t.Errorf("%d distinct tests in both", n)
	}
	if n := both.bags[classSkipped].total(); n != 2 {
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
	s := ReadTests(strings.NewReader(file), "", Keep{Names: true, Properties: true})
	if s.Format != "junit" || s.Conclusion != testresult.Fail || s.Len() != 2 || s.Distinct() != 2 {
		t.Errorf("%+v, %d records", s.Results, s.Len())
	}
	if found := s.Lookup("c.b"); len(found) != 1 || found[0].Status != testresult.Failed || found[0].Name != "b" {
		t.Errorf("%+v", found)
	}
	if s := ReadTests(strings.NewReader("nothing of the kind"), "", Keep{Names: true, Properties: true}); s.Conclusion != testresult.UnknownFormat || s.Len() != 0 {
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
		s := ReadTests(bigJUnit(n), "junit", Keep{Names: true, Properties: true})
		runtime.GC()
		runtime.ReadMemStats(&after)
		if s.Distinct() != n {
			b.Fatalf("%d tests", s.Distinct())
		}
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/test")
	}
}

// The identities of several classes come in order and each once, few or many; how many records each has is what was put
// in, and a set is what the most of two of its kind hold.
func TestBags(t *testing.T) {
	of := []class{classPassed, classFlaky, classFailed, classErrored, classUnfinished, classSkipped}
	for _, n := range []int{0, 1, 3, chunkTails, shelvesFrom - 1, shelvesFrom, shelvesFrom + 1, 3 * shelvesFrom, 40 * shelvesFrom} {
		var cases []testresult.Case
		var want [classes]map[identity]int
		all := map[identity]bool{}
		for k := range want {
			want[k] = map[identity]int{}
		}
		for i := range n {
			key := strconv.Itoa(i % (2*n/3 + 1))
			c := testresult.Case{ID: key, Key: key, Name: key, Status: testresult.Status(1 + i%5)}
			cases = append(cases, c)
			want[classOf(c.Status)][identityOf(key)]++
			all[identityOf(key)] = true
		}
		set := NewTestSet(&testresult.Results{}, cases)
		other := set.bags
		for _, u := range []*tallied{union([]*TestSet{set}), union([]*TestSet{set, set}), union([]*TestSet{set, {}})} {
			var got []identity
			u.known().each(func(id identity) { got = append(got, id) })
			if len(got) != len(all) || u.known().distinct() != len(all) || !slices.IsSortedFunc(got, compareIdentities) {
				t.Fatalf("%d of %d identities, in order %t", len(got), len(all), slices.IsSortedFunc(got, compareIdentities))
			}
			for i, id := range got {
				if !all[id] || i > 0 && got[i-1] == id || !u.known().has(id) {
					t.Fatalf("identity %d of %d is wrong", i, n)
				}
			}
			total := 0
			for _, k := range of {
				for id := range all {
					if u.bags[k].has(id) != (want[k][id] > 0) || u.bags[k].count(id) != want[k][id] {
						t.Fatalf("class %d has %d records of one, want %d", k, u.bags[k].count(id), want[k][id])
					}
				}
				if u.bags[k].distinct() != len(want[k]) || u.bags[k].has(identityOf("none of them")) {
					t.Fatalf("class %d has %d identities, want %d", k, u.bags[k].distinct(), len(want[k]))
				}
				total += u.bags[k].total()
			}
			if total != n {
				t.Errorf("%d records, want %d", total, n)
			}
		}
		if set.bags != other {
			t.Error("a set changed while it was joined")
		}
	}
}

// What a file that is judged by itself keeps is all that is listed of it: the failing tests, each by its first record.
func TestKeepLittle(t *testing.T) {
	var b strings.Builder
	b.WriteString("<testsuite name=\"s\"><properties><property name=\"commit\" value=\"abc\"/></properties>")
	for i := range 3 * maxFailing {
		fmt.Fprintf(&b, "<testcase classname=\"c\" name=\"good%d\"/><testcase classname=\"c\" name=\"bad%d\"><failure message=\"no\"/></testcase>", i, i/2)
	}
	b.WriteString("</testsuite>")
	params := []byte(`{}`)
	facts := func(keep Keep) string {
		s := ReadTests(strings.NewReader(b.String()), "", keep)
		if got := s.Properties["commit"]; (got == "abc") != keep.Properties || s.Len() != 6*maxFailing {
			t.Errorf("%+v: the property is %q, %d records", keep, got, s.Len())
		}
		return string(testsKind().Observe(params, Input{Documents: []Document{file("a.xml", s)}}))
	}
	little, all := facts(Keep{}), facts(Keep{Names: true, Properties: true})
	if little != all || !strings.Contains(little, "c.bad19") || strings.Contains(little, "c.bad20") {
		t.Errorf("the facts are\n%s\nand with every name\n%s", little, all)
	}
	little = facts(Keep{}.Plus(Keep{Properties: true}))
	if little != all {
		t.Errorf("the facts are\n%s\nand with every name\n%s", little, all)
	}
	for params, names := range map[string]bool{
		`{}`: false, `{"min_executed":5}`: false, `{"must_pass":["a*"]}`: true, `{"baseline":"b.xml","keep_tests":true}`: true,
		`{"baseline":"b.xml","new_failures_only":true}`: true, `{"no such":1}`: true,
	} {
		if w := testsKind().Wants([]byte(params)); w.Names != names || !w.Tests {
			t.Errorf("%s wants %+v", params, w)
		}
	}
}
