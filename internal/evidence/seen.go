package evidence

import (
	"encoding/json"
	"strings"
)

// TestsSeen is what the facts of a tests validator say in numbers: of distinct tests, and of all records.
type TestsSeen struct {
	Passed, Failed, Skipped                      int
	PassedRecords, FailedRecords, SkippedRecords int
	Whole                                        bool // every result file was read to its end
	Broken                                       bool // a run failed beyond its records
	Failing                                      []string
	FailingAll                                   bool // Failing has every distinct test that failed
}

// SeenTests reads the facts of a validator of test results. The second result is false for another kind, and for facts
// that are none of this kind's.
func SeenTests(kind string, facts json.RawMessage) (TestsSeen, bool) {
	var f testsFacts
	if kind != "tests" || decodeWhole(facts, &f) != nil || f.Files < 1 {
		return TestsSeen{}, false
	}
	s := TestsSeen{
		Passed: max(f.Executed-f.Failed, 0), Failed: f.Failed, Skipped: f.Skipped,
		PassedRecords: f.Records.Passed, FailedRecords: f.Records.Failed + f.Records.Errors, SkippedRecords: f.Records.Skipped,
		Whole: f.Troubles == 0, Broken: f.RunFailed > 0, FailingAll: !f.ListsCut && len(f.Failing) == f.Failed,
	}
	for _, t := range f.Failing {
		s.Failing = append(s.Failing, t.ID)
	}
	return s, true
}

// SeenCommand is the command that a validator saw the end of, its arguments with one blank between them, and its exit
// status. The second result is false where no command is known, or not all of it.
func SeenCommand(kind string, params, facts json.RawMessage) (command string, exit int, ok bool) {
	switch kind {
	case "exit_code":
		var f exitCodeFacts
		if decodeWhole(facts, &f) != nil || !f.Record || f.Status == nil || f.TimedOut || len(f.Command) >= maxNameBytes {
			return "", 0, false
		}
		return f.Command, *f.Status, f.Command != ""
	case "command":
		var f commandFacts
		argv, _, err := Command(params)
		if err != nil || decodeWhole(facts, &f) != nil || !f.Ran || f.TimedOut {
			return "", 0, false
		}
		return strings.Join(argv, " "), f.ExitCode, true
	}
	return "", 0, false
}
