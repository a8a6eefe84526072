package doctor

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// workflow is one workflow file.
type workflow struct {
	path   string
	name   string // of the workflow, the file's path if it has none
	root   *value
	events []event
	jobs   []*job
}

// event is one event that a workflow runs on.
type event struct {
	name string
	at   place
	body *value // its filters, nil: none
}

// job is one job of a workflow.
type job struct {
	w     *workflow
	id    string
	at    place
	body  *value
	steps []*step
	runs  int // index of the last step that runs code: a script, or an action of the workspace; -1: none
}

// step is one step of a job.
type step struct {
	at        place
	body      *value
	index     int
	uses, run string
}

// site is a step that is the gate's, with the jobs that call its workflow, if it is a reusable one.
type site struct {
	*step
	j       *job
	callers []*job
}

// readWorkflows reads the files that are workflows by their place and ending.
func (c *checker) readWorkflows() {
	for _, f := range c.Facts.Workflows {
		if ext := path.Ext(f.Path); ext != ".yml" && ext != ".yaml" {
			continue
		}
		root, err := parse(f.Data)
		if err == nil && (!root.mapping || !root.get("jobs").isMapping()) {
			c.add(CodeUnreadable, f.Path, root.at, "this file has no jobs, so it is no workflow")
			continue
		}
		if err != nil {
			c.add(CodeUnreadable, f.Path, place{}, "this file cannot be read: %s", clip(err.Error()))
			continue
		}
		c.workflows = append(c.workflows, makeWorkflow(f.Path, root))
	}
}

func (v *value) isMapping() bool { return v != nil && v.mapping }

// maxClip bounds, in bytes, text of a file that a message shows.
const maxClip = 120

// clip shortens text for a message.
func clip(s string) string {
	if len(s) > maxClip {
		return strings.ToValidUTF8(s[:maxClip], "") + "…"
	}
	return s
}

func makeWorkflow(name string, root *value) *workflow {
	w := &workflow{path: name, name: root.get("name").str(), root: root}
	if w.name == "" {
		w.name = name
	}
	if on := root.get("on"); on != nil {
		w.events = events(on)
	}
	for _, m := range root.get("jobs").members {
		j := &job{w: w, id: m.name, at: m.at, body: m.value, runs: -1}
		if steps := m.value.get("steps"); steps != nil {
			for i, s := range steps.items {
				added := &step{at: s.at, body: s, index: i, uses: s.get("uses").str(), run: s.get("run").str()}
				j.steps = append(j.steps, added)
				if added.run != "" || strings.HasPrefix(added.uses, "./") {
					j.runs = i
				}
			}
		}
		w.jobs = append(w.jobs, j)
	}
	return w
}

// events reads the three forms of on: a name, a list of names, a mapping.
func events(on *value) []event {
	var out []event
	switch {
	case on.mapping:
		for _, m := range on.members {
			out = append(out, event{m.name, m.at, m.value})
		}
	case on.list:
		for _, item := range on.items {
			out = append(out, event{item.str(), item.at, nil})
		}
	default:
		out = append(out, event{on.str(), on.at, nil})
	}
	return out
}

// on is the event of a name, nil if the workflow does not run on it.
func (w *workflow) on(names ...string) *event {
	for i := range w.events {
		if slices.Contains(names, w.events[i].name) {
			return &w.events[i]
		}
	}
	return nil
}

// maxSites bounds how many steps of the gate are looked at. A repository has one or two.
const maxSites = 50

// findSites finds the gate's steps and who calls their workflows.
func (c *checker) findSites() {
	for _, w := range c.workflows {
		for _, j := range w.jobs {
			for _, s := range j.steps {
				if !c.isGate(s.uses) {
					continue
				}
				if len(c.sites) == maxSites {
					c.add(CodeUnreadable, w.path, s.at, "there are more than %d steps of the gate; this one and those behind it were not looked at", maxSites)
					return
				}
				c.sites = append(c.sites, &site{step: s, j: j, callers: c.callers(w)})
			}
		}
	}
	if len(c.sites) == 0 {
		c.add(CodeNoGate, ".github/workflows", place{}, "no step of %d workflows uses %s", len(c.workflows), c.Action)
	}
}

// isGate says whether an action is the gate: by its name, whatever the version, or as the repository's own.
func (c *checker) isGate(uses string) bool {
	name, _, _ := strings.Cut(uses, "@")
	return strings.EqualFold(name, c.Action) || c.LocalGate && (uses == "./" || uses == ".")
}

// callers are the jobs that call a reusable workflow of the same repository.
func (c *checker) callers(w *workflow) []*job {
	if w.on("workflow_call") == nil {
		return nil
	}
	var out []*job
	for _, other := range c.workflows {
		for _, j := range other.jobs {
			if j.body.get("uses").str() == "./"+w.path {
				out = append(out, j)
			}
		}
	}
	return out
}

// started are the workflows whose events start the site's job.
func (s *site) started() []*workflow {
	out := []*workflow{s.j.w}
	for _, j := range s.callers {
		if !slices.Contains(out, j.w) {
			out = append(out, j.w)
		}
	}
	return out
}

// on is the first event of these names that starts the site's job, with its workflow.
func (s *site) on(names ...string) (*workflow, *event) {
	for _, w := range s.started() {
		if e := w.on(names...); e != nil {
			return w, e
		}
	}
	return nil, nil
}

// names are the names of the checks that the site's job makes; a name that holds an expression is left out.
func (s *site) names() (names []string, whole bool) {
	whole = true
	own := s.j.name()
	all := []string{own}
	if len(s.callers) > 0 {
		all = nil
		for _, j := range s.callers {
			all = append(all, j.name()+" / "+own)
		}
	}
	for _, name := range all {
		if strings.Contains(name, "${{") {
			whole = false
			continue
		}
		names = append(names, name)
	}
	if s.j.body.get("strategy").get("matrix") != nil {
		whole = false
	}
	return names, whole
}

// name is the name of a job's check: what it is called, else its id.
func (j *job) name() string {
	if n := j.body.get("name").str(); n != "" {
		return n
	}
	return j.id
}

// input is what the gate's step is given for an input; names of inputs know no case.
func (s *step) input(name string) *value {
	with := s.body.get("with")
	if with == nil {
		return nil
	}
	for _, m := range with.members {
		if strings.EqualFold(m.name, name) {
			return m.value
		}
	}
	return nil
}

// action is the name of the action of a step, in small letters as GitHub does not tell them apart.
func (s *step) action() string {
	name, _, _ := strings.Cut(s.uses, "@")
	return strings.ToLower(name)
}

var expression = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$\{\{(.*)\}\}$`) })

// condition is an `if:` without the braces and the blanks, which GitHub leaves to the writer.
func condition(v *value) string {
	text := v.str()
	if m := expression().FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	return strings.ToLower(strings.Join(strings.Fields(text), ""))
}

// always says whether a condition is always() and nothing else.
func always(v *value) bool { return condition(v) == "always()" }

// IsGate says whether an action's metadata file is the gate's own.
func IsGate(metadata []byte) bool {
	v, err := parse(metadata)
	return err == nil && v.get("name").str() == "Outcome Gate" && v.get("runs").get("entrypoint").str() == "/gate-run"
}
