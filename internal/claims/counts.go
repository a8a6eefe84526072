package claims

// item is one number of a summary.
type item struct {
	key   class // clsPass, clsFail, clsSkip, clsTotal or clsOther; 0 is none
	n     int
	of    int // of how many, -1 unknown
	tests bool
	part  bool // words say of which tests
	end   int
}

// maxAdjectives bounds the words between a number and what it counts, maxAhead those between tests and what became of them.
const (
	maxAdjectives = 5
	maxAhead      = 8
)

func (s *sentence) tok(i int) *token {
	if i < 0 || i >= len(s.toks) {
		return &token{kind: mark}
	}
	return &s.toks[i]
}

// itemAt reads a number with its word, or a word with its number.
func (s *sentence) itemAt(i int) item {
	t := s.tok(i)
	switch {
	case t.is(clsZero):
		return s.zeroAt(i)
	case t.kind == number || t.kind == ratio:
		return s.numberAt(i)
	case t.isMark('#', 'ℹ'):
		if w, n := s.tok(i+1), s.tok(i+2); n.kind == number && keyOfWord(w) != 0 && !s.tok(i+3).is(clsPass|clsFail|clsTests) {
			return item{key: keyOfWord(w), n: n.n, of: -1, tests: true, end: i + 3}
		}
	case t.kind == word:
		return s.labelled(i)
	}
	return item{}
}

// keyOfWord is what a number beside the word counts.
func keyOfWord(t *token) class {
	for _, k := range [...]class{clsPass, clsFail, clsSkip, clsTotal} {
		if t.is(k) {
			return k
		}
	}
	if t.is(clsTests) {
		return clsTotal
	}
	return t.class & clsOther
}

// zeroAt reads none failed, no failures, no tests failed.
func (s *sentence) zeroAt(i int) item {
	j := i + 1
	for s.tok(j).is(clsTests | clsTest) {
		j++
	}
	t := s.tok(j)
	if !t.is(clsFail | clsSkip) {
		return item{}
	}
	key := keyOfWord(t)
	if j++; s.tok(j).is(clsTests) {
		j++
	}
	return item{key: key, of: -1, end: j}
}

// labelled reads passed: 12, tests run = 12.
func (s *sentence) labelled(i int) item {
	key := keyOfWord(s.tok(i))
	j := i + 1
	if n := s.tok(j); n.kind == number && s.tok(j+1).kind == mark && !s.tok(j+1).isMark('%', '+', ':', '/') {
		switch s.textOf(s.tok(i)) {
		case "tests", "pass", "fail", "skipped", "todo": // pass 1, fail 0: as node prints it
			return item{key: key, n: n.n, of: -1, end: j + 1}
		}
	}
	if key == clsTotal && s.tok(j).is(clsRun|clsTests) {
		j++
	}
	if s.tok(i).is(clsTests) && s.tok(j).is(clsPass|clsFail) { // tests passed: 12
		key, j = keyOfWord(s.tok(j)), j+1
	}
	if n := s.tok(j + 1); key == clsPass && s.tok(j).isMark(':') && n.kind == ratio && s.tok(j+2).kind == mark {
		return item{key: key, n: n.n, of: n.m, tests: s.tok(i).is(clsTests), end: j + 2}
	}
	if key == 0 || !s.tok(j).isMark(':', '=', '：') || s.tok(j+1).kind != number {
		return item{}
	}
	if n := s.tok(j + 2); n.kind == word && !n.is(clsAfter|clsTurn) && !s.tok(j+3).isMark(':', '=') || n.isMark('%', '+') {
		return item{} // the number belongs to the word behind it
	}
	return item{key: key, n: s.tok(j + 1).n, of: -1, tests: s.tok(i).is(clsTests), end: j + 2}
}

// numberAt reads 12 passed, 12/12 tests pass, 3 of 4 tests failed.
func (s *sentence) numberAt(i int) item {
	t := s.tok(i)
	out := item{n: t.n, of: -1}
	j := i + 1
	if t.kind == ratio {
		out.of = t.m
	}
	if of := s.tok(j); out.of < 0 && s.textOf(of) == "of" && s.tok(j+1).kind == number {
		out.of, j = s.tok(j+1).n, j+2
	}
	if s.tok(j).isMark('%', '+') || s.tok(j).kind == mark && s.tok(j).glued && !s.tok(j).isMark(',', ')', ';', ':', '.') {
		return item{}
	}
	if w := s.tok(j); w.kind == word && keyOfWord(w) != 0 && !w.is(clsTests) {
		out.key, out.end = keyOfWord(w), j+1
		if s.tok(j+1).is(clsTests) && !w.is(clsOther) {
			out.tests = true
			out.end++
		}
		return out
	}
	for n := 0; n <= maxAdjectives; n, j = n+1, j+1 {
		w := s.tok(j)
		switch {
		case w.is(clsTests) || w.is(clsTest) && out.n == 1 && (s.tok(j+1).kind != word || s.tok(j+1).is(clsPass|clsFail|clsLink)):
			return s.become(out, j+1)
		case w.is(clsOther) && w.kind == word:
			out.key, out.end = clsOther, j+1
			return out
		case w.is(clsPlain | clsTest):
		case w.kind == word && w.class == 0, w.kind == name, w.is(clsRuns), w.is(clsMade):
			out.part = true
		default:
			return item{}
		}
	}
	return item{}
}

