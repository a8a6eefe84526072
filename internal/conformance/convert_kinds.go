package conformance

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

// laterFormats says which step of the plan brings a result format that the hints name.
const laterFormats = "more result formats are step 3"

// laterUploads says which step of the plan brings artifacts that have a window.
const laterUploads = "uploads are step 2"

// formatName is the product's name of a result format that a hint names.
func formatName(hint string) (string, error) {
	for _, f := range testresult.Formats() {
		if f.Name == hint {
			return hint, nil
		}
	}
	return "", &NotExpressible{What: fmt.Sprintf("result format %q: %s", hint, laterFormats)}
}

// source are the conditions that every artifact may have.
func (c *conversion) source(h *Hint, files []string) block {
	out := block{"files": files}
	if h.Producer != "" {
		out["made_by"] = h.Producer
	}
	if h.Fresh != nil && !*h.Fresh {
		out["fresh"] = "none"
	}
	if h.Tracked {
		out["committed"] = "yes"
	}
	return out
}

// window leaves out how long an artifact may be waited for: files of the gate's own job have no window, since the
// gate runs after their producer; only what another job uploads has one. That makes no difference where the file
// is there or the window is over.
func (c *conversion) window(h *Hint) error {
	if h.WaitMinutes == nil {
		return nil
	}
	from := c.s.started()
	if step := c.s.Run.Steps[h.Producer]; step != nil && step.FinishedAt != nil {
		from = c.s.at(*step.FinishedAt)
	}
	_, there := c.s.Files.Files[h.ArtifactPath]
	if !there && c.s.Now().Before(from.Add(time.Duration(*h.WaitMinutes)*time.Minute)) {
		return &NotExpressible{What: fmt.Sprintf("%s: an open window for an artifact: %s", h.ID, laterUploads)}
	}
	c.note("%s: wait_minutes is left out: the file is there, or its window is over", h.ID)
	return nil
}

func (c *conversion) tests(h *Hint) (block, error) {
	artifact := c.source(h, h.Files)
	params := block{}
	if h.Format != "" {
		name, err := formatName(h.Format)
		if err != nil {
			return nil, err
		}
		params["format"] = name
	}
	if h.MinExecuted != nil {
		params["min_executed"] = *h.MinExecuted
	}
	if h.MaxSkipped != nil {
		params["max_skipped"] = *h.MaxSkipped
	}
	if len(h.MustInclude) > 0 {
		params["must_pass"] = []string(h.MustInclude)
	}
	if h.AllowCached {
		params["allow_cached"] = true
	}
	if h.AllowFlaky != nil && !*h.AllowFlaky {
		params["max_flaky"] = 0
	}
	if h.NoNewFailures {
		if len(h.BaseResults) == 0 {
			return nil, &NotExpressible{What: h.ID + ": no_new_failures without base_results"}
		}
		// The step is red because of the known failures: that it may be is what any_exit says.
		params["baseline"] = block{"files": []string(h.BaseResults), "trust": "run"}
		params["new_failures_only"] = true
		artifact["any_exit"] = true
	}
	if b := h.BindCommit; b != nil {
		equals, err := binding(b.Equals)
		if err != nil {
			return nil, err
		}
		artifact["identity"] = block{"property": b.Property, "equals": equals}
	}
	return block{"artifact": artifact, "validators": []block{{"tests": params}}}, nil
}

// binding finds the names of a run that a phrase like "head_sha or merge_sha of this run" mentions; a full commit
// name stands for itself.
func binding(phrase string) (any, error) {
	if regexp.MustCompile(`^[0-9a-f]{40}$`).MatchString(phrase) {
		return block{"text": phrase}, nil
	}
	var names []string
	for _, word := range regexp.MustCompile(`[a-z0-9_]+`).FindAllString(phrase, -1) {
		if slices.Contains(evidence.IdentityNames(), word) {
			names = append(names, word)
		}
	}
	switch {
	case len(names) == 0:
		return nil, &NotExpressible{What: fmt.Sprintf("a binding to %q", phrase)}
	case slices.Contains(names, "head_sha") && slices.Contains(names, "merge_sha"):
		return "commit", nil
	}
	return names, nil
}

func (c *conversion) artifact(h *Hint) (block, error) {
	if h.ArtifactPath == "" {
		return nil, &NotExpressible{What: h.ID + ": an artifact without a path"}
	}
	if err := c.window(h); err != nil {
		return nil, err
	}
	out := c.source(h, []string{literalGlob(h.ArtifactPath)})
	if h.SHA256 != nil {
		out["sha256"] = *h.SHA256
	}
	if h.MinBytes != nil && *h.MinBytes > 0 {
		out["min_bytes"] = *h.MinBytes
	}
	if h.AllowSymlink != "" {
		out["symlinks"] = string(h.AllowSymlink)
	}
	if len(h.Provenance) > 0 {
		rules, err := provenance(h)
		if err != nil {
			return nil, err
		}
		out["identity"] = rules
	}
	return block{"artifact": out}, nil
}

