package fakegithub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// obj is a JSON object of an answer.
type obj = map[string]any

// maxBody bounds what is read of one request.
const maxBody = 10 << 20

// prefix is where GitHub Enterprise Server has the same API.
const prefix = "/api/v3"

// call is one request that is being answered, while the world is locked.
type call struct {
	*World
	base   string // scheme, host and prefix as the request had them: what URLs in answers begin with
	r      *http.Request
	repo   *Repository
	args   map[string]string
	token  *Token
	body   []byte
	header http.Header // of the answer
}

// answer is a status with a JSON value, or with raw bytes of a type.
type answer struct {
	status int
	value  any
	raw    []byte
	kind   string // content type of raw; empty: value counts
}

func ok(v any) answer      { return answer{status: http.StatusOK, value: v} }
func created(v any) answer { return answer{status: http.StatusCreated, value: v} }

// refuse is an error answer.
func refuse(status int, format string, args ...any) answer {
	return answer{status: status, value: obj{
		"message":           fmt.Sprintf(format, args...),
		"documentation_url": "https://docs.github.com/rest",
		"status":            strconv.Itoa(status),
	}}
}

func notFound() answer { return refuse(http.StatusNotFound, "Not Found") }

// ServeHTTP answers one request of the API, at / and under /api/v3, or of the control endpoints.
func (w *World) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/__") {
		w.control(rw, r)
		return
	}
	c := &call{World: w, base: "http://" + r.Host, r: r, header: rw.Header()}
	if r.TLS != nil {
		c.base = "https://" + r.Host
	}
	if strings.HasPrefix(r.URL.Path, prefix+"/") {
		c.base += prefix
		r.URL.Path = strings.TrimPrefix(r.URL.Path, prefix)
		r.URL.RawPath = strings.TrimPrefix(r.URL.RawPath, prefix)
	}
	uri := r.URL.EscapedPath()
	if r.URL.RawQuery != "" {
		uri += "?" + r.URL.RawQuery
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return // the client went away
	}
	c.body = body
	at := w.log(Request{Method: r.Method, URI: uri, Accept: r.Header.Get("Accept"), Agent: r.UserAgent(), Body: string(body)})
	rw.Header().Set("Date", w.now().UTC().Format(http.TimeFormat))
	f, err := w.fault(r.Method + " " + uri)
	if err != nil {
		w.violate("%s %s: %v", r.Method, uri, err)
	}
	if f != nil && f.play(rw, r) {
		w.answered(at, f.Status, "")
		return
	}
	a, login := w.answer(c)
	if f != nil && f.Lose {
		w.answered(at, 0, login)
		panic(http.ErrAbortHandler)
	}
	w.answered(at, a.status, login)
	rw.WriteHeader(a.status)
	if a.status != http.StatusNotModified && a.status != http.StatusNoContent {
		_, _ = rw.Write(a.raw)
	}
}

// log notes a request when it arrives, and gives its place for answered.
func (w *World) log(r Request) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests = append(w.requests, r)
	return len(w.requests) - 1
}

func (w *World) answered(at, status int, login string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if at < len(w.requests) { // else the world was loaded anew meanwhile
		w.requests[at].Status, w.requests[at].Login = status, login
	}
}

func (w *World) violate(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.violations = append(w.violations, fmt.Sprintf(format, args...))
}

// answer decides on a request: who asks, whether it fits, whether it may, what it gets. The answer's bytes
// are in raw.
func (w *World) answer(c *call) (a answer, login string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c.header.Set("X-GitHub-Media-Type", "github.v3; format=json")
	line := c.r.Method + " " + c.r.URL.RequestURI()
	a, fits := c.admit()
	var e exchange
	if fits {
		login = c.token.User.Login
		a, e = c.dispatch(line)
	}
	if a.kind == "" {
		a.raw, _ = json.Marshal(a.value) // maps, slices and strings: it cannot be refused
		a.kind = "application/json; charset=utf-8"
	}
	c.header.Set("Content-Type", a.kind)
	if e.in != nil {
		if err := e.response(a.status, c.header, a.raw); err != nil {
			w.violations = append(w.violations, fmt.Sprintf("response to %s: %v", line, err))
		}
	}
	if c.r.Method == http.MethodGet && a.status == http.StatusOK {
		etag := `W/"` + name("answer", a.raw) + `"`
		c.header.Set("ETag", etag)
		if c.r.Header.Get("If-None-Match") == etag {
			a = answer{status: http.StatusNotModified}
		}
	}
	if fits {
		c.count(a.status)
	}
	return a, login
}

