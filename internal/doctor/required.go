package doctor

import (
	"slices"
	"strings"
)

// The names of the gate's surfaces besides its job.
const (
	statusName   = "outcome-gate/verdict"
	checkRunName = "Outcome Gate" // unless the input check-name says otherwise
)

// checkService holds what GitHub says against the workflows.
func (c *checker) checkService() {
	if c.Service == nil {
		return
	}
	if len(c.sites) > 0 {
		c.checkRequired()
	}
	if c.Service.CodeOwners == No {
		c.add(CodeOwnersNotAsked, "", place{}, "no rule of branch %s asks for the approval of code owners", clip(c.Service.Branch))
	}
	if s := c.Service.Settings; s != nil {
		if s.Writes {
			c.add(CodeTokenWrites, "", place{}, "the default of workflows' tokens is to write")
		}
		if s.Approves {
			c.add(CodeApproves, "", place{}, "workflows may approve pull requests")
		}
	}
}

// surfaces is what of the gate is required.
type surfaces struct {
	job, status, checkRun *RequiredCheck
	workflow              bool // a ruleset requires the gate's workflow file itself
	unknown               bool // a job's name holds an expression, so that its check is not known by name
}

// required compares by whole names; a check whose name is made by an expression is never taken for required.
func (c *checker) required() surfaces {
	var out surfaces
	find := func(name string) *RequiredCheck {
		i := slices.IndexFunc(c.Service.Checks, func(r RequiredCheck) bool { return r.Context == name })
		if i < 0 {
			return nil
		}
		return &c.Service.Checks[i]
	}
	out.status = find(statusName)
	for _, s := range c.sites {
		names, whole := s.names()
		out.unknown = out.unknown || !whole
		for _, name := range names {
			if r := find(name); r != nil {
				out.job = r
			}
		}
		name := s.input("check-name").str()
		if name == "" {
			name = checkRunName
		}
		if r := find(name); r != nil && !slices.Contains(names, name) {
			out.checkRun = r
		}
		for _, w := range s.started() {
			out.workflow = out.workflow || slices.Contains(c.Service.Workflows, w.path)
		}
	}
	return out
}

// checkRequired looks at whether what is required carries the verdict.
func (c *checker) checkRequired() {
	r := c.required()
	branch := clip(c.Service.Branch)
	if r.checkRun != nil {
		c.add(CodeSurface, "", place{}, "branch %s requires the check run %s, which any workflow with `checks: write` can post", branch, clip(r.checkRun.Context))
	}
	for _, s := range c.sites {
		c.checkSurfaces(s, r, branch)
	}
	if r.job == nil && r.status == nil && r.checkRun == nil && !r.workflow {
		why := ""
		if r.unknown {
			why = "; what the gate's job is called is made by an expression or a matrix, so its check is not known by name"
		}
		c.add(CodeNotRequired, "", place{}, "branch %s requires neither the gate's job nor `%s`%s", branch, statusName, why)
	}
	for _, k := range []*RequiredCheck{r.job, r.status} {
		if k != nil && k.App == 0 {
			c.add(CodeNotPinnedToApp, "", place{}, "branch %s takes %s from any source", branch, clip(k.Context))
		}
	}
}

// checkSurfaces holds what is required against how one site says its verdict.
func (c *checker) checkSurfaces(s *site, r surfaces, branch string) {
	file := s.j.w.path
	_, inChange := s.on("pull_request", "pull_request_target", "merge_group")
	if s.apart() {
		inChange = nil // its job is one of the default branch, or comes before the evidence
	}
	off := s.input("status").str() == "off"
	observes := c.Contract != nil && string(c.Contract.Mode) == "observe"
	if r.status != nil && (off || observes) {
		why := "`status: off`"
		if !off {
			why = "`mode: observe`"
		}
		c.add(CodeSurface, file, s.at, "branch %s requires `%s`, which is never set with %s", branch, statusName, why)
	}
	if r.job == nil || r.status != nil {
		return
	}
	switch wait := s.input("wait-exit-zero"); {
	case inChange == nil:
		c.add(CodeSurface, file, s.at, "branch %s requires the job %s, which does not run on the pull request's commit", branch, clip(r.job.Context))
	case wait != nil && wait.str() != "" && !strings.EqualFold(wait.str(), "false"):
		c.add(CodeSurface, file, wait.at, "branch %s requires the job, which is green while the verdict waits (`wait-exit-zero`)", branch)
	case c.waits():
		c.add(CodeWaitsNeedStatus, file, s.at, "branch %s requires the job alone, and the contract waits for a person or an environment", branch)
	}
}

// waits says whether the contract waits for what comes after the job.
func (c *checker) waits() bool {
	if c.Contract == nil {
		return false
	}
	for i := range c.Contract.Outcomes {
		if c.Contract.Outcomes[i].WaitsFor != nil {
			return true
		}
	}
	return false
}
