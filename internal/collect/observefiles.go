package collect

import (
	"context"
	"fmt"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// fileSet gives the facts of one set's files. owner is the plan whose identity rules hold, nil for further files.
func (o *observer) fileSet(ctx context.Context, s *fileSet, owner *outcomePlan) evidence.FileSet {
	out := evidence.FileSet{
		Problem: s.found.problem, ProblemDetail: clip(s.found.detail, maxReason),
		Total: len(s.found.names), Tier: string(contract.Run),
	}
	if u := o.uploads[s.up]; u != nil {
		out.Tier = string(contract.Service)
		if !u.seen.IsZero() {
			out.ObservedAt = &u.seen
		}
		if !u.Ended.IsZero() {
			out.WindowFrom = &u.Ended
		}
	}
	if len(s.files) > 0 {
		out.Files = make([]evidence.File, 0, len(s.files))
	}
	for _, file := range s.files {
		r := file.read
		f := o.file(s, file)
		if owner != nil {
			f.Identity = o.identity(owner, s, file)
		}
		if !r.seen.IsZero() {
			out.ObservedAt = &r.seen
		}
		out.SizeBytes += f.SizeBytes
		out.Files = append(out.Files, f)
		// What may be part of the change is no more than that.
		if s.rules.Committed != "no" && s.up.Name == "" && (!f.Git.Known || f.Git.Tracked || f.Git.Copied != "") {
			out.Tier = string(contract.Commit)
		}
	}
	if out.Total == 0 && out.Problem == "" && !s.head && s.up.Name == "" {
		out.Near = printable(o.w.near(ctx, s.globs))
	}
	return out
}

// file applies a set's own rules to what was read.
func (o *observer) file(s *fileSet, file *observedFile) evidence.File {
	r := file.read
	f := evidence.File{Name: printable(r.name), Link: r.link, SizeBytes: r.size, Git: r.git, NoKey: r.noKey}
	if !r.modTime.IsZero() {
		t := r.modTime
		f.ModifiedAt = &t
	}
	if !r.boundary.IsZero() {
		b := r.boundary
		f.Boundary = &b
	}
	f.BoundarySource = r.boundarySource
	t := r.trouble
	if r.link && s.rules.Symlinks != "inside" {
		t = &trouble{evidence.CodeArtifactLinkRefused, "it is a symbolic link"}
	}
	if t != nil {
		f.Problem, f.ProblemDetail = t.code, clip(t.detail, maxReason)
		return f
	}
	// A keyed digest is asked for because the plain one would give the bytes away: whoever else shares the
	// file does not show it either, unless the contract already names it.
	if showsPlain(s, file) {
		f.SHA256 = r.scanned.sha256
	}
	f.HMACSHA256 = r.scanned.hmac
	if !s.record {
		f.Git.Copied = printable(r.copied)
	}
	if s.head && o.git.changedReason != "" {
		f.Git.Known, f.Git.Reason = false, o.git.changedReason
	}
	return f
}

func showsPlain(s *fileSet, file *observedFile) bool {
	if !file.need.keyed {
		return true
	}
	return s.rules.HMACSHA256 == "" && s.rules.SHA256 != ""
}

// document is what a validator sees of a file.
func document(s *fileSet, file *observedFile, w evidence.Wants) evidence.Document {
	r := file.read
	d := evidence.Document{Name: printable(file.name), ModTime: r.modTime}
	if r.trouble != nil || (r.link && s.rules.Symlinks != "inside") {
		return d
	}
	d.Readable = true
	if showsPlain(s, file) {
		d.SHA256 = r.scanned.sha256
	}
	for _, p := range formsOf(w) {
		switch got := r.scanned.as(p); p.as {
		case asTests:
			d.Tests = got.tests
		case asCoverage:
			d.Coverage = got.coverage
		case asSARIF:
			d.SARIF = got.sarif
		}
	}
	if w.Bytes > 0 {
		n := min(w.Bytes, int64(len(r.scanned.bytes)))
		d.Bytes, d.Cut = r.scanned.bytes[:n:n], r.size > n
	}
	return d
}

func documents(s *fileSet, w evidence.Wants) []evidence.Document {
	out := make([]evidence.Document, 0, len(s.files))
	for _, file := range s.files {
		out = append(out, document(s, file, w))
	}
	return out
}

// identity gives what each identity rule finds for one file of the artifact.
func (o *observer) identity(p *outcomePlan, s *fileSet, file *observedFile) []evidence.IdentityValue {
	var out []evidence.IdentityValue
	for i, rule := range p.source.Identity {
		in, of := s, file
		if p.identity[i] >= 0 {
			in = o.plan.sets[p.identity[i]]
			if why := o.unfit(in); why != "" {
				out = append(out, evidence.IdentityValue{Reason: clip(printable(rule.File)+" "+why, maxReason)})
				continue
			}
			of = in.files[0]
		}
		w := evidence.Wants{Bytes: identityBytes}
		if rule.Property != "" {
			w = evidence.Wants{Tests: true}
		}
		doc := document(in, of, w)
		out = append(out, evidence.FindIdentity(evidence.IdentityRule{Pointer: rule.Pointer, Property: rule.Property, Regexp: rule.Regexp}, &doc))
	}
	return out
}

// unfit says why a file that an identity rule looks in breaks the rules of evidence files. The receipt has no
// place for the facts of such a file, so what it says is then not found.
func (o *observer) unfit(s *fileSet) string {
	if s.found.problem != "" {
		return "could not be looked for: " + s.found.detail
	}
	if len(s.files) != 1 {
		return "does not exist"
	}
	f := o.file(s, s.files[0])
	c := &o.f.Circumstances
	switch {
	case f.Problem != "":
		return "could not be read: " + f.ProblemDetail
	case s.rules.Committed == "no" && !f.Git.Known:
		return "may be committed: " + f.Git.Reason
	case s.rules.Committed == "no" && f.Git.Tracked:
		return "is committed"
	case s.rules.Committed == "no" && f.Git.Copied != "":
		return "is a copy of the committed file " + f.Git.Copied
	case s.head, s.rules.Fresh.Rule == "none":
		return ""
	case s.rules.Fresh.Rule == "max_age":
		if c.Now.IsZero() || c.Now.Sub(*f.ModifiedAt) > time.Duration(s.rules.Fresh.MaxAge)*time.Second {
			return fmt.Sprintf("is older than %d s", s.rules.Fresh.MaxAge)
		}
	case c.Boundary.IsZero():
		return "has an unknown age: " + c.BoundarySource
	case f.ModifiedAt.Before(c.Boundary):
		return "is older than this run"
	}
	return ""
}
