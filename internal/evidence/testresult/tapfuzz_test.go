package testresult

import (
	"bytes"
	"regexp"
	"testing"
	"testing/iotest"
)

// pointLine is a test point of the top level, by the plainest means.
var pointLine = regexp.MustCompile(`(?m)^(not )?ok(?:[ \t].*)?\r?$`)

// FuzzTAP holds the reader to laws: every line of the top level that looks like a point is one, whatever stands
// between; a failed one without any comment fails; pieces and visitors change nothing; what is cut or there twice
// never passes; and the steps grow with the input.
func FuzzTAP(f *testing.F) {
	addFixtures(f, "/tap/")
	f.Fuzz(func(t *testing.T, data []byte) {
		var visited Counts
		res := Read(bytes.NewReader(data), "tap", Limits{}, func(c *Case) { visited.add(c.Status) })
		checkBest(t, "stream", res)
		if visited != res.Counts {
			t.Errorf("visited %+v, counted %+v", visited, res.Counts)
		}
		if half := Read(iotest.HalfReader(bytes.NewReader(data)), "tap", Limits{}, nil); half.Counts != res.Counts || half.Conclusion != res.Conclusion {
			t.Errorf("in pieces: %+v %s, want %+v %s", half.Counts, half.Conclusion, res.Counts, res.Conclusion)
		}
		if work := tapWork(data); work > 4*len(data)+64 {
			t.Errorf("%d steps for %d bytes", work, len(data))
		}
		if !encoded(data) && !bytes.Contains(bytes.ToLower(data), []byte("bail out!")) {
			points, failed := 0, 0
			for _, line := range pointLine.FindAll(data, -1) {
				points++
				if line[0] == 'n' && !bytes.ContainsRune(line, '#') {
					failed++
				}
			}
			if res.Counts.Tests != points || res.Counts.Failed < failed {
				t.Errorf("counts %+v, want %d points and at least %d failed", res.Counts, points, failed)
			}
		}
		if res.Conclusion != Pass {
			return
		}
		for _, n := range []int{len(data) / 3, len(data) / 2, len(data) * 3 / 4, max(0, len(data)-8)} {
			if cut := Read(bytes.NewReader(data[:n]), "tap", Limits{}, nil); cut.Conclusion == Pass && cut.Counts.Tests < res.Counts.Tests {
				t.Errorf("passes with %d of %d points, cut after %d of %d bytes", cut.Counts.Tests, res.Counts.Tests, n, len(data))
			}
		}
		if twice := Read(bytes.NewReader(bytes.Join([][]byte{data, data}, []byte("\n"))), "tap", Limits{}, nil); twice.Conclusion == Pass && !encoded(data) {
			t.Errorf("passes twice: %+v", twice.Counts)
		}
	})
}

// encoded reports whether a source may decode data, so that lines are not what they seem.
func encoded(data []byte) bool {
	return bytes.IndexByte(data, 0) >= 0 || bytes.HasPrefix(data, []byte("<?xml")) || bytes.HasPrefix(data, []byte("\xff\xfe")) ||
		bytes.HasPrefix(data, []byte("\xfe\xff")) || bytes.HasPrefix(data, []byte(byteOrderMark)) || bytes.HasPrefix(data, []byte("\x1f\x8b"))
}

// FuzzLibtest holds the reader to laws: pieces and visitors change nothing; a failed event fails whatever the suite
// says; a whole stream twice is a whole stream; and no stream that is cut passes with an open suite.
func FuzzLibtest(f *testing.F) {
	addFixtures(f, "/libtest/")
	f.Fuzz(func(t *testing.T, data []byte) {
		var visited Counts
		res := Read(bytes.NewReader(data), "libtest", Limits{}, func(c *Case) { visited.add(c.Status) })
		checkBest(t, "stream", res)
		if visited != res.Counts {
			t.Errorf("visited %+v, counted %+v", visited, res.Counts)
		}
		if half := Read(iotest.HalfReader(bytes.NewReader(data)), "libtest", Limits{}, nil); half.Counts != res.Counts || half.Conclusion != res.Conclusion {
			t.Errorf("in pieces: %+v %s, want %+v %s", half.Counts, half.Conclusion, res.Counts, res.Conclusion)
		}
		if res.Counts.Failed > 0 && res.Conclusion != Fail {
			t.Errorf("%s with %+v", res.Conclusion, res.Counts)
		}
		if res.Conclusion != Pass || encoded(data) {
			return
		}
		if twice := Read(bytes.NewReader(bytes.Join([][]byte{data, data}, []byte("\n"))), "libtest", Limits{}, nil); twice.Conclusion != Pass || twice.Counts.Tests != 2*res.Counts.Tests {
			t.Errorf("twice: %s %+v, once %+v", twice.Conclusion, twice.Counts, res.Counts)
		}
		for n := range len(data) {
			if cut := Read(bytes.NewReader(data[:n]), "libtest", Limits{}, nil); cut.Conclusion == Pass && bytes.Count(data[:n], []byte("started")) > 0 && openSuites(data[:n]) > 0 {
				t.Errorf("passes with an open suite, cut after %d of %d bytes", n, len(data))
			}
		}
	})
}

// openSuites counts suites without an end in a stream of one event a line, by the plainest means.
func openSuites(data []byte) int {
	open := 0
	for line := range bytes.Lines(data) {
		var ev libtestEvent
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] != '{' || ev.scan(line) != scanGood || ev.word(ltType) != "suite" {
			continue
		}
		switch ev.word(ltEvent) {
		case "started":
			open++
		case "ok", "failed":
			open--
		}
	}
	return open
}

// FuzzDetect holds the law that no two formats accept one head.
func FuzzDetect(f *testing.F) {
	addFixtures(f, "testdata")
	f.Add([]byte("1..2\n" + `{"Action":"pass","Package":"p"}` + "\n" + `{"type":"suite","event":"started","test_count":1}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = data[:min(len(data), headBytes)]
		var takers []string
		for _, format := range Formats() {
			if format.Detect(data) {
				takers = append(takers, format.Name)
			}
		}
		if len(takers) > 1 {
			t.Errorf("%q accept %q", takers, data)
		}
	})
}
