package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

const (
	// maxSchemaBytes is the longest schema; the largest published ones have some hundred KiB.
	maxSchemaBytes = 1 << 20
	// maxSchemaErrors is how many errors of one document facts keep.
	maxSchemaErrors = 10
	// schemaURL is the name of the schema inside the compiler; nothing is ever fetched from it.
	schemaURL = "outcome-gate:///schema"
	// schemaRole is the role of the schema among a validator's further files.
	schemaRole = "schema"
)

const jsonSchemaSchema = `{
  "type": "object",
  "description": "Every file of the artifact is one JSON or YAML document that a JSON Schema accepts.",
  "properties": {
    "schema": {"type": "string", "minLength": 1, "maxLength": 500, "pattern": "^[^/\\x00\\\\][^\\x00\\\\]*$",
      "description": "Path of the schema, read at the trusted branch's newest commit; JSON, or YAML by its extension. References may point into the schema itself, never to the network or another file."},
    "version": {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[A-Za-z0-9][A-Za-z0-9.+_-]*$",
      "description": "The version that the schema must declare: its member version, or a whole word of its $id, with or without a v in front (\"3\" in https://example.com/report-v3.json). A text: a bare number goes in quotes."}
  },
  "required": ["schema"],
  "additionalProperties": false,
  "examples": [{"schema": "schemas/report-v3.json"}, {"schema": "schemas/report-v3.json", "version": "3"}]
}`

type jsonSchemaParams struct {
	Schema  string `json:"schema"`
	Version string `json:"version,omitempty"`
}

type jsonSchemaFacts struct {
	Schema   schemaFact   `json:"schema"`
	Files    int          `json:"files"`
	Valid    int          `json:"valid"`              // how many of them the schema accepts
	Rejected []schemaDoc  `json:"rejected,omitempty"` // up to ten of the others
	Problems schemaCounts `json:"problems"`
}

// schemaFact says what became of the schema.
type schemaFact struct {
	Read     bool     `json:"read"`
	Usable   bool     `json:"usable"`
	Reason   string   `json:"reason,omitempty"`
	SHA256   string   `json:"sha256,omitempty"`
	Declares []string `json:"declares,omitempty"` // version and $id
	Version  bool     `json:"version_matches,omitempty"`
}

// schemaCounts counts the files that were not accepted, by why.
type schemaCounts struct {
	Unreadable  int `json:"unreadable,omitempty"`
	OverLimit   int `json:"over_limit,omitempty"`
	NotParsable int `json:"not_parsable,omitempty"`
	Invalid     int `json:"invalid,omitempty"`
	NoAnswer    int `json:"no_answer,omitempty"` // the schema could not be applied
	Empty       int `json:"empty,omitempty"`
}

// bad is how many files were not accepted.
func (n *schemaCounts) bad() int {
	return n.Unreadable + n.OverLimit + n.NotParsable + n.Invalid + n.NoAnswer + n.Empty
}

type schemaDoc struct {
	Name   string   `json:"name"`
	Errors []string `json:"errors"`
}

func jsonSchemaKind() Kind {
	return Kind{
		Name: "json_schema", Version: "1", Short: "schema", Schema: jsonSchemaSchema, NeedsArtifact: true, Deterministic: true,
		Doc:     "Every file is one JSON or YAML document that a JSON Schema of the trusted branch accepts.",
		Wants:   func(json.RawMessage) Wants { return Wants{Bytes: MaxDocumentBytes} },
		Reads:   jsonSchemaReads,
		Observe: observing(observeJSONSchema),
		Judge:   judging(judgeJSONSchema),
	}
}

func jsonSchemaReads(params json.RawMessage) []Read {
	var p jsonSchemaParams
	if decodeStrict(params, &p) != nil || p.Schema == "" {
		return nil
	}
	return []Read{{Role: schemaRole, Trusted: p.Schema, Trust: tierService, Wants: Wants{Bytes: maxSchemaBytes}}}
}

