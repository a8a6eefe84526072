package gate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/collect"
	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/scope"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// run is one judgement under way.
type run struct {
	w      *World
	r      *receipt.Receipt
	event  *Event
	source *Source
	c      *contract.Contract // the one that judges; nil until there is one
	known  bool               // the judging contract's status is settled
}

// Run judges once and returns the completed receipt. What could not be read is in the receipt; an error
// means that the receipt itself could not be made.
func Run(ctx context.Context, w *World) (*receipt.Receipt, error) {
	start := w.Clock().UTC().Truncate(time.Second)
	j := &run{w: w, r: &receipt.Receipt{Gate: receipt.Gate{Version: w.Version}, Now: start, StartedAt: start}}
	j.r.Circumstances = w.Facts.Circumstances
	if j.r.Circumstances.Now.IsZero() {
		j.r.Circumstances.Now = start
	}
	j.r.Now = j.r.Circumstances.Now
	for _, step := range []func(context.Context) error{j.readEvent, j.readContract, j.readScope, j.readReport, j.readEvidence, j.lookAgain} {
		if err := guarded(ctx, step); err != nil {
			j.r.Scope.Look = err.Error()
			break
		}
		if j.known && j.c == nil {
			break
		}
	}
	j.r.FinishedAt = w.Clock().UTC().Truncate(time.Second)
	if err := j.r.Complete(); err != nil {
		return nil, err
	}
	return j.r, nil
}

// guarded turns a panic of a step into an error: the gate could not look, whatever the reason.
func guarded(ctx context.Context, step func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error, please report it: %v", p)
		}
	}()
	return step(ctx)
}

// readEvent is step 1.
func (j *run) readEvent(ctx context.Context) error {
	if j.w.Event == nil {
		return fmt.Errorf("read the event: nothing says what is judged")
	}
	e, err := j.w.Event(ctx)
	if err != nil {
		return fmt.Errorf("read the event: %w", err)
	}
	j.event = e
	j.r.Subject = e.Subject
	j.r.Notes = append(j.r.Notes, e.Notes...)
	s := &j.r.Circumstances.Subject
	s.HeadSHA, s.MergeSHA, s.BaseSHA = e.Subject.HeadSHA, e.Subject.MergeSHA, e.Subject.BaseSHA
	s.RunID, s.RunAttempt = e.Subject.RunID, e.Subject.RunAttempt
	if c := &j.r.Circumstances; c.RunStartedAt.IsZero() {
		c.RunStartedAt = e.RunStartedAt
	}
	if c := &j.r.Circumstances; c.FirstSeen.IsZero() {
		c.FirstSeen = e.FirstSeen
	}
	j.r.Circumstances.ServerNow = e.ServerNow
	j.r.Scope.SharedHead = e.SharedHead
	j.r.Scope.ReportUnheard = e.MergeGroup
	return nil
}

// readScope is step 3: who is judged by it, and what the change touches.
func (j *run) readScope(ctx context.Context) error {
	c, e, s := j.c, j.event, &j.r.Scope
	s.Mode, s.OnClaimConflict, s.WhenNothingExpected = c.Mode, c.OnClaimConflict, c.WhenNothingExpected
	for _, m := range scope.AgentMarks(e.Change) {
		j.r.Agents = append(j.r.Agents, fmt.Sprintf("%s: %s %s (%s)", m.Agent, m.By, m.Value, m.Strength))
	}
	j.r.Contract.AppliesTo = c.AppliesTo != nil
	gated, why := scope.Gated(c, e.Change)
	s.Gating = verdict.Outside
	// A merge group whose members are not all known may hold one that the contract applies to.
	if gated || !e.Pull || e.MergeGroup && e.Change.FilesCut {
		s.Gating = verdict.Gated
	}
	switch {
	case c.AppliesTo == nil: // nothing to say: it is judged like everything else
	case !e.Pull:
		j.r.Notes = append(j.r.Notes, "a commit without a pull request is judged whatever applies_to says")
	default:
		j.r.Notes = append(j.r.Notes, why)
	}
	if s.Contract == verdict.ContractPreview || s.Contract == verdict.ContractApproved {
		j.r.Notes = append(j.r.Notes, "judged by the contract that the change itself holds")
	}
	s.Protection = verdict.Untouched
	if e.OnBranch {
		s.ReportRequired = scope.ReportRequiredOfCommit(c)
		return nil
	}
	s.ReportRequired = scope.ReportRequired(c, e.Change)
	return j.protection(ctx)
}

