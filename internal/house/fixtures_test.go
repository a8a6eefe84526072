package house

import (
	"fmt"
	"strings"
)

// bite is one offending tree and what its rule has to say, as "path:line words".
type bite struct {
	rule, name string
	files      map[string]string
	with       func(*lists) // what the lists hold besides the packages a (core) and b
	want       []string
}

// lists gives the two packages that the offending sources live in, and what the case adds.
func (b bite) lists() *lists {
	l := &lists{packages: map[string]room{
		"internal/a": {core: true},
		"internal/b": {imports: []string{"internal/a"}},
	}}
	if b.with != nil {
		b.with(l)
	}
	return l
}

// one is a tree of one file of package a.
func one(body string) map[string]string { return map[string]string{"internal/a/a.go": body} }

// lines is a source with n statements in one function.
func lines(n int) string { return strings.Repeat("\t_ = 0\n", n) }

// biting are the offending sources, at least one for each rule and each way to break it.
func biting() []bite {
	var out []bite
	for _, group := range [][]bite{bitingImports(), bitingPins(), bitingShape(), bitingWords()} {
		out = append(out, group...)
	}
	return out
}

func bitingImports() []bite {
	ours := func(p string) string { return fmt.Sprintf("import _ %q\n", modulePath+"/"+p) }
	return []bite{
		{rule: "imports", name: "edge against the arrow", files: map[string]string{
			"internal/a/a.go": "package a\n" + ours("internal/b"),
			"internal/b/b.go": "package b\n" + ours("internal/a"),
		}, want: []string{"internal/a/a.go:2 internal/a may not import internal/b"}},
		{rule: "imports", name: "edge of a test", files: map[string]string{
			"internal/a/a.go":      "package a\n",
			"internal/a/a_test.go": "package a_test\nimport (\n" + strings.ReplaceAll(ours("internal/a")+ours("internal/b"), "import ", "") + ")\n",
			"internal/b/b.go":      "package b\n",
		}, want: []string{"internal/a/a_test.go:4 internal/a may not import internal/b"}},
		{rule: "imports", name: "edge under a build constraint", files: map[string]string{
			"internal/a/a_plan9.go": "//go:build never\n\npackage a\n" + ours("internal/b"),
			"internal/b/b.go":       "package b\n",
		}, want: []string{"internal/a/a_plan9.go:4 may not import"}},
		{rule: "imports", name: "package without an entry, entry without a package", files: map[string]string{
			"internal/a/a.go":   "package a\n",
			"internal/new/x.go": "package new\n",
			"internal/new/y.go": "package new\n",
		}, want: []string{"internal/b:0 no such package", "internal/new/x.go:1 package internal/new is not in the import table"}},
		{rule: "words", name: "a surface that decides", files: map[string]string{
			"internal/a/a.go": "package a\ntype V string\nconst Pass V = \"p\"\nfunc Decide() V { return Pass }\n",
			"internal/b/b.go": "package b\nimport v \"" + modulePath + "/internal/a\"\nvar _ = v.V(v.Pass)\nvar d = v.Decide()\n",
		}, with: func(l *lists) { l.packages["internal/b"] = room{words: []string{"internal/a"}} },
			want: []string{"internal/b/b.go:4 internal/b calls v.Decide"}},
		{rule: "core", name: "imports of the machine", files: one("package a\nimport (\n\t\"os\"\n\tweb \"net/http\"\n\t\"net/url\"\n\t\"log/slog\"\n)\n"),
			want: []string{"internal/a/a.go:3 imports os", "internal/a/a.go:4 imports net/http", "internal/a/a.go:6 imports log/slog"}},
		{rule: "core", name: "the clock, called, as a value and under an alias", files: map[string]string{
			"internal/a/a.go": "package a\nimport \"time\"\nvar t = time.Now()\nfunc f() { g := time.Since; _ = g; time.Sleep(time.Second) }\n",
			"internal/a/b.go": "package a\nimport clock \"time\"\nvar u = clock.Now\n",
		}, want: []string{"internal/a/a.go:3 time.Now", "internal/a/a.go:4 time.Since", "internal/a/a.go:4 time.Sleep", "internal/a/b.go:3 time.Now"}},
		{rule: "import-form", name: "blank and dot", files: one("package a\nimport _ \"embed\"\nimport _ \"image/png\"\nimport . \"strings\"\n"),
			want: []string{"internal/a/a.go:3 blank import of image/png", "internal/a/a.go:4 dot import of strings"}},
		{rule: "package-name", name: "folder and name", files: map[string]string{
			"internal/util/x/x.go": "package x\n",
			"internal/y/y.go":      "package helpers\n",
		}, want: []string{"internal/util/x/x.go:1 \"util\" names nothing", "internal/y/y.go:1 \"helpers\" names nothing"}},
	}
}

