package doctor

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/contract"
)

// apart says whether the gate judges what another workflow's run made.
func (s *site) apart() bool {
	_, after := s.on("workflow_run")
	return after != nil || s.evidence() != ""
}

// evidence is the path of the workflow whose runs make the evidence, as the gate's step is told.
func (s *site) evidence() string { return s.input("evidence-workflow").str() }

// checkApart looks at the layout in which the gate runs apart from the change's jobs.
func (c *checker) checkApart(s *site) {
	if !s.apart() {
		return
	}
	file, at := s.j.w.path, s.at
	for _, name := range []string{"steps", "needs", "report-file"} {
		if v := s.input(name); v != nil && v.str() != "" {
			c.add(CodeEvidence, file, v.at, "`%s` is of the gate's own job, in which nothing of the change runs: the gate refuses it", name)
		}
	}
	if s.evidence() == "" {
		c.add(CodeEvidence, file, at, "the gate runs on `workflow_run` and its step has no `evidence-workflow`")
		return
	}
	at = s.input("evidence-workflow").at
	i := slices.IndexFunc(c.workflows, func(w *workflow) bool { return w.path == s.evidence() })
	if i < 0 {
		c.add(CodeEvidence, file, at, "there is no workflow %s", clip(s.evidence()))
		return
	}
	w := c.workflows[i]
	if _, after := s.on("workflow_run"); after == nil || !startedBy(after, w) {
		c.add(CodeEvidence, file, at, "no run of %s starts the gate: `workflow_run` does not name %s", clip(w.path), clip(w.name))
	}
	if w.on("pull_request") == nil {
		c.add(CodeEvidence, w.path, place{}, "the evidence's workflow does not run on `pull_request`, and its other runs are not judged")
	}
	c.checkEvidenceToken(w)
	c.checkApartContract(w)
}

// startedBy says whether an event of workflow_run names a workflow.
func startedBy(after *event, w *workflow) bool {
	before := after.body.get("workflows")
	return before.str() == w.name || before != nil && slices.ContainsFunc(before.items, func(v *value) bool { return v.str() == w.name })
}

// checkEvidenceToken looks at what the token may do in the jobs that run the change's code.
func (c *checker) checkEvidenceToken(w *workflow) {
	for _, j := range w.jobs {
		given := j.body.member("permissions")
		if given == nil {
			given = w.root.member("permissions")
		}
		if given == nil {
			c.add(CodeEvidenceWrites, w.path, j.at, "job %s names no permissions, so a setting of the repository decides what the change's code may do", clip(j.id))
			continue
		}
		writes := given.value.str() == "write-all"
		for _, m := range given.value.members {
			writes = writes || m.value.str() == "write"
		}
		if writes {
			c.add(CodeEvidenceWrites, w.path, given.at, "job %s runs the change's code with a token that writes", clip(j.id))
		}
	}
}

// checkApartContract holds the contract to what there is of a run that the gate only reads: uploads and jobs.
func (c *checker) checkApartContract(w *workflow) {
	if c.Contract == nil {
		return
	}
	for i := range c.Contract.Outcomes {
		o := &c.Contract.Outcomes[i]
		if a := o.Artifact; a != nil {
			if len(a.Files) > 0 && a.Upload == "" && a.Committed != "changed" {
				c.notUploaded(o.Pos, "outcome %s names files of the gate's workspace, in which nothing is the change's", o.ID)
			}
			if a.MadeBy != "" {
				c.checkJobName(w, o.Pos, o.ID, a.MadeBy)
			}
		}
		for _, v := range o.Validators {
			var p struct {
				ID string `json:"id"`
			}
			switch {
			case v.Kind == "step":
				c.notUploaded(v.Pos, "outcome %s is judged by a step, and GitHub names no step of another run by its id", o.ID)
			case v.Kind == "exit_code":
				c.notUploaded(v.Pos, "outcome %s is judged by a recorded exit status in the gate's workspace", o.ID)
			case v.Kind == "job" && json.Unmarshal(v.Params, &p) == nil && p.ID != "":
				c.checkJobName(w, v.Pos, o.ID, p.ID)
			}
		}
	}
}

func (c *checker) notUploaded(at contract.Pos, format, outcome string) {
	c.add(CodeNotUploaded, c.ContractPath, place{at.Line, at.Col}, format, clip(outcome))
}

// checkJobName looks for a job by the name that GitHub shows it under. One whose name is made by an expression may be it.
func (c *checker) checkJobName(w *workflow, at contract.Pos, outcome, name string) {
	if !slices.ContainsFunc(w.jobs, func(j *job) bool { return j.name() == name || strings.Contains(j.name(), "${{") }) {
		c.add(CodeUnknownStep, c.ContractPath, place{at.Line, at.Col}, "outcome %s names job %s, and no job of %s has that name", clip(outcome), clip(name), clip(w.path))
	}
}
