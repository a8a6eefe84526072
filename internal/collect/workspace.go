// Package collect is the edge that observes and concludes nothing: files of the workspace, what git knows of
// them, the runner's contexts, commands that a local check runs.
//
// It decides only what was seen; whether that is good enough is the verdict's work. It trusts no byte of the
// workspace and none of .git: every open stays below an os.Root, never blocks on what is not a regular file,
// and is bounded in bytes, depth and count. Git objects are compared with their names, so that a tree is as
// sure as the commit's name that the caller gave. It never follows a directory link, never runs git, and
// writes nothing.
package collect

import (
	"fmt"
	"os"
)

// Limits bound what is read of a workspace. A zero member means its default.
type Limits struct {
	FileBytes int64 // of one evidence file; default 8 GiB
	Files     int   // that one list of patterns may match; default 100,000
	Entries   int   // directory entries looked at in one walk; default 5,000,000
	Depth     int   // directories below the workspace; default 128
}

// Workspace is a directory whose files are observed. Close it after use. It is safe for concurrent use.
type Workspace struct {
	root   *os.Root
	dir    string
	limits Limits
}

// Open opens the workspace in dir with the default limits.
func Open(dir string) (*Workspace, error) { return OpenLimited(dir, Limits{}) }

// OpenLimited opens the workspace in dir.
func OpenLimited(dir string, limits Limits) (*Workspace, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open workspace %s: %w", dir, err)
	}
	return &Workspace{root: root, dir: dir, limits: limits}, nil
}

// Close releases the directory.
func (w *Workspace) Close() error { return w.root.Close() }
