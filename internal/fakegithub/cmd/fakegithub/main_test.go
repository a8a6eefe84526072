package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestServesUntilItIsTold runs the command: it prints its address, answers, and ends with its context.
func TestServesUntilItIsTold(t *testing.T) {
	world := filepath.Join(t.TempDir(), "world.json")
	if err := os.WriteFile(world, []byte(`{"tokens":{"t":{"user":{"login":"x"}}},"repositories":[{"full_name":"a/b","default_branch":"main"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- run(ctx, []string{"-world", world}, in, io.Discard) }()
	line := make([]byte, 64)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSpace(string(line[:n]))+"/api/v3/repos/a/b", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "token t")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("status %d, %v", res.StatusCode, err)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRefusesToStart(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte(`{"wat":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"every address": {[]string{"-addr", ":8080"}, "not a loopback address"},
		"other address": {[]string{"-addr", "192.0.2.1:80"}, "not a loopback address"},
		"name":          {[]string{"-addr", "example.com:80"}, "not a loopback address"},
		"no port":       {[]string{"-addr", "127.0.0.1"}, "missing port"},
		"no world":      {[]string{"-world", bad + ".none"}, "read world"},
		"bad world":     {[]string{"-world", bad}, `unknown field "wat"`},
		"flag":          {[]string{"-wat"}, "not defined"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := run(t.Context(), c.args, &out, io.Discard)
			if err == nil || !strings.Contains(err.Error(), c.says) || out.Len() > 0 {
				t.Errorf("got %v and output %q, want %q", err, out.String(), c.says)
			}
		})
	}
}
