package verdict

import (
	"slices"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// Bounds of an outcome's detail, so that a table of outcomes stays one.
const (
	detailFindings = 4   // findings told in one detail
	detailBytes    = 600 // of a detail; a finding that would go over it is counted instead
)

// detailOf tells an outcome's findings in the order of their states, the one that names the outcome first: a second
// failure would otherwise show only after the first was repaired. What merely follows from another finding is left out,
// and of several files with one code the first stands for all.
func detailOf(named evidence.Finding, all []evidence.Finding, files int) string {
	if named.State == evidence.Verified {
		return named.Detail
	}
	type told struct {
		evidence.Finding
		alike int // further ones of the same code
	}
	list := []told{{Finding: named}}
	seen := map[string]int{fileKey(named): 0}
	skipped := false // the one that names the outcome, which stands in the list itself
	for _, f := range all {
		if !skipped && f == named {
			skipped = true
			continue
		}
		if f.State == evidence.Verified || f.Detail == "" || follows(f.Code) ||
			f.Code == evidence.CodeInputUnreadable && strings.HasPrefix(named.Code, "artifact/") {
			continue
		}
		i, known := seen[fileKey(f)]
		switch {
		case known && (f.Detail == list[i].Detail || files > 1 && strings.HasPrefix(f.Code, "artifact/")):
			if f.Detail != list[i].Detail {
				list[i].alike++
			}
			continue
		case !known:
			seen[fileKey(f)] = len(list)
		}
		list = append(list, told{Finding: f})
	}
	slices.SortStableFunc(list[1:], func(a, b told) int { return stateRank(a.State) - stateRank(b.State) })
	var b strings.Builder
	shown := 0
	for _, t := range list {
		text := t.Detail
		if t.alike > 0 {
			text += " (and " + numbered(t.alike, "more like it", "more like it") + ")"
		}
		if shown > 0 {
			text = "; " + text
		}
		if shown > 0 && (shown == detailFindings || b.Len()+len(text) > detailBytes) {
			break
		}
		b.WriteString(text)
		shown++
	}
	if n := len(list) - shown; n > 0 {
		b.WriteString("; and " + numbered(n, "more finding", "more findings"))
	}
	return b.String()
}

func fileKey(f evidence.Finding) string { return string(f.State) + " " + f.Code }

// follows says whether a finding says nothing but that there was nothing to look at: another one says why.
func follows(code string) bool {
	switch code {
	case evidence.CodeInputNoFiles, evidence.CodeEvidenceNone, evidence.CodeWaitWindow:
		return true
	}
	return false
}
