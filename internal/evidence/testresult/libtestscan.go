package testresult

import "bytes"

// The members of an event that are read (rustc's library/test, formatters/json.rs; cargo-nextest's libtest-json).
const (
	ltType uint8 = iota + 1
	ltEvent
	ltName
	ltStdout
	ltMessage
	ltReason
	ltTestCount
	ltPassed
	ltFailed
	ltMeasured
	ltAllowed
	ltNextest
	ltCrate  // inside of nextest
	ltBinary // likewise
	ltMembers
)

func libtestMember(name []byte) uint8 {
	switch string(name) {
	case "type":
		return ltType
	case "event":
		return ltEvent
	case "name":
		return ltName
	case "stdout":
		return ltStdout
	case "message":
		return ltMessage
	case "reason":
		return ltReason
	case "test_count":
		return ltTestCount
	case "passed":
		return ltPassed
	case "failed":
		return ltFailed
	case "measured":
		return ltMeasured
	case "allowed_fail", "allowed_failures":
		return ltAllowed
	case "nextest":
		return ltNextest
	}
	return 0
}

// isLibtestVariant reports whether name differs only in case from a member that decides.
func isLibtestVariant(name []byte) bool {
	for _, known := range []string{"type", "event", "name", "test_count", "passed", "failed"} {
		if len(known) == len(name) && bytes.EqualFold(name, []byte(known)) {
			return true
		}
	}
	return false
}

// libtestEvent is one event, its strings still in the window.
type libtestEvent struct {
	json goEvent // the place in the line
	text [ltMembers]eventText
	num  [ltMembers]int
	set  uint32
	seen uint32
}

func (e *libtestEvent) has(id uint8) bool { return e.set&(1<<id) != 0 }

// word is a member that is one of a few words, which nobody writes with escapes.
func (e *libtestEvent) word(id uint8) string {
	if !e.has(id) || len(e.text[id].raw) > maxEventKeys {
		return ""
	}
	return string(e.text[id].raw)
}

// scan reads a line that is one object and nothing more. What was read before a failure stays.
func (e *libtestEvent) scan(line []byte) scanState {
	e.set, e.seen = 0, 0
	j := &e.json
	*j = goEvent{b: line, i: 1}
	st := e.members(0)
	if st == scanGood && len(bytes.TrimLeft(line[j.i:], " \t\r")) > 0 {
		return scanBad
	}
	return st
}

// members reads the members of an object, the brace that opens it being read. Inside is the member that it is.
func (e *libtestEvent) members(inside uint8) scanState {
	j := &e.json
	if !j.space() {
		return scanMore
	}
	if j.b[j.i] == '}' {
		j.i++
		return scanGood
	}
	for range maxEventKeys {
		if st := e.member(inside); st != scanGood {
			return st
		}
		if !j.space() {
			return scanMore
		}
		c := j.b[j.i]
		j.i++
		if c == '}' {
			return scanGood
		}
		if c != ',' {
			return scanBad
		}
		if !j.space() {
			return scanMore
		}
	}
	return scanBad
}

// member reads one member; its name is next.
func (e *libtestEvent) member(inside uint8) scanState {
	j := &e.json
	if j.b[j.i] != '"' {
		return scanBad
	}
	name, st := j.str()
	if st != scanGood {
		return st
	}
	id := e.identify(name, inside)
	if id == ltMembers {
		return scanBad
	}
	if !j.space() {
		return scanMore
	}
	if j.b[j.i] != ':' {
		return scanBad
	}
	j.i++
	if !j.space() {
		return scanMore
	}
	return e.value(id)
}

// identify tells which member a name is: 0 for one that is not read, ltMembers for one that is there twice or that
// only some readers would take for one that decides.
func (e *libtestEvent) identify(name eventText, inside uint8) uint8 {
	raw := name.raw
	if name.escaped {
		raw = appendUnescaped(nil, raw)
	}
	id := uint8(0)
	switch {
	case inside == 0:
		id = libtestMember(raw)
		if id == 0 && isLibtestVariant(raw) {
			return ltMembers
		}
	case string(raw) == "crate":
		id = ltCrate
	case string(raw) == "test_binary":
		id = ltBinary
	}
	if id != 0 {
		if e.seen&(1<<id) != 0 {
			return ltMembers
		}
		e.seen |= 1 << id
	}
	return id
}

func (e *libtestEvent) value(id uint8) scanState {
	j := &e.json
	c := j.b[j.i]
	switch id {
	case 0:
		return j.value()
	case ltNextest:
		if c != '{' {
			return scanBad
		}
		j.i++
		return e.members(ltNextest)
	case ltTestCount, ltPassed, ltFailed, ltMeasured, ltAllowed:
		from := j.i
		if st := j.value(); st != scanGood {
			return st
		}
		n := number(j.b[from:j.i])
		if n < 0 {
			return scanBad
		}
		e.num[id] = n
	default:
		if c != '"' {
			return scanBad
		}
		text, st := j.str()
		if st != scanGood {
			return st
		}
		e.text[id] = text
	}
	e.set |= 1 << id
	return scanGood
}

// isLibtest reports whether an object is an event of a suite or of a test.
func (e *libtestEvent) isLibtest() bool {
	switch e.word(ltType) {
	case "suite":
		return e.word(ltEvent) != "" && !e.has(ltName)
	case "test":
		return e.word(ltEvent) != "" && e.has(ltName)
	case "bench":
		return e.has(ltName)
	}
	return false
}

// detectLibtest looks for the first line that is an event. A document that begins in the first line and goes on is
// none, and what go test writes comes first.
func detectLibtest(head []byte) bool {
	body := bytes.TrimLeft(head, " \t\r\n")
	if bytes.HasPrefix(body, []byte("<")) || jsonFormat(head) != "" {
		return false
	}
	var ev libtestEvent
	for first := true; len(body) > 0; first = false {
		line, rest, ended := bytes.Cut(body, []byte("\n"))
		body = rest
		if line = bytes.TrimRight(line, "\r"); len(line) == 0 || line[0] != '{' {
			continue
		}
		st := ev.scan(line)
		if ev.isLibtest() && (st == scanGood || st == scanMore && !ended) {
			return !detectGoJSON(head)
		}
		if first && st != scanGood {
			return false
		}
	}
	return false
}
