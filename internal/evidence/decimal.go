package evidence

import (
	"errors"
	"strconv"
	"strings"
)

// decimal is a number that is not negative, in billionths: scores are compared exactly, and facts hold no floats.
type decimal int64

const (
	decimalPlaces         = 9
	decimalOne    decimal = 1e9
	// maxDecimalDigits is how many digits may stand before the point: what is over them has no place in 64 bits.
	maxDecimalDigits = 9
)

// UnmarshalJSON takes a JSON number (RFC 8259, section 6) without sign and exponent, of at most nine digits on
// either side of the point.
func (d *decimal) UnmarshalJSON(b []byte) error {
	whole, part, dot := strings.Cut(string(b), ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	if !digits(whole) || len(whole) > maxDecimalDigits || len(whole) > 1 && whole[0] == '0' || dot && (!digits(part) || len(part) > decimalPlaces) {
		return errors.New("it is no plain number of at most nine digits before and after the point")
	}
	n, err := strconv.ParseInt(whole+(part + strings.Repeat("0", decimalPlaces))[:decimalPlaces], 10, 64)
	if err != nil {
		return err
	}
	*d = decimal(n)
	return nil
}

// String writes it without zeros at its end.
func (d decimal) String() string {
	s := strconv.FormatInt(int64(d/decimalOne), 10)
	if part := d % decimalOne; part != 0 {
		digits := strconv.FormatInt(int64(part+decimalOne), 10)[1:]
		s += "." + strings.TrimRight(digits, "0")
	}
	return s
}
