package publish

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/github"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
)

// ErrOlder says that a later run or attempt has already spoken, so this one stays silent.
var ErrOlder = errors.New("not written, since a later run or attempt has already spoken")

// Order keeps what a later run or attempt wrote. It is asked just before something is written.
type Order struct {
	Client *github.Client
	Runs   string // address below which the repository's runs have their pages, with a slash at its end

	silent error // a later run has spoken, on any surface: then nothing is written on the others
}

// runAttempt is a workflow run and its attempt.
type runAttempt struct {
	run     int64
	attempt int
}

func (a runAttempt) after(b runAttempt) bool {
	return a.run > b.run || a.run == b.run && a.attempt > b.attempt
}

// turn is whose word counts: that of the newest evidence, and of two looks at the same evidence that of the later
// one. Where the gate's run makes its evidence itself, or that run is not known, the other member is zero.
type turn struct{ evidence, gate runAttempt }

func turnOf(s receipt.Subject) turn {
	return turn{runAttempt{s.RunID, s.RunAttempt}, runAttempt{s.GateRunID, s.GateRunAttempt}}
}

func (t turn) after(u turn) bool {
	return t.evidence.after(u.evidence) || t.evidence == u.evidence && t.gate.after(u.gate)
}

// byEvidence parts a run's page from the run that made the evidence, in the address of a status.
const byEvidence = "#evidence="

// Page is the address of the page of the gate's run, by which a status says whose it is.
func (o *Order) Page(s receipt.Subject) string {
	if s.GateRunID == 0 {
		return o.page(s.RunID, s.RunAttempt)
	}
	return fmt.Sprintf("%s%s%d/%d", o.page(s.GateRunID, s.GateRunAttempt), byEvidence, s.RunID, s.RunAttempt)
}

func (o *Order) page(run int64, attempt int) string {
	return fmt.Sprintf("%s%d/attempts/%d", o.Runs, run, attempt)
}

// parsePage reads what Page wrote.
func (o *Order) parsePage(address string) (turn, bool) {
	rest, ours := strings.CutPrefix(address, o.Runs)
	rest, evidence, other := strings.Cut(rest, byEvidence)
	at, whole := parseRun(rest, "/attempts/")
	if !ours || !whole || o.Runs == "" || at.run == 0 {
		return turn{}, false
	}
	s := receipt.Subject{RunID: at.run, RunAttempt: at.attempt}
	if other {
		from, whole := parseRun(evidence, "/")
		if !whole {
			return turn{}, false
		}
		s = receipt.Subject{RunID: from.run, RunAttempt: from.attempt, GateRunID: at.run, GateRunAttempt: at.attempt}
	}
	return turnOf(s), o.Page(s) == address
}

// parseRun reads a run and its attempt, or 0 and 0 of a run that is not known.
func parseRun(text, between string) (runAttempt, bool) {
	run, attempt, whole := strings.Cut(text, between)
	n, err := strconv.ParseInt(run, 10, 64)
	k, err2 := strconv.Atoi(attempt)
	return runAttempt{n, k}, whole && err == nil && err2 == nil && n >= 0 && k >= 0 && (n == 0) == (k == 0)
}

// holds is ErrOlder if GitHub knows the later one that is claimed, on the commit that it speaks of. Other workflows
// can post as the same account, so a claim alone silences nobody; and where GitHub does not say, nothing is written.
func (o *Order) holds(ctx context.Context, s receipt.Subject, claimed turn, head string) error {
	own := turnOf(s)
	if o.silent != nil || !claimed.after(own) {
		return o.silent
	}
	later := claimed.evidence
	fits := func(run *github.Run) (bool, error) { return run.HeadSHA == head, nil }
	if claimed.evidence == own.evidence {
		// A run of the gate that comes after the evidence has the default branch's commit. On these events nobody else's
		// workflow file runs, else it is known by its workflow.
		later = claimed.gate
		fits = func(run *github.Run) (bool, error) {
			if run.Event == "workflow_run" || run.Event == "issue_comment" {
				return true, nil
			}
			mine, err := o.Client.RunAttempt(ctx, own.gate.run, own.gate.attempt)
			return err == nil && mine.WorkflowID == run.WorkflowID, err
		}
	}
	run, err := o.Client.RunAttempt(ctx, later.run, later.attempt)
	if github.IsStatus(err, http.StatusNotFound) {
		return nil
	}
	ok := false
	if err == nil {
		ok, err = fits(run)
	}
	switch {
	case err != nil:
		return fmt.Errorf("find out whether run %d, attempt %d, has already spoken: %w", later.run, later.attempt, err)
	case !ok:
		return nil
	}
	o.silent = fmt.Errorf("%w: run %d, attempt %d", ErrOlder, later.run, later.attempt)
	return o.silent
}
