package mishap

import (
	"errors"
	"os"
	"testing"
)

// Bound reports whether permissions bind the user of this process. Where they do not, since root runs the tests, it has
// another user run the same test, which must pass, and skips the test by name where that is not possible.
func Bound(t *testing.T) bool {
	t.Helper()
	if os.Getuid() > 0 {
		return true
	}
	folder, err := os.MkdirTemp("", "nobody-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	out, err := AsNobody(t.Name(), folder)
	if errors.Is(err, ErrUnsupported) {
		t.Skip("permissions do not bind this user: ", err)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}
