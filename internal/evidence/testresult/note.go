package testresult

// The codes of notes. Those marked (i) keep a file from concluding pass, those marked (x) make it invalid.
const (
	NoteBadCharacters   = "tests/bad-characters"
	NoteBailOut         = "tests/bail-out"
	NoteBuildFailed     = "tests/build-failed"
	NoteCached          = "tests/cached"
	NoteCompressed      = "tests/compressed"
	NoteCountsDisagree  = "tests/counts-disagree"
	NoteCountsFewer     = "tests/counts-fewer"
	NoteCut             = "tests/cut"
	NoteDeclaredFailure = "tests/declared-failure"
	NoteDirective       = "tests/directive"
	NoteDoctype         = "tests/doctype"
	NoteDuplicate       = "tests/duplicate-attribute"
	NoteEmptyFile       = "tests/empty-file"
	NoteEncoding        = "tests/encoding"
	NoteEntity          = "tests/entity"
	NoteForeignLines    = "tests/foreign-lines"
	NoteGzipBroken      = "tests/gzip-broken"
	NoteInterrupted     = "tests/interrupted"
	NoteMalformed       = "tests/malformed"
	NoteMalformedLine   = "tests/malformed-line"
	NoteMissingMember   = "tests/missing-member"
	NoteNameCase        = "tests/name-case"
	NoteNestedCase      = "tests/nested-case"
	NoteNoSummary       = "tests/no-summary"
	NoteNoTerminalEvent = "tests/no-terminal-event"
	NoteNotResults      = "tests/not-results"
	NoteNumbers         = "tests/numbers"
	NoteOpenHandles     = "tests/open-handles"
	NoteOtherDocument   = "tests/other-document"
	NoteOverLimit       = "tests/over-limit"
	NotePackageFailed   = "tests/package-failed"
	NotePlainFailure    = "tests/plain-failure"
	NotePlanMissing     = "tests/plan-missing"
	NotePlanNotMet      = "tests/plan-not-met"
	NotePlanTwice       = "tests/plan-twice"
	NotePropertiesCut   = "tests/properties-cut"
	NoteReadError       = "tests/read-error"
	NoteRepeated        = "tests/repeated-record"
	NoteSkippedAll      = "tests/skipped-all"
	NoteStrict          = "tests/strict"
	NoteSubtest         = "tests/subtest"
	NoteSuiteError      = "tests/suite-error"
	NoteTimeout         = "tests/timeout"
	NoteTooDeep         = "tests/too-deep"
	NoteTrailing        = "tests/trailing-content"
	NoteTwoRoots        = "tests/two-roots"
	NoteUnclosed        = "tests/unclosed"
	NoteUnfinished      = "tests/unfinished"
	NoteUnknownAction   = "tests/unknown-action"
	NoteUnknownFormat   = "tests/unknown-format"
	NoteUnknownStatus   = "tests/unknown-status"
)

// NoteCode is one code of a note, with what it means and the conclusion that it forces at best.
type NoteCode struct {
	Code    string
	Meaning string
	// AtBest is the best conclusion of a file with this note: Pass, Fail, Incomplete, Empty or Invalid.
	AtBest Conclusion
}

// NoteCodes lists every code that a note can carry, in order of code.
func NoteCodes() []NoteCode {
	return []NoteCode{
		{NoteBadCharacters, "characters that text may not hold were replaced", Pass},
		{NoteBailOut, "the run gave up", Fail},
		{NoteBuildFailed, "a package did not build", Fail},
		{NoteCached, "results were replayed from the test cache", Pass},
		{NoteCompressed, "the file is an archive, or compressed otherwise than once by gzip", Invalid},
		{NoteCountsDisagree, "the declared counts claim more tests or failures than there are records, or cannot be read", Incomplete},
		{NoteCountsFewer, "the declared counts claim fewer tests or failures than there are records", Pass},
		{NoteCut, "the file ends inside a record", Incomplete},
		{NoteDeclaredFailure, "the document says that tests or the run failed, and no record shows it", Fail},
		{NoteDirective, "a test point that is not ok, with something that only some readers take for a directive", Incomplete},
		{NoteDoctype, "the document type has an internal subset or stands in a wrong place", Invalid},
		{NoteDuplicate, "an element has one attribute twice, or an object one member", Invalid},
		{NoteEmptyFile, "the file has no content", Empty},
		{NoteEncoding, "bytes that the encoding does not allow, an encoding that is not supported, or a declaration that the byte order mark overrides", Pass},
		{NoteEntity, "an entity or character reference that XML does not define", Invalid},
		{NoteForeignLines, "lines that are not of the format", Pass},
		{NoteGzipBroken, "the gzip data is cut or damaged", Incomplete},
		{NoteInterrupted, "the run was interrupted", Incomplete},
		{NoteMalformed, "the document is not well-formed", Invalid},
		{NoteMalformedLine, "a line that looks like an event and is not a valid one", Incomplete},
		{NoteMissingMember, "a member that the format requires is absent or of a wrong type", Incomplete},
		{NoteNameCase, "an element, attribute or member that decides, with its name in another case: readers disagree about it", Incomplete},
		{NoteNestedCase, "a test case inside a test case", Invalid},
		{NoteNoSummary, "the document has no summary, which its writer adds at the end of the run", Incomplete},
		{NoteNoTerminalEvent, "a package or a suite has no event that ends it, or none that begins it", Incomplete},
		{NoteNotResults, "the document is not one of test results", Invalid},
		{NoteNumbers, "numbers of test points that repeat or are outside of the plan", Incomplete},
		{NoteOpenHandles, "something still ran when the tests had ended", Pass},
		{NoteOtherDocument, "results of another format stand between the lines", Incomplete},
		{NoteOverLimit, "a name, an attribute, a line or a number of records is over its limit", Incomplete},
		{NotePackageFailed, "a package or a suite failed beyond what its tests record", Fail},
		{NotePlainFailure, "a line outside of the events says that something failed", Fail},
		{NotePlanMissing, "there is no plan, which would say how many tests were to run", Incomplete},
		{NotePlanNotMet, "more or fewer test points than planned", Incomplete},
		{NotePlanTwice, "a second plan, or a plan between test points: two streams in one, or a broken one", Incomplete},
		{NotePropertiesCut, "properties over the limit were not kept", Pass},
		{NoteReadError, "the file could not be read to its end", Incomplete},
		{NoteRepeated, "a test that begins twice, or ends twice or without having begun", Incomplete},
		{NoteSkippedAll, "the plan says that nothing was to run", Empty},
		{NoteStrict, "a line that is no TAP, where the stream says that there is none", Incomplete},
		{NoteSubtest, "a subtest that failed or is not whole, below a test point that does not say so", Incomplete},
		{NoteSuiteError, "an error or a failure outside every test case", Fail},
		{NoteTimeout, "the test binary ran into its time limit", Pass},
		{NoteTooDeep, "elements or values are nested deeper than the limit", Incomplete},
		{NoteTrailing, "content before or after the document", Invalid},
		{NoteTwoRoots, "a second root element", Invalid},
		{NoteUnclosed, "the document ends before its outermost element or value does", Invalid},
		{NoteUnfinished, "a test started and never ended", Incomplete},
		{NoteUnknownAction, "an event with an action that is not known", Incomplete},
		{NoteUnknownFormat, "no known format", UnknownFormat},
		{NoteUnknownStatus, "a status or result that is no word known here, so that it stands for no pass", Incomplete},
	}
}
