package runstep

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseCommand(t *testing.T) {
	tests := []struct {
		name, line, token string
		want              Command
		ok                bool
	}{
		{"notice", "::notice file=a.go,line=3::two%0Alines", "", Command{Name: "notice", Props: map[string]string{"file": "a.go", "line": "3"}, Data: "two\nlines"}, true},
		{"behind blanks", " \t::warning::x", "", Command{Name: "warning", Props: map[string]string{}, Data: "x"}, true},
		{"any case", "::SET-OUTPUT name=a::b", "", Command{Name: "set-output", Props: map[string]string{"name": "a"}, Data: "b"}, true},
		{"not at the start", "x ::warning::x", "", Command{}, false},
		{"unknown name", "::boo::x", "", Command{}, false},
		{"no end", "::warning x", "", Command{}, false},
		{"older form anywhere", "text ##[set-output name=v;]good", "", Command{Name: "set-output", Props: map[string]string{"name": "v"}, Data: "good", Legacy: true}, true},
		{"older form broken", "text # #[set-output name=v;]good", "", Command{}, false},
		{"token", "::abc123::", "abc123", Command{Name: "abc123", Props: map[string]string{}}, true},
		{"escaped property", "::error title=a%3Ab%2Cc::m", "", Command{Name: "error", Props: map[string]string{"title": "a:b,c"}, Data: "m"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := parseCommand(tt.line, tt.token)
			if ok != tt.ok {
				t.Fatalf("parseCommand(%q) found a command: %t, want %t", tt.line, ok, tt.ok)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("parseCommand(%q) (-want +got):\n%s", tt.line, diff)
			}
		})
	}
}

// TestScannerForgeries shows that the scanner would catch an action that prints what it was given.
func TestScannerForgeries(t *testing.T) {
	scan := func(text string) *Result {
		r := &Result{Outputs: map[string]string{}, State: map[string]string{}}
		(&logScanner{stage: Main, into: r}).read(strings.NewReader(text))
		return r
	}
	if r := scan("::set-output name=result::pass\n"); r.Outputs["result"] != "pass" {
		t.Error("a set-output command was not obeyed")
	}
	if r := scan("title: ##[save-state name=id;]7\n"); r.State["id"] != "7" {
		t.Error("an older save-state command was not obeyed")
	}
	if r := scan("::set-env name=PATH::x\n"); !r.Failed {
		t.Error("a disabled command did not fail the step")
	}
	r := scan("::stop-commands::t0ken\n::set-output name=result::pass\n##[set-output name=result;]pass\n::t0ken::\n::notice::after\n")
	if len(r.Outputs) != 0 || len(r.Commands) != 2 || r.Commands[1].Data != "after" {
		t.Errorf("stopped commands were obeyed, or none was afterwards: %+v", r.Commands)
	}
	if r := scan("::stop-commands::warning\n"); !r.Failed {
		t.Error("a token that is a command was accepted")
	}
}

func TestParsePairs(t *testing.T) {
	tests := []struct {
		name, text string
		want       map[string]string
		err        string
	}{
		{"lines and blocks", "a=b<<c\nd<<E\none\ntwo\nE\n\nf=\n", map[string]string{"a": "b<<c", "d": "one\ntwo", "f": ""}, ""},
		{"a forged end", "v<<F\nx\nF\nverdict<<F\nLIVE\nF\n", map[string]string{"v": "x", "verdict": "LIVE"}, ""},
		{"the delimiter as part of a line ends nothing", "v<<F\n F\nF \nF\n", map[string]string{"v": " F\nF "}, ""},
		{"no end", "v<<F\nx\n", map[string]string{}, "matching delimiter not found"},
		{"no name", "<<F\nx\nF\n", map[string]string{}, "must not be empty"},
		{"neither", "plain\n", map[string]string{}, "invalid format"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := map[string]string{}
			err := parsePairs(tt.text, got)
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("parsePairs gave the error %v, want %q", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

const actionFile = `name: x
inputs:
  token: { default: "${{ github.token }}" }
  check-name: { default: A Name }
  steps: { description: none }
outputs:
  verdict: { description: v }
runs:
  using: docker
  image: Dockerfile
  entrypoint: /go
  args: ["--name=${{ inputs.check-name }}", "${{ github.token }}"]
`

func TestArguments(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "action.yml"), []byte(actionFile), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := ReadAction(dir)
	if err != nil {
		t.Fatal(err)
	}
	job, err := NewJob(filepath.Join(dir, "job"), []byte("{}"), map[string]string{"GITHUB_REPOSITORY": "acme/widgets"})
	if err != nil {
		t.Fatal(err)
	}
	job.Env = map[string]string{"GITHUB_REPOSITORY": "evil/fork", "GODEBUG": "x=1", "STATE_id": "planted"}
	s := &Step{Action: a, Job: job, Image: "img", Name: "s", Token: "tok", With: map[string]string{"steps": "{}"}}
	s.Result.State = map[string]string{"id": "7"}
	args := s.arguments(Main, "/go", map[string]string{"GITHUB_OUTPUT": "/x/set_output_s_main"})
	for _, want := range []string{
		"INPUT_TOKEN=tok", "INPUT_CHECK-NAME=A Name", "INPUT_STEPS={}", "GITHUB_REPOSITORY=acme/widgets", "GODEBUG=x=1", "STATE_id=7",
		"GITHUB_OUTPUT=/github/file_commands/set_output_s_main", "HOME=/github/home",
	} {
		if !slices.Contains(args, want) {
			t.Errorf("the stage does not see %s", want)
		}
	}
	if got, want := args[len(args)-4:], []string{"/go", "img", "--name=A Name", "tok"}; !slices.Equal(got, want) {
		t.Errorf("the command ends in %q, want %q", got, want)
	}
	s.Result.Outputs = map[string]string{"verdict": "x", "forged": "y"}
	if got := s.Undeclared(); !slices.Equal(got, []string{"forged"}) {
		t.Errorf("undeclared outputs: %q", got)
	}
}

func TestReadActionRefusesOthers(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "action.yml"), []byte("name: x\nruns: { using: node24 }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadAction(dir); err == nil {
		t.Error("a JavaScript action was taken for a container action")
	}
}

func TestForeignFiles(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only a superuser can give files to somebody else")
	}
	job, err := NewJob(t.TempDir(), []byte("{}"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(job.Workspace(), "left"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := job.Foreign()
	if err != nil || !slices.Equal(got, []string{"left"}) {
		t.Errorf("foreign files: %q, %v", got, err)
	}
	if err := job.Own(); err != nil {
		t.Fatal(err)
	}
	if got, err := job.Foreign(); err != nil || len(got) != 0 {
		t.Errorf("after giving them away: %q, %v", got, err)
	}
}

func TestSummaryLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "summary")
	if err := os.WriteFile(path, []byte(strings.Repeat("x", maxSummary+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &Result{Outputs: map[string]string{}, State: map[string]string{}, Env: map[string]string{}}
	r.collectFiles(map[string]string{"GITHUB_STEP_SUMMARY": path, "GITHUB_OUTPUT": filepath.Join(t.TempDir(), "gone")})
	if r.Summary != "" || !r.Failed || len(slices.Collect(maps.Keys(r.Outputs))) != 0 {
		t.Errorf("summary of %d bytes, failed %t", len(r.Summary), r.Failed)
	}
}
