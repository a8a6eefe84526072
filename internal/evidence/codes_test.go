package evidence

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// parsed gives the package's sources, tests left out.
func parsed(t *testing.T) map[string]*ast.File {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = f
	}
	return files
}

// constants gives the values of the string constants whose names begin with a prefix.
func constants(t *testing.T, prefix string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, f := range parsed(t) {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			for i, name := range spec.Names {
				if !strings.HasPrefix(name.Name, prefix) || i >= len(spec.Values) {
					continue
				}
				if lit, ok := spec.Values[i].(*ast.BasicLit); ok && lit.Kind == token.STRING {
					v, err := strconv.Unquote(lit.Value)
					if err != nil {
						t.Fatal(err)
					}
					out[name.Name] = v
				}
			}
			return true
		})
	}
	return out
}

func TestCodesTable(t *testing.T) {
	named := constants(t, "Code")
	shape := regexp.MustCompile(`^[a-z]+(-[a-z]+)*/[a-z]+(-[a-z]+)*$`)
	seen := map[string]bool{}
	all := Codes()
	for i, c := range all {
		if seen[c.Code] {
			t.Errorf("%s is listed twice", c.Code)
		}
		seen[c.Code] = true
		if !shape.MatchString(c.Code) {
			t.Errorf("%s is not area/kebab-case", c.Code)
		}
		if i > 0 && all[i-1].Code > c.Code {
			t.Errorf("%s comes after %s", c.Code, all[i-1].Code)
		}
		if !strings.HasSuffix(c.Meaning, ".") || len(c.States) == 0 {
			t.Errorf("%s has no meaning or no state", c.Code)
		}
		passes := slices.Equal(c.States, []State{Verified})
		if passes != (c.Next == "") || (!passes && slices.Contains(c.States, Verified)) {
			t.Errorf("%s: a code that passes has no next action, any other has one: %+v", c.Code, c)
		}
		for _, s := range c.States {
			if !slices.Contains(States(), s) {
				t.Errorf("%s: %q is no state", c.Code, s)
			}
		}
	}
	if len(named) == 0 || len(named) != len(all) {
		t.Errorf("%d codes have a constant, %d are listed", len(named), len(all))
	}
	for name, code := range named {
		if !seen[code] {
			t.Errorf("%s (%s) is not listed", code, name)
		}
	}
}

// Every finding that this package makes with a named state and code is in the table with that state.
func TestCodesComeWithTheirStates(t *testing.T) {
	codes, stateNames := constants(t, "Code"), map[string]State{}
	for name, v := range constants(t, "") {
		if slices.Contains(States(), State(v)) {
			stateNames[name] = State(v)
		}
	}
	allowed := map[string][]State{}
	for _, c := range Codes() {
		allowed[c.Code] = c.States
	}
	checked := 0
	for file, f := range parsed(t) {
		ast.Inspect(f, func(n ast.Node) bool {
			var args []ast.Expr
			switch x := n.(type) {
			case *ast.CallExpr:
				if id, ok := x.Fun.(*ast.Ident); ok && id.Name == "find" {
					args = x.Args
				}
			case *ast.CompositeLit:
				if id, ok := x.Type.(*ast.Ident); ok && id.Name == "ExitMeaning" {
					args = x.Elts
				}
			}
			if len(args) < 2 {
				return true
			}
			state, ok1 := args[0].(*ast.Ident)
			code, ok2 := args[1].(*ast.Ident)
			if !ok1 || !ok2 {
				return true
			}
			checked++
			if s := stateNames[state.Name]; !slices.Contains(allowed[codes[code.Name]], s) {
				t.Errorf("%s: %s comes with %q, the table says %v", file, code.Name, s, allowed[codes[code.Name]])
			}
			return true
		})
	}
	if checked < 80 {
		t.Errorf("only %d findings were checked", checked)
	}
}

// TestAdvice holds the advice for local checks to the table: it names codes that exist, and no input of the action.
func TestAdvice(t *testing.T) {
	differ := 0
	for _, c := range Codes() {
		here, there := Advice(c.Code, true), Advice(c.Code, false)
		if there != c.Next || (here == "") != (c.Next == "") {
			t.Errorf("%s: %q here, %q in the action, %q in the table", c.Code, here, there, c.Next)
		}
		if strings.Contains(here, "${{") || strings.Contains(here, "token") {
			t.Errorf("%s: the advice for a local check speaks of the action: %s", c.Code, here)
		}
		if here != there {
			differ++
		}
	}
	if differ < 10 {
		t.Errorf("only %d codes have advice of their own for local checks", differ)
	}
	if Advice("no/such-code", true) != "" || Advice("no/such-code", false) != "" {
		t.Error("an unknown code has advice")
	}
}
