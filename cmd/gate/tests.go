package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
	"github.com/outcome-gate/outcome-gate/internal/local"
	"github.com/outcome-gate/outcome-gate/internal/render"
)

// maxTestFiles bounds what the patterns of one call may match.
const maxTestFiles = 100_000

// testFile is the answer about one result file.
type testFile struct {
	File       string                `json:"file"`
	Format     string                `json:"format"`
	Tests      int                   `json:"tests"`
	Passed     int                   `json:"passed"`
	Failed     int                   `json:"failed"`
	Errors     int                   `json:"errors"`
	Skipped    int                   `json:"skipped"`
	Flaky      int                   `json:"flaky"`
	Conclusion testresult.Conclusion `json:"conclusion"`
	Findings   []testresult.Note     `json:"findings"`
	cached     bool
	set        *evidence.TestSet // nil unless the records are needed
	unread     error             // why it could not be read
}

// stdinName is the argument that means standard input.
const stdinName = "-"

// testTotal is the sum over all files.
type testTotal struct {
	Files      int                   `json:"files"`
	Tests      int                   `json:"tests"`
	Passed     int                   `json:"passed"`
	Failed     int                   `json:"failed"`
	Errors     int                   `json:"errors"`
	Skipped    int                   `json:"skipped"`
	Flaky      int                   `json:"flaky"`
	Conclusion testresult.Conclusion `json:"conclusion"`
}

func testsCommand(m *outside) *cobra.Command {
	var format string
	var baseline []string
	var names []string
	for _, f := range testresult.Formats() {
		names = append(names, f.Name)
	}
	c := &cobra.Command{
		Use:   "tests FILE|GLOB|-...",
		Short: "Count the tests in result files",
		Long: `tests reads test result files and counts their records, each file and in total. Formats are told from content: ` +
			strings.Join(names, ", ") + `.

The file - is standard input. Results that were replayed from the test cache are marked: gate check refuses them as
stale unless the contract allows them.

With --baseline it also names the tests that were lost (they ran there and do not run now), new, fixed and broken.

Exit codes: 0 every file passed, 1 something failed, was lost, is incomplete, empty or invalid, 2 usage, 3 could not
read.`,
		Example: `  gate tests reports/unit.json
  go test -count=1 -json ./... | gate tests -
  gate tests --format json "reports/**/*.xml"
  gate tests --baseline before.json after.json`,
		Args: takes(1, -1, "a file or pattern"),
		RunE: func(c *cobra.Command, args []string) error { return m.tests(c.Context(), args, baseline, format) },
	}
	c.Flags().StringSliceVar(&baseline, "baseline", nil, "compare with the results of an earlier run in `FILE|GLOB,...`")
	formatFlag(c, &format, "text", "json")
	return c
}

func (m *outside) tests(ctx context.Context, args, baseline []string, format string) error {
	var before *testReading
	var err error
	if len(baseline) > 0 {
		if before, err = m.readBaseline(ctx, baseline); err != nil {
			return err
		}
	}
	show := &testTable{m: m}
	sink := testSink{file: show.file, end: show.end}
	if format == "json" {
		stream := &testStream{m: m}
		sink = testSink{file: stream.file, end: stream.end}
	}
	done := m.progress("reading test results")
	defer done()
	now, err := m.readTests(ctx, args, before != nil, func(f *testFile) error { return sink.file(f) })
	if err != nil {
		return err
	}
	done()
	difference := before.compare(now)
	if err := sink.end(&now.total, difference); err != nil {
		return err
	}
	switch {
	case now.unread != nil:
		return now.unread
	case now.total.Conclusion != testresult.Pass || difference.worse():
		return answer(exitFound)
	}
	return nil
}

