package collect

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/evidence/coverage"
)

// source is where a file's bytes come from: the workspace, the head commit, an address or an upload.
type source struct {
	head bool
	at   Address
	up   Upload
}

// observedFile is one file of a source, however many sets name it.
type observedFile struct {
	name   string
	from   *fileSet // the first set that names it
	need   need     // what all sets together want of it
	last   int      // the last outcome that does; the reading is dropped after it
	listed bool     // among those of the outcome that is looked at
	read   *reading // nil: not yet, or no more
}

// observer carries one call of Observe.
type observer struct {
	w    *Workspace
	c    *contract.Contract
	f    *Facts
	plan *plan
	git  *gitView
	// files are those of each source by name.
	files map[source]map[string]*observedFile

	checks   *checks // the last look at them; nil before the first
	trusted  map[string]trustedFile
	commands map[string]evidence.CommandResult // by parameters
	holds    *coverage.Repository              // nil until asked for
	lines    map[string]evidence.ChangedLines  // by the extensions of the files that are wanted
	began    time.Time                         // when the looking began; zero without a clock
	uploads  map[Upload]*uploads               // the last look at each
}

type trustedFile struct {
	data []byte
	err  error
}

// Observe looks at everything that the contract's outcomes name, in their order, and concludes nothing. What
// could not be observed is a problem inside the observation; it never fails. The workspace is walked once
// for all patterns, and each file is read once for everything that wants something of it.
func Observe(ctx context.Context, w *Workspace, c *contract.Contract, f Facts) []evidence.Observation {
	c = f.hurried(c)
	o := &observer{
		w: w, c: c, f: &f, plan: newPlan(c),
		files:   map[source]map[string]*observedFile{},
		trusted: map[string]trustedFile{}, commands: map[string]evidence.CommandResult{}, uploads: map[Upload]*uploads{},
	}
	if f.Now != nil {
		o.began = f.Now()
	}
	o.runCommands(ctx) // before anything is looked at: what they leave behind is what is judged
	o.listAll(ctx)
	out := make([]evidence.Observation, len(c.Outcomes))
	for i := range c.Outcomes {
		files := o.filesOf(i)
		o.readAll(ctx, files)
		out[i] = o.outcome(ctx, i)
		for _, f := range files {
			if f.last == i {
				f.read = nil
			}
		}
	}
	return out
}

// listAll names the files of every set, and what each file is read for.
func (o *observer) listAll(ctx context.Context) {
	var lists []listing
	elsewhere := o.f.Contexts.Elsewhere
	if !elsewhere {
		lists = o.w.list(ctx, o.plan.globs)
	}
	for _, s := range o.plan.sets {
		switch {
		case s.head:
			s.found = o.listHead(ctx, s)
		case s.list >= 0 && elsewhere:
			s.found.fail(evidence.CodeArtifactElsewhere, "the gate runs apart from the change's jobs, whose files are not here: they have to be uploaded (upload)")
		case s.list >= 0:
			s.found = lists[s.list]
		case s.at.URL != "" && o.f.Look == nil:
			s.found.fail(evidence.CodeAddressNotHere, "addresses are not looked at here")
		case s.at.URL != "":
			s.found.names = []string{s.at.URL}
		case s.up.Name != "":
			s.found = o.listUpload(ctx, s)
		default:
			s.found.fail(evidence.CodeArtifactUnlisted, "the artifact names no files")
		}
		o.name(s)
	}
	for i := range o.plan.outcomes {
		for _, f := range o.filesOf(i) {
			f.last = i
		}
	}
}

// name adds what a set wants of its files.
func (o *observer) name(s *fileSet) {
	all := o.files[s.source()]
	if all == nil {
		all = make(map[string]*observedFile, len(s.found.names))
		o.files[s.source()] = all
	}
	s.files = make([]*observedFile, len(s.found.names))
	for i, name := range s.found.names {
		f := all[name]
		if f == nil {
			f = &observedFile{name: name, from: s}
			all[name] = f
		}
		f.need.merge(s.need)
		s.files[i] = f
	}
}

// listHead names the files of the head commit that the patterns mean: those that the change touches, or,
// if it touches none of them, all, so that it can be said.
func (o *observer) listHead(ctx context.Context, s *fileSet) listing {
	var l listing
	pats, err := compile(0, s.globs)
	if err != nil {
		l.fail(evidence.CodeArtifactUnlisted, err.Error())
		return l
	}
	git := o.gitView(ctx)
	if !git.known() {
		l.fail(evidence.CodeArtifactUnlisted, "what the head commit holds is not known: "+git.reason)
		return l
	}
	var touched []string
	limit := o.w.limits.filled().Files
	for e := range git.trees.Head.All() {
		if !matchPath(pats, e.Path) {
			continue
		}
		if len(l.names) >= limit {
			l = listing{}
			l.fail(evidence.CodeArtifactTooMany, fmt.Sprintf("over %d files match", limit))
			return l
		}
		l.names = append(l.names, e.Path)
		if git.changed[e.Path] {
			touched = append(touched, e.Path)
		}
	}
	if len(touched) > 0 {
		l.names = touched
	}
	return l
}

