package github

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// How often and how long one request is tried.
const (
	maxTries  = 5
	tryTime   = 30 * time.Second // of one try, from sending to the last byte
	firstWait = time.Second      // before the second try; doubled each time
)

// maxAnswer bounds one JSON answer, in bytes. The largest that GitHub gives is a recursive tree, of 7 MB by
// its documentation; a page of changed files with their patches is smaller.
const maxAnswer = 32 << 20

// maxRequest bounds what is sent, in bytes: the largest is a check run's output with 50 annotations.
const maxRequest = 8 << 20

// plan is what the transport must know of one request. It travels in the request's context.
type plan struct {
	max    int64 // bytes of the answer; 0: maxAnswer
	raw    bool  // the answer is not JSON
	repeat bool  // may be sent again although it may have been carried out
}

type planKey struct{}

func (p plan) in(ctx context.Context) context.Context { return context.WithValue(ctx, planKey{}, p) }

// planOf is the plan of a request. Reading changes nothing, and each PATCH that we send sets a value whole,
// so doing either twice is doing it once (but for annotations, which a repeat may show twice: better than a
// check run that stays open). A POST makes something new each time, and is repeated only if its plan says so.
func planOf(r *http.Request) plan {
	p, _ := r.Context().Value(planKey{}).(plan)
	if p.max == 0 {
		p.max = maxAnswer
	}
	if r.Method == http.MethodGet || r.Method == http.MethodPatch {
		p.repeat = true
	}
	return p
}

// transport sends requests: the only way from here to the network.
type transport struct {
	base  http.RoundTripper
	url   *url.URL
	token string
	agent string
	clock Clock
	try   time.Duration // of one try

	mu        sync.Mutex
	requests  int
	hold      time.Time // nothing is sent before: a limit is used up
	skew      time.Duration
	skewTrip  time.Duration // how long the answer took that skew is from
	skewKnown bool
	skewMost  time.Duration // what the skew is at most, by all answers
	last      time.Time     // when the newest answer was there, by the machine's clock
	setBack   bool          // the machine's clock was set back since the client was made
}

// setBackLeast is by how much GitHub's clock has to run ahead between two answers for the machine's to have been set back:
// GitHub's machines differ by less.
const setBackLeast = 10 * time.Second

// answer is one response, read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
	proto  *http.Response // for what else a response says of itself
}

// RoundTrip sends a request until it is answered for good. An answer that is no success comes back as a
// StatusError and not as a response, so that no layer above has to read it again. Headers about limits are
// taken off: they are dealt with here, and the library above would remember them and refuse later requests
// by the machine's clock.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !t.ours(req.URL) {
		return nil, fmt.Errorf("request to %s://%s: the token is for %s only", req.URL.Scheme, req.URL.Host, t.url.Host)
	}
	p := planOf(req)
	body, err := readBody(req)
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		if err := t.waitForLimit(req); err != nil {
			return nil, err
		}
		a, err := t.once(req, body, p)
		wait, again := t.again(req, try, p, a, err)
		if !again {
			if err != nil {
				return nil, err
			}
			return t.finish(req, p, a, wait)
		}
		if err := t.clock.Sleep(req.Context(), wait); err != nil {
			return nil, err
		}
	}
}

// ours reports whether a URL is where the token may go.
func (t *transport) ours(u *url.URL) bool { return u.Scheme == t.url.Scheme && u.Host == t.url.Host }

// redirect decides on a redirect. The token goes nowhere else, and a write does not become a read.
func (t *transport) redirect(req *http.Request, via []*http.Request) error {
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("more than %d redirects", maxRedirects)
	case !t.ours(req.URL):
		return fmt.Errorf("redirect to %s://%s: the token is for %s only", req.URL.Scheme, req.URL.Host, t.url.Host)
	case req.Method != via[0].Method:
		return fmt.Errorf("redirect would make a %s of a %s", req.Method, via[0].Method)
	}
	return nil
}

// readBody takes the request's body, so that it can be sent more than once.
func readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(req.Body, maxRequest+1))
	if err := errors.Join(err, req.Body.Close()); err != nil {
		return nil, fmt.Errorf("read request: %w", err)
	}
	if len(body) > maxRequest {
		return nil, fmt.Errorf("request of more than %d bytes: %w", maxRequest, ErrTooLarge)
	}
	return body, nil
}

