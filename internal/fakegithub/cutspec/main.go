// Command cutspec cuts the operations of a list, and every component that they reach, out of GitHub's
// published OpenAPI description, without prose, examples and extensions: what is left is small enough to
// keep, and says all that validation reads. It changes no rule of what it keeps.
//
//	cutspec -in api.github.com.json -operations operations.txt -out openapi.json
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

type obj = map[string]any

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "cutspec: error:", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("cutspec", flag.ContinueOnError)
	flags.SetOutput(stderr)
	in := flags.String("in", "", "the whole description, with references")
	list := flags.String("operations", "", `file with an operation on each line: "METHOD /template"`)
	out := flags.String("out", "", "file to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	whole, err := os.ReadFile(*in)
	if err != nil {
		return fmt.Errorf("read description: %w", err)
	}
	operations, err := os.ReadFile(*list)
	if err != nil {
		return fmt.Errorf("read operations: %w", err)
	}
	part, err := cut(whole, strings.Split(strings.TrimSpace(string(operations)), "\n"))
	if err != nil {
		return err
	}
	return os.WriteFile(*out, part, 0o644) //nolint:gosec // G306: a file of the repository
}

// cut gives the part of a description that the operations need.
func cut(whole []byte, operations []string) ([]byte, error) {
	var doc struct {
		OpenAPI    string                    `json:"openapi"`
		Info       obj                       `json:"info"`
		Servers    []any                     `json:"servers"`
		Paths      map[string]obj            `json:"paths"`
		Components map[string]map[string]any `json:"components"`
	}
	if err := json.Unmarshal(whole, &doc); err != nil {
		return nil, fmt.Errorf("read description: %w", err)
	}
	paths := map[string]obj{}
	for _, operation := range operations {
		method, path, _ := strings.Cut(operation, " ")
		op, found := doc.Paths[path][strings.ToLower(method)]
		if !found {
			return nil, fmt.Errorf("the description has no operation %s %s", method, path)
		}
		if paths[path] == nil {
			paths[path] = obj{}
			if shared, has := doc.Paths[path]["parameters"]; has {
				paths[path]["parameters"] = shared
			}
		}
		paths[path][strings.ToLower(method)] = op
	}
	if len(paths) == 0 {
		return nil, errors.New("no operations")
	}
	c := cutter{from: doc.Components, to: map[string]map[string]any{}}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if err := c.reach(paths[path]); err != nil {
			return nil, err
		}
	}
	result := obj{"openapi": doc.OpenAPI, "info": doc.Info, "servers": doc.Servers, "paths": asAny(paths), "components": asAny(c.to)}
	clean(result, false)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	err := e.Encode(result)
	return b.Bytes(), err
}

// asAny makes nested maps of one type only, so that clean sees them all.
func asAny[M ~map[string]any](m map[string]M) obj {
	out := obj{}
	for k, v := range m {
		out[k] = obj(v)
	}
	return out
}

// cutter gathers the components that references lead to.
type cutter struct{ from, to map[string]map[string]any }

func (c *cutter) reach(v any) error {
	switch v := v.(type) {
	case obj:
		if ref, is := v["$ref"].(string); is {
			if err := c.follow(ref); err != nil {
				return err
			}
		}
		for key, inner := range v {
			if key == "example" || key == "examples" {
				continue
			}
			if err := c.reach(inner); err != nil {
				return err
			}
		}
	case []any:
		for _, inner := range v {
			if err := c.reach(inner); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *cutter) follow(ref string) error {
	path, ours := strings.CutPrefix(ref, "#/components/")
	kind, name, named := strings.Cut(path, "/")
	if !ours || !named {
		return fmt.Errorf("reference %q leads out of the components", ref)
	}
	if _, done := c.to[kind][name]; done {
		return nil
	}
	component, found := c.from[kind][name]
	if !found {
		return fmt.Errorf("reference %q leads nowhere", ref)
	}
	if c.to[kind] == nil {
		c.to[kind] = map[string]any{}
	}
	c.to[kind][name] = component
	return c.reach(component)
}

// holders are the keywords whose keys are names and not keywords.
func holders() []string {
	return []string{"properties", "schemas", "parameters", "responses", "headers", "paths", "content", "patternProperties"}
}

// clean drops what validation never reads. named says that the keys of v are names. A response must keep
// the key of its description.
func clean(v any, named bool) {
	switch v := v.(type) {
	case obj:
		for key, inner := range v {
			switch {
			case named:
			case strings.HasPrefix(key, "x-"), key == "example", key == "examples", key == "externalDocs", key == "tags":
				delete(v, key)
				continue
			case key == "description":
				if text, is := inner.(string); is && text != "" {
					v[key] = "-"
					if _, schema := v["type"]; schema {
						delete(v, key)
					}
				}
				continue
			}
			clean(inner, !named && slices.Contains(holders(), key))
		}
	case []any:
		for _, inner := range v {
			clean(inner, false)
		}
	}
}