// become reads what became of the tests that end before j: whether they passed or failed is said right behind, or behind a
// few words that say of which tests it is.
func (s *sentence) become(out item, j int) item {
	switch s.textOf(s.tok(j)) {
	case "run", "ran", "completed", "executed":
		if s.tok(j+1).kind == mark {
			j++
		}
	}
	out.key, out.tests, out.end = clsTotal, true, j
	part := out.part
	if s.tok(j).is(clsOf) && s.textOf(s.tok(j)) != "with" {
		part = true
		for n := 0; n < maxAhead && !s.tok(j).is(clsPass|clsFail) && s.tok(j).kind != mark && s.tok(j).kind != number; n++ {
			j++
		}
	}
	if s.tok(j).isMark(',') && s.tok(j+1).is(clsAll) {
		j++
	}
	for n := 0; n < 4 && s.tok(j).is(clsLink); n++ {
		j++
	}
	t := s.tok(j)
	switch {
	case t.is(clsPass) && s.mayEnd(j+1):
		out.key, out.part, out.end = clsPass, part, j+1
	case t.is(clsFail) && !s.tok(j+1).isMark(':', '='):
		out.key, out.part, out.end = clsFail, part, j+1
	}
	return out
}

// mayEnd says whether what stands at j can follow the word passed when it speaks of tests: passed is also what is done with
// arguments.
func (s *sentence) mayEnd(j int) bool {
	t := s.tok(j)
	switch t.kind {
	case mark:
		return !t.isMark('%', '+', '"') && (!t.isMark('-', '/') || !t.glued)
	case number, ratio:
		return true
	case word, name:
		return t.is(clsAfter | clsTurn | clsNot | clsClean)
	}
	return false
}

// summary is a list of items.
type summary struct {
	passed, failed, skipped, total int // -1: not said
	items                          int
	tests, other, part             bool
	verb                           string // the word of the first item
	end                            int
}

func (l *summary) take(it item) bool {
	slot := &l.total
	switch it.key {
	case clsPass:
		slot = &l.passed
	case clsFail:
		slot = &l.failed
	case clsSkip:
		slot = &l.skipped
	case clsOther:
		l.other, l.end = true, it.end
		return true
	}
	// Errors are counted beside failures; any other number that is told twice belongs to another summary.
	switch {
	case *slot >= 0 && it.key == clsFail:
		*slot += it.n
	case *slot >= 0 && *slot != it.n:
		return false
	default:
		*slot = it.n
	}
	if it.of >= 0 {
		if l.total >= 0 && l.total != it.of {
			return false
		}
		l.total = it.of
	}
	l.items++
	l.tests, l.part, l.end = l.tests || it.tests, l.part || it.part, it.end
	return true
}

// listAt reads as many items as follow each other.
func (s *sentence) listAt(i int) *summary {
	it := s.itemAt(i)
	if it.key == 0 {
		return nil
	}
	l := &summary{passed: -1, failed: -1, skipped: -1, total: -1, end: it.end}
	l.verb = s.textOf(s.tok(it.end - 1))
	l.take(it)
	for {
		j := s.separated(l.end)
		it := s.itemAt(j)
		if it.key == 0 && l.passed >= 0 && l.total < 0 && s.tok(j).kind == number && s.tok(j-1).isMark('(') && s.tok(j+1).isMark(')') {
			it = item{key: clsTotal, n: s.tok(j).n, of: -1, end: j + 1}
		}
		if it.key == 0 || !l.take(it) {
			return l
		}
	}
}

// separated passes what stands between two items.
func (s *sentence) separated(j int) int {
	for n := 0; n < 4; n++ {
		t := s.tok(j)
		if t.isMark('(') {
			// What is in parentheses and no number says how long it took.
			for k := j + 1; k < j+5 && k < len(s.toks) && s.toks[k].kind != number && s.toks[k].kind != ratio; k++ {
				if s.toks[k].isMark(')') {
					j = k
					break
				}
			}
		}
		if j >= len(s.toks) || !t.isMark(',', ';', '/', '|', '(', ')', '-', '–', '—', '·', '•', '&', ':', '、') && s.textOf(t) != "and" && s.textOf(t) != "with" {
			return j
		}
		j++
	}
	return j
}
