package evidence

import (
	"slices"
	"strings"
)

const (
	// maxNearBytes is the longest name that is compared for a near miss; comparing takes the product of both lengths.
	maxNearBytes = 100
	// maxNearKeys is how many names are compared.
	maxNearKeys = 1000
)

// nearKey is the key of m that differs from want by at most a third of its letters, "" if there is none. Of several
// equally near ones it is the first in name order.
func nearKey[V any](m map[string]V, want string) string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return nearest(keys, want)
}

// nearest is the name that differs from want by at most a third of its letters, ignoring case; "" if none does.
func nearest(names []string, want string) string {
	if len(want) == 0 || len(want) > maxNearBytes {
		return ""
	}
	best, bestAt := len(want)/3+1, ""
	for _, n := range names[:min(len(names), maxNearKeys)] {
		if n == "" || len(n) > maxNearBytes {
			continue
		}
		if d := distance(strings.ToLower(n), strings.ToLower(want)); d < best {
			best, bestAt = d, n
		}
	}
	return clip(bestAt, maxNearBytes)
}

// distance is the Levenshtein distance of a and b in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left, diag := i+1, i
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			up := row[j+1]
			row[j] = left
			left = min(left+1, up+1, diag+cost)
			diag = up
		}
		row[len(b)] = left
	}
	return row[len(b)]
}
