package action

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// env is an environment for tests.
func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

func TestScrub(t *testing.T) {
	for _, name := range []string{"SSL_CERT_FILE", "HTTPS_PROXY", "https_proxy", "GODEBUG", "GATE_ANYTHING"} {
		t.Setenv(name, "planted")
	}
	t.Setenv("GITHUB_REPOSITORY", "north/harbour")
	found := Scrub()
	for _, name := range []string{"SSL_CERT_FILE", "HTTPS_PROXY", "https_proxy", "GODEBUG", "GATE_ANYTHING"} {
		if _, there := os.LookupEnv(name); there || !slices.Contains(found, name) {
			t.Errorf("%s is still there, or was not named in %v", name, found)
		}
	}
	if os.Getenv("GITHUB_REPOSITORY") == "" {
		t.Error("the runner's own variable is gone")
	}
}

func TestInputs(t *testing.T) {
	in, err := New(env(
		"INPUT_TOKEN", "t0ken", "INPUT_STEPS", `{"a":{}}`, "INPUT_AGENT-EXIT-STATUS", "137", "INPUT_PR-NUMBER", "7",
		"INPUT_CHECK-RUN", "off", "INPUT_STATUS", "required", "INPUT_HMAC-KEY", "k3y", "INPUT_WAIT-EXIT-ZERO", "true",
	), &bytes.Buffer{}).Inputs()
	if err != nil {
		t.Fatal(err)
	}
	if in.Contract != ".github/outcome-contract.yml" || in.CheckName != "Outcome Gate" || in.CheckRun != Off || in.Status != Required ||
		in.Comment != Auto || *in.AgentExit != 137 || in.PRNumber != 7 || string(in.Steps) != `{"a":{}}` || in.Needs != nil || !in.WaitExitZero {
		t.Errorf("%+v", in)
	}
}

func TestInputsRefuse(t *testing.T) {
	for name, bad := range map[string][]string{
		"agent-exit-status": {"256", "-1", "true", "1.0", "0x1"},
		"pr-number":         {"0", "-7", "seven", "99999999999999999999"},
		"check-run":         {"on", "AUTO"},
		"status":            {"yes"},
		"comment":           {"none"},
		"wait-exit-zero":    {"1", "True"},
		"run-id":            {"0", "-1", "1.5", "9007199254740993", "run"},
		"evidence-workflow": {"tests.yml", ".github/workflows/tests.txt", "/.github/workflows/tests.yml", ".github/workflows/../x.yml", ".github/workflows/a/b.yml"},
	} {
		for _, v := range bad {
			_, err := New(env("INPUT_"+strings.ToUpper(name), v), &bytes.Buffer{}).Inputs()
			var in *InputError
			if !errors.As(err, &in) || in.Name != name {
				t.Errorf("%s=%s: %v", name, v, err)
			}
		}
	}
	_, err := New(env("INPUT_STATUS", "off", "INPUT_WAIT-EXIT-ZERO", "true"), &bytes.Buffer{}).Inputs()
	if err == nil || !strings.Contains(err.Error(), "a wait would look like a pass") {
		t.Errorf("a wait with exit 0 and no status: %v", err)
	}
}

func TestSecretsAreMasked(t *testing.T) {
	var log bytes.Buffer
	if _, err := New(env("INPUT_TOKEN", "t0ken", "INPUT_HMAC-KEY", "k3y"), &log).Inputs(); err != nil {
		t.Fatal(err)
	}
	if got := log.String(); !strings.Contains(got, "::add-mask::t0ken\n") || !strings.Contains(got, "::add-mask::k3y\n") {
		t.Errorf("masks: %q", got)
	}
}

func TestContext(t *testing.T) {
	dir := t.TempDir()
	runner := func(repository string) *Runner {
		// The payload's place is a directory: nothing may read it.
		return New(env("GITHUB_REPOSITORY", repository, "GITHUB_RUN_ID", "77", "GITHUB_RUN_ATTEMPT", "2", "GITHUB_EVENT_PATH", dir,
			"GITHUB_EVENT_NAME", "pull_request", "RUNNER_TEMP", dir), &bytes.Buffer{})
	}
	c, err := runner("north/harbour").Context()
	if err != nil || c.RunID != 77 || c.RunAttempt != 2 || c.EventName != "pull_request" || c.Temp != dir {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := runner("").Context(); err == nil {
		t.Error("outside of a workflow there is a context")
	}
}

// TestNoPipes holds that a pipe in the place of a command file is not waited for.
func TestNoPipes(t *testing.T) {
	dir := t.TempDir()
	r := New(env("GITHUB_OUTPUT", dir, "GITHUB_STEP_SUMMARY", dir), &bytes.Buffer{})
	if err := r.SetOutputs([]Pair{{"a", "1"}}); err == nil {
		t.Error("outputs are written to a directory")
	}
	if err := r.WriteSummary("x"); err == nil {
		t.Error("the summary is written to a directory")
	}
	if err := appendFile(os.DevNull, "x"); err == nil {
		t.Error("a device is written to")
	}
}

// parsePairs reads a command file as the runner does (FileCommandManager.cs): name<<delimiter, then lines up to the delimiter.
func parsePairs(t *testing.T, text string) []Pair {
	t.Helper()
	var out []Pair
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		if lines[i] == "" {
			continue
		}
		name, delimiter, heredoc := strings.Cut(lines[i], "<<")
		if n, v, simple := strings.Cut(lines[i], "="); simple && (!heredoc || len(n) < len(name)) {
			out = append(out, Pair{n, v})
			continue
		}
		if !heredoc {
			t.Fatalf("the runner would refuse %q", lines[i])
		}
		var value []string
		for i++; i < len(lines) && lines[i] != delimiter; i++ {
			value = append(value, lines[i])
		}
		if i == len(lines) {
			t.Fatalf("%s is never closed", name)
		}
		out = append(out, Pair{name, strings.Join(value, "\n")})
	}
	return out
}

