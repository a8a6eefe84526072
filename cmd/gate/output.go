package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/outcome-gate/outcome-gate/internal/publish"
	"github.com/outcome-gate/outcome-gate/internal/render"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// formatFlag adds --format with the formats that a command has; the first one is the default.
func formatFlag(c *cobra.Command, into *string, formats ...string) {
	c.Flags().StringVar(into, "format", formats[0], "answer in this `FORMAT`: "+strings.Join(formats, ", "))
	check := func(cmd *cobra.Command, _ []string) error {
		for _, f := range formats {
			if *into == f {
				return nil
			}
		}
		hint := "formats: " + strings.Join(formats, ", ")
		if near := nearest(*into, formats); near != "" {
			hint = "did you mean: --format " + near
		}
		return usageError(hint, "%s: there is no format %q", cmd.CommandPath(), *into)
	}
	c.PreRunE = check
	if err := c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag was added three lines above
	}
}

// writeJSON writes v as indented JSON and a newline.
func (m *outside) writeJSON(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return m.write(b.Bytes())
}

// indented is JSON in the form of every answer: two spaces for each level. It keeps the order of members.
func indented(raw []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	return b.Bytes(), nil
}

// answersJSON marks a command whose answer is JSON without being asked for.
const answersJSON = "answers-json"

// formatOf is the format that a command was called with, as far as its arguments say so: they may hold a mistake. "" is
// a command that has no formats.
func formatOf(root *cobra.Command, args []string) string {
	c, rest, err := root.Find(args)
	if err != nil || c == nil {
		return ""
	}
	if c.Annotations[answersJSON] != "" {
		return "json"
	}
	flag := c.Flags().Lookup("format")
	if flag == nil {
		return ""
	}
	format := flag.DefValue
	for i, arg := range rest {
		switch value, joined := strings.CutPrefix(arg, "--format="); {
		case arg == "--":
			return format
		case joined:
			format = value
		case arg == "--format" && i+1 < len(rest):
			format = rest[i+1]
		}
	}
	return format
}

// fail answers a call that came to no answer in the formats that programs read, so that they need not read talk. What
// was already written stays the answer.
func (m *outside) fail(format string, code int, detail, hint string) {
	if m.answered || format != "json" && format != "problem" {
		return
	}
	reason := "usage"
	if code != verdict.ExitUsage {
		reason = string(verdict.CannotLook)
	}
	if b, err := indented(render.Failure(reason, detail, hint)); err == nil {
		_ = m.write(b) // the failure itself was told on standard error
	}
}

// write writes the answer.
func (m *outside) write(b []byte) error {
	m.answered = true
	if _, err := m.stdout.Write(b); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// table writes rows under a head, columns aligned, two spaces apart, every cell inert.
func (m *outside) table(rows [][]string) error {
	return m.write([]byte(render.Table(rows)))
}

// writeFile puts data at path in one step, and never in the place of what is no regular file.
func writeFile(path string, data []byte) error { return publish.WriteFile(path, data) }

// progressAfter is how long work takes before a line says so.
const progressAfter = time.Second

// progress shows one line on a terminal if work takes over a second, until the returned function is called.
func (m *outside) progress(what string) (done func()) {
	if !m.talkative {
		return func() {}
	}
	var mu sync.Mutex
	shown, over := false, false
	t := time.AfterFunc(progressAfter, func() {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			shown = true
			m.talk("gate: %s...", what)
		}
	})
	return func() {
		t.Stop()
		mu.Lock()
		defer mu.Unlock()
		if over = true; shown {
			m.talk("\r\x1b[K") // back to the start of the line, and clear it
		}
	}
}
