package contract

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Parse turns the bytes of one contract into a Contract with every default filled in. file is only used to
// name places. kinds are the validator kinds that the caller knows.
//
// Either the contract is returned, or the problems, all of which are mistakes, in order of position. Parse
// takes any bytes and never panics.
func Parse(file string, data []byte, kinds []Kind) (c *Contract, problems Problems) {
	defer func() {
		if r := recover(); r != nil {
			c, problems = nil, Problems{{File: file, Line: 1, Col: 1, Code: CodeInternal,
				Message: clip(fmt.Sprintf("the reader stopped: %v", r))}}
		}
	}()
	l := &loader{limits: limits{depth: maxDepth, nodes: maxNodes, entries: maxEntries}}
	root := l.load(data)
	if root != nil {
		c = l.read(root, kinds)
	}
	if len(l.mistakes) == 0 && c != nil {
		c.File = file
		return c, nil
	}
	problems = make(Problems, 0, len(l.mistakes))
	lines := newLineEnds(data)
	for _, m := range l.mistakes {
		p := m.Problem
		p.File = file
		p.Line, p.Col = lines.clamp(p.Line, p.Col)
		problems = append(problems, p)
	}
	return nil, problems.sorted()
}

// read judges a tree by the schema, then by the rules that no schema can express.
func (l *loader) read(root *node, kinds []Kind) *Contract {
	if v := root.get("version"); v != nil && v.kind == kindInt && v.integer != 1 {
		l.add("/version", v.pos, CodeVersion, "Use a gate that reads it.", "version %d of the language; this gate reads version 1, and looked at nothing else", v.integer)
		return nil
	}
	keys := root.keys()
	s, err := assemble(kinds, keys)
	if err != nil {
		l.add("", Pos{1, 1}, CodeInternal, "", "%v", err)
		return nil
	}
	e := &explainer{loader: l, schema: s, root: root, places: map[string]Pos{}}
	root.walk("", root.pos, func(ptr string, pos Pos, _ *node) { e.places[ptr] = pos })
	e.notBuilt(kinds)
	if err := e.validate(keys); err != nil {
		l.add("", Pos{1, 1}, CodeInternal, "", "%v", err)
		return nil
	}
	if root.kind != kindMap {
		return nil
	}
	c := decode(root, kinds)
	c.Places = e.places
	k := &checker{loader: l, c: c, root: root, kinds: kinds}
	k.check()
	return c
}

// lineEnds knows the length of every line, so that no place lies outside the file: the YAML reader counts
// some rare characters as line ends that editors do not.
type lineEnds []int

func newLineEnds(data []byte) lineEnds {
	var out lineEnds
	for line := range strings.SplitSeq(string(data), "\n") {
		out = append(out, utf8.RuneCountInString(strings.TrimSuffix(line, "\r")))
	}
	return out
}

func (l lineEnds) clamp(line, col int) (int, int) {
	line = min(max(line, 1), len(l))
	return line, min(max(col, 1), l[line-1]+1)
}
