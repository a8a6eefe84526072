package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/gate"
)

const (
	cleanPath    = ".github/workflows/gate.yml"
	contractPath = ".github/outcome-contract.yml"
)

// clean is a set-up in which nothing is to be found.
func clean(t *testing.T) Facts {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "clean.yml"))
	if err != nil {
		t.Fatal(err)
	}
	f := Facts{
		Action: "outcome-gate/outcome-gate", ContractPath: contractPath, Workflows: []File{{cleanPath, data}},
		Owners: &File{".github/CODEOWNERS", []byte("* @acme/all\n/.github/ @acme/keepers\n")},
		Service: &Service{
			Branch: "main", Checks: []RequiredCheck{{"outcome-gate", 15368}}, MergeQueue: true, CodeOwners: Yes, Settings: &Settings{},
		},
	}
	withContract(t, &f, "version: 1\noutcomes:\n  - id: unit-tests\n    artifact: { files: reports/unit.json, made_by: test }\n")
	return f
}

func withContract(t *testing.T, f *Facts, text string) {
	t.Helper()
	f.Contract, f.ContractProblems = contract.Parse(contractPath, []byte(text), gate.ContractKinds())
}

// replace changes the workflow; the old text must be there.
func replace(pairs ...string) func(*testing.T, *Facts) {
	return func(t *testing.T, f *Facts) {
		t.Helper()
		text := string(f.Workflows[0].Data)
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(text, pairs[i]) {
				t.Fatalf("the clean workflow has no %q", pairs[i])
			}
			text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
		}
		f.Workflows[0].Data = []byte(text)
	}
}

// another adds a workflow.
func another(text string) func(*testing.T, *Facts) {
	return func(_ *testing.T, f *Facts) {
		f.Workflows = append(f.Workflows, File{".github/workflows/other.yml", []byte(text)})
	}
}

func terms(text string) func(*testing.T, *Facts) {
	return func(t *testing.T, f *Facts) { t.Helper(); withContract(t, f, text) }
}

func service(change func(*Service)) func(*testing.T, *Facts) {
	return func(_ *testing.T, f *Facts) { change(f.Service) }
}

func both(changes ...func(*testing.T, *Facts)) func(*testing.T, *Facts) {
	return func(t *testing.T, f *Facts) {
		t.Helper()
		for _, c := range changes {
			c(t, f)
		}
	}
}

// situation is the clean set-up with one change, and what is found then: "code place".
type situation struct {
	name   string
	change func(*testing.T, *Facts)
	want   []string
}

const gateStep = "      - id: gate\n        if: always()\n"

func TestClean(t *testing.T) {
	for name, change := range map[string]func(*testing.T, *Facts){
		"as it is":      func(*testing.T, *Facts) {},
		"not asked":     func(_ *testing.T, f *Facts) { f.Service = nil },
		"braces":        replace(gateStep, "      - id: gate\n        if: ${{ Always() }}\n"),
		"a job's own":   replace("permissions:\n", "concurrency: { group: x, cancel-in-progress: false }\npermissions:\n"),
		"only read":     replace("  checks: write\n", "", "          steps:", "          check-run: off\n          steps:"),
		"its commit":    replace("@v1.0.0", "@de0fac2e4500dabe0009e67214ff5f5447ce83dd"),
		"as a workflow": service(func(s *Service) { s.Checks, s.Workflows = nil, []string{cleanPath} }),
		"its status":    service(func(s *Service) { s.Checks = []RequiredCheck{{"outcome-gate/verdict", 15368}} }),
		"its own":       both(replace("outcome-gate/outcome-gate@v1.0.0", "./"), func(_ *testing.T, f *Facts) { f.LocalGate = true }),
		"waits by status": both(service(func(s *Service) { s.Checks = []RequiredCheck{{"outcome-gate/verdict", 7}} }),
			terms("version: 1\noutcomes:\n  - id: ok\n    waits_for: { approval: { from: [write] } }\n")),
		"other files": func(_ *testing.T, f *Facts) {
			f.Workflows = append(f.Workflows, File{".github/workflows/README.md", []byte("{")})
		},
		"a push": another("on: push\njobs: { a: { runs-on: x, steps: [ { uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd }, { run: make } ] } }\n"),
	} {
		t.Run(name, func(t *testing.T) {
			f := clean(t)
			change(t, &f)
			for _, found := range Check(f) {
				t.Errorf("%s %s: %s", found.Code, found.Place(), found.Message)
			}
		})
	}
}

