package testresult

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// junitDialect says how a runner writes a test's name, where that is not class and name with a dot.
type junitDialect uint8

const (
	plainDialect   junitDialect = iota
	pytestDialect               // module.Class::name
	vitestDialect               // file > describe > it: the name has the describes, the class the file
	jestDialect                 // class > name, both chosen by the project
	mochaDialect                // the name alone is the full title
	nextestDialect              // binary name
)

// maxPath bounds the suite path that is written out in every record's key, in bytes. A longer one is
// replaced by its digest: copied into each of many records it would cost more than linear time.
const maxPath = 1 << 10

// junitNames builds the identity of records.
type junitNames struct {
	dialect  junitDialect
	nodeRoot bool   // the root has no name: with class "test" it is Node's
	path     []byte // names of the open suites, joined by keySeparator
	digest   []byte // of path, while it is longer than maxPath and a record has asked for it
	digested int    // length of the path that digest is of
	name     []byte // of the open case, as are the next ones
	class    []byte
	phpClass []byte
	file     []byte
	line     int
	held     []byte // their bytes, where other tags may follow before the case ends
	property []byte
	identity []byte
	plain    bool // the names have no control characters
	texts    textBlock
}

// textBlockBytes is how many bytes of records' names are allocated at once: one string for each record would cost more
// than reading it. A name that is kept keeps its block.
const textBlockBytes = 4 << 10

// textBlock makes strings, many of one allocation.
type textBlock struct{ b strings.Builder }

// add makes a string of b.
func (t *textBlock) add(b []byte) string {
	if t.b.Cap()-t.b.Len() < len(b) {
		t.b.Reset()
		t.b.Grow(max(textBlockBytes, len(b)))
	}
	at := t.b.Len()
	t.b.Write(b)
	return t.b.String()[at:]
}

func (j *junitNames) openSuite(x *xmlScanner) {
	name := x.attr(atName)
	if x.depth == 1 {
		j.nodeRoot = x.kind == elSuites && x.set&(1<<atName) == 0
	}
	switch string(name) {
	case "pytest", "pytest tests":
		j.dialect = pytestDialect
	case "vitest tests":
		j.dialect = vitestDialect
	case "jest tests":
		j.dialect = jestDialect
	case "Mocha Tests":
		j.dialect = mochaDialect
	case "nextest-run":
		j.dialect = nextestDialect
	}
	if x.kind != elSuite {
		return
	}
	j.digested = 0
	if len(j.path) > 0 {
		j.path = append(j.path, keySeparator...)
	}
	at := len(j.path)
	j.path = append(j.path, name...)
	oneLine(j.path[at:])
}

// closeSuite goes back to a path of n bytes.
func (j *junitNames) closeSuite(n int) { j.path, j.digested = j.path[:n], 0 }

// oneLine makes spaces of the line ends and tabs of a value, as XML normalizes attributes.
func oneLine(b []byte) {
	for i := firstControl(b); i < len(b); i++ {
		if b[i] < ' ' {
			b[i] = ' '
		}
	}
}

// setCase takes the names of a test case from its start tag.
func (j *junitNames) setCase(x *xmlScanner) {
	j.line = 0
	if x.set&(1<<atLine) != 0 {
		j.line = max(0, number(x.attr(atLine)))
	}
	j.plain = x.inWindow
	j.name, j.class, j.phpClass, j.file = x.attr(atName), x.attr(atClassname), x.attr(atClass), x.attr(atFile)
	if x.pendEnd {
		return // the case ends before another tag overwrites them
	}
	b := j.held[:0]
	b = append(b, j.name...)
	b = append(b, j.class...)
	b = append(b, j.phpClass...)
	b = append(b, j.file...)
	j.held = b
	j.name, b = b[:len(j.name)], b[len(j.name):]
	j.class, b = b[:len(j.class)], b[len(j.class):]
	j.phpClass, b = b[:len(j.phpClass)], b[len(j.phpClass):]
	j.file = b
}

// key is the record's identity. It is valid until the next call.
func (j *junitNames) key() []byte {
	j.identity = j.appendKey(j.identity[:0])
	return j.identity
}

func (j *junitNames) appendKey(b []byte) []byte {
	b = append(b, j.suitePath()...)
	b = append(b, keySeparator...)
	pathEnd := len(b)
	b = append(b, j.class...)
	b = append(b, keySeparator...)
	b = append(b, j.name...)
	if !j.plain {
		oneLine(b[pathEnd : pathEnd+len(j.class)])
		oneLine(b[len(b)-len(j.name):])
	}
	return b
}

// build fills in the record's names. One string holds them all.
func (j *junitNames) build(c *Case) {
	b := j.appendID(j.identity[:0])
	idEnd := len(b)
	if !j.plain {
		oneLine(b)
	}
	b = j.appendKey(b)
	keyEnd := len(b)
	b = append(b, j.file...)
	j.identity = b
	all := j.texts.add(b)
	*c = Case{
		ID: all[:idEnd], Key: all[idEnd:keyEnd], Name: all[keyEnd-len(j.name) : keyEnd],
		File: all[keyEnd:], Line: j.line,
	}
}

// suitePath returns the path of the open suites, or its digest.
func (j *junitNames) suitePath() []byte {
	if len(j.path) <= maxPath {
		return j.path
	}
	if j.digested == 0 {
		sum := sha256.Sum256(j.path)
		j.digest = hex.AppendEncode(append(j.digest[:0], "sha256:"...), sum[:])
		j.digested = len(j.path)
	}
	return j.digest
}

// appendID appends the runner's own text form.
func (j *junitNames) appendID(b []byte) []byte {
	class, sep := j.class, "."
	switch j.dialect {
	case pytestDialect:
		sep = "::"
	case vitestDialect, jestDialect:
		sep = " > "
	case nextestDialect:
		sep = " "
	case mochaDialect:
		return append(b, j.name...)
	case plainDialect:
		if len(j.phpClass) > 0 {
			class, sep = j.phpClass, "::"
		} else if j.nodeRoot && string(class) == "test" {
			for _, suite := range bytes.Split(j.suitePath(), []byte(keySeparator)) {
				if len(suite) > 0 {
					b = append(append(b, suite...), " > "...)
				}
			}
			return append(b, j.name...)
		}
	}
	if len(class) == 0 || bytes.Equal(class, j.name) {
		return append(b, j.name...)
	}
	if rest, ok := bytes.CutPrefix(j.name, class); ok && bytes.HasPrefix(rest, []byte(sep)) {
		return append(b, j.name...)
	}
	return append(append(append(b, class...), sep...), j.name...)
}
