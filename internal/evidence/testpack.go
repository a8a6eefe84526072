package evidence

import (
	"encoding/binary"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

const (
	// packChunkBytes is the size of one block of packed records: doubling one slice would take three times its size.
	packChunkBytes = 64 << 10
	// packFirstBytes is the size of the first block: most of many files hold a handful of tests.
	packFirstBytes = 512
	// maxLine is the highest line number that is kept.
	maxLine = 1 << 30
	// maxMessageTotal bounds the failure messages that one set keeps; facts show twenty.
	maxMessageTotal = 1 << 20
)

// packedCases keeps records in blocks. A record's texts are kept as what they share with the record before and
// what follows.
type packedCases struct {
	blocks   [][]byte
	n, bytes int    // records, and what they take
	id, key  string // of the last record
	messages int    // bytes of messages kept
}

func (p *packedCases) add(c *testresult.Case) {
	b := []byte{byte(c.Status)}
	b = packShared(b, p.id, c.ID)
	b = packKey(b, p.key, c.Key, c.ID)
	if strings.HasSuffix(c.Key, c.Name) {
		b = binary.AppendUvarint(b, uint64(len(c.Name))<<1|1)
	} else {
		b = append(binary.AppendUvarint(b, uint64(len(c.Name))<<1), c.Name...)
	}
	file, line, message := c.File, c.Line, c.Message
	switch classOf(c.Status) {
	case classPassed, classSkipped:
		file, line, message = "", 0, "" // only said of tests that need a look
	case classFlaky, classFailed, classErrored, classUnfinished:
		file, message = clip(file, maxNameBytes), clip(message, maxNameBytes)
		if p.messages += len(file) + len(message); p.messages > maxMessageTotal {
			file, line, message = "", 0, ""
		}
	}
	b = packText(b, file)
	b = binary.AppendUvarint(b, uint64(min(max(line, 0), maxLine)))
	b = packText(b, message)
	if last := len(p.blocks) - 1; last >= 0 && len(p.blocks[last])+len(b) <= cap(p.blocks[last]) {
		p.blocks[last] = append(p.blocks[last], b...)
	} else {
		size := min(max(2*p.bytes, packFirstBytes), packChunkBytes)
		p.blocks = append(p.blocks, append(make([]byte, 0, max(size, len(b))), b...))
	}
	p.n++
	p.bytes += len(b)
	p.id, p.key = c.ID, c.Key
}

func packText(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func packShared(b []byte, before, s string) []byte {
	n := sharedBytes(before, s)
	b = binary.AppendUvarint(b, uint64(n))
	return packText(b, s[n:])
}

// packKey packs a key as what it shares with the key before, what it ends in of the text form, and what is between.
func packKey(b []byte, before, key, id string) []byte {
	n := sharedBytes(before, key)
	rest, end := key[n:], 0
	for end < len(rest) && end < len(id) && rest[len(rest)-1-end] == id[len(id)-1-end] {
		end++
	}
	b = binary.AppendUvarint(b, uint64(n))
	b = binary.AppendUvarint(b, uint64(end))
	return packText(b, rest[:len(rest)-end])
}

// sharedBytes is how many bytes two texts begin with alike.
func sharedBytes(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func (p *packedCases) each(yield func(c *testresult.Case) bool) {
	if p == nil {
		return
	}
	var c testresult.Case
	for _, b := range p.blocks {
		for len(b) > 0 {
			c.Status = testresult.Status(b[0])
			r := unpacker{b: b[1:]}
			c.ID = r.shared(c.ID)
			c.Key = r.key(c.Key, c.ID)
			c.Name, c.File = r.name(c.Key), r.text()
			c.Line = int(min(r.number(), maxLine))
			c.Message = r.text()
			b = r.b
			if !yield(&c) {
				return
			}
		}
	}
}

// unpacker reads what packedCases wrote.
type unpacker struct{ b []byte }

func (u *unpacker) number() uint64 {
	n, size := binary.Uvarint(u.b)
	u.b = u.b[max(size, 0):]
	return n
}

func (u *unpacker) text() string {
	n := u.number()
	s := string(u.b[:n])
	u.b = u.b[n:]
	return s
}

// name reads a name that may be the end of the key.
func (u *unpacker) name(key string) string {
	n := u.number()
	size := n >> 1
	if n&1 == 1 {
		return key[uint64(len(key))-size:]
	}
	s := string(u.b[:size])
	u.b = u.b[size:]
	return s
}

func (u *unpacker) shared(before string) string {
	n := u.number()
	return before[:n] + u.text()
}

func (u *unpacker) key(before, id string) string {
	n, end := u.number(), u.number()
	return before[:n] + u.text() + id[uint64(len(id))-end:]
}
