package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// The forbidden words are put together from halves, so that this file does not offend itself.
var (
	nolintForm = regexp.MustCompile(`^//nolint:[a-z0-9]+(,[a-z0-9]+)* // \S+ \S+`)
	silencer   = regexp.MustCompile(`^//\s*(no` + `lint\b|lint:(file-)?ignore\b)|#no` + `sec\b`)
	unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX)\b`)
	// machine matches what belongs to one machine or workplace: package registries by host, and absolute
	// paths below two folders. The character before a path keeps longer paths that merely contain one out.
	machine = regexp.MustCompile(`\b(proxy|sum)\.golang\.` + `org\b|\bregistry\.(npmjs|yarnpkg)\.` + `(org|com)\b|\b(deb|security)\.debian\.` + `org\b|\b(files\.)?py` +
		`(pi|thonhosted)\.org\b|(^|[^A-Za-z0-9_.~*}-])/(wo` + `rk|ro` + `ot)(/|$|[^A-Za-z0-9_.-])`)
)

// checkNolint lets a linter be silenced by name and reason only.
func checkNolint(t *tree, _ *lists) []offence {
	var out []offence
	for _, s := range t.sources {
		for _, g := range s.file.Comments {
			for _, c := range g.List {
				if silencer.MatchString(c.Text) && !nolintForm.MatchString(c.Text) {
					out = append(out, s.at(c.Pos(), "a linter is silenced without its name and a reason: write //%s:name // why", "no"+"lint"))
				}
			}
		}
	}
	return out
}

// checkUnfinished refuses the words for work left undone: in the comments of Go files, where a string may
// quote them as data, and anywhere in other files outside testdata.
func checkUnfinished(t *tree, _ *lists) []offence {
	var out []offence
	for _, s := range t.sources {
		for _, g := range s.file.Comments {
			for _, c := range g.List {
				for _, loc := range unfinished.FindAllStringIndex(c.Text, -1) {
					out = append(out, s.at(c.Pos()+token.Pos(loc[0]), "%s: finish it, or file an issue", c.Text[loc[0]:loc[1]]))
				}
			}
		}
	}
	for _, f := range t.texts {
		if path.Ext(f.path) == ".go" || inTestdata(f.path) {
			continue
		}
		out = append(out, f.grep(unfinished, "%s: finish it, or file an issue")...)
	}
	return out
}

// checkMachine refuses what ties the project to one machine, in every text file.
func checkMachine(t *tree, _ *lists) []offence {
	var out []offence
	for _, f := range t.texts {
		out = append(out, f.grep(machine, "%q names a machine or a registry: the project speaks of itself only")...)
	}
	return out
}

// grep reports each line's first match.
func (f text) grep(re *regexp.Regexp, format string) []offence {
	var out []offence
	for i, line := range strings.Split(string(f.body), "\n") {
		if m := re.FindString(line); m != "" {
			out = append(out, offence{path: f.path, line: i + 1, what: fmt.Sprintf(format, strings.TrimSpace(m))})
		}
	}
	return out
}

// checkErrorTexts refuses error texts that say that something failed instead of what was done to what.
func checkErrorTexts(t *tree, _ *lists) []offence {
	var out []offence
	for _, s := range t.sources {
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 || !s.selects(call.Fun, "fmt", "Errorf") && !s.selects(call.Fun, "errors", "New") {
				return true
			}
			lit, ok := call.Args[0].(*ast.BasicLit)
			if !ok {
				return true
			}
			words, err := strconv.Unquote(lit.Value)
			if err == nil && strings.Contains(strings.ToLower(words), "failed to ") {
				out = append(out, s.at(lit.Pos(), "error text %q: say what was being done to what", words))
			}
			return true
		})
	}
	return out
}

// checkDocs asks for a package comment in each package, and for a doc comment at every exported name
// outside tests. The comment of a const or var group stands for its members.
func checkDocs(t *tree, _ *lists) []offence {
	var out []offence
	documented := map[string]bool{}
	first := map[string]*source{}
	for _, s := range t.sources {
		if s.test {
			continue
		}
		if first[s.dir()] == nil {
			first[s.dir()] = s
		}
		if s.file.Doc != nil {
			if documented[s.dir()] {
				out = append(out, s.at(s.file.Package, "a second package comment for %s", s.dir()))
			}
			documented[s.dir()] = true
		}
		for _, d := range s.file.Decls {
			out = append(out, s.undocumented(d)...)
		}
	}
	for dir, s := range first {
		if !documented[dir] {
			out = append(out, s.at(s.file.Package, "package %s has no comment: say what it decides, trusts and does not do", dir))
		}
	}
	return out
}

// undocumented reports the exported names of one declaration that have no comment.
func (s *source) undocumented(d ast.Decl) []offence {
	const format = "exported %s has no doc comment"
	var out []offence
	switch d := d.(type) {
	case *ast.FuncDecl:
		on := receiver(d)
		if d.Name.IsExported() && (on == "" || ast.IsExported(on)) && d.Doc == nil {
			out = append(out, s.at(d.Pos(), format, funcName(d)))
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() && spec.Doc == nil && (d.Doc == nil || d.Lparen.IsValid()) {
					out = append(out, s.at(spec.Pos(), format, spec.Name.Name))
				}
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if name.IsExported() && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
						out = append(out, s.at(name.Pos(), format, name.Name))
					}
				}
			}
		}
	}
	return out
}
