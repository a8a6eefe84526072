package contract

import (
	"strconv"
	"strings"
)

// maxQuoted bounds, in characters, how much of a contract's text a message repeats.
const maxQuoted = 64

// quote shows text of the contract on one line, escaped and bounded.
func quote(s string) string { return strconv.Quote(clip(s)) }

// clip bounds text to maxQuoted characters.
func clip(s string) string {
	n := 0
	for i := range s {
		if n == maxQuoted {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// nearest is the known name that s most likely stands for, "" if none is near. Case, `-` and `_` do not
// count; otherwise a third of the letters may differ.
func nearest(s string, known []string) string {
	if len(s) > maxQuoted {
		return ""
	}
	fold := strings.NewReplacer("-", "_").Replace
	want := fold(strings.ToLower(s))
	best, bestDistance := "", max(len(want)/3, 1)+1
	for _, k := range known {
		if len(k) > maxQuoted {
			continue
		}
		if d := distance(want, fold(strings.ToLower(k))); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// leastStem is the shortest word, in bytes, by which a key is known from its beginning.
const leastStem = 3

// begins is the first known name that begins with the word s, such as min_executed for min, or that s begins with, such
// as fresh for freshness; "" if there is none.
func begins(s string, known []string) string {
	s = strings.ReplaceAll(strings.ToLower(s), "-", "_")
	if len(s) > maxQuoted {
		return ""
	}
	for _, k := range known {
		stem, _, _ := strings.Cut(k, "_")
		if len(s) >= leastStem && strings.HasPrefix(k, s+"_") || len(stem) >= leastStem && strings.HasPrefix(s, stem) {
			return k
		}
	}
	return ""
}

// distance is the number of single-letter edits and swaps of neighbours between a and b.
func distance(a, b string) int {
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
