package testresult

import (
	"encoding/binary"
	"math/bits"
)

// Eight bytes are looked at in one word: a byte's top bit in a mask says that the byte is one that is looked
// for. The lowest marked byte is exact; a byte above it may be marked wrongly, so it is looked at by itself
// (Hacker's Delight, 6-1: finding the first byte of a kind).
const (
	everyLow  = 0x0101010101010101
	everyHigh = 0x8080808080808080
	everySpc  = everyLow * 0x20
	// everySeven are all bits but the top ones.
	everySeven = everyLow * 0x7F
)

// every returns a word of eight bytes c.
func every(c byte) uint64 { return everyLow * uint64(c) }

// same marks the top bits of the bytes of v that are c, exactly.
func same(v uint64, c byte) uint64 {
	x := v ^ every(c)
	return ^(x&everySeven + everySeven | x) & everyHigh
}

// plain returns how many bytes at the start of p are ASCII text (tab and line ends included) without the
// bytes of the words a, b and c, each made by every.
func plain(p []byte, a, b, c uint64) int {
	i := 0
	for ; i+8 <= len(p); i += 8 {
		v := binary.LittleEndian.Uint64(p[i:])
		xa, xb, xc := v^a, v^b, v^c
		control := ^(v&everySeven + everyHigh - everySpc) // no byte carries into the next one
		m := ((xa-everyLow)&^xa | (xb-everyLow)&^xb | (xc-everyLow)&^xc | control | v) & everyHigh
		if m == 0 {
			continue
		}
		// Line ends and tabs are most of what is marked, and are text.
		if m &^= same(v, '\n') | same(v, '\t') | same(v, '\r'); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i < len(p); i++ {
		ch := p[i]
		if ch == byte(a) || ch == byte(b) || ch == byte(c) || ch >= 0x80 || (ch < 0x20 && !isXMLSpace(ch)) {
			return i
		}
	}
	return i
}

// plainQuoted is plain for the inside of an attribute value: without the quote, <, and &. A quote and & differ
// in one bit, so that one comparison finds both: fold is a word of that bit, both one of the byte with the
// bit set.
func plainQuoted(p []byte, fold, both uint64) int {
	const less = everyLow * '<'
	i := 0
	for ; i+8 <= len(p); i += 8 {
		v := binary.LittleEndian.Uint64(p[i:])
		xq, xl := (v|fold)^both, v^less
		m := ((xq-everyLow)&^xq | (xl-everyLow)&^xl | (v-everySpc)&^v | v) & everyHigh
		for ; m != 0; m &= m - 1 {
			at := i + bits.TrailingZeros64(m)>>3
			if ch := p[at]; !isXMLSpace(ch) && (ch < ' ' || ch >= 0x80 || ch|byte(fold) == byte(both) || ch == '<') {
				return at
			}
		}
	}
	for ; i < len(p); i++ {
		if ch := p[i]; ch|byte(fold) == byte(both) || ch == '<' || ch >= 0x80 || (ch < 0x20 && !isXMLSpace(ch)) {
			return i
		}
	}
	return i
}

// The words for plainQuoted: & is 0x26, " is 0x22, ' is 0x27.
const (
	doubleFold, doubleBoth = everyLow * ('"' ^ '&'), everyLow * ('"' | '&')
	singleFold, singleBoth = everyLow * ('\'' ^ '&'), everyLow * ('\'' | '&')
)

// plainString returns the index of the first byte of b, from i on, that may not stand in a JSON string as it
// is, or is not ASCII.
func plainString(b []byte, i int) int {
	const quote, backslash = everyLow * '"', everyLow * '\\'
	for i+8 <= len(b) {
		v := binary.LittleEndian.Uint64(b[i:])
		xq, xb := v^quote, v^backslash
		m := ((xq-everyLow)&^xq | (xb-everyLow)&^xb | (v-everySpc)&^v | v) & everyHigh
		if m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= 0x20 && b[i] < 0x80 {
		i++
	}
	return i
}

// firstControl returns the index of the first word of b, or of the first byte of what is left of one, that has
// a control character, or len(b).
func firstControl(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if v := binary.LittleEndian.Uint64(b[i:]); (v-everySpc)&^v&everyHigh != 0 {
			return i
		}
	}
	for ; i < len(b) && b[i] >= ' '; i++ {
	}
	return i
}
