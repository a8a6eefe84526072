package github

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// everyMethod runs a case for each method in a world of its own.
func everyMethod(t *testing.T, f func(t *testing.T, name string, m method, s *stage)) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(methods())) {
		t.Run(name, func(t *testing.T) { f(t, name, methods()[name], play(t)) })
	}
}

// expect calls a method and expects the good answer.
func expect(t *testing.T, name string, m method, s *stage) {
	t.Helper()
	got, err := m.call(t.Context(), s, s.Client)
	if err != nil || fmt.Sprint(got) != good()[name] {
		t.Errorf("got %v, %v, want %s", got, err, good()[name])
	}
}

func TestGood(t *testing.T) {
	everyMethod(t, func(t *testing.T, name string, m method, s *stage) {
		expect(t, name, m, s)
		if w := s.clock.waits(); len(w) != 0 {
			t.Errorf("waited %v", w)
		}
		n := len(s.world.Requests())
		if n != s.Requests() || n > 2 {
			t.Errorf("%d requests, counted %d", n, s.Requests())
		}
		for _, r := range s.world.Requests() {
			if r.Agent != "outcome-gate/test" {
				t.Errorf("user agent %q", r.Agent)
			}
		}
	})
}

// refused calls a method and expects an error of one status after one request.
func refused(t *testing.T, m method, s *stage, c *Client, status int, says string) {
	t.Helper()
	_, err := m.call(t.Context(), s, c)
	noToken(t, err)
	var e *StatusError
	if !errors.As(err, &e) || e.Status != status || e.Message != says || e.Limited() || e.Path == "" || e.Method == "" || !IsStatus(err, status) {
		t.Errorf("got %v, want status %d", err, status)
	}
	if c.Requests() != 1 || len(s.clock.waits()) != 0 {
		t.Errorf("%d requests", c.Requests())
	}
}

func TestUnknownToken(t *testing.T) {
	everyMethod(t, func(t *testing.T, _ string, m method, s *stage) {
		refused(t, m, s, s.as("ghs_stolensecret"), 401, "Bad credentials")
	})
}

func TestNotAllowed(t *testing.T) {
	everyMethod(t, func(t *testing.T, name string, m method, s *stage) {
		if m.write {
			refused(t, m, s, s.as(readToken), 403, "Resource not accessible by integration")
			return
		}
		if got, err := m.call(t.Context(), s, s.as(readToken)); err != nil || fmt.Sprint(got) != good()[name] {
			t.Errorf("reading with a read-only token: %v, %v", got, err)
		}
		s.fault(fakegithub.Fault{Match: ".", Times: -1, Status: 403, Body: `{"message":"Resource not accessible by integration"}`})
		refused(t, m, s, s.as(jobToken), 403, "Resource not accessible by integration")
	})
}

func TestNotFoundAndInvalid(t *testing.T) {
	everyMethod(t, func(t *testing.T, _ string, m method, s *stage) {
		s.fault(fakegithub.Fault{Match: ".", Status: 404, Body: `{"message":"Not Found"}`})
		refused(t, m, s, s.as(jobToken), 404, "Not Found")
		s.fault(fakegithub.Fault{Match: ".", Status: 422, Body: `{"message":"Validation Failed","errors":[{"message":"Body is too long"},"and more",{"field":"x","code":"missing"},7]}`})
		refused(t, m, s, s.as(jobToken), 422, "Validation Failed; Body is too long; and more; x missing")
	})
}

