package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	// maxIdentityBytes is the longest value that can name a target; digests have 64 digits.
	maxIdentityBytes = 256
	// maxPatternMatches is how many matches of one pattern are compared with each other.
	maxPatternMatches = 1000
)

// IdentityRule says where in a document a value stands. Exactly one member is set; all come from the contract.
type IdentityRule struct {
	Pointer  string // JSON Pointer (RFC 6901) into a JSON or YAML document; YAML by the name's extension
	Property string // a <property> of a test result document
	Regexp   string // RE2; the first group if there is one, else the whole match
}

// FindIdentity gives the value that a rule finds in a document. A value that occurs twice differently, that is no
// single text, number or truth value, or that a broken or cut document holds is not found, and Reason says why.
func FindIdentity(rule IdentityRule, doc *Document) IdentityValue {
	switch {
	case doc == nil || !doc.Readable:
		return notFound("the file could not be read")
	case rule.Property != "":
		return IdentityFromProperty(rule.Property, doc.Tests)
	case rule.Regexp != "":
		v := IdentityFromRegexp(rule.Regexp, doc.Bytes)
		if !v.Found && doc.Cut {
			v.Reason += fmt.Sprintf(" in the first %d bytes", len(doc.Bytes))
		}
		return v
	case doc.Cut:
		return notFound("the document is longer than %d bytes", len(doc.Bytes))
	}
	return IdentityFromPointer(rule.Pointer, doc.Name, doc.Bytes)
}

func notFound(format string, args ...any) IdentityValue {
	return IdentityValue{Reason: clip(fmt.Sprintf(format, args...), maxNameBytes)}
}

func found(value string) IdentityValue {
	switch {
	case len(value) > maxIdentityBytes:
		return notFound("the value is longer than %d bytes", maxIdentityBytes)
	case value == "":
		return notFound("the value is empty")
	case !utf8.ValidString(value):
		return notFound("the value is not valid UTF-8")
	}
	return IdentityValue{Value: value, Found: true}
}

// IdentityFromProperty gives the value of a property of a test result document; one that occurs with different
// values names nothing.
func IdentityFromProperty(name string, tests *TestSet) IdentityValue {
	if tests == nil || tests.Results == nil {
		return notFound("not a test result document")
	}
	value, ok := tests.Properties[name]
	switch {
	case !ok:
		return notFound("no property %s", name)
	case tests.Conflicts[name]:
		return notFound("property %s occurs with different values", name)
	}
	return found(value)
}

// IdentityFromRegexp gives what an RE2 pattern finds; matches that differ name nothing.
func IdentityFromRegexp(pattern string, data []byte) IdentityValue {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return notFound("the pattern cannot be used: %v", err)
	}
	group := min(re.NumSubexp(), 1)
	value, hit := "", false
	for _, m := range re.FindAllSubmatchIndex(data, maxPatternMatches) {
		if m[2*group] < 0 {
			continue
		}
		got := data[m[2*group]:m[2*group+1]]
		if hit && string(got) != value {
			return notFound("the pattern matches different values")
		}
		if len(got) > maxIdentityBytes {
			return notFound("the value is longer than %d bytes", maxIdentityBytes)
		}
		value, hit = string(got), true
	}
	if !hit {
		return notFound("no match")
	}
	return found(value)
}

// IdentityFromPointer gives the scalar that a JSON Pointer (RFC 6901) addresses, as it is written. The document must be
// whole and well formed, and no member on the way may occur twice.
func IdentityFromPointer(pointer, name string, data []byte) IdentityValue {
	value, err := pointAt(pointer, name, data)
	if err != nil {
		return notFound("%v", err)
	}
	return found(value)
}

var (
	errNoValue   = errors.New("nothing is there")
	errNotScalar = errors.New("not a single value")
	errPointer   = errors.New("not a JSON Pointer")
)

// pointAt evaluates a pointer; the error is errNoValue if the document is whole and holds nothing there.
func pointAt(pointer, name string, data []byte) (string, error) {
	path, err := parsePointer(pointer)
	if err != nil {
		return "", err
	}
	if isYAML(name) {
		root, err := parseYAML(data)
		if err != nil {
			return "", fmt.Errorf("%w: %w", errNotParsable, err)
		}
		return yamlAt(root, path)
	}
	dec, err := jsonTokens(data)
	if err != nil {
		return "", fmt.Errorf("%w: %w", errNotParsable, err)
	}
	w := pointerWalk{dec: dec, result: errNoValue}
	if err := w.value(path, 0); err != nil {
		return "", err
	}
	if err := atEnd(dec); err != nil {
		return "", fmt.Errorf("%w: %w", errNotParsable, err)
	}
	return w.text, w.result
}

var errNotParsable = errors.New("the document cannot be read")

