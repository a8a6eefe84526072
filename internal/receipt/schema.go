package receipt

import _ "embed" // the published schema

//go:embed schema.json
var schemaText string

// SchemaJSON is the published JSON Schema (draft 2020-12) of receipts.
func SchemaJSON() []byte { return []byte(schemaText) }
