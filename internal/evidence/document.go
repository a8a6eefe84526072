package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"path"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	// MaxDocumentBytes is the longest document that json_schema, content and identity rules read; a longer one is
	// unverified.
	MaxDocumentBytes = 64 << 20
	// maxYAMLBytes is the longest YAML document: its tree takes a hundred times its size.
	maxYAMLBytes = 4 << 20
	// maxYAMLNodes bounds a YAML document with its aliases expanded.
	maxYAMLNodes = 1 << 20
	// maxDocumentDepth bounds nesting; the walks are recursive.
	maxDocumentDepth = 512
)

var (
	errTooDeep   = fmt.Errorf("nested deeper than %d", maxDocumentDepth)
	errNotUTF8   = errors.New("not valid UTF-8")
	errTwoValues = errors.New("more than one document")
	errYAMLSize  = fmt.Errorf("a YAML document over %d MiB", maxYAMLBytes>>20)
)

// isYAML says by the name's extension whether a document is YAML; everything else is JSON.
func isYAML(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".yml" || ext == ".yaml"
}

// decodeDocument decodes one whole JSON or YAML document strictly: no duplicate members, one document, bounded
// depth. Numbers are json.Number, as written.
func decodeDocument(name string, data []byte) (any, error) {
	if isYAML(name) {
		root, err := parseYAML(data)
		if err != nil {
			return nil, err
		}
		budget := maxYAMLNodes
		return yamlValue(root, 0, &budget)
	}
	dec, err := jsonTokens(data)
	if err != nil {
		return nil, err
	}
	v, err := jsonValue(dec, 0)
	if err != nil {
		return nil, err
	}
	return v, atEnd(dec)
}

// jsonTokens starts reading one JSON text (RFC 8259); a byte order mark is skipped.
func jsonTokens(data []byte) (*json.Decoder, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return nil, errNotUTF8
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return dec, nil
}

func atEnd(dec *json.Decoder) error {
	switch _, err := dec.Token(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return errTwoValues
}

func jsonValue(dec *json.Decoder, depth int) (any, error) {
	if depth > maxDocumentDepth {
		return nil, errTooDeep
	}
	tok, err := dec.Token()
	if err != nil {
		return nil, unexpectedEnd(err)
	}
	switch tok {
	case json.Delim('{'):
		return jsonObject(dec, depth)
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			v, err := jsonValue(dec, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := dec.Token()
		return list, unexpectedEnd(err)
	}
	return tok, nil
}

func jsonObject(dec *json.Decoder, depth int) (any, error) {
	object := map[string]any{}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, unexpectedEnd(err)
		}
		name, ok := tok.(string)
		if !ok {
			return nil, fmt.Errorf("a member's name is %v", tok)
		}
		if _, twice := object[name]; twice {
			return nil, fmt.Errorf("member %q occurs twice", clip(name, 64))
		}
		v, err := jsonValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		object[name] = v
	}
	_, err := dec.Token()
	return object, unexpectedEnd(err)
}

// unexpectedEnd names the end of input inside a value.
func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// parseYAML gives the root node of exactly one YAML document.
func parseYAML(data []byte) (*yaml.Node, error) {
	if len(data) > maxYAMLBytes {
		return nil, errYAMLSize
	}
	if !utf8.Valid(data) {
		return nil, errNotUTF8
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		return nil, unexpectedEnd(err)
	}
	var next yaml.Node
	if err := dec.Decode(&next); !errors.Is(err, io.EOF) {
		return nil, errTwoValues
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, errors.New("no YAML document")
	}
	return doc.Content[0], nil
}

// yamlValue turns a node into the value that the same JSON would give. budget counts nodes, aliases expanded.
func yamlValue(n *yaml.Node, depth int, budget *int) (any, error) {
	if *budget--; *budget < 0 {
		return nil, fmt.Errorf("more than %d values with its aliases expanded", maxYAMLNodes)
	}
	if depth > maxDocumentDepth {
		return nil, errTooDeep
	}
	switch n.Kind {
	case yaml.AliasNode:
		return yamlValue(n.Alias, depth+1, budget)
	case yaml.SequenceNode:
		list := make([]any, 0, min(len(n.Content), maxYAMLNodes))
		for _, c := range n.Content {
			v, err := yamlValue(c, depth+1, budget)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.MappingNode:
		return yamlObject(n, depth, budget)
	case yaml.ScalarNode:
		return yamlScalar(n)
	}
	return nil, fmt.Errorf("line %d: no value", n.Line)
}

func yamlObject(n *yaml.Node, depth int, budget *int) (any, error) {
	object := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge" {
			return nil, fmt.Errorf("line %d: a key that JSON does not have", key.Line)
		}
		if _, twice := object[key.Value]; twice {
			return nil, fmt.Errorf("line %d: key %q occurs twice", key.Line, clip(key.Value, 64))
		}
		v, err := yamlValue(n.Content[i+1], depth+1, budget)
		if err != nil {
			return nil, err
		}
		object[key.Value] = v
	}
	return object, nil
}

// yamlScalar resolves a scalar as YAML 1.2's core schema does (10.3.2); what JSON has no value for is refused.
func yamlScalar(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true"), nil
	case "!!int":
		i, ok := new(big.Int).SetString(strings.TrimPrefix(n.Value, "+"), 0)
		if !ok {
			return nil, fmt.Errorf("line %d: %q is no integer", n.Line, clip(n.Value, 64))
		}
		return json.Number(i.String()), nil
	case "!!float":
		text := strings.TrimPrefix(n.Value, "+")
		if !json.Valid([]byte(text)) {
			return nil, fmt.Errorf("line %d: %q is no number of JSON", n.Line, clip(n.Value, 64))
		}
		return json.Number(text), nil
	case "!!str", "!!timestamp":
		return n.Value, nil
	}
	return nil, fmt.Errorf("line %d: a value of type %q, which JSON does not have", n.Line, clip(n.ShortTag(), 64))
}
