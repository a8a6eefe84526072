package stage

import (
	"crypto/x509"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/outcome-gate/outcome-gate/internal/action"
)

// certificates are those of the image, and further ones that the workflow names. The environment has no say.
func certificates(extra string, c *action.Context) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	found := false
	for _, path := range []string{"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"} {
		if data, err := os.ReadFile(path); err == nil {
			found = pool.AppendCertsFromPEM(data) || found
		}
	}
	if extra != "" {
		path, err := bundlePath(extra, c)
		if err != nil {
			return nil, &action.InputError{Name: "ca-file", Problem: err.Error()}
		}
		data, err := readBundle(path)
		if err != nil {
			return nil, &action.InputError{Name: "ca-file", Problem: err.Error()}
		}
		if !pool.AppendCertsFromPEM(data) {
			return nil, &action.InputError{Name: "ca-file", Problem: "it holds no certificate in PEM"}
		}
		found = true
	}
	if !found {
		return nil, nil //nolint:nilnil // without any the client refuses https, which needs them
	}
	return pool, nil
}

// bundlePath gives the path of the further certificates. The workspace holds what the change wants it to hold, and
// who chooses the certificates can answer as GitHub; so they never come from there, by no link either.
func bundlePath(name string, c *action.Context) (string, error) {
	problem := errors.New("a path inside the runner's temporary folder is needed; in the workspace the change itself could write it")
	path, err := inside(name, c.Temp)
	if err != nil {
		return "", problem
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", err
	}
	for _, dir := range []string{c.Workspace, c.Temp} {
		whole, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return "", err
		}
		rel, err := filepath.Rel(whole, path)
		if within := err == nil && filepath.IsLocal(rel); within != (dir == c.Temp) {
			return "", problem
		}
	}
	return path, nil
}

// maxBundle bounds a certificate bundle: those of whole systems have a quarter of it.
const maxBundle = 1 << 20

// readBundle reads a regular file, and never waits for a pipe that an earlier step put in its place.
func readBundle(path string) (data []byte, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxBundle {
		return nil, errors.New("it is no regular file of at most 1 MiB")
	}
	return io.ReadAll(io.LimitReader(f, maxBundle))
}
