package report

import "fmt"

// Limits of what is kept of one wrapper. Texts are not counted here: those of the text bound them.
const (
	maxKept   = 1 << 17      // values
	maxWholes = 4 * maxBlock // bytes of the values that are kept whole
	maxPassed = 4096         // arrays and objects inside one another in what is passed over
)

// rule says which arrays and objects of a JSON object are read; strings, numbers and words always are. A rule for an
// array is that of the objects in it.
type rule struct {
	whole  bool // everything in it, as strictly as a report
	inside map[string]rule
}

// passedOver stands for an array or object that was not read.
type passedOver struct{}

// skimmer reads the members by which a runtime's result speaks and passes over the rest, such as a trace of
// megabytes, of which only brackets and strings are looked at. A duplicate member among those that are read is a fault;
// what two readers could understand differently inside a value is one only in values that are read whole.
type skimmer struct {
	decoder
	kept   int
	wholes int
}

// skim reads the object that begins at src[at]. The object is nil if the decoder has a fault.
func skim(src []byte, at int, r rule) (map[string]any, *decoder) {
	s := &skimmer{decoder: decoder{src: src, i: at, start: at}}
	out := s.members(r)
	if s.fault != nil {
		return nil, &s.decoder
	}
	return out, &s.decoder
}

// members reads the object that begins at s.i.
func (s *skimmer) members(r rule) map[string]any {
	out := map[string]any{}
	s.list('}', func() {
		at := s.i
		if s.peek() != '"' {
			s.unexpected("a member's name in double quotes")
			return
		}
		name := s.str()
		if s.space(); s.ended || s.peek() != ':' {
			s.unexpected("a colon")
			return
		}
		s.i++
		s.space()
		if _, twice := out[name]; twice {
			s.note(at, "duplicate member "+shown(name))
		}
		if len(out) == maxItems {
			s.stop(fmt.Sprintf("more than %d members in one object", maxItems))
			return
		}
		inner, named := r.inside[name]
		out[name] = s.one(inner, named)
	})
	return out
}

// items reads the array that begins at s.i.
func (s *skimmer) items(r rule) []any {
	out := []any{}
	s.list(']', func() {
		if len(out) == maxItems {
			s.stop(fmt.Sprintf("more than %d items in one array", maxItems))
			return
		}
		out = append(out, s.one(r, s.peek() == '{'))
	})
	return out
}

// list reads what stands between a bracket at s.i and the closing one, parted by commas.
func (s *skimmer) list(end byte, item func()) {
	s.i++
	for n := 0; ; n++ {
		if s.space(); s.peek() == end {
			s.i++
			return
		}
		if n > 0 {
			if s.peek() != ',' {
				s.unexpected("a comma or " + string(end))
				return
			}
			s.i++
			s.space()
		}
		if item(); s.ended {
			return
		}
	}
}

// one reads the value at s.i: by the rule if it is named, and else only if it is neither array nor object.
func (s *skimmer) one(r rule, named bool) any {
	if s.kept++; s.kept > maxKept {
		s.stop(fmt.Sprintf("more than %d values", maxKept))
		return nil
	}
	c := s.peek()
	switch {
	case c != '{' && c != '[':
		before := s.fault
		v := s.scalar()
		if !s.ended {
			s.fault = before
		}
		return v
	case !named:
		s.pass()
		return passedOver{}
	case r.whole:
		return s.whole(r)
	case c == '{':
		return s.members(r)
	default:
		return s.items(r)
	}
}

func (s *skimmer) scalar() any {
	s.start = s.i // a text of any length
	return s.value()
}

// whole reads the value at s.i as a report is read.
func (s *skimmer) whole(rule) any {
	d := decoder{src: s.src, i: s.i, start: s.i}
	v := d.value()
	s.wholes += d.i - s.i
	s.i = d.i
	switch {
	case d.ended:
		s.fault, s.ended = d.fault, true
	case d.fault != nil:
		s.note(d.fault.at, d.fault.reason)
	case s.wholes > maxWholes:
		s.stop(fmt.Sprintf("over %d KiB", maxWholes>>10))
	}
	return v
}

// pass moves behind the array or object at s.i. Only its brackets and strings are looked at.
func (s *skimmer) pass() {
	var open []byte
	for ; s.i < len(s.src); s.i++ {
		switch c := s.src[s.i]; c {
		case '"':
			if !s.passString() {
				s.unexpected("the end of a string")
				return
			}
		case '{', '[':
			if len(open) == maxPassed {
				s.stop(fmt.Sprintf("more than %d levels of nesting", maxPassed))
				return
			}
			open = append(open, c+2) // the closing bracket is two further in ASCII
		case '}', ']':
			if c != open[len(open)-1] {
				s.unexpected(string(open[len(open)-1]))
				return
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				s.i++
				return
			}
		}
	}
	s.unexpected("the end of an array or object")
}

// passString moves to the closing quote of the string at s.i.
func (s *skimmer) passString() bool {
	for s.i++; s.i < len(s.src); s.i++ {
		switch c := s.src[s.i]; {
		case c == '"':
			return true
		case c == '\\':
			s.i++
		case c < 0x20:
			return false
		}
	}
	return false
}

// each gives the objects of a text that is an array of objects, or that holds one on each line, to f in order, and the
// fault that ended the reading.
func (d *document) each(r rule, f func(map[string]any)) *fault {
	p := decoder{src: d.src}
	p.space()
	array := p.peek() == '['
	if array {
		p.i++
	}
	for n := 0; ; n++ {
		from := p.i
		p.space()
		switch {
		case array && p.peek() == ']':
			p.i++
			p.only()
			return p.fault
		case !array && p.i == len(p.src):
			return nil
		case array && n > 0:
			if p.peek() != ',' {
				p.unexpected("a comma or ]")
				return p.fault
			}
			p.i++
			p.space()
		case !array && n > 0 && !hasLineEnd(p.src[from:p.i]):
			p.unexpected("the end of the line")
			return p.fault
		}
		if p.peek() != '{' {
			p.unexpected("a JSON object")
			return p.fault
		}
		object, s := skim(p.src, p.i, r)
		d.steps += s.i - p.i
		if s.fault != nil {
			return s.fault
		}
		p.i = s.i
		f(object)
	}
}

func hasLineEnd(b []byte) bool {
	for _, c := range b {
		if c == '\n' || c == '\r' {
			return true
		}
	}
	return false
}
