package claims

import "bytes"

// countsAt reads a summary of tests at i. It gives where what was read ends even where that is no claim.
func (s *sentence) countsAt(i int) (*Claim, int) {
	l := s.listAt(i)
	if l == nil {
		return nil, i
	}
	if l.other && !l.tests || s.countsOther(i) {
		return nil, l.end
	}
	ok := s.saysOK(i, l.end)
	switch {
	case l.passed >= 0 && l.tests:
	case l.passed >= 0:
		if !s.stands(i, l) {
			return nil, l.end
		}
	case l.total >= 0 && l.tests && (l.failed == 0 || ok && l.failed < 0 || l.failed > 0 && l.total >= l.failed):
		l.passed = l.total - max(l.failed, 0) - max(l.skipped, 0)
	}
	if l.passed < 0 || s.index(i) || s.about(i) {
		return nil, l.end
	}
	c := &Claim{Kind: Counts, Passed: &l.passed, Scope: s.scope(i, l.end, l.part)}
	for _, n := range []struct {
		from int
		to   **int
	}{{l.failed, &c.Failed}, {l.skipped, &c.Skipped}, {l.total, &c.Total}} {
		if n.from >= 0 {
			*n.to = &n.from
		}
	}
	if l.total >= 0 && l.total < l.passed+max(l.failed, 0) {
		c.Total = nil // it contradicts itself; what it says of passed tests is the claim
	}
	return c, l.end
}

// tapTotal reads the total of passed tests in a line of its own, as TAP and node write it: in Markdown it is a heading.
func (s *sentence) tapTotal() {
	if s.p.from != FromEvidence || s.block.kind != heading || len(s.toks) != 2 || s.toks[1].kind != number {
		return
	}
	if t := &s.toks[0]; string(s.p.src[t.at:t.end]) == "pass" {
		n := s.toks[1].n
		s.emit(&Claim{Kind: Counts, Passed: &n}, 0, 2)
	}
}

// countsOther says whether the label in front counts something else than tests: suites, files, checks.
func (s *sentence) countsOther(i int) bool {
	for j := i - 1; j >= 0 && j >= i-4; j-- {
		t := s.tok(j)
		if t.is(clsOther) {
			return true
		}
		if t.kind != word && !t.isMark(':') {
			return false
		}
	}
	return false
}

// saysOK says whether an OK stands around a number of tests, as phpunit and unittest write it.
func (s *sentence) saysOK(i, end int) bool {
	if b := s.tok(i - 1); b.isMark('(', ',') && s.textOf(s.tok(i-2)) == "ok" {
		return true
	}
	j := end
	if s.textOf(s.tok(j)) == "in" && s.tok(j+1).kind == name {
		j += 2
	}
	for s.tok(j).isMark(':', ',', '-', '—') && j < len(s.toks) {
		j++
	}
	return s.tok(j).is(clsClean) && s.mayEnd(j+1)
}

// stands says whether a number of passes that names no tests can be one of tests.
func (s *sentence) stands(i int, l *summary) bool {
	if l.items == 1 && l.verb != "passed" && l.verb != "passing" || !s.mayEnd(l.end) {
		return false
	}
	t := s.tok(i - 1)
	switch t.kind {
	case mark:
		return i == 0 || !t.isMark('#', '$', '%', '+', '<', '@')
	case code:
		return true
	case name:
		text := s.p.src[t.at:t.end]
		return text[0] == '-' || bytes.ContainsAny(text, "_/.")
	case word:
		return t.is(clsLabel|clsWhole|clsAll|clsTool|clsTests|clsLink) || s.textOf(t) == "with" || s.textOf(t) == "got"
	}
	return false
}

// index says whether the number is that of one thing: step 3 passed, #12 passed.
func (s *sentence) index(i int) bool {
	t := s.tok(i)
	if t.kind != number {
		return false
	}
	b := s.tok(i - 1)
	return b.isMark('#', '$', '<', '>', '≥', '~', '≈', '+') || b.is(clsTest) && !s.tok(i+1).is(clsTests)
}

// about says whether the number is only a bound or a guess.
func (s *sentence) about(i int) bool {
	for j := i - 1; j >= 0 && j >= i-2; j-- {
		switch s.textOf(s.tok(j)) {
		case "about", "around", "approximately", "roughly", "over", "than", "to", "up", "circa", "approx":
			return true
		}
	}
	return false
}

// scope says of which tests a summary between i and end speaks.
func (s *sentence) scope(i, end int, part bool) Scope {
	if part || s.commands || s.named(end) || s.labelNames(i) {
		return Part
	}
	for j := i - 1; j >= 0 && j >= i-4; j-- {
		if s.tok(j).is(clsAll | clsWhole) {
			return Whole
		}
		if s.tok(j).isMark(',', ';', '|') {
			break
		}
	}
	return Unsaid
}