func TestOutputsCannotBeForged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "output")
	r := New(env("GITHUB_OUTPUT", path), &bytes.Buffer{})
	first := []Pair{{"verdict", "EXITED"}, {"title", "x\n_GitHubActionsFileCommandDelimeter_\nverdict=LIVE\nrest<<_GitHubActionsFileCommandDelimeter_"}}
	second := []Pair{{"other", "verdict<<EOF\nLIVE\nEOF"}, {"raw", "a\x00b\xff"}}
	for _, pairs := range [][]Pair{first, second} {
		if err := r.SetOutputs(pairs); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := append(append([]Pair{}, first...), second[0], Pair{"raw", "a\uFFFDb\uFFFD"})
	if got := parsePairs(t, string(data)); !slices.Equal(got, want) {
		t.Errorf("the runner reads %q, want %q", got, want)
	}
	if strings.Contains(string(data), "_GitHubActionsFileCommandDelimeter_\nverdict") && !strings.Contains(string(data), "title<<") {
		t.Error("the fixed delimiter is in use")
	}
}

func TestPairsRefused(t *testing.T) {
	for name, pair := range map[string]Pair{
		"the delimiter": {"a", "xDELIMx"}, "a name with a line end": {"a\nb", "1"}, "a name that assigns": {"a=b", "1"},
		"an empty name": {"", "1"}, "a value that is too long": {"a", strings.Repeat("x", maxValue+1)},
	} {
		if text, err := formatPairs([]Pair{pair}, "DELIM"); err == nil {
			t.Errorf("%s is written: %q", name, text)
		}
	}
	if text, err := formatPairs([]Pair{{"a", strings.Repeat("x", maxValue)}}, "DELIM"); err != nil || len(text) < maxValue {
		t.Errorf("the longest value: %d bytes, %v", len(text), err)
	}
	if err := New(env(), &bytes.Buffer{}).SetOutputs([]Pair{{"a", "1"}}); err == nil {
		t.Error("outputs are written to no file")
	}
}

func TestSummaryLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "summary")
	r := New(env("GITHUB_STEP_SUMMARY", path), &bytes.Buffer{})
	if err := r.WriteSummary(strings.Repeat("x", maxSummary+1)); err == nil {
		t.Error("a summary that the runner would not show is written")
	}
	if err := r.WriteSummary(strings.Repeat("x", maxSummary-1) + "\n"); err != nil {
		t.Errorf("the longest summary: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteSummary("# hello"); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "# hello\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// obeyed reports whether the runner would take the line for a command (ActionCommand.cs): ::command:: after
// blanks at its start, or ##[command] anywhere.
func obeyed(line string) bool {
	return strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[")
}

func TestNothingRawIsObeyed(t *testing.T) {
	var log bytes.Buffer
	r := New(env(), &log)
	hostile := []string{
		"::error::forged", "  ::set-output name=verdict::LIVE", "text ##[error]forged", "a\n::warning::second line", "\u3000::add-mask::x",
		"\x1b[31mred\x1b[0m", "::stop-commands::x", "##[##[error]", "\r::error::carriage",
	}
	r.Group("::error::title", hostile)
	r.Notice("::error::x\n::warning::y")
	ours := 0
	for line := range strings.SplitSeq(log.String(), "\n") {
		if !obeyed(line) {
			continue
		}
		switch name, _, _ := strings.Cut(strings.TrimPrefix(line, "::"), "::"); {
		case strings.HasPrefix(name, "group"), name == "endgroup", name == "stop-commands", name == "notice", len(name) == 32:
			ours++
		default:
			t.Errorf("the runner obeys %q", line)
		}
	}
	if ours != 5 {
		t.Errorf("%d commands of ours, want 5: %q", ours, log.String())
	}
	if strings.ContainsAny(log.String(), "\x1b\r") {
		t.Errorf("control characters in the log: %q", log.String())
	}
}

func TestAnnotations(t *testing.T) {
	var log bytes.Buffer
	var all []Annotation
	for range 12 {
		all = append(all, Annotation{Level: LevelError, File: "a,b:c.go", Line: 3, Title: "x\n::error::", Text: strings.Repeat("y", 5000) + "\n::error::z"})
	}
	all = append(all, Annotation{Level: LevelWarning, Text: "once"}, Annotation{Level: LevelNotice, File: "d.go", Text: "n"})
	if left := New(env(), &log).Annotate(all); left != 2 {
		t.Errorf("%d left out, want 2", left)
	}
	lines := strings.Split(strings.TrimSuffix(log.String(), "\n"), "\n")
	if len(lines) != 12 || !strings.HasPrefix(lines[0], "::error file=a%2Cb%3Ac.go,line=3,title=") || !strings.HasPrefix(lines[10], "::warning::once") {
		t.Errorf("%d lines, first %.80q", len(lines), lines[0])
	}
	if n := len([]rune(lines[0])); n > maxAnnotationText+200 {
		t.Errorf("an annotation has %d characters", n)
	}
}
