// Package fakegithub is an in-memory GitHub: the part of the REST API that this product uses, as a small
// world that works. What is written can be read back, object names are git's own, tokens have permissions,
// lists have pages, and limits run out.
//
// Every request and every response is held against GitHub's own published description (openapi.json), so
// that neither the client nor this package can drift into an API of our own making; what does not fit is
// listed as a violation and a request that does not fit is refused. What the description does not say is
// written here from GitHub's documentation, and only as far as the product relies on it.
//
// It is for tests, and is never part of the product. It keeps no secrets: its tokens are made up.
package fakegithub

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// ActionsApp is the id of the app that a workflow's own token belongs to.
const ActionsApp = 15368

// World is one GitHub. Its methods may be called while requests are served.
type World struct {
	now func() time.Time

	mu         sync.Mutex
	data       *Data
	objects    *objects
	nextID     int64
	faults     []*fault
	requests   []Request
	violations []string
	storage    string // where artifacts lie
}

// Request is one entry of the request log, in order of arrival.
type Request struct {
	Method string `json:"method"`
	URI    string `json:"uri"`             // path and query, without /api/v3
	Login  string `json:"login,omitempty"` // who asked; empty: no known token
	Accept string `json:"accept,omitempty"`
	Agent  string `json:"agent,omitempty"`
	Body   string `json:"body,omitempty"`
	Status int    `json:"status"` // 0: the connection was cut first
}

// New is an empty world. The clock is what answers are dated by; nil is the real one.
func New(now func() time.Time) *World {
	if now == nil {
		now = time.Now
	}
	w := &World{now: now}
	w.reset()
	return w
}

func (w *World) reset() {
	w.data = &Data{Tokens: map[string]*Token{}}
	w.objects = &objects{blobs: map[string][]byte{}, trees: map[string][]entry{}, commits: map[string]*Commit{}}
	w.nextID = 1000
	w.faults, w.requests, w.violations = nil, nil, nil
}

// Load replaces all that the world holds, with its log, its violations and its faults.
func (w *World) Load(d *Data) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reset()
	for _, r := range d.Repositories {
		commits := r.Commits
		r.Commits = nil
		for _, c := range commits { // a branch is where its commits leave it
			delete(r.Branches, c.Branch)
		}
		for _, c := range commits {
			if _, err := w.commit(r, c); err != nil {
				return fmt.Errorf("repository %q: %w", r.FullName, err)
			}
		}
		w.nextID = max(w.nextID, r.highestID())
	}
	if d.Tokens == nil {
		d.Tokens = map[string]*Token{}
	}
	w.data = d
	return w.check()
}

// Read is Load from JSON. A key that means nothing is an error.
func (w *World) Read(r io.Reader) error {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	var data Data
	if err := d.Decode(&data); err != nil {
		return fmt.Errorf("read world: %w", err)
	}
	return w.Load(&data)
}

// Change lets f change what the world holds while no request is served.
func (w *World) Change(f func(*Data)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(w.data)
}

// Commit makes a commit in a repository and gives its name.
func (w *World) Commit(repository string, c *Commit) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.repository(repository)
	if r == nil {
		return "", fmt.Errorf("there is no repository %q", repository)
	}
	return w.commit(r, c)
}

// Blob gives git's name of a file's bytes.
func Blob(body []byte) string { return name("blob", body) }

// Requests is the request log so far.
func (w *World) Requests() []Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.requests)
}

// Violations lists the requests and responses that did not fit the description. Empty is the only good
// answer.
func (w *World) Violations() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.violations)
}

