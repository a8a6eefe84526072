package evidence

import (
	"fmt"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

// keptFact is what became of the tests that ran before and must still run.
type keptFact struct {
	Lost         int      `json:"lost"`
	NewlySkipped int      `json:"newly_skipped"`
	Ignored      int      `json:"ignored"` // gone or skipped as well, and let go by a pattern
	LostTests    []string `json:"lost_tests,omitempty"`
	SkippedTests []string `json:"newly_skipped_tests,omitempty"`
	Renames      []string `json:"renames,omitempty"` // "before -> now", by the bare name
	ApprovedBy   []string `json:"approved_by,omitempty"`
}

// observeKept finds which identities of before are gone or skipped now, and shows what looks like a rename.
func observeKept(before func(identity) bool, ignore []pattern, base, head *results, approvedBy []string, space *room) keptFact {
	var f keptFact
	runsNow := head.all.executed()
	known := head.all.known()
	done := map[identity]bool{}
	lostByName := map[string]string{}
	for _, s := range base.sets {
		s.Each(func(c *testresult.Case) bool {
			id := identityOf(c.Key)
			if done[id] || !before(id) || runsNow.has(id) || head.all.bags[classUnfinished].has(id) {
				return true
			}
			done[id] = true
			switch {
			case anyMatches(ignore, c):
				f.Ignored++
			case known.has(id):
				f.NewlySkipped++
				f.SkippedTests = space.add(f.SkippedTests, c.ID, maxLost)
			default:
				f.Lost++
				f.LostTests = space.add(f.LostTests, c.ID, maxLost)
				if len(lostByName) < maxLost && c.Name != "" {
					lostByName[c.Name] = c.ID
				}
			}
			return true
		})
	}
	if len(lostByName) > 0 {
		f.renames(lostByName, base, head, space)
	}
	for _, who := range approvedBy {
		f.ApprovedBy = space.add(f.ApprovedBy, who, maxRenames)
	}
	return f
}

// renames pairs lost tests with new ones of the same bare name.
func (f *keptFact) renames(lost map[string]string, base, head *results, space *room) {
	before := base.all.known()
	for _, s := range head.sets {
		s.Each(func(c *testresult.Case) bool {
			was, ok := lost[c.Name]
			if !ok || before.has(identityOf(c.Key)) {
				return true
			}
			delete(lost, c.Name)
			f.Renames = space.add(f.Renames, fmt.Sprintf("%s -> %s", clip(was, 120), clip(c.ID, 120)), maxRenames)
			return len(lost) > 0
		})
	}
}

// judgeKept asks for a person's approval of what is gone or skipped; which says what tests these are.
func judgeKept(f *keptFact, which string) Finding {
	if f.Lost+f.NewlySkipped == 0 || len(f.ApprovedBy) > 0 {
		return fine()
	}
	names := append(append([]string{}, f.LostTests...), f.SkippedTests...)
	return find(Waiting, CodeTestsLost, "%s %s gone and %d skipped now; a person must approve: %s", counted(f.Lost, "test"), which, f.NewlySkipped, strings.Join(names, ", "))
}
