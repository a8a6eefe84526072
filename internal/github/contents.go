package github

import (
	"context"
	"crypto/sha1" //nolint:gosec // G505: git names objects by SHA-1
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strings"
)

// Bounds on what is read of a repository.
const (
	maxTrees       = 8         // commits whose trees are kept
	maxTreeEntries = 1_000_000 // of one tree, over all requests
	maxTreeWalk    = 300       // requests for one tree that GitHub cuts: beyond lies the hour's limit of a workflow's token
	maxPath        = 4096      // bytes
	maxDepth       = 64        // folders of a path that is walked
)

// The modes of regular files, as git writes them. The last is of old repositories.
const (
	modeFile    = "100644"
	modeProgram = "100755"
	modeOld     = "100664"
)

// Entry is one entry of a tree.
type Entry struct {
	Path string // from the tree's root, with slashes
	Mode string // 100644, 100755, 120000 (a link), 160000 (a submodule), 040000 (a folder)
	Type string // blob, commit, tree
	SHA  string
	Size int64 // bytes of a blob
}

// Regular reports whether the entry is a regular file.
func (e Entry) Regular() bool {
	return e.Type == "blob" && (e.Mode == modeFile || e.Mode == modeProgram || e.Mode == modeOld)
}

// Tree is everything that a commit or a folder has.
type Tree struct {
	Entries   []Entry // folders too, before what is in them
	Truncated bool    // there is more than was listed
}

// BranchHead fetches the newest commit of a branch.
func (c *Client) BranchHead(ctx context.Context, branch string) (string, error) {
	if err := branchName(branch); err != nil {
		return "", c.fail(err, "read branch")
	}
	ref, _, err := c.gh.Git.GetRef(ctx, c.owner, c.name, "heads/"+branch)
	if err != nil {
		return "", c.fail(err, "read branch %q", branch)
	}
	sha := ref.GetObject().GetSHA()
	switch {
	case ref.GetRef() != "refs/heads/"+branch:
		err = malformed("it is about %.100q", ref.GetRef())
	case ref.GetObject().GetType() != "commit":
		err = malformed("the branch is at a %.20q", ref.GetObject().GetType())
	default:
		err = object(sha)
	}
	if err != nil {
		return "", c.fail(err, "read branch %q", branch)
	}
	return sha, nil
}

// branchName refuses what would be another path once it is in a URL. Git allows neither.
func branchName(branch string) error {
	if branch == "" || len(branch) > maxPath {
		return malformed("branch %.60q", branch)
	}
	for part := range strings.SplitSeq(branch, "/") {
		if part == "" || part == "." || part == ".." {
			return malformed("branch %.60q", branch)
		}
	}
	return nil
}

// Tree fetches the tree of a commit, or of a folder by its own name, in one request. What GitHub cuts (over
// 100,000 entries or 7 MB) is fetched folder by folder within bounds; what is still missing then shows in
// Truncated.
func (c *Client) Tree(ctx context.Context, sha string) (*Tree, error) {
	t, err := c.wholeTree(ctx, sha)
	if err != nil {
		return nil, err
	}
	if !t.Truncated {
		return t, nil
	}
	w := walk{c: c, left: maxTreeWalk, out: &Tree{}}
	if err := w.folder(ctx, sha, "", 0); err != nil {
		return nil, err
	}
	c.keep(sha, w.out)
	return w.out, nil
}

// wholeTree is one recursive listing, from memory if it was fetched before.
func (c *Client) wholeTree(ctx context.Context, sha string) (*Tree, error) {
	c.mu.Lock()
	t := c.trees[sha]
	c.mu.Unlock()
	if t != nil {
		return t, nil
	}
	t, err := c.fetchTree(ctx, sha, true)
	if err != nil {
		return nil, err
	}
	c.keep(sha, t)
	return t, nil
}

// keep remembers a tree. Its name says all that is in it, so it cannot grow old.
func (c *Client) keep(sha string, t *Tree) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.trees) >= maxTrees {
		clear(c.trees)
	}
	c.trees[sha] = t
}

func (c *Client) fetchTree(ctx context.Context, sha string, recursive bool) (*Tree, error) {
	if err := object(sha); err != nil {
		return nil, c.fail(err, "read tree")
	}
	raw, _, err := c.gh.Git.GetTree(ctx, c.owner, c.name, sha, recursive)
	switch {
	case err != nil:
		return nil, c.fail(err, "read tree %s", sha)
	case raw.Entries == nil || raw.Truncated == nil:
		return nil, c.fail(malformed("there are no entries, or it does not say whether it is whole"), "read tree %s", sha)
	}
	t := &Tree{Truncated: *raw.Truncated, Entries: make([]Entry, 0, len(raw.Entries))}
	for _, e := range raw.Entries {
		if e.GetPath() == "" || e.GetMode() == "" || e.GetType() == "" || !reObject().MatchString(e.GetSHA()) {
			return nil, c.fail(malformed("entry %.100q lacks its path, mode, type or name", e.GetPath()), "read tree %s", sha)
		}
		t.Entries = append(t.Entries, Entry{Path: e.GetPath(), Mode: e.GetMode(), Type: e.GetType(), SHA: e.GetSHA(), Size: int64(e.GetSize())})
	}
	return t, nil
}

