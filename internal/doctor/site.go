package doctor

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/contract"
)

// checkSite looks at one step of the gate and what is around it.
func (c *checker) checkSite(s *site) {
	c.checkEvents(s)
	c.checkSkips(s)
	c.checkConcurrency(s)
	c.checkPermissions(s)
	c.checkSteps(s)
	c.checkApart(s)
	c.checkReceipt(s)
	c.checkName(s)
}

// checkEvents looks at what starts the gate.
func (c *checker) checkEvents(s *site) {
	if _, e := s.on("pull_request", "pull_request_target", "workflow_run"); e == nil {
		c.add(CodeEvent, s.j.w.path, s.at, "nothing starts this workflow for a pull request")
		return
	}
	for _, w := range s.started() {
		for _, name := range []string{"pull_request", "pull_request_target", "merge_group"} {
			e := w.on(name)
			if e == nil {
				continue
			}
			for _, filter := range []string{"paths", "paths-ignore"} {
				if m := e.body.member(filter); m != nil {
					c.add(CodePathFilter, w.path, m.at, "`%s` of `%s`: the gate does not run for other changes", filter, name)
				}
			}
		}
	}
	if c.onMergeGroup(s) {
		return
	}
	w, e := s.on("pull_request", "pull_request_target", "workflow_run")
	switch {
	case c.Service == nil:
		c.add(CodeMergeAdvised, w.path, e.at, "`merge_group` is not among the events; whether there is a merge queue is not known")
	case c.Service.MergeQueue:
		c.add(CodeMergeGroup, w.path, e.at, "`merge_group` is not among the events, and branch %s has a merge queue", clip(c.Service.Branch))
	}
}

// onMergeGroup says whether the gate runs for merge groups, itself or behind a workflow that does.
func (c *checker) onMergeGroup(s *site) bool {
	if _, e := s.on("merge_group"); e != nil {
		return true
	}
	_, after := s.on("workflow_run")
	if after == nil {
		return false
	}
	return slices.ContainsFunc(c.workflows, func(w *workflow) bool { return startedBy(after, w) && w.on("merge_group") != nil })
}

// checkSkips looks at what keeps the gate from deciding.
func (c *checker) checkSkips(s *site) {
	file := s.j.w.path
	if m := s.body.member("if"); m != nil && !always(m.value) {
		c.add(CodeStepSkipped, file, m.at, "`if: %s` is not `always()`", clip(m.value.str()))
	} else if m == nil && s.index > 0 {
		c.add(CodeStepSkipped, file, s.at, "the step has no `if:`, so it is skipped when a step before it failed")
	}
	for _, j := range append([]*job{s.j}, s.callers...) {
		m := j.body.member("if")
		needs := j.body.member("needs")
		switch {
		case m != nil && !always(m.value):
			c.add(CodeJobSkipped, j.w.path, m.at, "job %s: `if: %s` is not `always()`", clip(j.id), clip(m.value.str()))
		case m == nil && needs != nil:
			c.add(CodeJobSkipped, j.w.path, needs.at, "job %s is skipped when a job that it needs did not succeed", clip(j.id))
		}
		c.checkContinue(j.w.path, j.body)
	}
	c.checkContinue(file, s.body)
}

func (c *checker) checkContinue(file string, body *value) {
	if m := body.member("continue-on-error"); m != nil && m.value.str() != "false" {
		c.add(CodeContinue, file, m.at, "`continue-on-error: %s`", clip(m.value.str()))
	}
}

// checkConcurrency looks at the groups that the gate's run and job are in.
func (c *checker) checkConcurrency(s *site) {
	look := func(file string, body *value) {
		if m := body.get("concurrency").member("cancel-in-progress"); m != nil && m.value.str() != "false" {
			c.add(CodeCancel, file, m.at, "`cancel-in-progress: %s`", clip(m.value.str()))
		}
	}
	for _, w := range s.started() {
		look(w.path, w.root)
	}
	for _, j := range append([]*job{s.j}, s.callers...) {
		look(j.w.path, j.body)
	}
}

// permission is one scope that the gate needs, and the input that switches off what needs it.
type permission struct{ scope, level, input string }

func permissions() []permission {
	return []permission{
		{"contents", "read", ""}, {"actions", "read", ""},
		{"checks", "write", "check-run"}, {"statuses", "write", "status"}, {"pull-requests", "write", "comment"},
	}
}