func bitingShape() []bite {
	return []bite{
		{rule: "init", name: "in code and in tests", files: map[string]string{
			"internal/a/a.go":      "package a\nfunc init() {}\n",
			"internal/a/a_test.go": "package a\nfunc init() {}\n",
		}, want: []string{"internal/a/a.go:2 init function", "internal/a/a_test.go:2 init function"}},
		{rule: "var", name: "mutable kinds", files: one("package a\nvar m = map[string]int{}\nvar (\n\tn int\n\tp, q = 1, \"\"\n\tf = func() {}\n)\n"),
			want: []string{"internal/a/a.go:2 package variable m", "internal/a/a.go:4 package variable n", "internal/a/a.go:5 package variable p", "internal/a/a.go:5 package variable q", "internal/a/a.go:6 package variable f"}},
		{rule: "var", name: "look-alikes of the fixed kinds", files: one("package a\nimport \"regexp\"\nvar r, _ = regexp.Compile(`a`)\nvar e = errors.New(\"x\")\nvar p = regexp.MustCompile(`a`)\n"),
			want: []string{"internal/a/a.go:3 package variable r", "internal/a/a.go:4 package variable e", "internal/a/a.go:5 package variable p"}},
		{rule: "var", name: "tables that are written, handed out, exported or slices", files: one("package a\nvar t = [2]int{1}\nvar u = [...]int{1}\nvar v = [2]int{}\nvar w = [1]struct{ n int }{}\nvar X = [1]int{}\nvar y = []int{1}\n" +
			"func f() { t[0] = 2; _ = u[:]; p := &v; w[0].n++; _ = p }\n"),
			want: []string{"internal/a/a.go:2 variable t", "internal/a/a.go:3 variable u", "internal/a/a.go:4 variable v", "internal/a/a.go:5 variable w", "internal/a/a.go:6 variable X", "internal/a/a.go:7 variable y"}},
		{rule: "var", name: "an exception that nothing needs", files: one("package a\n"),
			with: func(l *lists) { l.vars = map[string]string{"internal/a.gone": "was needed"} },
			want: []string{"internal/house/lists_test.go:0 \"internal/a.gone\""}},
		{rule: "context", name: "begun outside main", files: one("package a\nimport \"context\"\nvar a = context.Background()\nvar b = context.TO" + "DO\n"),
			want: []string{"internal/a/a.go:3 context.Background", "internal/a/a.go:4 context.TO" + "DO"}},
		{rule: "context", name: "kept in a struct", files: one("package a\nimport c \"context\"\ntype s struct {\n\tc.Context\n\tmore []c.Context\n\tf func(c.Context)\n}\n"),
			want: []string{"internal/a/a.go:4 a context in a struct", "internal/a/a.go:5 a context in a struct"}},
		{rule: "length", name: "file", files: one("package a\nfunc f() {\n" + lines(60) + "}\n" + strings.Repeat("\n", maxFileLines)),
			want: []string{fmt.Sprintf("internal/a/a.go:%d file of 513 lines", maxFileLines+1)}},
		{rule: "length", name: "function and method", files: one("package a\nfunc f() {\n" + lines(maxFuncLines-1) + "}\nfunc (t *T[K]) g() {\n" + lines(maxFuncLines) + "}\n"),
			want: []string{"internal/a/a.go:2 f has 81 lines", "internal/a/a.go:83 \"internal/a.T.g\""}},
		{rule: "length", name: "an exception that nothing needs", files: one("package a\nfunc f() {\n" + lines(3) + "}\n"),
			with: func(l *lists) { l.long = map[string]string{"internal/a.f": "was long"} },
			want: []string{"internal/house/lists_test.go:0 \"internal/a.f\""}},
		{rule: "interface", name: "unlisted, also inside a function", files: one("package a\ntype I interface{ M() }\nfunc f() { type j interface{ N() } }\n"),
			want: []string{"internal/a/a.go:2 interface I", "internal/a/a.go:3 interface j"}},
		{rule: "interface", name: "an exception that nothing needs", files: one("package a\n"),
			with: func(l *lists) { l.interfaces = map[string]string{"internal/a.I": "x and y"} },
			want: []string{"internal/house/lists_test.go:0 \"internal/a.I\""}},
		{rule: "docs", name: "every form of exported name", files: one("package a\nfunc F() {}\ntype T struct{}\nfunc (T) M() {}\nfunc (t) N() {}\nconst C = 1\nvar V, w = 1, 2\n// Group.\ntype (\n\tU int\n)\n"),
			want: []string{"internal/a/a.go:1 package internal/a has no comment", "internal/a/a.go:2 exported F", "internal/a/a.go:3 exported T", "internal/a/a.go:4 exported T.M", "internal/a/a.go:6 exported C", "internal/a/a.go:7 exported V", "internal/a/a.go:10 exported U"}},
		{rule: "docs", name: "two package comments", files: map[string]string{
			"internal/a/a.go": "// Package a is a.\npackage a\n",
			"internal/a/b.go": "// Package a is b.\npackage a\n",
		}, want: []string{"internal/a/b.go:2 a second package comment"}},
	}
}

