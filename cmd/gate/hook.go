package main

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/outcome-gate/outcome-gate/internal/hook"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// hookFlags are the flags of gate hook.
type hookFlags struct {
	check      checkFlags
	blocks     int
	timeout    time.Duration
	failClosed bool
}

// Bounds of the hook's own time. Runtimes let an agent go when a hook takes longer than they allow, 10 minutes as gate init
// sets it: the hook ends before that.
const (
	defaultHookTimeout = 9 * time.Minute
	maxHookTimeout     = time.Hour
)

func hookCommand(m *outside) *cobra.Command {
	c := &cobra.Command{
		Use:   "hook",
		Short: "Answer an agent's runtime whether the agent may stop",
		Long: `hook runs where an agent's runtime asks before the agent stops. It judges the working tree as gate check does, and holds
the agent back while an expected outcome is not verified that work here can change. gate init --agent installs it.

After --blocks times in a row it gives up, says so, and lets the agent go. What only a person, a run on GitHub or a task
in the background can still bring is a wait, and holds nobody back; neither does mode: observe, nor an agent whose last
message is a report of outcome failed or blocked.

What goes wrong with the hook itself lets the agent go with a note, unless --fail-closed is given.`,
		Example: `  gate hook claude --workspace "$CLAUDE_PROJECT_DIR"
  gate hook codex --fail-closed`,
		Args: cobra.ArbitraryArgs,
		RunE: group,
	}
	for _, s := range []struct {
		rt          hook.Runtime
		short, long string
		most        int
	}{
		{hook.Claude, "Answer Claude Code's Stop, SubagentStop and TaskCompleted", `Standard input is the event. Exit codes: 0 the agent may stop, 2 it is held back and reads standard error; 3 for a
command line that cannot be used, which Claude Code shows and passes over.`, 0},
		{hook.Codex, "Answer Codex's Stop and SubagentStop", `Standard input is the event, or the last argument is, as notify gives it: then nobody waits for an answer, and the only
trace is the receipt of --receipt. Exit codes: 0 the agent may stop, 2 it is held back and reads standard error; 3 for a
command line that cannot be used.`, 1},
		{hook.Copilot, "Answer Copilot's agentStop and subagentStop", `Standard input is the event. Exit code 2 holds nobody back there, so the answer is an object on standard output and the
exit code 0; 3 for a command line that cannot be used.`, 0},
	} {
		f := hookFlags{}
		sub := &cobra.Command{
			Use: string(s.rt), Short: s.short, Long: s.long,
			Example: "  gate hook " + string(s.rt) + " --base main --blocks 2",
			Args:    takes(0, s.most, ""),
			RunE:    func(c *cobra.Command, args []string) error { return m.hook(c.Context(), s.rt, &f, args) },
		}
		if s.most > 0 {
			sub.Use += " [EVENT]"
		}
		hookFlagsOf(sub, &f)
		c.AddCommand(sub)
	}
	return c
}

func hookFlagsOf(c *cobra.Command, f *hookFlags) {
	fl := c.Flags()
	fl.StringVar(&f.check.workspace, "workspace", "", "`DIR` with the evidence, the root of the repository (default the top folder of the repository that this folder lies in); no folder that an event names is looked at")
	fl.StringVar(&f.check.contract, "contract", "", "judge by this contract `FILE`")
	fl.StringVar(&f.check.contractRef, "contract-ref", "", "judge by the contract at `REF:PATH` of the repository")
	fl.StringVar(&f.check.base, "base", "", "what the change is compared with: a branch, tag or commit as `REV`")
	fl.StringVar(&f.check.steps, "steps", "", "`FILE` with how steps ended, as gate check takes it")
	fl.StringSliceVar(&f.check.only, "only", nil, "look only at these outcomes, `ID,...`")
	fl.StringVar(&f.check.receipt, "receipt", "", "write the receipt of each judgement to this `FILE`")
	fl.IntVar(&f.blocks, "blocks", hook.DefaultBlocks, "hold the agent back at most `N` times in a row, 1 to 8")
	fl.DurationVar(&f.timeout, "timeout", defaultHookTimeout, "end after this `DURATION`, before the runtime ends the hook")
	fl.BoolVar(&f.failClosed, "fail-closed", false, "hold the agent back where the hook itself goes wrong")
}

// usable refuses values that no hook can work with.
func (f *hookFlags) usable() error {
	switch {
	case f.blocks < 1 || f.blocks > hook.MaxBlocks:
		return usageError("take 1 to 8", "gate hook: --blocks is %d", f.blocks)
	case f.timeout < time.Second || f.timeout > maxHookTimeout:
		return usageError("take 1s to 1h", "gate hook: --timeout is %s", f.timeout)
	}
	return nil
}

// hookCode is the exit code of gate hook where it came to no answer of its own. The code of wrong usage, 2, would hold an
// agent back for good; 3 is shown by runtimes and passed over.
func hookCode(args []string, err error, code int) int {
	var said answer
	if len(args) == 0 || args[0] != "hook" || code == exitDone || errors.As(err, &said) {
		return code
	}
	closed := slices.ContainsFunc(args, func(a string) bool {
		value, given := strings.CutPrefix(a, "--fail-closed")
		return given && (value == "" || value == "=true" || value == "=1")
	})
	if closed {
		return verdict.ExitUsage // the runtimes' code for holding back
	}
	return verdict.ExitCannotLook
}
