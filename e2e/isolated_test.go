package e2e

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/e2e/runstep"
	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// The layout of two workflows: the demo's tests run in a job that the gate never sees, which uploads their results, and
// the gate runs from the default branch.

const (
	evidenceFile = ".github/workflows/outcome-evidence.yml"
	evidenceRun  = 4100

	isolatedContract = `version: 1
outcomes:
  - id: unit-tests
    about: The whole suite ran in job test and nothing failed.
    artifact: { upload: results-test, files: "**/junit.xml", made_by: test }
    trust: service
    validators:
      - tests: { min_executed: 3, must_pass: ["total*"] }
`
)

// storage serves the world's uploads on a host of their own, over https, and gives its authority.
func (h *hub) storage(t *testing.T) []byte {
	t.Helper()
	s := httptest.NewTLSServer(h.StorageHandler())
	t.Cleanup(s.Close)
	h.Storage(s.URL)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

// evidence is a run of the other workflow: it checks the change out, runs its tests and uploads what they wrote.
func (h *hub) evidence(t *testing.T, id int64) {
	t.Helper()
	dir := t.TempDir()
	h.checkOut(t, dir, h.merge)
	c := exec.Command("./test")
	c.Dir = dir
	out, err := c.CombinedOutput()
	t.Logf("./test: %s", out)
	conclusion := "success"
	if err != nil {
		conclusion = "failure"
	}
	results, err := os.ReadFile(filepath.Join(dir, "reports", "junit.xml"))
	must(t, err)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("junit.xml") // the uploading action leaves out the folder that all files have in common
	must(t, err)
	_, err = f.Write(results)
	must(t, err)
	must(t, w.Close())
	sum := sha256.Sum256(b.Bytes())
	began := time.Now().UTC().Add(-10 * time.Minute).Truncate(time.Second)
	end := began.Add(2 * time.Minute)
	h.repo(func(r *fakegithub.Repository) {
		r.Runs = append(r.Runs, &fakegithub.Run{
			ID: id, Workflow: "outcome-evidence", WorkflowID: 98, Path: evidenceFile, Event: "pull_request", HeadSHA: h.head, HeadBranch: headBranch, CreatedAt: began,
			Attempts: []*fakegithub.Attempt{{StartedAt: began, UpdatedAt: end, Status: "completed", Conclusion: conclusion, Jobs: []*fakegithub.Job{
				{ID: id * 10, Name: "test", Status: "completed", Conclusion: conclusion, CreatedAt: began, StartedAt: began, CompletedAt: &end},
			}}},
			Artifacts: []*fakegithub.Artifact{{
				ID: id*10 + 1, Name: "results-test", Size: int64(b.Len()), Digest: "sha256:" + hex.EncodeToString(sum[:]), CreatedAt: end.Add(-time.Second), Zip: b.Bytes(),
			}},
		})
	})
}

// behind runs the gate's job alone: nothing is checked out, and what lies in its workspace is nobody's evidence.
func (h *hub) behind(t *testing.T, run int64, event string, authority []byte) *scene {
	t.Helper()
	s := h.begin(t, run, 1, settings{event: event, with: map[string]string{"evidence-workflow": evidenceFile, "ca-file": "ca.pem"}})
	if event == "workflow_run" {
		s.step.StartedBy = strconv.Itoa(evidenceRun)
	}
	must(t, os.WriteFile(filepath.Join(s.job.Temp(), "ca.pem"), authority, 0o644))
	planted := filepath.Join(s.job.Workspace(), "reports", "junit.xml")
	must(t, os.MkdirAll(filepath.Dir(planted), 0o755))
	must(t, os.WriteFile(planted, []byte(`<testsuite name="planted"><testcase classname="p" name="total"/></testsuite>`), 0o644))
	must(t, s.job.Own())
	for _, stage := range []runstep.Stage{runstep.Pre, runstep.Main, runstep.Post} {
		must(t, s.step.Run(t.Context(), stage))
	}
	for _, l := range s.step.Result.Lines {
		t.Logf("[%s] %s", l.Stage, l.Text)
	}
	s.keep(t)
	s.always(t)
	return s
}

func isolated(t *testing.T, c change) (*hub, []byte) {
	t.Helper()
	h := open(t, c, settings{})
	authority := h.storage(t)
	h.evidence(t, evidenceRun)
	return h, authority
}

func TestIsolatedPass(t *testing.T) {
	c := goodChange()
	c.contract = isolatedContract
	h, authority := isolated(t, c)
	s := h.behind(t, runID, "workflow_run", authority)
	s.agree(t, passed())
	t.Logf("measured: %d requests of a run on workflow_run", len(h.Requests()))
}

func TestIsolatedFalseSuccess(t *testing.T) {
	c := badChange()
	c.contract = isolatedContract
	h, authority := isolated(t, c)
	h.behind(t, runID, "workflow_run", authority).agree(t, falseSuccess())
}

// TestIsolatedWait shows that an approval turns the status green without a push and without another test.
func TestIsolatedWait(t *testing.T) {
	c := goodChange()
	c.contract = isolatedContract + "    waits_for: { approval: { from: [write], count: 1 } }\n"
	h, authority := isolated(t, c)
	h.behind(t, runID, "workflow_run", authority).agree(t, answer{
		exit: 4, result: "wait", verdict: "UNVERIFIABLE", reason: "waiting", title: "Waiting for approval by a person with write permission",
		conclusion: "action_required", status: "pending",
	})
	h.repo(func(r *fakegithub.Repository) {
		r.Reviews = append(r.Reviews, &fakegithub.Review{
			ID: 5, Pull: pullNumber, User: fakegithub.User{Login: "mona"}, State: "APPROVED", CommitID: h.head, SubmittedAt: time.Now().UTC(),
		})
	})
	h.behind(t, runID+1, "pull_request_review", authority).agree(t, passed())
}