// named says whether the sentence names a part of the tests before end or right behind.
func (s *sentence) named(end int) bool {
	for j := 0; j < len(s.toks) && j < end+behind; j++ {
		t := &s.toks[j]
		switch {
		case t.kind == name && !unscoped(s.p.src[t.at:t.end]):
			return true
		case t.kind == code && !wholeCommand(s.p.src[t.at:t.end]):
			return true
		case j >= end && t.is(clsOf) && s.nounBehind(j+1), j >= end && s.textOf(t) == "on":
			return true
		case j >= end && t.kind == mark && !t.isMark('('):
			return false
		}
	}
	return false
}

// nounBehind says whether words at j name something.
func (s *sentence) nounBehind(j int) bool {
	for s.tok(j).is(clsPlain) {
		j++
	}
	return s.tok(j).kind == word && !s.tok(j).is(clsWhole|clsAll)
}

// labelNames says whether the words of the label in front of a summary name something.
func (s *sentence) labelNames(i int) bool {
	j := i - 1
	if !s.tok(j).isMark(':', '—', '–', '-', '→', '=', '|') || j < 0 {
		return false
	}
	for j--; j >= 0; j-- {
		t := s.tok(j)
		switch {
		case t.kind == mark && !t.isMark('(', ')'):
			return false
		case t.kind == number, t.kind == name, t.kind == code: // a name is judged as one
		case t.class == 0:
			return true
		}
	}
	return false
}

// wholeCommand says whether a code span is a command that runs all tests that there are.
func wholeCommand(span []byte) bool {
	words := bytes.Fields(bytes.Trim(span, "`"))
	for i, w := range words {
		c := meaning(w)
		switch {
		case i == 0 && !c.hasAny(clsTool):
			return false
		case c.hasAny(clsTool | clsTest | clsTests | clsRun | clsAll | clsSuite):
		case string(w) == "exec" || string(w) == "check" || unscoped(w):
		default:
			return false
		}
	}
	return len(words) > 0
}

func (c class) hasAny(of class) bool { return c&of != 0 }

// allPassAt reads that the tests pass, at the word for tests.
func (s *sentence) allPassAt(i int) (*Claim, int) {
	t := s.tok(i)
	if !t.is(clsTests|clsSuite) || t.kind != word {
		return nil, i
	}
	part := false
	b := i - 1
	for ; b >= 0 && b >= i-maxAdjectives; b-- {
		w := s.tok(b)
		switch {
		case w.is(clsFail), w.isMark('+'), w.isMark('%') && s.tok(b-1).n != 100:
			return nil, i // failing tests pass: that is a change, and of a part
		case w.is(clsAll): // what stands before it is no adjective
		case w.is(clsWhole), w.is(clsPlain), w.is(clsTest):
			continue
		case w.kind == word && (w.class == 0 || w.is(clsMade)) && !s.reporting(w), w.kind == name, w.kind == number:
			part = true
			continue
		}
		break
	}
	j := i + 1
	if s.tok(j).is(clsOf) {
		part = true
		for n := 0; n < maxAhead && !s.tok(j).is(clsPass) && s.tok(j).kind != mark; n++ {
			j++
		}
	}
	labelled := s.tok(j).isMark(':', '=', '：')
	if labelled {
		j++
	}
	for n := 0; n < 4 && s.tok(j).is(clsLink); n++ {
		j++
	}
	v := s.tok(j)
	next := s.tok(j + 1)
	if next.isMark(':', '=') && s.tok(j+2).kind != ratio || next.is(clsLink) && s.tok(j+2).is(clsFail) || next.isMark('/') && s.tok(j+2).is(clsFail) {
		return nil, i // the answer follows, or they do both
	}
	if !v.is(clsPass) && !(labelled && v.is(clsClean)) || !s.mayEnd(j+1) || labelled && s.tok(j+1).kind != mark {
		return nil, i
	}
	if w := s.textOf(v); t.is(clsSuite) && w == "pass" {
		return nil, i
	}
	c := &Claim{Kind: AllPass, Scope: Whole}
	if part || s.named(j+1) {
		c.Scope = Part
	}
	return c, j + 1
}

// reporting says whether a word in front of tests is no adjective: verified tests pass.
func (s *sentence) reporting(t *token) bool {
	switch s.textOf(t) {
	case "verified", "confirmed", "that", "and", "checked", "validated", "ensured":
		return true
	}
	return false
}
