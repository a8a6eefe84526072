package house

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// attacks is how many rows the threat table in SECURITY.md has.
const attacks = 26

// guard is one place that keeps an attack out, how it is taken away, and the test that then fails.
type guard struct {
	name     string // of its file in testdata/guards
	row      int    // of the threat table
	file, fn string // where it stands: a path and Func or Type.Method
	dir      string // package of the test
	test     string
	old, new string // the text of the guard, which stands in fn once, and what stands there without it
}

// line is how SECURITY.md names a guard and its test.
func (g guard) line() string {
	return fmt.Sprintf("%d | %#q %#q | %#q in %#q", g.row, g.file, g.fn, g.test, g.dir)
}

// parseGuard reads a file of testdata/guards: three lines of head, the guard's text, what stands there without it.
func parseGuard(name, body string) (guard, error) {
	g := guard{name: name}
	head, rest, ok := strings.Cut(body, "--- guard\n")
	old, without, ok2 := strings.Cut(rest, "--- without\n")
	if n, err := fmt.Sscanf(head, "row %d\nguard %s %s\ntest %s %s\n", &g.row, &g.file, &g.fn, &g.dir, &g.test); n != 5 || err != nil || !ok || !ok2 {
		return g, fmt.Errorf("%s: it is not row, guard, test, --- guard, --- without", name)
	}
	g.old, g.new = strings.TrimSuffix(old, "\n"), strings.TrimSuffix(without, "\n")
	if g.old == "" || g.old == g.new || g.row < 1 || g.row > attacks {
		return g, fmt.Errorf("%s: it takes nothing away, or names no row", name)
	}
	return g, nil
}

// guards reads all of them, in order of name.
func guards(t *testing.T) []guard {
	t.Helper()
	files, err := filepath.Glob("testdata/guards/*.txt")
	if err != nil || len(files) < attacks {
		t.Fatalf("%d guards, %v", len(files), err)
	}
	var out []guard
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		g, err := parseGuard(strings.TrimSuffix(filepath.Base(f), ".txt"), string(body))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, g)
	}
	return out
}

// body gives the source of a function and where it begins in the file; false if the file does not declare it.
func (t *tree) body(file, fn string) (text string, at int, ok bool) {
	for _, s := range t.sources {
		if s.path != file {
			continue
		}
		for _, d := range s.file.Decls {
			if f, is := d.(*ast.FuncDecl); is && funcName(f) == fn {
				from, to := s.fset.Position(f.Pos()).Offset, s.fset.Position(f.End()).Offset
				return string(s.body[from:to]), from, true
			}
		}
	}
	return "", 0, false
}

// hasTest reports whether a package has a test of that name.
func (t *tree) hasTest(dir, name string) bool {
	return slices.ContainsFunc(t.sources, func(s *source) bool {
		return s.test && s.dir() == dir && slices.ContainsFunc(s.file.Decls, func(d ast.Decl) bool {
			f, is := d.(*ast.FuncDecl)
			return is && f.Recv == nil && f.Name.Name == name
		})
	})
}

// loose says what is wrong with a guard as the tree is now, "" if nothing is.
func (t *tree) loose(g guard) string {
	text, _, ok := t.body(g.file, g.fn)
	switch {
	case !ok:
		return fmt.Sprintf("%s declares no %s", g.file, g.fn)
	case strings.Count(text, g.old) != 1:
		return fmt.Sprintf("the guard stands %d times in %s of %s, once is expected", strings.Count(text, g.old), g.fn, g.file)
	case !t.hasTest(g.dir, g.test):
		return fmt.Sprintf("%s has no test %s", g.dir, g.test)
	}
	return ""
}

// TestGuards holds the appendix of SECURITY.md to the tree: each row of the threat table has a guard, each guard stands
// where it is said to stand, and the test that shows its removal exists. TestGuardsBite shows that it does show it.
func TestGuards(t *testing.T) {
	tr, err := readTree(moduleRoot(t))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(tr.texts, func(f text) bool { return f.path == "SECURITY.md" })
	if i < 0 {
		t.Fatal("there is no SECURITY.md")
	}
	said := map[string]int{}
	for _, m := range regexp.MustCompile("(?m)^\\| ([0-9]+ \\| `[^`]+` `[^`]+` \\| `[^`]+` in `[^`]+`) \\| .+ \\|$").FindAllStringSubmatch(string(tr.texts[i].body), -1) {
		said[m[1]]++
	}
	var rows []int
	for _, g := range guards(t) {
		if what := tr.loose(g); what != "" {
			t.Errorf("%s: %s", g.name, what)
		}
		if said[g.line()] == 0 {
			t.Errorf("%s: SECURITY.md has no row | %s | what happens without it |", g.name, g.line())
		}
		said[g.line()]--
		rows = append(rows, g.row)
	}
	for line, n := range said {
		if n > 0 {
			t.Errorf("SECURITY.md names a guard that no file of testdata/guards takes away: %s", line)
		}
	}
	for row := 1; row <= attacks; row++ {
		if !slices.Contains(rows, row) {
			t.Errorf("row %d has no guard", row)
		}
	}
}

