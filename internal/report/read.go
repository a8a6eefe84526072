package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of what a Reading says.
const (
	maxErrors = 10
	maxError  = 300 // bytes of one message
)

// Options say whose texts count and how a report must look.
type Options struct {
	// Authors may report in comments: the pull request's author and the contract's comment_authors, each as
	// "login/type", compared by equality.
	Authors []string
	// Gate and Marker name the gate's own comments, which carry the block to fill in and never a report: the
	// gate's "login/type", and a text that all of them contain. With an empty Marker every comment by Gate is one.
	Gate, Marker string
	// Schema is the contract's own; nil means the built-in one.
	Schema *Validator
	// Wrappers are looked for in the texts of every carrier; in those that hold nothing but a report, all of them are.
	Wrappers []string
	// Wrapper is the only one looked for in texts that hold nothing but a report, which then must have its form, or
	// Unwrapped; "" leaves it to the form.
	Wrapper string
}

// source is a text that holds report blocks.
type source struct {
	text    Text
	carrier Carrier
	found   extraction
}

// Read finds the report in the texts of all carriers. Texts of one carrier are in order of time, oldest first.
// A report is used if it is the only one or all others equal it; a text gives way to a newer one by the same author
// in another carrier. Nothing is chosen between reports that differ otherwise.
func Read(texts []Text, opts Options) Reading {
	r, _ := read(texts, opts)
	return r
}

// read is Read, and counts the bytes it looked at.
func read(texts []Text, opts Options) (Reading, int) {
	var sources, quiet []source
	anything, steps := false, 0
	settled := map[string]bool{} // carriers whose newest report was found
	for _, t := range slices.Backward(texts) {
		c, known := carrierOf(t.Carrier)
		if !known {
			// A text that was gathered and cannot be judged must not be passed over.
			e := extraction{blocks: []block{{fault: &fault{reason: "unknown carrier " + shown(t.Carrier)}}}}
			sources = append(sources, source{text: t, found: e})
			continue
		}
		if c.Newest && (settled[c.Name] || !opts.mayReport(t)) {
			continue
		}
		if t.Unreadable != "" {
			settled[c.Name] = true
			sources = append(sources, source{text: t, carrier: c, found: extraction{blocks: []block{{fault: &fault{reason: t.Unreadable}}}}})
			continue
		}
		e := opts.extract(t, c)
		steps += e.steps
		anything = anything || !e.nothing
		switch s := (source{text: t, carrier: c, found: e}); {
		case len(e.blocks) > 0 || e.runtime != "":
			settled[c.Name] = true
			sources = append(sources, s)
		case e.wrapper != "":
			quiet = append(quiet, s)
		}
	}
	slices.Reverse(sources)
	sources = newest(sources)
	out := Reading{Problem: NoText}
	if anything {
		out.Problem = NoBlock
	}
	if slices.ContainsFunc(sources, func(s source) bool { return len(s.found.blocks) > 0 }) {
		out = conclude(sources, opts)
	}
	out.hear(append(sources, quiet...))
	return out, steps
}

// hear adds what the agents' runtimes said.
func (r *Reading) hear(sources []source) {
	var said []string
	for _, s := range sources {
		e := s.found
		if e.wrapper == "" {
			continue
		}
		r.Exits = append(r.Exits, e.exits[:min(len(e.exits), maxExits-len(r.Exits))]...)
		if r.Carrier == "" {
			r.Carrier, r.Author, r.At, r.Ref = s.text.Carrier, s.text.Author, s.text.At, s.text.Ref
		}
		if graver := worse(r.Runtime, e.runtime); r.Wrapper == "" || graver != r.Runtime {
			r.Wrapper, r.Runtime = e.wrapper, graver
		}
		for _, words := range e.said {
			said = append(said, cut(s.text.Carrier+" "+e.wrapper+": "+words))
		}
	}
	if r.Runtime == RuntimeProblem && !r.Found {
		r.Found, r.Problem = true, NoOutcome
	}
	r.Errors = append(said, r.Errors...)
	r.Errors = r.Errors[:min(len(r.Errors), maxErrors)]
}

