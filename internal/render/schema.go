package render

import _ "embed" // the published schema

//go:embed problem.schema.json
var problemSchema string

// ProblemSchema is the published JSON Schema (draft 2020-12) of problem documents.
func ProblemSchema() []byte { return []byte(problemSchema) }
