package collect

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

const checkContract = `
outcomes:
  - {id: e2e, observe_for: 4m, validators: [check: {name: e2e, app: ci}]}
  - {id: unit, validators: [check: unit]}`

// polled are checks that follow one another, under a clock that only pauses move.
type polled struct {
	served
	lists [][]evidence.Check
	fails map[int]error
	asked int
	waits []time.Duration
}

func (p *polled) facts(started time.Time) Facts {
	f := p.served.facts(started)
	f.Checks = func(context.Context) ([]evidence.Check, error) {
		p.asked++
		return p.lists[min(p.asked, len(p.lists))-1], p.fails[p.asked]
	}
	pause := f.Pause
	f.Pause = func(ctx context.Context, d time.Duration) error {
		p.waits = append(p.waits, d)
		return pause(ctx, d)
	}
	return f
}

func TestPollChecks(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 4, 7, 0, 0, 0, time.UTC)
	check := func(name, status, conclusion string) evidence.Check {
		return evidence.Check{Name: name, App: "ci", HeadSHA: sha("h")[:40], Status: status, Conclusion: conclusion}
	}
	runs, done, failed := check("e2e", "in_progress", ""), check("e2e", "completed", "success"), check("e2e", "completed", "failure")
	const minute = time.Minute
	for _, c := range []struct {
		name   string
		lists  [][]evidence.Check
		fails  map[int]error
		facts  func(*Facts)
		asked  int // 0: as often as the waits allow
		paused time.Duration
		code   string
	}{
		{name: "there at once", lists: [][]evidence.Check{{done}}, asked: 1, code: evidence.CodeCheckSucceeded},
		{name: "failed at once", lists: [][]evidence.Check{{failed}}, asked: 1, code: evidence.CodeCheckFailed},
		{name: "runs, then ends", lists: [][]evidence.Check{{runs}, {runs}, {done}}, asked: 3, code: evidence.CodeCheckSucceeded},
		{name: "absent, then ends", lists: [][]evidence.Check{{}, {done}}, asked: 2, code: evidence.CodeCheckSucceeded},
		{name: "runs on to the window's end", lists: [][]evidence.Check{{runs}}, paused: 4*minute - 10*time.Second, code: evidence.CodeCheckNotCompleted},
		{name: "never there", lists: [][]evidence.Check{{}}, paused: 4*minute - 10*time.Second, code: evidence.CodeCheckAbsent},
		{name: "a check without a window", lists: [][]evidence.Check{{done, check("unit", "queued", "")}}, asked: 1, code: evidence.CodeCheckSucceeded},
		{name: "a later look fails", lists: [][]evidence.Check{{runs}}, fails: map[int]error{2: errors.New("down")}, asked: 2, code: evidence.CodeCheckNotCompleted},
		{name: "the first look fails", lists: [][]evidence.Check{{runs}}, fails: map[int]error{1: errors.New("down")}, asked: 1, code: evidence.CodeInputChecks},
		{name: "the run ends", lists: [][]evidence.Check{{runs}}, asked: 1, code: evidence.CodeCheckNotCompleted, facts: func(f *Facts) {
			f.Pause = func(context.Context, time.Duration) error { return context.Canceled }
		}},
		{name: "no clock", lists: [][]evidence.Check{{runs}}, asked: 1, code: evidence.CodeCheckNotCompleted, facts: func(f *Facts) { f.Now = nil }},
		{name: "nothing hangs on it", lists: [][]evidence.Check{{runs}}, asked: 1, code: evidence.CodeCheckNotCompleted, facts: func(f *Facts) {
			f.NoWait = func(id string) bool { return id == "e2e" }
		}},
		{name: "the start is not known", lists: [][]evidence.Check{{runs}}, asked: 1, code: evidence.CodeCheckNotCompleted, facts: func(f *Facts) {
			f.Circumstances.RunStartedAt = time.Time{}
		}},
	} {
		p := &polled{lists: c.lists, fails: c.fails}
		p.now = start.Add(10 * time.Second)
		f := p.facts(start)
		if c.facts != nil {
			c.facts(&f)
		}
		parsed := parse(t, checkContract)
		obs := Observe(context.Background(), open(t, t.TempDir(), Limits{}), parsed, f)
		kind, _ := evidence.KindByName("check")
		got := kind.Judge(parsed.Outcomes[0].Validators[0].Params, obs[0].Validators[0].Facts)
		if got.Code != c.code || c.asked != 0 && p.asked != c.asked || c.paused != 0 && p.paused != c.paused {
			t.Errorf("%s: %s after %d looks and %s", c.name, got.Code, p.asked, p.paused)
		}
		for i, w := range p.waits {
			last := i == len(p.waits)-1 && c.paused != 0 // it is cut to the window's end
			if w < firstPoll && !last || w > longestPoll*5/4 {
				t.Errorf("%s: waited %v", c.name, p.waits)
			}
		}
		if seen := obs[0].Validators[0].ObservedAt; f.Now != nil && got.Code != evidence.CodeInputChecks && (seen == nil || seen.After(p.now)) {
			t.Errorf("%s: looked at %v", c.name, seen)
		}
		if parsed.Outcomes[0].ObserveFor != 240 || !json.Valid(obs[1].Validators[0].Facts) {
			t.Errorf("%s: the contract was changed", c.name)
		}
	}
}

// TestPollChecksIsBounded holds that no window, however long, keeps a run longer than its own time allows.
func TestPollChecksIsBounded(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 4, 7, 0, 0, 0, time.UTC)
	p := &polled{lists: [][]evidence.Check{{}}}
	p.now = start.Add(time.Second)
	Observe(context.Background(), open(t, t.TempDir(), Limits{}), parse(t, `outcomes: [{id: e2e, observe_for: 10m, validators: [check: e2e]}]`), p.facts(start))
	if p.paused != longestLook || p.asked > 2+int(longestLook/firstPoll) {
		t.Errorf("%d looks in %s", p.asked, p.paused)
	}
}
