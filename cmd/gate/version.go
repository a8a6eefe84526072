package main

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

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

// buildText says what a program is made of: the version line, the Go version and settings that it was built with, and
// every module that is linked in, with its sum. Nothing of it names the machine: settings that could are left out.
func buildText(info *debug.BuildInfo) string {
	var b strings.Builder
	fmt.Fprintln(&b, versionLine())
	row := func(kind string, m *debug.Module) {
		if m.Replace != nil {
			m = m.Replace
		}
		fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("%s %s %s %s", kind, m.Path, m.Version, m.Sum), " "))
	}
	row("module", &info.Main)
	for _, s := range info.Settings {
		if slices.Contains(buildSettings(), s.Key) {
			fmt.Fprintf(&b, "build %s=%s\n", s.Key, s.Value)
		}
	}
	for _, d := range info.Deps {
		row("needs", d)
	}
	return b.String()
}

// buildSettings are the settings that are shown, as far as the build knows them.
func buildSettings() []string {
	return []string{"-compiler", "-tags", "-trimpath", "CGO_ENABLED", "GOAMD64", "GOARCH", "GOARM64", "GOEXPERIMENT", "GOOS", "vcs", "vcs.modified", "vcs.revision", "vcs.time"}
}

func versionCommand(m *outside) *cobra.Command {
	var build bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  gate version\n  gate version --build",
		Args:    takes(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			if !build {
				return m.write([]byte(versionLine() + "\n"))
			}
			info, ok := debug.ReadBuildInfo()
			if !ok {
				return errors.New("read what this program is made of: it was built without that")
			}
			return m.write([]byte(buildText(info)))
		},
	}
	c.Flags().BoolVar(&build, "build", false, "print what it was built from as well: settings and every module with its sum")
	return c
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
