package collect

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

const (
	maxTreeDirs  = 1_000_000 // directories of one tree, counted as often as they occur
	maxTreeDepth = 512       // what the longest path allows, and short of any stack
	maxTreeBytes = 512 << 20 // of all paths of one tree
	maxTreeCache = 64 << 20  // bytes of tree objects kept: head, merge and base are mostly the same
)

// Repo is a git repository, read without the git program. It is safe for concurrent use. Close it after use.
type Repo struct {
	mu      sync.Mutex
	dirs    *gitDirs
	store   *store
	shallow map[string]bool // commits whose parents are cut off
	trees   map[plumbing.Hash][]node
	held    int
}

// Commit is one commit of a change.
type Commit struct {
	SHA       string
	Parents   []string
	Author    Person
	Committer Person
	Message   string    // cut at 64 KiB
	Trailers  []Trailer // of the last paragraph, in order
}

// Person is the author or committer of a commit, as the commit claims.
type Person struct {
	Name, Email string
	When        time.Time
}

// Trailer is one "Key: value" line at the end of a commit message.
type Trailer struct{ Key, Value string }

// OpenRepo opens the repository whose worktree is dir: dir holds .git, as a directory or as a file that names
// one. The error is fs.ErrNotExist if there is none. Repositories of SHA-256 objects and of reftables are refused.
func OpenRepo(dir string) (r *Repo, err error) {
	defer func() { err = guard("open repository "+filepath.Base(dir), err, recover()) }()
	dirs, err := openGitDirs(dir)
	if err != nil {
		return nil, err
	}
	r = &Repo{dirs: dirs, trees: map[plumbing.Hash][]node{}}
	if err = r.checkFormat(); err == nil {
		if err = r.readShallow(); err == nil {
			r.store, err = openStore(dirs.common)
		}
	}
	if err != nil {
		return nil, errors.Join(err, dirs.close())
	}
	return r, nil
}

// guard names what was being done in an error, and turns a panic of a decoder into one.
func guard(doing string, err error, panicked any) error {
	if panicked != nil {
		err = fmt.Errorf("the repository is broken: %v", panicked)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", doing, err)
	}
	return err
}

// checkFormat refuses repositories that this package would misread. Of the configuration nothing else is used.
func (r *Repo) checkFormat() error {
	text, err := readGit(r.dirs.common, "config", maxGitText)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, m := range formatOption().FindAllSubmatch(text, -1) {
		switch key, value := strings.ToLower(string(m[1])), strings.ToLower(string(m[2])); {
		case key == "objectformat" && value != "sha1":
			return fmt.Errorf("its objects are named by %s; only SHA-1 repositories can be read", clip(value, 20))
		case key == "refstorage" && value != "files":
			return fmt.Errorf("its refs are stored as %s; only files can be read", clip(value, 20))
		}
	}
	return nil
}

// formatOption finds the two options in git's configuration that say how a repository is stored, wherever they stand:
// as one that is misread must be refused, one that only looks misread may be.
var formatOption = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?im)^(?:[^#;\n]*[\]\s])?(objectformat|refstorage)[ \t]*=[ \t"]*([^\s"#;]*)`)
})

func (r *Repo) readShallow() error {
	data, err := readGit(r.dirs.common, "shallow", maxPackedRefs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	r.shallow = map[string]bool{}
	for line := range strings.Lines(string(data)) {
		r.shallow[strings.TrimSpace(line)] = true
	}
	return nil
}

// Close releases the repository's files.
func (r *Repo) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.store.close(), r.dirs.close())
}

// Shallow reports whether the history is cut.
func (r *Repo) Shallow() bool { return len(r.shallow) > 0 }

// ErrNoDefaultBranch says that the repository knows of no default branch: it has no refs/remotes/origin/HEAD.
var ErrNoDefaultBranch = errors.New("there is no refs/remotes/origin/HEAD")

// DefaultBranch gives the short name ("main") and commit of the branch that refs/remotes/origin/HEAD names.
// Without that ref it is ErrNoDefaultBranch; one that leads nowhere is another error.
func (r *Repo) DefaultBranch() (name, commit string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { err = guard("find the default branch of origin", err, recover()) }()
	const head = "refs/remotes/origin/HEAD"
	last, sha, err := r.dirs.follow(head)
	name, ok := strings.CutPrefix(last, "refs/remotes/origin/")
	switch {
	case errors.Is(err, errNoRef) && last == head:
		return "", "", ErrNoDefaultBranch
	case errors.Is(err, errNoRef):
		return "", "", fmt.Errorf("%s names %s, which is not here (git remote set-head origin -a finds it anew)", head, clip(last, maxReason))
	case err != nil:
		return "", "", err
	case !ok || name == "HEAD":
		return "", "", fmt.Errorf("%s names no branch of origin (git remote set-head origin -a finds it anew)", head)
	}
	return name, sha, nil
}

