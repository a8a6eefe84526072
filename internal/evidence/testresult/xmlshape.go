package testresult

import (
	"encoding/binary"
	"math/bits"
)

// Nearly all start tags of a document repeat an earlier one but for the values in it. Such a tag was accepted once:
// where the next one has the same bytes between its values, only the values need to be looked at.
const (
	shapeCount = 8
	shapeShift = 64 - 3 // from a hash of 64 bits to a shape's number
	// maxShapeAttributes bounds what is remembered of one tag. The attributes behind it are read as in any other.
	maxShapeAttributes = 8
	// maxShapeBytes is the length of a tag's beginning, or of an attribute up to its value: two words.
	maxShapeBytes = 16
	// maxShapeStrikes is how often in a row a tag may differ before it is remembered anew.
	maxShapeStrikes = 4
)

// shapeBytes are up to maxShapeBytes bytes that are compared at once. The zero value is none.
type shapeBytes struct {
	low, high         uint64
	lowMask, highMask uint64
	n                 int
}

// makeShapeBytes puts the parts together; they have at most maxShapeBytes bytes.
func makeShapeBytes(before string, name []byte, after string) shapeBytes {
	var b, mask [maxShapeBytes]byte
	n := copy(b[:], before)
	n += copy(b[n:], name)
	n += copy(b[n:], after)
	for i := range n {
		mask[i] = 0xFF
	}
	return shapeBytes{
		low: binary.LittleEndian.Uint64(b[:]), high: binary.LittleEndian.Uint64(b[8:]),
		lowMask: binary.LittleEndian.Uint64(mask[:]), highMask: binary.LittleEndian.Uint64(mask[8:]),
		n: n,
	}
}

// begins reports whether p, of maxShapeBytes bytes or more, begins with the bytes.
func (s *shapeBytes) begins(p []byte) bool {
	_ = p[maxShapeBytes-1]
	return (binary.LittleEndian.Uint64(p)^s.low)&s.lowMask|(binary.LittleEndian.Uint64(p[8:])^s.high)&s.highMask == 0
}

// tagShape is a start tag without its values.
type tagShape struct {
	begin   shapeBytes // <name, with n 0 where there is no shape
	kind    uint8
	strikes uint8
	n       int // attributes
	attrs   [maxShapeAttributes]shapeAttribute
}

// shapeAttribute is one attribute as written nearly always: a space, its name, and ="
type shapeAttribute struct {
	begin shapeBytes
	id    uint8
}

// shapeOf returns the shape that a tag beginning with p, of eight bytes or more, has if it has one.
func (x *xmlScanner) shapeOf(p []byte) *tagShape {
	const golden = 0x9E3779B97F4A7C15 // any odd number whose high bits depend on all of its factor's
	return &x.shapes[binary.LittleEndian.Uint64(p)*golden>>shapeShift]
}

// likeBefore reads a start tag that is written like an earlier one as far as it is; '<' is next. It reports whether it
// did: if not, nothing is read; if so, more attributes follow where the tag has not ended.
func (x *xmlScanner) likeBefore() (read, ended bool) {
	s := x.src
	b := s.buf[:s.end]
	at := s.pos
	if x.shapes == nil || len(b)-at <= maxShapeBytes || len(x.open) == 0 || len(x.open) >= maxOpen {
		return false, false
	}
	sh := x.shapeOf(b[at:])
	if sh.begin.n == 0 || !sh.begin.begins(b[at:]) {
		return false, false
	}
	if c := b[at+sh.begin.n]; c != ' ' && c != '>' && c != '/' {
		return false, false // a longer name
	}
	x.open = append(x.open, openElement{nameAt: int32(len(x.names)), kind: sh.kind})
	end := len(x.names) + sh.begin.n - 1
	x.names = binary.LittleEndian.AppendUint64(x.names, sh.begin.low>>8|sh.begin.high<<56)
	x.names = binary.LittleEndian.AppendUint64(x.names, sh.begin.high>>8)[:end]
	x.kind, x.depth = sh.kind, len(x.open)
	at += sh.begin.n
	set, i := uint64(0), 0
	for ; i < sh.n && len(b)-at >= maxShapeBytes; i++ {
		a := &sh.attrs[i]
		if !a.begin.begins(b[at:]) {
			break
		}
		from := at + a.begin.n
		to := from + quoted(b[from:])
		if to == len(b) || b[to] != '"' || to-from > x.maxName {
			break
		}
		x.attrs[a.id] = span{int32(from), int32(to)}
		set |= 1 << a.id
		at = to + 1
	}
	x.set, x.values, x.inWindow = set&^1, b, true
	if len(b)-at >= 2 {
		if b[at] == '>' {
			s.pos = at + 1
			sh.strikes = 0
			return true, true
		}
		if b[at] == '/' && b[at+1] == '>' {
			s.pos = at + 2
			x.pendEnd = true
			sh.strikes = 0
			return true, true
		}
	}
	x.carryOn(sh, i)
	s.pos = at
	return true, false
}

