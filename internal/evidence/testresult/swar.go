package testresult

import (
	"encoding/binary"
	"math/bits"
)

// Eight bytes are looked at in one word: a byte's top bit in a mask says that the byte is one that is looked
// for. The lowest marked byte is exact; bytes above it may be marked wrongly, so only the lowest counts
// (Hacker's Delight, 6-1: finding the first byte of a kind).
const (
	everyLow  = 0x0101010101010101
	everyHigh = 0x8080808080808080
	everySpc  = everyLow * 0x20
)

// every returns a word of eight bytes c.
func every(c byte) uint64 { return everyLow * uint64(c) }

// marks reports, by top bits, the bytes of v that equal one of the bytes in the words a, b and c, are
// control characters, or are not ASCII.
func marks(v, a, b, c uint64) uint64 {
	xa, xb, xc := v^a, v^b, v^c
	m := (xa - everyLow) &^ xa
	m |= (xb - everyLow) &^ xb
	m |= (xc - everyLow) &^ xc
	m |= (v - everySpc) &^ v
	return (m | v) & everyHigh
}

// plain returns how many bytes at the start of p are ASCII text (tab and line ends included) without the
// bytes of the words a, b and c, each made by every.
func plain(p []byte, a, b, c uint64) int {
	i := 0
	for i+8 <= len(p) {
		m := marks(binary.LittleEndian.Uint64(p[i:]), a, b, c)
		if m == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(m) >> 3
		if !isXMLSpace(p[i]) {
			return i
		}
		i++
	}
	for ; i < len(p); i++ {
		ch := p[i]
		if ch == byte(a) || ch == byte(b) || ch == byte(c) || ch >= 0x80 || (ch < 0x20 && !isXMLSpace(ch)) {
			return i
		}
	}
	return i
}

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
