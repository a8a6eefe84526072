package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of one JSON block. A report is a page of text; what is larger is a mistake or an attack.
const (
	maxBlock    = 256 << 10 // bytes of one block
	maxDepth    = 64        // arrays and objects inside one another
	maxItems    = 4096      // items of one array, members of one object: schemas compare items pairwise
	maxNumber   = 64        // bytes of one number
	maxExponent = 308       // beyond it JSON readers disagree: a double has no such number
	maxShown    = 40        // characters of a member's name in a message
)

// fault is why a block was refused, and where.
type fault struct {
	at     int // offset in the text
	reason string
}

// decoder reads JSON (RFC 8259) strictly: what two readers could understand differently is a fault.
// Faults of meaning (a duplicate member, say) are noted and the reading goes on, so that the whole block is
// known; faults of syntax end it.
type decoder struct {
	src   []byte
	i     int
	start int
	depth int
	fault *fault // the first one
	ended bool   // the syntax broke: nothing after i was read
	quiet bool   // reasons are of no interest unless an outcome was seen
	// sawOutcome says that the outermost object has a member named outcome, in any case of its letters.
	sawOutcome bool
}

// decodeObject reads the object that begins at src[at]. After it, d.i is the first byte not read.
// The object is nil if d.fault is set.
func decodeObject(src []byte, at int) (map[string]any, *decoder) {
	d := &decoder{src: src, i: at, start: at}
	v := d.whole()
	return v, d
}

// whole reads the object that begins at d.i.
func (d *decoder) whole() map[string]any {
	at := d.i
	v := d.object()
	if d.i-d.start > maxBlock {
		d.note(at, fmt.Sprintf("over %d KiB", maxBlock>>10))
	}
	if d.fault != nil {
		return nil
	}
	return v
}

// skipArray reads the array that begins at src[at] and gives where the reading ended.
func skipArray(src []byte, at int) int {
	d := decoder{src: src, i: at, start: at, quiet: true}
	d.array()
	return d.i
}

// only faults the decoder if anything but white space follows.
func (d *decoder) only() {
	if d.ended {
		return
	}
	if d.space(); d.i < len(d.src) {
		d.note(d.i, "something follows the JSON object")
	}
}

func (d *decoder) note(at int, reason string) {
	if d.fault == nil {
		d.fault = &fault{at: at, reason: reason}
	}
}

// stop ends the reading at d.i.
func (d *decoder) stop(reason string) {
	d.note(d.i, reason)
	d.ended = true
}

func (d *decoder) peek() byte {
	if d.i < len(d.src) {
		return d.src[d.i]
	}
	return 0
}

func (d *decoder) space() {
	for d.i < len(d.src) {
		switch d.src[d.i] {
		case ' ', '\t', '\n', '\r':
			d.i++
		default:
			return
		}
	}
}

// unexpected ends the reading with what stands at d.i instead of what was wanted.
func (d *decoder) unexpected(wanted string) {
	if d.i >= len(d.src) {
		d.stop("the JSON ends early: expected " + wanted)
		return
	}
	if d.fault != nil || d.quiet && !d.sawOutcome {
		d.stop("")
		return
	}
	r, size := utf8.DecodeRune(d.src[d.i:])
	if r == utf8.RuneError && size == 1 {
		d.stop("invalid UTF-8")
		return
	}
	d.stop("unexpected " + strconv.QuoteRune(r) + ": expected " + wanted)
}

func (d *decoder) object() map[string]any {
	if d.depth++; d.depth > maxDepth {
		d.stop(fmt.Sprintf("more than %d levels of nesting", maxDepth))
		return nil
	}
	d.i++
	out := map[string]any{}
	for d.space(); d.peek() != '}'; d.space() {
		if len(out) > 0 {
			if d.peek() != ',' {
				d.unexpected("a comma or }")
				return nil
			}
			d.i++
			d.space()
		}
		if !d.member(out) {
			return nil
		}
	}
	d.i++
	d.depth--
	return out
}

// member reads one name and its value into out.
func (d *decoder) member(out map[string]any) bool {
	at := d.i
	if d.peek() != '"' {
		d.unexpected("a member's name in double quotes")
		return false
	}
	name := d.str()
	if d.ended {
		return false
	}
	if d.space(); d.peek() != ':' {
		d.unexpected("a colon")
		return false
	}
	d.i++
	d.space()
	if d.depth == 1 {
		d.known(name, at)
	}
	if _, twice := out[name]; twice && d.fault == nil {
		d.note(at, "duplicate member "+shown(name))
	}
	if len(out) == maxItems {
		d.stop(fmt.Sprintf("more than %d members in one object", maxItems))
		return false
	}
	out[name] = d.value()
	return !d.ended
}

