//go:build !unix

package collect

import "testing"

// pipe skips the test: no path of a directory tree names a pipe here.
func pipe(t *testing.T, _ string) {
	t.Helper()
	t.Skip("this system has no named pipes in directories")
}
