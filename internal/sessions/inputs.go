package sessions

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// Bounds of a key: beyond them judging again is as quick.
const (
	maxEntries = 100_000
	settled    = 2 * time.Second // a change that is newer may be followed by one that no time tells from it
)

// errNoKey ends a walk that comes to no key.
var errNoKey = errors.New("no key")

// Inputs is a digest of everything in a workspace that a local check looks at, by what the file system says of it and not
// by its bytes: names, kinds, sizes, identities, and the times of the last change of bytes and of attributes, of every file
// and of what in .git is no object. It is "" where that could miss a change: something changed just now, the repository lies
// elsewhere, there are too many files, or the system does not tell enough. more is what else was given to the check.
func Inputs(ctx context.Context, workspace string, now time.Time, more ...string) string {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return ""
	}
	defer func() { _ = root.Close() }() // it was only read
	if info, err := root.Lstat(".git"); err != nil || !info.IsDir() {
		return ""
	}
	h := sha256.New()
	entries := 0
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entries++; entries > maxEntries || ctx.Err() != nil {
			return errNoKey
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		id, changed, ok := identity(info)
		if !ok || now.Sub(changed) < settled || now.Sub(info.ModTime()) < settled {
			return errNoKey
		}
		h.Write(fmt.Appendf(nil, "%d:%s %o %d %d %s\n", len(p), p, info.Mode(), info.Size(), info.ModTime().UnixNano(), id))
		if d.IsDir() && aside(p) {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return ""
	}
	for _, m := range more {
		h.Write(fmt.Appendf(nil, "%d:%s\n", len(m), m))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// aside says whether a folder of .git holds nothing that decides: objects never change, and logs and hooks are not read.
func aside(p string) bool {
	rest, ok := strings.CutPrefix(p, ".git/")
	return ok && (rest == "objects" || rest == "logs" || rest == "hooks" || rest == "lfs" || rest == "modules" || rest == "worktrees")
}
