package publish

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/action"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/render"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// Annotations are what the log shows at files and lines, most important first: mistakes of the contract, then
// failing tests, then outcomes that are not verified, then warnings.
func Annotations(r *receipt.Receipt) []action.Annotation {
	var out, warnings []action.Annotation
	for _, p := range r.Problems {
		a := action.Annotation{Level: action.LevelError, File: p.File, Line: p.Line, Col: p.Col, Title: p.Code, Text: p.Message + " " + p.Hint}
		if p.Warning {
			a.Level = action.LevelWarning
			warnings = append(warnings, a)
			continue
		}
		out = append(out, a)
	}
	for i := range r.Outcomes {
		if r.Outcomes[i].State == evidence.Verified {
			continue
		}
		for _, v := range r.Outcomes[i].Validators {
			out = append(out, failing(r.Outcomes[i].ID, v)...)
		}
	}
	if r.Result == verdict.Pass {
		return append(out, warnings...)
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if o.Required && o.Expected && !o.Waived && o.Next != verdict.NoNext {
			out = append(out, action.Annotation{Level: action.LevelError, Title: o.ID + ": " + string(o.State), Text: o.Detail})
		}
	}
	return append(out, warnings...)
}

// failing are the failing tests that a validator's facts list.
func failing(id string, v receipt.Validator) []action.Annotation {
	var facts struct {
		Failing []struct {
			ID      string `json:"id"`
			File    string `json:"file"`
			Line    int    `json:"line"`
			Message string `json:"message"`
		} `json:"failing"`
	}
	if json.Unmarshal(v.Facts, &facts) != nil {
		return nil
	}
	var out []action.Annotation
	for _, f := range facts.Failing {
		a := action.Annotation{Level: action.LevelError, Title: id + ": a test failed", Text: render.Line(f.ID + ": " + f.Message)}
		// A file that a test result names is shown only where it could be one of the repository's.
		if p := path.Clean(strings.ReplaceAll(f.File, `\`, "/")); f.File != "" && !path.IsAbs(p) && p != ".." && !strings.HasPrefix(p, "../") {
			a.File, a.Line = p, f.Line
		}
		out = append(out, a)
	}
	return out
}
