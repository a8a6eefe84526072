package claims

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// sentence is what is read at once: its words, and what around them keeps them from being a claim.
type sentence struct {
	p     *page
	block block
	quiet bool // what surrounds the block keeps it from claiming

	toks        []token
	over        bool // it is longer than is looked at
	hedges      int  // words of doubt
	hedged      bool
	conditional bool
	past        int // the outermost depth at which it speaks of another time, plus one
	saved       bool
	wide        bool // it has letters that ASCII does not have
	depth       int
	lineAt      int  // where the line begins
	first       bool // it is the block's first one
	claimed     bool // a claim of the block was taken
	commands    bool // the block began with a command, a part of the tests by its arguments
}

// begin starts a block.
func (s *sentence) begin(p *page, b block, quiet bool) {
	*s = sentence{p: p, block: b, quiet: quiet, toks: s.toks[:0], lineAt: b.from, first: true}
}

func (s *sentence) push(t token) {
	if len(s.toks) >= maxSentence {
		s.over = true
		return
	}
	if t.isMark(')', '）', ']') {
		s.depth = max(0, s.depth-1)
	}
	t.depth = s.depth
	if t.isMark('(', '（', '[') {
		s.depth++
	}
	if n := len(s.toks); n > 0 {
		last := &s.toks[n-1]
		t.glued = last.end == t.at
		if t.is(clsNot) && s.textOf(last) == "could" {
			s.hedges-- // it could not: no doubt
		}
		if t.isMark(']') && last.isMark('[') || t.isMark(':') && last.isMark('[') {
			s.hedged = true // an empty box in the text
		}
	}
	if t.is(clsHedge) {
		s.hedges++
		switch s.textOf(&t) {
		case "if", "unless", "when", "whenever", "once", "until", "whether", "would":
			s.conditional = true
		}
	}
	if t.is(clsPast) && (s.past == 0 || t.depth < s.past-1) {
		s.past = t.depth + 1
	}
	s.saved = s.saved || t.is(clsSave)
	s.toks = append(s.toks, t)
}

// textOf is a token in lower case.
func (s *sentence) textOf(t *token) string {
	if t.end-t.at > longestWord {
		return ""
	}
	return strings.ToLower(string(s.p.src[t.at:t.end]))
}

// finish reads the sentence and begins the next one.
func (s *sentence) finish() {
	if len(s.toks) > 0 {
		s.p.f.out.steps += len(s.toks)
		if !s.over {
			s.read()
		}
		s.first = false
	}
	s.toks, s.over, s.hedges, s.hedged, s.conditional, s.past, s.saved, s.wide, s.depth = s.toks[:0], false, 0, false, false, 0, false, false, 0
}

// read looks for claims in the whole sentence.
func (s *sentence) read() {
	last := &s.toks[len(s.toks)-1]
	if last.isMark('?', '？') || s.hedged || s.conditional || s.tok(0).is(clsPlan) && s.tok(1).isMark(':') {
		return
	}
	s.commands = s.commands || s.first && s.commandPart()
	s.admissions()
	if s.quiet || s.saved || s.hedges > 0 {
		return
	}
	if s.wide {
		s.japanese()
	}
	s.tapTotal()
	negated := false // in this clause, so far
	for i := 0; i < len(s.toks); {
		t := &s.toks[i]
		if end := s.claimAt(i, negated || s.past > 0 && s.past-1 <= t.depth); end > i {
			i = end
			continue
		}
		switch {
		case t.is(clsTurn) || t.isMark(';', '；', '|'):
			negated = false
		case t.is(clsNot | clsCause):
			negated = true
		case s.textOf(t) == "with" && (i == 0 || s.toks[i-1].kind == mark): // with something undone, the tests pass
			negated = true
		}
		i++
	}
	s.checkedBox()
}

// claimAt takes the claim that begins at i, and gives where it ends; i if there is none. A denied one is passed over.
func (s *sentence) claimAt(i int, denied bool) (end int) {
	c, end := s.commandAt(i)
	if c == nil {
		c, end = s.countsAt(i)
	}
	if c == nil && end == i {
		c, end = s.allPassAt(i)
	}
	if c != nil && !denied && !s.deniedBehind(end) {
		s.emit(c, i, end)
	}
	return end
}

// behind is how many tokens behind a claim can still deny it.
const behind = 8

// deniedBehind says whether what follows a claim takes it back.
func (s *sentence) deniedBehind(end int) bool {
	for i := end; i < len(s.toks) && i < end+behind; i++ {
		t := &s.toks[i]
		// A mark may be followed by the answer: tests pass: no; tests pass | to do.
		if t.isMark(':', ',', ';', '—', '–', '-', '|', '(') && i < end+2 && s.answersNo(i+1) {
			return true
		}
		switch {
		case t.isMark(',', ';', '—', '–', '|') || t.is(clsTurn):
			return false
		case t.is(clsNot) && !t.is(clsZero):
			return true
		}
	}
	return false
}

// answersNo says whether the word at i, alone or before more words, says that it is not so, or not yet.
func (s *sentence) answersNo(i int) bool {
	t := s.tok(i)
	if t.is(clsZero) {
		return s.tok(i+1).kind == mark
	}
	return t.is(clsNot) || t.is(clsPlan) && s.tok(i+1).kind != number || t.is(clsFail) && s.tok(i+1).kind == mark && !s.tok(i+1).isMark(':')
}

// emit adds a claim with the text around it.
func (s *sentence) emit(c *Claim, i, end int) {
	if c.From = s.p.from; s.block.box == checked {
		c.From = FromBox
	}
	s.claimed = true
	c.Text = s.around(i, end)
	s.p.f.add(*c)
}

// around quotes the tokens from i to end with a little of the sentence around them.
func (s *sentence) around(i, end int) string {
	from, to := s.toks[i].at, s.toks[end-1].end
	from = max(s.toks[0].at, from-maxQuote)
	to = min(s.toks[len(s.toks)-1].end, max(to, from+maxItem)+maxQuote)
	text := s.p.src[from:to]
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return squeezed(string(text), 2*maxItem)
}

// squeezed is a text on one line, with single blanks, cut at a character to about limit bytes.
func squeezed(s string, limit int) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToValidUTF8(s[:min(len(s), 4*limit)], "\uFFFD") {
		if r <= ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' || r == 0x85 {
			gap = b.Len() > 0
			continue
		}
		if b.Len() >= limit {
			b.WriteString("…")
			break
		}
		if gap {
			b.WriteByte(' ')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// unscoped says whether a name, which is no word, says nothing of which tests are meant: a flag that changes only how they
// run, everything below a folder, a number with a unit.
func unscoped(text []byte) bool {
	if len(text) == 0 || text[0] >= '0' && text[0] <= '9' {
		return true
	}
	flag, _, _ := bytes.Cut(text, []byte("="))
	switch string(flag) {
	case "./...", "...", ".", "./", "-q", "-v", "-vv", "-s", "-x", "-j", "-n", "-race", "-count", "-cover", "-json", "-timeout", "-m", "--ci", "--verbose", "--quiet",
		"--all", "--workspace", "--all-features", "--all-targets", "--no-fail-fast", "--coverage", "--json", "--run", "--nocapture", "--locked", "--release",
		"--silent", "--color", "--runInBand", "--watch", "--frozen", "--offline", "-B", "-ntp", "--batch-mode", "--parallel", "--output-on-failure", "--":
		return true
	}
	return false
}
