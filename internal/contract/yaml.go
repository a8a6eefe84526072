package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// MaxBytes is the greatest size of a contract. It bounds the work of a reader whatever the bytes are.
const MaxBytes = 256 << 10

const (
	maxDepth   = 32      // deeper than any contract that a person reads
	maxNodes   = 1 << 16 // values once aliases are expanded: a few hundred for each of 500 outcomes
	maxEntries = 1000    // of one list or mapping; keeps checks that compare entries pairwise cheap
)

// limits bounds one document.
type limits struct{ depth, nodes, entries int }

// maxProblems bounds how many mistakes are reported; nobody reads more.
const maxProblems = 500

// loader turns bytes into a node tree and collects what is wrong with them.
type loader struct {
	limits
	count    int
	mistakes []mistake
	refused  map[string]bool // pointers of values that a mistake is already named for
}

// mistake is a problem with the JSON Pointer of the value that it is about.
type mistake struct {
	Problem
	ptr string
}

func (l *loader) add(ptr string, pos Pos, code, hint, format string, args ...any) {
	if len(l.mistakes) >= maxProblems {
		return
	}
	l.mistakes = append(l.mistakes, mistake{ptr: ptr, Problem: Problem{
		Line: pos.Line, Col: pos.Col, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint,
	}})
}

// load reads one YAML 1.2 or JSON document. It returns nil if the bytes have no usable root.
func (l *loader) load(data []byte) *node {
	if len(data) > MaxBytes {
		l.add("", Pos{1, 1}, CodeTooLarge, "Split it, or name further contracts in `contracts`.",
			"the contract has %d bytes; at most %d are read", len(data), MaxBytes)
		return nil
	}
	data, ok := l.decodeText(data)
	if !ok {
		return nil
	}
	data = plainEscapes(data)
	root, rest, err := readYAML(data)
	switch {
	case errors.Is(err, io.EOF):
		l.add("", Pos{1, 1}, CodeType, "Begin with `version: 1`.", "the contract is empty; it must be a mapping of keys to values")
		return nil
	case err != nil:
		l.syntax(data, err)
		return nil
	case rest != nil && rest.err != nil:
		l.syntax(data, rest.err)
		return nil
	case rest != nil:
		l.add("", rest.pos, CodeManyDocuments, "Remove the `---` line and what follows it.", "a second document begins here; a contract is one document")
	}
	if len(root.Content) != 1 {
		l.add("", Pos{1, 1}, CodeType, "Begin with `version: 1`.", "the contract is empty; it must be a mapping of keys to values")
		return nil
	}
	return l.build(root.Content[0], "", 1)
}

// decodeText takes a byte order mark off and refuses what is not UTF-8.
func (l *loader) decodeText(data []byte) ([]byte, bool) {
	const save = "Save the file as UTF-8."
	for _, mark := range []struct{ bytes, name string }{
		{"\x00\x00\xfe\xff", "UTF-32"}, {"\xff\xfe\x00\x00", "UTF-32"}, {"\xfe\xff", "UTF-16"}, {"\xff\xfe", "UTF-16"},
	} {
		if bytes.HasPrefix(data, []byte(mark.bytes)) {
			l.add("", Pos{1, 1}, CodeEncoding, save, "the contract is encoded as %s; it must be UTF-8", mark.name)
			return nil, false
		}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		i := 0
		for i < len(data) {
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			i += n
		}
		l.add("", position(data, i), CodeEncoding, save, "byte 0x%02x is not UTF-8", data[i])
		return nil, false
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		l.add("", position(data, i), CodeEncoding, save, "a NUL character; the contract must be UTF-8 text")
		return nil, false
	}
	return data, true
}

// position is the place of data[offset].
func position(data []byte, offset int) Pos {
	before := data[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return Pos{Line: bytes.Count(before, []byte{'\n'}) + 1, Col: utf8.RuneCount(before[start:]) + 1}
}

// plainEscapes rewrites the escapes of JSON (RFC 8259, section 7) that the YAML reader refuses: surrogate pairs
// and the escaped slash. Other bytes, and documents that are not JSON, stay as they are.
func plainEscapes(data []byte) []byte {
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) || !json.Valid(data) {
		return data
	}
	var out []byte
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' { // in JSON, a backslash only occurs inside a string
			out = append(out, data[i])
			continue
		}
		if data[i+1] == '/' {
			out = append(out, '/')
			i++
			continue
		}
		if i+12 <= len(data) && data[i+1] == 'u' && data[i+6] == '\\' {
			var s string
			if json.Unmarshal([]byte(`"`+string(data[i:i+12])+`"`), &s) == nil && utf8.RuneCountInString(s) == 1 {
				out = append(out, s...)
				i += 11
				continue
			}
		}
		out = append(out, data[i], data[i+1])
		i++
	}
	return out
}

// remainder is what follows the first document: a mistake, or the place of a second one.
type remainder struct {
	err error
	pos Pos
}