// checkPermissions looks at what the token of the gate's job may do. A job's own permissions replace the workflow's.
func (c *checker) checkPermissions(s *site) {
	file := s.j.w.path
	given := s.j.body.member("permissions")
	if given == nil {
		given = s.j.w.root.member("permissions")
	}
	if given == nil {
		c.add(CodePermissions, file, s.j.at, "no permissions are named, so a setting of the repository decides what the gate may do")
		return
	}
	word := given.value.str()
	if word == "write-all" {
		c.add(CodeTooMany, file, given.at, "`permissions: write-all`")
		return
	}
	var missing []string
	for _, p := range permissions() {
		if p.input != "" && s.input(p.input).str() == "off" {
			continue
		}
		has := given.value.get(p.scope).str()
		if word == "read-all" {
			has = "read"
		}
		if has != "write" && has != p.level {
			missing = append(missing, p.scope+": "+p.level)
		}
	}
	if len(missing) > 0 {
		c.add(CodePermissions, file, given.at, "the gate's job lacks `%s`", strings.Join(missing, "`, `"))
	}
	for _, m := range given.value.members {
		needed := slices.ContainsFunc(permissions(), func(p permission) bool { return p.scope == m.name && p.level == "write" })
		if m.value.str() == "write" && !needed {
			c.add(CodeTooMany, file, m.at, "`%s: write` is not needed by the gate", clip(m.name))
		}
	}
}

// named is a step or job that the contract names.
type named struct {
	id      string
	at      contract.Pos
	jobToo  bool // a job of that id serves as well
	outcome string
}

// namedSteps lists the steps that a contract names, in order.
func namedSteps(k *contract.Contract) []named {
	var out []named
	for i := range k.Outcomes {
		o := &k.Outcomes[i]
		if o.Artifact != nil && o.Artifact.MadeBy != "" {
			out = append(out, named{o.Artifact.MadeBy, o.Pos, true, o.ID})
		}
		for _, v := range o.Validators {
			var p struct {
				ID string `json:"id"`
			}
			if v.Kind == "step" && json.Unmarshal(v.Params, &p) == nil && p.ID != "" {
				out = append(out, named{p.ID, v.Pos, false, o.ID})
			}
		}
	}
	return out
}

// checkSteps holds what the contract names against the steps of the gate's job. Where the gate judges what another
// workflow did, the steps are that one's.
func (c *checker) checkSteps(s *site) {
	if s.apart() || c.Contract == nil {
		return
	}
	ids, jobs := map[string]bool{}, map[string]bool{}
	for _, other := range s.j.steps {
		if other.index < s.index {
			ids[other.body.get("id").str()] = true
		}
	}
	for _, w := range s.started() {
		for _, j := range w.jobs {
			jobs[j.id] = true
		}
	}
	needsSteps := ""
	for _, n := range namedSteps(c.Contract) {
		switch {
		case ids[n.id]:
			needsSteps = n.id
		case n.jobToo && jobs[n.id]:
		default:
			c.add(CodeUnknownStep, c.ContractPath, place{n.at.Line, n.at.Col}, "outcome %s names step %s, which job %s of %s does not have before the gate",
				clip(n.outcome), clip(n.id), clip(s.j.id), s.j.w.path)
		}
	}
	if needsSteps != "" && !strings.Contains(s.input("steps").str(), "steps") {
		c.add(CodeSteps, s.j.w.path, s.at, "the contract names step %s, and the input `steps` is not given", clip(needsSteps))
	}
}

// checkReceipt looks for a step behind the gate that keeps the receipt whatever the verdict was.
func (c *checker) checkReceipt(s *site) {
	kept := slices.ContainsFunc(s.j.steps, func(other *step) bool {
		from := other.input("path").str()
		when := condition(other.body.get("if"))
		kept := always(other.body.get("if")) || when == "!cancelled()" || strings.HasPrefix(when, "always()&&steps.") && strings.HasSuffix(when, ".outputs.receipt-path!=''")
		return other.index > s.index && other.action() == "actions/upload-artifact" && kept &&
			(strings.Contains(from, "receipt") || strings.Contains(from, "runner.temp"))
	})
	if !kept {
		c.add(CodeNoReceipt, s.j.w.path, s.at, "no step behind the gate uploads the receipt with `if: always()`")
	}
}

// checkName looks for other jobs with the name of the gate's.
func (c *checker) checkName(s *site) {
	names, _ := s.names()
	for _, w := range c.workflows {
		for _, j := range w.jobs {
			if j != s.j && len(s.callers) == 0 && slices.Contains(names, j.name()) && w.on(changeEvents()...) != nil && !c.hasSite(j) {
				c.add(CodeNameTwice, w.path, j.at, "this job's check is named %s, like that of the gate's job in %s", clip(j.name()), s.j.w.path)
			}
		}
	}
}

func (c *checker) hasSite(j *job) bool {
	return slices.ContainsFunc(c.sites, func(s *site) bool { return s.j == j })
}
