// Package fetch is the edge that looks at the addresses (`url`) of a contract, over https.
//
// It decides only what was seen there: a status and a body, or why there is none. It trusts nobody with where to go:
// the contract's address and every place that an answer leads to must be https at a public address, and that is held
// where the connection is made, after the name was looked up, so that no name can stand for this machine or its
// network. It sends no credentials, no cookies and no referrer, and uses no proxy.
package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/collect"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

const (
	// maxBody is the longest body: as long as the documents that validators read.
	maxBody = evidence.MaxDocumentBytes
	// lookTime bounds one look, redirects and body included, connectTime the start of each connection.
	lookTime    = 30 * time.Second
	connectTime = 10 * time.Second
	// maxHeader bounds the header of an answer.
	maxHeader = 64 << 10
	// maxHops bounds redirects whatever is asked for; contracts allow fewer.
	maxHops = 10
)

// errRefused is the error of a place that may not be looked at.
var errRefused = errors.New("it is no public https address") //nolint:errname // it is the reason, not a failure

// Options are how addresses are looked at.
type Options struct {
	Roots     *x509.CertPool // who signs certificates; nil: the system's
	UserAgent string
	// Loopback lets addresses of this machine through, over http too: for tests of the looking itself.
	Loopback bool
}

// Client looks at addresses. It is safe for concurrent use.
type Client struct {
	o      Options
	http   *http.Client
	within time.Duration // of one look
}

// New makes a client.
func New(o Options) *Client {
	c := &Client{o: o, within: lookTime}
	dial := &net.Dialer{Timeout: connectTime, ControlContext: c.control}
	c.http = &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy: nil, DialContext: dial.DialContext, TLSHandshakeTimeout: connectTime, DisableKeepAlives: true,
			TLSClientConfig:    &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12},
			DisableCompression: true, MaxResponseHeaderBytes: maxHeader,
		},
	}
	return c
}

// control holds each connection to a public address, in the last moment before it is made.
func (c *Client) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !(public(at.Addr()) || c.o.Loopback && at.Addr().Unmap().IsLoopback()) {
		return errRefused
	}
	return nil
}

// Look looks at an address once. The answer never says which address a name stood for.
func (c *Client) Look(ctx context.Context, a collect.Address) collect.Answer {
	ctx, stop := context.WithTimeout(ctx, c.within)
	defer stop()
	u, err := url.Parse(a.URL)
	if err != nil {
		return collect.Answer{Code: evidence.CodeAddressRefused, Detail: "it is no URL"}
	}
	for hop := 0; ; hop++ {
		if !c.allowed(u) {
			return refusedAt(hop)
		}
		resp, err := c.get(ctx, u)
		if err != nil {
			return failed(err, hop)
		}
		next := location(resp, u)
		if next == nil || hop >= min(a.Redirects, maxHops) {
			return read(resp, a.Status, next)
		}
		_ = resp.Body.Close() // nothing of it was wanted
		u = next
	}
}

func (c *Client) get(ctx context.Context, u *url.URL) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept-Encoding", "identity") // the digest is of the bytes that are delivered
	req.Header.Set("Cache-Control", "no-cache")
	req.Header.Set("User-Agent", c.o.UserAgent)
	return c.http.Do(req)
}

// allowed holds the form of an address; where it leads to is held by control.
func (c *Client) allowed(u *url.URL) bool {
	if u.Host == "" || u.Hostname() == "" || u.User != nil || u.Opaque != "" {
		return false
	}
	if u.Scheme == "https" {
		return true
	}
	at, err := netip.ParseAddr(u.Hostname())
	return c.o.Loopback && u.Scheme == "http" && err == nil && at.IsLoopback()
}

// location is where an answer leads to, nil if nowhere (RFC 9110, section 15.4).
func location(resp *http.Response, from *url.URL) *url.URL {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil
	}
	to, err := from.Parse(resp.Header.Get("Location"))
	if err != nil || resp.Header.Get("Location") == "" {
		return nil
	}
	to.Fragment = ""
	return to
}

// read takes the answer's body, if its status is the one that is asked for.
func read(resp *http.Response, want int, next *url.URL) collect.Answer {
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode != want {
		detail := fmt.Sprintf("it answers with status %d, expected %d", resp.StatusCode, want)
		if next != nil {
			detail += "; it leads elsewhere, and no further redirect is allowed"
		}
		return collect.Answer{Code: evidence.CodeAddressStatus, Detail: detail}
	}
	if e := resp.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return collect.Answer{Code: evidence.CodeAddressUnreachable, Detail: "its answer is encoded, which was not asked for"}
	}
	var body bytes.Buffer
	n, err := io.Copy(&body, io.LimitReader(resp.Body, maxBody+1))
	switch {
	case n > maxBody:
		return collect.Answer{Code: evidence.CodeArtifactOverLimit, Detail: fmt.Sprintf("its answer has over %d MiB", maxBody>>20)}
	case err != nil:
		return failed(err, 0)
	}
	return collect.Answer{Body: body.Bytes()}
}

func refusedAt(hop int) collect.Answer {
	if hop > 0 {
		return collect.Answer{Code: evidence.CodeAddressRefused, Detail: "it leads to a place that is no public https address"}
	}
	return collect.Answer{Code: evidence.CodeAddressRefused, Detail: errRefused.Error()}
}

// failed says in its own words why there is no answer: errors of the network name addresses of the machine's own
// network, which a receipt does not show.
func failed(err error, hop int) collect.Answer {
	if errors.Is(err, errRefused) {
		return refusedAt(hop)
	}
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var timeout interface{ Timeout() bool }
	detail := "the connection failed"
	switch {
	case errors.As(err, &cert):
		detail = "its certificate is not valid"
	case errors.As(err, &dns) && dns.IsNotFound:
		detail = "its host has no address"
	case errors.As(err, &timeout) && timeout.Timeout():
		detail = "it did not answer in time"
	case errors.As(err, &dns):
		detail = "its host could not be looked up"
	case errors.Is(err, io.ErrUnexpectedEOF):
		detail = "its answer ends in the middle"
	}
	return collect.Answer{Code: evidence.CodeAddressUnreachable, Detail: detail}
}

// Pause waits, or less if the context ends, whose error it then returns.
func Pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
