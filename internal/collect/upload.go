package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/archive"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// MaxArchiveBytes bounds the archive of one upload, in bytes.
const MaxArchiveBytes = archive.MaxBytes

// Upload is what a contract says of uploads of this run.
type Upload struct {
	Name   string // or a glob over names
	MadeBy string // the job that makes them; empty: any
}

// Uploads is what one look at a run's uploads saw.
type Uploads struct {
	// Code is why there is nothing to read: upload/missing and upload/running may change while one waits.
	Code     string
	Detail   string
	Parts    []Uploaded
	Ended    time.Time // when the job that makes them ended, by this machine's clock; zero: not known
	Producer string    // how that job ended; empty: not known
}

// Uploaded is the newest upload of one name. Its times are by this machine's clock.
type Uploaded struct {
	Name           string // without a slash
	Code           string // why it is not read; empty: it is
	Detail         string
	CreatedAt      time.Time
	Boundary       time.Time // the start of the job that made it, or the earliest that it can have; zero: not known
	BoundarySource string
	Archive        []byte
}

// NameMatches reports whether a name is the one that a contract gives, or fits its glob.
func NameMatches(glob, name string) bool {
	pats, err := compile(0, []string{glob})
	return err == nil && !strings.Contains(name, "/") && matchPath(pats, name)
}

// uploads is the last look at uploads, with their archives opened.
type uploads struct {
	Uploads
	seen  time.Time
	parts map[string]*part
}

type part struct {
	*Uploaded
	archive *archive.Archive
	trouble *trouble
}

// uploadsOf looks at uploads, once for all that want something of them, and again while they are not there and their
// window is open.
func (o *observer) uploadsOf(ctx context.Context, up Upload) *uploads {
	if u := o.uploads[up]; u != nil {
		return u
	}
	u := &uploads{parts: map[string]*part{}}
	o.uploads[up] = u
	if o.f.Uploads == nil {
		u.Code, u.Detail = evidence.CodeUploadNotHere, "uploads are read through the API of the service that has them"
		return u
	}
	for again := true; again; {
		u.Uploads = o.f.Uploads(ctx, up)
		if o.f.Now != nil {
			u.seen = o.f.Now().UTC()
		}
		from := o.f.Circumstances.RunStartedAt
		if !u.Ended.IsZero() {
			from = u.Ended
		}
		awaited := u.Code == evidence.CodeUploadMissing || u.Code == evidence.CodeUploadRunning
		again = awaited && o.pause(ctx, u.seen, from, o.plan.uploads[up], lookAgain)
	}
	for i := range u.Parts {
		p := &part{Uploaded: &u.Parts[i]}
		if p.Code != "" {
			p.trouble = &trouble{p.Code, p.Detail}
		} else if a, err := archive.Open(p.Archive); err != nil {
			p.trouble = archiveTrouble(err)
		} else {
			p.archive = a
		}
		u.parts[p.Name] = p
	}
	return u
}

// listUpload names the files of a set that is inside uploads: the upload's name, a slash, and the name in there. An
// upload that cannot be read stands for its files by its own name.
func (o *observer) listUpload(ctx context.Context, s *fileSet) listing {
	var l listing
	u := o.uploadsOf(ctx, s.up)
	if u.Code != "" {
		l.fail(u.Code, u.Detail)
		return l
	}
	pats, err := compile(0, s.globs)
	if err != nil {
		l.fail(evidence.CodeArtifactUnlisted, err.Error())
		return l
	}
	limit := o.w.limits.filled().Files
	for i := range u.Parts {
		p := u.parts[u.Parts[i].Name]
		if p.trouble != nil {
			l.names = append(l.names, p.Name)
			continue
		}
		for _, name := range p.archive.Names() {
			if matchPath(pats, name) {
				l.names = append(l.names, p.Name+"/"+name)
			}
		}
		if len(l.names) > limit {
			l = listing{}
			l.fail(evidence.CodeArtifactTooMany, fmt.Sprintf("over %d files match", limit))
			return l
		}
	}
	slices.Sort(l.names)
	return l
}

// entry reads one file of an upload once, for everything that wants something of it.
func (o *observer) entry(ctx context.Context, r *reader, up Upload, path string, n need) (out *reading) {
	out = &reading{name: path}
	defer func() {
		if p := recover(); p != nil {
			out.trouble = &trouble{evidence.CodeArtifactUnreadable, clip(fmt.Sprint("reading it broke: ", p), maxReason)}
		}
	}()
	u := o.uploads[up]
	name, inside, _ := strings.Cut(path, "/")
	p := u.parts[name]
	out.modTime, out.boundary, out.boundarySource = p.CreatedAt, p.Boundary, p.BoundarySource
	out.git = r.git.inNoTree()
	out.noKey = n.keyed && len(r.key) == 0
	if out.trouble = p.trouble; out.trouble == nil {
		out.trouble = r.entryBytes(ctx, out, p.archive, inside, n)
	}
	if out.trouble != nil {
		out.scanned = scanned{}
	}
	return out
}

func (r *reader) entryBytes(ctx context.Context, out *reading, a *archive.Archive, name string, n need) *trouble {
	out.size = a.Size(name)
	if limit := r.w.limits.filled().FileBytes; out.size > limit {
		return &trouble{evidence.CodeArtifactOverLimit, fmt.Sprintf("it has %s, the limit is %d", count(out.size, "byte"), limit)}
	}
	if r.room.Add(-min(n.bytes, out.size)) < 0 {
		return &trouble{evidence.CodeArtifactOverLimit, fmt.Sprintf("the files of this outcome have over %d MiB that would have to be kept", maxKept>>20)}
	}
	data, err := a.Read(name)
	if err != nil {
		return archiveTrouble(err)
	}
	copies := n.blob && r.git.known()
	if n.blob {
		n.blob, n.crlf = r.git.wants(out.size)
	}
	s, err := scanAll(ctx, bytes.NewReader(data), out.size, n, r.key, r.buf)
	if err != nil {
		return readTrouble(err)
	}
	out.scanned = *s
	if copies {
		if out.copied, err = r.copyOf(ctx, s, func() io.Reader { return bytes.NewReader(data) }); err != nil {
			return readTrouble(err)
		}
	}
	return nil
}

func archiveTrouble(err error) *trouble {
	if errors.Is(err, archive.ErrTooLarge) {
		return &trouble{evidence.CodeArtifactOverLimit, clip(err.Error(), maxReason)}
	}
	return &trouble{evidence.CodeUploadArchive, clip(printable(err.Error()), maxReason)}
}
