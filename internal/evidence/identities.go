package evidence

import (
	"bytes"
	"crypto/sha256"
	"slices"
)

// identity stands for a test's suite path, class and name: the first half of its SHA-256, so that nobody can make
// two tests count as one, nor one as two.
type identity [16]byte

func identityOf(key string) identity {
	sum := sha256.Sum256([]byte(key))
	return identity(sum[:16])
}

func compareIdentities(a, b identity) int { return bytes.Compare(a[:], b[:]) }

// run is how many records of one identity there are.
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

const (
	// shelfCount is how many shelves the identities of a large suite are spread over, by their first byte: hashes fill
	// them evenly, so that each is sorted by itself and nothing is ever there twice.
	shelfCount = 256
	// shelvesFrom is from how many identities on; what is below is one list.
	shelvesFrom = 4 << 10
	// chunkTails is how many identities one chunk of a shelf holds, just under 1 KiB.
	chunkTails = 68
)

// tail is an identity without its first byte, which is the number of its shelf.
type tail [15]byte

// shelf is a list of tails that grows without being copied.
type shelf struct {
	chunks []*[chunkTails]tail
	n      int
}

func (s *shelf) at(i int) *tail { return &s.chunks[i/chunkTails][i%chunkTails] }

func (s *shelf) add(t tail) {
	if s.n == len(s.chunks)*chunkTails {
		s.chunks = append(s.chunks, new([chunkTails]tail))
	}
	*s.at(s.n) = t
	s.n++
}

// bag is how many records each identity has. The zero value is empty. Identities are added in any order; the rest may
// be asked of it once it is sorted.
type bag struct {
	few     []identity // up to shelvesFrom
	shelves []shelf    // beyond
	n       int        // as many as were added, or distinct ones once it is sorted
	more    runs       // those with several records
}

func (b *bag) add(id identity) {
	b.n++
	if b.shelves == nil && len(b.few) < shelvesFrom {
		b.few = append(b.few, id)
		return
	}
	if b.shelves == nil {
		b.shelves = make([]shelf, shelfCount)
		for _, have := range b.few {
			b.shelves[have[0]].add(tail(have[1:]))
		}
		b.few = nil
	}
	b.shelves[id[0]].add(tail(id[1:]))
}

// sort brings the identities in order, each once. repeated is told how often one was added that was added several times.
func (b *bag) sort(repeated func(id identity, n int32)) {
	if b.shelves == nil {
		slices.SortFunc(b.few, compareIdentities)
		b.few = slices.Clone(once(b.few, repeated)) // without what it grew by
		b.n = len(b.few)
		return
	}
	b.n = 0
	var ids []identity
	for first := range b.shelves {
		s := &b.shelves[first]
		ids = ids[:0]
		for i := range s.n {
			ids = append(ids, s.id(first, i))
		}
		slices.SortFunc(ids, compareIdentities)
		ids = once(ids, repeated)
		s.n = len(ids)
		for i := range ids {
			*s.at(i) = tail(ids[i][1:])
		}
		s.chunks = s.chunks[:(s.n+chunkTails-1)/chunkTails]
		b.n += s.n
	}
}

// id is the identity at a place of the shelf with that number.
func (s *shelf) id(first, i int) identity {
	var id identity
	id[0] = byte(first) //nolint:gosec // one of shelfCount
	copy(id[1:], s.at(i)[:])
	return id
}

// once joins equal neighbours.
func once(ids []identity, repeated func(id identity, n int32)) []identity {
	out := ids[:0]
	for i := 0; i < len(ids); {
		j := i + 1
		for j < len(ids) && ids[j] == ids[i] {
			j++
		}
		if j-i > 1 {
			repeated(ids[i], int32(j-i))
		}
		out = append(out, ids[i])
		i = j
	}
	return out
}

// has reports whether the bag holds the identity.
func (b *bag) has(id identity) bool {
	if b == nil {
		return false
	}
	if b.shelves == nil {
		_, ok := slices.BinarySearchFunc(b.few, id, compareIdentities)
		return ok
	}
	s, want := &b.shelves[id[0]], id[1:]
	low, high := 0, s.n
	for low < high {
		mid := (low + high) / 2
		if bytes.Compare(s.at(mid)[:], want) < 0 {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low < s.n && bytes.Equal(s.at(low)[:], want)
}

// count is how many records of the identity the bag holds.
func (b *bag) count(id identity) int {
	if !b.has(id) {
		return 0
	}
	return max(1, int(b.more.count(id)))
}

// distinct is how many identities the bag holds.
func (b *bag) distinct() int {
	if b == nil {
		return 0
	}
	return b.n
}

// total is the number of records of all identities.
func (b *bag) total() int {
	n := b.distinct()
	if b != nil {
		for _, x := range b.more {
			n += int(x.n) - 1
		}
	}
	return n
}

// cursor goes through the identities of a bag in order.
type cursor struct {
	b         *bag
	shelf, at int
	id        identity
	ok        bool // there is an id
}

func (b *bag) begin() cursor {
	c := cursor{b: b}
	c.next()
	return c
}

func (c *cursor) next() {
	c.ok = false
	switch {
	case c.b == nil:
	case c.b.shelves == nil:
		if c.ok = c.at < len(c.b.few); c.ok {
			c.id = c.b.few[c.at]
			c.at++
		}
	default:
		for ; c.shelf < shelfCount; c.shelf, c.at = c.shelf+1, 0 {
			if s := &c.b.shelves[c.shelf]; c.at < s.n {
				c.id, c.ok = s.id(c.shelf, c.at), true
				c.at++
				return
			}
		}
	}
}

// joinBags makes one bag of several: of each identity the most records that any one of them holds.
func joinBags(bags []*bag) *bag {
	var out bag
	var more runs
	for _, b := range bags {
		for c := b.begin(); c.ok; c.next() {
			out.add(c.id)
		}
		if b != nil {
			more = append(more, b.more...)
		}
	}
	if out.n == 0 {
		return nil
	}
	out.sort(func(identity, int32) {})
	slices.SortFunc(more, compareRuns)
	for _, x := range more {
		if n := len(out.more); n > 0 && out.more[n-1].id == x.id {
			out.more[n-1].n = max(out.more[n-1].n, x.n)
			continue
		}
		out.more = append(out.more, x)
	}
	return &out
}