// TestReadme holds the workflow that the documents show to be clean as it is, with the contract beside it.
func TestReadme(t *testing.T) {
	for _, doc := range []string{"README.md", "docs/action.md"} {
		data, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(doc)))
		if err != nil {
			t.Fatal(err)
		}
		shown := regexp.MustCompile("(?ms)^```yaml (contract|workflow)\n(.*?\n)```$").FindAllStringSubmatch(string(data), -1)
		if len(shown) != 2 || shown[0][1] != "contract" || shown[1][1] != "workflow" {
			t.Fatalf("%s shows %d contracts and workflows", doc, len(shown))
		}
		f := clean(t)
		withContract(t, &f, strings.Replace(shown[0][2], "mode: observe\n", "", 1)) // as the text says to, once its verdicts are right
		f.Workflows[0].Data = []byte(shown[1][2])
		if f.Contract == nil {
			t.Fatalf("%s: %v", doc, f.ContractProblems)
		}
		for _, found := range Check(f) {
			t.Errorf("%s: %s %s: %s", doc, found.Code, found.Place(), found.Message)
		}
	}
}

func TestFindings(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range slices.Concat(situations(), asked(), apart()) {
		t.Run(s.name, func(t *testing.T) {
			f := clean(t)
			s.change(t, &f)
			var got []string
			for _, found := range Check(f) {
				seen[found.Code] = true
				got = append(got, strings.TrimPrefix(found.Code, "doctor/")+" "+strings.TrimPrefix(found.Place(), ".github/workflows/"))
				if found.Severity == "" || found.Message == "" || found.Fix == "" {
					t.Errorf("%+v is not whole", found)
				}
			}
			if !slices.Equal(got, s.want) {
				t.Errorf("got  %q\nwant %q", got, s.want)
			}
		})
	}
	for _, c := range Codes() {
		if !seen[c.Code] {
			t.Errorf("%s: no situation shows it", c.Code)
		}
	}
}

func TestCodes(t *testing.T) {
	var last string
	for _, c := range Codes() {
		if c.Code <= last || !regexp.MustCompile(`^doctor/[a-z]+(-[a-z]+)*$`).MatchString(c.Code) {
			t.Errorf("%s after %s", c.Code, last)
		}
		if rank(c.Severity) < 0 || c.Meaning == "" || c.Fix == "" || strings.Count(c.Snippet, "\n") > 6 {
			t.Errorf("%+v is not whole", c)
		}
		last = c.Code
	}
	if c := codeOf("doctor/none"); c.Severity != "" {
		t.Errorf("an unknown code is %v", c)
	}
}

func TestOwners(t *testing.T) {
	const name = ".github/outcome-contract.yml"
	for _, c := range []struct {
		text string
		want bool
	}{
		{"", false}, {"# .github/ @a\n", false}, {"* @a\n", true}, {"* @a # all\n", true}, {"*\n", false}, {"* # @a\n", false}, {"* @a\n/.github/\n", false},
		{"* @a\n/.github/\n/.github/outcome-contract.yml @b", true}, {".github @a\n", true}, {"/.github/* @a\n", true}, {"/.github/** @a\n", true},
		{"*.yml @a\n", true}, {"*.yaml @a\n", false}, {"outcome-contract.yml @a\n", true}, {"/outcome-contract.yml @a\n", false}, {"docs/ @a\n", false},
		{"/.git* @a", true}, {"/ @a", false}, {"!* @a", false}, {"* @a\n!/.github/ @b", true}, {"[.]github/ @a", false}, {"**/**/**/**/**/x @a", false},
		{`/.github/outcome\ contract.yml @a`, false}, {"/.GITHUB/ @a", false}, {"{.github,x}/ @a", false}, {"\xff @a\n", false}, {"**/outcome-contract.yml @a", true},
		{"a/**/b @a", false}, {"*\t@a", true}, {strings.Repeat("#", MaxOwners) + "\n* @a", false},
	} {
		if got := owned([]byte(c.text), name); got != c.want {
			t.Errorf("%.60q: %v", c.text, got)
		}
	}
	if owned([]byte("/.github/* @a\n"), cleanPath) {
		t.Error("a folder's own files include those of a folder in it")
	}
	if !owned([]byte(`/a\ b/ @a`), "a b/c") || !owned([]byte(`/a\#b @a`), "a#b") {
		t.Error("a blank behind a backslash ends the pattern")
	}
}

