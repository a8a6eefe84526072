package sarif

import (
	"strconv"
	"strings"
)

// count counts a result whose level is known, and puts by one whose level stands with its rule.
func (d *reader) count(r *run, f *found) error {
	failing := false
	switch f.kind {
	case "", "fail":
		failing = true
	case "pass", "open", "informational", "notApplicable", "review":
	default:
		return invalid("a result's kind is %q", clip(f.kind))
	}
	switch f.baseline {
	case "", "new", "updated", "unchanged":
	case "absent":
		d.out.Counts.Absent++
		return nil
	default:
		return invalid("a result's baselineState is %q", clip(f.baseline))
	}
	f.example.Rule = clip(f.ref.id)
	unchanged, suppressed := f.baseline == "unchanged", f.accepted && !f.refused
	if f.level == "" && !failing {
		f.level = None // 3.27.10
	}
	if f.level != "" {
		d.add(r, f.level, 1, unchanged, suppressed, f.example)
		return nil
	}
	k := openKey{f.ref, f.invocation, unchanged, suppressed}
	o, ok := r.open[k]
	if !ok {
		if len(r.order) >= maxRules {
			return tooManyRules()
		}
		if err := r.hold(k.ref.id, k.ref.guid, k.ref.compName, k.ref.compGUID, f.example.Message, f.example.URI); err != nil {
			return err
		}
		o = &openCount{example: f.example}
		r.open[k], r.order = o, append(r.order, k)
	}
	o.n++
	return nil
}

// hold accounts for texts that are kept to the end of the run.
func (r *run) hold(texts ...string) error {
	for _, s := range texts {
		r.held += len(s)
	}
	if r.held > maxHeld {
		return &defect{ProblemOverLimit, "the rules of a run take over " + strconv.Itoa(maxHeld>>20) + " MiB"}
	}
	return nil
}

// add counts n results of one level.
func (d *reader) add(r *run, l Level, n int, unchanged, suppressed bool, e Example) {
	c := &d.out.Counts
	switch {
	case l == None:
		c.Passing += n
		return
	case suppressed:
		c.Suppressed += n
		return
	case unchanged:
		c.Unchanged += n
		c = &d.out.Baseline
	}
	switch l {
	case Error:
		c.Errors += n
	case Warning:
		c.Warnings += n
	case Note:
		c.Notes += n
	}
	if r.shown[l] < maxExamples && len(d.out.Examples) < 30*maxExamples {
		r.shown[l]++
		e.Level = l
		d.out.Examples = append(d.out.Examples, e)
	}
}

// settle counts the results whose level stands with their rule (3.27.10).
func (d *reader) settle(r *run) error {
	r.index()
	for _, k := range r.order {
		o := r.open[k]
		l := Warning
		if one := r.rule(k.ref); one != nil {
			if one.level != "" {
				l = one.level
			}
			if k.ref.id == "" {
				o.example.Rule = clip(one.id)
			}
			if k.invocation >= 0 && k.invocation < len(r.levels) {
				if over := r.levels[k.invocation][one]; over != "" {
					l = over
				}
			}
		}
		d.add(r, l, o.n, k.unchanged, k.suppressed, o.example)
	}
	return nil
}

// index makes what results find their rules by.
func (r *run) index() {
	r.byName, r.byGUID = map[string]*component{}, map[string]*component{}
	for i := range r.extensions {
		e := &r.extensions[i]
		e.index()
		if r.byName[e.name] == nil {
			r.byName[e.name] = e
		}
		if r.byGUID[e.guid] == nil {
			r.byGUID[e.guid] = e
		}
	}
	r.driver.index()
	for _, list := range r.overrides {
		levels := map[*rule]Level{}
		for _, o := range list {
			if one := r.rule(o.ref); one != nil && o.level != "" {
				levels[one] = o.level
			}
		}
		r.levels = append(r.levels, levels)
	}
}

func (c *component) index() {
	c.byID, c.byGUID = make(map[string]*rule, len(c.rules)), map[string]*rule{}
	for i := range c.rules {
		one := &c.rules[i]
		if c.byID[one.id] == nil {
			c.byID[one.id] = one
		}
		if one.guid != "" && c.byGUID[one.guid] == nil {
			c.byGUID[one.guid] = one
		}
	}
}

// component is the one that a reference names (3.52.4): the driver if it names none, nil if it names one that is not
// there.
func (r *run) component(ref ruleRef) *component {
	switch {
	case ref.component >= 0:
		if ref.component < len(r.extensions) {
			return &r.extensions[ref.component]
		}
		return nil
	case ref.compGUID != "":
		if ref.compGUID == r.driver.guid {
			return &r.driver
		}
		return r.byGUID[ref.compGUID]
	case ref.compName != "":
		if c := r.byName[ref.compName]; c != nil || ref.compName != r.driver.name {
			return c
		}
	}
	return &r.driver
}

// rule finds the rule that a reference names: by index in its component, else by guid or id there (3.52.3). An index
// that names no rule, or one of another id, is as good as none. Where the component is not there, a rule of another
// counts that makes its results errors, and none that would make them less than they are without a rule.
func (r *run) rule(ref ruleRef) *rule {
	if c := r.component(ref); c != nil {
		return c.rule(ref)
	}
	ref.index = -1
	for i := -1; i < len(r.extensions); i++ {
		c := &r.driver
		if i >= 0 {
			c = &r.extensions[i]
		}
		if one := c.rule(ref); one != nil && one.level == Error {
			return one
		}
	}
	return nil
}

func (c *component) rule(ref ruleRef) *rule {
	if ref.index >= 0 && ref.index < len(c.rules) {
		one := &c.rules[ref.index]
		if ref.id == "" || ref.id == one.id || strings.HasPrefix(ref.id, one.id+"/") {
			return one
		}
	}
	if one := c.byGUID[ref.guid]; ref.guid != "" && one != nil {
		return one
	}
	// Sub-rules are written "CA1000/1" (3.5.4), and have the level of the rule that they belong to.
	for id := ref.id; id != ""; id = id[:max(strings.LastIndexByte(id, '/'), 0)] {
		if one := c.byID[id]; one != nil {
			return one
		}
	}
	return nil
}
