package e2e

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// jobImage is where workflows' own steps run, from e2e/base-image.
const jobImage = "gate-e2e-job:local"

// workflow is what the README shows, with the action under one name or another.
func workflow(uses string) string {
	return `name: gate
on:
  pull_request:
  merge_group:
permissions:
  contents: read
  checks: write
  statuses: write
  pull-requests: write
  actions: read
jobs:
  gate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          persist-credentials: false
      - id: test
        run: ./test
      - id: gate
        if: always()
        uses: ` + uses + `
        with:
          steps: ${{ toJSON(steps) }}
      - if: always()
        env:
          RESULT: ${{ steps.gate.outputs.result }}
          VERDICT: ${{ steps.gate.outputs.verdict }}
          RECEIPT: ${{ steps.gate.outputs.receipt-path }}
        run: |
          echo "later steps see: result=$RESULT verdict=$VERDICT receipt=$RECEIPT"
`
}

// TestWorkflow runs whole workflows with a real runner: nektos/act, with the job's steps in a container.
func TestWorkflow(t *testing.T) {
	image(t)
	act := os.Getenv("GATE_E2E_ACT")
	if act == "" {
		t.Skip("GATE_E2E_ACT is not set: it names the runner's program")
	}
	tests := []struct {
		name, event, uses string
		change            change
		want              answer
	}{
		{"local action passes", "pull_request", "./", goodChange(), passed()},
		{"released action passes", "pull_request", "acme/gate@v1", goodChange(), passed()},
		{"released action blocks", "pull_request", "acme/gate@v1", badChange(), falseSuccess()},
		{"local action in a merge queue", "merge_group", "./", goodChange(), passed()},
		{"released action in a merge queue", "merge_group", "acme/gate@v1", goodChange(), passed()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			product := t.TempDir()
			copyProduct(t, product)
			h := open(t, tt.change, settings{})
			if tt.event == "merge_group" {
				tt.want.sha, tt.want.noComment = h.merge, true
			} else {
				tt.want.sha = h.head
			}
			tt.want.checkName = checkName
			s, log, code := h.act(t, act, tt.event, tt.uses, product)
			if (code == 0) != (tt.want.exit == 0) {
				t.Errorf("the job ends with %d, and the gate should with %d", code, tt.want.exit)
			}
			// As output, not as the script that says it. Here the file itself is out of reach: this runner's containers
			// share no temporary folder.
			line := fmt.Sprintf("| later steps see: result=%s verdict=%s receipt=outcome-gate-receipt.json", tt.want.result, tt.want.verdict)
			if !strings.Contains(log, line) {
				t.Errorf("the log does not say %q", line)
			}
			s.agreeCheckRun(t, tt.want)
			s.agreeComment(t, tt.want)
			if got := s.status(tt.want.sha); got != tt.want.status {
				t.Errorf("commit status %q, want %q", got, tt.want.status)
			}
		})
	}
}

// copyProduct copies what the action's image is built from, and no more, so that the engine finds it built.
func copyProduct(t *testing.T, to string) {
	t.Helper()
	from := cmp.Or(os.Getenv("GATE_E2E_PRODUCT"), "..")
	for _, name := range []string{"action.yml", "Dockerfile", ".dockerignore", "go.mod", "go.sum", "cmd", "internal"} {
		must(t, filepath.WalkDir(filepath.Join(from, name), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(from, path)
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || rel == "internal/fakegithub" || rel == "internal/conformance"):
				return filepath.SkipDir
			case d.IsDir():
				return os.MkdirAll(filepath.Join(to, rel), 0o755)
			case strings.HasSuffix(rel, "_test.go"):
				return nil
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(to, rel), data, info.Mode().Perm())
		}))
	}
	git(t, to, nil, "init", "--quiet", "--initial-branch", "main")
	commitAll(t, to)
}

func commitAll(t *testing.T, dir string) {
	t.Helper()
	git(t, dir, nil, "add", "--all", "--force")
	git(t, dir, nil, "-c", "user.name=e2e", "-c", "user.email=e2e@acme.invalid", "commit", "--quiet", "--message", "e2e")
}

// act runs the workflow once, and gives a scene without a step, the log, and the exit code.
func (h *hub) act(t *testing.T, program, event, uses, product string) (s *scene, log string, code int) {
	t.Helper()
	dir := t.TempDir()
	h.checkOut(t, dir, h.merge)
	if uses == "./" {
		copyProduct(t, dir)
	}
	must(t, os.MkdirAll(filepath.Join(dir, ".github/workflows"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, ".github/workflows/gate.yml"), []byte(workflow(uses)), 0o644))
	commitAll(t, dir)
	payload, vars := h.payload(t, event)
	eventFile := filepath.Join(t.TempDir(), "event.json")
	must(t, os.WriteFile(eventFile, payload, 0o644))
	s = &scene{t: t, hub: h, run: runID, try: 1, event: event}
	h.startRun(s.run, s.try, vars["GITHUB_SHA"], event)
	args := []string{
		event, "--workflows", ".github/workflows/gate.yml", "--eventpath", eventFile, "--platform", "ubuntu-latest=" + jobImage, "--pull=false", "--rm",
		"--secret", "GITHUB_TOKEN=" + writeToken, "--env", "GITHUB_API_URL=" + h.server.URL + "/api/v3", "--env", "GITHUB_REPOSITORY=" + repository,
		"--env", "GITHUB_RUN_ID=" + strconv.FormatInt(s.run, 10), "--env", "GITHUB_RUN_ATTEMPT=1",
		// The runner takes commit and ref from the checkout, which holds one commit more: the workflow itself.
		"--env", "SHA_REF=" + vars["GITHUB_SHA"], "--env", "GITHUB_REF=" + vars["GITHUB_REF"], "--container-architecture", "linux/amd64",
	}
	if uses != "./" {
		args = append(args, "--local-repository", uses+"="+product)
	}
	c := exec.Command(program, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	out, err := c.CombinedOutput()
	t.Logf("act:\n%s", out)
	if err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return s, string(out), c.ProcessState.ExitCode()
}
