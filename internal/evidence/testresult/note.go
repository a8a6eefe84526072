package testresult

// The codes of notes. Those marked (i) keep a file from concluding pass, those marked (x) make it invalid.
const (
	NoteBadCharacters   = "tests/bad-characters"
	NoteBuildFailed     = "tests/build-failed"
	NoteCached          = "tests/cached"
	NoteCompressed      = "tests/compressed"
	NoteCountsDisagree  = "tests/counts-disagree"
	NoteCountsFewer     = "tests/counts-fewer"
	NoteCut             = "tests/cut"
	NoteDoctype         = "tests/doctype"
	NoteDuplicate       = "tests/duplicate-attribute"
	NoteEmptyFile       = "tests/empty-file"
	NoteEncoding        = "tests/encoding"
	NoteEntity          = "tests/entity"
	NoteForeignLines    = "tests/foreign-lines"
	NoteMalformed       = "tests/malformed"
	NoteMalformedLine   = "tests/malformed-line"
	NoteNameCase        = "tests/name-case"
	NoteNestedCase      = "tests/nested-case"
	NoteNoTerminalEvent = "tests/no-terminal-event"
	NoteNotResults      = "tests/not-results"
	NoteOverLimit       = "tests/over-limit"
	NotePackageFailed   = "tests/package-failed"
	NotePlainFailure    = "tests/plain-failure"
	NotePropertiesCut   = "tests/properties-cut"
	NoteReadError       = "tests/read-error"
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
		{NoteBadCharacters, "characters that XML forbids were replaced in text", Pass},
		{NoteBuildFailed, "a package did not build", Fail},
		{NoteCached, "results were replayed from the test cache", Pass},
		{NoteCompressed, "the file is compressed", Invalid},
		{NoteCountsDisagree, "the counts in attributes claim more tests or failures than there are records, or cannot be read", Incomplete},
		{NoteCountsFewer, "the counts in attributes claim fewer tests or failures than there are records", Pass},
		{NoteCut, "the file ends inside a record", Incomplete},
		{NoteDoctype, "the document type has an internal subset or stands in a wrong place", Invalid},
		{NoteDuplicate, "an element has one attribute twice", Invalid},
		{NoteEmptyFile, "the file has no content", Empty},
		{NoteEncoding, "bytes that the encoding does not allow, an encoding that is not supported, or a declaration that the byte order mark overrides", Pass},
		{NoteEntity, "an entity or character reference that XML does not define", Invalid},
		{NoteForeignLines, "lines that are no events", Pass},
		{NoteMalformed, "the document is not well-formed", Invalid},
		{NoteMalformedLine, "a line that looks like an event and is not a valid one", Incomplete},
		{NoteNameCase, "an element or attribute that decides, with its name in another case: readers disagree about it", Incomplete},
		{NoteNestedCase, "a test case inside a test case", Invalid},
		{NoteNoTerminalEvent, "a package has no event that ends it", Incomplete},
		{NoteNotResults, "the document is not one of test results", Invalid},
		{NoteOverLimit, "a name, an attribute, a line or a number of records is over its limit", Incomplete},
		{NotePackageFailed, "a package failed beyond what its tests record", Fail},
		{NotePlainFailure, "a line outside of the events says that something failed", Fail},
		{NotePropertiesCut, "properties over the limit were not kept", Pass},
		{NoteReadError, "the file could not be read to its end", Incomplete},
		{NoteSuiteError, "an error or a failure outside every test case", Fail},
		{NoteTimeout, "the test binary ran into its time limit", Pass},
		{NoteTooDeep, "elements are nested deeper than the limit", Incomplete},
		{NoteTrailing, "content before or after the root element", Invalid},
		{NoteTwoRoots, "a second root element", Invalid},
		{NoteUnclosed, "the document ends before its root element does", Invalid},
		{NoteUnfinished, "a test started and never ended", Incomplete},
		{NoteUnknownAction, "an event with an action that is not known", Incomplete},
		{NoteUnknownFormat, "no known format", UnknownFormat},
		{NoteUnknownStatus, "a status or result that is no word known here, so that it stands for no pass", Incomplete},
	}
}
