package house

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the generated table of docs/limits.md")

// limitName is how a constant that bounds something is called; those of a default can be set lower by whoever calls.
var limitName = regexp.MustCompile(`^(?:[mM]ax|default)[A-Z]\w*$`)

// limit is one constant that bounds something.
type limit struct{ dir, name, value, reason string }

// limits lists the constants that bound what the product reads, keeps, writes and waits for, in order.
func (t *tree) limits() []limit {
	var out []limit
	for _, s := range t.sources {
		product := s.dir() == "cmd/gate" || strings.HasPrefix(s.dir(), "internal/")
		if s.test || !product || strings.HasPrefix(s.dir(), "internal/fakegithub") || strings.HasPrefix(s.dir(), "internal/house") {
			continue
		}
		for _, d := range s.file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				out = append(out, s.limitsOf(g)...)
			}
		}
	}
	slices.SortFunc(out, func(a, b limit) int { return cmp.Or(cmp.Compare(a.dir, b.dir), cmp.Compare(a.name, b.name)) })
	return out
}

// limitsOf lists those of one declaration. The reason is the comment at the constant, else the one over it, else the last
// one in the group that names it, else that of the group.
func (s *source) limitsOf(g *ast.GenDecl) []limit {
	var out []limit
	last := ""
	for _, spec := range g.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		if v.Doc != nil {
			last = oneParagraph(v.Doc)
		}
		for i, name := range v.Names {
			if !limitName.MatchString(name.Name) || i >= len(v.Values) || s.isText(v.Values[i]) {
				continue
			}
			reason := oneParagraph(v.Comment)
			if reason == "" {
				reason = oneParagraph(v.Doc)
			}
			if reason == "" && slices.Contains(strings.Fields(last), name.Name) {
				reason = last
			}
			if reason == "" {
				reason = oneParagraph(g.Doc)
			}
			from, to := s.fset.Position(v.Values[i].Pos()).Offset, s.fset.Position(v.Values[i].End()).Offset
			out = append(out, limit{s.dir(), name.Name, string(s.body[from:to]), reason})
		}
	}
	return out
}

// isText reports whether a value is a text, which bounds nothing.
func (s *source) isText(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind != token.INT
}

// oneParagraph is a comment on one line, as a cell of a table holds it.
func oneParagraph(c *ast.CommentGroup) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(c.Text()), " "), "|", `\|`)
}

// limitTable is the generated table of docs/limits.md.
func limitTable(all []limit) string {
	var b strings.Builder
	b.WriteString("| package | constant | value | what and why |\n|---|---|---|---|\n")
	for _, l := range all {
		fmt.Fprintf(&b, "| `%s` | `%s` | `%s` | %s |\n", l.dir, l.name, l.value, l.reason)
	}
	return b.String()
}

// TestLimits holds docs/limits.md to the sources: its generated table lists every constant that bounds something, with a
// reason, and each constant and test that a row of its first table names exists.
func TestLimits(t *testing.T) {
	root := moduleRoot(t)
	tr, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	all := tr.limits()
	known := map[string]bool{}
	for _, l := range all {
		known[l.dir+"."+l.name] = true
		if l.reason == "" {
			t.Errorf("%s: %s has no comment that says why", l.dir, l.name)
		}
	}
	if len(all) < 200 {
		t.Errorf("only %d limits are seen: nothing is held", len(all))
	}
	file := filepath.Join(root, "docs", "limits.md")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- limits:begin -->\n", "<!-- limits:end -->"
	head, rest, ok := strings.Cut(string(data), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("docs/limits.md has no place for the table")
	}
	if want := head + begin + limitTable(all) + end + tail; want != string(data) {
		if !*update {
			t.Error("the table of docs/limits.md is out of date: go test ./internal/house -run TestLimits -update")
		} else if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rows := regexp.MustCompile("(?m)^\\| .+ \\| .+ \\| `([a-z/]+)\\.(\\w+)` \\| .+ \\| `([a-z/]+)\\.(\\w+)` \\|$").FindAllStringSubmatch(head, -1)
	if n := strings.Count(head, "\n| "); n != len(rows)+1 || n < 20 {
		t.Errorf("%d rows, of which %d name a constant and a test", n-1, len(rows))
	}
	for _, m := range rows {
		if !known[m[1]+"."+m[2]] {
			t.Errorf("docs/limits.md names %s.%s, and there is no such limit", m[1], m[2])
		}
		if !tr.hasTest(m[3], m[4]) {
			t.Errorf("docs/limits.md names the test %s of %s, and there is none", m[4], m[3])
		}
	}
}

// TestLimitsAreSeen shows which constants count as limits, and where their reasons come from.
func TestLimitsAreSeen(t *testing.T) {
	tr, err := makeTree(map[string]string{
		"internal/a/a.go":             "package a\n\n// Why a | b.\nconst maxOne = 1 << 20\n\n// Group.\nconst (\n\tMaxTwo = 2 // two\n\t// three\n\tmaxThree = 3\n\tdefaultFour = 4\n\tmaximum = 5\n\tdefaultWord = \"six\"\n)\n\nconst (\n\t// maxA and maxB are pairs.\n\tmaxA = 1\n\tmaxB = 2\n)\n\nconst maxBare = 7\n\nvar maxVar = 8\n",
		"internal/a/a_test.go":        "package a\n\nconst maxTest = 1\n",
		"internal/fakegithub/fake.go": "package fakegithub\n\nconst maxFake = 1\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []limit{
		{"internal/a", "MaxTwo", "2", "two"}, {"internal/a", "defaultFour", "4", "Group."}, {"internal/a", "maxA", "1", "maxA and maxB are pairs."}, {"internal/a", "maxB", "2", "maxA and maxB are pairs."}, {"internal/a", "maxBare", "7", ""},
		{"internal/a", "maxOne", "1 << 20", `Why a \| b.`}, {"internal/a", "maxThree", "3", "three"},
	}
	if got := tr.limits(); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
