package evidence

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

// Facts come back from receipts, which others may have written. Members that one observation makes together must agree:
// facts that contradict themselves are of no observation, and prove nothing.

// agreement collects what facts say against themselves; the first thing counts.
type agreement struct{ against string }

// hold notes why, unless ok.
func (a *agreement) hold(ok bool, why string) {
	if !ok && a.against == "" {
		a.against = why
	}
}

// counts holds that no count is negative.
func (a *agreement) counts(list ...int) {
	for _, n := range list {
		a.hold(n >= 0, "a count is negative")
	}
}

// listed holds a list to the count of what it lists and to its bound; cut says that lists had no room.
func (a *agreement) listed(n, entries, limit int, cut bool) {
	want := min(n, limit)
	a.hold(entries == want || cut && entries < want, "a list and its count disagree")
}

// some holds that a list of some length has entries exactly where its count says so.
func (a *agreement) some(n, entries int, cut bool) {
	a.hold((n > 0) == (entries > 0) || cut && entries == 0, "a list and its count disagree")
}

// within holds that n, the worst of several files, is no more than the greatest sum of them and no less than the mean
// of the least one: a record in no bucket counts among one class or another.
func (a *agreement) within(n, least, most, files int) {
	a.hold(n <= most && int64(n)*int64(files) >= int64(least), "tests and records disagree")
}

// unusable says why facts cannot be those of an observation with these parameters, "" if they can.
func (f *testsFacts) unusable(p *testsParams) string {
	var a agreement
	r := &f.Records
	a.counts(f.Files, f.Executed, f.Failed, f.Skipped, f.Flaky, f.RunFailed, f.Troubles, f.Cached,
		r.Tests, r.Passed, r.Failed, r.Errors, r.Skipped, r.Flaky, r.Todo, r.Other, r.Stray)
	a.hold(r.Tests == r.Passed+r.Failed+r.Errors-r.Stray+r.Skipped+r.Other && r.Stray <= r.Errors && r.Flaky <= r.Passed && r.Todo <= r.Skipped+r.Other, "the records do not add up")
	ran := r.Passed + r.Failed + r.Errors - r.Stray + r.Other
	a.hold(f.Executed <= ran, "more tests than records")
	a.hold((r.Tests > 0) == (f.Digest != ""), "a set of tests without records, or the reverse")
	if f.Troubles == 0 { // else records over the limit may be counted that no test stands for
		failing := r.Failed + r.Errors - r.Stray
		a.within(f.Failed, failing, failing+r.Other, f.Files)
		a.within(f.Skipped, r.Skipped, r.Skipped+r.Other, f.Files)
		a.within(f.Flaky, r.Flaky, r.Flaky, f.Files)
		a.hold(f.Executed > 0 || r.Passed+r.Failed == 0, "records without tests")
	}
	a.files(f.Files, f.Troubles, f.TroubleFiles, f.RunFailed, f.RunFailures, f.ListsCut)
	a.listed(f.Cached, len(f.CachedPackages), maxFactNotes, f.ListsCut)
	for _, n := range f.Notes {
		mismatch := n.Code == testresult.NoteCountsDisagree && p.AllowCountMismatch
		a.hold(!hides(n.Code) || mismatch || f.Troubles > 0, "a note of trouble without a trouble")
		a.hold(atBest(n.Code) != testresult.Fail || f.RunFailed+f.Troubles+f.Failed > 0, "a note of a failed run without one")
		a.hold(n.Code != testresult.NoteCached || f.Cached+f.Troubles > 0, "a note of cached results without any")
	}
	a.formats(f.Formats, p.Format, f.Files, f.Records.Tests > 0 && !f.ListsCut)
	a.digest(f.Digest)
	f.agreeWithMustPass(&a, p)
	f.agreeWithBase(&a, p)
	return a.against
}

