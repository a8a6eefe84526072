package testresult

import (
	"bytes"
	"strconv"
)

// maxEventBytes is the longest event that is read, in bytes. test2json cuts output at 4 KiB, so that a true
// event is far shorter; a longer one is over the limit and the stream incomplete.
const maxEventBytes = windowBytes - maxMarkup

// maxLineTail is how much is looked at behind an event for what is left of its line.
const maxLineTail = 64

// goJSONReader reads an event stream: a JSON object a line, or one JSON array of such objects.
type goJSONReader struct {
	s   *source
	t   *tally
	ev  goEvent
	run goRun

	foreign  int // lines that are no events
	events   int
	indented bool   // white space precedes the read position on its line
	exit     string // the first plain line that says that something failed, and nothing more
	exitLine int
}

// readGoJSON reads the output of go test -json.
func readGoJSON(s *source, t *tally) {
	r := &goJSONReader{s: s, t: t, run: goRun{t: t, packages: map[string]*goPackage{}}}
	r.skipSpace()
	if s.ensure(1) > 0 && s.buf[s.pos] == '[' {
		r.array()
	} else {
		r.lines()
	}
	r.run.finish()
	r.plainEnd()
	if r.foreign > 0 {
		t.note(NoteForeignLines, lineCount(r.foreign), 0)
	}
	if r.events == 0 && t.res.Conclusion != Invalid && !t.res.ProcessFailure {
		if r.foreign > 0 {
			t.refuse(NoteNotResults, "no line is an event", 1)
		} else if !t.doubt {
			t.note(NoteEmptyFile, "", 0)
		}
	}
	t.conclude()
}

// lineCount says how many lines are no events.
func lineCount(n int) string {
	if n == 1 {
		return "1 line is no event"
	}
	return strconv.Itoa(n) + " lines are no events"
}

// skipSpace skips white space.
func (r *goJSONReader) skipSpace() {
	s := r.s
	for {
		for s.pos < s.end {
			if !isXMLSpace(s.buf[s.pos]) {
				return
			}
			r.indented = s.buf[s.pos] == ' ' || s.buf[s.pos] == '\t'
			s.pos++
		}
		if !s.fill() {
			return
		}
	}
}

// lines reads the form that go test writes.
func (r *goJSONReader) lines() {
	s := r.s
	for {
		r.skipSpace()
		if s.ensure(len(byteOrderMark)) == 0 {
			return
		}
		if bytes.HasPrefix(s.buf[s.pos:s.end], []byte(byteOrderMark)) {
			s.pos += len(byteOrderMark) // files joined by a shell that marks each
			continue
		}
		if s.buf[s.pos] != '{' {
			r.otherLine(false)
			continue
		}
		n, st := r.object()
		if st == scanGood && !r.lineGoesOn(n) {
			st = scanBad
		}
		switch st {
		case scanGood:
			r.apply()
			s.pos += n
		case scanMore:
			r.cut()
			return
		case scanBad:
			r.otherLine(r.ev.twice)
		}
	}
}

// byteOrderMark is U+FEFF in UTF-8.
const byteOrderMark = "\xEF\xBB\xBF"

// object scans the object at the read position without consuming it. scanMore means that the input ends in
// it. An object over maxEventBytes is scanBad.
func (r *goJSONReader) object() (int, scanState) {
	s := r.s
	n, st := r.ev.scan(s.buf[s.pos:s.end])
	if !s.eof && (st == scanMore || st == scanGood && s.end-s.pos-n < maxLineTail) {
		s.fill() // moves the object: scan it where it now is
		n, st = r.ev.scan(s.buf[s.pos:s.end])
		if st == scanMore && !s.eof {
			return 0, scanBad
		}
	}
	if n > maxEventBytes {
		return 0, scanBad
	}
	return n, st
}

// lineGoesOn reports whether what follows n bytes is the end of the line or of the input, or another object.
func (r *goJSONReader) lineGoesOn(n int) bool {
	for _, b := range r.s.buf[r.s.pos+n : r.s.end] {
		switch b {
		case ' ', '\t', '\r':
		case '\n', '{':
			return true
		default:
			return false
		}
	}
	return true
}

