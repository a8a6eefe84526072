package collect

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// The time between two looks at checks: each look costs the token at least two requests, and checks take minutes.
const (
	firstPoll   = 10 * time.Second
	longestPoll = 30 * time.Second
)

// checks is the last look at check runs and commit statuses.
type checks struct {
	list []evidence.Check
	err  error
	seen time.Time // zero without a clock
}

// hurried is the contract without the windows of outcomes on which nothing hangs.
func (f *Facts) hurried(c *contract.Contract) *contract.Contract {
	if f.NoWait == nil {
		return c
	}
	out := *c
	out.Outcomes = slices.Clone(c.Outcomes)
	for i := range out.Outcomes {
		if f.NoWait(out.Outcomes[i].ID) {
			out.Outcomes[i].ObserveFor = 0
		}
	}
	return &out
}

// giveChecks shows a kind the checks, and says when they were last looked at.
func (o *observer) giveChecks(ctx context.Context, in *evidence.Input) *time.Time {
	if o.f.Checks == nil {
		in.CheckNote = "this run does not ask for checks"
		return nil
	}
	if o.checks == nil {
		o.checks = o.pollChecks(ctx)
	}
	if o.checks.err != nil {
		in.CheckNote = reason(o.checks.err)
		return nil
	}
	in.Checks, in.HasChecks = o.checks.list, true
	if o.checks.seen.IsZero() {
		return nil
	}
	seen := o.checks.seen
	return &seen
}

// pollChecks looks at checks, once for all validators, and again while one that is asked for is not there or not
// completed and its window is open. Where a later look fails, what the one before saw still holds for its time.
func (o *observer) pollChecks(ctx context.Context) *checks {
	var last *checks
	for every := firstPoll; ; every = min(every*3/2, longestPoll) {
		list, err := o.f.Checks(ctx)
		if err != nil && last != nil {
			return last
		}
		last = &checks{list: list, err: err}
		if o.f.Now != nil {
			last.seen = o.f.Now().UTC()
		}
		if err != nil || !o.pause(ctx, last.seen, o.f.Circumstances.RunStartedAt, o.openChecks(list), spread(every)) {
			return last
		}
	}
}

// spread makes a time up to a quarter longer by chance, so that the gates of many pull requests do not ask at once.
func spread(d time.Duration) time.Duration {
	return d + time.Duration(rand.Int64N(int64(d/4))) //nolint:gosec // G404: it spreads requests, nothing depends on it
}

// openChecks is the longest window of a check that is not there or not completed, 0 if there is none.
func (o *observer) openChecks(list []evidence.Check) time.Duration {
	var longest time.Duration
	in := evidence.Input{Subject: o.f.Circumstances.Subject, OwnChecks: o.f.Contexts.OwnChecks, Checks: list, HasChecks: true}
	for i := range o.c.Outcomes {
		for _, v := range o.c.Outcomes[i].Validators {
			window := time.Duration(o.c.Outcomes[i].ObserveFor) * time.Second
			kind, ok := evidence.KindByName(v.Kind)
			if v.Kind != "check" || !ok || window <= longest {
				continue
			}
			switch kind.Judge(v.Params, observeKind(&kind, v.Params, in)).Code {
			case evidence.CodeCheckAbsent, evidence.CodeCheckNotCompleted:
				longest = window
			}
		}
	}
	return longest
}