func observeJSONSchema(p *jsonSchemaParams, in *Input) jsonSchemaFacts {
	f := jsonSchemaFacts{Files: len(in.Documents)}
	schema := readSchema(p, in, &f.Schema)
	space := newRoom()
	for i := range in.Documents {
		doc := &in.Documents[i]
		problems, counter := applySchema(schema, doc, &f.Problems)
		if counter == nil {
			f.Valid++
			continue
		}
		*counter++
		if len(f.Rejected) >= maxContentFiles {
			continue
		}
		entry := schemaDoc{Name: clip(doc.Name, maxNameBytes), Errors: []string{}}
		for _, e := range problems {
			entry.Errors = space.add(entry.Errors, e, maxSchemaErrors)
		}
		if space.take(entry.Name) {
			f.Rejected = append(f.Rejected, entry)
		}
	}
	return f
}

// readSchema compiles the trusted schema; nil if it cannot be used, and the fact says why.
func readSchema(p *jsonSchemaParams, in *Input, f *schemaFact) *jsonschema.Schema {
	if reason := in.ReadError[schemaRole]; reason != "" {
		f.Reason = clip(reason, maxNameBytes)
		return nil
	}
	docs := in.Reads[schemaRole]
	if len(docs) != 1 || !docs[0].Readable || docs[0].Cut {
		f.Reason = "the schema could not be read whole"
		return nil
	}
	f.Read, f.SHA256 = true, clip(docs[0].SHA256, 64)
	value, err := decodeDocument(p.Schema, docs[0].Bytes)
	if err != nil {
		f.Reason = clip(err.Error(), maxNameBytes)
		return nil
	}
	f.Declares, f.Version = schemaVersion(value, p.Version)
	schema, err := compileSchema(value)
	if err != nil {
		f.Reason = clip(err.Error(), maxNameBytes)
		return nil
	}
	f.Usable = true
	return schema
}

// compileSchema compiles a schema that can reach neither network nor files. The library panics on some input; that is
// a schema that cannot be used.
func compileSchema(value any) (schema *jsonschema.Schema, err error) {
	defer func() {
		if r := recover(); r != nil {
			schema, err = nil, fmt.Errorf("compile schema: %v", r)
		}
	}()
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("%s is outside of the schema", clip(url, 100))
	}
	if err := c.AddResource(schemaURL, bytes.NewReader(text)); err != nil {
		return nil, err
	}
	return c.Compile(schemaURL)
}

// applySchema holds one document against the schema: the errors, and what to count it as; nil for accepted.
func applySchema(schema *jsonschema.Schema, doc *Document, n *schemaCounts) (problems []string, counter *int) {
	switch {
	case !doc.Readable:
		return []string{"could not be read"}, &n.Unreadable
	case doc.Cut || len(doc.Bytes) > MaxDocumentBytes:
		return []string{fmt.Sprintf("longer than %d MiB", MaxDocumentBytes>>20)}, &n.OverLimit
	case schema == nil:
		return nil, &n.NoAnswer
	case len(bytes.TrimSpace(doc.Bytes)) == 0:
		return []string{"is empty"}, &n.Empty
	}
	value, err := decodeDocument(doc.Name, doc.Bytes)
	switch {
	case errors.Is(err, errYAMLSize):
		return []string{err.Error()}, &n.OverLimit
	case err != nil:
		return []string{err.Error()}, &n.NotParsable
	}
	defer func() {
		if r := recover(); r != nil {
			problems, counter = []string{fmt.Sprintf("the schema cannot be applied: %v", r)}, &n.NoAnswer
		}
	}()
	err = schema.Validate(value)
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
		return nil, nil
	case errors.As(err, &invalid):
		return leaves(invalid, nil), &n.Invalid
	}
	return []string{err.Error()}, &n.NoAnswer
}

// leaves lists the innermost errors with the places that they are about, bounded.
func leaves(e *jsonschema.ValidationError, out []string) []string {
	if len(out) >= maxSchemaErrors {
		return out
	}
	if len(e.Causes) == 0 {
		at := e.InstanceLocation
		if at == "" {
			at = "the document"
		}
		return append(out, clip(at+": "+e.Message, maxNameBytes))
	}
	for _, c := range e.Causes {
		out = leaves(c, out)
	}
	return out
}