// formats holds the list of formats to those that are known, each once, of no more files than there are.
func (a *agreement) formats(list []string, only string, files int, some bool) {
	known := TestFormats()
	for i, name := range list {
		a.hold(slices.Contains(known, name) && !slices.Contains(list[:i], name), "a format that is not known, or twice")
		a.hold(only == "" || name == only, "another format than the one that was asked for")
	}
	a.hold(len(list) <= files && (!some || len(list) > 0), "formats and files disagree")
}

// digest holds the digest of a set of tests to its form; "" is that of no tests.
func (a *agreement) digest(d string) {
	a.hold(d == "" || len(d) == 2*sha256.Size && strings.Trim(d, "0123456789abcdef") == "", "a digest that is none")
}

// trouble holds the reason why results may not stand for the base to its code; files is how many there are.
func (a *agreement) trouble(t trouble, files int) {
	a.hold(t.Code != "" || t == trouble{}, "a trouble without a code")
	a.hold(files > 0 || t.Code == CodeTestsBaseAbsent, "a base without a file")
	switch t.Code {
	case CodeTestsBaseAbsent:
		a.hold(t.File == "" && t.Line == 0 && files == 0, "a file of a base that is absent")
	case CodeTestsBaseNotTrusted, CodeTestsBaseBroken:
		a.hold(t.File != "", "a base in trouble without its file")
	}
}

func (f *testsFacts) agreeWithMustPass(a *agreement, p *testsParams) {
	if len(f.MustPass) != len(p.MustPass) {
		a.hold(false, "must_pass was not observed")
		return
	}
	for i, m := range f.MustPass {
		a.hold(m.Pattern == clip(p.MustPass[i], maxPatternBytes), "another must_pass was observed")
		a.counts(m.Matched, m.NotPassing)
		a.hold(m.NotPassing <= m.Matched && m.Matched <= f.Records.Tests, "must_pass matched more tests than there are")
		a.some(m.Matched, len(m.Tests)+len(m.NotPassingTests), f.ListsCut)
		a.some(m.NotPassing, len(m.NotPassingTests), f.ListsCut)
		a.hold(m.Matched == 0 || m.Near == "", "must_pass matched and did not")
	}
}

func (f *testsFacts) agreeWithBase(a *agreement, p *testsParams) {
	failed := f.Failed
	if b := f.Base; b != nil {
		a.hold(p.Baseline != nil && p.comparing(), "a base that nobody asked for")
		a.counts(b.Files, b.Executed, b.Failed, b.NewFailed)
		b.Kept.agree(a, f.ListsCut)
		a.trouble(b.Trouble, b.Files)
		a.digest(b.Digest)
		if b.Trouble.Code == "" {
			a.hold(b.Files > 0 && b.Executed > 0 && b.Digest != "", "a base without tests")
			a.hold(b.NewFailed <= f.Failed && b.NewFailed >= f.Failed-b.Failed, "new failures and failures disagree")
			if p.NewFailuresOnly {
				failed = b.NewFailed
			}
		} else {
			a.hold(b.Executed+b.Failed+b.NewFailed == 0 && b.Digest == "", "a base in trouble with tests")
		}
		gone := b.Kept.Lost + b.Kept.NewlySkipped + b.Kept.Ignored
		a.hold(gone == 0 || p.KeepTests, "lost tests that nobody asked for")
		a.hold(gone <= b.Executed, "more lost tests than tests")
		a.hold(b.Kept.Ignored == 0 || len(p.Ignore) > 0, "lost tests that nobody let go")
		a.hold(!p.KeepTests || b.Executed-gone <= f.Executed+f.Failed, "tests of the base are neither there nor lost")
		a.hold(b.Digest == "" || b.Digest != f.Digest || b.Kept.Lost == 0, "the same tests, and lost ones")
	}
	if f.Troubles == 0 {
		a.some(failed, len(f.Failing), f.ListsCut)
	}
}

