package collect

import (
	"context"
	"encoding/hex"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// modeGroupWritable is a file mode that git wrote long ago and still reads as a plain file.
const modeGroupWritable uint32 = 0o100664

// gitView is what the reader compares files with. A nil view, or one without trees, knows nothing and says why.
type gitView struct {
	trees   *Trees
	reason  string // why there are no trees
	sizes   blobSizes
	blob    func(ctx context.Context, sha string) ([]byte, error)
	changed map[string]bool
	// changedReason says why the list of changed files is not known or not whole.
	changedReason string
}

func newGitView(ctx context.Context, g Git) *gitView {
	v := &gitView{blob: g.Blob, changed: make(map[string]bool, len(g.Changed.Files))}
	for _, f := range g.Changed.Files {
		switch f.Status {
		case "added", "modified", "renamed", "copied", "changed":
			v.changed[f.Path] = true
		}
	}
	if !g.Changed.Known {
		v.changedReason = "the files that the change touches are not known"
		if g.Changed.Reason != "" {
			v.changedReason += ": " + clip(g.Changed.Reason, maxReason)
		}
	}
	if g.Trees == nil {
		v.reason = "no repository was given"
		return v
	}
	trees, err := g.Trees(ctx)
	switch {
	case err != nil:
		v.reason = reason(err)
	case trees == nil || trees.Head == nil:
		v.reason = "the head commit's tree was not given"
	default:
		v.trees, v.sizes = trees, trees.sizes()
	}
	return v
}

// wants says what of a read of size bytes can matter to git: its name of the bytes, where a tracked file may be as
// large, and the pairs of carriage return and line feed, where one may be as large without the returns.
func (v *gitView) wants(size int64) (blob, crlf bool) {
	if !v.known() {
		return false, false
	}
	return v.sizes.between(size, size), size >= copyLeast && v.sizes.between((size+1)/2, size-1)
}

func (v *gitView) known() bool { return v != nil && v.trees != nil }

// facts says what the trees know of a name and of the path that it leads to.
func (v *gitView) facts(name, target string) evidence.GitFacts {
	if !v.known() {
		g := evidence.GitFacts{Reason: "git was not asked"}
		if v != nil {
			g.Reason = v.reason
		}
		return g
	}
	return evidence.GitFacts{
		Known:   true,
		Tracked: v.trees.tracks(name) || (target != "" && v.trees.tracks(target)),
		Changed: v.changed[name],
	}
}

// inNoTree says whether the trees are known, of a file that has no path in them.
func (v *gitView) inNoTree() evidence.GitFacts {
	g := v.facts("", "")
	return evidence.GitFacts{Known: g.Known, Reason: g.Reason}
}

// place fills in a file's git facts.
func (v *gitView) place(r *reading, where located) {
	r.git = v.facts(r.name, where.path)
	if !r.git.Known || r.trouble != nil {
		return
	}
	e, ok := v.trees.Head.Lookup(r.name)
	r.git.AtHead = ok && r.scanned.named && !r.link && e.Mode != ModeSymlink && e.Mode != ModeSubmodule &&
		e.SHA == hex.EncodeToString(r.scanned.blob[:])
}
