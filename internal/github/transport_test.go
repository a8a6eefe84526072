package github

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// fetch sends a request as the workflow's token, past the client.
func fetch(t *testing.T, req *http.Request) []byte {
	t.Helper()
	req.Header.Set("Authorization", "Bearer "+jobToken)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestNewRefuses(t *testing.T) {
	roots := x509.NewCertPool()
	for name, o := range map[string]Options{
		"no URL":              {Roots: roots},
		"no host":             {BaseURL: "https:///api", Roots: roots},
		"http elsewhere":      {BaseURL: "http://192.0.2.1"},
		"http to a name":      {BaseURL: "http://localhost"},
		"no roots":            {BaseURL: "https://api.github.com"},
		"another scheme":      {BaseURL: "ftp://127.0.0.1", Roots: roots},
		"query":               {BaseURL: "https://api.github.com?x", Roots: roots},
		"user":                {BaseURL: "https://u:ghs_secret@api.github.com", Roots: roots},
		"broken":              {BaseURL: "https://api.github.com:x", Roots: roots},
		"broken with a user":  {BaseURL: "https://ghs_secret@api.github.com:x", Roots: roots},
		"user alone":          {BaseURL: "https://ghs_secret@api.github.com", Roots: roots},
		"no repository":       {BaseURL: "https://api.github.com", Roots: roots, Repository: "-"},
		"no owner":            {BaseURL: "https://api.github.com", Roots: roots, Repository: "/b"},
		"path":                {BaseURL: "https://api.github.com", Roots: roots, Repository: "a/b/c"},
		"up":                  {BaseURL: "https://api.github.com", Roots: roots, Repository: "a/.."},
		"query in repository": {BaseURL: "https://api.github.com", Roots: roots, Repository: "a/b?c"},
		"no token":            {BaseURL: "https://api.github.com", Roots: roots, Repository: repository, Token: "-"},
		"line in token":       {BaseURL: "https://api.github.com", Roots: roots, Repository: repository, Token: "ghs_secret\nX: y"},
		"no agent":            {BaseURL: "https://api.github.com", Roots: roots, Repository: repository, UserAgent: "-"},
	} {
		t.Run(name, func(t *testing.T) {
			fill(&o.Repository, repository)
			fill(&o.Token, jobToken)
			fill(&o.UserAgent, "x")
			_, err := New(o)
			noToken(t, err)
		})
	}
	if _, err := New(Options{BaseURL: "https://api.github.com/", Token: jobToken, Repository: repository, UserAgent: "x", Roots: roots}); err != nil {
		t.Error(err)
	}
}

// fill sets what a case leaves out, and empties what it wants to be empty.
func fill(s *string, value string) {
	switch *s {
	case "":
		*s = value
	case "-":
		*s = ""
	}
}

// TestLimitBeyondTheDeadline holds that nobody waits for what comes too late, and that nothing more is sent
// meanwhile.
func TestLimitBeyondTheDeadline(t *testing.T) {
	for _, after := range []string{"600", "3600"} { // within a client's patience, and beyond it
		t.Run(after, func(t *testing.T) {
			s := play(t)
			s.fault(fakegithub.Fault{Match: ".", Status: 429, Headers: map[string]string{"Retry-After": after}, Body: `{"message":"too many"}`})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for _, message := range []string{"too many", "not sent: the rate limit is used up"} {
				_, err := s.Pull(ctx, 7)
				noToken(t, err)
				var e *StatusError
				if !errors.As(err, &e) || e.Status != 429 || e.Message != message || !e.Limited() || e.Until.Sub(s.clock.now()) < 9*time.Minute {
					t.Errorf("got %v, want %q", err, message)
				}
				if !strings.Contains(err.Error(), "rate limit until ") {
					t.Errorf("the error does not say until when: %v", err)
				}
			}
			if s.Requests() != 1 || len(s.clock.waits()) != 0 {
				t.Errorf("%d requests", s.Requests())
			}
			if _, err := s.as(jobToken).Pull(t.Context(), 7); err != nil {
				t.Errorf("another client: %v", err)
			}
		})
	}
	// Without a deadline there is still an end to patience.
	s := play(t)
	s.fault(fakegithub.Fault{Match: ".", Status: 429, Headers: map[string]string{"Retry-After": "3600"}})
	if _, err := s.Pull(t.Context(), 7); !IsStatus(err, 429) || s.Requests() != 1 {
		t.Errorf("got %v", err)
	}
}

// TestPrimaryLimit uses a token up, as GitHub lets one be used up. The client must wait before it asks in
// vain, and go on after; the library's own memory of limits goes by another clock and must not stop it.
func TestPrimaryLimit(t *testing.T) {
	s := play(t)
	c := s.as(spentToken)
	for range 3 {
		if _, err := c.Pull(t.Context(), 7); err != nil {
			t.Fatal(err)
		}
	}
	w := s.clock.waits()
	if len(w) != 1 || w[0] < 4*time.Minute || w[0] > 5*time.Minute+time.Second || c.Requests() != 3 {
		t.Errorf("waited %v for %d requests", w, c.Requests())
	}
	// Others use the token too: it is refused without a warning before.
	s.world.Change(func(d *fakegithub.Data) {
		l := d.Tokens[spentToken].Limit
		l.Remaining, l.Reset = 0, s.clock.now().Add(90*time.Second)
	})
	if _, err := c.Pull(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	if w := s.clock.waits(); len(w) != 1 || w[0] < 89*time.Second || w[0] > 92*time.Second || c.Requests() != 5 {
		t.Errorf("waited %v for %d requests", w, c.Requests())
	}
}

// TestRetryAfterForms reads every form of the header.
func TestRetryAfterForms(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for in, want := range map[string]time.Duration{
		"": 0, "0": 0, "30": 30 * time.Second, "-5": 0, "Sun, 01 Mar 2026 12:00:10 GMT": 10 * time.Second,
		"Sun, 01 Mar 2026 11:00:00 GMT": 0, "soon": time.Minute, "99999999999999999999": time.Minute,
	} {
		if got := retryAfter(http.Header{"Retry-After": {in}}, now); got != want {
			t.Errorf("%q: %v, want %v", in, got, want)
		}
	}
	ahead := http.Header{"X-Ratelimit-Reset": {"1772366460"}, "Date": {"Sun, 01 Mar 2026 12:00:00 GMT"}}
	if got := reset(ahead, now.Add(time.Hour)); got != time.Minute {
		t.Errorf("reset by GitHub's clock: %v, want a minute", got)
	}
	if got := reset(http.Header{"X-Ratelimit-Reset": {"soon"}}, now); got != time.Minute {
		t.Errorf("reset without a number: %v", got)
	}
}

// TestSlowTry holds that one slow try is given up for another, as long as there is time.
func TestSlowTry(t *testing.T) {
	s := play(t)
	s.transport.try = 50 * time.Millisecond
	s.fault(fakegithub.Fault{Match: ".", Times: 1, DelayMS: 60_000})
	if p, err := s.Pull(t.Context(), 7); err != nil || p.Number != 7 || s.Requests() != 2 || len(s.clock.waits()) != 1 {
		t.Errorf("%+v, %v after %d requests", p, err, s.Requests())
	}
}

// TestOtherHosts holds the last door: whatever the layers above ask for, the token is for one host.
func TestOtherHosts(t *testing.T) {
	s := play(t)
	for _, url := range []string{"http://127.0.0.1:1/x", strings.Replace(s.url, "http:", "https:", 1), "http://example.com/"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := s.transport.RoundTrip(req)
		if err == nil {
			_ = res.Body.Close()
		}
		noToken(t, err)
	}
	if s.Requests() != 0 {
		t.Errorf("%d requests", s.Requests())
	}
}

// TestUnreachable holds that what was never sent may be tried again, whatever it is.
func TestUnreachable(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	s := play(t)
	s.url = url
	c := s.as(jobToken)
	_, err = c.CreateComment(t.Context(), 7, "x")
	noToken(t, err)
	if c.Requests() != maxTries { // it was never sent, so it cannot have been carried out
		t.Errorf("%d tries: %v", c.Requests(), err)
	}
}

// TestTokenStaysHome holds that redirects within the API are followed and that no other host sees the token.
func TestTokenStaysHome(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.Header.Get("Authorization"))
		_, _ = io.WriteString(w, "{}")
	}))
	defer foreign.Close()
	for name, c := range map[string]struct {
		status   int
		location func(*stage) string
		good     bool
	}{
		"renamed":       {301, func(s *stage) string { return s.url + "/repos/" + repository + "/pulls/7" }, true},
		"moved":         {307, func(*stage) string { return "/repos/" + repository + "/pulls/7" }, true},
		"other host":    {302, func(*stage) string { return foreign.URL + "/x" }, false},
		"other scheme":  {302, func(s *stage) string { return strings.Replace(s.url, "http:", "https:", 1) }, false},
		"other port":    {302, func(*stage) string { return "http://127.0.0.1:1/" }, false},
		"nowhere":       {301, func(*stage) string { return "" }, false},
		"not a success": {304, func(*stage) string { return "/" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := play(t)
			s.fault(fakegithub.Fault{Match: "/pulls/7", Status: c.status, Headers: map[string]string{"Location": c.location(s)}})
			_, err := s.Pull(t.Context(), 7)
			if c.good && err != nil {
				t.Error(err)
			}
			if !c.good {
				noToken(t, err)
			}
		})
	}
	t.Run("around", func(t *testing.T) {
		s := play(t)
		s.fault(fakegithub.Fault{Match: "/pulls/7", Times: -1, Status: 302, Headers: map[string]string{"Location": "/repos/" + repository + "/pulls/7"}})
		if _, err := s.Pull(t.Context(), 7); err == nil || s.Requests() != maxRedirects+1 {
			t.Errorf("got %v after %d requests", err, s.Requests())
		}
	})
	t.Run("write", func(t *testing.T) {
		s := play(t)
		s.fault(fakegithub.Fault{Match: "POST", Status: 302, Headers: map[string]string{"Location": "/repos/" + repository + "/issues/7/comments"}})
		if _, err := s.CreateComment(t.Context(), 7, "x"); err == nil || s.Requests() != 1 {
			t.Errorf("a write became a read: %v after %d requests", err, s.Requests())
		}
		s.fault(fakegithub.Fault{Match: "POST", Status: 307, Headers: map[string]string{"Location": "/repos/" + repository + "/issues/7/comments"}})
		if m, err := s.CreateComment(t.Context(), 7, "x"); err != nil || m.Body != "x" {
			t.Errorf("a write that moved: %v", err)
		}
	})
	if len(seen) != 0 {
		t.Errorf("another host was asked, with %q", seen)
	}
}

