package contract

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// The plain scalars of YAML 1.2's core schema (section 10.3.2). The library also knows those of YAML 1.1, in
// which 012 is ten and dates are times; a reader of YAML 1.2 sees something else, so they are resolved here.
var (
	yamlInt   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[-+]?[0-9]+$`) })
	yamlOctal = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^0o[0-7]+$`) })
	yamlHex   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^0x[0-9a-fA-F]+$`) })
	yamlFloat = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$`)
	})
	yamlNoNum = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`) })
)

// scalar resolves one scalar. Quoted and block scalars are text, whatever they hold.
func (l *loader) scalar(y *yaml.Node, ptr string, pos Pos) *node {
	n := &node{kind: kindText, pos: pos, text: y.Value}
	if y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return n
	}
	switch y.Value {
	case "", "~", "null", "Null", "NULL":
		n.kind = kindNull
		return n
	case "true", "True", "TRUE":
		n.kind, n.truth = kindBool, true
		return n
	case "false", "False", "FALSE":
		n.kind = kindBool
		return n
	}
	if !strings.ContainsRune("+-.0123456789", rune(y.Value[0])) { // every number begins with one of these
		return n
	}
	base := 0
	switch {
	case yamlInt().MatchString(y.Value):
		base = 10
	case yamlOctal().MatchString(y.Value):
		base = 8
	case yamlHex().MatchString(y.Value):
		base = 16
	}
	switch {
	case base != 0:
		digits := y.Value
		if base != 10 {
			digits = digits[2:]
		}
		i, err := strconv.ParseInt(strings.TrimPrefix(digits, "+"), base, 64)
		if err != nil || i > maxExact || i < -maxExact {
			l.add(ptr, pos, CodeValue, "If it is text, write it in quotes.", "the number %s is too large", quote(y.Value))
			return nil
		}
		n.kind, n.integer = kindInt, i
	case yamlFloat().MatchString(y.Value):
		f, err := strconv.ParseFloat(y.Value, 64)
		if err != nil || math.IsInf(f, 0) {
			l.add(ptr, pos, CodeValue, "If it is text, write it in quotes.", "the number %s is too large", quote(y.Value))
			return nil
		}
		n.kind, n.float = kindFloat, f
		if i, ok := wholeOrFloat(f).(int64); ok {
			n.kind, n.integer = kindInt, i
		}
	case yamlNoNum().MatchString(y.Value):
		l.add(ptr, pos, CodeValue, "", "%s is not a number that a contract can hold", quote(y.Value))
		return nil
	}
	return n
}
