package input

import (
	"io"
	"strings"
)

// Hostile is a document that asks for more memory or time than it is worth. None may pass.
type Hostile struct {
	Name  string
	Code  string // the finding that names what is wrong, "" where the file is right and only large
	Write func(w io.Writer, size int64) (Facts, error)
}

// Hostiles lists them. The first is a right document of one huge text.
func Hostiles() []Hostile {
	return []Hostile{
		{"huge CDATA", "", JUnitCDATA},
		{"huge attribute", "tests/over-limit", hugeAttribute},
		{"billion laughs", "tests/doctype", laughs},
		{"a million levels deep", "tests/too-deep", deep},
	}
}

// hugeAttribute has one attribute of the whole size.
func hugeAttribute(w io.Writer, size int64) (Facts, error) {
	p := newPage(w, 11)
	p.put(xmlHead, "<testsuite name=\"all\"><testcase classname=\"Loud\" name=\"prints\" note=\"")
	text := strings.Repeat("a long story of tests ", 400)
	for p.facts.Bytes < size {
		p.put(text)
	}
	p.put("\"/></testsuite>\n")
	p.test()
	return p.done()
}

// laughs defines ten entities, each ten times the one before.
func laughs(w io.Writer, _ int64) (Facts, error) {
	p := newPage(w, 12)
	p.put(xmlHead, "<!DOCTYPE testsuite [<!ENTITY a0 \"ha\">")
	for i := range 9 {
		p.put("<!ENTITY a", string(rune('1'+i)), " \"", strings.Repeat("&a"+string(rune('0'+i))+";", 10), "\">")
	}
	p.put("]>\n<testsuite><testcase name=\"&a9;\"/></testsuite>\n")
	return p.done()
}

// deep opens a million elements.
func deep(w io.Writer, _ int64) (Facts, error) {
	const levels = 1_000_000
	p := newPage(w, 13)
	p.put(xmlHead)
	for range levels {
		p.put("<testsuite name=\"s\">")
	}
	p.put("<testcase name=\"t\"/>")
	for range levels {
		p.put("</testsuite>")
	}
	return p.done()
}
