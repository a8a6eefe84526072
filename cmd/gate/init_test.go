package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestInitAsks: on a terminal it asks, and only a yes is one.
func TestInitAsks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reply string
		code  int
		there bool
	}{
		{"y\n", exitDone, true}, {"YES", exitDone, true}, {"\n", exitFound, false}, {"n\n", exitFound, false}, {"", exitFound, false},
		{"yes, but not now\n", exitFound, false},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module shop\n", "shop_test.go": "package shop\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Mkdir(filepath.Join(dir, ".git"), 0o700); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		m := &outside{
			stdin: strings.NewReader(c.reply), stdout: &stdout, stderr: &stderr, getenv: func(string) string { return "" }, now: time.Now,
			dir: dir, asks: true, colour: true,
		}
		if code := run(context.Background(), []string{"init"}, m); code != c.code {
			t.Errorf("%q: exit code %d, want %d: %s", c.reply, code, c.code, stderr.String())
		}
		if !strings.Contains(stdout.String(), "\x1b[32m+mode: observe\x1b[0m\n") || !strings.Contains(stderr.String(), "Write these files? [y/N]") {
			t.Errorf("%q: it asked without showing what: %s%s", c.reply, stdout.String(), stderr.String())
		}
		if _, err := os.Stat(filepath.Join(dir, ".github", "outcome-contract.yml")); (err == nil) != c.there {
			t.Errorf("%q: the contract: %v", c.reply, err)
		}
	}
}

// TestInitBounds: what is too large, or no file, is named and not read.
func TestInitBounds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "AGENTS.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(f, zeros{}, maxInitRead+1); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	deep := filepath.Join(dir, strings.Repeat("d/", maxInitDepth+4))
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(deep, "go.mod"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	facts, err := lookAround(dir)
	if err != nil {
		t.Fatal(err)
	}
	if facts.Unread["AGENTS.md"] != "a folder" || facts.Unread["package.json"] != "too large to be read" || len(facts.Files) != 0 ||
		len(facts.Paths) != 1 || !facts.Cut {
		t.Errorf("%+v", facts)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
