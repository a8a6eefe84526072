package prompt

import (
	"bytes"
	"fmt"
	"strings"
)

// The marks around the block, each on a line of its own.
const (
	Begin = "<!-- outcome-gate:begin -->"
	End   = "<!-- outcome-gate:end -->"
)

// Refusal is a file that no block can be put into, with the one thing to try.
type Refusal struct{ Reason, Hint string }

// Error is the reason.
func (r *Refusal) Error() string { return r.Reason }

// span is where the block stands in a file: from the begin mark to behind the end mark, without its line break.
type span struct{ from, to int }

// find finds the block of a file; nil if there is none. name is for messages.
func find(name string, data []byte) (*span, error) {
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, &Refusal{name + " holds a zero byte, so it is no text in UTF-8", "save it as UTF-8"}
	}
	begins, ends := lines(data, Begin), lines(data, End)
	switch {
	case len(begins) == 0 && len(ends) == 0:
		return nil, nil
	case len(begins) > 1 || len(ends) > 1:
		return nil, &Refusal{fmt.Sprintf("%s has %d lines %s and %d lines %s", name, len(begins), Begin, len(ends), End), "leave one of each, or remove them all"}
	case len(ends) == 0:
		return nil, &Refusal{fmt.Sprintf("%s:%d: the block is not closed: no line %s follows", name, begins[0].number, End), "close it, or remove the mark"}
	case len(begins) == 0:
		return nil, &Refusal{fmt.Sprintf("%s:%d: the block has no begin: no line %s stands before", name, ends[0].number, Begin), "open it, or remove the mark"}
	case ends[0].from < begins[0].from:
		return nil, &Refusal{fmt.Sprintf("%s:%d: the block ends before it begins", name, ends[0].number), "put the marks in order, or remove them"}
	}
	return &span{begins[0].from, ends[0].to}, nil
}

// line is one line of a file without its break.
type line struct{ number, from, to int }

// lines are those that hold only text.
func lines(data []byte, text string) []line {
	var out []line
	at, number := 0, 0
	for l := range bytes.Lines(data) {
		number++
		bare := bytes.TrimRight(l, "\r\n")
		if string(bytes.TrimSpace(bare)) == text {
			out = append(out, line{number, at, at + len(bare)})
		}
		at += len(l)
	}
	return out
}

// Splice is a file with the block in it: in the place of the one that is there, else at the end. Everything else stays
// as it is, byte for byte, and the block takes the line breaks of the file. The error is a *Refusal.
func Splice(name string, before []byte, block string) ([]byte, error) {
	at, err := find(name, before)
	if err != nil {
		return nil, err
	}
	nl := "\n"
	if bytes.Contains(before, []byte("\r\n")) {
		nl = "\r\n"
		block = strings.ReplaceAll(block, "\n", nl)
	}
	if at == nil {
		out := append([]byte{}, before...)
		if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
			out = append(out, nl...)
		}
		if len(out) > 0 {
			out = append(out, nl...)
		}
		return append(out, block...), nil
	}
	out := append([]byte{}, before[:at.from]...)
	out = append(out, strings.TrimSuffix(block, nl)...)
	return append(out, before[at.to:]...), nil
}

// Compared is how the block of a file differs from what it should be.
type Compared struct {
	Absent  bool     // the file has no block
	Missing []string // lines that the block lacks, in order, at most maxDiffering
	Extra   []string // lines that it has and should not
	More    int      // differing lines that are not named
	Order   bool     // it has the same lines in another order
}

// maxDiffering bounds the lines of each kind that are named: they say what to look at, and --write repairs them all.
const maxDiffering = 5

// Equal says whether nothing differs.
func (c *Compared) Equal() bool {
	return !c.Absent && !c.Order && len(c.Missing) == 0 && len(c.Extra) == 0
}

// Compare holds the block of a file to block, whatever its line breaks are. The error is a *Refusal.
func Compare(name string, file []byte, block string) (Compared, error) {
	var c Compared
	at, err := find(name, file)
	if err != nil {
		return c, err
	}
	if at == nil {
		c.Absent = true
		return c, nil
	}
	have := strings.Split(strings.ReplaceAll(string(file[at.from:at.to]), "\r\n", "\n"), "\n")
	want := strings.Split(strings.TrimSuffix(block, "\n"), "\n")
	c.Missing, c.Extra = c.without(want, have), c.without(have, want)
	c.Order = len(c.Missing) == 0 && len(c.Extra) == 0 && strings.Join(have, "\n") != strings.Join(want, "\n")
	return c, nil
}

// without are the lines of a that b does not have as often.
func (c *Compared) without(a, b []string) []string {
	left := map[string]int{}
	for _, l := range b {
		left[l]++
	}
	var out []string
	for _, l := range a {
		if left[l]--; left[l] >= 0 {
			continue
		}
		if len(out) == maxDiffering {
			c.More++
			continue
		}
		out = append(out, l)
	}
	return out
}
