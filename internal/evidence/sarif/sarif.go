// Package sarif reads what static analysis logs in SARIF 2.1.0 say: how many results of each level they hold, which of
// them do not count, and whether the analysis ran to its end at all.
//
// It decides what a result's level is, which may stand with its rule, and whether a log is whole. It trusts nothing of
// what it reads; a log is read once, in bounded memory, and nothing that it refers to is opened. It does not judge how
// many results are too many.
//
// Source: OASIS, Static Analysis Results Interchange Format 2.1.0 plus Errata 01, named by section below.
package sarif

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/outcome-gate/outcome-gate/internal/evidence/packed"
)

// Version is the one version that is read.
const Version = "2.1.0"

// The problems that keep a log from showing that there is nothing to find.
const (
	ProblemInvalid         = "invalid"          // it is no SARIF log, or breaks the form of one
	ProblemIncomplete      = "incomplete"       // it ends in the middle
	ProblemOverLimit       = "over-limit"       // it is larger than what is read
	ProblemOtherVersion    = "other-version"    // it is of another version
	ProblemNoResults       = "no-results"       // it has no run, or a run without a list of results: nothing was looked for
	ProblemElsewhere       = "elsewhere"        // results, or what decides their level, lie in other files
	ProblemExecutionFailed = "execution-failed" // a run says that it failed, or does not say that it succeeded
)

const (
	// maxToken bounds one text or number of a log, in bytes: logs embed whole source files.
	maxToken = 16 << 20
	// maxDepth bounds nesting; property bags of real logs have some ten levels below a result.
	maxDepth = 200
	// maxRules bounds the rules of one run, and the combinations of rule and invocation that its results name.
	maxRules = 200_000
	// maxRef bounds a rule's identifier, in bytes.
	maxRef = 1024
	// maxHeld bounds the names of rules that one run keeps, in bytes.
	maxHeld = 32 << 20
	// maxExamples is how many results of each level are kept for reading.
	maxExamples = 10
	// maxText bounds the texts of an example, in bytes.
	maxText = 200
	// maxMembers bounds the members of one object that is looked into: those of the standard are at most forty.
	maxMembers = 1000
)

// Level is how serious a result is. The zero value is no level.
type Level string

// The levels (3.27.10).
const (
	Error   Level = "error"
	Warning Level = "warning"
	Note    Level = "note"
	None    Level = "none"
)

// Counts counts results, each in one place.
type Counts struct {
	Errors, Warnings, Notes int
	Passing                 int // of level none: what is no problem, such as a rule that was met
	Suppressed              int // of a level that counts, and suppressed
	Unchanged               int // of a level that counts, not suppressed, and in the baseline already
	Absent                  int // in the baseline and gone since
}

// Total is how many results there are.
func (c *Counts) Total() int {
	return c.Errors + c.Warnings + c.Notes + c.Passing + c.Suppressed + c.Unchanged + c.Absent
}

// Log is what one log says. The zero value shows nothing.
type Log struct {
	// Problem is what keeps the log from showing anything, "" if nothing does. With ProblemExecutionFailed,
	// ProblemNoResults and ProblemElsewhere the counts are those of what the log does hold, else they are zero.
	Problem string
	Detail  string // about the problem, for reading
	Runs    int
	// Without counts runs that have no list of results while every one of their invocations says that it succeeded: some
	// tools write so when they found nothing, and the standard says that such a run looked for nothing (3.14.23).
	Without int
	Counts  Counts
	// Baseline counts, of the results under Unchanged, those of each level, for whom they count.
	Baseline Counts
	// Notified counts notifications of the level error: the tool met something that it could not do.
	Notified int
	// Hindered counts those of them that are about the analysis itself and not its configuration: what it found is not all,
	// or not right.
	Hindered int
	Examples []Example // errors first
}

// Example is one result, for reading.
type Example struct {
	Level   Level
	Rule    string
	Message string
	URI     string
	Line    int // from 1; 0: not said
}

// defect is an error with the problem that it makes.
type defect struct{ problem, detail string }

// Error says what is wrong.
func (d *defect) Error() string { return d.problem + ": " + d.detail }

func invalid(format string, args ...any) error {
	return &defect{ProblemInvalid, fmt.Sprintf(format, args...)}
}

