package github

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

func TestSkew(t *testing.T) {
	for _, ahead := range []time.Duration{0, 90 * time.Second, -3 * time.Hour} {
		local := &clock{at: time.Now()}
		world := fakegithub.New(func() time.Time { return local.now().Add(ahead) })
		server := httptest.NewServer(world)
		c, err := New(Options{
			BaseURL: server.URL, Token: jobToken, Repository: repository, UserAgent: "x", Clock: Clock{Now: local.now, Sleep: local.sleep},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, known := c.Skew(); known {
			t.Error("the skew was known before any answer")
		}
		if _, err := c.Pull(t.Context(), 7); err == nil {
			t.Error("an empty world answered")
		}
		if got, known := c.Skew(); !known || (got-ahead).Abs() > time.Second/2+time.Millisecond {
			t.Errorf("skew %v, want %v", got, ahead)
		}
		server.Close()
	}
}

// TestSkewTakesTheFastest feeds answers of different speed.
func TestSkewTakesTheFastest(t *testing.T) {
	local := &clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	tr := &transport{clock: Clock{Now: local.now}}
	tr.measure(local.now().Add(-10*time.Second), "Sun, 01 Mar 2026 12:00:00 GMT")
	tr.measure(local.now().Add(-time.Second), "Sun, 01 Mar 2026 12:00:02 GMT")
	tr.measure(local.now().Add(-4*time.Second), "Sun, 01 Mar 2026 13:00:00 GMT")
	tr.measure(local.now(), "yesterday")
	if want := 3 * time.Second; tr.skew != want {
		t.Errorf("skew %v, want %v", tr.skew, want)
	}
}

// TestSkewOfAClockSetBack: once the machine's clock was set back, or GitHub's seems to jump ahead, no time of one compares
// with one of the other. Set forth, times of the machine only seem older.
func TestSkewOfAClockSetBack(t *testing.T) {
	for _, c := range []struct {
		name    string
		machine time.Duration // by how much the machine's clock is set, beside the second that passes
		known   bool
	}{
		{"not set", 0, true}, {"a server that is a little ahead", -8 * time.Second, true}, {"set back by a minute", -time.Minute, false},
		{"set back by a year", -365 * 24 * time.Hour, false}, {"set forth by an hour", time.Hour, true},
	} {
		at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		local := &clock{at: at}
		tr := &transport{clock: Clock{Now: local.now}, last: at}
		say := func(at time.Time) { tr.measure(local.now(), at.Format(http.TimeFormat)) }
		say(at)
		local.at = at.Add(time.Second + c.machine)
		say(at.Add(time.Second))
		local.at = local.at.Add(time.Hour)
		say(at.Add(time.Hour + time.Second))
		if _, known := (&Client{transport: tr}).Skew(); known != c.known {
			t.Errorf("%s: known %t", c.name, known)
		}
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	local := &clock{at: at.Add(-time.Hour)}
	tr := &transport{clock: Clock{Now: local.now}, last: at} // before the first answer
	tr.measure(local.now(), at.Format(http.TimeFormat))
	if _, known := (&Client{transport: tr}).Skew(); known {
		t.Error("set back before the first answer: known")
	}
}

// TestMachineClock waits for real, a moment, and not at all once the context has ended.
func TestMachineClock(t *testing.T) {
	c := Clock{}.orMachine()
	if err := c.Sleep(t.Context(), time.Microsecond); err != nil || time.Since(c.Now()).Abs() > time.Minute {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestAtTheSameTime lets many ask at once; the race detector and the count judge.
func TestAtTheSameTime(t *testing.T) {
	s := play(t)
	s.fault(fakegithub.Fault{Match: ".", Times: 3, Status: 429, Headers: map[string]string{"Retry-After": "1"}})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := s.File(t.Context(), "README.md", s.main, 100); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := len(s.world.Requests()); got != s.Requests() {
		t.Errorf("%d requests, counted %d", got, s.Requests())
	}
}