// TestLimits holds that every method waits as long as GitHub says, and as long as its rules say when it
// does not, and then goes on.
func TestLimits(t *testing.T) {
	everyMethod(t, func(t *testing.T, name string, m method, s *stage) {
		for what, c := range map[string]struct {
			fault fakegithub.Fault
			waits []time.Duration // at least, and at most a second over
		}{
			"429 with time": {fakegithub.Fault{Status: 429, Times: 2, Headers: map[string]string{"Retry-After": "7"}}, []time.Duration{7 * time.Second, 7 * time.Second}},
			"403 with time": {fakegithub.Fault{Status: 403, Headers: map[string]string{"Retry-After": "9"}}, []time.Duration{9 * time.Second}},
			"429 bare":      {fakegithub.Fault{Status: 429, Times: 2}, []time.Duration{time.Minute, 2 * time.Minute}},
			"secondary": {
				fakegithub.Fault{Status: 403, Body: `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}`},
				[]time.Duration{time.Minute},
			},
			"secondary by link": {
				fakegithub.Fault{Status: 403, Body: `{"message":"Slow down","documentation_url":"https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`},
				[]time.Duration{time.Minute},
			},
		} {
			t.Run(what, func(t *testing.T) {
				s := play(t)
				c.fault.Match = "."
				s.fault(c.fault)
				expect(t, name, m, s)
				waits := s.clock.waits()
				if len(waits) != len(c.waits) {
					t.Fatalf("waited %v, want %v", waits, c.waits)
				}
				for i := range waits {
					if waits[i] < c.waits[i] || waits[i] > c.waits[i]+limitRoom {
						t.Errorf("waited %v, want %v", waits, c.waits)
					}
				}
			})
		}
		_ = s
	})
}

// TestServerErrors holds what is repeated after an answer that does not say whether the request was carried
// out, and what is not.
func TestServerErrors(t *testing.T) {
	everyMethod(t, func(t *testing.T, name string, m method, s *stage) {
		for _, f := range []fakegithub.Fault{
			{Status: 500, Times: 1, Body: `{"message":"Server Error"}`},
			{Status: 502, Times: 1, Body: "<html>"},
			{Cut: true, Times: 1},
			{Cut: true, Status: 200, Body: `{"a":"bbbbbbbbbbbbbbbbbbb"}`, Times: 1},
		} {
			s := play(t)
			f.Match = "."
			s.fault(f)
			if m.repeat {
				expect(t, name, m, s)
				if w := s.clock.waits(); len(w) != 1 || w[0] < firstWait/2 || w[0] > firstWait {
					t.Errorf("waited %v", w)
				}
				continue
			}
			_, err := m.call(t.Context(), s, s.Client)
			noToken(t, err)
			if s.Requests() != 1 {
				t.Errorf("%d requests for what must not be done twice: %v", s.Requests(), err)
			}
			if f.Status >= 500 && !IsStatus(err, f.Status) {
				t.Errorf("got %v, want status %d", err, f.Status)
			}
		}
		_ = s
	})
}

// TestTriesEnd holds that a server that stays broken is given up, after waits that grow.
func TestTriesEnd(t *testing.T) {
	everyMethod(t, func(t *testing.T, _ string, m method, s *stage) {
		s.fault(fakegithub.Fault{Match: ".", Times: -1, Status: 503, Body: `{"message":"Unavailable"}`})
		_, err := m.call(t.Context(), s, s.Client)
		noToken(t, err)
		if !IsStatus(err, 503) {
			t.Errorf("got %v", err)
		}
		tries := 1
		if m.repeat {
			tries = maxTries
		}
		w := s.clock.waits()
		if s.Requests() != tries || len(w) != tries-1 {
			t.Fatalf("%d requests, waits %v", s.Requests(), w)
		}
		for i, d := range w {
			if top := firstWait << i; d < top/2 || d > top {
				t.Errorf("wait %d was %v, want up to %v", i, d, top)
			}
		}
	})
}

func TestSlow(t *testing.T) {
	everyMethod(t, func(t *testing.T, _ string, m method, s *stage) {
		s.fault(fakegithub.Fault{Match: ".", Times: -1, DelayMS: 60_000})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, err := m.call(ctx, s, s.Client)
		noToken(t, err)
		if !errors.Is(err, context.DeadlineExceeded) || s.Requests() != 1 {
			t.Errorf("got %v after %d requests", err, s.Requests())
		}
	})
}