// readYAML parses the first document of data. The library reports mistakes as errors; a panic of it is one more.
func readYAML(data []byte) (doc *yaml.Node, rest *remainder, err error) {
	defer func() {
		if r := recover(); r != nil {
			doc, rest, err = nil, nil, fmt.Errorf("yaml: the reader stopped: %v", r)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	doc = new(yaml.Node)
	if err := dec.Decode(doc); err != nil {
		return nil, nil, err
	}
	var second yaml.Node
	err = dec.Decode(&second)
	if errors.Is(err, io.EOF) {
		return doc, nil, nil
	}
	return doc, &remainder{err: err, pos: Pos{max(second.Line, 1), max(second.Column, 1)}}, nil
}

// yamlError matches the library's errors, such as "yaml: line 3: did not find expected key".
var yamlError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^yaml: (?:line ([0-9]+): )?(.*)$`) })

// syntax reports a parser's error at the line that causes it.
func (l *loader) syntax(data []byte, err error) {
	text, line := err.Error(), 1
	if m := yamlError().FindStringSubmatch(text); m != nil {
		text = m[2]
		line = max(faultyLine(data, err), 1)
	}
	hint := "Check indentation, colons and quotes on this line and the one before."
	source := lineAt(data, line)
	switch trimmed := strings.TrimLeft(source, " "); {
	case strings.HasPrefix(trimmed, "\t"):
		hint = "Indent with spaces; YAML does not allow tabs there."
	case strings.Contains(text, "unknown anchor") || strings.Contains(text, "while scanning an alias") || strings.Contains(text, "alphabetic or numeric"):
		hint = "A value that begins with `*` or `&` needs quotes."
	case strings.Contains(text, "cannot start any token"):
		hint = "A value that begins with `@`, `%` or a backtick needs quotes."
	}
	col := len(source) - len(strings.TrimLeft(source, " \t")) + 1
	l.add("", Pos{line, col}, CodeSyntax, hint, "this is not valid YAML or JSON: %s", clip(text))
}

// faultyLine finds the line (from 1) at which reading fails with err. The library names the start of the
// enclosing block, which may be far above; the first prefix of lines that fails likewise ends at the fault.
func faultyLine(data []byte, err error) int {
	ends := []int{}
	for i, b := range data {
		if b == '\n' {
			ends = append(ends, i+1)
		}
	}
	ends = append(ends, len(data))
	want := err.Error()
	return sort.Search(len(ends)-1, func(i int) bool {
		_, rest, err := readYAML(data[:ends[i]])
		if err == nil && rest != nil {
			err = rest.err
		}
		return err != nil && err.Error() == want
	}) + 1
}

func lineAt(data []byte, line int) string {
	for ; line > 1; line-- {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			return ""
		}
		data = data[i+1:]
	}
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		data = data[:i]
	}
	return strings.TrimSuffix(string(data), "\r")
}

// build converts a YAML node. A nil answer means that the value was refused and a mistake says why.
func (l *loader) build(y *yaml.Node, ptr string, depth int) *node {
	pos := Pos{y.Line, y.Column}
	if l.count++; l.count > l.nodes {
		if l.count == l.nodes+1 {
			l.add(ptr, pos, CodeTooLarge, "Write less, or use fewer aliases.", "more than %d values, aliases expanded", l.nodes)
		}
		return nil
	}
	if depth > l.depth {
		l.add(ptr, pos, CodeTooDeep, "", "nested more than %d levels deep", l.depth)
		return nil
	}
	if y.Style&yaml.TaggedStyle != 0 {
		l.add(ptr, pos, CodeTag, "Remove the tag; quote the value if it is text.", "the tag %s; tags are not part of the language", quote(y.Tag))
		return nil
	}
	switch y.Kind {
	case yaml.AliasNode:
		if y.Alias == nil {
			break
		}
		return l.build(y.Alias, ptr, depth)
	case yaml.ScalarNode:
		return l.scalar(y, ptr, pos)
	case yaml.SequenceNode:
		return l.list(y, ptr, depth, pos)
	case yaml.MappingNode:
		return l.mapping(y, ptr, depth, pos)
	case yaml.DocumentNode:
	}
	l.add(ptr, pos, CodeSyntax, "", "this is not a value")
	return nil
}

func (l *loader) list(y *yaml.Node, ptr string, depth int, pos Pos) *node {
	if len(y.Content) > l.entries {
		l.add(ptr, pos, CodeTooLarge, "", "a list of %d entries; at most %d are read", len(y.Content), l.entries)
		return nil
	}
	n := &node{kind: kindList, pos: pos}
	for i, child := range y.Content {
		at := ptr + "/" + strconv.Itoa(i)
		item := l.build(child, at, depth+1)
		if item == nil {
			item = l.refuse(at, Pos{child.Line, child.Column})
		}
		n.items = append(n.items, item)
	}
	return n
}

// refuse stands for a value that build refused, so that the checks that follow do not complain of it again.
func (l *loader) refuse(ptr string, pos Pos) *node {
	if l.refused == nil {
		l.refused = make(map[string]bool)
	}
	l.refused[ptr] = true
	return &node{kind: kindNull, pos: pos}
}

func (l *loader) mapping(y *yaml.Node, ptr string, depth int, pos Pos) *node {
	if len(y.Content)/2 > l.entries {
		l.add(ptr, pos, CodeTooLarge, "", "a mapping of %d keys; at most %d are read", len(y.Content)/2, l.entries)
		return nil
	}
	n := &node{kind: kindMap, pos: pos}
	seen := make(map[string]int, len(y.Content)/2)
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, child := y.Content[i], y.Content[i+1]
		at := Pos{key.Line, key.Column}
		if key.Kind != yaml.ScalarNode || key.Style&yaml.TaggedStyle != 0 {
			l.add(ptr, at, CodeSyntax, "", "a key must be plain text")
			continue
		}
		if key.Tag == "!!merge" {
			l.add(ptr, at, CodeMergeKey, "Write the keys out.", "the merge key `<<` is not part of the language")
			continue
		}
		if line, ok := seen[key.Value]; ok {
			l.add(ptr+"/"+escapePointer(key.Value), at, CodeDuplicateKey, "Keep one of the two.", "the key %s is already given on line %d", quote(key.Value), line)
			continue
		}
		seen[key.Value] = key.Line
		below := ptr + "/" + escapePointer(key.Value)
		value := l.build(child, below, depth+1)
		if value == nil {
			value = l.refuse(below, at)
		}
		n.members = append(n.members, member{name: key.Value, pos: at, value: value})
	}
	return n
}
