package render

import (
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// sign is how one state is shown: a symbol for terminals, one for Markdown, and a colour. Never the colour alone.
type sign struct {
	text, mark string
	colour     string // SGR parameters (ECMA-48)
}

const (
	green  = "32"
	red    = "31"
	yellow = "33"
	bold   = "1"
	dim    = "2"
)

// signOf is the sign of a state; an unknown state looks like a failure.
func signOf(s evidence.State) sign {
	switch s {
	case evidence.Verified:
		return sign{"✓", "✅", green}
	case evidence.Waiting:
		return sign{"…", "⏳", yellow}
	case evidence.Unverified:
		return sign{"?", "❔", yellow}
	case receipt.NotExpected:
		return sign{"-", "➖", dim}
	case evidence.Missing, evidence.WrongArtifact, evidence.Stale, evidence.HashMismatch, evidence.ValidatorFailed:
		return sign{"✗", "❌", red}
	}
	return sign{"✗", "❌", red}
}

// stateWord is the state's name as shown; an unknown or absent state is named so.
func stateWord(o *receipt.Outcome) string {
	word := string(o.State)
	if word == "" {
		word = "no state"
	}
	switch {
	case o.State == receipt.NotExpected:
		word = "not expected"
	case o.Waived:
		word += " (waived)"
	case !o.Required:
		word += " (optional)"
	}
	return word
}

// nextWords says what a next action means, for readers.
func nextWords(n verdict.Next) string {
	switch n {
	case verdict.NeedsHuman:
		return "a person has to look at it"
	case verdict.FixReport:
		return "correct the report"
	case verdict.Produce:
		return "produce it in this run"
	case verdict.RunCheck:
		return "make the check run to an answer"
	case verdict.RepairOnce:
		return "one reversible repair is authorized"
	case verdict.ObserveAgain:
		return "look again, its window is open"
	case verdict.AwaitIt:
		return "wait for it"
	case verdict.NoNext:
		return "none"
	}
	return "a person has to look at it"
}

// nextCell is the next action and who has to take it.
func nextCell(o *receipt.Outcome) string {
	switch {
	case o.Next == verdict.NoNext || o.State == receipt.NotExpected:
		return "none"
	case !counts(o): // optional or waived: nobody has to do anything
		return "not required"
	}
	s := string(o.Next)
	if s == "" {
		s = string(verdict.NeedsHuman)
	}
	if o.Who != "" {
		s += " (" + o.Who + ")"
	}
	return s
}

// nextShort is nextCell in words that a narrow table can break.
func nextShort(o *receipt.Outcome) string {
	word := map[verdict.Next]string{
		verdict.NeedsHuman: "needs a person", verdict.Produce: "produce it", verdict.RunCheck: "run the check",
		verdict.RepairOnce: "repair once", verdict.ObserveAgain: "look again", verdict.AwaitIt: "wait",
	}[o.Next]
	switch {
	case o.Next == verdict.NoNext || o.State == receipt.NotExpected || !counts(o) || word == "":
		return nextCell(o)
	case o.Who == "" || o.Next == verdict.NeedsHuman && o.Who == "human":
		return word
	}
	return word + " (" + o.Who + ")"
}

// spaced is a name of ours as words, which a narrow table can break. What is no name stays as it is.
func spaced(name string) string {
	for i := range len(name) {
		if c := name[i]; c != '_' && c != ' ' && c != '(' && c != ')' && !isLetter(c) {
			return name
		}
	}
	return strings.ReplaceAll(name, "_", " ")
}

// observed is what was seen of an outcome, in a few words. What verified it says more than that its file is there.
func observed(o *receipt.Outcome) string {
	if o.State != evidence.Verified {
		if o.Detail == "" {
			return o.Code
		}
		return o.Detail
	}
	var said []string
	for _, v := range o.Validators {
		if v.Detail != "" {
			said = append(said, v.Detail)
		}
	}
	switch {
	case len(said) > 0:
		return strings.Join(said, "; ")
	case o.Detail != "":
		return o.Detail
	}
	return o.Code
}

// The digests that stand in words: of SHA-256, in hexadecimal, and how much of one tells it from another.
const (
	digestLength = 64
	digestShown  = 12
)

// shortDigests cuts the digests in a text to their first digits. The receipt has them whole.
func shortDigests(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		n := 0
		for i+n < len(s) && isHex(s[i+n]) {
			n++
		}
		switch {
		case n == digestLength:
			b.WriteString(s[i:i+digestShown] + "…")
		case n == 0:
			n = 1
			b.WriteByte(s[i])
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }

// counts reports whether the outcome takes part in the decision.
func counts(o *receipt.Outcome) bool { return o.Required && o.Expected && !o.Waived }

// open lists the outcomes that keep the pull request from passing, in contract order.
func open(r *receipt.Receipt) []*receipt.Outcome {
	var out []*receipt.Outcome
	for i := range r.Outcomes {
		if o := &r.Outcomes[i]; counts(o) && o.State != evidence.Verified {
			out = append(out, o)
		}
	}
	return out
}

// State is an outcome's state as a symbol and a word, for a text.
func State(o *receipt.Outcome) string { return signOf(o.State).text + " " + Line(stateWord(o)) }
