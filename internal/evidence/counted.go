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

// share is how many of some files something is said of, with the verb for one and for several.
func share(n, of int, one, several string) string {
	if n != 1 {
		one = several
	}
	return strconv.Itoa(n) + " of " + counted(of, "file") + " " + one
}

// together is finding f, and told with it what g says in the same state: both have to be repaired.
func together(f, g Finding) Finding {
	switch {
	case f.State == Verified:
		return g
	case g.State == f.State && g.Detail != "" && g.Detail != f.Detail:
		f.Detail = clip(f.Detail+"; "+g.Detail, maxDetailBytes)
	}
	return f
}