// array reads the events as elements of one array, as jq -s writes them.
func (r *goJSONReader) array() {
	s := r.s
	s.pos++
	for first := true; ; first = false {
		r.skipSpace()
		if s.ensure(1) == 0 {
			r.cut()
			return
		}
		if s.buf[s.pos] == ']' && first {
			s.pos++
			break
		}
		if s.buf[s.pos] != '{' {
			r.malformed("an array element that is no event")
			return
		}
		n, st := r.object()
		if st == scanMore {
			r.cut()
			return
		}
		if st != scanGood {
			r.malformed("an array element that is no event")
			return
		}
		r.apply()
		s.pos += n
		r.skipSpace()
		if s.ensure(1) == 0 {
			r.cut()
			return
		}
		if s.buf[s.pos] == ']' {
			s.pos++
			break
		}
		if s.buf[s.pos] != ',' {
			r.malformed("no comma between two array elements")
			return
		}
		s.pos++
	}
	r.skipSpace()
	if s.ensure(1) > 0 {
		r.malformed("content after the array")
	}
}

func (r *goJSONReader) malformed(detail string) {
	r.t.doubt = true
	r.t.note(NoteMalformedLine, detail, r.s.line())
}

func (r *goJSONReader) cut() {
	r.t.doubt = true
	r.t.note(NoteCut, "the last event has no end", r.s.line())
}

// otherLine skips a line that is no event. One that names an action may hide an event, and one that a file
// ends in may be the start of one; any other is what tools print in between, and only counted.
func (r *goJSONReader) otherLine(hides bool) {
	const mark = `"action"`
	s := r.s
	line, object, size := s.line(), s.buf[s.pos] == '{', 0
	s.ensure(maxPlain)
	start := cutAt(s.buf[s.pos:s.end], maxPlain)
	if i := bytes.IndexByte(start, '\n'); i >= 0 {
		start = start[:i]
	}
	switch {
	case otherDocument(start, "go-json"):
		r.t.otherDocument(start, line)
	case !object && !r.indented:
		r.plain(start, line)
	}
	for {
		rest := s.buf[s.pos:s.end]
		n, ended := len(rest), false
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			n, ended = i, true
		}
		hides = hides || bytes.Contains(bytes.ToLower(rest[:n]), []byte(mark))
		size += n
		if ended {
			s.pos += n
			break
		}
		s.pos += max(0, n-len(mark)) // a mark may straddle two windows
		size -= min(n, len(mark))
		if !s.fill() {
			s.pos = s.end
			hides = hides || object
			break
		}
	}
	switch {
	case size > maxEventBytes:
		r.t.doubt = true
		r.t.note(NoteOverLimit, "a line longer than "+strconv.Itoa(maxEventBytes)+" bytes", line)
	case hides:
		r.t.doubt = true
		r.t.note(NoteMalformedLine, "", line)
	default:
		r.foreign++
	}
}

// apply hands the scanned event to the run, unless it is an object of some other kind.
func (r *goJSONReader) apply() {
	ev := &r.ev
	action := ev.get(evAction)
	a := goAction(action.raw)
	if action.escaped {
		a = goAction(appendUnescaped(nil, action.raw))
	}
	if a == actUnknown {
		if ev.set&(1<<evPackage|1<<evTest|1<<evImportPath) == 0 {
			r.foreign++
			if object := ev.b[:min(ev.i+1, len(ev.b))]; otherDocument(object, "go-json") {
				r.t.otherDocument(object, r.s.line())
			}
			return
		}
		r.t.doubt = true
		r.t.note(NoteUnknownAction, "\""+string(action.raw)+"\"", r.s.line())
		r.events++
		return
	}
	r.events++
	if why := r.run.event(a, ev); why != "" {
		r.malformed(why)
	}
}

// detectGoJSON looks for the first object at the start of a line that is an event with a known action, or for a
// package that could not be built, of which go before 1.24 says nothing else. Markup is never a stream, nor is a document of another
// format: what its tests print may well look like an event.
func detectGoJSON(head []byte) bool {
	var ev goEvent
	if bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("<")) || jsonFormat(head) != "" {
		return false
	}
	for len(head) > 0 {
		head = bytes.TrimPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte(byteOrderMark))
		head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("[")), " \t\r\n")
		if len(head) > 0 && head[0] == '{' {
			if _, st := ev.scan(head); st == scanGood && ev.isEvent() {
				return true
			}
		}
		i := bytes.IndexByte(head, '\n')
		if is, _ := readPlain(head[:max(i, 0)]); is == plainBuildFailed {
			return true
		}
		if i < 0 {
			return false
		}
		head = head[i:]
	}
	return false
}

// isEvent reports whether the object has a known action and says when or of what.
func (e *goEvent) isEvent() bool {
	return goAction(e.get(evAction).raw) != actUnknown && e.set&(1<<evTime|1<<evPackage|1<<evImportPath|1<<evTest) != 0
}
