package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const whole = `{
  "openapi": "3.0.3", "info": {"title": "T", "version": "1", "description": "Long"}, "servers": [],
  "paths": {
    "/a": {
      "parameters": [{"$ref": "#/components/parameters/p"}],
      "get": {"tags": ["x"], "x-more": 1, "description": "Prose", "responses": {"200": {"description": "Good",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/one"}, "example": {"$ref": "#/components/schemas/unused"}}}}}},
      "put": {"responses": {}}
    },
    "/b": {"get": {"responses": {}}}
  },
  "components": {
    "parameters": {"p": {"name": "tags", "in": "query", "description": "P"}},
    "schemas": {
      "one": {"type": "object", "description": "One", "properties": {"description": {"type": "string"}, "tags": {"$ref": "#/components/schemas/two"}}},
      "two": {"type": "object", "properties": {"again": {"$ref": "#/components/schemas/one"}}},
      "unused": {"type": "string"}
    }
  }
}`

const want = `{
  "openapi": "3.0.3", "info": {"title": "T", "version": "1", "description": "-"}, "servers": [],
  "paths": {"/a": {
    "parameters": [{"$ref": "#/components/parameters/p"}],
    "get": {"description": "-", "responses": {"200": {"description": "-", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/one"}}}}}}
  }},
  "components": {
    "parameters": {"p": {"name": "tags", "in": "query", "description": "-"}},
    "schemas": {
      "one": {"type": "object", "properties": {"description": {"type": "string"}, "tags": {"$ref": "#/components/schemas/two"}}},
      "two": {"type": "object", "properties": {"again": {"$ref": "#/components/schemas/one"}}}
    }
  }
}`

// TestCut runs the command: what is reached stays, properties that are named like keywords stay, all else goes.
func TestCut(t *testing.T) {
	dir := t.TempDir()
	in, list, out := filepath.Join(dir, "in"), filepath.Join(dir, "list"), filepath.Join(dir, "out")
	for path, text := range map[string]string{in: whole, list: "GET /a\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := run([]string{"-in", in, "-operations", list, "-out", out}, io.Discard); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var got, expected any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &expected); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, expected) {
		t.Errorf("cut to\n%s", raw)
	}
}

func TestCutRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		doc, says  string
		operations []string
	}{
		"operation":     {whole, "no operation POST /a", []string{"POST /a"}},
		"path":          {whole, "no operation GET /c", []string{"GET /c"}},
		"nothing":       {whole, "no operations", nil},
		"broken":        {"{", "read description", []string{"GET /a"}},
		"dangling":      {`{"paths":{"/a":{"get":{"$ref":"#/components/schemas/x"}}}}`, "leads nowhere", []string{"GET /a"}},
		"another place": {`{"paths":{"/a":{"get":{"$ref":"other.json"}}}}`, "leads out", []string{"GET /a"}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := cut([]byte(c.doc), c.operations); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
}
