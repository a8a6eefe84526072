package evidence

import (
	"fmt"
	"slices"

	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

// maxReaderNotes is how many notes a reader keeps of one file (testresult.Results.Notes): with as many, one that
// matters may be missing.
const maxReaderNotes = 20

// maxTroubles is how many files that allow no conclusion facts list.
const maxTroubles = 10

// trouble says why one result file allows no conclusion. The zero value is none.
type trouble struct {
	File   string `json:"file"`
	Code   string `json:"code"`
	Detail string `json:"detail,omitempty"`
	Line   int    `json:"line,omitempty"`
}

// troubleOf looks at what the reader concluded and noted. Notes count even beside a failure: where failures
// are allowed, they must not hide that the file is cut off.
func troubleOf(doc *Document, allowCountMismatch bool) trouble {
	t := trouble{File: clip(doc.Name, maxNameBytes)}
	if !doc.Readable || doc.Tests == nil || doc.Tests.Results == nil {
		t.Code = CodeInputUnreadable
		return t
	}
	r := doc.Tests.Results
	var worstNote, mismatch *testresult.Note
	for i := range r.Notes {
		n := &r.Notes[i]
		switch {
		case n.Code == testresult.NoteCountsDisagree:
			mismatch = n
		case worstNote == nil && hides(n.Code):
			worstNote = n
		}
	}
	full := len(r.Notes) >= maxReaderNotes
	if mismatch != nil && !allowCountMismatch && worstNote == nil {
		worstNote = mismatch
	}
	if worstNote != nil {
		t.Detail, t.Line = noteText(*worstNote), worstNote.Line
	}
	switch r.Conclusion {
	case testresult.Pass, testresult.Fail, testresult.Empty:
		switch {
		case worstNote == nil && full && r.Conclusion == testresult.Fail:
			t.Code, t.Detail = CodeTestsIncomplete, "more notes than are kept"
		case worstNote != nil && worstNote == mismatch:
			t.Code = CodeTestsCounts
		case worstNote != nil:
			t.Code = CodeTestsIncomplete
		}
	case testresult.Incomplete:
		t.Code = CodeTestsIncomplete
		switch {
		case mismatch == nil:
		case worstNote == mismatch:
			t.Code = CodeTestsCounts
		case worstNote == nil && !full:
			t.Code = ""
		}
	case testresult.Invalid:
		t.Code = CodeTestsInvalid
		t.Detail = lastNote(r.Notes, t.Detail)
	case testresult.UnknownFormat:
		t.Code = CodeTestsUnknownFormat
	default:
		t.Code, t.Detail = CodeTestsIncomplete, "the file came to no conclusion"
	}
	return t
}

// hides reports whether a note says that something of the file is missing; an unknown note does.
func hides(code string) bool {
	switch atBest(code) {
	case testresult.Pass, testresult.Fail, testresult.Empty:
		return false
	}
	return true
}

// atBest is the best conclusion that a note allows, "" for an unknown note.
func atBest(code string) testresult.Conclusion {
	codes := testresult.NoteCodes()
	i := slices.IndexFunc(codes, func(c testresult.NoteCode) bool { return c.Code == code })
	if i < 0 {
		return ""
	}
	return codes[i].AtBest
}

func noteText(n testresult.Note) string {
	if n.Detail == "" {
		return n.Code
	}
	return clip(n.Code+": "+n.Detail, maxNameBytes)
}

// lastNote is the note that refused a file: readers put it last.
func lastNote(notes []testresult.Note, otherwise string) string {
	if len(notes) == 0 {
		return otherwise
	}
	return noteText(notes[len(notes)-1])
}

// usable reports whether a file's records may count at all: those of a file that must be refused, or of one that
// is cut off without showing a failure, do not.
func usable(doc *Document, t trouble) bool {
	if !doc.Readable || doc.Tests == nil || doc.Tests.Results == nil {
		return false
	}
	switch doc.Tests.Conclusion {
	case testresult.Pass, testresult.Fail, testresult.Empty:
		return true
	case testresult.Incomplete:
		return t.Code == ""
	case testresult.Invalid, testresult.UnknownFormat:
		return false
	}
	return false
}

// runFailed reports whether the run itself failed beyond what its records show, and how the reader says so.
func runFailed(s *TestSet) (string, bool) {
	c := s.Counts
	if !s.ProcessFailure && (s.Conclusion != testresult.Fail || c.Failed+c.Errors > 0) {
		return "", false
	}
	for _, n := range s.Notes {
		if atBest(n.Code) == testresult.Fail {
			return noteText(n), true
		}
	}
	return "the run failed beyond its records", true
}

// results is what the result files of one side hold together.
type results struct {
	files    int
	sets     []*TestSet // of the usable files
	names    []string   // and their names, clipped
	troubles []trouble
	broken   []trouble // files whose run itself failed
	counts   testresult.Counts
	all      *tallied
}

func readResults(docs []Document, allowCountMismatch bool) *results {
	r := &results{files: len(docs)}
	for i := range docs {
		t := troubleOf(&docs[i], allowCountMismatch)
		if t.Code != "" {
			r.troubles = append(r.troubles, t)
		}
		if !usable(&docs[i], t) {
			continue
		}
		s := docs[i].Tests
		if why, failed := runFailed(s); failed {
			r.broken = append(r.broken, trouble{File: t.File, Code: CodeTestsRunFailed, Detail: why})
		}
		r.sets, r.names = append(r.sets, s), append(r.names, t.File)
		r.counts = plus(r.counts, s.Counts)
	}
	r.all = union(r.sets)
	return r
}

func plus(a, b testresult.Counts) testresult.Counts {
	return testresult.Counts{
		Tests: a.Tests + b.Tests, Passed: a.Passed + b.Passed, Failed: a.Failed + b.Failed, Errors: a.Errors + b.Errors,
		Skipped: a.Skipped + b.Skipped, Flaky: a.Flaky + b.Flaky, Todo: a.Todo + b.Todo, Other: a.Other + b.Other,
		Stray: a.Stray + b.Stray,
	}
}

// baseTrouble says why results may not stand for the base; the zero value if they may.
func baseTrouble(docs []Document, spec *fileSpec, reason string, r *results) trouble {
	switch {
	case len(docs) == 0 && reason != "":
		return trouble{Code: CodeTestsBaseAbsent, Detail: clip(reason, maxNameBytes)}
	case len(docs) == 0:
		return trouble{Code: CodeTestsBaseAbsent, Detail: "no result files of the base"}
	}
	for _, d := range docs {
		tier := d.Tier
		if tier == "" {
			tier = tierRun
		}
		if !spec.accepts(tier) {
			return trouble{
				File: clip(d.Name, maxNameBytes), Code: CodeTestsBaseNotTrusted,
				Detail: fmt.Sprintf("known at tier %s only; trust: run would accept results made in this job", clip(tier, 32)),
			}
		}
	}
	switch {
	case len(r.broken) > 0:
		return trouble{File: r.broken[0].File, Code: CodeTestsBaseBroken, Detail: r.broken[0].Detail}
	case len(r.troubles) > 0:
		t := r.troubles[0]
		return trouble{File: t.File, Code: CodeTestsBaseUnusable, Detail: clip(t.Code+" "+t.Detail, maxNameBytes), Line: t.Line}
	case r.all.executed().distinct() == 0:
		return trouble{Code: CodeTestsBaseUnusable, Detail: "no test of the base was executed"}
	}
	return trouble{}
}
