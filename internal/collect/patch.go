package collect

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// PatchLines lists the lines that a unified diff adds, as the new file numbers them, and how many there are with the
// blank ones, which are left out. A patch that does not hold what its hunks announce is an error.
func PatchLines(patch string) (lines []evidence.LineRange, added int, err error) {
	var line, oldLeft, newLeft int
	for text := range strings.Lines(patch) {
		text = strings.TrimSuffix(text, "\n")
		if oldLeft == 0 && newLeft == 0 {
			if strings.HasPrefix(text, `\`) {
				continue
			}
			if line, oldLeft, newLeft, err = hunk(text); err != nil {
				return nil, 0, err
			}
			continue
		}
		kind := byte(' ')
		if text != "" {
			kind = text[0]
		}
		switch kind {
		case '+':
			lines = addLine(lines, line, text[1:])
			added++
			line, newLeft = line+1, newLeft-1
		case '-':
			oldLeft--
		case ' ':
			line, oldLeft, newLeft = line+1, oldLeft-1, newLeft-1
		case '\\': // no newline at the end of the file
		default:
			return nil, 0, fmt.Errorf("a patch has the line %.40q", text)
		}
		if oldLeft < 0 || newLeft < 0 {
			return nil, 0, errors.New("a patch has more lines than it announces")
		}
	}
	if oldLeft != 0 || newLeft != 0 {
		return nil, 0, errors.New("a patch is cut off")
	}
	return lines, added, nil
}

// hunk reads "@@ -first,count +first,count @@"; a count of one may be left out.
func hunk(text string) (line, oldLines, newLines int, err error) {
	fields := strings.Fields(text)
	bad := fmt.Errorf("a patch has the line %.40q", text)
	if len(fields) < 4 || fields[0] != "@@" || fields[3] != "@@" || fields[1][0] != '-' || fields[2][0] != '+' {
		return 0, 0, 0, bad
	}
	_, oldLines, ok1 := span(fields[1][1:])
	line, newLines, ok2 := span(fields[2][1:])
	if !ok1 || !ok2 {
		return 0, 0, 0, bad
	}
	return line, oldLines, newLines, nil
}

func span(text string) (first, count int, ok bool) {
	a, b, two := strings.Cut(text, ",")
	if !two {
		b = "1"
	}
	n, err1 := strconv.ParseUint(a, 10, 31)
	m, err2 := strconv.ParseUint(b, 10, 31)
	return int(n), int(m), err1 == nil && err2 == nil
}
