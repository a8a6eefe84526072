//go:build unix

package collect

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

func run(t *testing.T, dir, script string, timeout time.Duration) evidence.CommandResult {
	t.Helper()
	return RunCommand(context.Background(), open(t, dir, Limits{}), Command{Run: []string{"/bin/sh", "-c", script}, Timeout: timeout})
}

func TestRunCommandSaysHowItEnded(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		script string
		code   int
		out    string
	}{
		{"echo out; echo err >&2", 0, "out\nerr\n"}, {"exit 3", 3, ""}, {"kill -TERM $$", 143, ""}, {"exit 126", 126, ""},
		{"cat; pwd -P >/dev/null && test \"$(pwd -P)\" = \"$(cd " + dir + " && pwd -P)\"", 0, ""},
	} {
		if r := run(t, dir, c.script, time.Minute); !r.Ran || r.ExitCode != c.code || r.TimedOut || r.Output != c.out {
			t.Errorf("%s: got %+v", c.script, r)
		}
	}
	w := open(t, dir, Limits{})
	for _, argv := range [][]string{nil, {""}, {"no-such-program-here"}, {"./absent"}, {dir}} {
		if r := RunCommand(context.Background(), w, Command{Run: argv}); r.Ran || r.Reason == "" {
			t.Errorf("%q: got %+v", argv, r)
		}
	}
	if r := RunCommand(context.Background(), w, Command{Run: []string{"echo", "$HOME; `id`", "*"}}); r.Output != "$HOME; `id` *\n" {
		t.Errorf("a shell read the arguments: %q", r.Output)
	}
}

func TestRunCommandShowsNoSecret(t *testing.T) {
	for _, name := range []string{"GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "LD_PRELOAD_X", "HTTPS_PROXY", "GODEBUG_X"} {
		t.Setenv(name, "planted")
	}
	f, err := os.Open(os.DevNull)
	must(t, err)
	t.Cleanup(func() { release(f) })
	fd, err := syscall.Dup(int(f.Fd())) // a descriptor that this process was started with would look so
	must(t, err)
	t.Cleanup(func() { _ = syscall.Close(fd) })
	r := run(t, t.TempDir(), fmt.Sprintf("env; if [ -e /dev/fd/%d ]; then echo inherited; fi", fd), time.Minute)
	if !r.Ran || r.ExitCode != 0 || strings.Contains(r.Output, "planted") || strings.Contains(r.Output, "inherited") {
		t.Errorf("got %+v", r)
	}
	if !strings.Contains(r.Output, "PATH=") {
		t.Errorf("no PATH: %s", r.Output)
	}
}

// TestRunCommandEnvironment holds the environment of a command to the list of names, by what a shell adds to it.
func TestRunCommandEnvironment(t *testing.T) {
	for _, name := range []string{"GITHUB_TOKEN", "GITHUB_ENV", "SSH_AUTH_SOCK", "INPUT_HMAC-KEY", "GATE_X", "LD_PRELOAD_X", "BASH_ENV_X", "PATH_X", "XPATH"} {
		t.Setenv(name, "planted")
	}
	t.Setenv("LC_ALL", "C")
	allowed := map[string]bool{"PATH": true, "HOME": true, "LANG": true, "LC_ALL": true, "TZ": true, "TMPDIR": true, "PWD": true, "OLDPWD": true, "SHLVL": true, "_": true}
	r := run(t, t.TempDir(), "env", time.Minute)
	if !strings.Contains(r.Output, "LC_ALL=C\n") {
		t.Errorf("the output is no environment: %q", r.Output)
	}
	for line := range strings.Lines(r.Output) {
		if name, _, _ := strings.Cut(line, "="); !allowed[name] {
			t.Errorf("a command sees %s", name)
		}
	}
}

// TestDescriptors holds that a system that lists no descriptors keeps none open.
func TestDescriptors(t *testing.T) {
	if all := descriptors(filepath.Join(t.TempDir(), "absent")); len(all) != blindly-3 || all[0] != 3 {
		t.Errorf("%d descriptors", len(all))
	}
	for _, fd := range descriptors("/dev/fd") {
		if fd < 3 {
			t.Errorf("descriptor %d would be closed", fd)
		}
	}
}

// TestRunCommandWaitsForNobody holds that what a command leaves behind with its output open is not waited for, and does
// not live on.
func TestRunCommandWaitsForNobody(t *testing.T) {
	dir := t.TempDir()
	start := time.Now()
	r := run(t, dir, "(while :; do echo alive >>child; sleep 0.05; done) & echo begun; sleep 0.2; exit 7", time.Minute)
	if !r.Ran || r.ExitCode != 7 || r.TimedOut || !strings.Contains(r.Output, "begun") || time.Since(start) > 30*time.Second {
		t.Errorf("got %+v after %s", r, time.Since(start))
	}
	silent(t, filepath.Join(dir, "child"))
}

