package verdict

import (
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// TestJudgeUpload holds that what is inside an upload is judged by the start of its own job, at tier service, and that
// what is not there is awaited only while its window was open at the last look.
func TestJudgeUpload(t *testing.T) {
	t.Parallel()
	now := circumstances().Now
	start := now.Add(-10 * time.Minute)
	for _, c := range []struct {
		name   string
		set    string // problem of the set
		file   string // problem of the file
		made   time.Duration
		from   time.Duration // of the boundary, from the start; 0: not known
		copied string
		window contract.Seconds
		ended  time.Duration // of the job; 0: not known
		looked time.Duration
		state  evidence.State
		code   string
		next   Next
	}{
		{"there", "", "", 2 * time.Minute, time.Minute, "", 0, 0, 0, evidence.Verified, evidence.CodeArtifactOK, NoNext},
		{"older than its job", "", "", time.Minute, 2 * time.Minute, "", 0, 0, 0, evidence.Stale, evidence.CodeArtifactStale, Produce},
		{"kept from before this run attempt", "", "", -time.Hour, -2 * time.Hour, "", 0, 0, 0, evidence.Verified, evidence.CodeArtifactOK, NoNext},
		{"no boundary", "", "", 2 * time.Minute, 0, "", 0, 0, 0, evidence.Unverified, evidence.CodeArtifactBoundaryUnknown, RunCheck},
		{"a copy", "", "", 2 * time.Minute, time.Minute, "a.go", 0, 0, 0, evidence.Stale, evidence.CodeArtifactCopied, Produce},
		{"of another run", "", evidence.CodeUploadOtherRun, 0, 0, "", 600, 0, time.Minute, evidence.WrongArtifact, evidence.CodeUploadOtherRun, Produce},
		{"superseded", "", evidence.CodeUploadSuperseded, 0, 0, "", 0, 0, 0, evidence.Stale, evidence.CodeUploadSuperseded, Produce},
		{"other bytes", "", evidence.CodeUploadDigest, 0, 0, "", 0, 0, 0, evidence.HashMismatch, evidence.CodeUploadDigest, NeedsHuman},
		{"expired", "", evidence.CodeUploadExpired, 0, 0, "", 600, 0, time.Minute, evidence.Missing, evidence.CodeUploadExpired, Produce},
		{"refused", "", evidence.CodeUploadArchive, 0, 0, "", 0, 0, 0, evidence.Unverified, evidence.CodeUploadArchive, RunCheck},
		{"not here", evidence.CodeUploadNotHere, "", 0, 0, "", 600, 0, time.Minute, evidence.Unverified, evidence.CodeUploadNotHere, RunCheck},
		{"not there", evidence.CodeUploadMissing, "", 0, 0, "", 0, 0, time.Minute, evidence.Missing, evidence.CodeUploadMissing, Produce},
		{"not there in the window", evidence.CodeUploadMissing, "", 0, 0, "", 120, 0, time.Minute, evidence.Waiting, evidence.CodeWaitWindow, ObserveAgain},
		{"its job runs in the window", evidence.CodeUploadRunning, "", 0, 0, "", 120, 0, time.Minute, evidence.Waiting, evidence.CodeWaitWindow, ObserveAgain},
		{"its job runs after it", evidence.CodeUploadRunning, "", 0, 0, "", 120, 0, 2 * time.Minute, evidence.Unverified, evidence.CodeUploadRunning, RunCheck},
		{"in the window from its job's end", evidence.CodeUploadMissing, "", 0, 0, "", 120, 8 * time.Minute, 9 * time.Minute, evidence.Waiting, evidence.CodeWaitWindow, ObserveAgain},
	} {
		o := &contract.Outcome{ID: "up", Trust: contract.Service, ObserveFor: c.window, Artifact: &contract.Artifact{
			Upload: "dist", Files: []string{"*"}, Fresh: contract.Fresh{Rule: "run"}, Committed: "no", Symlinks: "inside", MinBytes: 1, Count: contract.Count{Min: 1},
		}}
		made := start.Add(c.made)
		file := evidence.File{Name: "dist/a", Problem: c.file, SizeBytes: 3, SHA256: "0a", ModifiedAt: &made, Git: evidence.GitFacts{Known: true, Copied: c.copied}}
		if c.from != 0 {
			from := start.Add(c.from)
			file.Boundary = &from
		}
		set := setOf(file)
		if c.set != "" {
			set = &evidence.FileSet{Problem: c.set, Tier: "service"}
		}
		if c.looked > 0 {
			at := start.Add(c.looked)
			set.ObservedAt = &at
		}
		if c.ended > 0 {
			at := start.Add(c.ended)
			set.WindowFrom = &at
		}
		at := circumstances()
		at.RunStartedAt, at.Boundary = start, start
		got := JudgeOutcome(o, o.Artifact, &evidence.Observation{ID: "up", Artifact: set}, at, false)
		if got.State != c.state || got.Code != c.code || got.Next != c.next {
			t.Errorf("%s: %s %s %s (%s), want %s %s %s", c.name, got.State, got.Code, got.Next, got.Detail, c.state, c.code, c.next)
		}
	}
}
