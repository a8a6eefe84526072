package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/outcome-gate/outcome-gate/internal/receipt"
)

// TestScripts runs the stories under testdata/script. `exits N ARGS...` runs gate with ARGS in this process, in
// the story's folder, and holds it to exit code N; standard input is the file that `stdin` named before.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Values[inputKey{}] = new(string)
			for _, name := range []string{"ACTIONS_RUNTIME_TOKEN", "INPUT_TOKEN", "INPUT_HMAC-KEY", "GH_TOKEN", "AWS_SECRET_ACCESS_KEY"} {
				e.Setenv(name, plantedInStories)
			}
			e.Defer(func() { noSecretIn(t, e.WorkDir) })
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": scriptExits,
			"input": scriptInput,
			"touch": scriptTouch,
			"fifo":  scriptFIFO,
			"fill":  scriptFill,
		},
		RequireExplicitExec: true,
	})
}

// plantedInStories is the value of every variable that holds a secret in the stories, and a part of each token and key that
// lies in one of their files. No run of gate may say or write it.
const plantedInStories = "pl4nted"

// noSecretIn searches what a story left in its folder, but for the files that the story itself brought along to be read as a
// secret.
func noSecretIn(t *testing.T, dir string) {
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasSuffix(d.Name(), ".secret") {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(plantedInStories)) {
			t.Errorf("%s holds a secret of the environment", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

type inputKey struct{}

// scriptInput names the file that the next run of gate reads as standard input.
func scriptInput(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: input FILE")
	}
	*ts.Value(inputKey{}).(*string) = ts.ReadFile(args[0])
}

// patience is how long one run of gate may take: none of them waits for anything.
const patience = 20 * time.Second

func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits N ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	in := ts.Value(inputKey{}).(*string)
	var stdout, stderr bytes.Buffer
	m := &outside{
		stdin: strings.NewReader(*in), stdout: &stdout, stderr: &stderr, getenv: ts.Getenv, now: time.Now, dir: ts.MkAbs("."),
	}
	*in = ""
	done := make(chan int, 1)
	go func() { done <- run(context.Background(), args[1:], m) }()
	select {
	case got := <-done:
		_, err = ts.Stdout().Write(stdout.Bytes())
		ts.Check(err)
		_, err = ts.Stderr().Write(stderr.Bytes())
		ts.Check(err)
		if got != want {
			ts.Fatalf("gate %s: exit code %d, want %d\nstdout:\n%s\nstderr:\n%s", strings.Join(args[1:], " "), got, want, stdout.Bytes(), stderr.Bytes())
		}
		if bytes.Contains(stdout.Bytes(), []byte(plantedInStories)) || bytes.Contains(stderr.Bytes(), []byte(plantedInStories)) {
			ts.Fatalf("gate %s says a secret", strings.Join(args[1:], " "))
		}
		if err := holdsSchema(stdout.Bytes()); err != nil {
			ts.Fatalf("gate %s: %v", strings.Join(args[1:], " "), err)
		}
	case <-time.After(patience):
		ts.Fatalf("gate %s hangs", strings.Join(args[1:], " "))
	}
}

// holdsSchema holds an answer that is a receipt to the published schema.
func holdsSchema(answer []byte) error {
	if !bytes.HasPrefix(answer, []byte("{\n  \"agents\":")) {
		return nil
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(receipt.SchemaURI, bytes.NewReader(receipt.SchemaJSON())); err != nil {
		return err
	}
	s, err := c.Compile(receipt.SchemaURI)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(answer))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return err
	}
	return s.Validate(v)
}

// scriptTouch sets modification times: touch AGE FILE..., where AGE is a duration before now.
func scriptTouch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: touch AGE FILE...")
	}
	age, err := time.ParseDuration(args[0])
	ts.Check(err)
	when := time.Now().Add(-age)
	for _, f := range args[1:] {
		ts.Check(os.Chtimes(ts.MkAbs(f), when, when))
	}
}

// scriptFill makes a file longer: fill FILE BYTES, with a comment line for YAML.
func scriptFill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fill FILE BYTES")
	}
	size, err := strconv.Atoi(args[1])
	ts.Check(err)
	data, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	data = append(data, []byte("# "+strings.Repeat("x", size-len(data)-3)+"\n")...)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}
