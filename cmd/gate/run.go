package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/outcome-gate/outcome-gate/internal/local"
	"github.com/outcome-gate/outcome-gate/internal/render"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// Exit codes of the commands that judge nothing; those that judge take theirs from package verdict.
const (
	exitDone  = 0
	exitFound = 1 // it found what it looks for: a failed test, a mistake, a difference
)

// outside is everything that a run gets from its machine, so that tests give their own.
type outside struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	now            func() time.Time
	dir            string // where relative paths begin; "" is the working directory
	colour         bool   // standard output is a terminal
	talkative      bool   // standard error is a terminal
	asks           bool   // standard input is a terminal
	answered       bool   // something was written as the answer
}

// machine is the real outside.
func machine() *outside {
	return &outside{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, now: time.Now,
		colour: isTerminal(os.Stdout), talkative: isTerminal(os.Stderr), asks: isTerminal(os.Stdin),
	}
}

// isTerminal takes a character device for a terminal, but the null device.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// path is where a path that the user gave lies.
func (m *outside) path(p string) string {
	if m.dir == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(m.dir, p)
}

// painted says whether the answer gets colours.
func (m *outside) painted() bool { return m.colour && m.getenv("NO_COLOR") == "" }

// talk writes to standard error. Where that cannot be written, there is nobody to tell.
func (m *outside) talk(format string, args ...any) { _, _ = fmt.Fprintf(m.stderr, format, args...) }

// say writes one line of talk.
func (m *outside) say(format string, args ...any) {
	m.talk("gate: %s\n", render.Line(fmt.Sprintf(format, args...)))
}

// answer ends a command with an exit code that is its answer and no error: nothing more is said.
type answer int

// Error is never shown.
func (a answer) Error() string { return fmt.Sprintf("exit code %d", int(a)) }

// failure is an error with its exit code and the one thing to try, if there is one.
type failure struct {
	code int
	err  error
	hint string
}

// Error is the text that is shown behind "gate: error:".
func (f *failure) Error() string { return f.err.Error() }

// Unwrap gives the cause.
func (f *failure) Unwrap() error { return f.err }

func usageError(hint, format string, args ...any) error {
	return &failure{verdict.ExitUsage, fmt.Errorf(format, args...), hint}
}

// run is the whole program: it returns the exit code.
func run(ctx context.Context, args []string, m *outside) (code int) {
	format := ""
	defer func() {
		if p := recover(); p != nil {
			m.talk("gate: error: internal error: %s\n", render.Line(fmt.Sprint(p)))
			m.talk("%s", debug.Stack())
			code = hookCode(args, nil, verdict.ExitCannotLook)
			m.fail(format, code, "internal error: "+fmt.Sprint(p), "")
		}
	}()
	root := newRoot(m)
	format = formatOf(root, args)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		plainFlags(root)
	}
	var misplaced error
	root.SetHelpFunc(helpOf(root.HelpFunc(), &misplaced))
	root.SetArgs(args)
	root.SetIn(m.stdin)
	root.SetOut(m.stdout)
	root.SetErr(m.stderr)
	err := errors.Join(root.ExecuteContext(ctx), misplaced)
	return hookCode(args, err, m.finish(err, format))
}

// helpOf is help that knows no command by a name that none has: --help behind it is no success.
func helpOf(help func(*cobra.Command, []string), misplaced *error) func(*cobra.Command, []string) {
	return func(c *cobra.Command, args []string) {
		if names := c.Flags().Args(); c.HasSubCommands() && len(names) > 0 {
			*misplaced = unknownCommand(c, names[0])
			return
		}
		if c.HasSubCommands() { // its own action is to say that a command is missing: that is no way to use it
			action := c.RunE
			c.RunE = nil
			defer func() { c.RunE = action }()
		}
		help(c, args)
	}
}

// plainFlags takes the marks of placeholders out of flag descriptions, which shells show as they are.
func plainFlags(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") })
	for _, sub := range c.Commands() {
		plainFlags(sub)
	}
}

