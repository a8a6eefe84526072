package receipt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds the nesting of a receipt: the deepest one that this gate writes has eight levels, and a
// contract's parameters at most 32 more.
const maxDepth = 64

// Canonical gives the canonical form of one JSON value (RFC 8785, JSON Canonicalization Scheme): members
// sorted by UTF-16 code units, no white space, the shortest escapes, ECMAScript numbers. Duplicate members,
// trailing data, invalid UTF-8 and numbers beyond IEEE 754 doubles are errors.
func Canonical(data []byte) ([]byte, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("canonical JSON: invalid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var out bytes.Buffer
	if err := canonicalValue(d, &out, 0); err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("canonical JSON: data after the value")
	}
	return out.Bytes(), nil
}

func canonicalValue(d *json.Decoder, out *bytes.Buffer, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("nested deeper than %d", maxDepth)
	}
	t, err := d.Token()
	if err != nil {
		return err
	}
	switch v := t.(type) {
	case json.Delim:
		if v == '{' {
			return canonicalObject(d, out, depth)
		}
		return canonicalArray(d, out, depth)
	case string:
		canonicalString(v, out)
	case json.Number:
		return canonicalNumber(v, out)
	case bool:
		out.WriteString(strconv.FormatBool(v))
	case nil:
		out.WriteString("null")
	}
	return nil
}

func canonicalArray(d *json.Decoder, out *bytes.Buffer, depth int) error {
	out.WriteByte('[')
	for i := 0; d.More(); i++ {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := canonicalValue(d, out, depth+1); err != nil {
			return err
		}
	}
	out.WriteByte(']')
	_, err := d.Token()
	return err
}

func canonicalObject(d *json.Decoder, out *bytes.Buffer, depth int) error {
	type member struct {
		name  string
		order []uint16
		value []byte
	}
	var members []member
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string) // the decoder hands out strings only, where a name belongs
		var value bytes.Buffer
		if err := canonicalValue(d, &value, depth+1); err != nil {
			return err
		}
		members = append(members, member{name, utf16.Encode([]rune(name)), value.Bytes()})
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	slices.SortStableFunc(members, func(a, b member) int { return slices.Compare(a.order, b.order) })
	out.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			if m.name == members[i-1].name {
				return fmt.Errorf("member %q occurs twice", m.name)
			}
			out.WriteByte(',')
		}
		canonicalString(m.name, out)
		out.WriteByte(':')
		out.Write(m.value)
	}
	out.WriteByte('}')
	return nil
}

// canonicalString writes s as RFC 8785 section 3.2.2.2 says: only what JSON must escape is escaped.
func canonicalString(s string, out *bytes.Buffer) {
	const hexDigits = "0123456789abcdef"
	short := map[byte]byte{'\b': 'b', '\t': 't', '\n': 'n', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\'}
	out.WriteByte('"')
	for i := range len(s) {
		c := s[i]
		switch e, ok := short[c]; {
		case ok:
			out.WriteByte('\\')
			out.WriteByte(e)
		case c < 0x20:
			out.WriteString(`\u00`)
			out.WriteByte(hexDigits[c>>4])
			out.WriteByte(hexDigits[c&15])
		default:
			out.WriteByte(c)
		}
	}
	out.WriteByte('"')
}

// canonicalNumber writes n as ECMAScript's Number.prototype.toString does (RFC 8785 section 3.2.2.3).
// An integer that an IEEE 754 double would write with other digits is refused; every one up to 2^53 keeps them.
func canonicalNumber(n json.Number, out *bytes.Buffer) error {
	f, err := n.Float64()
	if err != nil || math.IsInf(f, 0) {
		return fmt.Errorf("number %s is out of range", n)
	}
	if f == 0 {
		out.WriteByte('0')
		return nil
	}
	if !strings.ContainsAny(string(n), ".eE") && strconv.FormatFloat(f, 'f', -1, 64) != string(n) {
		return fmt.Errorf("integer %s would lose digits", n)
	}
	format := byte('e')
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		format = 'f'
	}
	s := strconv.AppendFloat(nil, f, format, -1, 64)
	if format == 'e' { // Go writes e-07, ECMAScript e-7
		if k := len(s) - 4; k > 0 && s[k] == 'e' && s[k+2] == '0' {
			s = append(s[:k+2], s[k+3])
		}
	}
	out.Write(s)
	return nil
}
