// Package testresult reads test result files into one model, streaming and in bounded memory.
//
// It decides what a file records, never whether that is good enough. It trusts no byte of it: counts come
// from the records, declared counts are only compared. It opens no file and expands no entity.
package testresult

// Status is how one test ended. The zero value is no status and counts as a failure.
type Status uint8

// The statuses. Executed are Passed, Failed, Errored and Flaky.
const (
	NoStatus Status = iota
	Passed
	Flaky   // passed after a failed try; counted as passed and listed
	Failed  // the test's own assertion
	Errored // setup, collection, import, build, crash
	Skipped // skipped, disabled, not run
	Todo    // marked todo or expected to fail, whatever failure it carries; counted with the skipped
	// Unfinished started and never ended (killed, panicked elsewhere, cut off), or in a way that is not known. Counted
	// with the errors.
	Unfinished
	// Other ended in a way that its format has no count for, or with no word at all. Only Tests counts it, and it
	// keeps a file from passing.
	Other
	// Aside is marked todo in a format that has no bucket for it. Tests, Other and Todo count it; it is no pass, and
	// nothing against one.
	Aside
)

// Case is one test record.
type Case struct {
	// ID is the runner's own text form: tests.test_invoice::test_rounding, pkg.TestX/sub, file > describe > it.
	ID string
	// Key is the identity without the occurrence: suite path, class and name, joined by U+001F, which no
	// accepted name contains.
	Key     string
	Name    string // the bare name
	Status  Status
	Message string // bounded, first line of the failure
	File    string // where the test says it lives, if it does
	Line    int
}

// Conclusion is what a careful reader may conclude from one file alone.
type Conclusion string

// The conclusions. The zero value concludes nothing and never verifies.
const (
	Pass          Conclusion = "pass"
	Fail          Conclusion = "fail"
	Incomplete    Conclusion = "incomplete" // cut off or structure broken, counts disagree
	Empty         Conclusion = "empty"      // nothing passed, nothing failed
	Invalid       Conclusion = "invalid"    // must be refused
	UnknownFormat Conclusion = "unknown-format"
)

// Note is one thing a reader found out about the file itself.
type Note struct {
	Code   string `json:"code"` // tests/kebab-case
	Detail string `json:"detail,omitempty"`
	Line   int    `json:"line,omitempty"`
}

// Counts are numbers of records (each occurrence counts). Tests is everything but notes.
type Counts struct {
	Tests   int `json:"tests"`
	Passed  int `json:"passed"` // flaky included
	Failed  int `json:"failed"`
	Errors  int `json:"errors"`
	Skipped int `json:"skipped"` // skipped, disabled, todo, expected failures
	Flaky   int `json:"flaky"`
	Todo    int `json:"todo,omitempty"`
	Other   int `json:"other,omitempty"` // in none of the above
	// Stray is how many of the errors are of no test, which Tests does not count: a module that could not be collected.
	Stray int `json:"stray,omitempty"`
}

// Results is the model of one file.
type Results struct {
	Format     string
	Counts     Counts
	Conclusion Conclusion
	Notes      []Note            // bounded to 20
	Properties map[string]string // <property> and its kin, bounded; the first of a name wins, a second value goes into Conflicts
	Conflicts  map[string]bool   // property names that occur with different values
	Cached     []string          // packages whose result was cached, bounded to 20, with the count in CachedCount
	CachedN    int
	// ProcessFailure says that the run itself failed beyond its records: build failure, crash, suite-level error.
	ProcessFailure bool
}

// Limits bound one file. A zero field means its default.
type Limits struct {
	MaxCases int // default 2,000,000
	MaxDepth int // default 256
	MaxName  int // bytes of one name or attribute, default 64 KiB
	// NoProperties keeps no properties, nor notes about them.
	NoProperties bool
}

// The defaults of Limits, far above what the largest real suites write and small enough to bound memory.
const (
	defaultMaxCases = 2_000_000
	defaultMaxDepth = 256
	defaultMaxName  = 64 << 10
)

func (l Limits) orDefaults() Limits {
	if l.MaxCases <= 0 {
		l.MaxCases = defaultMaxCases
	}
	if l.MaxDepth <= 0 {
		l.MaxDepth = defaultMaxDepth
	}
	if l.MaxName <= 0 {
		l.MaxName = defaultMaxName
	}
	return l
}
