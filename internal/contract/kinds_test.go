package contract_test

import "github.com/outcome-gate/outcome-gate/internal/contract"

// kinds is a small list in the shape that the real ones have.
func kinds() []contract.Kind {
	return []contract.Kind{
		{Name: "check", Short: "name", Deterministic: true, Schema: `{
			"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.com/check",
			"description": "Another check at the head commit.",
			"type": "object", "additionalProperties": false, "required": ["name"],
			"properties": {"name": {"type": "string", "minLength": 1, "description": "Its name."}, "app": {"type": "string"}}}`},
		{Name: "attestation", Later: "a later version", Schema: `{"type": "object"}`},
		{Name: "coverage", Short: "min_percent", NeedsArtifact: true, Deterministic: true, Schema: `{"type": "object", "additionalProperties": false,
			"properties": {"min_percent": {"type": "number"}, "min_changed_percent": {"type": "number"}, "root": {"type": "string"},
				"ignore_files": {"type": ["string", "array"], "items": {"type": "string"}}}}`},
		{Name: "exit_code", Short: "file", Deterministic: true, Schema: `{"type": "object", "additionalProperties": false, "required": ["file"],
			"properties": {"file": {"type": "string"}, "command_contains": {"type": "string"}, "same_artifact": {"type": "boolean", "default": false}}}`},
		{Name: "fail_to_pass", NeedsArtifact: true, Deterministic: true, Schema: `{"type": "object", "additionalProperties": false, "required": ["before"],
			"$defs": {"base": {"anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": false, "required": ["files"],
				"properties": {"files": {"type": ["string", "array"], "items": {"type": "string"}}, "trust": {"type": "string", "enum": ["service", "run"]}}}]}},
			"properties": {"before": {"$ref": "#/$defs/base"}, "min": {"type": "integer", "minimum": 1}, "tests": {"type": "array", "items": {"type": "string"}},
				"count_errors": {"type": "boolean"}}}`},
		{Name: "judgement", NeedsArtifact: true, Schema: `{"type": "object", "additionalProperties": false, "required": ["min_score"],
			"properties": {"min_score": {"type": "number"}, "scale": {"type": "integer"}, "rubric": {"type": "string"}, "file": {"type": "string"},
				"version": {"type": "string"}, "judge_not": {"enum": ["author"]}}}`},
		{Name: "content", NeedsArtifact: true, Deterministic: true, Schema: `{"type": "object", "additionalProperties": false,
			"oneOf": [{"required": ["pointer", "equals"]}, {"required": ["text"]}, {"required": ["regexp"]}],
			"dependentRequired": {"max_hits": ["min_hits"]},
			"properties": {"regexp": {"type": "string"}, "text": {"type": "string", "description": "What must occur.", "pattern": "^[^!]*$"}, "pointer": {"type": "string"},
				"equals": {"oneOf": [{"enum": ["commit", "run_id"]}, {"type": "object", "required": ["text"]}]}, "min_hits": {"type": "integer"}, "max_hits": {"type": "integer"}}}`},
		{Name: "step", Short: "id", Deterministic: true, Schema: `{"type": "object", "additionalProperties": false, "required": ["id"],
			"properties": {"id": {"type": "string", "minLength": 1, "pattern": "^[a-zA-Z_][a-zA-Z0-9_-]*$", "description": "Id of a step of this job."}}}`},
		{Name: "tests", NeedsArtifact: true, Deterministic: true, Schema: `{"type": "object", "additionalProperties": false,
			"properties": {"min_executed": {"type": "integer", "minimum": 1, "default": 1, "description": "Least number of executed tests."},
				"max_failed": {"type": "integer", "minimum": 0, "default": 0}, "max_skipped": {"type": "integer", "minimum": 0}, "max_flaky": {"type": "integer", "minimum": 0},
				"must_pass": {"type": "array", "minItems": 1, "uniqueItems": true, "items": {"type": "string", "minLength": 1}},
				"format": {"type": "string", "enum": ["junit", "go-json"]},
				"baseline": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}, {"type": "object", "additionalProperties": false, "required": ["files"],
					"properties": {"files": {"type": ["string", "array"], "items": {"type": "string"}}, "trust": {"type": "string", "enum": ["service", "run"]}}}]},
				"keep_tests": {"type": "boolean"}, "new_failures_only": {"type": "boolean"}, "ignore": {"type": "array", "items": {"type": "string"}},
				"allow_cached": {"type": "boolean"}, "allow_count_mismatch": {"type": "boolean"}}}`},
	}
}
