package fetch

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/collect"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

func TestPublic(t *testing.T) {
	t.Parallel()
	for _, a := range []string{"8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "192.167.1.1", "100.63.0.1", "100.128.0.1", "198.17.0.1", "2606:4700::1111", "2a00:1450::1", "2001:4860::1", "::ffff:8.8.8.8"} {
		if !public(netip.MustParseAddr(a)) {
			t.Errorf("%s is public", a)
		}
	}
	for _, a := range []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "127.0.0.1", "127.255.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.100.100.200",
		"168.63.129.16", "192.0.0.192", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:2::1", "2001:db8::1",
		"2002:7f00:1::1", "3fff::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "4000::1",
	} {
		if public(netip.MustParseAddr(a)) {
			t.Errorf("%s is not public", a)
		}
	}
	if public(netip.Addr{}) {
		t.Error("no address is public")
	}
}

// FuzzPublic states that no address of which the standard library says that it is not global, and no IPv4 address
// that such a one is written as inside IPv6, is public.
func FuzzPublic(f *testing.F) {
	seeds := 0
	for _, a := range []string{"127.0.0.1", "::1", "8.8.8.8", "::ffff:10.0.0.1", "fe80::1", "2606:4700::1111"} {
		raw := netip.MustParseAddr(a).As16()
		f.Add(raw[:])
		seeds++
	}
	if seeds == 0 {
		f.Fatal("no seeds")
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, ok := netip.AddrFromSlice(raw)
		if !ok {
			return
		}
		if public(a) != public(a.Unmap()) {
			t.Fatalf("%s is another written as IPv6", a)
		}
		ip := net.IP(a.AsSlice())
		if public(a) && (!ip.IsGlobalUnicast() || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified()) {
			t.Fatalf("%s is taken for public", a)
		}
	})
}

// site is a server on this machine, and a client that is allowed to look at it.
func site(t *testing.T, secure bool, h http.HandlerFunc) (string, *Client) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = nil
	o := Options{Loopback: true, UserAgent: "outcome-gate/test"}
	if secure {
		s.StartTLS()
		o.Roots = x509.NewCertPool()
		o.Roots.AddCert(s.Certificate())
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s.URL, New(o)
}

func TestLook(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{true, false} {
		base, c := site(t, secure, func(w http.ResponseWriter, r *http.Request) {
			for _, h := range []string{"Authorization", "Cookie", "Referer"} {
				if r.Header.Get(h) != "" {
					w.WriteHeader(http.StatusTeapot)
				}
			}
			hop := func(code int, to string) { w.Header().Set("Location", to); w.WriteHeader(code) }
			switch r.URL.Path {
			case "/":
				_, _ = io.WriteString(w, "version 3\n")
			case "/gone":
				http.NotFound(w, r)
			case "/one":
				w.Header().Set("Set-Cookie", "a=b")
				hop(http.StatusFound, "/")
			case "/two":
				hop(http.StatusMovedPermanently, "one")
			case "/circle":
				hop(http.StatusTemporaryRedirect, "/circle")
			case "/nowhere":
				w.WriteHeader(http.StatusFound)
			case "/metadata":
				hop(http.StatusFound, "http://169.254.169.254/latest/meta-data/")
			case "/inside":
				hop(http.StatusFound, "https://10.0.0.1/")
			case "/user":
				hop(http.StatusFound, "https://me:secret@example.com/")
			case "/file":
				hop(http.StatusFound, "file:///etc/passwd")
			case "/zipped":
				w.Header().Set("Content-Encoding", "gzip")
				_, _ = io.WriteString(w, "x")
			case "/endless":
				for piece := make([]byte, 1<<20); r.Context().Err() == nil; {
					if _, err := w.Write(piece); err != nil {
						return
					}
				}
			case "/short":
				w.Header().Set("Content-Length", "100")
				_, _ = io.WriteString(w, "x")
			case "/header":
				w.Header().Set("X-Long", strings.Repeat("x", 2*maxHeader))
			case "/empty":
			}
		})
		c.within = 4 * lookTime // what is measured is bytes: a slow machine needs longer for them
		for _, x := range []struct {
			path              string
			status, redirects int
			code, body        string
		}{
			{"/", 200, 0, "", "version 3\n"},
			{"/?q=1", 200, 0, "", "version 3\n"},
			{"/empty", 200, 0, "", ""},
			{"/gone", 404, 0, "", "404 page not found\n"},
			{"/gone", 200, 0, evidence.CodeAddressStatus, "status 404, expected 200"},
			{"/", 204, 0, evidence.CodeAddressStatus, "status 200, expected 204"},
			{"/one", 200, 0, evidence.CodeAddressStatus, "no further redirect"},
			{"/one", 302, 0, "", ""},
			{"/one", 200, 1, "", "version 3\n"},
			{"/two", 200, 1, evidence.CodeAddressStatus, "status 302, expected 200; it leads elsewhere"},
			{"/two", 200, 2, "", "version 3\n"},
			{"/circle", 200, 5, evidence.CodeAddressStatus, "status 307"},
			{"/circle", 200, 1 << 30, evidence.CodeAddressStatus, "status 307"},
			{"/nowhere", 200, 5, evidence.CodeAddressStatus, "status 302"},
			{"/metadata", 200, 1, evidence.CodeAddressRefused, "leads to a place"},
			{"/inside", 200, 1, evidence.CodeAddressRefused, "leads to a place"},
			{"/user", 200, 1, evidence.CodeAddressRefused, "leads to a place"},
			{"/file", 200, 1, evidence.CodeAddressRefused, "leads to a place"},
			{"/zipped", 200, 0, evidence.CodeAddressUnreachable, "encoded"},
			{"/endless", 200, 0, evidence.CodeArtifactOverLimit, "over 64 MiB"},
			{"/short", 200, 0, evidence.CodeAddressUnreachable, "ends in the middle"},
			{"/header", 200, 0, evidence.CodeAddressUnreachable, "connection failed"},
		} {
			if secure && x.path == "/endless" {
				continue // to encrypt it under the race detector takes most of the time that a look has
			}
			t.Run(fmt.Sprint(secure, x.path, x.status, x.redirects), func(t *testing.T) {
				t.Parallel()
				a := c.Look(context.Background(), collect.Address{URL: base + x.path, Status: x.status, Redirects: x.redirects})
				if a.Code != x.code || a.Code == "" && string(a.Body) != x.body || a.Code != "" && (!strings.Contains(a.Detail, x.body) || a.Body != nil) {
					t.Errorf("%q %q %.40q, want %q %q", a.Code, a.Detail, a.Body, x.code, x.body)
				}
			})
		}
	}
}

