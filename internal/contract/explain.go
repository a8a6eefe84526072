package contract

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// explainer turns what a JSON Schema validator says into mistakes that name the key, what is allowed there
// and what to do, at the place where they are written.
type explainer struct {
	*loader
	schema *schema
	root   *node
	places map[string]Pos
}

// validate judges the tree, whose keys are given, by the schema.
func (e *explainer) validate(keys map[string]bool) error {
	compiled, err := e.schema.only(keys).compile()
	if err != nil {
		return err
	}
	err = compiled.Validate(e.root.value())
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	e.explain(invalid)
	return nil
}

// explain reports the leaves below ve.
func (e *explainer) explain(ve *jsonschema.ValidationError) {
	if len(e.mistakes) >= maxProblems {
		return
	}
	ptr := decodeURL(ve.InstanceLocation)
	_, fragment, _ := strings.Cut(ve.AbsoluteKeywordLocation, "#")
	at := decodeURL(fragment)
	parent, keyword := at, ""
	if i := strings.LastIndexByte(at, '/'); i >= 0 {
		parent, keyword = at[:i], at[i+1:]
	}
	if i := strings.LastIndex(at, "/dependentRequired/"); i >= 0 {
		e.dependent(ptr, e.schema.root.at(at[:i]), splitPointer(at[i:]))
		return
	}
	rule := e.schema.root.at(parent)
	if keyword == "anyOf" || keyword == "oneOf" {
		e.choice(ve, ptr, rule, keyword)
		return
	}
	if len(ve.Causes) > 0 {
		for _, cause := range ve.Causes {
			e.explain(cause)
		}
		return
	}
	e.leaf(ve, ptr, rule, keyword)
}

