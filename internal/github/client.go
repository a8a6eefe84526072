// Package github asks and tells GitHub's REST API: the pull request as it is now, files and trees at a
// commit, comments, reviews, checks, statuses and runs.
//
// It decides nothing about a change. It trusts the API at the URL it was given, over certificates it was
// given, and nothing of the environment: no proxy, no certificate folder, no configuration is read. What an
// answer says is data; what an answer must say and does not (a number that is not the asked one, a name that
// is no object name, bytes that do not have their name, a list that is null) is an error and never an empty
// result, and a list that is not whole says so.
//
// All requests go through one transport that counts them, bounds what is read, waits out limits, repeats
// what may be repeated, and keeps the token to its host. A client serves one run: nothing is cached but the
// trees of a few commits, which cannot change.
package github

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	gogithub "github.com/google/go-github/v62/github"
)

// Times after which a connection is given up. One try is bounded besides, see tryTime.
const (
	dialTime  = 10 * time.Second
	keepAlive = 30 * time.Second
	idleTime  = 90 * time.Second
)

// maxHeader bounds the head of a response: GitHub's are about 3 KiB.
const maxHeader = 256 << 10

// maxRedirects is how many redirects are followed: a repository that was renamed answers with one.
const maxRedirects = 3

// Options is what a client is made of.
type Options struct {
	BaseURL    string         // of the API, as the runner names it: https://api.github.com, https://HOST/api/v3
	Token      string         // sent to the base URL's host only
	Repository string         // owner/name
	Roots      *x509.CertPool // who signs the API's certificate; nil only for http on a loopback address
	UserAgent  string         // product and version; GitHub refuses requests without one
	Clock      Clock          // zero: the machine's
	Try        time.Duration  // of one try of a request, from sending to the last byte; 0: 30 seconds
}

// Clock is the time that waiting and the clock skew are measured by.
type Clock struct {
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error // returns the context's error if that ends first
}

// Client speaks to the API about one repository. Its methods may be called at the same time.
type Client struct {
	gh        *gogithub.Client
	transport *transport
	storage   http.RoundTripper // of artifacts' bytes, without the token; nil: no certificate authorities were given
	owner     string
	name      string

	mu    sync.Mutex
	trees map[string]*Tree // by commit or tree name, at most maxTrees
}

var (
	reOwner = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`) }) // enterprise accounts have an underscore
	reName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`) })
)

// New makes a client. It sends nothing.
func New(o Options) (*Client, error) {
	base, err := baseURL(o.BaseURL, o.Roots)
	if err != nil {
		return nil, err
	}
	owner, name, _ := strings.Cut(o.Repository, "/")
	if !reOwner().MatchString(owner) || !reName().MatchString(name) || name == "." || name == ".." {
		return nil, fmt.Errorf("repository %q is not owner/name", o.Repository)
	}
	if !tokenForm(o.Token) {
		return nil, errors.New("the token is empty or has characters that no token has") // never the token itself
	}
	if o.UserAgent == "" {
		return nil, errors.New("there is no user agent")
	}
	t := &transport{
		base:  dialer(o.Roots),
		url:   base,
		token: o.Token,
		agent: o.UserAgent,
		clock: o.Clock.orMachine(),
		try:   cmp.Or(o.Try, tryTime),
	}
	t.last = t.clock.Now().Round(0)
	gh := gogithub.NewClient(&http.Client{Transport: t, CheckRedirect: t.redirect})
	gh.BaseURL = base
	gh.UserAgent = o.UserAgent
	c := &Client{gh: gh, transport: t, owner: owner, name: name, trees: map[string]*Tree{}}
	if o.Roots != nil {
		storage := dialer(o.Roots)
		storage.DisableCompression = true // an archive is packed already, and its size counts as it is sent
		c.storage = storage
	}
	return c, nil
}

// maxToken bounds a token, in bytes: GitHub's have less than 300.
const maxToken = 1024

// tokenForm reports whether a token is printable and without blanks: it goes into a header.
func tokenForm(s string) bool {
	for i := range len(s) {
		if s[i] < '!' || s[i] > '~' {
			return false
		}
	}
	return s != "" && len(s) <= maxToken
}

// baseURL reads the API's URL. Anything but TLS with given roots would let whoever is in between answer
// instead of GitHub; on loopback there is nobody in between.
func baseURL(s string, roots *x509.CertPool) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil { // its text holds the whole URL, and an URL may hold a password
		return nil, errors.New("the API URL is none")
	}
	switch {
	case u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "":
		return nil, fmt.Errorf("API URL with the host %q is not scheme, host and path alone", u.Host)
	case u.Scheme == "https" && roots == nil:
		return nil, fmt.Errorf("API URL %q: no certificate authorities were given", s)
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return nil, fmt.Errorf("API URL %q: http is for loopback addresses only", s)
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("API URL %q is neither https nor http", s)
	}
	u.Path = strings.TrimRight(u.Path, "/") + "/"
	u.RawPath = ""
	return u, nil
}

// loopback takes addresses only: what a name leads to is up to the resolver.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// dialer makes connections. Proxy stays nil, so that no variable of the environment leads them elsewhere.
func dialer(roots *x509.CertPool) *http.Transport {
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            (&net.Dialer{Timeout: dialTime, KeepAlive: keepAlive}).DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    dialTime,
		IdleConnTimeout:        idleTime,
		MaxResponseHeaderBytes: maxHeader,
		ForceAttemptHTTP2:      true, // a dialer of one's own would turn it off
	}
}

func (c Clock) orMachine() Clock {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	return c
}

// sleep waits, or less if the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Requests is the number of requests sent so far, repeated ones included.
func (c *Client) Requests() int {
	c.transport.mu.Lock()
	defer c.transport.mu.Unlock()
	return c.transport.requests
}

// Skew is how far GitHub's clock is ahead of the machine's, as the Date of the fastest answer so far tells
// it: right to about half a second and half that answer's time. It is false before the first answer, and for good once the
// machine's clock was set back meanwhile: then times of before and after do not compare.
func (c *Client) Skew() (time.Duration, bool) {
	c.transport.mu.Lock()
	defer c.transport.mu.Unlock()
	return c.transport.skew, c.transport.skewKnown && !c.transport.setBack
}

// List is what a paged list gave.
type List[T any] struct {
	Items []T
	Cut   bool // there is more that was not listed, or there may be
}