// known notes a member that differs from a member of the report only in the case of its letters: some
// readers take the one for the other.
func (d *decoder) known(name string, at int) {
	if len(name) > maxKnown {
		return
	}
	for _, k := range knownMembers() {
		if !strings.EqualFold(name, k) {
			continue
		}
		if k == "outcome" {
			d.sawOutcome = true
		}
		if name != k && d.fault == nil {
			d.note(at, fmt.Sprintf("member %s: write %q", shown(name), k))
		}
	}
}

// maxKnown is the length in bytes of the longest name that equals that of a known member but for case: a letter may
// have a form of three bytes.
const maxKnown = 3 * len("dispatch_id")

func knownMembers() [8]string {
	return [...]string{"outcome", "evidence", "failing", "artifacts", "commit", "task_id", "dispatch_id", "trace"}
}

func (d *decoder) array() []any {
	if d.depth++; d.depth > maxDepth {
		d.stop(fmt.Sprintf("more than %d levels of nesting", maxDepth))
		return nil
	}
	d.i++
	out := []any{}
	for d.space(); d.peek() != ']'; d.space() {
		if len(out) > 0 {
			if d.peek() != ',' {
				d.unexpected("a comma or ]")
				return nil
			}
			d.i++
			d.space()
		}
		if len(out) == maxItems {
			d.stop(fmt.Sprintf("more than %d items in one array", maxItems))
			return nil
		}
		if out = append(out, d.value()); d.ended {
			return nil
		}
	}
	d.i++
	d.depth--
	return out
}

func (d *decoder) value() any {
	if d.i-d.start > maxBlock {
		d.stop(fmt.Sprintf("over %d KiB", maxBlock>>10))
		return nil
	}
	switch c := d.peek(); c {
	case '{':
		return d.object()
	case '[':
		return d.array()
	case '"':
		return d.str()
	case 't', 'f', 'n':
		return d.literal()
	case 'N', 'I':
		return d.notNumber()
	default:
		if c == '-' || c >= '0' && c <= '9' {
			return d.number()
		}
		d.unexpected("a value")
		return nil
	}
}

func (d *decoder) word(w string) bool {
	if !bytes.HasPrefix(d.src[d.i:], []byte(w)) {
		return false
	}
	d.i += len(w)
	return true
}

func (d *decoder) literal() any {
	switch {
	case d.word("true"):
		return true
	case d.word("false"):
		return false
	case d.word("null"):
		return nil
	default:
		d.unexpected("a value")
		return nil
	}
}

// notNumber reads the numbers that JavaScript and Python know and JSON does not.
func (d *decoder) notNumber() any {
	for _, w := range []string{"NaN", "Infinity"} {
		if at := d.i; d.word(w) {
			d.note(at, w+" is not a JSON value")
			return nil
		}
	}
	d.unexpected("a value")
	return nil
}

func (d *decoder) number() any {
	at := d.i
	if d.peek() == '-' {
		if d.i++; d.peek() == 'I' {
			return d.notNumber()
		}
	}
	switch {
	case d.peek() == '0':
		d.i++
	case d.digits() == 0:
		d.unexpected("a digit")
		return nil
	}
	if d.peek() == '.' {
		if d.i++; d.digits() == 0 {
			d.unexpected("a digit")
			return nil
		}
	}
	exponent := "0"
	if c := d.peek(); c == 'e' || c == 'E' {
		d.i++
		if c := d.peek(); c == '+' || c == '-' {
			d.i++
		}
		from := d.i
		if d.digits() == 0 {
			d.unexpected("a digit")
			return nil
		}
		exponent = string(d.src[from:min(d.i, from+maxNumber)])
	}
	if n, err := strconv.Atoi(exponent); err != nil || n > maxExponent || d.i-at > maxNumber {
		d.note(at, "a number that JSON readers do not agree on")
		return json.Number("0")
	}
	return json.Number(d.src[at:d.i])
}

func (d *decoder) digits() int {
	from := d.i
	for c := d.peek(); c >= '0' && c <= '9'; c = d.peek() {
		d.i++
	}
	return d.i - from
}

// shown is text of the agent inside a message: quoted and cut.
func shown(s string) string {
	if rs := []rune(s); len(rs) > maxShown {
		s = string(rs[:maxShown]) + "…"
	}
	return strconv.Quote(s)
}
