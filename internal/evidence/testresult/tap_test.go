package testresult

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

func readTAPString(doc string) *Results { return Read(strings.NewReader(doc), "tap", Limits{}, nil) }

func hasNote(res *Results, code string) bool {
	return slices.ContainsFunc(res.Notes, func(n Note) bool { return n.Code == code })
}

// TestTAPPoints reads single lines.
func TestTAPPoints(t *testing.T) {
	for _, c := range []struct {
		line   string
		status Status
		num    int64 // -1: none
		text   string
	}{
		{"ok", Passed, -1, ""}, {"not ok", Failed, -1, ""}, {"ok 1", Passed, 1, ""}, {"ok 1 ", Passed, 1, ""}, {"not ok 12 - adds", Failed, 12, "adds"},
		{"ok\t3\tadds", Passed, 3, "adds"}, {"ok   3   adds", Passed, 3, "adds"}, {"ok - adds", Passed, -1, "adds"}, {"ok -adds", Passed, -1, "-adds"}, {"ok 3 -", Passed, 3, ""},
		{"ok adds 3", Passed, -1, "adds 3"}, {"ok 3. adds", Passed, -1, "3. adds"}, {"ok 99999999999999999999 adds", Passed, maxTAPNumber, "adds"}, {"ok 0 - adds", Passed, 0, "adds"},
		{"ok 1 - a # SKIP", Skipped, 1, "a"}, {"ok 1 - a # skip why", Skipped, 1, "a"}, {"ok 1 - a #Skipped", Skipped, 1, "a"}, {"not ok 1 - a # SKIP", Skipped, 1, "a"},
		{"ok 1 - a # TODO", Aside, 1, "a"}, {"not ok 1 - a # todo: why", Aside, 1, "a"}, {"ok 1 # TODO", Aside, 1, ""}, {"ok # SKIP", Skipped, -1, ""},
		{`ok 1 - a \# TODO`, Passed, 1, "a # TODO"}, {`ok 1 - a \\# TODO`, Aside, 1, `a \`}, {`ok 1 - a \\\# TODO`, Passed, 1, `a \# TODO`}, {`ok 1 - a \b`, Passed, 1, `a \b`}, {`ok 1 - a \`, Passed, 1, `a \`},
		{"ok 1 - a # b # TODO", Passed, 1, "a # b # TODO"}, {"ok 1 - a # time=1.5ms", Passed, 1, "a"}, {"ok 1 - a # time=1.5ms # TODO", Aside, 1, "a"}, {"ok 1 - a # in 12 ms", Passed, 1, "a"},
		{"not ok 1 - a # in 5 ms # timeout after 3 s", Failed, 1, "a"}, {"ok 1 - a # in time", Passed, 1, "a # in time"}, {"ok 1 - a # ski", Passed, 1, "a # ski"}, {"ok 1 - a #", Passed, 1, "a #"},
		{"ok 1 - a {", Passed, 1, "a"}, {"ok 1 - a # time=1ms {", Passed, 1, "a"}, {"ok 1 - a # SKIP b {", Skipped, 1, "a"}, {"ok {", Passed, -1, ""}, {"ok 1 - a{", Passed, 1, "a{"},
		{"ok 1 - tab\there\x1b", Passed, 1, "tab here "}, {"ok 1 - caf\xe9", Passed, 1, "caf\uFFFD"},
		{"okay", NoStatus, 0, ""}, {"ok, fine", NoStatus, 0, ""}, {"not okay", NoStatus, 0, ""}, {"not", NoStatus, 0, ""}, {"not ", NoStatus, 0, ""}, {"OK 1", NoStatus, 0, ""}, {"nok", NoStatus, 0, ""}, {"o", NoStatus, 0, ""}, {"ok1", NoStatus, 0, ""},
	} {
		var p tapPoint
		if !p.read([]byte(c.line)) {
			if c.status != NoStatus {
				t.Errorf("%q is no point", c.line)
			}
			continue
		}
		num := int64(-1)
		if p.numbered {
			num = p.num
		}
		if text := string(appendTAPText(nil, p.text)); p.status != c.status || num != c.num || text != c.text {
			t.Errorf("%q: %s %d %q, want %s %d %q", c.line, statusName(p.status), num, text, statusName(c.status), c.num, c.text)
		}
	}
}

// TestTAPLines reads the other lines that say something.
func TestTAPLines(t *testing.T) {
	for line, want := range map[string]bool{
		"1..3": true, "1..0": true, "8..11": true, "1..2 # why": true, "1..0 # SKIP why": true, "1..0 skip: why": true, "1..3\t# x": true, "1..99999999999999999999": true,
		"1..3 ": false, "1..": false, "..3": false, "1.3": false, "1..3x": false, "1..3#x": false, "3..1": false, "0..0": true, "1..2 todo 2": false, "1..2 skip": false, "-1..2": false, "5..0": false,
	} {
		if _, _, _, got := readPlan([]byte(line)); got != want {
			t.Errorf("plan %q: %v", line, got)
		}
	}
	for line, want := range map[string]bool{
		"TAP version 13": true, "tap Version 14 ": true, "KTAP version 1": true, "TAP version": false, "TAP version x": false, "TAP version 13 x": false, "STAP version 13": false, "K": false, "": false,
	} {
		if got := readVersion([]byte(line)); got != want {
			t.Errorf("version %q: %v", line, got)
		}
	}
	for line, want := range map[string]int{
		"pragma +strict": 1, "pragma -strict": -1, "pragma +a, -b": 0, "pragma +strict,-strict": -1, "pragma  +Some_thing-2": 0,
		"pragma": 9, "pragma ": 9, "pragma strict": 9, "pragma +": 9, "pragma +a b": 9, "pragma +a,": 9, "pragma +a # b": 9, "pragmatic": 9,
	} {
		strict, ok := readPragma([]byte(line))
		if !ok {
			strict = 9
		}
		if strict != want {
			t.Errorf("pragma %q: %d, want %d", line, strict, want)
		}
	}
}

// TestTAPStreams concludes about short streams.
func TestTAPStreams(t *testing.T) {
	for _, c := range []struct {
		name, doc  string
		conclusion Conclusion
		code       string
	}{
		{"nothing", "", Empty, NoteEmptyFile}, {"no TAP", "one\ntwo\n", Empty, NoteForeignLines}, {"version alone", "TAP version 14\n", Incomplete, NotePlanMissing},
		{"plan alone", "1..2\n", Incomplete, NotePlanNotMet}, {"none planned", "1..0\n", Empty, NoteSkippedAll}, {"none planned, one there", "1..0 # SKIP\nok 1\n", Incomplete, NotePlanNotMet},
		{"plan first", "1..1\nok 1\n", Pass, ""}, {"plan last", "ok 1\n1..1\n", Pass, ""}, {"the plan twice", "1..1\n1..1\nok 1\n", Pass, ""}, {"the plan again", "1..1\nok 1\n1..1\n", Incomplete, NotePlanTwice},
		{"another plan", "1..1\n1..2\nok 1\n", Incomplete, NotePlanTwice}, {"absurd plan", "1..9999999999999999\nok 1\n", Incomplete, NotePlanNotMet}, {"number 0", "1..1\nok 0\n", Incomplete, NoteNumbers},
		{"numbers beyond", "1..2\nok 2\nok 3\n", Incomplete, NoteNumbers}, {"huge numbers out of order", "1..2\nok 99999999\nok 3\n", Incomplete, NoteNumbers}, {"huge after order", "ok 99999999\nok 99999998\n99999998..99999999\n", Incomplete, NoteOverLimit},
		{"a number again, later", "1..4\nok 1\nok 2\nok 3\nok 2\n", Incomplete, NoteNumbers}, {"numbers backwards", "1..3\nok 3\nok 2\nok 1\n", Pass, ""},
		{"strict from the start", "pragma +strict\nTAP version 13\n1..1\nok 1\n", Incomplete, NoteStrict}, {"strict in a subtest", "1..1\n    pragma +strict\n    ok 1\n    noise\n    1..1\nok 1\n", Pass, NoteForeignLines},
		{"strict inherited", "pragma +strict\n    ok 1\n    noise\n    1..1\nok 1\n1..1\n", Incomplete, NoteStrict}, {"strict in diagnostics", "pragma +strict\n1..1\nok 1\n  ---\n  a: b\n  ...\n", Pass, ""},
		{"blank lines", "\n1..1\n\n  \nok 1\n\t\n", Pass, ""}, {"noise", "noise\n1..1\n  noise\nok 1\nnoise", Pass, NoteForeignLines},
		{"bail out first", "Bail out!\n", Fail, NoteBailOut}, {"bail out in diagnostics, dedented", "1..2\nok 1\n  ---\n  a: b\nBail out! x\nok 2\n", Fail, NoteBailOut},
		{"version late", "1..1\nTAP version 13\nok 1\n", Pass, NoteForeignLines}, {"failing subtest", "1..1\n    not ok 1\nok 1\n", Incomplete, NoteSubtest}, {"failing subtest of a failed test", "1..1\n    not ok 1\nnot ok 1\n", Fail, ""},
		{"two levels down", "1..1\n        not ok 1\nok 1\n", Incomplete, NoteSubtest}, {"skipped level", "1..1\n        ok 1\n    1..1\n    ok 1\nok 1\n", Pass, ""}, {"plan in between", "1..1\n        not ok 1\n    1..1\n    not ok 1 # TODO\nok 1\n", Pass, ""},
		{"plan in between, no point", "1..1\n        not ok 1\n    1..0\nok 1\n", Incomplete, NoteSubtest}, {"subtest exceeds its plan", "1..1\n    1..1\n    ok 1\n    ok 2\nok 1\n", Incomplete, NoteSubtest},
		{"subtest numbers", "1..1\n    1..2\n    ok 2\n    ok 2\nok 1\n", Incomplete, NoteSubtest}, {"subtest without a plan", "1..1\n    ok 1\nok 1\n", Pass, ""}, {"failing, buffered", "1..1\nok 1 - a {\n    not ok 1\n}\n", Incomplete, NoteSubtest},
		{"buffered, no end", "1..2\nok 1 - a {\n    ok 1\nok 2\n", Incomplete, NoteSubtest}, {"buffered, cut", "1..1\nok 1 - a {\n    ok 1\n", Incomplete, NoteCut}, {"buffered, at the end", "1..1\nok 1 - a {\n", Incomplete, NoteCut},
		{"buffered, empty", "1..1\nok 1 - a {\n}\n", Pass, ""}, {"buffered in buffered", "1..1\nok 1 - a {\n    ok 1 - b {\n        not ok 1\n    }\n}\n", Incomplete, NoteSubtest}, {"a brace too many", "1..1\nok 1\n}\n", Pass, NoteForeignLines},
		{"a brace alone, late", "1..1\nok 1\nnoise\n{\n", Pass, NoteForeignLines}, {"buffered, diagnostics before", "1..1\nok 1\n  ---\n  ...\n{\n    not ok 1\n}\n", Incomplete, NoteSubtest},
		{"diagnostics twice", "1..1\nok 1\n  ---\n  a: b\n  ...\n  ---\n  c: d\n  ...\n", Pass, ""}, {"diagnostics of nothing", "1..1\n  ---\n  ok 1\n  ...\nok 1\n", Incomplete, NoteSubtest + "?"}, {"diagnostics cut", "1..1\nok 1\n  ---\n", Incomplete, NoteCut},
		{"plan dedented in diagnostics", "ok 1\n  ---\n  a: b\n1..1\n", Pass, ""}, {"failures in the last words", "1..1\nok 1\n# fail 2\n", Incomplete, NoteCountsDisagree}, {"no failures in the last words", "1..1\nok 1\n# fail 0\n# fail x\n", Pass, ""},
		{"failure of a todo in the last words", "1..2\nok 1\nnot ok 2 # TODO\n# fail 1\n", Pass, ""}, {"todo in a word", "1..2\nok 1\nnot ok 2 # TODOS\n", Incomplete, NoteDirective}, {"skip in a word", "1..2\nok 1\nnot ok 2 # skipping\n", Pass, ""},
	} {
		res := readTAPString(c.doc)
		checkBest(t, c.name, res)
		code, loose := strings.CutSuffix(c.code, "?")
		if !loose && (res.Conclusion != c.conclusion || code != "" && !hasNote(res, code)) {
			t.Errorf("%s: %s %v, want %s with %q", c.name, res.Conclusion, res.Notes, c.conclusion, c.code)
		}
		if code == "" && c.conclusion == Pass && len(res.Notes) > 0 {
			t.Errorf("%s: notes %v, want none", c.name, res.Notes)
		}
	}
}

// TestTAPDetection tells TAP by its first lines, whatever tools print before.
func TestTAPDetection(t *testing.T) {
	for head, want := range map[string]bool{
		"TAP version 13\n": true, "1..3\n": true, "1..0": true, "ok 1\n": true, "not ok\n": true, "ok - adds\n": true, "Bail out! x\n": true, "KTAP version 1\r\n": true, "noise\n\n1..2\n": true,
		"# Subtest: a\n    ok 1\n": true, "    ok 1\n": false, "ok\n": false, "ok  \tshop\t0.1s\n": false, "ok adds\n": false, "<a>\n1..2\n": false, "bail out!": false, "version 1..2\n": false,
		`{"Action":"pass","Package":"p"}` + "\n1..2\n": false, `{ "type": "suite", "event": "started", "test_count": 1 }` + "\n1..2\n": false, strings.Repeat("noise\n", 600) + "1..2\n": true,
	} {
		if got := detectTAP([]byte(head)); got != want {
			t.Errorf("%.40q: %v", head, got)
		}
	}
}

// TestTAPLimits meets what is oversized by name, and never passes it.
func TestTAPLimits(t *testing.T) {
	word := strings.Repeat("x", 1<<10)
	for _, c := range []struct {
		name string
		r    io.Reader
		lim  Limits
		want Conclusion
		code string
	}{
		{"long description", repeatReader("1..1\nok 1 - ", word, "\n", 70), Limits{}, Incomplete, NoteOverLimit},
		{"description beyond the window", repeatReader("1..2\nok 1 - ", word, "\nok 2\n", 1<<10), Limits{}, Incomplete, NoteOverLimit},
		{"long noise", repeatReader("1..1\n", word, "\nok 1\n", 1<<12), Limits{}, Pass, NoteForeignLines},
		{"long comment", repeatReader("1..1\n#", word, "\nok 1\n", 1<<12), Limits{}, Pass, ""},
		{"long diagnostics", repeatReader("1..1\nok 1\n  ---\n", "  a: b\n", "  ...\n", 1<<17), Limits{}, Pass, ""},
		{"many points", repeatReader("1..11\n", "ok\n", "", 11), Limits{MaxCases: 10}, Incomplete, NoteOverLimit},
		{"much noise, strict", repeatReader("1..1\npragma +strict\n", "noise\n", "ok 1\n", 1<<12), Limits{}, Incomplete, NoteStrict},
		{"deep", &deepTAP{depth: 400}, Limits{}, Incomplete, NoteTooDeep},
		{"a million points", &counter{format: "ok %d\n", left: 1 << 20}, Limits{}, Incomplete, NotePlanMissing},
	} {
		res := Read(c.r, "tap", c.lim, func(*Case) {})
		checkBest(t, c.name, res)
		if res.Conclusion != c.want || c.code != "" && !hasNote(res, c.code) {
			t.Errorf("%s: %s with %v, want %s with %s", c.name, res.Conclusion, res.Notes, c.want, c.code)
		}
	}
}

// deepTAP writes points that are nested ever deeper.
type deepTAP struct{ depth, at int }

func (d *deepTAP) Read(b []byte) (int, error) {
	if d.at++; d.at > d.depth {
		return 0, io.EOF
	}
	return copy(b, strings.Repeat(" ", d.at*4)+"ok 1\n"), nil
}

// TestTAPIdentity names points by their description, and those without one by their number.
func TestTAPIdentity(t *testing.T) {
	var ids []string
	Read(strings.NewReader("1..6\nok 1 - adds # time=3ms\nok\nok 3\nok 4 - a \\# b\n    ok 1 - inner\n    1..1\nok 5 - outer\nok 6 -\n"), "", Limits{}, func(c *Case) {
		if c.ID != c.Key || c.ID != c.Name {
			t.Errorf("%+v", c)
		}
		ids = append(ids, c.ID)
	})
	if want := []string{"adds", "2", "3", "a # b", "outer", "6"}; !slices.Equal(ids, want) {
		t.Errorf("%q, want %q", ids, want)
	}
}

// TestTAPEncodings reads what a Windows shell makes of a stream.
func TestTAPEncodings(t *testing.T) {
	for _, big := range []bool{false, true} {
		if res := readString(encodeUTF16("1..2\r\nok 1 - adds é\r\nok 2\r\n", big, true)); res.Format != "tap" || res.Conclusion != Pass || res.Counts.Passed != 2 {
			t.Errorf("%s %s %+v", res.Format, res.Conclusion, res.Counts)
		}
	}
}

// TestTAPMessages finds out why a point failed.
func TestTAPMessages(t *testing.T) {
	for doc, want := range map[string]string{
		"not ok 1\n# why\n# more\n": "why", "not ok 1\n  why\n": "why", "not ok 1\nnoise\n# not why\n": "", "not ok 1\n  ---\n  message: why\n  ...\n": "why", "not ok 1\n  ---\n  error: 'why'\n  ...\n": "why",
		"not ok 1\n  ---\n  message: |-\n    why\n    more\n  ...\n": "why", "not ok 1\n  ---\n  message: ''\n  error: why\n  ...\n": "why", "not ok 1\n  ---\n  message:\n  error: why\n  ...\n": "why",
		"    not ok 1 - a\nnot ok 1\n  ---\n  message: other\n  ...\n": "a", "        not ok 1 - a\n    not ok 1 - b\nnot ok 1\n": "b > a", "not ok 1 {\n    not ok 1 - b {\n        not ok 1 - a\n    }\n}\n": "b > a",
		"    ok 1\n    1..2\nnot ok 1\n": "2 points planned, 1 point there", "not ok 1\n# Subtest: next\n    ok 1\n": "", "not ok 1\n# " + strings.Repeat("é", 300) + "\n": strings.Repeat("é", maxMessage/2),
	} {
		got := "none"
		Read(strings.NewReader(doc), "tap", Limits{}, func(c *Case) { got = c.Message })
		if got != want {
			t.Errorf("%q: %q, want %q", doc, got, want)
		}
	}
}

// TestTAPPrefixes holds the law that no prefix of a stream passes that ends before the last point of its plan begins.
func TestTAPPrefixes(t *testing.T) {
	streams := 0
	for _, path := range fixtures(t) {
		data := mustRead(t, path)
		if !strings.Contains(path, "/tap/") || Read(bytes.NewReader(data), "", Limits{}, nil).Conclusion != Pass || bytes.HasPrefix(data, []byte("\xff\xfe")) {
			continue
		}
		streams++
		planFirst := !pointBeforePlan(data)
		last := lastPoint(data)
		for n := range data {
			if res := Read(bytes.NewReader(data[:n]), "tap", Limits{}, nil); res.Conclusion == Pass && (n < last || !planFirst && n < lastPlan(data)) {
				t.Errorf("%s: passes with only %d of %d bytes", path, n, len(data))
			}
		}
	}
	if streams < 10 {
		t.Errorf("only %d streams that pass", streams)
	}
}

// lastPoint is where the last point of the top level begins, by the plainest means; lastPlan likewise.
func lastPoint(data []byte) int {
	return max(bytes.LastIndex(data, []byte("\nok")), bytes.LastIndex(data, []byte("\nnot ok")))
}

func lastPlan(data []byte) int { return bytes.LastIndex(data, []byte("\n1..")) }

func pointBeforePlan(data []byte) bool {
	plan := bytes.Index(append([]byte("\n"), data...), []byte("\n1.."))
	point := bytes.Index(append([]byte("\n"), data...), []byte("\nok"))
	return plan < 0 || point >= 0 && point < plan
}

// TestTAPWork holds the reader to steps that grow with the input and not faster.
func TestTAPWork(t *testing.T) {
	for name, piece := range map[string]string{
		"points": "ok\n", "deep and back": "    ok\n        ok\n            ok\nok\n", "plans between": "        1..1\n    1..1\n            1..1\n", "braces": "ok {\n    ok {\n", "diagnostics": "ok\n  ---\n  ...\n", "comments": "    # Subtest\n# a\n",
	} {
		for _, n := range []int{1 << 10, 1 << 14} {
			data := []byte(strings.Repeat(piece, n))
			if work := tapWork(data); work > 4*len(data) {
				t.Errorf("%s: %d steps for %d bytes", name, work, len(data))
			}
		}
	}
	var ladder bytes.Buffer
	for i := range 250 {
		fmt.Fprintf(&ladder, "%sok\n", strings.Repeat(" ", i))
	}
	ladder.WriteString(strings.Repeat(strings.Repeat(" ", 99)+"1..1\n", 1000))
	if work := tapWork(ladder.Bytes()); work > 4*ladder.Len() {
		t.Errorf("ladder: %d steps for %d bytes", work, ladder.Len())
	}
}

// tapWork reads a stream and returns the steps taken besides reading its lines.
func tapWork(data []byte) int {
	s := openSource(bytes.NewReader(data))
	defer s.release()
	r := newTAPReader(s, newTally("tap", Limits{}, nil))
	r.read()
	return r.work
}
