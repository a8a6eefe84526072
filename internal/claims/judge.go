package claims

import (
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Result is what became of a claim. The zero value is no result: the claim was not judged.
type Result string

// The results.
const (
	Confirmed    Result = "confirmed"
	Contradicted Result = "contradicted"
	NotObserved  Result = "not_observed"
	Admitted     Result = "admission"
)

// Observed is what claims are compared with: facts that were seen in this run, and nothing that was only said.
type Observed struct {
	Suites   []Suite
	Commands []Ended
	Files    []Files
}

// Suite is the test results of one artifact. Of the same tests in several files the distinct ones and all records count
// differently; a claim may mean either.
type Suite struct {
	Distinct, Records Sum
	Whole             bool // every file was read to its end
	Broken            bool // a run failed beyond its records
	Failing           []string
	FailingAll        bool // Failing names every test that failed
}

// Sum is how many tests there are.
type Sum struct{ Passed, Failed, Skipped int }

// Ended is how a command ended, by a record of it. The command is its arguments with one blank between them.
type Ended struct {
	Command string
	Exit    int
}

// Files is one artifact: the patterns that were looked for in the workspace, and what was found.
type Files struct {
	Patterns []string // none for what is not in the workspace
	Names    []string
	Whole    bool // Names has all that was found
}

func (s Sum) ran() int { return s.Passed + s.Failed }

func (s Sum) add(o Sum) Sum {
	return Sum{s.Passed + o.Passed, s.Failed + o.Failed, s.Skipped + o.Skipped}
}

// Judge compares each claim with what was observed, and sets what became of it. It says whether one of them claims more
// than was observed.
func Judge(all []Claim, o *Observed) (overstates bool) {
	sums := o.sums()
	for i := range all {
		c := &all[i]
		c.Result, c.Overstates, c.Detail = judge(c, o, sums)
		overstates = overstates || c.Overstates
	}
	return overstates
}

func judge(c *Claim, o *Observed, sums *sums) (Result, bool, string) {
	if c.Scope != Unsaid && c.Scope != Whole && c.Scope != Part {
		return Contradicted, true, "of which tests it speaks is not known"
	}
	switch c.Kind {
	case Counts:
		return judgeCounts(c, sums)
	case AllPass:
		return judgeAllPass(c, sums)
	case Command:
		return judgeCommand(c, o, sums)
	case Failing:
		return judgeFailing(c, o)
	case Artifact:
		return judgeArtifact(c, o)
	case Checked:
		return NotObserved, false, "a checked box is no result that could be compared"
	case Admission:
		return Admitted, false, "the report says that something was not run"
	}
	return Contradicted, true, "this kind of claim is not known"
}

// sums are the numbers that a claim can mean: of one suite, or of all of them together.
type sums struct {
	suites        int
	each          []Sum
	all           [2]Sum // distinct tests, and records
	whole, broken bool
	failed        int // the fewest failures that any reading of the whole has
}

func (o *Observed) sums() *sums {
	s := &sums{suites: len(o.Suites), whole: len(o.Suites) > 0}
	for i := range o.Suites {
		u := &o.Suites[i]
		s.each = append(s.each, u.Distinct, u.Records)
		s.all[0], s.all[1] = s.all[0].add(u.Distinct), s.all[1].add(u.Records)
		s.whole, s.broken = s.whole && u.Whole, s.broken || u.Broken
	}
	s.each = append(s.each, s.all[:]...)
	s.failed = min(s.all[0].Failed, s.all[1].Failed)
	return s
}

// words say what was observed.
func (s *sums) words() string {
	t := s.all[0]
	out := fmt.Sprintf("%d of %s passed, %d failed, %d skipped", t.Passed, tests(t.ran()), t.Failed, t.Skipped)
	if s.broken {
		out += ", and a run itself failed"
	}
	if s.suites > 1 {
		out += fmt.Sprintf(", in %d outcomes together", s.suites)
	}
	return "observed: " + out
}

func tests(n int) string {
	if n == 1 {
		return "1 test"
	}
	return fmt.Sprintf("%d tests", n)
}

const noResults = "no complete test results were observed"

// judgeCounts compares numbers. A claim is confirmed where some reading of what was observed has the very numbers. It is
// contradicted only where it must mean all tests, or claims that more passed than all that were observed: any other number
// can be that of a part.
func judgeCounts(c *Claim, s *sums) (Result, bool, string) {
	if c.Passed == nil || *c.Passed < 0 {
		return Contradicted, true, "the claim has no number"
	}
	if s.suites == 0 {
		return NotObserved, false, "no test results were observed"
	}
	for _, t := range s.each {
		if s.whole && c.Scope != Part && meets(c, t) && !(s.broken && (c.Scope == Whole || c.Failed != nil && *c.Failed == 0)) {
			return Confirmed, false, s.words()
		}
	}
	if c.Scope == Part {
		for _, t := range s.each[:2*s.suites] {
			if s.whole && s.suites > 1 && meets(c, t) {
				return Confirmed, false, s.words()
			}
		}
		return NotObserved, false, "it speaks of a part of the tests; " + s.words()
	}
	over, under := true, true
	for _, t := range s.all {
		over, under = over && exceeds(c, t, s.broken), under && !exceeds(c, t, s.broken)
	}
	switch {
	case !s.whole && !over:
		return NotObserved, false, noResults
	case !s.whole: // what could not be read may have been more tests, and no fewer failures
		if *c.Passed <= s.all[0].Passed && s.all[0].Failed > 0 {
			return Contradicted, true, s.words()
		}
		return NotObserved, false, noResults
	case over:
		return Contradicted, true, s.words()
	case under && c.Scope == Whole:
		return Contradicted, false, "it claims less than that; " + s.words()
	}
	return NotObserved, false, "it can be a part of the tests; " + s.words()
}

// meets says whether the claim's numbers are those of t. Of skipped tests runners count different things.
func meets(c *Claim, t Sum) bool {
	return *c.Passed == t.Passed &&
		(c.Failed == nil && c.Scope != Whole || c.Failed == nil && t.Failed == 0 || c.Failed != nil && *c.Failed == t.Failed) &&
		(c.Skipped == nil || *c.Skipped >= t.Skipped) && (c.Total == nil || *c.Total == t.ran() || *c.Total == t.ran()+t.Skipped || c.Skipped != nil && *c.Total == t.ran()+*c.Skipped)
}

// exceeds says whether the claim is better than all of t: more tests passed, or, where it must mean all of them, fewer
// failed or were skipped.
func exceeds(c *Claim, t Sum, broken bool) bool {
	if *c.Passed > t.Passed {
		return true
	}
	failed := t.Failed
	if broken {
		failed = max(failed, 1)
	}
	whole := c.Scope == Whole || *c.Passed == t.Passed || c.Total != nil && (*c.Total == t.ran() || *c.Total == t.ran()+t.Skipped)
	if !whole {
		return false
	}
	claimed := 0
	if c.Failed != nil {
		claimed = *c.Failed
	} else if c.Scope != Whole {
		claimed = failed // it says nothing of failures
	}
	return claimed < failed || c.Skipped != nil && *c.Skipped < t.Skipped
}

// judgeAllPass compares the claim that the tests pass. A failure among some tests does not speak against a part of them.
func judgeAllPass(c *Claim, s *sums) (Result, bool, string) {
	ran := s.all[0].ran() > 0
	switch {
	case s.suites == 0:
		return NotObserved, false, "no test results were observed"
	case (s.failed > 0 || s.broken) && c.Scope != Part:
		return Contradicted, true, s.words()
	case s.failed > 0 || s.broken:
		return NotObserved, false, "it speaks of a part of the tests; " + s.words()
	case !s.whole:
		return NotObserved, false, noResults
	case !ran && c.Scope != Part:
		return Contradicted, true, "observed: no test ran"
	case !ran:
		return NotObserved, false, "no test ran"
	}
	return Confirmed, false, s.words()
}

// judgeCommand compares how a command ended with the record of the very command. One that runs all tests is also compared
// with their results.
func judgeCommand(c *Claim, o *Observed, s *sums) (Result, bool, string) {
	if c.Exit == nil {
		return Contradicted, true, "the claim has no exit status"
	}
	said := strings.Join(strings.Fields(c.Command), " ")
	for _, e := range o.Commands {
		if e.Command != said {
			continue
		}
		detail := fmt.Sprintf("observed: exit status %d", e.Exit)
		switch {
		case e.Exit == *c.Exit:
			return Confirmed, false, detail
		case *c.Exit == 0:
			return Contradicted, true, detail
		}
		return Contradicted, false, detail
	}
	if c.Scope == Whole && *c.Exit == 0 && s.suites > 0 {
		return judgeAllPass(c, s)
	}
	return NotObserved, false, "no record of this command was observed"
}

// judgeFailing compares the name of a test that the report lists as failing: it can only understate.
func judgeFailing(c *Claim, o *Observed) (Result, bool, string) {
	if len(o.Suites) == 0 {
		return NotObserved, false, "no test results were observed"
	}
	known := true
	for i := range o.Suites {
		u := &o.Suites[i]
		known = known && u.Whole && u.FailingAll
		for _, id := range u.Failing {
			if id == c.Text || bare(id) == c.Text {
				return Confirmed, false, "observed: it failed"
			}
		}
	}
	if known {
		return Contradicted, false, "it is not among the tests that were observed to fail"
	}
	return NotObserved, false, "not every failing test is known by name"
}

// bare is the last part of a test's name.
func bare(id string) string {
	for _, sep := range []string{"::", " > ", "#"} {
		if i := strings.LastIndex(id, sep); i >= 0 {
			id = id[i+len(sep):]
		}
	}
	if i := strings.LastIndexByte(id, '.'); i >= 0 && !strings.ContainsAny(id[i:], " /") {
		id = id[i+1:]
	}
	return id
}

// judgeArtifact compares a file that the report lists with the files that were looked for. One that a pattern covers and
// that was not found is not there.
func judgeArtifact(c *Claim, o *Observed) (Result, bool, string) {
	said := path.Clean(strings.TrimPrefix(c.Text, "./"))
	sought := false
	for _, f := range o.Files {
		for _, n := range f.Names {
			if n == said {
				return Confirmed, false, "observed: it is there"
			}
		}
		for _, p := range f.Patterns {
			if hit, err := doublestar.Match(p, said); f.Whole && err == nil && hit && !dotted(said) {
				sought = true
			}
		}
	}
	if sought {
		return Contradicted, true, "observed: it is not there"
	}
	return NotObserved, false, "no outcome looks for it"
}

// dotted says whether a part of a path is hidden: patterns find those only where they name the dot.
func dotted(p string) bool { return strings.HasPrefix(p, ".") || strings.Contains(p, "/.") }
