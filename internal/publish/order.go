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

// Page is the address of a run's page, by which a status says whose it is.
func (o *Order) Page(run int64, attempt int) string {
	return fmt.Sprintf("%s%d/attempts/%d", o.Runs, run, attempt)
}

// parsePage reads what Page wrote.
func (o *Order) parsePage(address string) (runAttempt, bool) {
	rest, ours := strings.CutPrefix(address, o.Runs)
	run, attempt, whole := strings.Cut(rest, "/attempts/")
	if !ours || !whole || o.Runs == "" {
		return runAttempt{}, false
	}
	n, err := strconv.ParseInt(run, 10, 64)
	k, err2 := strconv.Atoi(attempt)
	if err != nil || err2 != nil || n <= 0 || k <= 0 || o.Page(n, k) != address {
		return runAttempt{}, false
	}
	return runAttempt{n, k}, true
}

// holds is ErrOlder if GitHub knows the later one that is claimed, on the commit that it speaks of. Other workflows
// can post as the same account, so a claim alone silences nobody; and where GitHub does not say, nothing is written.
func (o *Order) holds(ctx context.Context, s receipt.Subject, claimed runAttempt, head string) error {
	if o.silent != nil || !claimed.after(runAttempt{s.RunID, s.RunAttempt}) {
		return o.silent
	}
	run, err := o.Client.RunAttempt(ctx, claimed.run, claimed.attempt)
	switch {
	case github.IsStatus(err, http.StatusNotFound):
		return nil
	case err != nil:
		return fmt.Errorf("find out whether run %d, attempt %d, has already spoken: %w", claimed.run, claimed.attempt, err)
	case run.HeadSHA != head:
		return nil
	}
	o.silent = fmt.Errorf("%w: run %d, attempt %d", ErrOlder, claimed.run, claimed.attempt)
	return o.silent
}
