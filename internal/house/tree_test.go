package house

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// modulePath is the import path in front of every package of ours.
const modulePath = "github.com/outcome-gate/outcome-gate"

// maxTextBytes bounds the files that are searched for words; larger ones are data, not prose or code.
const maxTextBytes = 4 << 20

// tree is the repository as the rules see it. Paths are slash separated and relative to the module root.
type tree struct {
	sources []*source // every Go file outside testdata, in order of path
	texts   []text    // every text file, Go files and testdata included, in order of path
}

// source is one parsed Go file.
type source struct {
	path  string
	test  bool // a _test.go file
	body  []byte
	fset  *token.FileSet
	file  *ast.File
	names map[string]string // import path to the name it has in this file; "." and "_" as written
}

// text is one file without NUL bytes.
type text struct {
	path string
	body []byte
}

// offence is one broken rule, in the form that editors jump to.
type offence struct {
	path string
	line int // from 1; 0 if the file or an entry of a list is meant as a whole
	rule string
	what string
}

// String is the one-line form: path:line: what [house/rule].
func (o offence) String() string {
	return fmt.Sprintf("%s:%d: %s [house/%s]", o.path, o.line, o.what, o.rule)
}

// dir is the package's directory relative to the module root, "." for the root itself.
func (s *source) dir() string { return path.Dir(s.path) }

// line is the line of a position in the file.
func (s *source) line(p token.Pos) int { return s.fset.Position(p).Line }

// at builds an offence of this file.
func (s *source) at(p token.Pos, format string, args ...any) offence {
	return offence{path: s.path, line: s.line(p), what: fmt.Sprintf(format, args...)}
}

// selects reports whether e is the selector name of the imported package pkg, under any import alias.
// A local variable that shadows the import is taken for the package: the rules rather say too much.
func (s *source) selects(e ast.Expr, pkg, name string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && s.names[pkg] == id.Name
}

// parseSource parses one Go file whatever its build constraints.
func parseSource(name string, body []byte) (*source, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, body, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", name, err)
	}
	s := &source{
		path: name, test: strings.HasSuffix(name, "_test.go"),
		body: body, fset: fset, file: file, names: map[string]string{},
	}
	for _, spec := range file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("parse %s: import %s: %w", name, spec.Path.Value, err)
		}
		s.names[p] = importName(spec, p)
	}
	return s, nil
}

// importName is the name that an import has in its file.
func importName(spec *ast.ImportSpec, importPath string) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	return path.Base(importPath)
}

// makeTree builds a tree of files held in memory.
func makeTree(files map[string]string) (*tree, error) {
	t := &tree{}
	for name, body := range files {
		if err := t.add(name, []byte(body)); err != nil {
			return nil, err
		}
	}
	t.sort()
	return t, nil
}

// readTree reads the repository below root. It walks the folders rather than git's index, so that a new
// file is held to the rules before it is committed.
func readTree(root string) (*tree, error) {
	t := &tree{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel == ".git" || rel == ".tools" {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Size() > maxTextBytes {
			return nil
		}
		body, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return t.add(rel, body)
	})
	if err != nil {
		return nil, fmt.Errorf("read the tree: %w", err)
	}
	t.sort()
	return t, nil
}

// add files one file; binary ones are left out.
func (t *tree) add(name string, body []byte) error {
	if bytes.IndexByte(body, 0) >= 0 {
		return nil
	}
	t.texts = append(t.texts, text{path: name, body: body})
	if !strings.HasSuffix(name, ".go") || inTestdata(name) {
		return nil
	}
	s, err := parseSource(name, body)
	if err != nil {
		return err
	}
	t.sources = append(t.sources, s)
	return nil
}

func (t *tree) sort() {
	slices.SortFunc(t.sources, func(a, b *source) int { return cmp.Compare(a.path, b.path) })
	slices.SortFunc(t.texts, func(a, b text) int { return cmp.Compare(a.path, b.path) })
}

// inTestdata reports whether a path lies in a folder that the go command ignores as fixtures.
func inTestdata(name string) bool {
	return slices.Contains(strings.Split(path.Dir(name), "/"), "testdata")
}

// moduleRoot is the folder of go.mod, found from the package folder in which tests run.
func moduleRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(mod, []byte("module "+modulePath+"\n")) {
		t.Fatalf("%s is not the module %s", root, modulePath)
	}
	return root
}
