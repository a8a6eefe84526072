package evidence

import (
	"encoding/json"
	"fmt"
	"strings"
)

// baselineRole is the role of the result files of the merge base among a validator's further files.
const baselineRole = "baseline"

const testsSchema = `{
  "type": "object",
  "description": "Test result files: what ran, what failed, what was skipped. Counts come from the records. Of the same tests in several files the worst file counts, so that a matrix counts once.",
  "properties": {
    "min_executed": {"type": "integer", "minimum": 1, "maximum": 10000000, "default": 1,
      "description": "How many distinct tests must have run to an answer (passed, failed or errored)."},
    "max_failed": {"type": "integer", "minimum": 0, "default": 0, "description": "How many may fail or error."},
    "max_skipped": {"type": "integer", "minimum": 0, "description": "How many may be skipped, disabled or todo, together. Default: any number."},
    "max_flaky": {"type": "integer", "minimum": 0, "description": "How many may pass only on a retry. Default: any number."},
    "must_pass": {"$ref": "#/$defs/patterns",
      "description": "Tests that must be there and pass, by text form or bare name; * stands for any text. Every test that a pattern matches must pass, and it must match one."},
    "format": {"enum": FORMATS, "description": "The result format. Default: detected from content."},
    "baseline": {
      "description": "Result files of the merge base: a glob, a list of globs, or { files, trust }.",
      "oneOf": [{"$ref": "#/$defs/globs"},
        {"type": "object", "properties": {"files": {"$ref": "#/$defs/globs"}, "trust": {"$ref": "#/$defs/trust"}}, "required": ["files"], "additionalProperties": false}]
    },
    "keep_tests": {"type": "boolean", "default": false,
      "description": "A test that ran in the baseline and is lost or skipped now waits for a person's approval."},
    "ignore": {"$ref": "#/$defs/patterns", "description": "Tests that keep_tests lets go."},
    "new_failures_only": {"type": "boolean", "default": false,
      "description": "Failures that the baseline has too do not count. A baseline that could not build or run, is absent or incomplete makes it unverified."},
    "allow_cached": {"type": "boolean", "default": false, "description": "Accept results that the test runner replayed from its cache."},
    "allow_count_mismatch": {"type": "boolean", "default": false,
      "description": "Accept a file whose attributes claim more tests or failures than it records."}
  },
  "dependentRequired": {"keep_tests": ["baseline"], "new_failures_only": ["baseline"], "ignore": ["keep_tests"]},
  "additionalProperties": false,
  "$defs": {
    "patterns": {"oneOf": [{"$ref": "#/$defs/pattern"}, {"type": "array", "items": {"$ref": "#/$defs/pattern"}, "minItems": 1, "maxItems": 50}]},
    "pattern": {"type": "string", "minLength": 1, "maxLength": 256},
    "globs": {"oneOf": [{"$ref": "#/$defs/glob"}, {"type": "array", "items": {"$ref": "#/$defs/glob"}, "minItems": 1, "maxItems": 20}]},
    "glob": {"type": "string", "minLength": 1, "maxLength": 500, "pattern": "^[^/\\x00\\\\][^\\x00\\\\]*$"},
    "trust": {"enum": ["service", "run"], "default": "service",
      "description": "The least tier of the results: service (another run made them, GitHub says so) or run (made in this job, which the change can influence)."}
  },
  "examples": [{}, {"min_executed": 100, "max_skipped": 5, "must_pass": ["checkout*"]},
    {"baseline": {"files": "reports/base/*.xml", "trust": "run"}, "keep_tests": true, "ignore": ["*legacy*"], "new_failures_only": true}]
}`

// testsSchemaText puts the known formats into the schema.
func testsSchemaText(schema string) string {
	list, err := json.Marshal(TestFormats())
	if err != nil {
		list = []byte("[]")
	}
	return strings.Replace(schema, "FORMATS", string(list), 1)
}

type testsParams struct {
	MinExecuted        int       `json:"min_executed,omitempty"`
	MaxFailed          int       `json:"max_failed,omitempty"`
	MaxSkipped         *int      `json:"max_skipped,omitempty"`
	MaxFlaky           *int      `json:"max_flaky,omitempty"`
	MustPass           textList  `json:"must_pass,omitempty"`
	Format             string    `json:"format,omitempty"`
	Baseline           *fileSpec `json:"baseline,omitempty"`
	KeepTests          bool      `json:"keep_tests,omitempty"`
	Ignore             textList  `json:"ignore,omitempty"`
	NewFailuresOnly    bool      `json:"new_failures_only,omitempty"`
	AllowCached        bool      `json:"allow_cached,omitempty"`
	AllowCountMismatch bool      `json:"allow_count_mismatch,omitempty"`
}