// mayReport reports whether a comment counts.
func (o Options) mayReport(t Text) bool {
	own := o.Gate != "" && t.Author == o.Gate && strings.Contains(t.Body, o.Marker)
	return !own && t.Author != "" && slices.Contains(o.Authors, t.Author)
}

// newest drops the texts that the same author replaced by a newer one in another carrier.
func newest(sources []source) []source {
	latest := map[string]source{} // by author
	for _, s := range sources {
		at, err := time.Parse(time.RFC3339, s.text.At)
		if err != nil || s.text.Author == "" {
			continue
		}
		// A stored time parses.
		have, _ := time.Parse(time.RFC3339, latest[s.text.Author].text.At)
		if at.After(have) {
			latest[s.text.Author] = s
		}
	}
	return slices.DeleteFunc(sources, func(s source) bool {
		last, ok := latest[s.text.Author]
		if !ok || last.text.Carrier == s.text.Carrier {
			return false
		}
		at, err := time.Parse(time.RFC3339, s.text.At)
		have, _ := time.Parse(time.RFC3339, last.text.At)
		return err == nil && at.Before(have)
	})
}

// candidate is a block with the source it was found in.
type candidate struct {
	source
	block
	canon []byte
}

// conclude makes the reading out of all blocks that count, at least one.
func conclude(sources []source, opts Options) Reading {
	out := Reading{Found: true}
	var decoded, broken []candidate // decoded: one of each value
	values := map[string]bool{}
	for _, s := range sources {
		for _, b := range s.found.blocks {
			c := candidate{source: s, block: b}
			if b.fault != nil {
				broken = append(broken, c)
				continue
			}
			switch word := b.object["outcome"]; {
			case word == "failed", word == "blocked" && out.AnyBad == "":
				out.AnyBad, _ = word.(string)
			}
			c.canon = canonical(b.object)
			if !values[string(c.canon)] {
				values[string(c.canon)] = true
				decoded = append(decoded, c)
			}
		}
	}
	first := slices.Concat(decoded, broken)[0]
	out.Carrier, out.Author, out.At, out.Ref = first.text.Carrier, first.text.Author, first.text.At, first.text.Ref
	switch {
	case len(decoded) == 0:
		out.Problem = Broken
		out.explain(broken, func(c candidate) string { return c.fault.reason })
	case len(decoded) == 1 && len(broken) == 0:
		out.judge(decoded[0], opts.Schema)
	case len(broken) == 0 && !slices.ContainsFunc(decoded, hasOutcome):
		// Objects without an outcome do not contradict each other: none says anything.
		out.judge(decoded[0], opts.Schema)
	default:
		out.Problem = Ambiguous
		out.explain(decoded, func(c candidate) string { return "a report with the outcome " + shown(text(c.object["outcome"])) })
		out.explain(broken, func(c candidate) string { return "a broken report: " + c.fault.reason })
	}
	return out
}

func hasOutcome(c candidate) bool {
	_, has := c.object["outcome"]
	return has
}

// explain adds a message for each block, with its place, as long as there is room.
func (r *Reading) explain(blocks []candidate, message func(candidate) string) {
	for _, c := range blocks {
		if len(r.Errors) == maxErrors {
			return
		}
		at, src, where := c.at, c.src, c.text.Carrier
		if c.fault != nil {
			at = c.fault.at
		}
		if src == nil {
			src = []byte(c.text.Body[c.found.offset:])
		}
		if c.where != "" {
			where += " " + c.where
		}
		r.Errors = append(r.Errors, cut(fmt.Sprintf("%s:%s: %s", where, place(src, at), message(c))))
	}
}

// place gives line:column of an offset, both from 1, columns in characters.
func place(text []byte, at int) string {
	line, from := 1, 0
	for from < at {
		end, next := lineEnd(text, from)
		if next > at || next == end {
			break
		}
		line, from = line+1, next
	}
	return fmt.Sprintf("%d:%d", line, utf8.RuneCount(text[from:at])+1)
}

// cut bounds a message.
func cut(s string) string {
	if len(s) <= maxError {
		return s
	}
	return strings.ToValidUTF8(s[:maxError], "") + "…"
}
