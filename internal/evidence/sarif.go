package evidence

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence/sarif"
)

// maxSARIFExamples is how many results facts show.
const maxSARIFExamples = 10

const sarifSchema = `{
  "type": "object",
  "description": "Logs of static analysis in SARIF 2.1.0: how many results of each level they hold. A result's level is its own, else its rule's, else warning. Suppressed results, results that are gone since the baseline and results that are no failure (kind) do not count. A run that failed, or that has no list of results, proves nothing.",
  "properties": {
    "max_errors": {"type": "integer", "minimum": 0, "maximum": 10000000, "default": 0, "description": "How many results of the level error there may be."},
    "max_warnings": {"type": "integer", "minimum": 0, "maximum": 10000000, "description": "How many of the level warning. Default: any number."},
    "max_notes": {"type": "integer", "minimum": 0, "maximum": 10000000, "description": "How many of the level note. Default: any number."},
    "max_suppressed": {"type": "integer", "minimum": 0, "maximum": 10000000,
      "description": "How many may be suppressed, in the source or elsewhere. Default: any number."},
    "max_notifications": {"type": "integer", "minimum": 0, "maximum": 10000000, "default": 0,
      "description": "How many notifications of the level error the tool may write about its own work, such as files that it could not parse. With more, its results prove nothing."},
    "new_only": {"type": "boolean", "default": false,
      "description": "Results that the log's own baseline has too (baselineState unchanged) do not count."},
    "allow_no_results": {"type": "boolean", "default": false,
      "description": "Accept a run without a list of results whose invocations all say that they succeeded: some tools leave the list out when they find nothing."}
  },
  "additionalProperties": false,
  "examples": [{}, {"max_errors": 0, "max_warnings": 10}, {"max_warnings": 0, "max_suppressed": 3, "new_only": true}]
}`

type sarifParams struct {
	MaxErrors      int  `json:"max_errors,omitempty"`
	MaxWarnings    *int `json:"max_warnings,omitempty"`
	MaxNotes       *int `json:"max_notes,omitempty"`
	MaxSuppressed  *int `json:"max_suppressed,omitempty"`
	MaxNotified    int  `json:"max_notifications,omitempty"`
	NewOnly        bool `json:"new_only,omitempty"`
	AllowNoResults bool `json:"allow_no_results,omitempty"`
}

// sarifFacts is what logs hold together. Results is the sum of what follows it.
type sarifFacts struct {
	Files      int `json:"files"`
	Runs       int `json:"runs"`
	Results    int `json:"results"`
	Errors     int `json:"errors"`
	Warnings   int `json:"warnings"`
	Notes      int `json:"notes"`
	Passing    int `json:"passing"`
	Suppressed int `json:"suppressed"`
	Unchanged  int `json:"unchanged"` // with new_only
	Absent     int `json:"absent"`
	Notified   int `json:"notified"` // notifications of the level error
	// Hindered are those of them about the analysis itself, Configuring those about its configuration.
	Hindered     int            `json:"hindered"`
	Configuring  int            `json:"configuring"`
	Troubles     int            `json:"troubles"` // files that allow no conclusion
	TroubleFiles []trouble      `json:"trouble_files,omitempty"`
	Examples     []sarifExample `json:"examples,omitempty"`
	ListsCut     bool           `json:"lists_cut,omitempty"`
}

