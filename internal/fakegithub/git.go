package fakegithub

import (
	"cmp"
	"crypto/sha1" //nolint:gosec // G505: git names objects by SHA-1; nothing is kept safe by it
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The modes of a tree's entries, as git writes them.
const (
	modeFile      = "100644"
	modeProgram   = "100755"
	modeLink      = "120000"
	modeSubmodule = "160000"
	modeTree      = "040000"
)

// entry is one entry of a tree. Names are relative to the tree.
type entry struct{ mode, name, sha string }

// kind is the entry's type as the API writes it.
func (e entry) kind() string {
	switch e.mode {
	case modeTree:
		return "tree"
	case modeSubmodule:
		return "commit"
	}
	return "blob" // file, program and link
}

// objects is one store for all repositories: a fork's commits can be read through the repository that the
// pull request is in, as at GitHub.
type objects struct {
	blobs   map[string][]byte
	trees   map[string][]entry
	commits map[string]*Commit
}

// name is git's name of an object: SHA-1 of its type, length and bytes.
func name(kind string, body []byte) string {
	h := sha1.New() //nolint:gosec // G401: git's own naming
	_, _ = fmt.Fprintf(h, "%s %d\x00", kind, len(body))
	_, _ = h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

func (o *objects) putBlob(body []byte) string {
	sha := name("blob", body)
	o.blobs[sha] = body
	return sha
}

// putTree stores a tree. Git sorts folders as if their names ended in a slash, and writes their mode
// without the leading zero.
func (o *objects) putTree(entries []entry) (string, error) {
	key := func(e entry) string {
		if e.mode == modeTree {
			return e.name + "/"
		}
		return e.name
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(key(a), key(b)) })
	var body []byte
	for _, e := range entries {
		raw, err := hex.DecodeString(e.sha)
		if err != nil || len(raw) != sha1.Size {
			return "", fmt.Errorf("tree entry %q: %q is no object name", e.name, e.sha)
		}
		body = append(body, strings.TrimPrefix(e.mode, "0")+" "+e.name+"\x00"...)
		body = append(body, raw...)
	}
	sha := name("tree", body)
	o.trees[sha] = entries
	return sha, nil
}

// putFiles stores the tree of leaves by path, folder by folder.
func (o *objects) putFiles(leaves map[string]entry) (string, error) {
	var here []entry
	below := map[string]map[string]entry{}
	for path, leaf := range leaves {
		dir, rest, nested := strings.Cut(path, "/")
		switch {
		case dir == "" || nested && rest == "":
			return "", fmt.Errorf("%q is no path in a tree", path)
		case !nested:
			here = append(here, entry{leaf.mode, path, leaf.sha})
		case below[dir] == nil:
			below[dir] = map[string]entry{rest: leaf}
		default:
			below[dir][rest] = leaf
		}
	}
	for dir, inside := range below {
		if _, clash := leaves[dir]; clash {
			return "", fmt.Errorf("%q is a file and a folder", dir)
		}
		sha, err := o.putFiles(inside)
		if err != nil {
			return "", err
		}
		here = append(here, entry{modeTree, dir, sha})
	}
	return o.putTree(here)
}

// leaves is every file, link and submodule of a tree, by path.
func (o *objects) leaves(tree string) map[string]entry {
	out := map[string]entry{}
	for _, e := range o.list(tree, "", true) {
		if e.mode != modeTree {
			out[e.name] = e
		}
	}
	return out
}

// list is a tree's entries with paths from its root, folders before what is in them.
func (o *objects) list(tree, prefix string, recursive bool) []entry {
	var out []entry
	for _, e := range o.trees[tree] {
		path := prefix + e.name
		out = append(out, entry{e.mode, path, e.sha})
		if recursive && e.mode == modeTree {
			out = append(out, o.list(e.sha, path+"/", true)...)
		}
	}
	return out
}

// find is the entry at a path of a tree.
func (o *objects) find(tree, path string) (entry, bool) {
	if path == "" {
		return entry{modeTree, "", tree}, true
	}
	dir, rest, nested := strings.Cut(path, "/")
	for _, e := range o.trees[tree] {
		switch {
		case e.name != dir:
		case !nested:
			return e, true
		case e.mode == modeTree:
			return o.find(e.sha, rest)
		}
	}
	return entry{}, false
}

// put makes a commit from its changes, and gives its name.
func (o *objects) put(c *Commit) (string, error) {
	leaves := map[string]entry{}
	if len(c.Parents) > 0 && !c.Whole {
		leaves = o.leaves(o.commits[c.Parents[0]].Tree)
	}
	for path, f := range c.Files {
		body := []byte(f.Text)
		if f.Bytes != nil {
			body = f.Bytes
		}
		switch mode := cmp.Or(f.Mode, modeFile); {
		case f.Removed:
			delete(leaves, path)
		case mode == modeSubmodule:
			leaves[path] = entry{mode, path, string(body)}
		case mode == modeFile, mode == modeProgram, mode == modeLink:
			leaves[path] = entry{mode, path, o.putBlob(body)}
		default:
			return "", fmt.Errorf("file %q: mode %q is not one that git has", path, mode)
		}
	}
	tree, err := o.putFiles(leaves)
	if err != nil {
		return "", err
	}
	c.Tree = tree
	sha := cmp.Or(c.SHA, name("commit", commitBody(c)))
	o.commits[sha] = c
	return sha, nil
}

// commitBody is the commit as git writes it.
func commitBody(c *Commit) []byte {
	who := func(role string, p Person) string {
		return role + " " + p.Name + " <" + p.Email + "> " + strconv.FormatInt(p.Date.Unix(), 10) + " +0000\n"
	}
	var b strings.Builder
	b.WriteString("tree " + c.Tree + "\n")
	for _, p := range c.Parents {
		b.WriteString("parent " + p + "\n")
	}
	b.WriteString(who("author", c.Author) + who("committer", c.Committer) + "\n" + c.Message)
	return []byte(b.String())
}

// ancestors is a commit and everything that it comes from.
func (o *objects) ancestors(sha string) map[string]bool {
	seen := map[string]bool{}
	for next := []string{sha}; len(next) > 0; {
		at := next[0]
		next = next[1:]
		if c := o.commits[at]; c != nil && !seen[at] {
			seen[at] = true
			next = append(next, c.Parents...)
		}
	}
	return seen
}

// between is what head has and base has not, oldest first, and the commit where they part.
func (o *objects) between(base, head string) (commits []string, fork string) {
	in := o.ancestors(base)
	seen := map[string]bool{}
	var walk func(string)
	walk = func(sha string) {
		c := o.commits[sha]
		switch {
		case c == nil || seen[sha]:
			return
		case in[sha]:
			fork = cmp.Or(fork, sha)
			return
		}
		seen[sha] = true
		for _, p := range c.Parents {
			walk(p)
		}
		commits = append(commits, sha)
	}
	walk(head)
	return commits, fork
}

// diff is what changed from one commit's tree to another's, by path. A file that went and one of the same
// bytes that came are a rename.
func (o *objects) diff(from, to string) []*Changed {
	var before map[string]entry
	if c := o.commits[from]; c != nil {
		before = o.leaves(c.Tree)
	}
	after := map[string]entry{}
	if c := o.commits[to]; c != nil {
		after = o.leaves(c.Tree)
	}
	gone := map[string]string{} // path by name of what was removed
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if _, still := after[path]; !still {
			gone[before[path].sha] = path
		}
	}
	var out []*Changed
	moved := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(after)) {
		is, was := after[path], before[path]
		switch old, renamed := gone[is.sha]; {
		case is == was:
		case was.sha != "":
			out = append(out, &Changed{Path: path, Status: "modified", SHA: is.sha})
		case renamed && !moved[old]:
			moved[old] = true
			out = append(out, &Changed{Path: path, Previous: old, Status: "renamed", SHA: is.sha})
		default:
			out = append(out, &Changed{Path: path, Status: "added", SHA: is.sha})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if _, still := after[path]; !still && !moved[path] {
			out = append(out, &Changed{Path: path, Status: "removed", SHA: before[path].sha})
		}
	}
	slices.SortFunc(out, func(a, b *Changed) int { return cmp.Compare(a.Path, b.Path) })
	return out
}
