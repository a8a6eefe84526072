package testresult

import (
	"bytes"
	"strings"
)

// maxPlain is how much of a plain line is looked at, in bytes: more than any import path and what go adds to it.
const maxPlain = 1 << 10

// plainLine is what a line outside of the events says. A test's own output never is such a line: test2json
// wraps what the test binary writes, to standard error too. So the line is go's own, or of something beside it.
type plainLine uint8

// The plain lines. The zero value is noise: downloads, warnings, what a wrapper prints.
const (
	plainNoise plainLine = iota
	// plainBuildFailed is how go before 1.24 says that a package could not be built, vetted or loaded, without any event.
	plainBuildFailed
	// plainFailed is of a run that is not in the events, or of one that crashed.
	plainFailed
	// plainExit may be about the failures that the events record; beside none it is a failure of its own.
	plainExit
)

// readPlain reads a line that is no event, given without its end. Only the exact forms of go (cmd/go, package
// testing, package runtime, os.ProcessState) at the very start of a line say anything. detail is what the line is about.
func readPlain(line []byte) (is plainLine, detail string) {
	text := strings.TrimRight(string(bytes.ToValidUTF8(cutAt(line, maxPlain), nil)), " \t\r")
	if rest, ok := strings.CutPrefix(text, "FAIL\t"); ok {
		if path, built := strings.CutSuffix(rest, " [build failed]"); built {
			return plainBuildFailed, path
		}
		if path, built := strings.CutSuffix(rest, " [setup failed]"); built {
			return plainBuildFailed, path
		}
		return plainFailed, text
	}
	for _, start := range []string{"--- FAIL: ", "panic: ", "fatal error: "} {
		if strings.HasPrefix(text, start) {
			return plainFailed, text
		}
	}
	switch {
	case text == "FAIL", text == "exit status 1":
		return plainExit, text
	case isExit(text):
		return plainFailed, text // go test ends with 1 for tests that failed
	}
	if is := readToolExit([]byte(text)); is != plainNoise {
		return is, text
	}
	return plainNoise, ""
}

// isExit reports whether text is how a process that failed ended: exit status 1, signal: killed (core dumped).
func isExit(text string) bool {
	if n, ok := strings.CutPrefix(text, "exit status "); ok {
		return strings.Trim(n, "0") != "" && strings.Trim(n, "0123456789") == ""
	}
	name, ok := strings.CutPrefix(text, "signal: ")
	name = strings.TrimSuffix(name, " (core dumped)")
	return ok && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789 /") == ""
}

// plain hears a line that is no event.
func (r *goJSONReader) plain(line []byte, at int) {
	is, detail := readPlain(line)
	switch is {
	case plainNoise:
	case plainBuildFailed:
		r.t.res.ProcessFailure = true
		r.t.note(NoteBuildFailed, detail, at)
	case plainFailed:
		r.t.res.ProcessFailure = true
		r.t.note(NotePlainFailure, detail, at)
	case plainExit:
		if r.exit == "" {
			r.exit, r.exitLine = detail, at
		}
	}
}

// plainEnd concludes from how the run ended, when nothing that the events record explains it.
func (r *goJSONReader) plainEnd() {
	if r.exit == "" || r.t.failed || r.t.res.ProcessFailure {
		return
	}
	r.t.res.ProcessFailure = true
	r.t.note(NotePlainFailure, r.exit, r.exitLine)
}