// TestLookRefuses holds the places that may not be looked at, with the options that the product uses.
func TestLookRefuses(t *testing.T) {
	t.Parallel()
	base, _ := site(t, false, func(http.ResponseWriter, *http.Request) { t.Error("this machine was asked") })
	secure, _ := site(t, true, func(http.ResponseWriter, *http.Request) { t.Error("this machine was asked") })
	_, port, err := net.SplitHostPort(strings.TrimPrefix(secure, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	c := New(Options{})
	for _, u := range []string{
		base, secure, "https://localhost:" + port + "/", "https://127.1.2.3:" + port + "/", "https://[::ffff:127.0.0.1]:" + port + "/", "https://[::1]:" + port + "/", "https://0.0.0.0:" + port + "/",
		"http://example.com/", "ftp://example.com/", "file:///etc/passwd", "https://me@example.com/", "https:///x", "https:example.com", "//example.com", "", "://", "https://169.254.169.254/",
	} {
		if a := c.Look(context.Background(), collect.Address{URL: u, Status: 200}); a.Code != evidence.CodeAddressRefused || strings.Contains(a.Detail, "127.") {
			t.Errorf("%s: %+v", u, a)
		}
	}
}

// TestLookFails holds that what is said of a failure names no address of this machine's network.
func TestLookFails(t *testing.T) {
	t.Parallel()
	base, _ := site(t, true, func(http.ResponseWriter, *http.Request) {})
	stranger := New(Options{Loopback: true, Roots: x509.NewCertPool()})
	if a := stranger.Look(context.Background(), collect.Address{URL: base, Status: 200}); a.Code != evidence.CodeAddressUnreachable || !strings.Contains(a.Detail, "certificate") {
		t.Errorf("a certificate of nobody: %+v", a)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	if a := stranger.Look(context.Background(), collect.Address{URL: gone.URL, Status: 200}); a.Code != evidence.CodeAddressUnreachable || strings.Contains(a.Detail, "127.") {
		t.Errorf("nobody there: %+v", a)
	}
	slow, c := site(t, false, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer stop()
	if a := c.Look(ctx, collect.Address{URL: slow, Status: 200}); a.Code != evidence.CodeAddressUnreachable || !strings.Contains(a.Detail, "in time") {
		t.Errorf("too slow: %+v", a)
	}
	for err, want := range map[error]string{
		&net.DNSError{IsNotFound: true, Server: "10.0.0.2:53"}:        "no address",
		&net.DNSError{IsTimeout: true, Server: "10.0.0.2:53"}:         "in time",
		&net.DNSError{Err: "refused", Server: "10.0.0.2:53"}:          "looked up",
		&url.Error{Op: "Get", Err: errors.New("dial tcp 10.0.0.1:1")}: "connection failed",
	} {
		if a := failed(err, 0); !strings.Contains(a.Detail, want) || strings.Contains(a.Detail, "10.") {
			t.Errorf("%v: %+v", err, a)
		}
	}
}

// TestNoProxy holds that the environment cannot put anybody between.
func TestNoProxy(t *testing.T) {
	proxy, _ := site(t, false, func(http.ResponseWriter, *http.Request) { t.Error("a proxy was asked") })
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy)
	}
	base, c := site(t, true, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "direct") })
	if a := c.Look(context.Background(), collect.Address{URL: base, Status: 200}); string(a.Body) != "direct" {
		t.Errorf("%+v", a)
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	if err := Pause(context.Background(), time.Millisecond); err != nil {
		t.Error(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if err := Pause(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
