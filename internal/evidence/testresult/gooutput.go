package testresult

import (
	"bytes"
	"strings"
)

// maxBenchmarkParts bounds how many enclosing benchmarks a result counts for: each is looked up by name.
const maxBenchmarkParts = 16

// goEnd is how a package that failed ended, by what is printed outside of its tests.
type goEnd struct {
	tests bool // the binary says that tests failed: it ran them all (package testing, M.Run)
	run   bool // go test says that the binary failed
	crash bool // and that it did so otherwise than by the status of tests that failed
}

// hear takes an output of a package, as it stands in its event.
func (e *goEnd) hear(raw []byte) {
	line, whole := bytes.CutSuffix(raw, []byte(`\n`))
	switch {
	case !whole:
	case bytes.HasPrefix(line, []byte(`FAIL\t`)):
		e.run = true
	case bytes.HasSuffix(line, []byte("FAIL")):
		e.tests = true // what a test printed last may stand before it
	case isExit(string(cutAt(line, maxPlain))):
		e.crash = string(line) != "exit status 1"
	}
}

// early reports whether a binary ended before it had run all its tests, or failed for more than them: by a panic, by a
// call of os.Exit, by a signal. Tests that failed before do not explain that.
func (e *goEnd) early() bool { return e.crash || e.run && !e.tests }

// isBenchmark reports whether a test's name is a benchmark's: Benchmark, and then no lower-case letter
// (package testing).
func isBenchmark(name string) bool {
	rest, ok := strings.CutPrefix(name, "Benchmark")
	return ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z')
}

// hasResult reports whether a benchmark printed a result, or a part of it did (see testOutput).
func (p *goPackage) hasResult(name string) bool {
	tt := p.tests[name]
	return tt != nil && tt.result
}

// testOutput keeps the first line that a test itself prints, for the case that it fails, and notes a
// benchmark's result with it and everything that it is a part of.
func (g *goRun) testOutput(p *goPackage, name []byte, out eventText) {
	g.timedOut(p, out)
	bench := len(name) > 9 && name[0] == 'B' && isBenchmark(string(name))
	if g.t.visit == nil && !bench {
		return
	}
	tt := p.find(name)
	if tt == nil {
		return
	}
	if bench && bytes.Contains(out.raw, []byte(" ns/op")) {
		part := tt.name
		for range maxBenchmarkParts {
			if up := p.tests[part]; up != nil {
				up.result = true
			}
			i := strings.LastIndexByte(part, '/')
			if i < 0 {
				break
			}
			part = part[:i]
		}
	}
	if tt.message != nil || g.held > maxOpenNames || isMarker(out.raw) {
		return
	}
	g.text = appendUnescaped(g.text[:0], cutEscaped(out.raw, 4*maxMessage))
	if line := firstLine(g.text); len(line) > 0 {
		tt.message = append(make([]byte, 0, max(messageOpened, len(line))), line...)
		g.held += len(tt.message)
	}
}

// cutEscaped returns about n bytes of b at most, not ending inside a character or an escape.
func cutEscaped(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	b = cutAt(b, n)
	if i := bytes.LastIndexByte(b, '\\'); i > len(b)-len(`\u0000`) {
		b = b[:i]
	}
	return b
}

// isMarker reports whether output is a line of the test framework's own.
func isMarker(raw []byte) bool {
	raw = bytes.TrimLeft(raw, " ")
	return bytes.HasPrefix(raw, []byte("=== ")) || bytes.HasPrefix(raw, []byte("--- "))
}
