package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/gate"
)

const (
	actionFile = "../../action.yml"
	actionDoc  = "../../docs/action.md"
)

// metadata is action.yml in its own order.
type metadata struct {
	Inputs  yaml.Node `yaml:"inputs"`
	Outputs yaml.Node `yaml:"outputs"`
	Runs    struct {
		Using string `yaml:"using"`
		Pre   string `yaml:"pre-entrypoint"`
		Main  string `yaml:"entrypoint"`
		Post  string `yaml:"post-entrypoint"`
	} `yaml:"runs"`
}

func readMetadata(t *testing.T) metadata {
	t.Helper()
	data, err := os.ReadFile(actionFile)
	if err != nil {
		t.Fatal(err)
	}
	var m metadata
	if err := yaml.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// actionTable is the documentation's table of inputs or outputs.
func actionTable(t *testing.T, n *yaml.Node, head string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(head)
	for i := 0; i+1 < len(n.Content); i += 2 {
		var v struct {
			Description string  `yaml:"description"`
			Default     *string `yaml:"default"`
		}
		if err := n.Content[i+1].Decode(&v); err != nil || v.Description == "" {
			t.Fatalf("%s: %v", n.Content[i].Value, err)
		}
		fmt.Fprintf(&b, "| `%s` |", n.Content[i].Value)
		if strings.Contains(head, "default") {
			if v.Default != nil {
				fmt.Fprintf(&b, " `%s`", *v.Default)
			}
			b.WriteString(" |")
		}
		fmt.Fprintf(&b, " %s |\n", v.Description)
	}
	return b.String()
}

// TestActionDoc holds the documentation's tables against action.yml; -update rewrites them.
func TestActionDoc(t *testing.T) {
	m := readMetadata(t)
	data, err := os.ReadFile(actionDoc)
	if err != nil {
		t.Fatal(err)
	}
	want := data
	for name, table := range map[string]string{
		"inputs":  actionTable(t, &m.Inputs, "| input | default | what it is |\n|---|---|---|\n"),
		"outputs": actionTable(t, &m.Outputs, "| output | what it is |\n|---|---|\n"),
	} {
		begin, end := "<!-- "+name+":begin -->\n", "<!-- "+name+":end -->"
		before, rest, ok := bytes.Cut(want, []byte(begin))
		_, after, closed := bytes.Cut(rest, []byte(end))
		if !ok || !closed {
			t.Fatalf("%s has no place for the %s", actionDoc, name)
		}
		want = bytes.Join([][]byte{before, []byte(begin + table + end), after}, nil)
	}
	if bytes.Equal(want, data) {
		return
	}
	if !*update {
		t.Fatalf("%s does not have the tables of action.yml: run go test ./cmd/gate -run TestActionDoc -update", actionDoc)
	}
	if err := os.WriteFile(actionDoc, want, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestStagesAreInTheImage holds action.yml against the image and the program's own names.
func TestStagesAreInTheImage(t *testing.T) {
	m := readMetadata(t)
	dockerfile, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{m.Runs.Pre: "pre", m.Runs.Main: "run", m.Runs.Post: "post"} {
		if got := stageOf(path); got != want {
			t.Errorf("%s is the stage %q, want %q", path, got, want)
		}
		if !bytes.Contains(dockerfile, []byte("/image"+path)) {
			t.Errorf("the image has no %s", path)
		}
	}
	for _, other := range []string{"gate", "/usr/bin/gate", "gate-tests", "run", "agate-run"} {
		if got := stageOf(other); got != "" {
			t.Errorf("%s is taken for the stage %s", other, got)
		}
	}
}

var fenced = regexp.MustCompile("(?ms)^```yaml (contract|workflow|needs)\n(.*?)\n```$")

// TestActionExamples holds the documents' contracts against the reader and their workflows against YAML.
func TestActionExamples(t *testing.T) {
	found := map[string]int{}
	for _, doc := range []string{actionDoc, "../../docs/agents.md", "../../README.md"} {
		data, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fenced.FindAllSubmatch(data, -1) {
			found[string(m[1])]++
			if string(m[1]) == "contract" {
				if _, problems := contract.Parse(doc, m[2], gate.ContractKinds()); len(problems.Mistakes()) > 0 {
					t.Errorf("%s: %v", doc, problems)
				}
				continue
			}
			checkWorkflow(t, doc, string(m[1]), m[2])
		}
	}
	if found["contract"] == 0 || found["workflow"] == 0 || found["needs"] == 0 {
		t.Errorf("the documents show %v", found)
	}
}

// checkWorkflow holds a shown workflow: with the gate in a job of its own (needs), only that job may write.
func checkWorkflow(t *testing.T, doc, layout string, text []byte) {
	t.Helper()
	var w struct {
		Permissions map[string]string `yaml:"permissions"`
		Jobs        map[string]struct {
			If          string            `yaml:"if"`
			Permissions map[string]string `yaml:"permissions"`
			Steps       []struct {
				If   string            `yaml:"if"`
				Uses string            `yaml:"uses"`
				With map[string]string `yaml:"with"`
			} `yaml:"steps"`
		} `yaml:"jobs"`
	}
	if err := yaml.Unmarshal(text, &w); err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	job, handed, may := w.Jobs["outcome-gate"], "steps", w.Permissions
	if layout == "needs" {
		handed, may = "needs", job.Permissions
		if job.If != "always()" || len(w.Permissions) != 1 {
			t.Errorf("%s: the job has `if: %s`, and the others may %v", doc, job.If, w.Permissions)
		}
	}
	steps := job.Steps
	last := steps[len(steps)-2] // behind it only the receipt is uploaded
	if may["checks"] != "write" || may["statuses"] != "write" || may["contents"] != "read" || last.If != "always()" ||
		!strings.HasPrefix(last.Uses, "outcome-gate/outcome-gate@") || last.With[handed] == "" {
		t.Errorf("%s: the workflow is not what the text says: %+v", doc, w)
	}
	lintWorkflow(t, doc, text)
}

// lintWorkflow holds a workflow to actionlint, where that is installed.
func lintWorkflow(t *testing.T, doc string, text []byte) {
	t.Helper()
	lint, err := exec.LookPath("actionlint")
	if err != nil {
		return // .ci/run has it
	}
	path := filepath.Join(t.TempDir(), "workflow.yml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(lint, path).CombinedOutput(); err != nil {
		t.Errorf("%s: actionlint: %v\n%s", doc, err, out)
	}
}

// TestRecheckExample holds the documented workflow for comments: it runs nothing of the change, and lints clean.
func TestRecheckExample(t *testing.T) {
	data, err := os.ReadFile(actionDoc)
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?ms)^```yaml recheck\n(.*?)\n```$").FindAllSubmatch(data, -1)
	if len(shown) != 1 {
		t.Fatalf("%d workflows for comments are shown", len(shown))
	}
	var w struct {
		On   map[string]any `yaml:"on"`
		Jobs map[string]struct {
			Steps []struct {
				Uses string            `yaml:"uses"`
				With map[string]string `yaml:"with"`
			} `yaml:"steps"`
		} `yaml:"jobs"`
	}
	if err := yaml.Unmarshal(shown[0][1], &w); err != nil {
		t.Fatal(err)
	}
	var inputs map[string]any
	m := readMetadata(t)
	if err := m.Inputs.Decode(&inputs); err != nil {
		t.Fatal(err)
	}
	for name, job := range w.Jobs {
		for _, step := range job.Steps {
			if !strings.HasPrefix(step.Uses, "outcome-gate/outcome-gate@") {
				t.Errorf("%s runs %q beside the gate", name, step.Uses)
			}
			for input := range step.With {
				if inputs[input] == nil {
					t.Errorf("%s gives %q, which is no input", name, input)
				}
			}
			if step.With["evidence-workflow"] == "" || step.With["pr-number"] != "${{ github.event.issue.number }}" {
				t.Errorf("%s gives %v", name, step.With)
			}
		}
	}
	if len(w.Jobs) != 1 || w.On["issue_comment"] == nil {
		t.Errorf("it has %d jobs on %v", len(w.Jobs), w.On)
	}
	lintWorkflow(t, actionDoc, shown[0][1])
}
