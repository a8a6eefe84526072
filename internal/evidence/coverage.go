package evidence

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence/coverage"
)

const coverageSchema = `{
  "type": "object",
  "description": "Coverage files: how many lines ran in the tests, of all and of those that the change touches. A Go profile counts statements, as go tool cover does, and lines where the change is concerned. Files of several runs are joined: what one of them covers is covered.",
  "properties": {
    "min_percent": {"$ref": "#/$defs/percent", "description": "The least share of all lines that must be covered, in percent, with at most two decimals."},
    "min_changed_percent": {"$ref": "#/$defs/percent",
      "description": "The least share of the lines that the change adds or modifies. Lines that cannot run do not count. All changed lines of a file that no coverage file names count as not covered, where files with its extension are covered; a Go test file never counts."},
    "min_lines": {"type": "integer", "minimum": 1, "maximum": 1000000000, "default": 1,
      "description": "How many lines, or statements of a Go profile, the coverage files must know, so that none is left out unseen."},
    "ignore_files": {"$ref": "#/$defs/globs",
      "description": "Files whose changed lines do not count, such as tests and configuration: a glob, or a list of globs, of paths in the repository."},
    "root": {"type": "string", "minLength": 1, "maxLength": 500, "pattern": "^[^/\\x00\\\\][^\\x00\\\\]*$",
      "description": "The folder of the repository at which relative names in the coverage files begin. Default: found by the names."},
    "format": {"enum": FORMATS, "description": "The format. Default: detected from content."},
    "allow_count_mismatch": {"type": "boolean", "default": false,
      "description": "Accept a file whose declared totals contradict its records. The records count in any case."}
  },
  "anyOf": [{"required": ["min_percent"]}, {"required": ["min_changed_percent"]}],
  "dependentRequired": {"ignore_files": ["min_changed_percent"]},
  "additionalProperties": false,
  "$defs": {
    "percent": {"type": "number", "exclusiveMinimum": 0, "maximum": 100, "multipleOf": 0.01},
    "globs": {"oneOf": [{"$ref": "#/$defs/glob"}, {"type": "array", "items": {"$ref": "#/$defs/glob"}, "minItems": 1, "maxItems": 50}]},
    "glob": {"type": "string", "minLength": 1, "maxLength": 500, "pattern": "^[^/\\x00\\\\][^\\x00\\\\]*$"}
  },
  "examples": [{"min_percent": 80}, {"min_percent": 72.5, "min_changed_percent": 90, "ignore_files": ["**/*.test.js", "jest.config.js"]},
    {"min_changed_percent": 100, "min_lines": 1000, "root": "backend", "format": "lcov"}]
}`

type coverageParams struct {
	MinPercent         *percent `json:"min_percent,omitempty"`
	MinChangedPercent  *percent `json:"min_changed_percent,omitempty"`
	MinLines           int      `json:"min_lines,omitempty"`
	IgnoreFiles        textList `json:"ignore_files,omitempty"`
	Root               string   `json:"root,omitempty"`
	Format             string   `json:"format,omitempty"`
	AllowCountMismatch bool     `json:"allow_count_mismatch,omitempty"`
}

// coverageFacts is what coverage files say together.
type coverageFacts struct {
	Files        int       `json:"files"`
	Formats      []string  `json:"formats,omitempty"`
	Unit         string    `json:"unit"`    // lines, statements, or lines and statements
	Sources      int       `json:"sources"` // source files
	Measured     fraction  `json:"measured"`
	Troubles     int       `json:"troubles"` // files that allow no conclusion
	TroubleFiles []trouble `json:"trouble_files,omitempty"`
	// Mixed are names under which several source files may have been measured.
	Mixed      int           `json:"mixed,omitempty"`
	MixedNames []string      `json:"mixed_names,omitempty"`
	Changed    *changedFacts `json:"changed,omitempty"` // with min_changed_percent
	ListsCut   bool          `json:"lists_cut,omitempty"`
}

