package contract

import (
	"slices"
	"strings"
)

// KeyDoc documents one key of the language.
type KeyDoc struct {
	Path    string // such as outcomes[].artifact.files
	Type    string
	Default string // as it is written, or in words; "" if there is none
	Doc     string // Markdown, one paragraph
}

// Keys documents every key of a contract that may use kinds, in the order of the published schema, from
// which it is derived. It is nil if a kind's schema is not a JSON object.
func Keys(kinds []Kind) []KeyDoc {
	s, err := assemble(kinds, nil)
	if err != nil {
		return nil
	}
	return s.keys("", s.root, 0)
}

// KeyTable is Keys as a Markdown table, ending in a line break.
func KeyTable(kinds []Kind) string {
	var b strings.Builder
	b.WriteString("| key | type | default | meaning |\n|---|---|---|---|\n")
	cell := strings.NewReplacer("|", `\|`, "\n", " ")
	for _, k := range Keys(kinds) {
		b.WriteString("| `" + k.Path + "` | " + cell.Replace(k.Type) + " | " + cell.Replace(k.Default) + " | " + cell.Replace(k.Doc) + " |\n")
	}
	return b.String()
}

// keys lists the properties of a rule and of what lies below them.
func (s *schema) keys(path string, rule *node, depth int) []KeyDoc {
	if depth > maxDepth { // no contract is deeper; a schema that refers to itself ends here
		return nil
	}
	rule = s.follow(rule)
	var out []KeyDoc
	for _, form := range distinct(forms(rule)) {
		for _, k := range s.keys(path, form, depth+1) {
			if !slices.ContainsFunc(out, func(o KeyDoc) bool { return o.Path == k.Path }) {
				out = append(out, k)
			}
		}
	}
	if items := rule.get("items"); items != nil {
		list := path + "[]"
		if len(rule.get("type").texts()) > 1 { // one or a list: the brackets may be left out
			list = path
		}
		out = append(out, s.keys(list, items, depth+1)...)
	}
	properties := rule.get("properties")
	if properties == nil {
		return out
	}
	required := rule.get("required").texts()
	for _, m := range properties.members {
		at := strings.TrimPrefix(path+"."+m.name, ".")
		def := s.defaultOf(m.value)
		if slices.Contains(required, m.name) {
			def = "required"
		}
		out = append(out, KeyDoc{Path: at, Type: s.typeOf(m.value), Default: def, Doc: s.find(m.value, "description")})
		out = append(out, s.keys(at, m.value, depth+1)...)
	}
	return out
}

// distinct leaves out forms that are a list of another form: a reader needs its keys once.
func distinct(forms []*node) (out []*node) {
	for _, f := range forms {
		if item := f.get("items").get("$ref").str(); item == "" || !slices.ContainsFunc(forms, func(o *node) bool { return o.get("$ref").str() == item }) {
			out = append(out, f)
		}
	}
	return out
}

// find is an annotation of a rule, or of what it refers to.
func (s *schema) find(rule *node, name string) string {
	for range 16 {
		if text := rule.get(name).str(); text != "" {
			return text
		}
		next := s.follow(rule)
		if next == rule || next == nil {
			return ""
		}
		rule = next
	}
	return ""
}

func (s *schema) defaultOf(rule *node) string {
	if words := s.find(rule, "x-default"); words != "" {
		return words
	}
	def := rule.get("default")
	if def == nil {
		def = s.follow(rule).get("default")
	}
	switch {
	case def == nil:
		return ""
	case def.kind == kindText:
		return "`" + def.text + "`"
	}
	return "`" + string(appendOrdered(nil, def)) + "`"
}

// typeOf names the type of a rule for readers.
func (s *schema) typeOf(rule *node) string {
	if words := s.find(rule, "x-type"); words != "" {
		return words
	}
	rule = s.follow(rule)
	if words := enumWords(rule); words != "" {
		return words
	}
	if all := forms(rule); all != nil {
		return s.formWords(all)
	}
	items := ""
	if list := rule.get("items"); list != nil {
		items = " of " + strings.Replace(s.typeOf(list), "a mapping", "mappings", 1)
	}
	return strings.Replace(typeWords(s.types(rule)), "a list", "a list"+items, 1)
}

// formWords names several forms; a list of another form is a list of them.
func (s *schema) formWords(forms []*node) string {
	single := distinct(forms)
	var out []string
	for _, f := range single {
		if t := s.typeOf(f); !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	if len(single) < len(forms) {
		out[0] += " or a list of them"
	}
	return strings.Join(out, ", or ")
}

func enumWords(rule *node) string {
	if c := rule.get("const"); c != nil {
		return "`" + string(appendOrdered(nil, c)) + "`"
	}
	list := rule.get("enum")
	if list == nil {
		return ""
	}
	var words []string
	for _, item := range list.items {
		text := item.str()
		if item.kind != kindText {
			text = string(appendOrdered(nil, item))
		}
		words = append(words, "`"+text+"`")
	}
	return orWords(words)
}

// words are the names of the language's keys, without the parameters of validators.
func (s *schema) words() []string {
	var out []string
	for _, k := range s.keys("", s.root, 0) {
		if !strings.HasPrefix(k.Path, "outcomes[].validators[].") {
			out = append(out, k.Path[strings.LastIndexByte(k.Path, '.')+1:])
		}
	}
	return out
}

// home is where the language has a key of this name, "" if nowhere or in several places. `-` counts as `_`;
// parameters of validators do not count.
func (s *schema) home(name string) string {
	name = strings.ReplaceAll(name, "-", "_")
	found := ""
	for _, k := range s.keys("", s.root, 0) {
		i := strings.LastIndexByte(k.Path, '.')
		if i < 0 || k.Path[i+1:] != name || strings.HasPrefix(k.Path, "outcomes[].validators[].") {
			continue
		}
		if found != "" {
			return ""
		}
		found = strings.TrimPrefix(k.Path[:i], "outcomes[].")
	}
	return found
}
