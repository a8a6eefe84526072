package publish

import (
	"context"
	"errors"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/github"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/render"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// Status is the commit status, which binds where a verdict comes later than the job: the newest wins.
type Status struct {
	Client *github.Client
	Self   *Self
	Order  *Order

	Posted bool // it stands as this run says
}

// Name is the surface's name.
func (*Status) Name() string { return "commit status" }

// maxDescription is GitHub's limit, in characters.
const maxDescription = 140

// Publish sets the status. In observe mode there is none.
func (s *Status) Publish(ctx context.Context, r *receipt.Receipt) error {
	if r.Scope.Mode == contract.Observe {
		return nil
	}
	if r.Subject.HeadSHA == "" {
		return errors.New("the judged commit is not known, so there is nothing to put it on")
	}
	if err := s.older(ctx, r.Subject); err != nil {
		return err
	}
	state := map[verdict.Result]string{verdict.Pass: "success", verdict.Block: "failure", verdict.Wait: "pending", verdict.Error: "error"}[r.Result]
	if state == "" {
		state = "error"
	}
	// A status belongs to a commit, and a verdict to a base branch, so that is named.
	base := []rune(" (into " + render.Line(r.Subject.BaseRef) + ")")
	if r.Subject.BaseRef == "" || len(base) > maxDescription/2 {
		base = nil
	}
	description := []rune(render.Title(r))
	if room := maxDescription - len(base); len(description) > room {
		description = append(description[:room-1], '…')
	}
	description = append(description, base...)
	made, err := s.Client.CreateStatus(ctx, r.Subject.HeadSHA, github.NewStatus{
		State: state, Context: receipt.StatusContext, Description: string(description), TargetURL: s.Order.Page(r.Subject),
	})
	if err != nil {
		return err
	}
	s.Posted = true
	s.Self.Learn(made.Creator)
	return nil
}

// older is ErrOlder if a status of ours at the commit is a later run's. As long as the gate does not know its own
// account, the word of any counts: all that it can do is to keep this run silent, and who may set a status could
// set another one after it.
func (s *Status) older(ctx context.Context, subject receipt.Subject) error {
	list, err := s.Client.StatusesOf(ctx, subject.HeadSHA, receipt.StatusContext)
	if err != nil {
		return err
	}
	var newest turn
	for i := range list.Items {
		k := &list.Items[i]
		if k.Context != receipt.StatusContext || s.Self.Account != "" && !s.Self.isMine(k.Creator) {
			continue
		}
		if at, ok := s.Order.parsePage(k.TargetURL); ok && at.after(newest) {
			newest = at
		}
	}
	return s.Order.holds(ctx, subject, newest, subject.HeadSHA)
}
