package testresult

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// pathSeparator joins the names of subtests.
const pathSeparator = " > "

// tapReader reads a TAP stream. Points of the top level are records; those of subtests only tell whether a point
// that speaks for them may be believed.
type tapReader struct {
	in     lineScanner
	t      *tally
	levels []tapLevel // by indentation; the first is the top level
	work   int        // steps taken besides reading lines

	begun   bool // something of TAP was there
	bailed  bool
	foreign int
	last    tapLast
	reason  []byte

	// What a line may belong to: the last point, if nothing but comments and diagnostics came since.
	fresh   bool
	level   int // its level
	pending int // the level whose last point ends in a brace that nothing has opened yet, or -1
	yaml    tapYAML
	record  tapRecord
}

// tapYAML is a diagnostic block (TAP 14, "YAML Diagnostics").
type tapYAML struct {
	open   bool
	indent int
	wanted bool // the next line is the message
}

// tapRecord is a record of the top level that is not handed on yet: what follows it may say why it failed.
type tapRecord struct {
	held    bool
	status  Status
	num     int64
	text    []byte
	message []byte
	c       Case
}

// readTAP reads the Test Anything Protocol, versions 12 to 14, and the kernel's KTAP.
func readTAP(s *source, t *tally) {
	newTAPReader(s, t).read()
	t.conclude()
}

func newTAPReader(s *source, t *tally) *tapReader {
	return &tapReader{t: t, in: lineScanner{s: s}, levels: []tapLevel{{}}, pending: -1}
}

func (r *tapReader) read() {
	for !r.bailed && r.in.next() {
		r.line()
	}
	r.finish()
}

// line takes one line.
func (r *tapReader) line() {
	indent, body := 0, r.in.line
	if r.last.reading {
		r.document(body)
	}
	if len(body) > 0 && isBlank(body[0]) {
		indent, body = indentation(body)
	}
	if len(body) == 0 || r.yaml.open && r.diagnostic(indent, body) {
		return
	}
	if r.pending >= 0 {
		r.opens(indent, body)
	}
	switch body[0] {
	case 'o', 'n':
		var p tapPoint
		if p.read(body) {
			r.point(indent, &p)
			return
		}
	case '#':
		r.comment(indent, trimBlanks(body[1:]))
		return
	case '-':
		if r.fresh && indent > r.levels[r.level].indent && bytes.HasPrefix(body, []byte("---")) && len(trimBlanks(body[3:])) == 0 {
			r.yaml = tapYAML{open: true, indent: indent}
			return
		}
	case 'T', 't', 'K', 'k':
		if readVersion(body) && (indent > 0 || !r.begun) {
			r.begun = true
			return
		}
	case 'p':
		if strict, ok := readPragma(body); ok {
			r.pragma(indent, strict)
			return
		}
	case 'B', 'b':
		if reason, ok := readBailOut(body); ok {
			r.begun, r.bailed = true, true
			r.t.res.ProcessFailure = true
			r.t.note(NoteBailOut, string(reason), r.in.s.line())
			return
		}
	case '{', '}':
		if r.brace(indent, body) {
			return
		}
	default:
		if first, last, reason, ok := readPlan(body); ok && r.plan(indent, first, last, reason) {
			return
		}
	}
	r.other(indent, body)
}

// point takes a test point.
func (r *tapReader) point(indent int, p *tapPoint) {
	level, sub := r.reach(indent, true)
	l := &r.levels[level]
	if l.brace == openBrace {
		sub.any, sub.bad = true, false
		r.doubt(NoteSubtest, "a subtest without its end")
	}
	if l.carried.any {
		if l.carried.bad && !sub.bad {
			sub = l.carried
		}
		l.carried = tapSubtest{}
	}
	if l.plan.set && l.plan.at > 0 {
		l.broken = "a plan between points"
	}
	l.points++
	if p.numbered {
		limit := r.t.lim.MaxCases
		if level > 0 {
			limit = min(limit, maxNestedNumber)
		}
		l.numbers.add(p.num, limit)
	}
	l.last, l.brace = p.status, noBrace
	r.begun, r.fresh, r.level = true, true, level
	if p.brace {
		l.brace, r.pending = pendingBrace, level
	}
	r.last.hear(p)
	r.check(p)
	r.settle(level, sub)
	if level == 0 {
		r.take(p, sub)
		return
	}
	if p.status == Failed && !l.failed {
		l.failed, l.whyOf = true, l.points
		l.why = append(l.why, cutAt(appendTAPText(nil, cutAt(p.text, maxMessage)), maxMessage)...)
		l.below(sub)
	}
}

// check notes what makes a point's line doubtful.
func (r *tapReader) check(p *tapPoint) {
	if r.in.cut || len(p.text) > r.t.lim.MaxName {
		r.doubt(NoteOverLimit, "a description longer than "+strconv.Itoa(r.t.lim.MaxName)+" bytes")
	}
	if p.disputed {
		r.doubt(NoteDirective, string(cutAt(r.in.line, maxDetail)))
	}
	if !utf8.Valid(p.text) {
		r.t.note(NoteEncoding, "a description that is no UTF-8", r.in.s.line())
	}
}

