package evidence

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

const (
	passed  = testresult.Passed
	failed  = testresult.Failed
	errored = testresult.Errored
	skipped = testresult.Skipped
	todo    = testresult.Todo
	flaky   = testresult.Flaky
)

// file makes a readable result file.
func file(name string, s *TestSet) Document { return Document{Name: name, Readable: true, Tests: s} }

// with makes a set with another conclusion and notes.
func with(s *TestSet, c testresult.Conclusion, notes ...string) *TestSet {
	s.Conclusion = c
	for _, n := range notes {
		s.Notes = append(s.Notes, testresult.Note{Code: n, Detail: "why", Line: 7})
	}
	return s
}

func broken(s *TestSet) *TestSet {
	s.ProcessFailure = true
	return with(s, testresult.Fail, testresult.NoteBuildFailed)
}

func cached(s *TestSet) *TestSet {
	s.CachedN, s.Cached = 2, []string{"example.com/a", "example.com/b"}
	return s
}

// observeAndJudge does both steps of a kind, and holds the facts against their bounds.
func observeAndJudge(t *testing.T, kind, params string, in Input) (Finding, json.RawMessage) {
	t.Helper()
	k, ok := KindByName(kind)
	if !ok {
		t.Fatalf("no kind %s", kind)
	}
	facts := k.Observe(json.RawMessage(params), in)
	if len(facts) > maxFactsBytes {
		t.Errorf("facts of %d bytes", len(facts))
	}
	f := k.Judge(json.RawMessage(params), facts)
	known := slices.ContainsFunc(Codes(), func(c Code) bool { return c.Code == f.Code && slices.Contains(c.States, f.State) })
	if !known {
		t.Errorf("%s with state %s is not in the table", f.Code, f.State)
	}
	if f.Code == CodeInputFacts {
		t.Errorf("facts as observed are refused: %s\n%s", f.Detail, facts)
	}
	contradict(t, kind, params, f, facts)
	return f, facts
}

func base(docs ...Document) map[string][]Document { return map[string][]Document{"baseline": docs} }

const withBase = `"baseline": {"files": "base/*.xml", "trust": "run"}`

