package collect

import (
	"context"
	"time"
)

// Repo is a git repository, read without the git program. It is safe for concurrent use. Close it after use.
type Repo struct{}

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

// OpenRepo opens the repository whose worktree is dir: dir holds .git, as a directory or as a file that names one.
func OpenRepo(dir string) (*Repo, error) { return nil, errNotBuilt }

// Close releases the repository's files.
func (r *Repo) Close() error { return errNotBuilt }

// Shallow reports whether the history is cut.
func (r *Repo) Shallow() bool { return false }

// Resolve gives the commit that a ref names: a full object name, HEAD, a full ref, a branch, a tag or remote/branch.
func (r *Repo) Resolve(ref string) (string, error) { return "", errNotBuilt }

// DefaultBranch gives the short name ("main") and commit of the branch that refs/remotes/origin/HEAD names.
func (r *Repo) DefaultBranch() (name, commit string, err error) { return "", "", errNotBuilt }

// Tree lists everything that a commit tracks.
func (r *Repo) Tree(ctx context.Context, commit string) (*Tree, error) { return nil, errNotBuilt }

// IndexTree lists what the local index holds.
func (r *Repo) IndexTree(ctx context.Context) (*Tree, error) { return nil, errNotBuilt }

// Blob reads one blob of at most maxBytes.
func (r *Repo) Blob(ctx context.Context, sha string, maxBytes int64) ([]byte, error) {
	return nil, errNotBuilt
}

// FileAt reads a file of a commit's tree without listing the tree; fs.ErrNotExist if the commit does not
// track the path. The entry's mode tells links from files.
func (r *Repo) FileAt(ctx context.Context, commit, path string, maxBytes int64) ([]byte, TreeEntry, error) {
	return nil, TreeEntry{}, errNotBuilt
}

// Changes lists the files that differ between the trees of two commits, in path order. A removed and an
// added file with the same bytes are one renamed file.
func (r *Repo) Changes(ctx context.Context, base, head string) ([]ChangedFile, error) {
	return nil, errNotBuilt
}

// Commits lists the commits that head reaches and base does not, newest first.
func (r *Repo) Commits(ctx context.Context, base, head string) ([]Commit, error) {
	return nil, errNotBuilt
}

// MergeBase gives the newest commit that both reach.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) { return "", errNotBuilt }