// comparing says whether the base decides anything.
func (p *testsParams) comparing() bool { return p.KeepTests || p.NewFailuresOnly }

func testsKind() Kind {
	return Kind{
		Name: "tests", Version: "1", Schema: testsSchemaText(testsSchema), NeedsArtifact: true, Deterministic: true,
		Doc:     "Enough tests ran, and none failed, was skipped or got lost beyond what the contract allows.",
		Wants:   testsWants,
		Reads:   testsReads,
		Observe: observing(observeTests),
		Judge:   judging(judgeTests),
	}
}

// testsWants asks for the names of all tests only where patterns or the base are held against them.
func testsWants(params json.RawMessage) Wants {
	var p testsParams
	if decodeStrict(params, &p) != nil {
		return Wants{Tests: true, Format: formatOf(params), Names: true}
	}
	return Wants{Tests: true, Format: p.Format, Names: len(p.MustPass) > 0 || p.comparing()}
}

// formatOf is the format that parameters name, whatever else they hold.
func formatOf(params json.RawMessage) string {
	var p struct {
		Format string `json:"format"`
	}
	if json.Unmarshal(params, &p) != nil {
		return ""
	}
	return p.Format
}

func testsReads(params json.RawMessage) []Read {
	var p testsParams
	if decodeStrict(params, &p) != nil || p.Baseline == nil || !p.comparing() {
		return nil
	}
	return []Read{{
		Role: baselineRole, Files: p.Baseline.Files, Trust: p.Baseline.Trust,
		Wants: Wants{Tests: true, Format: p.Format, Names: p.KeepTests},
	}}
}

// judgeTests looks for what rejects first, then for what was not observed, then for what is too little: a
// minimum is only unmet when everything was read.
func judgeTests(p *testsParams, f *testsFacts) Finding {
	if why := f.unusable(p); why != "" {
		return find(Unverified, CodeInputFacts, "%s", why)
	}
	if f.Files < 1 {
		return find(Unverified, CodeInputNoFiles, "no result file was read")
	}
	said := fine()
	for _, look := range []func(*testsParams, *testsFacts) Finding{
		rejectedRun, rejectedFailed, rejectedFlaky, rejectedSkipped, rejectedMustPass, replayed, unread, empty, unmetMinimum,
		unmetMustPass, unknownBase, lostTests,
	} {
		finding := look(p, f)
		switch {
		case finding.State == Verified:
			continue
		case finding.State != ValidatorFailed && said.State == Verified:
			return finding
		case finding.State != said.State && said.State != Verified: // what comes next needs what this one misses
			return said
		}
		said = together(said, finding)
	}
	if said.State != Verified {
		return said
	}
	if f.Failed > 0 {
		return find(Verified, CodeTestsFailuresAllowed, "%s ran; %d failed, which the contract allows", counted(f.Executed, "test"), f.Failed)
	}
	return find(Verified, CodeTestsPassed, "%s ran, none failed%s", counted(f.Executed, "test"), skippedToo(f.Skipped))
}

func skippedToo(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d skipped", n)
}

func fine() Finding { return Finding{State: Verified} }

func rejectedRun(_ *testsParams, f *testsFacts) Finding {
	if f.RunFailed == 0 {
		return fine()
	}
	t := first(f.RunFailures)
	return find(ValidatorFailed, CodeTestsRunFailed, "the test run itself failed: %s %s", t.File, t.Detail)
}

func rejectedFailed(p *testsParams, f *testsFacts) Finding {
	failed, what := f.Failed, "failed"
	if p.NewFailuresOnly && (f.Base == nil || f.Base.Trouble.Code != "") {
		failed = 0 // unknownBase says so
	} else if p.NewFailuresOnly {
		failed, what = f.Base.NewFailed, "failed that did not fail before"
	}
	if failed > p.MaxFailed {
		return find(ValidatorFailed, CodeTestsFailed, "%d of %d tests %s%s: %s", failed, f.Executed, what, atMost(p.MaxFailed), failingNames(f.Failing))
	}
	return fine()
}

func rejectedFlaky(p *testsParams, f *testsFacts) Finding {
	if p.MaxFlaky != nil && f.Flaky > *p.MaxFlaky {
		return find(ValidatorFailed, CodeTestsTooManyFlaky, "%s passed only on a retry%s", counted(f.Flaky, "test"), atMost(*p.MaxFlaky))
	}
	return fine()
}

