package evidence

import "fmt"

const stepSchema = `{
  "type": "object",
  "description": "How a step of the gate's own job ended, as the runner's steps context says.",
  "properties": {
    "id": {"type": "string", "minLength": 1, "maxLength": 100, "pattern": "^[A-Za-z_][A-Za-z0-9_-]*$",
      "description": "The step's id. Its outcome must be success: the outcome is taken before continue-on-error, the conclusion after it."}
  },
  "required": ["id"],
  "additionalProperties": false,
  "examples": [{"id": "smoke"}]
}`

type stepParams struct {
	ID string `json:"id"`
}

type stepFacts struct {
	Given      bool   `json:"given"`               // a steps context was given
	Elsewhere  bool   `json:"elsewhere,omitempty"` // the step belongs to a run that is not the gate's own
	Present    bool   `json:"present"`
	Outcome    string `json:"outcome"`
	Conclusion string `json:"conclusion,omitempty"`
	Near       string `json:"near,omitempty"` // another id that differs by little
}

func stepKind() Kind {
	return Kind{
		Name: "step", Version: "1", Short: "id", Schema: stepSchema, Deterministic: true,
		Doc:     "A step of the gate's own job had the outcome success; skipped, cancelled and absent prove nothing.",
		Observe: observing(observeStep),
		Judge:   judging(judgeStep),
	}
}

func observeStep(p *stepParams, in *Input) stepFacts {
	f := stepFacts{Given: in.HasSteps && !in.Elsewhere, Elsewhere: in.Elsewhere}
	if !f.Given {
		return f
	}
	step, ok := in.Steps[p.ID]
	if !ok {
		f.Near = nearKey(in.Steps, p.ID)
		return f
	}
	f.Present, f.Outcome, f.Conclusion = true, clip(step.Outcome, 64), clip(step.Conclusion, 64)
	return f
}

func judgeStep(p *stepParams, f *stepFacts) Finding {
	switch why := f.unusable(); {
	case why != "":
		return find(Unverified, CodeInputFacts, "%s", why)
	case f.Elsewhere:
		return find(Unverified, CodeStepElsewhere, "step %s is of a run that the gate only reads: GitHub names no step there by its id, and shows no outcome before continue-on-error", p.ID)
	case !f.Given:
		return find(Unverified, CodeInputSteps, "how step %s ended is not known: the steps context was not given", p.ID)
	case !f.Present:
		return find(Unverified, CodeStepAbsent, "no step before the gate has the id %s%s", p.ID, didYouMean(f.Near))
	}
	switch f.Outcome {
	case "success":
		return find(Verified, CodeStepSucceeded, "step %s succeeded", p.ID)
	case "failure":
		return find(ValidatorFailed, CodeStepFailed, "step %s failed%s", p.ID, hidden(f.Conclusion))
	case "skipped":
		return find(Unverified, CodeStepSkipped, "step %s was skipped", p.ID)
	case "cancelled":
		return find(Unverified, CodeStepCancelled, "step %s was cancelled", p.ID)
	case "":
		return find(Unverified, CodeStepNotRun, "step %s has not run", p.ID)
	}
	return find(Unverified, CodeStepUnknownOutcome, "step %s ended with %q, which is no outcome known here", p.ID, f.Outcome)
}

// hidden says that continue-on-error shows a failed step as a success.
func hidden(conclusion string) string {
	if conclusion == "success" {
		return " (continue-on-error shows it as a success)"
	}
	return ""
}

func didYouMean(near string) string {
	if near == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", near)
}
