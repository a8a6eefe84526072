//go:build unix

package execute

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// shell is a command of the shell, with its output in out.
func shell(dir, script string, out io.Writer) *Command {
	return &Command{Argv: []string{"sh", "-c", script}, Dir: dir, Stdout: out, Stderr: out, Now: time.Now}
}

func TestRunStatus(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plain"), []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		argv   []string
		status int
		reason string
	}{
		{"success", []string{"true"}, 0, ""},
		{"failure", []string{"sh", "-c", "exit 7"}, 7, ""},
		{"the greatest status", []string{"sh", "-c", "exit 255"}, 255, ""},
		{"killed by itself", []string{"sh", "-c", "kill -KILL $$"}, 128 + 9, ""},
		{"aborted", []string{"sh", "-c", "kill -ABRT $$"}, 128 + 6, ""},
		{"no such name", []string{"no-such-command-anywhere"}, 127, "no-such-command-anywhere"},
		{"no such path", []string{"./absent"}, 127, "absent"},
		{"not executable", []string{"./plain"}, 126, "permission denied"},
		{"a directory", []string{"./"}, 126, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := Run(&Command{Argv: c.argv, Dir: dir, Stdout: io.Discard, Stderr: io.Discard, Now: time.Now}, nil)
			if got.Status != c.status || !strings.Contains(got.Reason, c.reason) || (c.status == 0 && got.Reason != "") {
				t.Errorf("%+v, want status %d and a reason with %q", got, c.status, c.reason)
			}
			if got.StartedAt.IsZero() || got.FinishedAt.Before(got.StartedAt) || got.StartedAt.Location() != time.UTC {
				t.Errorf("from %v to %v", got.StartedAt, got.FinishedAt)
			}
		})
	}
}

// TestRunStreams holds that the command has the streams and the environment of whoever calls.
func TestRunStreams(t *testing.T) {
	t.Setenv("GATE_TEST_SEEN", "as it is")
	var out, errs bytes.Buffer
	c := &Command{Argv: []string{"sh", "-c", `cat; echo "$GATE_TEST_SEEN"; echo aside >&2`}, Stdin: strings.NewReader("in\n"), Stdout: &out, Stderr: &errs, Now: time.Now}
	if e := Run(c, nil); e.Status != 0 || out.String() != "in\nas it is\n" || errs.String() != "aside\n" {
		t.Errorf("%+v, %q, %q", e, out.String(), errs.String())
	}
}

// TestRunClockSetBack holds that a clock that is set back makes no record that ends before it starts.
func TestRunClockSetBack(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 7, 0, 0, 0, time.UTC)
	c := &Command{Argv: []string{"true"}, Now: func() time.Time { now = now.Add(-time.Hour); return now }}
	if e := Run(c, nil); e.FinishedAt.Before(e.StartedAt) {
		t.Errorf("from %v to %v", e.StartedAt, e.FinishedAt)
	}
}

// ready waits until the command has written its first line.
type ready struct {
	first chan struct{}
	text  bytes.Buffer
}

func (r *ready) Write(p []byte) (int, error) {
	if r.text.Len() == 0 {
		close(r.first)
	}
	return r.text.Write(p)
}

// TestRunSignals holds that signals reach the command's whole group and that the command decides what they do.
func TestRunSignals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script string
		signals      []os.Signal
		terminal     bool
		status       int
		out          string
	}{
		{"it ends by the signal", "echo on; sleep 60", []os.Signal{syscall.SIGTERM}, false, 128 + 15, "on\n"},
		{"it ends in its own way", `trap 'echo bye; exit 3' INT; echo on; sleep 60 & wait`, []os.Signal{syscall.SIGINT}, false, 3, "on\nbye\n"},
		{"it goes on", `trap 'echo got' USR1; echo on; sleep 1 & wait; wait; exit 0`, []os.Signal{syscall.SIGUSR1}, false, 0, "on\ngot\n"},
		{"its children get it too", `trap : TERM; echo on; sh -c 'trap "echo child; exit 0" TERM; sleep 60 & wait' & wait; wait; exit 4`, []os.Signal{syscall.SIGTERM}, false, 4, "on\nchild\n"},
		{"on a terminal it is asked to end", "echo on; exec sleep 60", []os.Signal{syscall.SIGTERM}, true, 128 + 15, "on\n"},
		{"on a terminal the keyboard reaches it without help", `trap 'echo twice' INT; echo on; sleep 1 & wait; exit 5`, []os.Signal{syscall.SIGINT}, true, 5, "on\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := &ready{first: make(chan struct{})}
			cmd := shell("", c.script, out)
			cmd.Terminal = c.terminal
			signals := make(chan os.Signal, 1)
			done := make(chan Ended, 1)
			go func() { done <- Run(cmd, signals) }()
			<-out.first
			time.Sleep(50 * time.Millisecond) // let the shell start what it waits for
			for _, s := range c.signals {
				signals <- s
			}
			select {
			case e := <-done:
				if e.Status != c.status || out.text.String() != c.out {
					t.Errorf("%+v, output %q; want %d, %q", e, out.text.String(), c.status, c.out)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("it does not end")
			}
		})
	}
}

