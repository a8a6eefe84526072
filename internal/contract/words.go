package contract

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// is reports whether n is of a JSON Schema type.
func (n *node) is(jsonType string) bool {
	switch jsonType {
	case "null":
		return n.kind == kindNull
	case "boolean":
		return n.kind == kindBool
	case "integer":
		return n.kind == kindInt
	case "number":
		return n.kind == kindInt || n.kind == kindFloat
	case "string":
		return n.kind == kindText
	case "array":
		return n.kind == kindList
	case "object":
		return n.kind == kindMap
	}
	return false
}

// shown is a value in a message: bounded and escaped.
func (n *node) shown() string {
	switch n.kind {
	case kindNull:
		return "without a value"
	case kindBool:
		return strconv.FormatBool(n.truth)
	case kindInt:
		return strconv.FormatInt(n.integer, 10)
	case kindFloat:
		return strconv.FormatFloat(n.float, 'g', -1, 64)
	case kindText:
		return "the text " + quote(n.text)
	case kindList:
		return "a list"
	case kindMap:
		return "a mapping"
	}
	return "nothing"
}

// typeWords says in words which types are allowed.
func typeWords(types []string) string {
	var out []string
	for _, t := range types {
		word := map[string]string{
			"null": "nothing", "boolean": "true or false", "integer": "a whole number", "number": "a number",
			"string": "text", "array": "a list", "object": "a mapping",
		}[t]
		if word != "" && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	switch len(out) {
	case 0:
		return "something else"
	case 1:
		return out[0]
	}
	return strings.Join(out[:len(out)-1], ", ") + " or " + out[len(out)-1]
}

// form is what a rule says of the values it allows, or def.
func form(rule *node, def string) string {
	if f := rule.get("x-form").str(); f != "" {
		return f
	}
	return def
}

// wrongType explains a value of a type that is not allowed.
func (e *explainer) wrongType(ptr string, value, rule *node, types []string) {
	want := typeWords(types)
	if slices.Contains(types, "string") {
		want = form(rule, want)
		if words := rule.get("enum"); words != nil {
			want = form(rule, orWords(words.texts()))
		}
	}
	hint := e.typeHint(ptr, value, types, want)
	if value.kind == kindNull {
		e.report(ptr, CodeType, hint, "%s has no value; it must be %s", e.label(ptr), want)
		return
	}
	e.report(ptr, CodeType, hint, "%s is %s; it must be %s", e.label(ptr), value.shown(), want)
}

// typeHint is what to do about a value of a wrong type, if there is one thing.
func (e *explainer) typeHint(ptr string, value *node, types []string, want string) string {
	switch text := slices.Contains(types, "string"); {
	case value.kind == kindNull && strings.HasSuffix(e.label(ptr), "]"):
		return "Write a value or remove the entry."
	case value.kind == kindNull:
		return "Write a value or remove the key."
	case slices.Contains(types, "boolean") && value.kind == kindText && isYesNo(value.text):
		return "Write true or false."
	case text && want == typeWords(types) && (value.is("number") || value.kind == kindBool):
		return "If it is text, write it in quotes: \"" + value.shown() + "\"."
	case strings.HasSuffix(ptr, "/waits_for/approval") && value.kind != kindMap:
		return "Write `approval: { from: [" + approver(value) + "] }`."
	case strings.HasSuffix(ptr, "/waits_for") && value.kind != kindMap:
		return "Write `waits_for: { approval: { from: [" + approver(value) + "] } }`, or `waits_for: { environment: NAME }`."
	case slices.Contains(types, "integer") && value.kind == kindText && isDigits(value.text):
		return "Write the number without quotes."
	case slices.Contains(types, "array") && !text && value.kind == kindText && strings.HasSuffix(ptr, "/command/run"):
		return "Write a list: " + argv(value.text) + "."
	case slices.Contains(types, "array") && !text && value.kind == kindText:
		return "Write a list: [" + quote(value.text) + "]."
	case slices.Contains(types, "object") && value.kind == kindText && strings.HasSuffix(ptr, "/command"):
		return "Write it as `command: { run: " + argv(value.text) + " }`."
	case slices.Contains(types, "object") && !text && strings.HasPrefix(ptr, "/outcomes/") && strings.Contains(ptr, "/validators/"):
		return "Write the validator as a mapping, such as `- step: smoke` or `- tests: { min_executed: 1 }`."
	}
	return ""
}

// approver is who approves as an example shows it: the one that a value names, where it names one.
func approver(value *node) string {
	switch text := value.str(); {
	case text == "maintain" || text == "admin":
		return text
	case len(text) <= maxHinted && (strings.HasPrefix(text, "user:") || strings.HasPrefix(text, "team:")):
		return quote(text)
	}
	return "write"
}

// wrongWord explains a value that is not one of those listed.
func (e *explainer) wrongWord(ptr string, value, rule *node) {
	var allowed []string
	if rule.get("const") != nil {
		allowed = []string{fmt.Sprint(rule.get("const").value())}
	} else {
		for _, item := range rule.get("enum").items {
			allowed = append(allowed, fmt.Sprint(item.value()))
		}
	}
	want := form(rule, orWords(allowed))
	text := ""
	if near := nearest(value.str(), allowed); near != "" && len(allowed) > 1 {
		text = "; did you mean " + quote(near) + "?"
	}
	hint := ""
	if strings.HasPrefix(ptr, "/outcomes/") && strings.HasSuffix(ptr, "/format") {
		hint = "Let the runner write one of these formats; `format` can be left out, since it is told from the content."
	}
	e.report(ptr, CodeValue, hint, "%s is %s; it must be %s%s", e.label(ptr), value.shown(), want, text)
}

func orWords(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

func isYesNo(s string) bool {
	switch strings.ToLower(s) {
	case "yes", "no", "on", "off", "y", "n", "true", "false":
		return true
	}
	return false
}

func isDigits(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}
