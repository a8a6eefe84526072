package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

// TestSet is one result file's model together with its records, collected while the file streamed by. Records are
// kept packed: a test costs some twenty bytes for its identity and what its name does not share with the one
// before. The zero value holds nothing.
type TestSet struct {
	*testresult.Results
	runs [classes]runs // by class, sorted
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
	s.runs[k] = append(s.runs[k], run{identityOf(c.Key), 1})
	s.text.add(c)
}

func (s *TestSet) finish() {
	for k := range s.runs {
		s.runs[k] = s.runs[k].fold(func(a, b int32) int32 { return a + b })
	}
}

// Len is the number of records that were kept.
func (s *TestSet) Len() int { return s.text.n }

// Distinct is the number of distinct identities that were executed: passed, failed or errored.
func (s *TestSet) Distinct() int {
	return len(union([]*TestSet{s}).executed())
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
	for _, x := range t.merge(classPassed, classFlaky, classFailed, classErrored, classUnfinished, classSkipped) {
		h.Write(x.id[:])
	}
	return [sha256.Size]byte(h.Sum(nil))
}

const (
	// packChunkBytes is the size of one block of packed records: doubling one slice would take three times its size.
	packChunkBytes = 64 << 10
	// packFirstBytes is the size of the first block: most of many files hold a handful of tests.
	packFirstBytes = 512
	// maxLine is the highest line number that is kept.
	maxLine = 1 << 30
	// maxMessageTotal bounds the failure messages that one set keeps; facts show twenty.
	maxMessageTotal = 1 << 20
)

// packedCases keeps records in blocks. A record's texts are kept as what they share with the record before and
// what follows.
type packedCases struct {
	blocks   [][]byte
	n, bytes int    // records, and what they take
	id, key  string // of the last record
	messages int    // bytes of messages kept
}

func (p *packedCases) add(c *testresult.Case) {
	b := []byte{byte(c.Status)}
	b = packShared(b, p.id, c.ID)
	b = packShared(b, p.key, c.Key)
	if strings.HasSuffix(c.Key, c.Name) {
		b = binary.AppendUvarint(b, uint64(len(c.Name))<<1|1)
	} else {
		b = append(binary.AppendUvarint(b, uint64(len(c.Name))<<1), c.Name...)
	}
	file, line, message := c.File, c.Line, c.Message
	switch classOf(c.Status) {
	case classPassed, classSkipped:
		file, line, message = "", 0, "" // only said of tests that need a look
	case classFlaky, classFailed, classErrored, classUnfinished:
		file, message = clip(file, maxNameBytes), clip(message, maxNameBytes)
		if p.messages += len(file) + len(message); p.messages > maxMessageTotal {
			file, line, message = "", 0, ""
		}
	}
	b = packText(b, file)
	b = binary.AppendUvarint(b, uint64(min(max(line, 0), maxLine)))
	b = packText(b, message)
	if last := len(p.blocks) - 1; last >= 0 && len(p.blocks[last])+len(b) <= cap(p.blocks[last]) {
		p.blocks[last] = append(p.blocks[last], b...)
	} else {
		size := min(max(2*p.bytes, packFirstBytes), packChunkBytes)
		p.blocks = append(p.blocks, append(make([]byte, 0, max(size, len(b))), b...))
	}
	p.n++
	p.bytes += len(b)
	p.id, p.key = c.ID, c.Key
}

func packText(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func packShared(b []byte, before, s string) []byte {
	n := 0
	for n < len(before) && n < len(s) && before[n] == s[n] {
		n++
	}
	b = binary.AppendUvarint(b, uint64(n))
	return packText(b, s[n:])
}

func (p *packedCases) each(yield func(c *testresult.Case) bool) {
	var c testresult.Case
	for _, b := range p.blocks {
		for len(b) > 0 {
			c.Status = testresult.Status(b[0])
			r := unpacker{b: b[1:]}
			c.ID, c.Key = r.shared(c.ID), r.shared(c.Key)
			c.Name, c.File = r.name(c.Key), r.text()
			c.Line = int(min(r.number(), maxLine))
			c.Message = r.text()
			b = r.b
			if !yield(&c) {
				return
			}
		}
	}
}

// unpacker reads what packedCases wrote.
type unpacker struct{ b []byte }

func (u *unpacker) number() uint64 {
	n, size := binary.Uvarint(u.b)
	u.b = u.b[max(size, 0):]
	return n
}

func (u *unpacker) text() string {
	n := u.number()
	s := string(u.b[:n])
	u.b = u.b[n:]
	return s
}

// name reads a name that may be the end of the key.
func (u *unpacker) name(key string) string {
	n := u.number()
	size := n >> 1
	if n&1 == 1 {
		return key[uint64(len(key))-size:]
	}
	s := string(u.b[:size])
	u.b = u.b[size:]
	return s
}

func (u *unpacker) shared(before string) string {
	n := u.number()
	return before[:n] + u.text()
}
