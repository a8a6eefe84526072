package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// checkVars refuses package variables outside tests, but those that nothing writes after they are made:
// error values, embedded files, sync.Once and its kin, tables that are arrays and that no statement of the package
// writes, and what the list names. A pattern is compiled by a sync.OnceValue: at every start it would cost time.
func checkVars(t *tree, l *lists) []offence {
	var out []offence
	used := map[string]bool{}
	written := writtenNames(t)
	for _, s := range t.sources {
		if s.test {
			continue
		}
		for _, d := range s.file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, spec := range g.Specs {
				v := spec.(*ast.ValueSpec)
				if hasEmbed(g.Doc) || hasEmbed(v.Doc) {
					continue
				}
				for i, name := range v.Names {
					key := s.dir() + "." + name.Name
					switch {
					case l.vars[key] != "":
						used[key] = true
					case name.Name != "_" && !s.fixedVar(v, i) && (!isTable(v, i) || written[key]):
						out = append(out, s.at(name.Pos(), "package variable %s: make it a constant, a function that returns it or a value that is passed; else list %q with a reason", name.Name, key))
					}
				}
			}
		}
	}
	return append(out, stale(l.vars, used, "list of package variables")...)
}

// hasEmbed reports whether a comment group holds a go:embed directive.
func hasEmbed(g *ast.CommentGroup) bool {
	return g != nil && slices.ContainsFunc(g.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed ") })
}

// fixedVar reports whether the i-th variable of v is of a form that nothing writes afterwards.
func (s *source) fixedVar(v *ast.ValueSpec, i int) bool {
	if s.selects(v.Type, "sync", "Once") {
		return true
	}
	if len(v.Values) != len(v.Names) {
		return false
	}
	call, ok := v.Values[i].(*ast.CallExpr)
	if !ok {
		return false
	}
	fun := call.Fun
	switch generic := fun.(type) {
	case *ast.IndexExpr:
		fun = generic.X
	case *ast.IndexListExpr:
		fun = generic.X
	}
	for _, fixed := range []selector{
		{"errors", "New"},
		{"fmt", "Errorf"},
		{"sync", "OnceFunc"},
		{"sync", "OnceValue"},
		{"sync", "OnceValues"},
	} {
		if s.selects(fun, fixed.pkg, fixed.name) {
			return true
		}
	}
	return false
}

// stale reports the entries of a list that nothing used.
func stale(list map[string]string, used map[string]bool, name string) []offence {
	var out []offence
	for _, key := range slices.Sorted(maps.Keys(list)) {
		if !used[key] {
			out = append(out, offence{path: "internal/house/lists_test.go", what: fmt.Sprintf("the %s names %q and nothing needs it", name, key)})
		}
	}
	return out
}

// isTable reports whether the i-th variable of v is an unexported array literal: Go has no constant arrays.
func isTable(v *ast.ValueSpec, i int) bool {
	if len(v.Values) != len(v.Names) || v.Names[i].IsExported() {
		return false
	}
	lit, ok := v.Values[i].(*ast.CompositeLit)
	if !ok {
		return false
	}
	array, ok := lit.Type.(*ast.ArrayType)
	return ok && array.Len != nil
}

// writtenNames holds "dir.name" of every name that a file of the package assigns to, counts up or down,
// or hands out by address or as a slice. Local names of the same spelling count too: the rule rather says
// too much.
func writtenNames(t *tree) map[string]bool {
	out := map[string]bool{}
	for _, s := range t.sources {
		write := func(e ast.Expr) {
			if name := base(e); name != "" {
				out[s.dir()+"."+name] = true
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, e := range n.Lhs {
					write(e)
				}
			case *ast.RangeStmt:
				if n.Tok == token.ASSIGN {
					write(n.Key)
					write(n.Value)
				}
			case *ast.IncDecStmt:
				write(n.X)
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					write(n.X)
				}
			case *ast.SliceExpr:
				write(n.X)
			}
			return true
		})
	}
	return out
}

// base is the name at the root of an expression like a, a[i], a.b[i].c or (a), else "".
func base(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x.Name
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		default:
			return ""
		}
	}
}