// admit finds out who asks, and turns away who may not ask now.
func (c *call) admit() (answer, bool) {
	if c.r.UserAgent() == "" {
		return refuse(http.StatusForbidden, "Request forbidden by administrative rules. Please make sure your request has a User-Agent header."), false
	}
	auth := c.r.Header.Get("Authorization")
	scheme, token, _ := strings.Cut(auth, " ")
	switch {
	case auth == "":
		return refuse(http.StatusUnauthorized, "Requires authentication"), false
	case !strings.EqualFold(scheme, "bearer") && !strings.EqualFold(scheme, "token"), c.data.Tokens[token] == nil:
		return refuse(http.StatusUnauthorized, "Bad credentials"), false
	}
	c.token = c.data.Tokens[token]
	l := c.limit()
	if c.token.Limit != nil && l.Remaining <= 0 {
		c.rate(l)
		return refuse(http.StatusForbidden, "API rate limit exceeded for installation ID %d.", c.token.App), false
	}
	return answer{}, true
}

// limit is the token's limit now: it begins anew when its time has come.
func (c *call) limit() *Limit {
	l := c.token.Limit
	if l == nil {
		return &Limit{Limit: 5000, Remaining: 5000, Reset: c.now().Add(time.Hour)}
	}
	if !c.now().Before(l.Reset) {
		l.Remaining, l.Reset = l.Limit, c.now().Add(time.Hour)
	}
	return l
}

func (c *call) rate(l *Limit) {
	c.header.Set("X-RateLimit-Limit", strconv.Itoa(l.Limit))
	c.header.Set("X-RateLimit-Remaining", strconv.Itoa(l.Remaining))
	c.header.Set("X-RateLimit-Used", strconv.Itoa(l.Limit-l.Remaining))
	c.header.Set("X-RateLimit-Reset", strconv.FormatInt(l.Reset.Unix(), 10))
	c.header.Set("X-RateLimit-Resource", "core")
}

// count takes a request from the limit. An answer that nothing changed costs nothing.
func (c *call) count(status int) {
	l := c.limit()
	if status != http.StatusNotModified {
		l.Remaining--
	}
	c.rate(l)
}

// dispatch holds the request against the description and gives it to its route.
func (c *call) dispatch(line string) (answer, exchange) {
	rt, args, found := match(c.r)
	if !found {
		c.violations = append(c.violations, fmt.Sprintf("request %s: no such operation", line))
		return notFound(), exchange{}
	}
	e, err := examine(c.r, rt, args)
	if err == nil {
		err = e.request(c.body)
	}
	if err != nil {
		c.violations = append(c.violations, fmt.Sprintf("request %s: %v", line, err))
		return refuse(http.StatusUnprocessableEntity, "Invalid request.\n\n%v", err), e
	}
	c.args = args
	c.repo = c.repository(args["owner"] + "/" + args["repo"])
	if c.repo == nil && args["repo"] != "" {
		return notFound(), e
	}
	if !c.may(rt.area) {
		return refuse(http.StatusForbidden, "Resource not accessible by integration"), e
	}
	return rt.answer(c), e
}

// may reports whether the token's permission covers the request.
func (c *call) may(area string) bool {
	writes := c.r.Method != http.MethodGet
	if writes && c.token.ReadOnly {
		return false
	}
	if area == "" || c.token.Permissions == nil {
		return true
	}
	switch c.token.Permissions[area] {
	case "write":
		return true
	case "read":
		return !writes
	}
	return !writes && !c.repo.Private // what is public may be read by everyone
}

// decode reads the request's JSON.
func (c *call) decode(v any) error {
	if err := json.NewDecoder(bytes.NewReader(c.body)).Decode(v); err != nil {
		return fmt.Errorf("problems parsing JSON: %w", err)
	}
	return nil
}

// int is a number in the path. The description has let numbers through only.
func (c *call) int(name string) int64 {
	n, err := strconv.ParseInt(c.args[name], 10, 64)
	if err != nil {
		return 0
	}
	return n
}
