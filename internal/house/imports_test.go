package house

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// notPure are the standard packages that reach files, the network, processes, a log or chance.
func notPure() []string {
	return []string{
		"crypto/rand", "io/ioutil", "log", "log/slog", "math/rand", "math/rand/v2", "net", "net/http", "net/http/httptest",
		"net/mail", "net/rpc", "net/smtp", "net/textproto", "os", "os/exec", "os/signal", "os/user", "plugin", "syscall", "unsafe",
	}
}

// clock are the members of package time that read the clock or wait for it.
func clock() []string {
	return []string{"After", "AfterFunc", "NewTicker", "NewTimer", "Now", "Since", "Sleep", "Tick", "Until"}
}

// checkImports holds the import table: each package of ours has an entry, each entry a package, and each
// import of a package of ours is one that the entry names.
func checkImports(t *tree, l *lists) []offence {
	var out []offence
	seen := map[string]bool{}
	for _, s := range t.sources {
		entry, listed := l.packages[s.dir()]
		if !listed {
			if !seen[s.dir()] {
				out = append(out, s.at(s.file.Name.Pos(), "package %s is not in the import table: enter it in internal/house/lists_test.go with what it may import", s.dir()))
			}
			seen[s.dir()] = true
			continue
		}
		seen[s.dir()] = true
		allowed := slices.Concat(entry.imports, entry.words)
		if s.test {
			allowed = slices.Concat(allowed, entry.tests, []string{s.dir()})
		}
		for _, spec := range s.file.Imports {
			p, _ := strconv.Unquote(spec.Path.Value) // parseSource has refused what does not unquote
			ours, ok := strings.CutPrefix(p, modulePath+"/")
			if ok && !slices.Contains(allowed, ours) {
				out = append(out, s.at(spec.Pos(), "%s may not import %s: the import table allows [%s]", s.dir(), ours, strings.Join(allowed, " ")))
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(l.packages)) {
		if !seen[dir] {
			out = append(out, offence{path: dir, what: "the import table has an entry and there is no such package"})
		}
	}
	return out
}

// checkWords lets a package that is imported for its words be used for its types and constants only.
func checkWords(t *tree, l *lists) []offence {
	funcs := map[string]bool{} // "dir.Func"
	for _, s := range t.sources {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && !s.test {
				funcs[s.dir()+"."+f.Name.Name] = true
			}
		}
	}
	var out []offence
	for _, s := range t.sources {
		if s.test {
			continue
		}
		for _, dir := range l.packages[s.dir()].words {
			out = append(out, s.find(func(e selector) (string, bool) {
				if s.names[modulePath+"/"+dir] == e.pkg && funcs[dir+"."+e.name] {
					return fmt.Sprintf("%s calls %s.%s: it may use the types and constants of %s, and decides nothing", s.dir(), e.pkg, e.name, dir), true
				}
				return "", false
			})...)
		}
	}
	return out
}

// checkCore holds the core packages to values: nothing of the machine and no clock.
func checkCore(t *tree, l *lists) []offence {
	var out []offence
	for _, s := range t.sources {
		if s.test || !l.packages[s.dir()].core {
			continue
		}
		for _, spec := range s.file.Imports {
			p, _ := strconv.Unquote(spec.Path.Value)
			if slices.Contains(notPure(), p) {
				out = append(out, s.at(spec.Pos(), "core package %s imports %s: take bytes, readers or values and let the edge fetch them", s.dir(), p))
			}
		}
		out = append(out, s.find(func(e selector) (string, bool) {
			if s.names["time"] == e.pkg && slices.Contains(clock(), e.name) {
				return fmt.Sprintf("core package %s uses time.%s: take the time as a value", s.dir(), e.name), true
			}
			return "", false
		})...)
	}
	return out
}

// checkImportForms refuses the forms that hide what a file uses: dot imports, and blank imports but of
// embed, which the language asks for.
func checkImportForms(t *tree, _ *lists) []offence {
	var out []offence
	for _, s := range t.sources {
		for _, spec := range s.file.Imports {
			if spec.Name == nil {
				continue
			}
			switch p, _ := strconv.Unquote(spec.Path.Value); {
			case spec.Name.Name == ".":
				out = append(out, s.at(spec.Pos(), "dot import of %s", p))
			case spec.Name.Name == "_" && p != "embed":
				out = append(out, s.at(spec.Pos(), "blank import of %s: nothing is imported for its effect", p))
			}
		}
	}
	return out
}

// vagueNames are package names that say nothing of what is inside and so gather everything.
func vagueNames() []string {
	return []string{"common", "helper", "helpers", "lib", "misc", "shared", "util", "utils"}
}

// checkPackageNames refuses vague package and folder names.
func checkPackageNames(t *tree, _ *lists) []offence {
	var out []offence
	seen := map[string]bool{}
	for _, s := range t.sources {
		names := append(strings.Split(s.dir(), "/"), strings.TrimSuffix(s.file.Name.Name, "_test"))
		for _, name := range names {
			if slices.Contains(vagueNames(), name) && !seen[s.dir()] {
				seen[s.dir()] = true
				out = append(out, s.at(s.file.Name.Pos(), "package %s: %q names nothing; name it after what it decides", path.Clean(s.dir()), name))
			}
		}
	}
	return out
}
