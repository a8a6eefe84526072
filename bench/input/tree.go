package input

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

const (
	folderFiles = 100 // files of one folder
	private     = 0o600
	privateDir  = 0o700
)

// SmallJUnit fills a new folder with n small JUnit files, a hundred to a folder.
func SmallJUnit(dir string, n int) (Facts, error) {
	var total Facts
	err := spread(dir, n, "TEST-%06d.xml", func(w io.Writer, i int) error {
		f, err := JUnitSmall(w, uint64(i)+1) //nolint:gosec // a file's number, from 0 to n
		total.Bytes += f.Bytes
		total.Tests += f.Tests
		return err
	})
	return total, err
}

// Tree fills a new folder with n empty files, one in a thousand of which ends in .result, and gives how many do.
func Tree(dir string, n int) (matching int, err error) {
	err = spread(dir, n, "part-%06d.dat", func(io.Writer, int) error { return nil })
	for i := 0; i < n && err == nil; i += 1000 {
		matching++
		err = os.WriteFile(filepath.Join(folder(dir, i), strconv.Itoa(i)+".result"), []byte("done\n"), private)
	}
	if err != nil {
		return 0, fmt.Errorf("write the tree: %w", err)
	}
	return matching, nil
}

func folder(dir string, i int) string {
	return filepath.Join(dir, fmt.Sprintf("module-%02d", i/folderFiles%50), fmt.Sprintf("out-%04d", i/folderFiles/50))
}

// spread writes n files below dir.
func spread(dir string, n int, name string, write func(w io.Writer, i int) error) error {
	for i := range n {
		at := folder(dir, i)
		if i%folderFiles == 0 {
			if err := os.MkdirAll(at, privateDir); err != nil {
				return err
			}
		}
		if err := writeFile(filepath.Join(at, fmt.Sprintf(name, i)), func(w io.Writer) error { return write(w, i) }); err != nil {
			return err
		}
	}
	return nil
}

// File writes one file of a kind.
func File(path string, kind Kind, size int64) (facts Facts, err error) {
	err = writeFile(path, func(w io.Writer) error {
		facts, err = kind.Write(w, size)
		return err
	})
	return facts, err
}

func writeFile(path string, write func(w io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, private)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		_ = f.Close() // the first error is the one to tell
		return fmt.Errorf("write %s: %w", path, err)
	}
	return f.Close()
}
