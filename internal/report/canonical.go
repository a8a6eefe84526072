package report

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// canonical writes a decoded value so that equal values give equal bytes: members sorted by name, no
// white space, one spelling for each string and number.
func canonical(v any) json.RawMessage { return appendValue(nil, v) }

func appendValue(out []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		out = append(out, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendString(out, name), ':')
			out = appendValue(out, v[name])
		}
		return append(out, '}')
	case []any:
		out = append(out, '[')
		for i, item := range v {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendValue(out, item)
		}
		return append(out, ']')
	case string:
		return appendString(out, v)
	case json.Number:
		return append(out, canonicalNumber(string(v))...)
	case bool:
		return strconv.AppendBool(out, v)
	default:
		return append(out, "null"...)
	}
}

// appendString writes a JSON string, escaping only what JSON requires.
func appendString(out []byte, s string) []byte {
	const hex = "0123456789abcdef"
	out = append(out, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c < 0x20:
			out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}

// canonicalNumber writes a number of the JSON grammar as its significant digits and a power of ten:
// 1, 1.0 and 10e-1 are one number, and no precision is lost on the way.
func canonicalNumber(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	mantissa, power := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		// The decoder bounds the exponent, so this cannot fail.
		power, _ = strconv.Atoi(s[i+1:])
		mantissa = s[:i]
	}
	whole, part, _ := strings.Cut(mantissa, ".")
	power -= len(part)
	digits := strings.TrimLeft(whole+part, "0")
	cut := strings.TrimRight(digits, "0")
	power += len(digits) - len(cut)
	switch {
	case cut == "":
		return "0"
	case power >= 0 && power+len(cut) <= 21: // as ECMAScript prints whole numbers
		return sign + cut + strings.Repeat("0", power)
	default:
		return sign + cut + "e" + strconv.Itoa(power)
	}
}