func TestRunCommandKillsTheWholeGroup(t *testing.T) {
	dir := t.TempDir()
	start := time.Now()
	r := run(t, dir, "(while :; do echo alive >>child; sleep 0.05; done) & sleep 60", 500*time.Millisecond)
	if !r.TimedOut || r.ExitCode != 137 || time.Since(start) > 30*time.Second {
		t.Errorf("got %+v after %s", r, time.Since(start))
	}
	silent(t, filepath.Join(dir, "child"))

	dir = t.TempDir()
	r = run(t, dir, "(while :; do echo alive >>child; sleep 0.05; done) >/dev/null 2>&1 & sleep 0.2; exit 0", time.Minute)
	if !r.Ran || r.ExitCode != 0 {
		t.Errorf("got %+v", r)
	}
	silent(t, filepath.Join(dir, "child"))
}

// silent fails the test if the file still grows: whoever writes it is alive.
func silent(t *testing.T, path string) {
	t.Helper()
	before, err := os.Stat(path)
	must(t, err)
	time.Sleep(300 * time.Millisecond)
	after, err := os.Stat(path)
	must(t, err)
	if after.Size() != before.Size() {
		t.Errorf("a child survived: %d bytes, then %d", before.Size(), after.Size())
	}
}

func TestRunCommandKeepsTheEndOfAFlood(t *testing.T) {
	r := run(t, t.TempDir(), "yes flood | head -c 5000000; printf 'the \\377 end'", time.Minute)
	if !r.Ran || len(r.Output) > maxOutputTail+10 || !strings.HasSuffix(r.Output, "the \uFFFD end") || !strings.HasPrefix(r.Output, "…") {
		t.Errorf("got %d bytes, %+.40q", len(r.Output), r.Output)
	}
}

func TestRunCommandIsCancelled(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	r := RunCommand(ctx, open(t, t.TempDir(), Limits{}), Command{Run: []string{"sleep", "60"}})
	if r.Ran || r.Reason == "" {
		t.Errorf("got %+v", r)
	}
	ctx, cancel = context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	dir := t.TempDir()
	r = RunCommand(ctx, open(t, dir, Limits{}), Command{Run: []string{"/bin/sh", "-c", "(while :; do echo alive >>child; sleep 0.05; done) & sleep 60"}})
	if r.Ran || r.Reason == "" {
		t.Errorf("got %+v", r)
	}
	silent(t, filepath.Join(dir, "child"))
}

func TestObserveRunsCommandsOnlyWhereAsked(t *testing.T) {
	text := `outcomes: [{id: o, validators: [command: {run: ["sh", "-c", "echo ran >>mark; exit 1"]}]}]`
	k, _ := evidence.KindByName("command")
	for _, here := range []bool{false, true} {
		dir := t.TempDir()
		o := observeOne(t, dir, text, Facts{RunCommands: here})
		_, err := os.Stat(filepath.Join(dir, "mark"))
		got := k.Judge(o.Validators[0].Params, o.Validators[0].Facts)
		want := evidence.Unverified
		if here {
			want = evidence.ValidatorFailed
		}
		if (err == nil) != here || got.State != want {
			t.Errorf("run %v: mark %v, finding %+v", here, err, got)
		}
	}
}

// TestObserveRunsCommandsFirst holds that a command is done before anything is looked at, in an earlier outcome too,
// and that the same command runs once.
func TestObserveRunsCommandsFirst(t *testing.T) {
	dir := t.TempDir()
	text := `outcomes:
  - { id: early, artifact: { files: out.txt } }
  - { id: made, artifact: { files: out.txt }, validators: [ { command: { run: [sh, -c, "echo x >> out.txt"] } } ] }
  - { id: again, validators: [ { command: { run: [sh, -c, "echo x >> out.txt"] } } ] }`
	w := open(t, dir, Limits{})
	obs := Observe(context.Background(), w, parse(t, text), Facts{RunCommands: true})
	for i, want := range []int64{2, 2} {
		if set := obs[i].Artifact; set == nil || set.Total != 1 || set.SizeBytes != want {
			t.Errorf("%s: got %+v, want one file of %d bytes", obs[i].ID, set, want)
		}
	}
	for _, o := range obs[1:] {
		if f := string(o.Validators[0].Facts); !strings.Contains(f, `"ran":true`) {
			t.Errorf("%s: got %s", o.ID, f)
		}
	}
}