func TestTests(t *testing.T) {
	good := func() *TestSet {
		return set(append(many(5, passed), tc("checkout::pays", passed), tc("checkout::refunds", passed))...)
	}
	for name, tt := range map[string]struct {
		params string
		in     Input
		state  State
		code   string
		says   string
	}{
		"all pass":                  {`{}`, Input{Documents: []Document{file("a", good())}}, Verified, CodeTestsPassed, "7 tests ran"},
		"enough":                    {`{"min_executed": 7}`, Input{Documents: []Document{file("a", good())}}, Verified, CodeTestsPassed, ""},
		"too few":                   {`{"min_executed": 8}`, Input{Documents: []Document{file("a", good())}}, ValidatorFailed, CodeTestsTooFew, "7 distinct tests ran, at least 8"},
		"repeated":                  {`{"min_executed": 2}`, Input{Documents: []Document{file("a", set(tc("a", passed), tc("a", passed), tc("a", passed)))}}, ValidatorFailed, CodeTestsTooFew, "1 distinct"},
		"a matrix":                  {`{"min_executed": 8}`, Input{Documents: []Document{file("a", good()), file("b", good())}}, ValidatorFailed, CodeTestsTooFew, "7 distinct"},
		"one fails":                 {`{}`, Input{Documents: []Document{file("a", set(tc("a", passed), tc("b", failed)))}}, ValidatorFailed, CodeTestsFailed, "1 of 2 tests failed: b"},
		"one errs":                  {`{}`, Input{Documents: []Document{file("a", set(tc("a", passed), tc("b", errored)))}}, ValidatorFailed, CodeTestsFailed, ""},
		"no status":                 {`{}`, Input{Documents: []Document{file("a", set(tc("a", passed), tc("b", testresult.NoStatus)))}}, ValidatorFailed, CodeTestsFailed, ""},
		"unfinished":                {`{}`, Input{Documents: []Document{file("a", set(tc("a", passed), tc("b", testresult.Unfinished)))}}, ValidatorFailed, CodeTestsFailed, ""},
		"no bucket":                 {`{}`, Input{Documents: []Document{file("a", set(tc("a", passed), tc("b", testresult.Other)))}}, ValidatorFailed, CodeTestsFailed, ""},
		"may fail":                  {`{"max_failed": 1}`, Input{Documents: []Document{file("a", set(tc("a", passed), tc("b", failed)))}}, Verified, CodeTestsFailuresAllowed, "1 failed"},
		"one shard fails":           {`{}`, Input{Documents: []Document{file("a", good()), file("b", set(tc("pkg.Test1", failed)))}}, ValidatorFailed, CodeTestsFailed, ""},
		"skips allowed":             {`{}`, Input{Documents: []Document{file("a", set(tc("a", passed), tc("b", skipped)))}}, Verified, CodeTestsPassed, "1 skipped"},
		"too many skips":            {`{"max_skipped": 1}`, Input{Documents: []Document{file("a", set(tc("a", passed), tc("b", skipped), tc("c", todo)))}}, ValidatorFailed, CodeTestsTooManySkipped, "2 tests were skipped (at most 1 may)"},
		"skips of a matrix":         {`{"max_skipped": 1}`, Input{Documents: []Document{file("a", set(tc("a", passed), tc("b", skipped))), file("b", set(tc("a", passed), tc("b", skipped)))}}, Verified, CodeTestsPassed, ""},
		"all skipped":               {`{}`, Input{Documents: []Document{file("a", set(many(12, skipped)...))}}, ValidatorFailed, CodeTestsTooFew, "0 distinct tests ran"},
		"no tests":                  {`{}`, Input{Documents: []Document{file("a", set())}}, Unverified, CodeTestsEmpty, ""},
		"one file is empty":         {`{}`, Input{Documents: []Document{file("a", set()), file("b", good())}}, Verified, CodeTestsPassed, ""},
		"no files":                  {`{}`, Input{}, Unverified, CodeInputNoFiles, ""},
		"unreadable":                {`{}`, Input{Documents: []Document{file("a", good()), {Name: "b"}}}, Unverified, CodeInputUnreadable, "1 of 2 files"},
		"unreadable, failed":        {`{}`, Input{Documents: []Document{{Name: "b"}, file("a", set(tc("a", failed)))}}, ValidatorFailed, CodeTestsFailed, ""},
		"incomplete":                {`{}`, Input{Documents: []Document{file("a", with(good(), testresult.Incomplete, testresult.NoteCut))}}, Unverified, CodeTestsIncomplete, "tests/cut: why (line 7)"},
		"errors in a cut file":      {`{}`, Input{Documents: []Document{file("a", with(set(tc("a", errored)), testresult.Incomplete, testresult.NoteCut))}}, Unverified, CodeTestsIncomplete, ""},
		"invalid":                   {`{}`, Input{Documents: []Document{file("a", with(set(tc("a", failed)), testresult.Invalid, testresult.NoteEncoding, testresult.NoteMalformed))}}, Unverified, CodeTestsInvalid, "tests/malformed"},
		"invalid, unsaid":           {`{}`, Input{Documents: []Document{file("a", with(good(), testresult.Invalid))}}, Unverified, CodeTestsInvalid, ""},
		"unknown format":            {`{}`, Input{Documents: []Document{file("a", with(set(), testresult.UnknownFormat))}}, Unverified, CodeTestsUnknownFormat, ""},
		"no conclusion":             {`{}`, Input{Documents: []Document{file("a", with(good(), ""))}}, Unverified, CodeTestsIncomplete, ""},
		"no status known":           {`{"max_failed": 9}`, Input{Documents: []Document{file("a", ReadTests(strings.NewReader(`<testsuite><testcase name="a"/><testcase name="b" result="halfway"/></testsuite>`), "", Keep{Names: true, Properties: true}))}}, Unverified, CodeTestsIncomplete, `"halfway"`},
		"not built, in plain words": {`{"max_failed": 9}`, Input{Documents: []Document{file("a", ReadTests(strings.NewReader(`{"Action":"pass","Package":"p","Test":"TestA"}`+"\n"+`{"Action":"pass","Package":"p"}`+"\nFAIL\tq [build failed]\n"), "", Keep{Names: true, Properties: true}))}}, ValidatorFailed, CodeTestsRunFailed, "tests/build-failed: q"},
		"empty file":                {`{}`, Input{Documents: []Document{file("a", ReadTests(strings.NewReader(""), "", Keep{Names: true, Properties: true}))}}, Unverified, CodeTestsEmpty, ""},
		"counts disagree":           {`{}`, Input{Documents: []Document{file("a", with(good(), testresult.Incomplete, testresult.NoteCountsDisagree))}}, Unverified, CodeTestsCounts, ""},
		"counts may disagree":       {`{"allow_count_mismatch": true}`, Input{Documents: []Document{file("a", with(good(), testresult.Incomplete, testresult.NoteCountsDisagree))}}, Verified, CodeTestsPassed, ""},
		"counts may, a cut may not": {`{"allow_count_mismatch": true}`, Input{Documents: []Document{file("a", with(good(), testresult.Incomplete, testresult.NoteCountsDisagree, testresult.NoteCut))}}, Unverified, CodeTestsIncomplete, ""},
		"a failure hides no cut":    {`{"max_failed": 1}`, Input{Documents: []Document{file("a", with(set(tc("a", passed), tc("b", failed)), testresult.Fail, testresult.NoteCut))}}, Unverified, CodeTestsIncomplete, ""},
		"a failure hides no count":  {`{"max_failed": 1}`, Input{Documents: []Document{file("a", with(set(tc("a", passed), tc("b", failed)), testresult.Fail, testresult.NoteCountsDisagree))}}, Unverified, CodeTestsCounts, ""},
		"a note nobody knows":       {`{}`, Input{Documents: []Document{file("a", with(good(), testresult.Pass, "tests/new"))}}, Unverified, CodeTestsIncomplete, ""},
		"a harmless note":           {`{}`, Input{Documents: []Document{file("a", with(good(), testresult.Pass, testresult.NoteCountsFewer))}}, Verified, CodeTestsPassed, ""},
		"notes run over":            {`{"max_failed": 1}`, Input{Documents: []Document{file("a", with(set(tc("a", passed), tc("b", failed)), testresult.Fail, slices.Repeat([]string{testresult.NoteEncoding}, 20)...))}}, Unverified, CodeTestsIncomplete, "more notes"},
		"build failure":             {`{}`, Input{Documents: []Document{file("a", broken(good()))}}, ValidatorFailed, CodeTestsRunFailed, "tests/build-failed: why"},
		"failed, unrecorded":        {`{}`, Input{Documents: []Document{file("a", with(good(), testresult.Fail))}}, ValidatorFailed, CodeTestsRunFailed, "beyond its records"},
		"cached":                    {`{}`, Input{Documents: []Document{file("a", cached(good()))}}, Stale, CodeTestsCached, "-count=1"},
		"cached is fine":            {`{"allow_cached": true}`, Input{Documents: []Document{file("a", cached(good()))}}, Verified, CodeTestsPassed, ""},
		"cached and failed":         {`{}`, Input{Documents: []Document{file("a", cached(set(tc("a", failed))))}}, ValidatorFailed, CodeTestsFailed, ""},
		"flaky":                     {`{}`, Input{Documents: []Document{file("a", set(tc("a", flaky)))}}, Verified, CodeTestsPassed, ""},
		"too flaky":                 {`{"max_flaky": 0}`, Input{Documents: []Document{file("a", set(tc("a", flaky)))}}, ValidatorFailed, CodeTestsTooManyFlaky, ""},
		"must pass":                 {`{"must_pass": ["checkout*", "refunds"]}`, Input{Documents: []Document{file("a", good())}}, Verified, CodeTestsPassed, ""},
		"must pass, skipped":        {`{"must_pass": "checkout*"}`, Input{Documents: []Document{file("a", set(tc("checkout::pays", passed), tc("checkout::refunds", skipped)))}}, ValidatorFailed, CodeTestsMustPassFailed, "1 of 2 tests that match checkout* did not pass: checkout::refunds"},
		"must pass, failed":         {`{"must_pass": ["pays"], "max_failed": 9}`, Input{Documents: []Document{file("a", set(tc("x::pays", passed))), file("b", set(tc("x::pays", failed)))}}, ValidatorFailed, CodeTestsMustPassFailed, ""},
		"must pass, absent":         {`{"must_pass": ["checkout/*"]}`, Input{Documents: []Document{file("a", good())}}, ValidatorFailed, CodeTestsMustPassAbsent, "no test matches checkout/*, nearest: checkout::pays"},
		"must pass, typo":           {`{"must_pass": ["refnuds"]}`, Input{Documents: []Document{file("a", good())}}, ValidatorFailed, CodeTestsMustPassAbsent, "nearest: refunds"},
		"must pass, nothing near":   {`{"must_pass": ["zzz"]}`, Input{Documents: []Document{file("a", good())}}, ValidatorFailed, CodeTestsMustPassAbsent, "no test matches zzz"},
		"must pass, unread":         {`{"must_pass": ["zzz"]}`, Input{Documents: []Document{file("a", good()), {Name: "b"}}}, Unverified, CodeInputUnreadable, ""},

		"base absent":               {`{` + withBase + `, "keep_tests": true}`, Input{Documents: []Document{file("a", good())}}, Unverified, CodeTestsBaseAbsent, ""},
		"base unlisted":             {`{` + withBase + `, "keep_tests": true}`, Input{Documents: []Document{file("a", good())}, ReadError: map[string]string{"baseline": "no such folder"}}, Unverified, CodeTestsBaseAbsent, "no such folder"},
		"base not trusted":          {`{"baseline": "base/*.xml", "keep_tests": true}`, Input{Documents: []Document{file("a", good())}, Reads: base(file("b", good()))}, Unverified, CodeTestsBaseNotTrusted, "trust: run"},
		"base claimed":              {`{` + withBase + `, "keep_tests": true}`, Input{Documents: []Document{file("a", good())}, Reads: base(Document{Name: "b", Readable: true, Tests: good(), Tier: "claimed"})}, Unverified, CodeTestsBaseNotTrusted, "claimed"},
		"base by service":           {`{"baseline": "base/*.xml", "keep_tests": true}`, Input{Documents: []Document{file("a", good())}, Reads: base(Document{Name: "b", Readable: true, Tests: good(), Tier: "service"})}, Verified, CodeTestsPassed, ""},
		"base broken":               {`{` + withBase + `, "new_failures_only": true}`, Input{Documents: []Document{file("a", set(tc("a", failed)))}, Reads: base(file("b", broken(set(tc("a", failed)))))}, Unverified, CodeTestsBaseBroken, ""},
		"base broken, all green":    {`{` + withBase + `, "new_failures_only": true}`, Input{Documents: []Document{file("a", good())}, Reads: base(file("b", broken(set())))}, Unverified, CodeTestsBaseBroken, ""},
		"base incomplete":           {`{` + withBase + `, "new_failures_only": true}`, Input{Documents: []Document{file("a", good())}, Reads: base(file("b", with(good(), testresult.Incomplete)))}, Unverified, CodeTestsBaseUnusable, ""},
		"base unreadable":           {`{` + withBase + `, "new_failures_only": true}`, Input{Documents: []Document{file("a", good())}, Reads: base(Document{Name: "b"})}, Unverified, CodeTestsBaseUnusable, ""},
		"base empty":                {`{` + withBase + `, "new_failures_only": true}`, Input{Documents: []Document{file("a", good())}, Reads: base(file("b", set()))}, Unverified, CodeTestsBaseUnusable, ""},
		"known failures":            {`{` + withBase + `, "new_failures_only": true}`, Input{Documents: []Document{file("a", set(tc("a", passed), tc("b", failed), tc("c", errored)))}, Reads: base(file("b", set(tc("a", passed), tc("b", failed), tc("c", failed))))}, Verified, CodeTestsFailuresAllowed, "2 failed"},
		"a new failure":             {`{` + withBase + `, "new_failures_only": true}`, Input{Documents: []Document{file("a", set(tc("a", failed), tc("b", failed)))}, Reads: base(file("b", set(tc("a", passed), tc("b", failed))))}, ValidatorFailed, CodeTestsFailed, "1 of 2 tests failed that did not fail before: a"},
		"one more of the same":      {`{` + withBase + `, "new_failures_only": true}`, Input{Documents: []Document{file("a", set(tc("b", failed), tc("b", failed), tc("a", passed)))}, Reads: base(file("b", set(tc("b", passed), tc("b", failed))))}, ValidatorFailed, CodeTestsFailed, ""},
		"crash is no known failure": {`{` + withBase + `, "new_failures_only": true}`, Input{Documents: []Document{file("a", broken(set(tc("b", failed))))}, Reads: base(file("b", set(tc("b", failed))))}, ValidatorFailed, CodeTestsRunFailed, ""},
		"nothing lost":              {`{` + withBase + `, "keep_tests": true}`, Input{Documents: []Document{file("a", good())}, Reads: base(file("b", set(tc("pkg.Test1", passed), tc("gone", skipped))))}, Verified, CodeTestsPassed, ""},
		"lost":                      {`{` + withBase + `, "keep_tests": true}`, Input{Documents: []Document{file("a", good())}, Reads: base(file("b", set(tc("pkg.TestGone", passed))))}, Waiting, CodeTestsLost, "1 test of the base gone and 0 skipped now; a person must approve: pkg.TestGone"},
		"newly skipped":             {`{` + withBase + `, "keep_tests": true}`, Input{Documents: []Document{file("a", set(tc("a", passed), tc("b", skipped)))}, Reads: base(file("b", set(tc("a", passed), tc("b", failed))))}, Waiting, CodeTestsLost, "0 tests of the base gone and 1"},
		"loss ignored":              {`{` + withBase + `, "keep_tests": true, "ignore": ["*Gone"]}`, Input{Documents: []Document{file("a", good())}, Reads: base(file("b", set(tc("pkg.TestGone", passed))))}, Verified, CodeTestsPassed, ""},
		"loss approved":             {`{` + withBase + `, "keep_tests": true}`, Input{Documents: []Document{file("a", good())}, ApprovedBy: []string{"mona"}, Reads: base(file("b", set(tc("pkg.TestGone", passed))))}, Verified, CodeTestsPassed, ""},
		"a loss and a failure":      {`{` + withBase + `, "keep_tests": true}`, Input{Documents: []Document{file("a", set(tc("a", failed)))}, Reads: base(file("b", set(tc("pkg.TestGone", passed))))}, ValidatorFailed, CodeTestsFailed, ""},
		"base unused":               {`{` + withBase + `}`, Input{Documents: []Document{file("a", good())}}, Verified, CodeTestsPassed, ""},
		"keep without base":         {`{"keep_tests": true}`, Input{Documents: []Document{file("a", good())}}, Unverified, CodeTestsBaseAbsent, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f, facts := observeAndJudge(t, "tests", tt.params, tt.in)
			if f.State != tt.state || f.Code != tt.code || !strings.Contains(f.Detail, tt.says) {
				t.Errorf("%s %s %q, want %s %s %q\n%s", f.State, f.Code, f.Detail, tt.state, tt.code, tt.says, facts)
			}
		})
	}
}

