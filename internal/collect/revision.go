package collect

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

const (
	maxRevision  = 1024   // bytes of a revision's text, as long as a ref's name may be
	maxAncestor  = 10_000 // commits that a revision may go back, as many as one change may have
	leastShort   = 4      // digits of the shortest abbreviation, as in git
	maxShortHits = 256    // objects looked at whose names begin alike
)

// Resolve gives the commit that a revision names: a full or an unambiguous short object name, HEAD or @, a full ref, a
// branch, a tag or remote/branch, followed by any number of ~N (N commits back by first parents; 1 without N) and ^N
// (its Nth parent; the first without N). Tags are followed to their commit. The commit need not be in a shallow
// clone's history. No other form of gitrevisions is known.
func (r *Repo) Resolve(rev string) (sha string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { err = guard("resolve "+clip(rev, 80), err, recover()) }()
	if len(rev) > maxRevision {
		return "", errNoRef
	}
	name, steps := rev, ""
	if i := strings.IndexAny(rev, "~^"); i >= 0 {
		name, steps = rev[:i], rev[i:]
	}
	if sha, err = r.named(name); err == nil {
		sha, err = r.peel(sha)
	}
	if err != nil {
		return "", err
	}
	for back := 0; steps != ""; {
		kind := steps[0]
		end := 1
		for end < len(steps) && steps[end] >= '0' && steps[end] <= '9' {
			end++
		}
		n := 1
		if end > 1 {
			if n, err = strconv.Atoi(steps[1:end]); err != nil {
				return "", fmt.Errorf("%s goes back too far", clip(steps[:end], 20))
			}
		}
		if steps = steps[end:]; steps != "" && steps[0] != '~' && steps[0] != '^' {
			return "", fmt.Errorf("%q is no step that is known here: ~N and ^N are", clip(steps, 20))
		}
		if kind == '^' {
			sha, err = r.parent(sha, n)
			n = 0
			back++
		}
		for ; n > 0 && err == nil; n-- {
			if back++; back > maxAncestor {
				return "", fmt.Errorf("it goes back over %d commits", maxAncestor)
			}
			sha, err = r.parent(sha, 1)
		}
		if err != nil {
			return "", err
		}
	}
	return sha, nil
}

// named gives the object of a name: a ref before an abbreviation that looks alike, as in git.
func (r *Repo) named(name string) (string, error) {
	switch {
	case isSHA(name):
		return name, nil
	case name == "@":
		name = "HEAD"
	}
	sha, err := r.dirs.expand(name)
	if !errors.Is(err, errNoRef) || len(name) < leastShort || len(name) > 40 || strings.Trim(strings.ToLower(name), "0123456789abcdef") != "" {
		return sha, err
	}
	return r.store.abbreviated(strings.ToLower(name))
}

// peel follows tags to their commit.
func (r *Repo) peel(sha string) (string, error) {
	for range maxRefHops {
		raw, err := rawSHA(sha)
		if err != nil {
			return "", err
		}
		typ, data, err := r.store.object(raw, maxObject)
		switch {
		case err != nil:
			return "", err
		case typ == plumbing.CommitObject:
			return sha, nil
		case typ != plumbing.TagObject:
			return "", fmt.Errorf("%s is a %s", sha, typ)
		}
		line, _, _ := strings.Cut(string(data), "\n")
		sha = strings.TrimPrefix(line, "object ")
	}
	return "", fmt.Errorf("over %d tags", maxRefHops)
}

// parent is the nth parent of a commit, from 1; 0 is the commit itself.
func (r *Repo) parent(sha string, n int) (string, error) {
	if n == 0 {
		return sha, nil
	}
	c, err := r.commit(sha)
	switch {
	case err != nil:
		return "", err
	case r.shallow[sha]:
		return "", errShallow
	case n > len(c.Parents):
		return "", fmt.Errorf("commit %s has %s", sha[:min(len(sha), 12)], count(int64(len(c.Parents)), "parent"))
	}
	return c.Parents[n-1], nil
}

// abbreviated is the one commit or tag whose name begins so.
func (s *store) abbreviated(prefix string) (string, error) {
	var hits []plumbing.Hash
	for _, d := range s.dirs {
		more, err := d.beginning(prefix)
		if err != nil {
			return "", err
		}
		hits = append(hits, more...)
	}
	slices.SortFunc(hits, func(a, b plumbing.Hash) int { return strings.Compare(string(a[:]), string(b[:])) })
	hits = slices.Compact(hits)
	if len(hits) > maxShortHits {
		return "", fmt.Errorf("over %d objects have a name that begins so", maxShortHits)
	}
	found := ""
	for _, h := range hits {
		typ, _, err := s.object(h, maxObject)
		if err != nil || typ != plumbing.CommitObject && typ != plumbing.TagObject {
			continue // a revision means a commit, and a large blob is none
		}
		if found != "" {
			return "", errors.New("it is short for several commits; name one with more digits")
		}
		found = h.String()
	}
	if found == "" {
		return "", errNoRef
	}
	return found, nil
}

// beginning lists objects of the directory whose names begin so, at most one over maxShortHits of each pack.
func (d *objectDir) beginning(prefix string) ([]plumbing.Hash, error) {
	if err := d.openPacks(); err != nil {
		return nil, err
	}
	first, err := hex.DecodeString(prefix[:2])
	if err != nil {
		return nil, err
	}
	var out []plumbing.Hash
	add := func(name string) {
		if raw, err := rawSHA(name); err == nil && strings.HasPrefix(name, prefix) {
			out = append(out, raw)
		}
	}
	for _, p := range d.packs {
		bucket := p.idx.FanoutMapping[first[0]]
		if bucket < 0 || bucket >= len(p.idx.Names) {
			continue
		}
		limit := len(out) + maxShortHits
		for names := p.idx.Names[bucket]; len(names) >= 20 && len(out) <= limit; names = names[20:] {
			add(hex.EncodeToString(names[:20]))
		}
	}
	dir, err := d.root.OpenFile(prefix[:2], openDirFlags, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	defer release(dir)
	for {
		entries, err := dir.ReadDir(dirBatch)
		for _, e := range entries {
			add(prefix[:2] + e.Name())
		}
		switch {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, err
		case len(out) > 2*maxShortHits:
			return out, nil
		}
	}
}
