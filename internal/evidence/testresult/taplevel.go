package testresult

import (
	"slices"
	"strconv"
)

// maxNestedNumber is the highest number by which the points of a subtest may be out of order. It bounds what the
// levels remember together; the top level is bounded by the number of records.
const maxNestedNumber = 1 << 16

// tapLevel is a stream of test points of one indentation: the top level, or a subtest.
type tapLevel struct {
	indent  int
	points  int
	plan    tapPlan
	numbers tapNumbers
	strict  bool
	failed  bool       // a point failed without a directive
	broken  string     // what else is wrong, "" if nothing is
	why     []byte     // the path of the first failed point
	whyOf   int        // which point that is
	last    Status     // of the last point
	brace   braceState // of the last point
	carried tapSubtest // what deeper subtests without a point of their own say
}

type braceState uint8

// The states of the brace that a point may end in.
const (
	noBrace      braceState = iota
	pendingBrace            // whether it opens a subtest is for the next line to say
	openBrace
)

// tapPlan is how many points are to come. The zero value is no plan.
type tapPlan struct {
	set         bool
	first, last int64
	at          int // points before it
}

// tapNumbers are the numbers of the points so far.
type tapNumbers struct {
	any      bool
	next     int64 // while they come in order: the next one
	low      int64
	high     int64
	seen     []uint64 // once they do not: a bit for each
	repeated bool
	over     bool // too high to remember
}

// add takes the number of a point. limit is the highest number that is remembered out of order.
func (n *tapNumbers) add(num int64, limit int) {
	switch {
	case !n.any:
		n.any, n.low, n.high, n.next = true, num, num, num+1
		return
	case n.seen == nil && num == n.next:
		n.high, n.next = num, num+1
		return
	case n.seen == nil && !n.over:
		if n.high > int64(limit) {
			n.over = true
			break
		}
		for i := n.low; i <= n.high; i++ {
			n.mark(i)
		}
	}
	n.low, n.high = min(n.low, num), max(n.high, num)
	if num > int64(limit) {
		n.over = true
		return
	}
	if n.seen != nil && n.mark(num) {
		n.repeated = true
	}
}

// mark notes a number and reports whether it was noted before.
func (n *tapNumbers) mark(num int64) bool {
	word, bit := int(num/64), uint64(1)<<(num%64)
	if word >= len(n.seen) {
		n.seen = append(n.seen, make([]uint64, word+1-len(n.seen))...)
	}
	was := n.seen[word]&bit != 0
	n.seen[word] |= bit
	return was
}

// tapSubtest is what the levels below a point say together.
type tapSubtest struct {
	any bool
	bad bool
	why []byte
}

// below appends what the subtests of the first failed point say.
func (l *tapLevel) below(sub tapSubtest) {
	if sub.bad {
		l.why = cutAt(append(append(l.why, pathSeparator...), sub.why...), maxMessage)
	}
}

// wrong says what keeps a level from being whole, with the code for it, "" if nothing does.
func (l *tapLevel) wrong() (code, detail string) {
	planned := l.plan.last - l.plan.first + 1
	switch {
	case l.broken != "":
		return NotePlanTwice, l.broken
	case l.plan.set && planned != int64(l.points):
		return NotePlanNotMet, counted(planned, "point") + " planned, " + counted(int64(l.points), "point") + " there"
	case l.plan.set && l.numbers.any && (l.numbers.low < l.plan.first || l.numbers.high > l.plan.last):
		return NoteNumbers, "a number outside of the plan"
	case l.numbers.repeated:
		return NoteNumbers, "a number twice"
	case l.numbers.over:
		return NoteOverLimit, "a number that is too high and out of order"
	}
	return "", ""
}

func counted(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.FormatInt(n, 10) + " " + what + "s"
}

// find returns the index of the level of an indentation, or where it belongs.
func (r *tapReader) find(indent int) (int, bool) {
	if indent == 0 {
		return 0, true
	}
	if last := len(r.levels) - 1; r.levels[last].indent == indent { // as nearly always
		return last, true
	}
	return slices.BinarySearchFunc(r.levels, indent, func(l tapLevel, indent int) int {
		r.work++
		return l.indent - indent
	})
}

// close ends all levels deeper than one, and returns what they say.
func (r *tapReader) close(level int) tapSubtest {
	var sub tapSubtest
	for i := len(r.levels) - 1; i > level; i-- {
		r.work++
		l := &r.levels[i]
		code, detail := l.wrong()
		why := l.why
		switch {
		case l.failed:
		case l.carried.bad:
			why = l.carried.why
		case sub.bad:
			why = sub.why
		case l.brace == openBrace:
			why = []byte("a subtest without its end")
		case code != "":
			why = []byte(detail)
		default:
			sub.any = sub.any || l.points > 0 || l.plan.set || l.carried.any
			continue
		}
		sub = tapSubtest{any: true, bad: true, why: why}
	}
	r.levels = r.levels[:level+1]
	return sub
}

// reach returns the level of an indentation, opening it if need be. Levels that are deeper are closed if it is for
// a point, or if there is no such level yet; they are what the point's subtests say.
func (r *tapReader) reach(indent int, point bool) (int, tapSubtest) {
	level, found := r.find(indent)
	switch {
	case found && point:
		return level, r.close(level)
	case found:
		return level, tapSubtest{}
	}
	sub := r.close(level - 1)
	if len(r.levels) > r.t.lim.MaxDepth {
		r.t.doubt = true
		r.t.note(NoteTooDeep, "", r.in.s.line())
		return level - 1, sub
	}
	r.work++
	l := tapLevel{indent: indent, strict: r.levels[level-1].strict}
	if !point {
		l.carried, sub = sub, tapSubtest{}
	}
	r.levels = append(r.levels, l)
	return level, sub
}

// settle takes what the subtests of a level's last point say. Under a point that failed, or is skipped or todo,
// nothing that they say matters.
func (r *tapReader) settle(level int, sub tapSubtest) {
	if sub.bad && (r.levels[level].last == Passed || r.levels[level].last == NoStatus) {
		r.t.doubt = true
		r.t.note(NoteSubtest, string(sub.why), r.in.s.line())
	}
}
