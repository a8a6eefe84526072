package testresult

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// scanTokens writes down everything that the scanner says of a document, with and without the shapes of earlier tags.
func scanTokens(r io.Reader, shapes bool) string {
	s := openSource(r)
	defer s.release()
	x := newXMLScanner(s, xmlVocabulary{
		element: junitElement, attribute: junitAttribute, roots: 1<<elSuites | 1<<elSuite, tolerant: 1 << atMessage,
	}, 64)
	if !shapes {
		x.shapes = nil
	}
	var b strings.Builder
	for {
		tok := x.next()
		fmt.Fprintf(&b, "%d kind %d depth %d", tok, x.kind, x.depth)
		switch tok {
		case xmlBroken:
			fmt.Fprintf(&b, ": %+v", *x.refusal)
			fallthrough
		case xmlDone:
			fmt.Fprintf(&b, " bad %d over %v line %d", x.badChars, x.overName, x.src.line())
			return b.String()
		case xmlStart:
			fmt.Fprintf(&b, " <%s> set %b", x.names[x.open[len(x.open)-1].nameAt:], x.set)
			for id := range uint8(64) {
				if x.set&(1<<id) != 0 {
					fmt.Fprintf(&b, " %d=%q", id, x.attr(id))
				}
			}
			x.collect()
		case xmlEnd:
			fmt.Fprintf(&b, " text %q", x.text())
		}
		b.WriteByte('\n')
	}
}

// shapeTags are tags that follow others of the same name: alike, and nearly alike in every way there is.
func shapeTags() []string {
	return []string{
		`<testcase name="a" classname="b" time="1"/>`,
		`<testcase name="longer than the one before" classname="" time="1"/>`,
		`<testcase name="a" classname="b" time="1">x</testcase>`,
		`<testcase name="a" classname="b"/>`,
		`<testcase name="a" classname="b" time="1" file="f"/>`,
		`<testcase name="a" classname="b" time="1" name="c"/>`,
		`<testcase name="a" classname="b" time="1" time="2"/>`,
		`<testcase name="a" classname="b&lt;" time="1"/>`,
		`<testcase name="é" classname="b" time="1"/>`,
		`<testcase name="a" classname="b<" time="1"/>`,
		`<testcase name="a" classname='b' time="1"/>`,
		`<testcase name="a" classname="b"time="1"/>`,
		`<testcase name="a"  classname="b" time="1" />`,
		"<testcase name=\"a\"\n\tclassname=\"b\" time=\"1\"></testcase >",
		`<testcase name="a" classname="` + strings.Repeat("c", 65) + `" time="1"/>`,
		`<testcase name="a" classname="b" time="1"/ >`,
		`<testcase name="a" classname="b" time="1"`,
		`<testcase name="a" classname="b" time="1`,
		"<testcase name=\"a\x00\" classname=\"b\" time=\"1\"/>",
		"<testcase name=\"a\xff\" classname=\"b\" time=\"1\"/>",
		"<testcase name=\"a\" message=\"\x1b[31m\" time=\"1\"/>",
		`<testcase/>`, `<testcases name="a"/>`, `<testcase:x name="a"/>`, `<testcasé name="a"/>`, "<testcase\x01 name=\"a\"/>",
		`<testcase name="a" a="1" b="2" c="3" d="4" e="5" f="6" g="7" h="8" g="9"/>`,
		`<testcase name="a" a="1" b="2" c="3" d="4" e="5" f="6" g="7" h="8"/>`,
		`<testcase name="a" aVeryLongNameOfAnAttribute="1" time="1"/>`,
	}
}

// A tag that repeats an earlier one is read as if it were the first of its kind.
func TestTagsByShape(t *testing.T) {
	for _, first := range shapeTags() {
		for _, then := range shapeTags() {
			doc := "<testsuite>\n" + strings.Repeat("  "+first+"\n", 2) + strings.Repeat(then+"\n", 2) + first + "</testsuite>\n"
			if got, want := scanTokens(strings.NewReader(doc), true), scanTokens(strings.NewReader(doc), false); got != want {
				t.Fatalf("%s\nby shape:\n%s\nwithout:\n%s", doc, got, want)
			}
		}
	}
}

// The window ends somewhere in a tag for each of its bytes.
func TestTagsByShapeAtTheWindowsEnd(t *testing.T) {
	tag := shapeTags()[0]
	for shift := 0; shift < len(tag)+4; shift += stride {
		doc := "<testsuite>" + strings.Repeat(" ", shift) + strings.Repeat(tag, 2*windowBytes/len(tag)) + "</testsuite>"
		if got, want := scanTokens(strings.NewReader(doc), true), scanTokens(strings.NewReader(doc), false); got != want {
			t.Fatalf("shift %d: differs", shift)
		}
	}
}

// Shapes do not outlive their file, whose buffers another format's reader uses next.
func TestShapesOfAnotherFormat(t *testing.T) {
	nunit := `<test-run><test-suite><test-case name="a" result="Passed"/><failure><message>m</message></failure></test-suite></test-run>`
	junit := `<testsuite><testcase name="a"/><testcase name="b"><failure message="m"/></testcase></testsuite>`
	for range 3 {
		Read(strings.NewReader(nunit), "nunit", Limits{}, nil)
		if n := Read(strings.NewReader(junit), "junit", Limits{}, nil).Counts; n.Tests != 2 || n.Failed != 1 {
			t.Fatalf("reads %+v", n)
		}
	}
}

// FuzzXMLShape: what the scanner says of a document does not depend on whether it remembers earlier tags, nor on how
// the input arrives.
func FuzzXMLShape(f *testing.F) {
	addFixtures(f, "junit")
	for _, tag := range shapeTags() {
		f.Add([]byte("<testsuite>" + strings.Repeat(shapeTags()[0], 2) + strings.Repeat(tag, 2) + "</testsuite>"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		want := scanTokens(bytes.NewReader(data), false)
		if got := scanTokens(bytes.NewReader(data), true); got != want {
			t.Fatalf("by shape:\n%s\nwithout:\n%s", got, want)
		}
		if got := scanTokens(iotest.HalfReader(bytes.NewReader(data)), true); got != want {
			t.Fatalf("in halves:\n%s\nwithout:\n%s", got, want)
		}
		twice := bytes.Replace(data, []byte("</testsuite>"), append(bytes.Clone(data), "</testsuite>"...), 1)
		if got, want := scanTokens(bytes.NewReader(twice), true), scanTokens(bytes.NewReader(twice), false); got != want {
			t.Fatalf("twice, by shape:\n%s\nwithout:\n%s", got, want)
		}
	})
}