// TestErrorsKeepTheToken lets the server say the token back, in every place.
func TestErrorsKeepTheToken(t *testing.T) {
	for _, f := range []fakegithub.Fault{
		{Status: 404, Body: `{"message":"no access with ` + jobToken + `\u001b[31m\nline"}`},
		{Status: 422, Body: `{"message":"x","errors":["` + jobToken + `"]}`},
		{Status: 200, Body: `{"number":"` + jobToken + `","created_at":"` + jobToken + `"}`},
		{Status: 200, Body: `{"created_at":"` + jobToken + `"}`},
		{Status: 302, Headers: map[string]string{"Location": "http://" + strings.ReplaceAll(jobToken, "_", "-") + "/"}},
		{Status: 302, Headers: map[string]string{"Location": "http://x/?" + jobToken}},
	} {
		s := play(t)
		f.Match = "."
		s.fault(f)
		_, err := s.Pull(t.Context(), 7)
		if err == nil || strings.Contains(err.Error(), jobToken) || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("fault %+v: %q", f, err)
		}
	}
	long := &StatusError{Message: oneLine(strings.Repeat("é", 1000), jobToken)}
	if len(long.Message) > maxMessage+3 {
		t.Errorf("%d bytes of a message", len(long.Message))
	}
}

// TestHugeWithoutLength holds that an answer which does not say how long it is is read no further than the limit.
func TestHugeWithoutLength(t *testing.T) {
	sent := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chunk := []byte(strings.Repeat(" ", 64<<10))
		for r.Context().Err() == nil && sent < 8*maxAnswer {
			n, err := w.Write(chunk)
			if sent += n; err != nil {
				return
			}
		}
	}))
	s := play(t)
	s.url = server.URL
	c := s.as(jobToken)
	_, err := c.Pull(t.Context(), 7)
	noToken(t, err)
	if !errors.Is(err, ErrTooLarge) || c.Requests() != 1 {
		t.Errorf("got %v after %d requests", err, c.Requests())
	}
	server.Close() // waits for the handler
	if sent < maxAnswer || sent >= 8*maxAnswer {
		t.Errorf("%d bytes were sent", sent)
	}
}

