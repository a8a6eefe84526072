package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
	"github.com/outcome-gate/outcome-gate/internal/render"
)

// testSink shows the files one after another, and then the whole. None keeps every file: there may be 100,000.
type testSink struct {
	file func(*testFile) error
	end  func(*testTotal, *testBaseline) error
}

// testStream is the answer as JSON: {"files": [...], "total": {...}, "baseline": {...}}, the last only with a baseline.
type testStream struct {
	m       *outside
	some    bool
	buf     bytes.Buffer  // not written yet
	encoder *json.Encoder // into buf
}

// streamBytes is from how many bytes on an answer is written before its end.
const streamBytes = 32 << 10

// member writes text and then one value, indented to its place.
func (s *testStream) member(text, indent string, v any) error {
	s.buf.WriteString(text)
	if s.encoder == nil {
		s.encoder = json.NewEncoder(&s.buf)
		s.encoder.SetEscapeHTML(false)
	}
	s.encoder.SetIndent(indent, "  ")
	if err := s.encoder.Encode(v); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	s.buf.Truncate(s.buf.Len() - 1) // the line end
	if s.buf.Len() < streamBytes {
		return nil
	}
	return s.flush()
}

func (s *testStream) flush() error {
	err := s.m.write(s.buf.Bytes())
	s.buf.Reset()
	return err
}

func (s *testStream) file(f *testFile) error {
	text := ",\n    "
	if !s.some {
		s.some, text = true, "{\n  \"files\": [\n    "
	}
	return s.member(text, "    ", f)
}

func (s *testStream) end(t *testTotal, b *testBaseline) error {
	text := "\n  ],\n  \"total\": "
	if !s.some {
		text = "{\n  \"files\": [],\n  \"total\": "
	}
	err := s.member(text, "  ", t)
	if err == nil && b != nil {
		err = s.member(",\n  \"baseline\": ", "  ", b)
	}
	if err != nil {
		return err
	}
	s.buf.WriteString("\n}\n")
	return s.flush()
}

// The bounds of what a person is shown; JSON has all of it.
const (
	shownFiles    = 1000 // files that passed, and findings
	shownCompared = 20   // tests of each list
)

// testTable is the answer as tables for people.
type testTable struct {
	m             *outside
	rows, notes   [][]string
	unshown, cuts int // files that passed and findings that have no row
	hints         []string
}

func (a *testTable) file(f *testFile) error {
	if len(a.rows) >= shownFiles && f.Conclusion == testresult.Pass {
		a.unshown++
	} else {
		conclusion := string(f.Conclusion)
		if f.cached {
			conclusion += ", from the cache"
		}
		a.rows = append(a.rows, testRow(f.File, f.Format, []int{f.Tests, f.Passed, f.Failed, f.Errors, f.Skipped, f.Flaky}, conclusion))
	}
	for _, n := range f.Findings {
		if len(a.notes) >= shownFiles {
			a.cuts++
			continue
		}
		where := f.File
		if n.Line > 0 {
			where += ":" + strconv.Itoa(n.Line)
		}
		a.notes = append(a.notes, []string{where, n.Code, n.Detail})
	}
	if s := f.advice(); s != "" && len(a.hints) < shownFiles {
		a.hints = append(a.hints, render.Line(f.File)+": "+s)
	}
	return nil
}

func testRow(file, format string, n []int, conclusion string) []string {
	r := []string{file, format}
	for _, x := range n {
		r = append(r, strconv.Itoa(x))
	}
	return append(r, conclusion)
}

func (a *testTable) end(t *testTotal, b *testBaseline) error {
	rows := append([][]string{{"FILE", "FORMAT", "TESTS", "PASSED", "FAILED", "ERRORS", "SKIPPED", "FLAKY", "CONCLUSION"}}, a.rows...)
	if a.unshown > 0 {
		rows = append(rows, testRow(fmt.Sprintf("and %d more that passed", a.unshown), "", nil, ""))
	}
	rows = append(rows, testRow("total", "", []int{t.Tests, t.Passed, t.Failed, t.Errors, t.Skipped, t.Flaky}, string(t.Conclusion)))
	if err := a.m.table(rows); err != nil {
		return err
	}
	if err := a.baseline(b); err != nil {
		return err
	}
	if len(a.notes) > 0 {
		notes := append([][]string{{"FINDING", "CODE", "DETAIL"}}, a.notes...)
		text := "\n" + render.Table(notes)
		if a.cuts > 0 {
			text += fmt.Sprintf("  and %d more findings: --format json has them all\n", a.cuts)
		}
		if err := a.m.write([]byte(text)); err != nil {
			return err
		}
	}
	for _, h := range a.hints {
		a.m.talk("gate: hint: %s\n", h)
	}
	return nil
}

// baseline lists the differences, the bad ones first.
func (a *testTable) baseline(b *testBaseline) error {
	if b == nil {
		return nil
	}
	text := fmt.Sprintf("\nAgainst the baseline, tests %d: %d lost, %d broken, %d fixed, %d new\n",
		b.Total.Tests, b.Lost.Count, b.Broken.Count, b.Fixed.Count, b.New.Count)
	for _, list := range []struct {
		word string
		of   evidence.Compared
	}{{"lost", b.Lost}, {"broken", b.Broken}, {"fixed", b.Fixed}, {"new", b.New}} {
		for i, id := range list.of.Tests {
			if i == shownCompared {
				text += fmt.Sprintf("  %-8s and %d more\n", list.word, list.of.Count-shownCompared)
				break
			}
			text += fmt.Sprintf("  %-8s %s\n", list.word, render.Line(id))
		}
	}
	return a.m.write([]byte(text))
}
