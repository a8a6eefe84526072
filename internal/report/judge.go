package report

import (
	"bytes"
	"strings"
)

// judge fills in the one report that was found and names the first defect of it, in the order of the
// classification table: no usable outcome, no evidence, any other schema error.
func (r *Reading) judge(c candidate, schema *Validator) {
	r.Report = newReport(c.object, c.canon)
	if schema == nil {
		var err error
		if schema, err = builtIn(); err != nil {
			r.Problem, r.Errors = Broken, []string{cut(err.Error())}
			return
		}
	}
	r.Errors = schema.errors(c.object)
	word, _ := c.object["outcome"].(string)
	evidence, list := c.object["evidence"].([]any)
	text, _ := c.object["evidence"].(string)
	switch {
	case word != "succeeded" && word != "failed" && word != "blocked":
		r.Problem = NoOutcome
		r.defect("$.outcome: expected succeeded, failed or blocked")
	case word == "succeeded" && !anyEvidence(evidence) && !isEvidence(text):
		r.Problem = NoEvidence
		r.defect("$.evidence: expected an item that is not blank")
	case len(r.Errors) > 0:
		r.Problem = Broken
	case !list:
		// A schema of the contract's own may leave this open, the classification cannot.
		r.Problem = Broken
		r.defect("$.evidence: expected an array of strings")
	}
}

// defect adds a message where the schema has none.
func (r *Reading) defect(message string) {
	if len(r.Errors) == 0 {
		r.Errors = []string{message}
	}
}

func newReport(object map[string]any, canon []byte) *Report {
	return &Report{
		Outcome:    text(object["outcome"]),
		Evidence:   texts(object["evidence"]),
		Failing:    texts(object["failing"]),
		Artifacts:  texts(object["artifacts"]),
		Commit:     text(object["commit"]),
		TaskID:     text(object["task_id"]),
		DispatchID: text(object["dispatch_id"]),
		Trace:      text(object["trace"]),
		Value:      bytes.Clone(canon),
	}
}

// text is a member as text: a string as it is, nothing for null and for an absent one, and anything else as JSON,
// so that a value of the wrong type is not taken for an absent one.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		return string(canonical(v))
	}
}

// texts is a list as texts; a value that is no list is a list of one.
func texts(v any) []string {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		out := make([]string, len(v))
		for i, item := range v {
			out[i] = text(item)
		}
		return out
	default:
		return []string{text(v)}
	}
}

func anyEvidence(items []any) bool {
	for _, item := range items {
		if s, ok := item.(string); ok && isEvidence(s) {
			return true
		}
	}
	return false
}

// isEvidence reports whether an evidence string says anything: it is neither blank nor left as the block to fill
// in has it.
func isEvidence(s string) bool {
	return !blank([]byte(s)) && strings.TrimSpace(s) != unfilled
}
