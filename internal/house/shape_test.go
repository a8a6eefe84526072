package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"slices"
)

// The lengths over which a file or function is no longer one room. The house asks for 400 and 60; these
// are where the test stops being patient.
const (
	maxFileLines = 450
	maxFuncLines = 80
)

// selector is pkg.name as written in an expression.
type selector struct{ pkg, name string }

// find reports each selector expression of the file for which say has something to say.
func (s *source) find(say func(selector) (string, bool)) []offence {
	var out []offence
	ast.Inspect(s.file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok {
			if what, bad := say(selector{id.Name, sel.Sel.Name}); bad {
				out = append(out, s.at(sel.Pos(), "%s", what))
			}
		}
		return true
	})
	return out
}

// checkInit refuses init functions: what runs before main cannot be seen, ordered or tested.
func checkInit(t *tree, _ *lists) []offence {
	var out []offence
	for _, s := range t.sources {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				out = append(out, s.at(f.Pos(), "init function: build the value where it is used"))
			}
		}
	}
	return out
}

// checkContext lets a context begin in main and in tests only, and pass through arguments only.
func checkContext(t *tree, _ *lists) []offence {
	var out []offence
	for _, s := range t.sources {
		name, imported := s.names["context"]
		if !imported {
			continue
		}
		if !s.test && s.file.Name.Name != "main" {
			out = append(out, s.find(func(e selector) (string, bool) {
				if e.pkg == name && (e.name == "Background" || e.name == "TO"+"DO") {
					return fmt.Sprintf("context.%s outside main and tests: take a context as the first argument", e.name), true
				}
				return "", false
			})...)
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			st, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			for _, f := range st.Fields.List {
				if s.selects(element(f.Type), "context", "Context") {
					out = append(out, s.at(f.Pos(), "a context in a struct: pass it as the first argument"))
				}
			}
			return true
		})
	}
	return out
}

// element strips pointers, slices, arrays, maps and channels from a type.
func element(e ast.Expr) ast.Expr {
	for {
		switch t := e.(type) {
		case *ast.StarExpr:
			e = t.X
		case *ast.ArrayType:
			e = t.Elt
		case *ast.MapType:
			e = t.Value
		case *ast.ChanType:
			e = t.Value
		case *ast.ParenExpr:
			e = t.X
		default:
			return e
		}
	}
}

// checkLength keeps files and functions to what one reading holds. Tests are left out: a long table is
// still one reading.
func checkLength(t *tree, l *lists) []offence {
	var out []offence
	used := map[string]bool{}
	for _, s := range t.sources {
		if s.test {
			continue
		}
		if n := bytes.Count(s.body, []byte("\n")); n > maxFileLines {
			out = append(out, offence{path: s.path, line: maxFileLines + 1, what: fmt.Sprintf("file of %d lines, over %d: split it by what it decides", n, maxFileLines)})
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := s.line(f.End()) - s.line(f.Pos()) + 1
			if n <= maxFuncLines {
				continue
			}
			key := s.dir() + "." + funcName(f)
			if l.long[key] != "" {
				used[key] = true
				continue
			}
			out = append(out, s.at(f.Pos(), "%s has %d lines, over %d: split it, or list %q with a reason", funcName(f), n, maxFuncLines, key))
		}
	}
	return append(out, stale(l.long, used, "list of long functions")...)
}

// funcName is Func, or Type.Method.
func funcName(f *ast.FuncDecl) string {
	if t := receiver(f); t != "" {
		return t + "." + f.Name.Name
	}
	return f.Name.Name
}

// receiver is the name of a method's type, "" for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return ""
	}
	t := element(f.Recv.List[0].Type)
	switch generic := t.(type) {
	case *ast.IndexExpr:
		t = generic.X
	case *ast.IndexListExpr:
		t = generic.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// checkInterfaces asks for two implementations of each interface, named in the list. Constraints, which
// only name types, are no interfaces in that sense.
func checkInterfaces(t *tree, l *lists) []offence {
	var out []offence
	used := map[string]bool{}
	for _, s := range t.sources {
		if s.test {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			it, ok := spec.Type.(*ast.InterfaceType)
			if !ok || !hasMethods(it) {
				return true
			}
			key := s.dir() + "." + spec.Name.Name
			if l.interfaces[key] != "" {
				used[key] = true
				return true
			}
			out = append(out, s.at(spec.Pos(), "interface %s: use the concrete type or a func; with two real implementations, list %q and name them", spec.Name.Name, key))
			return true
		})
	}
	return append(out, stale(l.interfaces, used, "list of interfaces")...)
}

func hasMethods(it *ast.InterfaceType) bool {
	return slices.ContainsFunc(it.Methods.List, func(f *ast.Field) bool {
		_, method := f.Type.(*ast.FuncType)
		return method
	})
}
