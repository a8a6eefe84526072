package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
	"unicode/utf16"
)

// appendCanonical appends value in the form of RFC 8785: members in the order of their UTF-16 code units,
// no white space, the shortest strings. value is what node.value returns.
func appendCanonical(out []byte, value any) []byte {
	switch v := value.(type) {
	case bool:
		return strconv.AppendBool(out, v)
	case int64:
		return strconv.AppendInt(out, v, 10)
	case float64:
		return appendNumber(out, v)
	case string:
		return appendText(out, v)
	case []any:
		out = append(out, '[')
		for i, item := range v {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendCanonical(out, item)
		}
		return append(out, ']')
	case map[string]any:
		out = append(out, '{')
		for i, name := range sortedNames(v) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendText(out, name), ':')
			out = appendCanonical(out, v[name])
		}
		return append(out, '}')
	}
	return append(out, "null"...)
}

func sortedNames(m map[string]any) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool {
		a, b := utf16.Encode([]rune(names[i])), utf16.Encode([]rune(names[j]))
		for k := 0; k < len(a) && k < len(b); k++ {
			if a[k] != b[k] {
				return a[k] < b[k]
			}
		}
		return len(a) < len(b)
	})
	return names
}

// appendNumber writes a finite number; encoding/json writes them as ECMAScript does.
func appendNumber(out []byte, f float64) []byte {
	text, err := json.Marshal(f)
	if err != nil { // no finite number: nothing in a document becomes one
		return append(out, "null"...)
	}
	return append(out, text...)
}

func appendText(out []byte, s string) []byte {
	const hex = "0123456789abcdef"
	out = append(out, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case r == '\b':
			out = append(out, `\b`...)
		case r == '\t':
			out = append(out, `\t`...)
		case r == '\n':
			out = append(out, `\n`...)
		case r == '\f':
			out = append(out, `\f`...)
		case r == '\r':
			out = append(out, `\r`...)
		case r < 0x20:
			out = append(out, `\u00`...)
			out = append(out, hex[r>>4], hex[r&15])
		default:
			out = append(out, string(r)...)
		}
	}
	return append(out, '"')
}

// UnmarshalJSON reads a validator as MarshalJSON of encoding/json wrote it. Params come back in canonical
// form whatever escapes and white space the writer used, so that equal contracts stay equal.
func (v *Validator) UnmarshalJSON(data []byte) error {
	var raw struct {
		Kind   string          `json:"kind"`
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return fmt.Errorf("read validator: %w", err)
	}
	params, err := canonicalJSON(raw.Params)
	if err != nil {
		return fmt.Errorf("read parameters of validator %s: %w", clip(raw.Kind), err)
	}
	v.Kind, v.Params = raw.Kind, params
	return nil
}

func canonicalJSON(data []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("something follows the value")
	}
	value, err := plainNumbers(value)
	if err != nil {
		return nil, err
	}
	return appendCanonical(nil, value), nil
}

// plainNumbers replaces json.Number by int64 or float64.
func plainNumbers(value any) (any, error) {
	var err error
	switch v := value.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i, nil
		}
		f, err := v.Float64()
		if err != nil {
			return nil, err
		}
		return wholeOrFloat(f), nil
	case []any:
		for i := range v {
			if v[i], err = plainNumbers(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for name := range v {
			if v[name], err = plainNumbers(v[name]); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// maxExact is the greatest whole number that every JSON reader holds exactly (RFC 8259, section 6).
const maxExact = 1<<53 - 1

// wholeOrFloat makes 3.0 the whole number 3, as JSON Schema sees it.
func wholeOrFloat(f float64) any {
	if f == math.Trunc(f) && math.Abs(f) <= maxExact {
		return int64(f)
	}
	return f
}
