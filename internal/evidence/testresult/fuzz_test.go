package testresult

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// addFixtures seeds a fuzz target with the short fixtures of one format, and fails if there are none.
func addFixtures(f *testing.F, format string) {
	seeds := 0
	for _, path := range fixtures(f) {
		if data := mustRead(f, path); strings.Contains(path, format) && len(data) < 8<<10 {
			f.Add(data)
			seeds++
		}
	}
	if seeds == 0 {
		f.Fatal("no seeds")
	}
}

// stricter are the reasons for which a document is refused that encoding/xml takes: it reads a stream of
// markup, where one root element, no attribute twice and XML's own grammar of prolog and instructions hold.
var stricter = []struct{ code, detail string }{
	{NoteTrailing, ""}, {NoteTwoRoots, ""}, {NoteDoctype, ""}, {NoteDuplicate, ""}, {NoteNestedCase, ""}, {NoteNotResults, ""},
	{NoteTooDeep, ""}, {NoteOverLimit, ""}, {NoteEncoding, ""}, {NoteUnclosed, "ends before a root element"},
	{NoteMalformed, "no space before an attribute"},
	{NoteMalformed, "no space in a processing instruction"},
	{NoteMalformed, "a colon in the name of a processing instruction"}, {NoteMalformed, "more than one colon in a name"},
	{NoteMalformed, "a reference to a character that XML forbids"}, // a lone surrogate, in a name
	{NoteMalformed, "a character that XML forbids, outside text"},  // in comments, instructions and the document type
	{NoteMalformed, "a declaration that does not belong here"},
	{NoteMalformed, "a < inside a document type"},
	{NoteMalformed, "a document type without a name"},
	{NoteMalformed, "an XML declaration without a version"},
	{NoteMalformed, "no space in the XML declaration"},
	{NoteMalformed, "a value without quotes in the XML declaration"},
	{NoteMalformed, "a value without an end in the XML declaration"},
	{NoteMalformed, "something unknown in the XML declaration"},
	{NoteMalformed, "an XML declaration that does not end"},
	{NoteMalformed, "an encoding name that is none"},
	{NoteMalformed, "standalone is neither yes nor no"},
	{NoteMalformed, "an XML version that is neither 1.0 nor 1.1"},
	{NoteEntity, "an & that begins no reference"}, // more leading zeros than the limit
}

// isStricter reports whether a note is one of the reasons above. The names of XML's fifth edition are not
// those of the second, which encoding/xml knows.
func isStricter(data []byte, notes []Note) bool {
	return slices.ContainsFunc(notes, func(n Note) bool {
		for _, s := range stricter {
			if s.code == n.Code && (s.detail == "" || s.detail == n.Detail) {
				return true
			}
		}
		return n.Detail == "no name where one must be" && !isASCII(data)
	})
}

func isASCII(data []byte) bool {
	return bytes.IndexFunc(data, func(r rune) bool { return r >= 0x80 }) < 0
}

// isLooser reports whether a document that encoding/xml refuses may be read: replaced characters, encodings
// that it does not decode, version 1.1, and the names of XML's fifth edition.
func isLooser(data []byte, res *Results, err error) bool {
	replaced := slices.ContainsFunc(res.Notes, func(n Note) bool { return n.Code == NoteBadCharacters || n.Code == NoteEncoding })
	decl, _, _ := bytes.Cut(data, []byte("?>"))
	declared := bytes.Contains(decl, []byte("encoding")) || bytes.Contains(decl, []byte("1.1"))
	wide := bytes.IndexByte(data, 0) >= 0
	return replaced || declared || wide || !isASCII(data) && strings.Contains(err.Error(), "name")
}

// FuzzJUnit holds the reader to encoding/xml: it refuses what encoding/xml refuses, and more for the
// reasons in stricter alone; what both accept they count alike; and no whole document twice is a document.
func FuzzJUnit(f *testing.F) {
	addFixtures(f, "junit")
	f.Fuzz(func(t *testing.T, data []byte) {
		var visited Counts
		res := Read(bytes.NewReader(data), "junit", Limits{}, func(c *Case) { visited.add(c.Status) })
		checkBest(t, "document", res)
		if visited != res.Counts {
			t.Errorf("visited %+v, counted %+v", visited, res.Counts)
		}
		want, err := oracleJUnit(data)
		switch {
		case res.Conclusion == Invalid && err == nil:
			if !isStricter(data, res.Notes) {
				t.Errorf("refused: %v", res.Notes)
			}
		case res.Conclusion != Invalid && err != nil:
			if !isLooser(data, res, err) {
				t.Errorf("accepted, %s; encoding/xml: %v", res.Conclusion, err)
			}
		case res.Conclusion != Invalid:
			if res.Counts != want {
				t.Errorf("counts %+v, encoding/xml %+v", res.Counts, want)
			}
			if twice := Read(io.MultiReader(bytes.NewReader(data), bytes.NewReader(data)), "junit", Limits{}, nil); twice.Conclusion != Invalid {
				t.Errorf("twice: %s", twice.Conclusion)
			}
		}
	})
}