// parsePointer splits a pointer into its unescaped reference tokens (RFC 6901, 3 and 4).
func parsePointer(pointer string) ([]string, error) {
	if pointer == "" {
		return nil, nil
	}
	if pointer[0] != '/' {
		return nil, errPointer
	}
	path := strings.Split(pointer[1:], "/")
	for i, t := range path {
		for j := range len(t) {
			if t[j] == '~' && (j+1 == len(t) || (t[j+1] != '0' && t[j+1] != '1')) {
				return nil, errPointer
			}
		}
		path[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(t)
	}
	return path, nil
}

// index reads an array index: digits without leading zeros; -1 if it is none.
func index(token string) int {
	n, err := strconv.Atoi(token)
	if err != nil || strconv.Itoa(n) != token || n < 0 {
		return -1
	}
	return n
}

// pointerWalk reads one JSON text to its end and keeps the scalar at the path.
type pointerWalk struct {
	dec    *json.Decoder
	text   string
	result error // nil once the scalar is found
}

// value reads one value; path is what is left of the pointer. It fails only for a document that is broken or
// ambiguous on the way.
func (w *pointerWalk) value(path []string, depth int) error {
	tok, err := w.token(depth)
	if err != nil {
		return err
	}
	delim, composite := tok.(json.Delim)
	if len(path) == 0 {
		w.text, w.result = scalar(tok)
	}
	if !composite {
		return nil
	}
	hit := false
	for i := 0; w.dec.More(); i++ {
		on := false
		if delim == '{' {
			name, err := w.token(depth)
			if err != nil {
				return err
			}
			on = len(path) > 0 && name == path[0]
		} else {
			on = len(path) > 0 && index(path[0]) == i
		}
		if on && hit {
			return fmt.Errorf("member %q occurs twice", clip(path[0], 64))
		}
		hit = hit || on
		if on {
			err = w.value(path[1:], depth+1)
		} else {
			err = w.skip(depth + 1)
		}
		if err != nil {
			return err
		}
	}
	_, err = w.token(depth)
	return err
}

// skip reads one value that the pointer does not address.
func (w *pointerWalk) skip(depth int) error {
	for open := 0; ; {
		tok, err := w.token(depth + open)
		if err != nil {
			return err
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			open++
		case json.Delim('}'), json.Delim(']'):
			open--
		}
		if open == 0 {
			return nil
		}
	}
}

func (w *pointerWalk) token(depth int) (json.Token, error) {
	if depth > maxDocumentDepth {
		return nil, fmt.Errorf("%w: %w", errNotParsable, errTooDeep)
	}
	tok, err := w.dec.Token()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotParsable, unexpectedEnd(err))
	}
	return tok, nil
}

// scalar is the text form of a string, number or truth value.
func scalar(tok json.Token) (string, error) {
	switch v := tok.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case bool:
		return strconv.FormatBool(v), nil
	}
	return "", errNotScalar
}

// yamlAt walks a YAML tree; an alias on the way is followed.
func yamlAt(n *yaml.Node, path []string) (string, error) {
	for hops := 0; ; hops++ {
		if hops > maxDocumentDepth {
			return "", errTooDeep
		}
		switch {
		case n.Kind == yaml.AliasNode:
			n = n.Alias
			continue
		case len(path) == 0:
			if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
				return "", errNotScalar
			}
			return n.Value, nil
		}
		var next *yaml.Node
		switch n.Kind {
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				if k := n.Content[i]; k.Kind == yaml.ScalarNode && k.Value == path[0] {
					if next != nil {
						return "", fmt.Errorf("key %q occurs twice", clip(path[0], 64))
					}
					next = n.Content[i+1]
				}
			}
		case yaml.SequenceNode:
			if i := index(path[0]); i >= 0 && i < len(n.Content) {
				next = n.Content[i]
			}
		}
		if next == nil {
			return "", errNoValue
		}
		n, path = next, path[1:]
	}
}

// IdentityNames lists the names that equals may use, in order: what they stand for is in IdentityTargets.
func IdentityNames() []string {
	return []string{"commit", "head_sha", "merge_sha", "base_sha", "run_id", "run_attempt", "artifact_sha256"}
}

// IdentityTargets resolves the names of an equals list against the subject; commit is the head or the merge
// commit. A name whose value is not known stands for nothing, so that nothing can equal it.
func IdentityTargets(names []string, s *Subject, artifactSHA256 string) []string {
	var out []string
	add := func(v string) {
		if v != "" && v != "0" {
			out = append(out, v)
		}
	}
	for _, n := range names {
		switch n {
		case "commit":
			add(s.HeadSHA)
			add(s.MergeSHA)
		case "head_sha":
			add(s.HeadSHA)
		case "merge_sha":
			add(s.MergeSHA)
		case "base_sha":
			add(s.BaseSHA)
		case "run_id":
			add(strconv.FormatInt(s.RunID, 10))
		case "run_attempt":
			add(strconv.Itoa(s.RunAttempt))
		case "artifact_sha256":
			add(artifactSHA256)
		}
	}
	return out
}

// shortCommit is a commit's name in words: its first twelve digits. Anything else stays as it is.
func shortCommit(name string) string {
	if len(name) == 40 && strings.Trim(name, "0123456789abcdef") == "" {
		return name[:12]
	}
	return name
}

// ShortCommits are values for words: of the names of commits the first twelve digits.
func ShortCommits(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = shortCommit(n)
	}
	return out
}
