package evidence

import (
	"encoding/json"
	"strings"
	"testing"
)

func doc(name, text string) Document {
	return Document{Name: name, Readable: true, Bytes: []byte(text), SHA256: strings.Repeat("d", 64)}
}

func TestContent(t *testing.T) {
	head, merge := strings.Repeat("a", 40), strings.Repeat("c", 40)
	in := func(docs ...Document) Input {
		return Input{Documents: docs, Subject: Subject{HeadSHA: head, MergeSHA: merge, RunID: 77, RunAttempt: 2}}
	}
	cut := doc("a.json", `{"commit":"`+head+`"}`)
	cut.Cut = true
	runJudged(t, "content", `{"pointer":"/commit","equals":"commit"}`, map[string]judged{
		"head":             {in(doc("a.json", `{"commit":"`+head+`"}`)), Verified, CodeContentMatches, ""},
		"merge":            {in(doc("a.json", `{"commit":"`+merge+`"}`)), Verified, CodeContentMatches, ""},
		"yaml":             {in(doc("a.yml", "commit: "+head+"\n")), Verified, CodeContentMatches, ""},
		"another commit":   {in(doc("a.json", `{"commit":"`+strings.Repeat("b", 40)+`"}`)), WrongArtifact, CodeContentIdentity, "expected commit"},
		"a prefix":         {in(doc("a.json", `{"commit":"`+head[:12]+`"}`)), WrongArtifact, CodeContentIdentity, ""},
		"absent":           {in(doc("a.json", `{"Commit":"`+head+`"}`)), ValidatorFailed, CodeContentAbsent, `holds nothing at "/commit"`},
		"null":             {in(doc("a.json", `{"commit":null}`)), ValidatorFailed, CodeContentAbsent, "no single value"},
		"a list":           {in(doc("a.json", `{"commit":["`+head+`"]}`)), ValidatorFailed, CodeContentAbsent, ""},
		"empty text":       {in(doc("a.json", `{"commit":""}`)), WrongArtifact, CodeContentIdentity, ""},
		"too long":         {in(doc("a.json", `{"commit":"`+strings.Repeat("a", 300)+`"}`)), ValidatorFailed, CodeContentAbsent, "too long"},
		"control":          {in(doc("a.json", `{"commit":"`+head+`\n"}`)), ValidatorFailed, CodeContentAbsent, "control"},
		"twice":            {in(doc("a.json", `{"commit":"x","commit":"`+head+`"}`)), ValidatorFailed, CodeContentNotParsable, "twice"},
		"broken":           {in(doc("a.json", `{"commit":"`+head+`"`)), ValidatorFailed, CodeContentNotParsable, ""},
		"two documents":    {in(doc("a.json", `{"commit":"`+head+`"}{}`)), ValidatorFailed, CodeContentNotParsable, ""},
		"an error page":    {in(doc("a.json", `<!doctype html>`)), ValidatorFailed, CodeContentNotParsable, ""},
		"empty":            {in(doc("a.json", " \n")), Unverified, CodeInputEmpty, ""},
		"over the limit":   {in(cut), Unverified, CodeContentOverLimit, ""},
		"unreadable":       {in(Document{Name: "a.json"}), Unverified, CodeInputUnreadable, ""},
		"no files":         {in(), Unverified, CodeInputNoFiles, ""},
		"head not known":   {Input{Documents: []Document{doc("a.json", `{"commit":"`+head+`"}`)}}, Unverified, CodeInputHead, ""},
		"one of two":       {in(doc("a.json", `{"commit":"`+head+`"}`), doc("b.json", `{"commit":"x"}`)), WrongArtifact, CodeContentIdentity, "b.json"},
		"both":             {in(doc("a.json", `{"commit":"`+head+`"}`), doc("b.json", `{"commit":"`+merge+`"}`)), Verified, CodeContentMatches, "all 2 files"},
		"eleventh of many": {in(append(copies(12, `{"commit":"`+head+`"}`), doc("z.json", `{"commit":"x"}`))...), WrongArtifact, CodeContentIdentity, "z.json"},
	})
	runJudged(t, "content", `{"pointer":"/run/id","equals":["run_id","run_attempt"]}`, map[string]judged{
		"a number":       {in(doc("a.json", `{"run":{"id":77}}`)), Verified, CodeContentMatches, ""},
		"the other":      {in(doc("a.json", `{"run":{"id":"2"}}`)), Verified, CodeContentMatches, ""},
		"another number": {in(doc("a.json", `{"run":{"id":77.0}}`)), WrongArtifact, CodeContentIdentity, ""},
	})
	runJudged(t, "content", `{"pointer":"/ok","equals":{"text":["true","yes"]}}`, map[string]judged{
		"a truth value": {in(doc("a.json", `{"ok":true}`)), Verified, CodeContentMatches, ""},
		"another":       {in(doc("a.json", `{"ok":false}`)), ValidatorFailed, CodeContentMismatch, ""},
	})
	runJudged(t, "content", `{"text":"Release notes"}`, map[string]judged{
		"there":     {in(doc("a.md", "# Release notes\n")), Verified, CodeContentMatches, ""},
		"not there": {in(doc("a.md", "# release notes\n")), ValidatorFailed, CodeContentMismatch, ""},
		"empty":     {in(doc("a.md", "")), Unverified, CodeInputEmpty, ""},
	})
	runJudged(t, "content", `{"regexp":"(?m)^version: 2\\."}`, map[string]judged{
		"there":     {in(doc("a.md", "x\nversion: 2.1\n")), Verified, CodeContentMatches, ""},
		"not there": {in(doc("a.md", "version: 3")), ValidatorFailed, CodeContentMismatch, ""},
	})
	runJudged(t, "content", `{"regexp":".*"}`, map[string]judged{"an empty file": {in(doc("a.md", "")), Unverified, CodeInputEmpty, ""}})
	runJudged(t, "content", `{"regexp":"("}`, map[string]judged{"a bad pattern": {in(doc("a.md", "x")), Unverified, CodeInputParams, "pattern"}})
	runJudged(t, "content", `{}`, map[string]judged{"nothing asked": {in(doc("a.md", "x")), Unverified, CodeInputParams, ""}})
	runJudged(t, "content", `{"pointer":"/a"}`, map[string]judged{"no equals": {in(doc("a.json", `{"a":1}`)), Unverified, CodeInputParams, ""}})
	for _, bad := range []string{`{"pointer":"/a","equals":"branch"}`, `{"pointer":"/a","equals":[]}`, `{"pointer":"/a","equals":{"text":[]}}`, `{"pointer":"/a","equals":{"Text":"a"}}`, `{"pointer":"/a","equals":7}`} {
		k, _ := KindByName("content")
		if f := k.Judge(json.RawMessage(bad), json.RawMessage(`{"files":1,"found":[{"name":"a","value":"1"}]}`)); f.Code != CodeInputParams {
			t.Errorf("%s: %+v", bad, f)
		}
	}
	k, _ := KindByName("content")
	if w := k.Wants(nil); w.Bytes != MaxDocumentBytes || w.Tests {
		t.Errorf("%+v", w)
	}
	for _, facts := range []string{`{"files":2,"found":[{"name":"a","matches":true}]}`, `{"files":1,"found":[{"name":"a","matches":true,"problem":"new"}]}`} {
		if f := k.Judge(json.RawMessage(`{"text":"x"}`), json.RawMessage(facts)); f.State != Unverified {
			t.Errorf("%s: %+v", facts, f)
		}
	}
}