// changedFacts is what the coverage files say of the changed lines.
type changedFacts struct {
	Known  bool   `json:"known"`
	Reason string `json:"reason,omitempty"` // why not
	// Files are the changed files whose lines count, Ignored those that ignore_files lets go.
	Files   int `json:"files"`
	Ignored int `json:"ignored"`
	// Lines that cannot run are in neither; the total has the lines of files that were left out besides.
	Lines   fraction `json:"lines"`
	LeftOut int      `json:"left_out"`
	// Absent are changed files that no coverage file names, Unknown those whose lines are not known, Ambiguous those that
	// a name in a coverage file may or may not mean.
	Absent         int           `json:"absent"`
	AbsentFiles    []string      `json:"absent_files,omitempty"`
	Unknown        int           `json:"unknown"`
	UnknownFiles   []string      `json:"unknown_files,omitempty"`
	Ambiguous      int           `json:"ambiguous"`
	AmbiguousFiles []string      `json:"ambiguous_files,omitempty"`
	Missed         []missedLines `json:"missed,omitempty"`
}

type missedLines struct {
	File  string `json:"file"`
	Lines string `json:"lines"` // such as 3, 7-9
}

func coverageKind() Kind {
	list, err := json.Marshal(coverage.Formats())
	if err != nil {
		list = []byte("[]")
	}
	return Kind{
		Name: "coverage", Version: "1", Short: "min_percent", Schema: strings.Replace(coverageSchema, "FORMATS", string(list), 1),
		NeedsArtifact: true, Deterministic: true,
		Doc:     "Enough lines ran in the tests, of all lines and of those that the change touches.",
		Wants:   coverageWants,
		Observe: observing(observeCoverage),
		Judge:   judging(judgeCoverage),
	}
}

func coverageWants(params json.RawMessage) Wants {
	w := Wants{Coverage: true, Repository: true}
	var p coverageParams
	if decodeStrict(params, &p) == nil {
		w.Format, w.ChangedLines = p.Format, p.MinChangedPercent != nil
	}
	return w
}

// unusable says why facts cannot be those of an observation with these parameters, "" if they can.
func (f *coverageFacts) unusable(p *coverageParams) string {
	var a agreement
	a.counts(f.Files, f.Sources, f.Troubles, f.Mixed)
	a.hold(f.Sources > 0 || f.Measured.Total == 0, "lines of no source file")
	a.hold(f.Sources == 0 || len(f.Formats) > 0, "source files of no format")
	a.hold(len(f.Formats) <= f.Files, "more formats than files")
	a.hold(f.Mixed <= f.Sources, "more names than source files")
	a.listed(f.Mixed, len(f.MixedNames), maxChangedFiles, f.ListsCut)
	a.hold(f.Troubles <= f.Files, "more troubles than files")
	a.listed(f.Troubles, len(f.TroubleFiles), maxTroubles, f.ListsCut)
	f.Measured.agree(&a, 0)
	a.hold((p.MinChangedPercent != nil) == (f.Changed != nil), "changed lines that nobody asked for, or none")
	c := f.Changed
	if c == nil || a.against != "" {
		return a.against
	}
	a.counts(c.Files, c.Ignored, c.Absent, c.Unknown, c.Ambiguous)
	c.Lines.agree(&a, c.LeftOut)
	a.hold(c.Known == (c.Reason == ""), "changed lines that are known and are not")
	a.hold(c.Absent <= c.Files && c.Unknown <= c.Files && c.Ambiguous <= c.Files && c.Absent+c.Unknown+c.Ambiguous <= c.Files, "more files than were changed")
	a.hold(c.Lines.Total == c.LeftOut || c.Files > c.Absent+c.Unknown+c.Ambiguous, "changed lines of no file")
	a.hold(c.Ignored == 0 || len(p.IgnoreFiles) > 0, "files that nobody lets go")
	a.hold(c.Known || c.Files+c.Ignored+c.Lines.Total == 0, "lines of an unknown change")
	a.hold(c.LeftOut == 0 || c.Absent > 0, "lines left out without a file")
	a.listed(c.Absent, len(c.AbsentFiles), maxChangedFiles, f.ListsCut)
	a.listed(c.Unknown, len(c.UnknownFiles), maxChangedFiles, f.ListsCut)
	a.listed(c.Ambiguous, len(c.AmbiguousFiles), maxChangedFiles, f.ListsCut)
	return a.against
}

