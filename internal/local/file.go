package local

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Limits of the files that a user names, in bytes.
const (
	MaxContract = 256<<10 + 1 // one over the contract's own limit: what is cut there is too large, and its reader says so
	MaxReport   = 16 << 20    // GitHub's bodies end at 64 KiB; the record of a runtime's whole session is megabytes
	MaxEvent    = 4 << 20
	MaxContext  = 4 << 20 // steps, needs and checks
	MaxKey      = 64 << 10
	MaxReceipt  = 64 << 20
)

// UsageError is a value given by the user that cannot be used.
type UsageError struct{ Err error }

// Error is the text of what is wrong.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *UsageError) Unwrap() error { return e.Err }

func usage(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// ReadFile reads a regular file of at most limit bytes that the user names. what says what it is, for errors.
// It never waits: a named pipe or device is refused. A file that is not there, and one that cannot be read whole, are
// the same kind of error, whatever reads it: never a UsageError.
func ReadFile(what, path string, limit int64) ([]byte, error) {
	return readNamed(what, path, func(r io.Reader) ([]byte, error) { return ReadAll(r, limit) })
}

// ReadContract reads a contract that the user names, under the rules of ReadFile but cut at MaxContract.
func ReadContract(path string) ([]byte, error) { return readNamed("contract", path, cutContract) }

func cutContract(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, MaxContract)) }

func readNamed(what, path string, read func(io.Reader) ([]byte, error)) ([]byte, error) {
	fail := func(err error) error {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return fmt.Errorf("read %s %s: %w", what, path, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fail(err)
	}
	if !info.Mode().IsRegular() {
		return nil, fail(notRegular(info.Mode()))
	}
	f, err := os.OpenFile(path, openFlags, 0)
	if err != nil {
		return nil, fail(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	data, err := readRegular(f, read)
	if err != nil {
		return nil, fail(err)
	}
	return data, nil
}

// readRegular reads an open file, if that is a regular one.
func readRegular(f *os.File, read func(io.Reader) ([]byte, error)) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular(info.Mode())
	}
	return read(f)
}

// ReadAll reads at most limit bytes; more is an error.
func ReadAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("it is over the limit of %d bytes", limit)
	}
	return data, nil
}

func notRegular(m fs.FileMode) error {
	kind := "no regular file"
	switch {
	case m.IsDir():
		kind = "a directory"
	case m&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case m&fs.ModeSocket != 0:
		kind = "a socket"
	case m&fs.ModeDevice != 0:
		kind = "a device"
	}
	return fmt.Errorf("it is %s; only regular files are read", kind)
}

// Stream hands a regular file that the user names to read, under the rules of ReadFile but without a limit: what
// reads it keeps no more than it needs.
func Stream(what, path string, read func(io.Reader) error) error {
	_, err := readNamed(what, path, func(r io.Reader) ([]byte, error) { return nil, read(r) })
	return err
}

// Top is the top folder of the repository that dir lies in, found as git finds it: dir or the nearest folder above it
// that holds .git, which may be a file. It is dir where there is none.
func Top(dir string) string {
	if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
		return dir
	}
	if up := repositoryAbove(dir); up != "" {
		return up
	}
	return dir
}

// repositoryAbove is the nearest folder above dir that holds a git repository, as a path from dir; "" if none does.
func repositoryAbove(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for up := filepath.Dir(abs); ; up = filepath.Dir(up) {
		if _, err := os.Stat(filepath.Join(up, ".git")); err == nil {
			rel, err := filepath.Rel(abs, up)
			if err != nil {
				return ""
			}
			return filepath.Join(dir, rel)
		}
		if up == filepath.Dir(up) {
			return ""
		}
	}
}