// files holds the lists of files to their counts.
func (a *agreement) files(files, troubles int, of []trouble, broken int, why []trouble, cut bool) {
	a.hold(troubles <= files && broken <= files, "more troubles than files")
	a.listed(troubles, len(of), maxTroubles, cut)
	a.listed(broken, len(why), maxTroubles, cut)
}

func (f *keptFact) agree(a *agreement, cut bool) {
	a.counts(f.Lost, f.NewlySkipped, f.Ignored)
	a.listed(f.Lost, len(f.LostTests), maxLost, cut)
	a.listed(f.NewlySkipped, len(f.SkippedTests), maxLost, cut)
	a.hold(len(f.Renames) <= f.Lost, "more renamed tests than lost ones")
}

// unusable says why facts cannot be those of an observation with these parameters, "" if they can.
func (f *failToPassFacts) unusable(p *failToPassParams) string {
	var a agreement
	a.counts(f.Files, f.Executed, f.RunFailed, f.Troubles, f.BeforeFiles, f.BeforeFailed, f.Shown, f.Inconclusive, f.Regressed)
	a.files(f.Files, f.Troubles, f.TroubleFiles, f.RunFailed, f.RunFailures, f.ListsCut)
	a.hold(f.Executed == 0 || f.Digest != "", "tests without a set of tests")
	a.hold(f.Shown+f.Inconclusive <= f.Executed, "more tests than ran")
	a.hold(p.CountErrors || f.Shown <= f.BeforeFailed, "more tests than failed before")
	a.hold(f.Before.Code != "" || f.BeforeFiles > 0, "results from before without a file")
	a.listed(f.Shown, len(f.ShownTests), maxLost, f.ListsCut)
	a.listed(f.Inconclusive, len(f.InconclusiveTests), maxMatched, f.ListsCut)
	a.listed(f.Regressed, len(f.RegressedTests), maxLost, f.ListsCut)
	f.Kept.agree(&a, f.ListsCut)
	if len(f.Named) != len(p.Tests) {
		a.hold(false, "tests were not observed")
		return a.against
	}
	shown, inconclusive := 0, 0
	for i, n := range f.Named {
		a.hold(n.Pattern == clip(p.Tests[i], maxPatternBytes), "other tests were observed")
		a.counts(n.Matched, n.NotPassing, n.Shown, n.Inconclusive, n.PassedBefore)
		a.hold(n.NotPassing+n.Shown+n.Inconclusive+n.PassedBefore <= n.Matched, "more tests than matched")
		a.hold(n.Shown <= f.Shown && n.Inconclusive <= f.Inconclusive, "more tests than in all")
		a.listed(n.NotPassing, len(n.Tests), maxMatched, f.ListsCut)
		a.hold(n.Matched == 0 || n.Near == "", "a pattern matched and did not")
		shown, inconclusive = shown+n.Shown, inconclusive+n.Inconclusive
	}
	a.hold(len(f.Named) == 0 || f.Shown <= shown && f.Inconclusive <= inconclusive, "tests that nobody named")
	return a.against
}

// unusable says why facts cannot be those of an observation with these parameters, "" if they can.
func (f *exitCodeFacts) unusable(p *exitCodeParams) string {
	var a agreement
	a.counts(f.Files, f.ArtifactFiles, f.Same)
	a.hold(f.Files == 1 || f.Status == nil && f.Problem == "", "a status without one file")
	a.hold(f.Files != 1 || (f.Status == nil) == (f.Problem != ""), "a status and a problem, or neither")
	if f.Record {
		a.hold(f.Status != nil && f.StartedAt != "" && f.FinishedAt != "", "a record without its members")
	} else {
		a.hold(!f.TimedOut && !f.Pytest && !f.Contains && f.Command+f.Commit+f.CommitIs+f.StartedAt+f.FinishedAt == "" &&
			f.ArtifactFiles+f.Same+len(f.Differ) == 0, "what only a record says, without a record")
	}
	a.hold((f.Commit == "") == (f.CommitIs == ""), "a commit without its place, or the reverse")
	a.hold(!f.Contains || p.CommandContains != "" && (strings.HasSuffix(f.Command, "…") ||
		strings.Contains(f.Command, clip(p.CommandContains, maxNameBytes))), "a command that does not contain what it is said to")
	a.hold(p.SameArtifact || f.ArtifactFiles == 0, "files that nobody asked for")
	a.hold(f.Same <= f.ArtifactFiles, "more of the same files than files")
	a.listed(f.ArtifactFiles-f.Same, len(f.Differ), maxExitArtifacts, false)
	return a.against
}

