package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/collect"
	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/report"
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
		if err := step(ctx); err != nil {
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
	s := &j.r.Circumstances.Subject
	s.HeadSHA, s.MergeSHA, s.BaseSHA = e.Subject.HeadSHA, e.Subject.MergeSHA, e.Subject.BaseSHA
	s.RunID, s.RunAttempt = e.Subject.RunID, e.Subject.RunAttempt
	j.r.Scope.SharedHead = e.SharedHead
	j.r.Scope.ReportUnheard = e.MergeGroup
	return nil
}

// readContract is step 2: the contract of the trusted branch, or after a person's approval the change's own.
func (j *run) readContract(ctx context.Context) error {
	if j.w.Contract == nil {
		return fmt.Errorf("read the contract: nothing says where it is")
	}
	src, err := j.w.Contract(ctx)
	if err != nil {
		return fmt.Errorf("read the contract: %w", err)
	}
	j.source = src
	j.r.Contract = receipt.Contract{Path: src.Path, Branch: src.Branch, Commit: src.Commit}
	if len(src.Found) > 1 {
		_, j.r.Problems = contract.Choose(src.Found)
		j.settle(verdict.ContractBroken, nil)
		return nil
	}
	if src.Link {
		j.r.Problems = []contract.Problem{{File: src.Path, Line: 1, Col: 1, Code: contract.CodeSymlink, Message: "the contract is a symbolic link", Hint: "Put the file itself in its place."}}
		j.settle(verdict.ContractBroken, nil)
		return nil
	}
	proposed, touched, err := j.proposal(ctx)
	if err != nil {
		return err
	}
	approvers, err := j.approvers(ctx, touched)
	if err != nil {
		return err
	}
	switch {
	case len(src.Found) == 0 && proposed == nil:
		j.settle(verdict.ContractAbsent, nil)
	case len(src.Found) == 0:
		j.useProposal(proposed, approvers, verdict.ContractPreview)
	case touched && len(approvers) > 0 && proposed != nil:
		j.useProposal(proposed, approvers, verdict.ContractApproved)
		j.weakenings(src.Data, proposed)
	default:
		j.r.Contract.SHA256 = sum(src.Data)
		j.settle(j.parse(src.Path, src.Data, verdict.ContractOK))
		if touched {
			j.weakenings(src.Data, proposed)
		}
	}
	return nil
}

// proposal reads the change's own version of the contract, if the change touches it.
func (j *run) proposal(ctx context.Context) (data []byte, touched bool, err error) {
	touched = scope.Touches(j.event.Change, j.source.Path)
	j.r.Contract.ChangedBySubject = touched
	if !touched || j.w.Proposed == nil {
		return nil, touched, nil
	}
	data, err = j.w.Proposed(ctx, j.source.Path)
	if err != nil {
		return nil, touched, fmt.Errorf("read the contract that the change proposes: %w", err)
	}
	if data != nil {
		j.r.Contract.ProposedSHA256 = sum(data)
	}
	return data, touched, nil
}

// approvers lists who approved the head commit and may: only asked where an approval would matter.
func (j *run) approvers(ctx context.Context, needed bool) ([]string, error) {
	if !needed || j.w.Reviews == nil {
		return nil, nil
	}
	reviews, err := j.w.Reviews(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the reviews: %w", err)
	}
	by := scope.Approvers(j.event.Change, j.event.Subject.HeadSHA, reviews)
	j.r.Contract.ApprovedBy = by
	return by, nil
}

// useProposal judges by the change's own contract: as a preview, or for good once a person approved it.
func (j *run) useProposal(data []byte, approvers []string, status verdict.ContractStatus) {
	if status == verdict.ContractPreview && len(approvers) > 0 {
		status = verdict.ContractApproved
	}
	j.r.Contract.SHA256 = sum(data)
	j.settle(j.parse(j.source.Path, data, status))
}

// parse gives the contract and its status: as named if it is sound, else invalid or empty.
func (j *run) parse(path string, data []byte, sound verdict.ContractStatus) (verdict.ContractStatus, *contract.Contract) {
	c, problems := contract.Parse(path, data, ContractKinds())
	j.r.Problems = problems
	mistakes := problems.Mistakes()
	if len(mistakes) == 0 && c != nil {
		return sound, c
	}
	for _, m := range mistakes {
		if m.Code != contract.CodeEmpty {
			return verdict.ContractBroken, nil
		}
	}
	return verdict.ContractBare, nil
}

func (j *run) settle(status verdict.ContractStatus, c *contract.Contract) {
	j.r.Scope.Contract, j.c, j.known = status, c, true
}

// weakenings lists what the change's contract would weaken; one that cannot be read weakens everything.
func (j *run) weakenings(old, proposed []byte) {
	before, _ := contract.Parse(j.source.Path, old, ContractKinds())
	if before == nil {
		return
	}
	if proposed == nil {
		j.r.Contract.Weakens = []string{"the change removes the contract"}
		return
	}
	after, problems := contract.Parse(j.source.Path, proposed, ContractKinds())
	if after == nil || len(problems.Mistakes()) > 0 {
		j.r.Contract.Weakens = []string{"the change's contract is not valid"}
		return
	}
	for _, w := range contract.Diff(before, after) {
		j.r.Contract.Weakens = append(j.r.Contract.Weakens, weakening(w))
	}
}

// weakening is one entry in words.
func weakening(w contract.Weakening) string {
	if w.Outcome == "" {
		return w.Text
	}
	return w.Outcome + ": " + w.Text
}

