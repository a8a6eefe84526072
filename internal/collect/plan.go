package collect

import (
	"slices"
	"strings"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

const (
	// identityBytes is how much of a file a pointer or pattern of an identity rule may need: as much as any kind reads.
	identityBytes = evidence.MaxDocumentBytes
	// roleRecord is the role of a recorded exit status, which the copy rule exempts: its few bytes are equal by chance.
	roleRecord = "record"
)

// fileSet is one list of files that some outcome needs: an artifact, a validator's further files, or a file
// that an identity rule looks in.
type fileSet struct {
	globs  []string
	rules  *contract.Artifact
	head   bool // the head commit's files, not the workspace's
	record bool
	at     Address // what lies there, not in the workspace
	up     Upload  // whose files they are, not the workspace's
	need   need
	list   int             // which listing of the walk
	found  listing         // what it came to
	files  []*observedFile // those of found, in its order
}

// plan is what has to be listed and read for the whole contract, known before anything is touched.
type plan struct {
	sets     []*fileSet
	outcomes []outcomePlan
	globs    [][]string                // of the walk, each list once
	windows  map[Address]time.Duration // how long after the run's start an address is waited for, the longest of all outcomes
	uploads  map[Upload]time.Duration  // the same of uploads
	byGlobs  map[string]int
}

// outcomePlan names an outcome's sets by their place in plan.sets; -1 is none.
type outcomePlan struct {
	artifact   int
	of         string             // the outcome that the artifact belongs to, if it is another
	identity   []int              // by rule: the set of its file, or -1
	validators []validatorPlan    // in the order of the contract
	source     *contract.Artifact // whose conditions hold
}

type validatorPlan struct {
	kind  evidence.Kind
	known bool
	wants evidence.Wants
	reads []readPlan
}

type readPlan struct {
	evidence.Read
	set int // -1: a trusted file
}

// readRules are the rules of every file that a validator reads besides the artifact.
func readRules() *contract.Artifact {
	return &contract.Artifact{Fresh: contract.Fresh{Rule: "run"}, Committed: "no", Symlinks: "inside", MinBytes: 1, Count: contract.Count{Min: 1}}
}

func newPlan(c *contract.Contract) *plan {
	p := &plan{byGlobs: map[string]int{}, windows: map[Address]time.Duration{}, uploads: map[Upload]time.Duration{}, outcomes: make([]outcomePlan, len(c.Outcomes))}
	for i := range c.Outcomes {
		o := &p.outcomes[i]
		o.artifact = -1
		if a := c.Outcomes[i].Artifact; a != nil && a.Of == "" {
			o.artifact, o.source = p.add(a.Files, a), a
			o.identity = p.identity(a, p.sets[o.artifact])
			if at := p.sets[o.artifact].at; at.URL != "" {
				p.windows[at] = max(p.windows[at], time.Duration(c.Outcomes[i].ObserveFor)*time.Second)
			}
			up := p.sets[o.artifact].up
			p.uploads[up] = max(p.uploads[up], time.Duration(c.Outcomes[i].ObserveFor)*time.Second)
		}
	}
	for i := range c.Outcomes {
		a := c.Outcomes[i].Artifact
		if a != nil && a.Of != "" {
			if src := sourceOf(c, i); src >= 0 {
				p.outcomes[i] = p.outcomes[src]
				p.outcomes[i].validators = nil
			}
			p.outcomes[i].of = a.Of
		}
	}
	for i := range c.Outcomes {
		for _, v := range c.Outcomes[i].Validators {
			p.outcomes[i].validators = append(p.outcomes[i].validators, p.validator(&p.outcomes[i], v))
		}
	}
	return p
}

// sourceOf is the outcome that holds the files of outcome i, -1 if there is none.
func sourceOf(c *contract.Contract, i int) int {
	for range c.Outcomes {
		a := c.Outcomes[i].Artifact
		if a == nil {
			return -1
		}
		if a.Of == "" {
			return i
		}
		i = slices.IndexFunc(c.Outcomes, func(o contract.Outcome) bool { return o.ID == a.Of })
		if i < 0 {
			return -1
		}
	}
	return -1
}

func (p *plan) add(globs []string, rules *contract.Artifact) int {
	s := &fileSet{globs: globs, rules: rules, head: rules.Committed == "changed", list: -1}
	s.need = need{keyed: rules.HMACSHA256 != "", blob: true}
	// The files of an upload are inside it: the workspace's files of the same name are not meant.
	elsewhere := rules.Upload != "" || rules.URL != ""
	s.head = s.head && !elsewhere
	if rules.URL != "" {
		s.at = Address{URL: rules.URL, Status: rules.Status, Redirects: rules.Redirects}
		s.need.blob = false
	}
	s.up = uploadOf(rules)
	if len(globs) > 0 && !s.head && !elsewhere {
		key := strings.Join(globs, "\x00")
		at, ok := p.byGlobs[key]
		if !ok {
			at = len(p.globs)
			p.globs, p.byGlobs[key] = append(p.globs, globs), at
		}
		s.list = at
	}
	p.sets = append(p.sets, s)
	return len(p.sets) - 1
}

// uploadOf is the upload that an artifact is inside of; without a name it is none.
func uploadOf(a *contract.Artifact) Upload {
	if a.Upload == "" {
		return Upload{}
	}
	return Upload{Name: a.Upload, MadeBy: a.MadeBy}
}

// identity plans what the identity rules look in: the artifact itself, or a file beside it.
func (p *plan) identity(a *contract.Artifact, own *fileSet) []int {
	out := make([]int, len(a.Identity))
	for i, rule := range a.Identity {
		out[i] = -1
		s := own
		if rule.File != "" {
			rules := readRules()
			rules.Committed, rules.Fresh = a.Committed, a.Fresh
			out[i] = p.add([]string{literal(rule.File)}, rules)
			s = p.sets[out[i]]
		}
		if rule.Property != "" {
			s.need.form(form{as: asTests})
			s.need.keep.Properties = true
		} else {
			s.need.bytes = identityBytes
		}
	}
	return out
}

func (p *plan) validator(o *outcomePlan, v contract.Validator) validatorPlan {
	kind, ok := evidence.KindByName(v.Kind)
	out := validatorPlan{kind: kind, known: ok && kind.Observe != nil}
	if !out.known {
		return out
	}
	if kind.Wants != nil && o.artifact >= 0 {
		out.wants = kind.Wants(v.Params)
		p.sets[o.artifact].need.take(out.wants)
	}
	if kind.Reads == nil {
		return out
	}
	for _, r := range kind.Reads(v.Params) {
		rp := readPlan{Read: r, set: -1}
		if r.Trusted == "" {
			rp.set = p.add(r.Files, readRules())
			p.sets[rp.set].need.take(r.Wants)
			p.sets[rp.set].record = r.Role == roleRecord
		}
		out.reads = append(out.reads, rp)
	}
	return out
}

// take adds what a kind wants of a file.
func (n *need) take(w evidence.Wants) {
	for _, p := range formsOf(w) {
		n.form(p)
	}
	n.keep.Names = n.keep.Names || w.Names
	n.bytes = max(n.bytes, w.Bytes)
}

// formsOf lists what a kind wants a file to be read as.
func formsOf(w evidence.Wants) []form {
	var out []form
	if w.Tests {
		out = append(out, form{asTests, w.Format})
	}
	if w.Coverage {
		out = append(out, form{asCoverage, w.Format})
	}
	if w.SARIF {
		out = append(out, form{as: asSARIF})
	}
	return out
}

func (n *need) form(p form) {
	if !slices.Contains(n.forms, p) {
		n.forms = append(n.forms, p)
	}
}

// merge adds what another set wants of the same file.
func (n *need) merge(m need) {
	for _, p := range m.forms {
		n.form(p)
	}
	n.keep = n.keep.Plus(m.keep)
	n.bytes = max(n.bytes, m.bytes)
	n.keyed = n.keyed || m.keyed
	n.blob = n.blob || m.blob
}

// literal is the pattern that means exactly this path.
func literal(path string) string {
	var b strings.Builder
	for i := range len(path) {
		if strings.IndexByte(`*?[]{}\`, path[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(path[i])
	}
	return b.String()
}