// rationed gives so many bytes and no more, so that one token cannot take all memory. Runs of white space between
// tokens it makes one byte: encoding/json looks through all of a run again with every piece that it reads.
type rationed struct {
	r       io.Reader
	left    int
	inText  bool
	escaped bool
	blank   bool // the last byte was white space between tokens
}

// Read gives at most what is left of the ration.
func (r *rationed) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, &defect{ProblemOverLimit, fmt.Sprintf("a text or number has over %d MiB", maxToken>>20)}
	}
	for {
		n, err := r.r.Read(p[:min(len(p), r.left)])
		if n = r.squeeze(p[:n]); n > 0 || err != nil {
			r.left -= n
			return n, err
		}
	}
}

// squeeze takes repeated white space out of p and returns how much is left of it.
func (r *rationed) squeeze(p []byte) int {
	n := 0
	for _, c := range p {
		blank := false
		switch {
		case r.escaped:
			r.escaped = false
		case r.inText:
			r.escaped, r.inText = c == '\\', c != '"'
		default:
			r.inText = c == '"'
			if blank = c == ' ' || c == '\t' || c == '\r' || c == '\n'; blank && r.blank {
				continue
			}
		}
		r.blank = blank
		p[n] = c
		n++
	}
	return n
}

// Read reads one log. It never fails: what is wrong with the log is in what it returns.
func Read(r io.Reader) *Log {
	content, err := packed.Open(r)
	if err != nil {
		return &Log{Problem: ProblemInvalid, Detail: err.Error()}
	}
	d := open(content)
	err = d.log()
	if err == nil {
		_, err = d.dec.Token()
		if errors.Is(err, io.EOF) {
			return d.finish()
		}
		if err == nil {
			err = invalid("more than one document")
		}
	}
	var known *defect
	var wrong packed.Error
	switch {
	case errors.As(err, &known):
	case errors.Is(err, packed.ErrLimit):
		known = &defect{ProblemOverLimit, err.Error()}
	case errors.As(err, &wrong) && wrong != packed.ErrCut:
		known = &defect{ProblemInvalid, err.Error()}
	default:
		known = &defect{ProblemInvalid, clip(err.Error())}
		var syntax *json.SyntaxError
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || !errors.As(err, &syntax) && !errors.Is(err, encoding.ErrInvalidUTF8) {
			known = &defect{ProblemIncomplete, "it ends in the middle"}
		}
	}
	return &Log{Problem: known.problem, Detail: known.detail}
}

// open decodes the text: UTF-8, or UTF-16 as its byte order mark or its first character shows (RFC 8259 asks for the
// first, and tools of .NET write the second).
func open(r io.Reader) *reader {
	in := bufio.NewReader(r)
	head, _ := in.Peek(2)
	plain := encoding.UTF8Validator
	switch string(head) {
	case "{\x00":
		plain = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()
	case "\x00{":
		plain = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()
	}
	src := &rationed{r: transform.NewReader(in, unicode.BOMOverride(plain))}
	d := &reader{in: src, dec: json.NewDecoder(src), out: &Log{}}
	d.dec.UseNumber()
	return d
}

// finish settles what the whole log comes to.
func (d *reader) finish() *Log {
	o := d.out
	switch {
	case !d.versioned:
		return &Log{Problem: ProblemInvalid, Detail: "it has no version"}
	case o.Runs == 0:
		d.trouble(ProblemNoResults, "it holds no run")
	}
	o.Problem, o.Detail = d.problem.problem, d.problem.detail
	order := []Level{Error, Warning, Note}
	slices.SortStableFunc(o.Examples, func(a, b Example) int { return slices.Index(order, a.Level) - slices.Index(order, b.Level) })
	return o
}

// trouble notes what keeps the log from showing anything; that a run failed says more than that it has no results.
func (d *reader) trouble(problem, detail string) {
	if d.problem.problem == "" || problem == ProblemExecutionFailed && d.problem.problem != ProblemExecutionFailed {
		d.problem = defect{problem, detail}
	}
}

// threePart finds version numbers in the address of a schema.
const threePart = `[0-9]+\.[0-9]+\.[0-9]+`

// otherSchema reports whether a schema's address names versions, and none that is read.
func otherSchema(address string) bool {
	if len(address) > maxRef {
		return false
	}
	found := regexp.MustCompile(threePart).FindAllString(address, -1)
	return len(found) > 0 && !slices.Contains(found, Version)
}

// clip bounds a text for reading.
func clip(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if len(s) <= maxText {
		return s
	}
	cut := maxText
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