// once sends a request and reads the answer to its end, so that a connection that is cut within the body is
// seen here, where it can be repeated.
func (t *transport) once(req *http.Request, body []byte, p plan) (answer, error) {
	ctx, cancel := context.WithTimeout(req.Context(), t.try)
	defer cancel()
	r := req.Clone(ctx)
	if body != nil {
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.ContentLength = int64(len(body))
	}
	r.GetBody = nil
	r.Header.Set("Authorization", "Bearer "+t.token)
	r.Header.Set("User-Agent", t.agent)
	t.mu.Lock()
	t.requests++
	t.mu.Unlock()
	sent := t.clock.Now()
	res, err := t.base.RoundTrip(r)
	if err != nil {
		return answer{}, err
	}
	t.measure(sent, res.Header.Get("Date"))
	if res.ContentLength > p.max {
		return answer{}, errors.Join(fmt.Errorf("answer of %d bytes, over %d: %w", res.ContentLength, p.max, ErrTooLarge), res.Body.Close())
	}
	got, err := io.ReadAll(io.LimitReader(res.Body, p.max+1))
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return answer{}, fmt.Errorf("read answer: %w", err)
	}
	if res.StatusCode < 300 && res.Header.Get("X-RateLimit-Remaining") == "0" {
		t.holdFor(reset(res.Header, t.clock.Now())) // this one was the last: the next would be refused
	}
	if int64(len(got)) > p.max {
		return answer{}, fmt.Errorf("answer of more than %d bytes: %w", p.max, ErrTooLarge)
	}
	return answer{status: res.StatusCode, header: res.Header, body: got, proto: res}, nil
}

// measure compares the answer's date with the middle of the time that it took. Dates are cut to the second,
// so half of one is added. The fastest answer says it best.
func (t *transport) measure(sent time.Time, date string) {
	at, err := http.ParseTime(date)
	if err != nil {
		return
	}
	now := t.clock.Now()
	trip := now.Sub(sent)
	t.mu.Lock()
	defer t.mu.Unlock()
	// The date is of a time between the two, cut to the second. Wall clocks are compared: what was measured since the machine
	// started would not show that its clock was set.
	least, most := at.Sub(now.Round(0)), at.Add(time.Second).Sub(sent.Round(0))
	if t.skewKnown && least > t.skewMost+setBackLeast || t.last.Sub(now.Round(0)) > setBackLeast {
		t.setBack = true
	}
	if !t.skewKnown || most < t.skewMost {
		t.skewMost = most
	}
	t.last = now.Round(0)
	if t.skewKnown && trip >= t.skewTrip {
		return
	}
	t.skew, t.skewTrip, t.skewKnown = at.Add(time.Second/2).Sub(sent.Add(trip/2)), trip, true
}

// again decides whether a request is sent once more, and after how long. If it is not, the time is how long
// the limit holds that stopped it, or 0.
func (t *transport) again(req *http.Request, try int, p plan, a answer, err error) (time.Duration, bool) {
	var wait time.Duration
	limited := false
	switch {
	case req.Context().Err() != nil || errors.Is(err, ErrTooLarge) || errors.As(err, new(*tls.CertificateVerificationError)):
		return 0, false
	case err != nil:
		if !p.repeat && !neverSent(err) {
			return 0, false
		}
		wait = backoff(try)
	default:
		if wait, limited = t.limit(try, a); limited {
			t.holdFor(wait)
			break // it was refused before it was carried out, so any request may be sent again
		}
		if a.status < 500 || !p.repeat {
			return 0, false
		}
		wait = max(backoff(try), retryAfter(a.header, t.clock.Now()))
	}
	if try >= maxTries || !t.inTime(req.Context(), wait) {
		if !limited {
			wait = 0
		}
		return wait, false
	}
	return wait, true
}

// neverSent reports whether the connection was not even made.
func neverSent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// backoff is how long to wait before the next try: twice as long each time, and by chance up to half less,
// so that many clients do not come back at once.
func backoff(try int) time.Duration {
	d := firstWait << min(try-1, 10)
	return d - time.Duration(rand.Int64N(int64(d/2))) //nolint:gosec // G404: it spreads tries, nothing depends on it
}

// inTime reports whether waiting leaves any time.
func (t *transport) inTime(ctx context.Context, wait time.Duration) bool {
	if wait > maxWait {
		return false
	}
	deadline, has := ctx.Deadline()
	return !has || t.clock.Now().Add(wait).Before(deadline)
}

// finish makes of the last answer what the layers above get.
func (t *transport) finish(req *http.Request, p plan, a answer, limit time.Duration) (*http.Response, error) {
	redirect := a.status == http.StatusMovedPermanently || a.status == http.StatusFound || a.status == http.StatusSeeOther ||
		a.status == http.StatusTemporaryRedirect || a.status == http.StatusPermanentRedirect
	switch {
	case a.status >= 200 && a.status <= 299:
		if !p.raw && !json.Valid(a.body) {
			return nil, malformed("%s %s: %d with a body of %d bytes that is not JSON", req.Method, req.URL.EscapedPath(), a.status, len(a.body))
		}
	case redirect && a.header.Get("Location") != "":
	default:
		e := &StatusError{
			Method: req.Method, Path: oneLine(req.URL.EscapedPath(), t.token), Status: a.status,
			Message: oneLine(readError(a.body).text(), t.token),
		}
		if limit > 0 {
			e.Until = t.clock.Now().Add(limit)
		}
		return nil, e
	}
	res := a.proto
	res.Request = req
	res.ContentLength = int64(len(a.body))
	res.Body = io.NopCloser(bytes.NewReader(a.body))
	for _, name := range limitHeaders() {
		res.Header.Del(name)
	}
	return res, nil
}
