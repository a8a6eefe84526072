package evidence

import "github.com/outcome-gate/outcome-gate/internal/evidence/testresult"

// maxCompared is how many tests each list of a Comparison names.
const maxCompared = 1000

// Comparison says what became of the tests of an earlier run. A test is an identity (suite path, class and name); it ran
// where a record of it passed, failed or errored. The zero value compared nothing.
type Comparison struct {
	Lost   Compared `json:"lost"`   // ran before, and no longer does
	New    Compared `json:"new"`    // runs now, and did not before
	Fixed  Compared `json:"fixed"`  // failed before, and every record passes now
	Broken Compared `json:"broken"` // every record passed before, and one fails now
}

// Compared is one list of tests: how many, and the text forms of at most the first 1,000 in document order.
type Compared struct {
	Count int      `json:"count"`
	Tests []string `json:"tests"`
}

func (c *Compared) add(id string) {
	if c.Count++; c.Count <= maxCompared {
		c.Tests = append(c.Tests, id)
	}
}

// CompareTests compares two runs, each given as the sets of all its files.
func CompareTests(before, now []*TestSet) Comparison {
	c := Comparison{
		Lost: Compared{Tests: []string{}}, New: Compared{Tests: []string{}},
		Fixed: Compared{Tests: []string{}}, Broken: Compared{Tests: []string{}},
	}
	was, is := union(before), union(now)
	ranBefore, runsNow := was.executed(), is.executed()
	failedBefore, failsNow := was.failing(), is.failing()
	eachIdentity(before, func(id identity, text string) {
		if ranBefore.has(id) && !runsNow.has(id) && !failsNow.has(id) {
			c.Lost.add(text)
		}
	})
	eachIdentity(now, func(id identity, text string) {
		switch {
		case runsNow.has(id) && !ranBefore.has(id) && !failedBefore.has(id):
			c.New.add(text)
		case failedBefore.has(id) && is.passing(id):
			c.Fixed.add(text)
		case failsNow.has(id) && was.passing(id):
			c.Broken.add(text)
		}
	})
	return c
}

// eachIdentity visits each identity of the sets once, with the text form of its first record.
func eachIdentity(sets []*TestSet, visit func(id identity, text string)) {
	seen := map[identity]bool{}
	for _, s := range sets {
		s.Each(func(c *testresult.Case) bool {
			if id := identityOf(c.Key); !seen[id] {
				seen[id] = true
				visit(id, c.ID)
			}
			return true
		})
	}
}