func TestTestsFacts(t *testing.T) {
	head := set(append(many(30, failed), tc("new.Suite::moved", passed), tc("x::pays", passed), tc("x::pays", flaky))...)
	head.Results.Notes = []testresult.Note{{Code: testresult.NoteCountsFewer, Line: 3}}
	in := Input{Documents: []Document{file("reports/a.xml", head)}, Reads: base(file("b", set(tc("old.Suite::moved", passed), tc("pkg.Test0", failed))))}
	_, raw := observeAndJudge(t, "tests", `{"must_pass": ["*pays"], `+withBase+`, "keep_tests": true, "new_failures_only": true}`, in)
	var f testsFacts
	if err := decodeStrict(raw, &f); err != nil {
		t.Fatal(err)
	}
	if f.Files != 1 || f.Records.Tests != 33 || f.Executed != 32 || f.Failed != 30 || f.Flaky != 1 || len(f.Digest) != 64 {
		t.Errorf("counts: %+v", f)
	}
	if len(f.Failing) != maxFailing || f.Failing[0].ID != "pkg.Test1" || f.Failing[0].Results != "reports/a.xml" {
		t.Errorf("failing: %+v", f.Failing)
	}
	if len(f.MustPass) != 1 || f.MustPass[0].Matched != 1 || !slices.Equal(f.MustPass[0].Tests, []string{"x::pays"}) {
		t.Errorf("must_pass: %+v", f.MustPass)
	}
	if f.Base.NewFailed != 29 || f.Base.Kept.Lost != 1 || !slices.Equal(f.Base.Kept.Renames, []string{"old.Suite::moved -> new.Suite::moved"}) {
		t.Errorf("base: %+v", f.Base)
	}
	if len(f.Notes) != 1 || f.Notes[0].Line != 3 || !slices.Equal(f.Formats, []string{"junit"}) {
		t.Errorf("notes: %+v, formats %v", f.Notes, f.Formats)
	}
}