// unusable says why facts cannot be those of an observation, "" if they can.
func (f *commandFacts) unusable() string {
	var a agreement
	a.hold(f.Here || !f.Ran && !f.TimedOut && f.ExitCode == 0 && f.Reason+f.Output == "", "a command that ran and did not")
	a.hold(!f.Here || f.Ran == (f.Reason == ""), "a command that ran, with a reason why it did not, or the reverse")
	return a.against
}

// unusable says why facts cannot be those of an observation with these parameters, "" if they can.
func (f *checkFacts) unusable(p *checkParams) string {
	var a agreement
	a.counts(f.OtherCommit, f.More)
	looked := f.Given && f.HeadKnown && !f.Own
	a.hold(looked || len(f.Newest)+len(f.OtherApps)+f.OtherCommit+f.More == 0, "checks that nobody looked for")
	a.hold(f.More == 0 || len(f.Newest) == maxCheckFacts, "more checks than are listed, and room")
	for _, r := range f.Newest {
		a.hold(p.App == "" || r.App == p.App, "the recorded check is by another app")
	}
	return a.against
}

// unusable says why facts cannot be those of an observation, "" if they can.
func (f *stepFacts) unusable() string {
	var a agreement
	a.hold(f.Given || !f.Present, "a step that nobody told of")
	a.hold(f.Present || f.Outcome+f.Conclusion == "", "an outcome without a step")
	a.hold(!f.Present || f.Near == "", "a step that is there and is not")
	return a.against
}

// unusable says why facts cannot be those of an observation, "" if they can.
func (f *jobFacts) unusable() string {
	var a agreement
	a.hold(f.Given && !f.Own || !f.Present, "a job that nobody told of")
	a.hold(f.Present || f.Result+f.Source == "", "a result without a job")
	a.hold(!f.Present || f.Near == "", "a job that is there and is not")
	return a.against
}

// unusable says why facts cannot be those of an observation with these parameters, "" if they can.
func (f *jsonSchemaFacts) unusable(p *jsonSchemaParams) string {
	var a agreement
	n, s := f.Problems, &f.Schema
	a.counts(f.Files, f.Valid, n.Empty, n.Unreadable, n.OverLimit, n.NotParsable, n.Invalid, n.NoAnswer)
	a.hold(f.Valid+n.bad() == f.Files, "the files do not add up")
	a.hold(len(f.Rejected) <= n.bad() && (n.bad() == 0 || len(f.Rejected) > 0), "a list and its count disagree")
	a.hold(s.Usable == (s.Reason == "") && (s.Read || !s.Usable), "a schema that is usable and is not")
	a.hold(s.Usable || f.Valid+n.Invalid == 0, "an answer of a schema that gives none")
	a.hold(!s.Version || slices.ContainsFunc(s.Declares, func(d string) bool {
		return d == p.Version || holdsVersion(d, p.Version) || strings.HasSuffix(d, "…")
	}), "a version that the schema does not declare")
	return a.against
}

// unusable says why facts cannot be those of an observation, "" if they can.
func (f *contentFacts) unusable() string {
	var a agreement
	a.counts(f.Files)
	a.hold(len(f.Found) == min(f.Files, maxContentFiles), "a list and its count disagree")
	for _, c := range f.Found {
		a.hold(c.Problem == "" || !c.Matches && c.Value == "", "a value in a file with a problem")
	}
	return a.against
}
