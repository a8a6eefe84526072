package verdict

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// maxAhead is how far a modification time may lie after now before it stops meaning anything: clocks of
// one machine and its file server differ by seconds.
const maxAhead = 60 * time.Second

// JudgeFile gives the state of one evidence file under the conditions of its artifact. The checks run in
// the fixed order of the states: what could not be observed, another target, another time, other bytes.
func JudgeFile(a *contract.Artifact, tier contract.Tier, f *evidence.File, c *evidence.Circumstances) evidence.Finding {
	for _, check := range []func() (evidence.State, string, string){
		func() (evidence.State, string, string) { return fileProblem(f) },
		func() (evidence.State, string, string) { return channelTime(a, f, c) },
		func() (evidence.State, string, string) { return identity(a, f, &c.Subject) },
		func() (evidence.State, string, string) { return committed(a, f) },
		func() (evidence.State, string, string) { return age(a, f, c) },
		func() (evidence.State, string, string) { return digest(a, f) },
		func() (evidence.State, string, string) { return size(a, f) },
		func() (evidence.State, string, string) { return trusted(a, tier, f) },
	} {
		if state, code, detail := check(); state != evidence.Verified {
			return evidence.Finding{State: state, Code: code, Detail: f.Name + ": " + detail}
		}
	}
	return evidence.Finding{State: evidence.Verified, Code: evidence.CodeArtifactOK, Detail: f.Name}
}

func fine() (evidence.State, string, string) { return evidence.Verified, "", "" }

// fileProblem maps what kept a file from being read to its state.
func fileProblem(f *evidence.File) (evidence.State, string, string) {
	switch f.Problem {
	case "":
		return fine()
	case evidence.CodeArtifactLinkOutside, evidence.CodeArtifactLinkRefused, evidence.CodeArtifactNotRegular:
		return evidence.WrongArtifact, f.Problem, f.ProblemDetail
	case evidence.CodeUploadOtherRun:
		return evidence.WrongArtifact, f.Problem, f.ProblemDetail
	case evidence.CodeUploadDigest:
		return evidence.HashMismatch, f.Problem, f.ProblemDetail
	case evidence.CodeUploadSuperseded:
		return evidence.Stale, f.Problem, f.ProblemDetail
	case evidence.CodeArtifactLinkBroken, evidence.CodeAddressStatus, evidence.CodeUploadExpired:
		return evidence.Missing, f.Problem, f.ProblemDetail
	}
	return evidence.Unverified, f.Problem, f.ProblemDetail
}

// channelTime says unverified where a time or a tree that a rule needs is not known.
func channelTime(a *contract.Artifact, f *evidence.File, c *evidence.Circumstances) (evidence.State, string, string) {
	from, source := boundary(a, f, c)
	if a.HMACSHA256 != "" && f.NoKey {
		return evidence.Unverified, evidence.CodeArtifactHMACNoKey, "no key was given for hmac_sha256"
	}
	if a.URL == "" && a.Committed != "yes" && !f.Git.Known {
		return evidence.Unverified, evidence.CodeArtifactGitUnknown, "what git tracks is not known: " + f.Git.Reason
	}
	if !timed(a) {
		return fine()
	}
	switch {
	case f.ModifiedAt == nil:
		return evidence.Unverified, evidence.CodeArtifactBoundaryUnknown, "it has no modification time"
	case c.Now.IsZero():
		return evidence.Unverified, evidence.CodeArtifactBoundaryUnknown, "the time of this evaluation is not known"
	case f.ModifiedAt.After(c.Now.Add(maxAhead)):
		return evidence.Unverified, evidence.CodeArtifactFuture, fmt.Sprintf("modified at %s, which is after now (%s)", stamp(*f.ModifiedAt), stamp(c.Now))
	case a.Fresh.Rule == "run" && from.IsZero():
		return evidence.Unverified, evidence.CodeArtifactBoundaryUnknown, "when this run began is not known: " + source
	}
	return fine()
}

// identity compares what the identity rules found with what the subject is.
func identity(a *contract.Artifact, f *evidence.File, s *evidence.Subject) (evidence.State, string, string) {
	for i, rule := range a.Identity {
		if i >= len(f.Identity) || !f.Identity[i].Found {
			reason := "not looked for"
			if i < len(f.Identity) {
				reason = f.Identity[i].Reason
			}
			return evidence.WrongArtifact, evidence.CodeArtifactIdentity, fmt.Sprintf("%s names no target: %s", identityName(rule), reason)
		}
		want := append(evidence.IdentityTargets(rule.Equals, s, f.SHA256), rule.Text...)
		if got := f.Identity[i].Value; !slices.Contains(want, got) {
			return evidence.WrongArtifact, evidence.CodeArtifactIdentity, fmt.Sprintf("%s is %q, expected %s", identityName(rule), evidence.ShortCommits([]string{got})[0], quoteAny(evidence.ShortCommits(want)))
		}
	}
	return fine()
}

func identityName(r contract.Identity) string {
	name := "property " + r.Property
	switch {
	case r.Pointer != "":
		name = "pointer " + r.Pointer
	case r.Regexp != "":
		name = "the match of its pattern"
	}
	if r.File != "" {
		name += " in " + r.File
	}
	return name
}

