package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// TestEmptyFlags holds that no flag of any command takes an empty value for none.
func TestEmptyFlags(t *testing.T) {
	tried := 0
	var walk func(c *cobra.Command, path []string)
	walk = func(c *cobra.Command, path []string) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			_, list := f.Value.(pflag.SliceValue)
			if f.Value.Type() != "string" && !list {
				return
			}
			values := []string{"", " "}
			if list {
				values = append(values, "a,,b", "a,", ",")
			}
			for _, value := range values {
				tried++
				var out, talk bytes.Buffer
				m := &outside{stdin: strings.NewReader(""), stdout: &out, stderr: &talk, dir: t.TempDir(), getenv: func(string) string { return "" }}
				args := append(append([]string{}, path...), "--"+f.Name, value)
				if c.Args != nil && c.Args(c, nil) != nil {
					args = append(args, "x")
					if c.Name() == "exec" {
						args = append(args, "--", "true")
					}
				}
				code, want := run(context.Background(), args, m), verdict.ExitUsage
				if path[0] == "hook" {
					want = verdict.ExitCannotLook // its 2 would hold an agent back
				}
				if code != want || !strings.Contains(talk.String(), "--"+f.Name) && f.Name != "format" {
					t.Errorf("%q: exit %d, %s%s", args, code, talk.String(), out.String())
				}
			}
		})
		for _, sub := range c.Commands() {
			walk(sub, append(append([]string{}, path...), sub.Name()))
		}
	}
	walk(newRoot(&outside{}), nil)
	if tried < 20 {
		t.Errorf("only %d flags were tried", tried)
	}
}