// Facts that do not fit the parameters, or that no observation gives, verify nothing.
func TestTestsJudgeRefusesFacts(t *testing.T) {
	k, _ := KindByName("tests")
	ok := `{"files":1,"records":{"tests":2,"passed":2,"failed":0,"errors":0,"skipped":0,"flaky":0},"executed":2,"failed":0,"skipped":0,"flaky":0,"run_failed":0,"cached":0,"troubles":0,"formats":["junit"],"test_set_sha256":"abababababababababababababababababababababababababababababababab"}`
	if f := k.Judge(json.RawMessage(`{}`), json.RawMessage(ok)); f.State != Verified {
		t.Fatalf("%+v", f)
	}
	for name, c := range map[string][2]string{
		"negative":         {`{}`, strings.Replace(ok, `"failed":0,"skipped"`, `"failed":-1,"skipped"`, 1)},
		"more than there":  {`{}`, strings.Replace(ok, `"executed":2`, `"executed":3`, 1)},
		"no must_pass":     {`{"must_pass": ["a"]}`, ok},
		"other must_pass":  {`{"must_pass": ["a"]}`, strings.Replace(ok, `"files":1`, `"files":1,"must_pass":[{"pattern":"b","matched":1,"not_passing":0}]`, 1)},
		"no base":          {`{` + withBase + `, "new_failures_only": true}`, ok},
		"unknown trouble":  {`{}`, strings.Replace(ok, `"troubles":0`, `"troubles":1,"trouble_files":[{"file":"a","code":"tests/passed"}]`, 1)},
		"unlisted trouble": {`{}`, strings.Replace(ok, `"troubles":0`, `"troubles":1`, 1)},
		"unknown base":     {`{` + withBase + `, "keep_tests": true}`, strings.Replace(ok, `"files":1`, `"files":1,"base":{"files":1,"trouble":{"file":"","code":"x/y"},"executed":1,"failed":0,"new_failed":0,"kept":{"lost":0,"newly_skipped":0,"ignored":0}}`, 1)},
	} {
		if f := k.Judge(json.RawMessage(c[0]), json.RawMessage(c[1])); f.State != Unverified {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestTestsReads(t *testing.T) {
	k, _ := KindByName("tests")
	if w := k.Wants(json.RawMessage(`{"format": "junit"}`)); !w.Tests || w.Format != "junit" || w.Bytes != 0 {
		t.Errorf("%+v", w)
	}
	if w := k.Wants(json.RawMessage(`{`)); !w.Tests || w.Format != "" {
		t.Errorf("%+v", w)
	}
	if r := k.Reads(json.RawMessage(`{}`)); r != nil {
		t.Errorf("%+v", r)
	}
	r := k.Reads(json.RawMessage(`{"baseline": ["a", "b"], "keep_tests": true, "format": "junit"}`))
	if len(r) != 1 || r[0].Role != "baseline" || r[0].Trust != "service" || !slices.Equal(r[0].Files, []string{"a", "b"}) || r[0].Wants.Format != "junit" {
		t.Errorf("%+v", r)
	}
}

func TestPattern(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"a*", "a", true}, {"a*", "a::b/c > d", true}, {"*", "", true}, {"*", "x", true}, {"", "", false},
		{"*b", "a.b", true}, {"*b", "b.a", false}, {"a*b*c", "aXbYc", true}, {"a*b*c", "acb", false}, {"ab*ba", "aba", false}, {"**", "x", true},
		{"test[1]", "test[1]", true}, {"A*", "ab", false}, {"a*a*a", "aa", false}, {"a?c", "abc", false},
	} {
		if got := newPattern(tt.pattern).match(tt.text); got != tt.want {
			t.Errorf("%q on %q: %v", tt.pattern, tt.text, got)
		}
	}
	c := tc("tests.test_invoice::test_rounding", passed)
	for _, p := range []string{"tests.test_invoice::test_rounding", "test_rounding", "*rounding", "tests.*"} {
		if !newPattern(p).matches(&c) {
			t.Errorf("%s does not match", p)
		}
	}
	if newPattern("rounding").matches(&c) {
		t.Error("a part of a name matches")
	}
}
