package testresult

import (
	"bytes"
	"unicode/utf8"
)

// The bounds of what is kept of one file besides its counts.
const (
	maxNotes        = 20
	maxNotesPerCode = 4   // so that one noisy code cannot crowd out the others
	maxDetail       = 200 // bytes of a note's detail
	maxMessage      = 256 // bytes of a failure's first line
	maxCached       = 20
	maxProperties   = 256      // the longest real lists are a virtual machine's system properties
	maxPropertyKey  = 256      // bytes
	maxPropertyText = 4 << 10  // bytes
	keySeparator    = "\x1f"   // a control character: refused in every name
	replacement     = "\uFFFD" // what a character that XML forbids becomes
)

// tally collects the model of one file.
type tally struct {
	res    *Results
	lim    Limits
	visit  func(*Case)
	asks   func(key []byte, s Status) bool // whether visit wants a record; nil: it wants all
	key    []byte
	failed bool // a record failed or erred
	// doubt says that something is missing or over a limit: at best incomplete.
	doubt bool
}

func newTally(format string, lim Limits, visit func(*Case)) *tally {
	return &tally{res: &Results{Format: format}, lim: lim.orDefaults(), visit: visit}
}

// record counts one record and hands it on. c may be nil when nobody visits.
func (t *tally) record(st Status, c *Case) {
	t.count(st)
	if c == nil {
		return
	}
	if t.asks != nil {
		t.key = append(t.key[:0], c.Key...)
	}
	if t.wanted(t.key, st) {
		t.visit(c)
	}
}

// wanted says whether somebody wants the record that was just counted, by its key.
func (t *tally) wanted(key []byte, st Status) bool {
	return t.visited() && (t.asks == nil || t.asks(key, st))
}

// visited says whether somebody is to hear of the record that was just counted.
func (t *tally) visited() bool { return t.visit != nil && t.res.Counts.Tests <= t.lim.MaxCases }

// count counts one record.
func (t *tally) count(st Status) {
	n := &t.res.Counts
	n.Tests++
	switch st {
	case Passed:
		n.Passed++
	case Flaky:
		n.Passed++
		n.Flaky++
	case Skipped:
		n.Skipped++
	case Todo:
		n.Skipped++
		n.Todo++
	case Errored:
		n.Errors++
		t.failed = true
	case Unfinished:
		n.Errors++ // whether that is a failure or a cut is for the format to say
	case Aside:
		n.Other++
		n.Todo++
	case Other:
		n.Other++
		t.doubt = true
	case Failed, NoStatus:
		n.Failed++
		t.failed = true
	}
	if n.Tests == t.lim.MaxCases+1 {
		t.note(NoteOverLimit, "more records than the limit; the rest is only counted", 0)
		t.doubt = true
	}
}

// note adds one note, within the bounds. line 0 means no line.
func (t *tally) note(code, detail string, line int) {
	same := 0
	for _, n := range t.res.Notes {
		if n.Code == code {
			same++
		}
	}
	if same >= maxNotesPerCode || len(t.res.Notes) >= maxNotes {
		return
	}
	t.res.Notes = append(t.res.Notes, Note{Code: code, Detail: clip([]byte(detail)), Line: line})
}

// refuse notes why the file is invalid; the reason is kept even when the notes are full.
func (t *tally) refuse(code, detail string, line int) {
	if len(t.res.Notes) >= maxNotes {
		t.res.Notes = t.res.Notes[:maxNotes-1]
	}
	t.res.Notes = append(t.res.Notes, Note{Code: code, Detail: clip([]byte(detail)), Line: line})
	t.res.Conclusion = Invalid
}

func (t *tally) close(c Conclusion) *Results {
	t.res.Conclusion = c
	return t.res
}

// conclude derives the conclusion from counts and doubts. A failure that is there is there, whatever is
// missing besides; what is incomplete is never a pass.
func (t *tally) conclude() {
	n := t.res.Counts
	switch {
	case t.res.Conclusion == Invalid:
	case t.failed || t.res.ProcessFailure:
		t.res.Conclusion = Fail
	case t.doubt || n.Errors > 0:
		t.res.Conclusion = Incomplete
	case n.Passed == 0:
		t.res.Conclusion = Empty
	default:
		t.res.Conclusion = Pass
	}
}

// property keeps one property. The first value of a name stays, another value is a conflict.
func (t *tally) property(name, value []byte) {
	if len(name) == 0 || t.lim.NoProperties {
		return
	}
	if len(name) > maxPropertyKey || len(value) > maxPropertyText {
		t.note(NotePropertiesCut, string(name[:min(len(name), maxPropertyKey)]), 0)
		return
	}
	if old, ok := t.res.Properties[string(name)]; ok {
		if old != string(value) {
			if t.res.Conflicts == nil {
				t.res.Conflicts = map[string]bool{}
			}
			t.res.Conflicts[string(name)] = true
		}
		return
	}
	if len(t.res.Properties) >= maxProperties {
		t.note(NotePropertiesCut, string(name), 0)
		return
	}
	if t.res.Properties == nil {
		t.res.Properties = map[string]string{}
	}
	t.res.Properties[string(name)] = string(value)
}

// clip bounds text for a note, at a character's boundary.
func clip(b []byte) string { return string(cutAt(b, maxDetail)) }

// cutAt returns at most n bytes of b, not ending inside a character.
func cutAt(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n]
}

// firstLine returns the first line of b that is not blank, trimmed and bounded.
func firstLine(b []byte) []byte {
	b = bytes.TrimLeft(b, " \t\r\n")
	if i := bytes.IndexAny(b, "\r\n"); i >= 0 {
		b = b[:i]
	}
	return bytes.TrimRight(cutAt(b, maxMessage), " \t")
}
