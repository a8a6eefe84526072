package e2e

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/e2e/runstep"
)

// The certificate of httptest is good for this name, which no loopback rule of any client knows.
const enterpriseHost = "example.com"

// startTLS serves like a GitHub Enterprise Server whose authority nobody knows.
func startTLS(s *httptest.Server) {
	s.EnableHTTP2 = true // as github.com
	s.StartTLS()
}

// enterprise is a run against a server with an authority of its own, which the input ca-file names.
func enterprise(t *testing.T, h *hub, trusted bool) settings {
	t.Helper()
	u, err := url.Parse(h.server.URL)
	must(t, err)
	with := settings{
		api: "https://" + enterpriseHost + ":" + u.Port() + "/api/v3", hosts: []string{enterpriseHost + ":127.0.0.1"}, with: map[string]string{},
	}
	if trusted {
		with.with["ca-file"] = "/github/runner_temp/ca.pem"
	}
	with.before = func(t *testing.T, s *scene) {
		der := h.server.Certificate().Raw
		must(t, os.WriteFile(filepath.Join(s.job.Temp(), "ca.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644))
		must(t, os.MkdirAll(filepath.Join(s.job.Temp(), "certs"), 0o755))
		must(t, os.WriteFile(filepath.Join(s.job.Temp(), "certs", "ca.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644))
		must(t, s.job.Own())
	}
	return with
}

func TestEnterpriseServer(t *testing.T) {
	h := open(t, goodChange(), settings{serve: startTLS})
	h.judge(t, runID, 1, enterprise(t, h, true)).agree(t, passed())
}

// TestPlantedCertificates: an authority that an earlier step named in the environment is nobody's. With it, a
// forged API would be believed.
func TestPlantedCertificates(t *testing.T) {
	h := open(t, goodChange(), settings{serve: startTLS})
	with := enterprise(t, h, false)
	with.env = map[string]string{
		"SSL_CERT_FILE": "/github/runner_temp/ca.pem", "SSL_CERT_DIR": "/github/runner_temp/certs",
		"GODEBUG": "x509usefallbackroots=1,x509negativeserial=1,tlsrsakex=1", "NODE_EXTRA_CA_CERTS": "/github/runner_temp/ca.pem",
	}
	s := h.judge(t, runID, 1, with)
	if got := s.step.Result.Exit[runstep.Main]; got != 3 {
		t.Errorf("exit code %d, want 3", got)
	}
	if n := len(h.Requests()); n > 0 {
		t.Errorf("the forged API was asked %d times", n)
	}
	if !strings.Contains(s.step.Result.Summary, "certificate") {
		t.Errorf("the summary does not say why:\n%s", s.step.Result.Summary)
	}
}

// proxy counts who connects to it, and answers nobody.
type proxy struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
}

func newProxy(t *testing.T) *proxy {
	t.Helper()
	p := &proxy{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.seen = append(p.seen, r.Method+" "+r.Host)
		p.mu.Unlock()
		http.Error(w, "no", http.StatusBadGateway)
	}))
	t.Cleanup(p.Close)
	return p
}

// TestPlantedEnvironment: whatever earlier steps set, the gate asks the same and finds the same.
func TestPlantedEnvironment(t *testing.T) {
	first := open(t, goodChange(), settings{serve: startTLS})
	plain := first.judge(t, runID, 1, enterprise(t, first, true))
	plain.agree(t, passed())
	p := newProxy(t)
	env := map[string]string{"GODEBUG": "http2debug=2,netdns=go+9,x509usefallbackroots=1", "GOTRACEBACK": "crash", "GOMAXPROCS": "1", "GOGC": "1"}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		env[name] = p.URL
	}
	for name := range plain.step.Result.State {
		env["STATE_"+name] = time.Now().Add(-24 * time.Hour).UTC().Format(time.RFC3339)
	}
	for _, name := range []string{"GATE_CONTRACT", "GATE_MODE", "GATE_RESULT", "GATE_NOW", "GATE_DEBUG", "OUTCOME_GATE_CONTRACT"} {
		env[name] = "observe"
	}
	// Names that inputs and the runner's variables have must not be reachable by other spellings.
	for name, value := range map[string]string{
		"INPUT_CHECK_NAME": "Forged", "INPUT_CONTRACT_PATH": "price.sh", "RUNNER_TRACKING_ID": "x", "TMPDIR": "/github/workspace",
		"SSL_CERT_FILE": "/github/workspace/none.pem", "SSL_CERT_DIR": "/github/workspace", "TZ": "Pacific/Kiritimati", "HOME": "/github/workspace",
		"GIT_DIR": "/github/workspace/reports", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.bare", "GIT_CONFIG_VALUE_0": "true",
	} {
		env[name] = value
	}
	second := open(t, goodChange(), settings{serve: startTLS})
	with := enterprise(t, second, true)
	with.env = env
	s := second.judge(t, runID, 1, with)
	s.agree(t, passed())
	if len(p.seen) > 0 {
		t.Errorf("a planted proxy was asked: %q", p.seen)
	}
	a, b := stable(t, read(t, plain.receiptPath())), stable(t, read(t, s.receiptPath()))
	if string(a) != string(b) {
		t.Errorf("the receipts differ:\n%s\n%s", a, b)
	}
	want, got := asked(first), asked(second)
	if strings.Join(want, "\n") != strings.Join(got, "\n") {
		t.Errorf("other requests than without it:\n%s\n\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
}

// since is the time from which a list is asked for, which differs from run to run.
var since = regexp.MustCompile(`since=[^&]*`)

// asked are the requests of a world, in order.
func asked(h *hub) []string {
	var out []string
	for _, r := range h.Requests() {
		out = append(out, r.Method+" "+since.ReplaceAllString(r.URI, "since=TIME"))
	}
	return out
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return data
}

// stable is a JSON document without its times, and without the digest that covers them.
func stable(t *testing.T, data []byte) []byte {
	t.Helper()
	var v any
	must(t, json.Unmarshal(data, &v))
	var strip func(any) any
	strip = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for k := range v {
				if k == "digest" || strings.HasSuffix(k, "skew_seconds") {
					delete(v, k)
					continue
				}
				v[k] = strip(v[k])
			}
		case []any:
			for i := range v {
				v[i] = strip(v[i])
			}
		case string:
			if _, err := time.Parse(time.RFC3339, v); err == nil {
				return "a time"
			}
		}
		return v
	}
	out, err := json.Marshal(strip(v))
	must(t, err)
	return out
}
