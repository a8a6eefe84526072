package claims

import "bytes"

// maxCommandWords is how many words a command has that is written without a code span.
const maxCommandWords = 30

// commandAt reads how a command ended: a code span, or in a line of its own a command in front of a colon.
func (s *sentence) commandAt(i int) (*Claim, int) {
	j, text := s.commandEnd(i)
	if j == 0 {
		return nil, i
	}
	if s.textOf(s.tok(j)) == "locally" {
		j++
	}
	if s.tok(j).isMark(':', '—', '–', '-', '→', '=') {
		j++
	}
	for n := 0; n < 3 && s.tok(j).is(clsLink); n++ {
		j++
	}
	exit := 0
	switch t := s.tok(j); {
	case t.is(clsClean) && t.kind == word && !t.is(clsOf) && s.mayEnd(j+1) && s.tok(j+1).kind != number && s.itemAt(s.separated(j+1)).key == 0:
		j++
	case s.exits(t):
		j++
		for n := 0; n < 2; n++ {
			switch s.textOf(s.tok(j)) {
			case "code", "status", "with":
				j++
			}
			if s.tok(j).isMark(':', '=') {
				j++
			}
		}
		if s.tok(j).kind != number || s.tok(j).n > 255 || !s.mayEnd(j+1) {
			return nil, i
		}
		exit = s.tok(j).n
		j++
	default:
		return nil, i
	}
	c := &Claim{Kind: Command, Command: squeezed(string(text), maxItem), Exit: &exit, Scope: Part}
	if wholeCommand(text) && runsTests(text) {
		c.Scope = Whole
	}
	return c, j
}

func (s *sentence) exits(t *token) bool {
	switch s.textOf(t) {
	case "exit", "exits", "exited":
		return true
	}
	return false
}

// commandEnd gives the text of the command at i and the token behind it; 0 if there is none.
func (s *sentence) commandEnd(i int) (int, []byte) {
	t := s.tok(i)
	if t.kind == code {
		text := bytes.TrimSpace(bytes.Trim(s.p.src[t.at:t.end], "`"))
		if !isTool(text) {
			return 0, nil
		}
		return i + 1, text
	}
	if i > 0 || !s.first || s.block.kind == heading || !isTool(s.p.src[t.at:t.end]) {
		return 0, nil
	}
	for j := i + 1; j < len(s.toks) && j < i+maxCommandWords; j++ {
		switch b := s.tok(j); {
		case b.isMark(':', '→', '—') && !b.glued, b.isMark(':') && s.tok(j+1).kind != mark && !s.tok(j+1).glued:
			return j, s.p.src[t.at:s.tok(j-1).end]
		case b.isMark('.', ';', '!', '(', ',', '|'), b.kind == code, b.kind == quoted:
			return 0, nil
		}
	}
	return 0, nil
}

// isTool says whether the first word is a program that builds or tests, written as a command.
func isTool(text []byte) bool {
	first, _, _ := bytes.Cut(text, []byte(" "))
	first = bytes.TrimPrefix(first, []byte("./"))
	return len(first) > 0 && bytes.Equal(first, bytes.ToLower(first)) && meaning(first).hasAny(clsTool)
}

// runsTests says whether a command runs tests.
func runsTests(text []byte) bool {
	for _, w := range bytes.Fields(text) {
		if meaning(w).hasAny(clsRuns|clsTest|clsTests) && !bytes.HasPrefix(w, []byte("-")) {
			return true
		}
	}
	return false
}

// commandPart says whether the sentence begins with a command that runs a part of the tests, by its arguments.
func (s *sentence) commandPart() bool {
	t := s.tok(0)
	if t.kind == code {
		return !wholeCommand(s.p.src[t.at:t.end])
	}
	if !isTool(s.p.src[t.at:t.end]) {
		return false
	}
	for i := 1; i < len(s.toks) && i < maxCommandWords; i++ {
		t := &s.toks[i]
		if t.isMark(':', '(', '→', '—', ',') {
			return false
		}
		if t.kind == name && !unscoped(s.p.src[t.at:t.end]) {
			return true
		}
	}
	return false
}