// expand turns arguments into files in order: a name that exists is itself, anything else is a pattern.
func (m *outside) expand(args []string) ([]string, error) {
	var out []string
	for _, arg := range args {
		_, err := os.Lstat(m.path(arg))
		switch {
		case arg == stdinName:
			out = append(out, arg)
			continue
		case err == nil:
			out = append(out, arg)
			continue
		case !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(arg, "*?[{"):
			return nil, fmt.Errorf("read test results: %w", missing(arg, err))
		}
		found, err := doublestar.FilepathGlob(m.path(arg), doublestar.WithFilesOnly(), doublestar.WithNoFollow())
		switch {
		case err != nil:
			return nil, usageError("", "the pattern %q is malformed: %v", arg, err)
		case len(found) == 0:
			return nil, fmt.Errorf("read test results: nothing matches %s", arg)
		case len(out)+len(found) > maxTestFiles:
			return nil, fmt.Errorf("read test results: over %d files match", maxTestFiles)
		}
		for i, f := range found {
			if rel, err := filepath.Rel(m.dir, f); err == nil && m.dir != "" {
				found[i] = rel
			}
		}
		if len(out) == 0 {
			out = found // as nearly always, and long
			continue
		}
		out = append(out, found...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func missing(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// testFile reads one file. One that cannot be read allows no conclusion; that others were read is not lost by it.
func (m *outside) testFile(name string, records bool) (f testFile) {
	f = testFile{File: name, Conclusion: testresult.Incomplete}
	var res *testresult.Results
	read := func(r io.Reader) error {
		if records {
			f.set = evidence.ReadTests(r, "", evidence.Keep{Names: true})
			res = f.set.Results
			return nil
		}
		res = testresult.Read(r, "", testresult.Limits{NoProperties: true}, nil)
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			f.unread = fmt.Errorf("read test results: %s: internal error: %v", name, p)
		}
		if f.unread != nil {
			f.set, f.Findings = nil, []testresult.Note{{Code: testresult.NoteReadError, Detail: render.Line(f.unread.Error())}}
		}
	}()
	if name == stdinName {
		f.unread = read(m.stdin)
	} else {
		f.unread = local.Stream("test results", m.path(name), read)
	}
	if f.unread != nil {
		return f
	}
	n := res.Counts
	f.Format, f.Conclusion, f.Findings, f.cached = res.Format, res.Conclusion, findings(res), res.CachedN > 0
	f.Tests, f.Passed, f.Failed, f.Errors, f.Skipped, f.Flaky = n.Tests, n.Passed, n.Failed, n.Errors, n.Skipped, n.Flaky
	return f
}

// findings are the notes of a file, each with words for it. A file that allows no conclusion has at least one.
func findings(res *testresult.Results) []testresult.Note {
	out := append([]testresult.Note{}, res.Notes...)
	if len(out) == 0 && res.Conclusion != testresult.Pass && res.Conclusion != testresult.Fail {
		out = append(out, testresult.Note{Code: "tests/" + string(res.Conclusion)})
	}
	for i := range out {
		switch n := &out[i]; {
		case n.Detail == "":
			n.Detail = meaning(n.Code)
		case n.Detail == testresult.LooksGoText, n.Detail == testresult.LooksNestedTAP:
			n.Detail += "; " + meaning(n.Code)
		}
	}
	return out
}

// meaning is what the code of a note, or else of a finding, means.
func meaning(code string) string {
	if code == testresult.NoteUnknownFormat {
		var names []string
		for _, f := range testresult.Formats() {
			names = append(names, f.Name+" ("+f.Doc+")")
		}
		return "it is in none of the known formats: " + strings.Join(names, ", ")
	}
	for _, c := range testresult.NoteCodes() {
		if c.Code == code {
			return c.Meaning
		}
	}
	for _, c := range evidence.Codes() {
		if c.Code == code {
			return c.Meaning
		}
	}
	return "it allows no conclusion"
}

// formatAdvice is what to do about a file in no known format, by its look.
func (f *testFile) formatAdvice() string {
	for _, n := range f.Findings {
		look, _, _ := strings.Cut(n.Detail, ";")
		switch look {
		case testresult.LooksGoText:
			return "write a result file with go test -count=1 -json"
		case testresult.LooksNestedTAP:
			return "write the test points of the top level too, from the first column on, with their plan"
		}
	}
	return "let the test runner write a report in one of these formats"
}

// advice is what to do about a file, "" if there is nothing.
func (f *testFile) advice() string {
	switch {
	case f.Conclusion == testresult.UnknownFormat:
		return f.formatAdvice()
	case f.Conclusion == testresult.Incomplete:
		return "run the tests to their end, and write the whole file"
	case f.Conclusion == testresult.Invalid:
		return "write the file anew; nothing in it counts"
	case f.Conclusion == testresult.Empty:
		return "let the run execute tests"
	case f.cached:
		return "gate check refuses results from the test cache as stale: run go test with -count=1"
	}
	return ""
}