// TestHuge holds that an answer over the limit is given up, and not read to its end.
func TestHuge(t *testing.T) {
	everyMethod(t, func(t *testing.T, _ string, m method, s *stage) {
		s.fault(fakegithub.Fault{Match: ".", Times: -1, Status: 200, Body: `{}`, Pad: maxAnswer})
		_, err := m.call(t.Context(), s, s.Client)
		noToken(t, err)
		if !errors.Is(err, ErrTooLarge) || s.Requests() != 1 {
			t.Errorf("got %v after %d requests", err, s.Requests())
		}
	})
}

// TestNotWhatWasPromised holds the law that an answer which says nothing is an error and not an empty result.
func TestNotWhatWasPromised(t *testing.T) {
	everyMethod(t, func(t *testing.T, name string, m method, s *stage) {
		for _, body := range []string{
			"", "<html>", "null", "{}", `{"total_count":1}`, `{"total_count":1,"jobs":null,"check_runs":null}`, `[null]`, `[{}]`, `7`, `"x"`, `{"id":"x"}`,
			`{"id":1}`, `{"number":8}`, `{"number":7,"state":"open"}`, `[{"id":1,"number":1,"sha":"x","filename":"f"}]`, `{"run_started_at":"yesterday"}`, `{} {}`,
		} {
			s := play(t)
			s.fault(fakegithub.Fault{Match: ".", Times: -1, Status: 200, Body: body})
			got, err := m.call(t.Context(), s, s.Client)
			if body == `[{"id":1,"number":1,"sha":"x","filename":"f"}]` && name == "Comments" {
				continue // a comment needs no more
			}
			if body == `{"id":1}` && (name == "CreateComment" || name == "UpdateComment") {
				continue
			}
			if !errors.Is(err, ErrMalformed) {
				t.Errorf("answer %q: got %v, %v", body, got, err)
			}
		}
		if m.list {
			s.fault(fakegithub.Fault{Match: ".", Status: 200, Body: "[]"})
			if got, err := m.call(t.Context(), s, s.Client); err != nil || got != "0 false" && got != "0 true" && fmt.Sprint(got) != "[]" {
				t.Errorf("empty list: %v, %v", got, err)
			}
		}
	})
}

// TestAnotherThing holds that an answer about something else than what was asked for is refused.
func TestAnotherThing(t *testing.T) {
	s := play(t)
	other := map[string]string{}
	for path, like := range map[string]string{
		"/pulls/7": "/pulls/7", "/check-runs/31": "/check-runs/902", "/actions/runs/900/attempts/2": "/actions/runs/900/attempts/1",
		"/git/ref/heads/main": "/git/ref/heads/feature/turn",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/repos/"+repository+like, nil)
		if err != nil {
			t.Fatal(err)
		}
		other[path] = string(fetch(t, req))
	}
	for path, call := range map[string]func() error{
		"/check-runs/31":               func() error { _, err := s.CheckRun(t.Context(), 31); return err },
		"/actions/runs/900/attempts/2": func() error { _, err := s.RunAttempt(t.Context(), 900, 2); return err },
		"/git/ref/heads/main":          func() error { _, err := s.BranchHead(t.Context(), "main"); return err },
	} {
		s.fault(fakegithub.Fault{Match: "GET .*" + path, Status: 200, Body: other[path]})
		if err := call(); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", path, err)
		}
		if err := call(); err != nil {
			t.Errorf("%s: without the fault: %v", path, err)
		}
	}
	s.fault(fakegithub.Fault{Match: "GET .*/pulls/8", Status: 200, Body: other["/pulls/7"]})
	if _, err := s.Pull(t.Context(), 8); !errors.Is(err, ErrMalformed) {
		t.Errorf("pull request 7 for 8: %v", err)
	}
	s.fault(fakegithub.Fault{Match: "GET .*/blobs/", Status: 200, Body: "other bytes"})
	if _, err := s.Blob(t.Context(), fakegithub.Blob([]byte("x")), 100); !errors.Is(err, ErrMalformed) {
		t.Errorf("other bytes: %v", err)
	}
}
