package input_test

import (
	"bytes"
	"crypto/sha256"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/bench/input"
	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

const smallSize = 300 << 10

// Every kind is the same at every run, as large as was asked for, and holds the tests that it says, by the reader
// whose format it is in.
func TestKinds(t *testing.T) {
	for _, k := range input.Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			var first, second bytes.Buffer
			facts, err := k.Write(&first, smallSize)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := k.Write(&second, smallSize); err != nil {
				t.Fatal(err)
			}
			if sha256.Sum256(first.Bytes()) != sha256.Sum256(second.Bytes()) {
				t.Error("two runs write different bytes")
			}
			if facts.Bytes != int64(first.Len()) || first.Len() < smallSize || first.Len() > smallSize+256<<10 {
				t.Errorf("says %d bytes, writes %d, was asked for %d", facts.Bytes, first.Len(), smallSize)
			}
			res := testresult.Read(bytes.NewReader(first.Bytes()), "", testresult.Limits{}, nil)
			if facts.Tests < 0 {
				if res.Conclusion != testresult.UnknownFormat {
					t.Errorf("is no result file, and is read as %s", res.Format)
				}
				return
			}
			if res.Counts.Tests != facts.Tests || res.Conclusion != testresult.Pass && res.Conclusion != testresult.Fail || len(res.Notes) > 0 {
				t.Errorf("has %d tests, and is read as %+v", facts.Tests, res)
			}
			if format, _, _ := strings.Cut(k.Name, "-c"); !strings.HasPrefix(k.Name, res.Format) {
				t.Errorf("%s is read as %s", format, res.Format)
			}
		})
	}
}

// full is a place where nothing more fits.
type full struct{}

// Write takes nothing.
func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// A writer that takes no more ends every kind with its error, however large it was to be.
func TestKindsEndWithAnError(t *testing.T) {
	for _, k := range input.Kinds() {
		if _, err := k.Write(full{}, 1<<50); err == nil {
			t.Errorf("%s: no error", k.Name)
		}
	}
	for _, h := range input.Hostiles() {
		if _, err := h.Write(full{}, 1<<50); err == nil {
			t.Errorf("%s: no error", h.Name)
		}
	}
}

func TestSmallJUnit(t *testing.T) {
	dir := t.TempDir()
	facts, err := input.SmallJUnit(dir, 120)
	if err != nil {
		t.Fatal(err)
	}
	tests, size := 0, int64(0)
	for i := range 120 {
		var b bytes.Buffer
		one, err := input.JUnitSmall(&b, uint64(i)+1)
		if err != nil {
			t.Fatal(err)
		}
		res := testresult.Read(&b, "junit", testresult.Limits{}, nil)
		if res.Counts.Tests != one.Tests || one.Tests == 0 {
			t.Fatalf("file %d has %d tests, and is read as %+v", i, one.Tests, res)
		}
		tests, size = tests+one.Tests, size+one.Bytes
	}
	if facts != (input.Facts{Bytes: size, Tests: tests}) || countFiles(t, dir, ".xml") != 120 {
		t.Errorf("wrote %+v into %d files, want %d tests in %d bytes", facts, countFiles(t, dir, ".xml"), tests, size)
	}
}

func TestTree(t *testing.T) {
	dir := t.TempDir()
	n, err := input.Tree(dir, 2001)
	if err != nil || n != 3 || countFiles(t, dir, ".result") != 3 || countFiles(t, dir, ".dat") != 2001 {
		t.Errorf("%d match, %v", n, err)
	}
}

func countFiles(t *testing.T, dir, ext string) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ext {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A document that asks for more than it is worth is answered by name, and with no memory that grows with it.
func TestHostiles(t *testing.T) {
	const size = 64 << 20
	for _, h := range input.Hostiles() {
		t.Run(h.Name, func(t *testing.T) {
			from, to := io.Pipe()
			go func() {
				_, err := h.Write(to, size)
				to.CloseWithError(err)
			}()
			defer from.Close()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			res := testresult.Read(from, "", testresult.Limits{}, nil)
			runtime.ReadMemStats(&after)
			if held := after.TotalAlloc - before.TotalAlloc; held > 6<<20 {
				t.Errorf("%d bytes allocated", held)
			}
			named := slices.ContainsFunc(res.Notes, func(n testresult.Note) bool { return n.Code == h.Code })
			if right := h.Code == "" && res.Conclusion == testresult.Pass && len(res.Notes) == 0; !right && (!named || res.Conclusion == testresult.Pass) {
				t.Errorf("concludes %s with %+v", res.Conclusion, res.Notes)
			}
		})
	}
}