// quoted returns how many bytes at the start of p are ASCII text without control characters, <, & and ".
func quoted(p []byte) int {
	const less = everyLow * '<'
	i := 0
	for ; i+8 <= len(p); i += 8 {
		v := binary.LittleEndian.Uint64(p[i:])
		xq, xl := (v|doubleFold)^doubleBoth, v^less
		// Only the lowest mark counts, and that one is exact.
		if m := ((xq-everyLow)&^xq | (xl-everyLow)&^xl | (v-everySpc)&^v | v) & everyHigh; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for i < len(p) && p[i] >= ' ' && p[i] < 0x80 && p[i] != '"' && p[i] != '&' && p[i] != '<' {
		i++
	}
	return i
}

// carryOn puts the first attributes of a tag, read by its shape, where the others are about to be put.
func (x *xmlScanner) carryOn(sh *tagShape, attributes int) {
	if sh.strikes++; sh.strikes > maxShapeStrikes {
		sh.begin.n = 0
	}
	x.arena, x.other = x.arena[:0], x.other[:0]
	for i := range attributes {
		a := &sh.attrs[i]
		from := int32(len(x.arena))
		if a.id == 0 {
			x.arena = binary.LittleEndian.AppendUint64(x.arena, a.begin.low)
			x.arena = binary.LittleEndian.AppendUint64(x.arena, a.begin.high)
			x.other = append(x.other, span{from + 1, from + int32(a.begin.n) - 2})
			continue
		}
		x.arena = append(x.arena, x.values[x.attrs[a.id].from:x.attrs[a.id].to]...)
		x.attrs[a.id] = span{from, int32(len(x.arena))}
	}
}

// remember begins a shape of the start tag at p, unless its name is too long for one.
func (x *xmlScanner) remember(p, name []byte) {
	x.learning = nil
	if x.shapes == nil || len(p) < maxShapeBytes || len(name)+1 > maxShapeBytes {
		return
	}
	x.learning = x.shapeOf(p)
	*x.learning = tagShape{begin: makeShapeBytes("<", name, ""), kind: x.kind}
}

// rememberAttribute adds an attribute to the shape that is being made. All before it were added.
func (x *xmlScanner) rememberAttribute(name []byte, id uint8) {
	sh := x.learning
	if sh == nil {
		return
	}
	if sh.n == maxShapeAttributes || len(name)+3 > maxShapeBytes {
		x.learning = nil
		return
	}
	sh.attrs[sh.n] = shapeAttribute{makeShapeBytes(" ", name, `="`), id}
	sh.n++
}

// push opens an element.
func (x *xmlScanner) push(kind uint8, name []byte) {
	x.kind = kind
	x.open = append(x.open, openElement{nameAt: int32(len(x.names)), kind: kind})
	x.names = append(x.names, name...)
	x.depth = len(x.open)
}

// indent skips a line end and the blanks behind it, which is what stands between most tags.
func (s *source) indent() {
	if s.pos == s.end || s.buf[s.pos] != '\n' {
		return
	}
	s.pos++
	for s.end-s.pos >= 8 {
		blanks := bits.TrailingZeros64(binary.LittleEndian.Uint64(s.buf[s.pos:])^everySpc) >> 3
		s.pos += blanks
		if blanks < 8 {
			return
		}
	}
}