// finish shows an error and picks its exit code: the one place that does. What the user gave and cannot be used is 2,
// what could not be read is 3, whichever command reads it. format is that of the answer.
func (m *outside) finish(err error, format string) int {
	var said answer
	var known *failure
	var wrong *local.UsageError
	code, hint := verdict.ExitCannotLook, ""
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &said):
		return int(said)
	case errors.As(err, &known):
		code, hint = known.code, known.hint
	case errors.As(err, &wrong):
		code = verdict.ExitUsage
	case errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	}
	m.talk("gate: error: %s\n", render.Line(err.Error()))
	if hint != "" {
		m.talk("gate: hint: %s\n", render.Line(hint))
	}
	m.fail(format, code, err.Error(), hint)
	return code
}

// newRoot builds the command tree.
func newRoot(m *outside) *cobra.Command {
	root := &cobra.Command{
		Use:   "gate",
		Short: "Judge an outcome contract against observed evidence",
		Long: `gate reads an outcome contract, observes the evidence for each expected outcome itself, classifies the
agent's own report, and answers with one verdict and a receipt that anyone can replay.

Exit codes of check, classify, replay and demo: 0 pass, 1 block, 2 usage or contract, 3 could not look,
4 wait. Of the other commands: 0 done, 1 found what it looks for, 2 usage, 3 could not.`,
		Example: `  gate demo
  gate contract lint
  gate check --report report.json`,
		SilenceErrors: true, SilenceUsage: true,
		Version: strings.TrimPrefix(versionLine(), "gate "), // a template of our own would link text/template: 4 MB
		Args:    cobra.ArbitraryArgs,
		RunE:    group,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentPreRunE = givenFlags
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCommand())
	root.AddCommand(
		agentsCommand(m), checkCommand(m), claimsCommand(m), classifyCommand(m), completionCommand(m), contractCommand(m),
		demoCommand(m), doctorCommand(m), execCommand(m), hookCommand(m), initCommand(m), promptCommand(m), replayCommand(m), schemaCommand(m), testsCommand(m), versionCommand(m),
	)
	root.AddCommand(stageCommands(m)...)
	return root
}

// helpCommand is cobra's, with our errors for unknown topics.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show help for a command",
		Example: "  gate help check",
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err != nil || found == nil || len(rest) > 0 && found.HasSubCommands() {
				return unknownCommand(c.Root(), strings.Join(args, " "))
			}
			return found.Help()
		},
	}
}

// group is the action of a command that only has subcommands: to name none of them is no success.
func group(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usageError("run: "+c.CommandPath()+" --help", "%s: no command is named", c.CommandPath())
	}
	return unknownCommand(c, args[0])
}

func unknownCommand(c *cobra.Command, name string) error {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	hint := "run: " + c.CommandPath() + " --help"
	if near := nearest(name, names); near != "" {
		hint = "did you mean: " + c.CommandPath() + " " + near
	}
	return usageError(hint, "%s: there is no command %q", c.CommandPath(), name)
}

// flagError turns what the flag parser says into a usage error that names the nearest flag.
func flagError(c *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	hint := "run: " + c.CommandPath() + " --help"
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := nearest(unknown.GetSpecifiedName(), names); near != "" {
			hint = "did you mean: --" + near
		}
	}
	return &failure{verdict.ExitUsage, fmt.Errorf("%s: %w", c.CommandPath(), err), hint}
}

// takes is the argument rule of a command: between least and most arguments; most < 0 is any number.
func takes(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		hint := "run: " + c.CommandPath() + " --help"
		switch {
		case len(args) < least:
			return usageError(hint, "%s: %s is missing", c.CommandPath(), what)
		case most >= 0 && len(args) > most:
			return usageError(hint, "%s: unexpected argument %q", c.CommandPath(), args[most])
		}
		return nil
	}
}

// nearest is the name with the fewest edits to get there, if they are few enough to be a slip.
func nearest(name string, names []string) string {
	best, least := "", len(name)/3+2
	for _, n := range names {
		if d := edits(name, n); d < least {
			best, least = n, d
		}
	}
	return best
}

// edits is the Levenshtein distance of two short names.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