// protection finds out whether the change touches what it may not without a person's approval.
func (j *run) protection(ctx context.Context) error {
	s := &j.r.Scope
	j.r.Protected = scope.Protected(j.c, j.source.Path, trustedFiles(j.c), j.event.Change)
	if len(j.r.Protected) > 0 {
		s.Protection = verdict.Touched
		if j.r.Contract.ApprovedBy == nil {
			if _, err := j.approvers(ctx, true); err != nil {
				return err
			}
		}
		if len(j.r.Contract.ApprovedBy) > 0 {
			s.Protection = verdict.Approved
		}
	}
	return nil
}

// readEvidence is step 5.
func (j *run) readEvidence(ctx context.Context) error {
	if j.r.Scope.Gating != verdict.Gated {
		return nil
	}
	if j.w.Workspace == nil {
		return fmt.Errorf("look at the workspace: there is none")
	}
	if c := &j.r.Circumstances; c.Boundary.IsZero() && j.w.Boundary != nil {
		c.Boundary, c.BoundarySource = j.w.Boundary(ctx, j.c)
	}
	facts := j.w.Facts
	facts.Circumstances = j.r.Circumstances
	facts.Makers, facts.HasMakers = scope.Makers(j.event.Change)
	wanted := j.selected()
	facts.NoWait = func(id string) bool {
		o := wanted.Outcome(id)
		shared := slices.ContainsFunc(wanted.Outcomes, func(x contract.Outcome) bool { return x.Artifact != nil && x.Artifact.Of == id })
		return o != nil && !shared && (!scope.Expected(o, j.event.Change) || scope.Waived(o, j.r.Circumstances.Date()))
	}
	seen := collect.Observe(ctx, j.w.Workspace, wanted, facts)
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("look at the workspace: %w", err)
	}
	for i := range wanted.Outcomes {
		rule := &wanted.Outcomes[i]
		o := receipt.Outcome{Rule: *rule, Expected: scope.Expected(rule, j.event.Change), Waived: scope.Waived(rule, j.r.Circumstances.Date()), RepairUsed: j.event.RepairUsed[rule.ID]}
		if i < len(seen) {
			o.Facts = seen[i]
			receipt.Condense(&o.Facts, contract.ArtifactOf(wanted.Outcomes, rule), rule.Trust, &j.r.Circumstances)
			for _, v := range o.Facts.Validators {
				o.Validators = append(o.Validators, receipt.Validator{Kind: v.Kind, Version: v.Version, Facts: v.Facts, Reads: v.Reads, ObservedAt: v.ObservedAt})
			}
			o.Facts.Validators = nil
		}
		j.r.Outcomes = append(j.r.Outcomes, o)
	}
	return nil
}

// selected is the contract with only the outcomes that were asked for and that the change makes expected,
// and those whose artifact they share.
func (j *run) selected() *contract.Contract {
	if len(j.w.Only) == 0 {
		return j.c
	}
	some := *j.c
	some.Outcomes = nil
	keep := map[string]bool{}
	for _, o := range j.c.Outcomes {
		if !slices.Contains(j.w.Only, o.ID) {
			continue
		}
		keep[o.ID] = true
		for a := o.Artifact; a != nil && a.Of != "" && !keep[a.Of]; {
			keep[a.Of] = true
			a = outcomeArtifact(j.c, a.Of)
		}
	}
	for _, o := range j.c.Outcomes {
		if keep[o.ID] {
			some.Outcomes = append(some.Outcomes, o)
		}
	}
	j.r.Scope.Partial = len(some.Outcomes) < len(j.c.Outcomes)
	return &some
}

// lookAgain reads the head once more: evidence for another commit proves nothing about this one.
func (j *run) lookAgain(ctx context.Context) error {
	if j.w.Again != nil {
		now, err := j.w.Again(ctx)
		if err != nil {
			return fmt.Errorf("read the pull request again: %w", err)
		}
		j.moved(now.Head)
		j.r.Scope.SharedHead = j.r.Scope.SharedHead || now.Shared
		if now.BaseRef != j.event.Subject.BaseRef {
			j.r.Scope.BaseNotTrusted = true
			j.r.Notes = append(j.r.Notes, "the pull request's base branch changed while the gate looked")
		}
		return nil
	}
	if j.w.Head == nil {
		return nil
	}
	head, err := j.w.Head(ctx)
	if err != nil {
		return fmt.Errorf("read the head commit again: %w", err)
	}
	j.moved(head)
	return nil
}

func (j *run) moved(head string) {
	moved := head != j.event.Subject.HeadSHA
	j.r.Scope.HeadMoved, j.r.Circumstances.HeadMoved = moved, moved
}