// TestBounds holds hostile files to short work and to a finding.
func TestBounds(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := range 12 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), ", "))
	}
	for name, data := range map[string]string{
		"empty": "", "blank": "\n\n", "comment": "# x", "null": "~", "text": "x", "list": "[]", "no jobs": "on: push", "jobs a list": "jobs: []", "syntax": "a: [",
		"tab": "a:\n\t- b", "two": "jobs: {}\n---\njobs: {}", "twice": "jobs: {}\njobs: {}", "merge": "a: &a {b: c}\njobs: {}\nd: {<<: *a}", "binary": "\x00\x01", "bomb": bomb + "jobs: {}\n",
		"deep": strings.Repeat("[", 5000), "deep closed": "jobs: {}\na: " + strings.Repeat("[", 500) + strings.Repeat("]", 500), "large": "jobs: {}\n" + strings.Repeat("#", MaxFile),
		"many": "jobs: {}\na: [" + strings.Repeat("x,", maxNodes) + "]", "self": "a: &a [*a]\njobs: {}", "key": "? [a]\n: b\njobs: {}",
	} {
		f := clean(t)
		f.Workflows = append(f.Workflows, File{"x.yml", []byte(data)})
		found := Check(f)
		if len(found) != 1 || found[0].Code != CodeUnreadable || found[0].File != "x.yml" || len(found[0].Message) > 400 {
			t.Errorf("%s: %+v", name, found)
		}
	}
	steps := "on: pull_request\njobs:\n  a:\n    steps:\n" + strings.Repeat("      - uses: outcome-gate/outcome-gate@v1\n", 9000)
	f := clean(t)
	f.Workflows = []File{{"x.yml", []byte(steps)}}
	if found := Check(f); len(found) != MaxFindings {
		t.Errorf("%d findings", len(found))
	}
	odd := "on: {pull_request: [x]}\njobs: {a: x, b: [y], c: {steps: {z: 1}}, d: {steps: [x, [y], {uses: [z], with: x}, {if: {a: b}, uses: outcome-gate/outcome-gate, with: [a]}]}, e: }\n"
	f.Workflows = []File{{"x.yml", []byte(odd)}}
	if found := Check(f); len(found) == 0 {
		t.Error("odd shapes: nothing is found")
	}
}

// FuzzCheck holds the law that any bytes give whole findings in order, and the same ones twice.
func FuzzCheck(f *testing.F) {
	data, err := os.ReadFile(filepath.Join("testdata", "clean.yml"))
	if err != nil || len(data) == 0 {
		f.Fatal(err)
	}
	f.Add(data, []byte("* @a\n"))
	f.Add([]byte("on: [workflow_call]\njobs: {a: {uses: ./x.yml}}"), []byte(`/a\ b/** @x`))
	f.Add([]byte("a: &a [*a]\njobs: {}"), []byte("[x] @a"))
	f.Fuzz(func(t *testing.T, workflow, owners []byte) {
		facts := Facts{
			Action: "outcome-gate/outcome-gate", ContractPath: contractPath, Workflows: []File{{cleanPath, workflow}, {"x.yml", workflow}},
			Owners: &File{"CODEOWNERS", owners}, Service: &Service{Branch: "main"},
		}
		found := Check(facts)
		if len(found) == 0 || len(found) > MaxFindings { // there is no contract
			t.Fatalf("%d findings", len(found))
		}
		for i, x := range found {
			if codeOf(x.Code).Meaning == "" || rank(x.Severity) < 0 || x.Line < 0 || i > 0 && rank(found[i-1].Severity) > rank(x.Severity) {
				t.Errorf("%+v", x)
			}
		}
		if !slices.Equal(found, Check(facts)) {
			t.Error("the same facts give other findings")
		}
	})
}