// readScope is step 3: who is judged by it, and what the change touches.
func (j *run) readScope(ctx context.Context) error {
	c, e, s := j.c, j.event, &j.r.Scope
	s.Mode, s.OnClaimConflict, s.WhenNothingExpected = c.Mode, c.OnClaimConflict, c.WhenNothingExpected
	s.BaseNotTrusted = !scope.TrustedBase(c, e.Subject.BaseRef, e.DefaultBranch)
	for _, m := range scope.AgentMarks(e.Change) {
		j.r.Agents = append(j.r.Agents, fmt.Sprintf("%s: %s %s (%s)", m.Agent, m.By, m.Value, m.Strength))
	}
	gated, why := scope.Gated(c, e.Change)
	s.Gating = verdict.Outside
	if gated || !e.Pull {
		s.Gating = verdict.Gated
	}
	if why != "" {
		j.r.Notes = append(j.r.Notes, why)
	}
	s.ReportRequired = scope.ReportRequired(c, e.Change)
	j.r.Protected = scope.Protected(c, j.source.Path, trustedFiles(c), e.Change)
	s.Protection = verdict.Untouched
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
	if s.Contract == verdict.ContractPreview || s.Contract == verdict.ContractApproved {
		j.r.Notes = append(j.r.Notes, "judged by the contract that the change itself holds")
	}
	return nil
}

// readReport is step 4.
func (j *run) readReport(ctx context.Context) error {
	if j.r.Scope.Gating != verdict.Gated {
		return nil
	}
	opts := report.Options{Authors: []string{j.event.Change.Author.Identity()}, Gate: j.event.Own, Marker: CommentMarker}
	for _, login := range j.c.Report.CommentAuthors {
		opts.Authors = append(opts.Authors, commentAuthor(login).Identity())
	}
	if path := j.c.Report.Schema; path != "" {
		if j.w.Facts.TrustedFile == nil {
			return fmt.Errorf("read the report's schema %s: the trusted branch cannot be read", path)
		}
		data, err := j.w.Facts.TrustedFile(ctx, path)
		if err != nil {
			return fmt.Errorf("read the report's schema %s: %w", path, err)
		}
		if opts.Schema, err = report.CompileSchema(path, data); err != nil {
			return fmt.Errorf("read the report's schema %s: %w", path, err)
		}
	}
	reading := report.Read(j.carried(), opts)
	j.r.Report.Facts = j.reportFacts(reading)
	j.r.Report.Carrier, j.r.Report.Author, j.r.Report.At = reading.Carrier, reading.Author, reading.At
	j.r.Report.Errors = reading.Errors
	if reading.Report != nil {
		j.r.Report.Claimed = claimed(reading.Report)
	}
	return nil
}

// carried are the texts of the carriers that the contract names; what the operator hands in is always read.
func (j *run) carried() []report.Text {
	var out []report.Text
	for _, t := range j.event.Texts {
		if t.Carrier == "input" || slices.Contains(j.c.Report.Carriers, t.Carrier) {
			out = append(out, t)
		}
	}
	return out
}

// commentAuthor is the account that an entry of comment_authors names: a bot by its suffix, else a person.
func commentAuthor(login string) scope.Account {
	if strings.HasSuffix(login, "[bot]") {
		return scope.Account{Login: login, Type: "Bot"}
	}
	return scope.Account{Login: login, Type: "User"}
}

// reportFacts adds what only the run knows to the facts of a reading.
func (j *run) reportFacts(reading report.Reading) verdict.ReportFacts {
	f := verdict.FactsOf(reading)
	e := j.event
	f.Exit = j.w.AgentExit
	f.Draft = e.Pull && (e.Change.Draft || scope.WorkInProgress(e.Change.Title))
	f.Bind = j.c.Report.BindCommit
	if r := reading.Report; r != nil {
		f.Commit = verdict.RelationOf(r.Commit, e.Subject.HeadSHA, e.Subject.MergeSHA, e.Commits)
		f.OtherTask = j.w.TaskID != "" && r.TaskID != "" && r.TaskID != j.w.TaskID ||
			j.w.DispatchID != "" && r.DispatchID != "" && r.DispatchID != j.w.DispatchID
	}
	return f
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
	wanted := j.selected()
	seen := collect.Observe(ctx, j.w.Workspace, wanted, facts)
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("look at the workspace: %w", err)
	}
	for i := range wanted.Outcomes {
		rule := &wanted.Outcomes[i]
		o := receipt.Outcome{Rule: *rule, Expected: scope.Expected(rule, j.event.Change), Waived: scope.Waived(rule, j.r.Now)}
		if i < len(seen) {
			o.Facts = seen[i]
			receipt.Condense(&o.Facts, contract.ArtifactOf(wanted.Outcomes, rule), rule.Trust, &j.r.Circumstances)
			for _, v := range o.Facts.Validators {
				o.Validators = append(o.Validators, receipt.Validator{Kind: v.Kind, Version: v.Version, Facts: v.Facts, Reads: v.Reads})
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
	j.r.Scope.Partial = true
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
	return &some
}

// lookAgain reads the head once more: evidence for another commit proves nothing about this one.
func (j *run) lookAgain(ctx context.Context) error {
	if j.w.Head == nil {
		return nil
	}
	head, err := j.w.Head(ctx)
	if err != nil {
		return fmt.Errorf("read the head commit again: %w", err)
	}
	j.r.Scope.HeadMoved = head != j.event.Subject.HeadSHA
	return nil
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
