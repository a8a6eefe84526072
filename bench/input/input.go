// Package input writes the files that the benchmarks read: results of made-up test suites, the same bytes at every
// call, of any size, without holding them in memory.
//
// It decides nothing and stands for no real project's results. The shares of failures, skips and output are those
// of large suites that mostly pass.
package input

import (
	"bufio"
	"io"
	"math"
	"strconv"
)

// Kind is one kind of file that can be written.
type Kind struct {
	Name  string // as the command line names it
	Ext   string // the file's extension, with its dot
	Write func(w io.Writer, size int64) (Facts, error)
}

// Facts are what a reader must find in a file.
type Facts struct {
	Bytes int64
	Tests int // records of tests, -1 where the file is no result file
}

// Kinds lists the kinds in name order. Each writes at least size bytes and ends the document that it is in.
func Kinds() []Kind {
	return []Kind{
		{"ctrf", ".json", CTRF},
		{"go-json", ".json", GoJSON},
		{"junit", ".xml", JUnit},
		{"junit-cases", ".xml", JUnitCases},
		{"junit-cdata", ".xml", JUnitCDATA},
		{"noise", ".bin", Noise},
		{"nunit", ".xml", NUnit},
		{"tap-flat", ".tap", TAPFlat},
		{"tap-nested", ".tap", TAPNested},
		{"trx", ".trx", TRX},
	}
}

// dice gives numbers that look random and are the same at every run (splitmix64, Steele and others, 2014).
type dice uint64

func (d *dice) next() uint64 {
	*d += 0x9E3779B97F4A7C15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// oneIn is true once in n times.
func (d *dice) oneIn(n uint64) bool { return d.next()%n == 0 }

// digits gives a number from 0 to limit-1 as text.
func (d *dice) digits(limit uint64) string { return strconv.FormatUint(d.next()%limit, 10) }

// page is a buffered writer that counts.
type page struct {
	w     *bufio.Writer
	facts Facts
	dice  dice
}

const pageBytes = 64 << 10

func newPage(w io.Writer, seed uint64) *page {
	return &page{w: bufio.NewWriterSize(w, pageBytes), dice: dice(seed)}
}

// put writes text. An error stays in the writer until done, and the size is reached at once.
func (p *page) put(parts ...string) {
	for _, s := range parts {
		if _, err := p.w.WriteString(s); err != nil {
			p.facts.Bytes = math.MaxInt64
			return
		}
		p.facts.Bytes += int64(len(s))
	}
}

// test counts one record and gives its number.
func (p *page) test() string {
	p.facts.Tests++
	return strconv.Itoa(p.facts.Tests)
}

func (p *page) done() (Facts, error) { return p.facts, p.w.Flush() }

// Noise writes bytes that no format knows and no compression helps.
func Noise(w io.Writer, size int64) (Facts, error) {
	p := newPage(w, 1)
	var word [8]byte
	for p.facts.Bytes < size {
		n := p.dice.next()
		for i := range word {
			word[i] = byte(n >> (8 * i) & 0xFF)
		}
		p.put(string(word[:]))
	}
	p.facts.Tests = -1
	return p.done()
}
