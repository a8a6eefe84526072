package collect

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// maxRefHops is how many symbolic refs may lead to one another; git stops after 5.
const maxRefHops = 5

// errNoRef says that there is no ref of that name.
var errNoRef = errors.New("no such ref")

// validRef says whether a name can be a ref that is looked up as a file (git-check-ref-format, the rules
// that keep a name inside the refs).
func validRef(name string) bool {
	if name == "" || len(name) > 1024 || strings.ContainsAny(name, "\\ ~^:?*[\x7f") || strings.Contains(name, "..") {
		return false
	}
	for i := range len(name) {
		if name[i] < ' ' {
			return false
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") || strings.HasSuffix(part, ".") {
			return false
		}
	}
	return strings.HasPrefix(name, "refs/") || !strings.Contains(name, "/")
}

// ref reads one ref by its full name: an object name, or the name of another ref.
func (d *gitDirs) ref(name string) (sha, symbolic string, err error) {
	if !validRef(name) {
		return "", "", errNoRef
	}
	root := d.own
	if strings.HasPrefix(name, "refs/") && !strings.HasPrefix(name, "refs/bisect/") && !strings.HasPrefix(name, "refs/worktree/") {
		root = d.common
	}
	info, err := root.Stat(fromSlash(name))
	if err == nil && !info.IsDir() {
		data, err := readGit(root, name, maxGitText)
		if err != nil {
			return "", "", err
		}
		text := strings.TrimRight(string(data), "\r\n \t")
		if to, ok := strings.CutPrefix(text, "ref:"); ok {
			return "", strings.TrimSpace(to), nil
		}
		if !isSHA(text) {
			return "", "", fmt.Errorf("ref %s is malformed", name)
		}
		return text, "", nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNotDir) {
		return "", "", err
	}
	return d.packedRef(name)
}

func (d *gitDirs) packedRef(name string) (sha, symbolic string, err error) {
	f, err := openGit(d.common, "packed-refs", maxPackedRefs)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", errNoRef
	}
	if err != nil {
		return "", "", err
	}
	defer release(f)
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		sha, ref, _ := strings.Cut(lines.Text(), " ")
		if ref == name && isSHA(sha) {
			return sha, "", nil
		}
	}
	if err := lines.Err(); err != nil {
		return "", "", fmt.Errorf("packed-refs: %w", err)
	}
	return "", "", errNoRef
}

// follow reads a ref through symbolic ones. It gives the last ref's name and its object.
func (d *gitDirs) follow(name string) (last, sha string, err error) {
	for range maxRefHops {
		sha, to, err := d.ref(name)
		if err != nil || to == "" {
			return name, sha, err
		}
		name = to
	}
	return name, "", fmt.Errorf("over %d symbolic refs", maxRefHops)
}

// expand finds the full name that a short one means, in git's own order (gitrevisions: refname).
func (d *gitDirs) expand(short string) (sha string, err error) {
	for _, form := range []string{"%s", "refs/%s", "refs/tags/%s", "refs/heads/%s", "refs/remotes/%s", "refs/remotes/%s/HEAD"} {
		name := fmt.Sprintf(form, short)
		if form == "%s" && !strings.HasPrefix(short, "refs/") && short != "HEAD" {
			continue // other files of .git are no refs
		}
		_, sha, err := d.follow(name)
		if err == nil {
			return sha, nil
		}
		if !errors.Is(err, errNoRef) {
			return "", err
		}
	}
	return "", errNoRef
}
