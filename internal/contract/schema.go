package contract

import (
	"bytes"
	_ "embed" // only for the directive below
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// SchemaID is the identity of the published schema. Nothing is ever fetched from there.
const SchemaID = "https://outcome-gate.dev/contract/v1"

//go:embed schema/contract.json
var baseSchema string

// Schema is the published JSON Schema (draft 2020-12) of a contract that may use kinds, as indented JSON.
// Kinds that are not built yet have no place in it. It is nil if a kind's schema is not a JSON object.
func Schema(kinds []Kind) []byte {
	s, err := assemble(kinds, nil)
	if err != nil {
		return nil
	}
	return append(s.json("  "), '\n')
}

// schema is the assembled document.
type schema struct{ root *node }

// assemble puts the kinds' parameter schemas into the base schema. Of kinds that no key names only the name is known;
// without keys (nil) all of them are.
func assemble(kinds []Kind, keys map[string]bool) (*schema, error) {
	root, err := loadSchema("contract", baseSchema)
	if err != nil {
		return nil, err
	}
	s := &schema{root: root}
	defs := root.get("$defs")
	properties := defs.get("validator").get("properties")
	for _, k := range kinds {
		if k.Later != "" {
			continue
		}
		if keys != nil && !keys[k.Name] {
			properties.set(k.Name, &node{kind: kindMap})
			continue
		}
		params, err := loadSchema("validator "+k.Name, k.Schema)
		if err != nil {
			return nil, err
		}
		name := "validator-" + k.Name
		rebase(params, "#/$defs/"+escapePointer(name))
		kept := params.members[:0]
		for _, m := range params.members {
			if m.name != "$schema" && m.name != "$id" {
				kept = append(kept, m)
			}
		}
		params.members = kept
		defs.set(name, params)
		properties.set(k.Name, kindUse(k, name, params))
	}
	return s, nil
}

// kindUse is the schema of a kind's entry: its parameters, or the one that a scalar stands for.
func kindUse(k Kind, name string, params *node) *node {
	ref := func(to string) *node {
		n := &node{kind: kindMap}
		n.set("$ref", &node{kind: kindText, text: to})
		return n
	}
	use := ref("#/$defs/" + escapePointer(name))
	if k.Short != "" && params.get("properties").get(k.Short) != nil {
		short := ref("#/$defs/" + escapePointer(name) + "/properties/" + escapePointer(k.Short))
		use = &node{kind: kindMap}
		use.set("anyOf", &node{kind: kindList, items: []*node{ref("#/$defs/" + escapePointer(name)), short}})
	}
	if d := params.get("description"); d != nil {
		use.set("description", d)
	}
	return use
}

// loadSchema reads a JSON Schema with its members in their order.
func loadSchema(what, text string) (*node, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	n, err := readJSON(dec)
	if err == nil {
		if _, end := dec.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("something follows it")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read schema of %s: %w", what, err)
	}
	if n.kind != kindMap {
		return nil, fmt.Errorf("read schema of %s: it is not an object", what)
	}
	return n, nil
}

// readJSON reads one value. Schemas are part of the program, so nothing is bounded here.
func readJSON(dec *json.Decoder) (*node, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case bool:
		return &node{kind: kindBool, truth: v}, nil
	case string:
		return &node{kind: kindText, text: v}, nil
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return nil, err
		}
		if i, ok := wholeOrFloat(f).(int64); ok {
			return &node{kind: kindInt, integer: i}, nil
		}
		return &node{kind: kindFloat, float: f}, nil
	case json.Delim:
		if v == '[' {
			return readList(dec)
		}
		return readObject(dec)
	}
	return &node{kind: kindNull}, nil
}

func readList(dec *json.Decoder) (*node, error) {
	n := &node{kind: kindList}
	for dec.More() {
		item, err := readJSON(dec)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, item)
	}
	_, err := dec.Token()
	return n, err
}

func readObject(dec *json.Decoder) (*node, error) {
	n := &node{kind: kindMap}
	for dec.More() {
		name, err := readJSON(dec)
		if err != nil {
			return nil, err
		}
		if n.get(name.text) != nil {
			return nil, fmt.Errorf("the member %s is given twice", quote(name.text))
		}
		value, err := readJSON(dec)
		if err != nil {
			return nil, err
		}
		n.members = append(n.members, member{name: name.text, value: value})
	}
	_, err := dec.Token()
	return n, err
}

// rebase makes references inside a schema right for its new place.
func rebase(n *node, to string) {
	for _, item := range n.items {
		rebase(item, to)
	}
	for _, m := range n.members {
		if m.name == "$ref" && m.value.kind == kindText && strings.HasPrefix(m.value.text, "#") {
			m.value.text = to + m.value.text[1:]
		}
		rebase(m.value, to)
	}
}

