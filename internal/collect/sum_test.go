package collect

import "crypto/sha1" //nolint:gosec // G505: git's own digest

func sha1Sum(b []byte) []byte {
	sum := sha1.Sum(b) //nolint:gosec // G401: git's own digest
	return sum[:]
}