// committed applies the git rule: a committed file is not something that this run produced.
func committed(a *contract.Artifact, f *evidence.File) (evidence.State, string, string) {
	if a.URL != "" { // what lies at an address is not the job's own work: a committed page is deployed as it is
		return fine()
	}
	switch a.Committed {
	case "yes":
		return fine()
	case "changed":
		if !f.Git.Changed {
			return evidence.Stale, evidence.CodeArtifactNotChanged, "the change neither adds nor modifies it"
		}
		if !f.Git.AtHead {
			return evidence.WrongArtifact, evidence.CodeArtifactNotAtHead, "its bytes are not those of the head commit"
		}
		return fine()
	}
	switch {
	case f.Git.Tracked:
		return evidence.Stale, evidence.CodeArtifactCommitted, "it is committed, so this run did not produce it"
	case f.Git.Copied != "":
		return evidence.Stale, evidence.CodeArtifactCopied, fmt.Sprintf("its bytes are a copy of the committed file %s", f.Git.Copied)
	}
	return fine()
}

// age applies the time rule.
func age(a *contract.Artifact, f *evidence.File, c *evidence.Circumstances) (evidence.State, string, string) {
	if !timed(a) {
		return fine()
	}
	if a.Fresh.Rule == "max_age" {
		limit := time.Duration(a.Fresh.MaxAge) * time.Second
		if c.Now.Sub(*f.ModifiedAt) > limit {
			return evidence.Stale, evidence.CodeArtifactStale, fmt.Sprintf("modified at %s, older than %s", stamp(*f.ModifiedAt), limit)
		}
		return fine()
	}
	// "run", and anything unknown, which is held to the strictest rule.
	if from, source := boundary(a, f, c); from.IsZero() || f.ModifiedAt.Before(from) {
		return evidence.Stale, evidence.CodeArtifactStale, tooEarly(*f.ModifiedAt, from, source)
	}
	return fine()
}

// boundary is the time from which a file is fresh, and where it comes from: the run's, or for what is inside an upload
// that of the job that made it, which may be one that an earlier attempt ran.
func boundary(a *contract.Artifact, f *evidence.File, c *evidence.Circumstances) (time.Time, string) {
	switch {
	case a.Upload == "":
		return c.Boundary, c.BoundarySource
	case f.Boundary == nil:
		return time.Time{}, "the start of the job that made the upload was not looked for"
	}
	return *f.Boundary, f.BoundarySource
}

// tooEarly says how a time lies before the boundary, and where the boundary comes from. Times of one second are
// told apart by their fractions.
func tooEarly(modified, boundary time.Time, source string) string {
	at, from := stamp(modified), stamp(boundary)
	if at == from {
		at, from = modified.UTC().Format(time.RFC3339Nano), boundary.UTC().Format(time.RFC3339Nano)
	}
	s := fmt.Sprintf("modified at %s, before %s", at, from)
	if source != "" {
		s += " (" + source + ")"
	}
	return s
}

// timed says whether times mean anything: not where the contract says so, not for a deliverable that the change
// commits, whose head blob is judged and has no time of its own, and not for an address, which is looked at now: what
// its server says of times is the server's word.
func timed(a *contract.Artifact) bool {
	return a.URL == "" && a.Fresh.Rule != "none" && a.Committed != "changed"
}

// digest compares exact bytes.
func digest(a *contract.Artifact, f *evidence.File) (evidence.State, string, string) {
	switch {
	case a.SHA256 != "" && a.SHA256 != f.SHA256:
		return evidence.HashMismatch, evidence.CodeArtifactHash, fmt.Sprintf("sha256 is %s, expected %s", f.SHA256, a.SHA256)
	case a.HMACSHA256 != "" && a.HMACSHA256 != f.HMACSHA256:
		return evidence.HashMismatch, evidence.CodeArtifactHMAC, "its keyed digest differs from the expected one"
	}
	return fine()
}

// size applies the byte bounds; an empty file never verifies anything.
func size(a *contract.Artifact, f *evidence.File) (evidence.State, string, string) {
	switch {
	case f.SizeBytes < max(a.MinBytes, 1):
		return evidence.ValidatorFailed, evidence.CodeArtifactTooSmall, fmt.Sprintf("it has %s, at least %d needed", numbered(int(f.SizeBytes), "byte", "bytes"), max(a.MinBytes, 1))
	case a.MaxBytes > 0 && f.SizeBytes > a.MaxBytes:
		return evidence.ValidatorFailed, evidence.CodeArtifactTooLarge, fmt.Sprintf("it has %s, at most %d allowed", numbered(int(f.SizeBytes), "byte", "bytes"), a.MaxBytes)
	case f.SHA256 == "" && f.HMACSHA256 == "":
		return evidence.Unverified, evidence.CodeArtifactUnreadable, "it was not read"
	}
	return fine()
}

// trusted holds the file's tier against the least tier that the outcome asks for.
func trusted(a *contract.Artifact, least contract.Tier, f *evidence.File) (evidence.State, string, string) {
	tier := contract.Run
	if a.Upload != "" {
		tier = contract.Service
	} else if f.Git.Tracked && a.Committed != "no" {
		tier = contract.Commit
	}
	if !atLeast(tier, least) {
		return evidence.Unverified, evidence.CodeEvidenceTier, fmt.Sprintf("it is known at tier %s, the contract asks for %s", tier, least)
	}
	return fine()
}

// atLeast says whether tier got is as strong as want; an unknown tier is as weak as claimed, an unknown demand is never met.
func atLeast(got, want contract.Tier) bool {
	order := []contract.Tier{contract.Claimed, contract.Commit, contract.Run, contract.Attested, contract.Service}
	w := slices.Index(order, want)
	return w >= 1 && slices.Index(order, got) >= w
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func quoteAny(want []string) string {
	if len(want) == 0 {
		return "a value that is not known here"
	}
	s := strconv.Quote(want[0])
	for _, w := range want[1:] {
		s += " or " + strconv.Quote(w)
	}
	return s
}