func (r *tapReader) doubt(code, detail string) {
	r.t.doubt = true
	r.t.note(code, detail, r.in.s.line())
}

// take makes a record of a point of the top level.
func (r *tapReader) take(p *tapPoint, sub tapSubtest) {
	if r.t.visit == nil {
		r.t.record(p.status, nil)
		return
	}
	r.flush()
	c := &r.record
	c.held, c.status, c.num = true, p.status, p.num
	if !p.numbered {
		c.num = int64(r.levels[0].points)
	}
	c.text = appendTAPText(c.text[:0], cutAt(p.text, r.t.lim.MaxName))
	c.message = c.message[:0]
	if p.status == Failed && sub.bad {
		c.message = append(c.message, sub.why...)
	}
}

// flush hands the held record on. A point without a description is known by its number.
func (r *tapReader) flush() {
	c := &r.record
	if !c.held {
		return
	}
	c.held = false
	text := bytes.TrimSpace(c.text)
	if len(text) == 0 {
		c.text = strconv.AppendInt(c.text[:0], c.num, 10)
		text = c.text
	}
	r.t.count(c.status)
	if !r.t.wanted(text, c.status) {
		return
	}
	name := string(text)
	c.c = Case{ID: name, Key: name, Name: name, Status: c.status}
	if c.status == Failed {
		c.c.Message = string(bytes.ToValidUTF8(c.message, []byte(replacement)))
	}
	r.t.visit(&c.c)
}

// plan takes a plan and reports whether the line counts as one. The first one of a level does.
func (r *tapReader) plan(indent int, first, last int64, reason []byte) bool {
	level, _ := r.reach(indent, false)
	l := &r.levels[level]
	again := tapPlan{set: true, first: first, last: last, at: l.points}
	r.begun, r.fresh = true, false
	switch {
	case !l.plan.set:
		l.plan = again
		if level == 0 {
			r.reason = append(r.reason[:0], cutAt(reason, maxDetail)...)
		}
	case l.brace == openBrace:
		return false // text of the subtest that is open
	case l.plan != again:
		l.broken = "a second plan"
	}
	return true
}

func (r *tapReader) pragma(indent, strict int) {
	r.begun, r.fresh = true, false
	if level, found := r.find(indent); found && strict != 0 {
		r.levels[level].strict = strict > 0
	}
}

// opens decides whether the brace that a point ended in opens a subtest: what is in it is indented.
func (r *tapReader) opens(indent int, body []byte) {
	l := &r.levels[r.pending]
	r.pending = -1
	l.brace = noBrace
	if indent > l.indent || indent == l.indent && body[0] == '}' && len(trimBlanks(body[1:])) == 0 {
		l.brace = openBrace
	}
}

// brace takes a line that begins with a brace: alone it opens or ends a subtest behind its point.
func (r *tapReader) brace(indent int, body []byte) bool {
	level, found := r.find(indent)
	if !found || len(trimBlanks(body[1:])) > 0 {
		return false
	}
	l := &r.levels[level]
	if body[0] == '{' {
		if !r.fresh || level != r.level || l.brace != noBrace {
			return false
		}
		l.brace = openBrace
		r.fresh = false
		r.foreignDocument(indent, body) // what looks like a subtest may be one
		return true
	}
	if l.brace != openBrace {
		return false
	}
	r.fresh = false
	sub := r.close(level)
	l.brace = noBrace
	r.settle(level, sub)
	if level > 0 && l.failed && l.whyOf == l.points {
		l.below(sub)
	}
	if level == 0 && sub.bad && len(r.record.message) == 0 {
		r.record.message = append(r.record.message, sub.why...)
	}
	return true
}

// other takes a line that is nothing of TAP: what tests and tools print in between.
func (r *tapReader) other(indent int, body []byte) {
	r.foreign++
	r.plain(body)
	r.foreignDocument(indent, body)
	if indent > 0 {
		r.explain(body)
	}
	r.fresh = false
	level, found := r.find(indent)
	if !found {
		level--
	}
	if r.levels[level].strict {
		r.doubt(NoteStrict, string(cutAt(body, maxDetail)))
	}
}

// comment takes a comment. At the top level it may be one of the runner's last words.
func (r *tapReader) comment(indent int, text []byte) {
	if indent == 0 && r.lastWords(text) {
		return
	}
	if !bytes.HasPrefix(text, []byte("Subtest")) {
		r.explain(text)
	}
}

// explain keeps the first line that follows a failed point, for want of a better message.
func (r *tapReader) explain(text []byte) {
	c := &r.record
	if c.held && r.fresh && r.level == 0 && c.status == Failed && len(c.message) == 0 {
		c.message = append(c.message, firstLine(text)...)
	}
}
