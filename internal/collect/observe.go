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

// fileKey names the source of a file's bytes: the workspace, the head commit, an address or an upload.
type fileKey struct {
	name string
	head bool
	at   Address // of what lies at an address
	up   Upload  // of what is inside an upload
}

// observer carries one call of Observe.
type observer struct {
	w    *Workspace
	c    *contract.Contract
	f    *Facts
	plan *plan
	git  *gitView
	// needs is what all sets together want of a file, last the last outcome that does; readings are dropped after it.
	needs map[fileKey]need
	last  map[fileKey]int
	read  map[fileKey]*reading

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
		needs: map[fileKey]need{}, last: map[fileKey]int{}, read: map[fileKey]*reading{},
		trusted: map[string]trustedFile{}, commands: map[string]evidence.CommandResult{}, uploads: map[Upload]*uploads{},
	}
	if f.Now != nil {
		o.began = f.Now()
	}
	o.runCommands(ctx) // before anything is looked at: what they leave behind is what is judged
	o.listAll(ctx)
	out := make([]evidence.Observation, len(c.Outcomes))
	for i := range c.Outcomes {
		keys := o.keys(i)
		o.readAll(ctx, keys)
		out[i] = o.outcome(ctx, i)
		for _, k := range keys {
			if o.last[k] == i {
				delete(o.read, k)
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
		for _, name := range s.found.names {
			k := s.key(name)
			n := o.needs[k]
			n.merge(s.need)
			o.needs[k] = n
		}
	}
	for i := range o.plan.outcomes {
		for _, k := range o.keys(i) {
			o.last[k] = i
		}
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

// keys lists the files that an outcome reads, each once.
func (o *observer) keys(i int) []fileKey {
	seen := map[fileKey]bool{}
	var out []fileKey
	for _, s := range o.setsOf(i) {
		for _, name := range s.found.names {
			if k := s.key(name); !seen[k] {
				seen[k] = true
				out = append(out, k)
			}
		}
	}
	return out
}

// readAll reads the files that were not read before, one to a worker and as many workers as there are processors.
func (o *observer) readAll(ctx context.Context, keys []fileKey) {
	keys = slices.DeleteFunc(slices.Clone(keys), func(k fileKey) bool { return o.read[k] != nil })
	if len(keys) == 0 {
		return
	}
	git := o.gitView(ctx)
	results := make([]*reading, len(keys))
	next := make(chan int)
	var room atomic.Int64
	room.Store(maxKept)
	var wg sync.WaitGroup
	for range min(len(keys), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			r := newReader(o.w, o.f.HMACKey, git, &room)
			for i := range next {
				switch k := keys[i]; {
				case k.at.URL != "":
					results[i] = o.look(ctx, r, k.at, o.needs[k])
				case k.up.Name != "":
					results[i] = o.entry(ctx, r, k, o.needs[k])
				case k.head:
					results[i] = r.blobAt(ctx, k.name, o.needs[k])
				default:
					results[i] = r.file(ctx, k.name, o.needs[k])
				}
			}
		})
	}
	for i := range keys {
		next <- i
	}
	close(next)
	wg.Wait()
	for i, k := range keys {
		o.read[k] = results[i]
	}
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
