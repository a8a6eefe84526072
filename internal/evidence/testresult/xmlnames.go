package testresult

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
)

// nameParts are the names of a record. Key stands for the class in the identity where the class is not known; full
// is the runner's own text form, where it writes one.
type nameParts struct{ path, class, key, name, full, file []byte }

// xmlNames builds the identity of one record of a .NET format: it holds the names while the record is open and
// other tags follow.
type xmlNames struct {
	nameParts
	line int
	held []byte
	out  []byte
}

// hold copies the names of a record, each as one line. A name that repeats its class is cut to what follows it.
func (n *xmlNames) hold(p nameParts) {
	if rest, ok := bytes.CutPrefix(p.name, p.class); ok && len(p.class) > 0 && len(rest) > 1 && rest[0] == '.' {
		p.name = rest[1:]
	}
	b := n.held[:0]
	for _, part := range [...][]byte{p.path, p.class, p.key, p.name, p.full, p.file} {
		b = append(b, part...)
	}
	oneLine(b)
	n.held, n.line = b, 0
	take := func(size int) []byte {
		part := b[:size:size]
		b = b[size:]
		return part
	}
	n.path, n.class, n.key = take(len(p.path)), take(len(p.class)), take(len(p.key))
	n.name, n.full, n.file = take(len(p.name)), take(len(p.full)), take(len(p.file))
}

// build fills in the record's names. One string holds them all.
func (n *xmlNames) build(c *Case) {
	b := n.out[:0]
	b = append(b, n.full...)
	if len(b) == 0 {
		if len(n.class) > 0 {
			b = append(append(b, n.class...), '.')
		}
		b = append(b, n.name...)
	}
	idEnd := len(b)
	b = append(append(b, n.path...), keySeparator...)
	if len(n.class) > 0 {
		b = append(b, n.class...)
	} else {
		b = append(b, n.key...)
	}
	b = append(append(b, keySeparator...), n.name...)
	keyEnd := len(b)
	b = append(b, n.file...)
	n.out = b
	all := string(b)
	*c = Case{
		ID: all[:idEnd], Key: all[idEnd:keyEnd], Name: all[keyEnd-len(n.name) : keyEnd],
		File: all[keyEnd:], Line: n.line,
	}
}

// assemblyName appends the last part of an assembly's path, which differs from machine to machine, or the digest
// of one that would cost more than linear time when it is written out in every record's key.
func assemblyName(to, path []byte) []byte {
	name := path[bytes.LastIndexAny(path, `/\`)+1:]
	if len(name) > maxPath {
		sum := sha256.Sum256(name)
		return hex.AppendEncode(append(to, "sha256:"...), sum[:])
	}
	return append(to, name...)
}

// xmlMessage collects the first line of a record's first failure from the text of an element.
type xmlMessage struct {
	line    []byte
	depth   int
	reading bool
}

func (m *xmlMessage) reset() { *m = xmlMessage{line: m.line[:0]} }

// begin starts to collect at the element just started, unless there is a line already.
func (m *xmlMessage) begin(x *xmlScanner) {
	if len(m.line) == 0 && !m.reading {
		m.reading, m.depth = true, x.depth
		x.collect()
	}
}

// end takes the line if the element just ended is the one.
func (m *xmlMessage) end(x *xmlScanner) {
	if m.reading && x.depth+1 == m.depth {
		m.reading = false
		m.line = append(m.line[:0], firstLine(x.text())...)
	}
}
