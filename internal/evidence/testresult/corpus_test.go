package testresult

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// corpusEntry is one line of the corpus's index: what independent counters say about a file.
type corpusEntry struct {
	File     string
	Format   string
	Expected *Counts
	Verdict  string
}

// corpusFormats are the formats of the index that are read.
var corpusFormats = []string{"gotest", "junit", "libtest", "nunit", "tap", "trx", "xunitnet"}

// corpusDifferences are the files whose conclusion differs from the index on purpose, with the reason.
var corpusDifferences = map[string]struct {
	conclusion Conclusion
	why        string
}{
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
	files, counted, concluded, argued := 0, 0, 0, 0
	for _, e := range entries {
		if !slices.Contains(corpusFormats, e.Format) {
			continue
		}
		files++
		res := readFile(t, filepath.Join(dir, e.File))
		if e.Expected != nil {
			got := res.Counts
			if e.Format == "tap" { // the index counts a todo in no bucket
				got.Skipped -= got.Todo
			}
			got.Flaky, got.Todo, got.Other = 0, 0, 0
			if got != *e.Expected {
				t.Errorf("%s: counts %+v, want %+v (notes %v)", e.File, got, *e.Expected, res.Notes)
			}
			counted++
		}
		if e.Verdict == "" || e.Verdict == "ambiguous" {
			continue
		}
		want := Conclusion(e.Verdict)
		if d, ok := corpusDifferences[e.File]; ok {
			t.Logf("%s: %s instead of %s: %s", e.File, d.conclusion, want, d.why)
			want = d.conclusion
			argued++
		}
		if res.Conclusion != want {
			t.Errorf("%s: concludes %s, want %s (counts %+v, notes %v)", e.File, res.Conclusion, want, res.Counts, res.Notes)
		}
		concluded++
	}
	if files == 0 || counted == 0 {
		t.Fatal("the corpus has no files of these formats")
	}
	t.Logf("corpus: %d files, %d counted, %d concluded, %d differences argued", files, counted, concluded, argued)
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
	if visited != res.Counts {
		t.Errorf("%s: visited %+v, counted %+v", path, visited, res.Counts)
	}
	return res
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
	case Other:
		n.Other++
	case NoStatus:
		panic("a record without a status")
	}
}
