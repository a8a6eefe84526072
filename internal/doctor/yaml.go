package doctor

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Bounds on one workflow file. GitHub itself takes up to 512 KiB.
const (
	MaxFile  = 512 << 10 // bytes
	maxDepth = 64        // GitHub's own schema is some ten levels deep
	maxNodes = 1 << 16   // values once aliases are expanded
)

// place is where something is in a file, from 1; 0 is unknown.
type place struct{ line, column int }

// value is one YAML value: a text, a list or a mapping. A nil value is one that is not there.
type value struct {
	at      place
	text    string // of a scalar, as written
	items   []*value
	members []member
	list    bool
	mapping bool
}

// member is one key of a mapping.
type member struct {
	name  string
	at    place
	value *value
}

// get is the value of a key, nil if there is none.
func (v *value) get(name string) *value {
	if m := v.member(name); m != nil {
		return m.value
	}
	return nil
}

func (v *value) member(name string) *member {
	if v == nil {
		return nil
	}
	for i := range v.members {
		if v.members[i].name == name {
			return &v.members[i]
		}
	}
	return nil
}

// str is a scalar's text without the blanks around it, "" for what is none.
func (v *value) str() string {
	if v == nil || v.list || v.mapping {
		return ""
	}
	return strings.TrimSpace(v.text)
}

// builder turns YAML nodes into values within the bounds.
type builder struct{ nodes int }

var (
	errTooLarge = errors.New("it is too large")
	errTooDeep  = errors.New("it is nested too deeply")
)

// parse reads one document. The library reports what is wrong as errors; a panic of it is one more.
func parse(data []byte) (v *value, err error) {
	defer func() {
		if r := recover(); r != nil {
			v, err = nil, fmt.Errorf("the reader stopped: %v", r)
		}
	}()
	if len(data) > MaxFile {
		return nil, errTooLarge
	}
	var doc yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(data))
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("it is empty")
	case err != nil:
		return nil, err
	case len(doc.Content) != 1:
		return nil, errors.New("it is empty")
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one document")
	}
	b := &builder{}
	return b.build(doc.Content[0], 1)
}

func (b *builder) build(y *yaml.Node, depth int) (*value, error) {
	b.nodes++
	switch {
	case b.nodes > maxNodes:
		return nil, errTooLarge
	case depth > maxDepth:
		return nil, errTooDeep
	}
	v := &value{at: place{y.Line, y.Column}}
	switch y.Kind {
	case yaml.AliasNode:
		if y.Alias == nil {
			return nil, errors.New("an alias leads nowhere")
		}
		return b.build(y.Alias, depth+1)
	case yaml.ScalarNode:
		v.text = y.Value
		return v, nil
	case yaml.SequenceNode:
		v.list = true
		for _, child := range y.Content {
			item, err := b.build(child, depth+1)
			if err != nil {
				return nil, err
			}
			v.items = append(v.items, item)
		}
		return v, nil
	case yaml.MappingNode:
		return b.mapping(v, y, depth)
	case yaml.DocumentNode:
	}
	return nil, errors.New("it holds what is no value")
}

func (b *builder) mapping(v *value, y *yaml.Node, depth int) (*value, error) {
	v.mapping = true
	seen := make(map[string]bool, len(y.Content)/2)
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := y.Content[i]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			return nil, fmt.Errorf("line %d: a key is no plain text", key.Line)
		}
		if seen[key.Value] { // which of the two counts is not ours to guess
			return nil, fmt.Errorf("line %d: a key is given twice", key.Line)
		}
		seen[key.Value] = true
		below, err := b.build(y.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		v.members = append(v.members, member{name: key.Value, at: place{key.Line, key.Column}, value: below})
	}
	return v, nil
}
