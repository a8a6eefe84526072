// Package sessions keeps what a hook has to remember of a runtime's session, and finds out whether anything changed that a
// local check looks at.
//
// It decides nothing. Its files lie in the user's own state folder, never in the workspace; their names are digests, so that
// no name of a session becomes a path. What is in them may have been written by anybody who runs as that user.
package sessions

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Bounds of the folder. A session that is as old as keptFor has ended.
const (
	maxFiles = 500
	keptFor  = 30 * 24 * time.Hour
)

// lockWait is how long an update waits for another one, lockStale when a lock is one that nobody holds any more: an update
// takes milliseconds.
const (
	lockWait  = 2 * time.Second
	lockStale = 30 * time.Second
	lockPause = 10 * time.Millisecond
)

// Store is a folder of memories.
type Store struct {
	Dir   string
	Limit int64 // of one memory, in bytes
	Now   func() time.Time
	Pause func(time.Duration) // nil: time.Sleep
}

// Dir is the user's folder for state: below XDG_STATE_HOME, else where it is by default. "" if the environment names none.
func Dir(getenv func(string) string) string {
	for _, at := range []struct{ name, below string }{{"XDG_STATE_HOME", ""}, {"HOME", ".local/state"}, {"LocalAppData", ""}} {
		if v := getenv(at.name); filepath.IsAbs(v) {
			return filepath.Join(v, filepath.FromSlash(at.below), "outcome-gate", "hook")
		}
	}
	return ""
}

// name is the file of a session.
func name(parts []string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16]) + ".json"
}

// Read is the memory of the session that parts name; nil if it has none.
func (s *Store) Read(parts ...string) (data []byte, err error) {
	root, err := os.OpenRoot(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	data, err = s.read(root, name(parts))
	return data, errors.Join(err, root.Close())
}

// Update changes the memory of the session that parts name, alone: nil is a session that has none yet. It is there in one
// step or stays as it was. A change to nil keeps what there is.
func (s *Store) Update(change func(data []byte) ([]byte, error), parts ...string) (err error) {
	if s.Dir == "" {
		return errors.New("there is no folder for state: set XDG_STATE_HOME or HOME")
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	file := name(parts)
	release, err := s.lock(root, file+".lock")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	before, err := s.read(root, file)
	if err != nil {
		return err
	}
	after, err := change(before)
	if err != nil || after == nil {
		return err
	}
	if before == nil {
		s.sweep(root)
	}
	return replace(root, file, after)
}

// read reads a memory; nil if there is none.
func (s *Store) read(root *os.Root, file string) ([]byte, error) {
	info, err := root.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("read %s: it is no regular file", file)
	}
	f, err := root.Open(file)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, s.Limit+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return append([]byte{}, data...), nil
}

// replace puts a file in the place of another in one step.
func replace(root *os.Root, file string, data []byte) error {
	draft := file + ".new" // whoever writes it holds the lock; what lies there was left by a kill, or is a pipe that blocks
	if err := root.Remove(draft); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return root.Rename(draft, file)
}

// lock waits until nobody else changes the memory.
func (s *Store) lock(root *os.Root, file string) (release func() error, err error) {
	pause := s.Pause
	if pause == nil {
		pause = time.Sleep
	}
	for waited := time.Duration(0); ; waited += lockPause {
		f, err := root.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			return func() error { return errors.Join(f.Close(), root.Remove(file)) }, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if info, err := root.Lstat(file); err == nil && s.Now().Sub(info.ModTime()).Abs() > lockStale { // or the clock was set back since
			_ = root.Remove(file) // it was left behind; whoever is first makes the new one
			continue
		}
		if waited >= lockWait {
			return nil, fmt.Errorf("%s is locked by another hook", file)
		}
		pause(lockPause)
	}
}

// sweep removes old memories, and the oldest where there are too many. What it cannot remove stays.
func (s *Store) sweep(root *os.Root) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return
	}
	type aged struct {
		name string
		at   time.Time
	}
	var all []aged
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), ".json") {
			all = append(all, aged{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b aged) int { return b.at.Compare(a.at) })
	for i, f := range all {
		if i >= maxFiles-1 || s.Now().Sub(f.at) > keptFor {
			_ = root.Remove(f.name)
		}
	}
}