// TestCertificates holds that only the given authorities count, whatever the environment says.
func TestCertificates(t *testing.T) {
	s := play(t)
	server := httptest.NewUnstartedServer(s.world)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // refused handshakes
	server.StartTLS()
	defer server.Close()
	planted := filepath.Join(t.TempDir(), "planted.pem")
	if err := os.WriteFile(planted, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SSL_CERT_FILE", planted)
	t.Setenv("SSL_CERT_DIR", filepath.Dir(planted))
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	known := x509.NewCertPool()
	known.AddCert(server.Certificate())
	for name, c := range map[string]struct {
		roots *x509.CertPool
		good  bool
	}{"known": {known, true}, "unknown": {x509.NewCertPool(), false}} {
		t.Run(name, func(t *testing.T) {
			client, err := New(Options{
				BaseURL: server.URL, Token: jobToken, Repository: repository, UserAgent: "outcome-gate/test", Roots: c.roots,
				Clock: Clock{Now: s.clock.now, Sleep: s.clock.sleep},
			})
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.Pull(t.Context(), 7)
			if (err == nil) != c.good || client.Requests() != 1 {
				t.Errorf("got %v after %d requests", err, client.Requests())
			}
		})
	}
	if dialer(known).Proxy != nil {
		t.Error("a proxy may be used")
	}
}

// TestNoProxy holds that no variable of the environment can put anybody between: neither requests nor downloads ask it
// for a proxy.
func TestNoProxy(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	if d := dialer(x509.NewCertPool()); d.Proxy != nil {
		t.Error("the environment names a proxy")
	}
	c, err := New(Options{BaseURL: "https://api.github.com", Token: "t", Repository: "a/b", UserAgent: "u", Roots: x509.NewCertPool()})
	if err != nil {
		t.Fatal(err)
	}
	for name, way := range map[string]http.RoundTripper{"API": c.transport.base, "storage": c.storage} {
		if d, ok := way.(*http.Transport); !ok || d.Proxy != nil {
			t.Errorf("the way to the %s asks for a proxy", name)
		}
	}
}