// gitView asks for the trees on first use.
func (o *observer) gitView(ctx context.Context) *gitView {
	if o.git == nil {
		o.git = newGitView(ctx, o.f.Git)
	}
	return o.git
}

// setsOf lists the sets that an outcome reads.
func (o *observer) setsOf(i int) []*fileSet {
	p := &o.plan.outcomes[i]
	var at []int
	at = append(at, p.artifact)
	at = append(at, p.identity...)
	for _, v := range p.validators {
		for _, r := range v.reads {
			at = append(at, r.set)
		}
	}
	var out []*fileSet
	for _, s := range at {
		if s >= 0 {
			out = append(out, o.plan.sets[s])
		}
	}
	return out
}

// filesOf lists the files that an outcome reads, each once.
func (o *observer) filesOf(i int) []*observedFile {
	sets := o.setsOf(i)
	n := 0
	for _, s := range sets {
		n += len(s.files)
		for _, f := range s.files {
			f.listed = false
		}
	}
	out := make([]*observedFile, 0, n)
	for _, s := range sets {
		for _, f := range s.files {
			if !f.listed {
				f.listed = true
				out = append(out, f)
			}
		}
	}
	return out
}

// maxRow is how many files a worker takes at a time: neighbours lie in one directory, and are cheaper one after another.
const maxRow = 32

// readAll reads the files that were not read before, by as many workers as there are processors.
func (o *observer) readAll(ctx context.Context, files []*observedFile) {
	files = slices.DeleteFunc(slices.Clone(files), func(f *observedFile) bool { return f.read != nil })
	if len(files) == 0 {
		return
	}
	git := o.gitView(ctx)
	workers := min(len(files), runtime.GOMAXPROCS(0))
	row := min(max(len(files)/(8*workers), 1), maxRow)
	var next atomic.Int64
	var room atomic.Int64
	room.Store(maxKept)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			r := newReader(o.w, o.f.HMACKey, git, &room)
			defer r.leave()
			for {
				from := (int(next.Add(1)) - 1) * row
				if from >= len(files) {
					return
				}
				for _, f := range files[from:min(from+row, len(files))] {
					f.read = o.readOne(ctx, r, f)
				}
			}
		})
	}
	wg.Wait()
}

func (o *observer) readOne(ctx context.Context, r *reader, f *observedFile) *reading {
	switch s := f.from; {
	case s.at.URL != "":
		return o.look(ctx, r, s.at, f.need)
	case s.up.Name != "":
		return o.entry(ctx, r, s.up, f.name, f.need)
	case s.head:
		return r.blobAt(ctx, f.name, f.need)
	}
	return r.next(ctx, f.name, f.need)
}

// outcome puts together what was observed of one outcome.
func (o *observer) outcome(ctx context.Context, i int) evidence.Observation {
	out, p := &o.c.Outcomes[i], &o.plan.outcomes[i]
	obs := evidence.Observation{ID: out.ID, Of: p.of}
	switch {
	case p.artifact >= 0:
		set := o.fileSet(ctx, o.plan.sets[p.artifact], p)
		obs.Artifact = &set
	case p.of != "":
		obs.Artifact = &evidence.FileSet{Problem: evidence.CodeArtifactUnlisted, ProblemDetail: "outcome " + p.of + " has no files", Tier: string(contract.Claimed)}
	}
	if out.Artifact != nil && out.Artifact.MadeBy != "" {
		obs.Producer = o.producer(out.Artifact.MadeBy)
		if u := o.uploads[uploadOf(out.Artifact)]; u != nil && obs.Producer.Source == "" && u.Producer != "" {
			obs.Producer.Given, obs.Producer.Source, obs.Producer.Outcome = true, "api", u.Producer // it ended since
		}
	}
	for j, v := range out.Validators {
		obs.Validators = append(obs.Validators, o.validator(ctx, p, j, v))
	}
	if out.WaitsFor != nil {
		obs.Wait = o.wait(ctx, out.WaitsFor)
	}
	return obs
}

// producer looks up how a step of this job, else a job, ended.
func (o *observer) producer(name string) *evidence.Producer {
	x := &o.f.Contexts
	p := &evidence.Producer{Name: name, Given: x.HasSteps || x.HasJobs}
	if s, ok := x.Steps[name]; ok && x.HasSteps {
		p.Source, p.Outcome = "step", s.Outcome
	} else if j, ok := x.Jobs[name]; ok && x.HasJobs {
		p.Source, p.Outcome = j.Source, j.Result
		if p.Source == "" {
			p.Source = "needs"
		}
	}
	return p
}

// maxNamedPeople bounds the names that a wait keeps.
const maxNamedPeople = 50

func (o *observer) wait(ctx context.Context, w *contract.WaitsFor) *evidence.WaitFacts {
	out := evidence.WaitFacts{Reason: "this run does not ask for it"}
	switch {
	case w.Approval != nil:
		if o.f.Approvals != nil {
			out = o.f.Approvals(ctx, *w.Approval)
		}
		out.Need = max(w.Approval.Count, 1)
	case o.f.Environments != nil:
		out = o.f.Environments(ctx, w.Environment)
	}
	out.Reason = clip(out.Reason, maxReason)
	out.By = out.By[:min(len(out.By), maxNamedPeople)]
	return &out
}