// judgeCoverage asks first whether everything was read: a missing part lowers coverage, and a wrong one may raise it.
func judgeCoverage(p *coverageParams, f *coverageFacts) Finding {
	switch why := f.unusable(p); {
	case p.MinPercent == nil && p.MinChangedPercent == nil:
		return find(Unverified, CodeInputParams, "neither min_percent nor min_changed_percent is given")
	case why != "":
		return find(Unverified, CodeInputFacts, "%s", why)
	case f.Files < 1:
		return find(Unverified, CodeInputNoFiles, "no coverage file was read")
	case f.Troubles > 0:
		return coverageTrouble(f)
	case f.Measured.Total == 0:
		return find(Unverified, CodeCoverageEmpty, "%s no line that can run", counted(f.Files, "file holds", "files hold"))
	case f.Mixed > 0 && (p.MinPercent != nil || p.MinLines > 1):
		return find(Unverified, CodeCoverageAmbiguous, "under one name several source files may have been measured: %s", someOf(f.MixedNames, f.Mixed))
	}
	said := fmt.Sprintf("%s of the %s covered (%d of %d)", f.Measured.share(), f.Unit, f.Measured.Covered, f.Measured.Total)
	all := judgeMeasured(p, f, said)
	switch {
	case p.MinChangedPercent != nil:
		return together(all, judgeChanged(*p.MinChangedPercent, f.Changed, said))
	case all.State != Verified:
		return all
	}
	return find(Verified, CodeCoverageReached, "%s", said)
}

// judgeMeasured holds all lines to their bounds.
func judgeMeasured(p *coverageParams, f *coverageFacts, said string) Finding {
	all := fine()
	if f.Measured.Total < p.MinLines {
		all = find(ValidatorFailed, CodeCoverageTooFew, "the coverage files know %d %s, at least %d must be there", f.Measured.Total, f.Unit, p.MinLines)
	}
	if p.MinPercent != nil && !f.Measured.reaches(*p.MinPercent) {
		all = together(all, find(ValidatorFailed, CodeCoverageTooLow, "%s, at least %s must be", said, *p.MinPercent))
	}
	return all
}

func coverageTrouble(f *coverageFacts) Finding {
	t := first(f.TroubleFiles)
	switch t.Code {
	case CodeInputUnreadable, CodeCoverageInvalid, CodeCoverageUnknownFormat, CodeCoverageOverLimit, CodeCoverageTotals:
	default:
		t.Code = CodeCoverageIncomplete
	}
	if f.Files == 1 {
		return find(Unverified, t.Code, "%s allows no conclusion%s", t.File, because(atLine(t)))
	}
	return find(Unverified, t.Code, "%s no conclusion: %s%s", share(f.Troubles, f.Files, "allows", "allow"), t.File, because(atLine(t)))
}

func judgeChanged(least percent, c *changedFacts, said string) Finding {
	known := fraction{Covered: c.Lines.Covered, Missed: c.Lines.Missed, Total: c.Lines.Covered + c.Lines.Missed}
	switch {
	case !c.Known:
		return find(Unverified, CodeCoverageChangeUnknown, "which lines the change touches is not known%s", because(c.Reason))
	case c.Ambiguous > 0:
		return find(Unverified, CodeCoverageAmbiguous, "a name in the coverage files may mean %s, or another file", someOf(c.AmbiguousFiles, c.Ambiguous))
	case c.Unknown > 0:
		return find(Unverified, CodeCoverageChangeUnknown, "the changed lines of %s are not known", someOf(c.UnknownFiles, c.Unknown))
	case c.Lines.Total == 0:
		return find(Verified, CodeCoverageReached, "%s; no changed line can run", said)
	case c.Lines.reaches(least):
		return find(Verified, CodeCoverageReached, "%s; of the changed lines %s (%d of %d)", said, c.Lines.share(), c.Lines.Covered, c.Lines.Total)
	case c.LeftOut > 0 && (known.Total == 0 || known.reaches(least)):
		return find(ValidatorFailed, CodeCoverageLeftOut, "%s of changed files that no coverage file names: %s", counted(c.LeftOut, "changed line"), someOf(c.AbsentFiles, c.Absent))
	}
	var missed []string
	for _, m := range c.Missed {
		missed = append(missed, m.File+":"+m.Lines)
	}
	return find(ValidatorFailed, CodeCoverageChangedTooLow, "%s of the changed lines covered (%d of %d), at least %s must be%s",
		c.Lines.share(), c.Lines.Covered, c.Lines.Total, least, because(strings.Join(missed, "; ")))
}

// someOf names the first few of n.
func someOf(names []string, n int) string {
	shown := names[:min(len(names), 3)]
	text := strings.Join(shown, ", ")
	if more := n - len(shown); more > 0 && text != "" {
		text += fmt.Sprintf(" and %d more", more)
	} else if more > 0 {
		text = counted(more, "file")
	}
	return text
}
