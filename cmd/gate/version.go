package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is the version that a release's build writes here through the linker. Others know theirs from the module.
var release string

// version is what the build says of itself: a release, a module version, or (devel).
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// versionLine is the version with what it was built for and by.
func versionLine() string {
	return fmt.Sprintf("gate %s %s/%s %s", version(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

func versionCommand(m *outside) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  gate version",
		Args:    takes(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			return m.write([]byte(versionLine() + "\n"))
		},
	}
}

func completionCommand(m *outside) *cobra.Command {
	c := &cobra.Command{
		Use:     "completion",
		Short:   "Print a completion script for a shell",
		Example: "  source <(gate completion bash)",
		Args:    cobra.ArbitraryArgs,
		RunE:    group,
	}
	for _, s := range []struct {
		shell, how, needs string
		write             func(root *cobra.Command) error
	}{
		{"bash", "source <(gate completion bash)", "The script needs the package bash-completion, version 2, loaded in the shell.", func(r *cobra.Command) error { return r.GenBashCompletionV2(m.stdout, true) }},
		{"fish", "gate completion fish | source", "", func(r *cobra.Command) error { return r.GenFishCompletion(m.stdout, true) }},
		{"zsh", "source <(gate completion zsh)", "The script needs compinit: autoload -U compinit && compinit.", func(r *cobra.Command) error { return r.GenZshCompletion(m.stdout) }},
	} {
		short := "Print the completion script for " + s.shell
		long := short + "."
		if s.needs != "" {
			long += "\n\n" + s.needs
		}
		c.AddCommand(&cobra.Command{
			Use: s.shell, Short: short, Long: long, Example: "  " + s.how, Args: takes(0, 0, ""),
			RunE: func(c *cobra.Command, _ []string) error { return s.write(c.Root()) },
		})
	}
	return c
}
