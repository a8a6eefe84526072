package conformance

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
)

// built is a scenario's repository and workspace on disk.
type built struct {
	dir   string // the workspace, with .git in it
	base  string // the commit names that git gave
	head  string
	merge string
	trees [2]snapshot // base and head
}

// snapshot is what one tree tracks: bytes by path. Submodules are apart.
type snapshot map[string][]byte

// contracts are the two versions of the contract, and what else the base branch holds for the gate.
type contracts struct {
	base, head []byte // nil: there is none
	schema     []byte // of the report
}

// build makes the repository with its three commits and the workspace in dir, which must not exist yet.
func (s *Scenario) build(dir string, c contracts) (*built, error) {
	b := &built{dir: dir}
	base, head, err := s.snapshots(c)
	if err != nil {
		return nil, err
	}
	b.trees = [2]snapshot{base, head}
	if err := b.commitAll(s); err != nil {
		return nil, err
	}
	if err := s.fill(dir, head); err != nil {
		return nil, err
	}
	if err := s.records(dir); err != nil {
		return nil, err
	}
	return b, nil
}

// snapshots derives what the base and the head commit track: the files that are tracked now, undone by their status
// in the change.
func (s *Scenario) snapshots(c contracts) (base, head snapshot, err error) {
	base, head = snapshot{}, snapshot{}
	status := map[string]Changed{}
	for _, ch := range s.Pull.Changed {
		status[ch.Name] = ch
	}
	for name, f := range s.Files.Files {
		switch f.Git {
		case "tracked":
			if f.Status == "removed" {
				break // the head commit does not track it any more
			}
			data, err := s.tracked(name, f)
			if err != nil {
				return nil, nil, err
			}
			head[name] = data
			if _, listed := status[name]; !listed && f.Status != "" {
				status[name] = Changed{Name: name, Status: f.Status}
			}
		case "untracked", "ignored", "":
		default:
			return nil, nil, fmt.Errorf("build %s: %s is %q to git", s.Name, name, f.Git)
		}
	}
	s.contractFiles(c, status, base, head)
	for _, name := range slices.Sorted(maps.Keys(head)) {
		if _, changed := status[name]; !changed {
			base[name] = head[name]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(status)) {
		undo(status[name], base, head)
	}
	for tree, into := range map[string]snapshot{"base": base, "head": head} {
		if err := overlay(filepath.Join(s.Dir, tree), into); err != nil {
			return nil, nil, fmt.Errorf("build %s: %w", s.Name, err)
		}
	}
	return base, head, nil
}

// contractFiles puts the contract and the report's schema into both trees, as the change has them.
func (s *Scenario) contractFiles(c contracts, status map[string]Changed, base, head snapshot) {
	path := s.ContractPath()
	if c.schema != nil {
		base[reportSchemaPath], head[reportSchemaPath] = c.schema, c.schema
	}
	if c.base != nil {
		base[path] = c.base
	}
	change, changed := status[path]
	switch {
	case changed && change.Status == "removed":
	case c.head != nil:
		head[path] = c.head
	case c.base != nil && head[path] == nil:
		head[path] = c.base
	}
}

// undo gives base what it held before one file of the change. Bytes that no file of the directory shows are made up.
func undo(ch Changed, base, head snapshot) {
	was := []byte("What " + ch.Name + " held on the base branch, before the change touched it.\n")
	switch ch.Status {
	case "added":
		if head[ch.Name] == nil {
			head[ch.Name] = []byte("What the change adds as " + ch.Name + ".\n")
		}
	case "removed":
		delete(head, ch.Name)
		if base[ch.Name] == nil {
			base[ch.Name] = was
		}
	case "renamed":
		if base[ch.Previous] == nil {
			base[ch.Previous] = head[ch.Name]
		}
		if base[ch.Previous] == nil {
			base[ch.Previous] = was
		}
		if head[ch.Name] == nil {
			head[ch.Name] = base[ch.Previous]
		}
		delete(head, ch.Previous)
	default:
		if head[ch.Name] == nil {
			head[ch.Name] = []byte("What the change makes of " + ch.Name + ".\n")
		}
		if base[ch.Name] == nil {
			base[ch.Name] = was
		}
	}
}

// tracked is what the head commit holds of a tracked file. A symbolic link's blob is its target.
func (s *Scenario) tracked(name string, f File) ([]byte, error) {
	if f.Type == "symlink" {
		return []byte(s.Links[name]), nil
	}
	data, err := os.ReadFile(filepath.Join(s.Dir, "workspace", filepath.FromSlash(name)))
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", s.Name, err)
	}
	return data, nil
}

