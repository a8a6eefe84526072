package claims

// admissions takes what the sentence says was not run. Nothing is judged by one: it is shown.
func (s *sentence) admissions() {
	about := s.block.box != noBox // the words of a box are about what was to be done
	for i := range s.toks {
		t := &s.toks[i]
		about = about || t.is(clsMade|clsTool) || t.kind == code && isTool(s.p.src[t.at+1:t.end])
	}
	for i := range s.toks {
		if s.toks[i].is(clsNot) && (s.notRun(i) && (s.subject(i) || s.block.box != noBox) && (about || i == 0) || s.noneRun(i)) {
			s.emit(&Claim{Kind: Admission}, 0, len(s.toks))
			return
		}
	}
}

// noneRun reads no tests were run.
func (s *sentence) noneRun(i int) bool {
	if i > 0 || !s.tok(i).is(clsZero) || !s.tok(i+1).is(clsTests) {
		return false
	}
	w := s.textOf(s.tok(i + 2))
	return (w == "were" || w == "was" || w == "have") && (s.tok(i+3).is(clsRun) || s.textOf(s.tok(i+3)) == "been" && s.tok(i+4).is(clsRun))
}

// subject says whether what was not run, before the word that negates at i, are the tests, or is not said: what some
// program could not run is its own story.
func (s *sentence) subject(i int) bool {
	j := i - 1
	for j >= 0 && j > i-4 {
		switch s.textOf(s.tok(j)) {
		case "could", "was", "were", "have", "has", "did", "been":
			j--
			continue
		}
		break
	}
	t := s.tok(j)
	if j < 0 || t.kind == mark || t.is(clsTurn) {
		return true
	}
	switch s.textOf(t) {
	case "i", "we":
		return true
	}
	// The tests, at the sentence's beginning or after a mark, with few words before them.
	if !t.is(clsTests|clsSuite|clsTest) && t.kind != code || t.kind == code && !isTool(s.p.src[t.at+1:t.end]) {
		return false
	}
	for n := 0; n <= maxAdjectives; n, j = n+1, j-1 {
		b := s.tok(j - 1)
		switch {
		case j == 0 || b.kind == mark || b.is(clsTurn):
			return true
		case b.kind != word && b.kind != name || s.textOf(b) == "that" || s.textOf(b) == "which":
			return false
		}
	}
	return false
}

// notRun reads not run, could not be run, unable to run, wasn't able to run, at the word that negates.
func (s *sentence) notRun(i int) bool {
	switch w := s.negation(i); w {
	case "not":
		switch s.textOf(s.tok(i - 1)) {
		case "do", "does", "must", "is", "are", "to", "need", "should":
			return false // how something behaves, and no account of what was done
		}
	case "not-run":
		return true
	case "couldn't", "couldnt", "cannot", "can't", "didn't", "didnt", "wasn't", "weren't", "haven't", "hasn't", "unable":
	default:
		return false
	}
	for j := i + 1; j < i+5 && j < len(s.toks); j++ {
		switch s.textOf(&s.toks[j]) {
		case "run", "ran", "running", "executed", "execute", "tested":
			return true
		case "be", "been", "to", "able", "yet", "actually", "fully", "locally", "get", "manually":
		default:
			return false
		}
	}
	return false
}

// negation is a word that negates, with an apostrophe as ASCII has it.
func (s *sentence) negation(i int) string {
	t := s.tok(i)
	return string(plainQuotes([]byte(s.textOf(t))))
}

// checkedBox takes a checked box of which nothing else was a claim, and which says that something was tested or tried.
func (s *sentence) checkedBox() {
	if s.block.box != checked || !s.first {
		return
	}
	done, bare := false, true // bare: nothing but the tests, or the command that runs them, is named
	for i := range s.toks {
		t := &s.toks[i]
		switch {
		case t.is(clsNot|clsFail) || t.kind == quoted:
			return
		case t.is(clsDone):
			done = true
		}
		bare = bare && (t.kind == word && t.is(clsTest|clsTests|clsSuite|clsPlain|clsAll|clsWhole|clsRuns|clsRun) || t.kind == code && wholeCommand(s.p.src[t.at:t.end]) && runsTests(s.p.src[t.at+1:t.end-1]))
	}
	if !s.claimed && (bare || done) {
		s.emit(&Claim{Kind: Checked}, 0, len(s.toks))
	}
}