// FuzzGoJSON holds the reader to encoding/json: a stream that encoding/json reads whole, it reads whole,
// unless members occur twice or in another case, names have control characters, or limits are passed; a
// stream that it reads whole, encoding/json reads whole; and such a stream both count alike.
func FuzzGoJSON(f *testing.F) {
	addFixtures(f, "go-json")
	f.Fuzz(func(t *testing.T, data []byte) {
		var visited Counts
		res := Read(bytes.NewReader(data), "go-json", Limits{}, func(c *Case) { visited.add(c.Status) })
		checkBest(t, "stream", res)
		if visited != res.Counts {
			t.Errorf("visited %+v, counted %+v", visited, res.Counts)
		}
		if trimmed := bytes.TrimLeft(data, " \t\r\n"); bytes.HasPrefix(trimmed, []byte("[")) || bytes.Contains(data, []byte(byteOrderMark)) || bytes.IndexByte(data, 0) >= 0 {
			return // an array is another form; marks and UTF-16 are not encoding/json's
		}
		whole := !slices.ContainsFunc(res.Notes, func(n Note) bool {
			return n.Code == NoteMalformedLine || n.Code == NoteForeignLines || n.Code == NoteCut || n.Code == NoteNotResults || n.Code == NoteOverLimit
		})
		want, clean, err := oracleGoJSON(data)
		switch {
		case whole && err != nil:
			t.Errorf("read whole, encoding/json: %v", err)
		case !whole && err == nil && clean:
			t.Errorf("encoding/json reads it, this does not: %v", res.Notes)
		case whole && clean && res.Counts != want:
			t.Errorf("counts %+v, encoding/json %+v", res.Counts, want)
		}
	})
}

// FuzzRead holds the laws of every reader: whatever the bytes and the pieces they come in, there is a
// conclusion, it is no better than its notes allow, and it does not depend on the pieces or the visitor; a visitor that
// is asked first is asked of what any visitor sees, and sees what it asked for.
func FuzzRead(f *testing.F) {
	addFixtures(f, "testdata")
	f.Add([]byte(encodeUTF16(`<testsuite><testcase name="é"/></testsuite>`, true, true)))
	f.Add([]byte("<?xml version='1.0' encoding='windows-1252'?><testsuite><testcase name='\x93'/></testsuite>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		formats := []string{""}
		for _, f := range Formats() {
			formats = append(formats, f.Name)
		}
		for _, format := range formats {
			var all, asked, wanted, seen []Case
			res := Read(bytes.NewReader(data), format, Limits{}, func(c *Case) { all = append(all, *c) })
			checkBest(t, "input", res)
			half := ReadSome(iotest.HalfReader(bytes.NewReader(data)), format, Limits{}, func(key []byte, s Status) bool {
				asked = append(asked, Case{Key: string(key), Status: s})
				if at := len(asked) - 1; at%2 == 0 && at < len(all) {
					wanted = append(wanted, all[at])
				}
				return len(asked)%2 == 1
			}, func(c *Case) { seen = append(seen, *c) })
			sameKeys := func(a, b Case) bool { return a.Key == b.Key && a.Status == b.Status }
			if !slices.EqualFunc(all, asked, sameKeys) || !slices.Equal(seen, wanted) {
				t.Errorf("format %q: visited %v, asked of %v, saw %v", format, all, asked, seen)
			}
			if res.Counts != half.Counts || res.Conclusion != half.Conclusion {
				t.Errorf("format %q in pieces: %+v %s, want %+v %s", format, half.Counts, half.Conclusion, res.Counts, res.Conclusion)
			}
			if _, err := json.Marshal(res.Notes); err != nil {
				t.Error(err)
			}
		}
	})
}