func bitingWords() []bite {
	const no = "//no" + "lint"
	return []bite{
		{rule: "nolint", name: "without name or reason", files: one("package a\n" + no + "\n" + no + ":gosec\n" + no + ":gosec // why\n// #no" + "sec G101\n//lint:ignore U1000 it is used\n// no" + "lint:all\n"),
			want: []string{"internal/a/a.go:2 silenced", "internal/a/a.go:3 silenced", "internal/a/a.go:4 silenced", "internal/a/a.go:5 silenced", "internal/a/a.go:6 silenced", "internal/a/a.go:7 silenced"}},
		{rule: "unfinished", name: "in a comment and in prose", files: map[string]string{
			"internal/a/a.go": "package a\n\n// TO" + "DO: later\n/* first\nFIX" + "ME */\n",
			"README.md":       "fine\nX" + "XX here\n",
		}, want: []string{"README.md:2 XXX", "internal/a/a.go:3 TO" + "DO", "internal/a/a.go:5 FIX" + "ME"}},
		{rule: "machine", name: "registries and paths", files: map[string]string{
			"a.md":                 "GOPROXY=https://proxy.golang." + "org\nsee /wo" + "rk/main\n",
			"b.yml":                "x: \"/ro" + "ot\"\n",
			"c.json":               "{\"resolved\": \"https://registry.npmjs." + "org/x\"}",
			"testdata/d":           "deb https://deb.debian." + "org/ x\n",
			"internal/a/a_test.go": "package a\n\nconst p = \"/ro" + "ot/x\"\n",
		}, want: []string{
			"a.md:1 proxy.golang", "a.md:2 names a machine", "b.yml:1 names a machine",
			"c.json:1 registry.npmjs", "internal/a/a_test.go:3 names a machine", "testdata/d:1 deb.debian",
		}},
		{rule: "error-text", name: "failed to", files: one("package a\nimport (\n\t\"errors\"\n\t\"fmt\"\n)\nvar e = fmt.Errorf(\"Failed to read %s\", x)\nvar f = errors.New(`it failed to read`)\nvar g = fmt.Errorf(\"read %s: %w\", x, e)\n"),
			want: []string{"internal/a/a.go:6 Failed to read", "internal/a/a.go:7 it failed to read"}},
	}
}

// goodFiles look like offences and are none.
func goodFiles() map[string]string {
	return map[string]string{
		"internal/a/a.go": `// Package a is pure.
package a

import (
	_ "embed"
	"errors"
	"net/url"
	"regexp"
	"sync"
	"time"
)

// The words.
const (
	One = 1
	Two = 2
)

// ErrNone is none.
var ErrNone = errors.New("none")

var word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("a") })

var table = sync.OnceValue(func() map[string]int { return nil })

var typed = sync.OnceValues[int, error](nil)

var once sync.Once

var lookup = [256]bool{'a': true}

var words = [...]string{"a"}

var _ error = (*T)(nil)

//go:embed schema.json
var schema string

// T holds a time and no clock.
type T struct{ at time.Time }

// Age takes the time as a value.
func (t T) Age(now time.Time) time.Duration { return now.Sub(t.at) }

// initial is no init.
func (t T) init() { _, _ = url.Parse("` + "TO" + `DO") }

type number interface{ ~int | ~int64 }
`,
		"internal/a/a_test.go": `package a

import (
	"os"
	"time"
)

var golden = map[string]time.Time{"a": time.Now()}

var dir = os.TempDir()
`,
		"internal/b/b.go": `// Package b is an edge.
package b

import (
	"context"
	"os"

	"` + modulePath + `/internal/a"
)

var version = ""

// Run passes a context on.
func Run(ctx context.Context, f func(context.Context) error) error {
	os.Exit(a.One) //no` + `lint:gocritic // it cannot return
	return f(ctx)
}
`,
		"internal/b/b_test.go": `package b

import (
	"context"

	"` + modulePath + `/internal/c"
)

var ctx = context.Background()

var sink c.Sink
`,
		"internal/c/c.go": `// Package c has exceptions.
package c

// Sink has two implementations.
type Sink interface{ Put() }

// Table is generic.
type Table[K comparable] struct{}

// Long is listed.
func (t *Table[K]) Long() {
` + lines(maxFuncLines) + `}
`,
		"cmd/x/main.go": `// Command x begins the context.
package main

import (
	"context"

	"` + modulePath + `/internal/b"
)

func main() { _ = b.Run(context.Background(), nil) }
`,
		"docs/paths.md":            "Runners check out below /home/runner/wo" + "rk/repo/repo; mktemp takes name.XX" + "XXXX; a todo list.\n",
		"internal/a/testdata/x":    "# TO" + "DO of a fixture\n",
		"internal/a/testdata/x.go": "package broken (\n",
	}
}
