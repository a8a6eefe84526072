package evidence

import "strconv"

// counted is a number with its noun, such as 1 test or 3 tests; words that end otherwise than in s name both forms.
func counted(n int, one string, several ...string) string {
	if n == 1 {
		return "1 " + one
	}
	if len(several) > 0 {
		return strconv.Itoa(n) + " " + several[0]
	}
	return strconv.Itoa(n) + " " + one + "s"
}
