package coverage

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	// slack is how far a declared rate may be off, in hundredths of a percent: tools round, and some count what they
	// declare in another way than they record (a line that two functions share, twice).
	slack = 200
	// wideSlack is slack where what is declared is counted in another unit: of lines, some hold many statements.
	wideSlack = 2500
)

// declared is a total that a file declares besides its records.
type declared struct {
	what    string
	total   Count
	counted bool
	rate    int // hundredths of a percent, if rated
	rated   bool
	broken  string // a number that cannot be read
	// records are the ways to count the records; the declared count is right if it is one of them. The first is what counts
	// in the end: another way is only one if its rate is about the same.
	records []Count
	// unit says that what is declared is counted in another unit, so that only all, nothing and rates can be compared.
	unit bool
}

// against says how the declared total contradicts the records, "" if it does not.
func (d *declared) against() string {
	seen := d.records[0]
	switch {
	case d.broken != "" && seen.Total > 0:
		return fmt.Sprintf("%s cannot be read: %q", d.what, d.broken)
	case d.counted && !d.right():
		return fmt.Sprintf("%s: %d of %d declared, %d of %d recorded", d.what, d.total.Covered, d.total.Total, seen.Covered, seen.Total)
	case d.rated && !slices.ContainsFunc(d.ways(), func(r Count) bool { return !off(d.rate, rateOf(r), slack) }):
		return fmt.Sprintf("%s: %d.%02d %% declared, %d of %d recorded", d.what, d.rate/100, d.rate%100, seen.Covered, seen.Total)
	}
	return ""
}

func (d *declared) right() bool {
	c, seen := d.total, d.records[0]
	if d.unit {
		return (c.Covered == 0) == (seen.Covered == 0) && (c.Total == 0) == (seen.Total == 0) &&
			(c.Covered < c.Total || seen.Covered == seen.Total) && c.Covered <= c.Total && !off(rateOf(c), rateOf(seen), wideSlack)
	}
	for _, r := range d.ways() {
		if c.Covered == r.Covered && c.Total <= r.Total {
			return true // fewer lines with the same cover is a lower rate than the records'
		}
	}
	return c.Covered >= 0 && c.Covered <= c.Total && (c.Total > 0) == (seen.Total > 0) && !off(rateOf(c), rateOf(seen), slack)
}

// ways are the ways to count the records that come to about the same rate.
func (d *declared) ways() []Count {
	seen := rateOf(d.records[0])
	return slices.DeleteFunc(slices.Clone(d.records), func(r Count) bool { return off(rateOf(r), seen, slack) })
}

// rateOf is a count's rate in hundredths of a percent; of nothing it is 0.
func rateOf(c Count) int {
	if c.Total <= 0 {
		return 0
	}
	return int(math.Round(float64(c.Covered) / float64(c.Total) * 10000))
}

func off(a, b, slack int) bool { return a-b > slack || b-a > slack }

// parseRate reads a rate between 0 and 1; some tools write it with a comma, as their user's language does.
func (d *declared) parseRate(text string) {
	f, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(text), ",", ".", 1), 64)
	if err != nil || math.IsNaN(f) || f < 0 || f > 1 {
		d.broken = clip(text)
		return
	}
	d.rate, d.rated = int(math.Round(f*10000)), true
}

// parseCounts reads how many of how many are covered.
func (d *declared) parseCounts(covered, total string) {
	c, err1 := strconv.ParseInt(strings.TrimSpace(covered), 10, 32)
	t, err2 := strconv.ParseInt(strings.TrimSpace(total), 10, 32)
	if err1 != nil || err2 != nil || c < 0 || t < 0 {
		d.broken = clip(covered + "/" + total)
		return
	}
	d.total, d.counted = Count{int(c), int(t)}, true
}

// clip bounds a text for a message.
func clip(s string) string {
	if len(s) > 100 {
		s = s[:100] + "…"
	}
	return strings.ToValidUTF8(s, "\ufffd")
}
