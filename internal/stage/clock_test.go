package stage

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// jumps are by how much GitHub's clock runs ahead of the machine's.
func jumps() []time.Duration {
	const day = 24 * time.Hour
	return []time.Duration{-20 * 365 * day, -365 * day, -5 * time.Hour, -time.Hour, time.Hour, 5 * time.Hour, 365 * day, 20 * 365 * day}
}

// aged gives the evidence an age, by the machine's clock.
func (s *scene) aged(age time.Duration) {
	s.t.Helper()
	at := time.Now().Add(-age)
	if err := os.Chtimes(filepath.Join(s.dir, "out", "junit.xml"), at, at); err != nil {
		s.t.Fatal(err)
	}
}

// TestClocksApart holds that results of this run are fresh and older ones are not, however far the machine's clock is from
// GitHub's, and that nothing counts that was made after now.
func TestClocksApart(t *testing.T) {
	for _, ahead := range append(jumps(), 0) {
		for _, c := range []struct {
			name string
			age  time.Duration
			code int
			log  string
		}{
			{"of this run", 5 * time.Minute, 0, "LIVE"}, {"of the run before", 30 * time.Minute, 1, "artifact/stale"},
			{"of last year", 365 * 24 * time.Hour, 1, "artifact/stale"}, {"of the next hour", -time.Hour, 1, "artifact/future"},
		} {
			s := newSceneBy(t, func() time.Time { return time.Now().Add(ahead) })
			s.aged(c.age)
			if code := Main(context.Background(), s.options()); code != c.code || !strings.Contains(s.log.String()+s.file(receiptName), c.log) {
				t.Errorf("GitHub is ahead by %s, results %s: exit %d\n%s", ahead, c.name, code, s.log.String())
			}
			s.receipt()
		}
	}
}

// TestClockIsSetInTheMidst sets the machine's clock before each request of a run, back or forth: results that are older than
// the run never pass. That of GitHub runs ahead by as much as the machine's is set back.
func TestClockIsSetInTheMidst(t *testing.T) {
	type tried struct{ points, fresh, unknown int }
	var sum tried
	for _, ahead := range []time.Duration{-365 * 24 * time.Hour, -time.Hour, time.Hour, 365 * 24 * time.Hour} {
		for n := 2; n <= 15; n += stride { // what is set before the first is as in TestClocksApart, or seen by the client
			for _, age := range []time.Duration{5 * time.Minute, 30 * time.Minute, ahead.Abs() + 5*time.Minute} {
				var seen atomic.Int64
				s := newSceneBy(t, func() time.Time {
					if seen.Load() >= int64(n) {
						return time.Now().Add(ahead)
					}
					return time.Now()
				})
				server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					seen.Add(1)
					s.world.ServeHTTP(rw, r)
				}))
				s.env["GITHUB_API_URL"], s.env["GITHUB_SERVER_URL"] = server.URL+"/api/v3", server.URL
				s.aged(age)
				code := Main(context.Background(), s.options())
				server.Close()
				sum.points++
				switch stale := age > 10*time.Minute; {
				case stale && code == 0:
					t.Errorf("set by %s before request %d: results of %s before pass", -ahead, n, age)
				case !stale && code == 0:
					sum.fresh++
				case strings.Contains(s.file(receiptName), "set back meanwhile"):
					sum.unknown++
				}
			}
		}
	}
	t.Logf("the clock is set at %d points: fresh results pass at %d, and at %d it is seen that it was set back", sum.points, sum.fresh, sum.unknown)
	if sum.points < 150/stride || sum.fresh == 0 || sum.unknown == 0 {
		t.Errorf("%+v: too little is tried", sum)
	}
}

// TestWaiverEndsByGitHubsClock holds that a machine whose clock is behind does not make a waiver last longer, and one whose
// clock is ahead does not end it.
func TestWaiverEndsByGitHubsClock(t *testing.T) {
	for _, ahead := range []time.Duration{-72 * time.Hour, 0, 72 * time.Hour, 365 * 24 * time.Hour} {
		for days, want := range map[int]int{-1: 1, 1: 0} { // the waiver's last day, from today on: over, and not
			now := func() time.Time { return time.Now().Add(ahead) }
			s := newSceneBy(t, now)
			until := now().UTC().AddDate(0, 0, days).Format(time.DateOnly)
			s.contract(agreed + fmt.Sprintf("  - id: dock\n    waive: { until: %s, reason: under repair }\n    artifact: { files: dock.xml }\n", until))
			if code := Main(context.Background(), s.options()); code != want {
				t.Errorf("GitHub is ahead by %s, waived until %s: exit %d\n%s", ahead, until, code, s.log.String())
			}
			s.receipt()
		}
	}
}