func TestSignals(t *testing.T) {
	t.Parallel()
	if got := Signals(); !slices.Contains(got, os.Signal(syscall.SIGTERM)) || !slices.Contains(got, os.Interrupt) {
		t.Errorf("signals that end a step are not passed on: %v", got)
	}
}

// recorded runs a script under a recorder and reads its record as exit_code does.
func recorded(t *testing.T, dir string, target Target, script string) (*Ended, *evidence.ExitRecord, []string) {
	t.Helper()
	var said []string
	r := Recorder{Workspace: dir, Target: target, Say: func(f string, a ...any) { said = append(said, fmt.Sprintf(f, a...)) }}
	e, err := r.Run(context.Background(), shell(dir, script, io.Discard), nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(target.File)))
	if err != nil {
		t.Fatal(err)
	}
	rec := new(evidence.ExitRecord)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(rec); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(target.File)) + ".*")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	return e, rec, said
}

const (
	sumA = "559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd" // "A"
	sumB = "df7e70e5021544f4834bbee64a9e3789febc4be81470df629cad6ddb03320a5c" // "B"
)

func TestRecorder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script string
		status       int
		artifacts    []evidence.ExitArtifact
	}{
		{"nothing changes", "test -f out/a", 0, []evidence.ExitArtifact{{Path: "out/a", SHA256Before: sumA, SHA256After: sumA}}},
		{"it fails and is recorded", "exit 3", 3, []evidence.ExitArtifact{{Path: "out/a", SHA256Before: sumA, SHA256After: sumA}}},
		{"it changes the file", "printf B > out/a", 0, []evidence.ExitArtifact{{Path: "out/a", SHA256Before: sumA, SHA256After: sumB}}},
		{"it makes one", "printf B > out/b", 0, []evidence.ExitArtifact{{Path: "out/a", SHA256Before: sumA, SHA256After: sumA}, {Path: "out/b", SHA256After: sumB}}},
		{"it removes all, the record's folder too", "rm -r out", 0, []evidence.ExitArtifact{{Path: "out/a", SHA256Before: sumA}}},
		{"a link out of the workspace is no evidence", "ln -s /etc/hosts out/b", 0, []evidence.ExitArtifact{{Path: "out/a", SHA256Before: sumA, SHA256After: sumA}}},
		{"it writes a record of its own", `mkdir -p out/log; echo 0 > out/log/exit.json; exit 9`, 9, []evidence.ExitArtifact{{Path: "out/a", SHA256Before: sumA, SHA256After: sumA}}},
		{"it puts a link at the record's place", `ln -s ../a out/log/exit.json`, 0, []evidence.ExitArtifact{{Path: "out/a", SHA256Before: sumA, SHA256After: sumA}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, "out"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "out", "a"), []byte("A"), 0o644); err != nil {
				t.Fatal(err)
			}
			e, rec, said := recorded(t, dir, Target{File: "out/log/exit.json", Globs: []string{"out/*"}}, c.script)
			if e.Status != c.status || rec.Status != c.status || !slices.Equal(rec.Argv, []string{"sh", "-c", c.script}) || rec.Schema != evidence.ExitRecordSchema {
				t.Errorf("%+v, recorded %+v", e, rec)
			}
			if !slices.Equal(rec.Artifacts, c.artifacts) {
				t.Errorf("files %+v, want %+v", rec.Artifacts, c.artifacts)
			}
			if !rec.StartedAt.Equal(e.StartedAt) || !rec.FinishedAt.Equal(e.FinishedAt) || rec.Commit != "" || len(said) > 0 {
				t.Errorf("%+v, said %v", rec, said)
			}
		})
	}
}