// Tree lists everything that a commit tracks.
func (r *Repo) Tree(ctx context.Context, commit string) (t *Tree, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { err = guard("list commit "+clip(commit, 40), err, recover()) }()
	c, err := r.commit(commit)
	if err != nil {
		return nil, err
	}
	root, err := rawSHA(c.tree)
	if err != nil {
		return nil, err
	}
	f := &flattener{repo: r}
	if err := f.dir(ctx, root, "", 0); err != nil {
		return nil, err
	}
	return newTree(commit, f.out)
}

// Trees lists the trees that evidence is compared with: of the commits head, merge and base, as far as they are
// not "", and of the local index if withIndex is set. One that cannot be read is an error: without it nothing
// may be called untracked.
func (r *Repo) Trees(ctx context.Context, head, merge, base string, withIndex bool) (*Trees, error) {
	out := &Trees{}
	for _, t := range []struct {
		to     **Tree
		commit string
	}{{&out.Head, head}, {&out.Merge, merge}, {&out.Base, base}} {
		if t.commit == "" {
			continue
		}
		tree, err := r.Tree(ctx, t.commit)
		if err != nil {
			return nil, err
		}
		*t.to = tree
	}
	if withIndex {
		tree, err := r.IndexTree(ctx)
		if err != nil {
			return nil, err
		}
		out.Index = tree
	}
	return out, nil
}

// flattener lists a tree object and those below it.
type flattener struct {
	repo  *Repo
	out   []treeEntry
	dirs  int
	bytes int
}

func (f *flattener) dir(ctx context.Context, sha plumbing.Hash, path string, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.dirs++; f.dirs > maxTreeDirs || depth > maxTreeDepth {
		return errors.New("its tree is over the limit of directories")
	}
	nodes, err := f.repo.tree(sha)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		name := n.name
		if path != "" {
			name = path + "/" + name
		}
		if n.mode == ModeDir {
			if err := f.dir(ctx, n.sha, name, depth+1); err != nil {
				return err
			}
			continue
		}
		if f.bytes += len(name); f.bytes > maxTreeBytes || len(f.out) >= maxTreeFiles {
			return errors.New("its tree is over the limit of files")
		}
		f.out = append(f.out, treeEntry{path: name, mode: n.mode, sha: n.sha, size: UnknownSize})
	}
	return nil
}

// tree reads one tree object.
func (r *Repo) tree(sha plumbing.Hash) ([]node, error) {
	if nodes, ok := r.trees[sha]; ok {
		return nodes, nil
	}
	data, err := r.store.typed(sha, plumbing.TreeObject, maxObject)
	if err != nil {
		return nil, err
	}
	nodes, err := parseTree(data)
	if err != nil {
		return nil, err
	}
	if r.held += 2 * len(data); r.held > maxTreeCache {
		clear(r.trees)
		r.held = 2 * len(data)
	}
	r.trees[sha] = nodes
	return nodes, nil
}

func (r *Repo) commit(sha string) (*parsedCommit, error) {
	raw, err := rawSHA(sha)
	if err != nil {
		return nil, err
	}
	data, err := r.store.typed(raw, plumbing.CommitObject, maxObject)
	if err != nil {
		return nil, err
	}
	return parseCommit(sha, data)
}

// Blob reads one blob of at most maxBytes.
func (r *Repo) Blob(ctx context.Context, sha string, maxBytes int64) (data []byte, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { err = guard("read blob "+clip(sha, 40), err, recover()) }()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	raw, err := rawSHA(sha)
	if err != nil {
		return nil, err
	}
	return r.store.typed(raw, plumbing.BlobObject, maxBytes)
}

// FileAt reads a file of a commit's tree without listing the tree; fs.ErrNotExist if the commit does not
// track the path. The entry's mode tells links from files; a submodule has no bytes.
func (r *Repo) FileAt(ctx context.Context, commit, path string, maxBytes int64) (data []byte, e TreeEntry, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { err = guard("read "+clip(path, 200)+" at "+clip(commit, 40), err, recover()) }()
	c, err := r.commit(commit)
	if err != nil {
		return nil, e, err
	}
	at, err := rawSHA(c.tree)
	if err != nil {
		return nil, e, err
	}
	parts := strings.Split(path, "/")
	if len(parts) > maxTreeDepth {
		return nil, e, fs.ErrNotExist
	}
	mode := ModeDir
	for _, part := range parts {
		if err := ctx.Err(); err != nil {
			return nil, e, err
		}
		if mode != ModeDir {
			return nil, e, fs.ErrNotExist
		}
		nodes, err := r.tree(at)
		if err != nil {
			return nil, e, err
		}
		if mode = 0; part != "" {
			for _, n := range nodes {
				if n.name == part {
					mode, at = n.mode, n.sha
				}
			}
		}
		if mode == 0 {
			return nil, e, fs.ErrNotExist
		}
	}
	e = TreeEntry{Path: path, Mode: mode, SHA: hex.EncodeToString(at[:]), Size: UnknownSize}
	switch mode {
	case ModeDir:
		return nil, e, errors.New("it is a directory")
	case ModeSubmodule:
		return nil, e, nil
	}
	data, err = r.store.typed(at, plumbing.BlobObject, maxBytes)
	e.Size = int64(len(data))
	return data, e, err
}
