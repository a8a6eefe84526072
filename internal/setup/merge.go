package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// maxNesting bounds how deep a file of settings may nest: runtimes' own go five levels deep.
const maxNesting = 64

// node is a value of a JSON document and where its parts stand, in bytes.
type node struct {
	kind    byte // '{', '[' or 0 for a value that holds no others
	open    int  // behind the bracket that opens it
	last    int  // behind its last member or item; open if it has none
	shut    int  // at the bracket that closes it
	members map[string]*node
	items   []*node
	text    string // of a string
}

// parseJSON reads a document whose objects name each member once. The error says where it is wrong.
func parseJSON(data []byte) (*node, error) {
	if !json.Valid(data) { // the decoder below takes documents one by one
		var v any
		err := json.Unmarshal(data, &v)
		var wrong *json.SyntaxError
		if errors.As(err, &wrong) {
			return nil, fmt.Errorf("%s: %w", lineCol(data, int(wrong.Offset)), err)
		}
		return nil, fmt.Errorf("it is no JSON: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return parseValue(d, 0)
}

func parseValue(d *json.Decoder, depth int) (*node, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	n := &node{}
	switch v := t.(type) {
	case string:
		n.text = v
		return n, nil
	case json.Delim:
		n.kind = v.String()[0]
	default:
		return n, nil
	}
	if depth == maxNesting {
		return nil, fmt.Errorf("it nests more than %d levels", maxNesting)
	}
	n.open = int(d.InputOffset())
	n.last = n.open
	for d.More() {
		if err := n.add(d, depth); err != nil {
			return nil, err
		}
		n.last = int(d.InputOffset())
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	n.shut = int(d.InputOffset()) - 1
	return n, nil
}

// add reads one member or item.
func (n *node) add(d *json.Decoder, depth int) error {
	name := ""
	if n.kind == '{' {
		t, err := d.Token()
		if err != nil {
			return err
		}
		name, _ = t.(string)
		if n.members == nil {
			n.members = map[string]*node{}
		}
		if n.members[name] != nil {
			return fmt.Errorf("it has the member %q twice in one object", name)
		}
	}
	v, err := parseValue(d, depth+1)
	if err != nil {
		return err
	}
	if n.kind == '{' {
		n.members[name] = v
	} else {
		n.items = append(n.items, v)
	}
	return nil
}

func lineCol(data []byte, at int) string {
	before := data[:max(0, min(at-1, len(data)))]
	return fmt.Sprintf("line %d, column %d", bytes.Count(before, []byte("\n"))+1, len(before)-bytes.LastIndexByte(before, '\n'))
}

// holds says whether a string below n fits.
func (n *node) holds(fits func(string) bool) bool {
	if n == nil {
		return false
	}
	for _, m := range n.members {
		if m.holds(fits) {
			return true
		}
	}
	for _, i := range n.items {
		if i.holds(fits) {
			return true
		}
	}
	return n.kind == 0 && fits(n.text)
}

// insertInto puts a value at the end of the object or list n, which stands depth levels deep. Nothing else of the document
// changes. A document on one line stays on one.
func insertInto(data []byte, n *node, depth int, value string) []byte {
	nl, unit := style(data)
	if nl == "" {
		return behindLast(data, n, separator(n)+strings.Join(strings.Fields(value), " "))
	}
	lead := nl + strings.Repeat(unit, depth+1)
	value = strings.ReplaceAll(strings.ReplaceAll(value, "\t", unit), "\n", lead)
	if n.last == n.open { // it is empty: what white space it has goes
		out := append([]byte{}, data[:n.open]...)
		out = append(out, lead+value+nl+strings.Repeat(unit, depth)...)
		return append(out, data[n.shut:]...)
	}
	return behindLast(data, n, separator(n)+lead+value)
}

func separator(n *node) string {
	if n.last == n.open {
		return ""
	}
	return ","
}

// behindLast puts a text behind the last value of n.
func behindLast(data []byte, n *node, text string) []byte {
	out := append([]byte{}, data[:n.last]...)
	out = append(out, text...)
	return append(out, data[n.last:]...)
}

// style is the line break of a document and what it indents by; "" for a document on one line.
func style(data []byte) (nl, unit string) {
	unit = "  "
	text := strings.TrimRight(string(data), "\r\n \t")
	first, rest, several := strings.Cut(text, "\n")
	if !several {
		return "", unit
	}
	nl = "\n"
	if strings.HasSuffix(first, "\r") {
		nl = "\r\n"
	}
	for l := range strings.Lines(rest) {
		if indent := l[:len(l)-len(strings.TrimLeft(l, " \t"))]; indent != "" && strings.TrimSpace(l) != "" {
			return nl, indent
		}
	}
	return nl, unit
}