// TestRecorderOldRecord holds that a record of an earlier command never stands for one that did not end.
func TestRecorderOldRecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "exit.json"), []byte("0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, rec, _ := recorded(t, dir, Target{File: "exit.json"}, "test ! -e exit.json"); rec.Status != 0 {
		t.Error("the older record was there while the command ran")
	}
}

// TestRecorderTooMuch holds that a record stays one that exit_code reads.
func TestRecorderTooMuch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 2000 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("part-%04d.txt", i)), []byte("A"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, rec, said := recorded(t, dir, Target{File: "exit.json", Globs: []string{"*.txt"}}, "true")
	if len(rec.Artifacts) != 0 || len(said) != 1 || !strings.Contains(said[0], "too many") {
		t.Errorf("%d files, said %v", len(rec.Artifacts), said)
	}
	r := Recorder{Workspace: dir, Target: Target{File: "exit.json"}, Say: t.Logf}
	if e, err := r.Run(context.Background(), shell(dir, "true #"+strings.Repeat("x", maxCommandLine), io.Discard), nil); err == nil || e != nil {
		t.Errorf("a command line that no record holds was run: %+v", e)
	}
}

// TestRecorderRefuses holds that nothing is run where no record can be written, and that a record that cannot be
// written in the end is said.
func TestRecorderRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "taken", "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.TempDir(), filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"taken", "away/exit.json", "../exit.json"} {
		r := Recorder{Workspace: dir, Target: Target{File: file}, Say: t.Logf}
		if e, err := r.Run(context.Background(), shell(dir, "touch ran", io.Discard), nil); err == nil || e != nil {
			t.Errorf("%s: %+v", file, e)
		}
	}
	r := Recorder{Workspace: filepath.Join(dir, "absent"), Target: Target{File: "x"}, Say: t.Logf}
	if e, err := r.Run(context.Background(), shell(dir, "touch ran", io.Discard), nil); err == nil || e != nil {
		t.Errorf("without a workspace: %+v", e)
	}
	if _, err := os.Lstat(filepath.Join(dir, "ran")); err == nil {
		t.Error("the command ran")
	}
	r = Recorder{Workspace: dir, Target: Target{File: "exit.json"}, Say: t.Logf}
	if e, err := r.Run(context.Background(), shell(dir, "mkdir -p exit.json/in; exit 6", io.Discard), nil); err == nil || e == nil || e.Status != 6 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestTargetOf(t *testing.T) {
	t.Parallel()
	exit := func(file string) contract.Validator {
		return contract.Validator{Kind: "exit_code", Params: json.RawMessage(`{"file":` + fmt.Sprintf("%q", file) + `}`)}
	}
	c := &contract.Contract{Outcomes: []contract.Outcome{
		{ID: "one", Artifact: &contract.Artifact{Files: []string{"out/*"}}, Validators: []contract.Validator{{Kind: "step"}, exit("out/one.json")}},
		{ID: "shared", Artifact: &contract.Artifact{Of: "one"}, Validators: []contract.Validator{exit("out/shared.json")}},
		{ID: "bare", Validators: []contract.Validator{exit("bare.json"), exit("bare.json")}},
		{ID: "two", Validators: []contract.Validator{exit("a.json"), exit("b.json")}},
		{ID: "glob", Validators: []contract.Validator{exit("logs/*.json")}},
		{ID: "out", Validators: []contract.Validator{exit("../x.json")}},
		{ID: "none"},
	}}
	for _, x := range []struct {
		id, file, want, globs, fault string
	}{
		{"one", "", "out/one.json", "out/*", ""},
		{"shared", "", "out/shared.json", "out/*", ""},
		{"bare", "", "bare.json", "", ""},
		{"two", "", "", "", "several"},
		{"two", "b.json", "b.json", "", ""},
		{"two", "c.json", "", "", "reads c.json"},
		{"glob", "", "", "", "pattern"},
		{"glob", "logs/1.json", "logs/1.json", "", ""},
		{"out", "", "", "", "inside"},
		{"none", "", "", "", "no exit_code"},
		{"absent", "", "", "", `no outcome "absent"`},
	} {
		got, err := TargetOf(c, x.id, x.file)
		if (err == nil) != (x.fault == "") || err != nil && !strings.Contains(err.Error(), x.fault) {
			t.Errorf("%s %s: %v, want a fault with %q", x.id, x.file, err, x.fault)
		}
		if got.File != x.want || strings.Join(got.Globs, " ") != x.globs {
			t.Errorf("%s %s: %+v", x.id, x.file, got)
		}
	}
}
