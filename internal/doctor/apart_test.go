package doctor

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// isolated is the clean set-up in the layout of two workflows.
func isolated(t *testing.T, f *Facts) {
	t.Helper()
	both(
		replace(
			"on:\n  pull_request:\n  merge_group:\n", "on:\n  workflow_run: { workflows: [tests], types: [completed] }\n  pull_request_target: { types: [edited] }\n",
			"          steps: ${{ toJSON(steps) }}\n", "          evidence-workflow: .github/workflows/other.yml\n",
			"      - uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2\n        with: { persist-credentials: false }\n      - id: test\n        run: make test\n", "",
			"if: ${{ !cancelled() }}", "if: always() && steps.gate.outputs.receipt-path != ''",
		),
		another(evidence), terms(uploaded), service(func(s *Service) { s.Checks = []RequiredCheck{{"outcome-gate/verdict", 15368}} }),
	)(t, f)
}

const (
	evidence = "name: tests\non: [pull_request, merge_group]\npermissions: { contents: read }\njobs:\n  test:\n    steps: [ { run: make } ]\n"
	uploaded = "version: 1\noutcomes:\n  - id: unit-tests\n    artifact: { upload: results, files: a.xml, made_by: test }\n"
)

// TestIsolatedInTheDocumentation holds the layout of two workflows that docs/action.md shows to be clean.
func TestIsolatedInTheDocumentation(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "action.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{}
	for _, m := range regexp.MustCompile("(?ms)^```yaml isolated-([a-z]+)\n(.*?\n)```$").FindAllStringSubmatch(string(data), -1) {
		shown[m[1]] = m[2]
	}
	f := clean(t)
	withContract(t, &f, strings.Replace(shown["contract"], "mode: observe\n", "", 1))
	f.Workflows = []File{{".github/workflows/outcome-gate.yml", []byte(shown["gate"])}, {".github/workflows/outcome-evidence.yml", []byte(shown["evidence"])}}
	f.Service.Checks = []RequiredCheck{{"outcome-gate/verdict", 15368}}
	if f.Contract == nil || len(shown) != 3 {
		t.Fatalf("%d blocks are shown, %v", len(shown), f.ContractProblems)
	}
	for _, found := range Check(f) {
		t.Errorf("%s %s: %s", found.Code, found.Place(), found.Message)
	}
}

// tests changes the workflow that makes the evidence.
func tests(from, to string) func(*testing.T, *Facts) {
	return func(t *testing.T, f *Facts) {
		t.Helper()
		w := &f.Workflows[len(f.Workflows)-1]
		if !strings.Contains(string(w.Data), from) {
			t.Fatalf("the evidence's workflow has no %q", from)
		}
		w.Data = []byte(strings.Replace(string(w.Data), from, to, 1))
	}
}

// apart are the situations of the layout of two workflows.
func apart() []situation {
	require := func(checks ...RequiredCheck) func(*testing.T, *Facts) {
		return service(func(s *Service) { s.Checks = checks })
	}
	const input = "          evidence-workflow: .github/workflows/other.yml\n"
	return []situation{
		{"isolated", isolated, nil},
		{"isolated, its job required", both(isolated, require(RequiredCheck{"outcome-gate", 15368})), []string{"wrong-surface gate.yml:15:9"}},
		{"isolated, no merge group", both(isolated, tests("[pull_request, merge_group]", "[pull_request]")), []string{"missing-merge-group gate.yml:3:3"}},
		{"isolated, no workflow named", both(isolated, replace("        with:\n"+input, "")), []string{"evidence-unknown gate.yml:15:9"}},
		{"isolated, no such workflow", both(isolated, replace("other.yml", "none.yml")), []string{"evidence-unknown gate.yml:19:30"}},
		{"isolated, not started by it", both(isolated, replace("[tests]", "[lint]")), []string{"missing-merge-group gate.yml:3:3", "evidence-unknown gate.yml:19:30"}},
		{"isolated, not on pull requests", both(isolated, tests("[pull_request, merge_group]", "[push, merge_group]")), []string{"evidence-unknown other.yml"}},
		{"isolated, the gate's own steps", both(isolated, replace(input, input+"          steps: ${{ toJSON(steps) }}\n")), []string{"evidence-unknown gate.yml:20:18"}},
		{"isolated, a token that writes", both(isolated, tests("contents: read", "contents: write")), []string{"evidence-writes other.yml:3:1"}},
		{"isolated, all writes", both(isolated, tests("{ contents: read }", "write-all")), []string{"evidence-writes other.yml:3:1"}},
		{"isolated, a job that writes", both(isolated, tests("    steps:", "    permissions: { checks: write }\n    steps:")), []string{"evidence-writes other.yml:6:5"}},
		{"isolated, no permissions", both(isolated, tests("permissions: { contents: read }\n", "")), []string{"evidence-writes other.yml:4:3"}},
		{"isolated, files of the workspace", both(isolated, terms("version: 1\noutcomes:\n  - id: a\n    artifact: { files: a.xml, made_by: test }\n")), []string{"not-uploaded .github/outcome-contract.yml:3:5"}},
		{"isolated, a step", both(isolated, terms("version: 1\noutcomes:\n  - id: a\n    validators: [ { step: test } ]\n")), []string{"not-uploaded .github/outcome-contract.yml:4:21"}},
		{"isolated, a recorded status", both(isolated, terms("version: 1\noutcomes:\n  - id: a\n    validators: [ { exit_code: { file: a } } ]\n")), []string{"not-uploaded .github/outcome-contract.yml:4:21"}},
		{"isolated, a committed file", both(isolated, terms("version: 1\noutcomes:\n  - id: a\n    artifact: { files: a.xml, committed: changed }\n")), nil},
		{"isolated, an unknown maker", both(isolated, terms(strings.Replace(uploaded, "made_by: test", "made_by: build", 1))), []string{"unknown-step .github/outcome-contract.yml:3:5"}},
		{"isolated, an unknown job", both(isolated, terms("version: 1\noutcomes:\n  - id: a\n    validators: [ { job: build } ]\n")), []string{"unknown-step .github/outcome-contract.yml:4:21"}},
		{"isolated, a job of that name", both(isolated, tests("    steps:", "    name: build\n    steps:"), terms("version: 1\noutcomes:\n  - id: a\n    validators: [ { job: build } ]\n")), nil},
	}
}
