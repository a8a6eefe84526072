package render

import (
	"encoding/json"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
)

// others counts what stands beside the outcome that a title names: what waits did not fail.
func others(all []*receipt.Outcome) string {
	waits := 0
	for _, o := range all {
		if o.State == evidence.Waiting {
			waits++
		}
	}
	var said []string
	if n := len(all) - waits - 1; n > 0 {
		said = append(said, Many(n, "more outcome"))
	}
	if waits > 0 {
		said = append(said, Many(waits, "wait"))
	}
	if len(said) == 0 {
		return ""
	}
	return " (and " + strings.Join(said, ", ") + ")"
}

// subject is the file that gave the outcome its state, else the pattern, else the outcome.
func subject(o *receipt.Outcome) string {
	if name := readSubject(o); name != "" {
		return name
	}
	if set := o.Facts.Artifact; set != nil {
		for i := range o.Files {
			if o.Files[i].State == o.State && i < len(set.Files) {
				return set.Files[i].Name
			}
		}
	}
	if a := o.Rule.Artifact; a != nil && len(a.Files) > 0 {
		return a.Files[0]
	}
	return o.ID
}

// readSubject is the further file of a validator that gave the outcome its state, such as an exit record; "" if it was
// another thing.
func readSubject(o *receipt.Outcome) string {
	for i := range o.Validators {
		v := &o.Validators[i]
		if v.State != o.State || v.Code != o.Code {
			continue
		}
		kind, ok := evidence.KindByName(v.Kind)
		if !ok || kind.NeedsArtifact && !strings.HasPrefix(v.Code, "artifact/") {
			return ""
		}
		for k := range v.Reads {
			if files := v.Reads[k].Set.Files; len(files) > 0 {
				return files[0].Name
			}
		}
		return ""
	}
	return ""
}

// failures is how many tests a tests validator saw fail.
func failures(o *receipt.Outcome) int {
	for _, v := range o.Validators {
		var f struct {
			Failed int `json:"failed"` // failed, errored or never ended
		}
		if v.Kind == "tests" && v.Code == evidence.CodeTestsFailed && json.Unmarshal(v.Facts, &f) == nil {
			return f.Failed
		}
	}
	return 0
}
