package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// commitAll makes the repository: the base commit, the head commit on it, and the merge of the two that a run on
// a pull request checks out.
func (b *built) commitAll(s *Scenario) error {
	r, err := git.PlainInit(b.dir, false)
	if err != nil {
		return fmt.Errorf("build repository of %s: %w", s.Name, err)
	}
	w := writer{repo: r, scenario: s, at: s.Files.RunStartedAt.Add(-time.Hour).UTC()}
	baseTree := w.tree(b.trees[0])
	headTree := w.tree(b.trees[1])
	base := w.commit(baseTree, "Base")
	head := w.commit(headTree, "Change", base)
	merge := w.commit(headTree, "Merge the change", base, head)
	w.index(b.trees[1])
	w.ref(plumbing.NewHashReference("refs/heads/main", base))
	w.ref(plumbing.NewHashReference("refs/remotes/origin/main", base))
	w.ref(plumbing.NewSymbolicReference("refs/remotes/origin/HEAD", "refs/remotes/origin/main"))
	w.ref(plumbing.NewHashReference(plumbing.HEAD, merge))
	if w.err != nil {
		return fmt.Errorf("build repository of %s: %w", s.Name, w.err)
	}
	b.base, b.head, b.merge = base.String(), head.String(), merge.String()
	return nil
}

// writer writes git objects; after the first error it writes nothing more.
type writer struct {
	repo     *git.Repository
	scenario *Scenario
	at       time.Time
	err      error
}

// store encodes one object into the repository.
func (w *writer) store(encode func(plumbing.EncodedObject) error) plumbing.Hash {
	if w.err != nil {
		return plumbing.ZeroHash
	}
	o := w.repo.Storer.NewEncodedObject()
	if w.err = encode(o); w.err != nil {
		return plumbing.ZeroHash
	}
	var h plumbing.Hash
	h, w.err = w.repo.Storer.SetEncodedObject(o)
	return h
}

func (w *writer) blob(data []byte) plumbing.Hash {
	return w.store(func(o plumbing.EncodedObject) error {
		o.SetType(plumbing.BlobObject)
		out, err := o.Writer()
		if err != nil {
			return err
		}
		if _, err := out.Write(data); err != nil {
			return err
		}
		return out.Close()
	})
}

// mode is how git tracks one path of the scenario.
func (w *writer) mode(path string) filemode.FileMode {
	if w.scenario.Files.Files[path].Type == "symlink" {
		return filemode.Symlink
	}
	return filemode.Regular
}

// tree writes the nested trees of a flat list, submodules included.
func (w *writer) tree(files snapshot) plumbing.Hash {
	entries := map[string]object.TreeEntry{}
	for path, data := range files {
		entries[path] = object.TreeEntry{Mode: w.mode(path), Hash: w.blob(data)}
	}
	for _, path := range w.scenario.Files.Submodules {
		entries[path] = object.TreeEntry{Mode: filemode.Submodule, Hash: plumbing.ComputeHash(plumbing.CommitObject, []byte(path))}
	}
	return w.dir(entries)
}

func (w *writer) dir(entries map[string]object.TreeEntry) plumbing.Hash {
	below := map[string]map[string]object.TreeEntry{}
	var t object.Tree
	for path, e := range entries {
		dir, rest, nested := strings.Cut(path, "/")
		if !nested {
			e.Name = path
			t.Entries = append(t.Entries, e)
			continue
		}
		if below[dir] == nil {
			below[dir] = map[string]object.TreeEntry{}
		}
		below[dir][rest] = e
	}
	for name, inside := range below {
		t.Entries = append(t.Entries, object.TreeEntry{Name: name, Mode: filemode.Dir, Hash: w.dir(inside)})
	}
	slices.SortFunc(t.Entries, func(a, b object.TreeEntry) int { return strings.Compare(sortName(a), sortName(b)) })
	return w.store(t.Encode)
}

// sortName is the name by which git orders tree entries: a directory counts as if it ended with a slash.
func sortName(e object.TreeEntry) string {
	if e.Mode == filemode.Dir {
		return e.Name + "/"
	}
	return e.Name
}

func (w *writer) commit(tree plumbing.Hash, message string, parents ...plumbing.Hash) plumbing.Hash {
	who := object.Signature{Name: "Fixture", Email: "fixture@example.org", When: w.at}
	return w.store((&object.Commit{Author: who, Committer: who, Message: message + "\n", TreeHash: tree, ParentHashes: parents}).Encode)
}

// index writes the local index as a checkout leaves it.
func (w *writer) index(files snapshot) {
	if w.err != nil {
		return
	}
	idx := &index.Index{Version: 2}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		idx.Entries = append(idx.Entries, &index.Entry{
			Name: path, Mode: w.mode(path), Size: uint32(len(files[path]) & 0xffffffff), ModifiedAt: w.at, CreatedAt: w.at,
			Hash: plumbing.ComputeHash(plumbing.BlobObject, files[path]),
		})
	}
	w.err = w.repo.Storer.SetIndex(idx)
}

func (w *writer) ref(r *plumbing.Reference) {
	if w.err == nil {
		w.err = w.repo.Storer.SetReference(r)
	}
}
