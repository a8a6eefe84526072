package execute

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/outcome-gate/outcome-gate/internal/contract"
)

// Target is what an outcome of the contract wants recorded, and where.
type Target struct {
	File  string   // of the record, relative to the workspace, slash separated
	Globs []string // the outcome's files; none: it has none
}

// TargetOf finds the outcome's files, and the place that its exit_code validator reads. Where it has several, or
// where the place is a pattern, file chooses; it must then be a place that one of them reads.
func TargetOf(c *contract.Contract, id, file string) (Target, error) {
	o := c.Outcome(id)
	if o == nil {
		ids := make([]string, len(c.Outcomes))
		for i := range c.Outcomes {
			ids[i] = c.Outcomes[i].ID
		}
		return Target{}, fmt.Errorf("the contract has no outcome %q; it has %s", id, strings.Join(ids, ", "))
	}
	var t Target
	if a := contract.ArtifactOf(c.Outcomes, o); a != nil && a.Upload == "" && a.URL == "" {
		t.Globs = a.Files
	}
	var files []string
	for _, v := range o.Validators {
		var p struct {
			File string `json:"file"`
		}
		if v.Kind == "exit_code" && json.Unmarshal(v.Params, &p) == nil {
			files = append(files, p.File)
		}
	}
	switch {
	case len(files) == 0:
		return Target{}, fmt.Errorf("outcome %s has no exit_code validator, so nothing reads a record", id)
	case file != "" && !slices.ContainsFunc(files, func(glob string) bool { return doublestar.MatchUnvalidated(glob, file) }):
		return Target{}, fmt.Errorf("no exit_code validator of outcome %s reads %s, but %s", id, file, strings.Join(files, ", "))
	case file != "":
		t.File = file
	case len(slices.Compact(slices.Sorted(slices.Values(files)))) > 1:
		return Target{}, fmt.Errorf("outcome %s has several exit_code validators: choose one of their files (%s)", id, strings.Join(files, ", "))
	case strings.ContainsAny(files[0], `*?[{\`):
		return Target{}, fmt.Errorf("outcome %s reads its record at the pattern %s: choose a file that it matches", id, files[0])
	default:
		t.File = files[0]
	}
	if !filepath.IsLocal(filepath.FromSlash(t.File)) {
		return Target{}, fmt.Errorf("the record %s does not lie inside the workspace", t.File)
	}
	return t, nil
}
