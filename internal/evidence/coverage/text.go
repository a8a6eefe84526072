package coverage

import (
	"bufio"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// eachLine calls line for every line of a text, its end taken off.
func eachLine(r *bufio.Reader, line func(text string) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 64<<10), maxText)
	for n := 1; s.Scan(); n++ {
		if err := line(s.Text()); err != nil {
			var d *defect
			if errors.As(err, &d) && d.line == 0 {
				d.line = n
			}
			return err
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return overLimit("a line has over %d bytes", maxText)
	}
	return s.Err()
}

// parseHits reads how often something ran: only whether it did counts, however large the number. Counters that
// overflowed are negative and show nothing.
func parseHits(text string) (hit bool, err error) {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || len(digits) > 40 || strings.Trim(digits, "0123456789") != "" {
		return false, invalid("%q is no number of hits", clip(text))
	}
	return len(digits) == len(text) && strings.Trim(digits, "0") != "", nil
}

func parseLine(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, invalid("%q is no line number", clip(text))
	}
	return int(n), nil
}

// detectLCOV looks for the first record of a tracefile (geninfo(1), FILES).
func detectLCOV(head string) bool {
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' {
			return strings.HasPrefix(line, "TN:") || strings.HasPrefix(line, "SF:")
		}
	}
	return false
}

// readLCOV reads a tracefile: DA records are lines, LF and LH what a section declares. Functions and branches are
// left alone.
func readLCOV(b *builder, r *bufio.Reader) error {
	var f *File
	var lines tally // of the section
	var found, hit string
	sections := 0
	all, records := declared{what: "its lines", counted: true}, Count{} // of the sections that declare theirs
	err := eachLine(r, func(text string) error {
		text = strings.TrimSpace(text)
		key, value, ok := strings.Cut(text, ":")
		switch {
		case text == "" || text[0] == '#':
			return nil
		case text == "end_of_record":
			if f == nil {
				return invalid("a section ends that did not begin")
			}
			section := lines.end()
			if found != "" || hit != "" {
				d := declared{}
				d.parseCounts(hit, found)
				all.total, records = all.total.Plus(d.total), records.Plus(section)
				if d.broken != "" {
					all.broken = d.broken
				}
			}
			f, found, hit = nil, "", ""
			return nil
		case !ok || key == "" || strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "":
			return invalid("%q is no record", clip(text))
		case key == "SF":
			if f != nil {
				return invalid("a section begins inside another")
			}
			var err error
			if f, err = b.file(value, ""); err == nil {
				sections++
				b.part(f, strconv.Itoa(sections))
			}
			return err
		case key == "TN" || key == "VER":
			return nil
		case f == nil:
			return invalid("a record %q outside of a section", clip(key))
		case key == "LF":
			found = value
		case key == "LH":
			hit = value
		case key == "DA":
			return b.lcovLine(f, &lines, value)
		}
		return nil
	})
	if err == nil && f != nil {
		return &defect{problem: ProblemIncomplete, detail: "its last section does not end"}
	}
	all.records = []Count{records}
	b.declared = append(b.declared, all)
	return err
}

// lcovLine reads "line,hits" with an optional checksum.
func (b *builder) lcovLine(f *File, section *tally, value string) error {
	number, rest, ok := strings.Cut(value, ",")
	if !ok {
		return invalid("a line without hits: %q", clip(value))
	}
	n, err := parseLine(number)
	if err != nil {
		return err
	}
	hits, _, _ := strings.Cut(rest, ",")
	hit, err := parseHits(hits)
	if err != nil {
		return err
	}
	if err := b.line(f, n, hit); err != nil {
		return err
	}
	section.set(n, hit)
	return nil
}

func detectGo(head string) bool { return strings.HasPrefix(head, "mode: ") }

// readGo reads a profile of go test -coverprofile (golang.org/x/tools/cover): a line with the mode, then one line a
// block. Profiles that were put one after the other are read as one.
func readGo(b *builder, r *bufio.Reader) error {
	index := map[*File]map[place]int{}
	err := eachLine(r, func(text string) error {
		text = strings.TrimRight(text, " \t")
		if text == "" {
			return nil
		}
		if mode, ok := strings.CutPrefix(text, "mode: "); ok {
			if mode != "set" && mode != "count" && mode != "atomic" {
				return invalid("mode %q", clip(mode))
			}
			return nil
		}
		name, block, err := parseBlock(text)
		if err != nil {
			return err
		}
		f, err := b.file(name, "")
		if err != nil {
			return err
		}
		at := index[f]
		if at == nil {
			at = map[place]int{}
			index[f] = at
		}
		i, ok := at[block.place()]
		if !ok {
			const taken = 64 // a block and its entry in the index
			at[block.place()] = len(f.Blocks)
			f.Blocks = append(f.Blocks, block)
			return b.hold(taken)
		}
		if f.Blocks[i].Statements != block.Statements {
			return invalid("a block of %s has %d statements and %d", f.Name, f.Blocks[i].Statements, block.Statements)
		}
		f.Blocks[i].Hit = f.Blocks[i].Hit || block.Hit
		return nil
	})
	if err != nil {
		return err
	}
	for f := range index {
		slices.SortFunc(f.Blocks, byPlace)
		if err := b.blockLines(f); err != nil {
			return err
		}
	}
	return nil
}

// blockLines makes lines of blocks: a line that several blocks share is covered if one of them is, so that the line
// of a condition is not taken for the body that begins at its end.
func (b *builder) blockLines(f *File) error {
	for i := range f.Blocks {
		k := &f.Blocks[i]
		if k.Statements == 0 {
			continue
		}
		if b.spread += int(k.LastLine-k.FirstLine) + 1; b.spread > maxSpread {
			return overLimit("its blocks lie over each other")
		}
		for n := k.FirstLine; n <= k.LastLine; n++ {
			if err := b.line(f, int(n), k.Hit); err != nil {
				return err
			}
		}
	}
	return nil
}

// parseBlock reads "name:line.column,line.column statements count".
func parseBlock(text string) (name string, b Block, err error) {
	bad := invalid("%q is no block", clip(text))
	colon := strings.LastIndexByte(text, ':')
	if colon <= 0 {
		return "", b, bad
	}
	fields := strings.Split(text[colon+1:], " ")
	if len(fields) != 3 {
		return "", b, bad
	}
	from, to, ok := strings.Cut(fields[0], ",")
	if !ok {
		return "", b, bad
	}
	for _, x := range []struct {
		text         string
		line, column *uint32
	}{{from, &b.FirstLine, &b.FirstColumn}, {to, &b.LastLine, &b.LastColumn}} {
		line, column, ok := strings.Cut(x.text, ".")
		l, err1 := strconv.ParseUint(line, 10, 31)
		c, err2 := strconv.ParseUint(column, 10, 31)
		if !ok || err1 != nil || err2 != nil || l > maxLine {
			return "", b, bad
		}
		*x.line, *x.column = uint32(l), uint32(c)
	}
	n, err := strconv.ParseUint(fields[1], 10, 20)
	if err != nil || b.LastLine < b.FirstLine {
		return "", b, bad
	}
	b.Statements = uint32(n)
	if b.Hit, err = parseHits(fields[2]); err != nil {
		return "", b, bad
	}
	return text[:colon], b, nil
}