type sarifExample struct {
	Level   string `json:"level"`
	Rule    string `json:"rule,omitempty"`
	Message string `json:"message,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
}

func sarifKind() Kind {
	return Kind{
		Name: "sarif", Version: "1", Schema: sarifSchema, NeedsArtifact: true, Deterministic: true,
		Doc:     "Static analysis ran to its end and found no more than the contract allows.",
		Wants:   func(json.RawMessage) Wants { return Wants{SARIF: true} },
		Observe: observing(observeSARIF),
		Judge:   judging(judgeSARIF),
	}
}

func observeSARIF(p *sarifParams, in *Input) sarifFacts {
	f := sarifFacts{Files: len(in.Documents)}
	var troubles []trouble
	var logs []*sarif.Log
	for i := range in.Documents {
		doc := &in.Documents[i]
		if t := sarifTroubleOf(doc, p.AllowNoResults); t.Code != "" {
			troubles = append(troubles, t)
		}
		if !doc.Readable || doc.SARIF == nil {
			continue
		}
		logs = append(logs, doc.SARIF)
		f.add(doc.SARIF, p.NewOnly)
	}
	space := newRoom()
	f.Troubles, f.TroubleFiles = len(troubles), space.troubles(troubles, maxTroubles)
	for _, level := range []sarif.Level{sarif.Error, sarif.Warning, sarif.Note} {
		for _, l := range logs {
			f.show(l, level, space)
		}
	}
	f.ListsCut = space.short
	return f
}

func (f *sarifFacts) add(l *sarif.Log, newOnly bool) {
	c := l.Counts
	f.Runs += l.Runs
	f.Notified += l.Notified
	f.Hindered += l.Hindered
	f.Configuring += l.Notified - l.Hindered
	f.Results += c.Total()
	f.Errors, f.Warnings, f.Notes = f.Errors+c.Errors, f.Warnings+c.Warnings, f.Notes+c.Notes
	f.Passing, f.Suppressed, f.Absent = f.Passing+c.Passing, f.Suppressed+c.Suppressed, f.Absent+c.Absent
	if newOnly {
		f.Unchanged += c.Unchanged
		return
	}
	f.Errors, f.Warnings, f.Notes = f.Errors+l.Baseline.Errors, f.Warnings+l.Baseline.Warnings, f.Notes+l.Baseline.Notes
}

func (f *sarifFacts) show(l *sarif.Log, level sarif.Level, space *room) {
	for i := range l.Examples {
		e := &l.Examples[i]
		if e.Level != level || len(f.Examples) >= maxSARIFExamples {
			continue
		}
		one := sarifExample{
			Level: string(level), Rule: clip(e.Rule, 100), Message: clip(e.Message, maxNameBytes), File: clip(e.URI, maxNameBytes), Line: max(e.Line, 0),
		}
		if space.take(one.Rule, one.Message, one.File) {
			f.Examples = append(f.Examples, one)
		}
	}
}

// sarifTroubleOf says why a log allows no conclusion.
func sarifTroubleOf(doc *Document, allowNoResults bool) trouble {
	t := trouble{File: clip(doc.Name, maxNameBytes)}
	if !doc.Readable || doc.SARIF == nil {
		t.Code = CodeInputUnreadable
		return t
	}
	l := doc.SARIF
	t.Detail = clip(l.Detail, maxNameBytes)
	switch l.Problem {
	case "":
		t.Detail = ""
		switch {
		case l.Runs == 0:
			t.Code, t.Detail = CodeSARIFNoResults, "it holds no run"
		case l.Without > 0 && !allowNoResults:
			t.Code, t.Detail = CodeSARIFNoResults, "a run has no list of results, and says that it succeeded"
		}
	case sarif.ProblemInvalid:
		t.Code = CodeSARIFInvalid
	case sarif.ProblemOverLimit:
		t.Code = CodeSARIFOverLimit
	case sarif.ProblemOtherVersion:
		t.Code = CodeSARIFVersion
	case sarif.ProblemNoResults:
		t.Code = CodeSARIFNoResults
	case sarif.ProblemElsewhere:
		t.Code = CodeSARIFElsewhere
	case sarif.ProblemExecutionFailed:
		t.Code = CodeSARIFExecutionFailed
	default:
		t.Code = CodeSARIFIncomplete
	}
	return t
}

// unusable says why facts cannot be those of an observation with these parameters, "" if they can.
func (f *sarifFacts) unusable(p *sarifParams) string {
	var a agreement
	a.counts(f.Files, f.Runs, f.Results, f.Errors, f.Warnings, f.Notes, f.Passing, f.Suppressed, f.Unchanged, f.Absent, f.Notified, f.Hindered, f.Configuring, f.Troubles)
	sum := 0
	for _, n := range []int{f.Errors, f.Warnings, f.Notes, f.Passing, f.Suppressed, f.Unchanged, f.Absent} {
		a.hold(n <= maxCounted, "more results than can be")
		sum += min(n, maxCounted)
	}
	a.hold(sum == f.Results, "the results do not add up")
	a.hold(p.NewOnly || f.Unchanged == 0, "unchanged results that nobody let go")
	a.hold(f.Hindered <= f.Notified && f.Configuring == f.Notified-f.Hindered, "the notifications do not add up")
	a.hold(f.Troubles <= f.Files, "more troubles than files")
	a.hold(f.Troubles > 0 || f.Runs >= f.Files, "a file without a run")
	a.listed(f.Troubles, len(f.TroubleFiles), maxTroubles, f.ListsCut)
	return a.against
}

// judgeSARIF looks for what rejects first: a log that cannot be read must not hide another's errors.
func judgeSARIF(p *sarifParams, f *sarifFacts) Finding {
	switch why := f.unusable(p); {
	case why != "":
		return find(Unverified, CodeInputFacts, "%s", why)
	case f.Files < 1:
		return find(Unverified, CodeInputNoFiles, "no log was read")
	}
	if rejected := f.rejected(p); rejected.State != Verified {
		return rejected
	}
	if f.Troubles > 0 {
		return sarifTrouble(f)
	}
	if f.Hindered > p.MaxNotified {
		return find(Unverified, CodeSARIFExecutionFailed, "the tool reports %s in its own work%s, so its results may not be whole", counted(f.Hindered, "error"), atMost(p.MaxNotified))
	}
	said := fmt.Sprintf("%s, %s, %s", counted(f.Errors, "error"), counted(f.Warnings, "warning"), counted(f.Notes, "note"))
	if f.Suppressed > 0 {
		said += fmt.Sprintf(", %d suppressed", f.Suppressed)
	}
	if f.Notified > 0 {
		said += fmt.Sprintf("; the tool reports %s of its own", counted(f.Notified, "error"))
	}
	return find(Verified, CodeSARIFPassed, "%s: %s", counted(f.Runs, "run"), said)
}

// rejected is what is over its bound, all of it.
func (f *sarifFacts) rejected(p *sarifParams) Finding {
	all := fine()
	for _, b := range []struct {
		n         int
		most      *int
		code      string
		one, many string
		examples  string
	}{
		{f.Errors, &p.MaxErrors, CodeSARIFErrors, "error", "errors", "error"},
		{f.Warnings, p.MaxWarnings, CodeSARIFWarnings, "warning", "warnings", "warning"},
		{f.Notes, p.MaxNotes, CodeSARIFNotes, "note", "notes", "note"},
		{f.Suppressed, p.MaxSuppressed, CodeSARIFSuppressed, "result is suppressed", "results are suppressed", ""},
	} {
		if b.most != nil && b.n > *b.most {
			text := counted(b.n, b.one, b.many) + atMost(*b.most)
			if b.examples != "" {
				text += f.examples(b.examples)
			}
			all = together(all, find(ValidatorFailed, b.code, "%s", text))
		}
	}
	return all
}

func (f *sarifFacts) examples(level string) string {
	var out []string
	for _, e := range f.Examples {
		if e.Level != level || len(out) == 3 {
			continue
		}
		text := strings.TrimSpace(e.Rule + " " + e.Message)
		if e.File != "" {
			text = fmt.Sprintf("%s:%d %s", e.File, e.Line, text)
		}
		out = append(out, clip(text, 150))
	}
	return because(strings.Join(out, "; "))
}

func sarifTrouble(f *sarifFacts) Finding {
	t := first(f.TroubleFiles)
	switch t.Code {
	case CodeInputUnreadable, CodeSARIFInvalid, CodeSARIFOverLimit, CodeSARIFVersion, CodeSARIFNoResults, CodeSARIFElsewhere, CodeSARIFExecutionFailed:
	default:
		t.Code = CodeSARIFIncomplete
	}
	if f.Files == 1 {
		return find(Unverified, t.Code, "%s allows no conclusion%s", t.File, because(t.Detail))
	}
	return find(Unverified, t.Code, "%s no conclusion: %s%s", share(f.Troubles, f.Files, "allows", "allow"), t.File, because(t.Detail))
}
