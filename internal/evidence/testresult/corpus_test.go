package testresult

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// corpusEntry is one line of the corpus's index: what independent counters say about a file.
type corpusEntry struct {
	File     string
	Format   string
	Expected *Counts
	Verdict  string
}

// corpusDifferences are the files whose conclusion differs from the index on purpose, with the reason.
var corpusDifferences = map[string]struct {
	conclusion Conclusion
	why        string
}{
	"other/EnricoMi__json_empty.json":                          {Empty, "an empty file is one whatever its name: the same bytes are empty for TAP and go test"},
	"other/EnricoMi__xml_empty.xml":                            {Empty, "an empty file is one whatever its name: the same bytes are empty for TAP and go test"},
	"other/EnricoMi__json_non-json.json":                       {UnknownFormat, "plain words; only the name of the file says that they should be JSON"},
	"other/EnricoMi__xml_non-xml.xml":                          {UnknownFormat, "plain words; only the name of the file says that they should be XML"},
	"other/generated__catch2-native.xml":                       {Invalid, "an XML document without results, as junit/EnricoMi__non-junit.xml is, and that must be refused"},
	"junit/derived__control-chars.xml":                         {Fail, "terminal colour codes in failure text are what tools write: they are replaced and counted, and the failure stands"},
	"junit/derived__gzipped.xml":                               {Fail, "gzip is read, and what it holds is whole and has a failure"},
	"nunit/EnricoMi__nunit_nunit3_jenkins_NUnit-ignored.xml":   {Incomplete, "the run says that it ran more tests than are recorded"},
	"nunit/jenkinsci-xunit-plugin__nunit_testcase11_input.xml": {Incomplete, "the run says that it ran more tests than are recorded"},
	"nunit/jenkinsci-xunit-plugin__nunit_testcase4_input.xml":  {Incomplete, "the run says that it ran more tests than are recorded"},
	"tap/tapjs__out_err_mix.tap":                               {UnknownFormat, "nothing in it says that it is TAP; named as tap it is empty"},
	"tap/tapjs__out_of_order.tap":                              {Incomplete, "a plan between points breaks the stream, and yet no point says that it failed"},
	"tap/tapjs__skip-all-with-assert.tap":                      {Incomplete, "the plan says that nothing runs, and a point follows"},
	"tap/tapjs__todo_misparse.tap":                             {Incomplete, "a failed point whose directive only some readers see; and nothing in it passes"},
}

// TestCorpus counts every file of an external corpus and compares counts and conclusions with its index.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("GATE_CORPUS")
	if dir == "" {
		t.Skip("GATE_CORPUS is not set: the corpus is not part of the repository")
	}
	dir = filepath.Join(dir, "results")
	index, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var entries []corpusEntry
	if err := json.Unmarshal(index, &entries); err != nil {
		t.Fatal(err)
	}
	counted, exact, concluded := 0, 0, 0
	var differ []string
	for _, e := range entries {
		res := readFile(t, filepath.Join(dir, e.File))
		if e.Expected != nil && hasTests(e.Format) {
			counted++
			if got := indexCounts(res.Counts); got == *e.Expected {
				exact++
			} else {
				t.Errorf("%s: counts %+v, want %+v (notes %v)", e.File, got, *e.Expected, res.Notes)
			}
		}
		if e.Verdict == "" || e.Verdict == "ambiguous" || !hasTests(e.Format) {
			continue
		}
		concluded++
		want := Conclusion(e.Verdict)
		d, argued := corpusDifferences[e.File]
		if argued && d.conclusion != want {
			differ = append(differ, e.File+": "+string(d.conclusion)+" instead of "+e.Verdict+": "+d.why)
			want = d.conclusion
		}
		if res.Conclusion != want {
			t.Errorf("%s: concludes %s, want %s (counts %+v, notes %v)", e.File, res.Conclusion, want, res.Counts, res.Notes)
		}
	}
	if len(entries) == 0 || counted == 0 || concluded == 0 {
		t.Fatal("the corpus has no files, or none with counts")
	}
	t.Logf("%d files, %d of %d counted exactly, %d conclusions compared, %d differ", len(entries), exact, counted, concluded, len(differ))
	for _, d := range differ {
		t.Log(d)
	}
}

// hasTests reports whether the counts of a format in the index are of tests: coverage and findings have others.
func hasTests(format string) bool {
	switch format {
	case "sarif", "cobertura", "lcov", "gocover", "attestation":
		return false
	}
	return true
}

// indexCounts are the counts that the index has.
func indexCounts(n Counts) Counts {
	n.Flaky, n.Todo, n.Other, n.Stray = 0, 0, 0, 0
	return n
}

// readFile reads a file through the public entry, checking that the visited records agree with the counts.
func readFile(t *testing.T, path string) *Results {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var visited Counts
	res := Read(f, "", Limits{}, func(c *Case) { visited.add(c.Status) })
	if visited != res.Counts.ofTests() {
		t.Errorf("%s: visited %+v, counted %+v", path, visited, res.Counts)
	}
	return res
}

// ofTests leaves out what is of no test.
func (n Counts) ofTests() Counts {
	n.Errors -= n.Stray
	n.Stray = 0
	return n
}

func (n *Counts) add(st Status) {
	n.Tests++
	switch st {
	case Passed:
		n.Passed++
	case Flaky:
		n.Passed++
		n.Flaky++
	case Failed:
		n.Failed++
	case Errored, Unfinished:
		n.Errors++
	case Skipped:
		n.Skipped++
	case Todo:
		n.Skipped++
		n.Todo++
	case Aside:
		n.Other++
		n.Todo++
	case Other:
		n.Other++
	case NoStatus:
		panic("a record without a status")
	}
}
