package report

import (
	"bytes"
	_ "embed" // the published schema
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

//go:embed report.schema.json
var schemaText string

// Schema is the published JSON Schema (draft 2020-12) of a report.
func Schema() []byte { return []byte(schemaText) }

// Validator is a compiled schema of reports.
type Validator struct {
	schema *jsonschema.Schema
	custom bool
}

// builtIn compiles the published schema at its first use: most runs of the program need none.
var builtIn = sync.OnceValues(func() (*Validator, error) {
	v, err := compile("report schema", Schema())
	if err == nil {
		v.custom = false
	}
	return v, err
})

// CompileSchema compiles a contract's own schema of reports. The name is for messages only. References to other
// files or addresses are refused: nothing is loaded. A report must still have an outcome of the three words and
// evidence, whatever the schema says; the types of its other members are left to it.
func CompileSchema(name string, data []byte) (*Validator, error) {
	return compile(name, data)
}

func compile(name string, data []byte) (*Validator, error) {
	if len(data) > maxBlock {
		return nil, fmt.Errorf("read report schema %s: over %d KiB", name, maxBlock>>10)
	}
	d := &decoder{src: data}
	d.space()
	if d.peek() != '{' {
		d.unexpected("a JSON object")
	} else {
		d.object()
		d.only()
	}
	if d.fault != nil {
		return nil, fmt.Errorf("read report schema %s:%s: %s", name, place(data, d.fault.at), d.fault.reason)
	}
	const address = "gate:///report.schema.json"
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.LoadURL = func(string) (io.ReadCloser, error) {
		return nil, errors.New("a report schema refers to nothing outside itself")
	}
	if err := c.AddResource(address, bytes.NewReader(data)); err != nil {
		return nil, fmt.Errorf("read report schema %s: %w", name, err)
	}
	schema, err := c.Compile(address)
	if err != nil {
		return nil, fmt.Errorf("compile report schema %s: %w", name, err)
	}
	return &Validator{schema: schema, custom: true}, nil
}

// errors lists how a decoded object breaks the schema, sorted, at most maxErrors, each as "$.path: message".
func (v *Validator) errors(object map[string]any) []string {
	err := v.schema.Validate(object)
	if err == nil {
		return nil
	}
	var broken *jsonschema.ValidationError
	if !errors.As(err, &broken) {
		return []string{cut("$: " + err.Error())}
	}
	var out []string
	for todo := []*jsonschema.ValidationError{broken}; len(todo) > 0; {
		e := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], e.Causes...)
		if len(e.Causes) == 0 {
			out = append(out, cut(jsonPath(object, e.InstanceLocation)+": "+e.Message))
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), maxErrors)]
}

// jsonPath turns a JSON pointer (RFC 6901) into the form $.evidence[0].
func jsonPath(v any, pointer string) string {
	out := "$"
	for _, token := range strings.Split(pointer, "/")[1:] {
		// The validator writes pointers as URI fragments do.
		if plain, err := url.PathUnescape(token); err == nil {
			token = plain
		}
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch x := v.(type) {
		case []any:
			out += "[" + token + "]"
			v = nil
			if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(x) {
				v = x[i]
			}
		case map[string]any:
			if plainName(token) {
				out += "." + token
			} else {
				out += "[" + shown(token) + "]"
			}
			v = x[token]
		default:
			return out
		}
	}
	return out
}

func plainName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !letter(c) && c != '_' && (i == 0 || !digit(c)) {
			return false
		}
	}
	return s != "" && len(s) <= maxShown
}
