package evidence

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestDocumentLimits holds the limits of documents, parameters and facts just under and just over.
func TestDocumentLimits(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct {
		name, file string
		limit      int
		text       func(n int) string
	}{
		// The outermost value stands at level 0.
		{"levels of JSON", "a.json", maxDocumentDepth + 1, deep},
		{"levels of YAML", "a.yml", maxDocumentDepth + 1, deep},
		{"bytes of YAML", "a.yml", maxYAMLBytes, func(n int) string { return "a: 1 #" + strings.Repeat("x", n-len("a: 1 #")) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := decodeDocument(c.file, []byte(c.text(c.limit))); err != nil {
				t.Errorf("at %d: %v", c.limit, err)
			}
			if _, err := decodeDocument(c.file, []byte(c.text(c.limit+1))); err == nil {
				t.Errorf("over %d it is read", c.limit)
			}
		})
	}
	// As many values as maxYAMLNodes take seconds, so few are counted here: a list, three items, one of them again and what it stands for.
	for budget, fits := range map[int]bool{6: true, 5: false} {
		root, err := parseYAML([]byte("[&a 1, 2, *a, 3]"))
		if err != nil {
			t.Fatal(err)
		}
		left := budget
		if _, err := yamlValue(root, 0, &left); (err == nil) != fits {
			t.Errorf("6 values, at most %d: %v", budget, err)
		}
	}
	var v struct {
		A json.RawMessage `json:"a"`
	}
	for _, c := range []struct {
		name  string
		limit int
		text  func(n int) string
	}{
		{"levels of facts", maxJSONDepth, func(n int) string { return `{"a":` + deep(n) + `}` }},
		{"bytes of facts", maxJSONBytes, func(n int) string { return `{"a":1` + strings.Repeat(" ", n-len(`{"a":1}`)) + `}` }},
	} {
		if err := decodeStrict([]byte(c.text(c.limit)), &v); err != nil {
			t.Errorf("%s: at %d: %v", c.name, c.limit, err)
		}
		if err := decodeStrict([]byte(c.text(c.limit+1)), &v); err == nil {
			t.Errorf("%s: over %d they are read", c.name, c.limit)
		}
	}
}
