package house

import (
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	guidePath = regexp.MustCompile("`((?:internal|cmd|docs)/[a-z0-9_./-]+)`")
	guideName = regexp.MustCompile("`([a-z]+)\\.([A-Z][A-Za-z]*)`")
)

// TestGuideNamesWhatExists holds CONTRIBUTING.md to the tree: each path in it exists, and each
// `package.Name` is declared.
func TestGuideNamesWhatExists(t *testing.T) {
	tr, err := readTree(moduleRoot(t))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(tr.texts, func(f text) bool { return f.path == "CONTRIBUTING.md" })
	if i < 0 {
		t.Fatal("there is no CONTRIBUTING.md")
	}
	guide := string(tr.texts[i].body)
	for _, missing := range tr.misnamed(guide) {
		t.Errorf("CONTRIBUTING.md names %s, and there is none", missing)
	}
	for dir := range house().packages {
		if strings.HasPrefix(dir, "internal/") && !strings.HasPrefix(dir, "internal/fakegithub/") && !strings.Contains(guide, "`"+dir+"`") {
			t.Errorf("CONTRIBUTING.md does not say what %s decides", dir)
		}
	}
}

// TestGuideCheckBites shows that a wrong path and a wrong name are seen, and right ones are not.
func TestGuideCheckBites(t *testing.T) {
	tr, err := makeTree(map[string]string{"internal/a/a.go": "package a\n\nfunc F() {}\n\ntype T struct{}\n\nconst C = 1\n"})
	if err != nil {
		t.Fatal(err)
	}
	got := tr.misnamed("`internal/a` `internal/a/a.go` `internal/b` `internal/a/b.go` `a.F` `a.T` `a.C` `a.G` `b.F`")
	want := []string{"a.G", "b.F", "internal/a/b.go", "internal/b"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// misnamed lists the quoted paths and names of a text that the tree does not have, in order.
func (t *tree) misnamed(guide string) []string {
	known := map[string]bool{}
	for _, f := range t.texts {
		for p := f.path; p != "."; p = path.Dir(p) {
			known[p] = true
		}
	}
	for _, s := range t.sources {
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					known[s.file.Name.Name+"."+d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, name := range declared(d) {
					known[s.file.Name.Name+"."+name] = true
				}
			}
		}
	}
	missing := map[string]bool{}
	for _, m := range guidePath.FindAllStringSubmatch(guide, -1) {
		if p := strings.TrimSuffix(m[1], "/"); !known[p] {
			missing[p] = true
		}
	}
	for _, m := range guideName.FindAllStringSubmatch(guide, -1) {
		if name := m[1] + "." + m[2]; !known[name] {
			missing[name] = true
		}
	}
	return slices.Sorted(maps.Keys(missing))
}

// declared are the names of a const, var or type declaration.
func declared(d *ast.GenDecl) []string {
	var out []string
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			out = append(out, spec.Name.Name)
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				out = append(out, name.Name)
			}
		}
	}
	return out
}