// provenance makes one identity rule of every member that the file beside the artifact must name. A run on a
// pull request checks out the merge commit, so that head_sha there means either commit of the run.
func provenance(h *Hint) ([]block, error) {
	file := h.Provenance["file"]
	var rules []block
	for name, phrase := range h.Provenance {
		if name == "file" {
			continue
		}
		if phrase == "head_sha" {
			phrase = "commit"
		}
		equals, err := binding(phrase)
		if err != nil {
			return nil, err
		}
		rule := block{"pointer": "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name), "equals": equals}
		if file != "" {
			rule["file"] = file
		}
		rules = append(rules, rule)
	}
	slices.SortFunc(rules, func(a, b block) int { return strings.Compare(fmt.Sprint(a["pointer"]), fmt.Sprint(b["pointer"])) })
	return rules, nil
}

// literalGlob makes a glob of a path. A star can only be meant as one; other signs of the glob language are the
// path's own and are put into a class of one character.
func literalGlob(p string) string {
	return regexp.MustCompile(`[?\[{]`).ReplaceAllString(p, `[$0]`)
}

// validator is a step of this job, or a job, that must have succeeded. Where the situation tells the command's exit
// status, the contract judges the record of it, which says more than the step's outcome: a command that could not
// run or was killed came to no answer. Bound to the delivered bytes, it needs a
// record of what the command saw: a step's outcome knows no digests.
func (c *conversion) validator(h *Hint) (block, error) {
	if h.ExpectExit != nil && *h.ExpectExit != 0 {
		return nil, &NotExpressible{What: fmt.Sprintf("%s: a validator that must exit with %d", h.ID, *h.ExpectExit)}
	}
	step := h.Step
	if step == "" {
		step = h.Producer
	}
	if step == "" {
		return nil, &NotExpressible{What: h.ID + ": a validator without a step"}
	}
	check := block{c.stepOrJob(step): step}
	if record := c.s.recordPath(step); record != "" {
		check = block{"exit_code": record}
	}
	out := block{"validators": []block{check}}
	if h.BindSubject {
		out["validators"] = []block{{c.stepOrJob(step): step}, {"exit_code": block{"file": path.Join(".gate", step+".json"), "same_artifact": true}}}
		out["artifact"] = c.shared([]string{literalGlob(h.Subject)}, func(o *Hint) bool { return o.Kind == "artifact" && o.ArtifactPath == h.Subject })
	}
	return out, nil
}

// stepOrJob says what a name is: a step, unless only the needed jobs know it.
func (c *conversion) stepOrJob(name string) string {
	if _, ok := c.s.Run.Steps[name]; ok {
		return "step"
	}
	if _, ok := c.s.Run.Needs[name]; ok {
		return "job"
	}
	return "step"
}

// shared is the artifact of the outcome that fits, or files of its own.
func (c *conversion) shared(files []string, fits func(*Hint) bool) block {
	for i := range c.intent.Outcomes {
		if fits(&c.intent.Outcomes[i]) {
			return block{"of": c.intent.Outcomes[i].ID}
		}
	}
	return block{"files": files}
}

func (c *conversion) failToPass(h *Hint) (block, error) {
	params := block{"before": block{"files": []string(h.BaseResults), "trust": "run"}}
	if len(h.Tests) > 0 {
		params["tests"] = []string(h.Tests)
	}
	switch h.BaseFailureKind {
	case "", "assertion":
	case "any", "error":
		params["count_errors"] = true
	default:
		return nil, &NotExpressible{What: h.ID + ": base_failure_kind " + h.BaseFailureKind}
	}
	if h.Producer != "" {
		c.note("%s: %s makes the base results and is meant to fail; nothing is asked of its end", h.ID, h.Producer)
	}
	artifact := c.shared(h.HeadResults, func(o *Hint) bool { return o.Kind == "tests" && slices.Equal(o.Files, h.HeadResults) })
	return block{"artifact": artifact, "validators": []block{{"fail_to_pass": params}}}, nil
}

func (c *conversion) approval(h *Hint) (block, error) {
	wait := block{}
	switch {
	case h.Environment != "":
		wait["environment"] = h.Environment
	default:
		people := block{}
		if len(h.From) > 0 {
			people["from"] = []string(h.From)
		}
		if h.Count > 0 {
			people["count"] = h.Count
		}
		wait["approval"] = people
	}
	out := block{"waits_for": wait}
	if h.WaitMinutes != nil {
		out["deadline"] = fmt.Sprintf("%dm", *h.WaitMinutes)
	}
	return out, nil
}

// maxWindow is the language's longest window of a check, in minutes.
const maxWindow = 10

func (c *conversion) check(h *Hint) (block, error) {
	if h.Check == "" {
		return nil, &NotExpressible{What: h.ID + ": a check without a name"}
	}
	params := block{"name": h.Check}
	if h.App != "" {
		params["app"] = h.App
	}
	out := block{"validators": []block{{"check": params}}}
	if h.WaitMinutes != nil && *h.WaitMinutes > 0 {
		out["observe_for"] = fmt.Sprintf("%dm", min(*h.WaitMinutes, maxWindow))
	}
	return out, nil
}

// reportSchema asks for members besides those that every report has.
func reportSchema(required []string) ([]byte, error) {
	text, err := json.Marshal(block{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": required,
		"properties": block{
			"outcome":  block{"enum": []string{"succeeded", "failed", "blocked"}},
			"evidence": block{"type": "array", "items": block{"type": "string"}},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("write report schema: %w", err)
	}
	return text, nil
}
