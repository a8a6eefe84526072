package stage

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// What may never come out of a run.
const (
	plantedToken   = "ghs_pl4ntedT0kenXyzzy9876543210"
	plantedKey     = "pl4nted-key-of-digests+/=&?"
	plantedRuntime = "pl4nted-token-of-the-runtime"
)

// spellings are the forms in which a secret may come out: as it is, escaped for a URL, in hex, and in base64, where the
// bytes before it decide among three.
func spellings(secret string) []string {
	out := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), hex.EncodeToString([]byte(secret))}
	for before := range 3 {
		coded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + secret))
		out = append(out, coded[4*((before+2)/3):len(coded)-2])
	}
	return out
}

// shows lists which secrets stand in a text. The runner's own command that masks one is none of it: the runner takes it
// out of the log.
func shows(text string, secrets ...string) (found []string) {
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "::add-mask::") {
			kept = append(kept, line)
		}
	}
	text = strings.Join(kept, "")
	for _, s := range secrets {
		for _, form := range spellings(s) {
			if strings.Contains(text, form) {
				found = append(found, form)
			}
		}
	}
	return found
}

// TestShows shows that a secret is seen in each form, and that nothing else is.
func TestShows(t *testing.T) {
	for before := range 5 {
		whole := strings.Repeat("y", before) + plantedKey + "zz"
		for name, text := range map[string]string{
			"plain": whole, "base64": base64.StdEncoding.EncodeToString([]byte(whole)), "hex": hex.EncodeToString([]byte(whole)), "query": url.QueryEscape(whole), "path": url.PathEscape(whole),
		} {
			if len(shows(text, plantedKey)) == 0 {
				t.Errorf("%s with %d bytes before is not seen: %s", name, before, text)
			}
		}
	}
	if found := shows("::add-mask::"+plantedKey+"\nghs_ pl4nted\n", plantedKey, plantedToken); len(found) > 0 {
		t.Errorf("%q is seen where there is none", found)
	}
}

// leaks searches everything that a run left: the log, every file in the runner's folder, and all that stands on GitHub.
func (s *scene) leaks(name string, secrets ...string) {
	s.t.Helper()
	texts := map[string]string{"log": s.log.String()}
	files, err := filepath.Glob(filepath.Join(s.temp, "*"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			s.t.Fatal(err)
		}
		texts[filepath.Base(f)] = string(data)
	}
	s.change(func(r *fakegithub.Repository) {
		data, err := json.Marshal([]any{r.CheckRuns, r.Statuses, r.Comments})
		if err != nil {
			s.t.Fatal(err)
		}
		texts["GitHub"] = string(data)
	})
	for where, text := range texts {
		if found := shows(text, secrets...); len(found) > 0 {
			s.t.Errorf("%s: %s shows %q:\n%s", name, where, found, text)
		}
	}
}

// secretScene is a scene whose token, key and environment hold secrets, and whose contract wants a keyed digest.
func secretScene(t *testing.T) (*scene, []string) {
	s := newScene(t)
	s.world.Change(func(d *fakegithub.Data) { d.Tokens[plantedToken] = d.Tokens[token] })
	s.env["INPUT_TOKEN"], s.env["INPUT_HMAC-KEY"] = plantedToken, plantedKey
	for _, name := range []string{"ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY"} {
		s.env[name] = plantedRuntime
		t.Setenv(name, plantedRuntime)
	}
	const pin = "4711\n"
	mac := hmac.New(sha256.New, []byte(plantedKey))
	mac.Write([]byte(pin))
	s.write("out/pin", pin)
	s.contract(agreed + fmt.Sprintf("  - id: pin\n    artifact: { files: out/pin, hmac_sha256: %q }\n", hex.EncodeToString(mac.Sum(nil))))
	plain := sha256.Sum256([]byte(pin)) // by which four digits are found
	return s, []string{plantedToken, plantedKey, plantedRuntime, hex.EncodeToString(plain[:])}
}