// commit resolves the parents, makes the commit and moves the branch.
func (w *World) commit(r *Repository, c *Commit) (string, error) {
	if c.Committer == (Person{}) {
		c.Committer = c.Author
	}
	c.Parents = nil
	parent := r.Branches[c.Branch]
	if c.Branch == "" || parent == "" {
		parent = cmp.Or(r.Branches[c.From], c.From)
	}
	if parent != "" {
		c.Parents = append(c.Parents, parent)
	}
	c.Parents = append(c.Parents, c.Merges...)
	for _, p := range c.Parents {
		if w.objects.commits[p] == nil {
			return "", fmt.Errorf("commit %q: there is no parent %q", c.Message, p)
		}
	}
	sha, err := w.objects.put(c)
	if err != nil {
		return "", err
	}
	if r.Branches == nil {
		r.Branches = map[string]string{}
	}
	if c.Branch != "" {
		r.Branches[c.Branch] = sha
	}
	r.Commits = append(r.Commits, c)
	return sha, nil
}

var reFullName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9-]+/[A-Za-z0-9._-]+$`) })

// check refuses a world that could not be GitHub's.
func (w *World) check() error {
	var errs []error
	for _, r := range w.data.Repositories {
		if !reFullName().MatchString(r.FullName) {
			errs = append(errs, fmt.Errorf("%q is no owner/name", r.FullName))
		}
		for branch, sha := range r.Branches {
			if w.objects.commits[sha] == nil {
				errs = append(errs, fmt.Errorf("repository %q: branch %q: there is no commit %q", r.FullName, branch, sha))
			}
		}
		for _, p := range r.Pulls {
			if w.objects.commits[w.head(r, p)] == nil || w.objects.commits[w.base(r, p)] == nil {
				errs = append(errs, fmt.Errorf("repository %q: pull request %d: no commit at its head or base", r.FullName, p.Number))
			}
		}
		for _, run := range r.Runs {
			if len(run.Attempts) == 0 {
				errs = append(errs, fmt.Errorf("repository %q: run %d has no attempt", r.FullName, run.ID))
			}
		}
	}
	return errors.Join(errs...)
}

// repository finds a repository as GitHub does, in any case.
func (w *World) repository(fullName string) *Repository {
	for _, r := range w.data.Repositories {
		if strings.EqualFold(r.FullName, fullName) {
			return r
		}
	}
	return nil
}

// headRepository is where a pull request comes from, or nil if that is gone.
func (w *World) headRepository(r *Repository, p *Pull) *Repository {
	if p.HeadRepository == "" {
		return r
	}
	return w.repository(p.HeadRepository)
}

// head is the newest commit of a pull request.
func (w *World) head(r *Repository, p *Pull) string {
	if from := w.headRepository(r, p); p.HeadSHA == "" && from != nil {
		return from.Branches[p.HeadRef]
	}
	return p.HeadSHA
}

// base is the commit that a pull request is against.
func (w *World) base(r *Repository, p *Pull) string { return cmp.Or(p.BaseSHA, r.Branches[p.BaseRef]) }

// id is the next number for something new. Newer things have higher ones, as at GitHub.
func (w *World) id() int64 {
	w.nextID++
	return w.nextID
}

func (r *Repository) highestID() int64 {
	var n int64
	for _, c := range r.Comments {
		n = max(n, c.ID)
	}
	for _, c := range r.Reviews {
		n = max(n, c.ID)
	}
	for _, c := range r.CheckRuns {
		n = max(n, c.ID, c.Suite)
	}
	for _, s := range r.Statuses {
		n = max(n, s.ID)
	}
	for _, run := range r.Runs {
		n = max(n, run.ID, run.Suite)
		for _, a := range run.Attempts {
			for _, j := range a.Jobs {
				n = max(n, j.ID)
			}
		}
	}
	return n
}

// number makes a stable id out of a name.
func number(name string) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return 1_000_000 + int64(h.Sum32())
}

// whole fills in what a user leaves out.
func (u User) whole() User {
	if u.Type == "" {
		u.Type = "User"
		if strings.HasSuffix(u.Login, "[bot]") {
			u.Type = "Bot"
		}
	}
	switch {
	case u.ID != 0:
	case u.Login == "github-actions[bot]":
		u.ID = 41898282
	default:
		u.ID = number(u.Login)
	}
	return u
}
