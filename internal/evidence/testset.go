package evidence

import (
	"crypto/sha256"
	"io"
	"slices"

	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

// TestSet is one result file's model together with its records, collected while the file streamed by: of each test an
// identity of fifteen bytes, and of those whose names are kept what a name does not share with the one before. The
// zero value holds nothing.
type TestSet struct {
	*testresult.Results
	bags [classes]*bag // by class; nil where there is none
	text *packedCases  // nil: no names are kept
	n    int           // records
}

// Keep says what of a result file is kept besides its counts, what each test is and how it ended. The zero value keeps
// the names of the first failing tests, which are all that is told of a file that is judged by itself.
type Keep struct {
	Names      bool // of all tests
	Properties bool
}

// Plus is what both want.
func (k Keep) Plus(l Keep) Keep { return Keep{k.Names || l.Names, k.Properties || l.Properties} }

// TestFormats lists the names of the known test result formats, in name order.
func TestFormats() []string {
	var names []string
	for _, f := range testresult.Formats() {
		names = append(names, f.Name)
	}
	return names
}

// ReadTests reads one result file of the given format ("" detects it from content) to its end.
func ReadTests(r io.Reader, format string, keep Keep) *TestSet {
	f := testSetMaker{keep: keep, set: new(TestSet)}
	f.set.Results = testresult.ReadSome(r, format, testresult.Limits{NoProperties: !keep.Properties}, f.add, f.name)
	return f.finish()
}

// NewTestSet makes a set of records, whose names are kept, and what was concluded of their file.
func NewTestSet(results *testresult.Results, cases []testresult.Case) *TestSet {
	f := testSetMaker{keep: Keep{Names: true}, set: &TestSet{Results: results}}
	for i := range cases {
		if c := &cases[i]; f.add([]byte(c.Key), c.Status) {
			f.name(c)
		}
	}
	return f.finish()
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

// testSetMaker collects records.
type testSetMaker struct {
	keep  Keep
	set   *TestSet
	names []identity // of the failing tests whose names are kept, if only those are
}

// add counts a record and says whether its names are kept.
func (f *testSetMaker) add(key []byte, s testresult.Status) bool {
	f.set.n++
	sum := sha256.Sum256(key)
	id, k := identity(sum[:16]), classOf(s)
	if f.set.bags[k] == nil {
		f.set.bags[k] = new(bag)
	}
	f.set.bags[k].add(id)
	return f.keep.Names || f.failing(id, k)
}

// name keeps a record's names.
func (f *testSetMaker) name(c *testresult.Case) {
	if f.set.text == nil {
		f.set.text = new(packedCases)
	}
	f.set.text.add(c)
}

// failing says whether a record is the first of a failing test, as many as are ever listed.
func (f *testSetMaker) failing(id identity, k class) bool {
	switch k {
	case classPassed, classFlaky, classSkipped:
		return false
	case classFailed, classErrored, classUnfinished:
	}
	if len(f.names) >= maxFailing || slices.Contains(f.names, id) {
		return false
	}
	f.names = append(f.names, id)
	return true
}

func (f *testSetMaker) finish() *TestSet {
	for _, b := range f.set.bags {
		if b != nil {
			b.sort(func(id identity, n int32) { b.more = append(b.more, run{id, n}) })
		}
	}
	if f.set.text != nil {
		f.set.text.id, f.set.text.key = "", ""
	}
	return f.set
}

// Len is the number of records.
func (s *TestSet) Len() int { return s.n }

// Distinct is the number of distinct identities that were executed: passed, failed or errored.
func (s *TestSet) Distinct() int {
	return union([]*TestSet{s}).executed().distinct()
}

// Each hands the records whose names are kept on in document order, until yield returns false. The Case is only valid
// during the call; its strings are not bound to it.
func (s *TestSet) Each(yield func(c *testresult.Case) bool) { s.text.each(yield) }

// Lookup gives the records whose names are kept and whose text form is id, in document order. It reads all records.
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
type tallied struct{ bags [classes]*bag }

func union(sets []*TestSet) *tallied {
	t := &tallied{}
	if len(sets) == 1 { // as nearly always: nobody writes to it
		t.bags = sets[0].bags
		return t
	}
	bags := make([]*bag, len(sets))
	for k := range t.bags {
		for i, s := range sets {
			bags[i] = s.bags[k]
		}
		t.bags[k] = joinBags(bags)
	}
	return t
}

// some are the identities of some classes.
type some struct {
	bags []*bag
}

func (t *tallied) of(list ...class) some {
	var s some
	for _, k := range list {
		if t.bags[k] != nil {
			s.bags = append(s.bags, t.bags[k])
		}
	}
	return s
}

// has reports whether one of the classes has the identity.
func (s some) has(id identity) bool {
	return slices.ContainsFunc(s.bags, func(b *bag) bool { return b.has(id) })
}

// count is how many records of the identity all classes have.
func (s some) count(id identity) int {
	n := 0
	for _, b := range s.bags {
		n += b.count(id)
	}
	return n
}

// total is the number of records of all identities.
func (s some) total() int {
	n := 0
	for _, b := range s.bags {
		n += b.total()
	}
	return n
}

// distinct is how many identities there are.
func (s some) distinct() int {
	if len(s.bags) == 1 {
		return s.bags[0].n
	}
	n := 0
	s.each(func(identity) { n++ })
	return n
}

// each hands on the identities in order, each once.
func (s some) each(yield func(identity)) {
	cursors := make([]cursor, 0, len(s.bags))
	for _, b := range s.bags {
		cursors = append(cursors, b.begin())
	}
	for {
		var least *cursor
		for i := range cursors {
			if c := &cursors[i]; c.ok && (least == nil || compareIdentities(c.id, least.id) < 0) {
				least = c
			}
		}
		if least == nil {
			return
		}
		id := least.id
		yield(id)
		for i := range cursors {
			if c := &cursors[i]; c.ok && c.id == id {
				c.next()
			}
		}
	}
}

// executed are the identities with a record that passed, failed or errored.
func (t *tallied) executed() some { return t.of(classPassed, classFlaky, classFailed, classErrored) }

// known are all identities, executed or not.
func (t *tallied) known() some {
	return t.of(classPassed, classFlaky, classFailed, classErrored, classUnfinished, classSkipped)
}

// failing are the identities with a record that failed, errored or never ended.
func (t *tallied) failing() some { return t.of(classFailed, classErrored, classUnfinished) }

// passing reports whether the identity has records and all of them passed.
func (t *tallied) passing(id identity) bool {
	for _, k := range []class{classFailed, classErrored, classUnfinished, classSkipped} {
		if t.bags[k].has(id) {
			return false
		}
	}
	return t.bags[classPassed].has(id) || t.bags[classFlaky].has(id)
}

// digest is the SHA-256 over all sorted identities, executed or not: the same tests give the same digest, whatever
// file, order or result.
func (t *tallied) digest() [sha256.Size]byte {
	h := sha256.New()
	var line []byte // hashed some hundred at a time, which takes half the time
	t.known().each(func(id identity) {
		if line = append(line, id[:]...); len(line) >= digestBytes {
			h.Write(line)
			line = line[:0]
		}
	})
	h.Write(line)
	return [sha256.Size]byte(h.Sum(nil))
}

// digestBytes is how many bytes of identities are hashed at a time.
const digestBytes = 4 << 10
