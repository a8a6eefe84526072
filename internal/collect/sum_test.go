package collect

import "crypto/sha1"

func sha1Sum(b []byte) []byte {
	sum := sha1.Sum(b)
	return sum[:]
}