// TestNoSecretComesOut holds that no run shows a token, a key or the plain digest of what has a keyed one, on no surface
// and in no file, whatever it comes to.
func TestNoSecretComesOut(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(*scene)
		code    int
	}{
		{"a pass", func(*scene) {}, 0},
		{"red tests", func(s *scene) { s.write("out/junit.xml", red) }, 1},
		{"other bytes", func(s *scene) { s.write("out/pin", "4712\n") }, 1},
		{"no key", func(s *scene) { delete(s.env, "INPUT_HMAC-KEY") }, 1},
		{"a broken contract", func(s *scene) { s.contract("version: 1\noutcome: []\n") }, 2},
		{"an event that is not judged", func(s *scene) { s.env["GITHUB_EVENT_NAME"] = "release" }, 3},
		{"a mistake in an input", func(s *scene) { s.env["INPUT_STEPS"] = "{" }, 2},
		{"a token of two lines", func(s *scene) { s.env["INPUT_TOKEN"] = plantedToken + "\n" + plantedToken }, 2},
		{"an address with the token", func(s *scene) { s.env["GITHUB_API_URL"] = "https://" + plantedToken + "@127.0.0.1:1/" }, 2},
		{"an address with user and token", func(s *scene) { s.env["GITHUB_API_URL"] = "https://x:" + plantedToken + "@127.0.0.1:1/" }, 2},
		{"a broken address with the token", func(s *scene) { s.env["GITHUB_API_URL"] = "https://x:" + plantedToken + "@127.0.0.1:y/" }, 2},
		{"nobody there", func(s *scene) { s.env["GITHUB_API_URL"] = "http://127.0.0.1:1" }, 3},
		{"a comment that is required and refused", func(s *scene) {
			s.env["INPUT_COMMENT"] = "required"
			s.echo("^POST .*/comments", 403)
		}, 3},
	} {
		s, secrets := secretScene(t)
		c.prepare(s)
		for stage, run := range map[string]func(context.Context, Options) int{"pre": Pre, "main": Main, "post": Post} {
			o := s.options()
			if code := run(t.Context(), o); stage == "main" && code != c.code {
				t.Errorf("%s: exit %d, want %d\n%s", c.name, code, c.code, s.log.String())
			}
			s.leaks(c.name+", "+stage, secrets...)
		}
	}
	s, secrets := secretScene(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	Main(ctx, s.options())
	s.leaks("interrupted", secrets...)
}

// echo makes GitHub answer with what it was sent.
func (s *scene) echo(match string, status int) {
	s.t.Helper()
	body := fmt.Sprintf(`{"message":"Authorization: Bearer %[1]s is not accepted","errors":[{"message":"token %[1]s"},"%[1]s"],"documentation_url":"https://x:%[1]s@docs.github.com/rest"}`, plantedToken)
	if err := s.world.Fault(fakegithub.Fault{Match: match, Status: status, Times: -1, Body: body, Headers: map[string]string{"X-Echo": plantedToken}}); err != nil {
		s.t.Fatal(err)
	}
}

// TestNoSecretComesBack holds the same where GitHub repeats the token in its answer to each of a run's requests.
func TestNoSecretComesBack(t *testing.T) {
	plain, _ := secretScene(t)
	if code := Main(t.Context(), plain.options()); code != 0 {
		t.Fatalf("exit %d\n%s", code, plain.log.String())
	}
	calls := plain.world.Requests()
	if len(calls) < 10 {
		t.Fatalf("only %d requests", len(calls))
	}
	for _, call := range calls {
		path, _, _ := strings.Cut(call.URI, "?")
		for _, status := range []int{401, 422} {
			s, secrets := secretScene(t)
			s.echo("^"+call.Method+" .*"+strings.NewReplacer(".", `\.`).Replace(path), status)
			Main(t.Context(), s.options())
			s.leaks(fmt.Sprintf("%s %s: %d", call.Method, path, status), secrets...)
		}
	}
}