// walk lists a tree that is too large for one answer.
type walk struct {
	c    *Client
	left int // requests
	out  *Tree
}

// folder lists one folder and everything below it.
func (w *walk) folder(ctx context.Context, sha, prefix string, depth int) error {
	t, err := w.fetch(ctx, sha, false)
	if err != nil || t == nil {
		return err
	}
	for _, e := range t.Entries {
		if !w.add(prefix, e) {
			return nil
		}
		if e.Type != "tree" {
			continue
		}
		below, err := w.fetch(ctx, e.SHA, true)
		if err != nil || below == nil {
			return err
		}
		inside := prefix + e.Path + "/"
		if below.Truncated {
			if depth >= maxDepth {
				w.out.Truncated = true
				return nil
			}
			if err := w.folder(ctx, e.SHA, inside, depth+1); err != nil {
				return err
			}
			continue
		}
		for _, e := range below.Entries {
			if !w.add(inside, e) {
				return nil
			}
		}
	}
	w.out.Truncated = w.out.Truncated || t.Truncated
	return nil
}

// fetch asks once more, or notes that there is more than may be asked for.
func (w *walk) fetch(ctx context.Context, sha string, recursive bool) (*Tree, error) {
	if w.left == 0 {
		w.out.Truncated = true
		return nil, nil
	}
	w.left--
	return w.c.fetchTree(ctx, sha, recursive)
}

// add notes an entry, or that there are too many.
func (w *walk) add(prefix string, e Entry) bool {
	if len(w.out.Entries) >= maxTreeEntries {
		w.out.Truncated = true
		return false
	}
	e.Path = prefix + e.Path
	w.out.Entries = append(w.out.Entries, e)
	return true
}

// File fetches a regular file of a commit: first what the commit has at the path, so that a link, a folder, a
// submodule and a file that is too large are refused by what they are; then the bytes of the very blob.
// The errors are ErrNoFile (the commit was read and has no such path), ErrNotRegular, ErrTooLarge (over max
// bytes), and those of any request: an answer of 404 means that the commit cannot be seen.
func (c *Client) File(ctx context.Context, name, commit string, maxBytes int64) ([]byte, error) {
	if name == "" || name == "." || len(name) > maxPath || path.Clean("/"+name) != "/"+name {
		return nil, c.fail(malformed("path %.100q", name), "read file")
	}
	e, err := c.entry(ctx, name, commit)
	switch {
	case err != nil:
	case !e.Regular():
		err = fmt.Errorf("%w: %s of mode %s", ErrNotRegular, e.Type, e.Mode)
	case e.Size > maxBytes:
		err = fmt.Errorf("%w: %d bytes of %d", ErrTooLarge, e.Size, maxBytes)
	}
	if err != nil {
		return nil, c.fail(err, "read file %q at %s", name, commit)
	}
	return c.Blob(ctx, e.SHA, maxBytes)
}

// entry finds a path in a commit. In a tree that GitHub cuts it goes down folder by folder.
func (c *Client) entry(ctx context.Context, name, commit string) (Entry, error) {
	t, err := c.wholeTree(ctx, commit)
	if err != nil {
		return Entry{}, err
	}
	for _, e := range t.Entries {
		if e.Path == name {
			return e, nil
		}
	}
	if !t.Truncated {
		return Entry{}, ErrNoFile
	}
	at := Entry{Type: "tree", SHA: commit}
	parts := strings.Split(name, "/")
	if len(parts) > maxDepth {
		return Entry{}, malformed("more than %d folders", maxDepth)
	}
	for _, part := range parts {
		if at.Type != "tree" {
			return Entry{}, ErrNoFile
		}
		t, err := c.fetchTree(ctx, at.SHA, false)
		if err != nil {
			return Entry{}, err
		}
		found := false
		for _, e := range t.Entries {
			if e.Path == part {
				at, found = e, true
			}
		}
		if !found && t.Truncated {
			return Entry{}, errors.New("the folder has more entries than GitHub lists")
		}
		if !found {
			return Entry{}, ErrNoFile
		}
	}
	at.Path = name
	return at, nil
}

// Blob fetches a blob's bytes, at most maxBytes. They are held to their name.
func (c *Client) Blob(ctx context.Context, sha string, maxBytes int64) ([]byte, error) {
	if err := object(sha); err != nil {
		return nil, c.fail(err, "read blob")
	}
	if maxBytes <= 0 {
		return nil, c.fail(ErrTooLarge, "read blob %s of at most %d bytes", sha, maxBytes)
	}
	body, _, err := c.gh.Git.GetBlobRaw(plan{max: maxBytes, raw: true}.in(ctx), c.owner, c.name, sha)
	if err != nil {
		return nil, c.fail(err, "read blob %s", sha)
	}
	h := sha1.New() //nolint:gosec // G401: git's own naming, compared and never trusted
	_, _ = fmt.Fprintf(h, "blob %d\x00", len(body))
	_, _ = h.Write(body)
	if hex.EncodeToString(h.Sum(nil)) != sha {
		return nil, c.fail(malformed("its %d bytes do not have this name", len(body)), "read blob %s", sha)
	}
	return body, nil
}
