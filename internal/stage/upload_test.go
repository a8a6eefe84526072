package stage

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

const uploaded = `version: 1
applies_to: { agents: [claude] }
outcomes:
  - id: crane
    artifact: { upload: "results-*", files: "out/*.xml", made_by: test }
    trust: service
    validators:
      - tests: { min_executed: 2 }
`

// zipped is an archive of one file.
func zipped(t *testing.T, name, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// uploadScene is a run whose job test ended with an upload before the gate's job began. The storage is another host.
func uploadScene(t *testing.T) *scene {
	t.Helper()
	s := newScene(t)
	storage := httptest.NewTLSServer(s.world.StorageHandler())
	t.Cleanup(storage.Close)
	s.world.Storage(storage.URL)
	ca := filepath.Join(s.temp, "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: storage.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	s.env["INPUT_CA-FILE"] = ca
	s.env["INPUT_STEPS"] = ""
	s.contract(uploaded)
	data := zipped(t, "out/junit.xml", green)
	sum := sha256.Sum256(data)
	s.world.Change(func(d *fakegithub.Data) {
		run := d.Repositories[0].Runs[0]
		first := run.Attempts[0].StartedAt.Truncate(time.Second)
		ended := first.Add(4 * time.Minute)
		for i, a := range run.Attempts {
			a.Jobs = append(a.Jobs, &fakegithub.Job{
				ID: int64(2000 + i), Name: "test", Status: "completed", Conclusion: "success", CreatedAt: first, StartedAt: first.Add(time.Minute), CompletedAt: &ended,
			})
		}
		run.Artifacts = []*fakegithub.Artifact{{
			ID: 71, Name: "results-linux", Size: int64(len(data)), Digest: "sha256:" + hex.EncodeToString(sum[:]), CreatedAt: first.Add(3 * time.Minute), Zip: data,
		}}
	})
	return s
}

// TestUpload judges what another job of the run uploaded, from the API to the receipt, and every lie about it.
func TestUpload(t *testing.T) {
	again := func(run *fakegithub.Run, started time.Time) { // the second attempt ran the job anew
		j := run.Attempts[1].Jobs[len(run.Attempts[1].Jobs)-1]
		j.StartedAt = started
		end := started.Add(time.Minute)
		j.CompletedAt = &end
		run.Attempts[1].StartedAt = started
	}
	for _, c := range []struct {
		name    string
		attempt int
		made    string // "": made_by test stays
		change  func(*fakegithub.Run, *fakegithub.Artifact)
		code    string
		state   string
	}{
		{"made by this run", 1, "", func(*fakegithub.Run, *fakegithub.Artifact) {}, "tests/passed", "verified"},
		{"without a digest", 1, "", func(_ *fakegithub.Run, a *fakegithub.Artifact) { a.Digest = "" }, "tests/passed", "verified"},
		{"kept from the first attempt", 2, "", func(*fakegithub.Run, *fakegithub.Artifact) {}, "tests/passed", "verified"},
		{"kept, and no producer named", 2, "none", func(r *fakegithub.Run, _ *fakegithub.Artifact) {
			r.Attempts[1].StartedAt = r.Attempts[1].StartedAt.Add(5 * time.Minute)
		}, "tests/passed", "verified"},
		{"no producer named", 1, "none", func(*fakegithub.Run, *fakegithub.Artifact) {}, "tests/passed", "verified"},
		{"of an attempt whose job ran again", 2, "", func(r *fakegithub.Run, a *fakegithub.Artifact) { again(r, a.CreatedAt.Add(2*time.Minute)) }, "upload/superseded", "stale"},
		{"of an earlier attempt, no producer named", 2, "none", func(r *fakegithub.Run, a *fakegithub.Artifact) { again(r, a.CreatedAt.Add(2*time.Minute)) }, "upload/superseded", "stale"},
		{"after its job", 1, "", func(_ *fakegithub.Run, a *fakegithub.Artifact) { a.CreatedAt = a.CreatedAt.Add(2 * time.Minute) }, "upload/other-run", "wrong_artifact"},
		{"of another run", 1, "", func(_ *fakegithub.Run, a *fakegithub.Artifact) { a.OfRun = 901 }, "upload/other-run", "wrong_artifact"},
		{"of another commit", 1, "", func(_ *fakegithub.Run, a *fakegithub.Artifact) { a.HeadSHA = strings.Repeat("9", 40) }, "upload/other-run", "wrong_artifact"},
		{"other bytes", 1, "", func(_ *fakegithub.Run, a *fakegithub.Artifact) { a.Digest = "sha256:" + strings.Repeat("0", 64) }, "upload/digest", "hash_mismatch"},
		{"expired", 1, "", func(_ *fakegithub.Run, a *fakegithub.Artifact) { a.Expired = true }, "upload/expired", "missing"},
		{"another name", 1, "", func(_ *fakegithub.Run, a *fakegithub.Artifact) { a.Name = "logs" }, "upload/missing", "missing"},
		{"no zip", 1, "", func(_ *fakegithub.Run, a *fakegithub.Artifact) { a.Zip, a.Digest = []byte("no zip"), "" }, "upload/archive", "unverified"},
		{"over the limit", 1, "", func(_ *fakegithub.Run, a *fakegithub.Artifact) { a.Size = 64<<20 + 1 }, "artifact/over-limit", "unverified"},
		{"its job runs", 1, "", func(r *fakegithub.Run, _ *fakegithub.Artifact) {
			j := r.Attempts[0].Jobs[len(r.Attempts[0].Jobs)-1]
			j.Status, j.Conclusion, j.CompletedAt = "in_progress", "", nil
		}, "upload/running", "unverified"},
		{"its job failed", 1, "", func(r *fakegithub.Run, _ *fakegithub.Artifact) {
			r.Attempts[0].Jobs[len(r.Attempts[0].Jobs)-1].Conclusion = "failure"
		}, "evidence/conflict", "validator_failed"},
		{"a newer one of its name is red", 1, "", func(r *fakegithub.Run, a *fakegithub.Artifact) {
			b := *a
			b.ID, b.Digest, b.Zip = 72, "", zipped(t, "out/junit.xml", red)
			r.Artifacts = append(r.Artifacts, &b)
		}, "evidence/conflict", "validator_failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := uploadScene(t)
			s.attempt = c.attempt
			if c.made != "" {
				s.contract(strings.Replace(uploaded, ", made_by: test", "", 1))
			}
			s.world.Change(func(d *fakegithub.Data) {
				r := d.Repositories[0].Runs[0]
				c.change(r, r.Artifacts[0])
			})
			code := Main(context.Background(), s.options())
			o := s.receipt().Outcomes[0]
			if o.Code != c.code || string(o.State) != c.state || (code == 0) != (c.state == "verified") {
				t.Errorf("exit %d: %s %s (%s), want %s %s", code, o.State, o.Code, o.Detail, c.state, c.code)
			}
			if c.state == "verified" && (o.Observation.EvidenceSource != "upload" || o.Observation.Provenance != "service" || o.Facts.Artifact.Files[0].Name != "results-linux/out/junit.xml") {
				t.Errorf("observation %+v", o.Observation)
			}
		})
	}
}
