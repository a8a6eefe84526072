package mishap

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// nobody is the user that owns nothing, on every Linux.
const nobody = 65534

// patience is how long a test of another user may take, as the test program reads it.
const patience = "2m"

// AsNobody has the user nobody run one test of the running test program, for tests in which permissions have to bind while
// root runs the others. Temporary folders are made in folder, which is given to that user. It gives what the test said,
// and an error if it did not pass; ErrUnsupported where this process may not change users.
func AsNobody(test, folder string) ([]byte, error) {
	if err := os.Chown(folder, nobody, nobody); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	program, err := os.Open("/proc/self/exe") // its folder may be closed to the user
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	defer func() { _ = program.Close() }()                                                                              // it was only read
	c := exec.Command("/proc/self/fd/3", "-test.run=^"+test+"$", "-test.v", "-test.count=1", "-test.timeout="+patience) //nolint:gosec // G204: this very program, and a test that a test names
	c.ExtraFiles = []*os.File{program}
	c.Env = append(os.Environ(), "TMPDIR="+folder, "HOME="+folder)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := c.CombinedOutput()
	if errors.Is(err, syscall.EPERM) {
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	if err == nil && !bytes.Contains(out, []byte("--- PASS: "+test+" ")) {
		err = errors.New("the test was not run")
	}
	return out, err
}
