package setup

import (
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	format "github.com/go-git/go-git/v5/plumbing/format/diff"
	"github.com/go-git/go-git/v5/utils/diff"
)

// Diff is what the plan changes, as git shows it. What stood in a file before is in it as it was: it is for a reader
// who takes care of that.
func (p *Plan) Diff() (string, error) {
	var b strings.Builder
	err := format.NewUnifiedEncoder(&b, format.DefaultContextLines).Encode(patch(p.Files))
	return b.String(), err
}

// patch, filePatch, side and chunk are a plan in the words of the encoder.
type patch []File

func (patch) Message() string { return "" }

func (p patch) FilePatches() []format.FilePatch {
	var out []format.FilePatch
	for i := range p {
		if p[i].Change() != "unchanged" {
			out = append(out, filePatch{&p[i]})
		}
	}
	return out
}

type filePatch struct{ f *File }

func (filePatch) IsBinary() bool { return false }

func (p filePatch) Files() (from, to format.File) {
	if p.f.Before != nil {
		from = side{p.f.Path, p.f.Before}
	}
	return from, side{p.f.Path, p.f.After}
}

func (p filePatch) Chunks() []format.Chunk {
	var out []format.Chunk
	for _, d := range diff.Do(string(p.f.Before), string(p.f.After)) {
		c := chunk{d.Text, format.Equal}
		switch {
		case d.Type < 0:
			c.kind = format.Delete
		case d.Type > 0:
			c.kind = format.Add
		}
		out = append(out, c)
	}
	return out
}

type side struct {
	path string
	data []byte
}

func (s side) Path() string          { return s.path }
func (side) Mode() filemode.FileMode { return filemode.Regular }
func (s side) Hash() plumbing.Hash   { return plumbing.ComputeHash(plumbing.BlobObject, s.data) }

type chunk struct {
	text string
	kind format.Operation
}

func (c chunk) Content() string        { return c.text }
func (c chunk) Type() format.Operation { return c.kind }