// overlay puts the files of a directory, if there is one, into a snapshot: trees that hold other bytes than the
// workspace shows.
func overlay(dir string, into snapshot) error {
	if _, err := os.Stat(dir); err != nil {
		return nil //nolint:nilerr // most scenarios have none
	}
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		into[filepath.ToSlash(rel)] = data
		return err
	})
}

// fill writes the workspace: the tracked files as checked out, then the directory's files over them, with
// their times, and last the links and pipes.
func (s *Scenario) fill(dir string, head snapshot) error {
	for name, data := range head {
		if f, listed := s.Files.Files[name]; listed && f.Type == "symlink" {
			continue
		}
		if err := s.write(dir, name, data); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Files.Files)) {
		if err := s.place(dir, name, s.Files.Files[name]); err != nil {
			return fmt.Errorf("build %s: %w", s.Name, err)
		}
	}
	return s.strangers()
}

// place puts one listed file into the workspace.
func (s *Scenario) place(dir, name string, f File) error {
	target := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	switch f.Type {
	case "symlink":
		to, ok := s.Links[name]
		if !ok {
			return fmt.Errorf("links.json names no target of %s", name)
		}
		return os.Symlink(filepath.FromSlash(to), target)
	case "fifo":
		return makePipe(target)
	case "dir", "directory":
		return os.MkdirAll(target, 0o755)
	case "", "file":
	default:
		return &NotExpressible{What: fmt.Sprintf("a workspace entry of type %q", f.Type)}
	}
	data, err := os.ReadFile(filepath.Join(s.Dir, "workspace", filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) && f.Status == "removed" {
		return nil
	}
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	if f.SHA256 != "" && f.SHA256 != hex.EncodeToString(sum[:]) || f.Bytes != nil && *f.Bytes != int64(len(data)) {
		return fmt.Errorf("%s does not have the bytes that mtimes.json gives", name)
	}
	at := s.Files.RunStartedAt
	if f.Offset != nil {
		at = s.at(*f.Offset)
	}
	if err := os.WriteFile(target, data, 0o644); err != nil {
		return err
	}
	return os.Chtimes(target, at, at)
}

// write checks one tracked file out, at the run's start.
func (s *Scenario) write(dir, name string, data []byte) error {
	target := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return fmt.Errorf("build %s: %w", s.Name, err)
	}
	if err := os.WriteFile(target, data, 0o644); err != nil {
		return fmt.Errorf("build %s: %w", s.Name, err)
	}
	return os.Chtimes(target, s.Files.RunStartedAt, s.Files.RunStartedAt)
}

// strangers refuses files of the directory's workspace that mtimes.json does not list: when they were written and
// whether git tracks them would be a guess.
func (s *Scenario) strangers() error {
	root := filepath.Join(s.Dir, "workspace")
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		if _, ok := s.Files.Files[filepath.ToSlash(rel)]; !ok {
			return fmt.Errorf("build %s: mtimes.json does not list %s", s.Name, rel)
		}
		return nil
	})
}

// stepID is a step's id as workflows may write it: what becomes part of a file's name is nothing else.
var stepID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`) })

// recordPath is where the exit status of a step's command is recorded, as a workflow does it with one more line
// (cmd; echo $? > FILE). It is "" for a step whose exit status the situation does not tell.
func (s *Scenario) recordPath(step string) string {
	if k, ok := s.Run.Steps[step]; !ok || k.ExitCode == nil || !stepID().MatchString(step) {
		return ""
	}
	return path.Join(".gate", step+".exit")
}

// records writes the exit statuses, each at its step's end.
func (s *Scenario) records(dir string) error {
	for id, k := range s.Run.Steps {
		name := s.recordPath(id)
		if name == "" {
			continue
		}
		if err := s.write(dir, name, []byte(strconv.Itoa(*k.ExitCode)+"\n")); err != nil {
			return err
		}
		if k.FinishedAt == nil {
			continue
		}
		at := s.at(*k.FinishedAt)
		if err := os.Chtimes(filepath.Join(dir, filepath.FromSlash(name)), at, at); err != nil {
			return fmt.Errorf("build %s: %w", s.Name, err)
		}
	}
	return nil
}