// schemaVersion gives what the schema declares of itself, and whether that is the version asked for.
func schemaVersion(schema any, want string) (declares []string, matches bool) {
	object, _ := schema.(map[string]any)
	switch v := object["version"].(type) {
	case string:
		declares, matches = append(declares, clip(v, 64)), v == want
	case json.Number:
		declares, matches = append(declares, clip(v.String(), 64)), v.String() == want
	}
	if id, ok := object["$id"].(string); ok {
		declares = append(declares, clip(id, maxNameBytes))
		matches = matches || holdsVersion(id, want)
	}
	return declares, matches && want != ""
}

// holdsVersion reports whether version, or v and version, is a whole word of an identifier. A dot between two
// digits does not end a word, so that 1 is not in 1.2.
func holdsVersion(id, version string) bool {
	word := func(c byte) bool { return c < 0x80 && (unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c))) }
	digit := func(i int) bool { return i >= 0 && i < len(id) && id[i] >= '0' && id[i] <= '9' }
	for from := 0; version != ""; {
		i := strings.Index(id[from:], version)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(version)
		from = start + 1
		before := start - 1
		if before >= 0 && (id[before] == 'v' || id[before] == 'V') {
			before--
		}
		startsWord := before < 0 || (!word(id[before]) && (id[before] != '.' || !digit(before-1)))
		endsWord := end == len(id) || (!word(id[end]) && (id[end] != '.' || !digit(end+1)))
		if startsWord && endsWord {
			return true
		}
	}
	return false
}

func judgeJSONSchema(p *jsonSchemaParams, f *jsonSchemaFacts) Finding {
	n := f.Problems
	switch why := f.unusable(p); {
	case why != "":
		return find(Unverified, CodeInputFacts, "%s", why)
	case !f.Schema.Read:
		return find(Unverified, CodeSchemaAbsent, "schema %s was not read%s", p.Schema, because(f.Schema.Reason))
	case !f.Schema.Usable:
		return find(Unverified, CodeSchemaNotUsable, "schema %s cannot be used%s", p.Schema, because(f.Schema.Reason))
	case p.Version != "" && !f.Schema.Version:
		return find(Unverified, CodeSchemaVersion, "schema %s does not declare version %s but %s", p.Schema, p.Version, declared(f.Schema.Declares))
	case f.Files < 1:
		return find(Unverified, CodeInputNoFiles, "no file was held against %s", p.Schema)
	case n.Invalid > 0 && n.NotParsable > 0:
		return find(ValidatorFailed, CodeSchemaInvalid, "%s %s and %s no JSON or YAML document: %s", share(n.Invalid, f.Files, "breaks", "break"), p.Schema,
			counted(n.NotParsable, "is", "are"), firstErrors(f.Rejected))
	case n.Invalid > 0:
		return find(ValidatorFailed, CodeSchemaInvalid, "%s %s: %s", share(n.Invalid, f.Files, "breaks", "break"), p.Schema, firstErrors(f.Rejected))
	case n.NotParsable > 0:
		return find(ValidatorFailed, CodeSchemaNotParsable, "%s no JSON or YAML document: %s", share(n.NotParsable, f.Files, "is", "are"), firstErrors(f.Rejected))
	case n.OverLimit > 0:
		return find(Unverified, CodeSchemaOverLimit, "%s too long to be read: %s", share(n.OverLimit, f.Files, "is", "are"), firstErrors(f.Rejected))
	case n.Unreadable > 0:
		return find(Unverified, CodeInputUnreadable, "%s not be read", share(n.Unreadable, f.Files, "could", "could"))
	case n.Empty > 0:
		return find(Unverified, CodeInputEmpty, "%s empty", counted(n.Empty, "file is", "files are"))
	case n.bad() > 0:
		return find(Unverified, CodeSchemaNotUsable, "schema %s could not be applied to %s: %s", p.Schema, counted(n.NoAnswer, "file"), firstErrors(f.Rejected))
	}
	return find(Verified, CodeSchemaValid, "%s valid by %s", counted(f.Valid, "file is", "files are"), p.Schema)
}

func declared(of []string) string {
	if len(of) == 0 {
		return "none"
	}
	return strings.Join(of, ", ")
}

// firstErrors is the first rejected file with its errors, for reading.
func firstErrors(docs []schemaDoc) string {
	i := slices.IndexFunc(docs, func(d schemaDoc) bool { return len(d.Errors) > 0 })
	if i < 0 {
		return "see the files"
	}
	return docs[i].Name + ": " + strings.Join(docs[i].Errors, "; ")
}