// decodeURL undoes the percent-encoding of a pointer in a URL fragment.
func decodeURL(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// silent reports whether a mistake about the value at ptr is already named.
func (e *explainer) silent(ptr string) bool {
	for refused := range e.refused {
		if below(ptr, refused) {
			return true
		}
	}
	return false
}

// refusedIn reports whether a value below ptr is refused: a key that is named there is then not missing.
func (e *explainer) refusedIn(ptr string) bool {
	for refused := range e.refused {
		if refused != ptr && below(refused, ptr) {
			return true
		}
	}
	return false
}

func (e *explainer) report(ptr, code, hint, format string, args ...any) {
	if !e.silent(ptr) {
		e.add(ptr, e.places[ptr], code, hint, format, args...)
	}
}

// choice explains a value that fits none of several forms: by the one form of its own type if there is one.
func (e *explainer) choice(ve *jsonschema.ValidationError, ptr string, rule *node, keyword string) {
	branches := rule.get(keyword)
	value := e.root.at(ptr)
	if branches == nil || value == nil {
		e.report(ptr, CodeValue, "", "%s: %s", e.label(ptr), clip(ve.Message))
		return
	}
	if choices := onlyRequired(branches); choices != nil && value.kind == kindMap {
		e.oneKey(ptr, value, choices)
		return
	}
	var allowed []string
	fits := -1
	for i, branch := range branches.items {
		types := e.schema.types(branch)
		allowed = append(allowed, types...)
		if fits < 0 && slices.ContainsFunc(types, value.is) {
			fits = i
		}
	}
	switch {
	case fits >= 0 && fits < len(ve.Causes):
		e.explain(ve.Causes[fits])
	case fits >= 0:
		e.report(ptr, CodeValue, "", "%s is not one of the forms allowed", e.label(ptr))
	default:
		e.wrongType(ptr, value, rule, allowed)
	}
}

// onlyRequired is the keys that each branch asks for, if the branches ask for keys and nothing else.
func onlyRequired(branches *node) [][]string {
	var out [][]string
	for _, branch := range branches.items {
		keys := branch.get("required").texts()
		if len(branch.members) != 1 || len(keys) == 0 {
			return nil
		}
		out = append(out, keys)
	}
	return out
}

// oneKey explains a mapping that must have the keys of exactly one choice, each named by its first key.
func (e *explainer) oneKey(ptr string, value *node, choices [][]string) {
	var names, present []string
	for _, keys := range choices {
		names = append(names, keys[0])
		if value.get(keys[0]) != nil {
			present = append(present, keys[0])
		}
	}
	switch {
	case len(present) > 1:
		e.report(ptr+"/"+escapePointer(present[1]), CodeConflict, "Keep one of them.", "%s has both %s; exactly one is allowed", e.label(ptr), strings.Join(present, " and "))
	case e.refusedIn(ptr): // a key that is named and refused is not missing
	case len(present) == 0:
		e.report(ptr, CodeMissingKey, "Add one of them.", "%s needs one of %s", e.label(ptr), strings.Join(names, ", "))
	default:
		for _, key := range choices[slices.Index(names, present[0])] {
			if value.get(key) == nil {
				e.report(ptr, CodeMissingKey, "Add it.", "%s has %s and no %s", e.label(ptr), present[0], key)
			}
		}
	}
}

// dependent explains a key that needs another: where is dependentRequired, the key, and the place in its list.
func (e *explainer) dependent(ptr string, rule *node, where []string) {
	if len(where) != 3 {
		e.report(ptr, CodeMissingKey, "", "%s lacks a key that another one needs", e.label(ptr))
		return
	}
	needs := rule.get("dependentRequired").get(where[1]).at("/" + where[2]).str()
	e.report(ptr+"/"+escapePointer(where[1]), CodeMissingKey, "Add it.", "%s has %s, which needs %s", e.label(ptr), plainKey(where[1]), needs)
}

// leaf explains one failed keyword of rule.
func (e *explainer) leaf(ve *jsonschema.ValidationError, ptr string, rule *node, keyword string) {
	value := e.root.at(ptr)
	if value == nil { // propertyNames: the pointer ends in the name itself
		e.report(ptr, CodeValue, "", "%s: %s", e.label(ptr), clip(ve.Message))
		return
	}
	label := e.label(ptr)
	switch keyword {
	case "type":
		e.wrongType(ptr, value, rule, rule.get("type").texts())
	case "enum", "const":
		e.wrongWord(ptr, value, rule)
	case "required":
		for _, name := range rule.get("required").texts() {
			if value.get(name) == nil && !e.refusedIn(ptr) {
				e.report(ptr, CodeMissingKey, "Add it.", "%s has no %s", label, name)
			}
		}
	case "additionalProperties", "unevaluatedProperties":
		e.unknownKeys(ptr, value, rule)
	case "pattern":
		if strings.Contains(ve.KeywordLocation, "/propertyNames") {
			e.report(ptr, CodeValue, "", "%s is not a usable name", label)
			return
		}
		if form(rule, "") == "" {
			e.report(ptr, CodeValue, rule.get("description").str(), "%s is %s; it must match %s", label, value.shown(), rule.get("pattern").str())
			return
		}
		e.report(ptr, CodeValue, valueHint(ptr, value.str(), rule), "%s is %s; it must be %s", label, value.shown(), form(rule, ""))
	case "minLength", "minItems":
		if least := rule.get(keyword).intOr(1); least > 1 || form(rule, "") != "" {
			e.report(ptr, CodeValue, valueHint(ptr, value.str(), rule), "%s is %s; it must be %s", label, value.shown(), form(rule, "longer"))
			return
		}
		e.report(ptr, CodeValue, "Write a value or remove the key.", "%s is empty", label)
	case "maxLength", "maxItems":
		e.report(ptr, CodeTooLarge, "", "%s is too long: at most %d %s are allowed", label, rule.get(keyword).intOr(0), unit(value))
	case "minimum", "maximum":
		word := map[string]string{"minimum": "at least", "maximum": "at most"}[keyword]
		e.report(ptr, CodeValue, "", "%s is %s; it must be %s %d", label, value.shown(), word, rule.get(keyword).intOr(0))
	case "exclusiveMinimum", "exclusiveMaximum":
		word := map[string]string{"exclusiveMinimum": "more than", "exclusiveMaximum": "less than"}[keyword]
		e.report(ptr, CodeValue, "", "%s is %s; it must be %s %s", label, value.shown(), word, rule.get(keyword).shown())
	case "multipleOf":
		e.report(ptr, CodeValue, "", "%s is %s; it must be a multiple of %s", label, value.shown(), rule.get(keyword).shown())
	case "minProperties":
		e.report(ptr, CodeValue, "", "%s is empty; it needs one of %s", label, strings.Join(names(rule.get("properties")), ", "))
	case "maxProperties":
		e.tooManyKeys(ptr, value, rule)
	case "uniqueItems":
		e.report(ptr, CodeValue, "Remove one.", "%s names something twice", label)
	default:
		e.report(ptr, CodeValue, "", "%s: %s", label, clip(ve.Message))
	}
}

func unit(value *node) string {
	if value.kind == kindText {
		return "characters"
	}
	return "entries"
}

// tooManyKeys explains a mapping with more keys than allowed, such as two validators in one entry.
func (e *explainer) tooManyKeys(ptr string, value, rule *node) {
	most := int(rule.get("maxProperties").intOr(0))
	if most < 0 || most >= len(value.members) {
		return
	}
	extra := value.members[most]
	hint := ""
	if rule == e.schema.root.at("/$defs/validator") {
		hint = "Begin a new `- ` entry for it, or indent it if it is a parameter of the validator above."
	}
	e.report(ptr+"/"+escapePointer(extra.name), CodeValue, hint, "%s has %d keys, at most %d allowed; %s is one too many", e.label(ptr), len(value.members), most, quote(extra.name))
}

// unknownKeys explains each key of value that rule does not know.
func (e *explainer) unknownKeys(ptr string, value, rule *node) {
	known := names(rule.get("properties"))
	hint := "Allowed here: " + strings.Join(known, ", ") + "." // said once of a mapping
	for _, m := range value.members {
		if slices.Contains(known, m.name) {
			continue
		}
		if len(e.mistakes) >= maxProblems {
			return
		}
		at := ptr + "/" + escapePointer(m.name)
		if e.silent(at) {
			continue
		}
		what := "unknown key"
		if rule == e.schema.root.at("/$defs/validator") {
			what = "unknown validator kind"
		}
		text := ""
		if near := nearest(m.name, known); near != "" {
			text = "; did you mean " + quote(near) + "?"
		} else if near := begins(m.name, known); near != "" {
			text = "; did you mean " + quote(near) + "?"
		} else if home := e.schema.home(m.name); home != "" {
			text = "; it belongs in " + home
		} else if near := begins(m.name, e.schema.words()); near != "" && e.schema.home(near) != "" {
			text = "; did you mean " + quote(near) + " in " + e.schema.home(near) + "?"
		}
		e.add(at, m.pos, CodeUnknownKey, hint, "%s %s in %s%s", what, quote(m.name), e.label(ptr), text)
		hint = ""
	}
}

func names(properties *node) []string {
	if properties == nil {
		return nil
	}
	var out []string
	for _, m := range properties.members {
		out = append(out, m.name)
	}
	return out
}

// label names a place as a reader of the contract would: by the outcome's id where there is one.
func (e *explainer) label(ptr string) string {
	parts := splitPointer(ptr)
	if len(parts) == 0 {
		return "the contract"
	}
	prefix := ""
	if len(parts) >= 2 && parts[0] == "outcomes" {
		if id := e.root.at("/outcomes/" + parts[1]).get("id").str(); id != "" {
			prefix = "outcome " + clip(id)
			parts = parts[2:]
		}
	}
	var b strings.Builder
	for i, part := range parts {
		_, err := strconv.Atoi(part)
		switch {
		case err == nil:
			b.WriteString("[" + clip(part) + "]")
		case i == 0:
			b.WriteString(plainKey(part))
		default:
			b.WriteString("." + plainKey(part))
		}
	}
	if prefix != "" && b.Len() > 0 {
		prefix += ": "
	}
	return prefix + b.String()
}

// plainKey shows a key, quoted unless it is an ordinary word.
func plainKey(key string) string {
	for _, r := range key {
		if !(r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return quote(key)
		}
	}
	return clip(key)
}
