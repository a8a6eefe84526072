package contract

import (
	"strconv"
	"strings"
)

// kind is the type of a node in JSON's terms. The zero value is no type.
type kind uint8

const (
	kindNull kind = iota + 1
	kindBool
	kindInt
	kindFloat
	kindText
	kindList
	kindMap
)

// node is one value of a document with its place. YAML and JSON both become trees of it, with members in
// the order in which they are written.
type node struct {
	kind    kind
	pos     Pos
	text    string // kindText: the value; other scalars: as written
	integer int64
	float   float64
	truth   bool
	items   []*node
	members []member
}

// member is one entry of a mapping.
type member struct {
	name  string
	pos   Pos
	value *node
}

// get is the value under name, nil if there is none or n is no mapping.
func (n *node) get(name string) *node {
	if n == nil || n.kind != kindMap {
		return nil
	}
	for i := range n.members {
		if n.members[i].name == name {
			return n.members[i].value
		}
	}
	return nil
}

// at follows a JSON Pointer (RFC 6901), nil if it leads nowhere.
func (n *node) at(ptr string) *node {
	for _, part := range splitPointer(ptr) {
		switch {
		case n == nil:
			return nil
		case n.kind == kindMap:
			n = n.get(part)
		case n.kind == kindList:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(n.items) {
				return nil
			}
			n = n.items[i]
		default:
			return nil
		}
	}
	return n
}

// set replaces or appends the member name.
func (n *node) set(name string, value *node) {
	for i := range n.members {
		if n.members[i].name == name {
			n.members[i].value = value
			return
		}
	}
	n.members = append(n.members, member{name: name, value: value})
}

// str is the text of a text node, "" for any other.
func (n *node) str() string {
	if n == nil || n.kind != kindText {
		return ""
	}
	return n.text
}

// strOr is the text of a text node, or def.
func (n *node) strOr(def string) string {
	if n == nil || n.kind != kindText {
		return def
	}
	return n.text
}

// intOr is the value of a whole number, or def.
func (n *node) intOr(def int64) int64 {
	if n == nil || n.kind != kindInt {
		return def
	}
	return n.integer
}

// boolOr is the value of a truth value, or def.
func (n *node) boolOr(def bool) bool {
	if n == nil || n.kind != kindBool {
		return def
	}
	return n.truth
}

// texts are the text items of a list, or the one text itself; nil if there are none.
func (n *node) texts() []string {
	if n == nil {
		return nil
	}
	if n.kind == kindText {
		return []string{n.text}
	}
	var out []string
	for _, item := range n.items {
		if item.kind == kindText {
			out = append(out, item.text)
		}
	}
	return out
}

// value is the node as encoding/json would decode it, with int64 and float64 for numbers.
func (n *node) value() any {
	switch n.kind {
	case kindBool:
		return n.truth
	case kindInt:
		return n.integer
	case kindFloat:
		return n.float
	case kindText:
		return n.text
	case kindList:
		out := make([]any, len(n.items))
		for i, item := range n.items {
			out[i] = item.value()
		}
		return out
	case kindMap:
		out := make(map[string]any, len(n.members))
		for _, m := range n.members {
			out[m.name] = m.value.value()
		}
		return out
	case kindNull:
		return nil
	}
	return nil
}

// walk calls visit for n and everything below it, parents first, with JSON Pointers and the place to name.
// A container or an empty value is named at its key, which a reader finds sooner than its first child.
func (n *node) walk(ptr string, pos Pos, visit func(ptr string, pos Pos, n *node)) {
	visit(ptr, pos, n)
	for i, item := range n.items {
		item.walk(ptr+"/"+strconv.Itoa(i), item.pos, visit)
	}
	for _, m := range n.members {
		at := m.value.pos
		if m.value.kind == kindMap || m.value.kind == kindList || m.value.kind == kindNull {
			at = m.pos
		}
		m.value.walk(ptr+"/"+escapePointer(m.name), at, visit)
	}
}

// keys are the names of all members in a tree.
func (n *node) keys() map[string]bool {
	names := map[string]bool{}
	n.walk("", Pos{}, func(_ string, _ Pos, n *node) {
		for _, m := range n.members {
			names[m.name] = true
		}
	})
	return names
}

// escapePointer is a member's name as a part of a JSON Pointer.
func escapePointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

func unescapePointer(part string) string {
	return strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
}

// splitPointer is the unescaped parts of a JSON Pointer; none for the root.
func splitPointer(ptr string) []string {
	if ptr == "" {
		return nil
	}
	parts := strings.Split(strings.TrimPrefix(ptr, "/"), "/")
	for i, p := range parts {
		parts[i] = unescapePointer(p)
	}
	return parts
}

// below reports whether ptr is root or lies below it.
func below(ptr, root string) bool {
	return ptr == root || strings.HasPrefix(ptr, root+"/")
}
