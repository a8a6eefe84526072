package github

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// GitHub's documented answer to being over a limit that names no time is to wait at least a minute, and
// longer each time.
const (
	limitWait = time.Minute
	limitRoom = time.Second // added by chance to a time that is named, so that not all come back at once
	maxWait   = 15 * time.Minute
)

// limitHeaders are the headers that say how much of a limit is left.
func limitHeaders() []string {
	return []string{"Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Used", "X-RateLimit-Resource"}
}

// limit reports whether an answer says that a rate limit is used up, and how long that lasts. GitHub says it
// by 429 or by 403, and 403 also says that a token may not do a thing, which no waiting changes.
func (t *transport) limit(try int, a answer) (time.Duration, bool) {
	now := t.clock.Now()
	if a.status != http.StatusForbidden && a.status != http.StatusTooManyRequests {
		return 0, false
	}
	room := time.Duration(rand.Int64N(int64(limitRoom))) //nolint:gosec // G404: it spreads tries, nothing depends on it
	if a.header.Get("Retry-After") != "" {
		return retryAfter(a.header, now) + room, true
	}
	if a.header.Get("X-RateLimit-Remaining") == "0" {
		return reset(a.header, now) + room, true
	}
	if e := readError(a.body); a.status == http.StatusTooManyRequests || secondary(e) {
		return limitWait<<min(try-1, 10) + room, true
	}
	return 0, false
}

// secondary reports whether an error's words are those of a secondary limit, which has no header of its own.
func secondary(e errorBody) bool {
	return strings.Contains(strings.ToLower(e.Message), "secondary rate limit") ||
		strings.HasSuffix(e.Documentation, "secondary-rate-limits") || strings.HasSuffix(e.Documentation, "#abuse-rate-limits")
}

// retryAfter reads the header of that name: seconds, or a date (RFC 9110, section 10.2.3).
func retryAfter(h http.Header, now time.Time) time.Duration {
	s := h.Get("Retry-After")
	if s == "" {
		return 0
	}
	if n, err := strconv.ParseInt(s, 10, 32); err == nil {
		return max(0, time.Duration(n)*time.Second)
	}
	if at, err := http.ParseTime(s); err == nil {
		return max(0, at.Sub(serverTime(h, now)))
	}
	return limitWait // it says to wait, and not how long
}

// reset is how long it is to X-RateLimit-Reset, seconds since 1970 by GitHub's clock.
func reset(h http.Header, now time.Time) time.Duration {
	n, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	if err != nil {
		return limitWait
	}
	return max(0, time.Unix(n, 0).Sub(serverTime(h, now)))
}

// serverTime is the time that an answer was given, by the clock of who gave it.
func serverTime(h http.Header, now time.Time) time.Time {
	if at, err := http.ParseTime(h.Get("Date")); err == nil {
		return at
	}
	return now
}

// holdFor keeps every request back for a time: asking on while a limit is used up makes GitHub extend it.
func (t *transport) holdFor(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if until := t.clock.Now().Add(d); until.After(t.hold) {
		t.hold = until
	}
}

// waitForLimit waits until requests may be sent again, or says that this is too late.
func (t *transport) waitForLimit(req *http.Request) error {
	t.mu.Lock()
	until := t.hold
	t.mu.Unlock()
	wait := until.Sub(t.clock.Now())
	if wait <= 0 {
		return nil
	}
	if !t.inTime(req.Context(), wait) {
		return &StatusError{
			Method: req.Method, Path: oneLine(req.URL.EscapedPath(), t.token), Status: http.StatusTooManyRequests,
			Message: "not sent: the rate limit is used up", Until: until,
		}
	}
	return t.clock.Sleep(req.Context(), wait)
}
