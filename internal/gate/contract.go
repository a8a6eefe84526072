package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/scope"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

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
	trusted, err := j.baseTrusted(ctx)
	if err != nil {
		return err
	}
	j.r.Scope.BaseNotTrusted = !trusted
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

// baseTrusted reports whether the base branch may hold the judging contract: the default branch, or one that
// the default branch's own contract lists. What a branch says of itself does not count.
func (j *run) baseTrusted(ctx context.Context) (bool, error) {
	base, main := j.event.Subject.BaseRef, j.event.DefaultBranch
	switch {
	case scope.TrustedBase(&contract.Contract{}, base, main):
		return true, nil
	case j.source.Branch == main:
		c, _ := contract.Parse(j.source.Path, j.source.Data, ContractKinds())
		return c != nil && scope.TrustedBase(c, base, main), nil
	case j.w.BaseBranches == nil:
		return false, nil
	}
	globs, err := j.w.BaseBranches(ctx)
	if err != nil {
		return false, fmt.Errorf("read which base branches are trusted: %w", err)
	}
	return scope.TrustedBase(&contract.Contract{BaseBranches: globs}, base, main), nil
}

// proposal reads the change's own version of the contract, if the change touches it.
func (j *run) proposal(ctx context.Context) (data []byte, touched bool, err error) {
	if j.event.OnBranch {
		return nil, false, nil
	}
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
	commit := j.event.Reviewed
	if commit == "" {
		commit = j.event.Subject.HeadSHA
	}
	by := scope.Approvers(j.event.Change, commit, reviews)
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
	after, problems := contract.Parse(j.source.Path, proposed, ContractKinds())
	if after == nil || len(problems.Mistakes()) > 0 {
		text := "the change's contract is not valid"
		if proposed == nil {
			text = "the change removes the contract"
		}
		j.r.Contract.Weakens = []contract.Weakening{{Key: "outcomes", Direction: contract.Weaker, Text: text}}
		return
	}
	j.r.Contract.Weakens = contract.Diff(before, after)
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
