package demo

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
)

// branch is where the agent's commit lies.
const branch = "report-for-june"

// commitAll makes a repository in ws with two commits: base on main, which is also origin's default branch,
// and head on the agent's branch, which is checked out.
func commitAll(ws string, base, head []file, when time.Time) error {
	git := filepath.Join(ws, ".git")
	baseTree, err := writeTree(git, base)
	if err != nil {
		return err
	}
	baseCommit, err := writeCommit(git, baseTree, "", "A Person <person@demo.invalid>", when, "Agree on the outcome\n")
	if err != nil {
		return err
	}
	headTree, err := writeTree(git, head)
	if err != nil {
		return err
	}
	headCommit, err := writeCommit(git, headTree, baseCommit, "An Agent <agent@demo.invalid>", when, "Make the report for June\n")
	if err != nil {
		return err
	}
	for _, f := range [][2]string{
		{"config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"},
		{"HEAD", "ref: refs/heads/" + branch + "\n"},
		{"refs/heads/main", baseCommit + "\n"},
		{"refs/heads/" + branch, headCommit + "\n"},
		{"refs/remotes/origin/main", baseCommit + "\n"},
		{"refs/remotes/origin/HEAD", "ref: refs/remotes/origin/main\n"},
	} {
		path := filepath.Join(git, filepath.FromSlash(f[0]))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(f[1]), 0o600); err != nil {
			return err
		}
	}
	if err := writeAll(ws, head); err != nil {
		return err
	}
	return writeIndex(git, head)
}

// writeTree writes the blobs and trees of files.
func writeTree(git string, files []file) (string, error) {
	type entry struct{ mode, name, sha string }
	var entries []entry
	below := map[string][]file{}
	for _, f := range files {
		if dir, rest, nested := strings.Cut(f.path, "/"); nested {
			below[dir] = append(below[dir], file{rest, f.text, f.modified})
			continue
		}
		sha, err := writeObject(git, plumbing.BlobObject, []byte(f.text))
		if err != nil {
			return "", err
		}
		entries = append(entries, entry{"100644", f.path, sha})
	}
	for dir, inside := range below {
		sha, err := writeTree(git, inside)
		if err != nil {
			return "", err
		}
		entries = append(entries, entry{"40000", dir, sha})
	}
	// Git sorts a directory as if its name ended in a slash.
	key := func(e entry) string {
		if e.mode == "40000" {
			return e.name + "/"
		}
		return e.name
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(key(a), key(b)) })
	var body bytes.Buffer
	for _, e := range entries {
		sha := plumbing.NewHash(e.sha)
		fmt.Fprintf(&body, "%s %s\x00", e.mode, e.name)
		body.Write(sha[:])
	}
	return writeObject(git, plumbing.TreeObject, body.Bytes())
}

func writeCommit(git, tree, parent, who string, when time.Time, message string) (string, error) {
	text := "tree " + tree + "\n"
	if parent != "" {
		text += "parent " + parent + "\n"
	}
	stamp := fmt.Sprintf("%s %d +0000\n", who, when.Unix())
	return writeObject(git, plumbing.CommitObject, []byte(text+"author "+stamp+"committer "+stamp+"\n"+message))
}

// writeObject writes one loose object and returns its name.
func writeObject(git string, kind plumbing.ObjectType, body []byte) (string, error) {
	var packed bytes.Buffer
	w := objfile.NewWriter(&packed)
	if err := w.WriteHeader(kind, int64(len(body))); err != nil {
		return "", err
	}
	if _, err := w.Write(body); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	sha := w.Hash().String()
	path := filepath.Join(git, "objects", sha[:2], sha[2:])
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return "", err
	}
	return sha, os.WriteFile(path, packed.Bytes(), 0o600)
}

// writeIndex lists the checked out files, so that git itself finds the workspace clean.
func writeIndex(git string, files []file) error {
	x := &index.Index{Version: 2}
	for _, f := range files {
		x.Entries = append(x.Entries, &index.Entry{
			Name: f.path, Hash: plumbing.ComputeHash(plumbing.BlobObject, []byte(f.text)), Mode: filemode.Regular,
			Size: uint32(len(f.text)), ModifiedAt: f.modified, CreatedAt: f.modified, //nolint:gosec // the texts are in this package and short
		})
	}
	var b bytes.Buffer
	if err := index.NewEncoder(&b).Encode(x); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(git, "index"), b.Bytes(), 0o600)
}
