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
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"

	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
	"github.com/outcome-gate/outcome-gate/internal/local"
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
}

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

type testAnswer struct {
	Files []testFile `json:"files"`
	Total testTotal  `json:"total"`
}

func testsCommand(m *outside) *cobra.Command {
	var format string
	var names []string
	for _, f := range testresult.Formats() {
		names = append(names, f.Name)
	}
	c := &cobra.Command{
		Use:   "tests FILE|GLOB...",
		Short: "Count the tests in result files",
		Long: `tests reads test result files and counts their records, each file and in total. Formats are told from content: ` +
			strings.Join(names, ", ") + `.

Exit codes: 0 every file passed, 1 something failed, is incomplete, empty or invalid, 2 usage, 3 could not read.`,
		Example: `  gate tests report.json
  gate tests --format json "reports/**/*.xml"`,
		Args: takes(1, -1, "a file or pattern"),
		RunE: func(c *cobra.Command, args []string) error { return m.tests(c.Context(), args, format) },
	}
	formatFlag(c, &format, "text", "json")
	return c
}

func (m *outside) tests(ctx context.Context, args []string, format string) error {
	done := m.progress("reading test results")
	defer done()
	files, err := m.expand(args)
	if err != nil {
		return err
	}
	out := testAnswer{Files: []testFile{}, Total: testTotal{Conclusion: testresult.Pass}}
	for _, name := range files {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		f, err := m.testFile(name)
		if err != nil {
			return err
		}
		out.add(f)
	}
	done()
	if format == "json" {
		err = m.writeJSON(out)
	} else {
		err = m.showTests(&out)
	}
	if err != nil {
		return err
	}
	if out.Total.Conclusion != testresult.Pass {
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
		slices.Sort(found)
		for _, f := range found {
			if rel, err := filepath.Rel(m.dir, f); err == nil && m.dir != "" {
				f = rel
			}
			out = append(out, f)
		}
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

func (m *outside) testFile(name string) (testFile, error) {
	var res *testresult.Results
	err := local.Stream("test results", m.path(name), func(r io.Reader) error {
		res = testresult.Read(r, "", testresult.Limits{}, nil)
		return nil
	})
	if err != nil {
		return testFile{}, err
	}
	n := res.Counts
	return testFile{
		File: name, Format: res.Format, Tests: n.Tests, Passed: n.Passed, Failed: n.Failed, Errors: n.Errors,
		Skipped: n.Skipped, Flaky: n.Flaky, Conclusion: res.Conclusion, Findings: append([]testresult.Note{}, res.Notes...),
	}, nil
}

// add counts one more file. One that did not pass decides for all; a failure says more than a doubt.
func (a *testAnswer) add(f testFile) {
	a.Files = append(a.Files, f)
	t := &a.Total
	t.Files++
	t.Tests += f.Tests
	t.Passed += f.Passed
	t.Failed += f.Failed
	t.Errors += f.Errors
	t.Skipped += f.Skipped
	t.Flaky += f.Flaky
	if f.Conclusion != testresult.Pass && t.Conclusion != testresult.Fail &&
		(t.Conclusion == testresult.Pass || f.Conclusion == testresult.Fail) {
		t.Conclusion = f.Conclusion
	}
}

func (m *outside) showTests(a *testAnswer) error {
	rows := [][]string{{"FILE", "FORMAT", "TESTS", "PASSED", "FAILED", "ERRORS", "SKIPPED", "FLAKY", "CONCLUSION"}}
	row := func(file, format string, n []int, c testresult.Conclusion) {
		r := []string{file, format}
		for _, x := range n {
			r = append(r, strconv.Itoa(x))
		}
		rows = append(rows, append(r, string(c)))
	}
	for _, f := range a.Files {
		row(f.File, f.Format, []int{f.Tests, f.Passed, f.Failed, f.Errors, f.Skipped, f.Flaky}, f.Conclusion)
	}
	t := a.Total
	row("total", "", []int{t.Tests, t.Passed, t.Failed, t.Errors, t.Skipped, t.Flaky}, t.Conclusion)
	if err := m.table(rows); err != nil {
		return err
	}
	var notes [][]string
	for _, f := range a.Files {
		for _, n := range f.Findings {
			where := f.File
			if n.Line > 0 {
				where += ":" + strconv.Itoa(n.Line)
			}
			notes = append(notes, []string{where, n.Code, n.Detail})
		}
	}
	if len(notes) == 0 {
		return nil
	}
	return m.table(append([][]string{{"FINDING", "CODE", "DETAIL"}}, notes...))
}
