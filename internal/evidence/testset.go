package evidence

import (
	"bytes"
	"crypto/sha256"
	"io"
	"slices"

	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

// TestSet is one result file's model together with its records, collected while the file streamed by. Records are
// kept packed: a test costs some twenty bytes for its identity and what its name does not share with the one
// before. The zero value holds nothing.
type TestSet struct {
	*testresult.Results
	runs [classes]runs       // by class, sorted
	read [classes]identities // by class, in document order, until the file has ended
	text packedCases
}

// Limits bound what is read of one result file; the zero value means the defaults. It is the readers' own type, under
// a name for packages that may not import them.
type Limits = testresult.Limits

// TestFormats lists the names of the known test result formats, in name order.
func TestFormats() []string {
	var names []string
	for _, f := range testresult.Formats() {
		names = append(names, f.Name)
	}
	return names
}

// ReadTests reads one result file of the given format ("" detects it from content) to its end.
func ReadTests(r io.Reader, format string, lim Limits) *TestSet {
	s := &TestSet{}
	s.Results = testresult.Read(r, format, lim, s.add)
	s.finish()
	return s
}

// NewTestSet makes a set of records and what was concluded of their file.
func NewTestSet(results *testresult.Results, cases []testresult.Case) *TestSet {
	s := &TestSet{Results: results}
	for i := range cases {
		s.add(&cases[i])
	}
	s.finish()
	return s
}

// class is how an identity's records ended, as far as counting goes.
type class int

// The classes. A record without a known status is a failure.
const (
	classPassed class = iota
	classFlaky
	classFailed
	classErrored
	classUnfinished
	classSkipped
	classes
)

func classOf(s testresult.Status) class {
	switch s {
	case testresult.Passed:
		return classPassed
	case testresult.Flaky:
		return classFlaky
	case testresult.Errored:
		return classErrored
	case testresult.Unfinished, testresult.Other:
		return classUnfinished
	case testresult.Skipped, testresult.Todo, testresult.Aside:
		return classSkipped
	case testresult.Failed, testresult.NoStatus:
		return classFailed
	}
	return classFailed
}

// identity stands for a test's suite path, class and name: the first half of its SHA-256, so that nobody can make
// two tests count as one, nor one as two.
type identity [16]byte

func identityOf(key string) identity {
	sum := sha256.Sum256([]byte(key))
	return identity(sum[:16])
}

// run is how many records of one identity and class a set holds.
type run struct {
	id identity
	n  int32
}

// runs are sorted by identity, each identity once.
type runs []run

func compareRuns(a, b run) int { return bytes.Compare(a.id[:], b.id[:]) }

// has reports whether the sorted runs hold the identity.
func (r runs) has(id identity) bool { return r.count(id) > 0 }

// count is how many records of the identity the sorted runs hold.
func (r runs) count(id identity) int32 {
	i, ok := slices.BinarySearchFunc(r, run{id: id}, compareRuns)
	if !ok {
		return 0
	}
	return r[i].n
}

// total is the number of records of all identities.
func (r runs) total() int {
	n := 0
	for _, x := range r {
		n += int(x.n)
	}
	return n
}

// fold sorts the runs and joins those of one identity: join gives the joined count of two.
func (r runs) fold(join func(a, b int32) int32) runs {
	slices.SortFunc(r, compareRuns)
	out := r[:0]
	for _, x := range r {
		if n := len(out); n > 0 && out[n-1].id == x.id {
			out[n-1].n = join(out[n-1].n, x.n)
			continue
		}
		out = append(out, x)
	}
	return out
}

func (s *TestSet) add(c *testresult.Case) {
	k := classOf(c.Status)
	s.read[k].add(identityOf(c.Key))
	s.text.add(c)
}

func (s *TestSet) finish() {
	for k := range s.runs {
		s.runs[k] = s.read[k].drain().fold(func(a, b int32) int32 { return a + b })
	}
}

// identityBlock is how many identities one block holds: doubling one slice would take three times its size.
const identityBlock = 4 << 10

// identities collects identities in blocks.
type identities struct {
	blocks [][]identity
	n      int
}

func (l *identities) add(id identity) {
	if l.n%identityBlock == 0 {
		l.blocks = append(l.blocks, nil)
	}
	last := &l.blocks[len(l.blocks)-1]
	if len(l.blocks) > 1 && *last == nil {
		*last = make([]identity, 0, identityBlock)
	}
	*last = append(*last, id)
	l.n++
}

// drain makes runs of one record each, and lets the blocks go one by one.
func (l *identities) drain() runs {
	if l.n == 0 {
		return nil
	}
	out := make(runs, 0, l.n)
	for i, block := range l.blocks {
		for _, id := range block {
			out = append(out, run{id, 1})
		}
		l.blocks[i] = nil
	}
	*l = identities{}
	return out
}

// Len is the number of records that were kept.
func (s *TestSet) Len() int { return s.text.n }

// Distinct is the number of distinct identities that were executed: passed, failed or errored.
func (s *TestSet) Distinct() int {
	return union([]*TestSet{s}).executedCount()
}

// Each hands every record on in document order, until yield returns false. The Case is only valid during the call;
// its strings are not bound to it.
func (s *TestSet) Each(yield func(c *testresult.Case) bool) { s.text.each(yield) }

// Lookup gives the records whose text form is id, in document order. It reads all records.
func (s *TestSet) Lookup(id string) []testresult.Case {
	var out []testresult.Case
	s.Each(func(c *testresult.Case) bool {
		if c.ID == id {
			out = append(out, *c)
		}
		return true
	})
	return out
}

// tallied is several sets as one: of each identity and class the most records that any one set holds, so that
// the same tests run by several shards of a matrix count once.
type tallied struct{ runs [classes]runs }

func union(sets []*TestSet) *tallied {
	t := &tallied{}
	if len(sets) == 1 { // as nearly always: folded already, and nobody writes to it
		t.runs = sets[0].runs
		return t
	}
	for k := range t.runs {
		n := 0
		for _, s := range sets {
			n += len(s.runs[k])
		}
		all := make(runs, 0, n)
		for _, s := range sets {
			all = append(all, s.runs[k]...)
		}
		t.runs[k] = all.fold(func(a, b int32) int32 { return max(a, b) })
	}
	return t
}

// each hands on the identities of several classes in order, each once.
func (t *tallied) each(yield func(identity), of ...class) {
	var rest [classes]runs
	for _, k := range of {
		rest[k] = t.runs[k]
	}
	for {
		least, some := identity{}, false
		for _, r := range rest {
			if len(r) > 0 && (!some || bytes.Compare(r[0].id[:], least[:]) < 0) {
				least, some = r[0].id, true
			}
		}
		if !some {
			return
		}
		yield(least)
		for k, r := range rest {
			if len(r) > 0 && r[0].id == least {
				rest[k] = r[1:]
			}
		}
	}
}

// merge is the identities of several classes, each once.
func (t *tallied) merge(of ...class) runs {
	var all runs
	for _, k := range of {
		all = append(all, t.runs[k]...)
	}
	return all.fold(func(a, b int32) int32 { return max(a, b) })
}

func (t *tallied) executed() runs {
	return t.merge(classPassed, classFlaky, classFailed, classErrored)
}

// executedCount is how many identities were executed.
func (t *tallied) executedCount() int {
	n := 0
	t.each(func(identity) { n++ }, classPassed, classFlaky, classFailed, classErrored)
	return n
}

// failing are the identities with a record that failed, errored or never ended; counts are records.
func (t *tallied) failing() runs {
	var all runs
	for _, k := range []class{classFailed, classErrored, classUnfinished} {
		all = append(all, t.runs[k]...)
	}
	return all.fold(func(a, b int32) int32 { return a + b })
}

// passing reports whether the identity has records and all of them passed.
func (t *tallied) passing(id identity) bool {
	for _, k := range []class{classFailed, classErrored, classUnfinished, classSkipped} {
		if t.runs[k].has(id) {
			return false
		}
	}
	return t.runs[classPassed].has(id) || t.runs[classFlaky].has(id)
}

// allPassing are the identities that have records all of which passed.
func (t *tallied) allPassing() runs {
	var all runs
	for _, x := range t.merge(classPassed, classFlaky) {
		if t.passing(x.id) {
			all = append(all, x)
		}
	}
	return all
}

// digest is the SHA-256 over all sorted identities, executed or not: the same tests give the same digest, whatever
// file, order or result.
func (t *tallied) digest() [sha256.Size]byte {
	h := sha256.New()
	t.each(func(id identity) { h.Write(id[:]) }, classPassed, classFlaky, classFailed, classErrored, classUnfinished, classSkipped)
	return [sha256.Size]byte(h.Sum(nil))
}
