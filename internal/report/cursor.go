package report

// lineEnd gives where the line that begins at b ends and where the next one begins. A line ends with a line
// feed, a carriage return or both.
func lineEnd(src []byte, b int) (end, next int) {
	for end = b; end < len(src); end++ {
		switch c := src[end]; {
		case c > '\r':
		case c == '\n', c == '\r' && (end+1 == len(src) || src[end+1] != '\n'):
			return end, end + 1
		case c == '\r':
			return end, end + 2
		}
	}
	return end, end
}

// cursor is a place in a line. Columns count from the line's start, a tab reaches to the next multiple of
// four.
type cursor struct {
	src  []byte
	at   int // the next byte that is no space or tab
	end  int
	col  int // the column of at
	base int // columns that open containers took
}

func (c *cursor) indent() int { return c.col - c.base }
func (c *cursor) blank() bool { return c.at == c.end }

func (c *cursor) skip() {
	for ; c.at < c.end; c.at++ {
		switch c.src[c.at] {
		case ' ':
			c.col++
		case '\t':
			c.col += 4 - c.col%4
		default:
			return
		}
	}
}

// take moves behind the next k bytes, none of which is a tab, and the white space after them.
func (c *cursor) take(k int) {
	c.at, c.col = c.at+k, c.col+k
	c.skip()
}

// quoteMark takes the mark of a block quote and the column after it, if there is one.
func (c *cursor) quoteMark() bool {
	if c.blank() || c.src[c.at] != '>' || c.indent() >= 4 {
		return false
	}
	c.base = c.col + 1
	if c.take(1); c.col > c.base {
		c.base++
	}
	return true
}

// listMark takes a list item's marker, if there is one. An empty item and a number other than 1 cannot
// interrupt a paragraph.
func (c *cursor) listMark(inParagraph bool) (container, bool) {
	rest := c.src[c.at:c.end]
	k := 0
	switch {
	case rest[0] == '-' || rest[0] == '+' || rest[0] == '*':
		k = 1
	default:
		for k < len(rest) && k < 9 && rest[k] >= '0' && rest[k] <= '9' {
			k++
		}
		if k == 0 || k == len(rest) || rest[k] != '.' && rest[k] != ')' || inParagraph && string(rest[:k]) != "1" {
			return container{}, false
		}
		k++
	}
	after := *c
	after.take(k)
	gap := after.col - (c.col + k)
	width := c.indent() + k + gap
	switch {
	case after.blank() && inParagraph, gap == 0 && !after.blank():
		return container{}, false
	case after.blank(), gap > 4:
		width = c.indent() + k + 1
	}
	after.base = c.base + width
	*c = after
	return container{width: width, empty: c.blank()}, true
}
