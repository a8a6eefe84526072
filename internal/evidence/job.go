package evidence

import "slices"

const jobSchema = `{
  "type": "object",
  "description": "How another job of this workflow run ended.",
  "properties": {
    "id": {"type": "string", "minLength": 1, "maxLength": 100, "pattern": "^[A-Za-z_][A-Za-z0-9_-]*$",
      "description": "The job's id, a job that the gate's own job needs. Only success counts."}
  },
  "required": ["id"],
  "additionalProperties": false,
  "examples": [{"id": "build"}]
}`

type jobParams struct {
	ID string `json:"id"`
}

type jobFacts struct {
	Given   bool   `json:"given"` // a needs context or the API's jobs were given
	Own     bool   `json:"own"`
	Present bool   `json:"present"`
	Result  string `json:"result"`
	Source  string `json:"source,omitempty"` // "needs" or "api"
	Near    string `json:"near,omitempty"`
}

func jobKind() Kind {
	return Kind{
		Name: "job", Version: "1", Short: "id", Schema: jobSchema, Deterministic: true,
		Doc:     "Another job of this run ended with success; skipped, cancelled and absent prove nothing.",
		Observe: observing(observeJob),
		Judge:   judging(judgeJob),
	}
}

func observeJob(p *jobParams, in *Input) jobFacts {
	f := jobFacts{Given: in.HasJobs, Own: slices.Contains(in.OwnChecks, p.ID)}
	if !in.HasJobs || f.Own {
		return f
	}
	job, ok := in.Jobs[p.ID]
	if !ok {
		f.Near = nearKey(in.Jobs, p.ID)
		return f
	}
	f.Present, f.Result, f.Source = true, clip(job.Result, 64), clip(job.Source, 16)
	return f
}

func judgeJob(p *jobParams, f *jobFacts) Finding {
	switch why := f.unusable(); {
	case why != "":
		return find(Unverified, CodeInputFacts, "%s", why)
	case f.Own:
		return find(Unverified, CodeContractSelfWait, "%s is the gate's own job: it cannot wait for itself", p.ID)
	case !f.Given:
		return find(Unverified, CodeInputNeeds, "how job %s ended is not known: the needs context was not given", p.ID)
	case !f.Present:
		return find(Unverified, CodeJobAbsent, "no job %s is among those that the gate's job needs, or of the run that makes the evidence%s", p.ID, didYouMean(f.Near))
	}
	switch f.Result {
	case "success":
		return find(Verified, CodeJobSucceeded, "job %s succeeded", p.ID)
	case "failure":
		return find(ValidatorFailed, CodeJobFailed, "job %s failed", p.ID)
	case "skipped":
		return find(Unverified, CodeJobSkipped, "job %s was skipped", p.ID)
	case "cancelled":
		return find(Unverified, CodeJobCancelled, "job %s was cancelled", p.ID)
	}
	return find(Unverified, CodeJobNoAnswer, "job %s ended with %q, which answers nothing", p.ID, f.Result)
}
