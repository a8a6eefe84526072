package remote

import (
	"cmp"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/collect"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/github"
)

// emptyBlob is git's name for no bytes.
const emptyBlob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"

// changedLines takes the lines that the change adds from the patches that GitHub lists with its files. It leaves out
// the patch of a large file, whose lines are then not known, and of one with nothing to show: an empty one, or one
// whose bytes are those that before names for it.
func changedLines(files github.List[github.ChangedFile], before func(path string) string) evidence.ChangedLines {
	if files.Cut {
		return evidence.ChangedLines{Reason: "GitHub does not list all changed files"}
	}
	out := evidence.ChangedLines{Known: true}
	for _, f := range files.Items {
		if f.Status == "removed" {
			continue
		}
		one := evidence.ChangedFile{Path: f.Path}
		lines, added, err := collect.PatchLines(f.Patch)
		switch {
		case err != nil:
			one.Reason = err.Error()
		case strings.TrimSpace(f.Patch) == "":
			one.Known = f.Additions == 0 && f.SHA != "" && (f.SHA == emptyBlob || f.SHA == before(cmp.Or(f.Previous, f.Path)))
			if !one.Known {
				one.Reason = "GitHub shows no patch of it"
			}
		case added != f.Additions:
			one.Reason = "its patch does not add as many lines as GitHub says"
		default:
			one.Known, one.Lines = true, lines
		}
		out.Files = append(out.Files, one)
	}
	return out
}
