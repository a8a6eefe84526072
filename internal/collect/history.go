package collect

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	maxHistory = 1_000_000 // commits looked at: the Linux kernel has a bit more in fifteen years
	maxCommits = 10_000    // commits of one change; GitHub lists 250
)

// errShallow says that the answer lies beyond the history that the clone has.
var errShallow = errors.New("the clone's history is too short; fetch more of it (checkout with fetch-depth: 0)")

// Changes lists the files that differ between the trees of two commits, in path order. A removed and an
// added file with the same bytes are one renamed file; a file that was moved and edited is a removed one and
// an added one.
func (r *Repo) Changes(ctx context.Context, base, head string) ([]ChangedFile, error) {
	from, err := r.Tree(ctx, base)
	if err != nil {
		return nil, err
	}
	to, err := r.Tree(ctx, head)
	if err != nil {
		return nil, err
	}
	return diffTrees(from, to), nil
}

// CommittedAt is when a commit was made, as it says itself, in whole seconds.
func (r *Repo) CommittedAt(sha string) (at time.Time, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { err = guard("read commit "+clip(sha, 40), err, recover()) }()
	c, err := r.commit(sha)
	if err != nil {
		return time.Time{}, err
	}
	return c.Committer.When, nil
}

// diffTrees merges two sorted lists.
func diffTrees(from, to *Tree) []ChangedFile {
	var out []ChangedFile
	var added []treeEntry
	removed := map[[20]byte][]string{} // by blob, in path order
	i, j := 0, 0
	for i < len(from.entries) || j < len(to.entries) {
		var order int
		switch {
		case i == len(from.entries):
			order = 1
		case j == len(to.entries):
			order = -1
		default:
			order = strings.Compare(from.entries[i].path, to.entries[j].path)
		}
		switch {
		case order < 0:
			e := from.entries[i]
			removed[e.sha] = append(removed[e.sha], e.path)
			i++
		case order > 0:
			added = append(added, to.entries[j])
			j++
		default:
			a, b := from.entries[i], to.entries[j]
			if a.sha != b.sha || a.mode != b.mode {
				out = append(out, ChangedFile{Path: b.path, Status: "modified"})
			}
			i, j = i+1, j+1
		}
	}
	for _, e := range added {
		c := ChangedFile{Path: e.path, Status: "added"}
		if old := removed[e.sha]; len(old) > 0 {
			c.Status, c.Previous, removed[e.sha] = "renamed", old[0], old[1:]
		}
		out = append(out, c)
	}
	for _, paths := range removed {
		for _, p := range paths {
			out = append(out, ChangedFile{Path: p, Status: "removed"})
		}
	}
	slices.SortFunc(out, func(a, b ChangedFile) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// Colours of the walk over the history.
const (
	fromBase = 1 << iota
	fromHead
	isShared // reached from both, and so is everything before it
)

// queued is a commit that the walk has still to look at.
type queued struct {
	*parsedCommit
	order int
	open  bool // it was not shared when it was queued
}

// byTime is a heap of commits, newest first.
type byTime []queued

// Len, Less, Swap, Push and Pop are those of container/heap.
func (q byTime) Len() int { return len(q) }

// Less puts the newest commit first; commits of one second stay in the order in which they were found.
func (q byTime) Less(i, j int) bool {
	if c := q[i].Committer.When.Compare(q[j].Committer.When); c != 0 {
		return c > 0
	}
	return q[i].order < q[j].order
}

// Swap exchanges two commits.
func (q byTime) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push adds a commit.
func (q *byTime) Push(x any) {
	if c, ok := x.(queued); ok {
		*q = append(*q, c)
	}
}

// Pop takes the last commit.
func (q *byTime) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

// painter walks two histories at once, newest commits first, and colours what each one reaches.
type painter struct {
	repo   *Repo
	queue  byTime
	colour map[string]int
	found  int
	// open is the number of queued commits that were not shared: when it is 0 nothing can change any more.
	open int
	// cut lists the ends of a shallow history that the walk came to.
	cut []string
}

func (p *painter) paint(sha string, colour int) error {
	old, seen := p.colour[sha]
	if seen && old|colour == old {
		return nil
	}
	if p.found++; p.found > 2*maxHistory {
		return fmt.Errorf("over %d commits of history", maxHistory)
	}
	c, err := p.repo.commit(sha)
	if err != nil {
		if errors.Is(err, errMissing) && p.repo.Shallow() {
			return errors.Join(errShallow, err)
		}
		return err
	}
	p.colour[sha] = old | colour
	open := p.colour[sha]&isShared == 0
	heap.Push(&p.queue, queued{c, p.found, open})
	if open {
		p.open++
	}
	return nil
}

// run paints until only shared history is left. visit sees each commit with its colour when it was taken.
func (p *painter) run(ctx context.Context, visit func(c *parsedCommit, colour int)) error {
	for p.open > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		c, ok := heap.Pop(&p.queue).(queued)
		if !ok {
			return errors.New("the queue holds no commit")
		}
		if c.open {
			p.open--
		}
		colour := p.colour[c.SHA]
		visit(c.parsedCommit, colour)
		if colour&(fromBase|fromHead) == fromBase|fromHead {
			colour |= isShared
		}
		if p.repo.shallow[c.SHA] {
			p.cut = append(p.cut, c.SHA)
			continue
		}
		for _, parent := range c.Parents {
			if err := p.paint(parent, colour); err != nil {
				return err
			}
		}
	}
	return nil
}

// Commits lists the commits that head reaches and base does not, newest first. A shallow clone that does not
// reach the point where both meet is an error.
func (r *Repo) Commits(ctx context.Context, base, head string) (out []Commit, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { err = guard("list the commits of "+clip(head, 40), err, recover()) }()
	p := &painter{repo: r, colour: map[string]int{}}
	if err := p.both(base, head); err != nil {
		return nil, err
	}
	seen := map[string]*parsedCommit{}
	if err := p.run(ctx, func(c *parsedCommit, colour int) {
		if colour&fromBase == 0 {
			seen[c.SHA] = c
		}
	}); err != nil {
		return nil, err
	}
	for sha, c := range seen {
		if p.colour[sha]&fromBase == 0 {
			out = append(out, c.Commit)
		}
	}
	switch {
	case p.short():
		return nil, errShallow
	case len(out) > maxCommits:
		return nil, fmt.Errorf("over %d commits", maxCommits)
	}
	slices.SortFunc(out, func(a, b Commit) int {
		return cmp.Or(b.Committer.When.Compare(a.Committer.When), strings.Compare(a.SHA, b.SHA))
	})
	return out, nil
}

// MergeBase gives the newest commit that both reach.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (sha string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { err = guard("find the merge base", err, recover()) }()
	p := &painter{repo: r, colour: map[string]int{}}
	if err := p.both(a, b); err != nil {
		return "", err
	}
	if err := p.run(ctx, func(c *parsedCommit, colour int) {
		if sha == "" && colour&(fromBase|fromHead) == fromBase|fromHead && colour&isShared == 0 {
			sha = c.SHA
		}
	}); err != nil {
		return "", err
	}
	switch {
	case sha != "":
		return sha, nil
	case len(p.cut) > 0:
		return "", errShallow
	}
	return "", errors.New("the commits share no history")
}

// both starts the walk at its two ends.
func (p *painter) both(base, head string) error {
	if err := p.paint(base, fromBase); err != nil {
		return err
	}
	return p.paint(head, fromHead)
}

// short says whether some history ended, because the clone has no more of it, before it met the other one:
// what lies beyond could change the answer.
func (p *painter) short() bool {
	return slices.ContainsFunc(p.cut, func(sha string) bool {
		return p.colour[sha]&(fromBase|fromHead) != fromBase|fromHead
	})
}
