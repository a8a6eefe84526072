package coverage

import (
	"cmp"
	"math/bits"
	"slices"
)

// Lines is a set of line numbers that can run, and of those that did. The zero value is empty.
type Lines struct {
	known, hit []uint64 // one bit a line; hit is a part of known and as long
}

// set adds a line; one that was hit once stays hit. It returns by how many bytes the set has grown.
func (l *Lines) set(n int, hit bool) int {
	word, bit, grown := n/64, uint64(1)<<(n%64), 0
	if word >= len(l.known) {
		before := cap(l.known)
		l.known = slices.Grow(l.known, word+1-len(l.known))[:word+1]
		l.hit = slices.Grow(l.hit, word+1-len(l.hit))[:word+1]
		grown = 16 * (cap(l.known) - before)
	}
	l.known[word] |= bit
	if hit {
		l.hit[word] |= bit
	}
	return grown
}

// Has reports whether a line can run, and whether it did.
func (l *Lines) Has(n int) (known, hit bool) {
	word, bit := n/64, uint64(1)<<(n%64)
	if n < 0 || word >= len(l.known) {
		return false, false
	}
	return l.known[word]&bit != 0, l.hit[word]&bit != 0
}

// Last is the greatest line number, -1 if there is none.
func (l *Lines) Last() int {
	for i := len(l.known) - 1; i >= 0; i-- {
		if w := l.known[i]; w != 0 {
			return 64*i + bits.Len64(w) - 1
		}
	}
	return -1
}

func (l *Lines) sameKnown(o *Lines) bool {
	n := min(len(l.known), len(o.known))
	more := slices.Concat(l.known[n:], o.known[n:])
	return slices.Equal(l.known[:n], o.known[:n]) && !slices.ContainsFunc(more, func(w uint64) bool { return w != 0 })
}

// Count is how many lines there are and are covered.
func (l *Lines) Count() Count {
	var c Count
	for i, w := range l.known {
		c.Total += bits.OnesCount64(w)
		c.Covered += bits.OnesCount64(l.hit[i] & w)
	}
	return c
}

// In counts the lines from first to last, and calls missed for each that is not covered.
func (l *Lines) In(first, last int, missed func(n int)) Count {
	var c Count
	for n := max(first, 0); n <= min(last, 64*len(l.known)-1); n++ {
		known, hit := l.Has(n)
		switch {
		case hit:
			c.Covered++
			c.Total++
		case known:
			c.Total++
			missed(n)
		}
	}
	return c
}

func (l *Lines) merge(o *Lines) {
	if n := len(o.known); n > len(l.known) {
		l.known = append(slices.Clone(l.known), make([]uint64, n-len(l.known))...)
		l.hit = append(slices.Clone(l.hit), make([]uint64, n-len(l.hit))...)
	}
	for i := range o.known {
		l.known[i] |= o.known[i]
		l.hit[i] |= o.hit[i]
	}
}

// tally counts the lines of one section of a file, over and over in the same space.
type tally struct {
	lines Lines
	seen  []int // what was set, to be undone
	count Count
}

func (t *tally) set(n int, hit bool) {
	known, ran := t.lines.Has(n)
	if !known {
		t.seen = append(t.seen, n)
		t.count.Total++
	}
	if hit && !ran {
		t.count.Covered++
	}
	t.lines.set(n, hit)
}

// end gives the count and begins anew.
func (t *tally) end() Count {
	c := t.count
	for _, n := range t.seen {
		t.lines.known[n/64], t.lines.hit[n/64] = 0, 0
	}
	t.seen, t.count = t.seen[:0], Count{}
	return c
}

// Block is a run of statements of a Go file.
type Block struct {
	FirstLine, FirstColumn, LastLine, LastColumn, Statements uint32
	Hit                                                      bool
}

// place is where a block lies, which names it.
type place [4]uint32

func (b *Block) place() place {
	return place{b.FirstLine, b.FirstColumn, b.LastLine, b.LastColumn}
}

func byPlace(a, b Block) int {
	return cmp.Or(cmp.Compare(a.FirstLine, b.FirstLine), cmp.Compare(a.FirstColumn, b.FirstColumn),
		cmp.Compare(a.LastLine, b.LastLine), cmp.Compare(a.LastColumn, b.LastColumn))
}

func countBlocks(list []Block) Count {
	var c Count
	for i := range list {
		c.Total += int(list[i].Statements)
		if list[i].Hit {
			c.Covered += int(list[i].Statements)
		}
	}
	return c
}

// mergeBlocks joins two ordered lists; of the same block the greater number of statements counts, and one hit is enough.
func mergeBlocks(a, b []Block) []Block {
	out := make([]Block, 0, max(len(a), len(b)))
	for len(a) > 0 || len(b) > 0 {
		var order int
		switch {
		case len(a) == 0:
			order = 1
		case len(b) == 0:
			order = -1
		default:
			order = byPlace(a[0], b[0])
		}
		switch {
		case order < 0:
			out, a = append(out, a[0]), a[1:]
		case order > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			one := a[0]
			one.Statements, one.Hit = max(one.Statements, b[0].Statements), one.Hit || b[0].Hit
			out, a, b = append(out, one), a[1:], b[1:]
		}
	}
	return out
}
