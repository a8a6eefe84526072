package verdict

import (
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

var (
	begin = time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
	head  = strings.Repeat("a1", 20)
	merge = strings.Repeat("b2", 20)
)

func at(d time.Duration) *time.Time { t := begin.Add(d); return &t }

func circumstances() *evidence.Circumstances {
	return &evidence.Circumstances{
		Subject: evidence.Subject{HeadSHA: head, MergeSHA: merge, RunID: 77, RunAttempt: 2},
		Now:     begin.Add(10 * time.Minute), Boundary: begin, RunStartedAt: begin,
	}
}

func artifact(change func(*contract.Artifact)) *contract.Artifact {
	a := readArtifact()
	if change != nil {
		change(a)
	}
	return a
}

func goodFile() evidence.File {
	return evidence.File{Name: "out/a.txt", SizeBytes: 10, ModifiedAt: at(time.Minute), SHA256: strings.Repeat("0f", 32), Git: evidence.GitFacts{Known: true}}
}

func TestJudgeFile(t *testing.T) {
	for _, c := range []struct {
		name     string
		artifact func(*contract.Artifact)
		file     func(*evidence.File)
		now      func(*evidence.Circumstances)
		tier     contract.Tier
		state    evidence.State
		code     string
	}{
		{name: "good", state: evidence.Verified, code: evidence.CodeArtifactOK},
		{name: "unreadable", file: func(f *evidence.File) { f.Problem = evidence.CodeArtifactUnreadable }, state: evidence.Unverified, code: evidence.CodeArtifactUnreadable},
		{name: "moved", file: func(f *evidence.File) { f.Problem = evidence.CodeArtifactMoved }, state: evidence.Unverified, code: evidence.CodeArtifactMoved},
		{name: "a problem not known here", file: func(f *evidence.File) { f.Problem = "artifact/new" }, state: evidence.Unverified, code: "artifact/new"},
		{name: "link outside", file: func(f *evidence.File) { f.Problem = evidence.CodeArtifactLinkOutside }, state: evidence.WrongArtifact, code: evidence.CodeArtifactLinkOutside},
		{name: "pipe", file: func(f *evidence.File) { f.Problem = evidence.CodeArtifactNotRegular }, state: evidence.WrongArtifact, code: evidence.CodeArtifactNotRegular},
		{name: "dangling link", file: func(f *evidence.File) { f.Problem = evidence.CodeArtifactLinkBroken }, state: evidence.Missing, code: evidence.CodeArtifactLinkBroken},
		{name: "no key", artifact: func(a *contract.Artifact) { a.HMACSHA256 = "00" }, file: func(f *evidence.File) { f.NoKey = true }, state: evidence.Unverified, code: evidence.CodeArtifactHMACNoKey},
		{name: "trees unknown", file: func(f *evidence.File) { f.Git = evidence.GitFacts{} }, state: evidence.Unverified, code: evidence.CodeArtifactGitUnknown},
		{name: "no time", file: func(f *evidence.File) { f.ModifiedAt = nil }, state: evidence.Unverified, code: evidence.CodeArtifactBoundaryUnknown},
		{name: "no boundary", now: func(c *evidence.Circumstances) { c.Boundary = time.Time{} }, state: evidence.Unverified, code: evidence.CodeArtifactBoundaryUnknown},
		{name: "no now", now: func(c *evidence.Circumstances) { c.Now = time.Time{} }, state: evidence.Unverified, code: evidence.CodeArtifactBoundaryUnknown},
		{name: "61 s ahead", file: func(f *evidence.File) { f.ModifiedAt = at(10*time.Minute + 61*time.Second) }, state: evidence.Unverified, code: evidence.CodeArtifactFuture},
		{name: "60 s ahead", file: func(f *evidence.File) { f.ModifiedAt = at(11 * time.Minute) }, state: evidence.Verified, code: evidence.CodeArtifactOK},
		{name: "a second early", file: func(f *evidence.File) { f.ModifiedAt = at(-time.Second) }, state: evidence.Stale, code: evidence.CodeArtifactStale},
		{name: "at the boundary", file: func(f *evidence.File) { f.ModifiedAt = at(0) }, state: evidence.Verified, code: evidence.CodeArtifactOK},
		{name: "an unknown time rule is the strict one", artifact: func(a *contract.Artifact) { a.Fresh.Rule = "new" }, file: func(f *evidence.File) { f.ModifiedAt = at(-time.Second) }, state: evidence.Stale, code: evidence.CodeArtifactStale},
		{name: "too old", artifact: func(a *contract.Artifact) { a.Fresh = contract.Fresh{Rule: "max_age", MaxAge: 60} }, state: evidence.Stale, code: evidence.CodeArtifactStale},
		{name: "young enough", artifact: func(a *contract.Artifact) { a.Fresh = contract.Fresh{Rule: "max_age", MaxAge: 540} }, state: evidence.Verified, code: evidence.CodeArtifactOK},
		{name: "times ignored", artifact: func(a *contract.Artifact) { a.Fresh.Rule = "none" }, file: func(f *evidence.File) { f.ModifiedAt = at(-1e6 * time.Hour) }, state: evidence.Verified, code: evidence.CodeArtifactOK},
		{name: "committed", file: func(f *evidence.File) { f.Git.Tracked = true }, state: evidence.Stale, code: evidence.CodeArtifactCommitted},
		{name: "copied", file: func(f *evidence.File) { f.Git.Copied = "fixtures/a.txt" }, state: evidence.Stale, code: evidence.CodeArtifactCopied},
		{name: "committed and allowed", artifact: func(a *contract.Artifact) { a.Committed = "yes" }, tier: contract.Commit, file: func(f *evidence.File) { f.Git.Tracked = true }, state: evidence.Verified, code: evidence.CodeArtifactOK},
		{name: "committed, allowed, tier run asked", artifact: func(a *contract.Artifact) { a.Committed = "yes" }, file: func(f *evidence.File) { f.Git.Tracked = true }, state: evidence.Unverified, code: evidence.CodeEvidenceTier},
		{name: "not changed", artifact: func(a *contract.Artifact) { a.Committed = "changed" }, tier: contract.Commit, file: func(f *evidence.File) { f.Git.Tracked, f.Git.AtHead = true, true }, state: evidence.Stale, code: evidence.CodeArtifactNotChanged},
		{name: "changed, other bytes", artifact: func(a *contract.Artifact) { a.Committed = "changed" }, tier: contract.Commit, file: func(f *evidence.File) { f.Git.Tracked, f.Git.Changed = true, true }, state: evidence.WrongArtifact, code: evidence.CodeArtifactNotAtHead},
		{name: "changed", artifact: func(a *contract.Artifact) { a.Committed = "changed" }, tier: contract.Commit, file: func(f *evidence.File) { f.Git.Tracked, f.Git.Changed, f.Git.AtHead = true, true, true }, state: evidence.Verified, code: evidence.CodeArtifactOK},
		{name: "changed, a head blob without a time", artifact: func(a *contract.Artifact) { a.Committed = "changed" }, tier: contract.Commit, file: func(f *evidence.File) {
			f.Git.Tracked, f.Git.Changed, f.Git.AtHead, f.ModifiedAt = true, true, true, nil
		}, state: evidence.Verified, code: evidence.CodeArtifactOK},
		{name: "other bytes", artifact: func(a *contract.Artifact) { a.SHA256 = strings.Repeat("ff", 32) }, state: evidence.HashMismatch, code: evidence.CodeArtifactHash},
		{name: "the very bytes", artifact: func(a *contract.Artifact) { a.SHA256 = strings.Repeat("0f", 32) }, state: evidence.Verified, code: evidence.CodeArtifactOK},
		{name: "other keyed bytes", artifact: func(a *contract.Artifact) { a.HMACSHA256 = "aa" }, file: func(f *evidence.File) { f.SHA256, f.HMACSHA256 = "", "bb" }, state: evidence.HashMismatch, code: evidence.CodeArtifactHMAC},
		{name: "keyed bytes", artifact: func(a *contract.Artifact) { a.HMACSHA256 = "aa" }, file: func(f *evidence.File) { f.SHA256, f.HMACSHA256 = "", "aa" }, state: evidence.Verified, code: evidence.CodeArtifactOK},
		{name: "empty", artifact: func(a *contract.Artifact) { a.MinBytes = 0 }, file: func(f *evidence.File) { f.SizeBytes = 0 }, state: evidence.ValidatorFailed, code: evidence.CodeArtifactTooSmall},
		{name: "too small", artifact: func(a *contract.Artifact) { a.MinBytes = 11 }, state: evidence.ValidatorFailed, code: evidence.CodeArtifactTooSmall},
		{name: "too large", artifact: func(a *contract.Artifact) { a.MaxBytes = 9 }, state: evidence.ValidatorFailed, code: evidence.CodeArtifactTooLarge},
		{name: "never read", file: func(f *evidence.File) { f.SHA256 = "" }, state: evidence.Unverified, code: evidence.CodeArtifactUnreadable},
		{name: "service asked", tier: contract.Service, state: evidence.Unverified, code: evidence.CodeEvidenceTier},
		{name: "an unknown tier is asked", tier: "new", state: evidence.Unverified, code: evidence.CodeEvidenceTier},
	} {
		f, now, tier := goodFile(), circumstances(), c.tier
		if c.file != nil {
			c.file(&f)
		}
		if c.now != nil {
			c.now(now)
		}
		if tier == "" {
			tier = contract.Run
		}
		got := JudgeFile(artifact(c.artifact), tier, &f, now)
		if got.State != c.state || got.Code != c.code {
			t.Errorf("%s: %+v, want %s %s", c.name, got, c.state, c.code)
		}
	}
}

func TestIdentity(t *testing.T) {
	found := func(v string) []evidence.IdentityValue { return []evidence.IdentityValue{{Value: v, Found: true}} }
	for _, c := range []struct {
		name   string
		equals []string
		text   []string
		seen   []evidence.IdentityValue
		ok     bool
	}{
		{"head", []string{"commit"}, nil, found(head), true},
		{"merge", []string{"commit"}, nil, found(merge), true},
		{"merge where the head is asked", []string{"head_sha"}, nil, found(merge), false},
		{"run id", []string{"run_id"}, nil, found("77"), true},
		{"attempt", []string{"run_attempt"}, nil, found("1"), false},
		{"own digest", []string{"artifact_sha256"}, nil, found(strings.Repeat("0f", 32)), true},
		{"text", nil, []string{"v3"}, found("v3"), true},
		{"one of two", []string{"head_sha"}, []string{"v3"}, found("v3"), true},
		{"absent", []string{"commit"}, nil, []evidence.IdentityValue{{Reason: "no such member"}}, false},
		{"not looked for", []string{"commit"}, nil, nil, false},
		{"empty is never equal to an unknown value", []string{"base_sha"}, nil, found(""), false},
		{"a name not known here", []string{"new"}, nil, found("new"), false},
	} {
		f := goodFile()
		f.Identity = c.seen
		a := artifact(func(a *contract.Artifact) {
			a.Identity = []contract.Identity{{Pointer: "/x", File: "side.json", Equals: c.equals, Text: c.text}}
		})
		got := JudgeFile(a, contract.Run, &f, circumstances())
		if ok := got.State == evidence.Verified; ok != c.ok || !ok && got.Code != evidence.CodeArtifactIdentity {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestZeroFileVerifiesNothing(t *testing.T) {
	for _, fresh := range []string{"", "run", "max_age", "none", "new"} {
		for _, committed := range []string{"", "no", "yes", "changed", "new"} {
			a := &contract.Artifact{Fresh: contract.Fresh{Rule: fresh, MaxAge: 1e9}, Committed: committed}
			if got := JudgeFile(a, contract.Commit, &evidence.File{}, circumstances()); got.State == evidence.Verified {
				t.Errorf("fresh %q, committed %q: the zero file is verified", fresh, committed)
			}
		}
	}
}

// TestTooEarly holds that two times that differ are never shown as one.
func TestTooEarly(t *testing.T) {
	at := time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		ahead  time.Duration
		source string
		want   string
	}{
		{time.Hour, "", "modified at 2026-06-30T12:00:00Z, before 2026-06-30T13:00:00Z"},
		{time.Hour, "newest tracked file: a.go", "modified at 2026-06-30T12:00:00Z, before 2026-06-30T13:00:00Z (newest tracked file: a.go)"},
		{250 * time.Millisecond, "--run-started-at", "modified at 2026-06-30T12:00:00Z, before 2026-06-30T12:00:00.25Z (--run-started-at)"},
	} {
		if got := tooEarly(at, at.Add(c.ahead), c.source); got != c.want {
			t.Errorf("%s ahead: %q, want %q", c.ahead, got, c.want)
		}
	}
}
