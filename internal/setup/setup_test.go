package setup

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v3"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/prompt"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// factsOf is what an edge would see of the repository in an archive.
func factsOf(t *testing.T, name string) *Facts {
	t.Helper()
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f := &Facts{Files: map[string][]byte{}, Unread: map[string]string{}}
	for _, file := range a.Files {
		if !entered(file.Name) {
			continue
		}
		f.Paths = append(f.Paths, file.Name)
		if Wanted(file.Name) {
			f.Files[file.Name] = file.Data
		}
	}
	return f
}

func entered(name string) bool {
	for dir := filepath.ToSlash(filepath.Dir(name)); dir != "."; dir = filepath.ToSlash(filepath.Dir(dir)) {
		if !Enter(dir) {
			return false
		}
	}
	return true
}

// made is Make with the kinds of the product.
func made(facts *Facts, o Options) (*Plan, error) {
	o.Kinds = gate.ContractKinds()
	return Make(facts, o)
}

// parsed is a workflow as the runner reads it.
type parsed struct {
	On          map[string]any    `yaml:"on"`
	Permissions map[string]string `yaml:"permissions"`
	Jobs        map[string]struct {
		Steps []struct {
			ID    string            `yaml:"id"`
			If    string            `yaml:"if"`
			Uses  string            `yaml:"uses"`
			With  map[string]string `yaml:"with"`
			Run   string            `yaml:"run"`
			Where string            `yaml:"working-directory"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

// holds holds a plan to what every plan has to be.
func holds(t *testing.T, p *Plan) (warnings contract.Problems) {
	t.Helper()
	var w parsed
	if err := yaml.Unmarshal(p.Files[0].After, &w); err != nil {
		t.Fatalf("the workflow: %v\n%s", err, p.Files[0].After)
	}
	want := map[string]string{"contents": "read", "actions": "read", "checks": "write", "statuses": "write", "pull-requests": "write"}
	if d := cmp.Diff(want, w.Permissions); d != "" {
		t.Errorf("permissions: %s", d)
	}
	steps := w.Jobs["outcome-gate"].Steps
	last := steps[len(steps)-2] // behind it only the receipt is uploaded
	if steps[0].With["persist-credentials"] != "false" || last.If != "always()" || last.Uses != gateAction || last.With["steps"] != "${{ toJSON(steps) }}" {
		t.Errorf("the first or the last step is not what it has to be: %+v", steps)
	}
	for _, event := range []string{"pull_request", "pull_request_review", "merge_group"} {
		if _, ok := w.On[event]; !ok || len(w.On) != 3 {
			t.Errorf("it runs on %v", w.On)
		}
	}
	ids := map[string]string{}
	for _, s := range steps {
		for _, text := range []string{s.Run, s.Where, s.ID} {
			if strings.Contains(text, "${{") {
				t.Errorf("an expression in %q", text)
			}
		}
		if s.ID != "" && ids[s.ID] != "" {
			t.Errorf("two steps %s", s.ID)
		}
		ids[s.ID] = s.Run
		_, commit, _ := strings.Cut(s.Uses, "@")
		if s.Uses != "" && s.Uses != gateAction && len(commit) != 40 {
			t.Errorf("%s is not pinned", s.Uses)
		}
	}
	c, problems := contract.Parse(ContractPath, p.Files[1].After, gate.ContractKinds())
	if len(problems.Mistakes()) > 0 {
		t.Fatalf("the contract: %v\n%s", problems, p.Files[1].After)
	}
	if c.Mode != contract.Observe || len(c.Outcomes) != len(p.Suites) {
		t.Errorf("mode %s, %d outcomes of %d suites", c.Mode, len(c.Outcomes), len(p.Suites))
	}
	for i, o := range c.Outcomes {
		s := p.Suites[i]
		if o.ID != s.Outcome || !strings.Contains(ids[s.Step], s.Command) {
			t.Errorf("outcome %s, step %q: want %+v", o.ID, ids[s.Step], s)
		}
		if s.Results != "" && (o.Artifact == nil || o.Artifact.MadeBy != s.Step || o.Artifact.Files[0] != s.Results || o.Validators[0].Kind != "tests") {
			t.Errorf("outcome %s does not read %s of %s: %+v", o.ID, s.Results, s.Step, o)
		}
	}
	return append(problems, contract.Lint(c, contract.LintFacts{Today: time.Date(2026, 6, 30, 0, 0, 0, 0, time.UTC)})...)
}

// TestSamples plans for a sample of each ecosystem, and again for what it planned: then nothing changes.
func TestSamples(t *testing.T) {
	samples, err := filepath.Glob(filepath.Join("testdata", "repos", "*.txtar"))
	if err != nil || len(samples) < 20 {
		t.Fatalf("%d samples, %v", len(samples), err)
	}
	for _, sample := range samples {
		name := strings.TrimSuffix(filepath.Base(sample), ".txtar")
		t.Run(name, func(t *testing.T) {
			facts := factsOf(t, sample)
			p, err := made(facts, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if w := holds(t, p); len(w) > 0 {
				t.Errorf("the linter warns: %v", w)
			}
			golden(t, name+".workflow.yml", p.Files[0].After)
			golden(t, name+".contract.yml", p.Files[1].After)
			golden(t, name+".txt", []byte(strings.Join(p.Notes, "\n")+"\n\n"+string(p.Files[2].After)))
			lintWorkflow(t, p.Files[0].After)
			for _, f := range p.Files {
				if !slices.Contains(facts.Paths, f.Path) {
					facts.Paths = append(facts.Paths, f.Path)
				}
				facts.Files[f.Path] = f.After
			}
			again, err := made(facts, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range again.Files {
				if f.Change() != "unchanged" {
					t.Errorf("%s is %s the second time", f.Path, f.Change())
				}
			}
			if d, err := again.Diff(); d != "" || err != nil {
				t.Errorf("a difference the second time: %s, %v", d, err)
			}
		})
	}
}

// TestIsolated plans the layout of two workflows for the same samples: what runs the change's code may only read, and
// what judges it runs none of it.
func TestIsolated(t *testing.T) {
	samples, err := filepath.Glob(filepath.Join("testdata", "repos", "*.txtar"))
	if err != nil || len(samples) < 20 {
		t.Fatalf("%d samples, %v", len(samples), err)
	}
	for _, sample := range samples {
		name := strings.TrimSuffix(filepath.Base(sample), ".txtar")
		t.Run(name, func(t *testing.T) {
			facts := factsOf(t, sample)
			p, err := made(facts, Options{Isolated: true, NoAgents: true})
			if err != nil {
				t.Fatal(err)
			}
			if w := holdsApart(t, p); len(w) > 0 {
				t.Errorf("the linter warns: %v", w)
			}
			if slices.Contains([]string{"go", "monorepo", "python-tox"}, name) {
				golden(t, name+".isolated.workflow.yml", p.Files[0].After)
				golden(t, name+".isolated.contract.yml", p.Files[1].After)
				golden(t, name+".evidence.workflow.yml", p.Files[2].After)
			}
			lintWorkflow(t, p.Files[0].After)
			lintWorkflow(t, p.Files[2].After)
			for _, f := range p.Files {
				facts.Paths = append(facts.Paths, f.Path)
				facts.Files[f.Path] = f.After
			}
			again, err := made(facts, Options{Isolated: true, NoAgents: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range again.Files {
				if f.Change() != "unchanged" {
					t.Errorf("%s is %s the second time", f.Path, f.Change())
				}
			}
		})
	}
}

// holdsApart holds a plan of the isolated layout to what every one has to be.
func holdsApart(t *testing.T, p *Plan) (warnings contract.Problems) {
	t.Helper()
	var g, e parsed
	if err := errors.Join(yaml.Unmarshal(p.Files[0].After, &g), yaml.Unmarshal(p.Files[2].After, &e)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]string{"contents": "read"}, e.Permissions); d != "" {
		t.Errorf("what runs the change's code may: %s", d)
	}
	for event := range e.On {
		if event != "pull_request" && event != "merge_group" {
			t.Errorf("the change's code runs on %s", event)
		}
	}
	for _, s := range g.Jobs["outcome-gate"].Steps {
		if s.Run != "" || strings.Contains(s.Uses, "checkout") {
			t.Errorf("the gate's job has the step %+v", s)
		}
	}
	if got := g.Jobs["outcome-gate"].Steps[0].With["evidence-workflow"]; got != p.Files[2].Path {
		t.Errorf("the evidence is that of %s, not of %s", got, p.Files[2].Path)
	}
	c, problems := contract.Parse(ContractPath, p.Files[1].After, gate.ContractKinds())
	if len(problems.Mistakes()) > 0 {
		t.Fatalf("the contract: %v\n%s", problems, p.Files[1].After)
	}
	for i, o := range c.Outcomes {
		s := p.Suites[i]
		job, there := e.Jobs[s.Step]
		if !there || job.Steps[0].With["persist-credentials"] != "false" {
			t.Errorf("outcome %s has no job %s of its own", o.ID, s.Step)
			continue
		}
		last := job.Steps[len(job.Steps)-1]
		switch {
		case s.Results == "" && o.Validators[0].Kind != "job":
			t.Errorf("outcome %s is judged by %s", o.ID, o.Validators[0].Kind)
		case s.Results != "" && (o.Artifact.Upload != last.With["name"] || last.With["path"] != s.Results || last.If != "always()" || o.Artifact.MadeBy != s.Step):
			t.Errorf("outcome %s does not read what job %s uploads: %+v, %+v", o.ID, s.Step, o.Artifact, last)
		}
	}
	return append(problems, contract.Lint(c, contract.LintFacts{Today: time.Date(2026, 6, 30, 0, 0, 0, 0, time.UTC)})...)
}

// TestLikeTheDocumentation holds the planned workflow to the one that docs/action.md shows.
func TestLikeTheDocumentation(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "action.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(doc), "```yaml workflow\n")
	shown, _, closed := strings.Cut(rest, "```\n")
	if !ok || !closed {
		t.Fatal("docs/action.md shows no workflow")
	}
	plan, err := made(factsOf(t, filepath.Join("testdata", "repos", "go.txtar")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var want, got parsed
	if err := errors.Join(yaml.Unmarshal([]byte(shown), &want), yaml.Unmarshal(plan.Files[0].After, &got)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want.On, got.On) + cmp.Diff(want.Permissions, got.Permissions); d != "" {
		t.Errorf("events and permissions (-shown +planned): %s", d)
	}
	a, b := want.Jobs["outcome-gate"].Steps, got.Jobs["outcome-gate"].Steps
	if len(a) < 4 || len(a) != len(b) {
		t.Fatalf("%d steps are shown, %d planned", len(a), len(b))
	}
	for _, i := range []int{0, len(a) - 2, len(a) - 1} {
		if d := cmp.Diff(a[i], b[i]); d != "" {
			t.Errorf("step %d (-shown +planned): %s", i, d)
		}
	}
	if a[1].Uses != b[1].Uses {
		t.Errorf("%s is shown, %s planned", a[1].Uses, b[1].Uses)
	}
}

// TestIsolatedInTheDocumentation holds the two workflows that docs/action.md shows to be those that are planned.
func TestIsolatedInTheDocumentation(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "action.md"))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := made(factsOf(t, filepath.Join("testdata", "repos", "go.txtar")), Options{Isolated: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, i := range map[string]int{"isolated-gate": 0, "isolated-evidence": 2} {
		_, rest, ok := strings.Cut(string(doc), "```yaml "+name+"\n")
		shown, _, closed := strings.Cut(rest, "```\n")
		_, planned, _ := strings.Cut(string(plan.Files[i].After), "\n") // without its mark
		if d := cmp.Diff(planned, shown); !ok || !closed || d != "" {
			t.Errorf("%s (-planned +shown): %s", name, d)
		}
	}
}

// lintWorkflow is for where actionlint is installed; .ci/run holds the golden files to it in any case.
func lintWorkflow(t *testing.T, text []byte) {
	t.Helper()
	lint, err := exec.LookPath("actionlint")
	if err != nil {
		return
	}
	file := filepath.Join(t.TempDir(), "workflow.yml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(lint, file).CombinedOutput(); err != nil {
		t.Errorf("actionlint: %v\n%s", err, out)
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	want, err := os.ReadFile(file)
	if *update {
		err = os.WriteFile(file, got, 0o600)
		want = got
	}
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

// TestRefusals: nothing is planned over what somebody else wrote, or where nothing would work.
func TestRefusals(t *testing.T) {
	base := func() *Facts {
		return &Facts{
			Paths:  []string{"go.mod", "a_test.go"},
			Files:  map[string][]byte{"go.mod": []byte("module a\n")},
			Unread: map[string]string{},
		}
	}
	with := func(path, text string) *Facts {
		f := base()
		f.Paths, f.Files[path] = append(f.Paths, path), []byte(text)
		return f
	}
	unread := func(path, why string) *Facts {
		f := base()
		f.Unread[path] = why
		return f
	}
	own, err := made(base(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	workflow := string(own.Files[0].After)
	for _, c := range []struct {
		name  string
		facts *Facts
		opts  Options
		want  string
	}{
		{"foreign evidence", with(EvidencePath, "on: push\n"), Options{Isolated: true}, "gate init did not write it"},
		{"linked evidence", unread(EvidencePath, "a symbolic link"), Options{Isolated: true}, "outcome-evidence.yml is a symbolic link"},
		{"no tests", &Facts{Paths: []string{"README.md"}}, Options{}, "no tests were found"},
		{"foreign workflow", with(WorkflowPath, "on: push\n"), Options{}, "gate init did not write it"},
		{"empty contract", with(ContractPath, ""), Options{}, "gate init did not write it"},
		{"edited workflow", with(WorkflowPath, workflow+"# mine\n"), Options{}, "was edited since"},
		{"mark without more", with(WorkflowPath, strings.SplitAfter(workflow, "\n")[0]), Options{}, "was edited since"},
		{"other contract", with(".github/outcome-contract.yaml", "version: 1\n"), Options{}, "there is a contract already"},
		{"other gate", with(".github/workflows/mine.yaml", "steps:\n  - uses: 'outcome-gate/outcome-gate@v1'\n"), Options{}, "mine.yaml runs the gate already"},
		{"linked agents", unread(AgentsPath, "a symbolic link"), Options{}, "AGENTS.md is a symbolic link"},
		{"linked folder", unread(".github", "a symbolic link"), Options{}, ".github is a symbolic link"},
		{"linked contract", unread(ContractPath, "a symbolic link"), Options{}, "outcome-contract.yml is a symbolic link"},
		{"file for a folder", with(".github", ""), Options{}, ".github is a file"},
		{"half a block", with(AgentsPath, "x\n"+prompt.Begin+"\n"), Options{}, "AGENTS.md:2: the block is not closed"},
		{"turned block", with(AgentsPath, prompt.End+"\n"+prompt.Begin+"\n"), Options{}, "ends before it begins"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := made(c.facts, c.opts)
			var r *Refusal
			if p != nil || !errors.As(err, &r) || !strings.Contains(r.Reason, c.want) || r.Hint == "" {
				t.Errorf("got %v, %+v; want %q", p, err, c.want)
			}
		})
	}
	if _, err := made(unread(AgentsPath, "a symbolic link"), Options{NoAgents: true}); err != nil {
		t.Errorf("--no-agents is refused for AGENTS.md: %v", err)
	}
}

// TestUpdates: what is this package's own is replaced, and only that.
func TestUpdates(t *testing.T) {
	old, err := made(&Facts{Paths: []string{"go.mod", "a_test.go"}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	dos := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }
	before := []byte("# Rules\r\n\r\n<!-- outcome-gate:begin -->\r\nold\r\n<!-- outcome-gate:end -->\r\nlast line without a break \x1b[31m")
	facts := &Facts{
		Paths: []string{"go.mod", "a_test.go", "package.json", "package-lock.json"},
		Files: map[string][]byte{
			WorkflowPath: dos(old.Files[0].After), ContractPath: old.Files[1].After, AgentsPath: before,
			"package.json": []byte(`{"scripts": {"test": "jest"}, "devDependencies": {"jest": "30"}}`),
		},
	}
	p, err := made(facts, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_ = holds(t, p)
	for i := range p.Files {
		if f := &p.Files[i]; f.Change() != "updated" {
			t.Errorf("%s is %s", f.Path, f.Change())
		}
	}
	after := string(p.Files[2].After)
	if !strings.HasPrefix(after, "# Rules\r\n\r\n"+prompt.Begin+"\r\n") || !strings.HasSuffix(after, prompt.End+"\r\nlast line without a break \x1b[31m") ||
		strings.Contains(after, "old\r\n") || strings.Count(after, "\n") != strings.Count(after, "\r\n") || !strings.Contains(after, "tests-node") {
		t.Errorf("AGENTS.md: %q", after)
	}
	d, err := p.Diff()
	if err != nil || !strings.Contains(d, "+++ b/"+ContractPath) || !strings.Contains(d, "-  - id: unit-tests\n") || !strings.Contains(d, "+  - id: tests-go\n") {
		t.Errorf("the difference: %v\n%s", err, d)
	}
}

// TestNodeScripts: arguments go behind a script only where they reach the runner.
func TestNodeScripts(t *testing.T) {
	for _, c := range []struct{ script, dev, want string }{
		{"jest", "jest", "npm test -- --ci --json --outputFile=reports/jest.json"},
		{"NODE_OPTIONS=--experimental-vm-modules node node_modules/jest/bin/jest.js", "jest", "npm test -- --ci --json --outputFile=reports/jest.json"},
		{"jest | tee log", "jest", "npx --no jest --ci --json --outputFile=reports/jest.json"},
		{"jest 'a b'", "jest", "npx --no jest --ci --json --outputFile=reports/jest.json"},
		{"yarn lint && jest; echo done", "jest", "npx --no jest --ci --json --outputFile=reports/jest.json"},
		{"", "vitest", "npx --no vitest run --reporter=default --reporter=json --outputFile.json=reports/vitest.json"},
		{"c8 mocha", "mocha", "npm test -- --reporter xunit --reporter-option output=reports/mocha.xml"},
		{"playwright test", "jest", "npm test"},
		{"node scripts/test.js", "", "npm test"},
		{"echo \\\"Error: no test specified\\\" && exit 1", "", ""},
		{"", "", ""},
	} {
		m := `{"scripts": {"test": "` + c.script + `"}, "devDependencies": {"` + c.dev + `": "x"}}`
		r := newRepo(&Facts{Paths: []string{"package.json", "package-lock.json"}, Files: map[string][]byte{"package.json": []byte(m)}})
		got := ""
		if s := findNode(r, "."); s != nil {
			got = s.Command
		}
		if got != c.want {
			t.Errorf("%s with %s: %q, want %q", c.script, c.dev, got, c.want)
		}
	}
}

// FuzzMake holds every plan to what plans have to be, whatever a repository's names and contents are: the workflow
// holds no expression but the gate's, and the contract is valid.
func FuzzMake(f *testing.F) {
	samples, err := filepath.Glob(filepath.Join("testdata", "repos", "*.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	seeds := 0
	for _, s := range samples {
		a, err := txtar.ParseFile(s)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			seeds++
			f.Add(path.Dir(file.Name), path.Base(file.Name), file.Data)
		}
	}
	if seeds < 50 {
		f.Fatalf("only %d seeds", seeds)
	}
	f.Fuzz(func(t *testing.T, dir, base string, data []byte) {
		facts := &Facts{Files: map[string][]byte{}}
		for _, name := range []string{base, "a_test.go", "CartTest.java", "package-lock.json", "test_cart.py"} {
			name = strings.TrimPrefix(path.Clean("/"+dir+"/"+name), "/")
			facts.Paths = append(facts.Paths, name)
			if path.Base(name) == base {
				facts.Files[name] = data
			}
		}
		p, err := made(facts, Options{})
		var r *Refusal
		if err != nil {
			if !errors.As(err, &r) || r.Hint == "" {
				t.Fatalf("no refusal: %v", err)
			}
			return
		}
		_ = holds(t, p)
	})
}
