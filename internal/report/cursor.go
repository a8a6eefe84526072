package report

import "bytes"

// lineEnd gives where the line that begins at b ends and where the next one begins. A line ends with a line
// feed, a carriage return or both.
func lineEnd(src []byte, b int) (end, next int) {
	k := bytes.IndexAny(src[b:], "\r\n")
	switch {
	case k < 0:
		return len(src), len(src)
	case src[b+k] == '\r' && b+k+1 < len(src) && src[b+k+1] == '\n':
		return b + k, b + k + 2
	default:
		return b + k, b + k + 1
	}
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
