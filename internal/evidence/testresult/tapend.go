package testresult

import (
	"bytes"
	"strconv"
)

// diagnostic takes a line while a diagnostic block is open, and reports whether the line is part of it. A block
// ends with three dots at its own indentation. Test points that are less indented end it too: what it swallowed
// they would be missing.
func (r *tapReader) diagnostic(indent int, body []byte) bool {
	y := &r.yaml
	if indent >= y.indent {
		if indent == y.indent && bytes.HasPrefix(body, []byte("...")) && len(trimBlanks(body[3:])) == 0 {
			y.open = false
			return true
		}
		r.message(body)
		return true
	}
	switch body[0] {
	case '#':
		return true
	case 'p':
		if _, ok := readPragma(body); ok {
			return true
		}
	default:
		if _, _, _, ok := readPlan(body); ok && r.levels[0].plan.set {
			return true
		}
	}
	y.open = false
	return false
}

// message looks for what a diagnostic block says about the failure.
func (r *tapReader) message(body []byte) {
	c := &r.record
	if !c.held || c.status != Failed || len(c.message) > 0 || r.level != 0 {
		return
	}
	if r.yaml.wanted {
		r.yaml.wanted = false
		c.message = append(c.message, firstLine(body)...)
		return
	}
	for _, key := range []string{"message:", "error:"} {
		rest, ok := bytes.CutPrefix(body, []byte(key))
		if !ok {
			continue
		}
		value := firstLine(rest)
		switch {
		case len(value) == 0, value[0] == '|', value[0] == '>':
			r.yaml.wanted = len(value) > 0
		case len(value) > 1 && (value[0] == '"' || value[0] == '\'') && value[len(value)-1] == value[0]:
			c.message = append(c.message, value[1:len(value)-1]...)
		default:
			c.message = append(c.message, value...)
		}
		return
	}
}

// finish concludes what the end of the stream decides.
func (r *tapReader) finish() {
	r.flush()
	if r.foreign > 0 {
		r.t.note(NoteForeignLines, foreignTAP(r.foreign), 0)
	}
	if r.bailed {
		return
	}
	if !r.begun {
		if r.foreign == 0 {
			r.t.note(NoteEmptyFile, "", 0)
		}
		return
	}
	r.end()
	top := &r.levels[0]
	if !top.plan.set {
		r.doubt(NotePlanMissing, counted(int64(top.points), "point")+" and no plan")
	}
	if code, detail := top.wrong(); code != "" {
		r.doubt(code, detail)
	}
	r.ended()
	if top.plan.set && top.points == 0 && !r.t.doubt {
		r.t.note(NoteSkippedAll, string(r.reason), 0)
	}
}

// end closes what is open: a stream that ends inside of something is cut off.
func (r *tapReader) end() {
	if r.yaml.open {
		r.doubt(NoteCut, "the last diagnostic block has no end")
	}
	for i := range r.levels {
		if r.levels[i].brace != noBrace {
			r.doubt(NoteCut, "the last subtest has no end")
			break
		}
	}
	sub := r.close(0)
	switch carried := r.levels[0].carried; {
	case sub.bad:
		r.doubt(NoteSubtest, string(sub.why))
	case sub.any, carried.any:
		r.doubt(NoteSubtest, "a subtest without its test point")
	}
}

func foreignTAP(n int) string {
	if n == 1 {
		return "1 line is no TAP"
	}
	return strconv.Itoa(n) + " lines are no TAP"
}

// detectTAP looks for a version line, a plan, or test points that nothing else writes, whatever tools print before.
// Markup, and a stream of events, may well have such lines in it.
func detectTAP(head []byte) bool {
	if bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("<")) {
		return false
	}
	return hasTAP(head) && !detectGoJSON(head) && !detectLibtest(head)
}

func hasTAP(head []byte) bool {
	subtest := false
	for len(head) > 0 {
		line := head
		if i := bytes.IndexByte(head, '\n'); i >= 0 {
			line, head = head[:i], head[i+1:]
		} else {
			head = nil
		}
		indent, body := indentation(bytes.TrimRight(line, "\r"))
		if bytes.HasPrefix(body, []byte("# Subtest")) {
			subtest = true
		}
		if (indent == 0 || subtest) && isTAP(body) {
			return true
		}
	}
	return false
}

// isTAP reports whether a line is of TAP. A bare ok is too common a word.
func isTAP(body []byte) bool {
	var p tapPoint
	if p.read(body) {
		return p.numbered || !p.ok || bytes.HasPrefix(body, []byte("ok - "))
	}
	if _, _, _, ok := readPlan(body); ok {
		return true
	}
	return readVersion(body) || bytes.HasPrefix(body, []byte("Bail out!"))
}
