package testresult

import "bytes"

// Lines that are not of a stream's format are what tests and tools print in between. Some of them say that more
// happened than the stream shows: that a run failed, or that other results follow.

// maxTestExit is the highest status by which a runner says that tests failed; from 128 on a shell says which signal
// ended it.
const maxTestExit = 127

// readToolExit reads a line by which a tool that ran the tests says that they failed: npm, yarn, pnpm, make, a shell. Only
// exact forms at the start of a line, given without its indentation, say anything.
func readToolExit(line []byte) plainLine {
	line = bytes.TrimRight(cutAt(line, maxPlain), " \t\r")
	for _, whole := range []string{"Segmentation fault (core dumped)", "Aborted (core dumped)", "Bus error (core dumped)", "Illegal instruction (core dumped)"} {
		if string(line) == whole {
			return plainFailed
		}
	}
	for _, start := range []string{
		"npm ERR! Test failed", "npm error Test failed", "npm ERR! code ELIFECYCLE", "npm error code ELIFECYCLE", "npm error Lifecycle script `test` failed",
		"ELIFECYCLE  Test failed",
	} {
		if bytes.HasPrefix(line, []byte(start)) {
			return plainExit
		}
	}
	for _, start := range []string{"error Command failed with exit code ", "ELIFECYCLE  Command failed with exit code ", "npm ERR! errno ", "npm error errno "} {
		if rest, ok := bytes.CutPrefix(line, []byte(start)); ok {
			return exitOf(bytes.TrimSuffix(rest, []byte(".")))
		}
	}
	return readMakeExit(line)
}

// readMakeExit reads the line by which make gives up a rule: make[1]: *** [Makefile:3: test] Error 2.
func readMakeExit(line []byte) plainLine {
	rest, ok := bytes.CutPrefix(line, []byte("make"))
	if ok && bytes.HasPrefix(rest, []byte("[")) {
		_, after, closed := bytes.Cut(rest, []byte("]"))
		rest, ok = after, closed
	}
	rest, given := bytes.CutPrefix(rest, []byte(": *** ["))
	if !ok || !given {
		return plainNoise
	}
	_, why, closed := bytes.Cut(rest, []byte("] "))
	if !closed {
		return plainNoise
	}
	if status, ok := bytes.CutPrefix(why, []byte("Error ")); ok {
		return exitOf(status)
	}
	return plainFailed // the name of a signal
}

// exitOf is what the status of a process that ran tests says.
func exitOf(status []byte) plainLine {
	switch n, digits := tapNumber(status); {
	case digits == 0 || digits < len(status) || n == 0:
		return plainNoise
	case n <= maxTestExit:
		return plainExit
	}
	return plainFailed
}

// otherDocument reports whether a line, given without its indentation, begins results of another format than a
// stream's: an XML document, a JSON document or event on one line, or a stream of TAP.
func otherDocument(line []byte, format string) bool {
	if len(line) == 0 {
		return false
	}
	switch line[0] {
	case '<':
		root, _ := xmlRoot(append(bytes.Clone(cutAt(line, headBytes)), '>', ' '))
		switch string(root) {
		case "testsuites", "testsuite", "test-run", "test-results", "test-suite", "TestRun", "assemblies", "assembly", "testcase":
			return true
		}
		return isXMLDeclaration(line)
	case '{':
		head := cutAt(line, headBytes)
		return jsonFormat(head) != "" || format != "libtest" && detectLibtest(head) || format != "go-json" && detectGoJSON(head)
	}
	if format == "tap" {
		return false
	}
	var p tapPoint
	return readVersion(line) || p.read(line) && !p.ok && p.numbered && p.status == Failed
}

// otherDocument notes that results of another format stand among the lines: which of them count would depend on who reads.
func (t *tally) otherDocument(line []byte, at int) {
	t.doubt = true
	t.note(NoteOtherDocument, string(bytes.ToValidUTF8(cutAt(line, maxMessage/2), nil)), at)
}
