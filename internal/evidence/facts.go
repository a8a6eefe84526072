package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxFactsBytes bounds the facts of one validator, so that a receipt of many stays readable.
	maxFactsBytes = 64 << 10
	// maxListBytes is what the texts of all lists in one validator's facts may take together; the rest is
	// numbers, member names and a few single texts.
	maxListBytes = 40 << 10
	// maxDetailBytes bounds a finding's detail.
	maxDetailBytes = 512
	// maxNameBytes bounds a test's or file's name in facts.
	maxNameBytes = 256
)

// clip bounds s to about max bytes of valid UTF-8 on one line, cut at a character. Control characters become spaces,
// so that a text never takes more than twice its size as JSON.
func clip(s string, limit int) string {
	cut := false
	if len(s) > limit {
		for limit > 0 && !utf8.RuneStart(s[limit]) {
			limit--
		}
		s, cut = s[:limit], true
	}
	s = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || (r >= 0x80 && r < 0xa0) || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	if cut {
		s += "…"
	}
	return s
}

// room is the space that the lists of one validator's facts have left. Short says that something found none.
type room struct {
	left  int
	short bool
}

func newRoom() *room { return &room{left: maxListBytes} }

// take reports whether an entry of these texts still fits, and takes its space.
func (r *room) take(texts ...string) bool {
	need := 64 // member names and punctuation of one entry
	for _, s := range texts {
		need += len(s) + strings.Count(s, `"`) + strings.Count(s, `\`)
	}
	if need > r.left {
		r.short = true
		return false
	}
	r.left -= need
	return true
}

// add appends s to the list, clipped, while there is room and the list is shorter than limit.
func (r *room) add(list []string, s string, limit int) []string {
	s = clip(s, maxNameBytes)
	if len(list) >= limit || !r.take(s) {
		return list
	}
	return append(list, s)
}

// one keeps a single text if there is room for it.
func (r *room) one(s string) string {
	if s == "" || !r.take(s) {
		return ""
	}
	return s
}

// encodeFacts gives the facts as JSON. What would be over the limit becomes a text that no Judge accepts.
func encodeFacts(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil || b.Len() > maxFactsBytes {
		return json.RawMessage(`{"facts_over_limit":true}`)
	}
	return json.RawMessage(bytes.TrimSpace(b.Bytes()))
}

// find makes a finding with a bounded detail.
func find(s State, code, format string, args ...any) Finding {
	return Finding{State: s, Code: code, Detail: clip(fmt.Sprintf(format, args...), maxDetailBytes)}
}

// observing makes a kind's Observe of a function over typed parameters. Unusable parameters observe nothing.
func observing[P, F any](observe func(p *P, in *Input) F) func(json.RawMessage, Input) json.RawMessage {
	return func(params json.RawMessage, in Input) json.RawMessage {
		p := new(P)
		if decodeStrict(params, p) != nil {
			return json.RawMessage(`{}`)
		}
		return encodeFacts(observe(p, &in))
	}
}

// judging makes a kind's Judge of a function over typed parameters and facts. Facts that decide are always written.
func judging[P, F any](judge func(p *P, f *F) Finding) func(params, facts json.RawMessage) Finding {
	return func(params, facts json.RawMessage) Finding {
		p, f := new(P), new(F)
		if err := decodeStrict(params, p); err != nil {
			return find(Unverified, CodeInputParams, "parameters: %v", err)
		}
		if err := decodeWhole(facts, f); err != nil {
			return find(Unverified, CodeInputFacts, "facts: %v", err)
		}
		return judge(p, f)
	}
}

// worst is the finding whose state comes first in the order of States; of equal ones the first. Nothing is unverified.
func worst(all []Finding) Finding {
	order := States()
	best := -1
	for i, f := range all {
		rank := slices.Index(order, f.State)
		if rank < 0 {
			return find(Unverified, CodeInputFacts, "%q is no state", f.State)
		}
		if best < 0 || rank < slices.Index(order, all[best].State) {
			best = i
		}
	}
	if best < 0 {
		return find(Unverified, CodeInputFacts, "nothing was judged")
	}
	return all[best]
}
