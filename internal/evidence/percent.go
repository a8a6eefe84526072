package evidence

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// percent is a percentage in hundredths: 80.5 % is 8050. What is compared with it is counted, never rounded.
type percent int

// UnmarshalJSON takes a number from 0.01 to 100 with at most two decimals.
func (p *percent) UnmarshalJSON(b []byte) error {
	whole, part, dot := strings.Cut(string(b), ".")
	n, err := strconv.ParseUint(whole, 10, 8)
	if err != nil || dot && (part == "" || len(part) > 2) {
		return errors.New("no percentage with at most two decimals")
	}
	m, err := strconv.ParseUint((part + "00")[:2], 10, 8)
	if err != nil {
		return errors.New("no percentage with at most two decimals")
	}
	if *p = percent(n*100 + m); *p < 1 || *p > 10000 {
		return errors.New("a percentage is over 0 and at most 100")
	}
	return nil
}

// String writes it as people do.
func (p percent) String() string {
	if p%100 == 0 {
		return fmt.Sprintf("%d %%", int(p)/100)
	}
	return fmt.Sprintf("%d.%02d %%", int(p)/100, int(p)%100)
}

// fraction counts what is covered of something. Total is the sum of the other two, so that none of them can be changed alone.
type fraction struct {
	Covered int `json:"covered"`
	Missed  int `json:"missed"`
	Total   int `json:"total"`
}

// maxCounted bounds counts of lines, so that products with percentages are exact.
const maxCounted = 1 << 40

func (f *fraction) agree(a *agreement, more int) {
	a.counts(f.Covered, f.Missed, f.Total, more)
	a.hold(f.Total <= maxCounted && f.Covered <= f.Total && f.Missed <= f.Total && more <= f.Total, "a part is more than the whole")
	a.hold(f.Covered+f.Missed+more == f.Total, "covered and missed do not add up")
}

// reaches reports whether at least so many percent of the whole are covered. Nothing reaches nothing.
func (f *fraction) reaches(p percent) bool {
	return f.Total > 0 && f.Covered*10000 >= f.Total*int(p)
}

// share writes the covered share, rounded down so that it never reads as more than it is.
func (f *fraction) share() string {
	if f.Total == 0 {
		return "0 %"
	}
	return percent(f.Covered * 10000 / f.Total).String()
}
