package evidence

import (
	"encoding/json"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

// beforeRole is the role of the results from before the change among a validator's further files.
const beforeRole = "before"

const failToPassSchema = `{
  "type": "object",
  "description": "Tests that failed before the change and pass after it (FAIL_TO_PASS), while what passed before still does (PASS_TO_PASS): a failure rejects, a test that is gone or skipped now waits for a person's approval. The artifact's files are the results after it.",
  "properties": {
    "before": {
      "description": "Result files from before the change: a glob, a list of globs, or { files, trust }.",
      "oneOf": [{"$ref": "#/$defs/globs"},
        {"type": "object", "properties": {"files": {"$ref": "#/$defs/globs"}, "trust": {"$ref": "#/$defs/trust"}}, "required": ["files"], "additionalProperties": false}]
    },
    "min": {"type": "integer", "minimum": 1, "maximum": 10000000, "default": 1, "description": "How many distinct tests must have failed before and pass now; of those that tests names, if it names any."},
    "tests": {"$ref": "#/$defs/patterns",
      "description": "Which tests, by text form or bare name; * stands for any text. All that a pattern matches must pass now, and at least one of them must have failed before."},
    "count_errors": {"type": "boolean", "default": false,
      "description": "Count an error before the change like a failure, for runners that report exceptions as errors. Otherwise setup, import and build errors prove nothing."},
    "format": {"enum": FORMATS, "description": "The result format. Default: detected from content."}
  },
  "required": ["before"],
  "additionalProperties": false,
  "$defs": {
    "patterns": {"oneOf": [{"$ref": "#/$defs/pattern"}, {"type": "array", "items": {"$ref": "#/$defs/pattern"}, "minItems": 1, "maxItems": 50}]},
    "pattern": {"type": "string", "minLength": 1, "maxLength": 256},
    "globs": {"oneOf": [{"$ref": "#/$defs/glob"}, {"type": "array", "items": {"$ref": "#/$defs/glob"}, "minItems": 1, "maxItems": 20}]},
    "glob": {"type": "string", "minLength": 1, "maxLength": 500, "pattern": "^[^/\\x00\\\\][^\\x00\\\\]*$"},
    "trust": {"enum": ["service", "run"], "default": "service",
      "description": "The least tier of the results: service (another run made them, GitHub says so) or run (made in this job, which the change can influence)."}
  },
  "examples": [{"before": {"files": "reports/base/*.xml", "trust": "run"}, "min": 1, "tests": ["test_proration"]}, {"before": "reports/base/*.xml"}]
}`

type failToPassParams struct {
	Before      *fileSpec `json:"before"`
	Min         int       `json:"min,omitempty"`
	Tests       textList  `json:"tests,omitempty"`
	CountErrors bool      `json:"count_errors,omitempty"`
	Format      string    `json:"format,omitempty"`
}

// failToPassFacts counts distinct tests.
type failToPassFacts struct {
	Files        int       `json:"files"`
	Executed     int       `json:"executed"`
	Digest       string    `json:"test_set_sha256,omitempty"`
	RunFailed    int       `json:"run_failed"`
	RunFailures  []trouble `json:"run_failures,omitempty"`
	Troubles     int       `json:"troubles"`
	TroubleFiles []trouble `json:"trouble_files,omitempty"`
	BeforeFiles  int       `json:"before_files"`
	Before       trouble   `json:"before_trouble"` // with a code: the results before prove nothing
	BeforeFailed int       `json:"before_failed"`
	// Shown failed before and pass now; of the named tests if any are named.
	Shown             int         `json:"shown"`
	ShownTests        []string    `json:"shown_tests,omitempty"`
	Inconclusive      int         `json:"inconclusive"` // errored or did not end before, pass now
	InconclusiveTests []string    `json:"inconclusive_tests,omitempty"`
	Regressed         int         `json:"regressed"` // passed before, fail now
	RegressedTests    []string    `json:"regressed_tests,omitempty"`
	Named             []namedFact `json:"named,omitempty"` // in the order of the patterns
	Kept              keptFact    `json:"kept"`            // of what passed before
	ListsCut          bool        `json:"lists_cut,omitempty"`
}

// namedFact is what one pattern of tests found, in distinct tests of now.
type namedFact struct {
	Pattern      string   `json:"pattern"`
	Matched      int      `json:"matched"`
	NotPassing   int      `json:"not_passing"`
	Shown        int      `json:"shown"`
	Inconclusive int      `json:"inconclusive"`
	PassedBefore int      `json:"passed_before"`
	Tests        []string `json:"not_passing_tests,omitempty"`
	Near         string   `json:"near,omitempty"`
}

func failToPassKind() Kind {
	return Kind{
		Name: "fail_to_pass", Version: "1", Schema: testsSchemaText(failToPassSchema), NeedsArtifact: true, Deterministic: true,
		Doc:   "Tests failed before the change and pass after it, and every one that passed before still does.",
		Wants: func(params json.RawMessage) Wants { return Wants{Tests: true, Format: formatOf(params), Names: true} },
		Reads: func(params json.RawMessage) []Read {
			var p failToPassParams
			if decodeStrict(params, &p) != nil || p.Before == nil {
				return nil
			}
			return []Read{{Role: beforeRole, Files: p.Before.Files, Trust: p.Before.Trust, Wants: Wants{Tests: true, Format: p.Format, Names: true}}}
		},
		Observe: observing(observeFailToPass),
		Judge:   judging(judgeFailToPass),
	}
}

// passage is how one test of now went before and goes now.
type passage int

const (
	passageOther passage = iota
	passageShown
	passageInconclusive
	passageRegressed
	passageKept
)

// passageOf compares one identity. Before, only a failure of the test itself counts.
func passageOf(id identity, before, after *tallied, countErrors bool) passage {
	failed := before.bags[classFailed].has(id) || (countErrors && before.bags[classErrored].has(id))
	errored := before.bags[classErrored].has(id) || before.bags[classUnfinished].has(id)
	switch {
	case after.passing(id) && failed:
		return passageShown
	case after.passing(id) && errored:
		return passageInconclusive
	case after.passing(id) && before.passing(id):
		return passageKept
	case before.passing(id) && (after.bags[classFailed].has(id) || after.bags[classErrored].has(id) || after.bags[classUnfinished].has(id)):
		return passageRegressed
	}
	return passageOther
}

func observeFailToPass(p *failToPassParams, in *Input) failToPassFacts {
	after := readResults(in.Documents, false)
	before := readResults(in.Reads[beforeRole], false)
	space := newRoom()
	f := failToPassFacts{
		Files: after.files, Executed: after.all.executed().distinct(), RunFailed: len(after.broken), Troubles: len(after.troubles),
		RunFailures: space.troubles(after.broken, maxTroubles), TroubleFiles: space.troubles(after.troubles, maxTroubles),
		BeforeFiles: before.files, BeforeFailed: before.all.bags[classFailed].distinct(),
	}
	if after.counts.Tests > 0 {
		f.Digest = hexDigest(after.all)
	}
	if p.Before == nil {
		f.Before = trouble{Code: CodeTestsBaseAbsent, Detail: "no files are named"}
	} else {
		f.Before = baseTrouble(in.Reads[beforeRole], p.Before, in.ReadError[beforeRole], before)
	}
	patterns := newPatterns(p.Tests)
	for _, n := range patterns {
		f.Named = append(f.Named, namedFact{Pattern: clip(n.text, maxPatternBytes)})
	}
	done := map[identity]bool{}
	for _, s := range after.sets {
		s.Each(func(c *testresult.Case) bool {
			id := identityOf(c.Key)
			if !done[id] {
				done[id] = true
				f.add(c, passageOf(id, before.all, after.all, p.CountErrors), after.all.passing(id), patterns, space)
			}
			return true
		})
	}
	for i := range f.Named {
		if f.Named[i].Matched == 0 {
			f.Named[i].Near = space.one(patterns[i].near(after.sets))
		}
	}
	if f.Before.Code == "" && len(after.sets) > 0 {
		f.Kept = observeKept(before.all.passing, nil, before, after, in.ApprovedBy, space)
	}
	f.ListsCut = space.short
	return f
}

// add counts one test of now.
func (f *failToPassFacts) add(c *testresult.Case, how passage, passing bool, patterns []pattern, space *room) {
	named := len(patterns) == 0
	for i, p := range patterns {
		if !p.matches(c) {
			continue
		}
		named = true
		n := &f.Named[i]
		n.Matched++
		if !passing {
			n.NotPassing++
			n.Tests = space.add(n.Tests, c.ID, maxMatched)
		}
		switch how {
		case passageShown:
			n.Shown++
		case passageInconclusive:
			n.Inconclusive++
		case passageKept:
			n.PassedBefore++
		case passageRegressed, passageOther:
		}
	}
	switch {
	case how == passageRegressed:
		f.Regressed++
		f.RegressedTests = space.add(f.RegressedTests, c.ID, maxLost)
	case how == passageShown && named:
		f.Shown++
		f.ShownTests = space.add(f.ShownTests, c.ID, maxLost)
	case how == passageInconclusive && named:
		f.Inconclusive++
		f.InconclusiveTests = space.add(f.InconclusiveTests, c.ID, maxMatched)
	}
}

func judgeFailToPass(p *failToPassParams, f *failToPassFacts) Finding {
	switch {
	case p.Before == nil:
		return find(Unverified, CodeInputParams, "before is not given")
	case f.unusable(p) != "":
		return find(Unverified, CodeInputFacts, "%s", f.unusable(p))
	case f.Files < 1:
		return find(Unverified, CodeInputNoFiles, "no result file was read")
	case f.RunFailed > 0:
		t := first(f.RunFailures)
		return find(ValidatorFailed, CodeTestsRunFailed, "the test run after the change itself failed: %s %s", t.File, t.Detail)
	}
	for _, n := range f.Named {
		if n.NotPassing > 0 {
			return find(ValidatorFailed, CodeFailToPassStillFails, "%d of %d tests that match %s do not pass: %s", n.NotPassing, n.Matched, n.Pattern, strings.Join(n.Tests, ", "))
		}
	}
	if f.Troubles > 0 {
		return unread(nil, &testsFacts{Files: f.Files, Troubles: f.Troubles, TroubleFiles: f.TroubleFiles})
	}
	if base := judgeBase(f.Before); base.State != Verified {
		return base
	}
	if f.Digest == "" {
		return find(Unverified, CodeTestsEmpty, "%s no test at all", counted(f.Files, "file holds", "files hold"))
	}
	return judgePassages(p, f)
}

// judgePassages judges what all files together show.
func judgePassages(p *failToPassParams, f *failToPassFacts) Finding {
	if f.Regressed > 0 {
		return find(ValidatorFailed, CodeFailToPassRegressed, "%s now: %s", counted(f.Regressed, "test passed before and fails", "tests passed before and fail"), strings.Join(f.RegressedTests, ", "))
	}
	for _, n := range f.Named {
		switch {
		case n.Matched < 1 && n.Near != "":
			return find(ValidatorFailed, CodeFailToPassAbsent, "no test matches %s, nearest: %s", n.Pattern, n.Near)
		case n.Matched < 1:
			return find(ValidatorFailed, CodeFailToPassAbsent, "no test matches %s", n.Pattern)
		case n.Shown > 0:
		case n.Inconclusive > 0:
			return find(Unverified, CodeFailToPassInconclusive, "%s ended with an error before, not with a failure of its own", n.Pattern)
		case n.PassedBefore > 0:
			return find(ValidatorFailed, CodeFailToPassNotBefore, "%s passed before too: it does not show what changed", n.Pattern)
		default:
			return find(Unverified, CodeFailToPassInconclusive, "%s did not run to an answer before", n.Pattern)
		}
	}
	least := max(p.Min, 1)
	shown := counted(f.Shown, "test failed before and passes", "tests failed before and pass")
	switch {
	case f.Shown >= least:
		if kept := judgeKept(&f.Kept, "that passed before"); kept.State != Verified {
			return kept
		}
		return find(Verified, CodeFailToPassShown, "%s now: %s", shown, strings.Join(f.ShownTests, ", "))
	case f.Shown+f.Inconclusive >= least:
		return find(Unverified, CodeFailToPassInconclusive, "%s now, at least %d must; %d more ended with an error before: %s", shown, least, f.Inconclusive, strings.Join(f.InconclusiveTests, ", "))
	}
	return find(ValidatorFailed, CodeFailToPassTooFew, "%s now, at least %d must", shown, least)
}