func copies(n int, text string) []Document {
	var out []Document
	for range n {
		out = append(out, doc("a.json", text))
	}
	return out
}

func TestJSONSchema(t *testing.T) {
	const schema = `{"$id":"https://example.com/schemas/report-v3.json","type":"object","required":["total"],"properties":{"total":{"type":"integer","minimum":0}},"additionalProperties":false}`
	in := func(schema string, docs ...Document) Input {
		return Input{Documents: docs, Reads: map[string][]Document{"schema": {doc("schemas/report.json", schema)}}}
	}
	good, cut := doc("out/a.json", `{"total":3}`), doc("out/a.json", `{"total":3}`)
	cut.Cut = true
	cutSchema := in(schema, good)
	cutSchema.Reads["schema"][0].Cut = true
	runJudged(t, "json_schema", `{"schema":"schemas/report.json"}`, map[string]judged{
		"valid":              {in(schema, good), Verified, CodeSchemaValid, "1 file is"},
		"yaml":               {in(schema, doc("a.yaml", "total: 3\n")), Verified, CodeSchemaValid, ""},
		"invalid":            {in(schema, doc("out/a.json", `{"total":-1,"x":1}`)), ValidatorFailed, CodeSchemaInvalid, "out/a.json: "},
		"a float":            {in(schema, doc("out/a.json", `{"total":3.5}`)), ValidatorFailed, CodeSchemaInvalid, "/total"},
		"a huge integer":     {in(schema, doc("out/a.json", `{"total":123456789012345678901234567890}`)), Verified, CodeSchemaValid, ""},
		"one of two":         {in(schema, good, doc("out/b.json", `{}`)), ValidatorFailed, CodeSchemaInvalid, "1 of 2 files"},
		"an error page":      {in(schema, doc("out/a.json", `<html>`)), ValidatorFailed, CodeSchemaNotParsable, ""},
		"truncated":          {in(schema, doc("out/a.json", `{"total":3`)), ValidatorFailed, CodeSchemaNotParsable, ""},
		"twice":              {in(schema, doc("out/a.json", `{"total":-3,"total":3}`)), ValidatorFailed, CodeSchemaNotParsable, "twice"},
		"not UTF-8":          {in(schema, doc("out/a.json", "{\"total\":3,\"\xff\":1}")), ValidatorFailed, CodeSchemaNotParsable, "UTF-8"},
		"two values":         {in(schema, doc("out/a.json", `{"total":3} {"total":3}`)), ValidatorFailed, CodeSchemaNotParsable, ""},
		"too deep":           {in(`{}`, doc("out/a.json", strings.Repeat("[", 600)+strings.Repeat("]", 600))), ValidatorFailed, CodeSchemaNotParsable, "deeper"},
		"empty":              {in(`{}`, doc("out/a.json", "")), Unverified, CodeInputEmpty, "1 file is empty"},
		"empty yaml":         {in(`{}`, doc("out/a.yml", "# nothing\n")), ValidatorFailed, CodeSchemaNotParsable, ""},
		"over the limit":     {in(schema, cut), Unverified, CodeSchemaOverLimit, ""},
		"a huge YAML":        {in(schema, doc("a.yml", "total: 3 #"+strings.Repeat("x", maxYAMLBytes))), Unverified, CodeSchemaOverLimit, ""},
		"unreadable":         {in(schema, Document{Name: "out/a.json"}), Unverified, CodeInputUnreadable, ""},
		"no files":           {in(schema), Unverified, CodeInputNoFiles, ""},
		"no schema":          {Input{Documents: []Document{good}}, Unverified, CodeSchemaAbsent, ""},
		"schema not there":   {Input{Documents: []Document{good}, ReadError: map[string]string{"schema": "not on main"}}, Unverified, CodeSchemaAbsent, "not on main"},
		"schema cut":         {cutSchema, Unverified, CodeSchemaAbsent, ""},
		"schema broken":      {in(`{"type":`, good), Unverified, CodeSchemaNotUsable, ""},
		"schema empty":       {in(``, good), Unverified, CodeSchemaNotUsable, ""},
		"schema is wrong":    {in(`{"type":"objekt"}`, good), Unverified, CodeSchemaNotUsable, ""},
		"schema twice":       {in(`{"type":"object","type":"array"}`, good), Unverified, CodeSchemaNotUsable, "twice"},
		"look-ahead":         {in(`{"pattern":"(?=a)"}`, good), Unverified, CodeSchemaNotUsable, "regex"},
		"pattern properties": {in(`{"patternProperties":{"(?<!a)":{}}}`, good), Unverified, CodeSchemaNotUsable, ""},
		"network":            {in(`{"$ref":"https://example.com/other.json"}`, good), Unverified, CodeSchemaNotUsable, "outside of the schema"},
		"file":               {in(`{"$ref":"file:///etc/hostname"}`, good), Unverified, CodeSchemaNotUsable, "outside of the schema"},
		"own dialect":        {in(`{"$schema":"https://example.com/dialect"}`, good), Unverified, CodeSchemaNotUsable, ""},
		"infinite loop":      {in(`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, good), Unverified, CodeSchemaNotUsable, ""},
		"old draft":          {in(`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"n":{"type":"integer"}},"properties":{"total":{"$ref":"#/definitions/n"}}}`, good), Verified, CodeSchemaValid, ""},
		"false":              {in(`false`, good), ValidatorFailed, CodeSchemaInvalid, ""},
	})
	runJudged(t, "json_schema", `{"schema":"schemas/report.json","version":"3"}`, map[string]judged{
		"in the id":          {in(schema, good), Verified, CodeSchemaValid, ""},
		"as version":         {in(`{"version":"3"}`, good), Verified, CodeSchemaValid, ""},
		"as a number":        {in(`{"version":3}`, good), Verified, CodeSchemaValid, ""},
		"another":            {in(strings.Replace(schema, "-v3", "-v13", 1), good), Unverified, CodeSchemaVersion, "report-v13.json"},
		"none":               {in(`{}`, good), Unverified, CodeSchemaVersion, "none"},
		"not even an object": {in(`true`, good), Unverified, CodeSchemaVersion, ""},
	})
	k, _ := KindByName("json_schema")
	r := k.Reads(json.RawMessage(`{"schema":"schemas/report.json"}`))
	if len(r) != 1 || r[0].Role != "schema" || r[0].Trusted != "schemas/report.json" || r[0].Files != nil || r[0].Wants.Bytes != maxSchemaBytes {
		t.Errorf("%+v", r)
	}
	if r := k.Reads(json.RawMessage(`{}`)); r != nil {
		t.Errorf("%+v", r)
	}
}

func TestJSONSchemaKeepsTenErrors(t *testing.T) {
	var members []string
	for _, c := range "abcdefghijklmnopqrstuvwxyz" {
		members = append(members, `"`+string(c)+`":"text"`)
	}
	in := Input{
		Documents: []Document{doc("a.json", "{"+strings.Join(members, ",")+"}")},
		Reads:     map[string][]Document{"schema": {doc("s.json", `{"additionalProperties":{"type":"integer"}}`)}},
	}
	f, raw := observeAndJudge(t, "json_schema", `{"schema":"s.json"}`, in)
	var facts jsonSchemaFacts
	if err := decodeStrict(raw, &facts); err != nil {
		t.Fatal(err)
	}
	if f.Code != CodeSchemaInvalid || len(facts.Rejected) != 1 || len(facts.Rejected[0].Errors) != maxSchemaErrors {
		t.Errorf("%+v\n%s", f, raw)
	}
}

func TestHoldsVersion(t *testing.T) {
	for _, tt := range []struct {
		id, version string
		want        bool
	}{
		{"https://example.com/report-v3.json", "3", true}, {"https://example.com/v3/report.json", "3", true}, {"https://example.com/3", "3", true},
		{"https://example.com/report-v3.json", "v3", true}, {"https://example.com/report-v31.json", "3", false}, {"https://example.com/report-13.json", "3", false},
		{"https://example.com/1.2.json", "1", false}, {"https://example.com/1.2.json", "2", false}, {"https://example.com/1.2.json", "1.2", true},
		{"https://example.com/1.2.3.json", "1.2", false}, {"https://example.com/rev3.json", "3", false}, {"urn:x:3", "3", true}, {"33 3", "3", true}, {"", "3", false}, {"3", "", false},
	} {
		if got := holdsVersion(tt.id, tt.version); got != tt.want {
			t.Errorf("%q in %q: %v", tt.version, tt.id, got)
		}
	}
}
