package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/collect"
	"github.com/outcome-gate/outcome-gate/internal/gate"
)

// ContractPaths are the places of a contract, the first being the usual one. Only one of them may exist.
func ContractPaths() []string {
	return []string{".github/outcome-contract.yml", ".github/outcome-contract.yaml", ".github/outcome-contract.json"}
}

// source is where the contract comes from.
type source struct {
	gate.Source
	said    string
	err     error // why the contract could not be read
	trusted func(ctx context.Context, path string) ([]byte, error)
	inTree  bool // it is the workspace's own file: there is no other version of it
}

// found is the contract for the gate.
func (s *source) found() (*gate.Source, error) {
	if s.err != nil {
		return nil, s.err
	}
	return &s.Source, nil
}

// findSource settles which contract judges.
func (c *Check) findSource(ctx context.Context) error {
	switch {
	case c.o.ContractFile != "" && c.o.ContractRef != "":
		return usage("--contract and --contract-ref exclude each other")
	case c.o.ContractFile != "":
		return c.useFile(c.o.ContractFile)
	case c.o.ContractRef != "":
		ref, path, ok := strings.Cut(c.o.ContractRef, ":")
		if !ok || ref == "" || path == "" {
			return usage("--contract-ref is REF:PATH, such as main:%s", ContractPaths()[0])
		}
		if c.repo == nil {
			return usage("read --contract-ref %s: %w", c.o.ContractRef, c.noRepo)
		}
		commit, err := c.repo.Resolve(ref)
		if err != nil {
			return usage("read --contract-ref: %w", err)
		}
		c.useCommit(ctx, ref, commit, []string{path})
		return nil
	}
	if c.repo != nil {
		name, commit, err := c.repo.DefaultBranch()
		switch {
		case errors.Is(err, collect.ErrNoDefaultBranch): // a repository without a remote: the base stands for its default branch
			if err := c.useBase(ctx); err != nil {
				return err
			}
		case err != nil:
			return err
		default:
			c.useCommit(ctx, name, commit, ContractPaths())
		}
		if s := c.source; s != nil && (s.err != nil || len(s.Found) > 0) {
			return nil
		}
	}
	return c.useWorkspace()
}

// useBase takes the contract of the base that the user or the event names. Without one it takes none.
func (c *Check) useBase(ctx context.Context) error {
	name, commit, err := c.namedBase()
	if err != nil || commit == "" {
		return err
	}
	c.useCommit(ctx, name, commit, ContractPaths())
	return nil
}

// namedBase is the base that the user or else the event names, and its commit; "" if neither does.
func (c *Check) namedBase() (name, commit string, err error) {
	switch {
	case c.o.Base != "":
		sha, err := c.repo.Resolve(c.o.Base)
		if err != nil {
			return "", "", usage("find --base: %w", err)
		}
		return c.o.Base, sha, nil
	case c.event != nil:
		return c.event.baseRef, c.event.baseSHA, nil
	}
	return "", "", nil
}

// useCommit takes the contract of a commit.
func (c *Check) useCommit(ctx context.Context, branch, commit string, paths []string) {
	s := &source{said: fmt.Sprintf("%s of %s at %s", paths[0], branch, short(commit))}
	s.Path, s.Branch, s.Commit = paths[0], branch, commit
	s.trusted = func(ctx context.Context, path string) ([]byte, error) {
		data, entry, err := c.repo.FileAt(ctx, commit, path, MaxContext)
		if err == nil && entry.Mode == collect.ModeSymlink {
			err = errors.New("it is a symbolic link")
		}
		return data, err
	}
	c.source = s
	for _, p := range paths {
		data, entry, err := c.repo.FileAt(ctx, commit, p, MaxContext)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			s.err = fmt.Errorf("%s of %s: %w", p, branch, err)
			return
		}
		if s.Found = append(s.Found, p); len(s.Found) == 1 {
			s.Path, s.Data, s.Link = p, data, entry.Mode == collect.ModeSymlink
			s.said = fmt.Sprintf("%s of %s at %s", p, branch, short(commit))
		}
	}
}

// useWorkspace takes the contract that lies in the workspace.
func (c *Check) useWorkspace() error {
	s := &source{inTree: true, trusted: c.fromWorkspace}
	s.Path = ContractPaths()[0]
	c.source = s
	root, err := os.OpenRoot(c.o.Workspace)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // it was only read
	for _, p := range ContractPaths() {
		info, err := root.Lstat(p)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			s.err = fmt.Errorf("%s: %w", p, reason(err))
			return nil
		}
		if s.Found = append(s.Found, p); len(s.Found) > 1 {
			continue
		}
		s.Path, s.said = p, p+" from the workspace, of no trusted branch"
		if s.Link = info.Mode()&fs.ModeSymlink != 0; s.Link {
			continue
		}
		if s.Data, err = readInside(c.o.Workspace, p, cutContract); err != nil {
			s.err = fmt.Errorf("%s: %w", p, reason(err))
		}
	}
	return nil
}

// useFile takes the file that the user names.
func (c *Check) useFile(path string) error {
	s := &source{inTree: true, said: path + ", of no trusted branch", trusted: c.fromWorkspace}
	s.Path = filepath.Base(path) // a receipt names no place outside the workspace
	if dir, err := filepath.Abs(c.o.Workspace); err == nil {
		if abs, err := filepath.Abs(path); err == nil {
			if rel, err := filepath.Rel(dir, abs); err == nil && filepath.IsLocal(rel) {
				s.Path = filepath.ToSlash(rel)
			}
		}
	}
	c.source = s
	data, err := ReadContract(path)
	if err != nil {
		s.err = err
		return nil
	}
	s.Data, s.Found = data, []string{s.Path}
	return nil
}

func (c *Check) fromWorkspace(_ context.Context, path string) ([]byte, error) {
	return readInside(c.o.Workspace, path, func(r io.Reader) ([]byte, error) { return ReadAll(r, MaxContext) })
}

// proposed is the change's own version of the contract.
func (c *Check) proposed(ctx context.Context, path string) ([]byte, error) {
	if c.source.inTree {
		return c.source.Data, nil
	}
	if c.repo == nil || c.head == "" {
		return nil, nil
	}
	data, _, err := c.repo.FileAt(ctx, c.head, path, MaxContext)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// reason drops the path from an error of the file system: the caller names it.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