// slim is the schema without what only readers need and without properties that are not named: compiling takes most of
// the time of reading a contract.
func slim(n *node, named map[string]bool) *node {
	out := &node{kind: n.kind, text: n.text, integer: n.integer, float: n.float, truth: n.truth}
	for _, item := range n.items {
		out.items = append(out.items, slim(item, named))
	}
	for _, m := range n.members {
		switch m.name {
		case "title", "description", "default", "examples", "x-form", "x-type", "x-default":
		case "enum", "const", "required", "type", "pattern":
			out.members = append(out.members, m)
		case "properties", "$defs", "dependentRequired": // their members are names
			names := &node{kind: kindMap}
			for _, inner := range m.value.members {
				if m.name != "properties" || named[inner.name] {
					names.members = append(names.members, member{name: inner.name, value: slim(inner.value, named)})
				}
			}
			out.members = append(out.members, member{name: m.name, value: names})
		default:
			out.members = append(out.members, member{name: m.name, value: slim(m.value, named)})
		}
	}
	return out
}

// only leaves out what no key of a contract can reach: properties that no mapping names, and definitions that nothing
// left refers to. Every answer about that contract stays what it is, and the validator need not be made for the rest.
func (s *schema) only(named map[string]bool) *schema {
	keep := maps.Clone(named)
	refs(s.root, func(ref string) { // a part of a definition is kept where something refers to it
		if _, name, ok := strings.Cut(ref, "/properties/"); ok {
			keep[unescapePointer(name)] = true
		}
	})
	root := slim(s.root, keep)
	defs := root.get("$defs")
	used := map[string]bool{}
	for pending := []*node{without(root, "$defs")}; len(pending) > 0; {
		n := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		refs(n, func(ref string) {
			if name := definition(ref); name != "" && !used[name] && defs.get(name) != nil {
				used[name] = true
				pending = append(pending, defs.get(name))
			}
		})
	}
	defs.members = slices.DeleteFunc(defs.members, func(m member) bool { return !used[m.name] })
	return &schema{root: root}
}

// refs visits every reference in a schema.
func refs(n *node, visit func(ref string)) {
	for _, item := range n.items {
		refs(item, visit)
	}
	for _, m := range n.members {
		if m.name == "$ref" && m.value.kind == kindText {
			visit(m.value.text)
		}
		refs(m.value, visit)
	}
}

// definition is the name of the definition that a reference leads into, "" for any other reference.
func definition(ref string) string {
	rest, ok := strings.CutPrefix(ref, "#/$defs/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return unescapePointer(name)
}

// without is a mapping without one of its members.
func without(n *node, name string) *node {
	out := &node{kind: kindMap}
	for _, m := range n.members {
		if m.name != name {
			out.members = append(out.members, m)
		}
	}
	return out
}

// compile makes the validator. Loading anything from anywhere is refused.
func (s *schema) compile() (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("a schema may not refer to %s", quote(url))
	}
	if err := c.AddResource(SchemaID, bytes.NewReader(s.json(""))); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	compiled, err := c.Compile(SchemaID)
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	return compiled, nil
}

// follow resolves `$ref`s within the document; a node that has none is itself the answer.
func (s *schema) follow(n *node) *node {
	for range 16 { // longer chains do not occur
		ref := n.get("$ref").str()
		if !strings.HasPrefix(ref, "#") {
			return n
		}
		next := s.root.at(strings.TrimPrefix(ref, "#"))
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// forms are the branches of a rule that allows several forms.
func forms(n *node) []*node {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if branches := n.get(keyword); branches != nil && onlyRequired(branches) == nil {
			return branches.items
		}
	}
	return nil
}

// types are the JSON types that a schema allows, through references and several forms; nil if it does not say.
func (s *schema) types(n *node) []string {
	n = s.follow(n)
	if t := n.get("type"); t != nil {
		return t.texts()
	}
	if words := n.get("enum"); words != nil {
		return typesOf(words.items)
	}
	var out []string
	for _, form := range forms(n) {
		out = append(out, s.types(form)...)
	}
	return out
}

// typesOf are the types of the values of an enumeration.
func typesOf(values []*node) (out []string) {
	for _, t := range []string{"null", "boolean", "number", "string", "array", "object"} {
		if slices.ContainsFunc(values, func(v *node) bool { return v.is(t) }) {
			out = append(out, t)
		}
	}
	return out
}

// json writes the document with its members in their order.
func (s *schema) json(indent string) []byte {
	compact := appendOrdered(nil, s.root)
	if indent == "" {
		return compact
	}
	var out bytes.Buffer
	if err := json.Indent(&out, compact, "", indent); err != nil {
		return nil // cannot be: appendOrdered writes JSON
	}
	return out.Bytes()
}

func appendOrdered(out []byte, n *node) []byte {
	switch n.kind {
	case kindList:
		out = append(out, '[')
		for i, item := range n.items {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendOrdered(out, item)
		}
		return append(out, ']')
	case kindMap:
		out = append(out, '{')
		for i, m := range n.members {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendText(out, m.name), ':')
			out = appendOrdered(out, m.value)
		}
		return append(out, '}')
	case kindBool:
		return strconv.AppendBool(out, n.truth)
	case kindNull, kindInt, kindFloat, kindText:
	}
	return appendCanonical(out, n.value())
}