func rejectedSkipped(p *testsParams, f *testsFacts) Finding {
	if p.MaxSkipped != nil && f.Skipped > *p.MaxSkipped {
		return find(ValidatorFailed, CodeTestsTooManySkipped, "%s skipped%s", counted(f.Skipped, "test was", "tests were"), atMost(*p.MaxSkipped))
	}
	return fine()
}

func atMost(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (at most %d may)", n)
}

func failingNames(list []failingTest) string {
	var names []string
	for _, t := range list[:min(len(list), 3)] {
		names = append(names, t.ID)
	}
	if len(list) > 3 {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

func rejectedMustPass(_ *testsParams, f *testsFacts) Finding {
	for _, m := range f.MustPass {
		if m.NotPassing > 0 {
			return find(ValidatorFailed, CodeTestsMustPassFailed, "%d of %d tests that match %s did not pass: %s", m.NotPassing, m.Matched, m.Pattern, strings.Join(m.NotPassingTests, ", "))
		}
	}
	return fine()
}

func replayed(p *testsParams, f *testsFacts) Finding {
	if f.Cached == 0 || p.AllowCached {
		return fine()
	}
	return find(Stale, CodeTestsCached, "results of %s were replayed from the test cache (%s): run go test with -count=1", counted(f.Cached, "package"), strings.Join(f.CachedPackages, ", "))
}

func unread(_ *testsParams, f *testsFacts) Finding {
	if f.Troubles == 0 {
		return fine()
	}
	t := first(f.TroubleFiles)
	switch t.Code {
	case CodeInputUnreadable, CodeTestsInvalid, CodeTestsUnknownFormat, CodeTestsCounts, CodeTestsIncomplete:
	default:
		t.Code = CodeTestsIncomplete
	}
	if f.Files == 1 {
		return find(Unverified, t.Code, "%s allows no conclusion%s", t.File, because(atLine(t)))
	}
	return find(Unverified, t.Code, "%s no conclusion: %s%s", share(f.Troubles, f.Files, "allows", "allow"), t.File, because(atLine(t)))
}

func atLine(t trouble) string {
	if t.Line == 0 {
		return t.Detail
	}
	return strings.TrimSpace(fmt.Sprintf("%s (line %d)", t.Detail, t.Line))
}

// first is the first entry of a list, the zero value of an empty one.
func first(list []trouble) trouble {
	if len(list) == 0 {
		return trouble{}
	}
	return list[0]
}

func empty(_ *testsParams, f *testsFacts) Finding {
	if f.Records.Tests == 0 {
		return find(Unverified, CodeTestsEmpty, "%s no test at all", counted(f.Files, "file holds", "files hold"))
	}
	return fine()
}

func unmetMinimum(p *testsParams, f *testsFacts) Finding {
	if least := max(p.MinExecuted, 1); f.Executed < least {
		return find(ValidatorFailed, CodeTestsTooFew, "%s ran, at least %d must%s", counted(f.Executed, "distinct test"), least, skippedToo(f.Skipped))
	}
	return fine()
}

func unmetMustPass(_ *testsParams, f *testsFacts) Finding {
	for _, m := range f.MustPass {
		if m.Matched < 1 {
			near := ""
			if m.Near != "" {
				near = ", nearest: " + m.Near
			}
			return find(ValidatorFailed, CodeTestsMustPassAbsent, "no test matches %s%s", m.Pattern, near)
		}
	}
	return fine()
}

func unknownBase(p *testsParams, f *testsFacts) Finding {
	switch {
	case !p.comparing():
		return fine()
	case p.Baseline == nil || f.Base == nil:
		return find(Unverified, CodeTestsBaseAbsent, "there is nothing to compare with")
	}
	return judgeBase(f.Base.Trouble)
}

// judgeBase says why results may not stand for the base.
func judgeBase(t trouble) Finding {
	switch t.Code {
	case "":
		return fine()
	case CodeTestsBaseAbsent, CodeTestsBaseNotTrusted, CodeTestsBaseBroken, CodeTestsBaseUnusable:
	default:
		t.Code = CodeTestsBaseUnusable
	}
	return find(Unverified, t.Code, "the base proves nothing: %s", strings.TrimSpace(t.File+" "+atLine(t)))
}

func lostTests(p *testsParams, f *testsFacts) Finding {
	if !p.KeepTests {
		return fine()
	}
	return judgeKept(&f.Base.Kept, "of the base")
}