// TestGuardsBite takes away each guard, one at a time, and expects that the test named for it fails. The tree itself
// stays as it is: the go command reads one file from elsewhere. It builds and runs a test for each guard, so it runs
// where GATE_GUARDS is set only.
func TestGuardsBite(t *testing.T) {
	if os.Getenv("GATE_GUARDS") == "" {
		t.Skip("GATE_GUARDS is not set: it builds and runs a test for each guard")
	}
	root := moduleRoot(t)
	tr, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range guards(t) {
		t.Run(g.name, func(t *testing.T) {
			out, err := runWithout(t, root, tr, g)
			failed := strings.Contains(out, "--- FAIL: "+g.test+" ") || strings.Contains(out, "panic: test timed out") && strings.Contains(out, "\t"+g.test)
			switch {
			case err == nil:
				t.Errorf("without the guard %s still passes:\n%s", g.test, out)
			case !failed:
				t.Errorf("it is not %s that fails: %v\n%s", g.test, err, out)
			}
		})
	}
}

// runWithout runs a guard's test with the guard taken away.
func runWithout(t *testing.T, root string, tr *tree, g guard) (string, error) {
	t.Helper()
	if what := tr.loose(g); what != "" {
		t.Fatal(what)
	}
	text, at, _ := tr.body(g.file, g.fn)
	i := slices.IndexFunc(tr.sources, func(s *source) bool { return s.path == g.file })
	whole := string(tr.sources[i].body)
	changed := whole[:at] + strings.Replace(text, g.old, g.new, 1) + whole[at+len(text):]
	dir := t.TempDir()
	elsewhere, overlay := filepath.Join(dir, path.Base(g.file)), filepath.Join(dir, "overlay.json")
	plan, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, filepath.FromSlash(g.file)): elsewhere}})
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string][]byte{elsewhere: []byte(changed), overlay: plan} {
		if err := os.WriteFile(name, body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-vet=off", "-timeout=90s", "-overlay="+overlay, "-run=^"+g.test+"$", "./"+g.dir)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestGuardCheckBites shows that a guard that is not there, or whose test is not, is seen.
func TestGuardCheckBites(t *testing.T) {
	tr, err := makeTree(map[string]string{
		"internal/a/a.go":      "package a\n\ntype T struct{}\n\nfunc (t *T) F() { keep(); keep2() }\n\nfunc G() { keep() }\n",
		"internal/a/a_test.go": "package a\n\nfunc TestF() {}\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	good := guard{row: 1, file: "internal/a/a.go", fn: "T.F", dir: "internal/a", test: "TestF", old: "keep();"}
	if what := tr.loose(good); what != "" {
		t.Error(what)
	}
	for want, spoil := range map[string]func(*guard){
		"declares no":   func(g *guard) { g.fn = "T.H" },
		"stands 2":      func(g *guard) { g.old = "keep" },
		"stands 0":      func(g *guard) { g.old = "lost" },
		"has no test":   func(g *guard) { g.test = "TestG" },
		"a/b.go declar": func(g *guard) { g.file = "internal/a/b.go" },
	} {
		g := good
		spoil(&g)
		if what := tr.loose(g); !strings.Contains(what, want) {
			t.Errorf("%+v: %q, want %q", g, what, want)
		}
	}
	for i, body := range []string{
		"", "row 1\nguard a F\ntest b T\n--- guard\nx\n", "row 0\nguard a F\ntest b T\n--- guard\nx\n--- without\n\n",
		"row " + strconv.Itoa(attacks+1) + "\nguard a F\ntest b T\n--- guard\nx\n--- without\n\n", "row 1\nguard a F\ntest b T\n--- guard\nx\n--- without\nx\n",
	} {
		if g, err := parseGuard("g", body); err == nil {
			t.Errorf("%d: %+v is a guard", i, g)
		}
	}
}
