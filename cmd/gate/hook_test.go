package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestDocsHooks holds the settings that the documentation shows to the program: each command in them is one that it knows.
func TestDocsHooks(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(docs, "docs", "agents.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, b := range blocks(string(data)) {
		if b.lang != "json" {
			continue
		}
		var v any
		if err := json.Unmarshal([]byte(b.text), &v); err != nil {
			t.Errorf("line %d: %v", b.line, err)
		}
		for _, line := range strings.Split(b.text, "\n") {
			_, rest, ok := strings.Cut(line, `"command": "`)
			if !ok {
				continue
			}
			text, _, _ := strings.Cut(rest, `",`)
			args := strings.Fields(strings.ReplaceAll(text, `\"`, ""))
			root := newRoot(&outside{})
			c, flags, err := root.Find(args[1:])
			if err == nil {
				err = c.ParseFlags(flags)
			}
			if shown++; err != nil || args[0] != "gate" || !strings.HasPrefix(c.CommandPath(), "gate hook ") {
				t.Errorf("line %d: %q: %v", b.line, text, err)
			}
		}
	}
	if shown == 0 {
		t.Error("no settings are shown")
	}
}

// unheard is a standard error that nobody can write to.
type unheard struct{}

func (unheard) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestHookCodes: the exit code is the answer even where nobody reads why, and no failure of the program itself is taken for one.
func TestHookCodes(t *testing.T) {
	state := t.TempDir()
	call := func(in string, stderr io.Writer, args ...string) int {
		m := &outside{
			stdin: strings.NewReader(in), stdout: &bytes.Buffer{}, stderr: stderr, now: time.Now, dir: t.TempDir(),
			getenv: func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] },
		}
		return run(t.Context(), args, m)
	}
	for _, c := range []struct {
		name string
		want int
		in   string
		err  io.Writer
		args []string
	}{
		{"held back unheard", 2, "x", unheard{}, []string{"hook", "claude", "--fail-closed"}},
		{"garbage", 0, "\x00\xff", &bytes.Buffer{}, []string{"hook", "claude"}},
		{"garbage for copilot", 0, "[[[", &bytes.Buffer{}, []string{"hook", "copilot", "--fail-closed"}},
		{"too large", 0, strings.Repeat(" ", 1<<20+1), &bytes.Buffer{}, []string{"hook", "codex"}},
		{"wrong flag", 3, "", &bytes.Buffer{}, []string{"hook", "claude", "--x"}},
		{"wrong flag, closed", 2, "", &bytes.Buffer{}, []string{"hook", "claude", "--x", "--fail-closed=true"}},
		{"wrong flag, open", 3, "", &bytes.Buffer{}, []string{"hook", "claude", "--x", "--fail-closed=false"}},
		{"other command", 2, "", &bytes.Buffer{}, []string{"check", "--x"}},
	} {
		if got := call(c.in, c.err, c.args...); got != c.want {
			t.Errorf("%s: exit code %d, want %d", c.name, got, c.want)
		}
	}
	for want, args := range map[int][]string{3: {"hook", "claude"}, 2: {"hook", "claude", "--fail-closed"}, 7: {"check"}} {
		if got := hookCode(args, nil, 7); got != want {
			t.Errorf("%v after a crash: %d, want %d", args, got, want)
		}
	}
	if hookCode([]string{"hook", "claude"}, answer(2), 2) != 2 || hookCode([]string{"hook"}, nil, 0) != 0 {
		t.Error("an answer is changed")
	}
}

// TestHookRepeats: an answer that held the agent back is given again without a judgement while nothing changes, and never
// an acceptance.
func TestHookRepeats(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere every event is judged")
	}
	dir, state := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{".git/objects", ".git/refs", "out"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(d)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(".git/HEAD", "ref: refs/heads/main\n")
	write(".git/config", "[core]\n\trepositoryformatversion = 0\n")
	if err := os.Mkdir(filepath.Join(dir, ".github"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(".github/outcome-contract.yml", "version: 1\noutcomes:\n  - { id: made, artifact: { files: out/made.txt, fresh: none, committed: yes }, validators: [ content: { text: made } ] }\n")
	kept := filepath.Join(t.TempDir(), "receipt.json")
	said := 0
	call := func(want int, judged bool) {
		t.Helper()
		said++
		var stderr bytes.Buffer
		m := &outside{
			stdin:  strings.NewReader(fmt.Sprintf(`{"hook_event_name": "Stop", "session_id": "s", "stop_hook_active": true, "last_assistant_message": "Done, try %d."}`, said)),
			stdout: &bytes.Buffer{}, stderr: &stderr, dir: dir,
			now:    func() time.Time { return time.Now().Add(time.Minute) }, // every change is some time ago
			getenv: func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] },
		}
		got := run(t.Context(), []string{"hook", "claude", "--receipt", kept, "--blocks", "8"}, m)
		_, err := os.Stat(kept)
		if got != want || (err == nil) != judged {
			t.Errorf("exit code %d, want %d; judged: %v, want %v\n%s", got, want, err == nil, judged, stderr.String())
		}
		if err == nil {
			if err := os.Remove(kept); err != nil {
				t.Fatal(err)
			}
		}
	}
	call(2, true)
	call(2, false)
	call(2, false)
	write("out/made.txt", "mad")
	call(2, true)
	call(2, false)
	write("out/made.txt", "made")
	call(0, true)
	call(0, true)
}
