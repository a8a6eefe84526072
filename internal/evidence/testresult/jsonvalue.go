package testresult

// value skips any JSON value (RFC 8259), checking it, to a depth of maxEventDepth. The value is next.
func (e *goEvent) value() scanState {
	var closers [maxEventDepth]byte
	depth := 0
	for {
		// A value is next.
		st, opened := e.scalar()
		if st != scanGood {
			return st
		}
		if opened != 0 {
			if depth == maxEventDepth {
				return scanBad
			}
			closers[depth] = opened
			depth++
			empty, st := e.opened(opened)
			if st != scanGood {
				return st
			}
			if !empty {
				continue
			}
			depth--
		}
		for {
			if depth == 0 {
				return scanGood
			}
			if !e.space() {
				return scanMore
			}
			c := e.b[e.i]
			if c == closers[depth-1] {
				e.i++
				depth--
				continue
			}
			if c != ',' {
				return scanBad
			}
			e.i++
			if st := e.next(closers[depth-1]); st != scanGood {
				return st
			}
			break
		}
	}
}

// opened handles what follows an opening bracket: nothing, or the first value's place.
func (e *goEvent) opened(closer byte) (empty bool, st scanState) {
	if !e.space() {
		return false, scanMore
	}
	if e.b[e.i] == closer {
		e.i++
		return true, scanGood
	}
	return false, e.next(closer)
}

// next goes to the place of the next value: behind the name of a member, in an object.
func (e *goEvent) next(closer byte) scanState {
	if !e.space() {
		return scanMore
	}
	if closer == ']' {
		return scanGood
	}
	if e.b[e.i] != '"' {
		return scanBad
	}
	if _, st := e.str(); st != scanGood {
		return st
	}
	if !e.space() {
		return scanMore
	}
	if e.b[e.i] != ':' {
		return scanBad
	}
	e.i++
	if !e.space() {
		return scanMore
	}
	return scanGood
}

// scalar reads a string, a number or a literal, or an opening bracket, of which it returns the closing one.
func (e *goEvent) scalar() (st scanState, closer byte) {
	switch c := e.b[e.i]; {
	case c == '{':
		e.i++
		return scanGood, '}'
	case c == '[':
		e.i++
		return scanGood, ']'
	case c == '"':
		_, st = e.str()
		return st, 0
	case c == 't':
		return e.literal("true"), 0
	case c == 'f':
		return e.literal("false"), 0
	case c == 'n':
		return e.literal("null"), 0
	case c == '-' || c >= '0' && c <= '9':
		return e.number(), 0
	}
	return scanBad, 0
}

func (e *goEvent) literal(want string) scanState {
	got := e.b[e.i:min(len(e.b), e.i+len(want))]
	if string(got) != want[:len(got)] {
		return scanBad
	}
	if len(got) < len(want) {
		return scanMore
	}
	e.i += len(want)
	return scanGood
}

// number reads a number. One that the bytes end with may go on, and is inside an object anyway.
func (e *goEvent) number() scanState {
	if e.b[e.i] == '-' {
		e.i++
	}
	if e.i >= len(e.b) {
		return scanMore
	}
	if e.b[e.i] == '0' {
		e.i++
	} else if st := e.digits(); st != scanGood {
		return st
	}
	if e.i < len(e.b) && e.b[e.i] == '.' {
		e.i++
		if st := e.digits(); st != scanGood {
			return st
		}
	}
	if e.i < len(e.b) && e.b[e.i]|0x20 == 'e' {
		e.i++
		if e.i < len(e.b) && (e.b[e.i] == '+' || e.b[e.i] == '-') {
			e.i++
		}
		if st := e.digits(); st != scanGood {
			return st
		}
	}
	if e.i >= len(e.b) {
		return scanMore
	}
	return scanGood
}

// digits reads one digit or more.
func (e *goEvent) digits() scanState {
	from := e.i
	for e.i < len(e.b) && e.b[e.i] >= '0' && e.b[e.i] <= '9' {
		e.i++
	}
	switch {
	case e.i > from:
		return scanGood
	case e.i >= len(e.b):
		return scanMore
	}
	return scanBad
}
