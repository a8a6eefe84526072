package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/execute"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/local"
)

// maxPendingSignals is how many signals may wait to be passed on: they come one by one, and the same one twice in a
// row means the same.
const maxPendingSignals = 16

// execFlags are the flags of gate exec.
type execFlags struct{ contract, workspace, record string }

func execCommand(m *outside) *cobra.Command {
	var f execFlags
	c := &cobra.Command{
		Use:   "exec ID -- COMMAND...",
		Short: "Run a command and record its exit for an outcome",
		Long: `exec runs a command as a step of a job would, and records its exit where the exit_code validator of the outcome
ID reads it: the command line, the exit status, the times, the commit, and the digests of the outcome's files before
and after. It judges nothing.

The command gets the standard streams, the environment and every signal. An older record is removed first, and the
new one is there in one step when the command has ended, however it ended. The command line is recorded as it is and
shown to whoever reads the receipt: hand a secret over in the environment or in a file.

The place of the record, and which files are meant, come from the contract: from --contract, else from the file in
the workspace. What judges later is the trusted branch's contract: where the two name other files, the record is not
found, or says nothing of a file, and proves nothing.

Exit codes: the command's own; 128+N if signal N killed it, 127 if it was not found, 126 if it could not be executed;
without a run: 2 usage or contract, 3 could not. A record that cannot be written makes 3 of 0.`,
		Example: `  gate exec report -- check-report --schema v3 out/report.json
  gate exec --record out/unit.json suite -- make test`,
		Args: execArgs,
		RunE: func(c *cobra.Command, args []string) error { return m.exec(c.Context(), &f, args[0], args[1:]) },
	}
	fl := c.Flags()
	fl.StringVar(&f.contract, "contract", "", "the contract `FILE` that names the outcome")
	fl.StringVar(&f.workspace, "workspace", "", "`DIR` with the evidence, the root of the repository (default the top folder of the repository that this folder lies in, else this folder)")
	fl.StringVar(&f.record, "record", "", "the record's `FILE` in the workspace, where the outcome reads several")
	return c
}

// execArgs asks for one outcome, two dashes and a command.
func execArgs(c *cobra.Command, args []string) error {
	const hint = "write: gate exec ID -- COMMAND..."
	switch at := c.ArgsLenAtDash(); {
	case at < 0:
		return usageError(hint, "%s: -- and a command are missing", c.CommandPath())
	case at != 1:
		return usageError(hint, "%s: one outcome is named before --, not %d", c.CommandPath(), at)
	case len(args) < 2 || args[1] == "":
		return usageError(hint, "%s: a command is missing", c.CommandPath())
	}
	return nil
}

// exec is gate exec.
func (m *outside) exec(ctx context.Context, f *execFlags, id string, argv []string) error {
	target, err := m.execTarget(f, id)
	if err != nil {
		return err
	}
	stdin, _ := m.stdin.(*os.File)
	cmd := execute.Command{
		Argv: argv, Dir: m.dir, Stdin: m.stdin, Stdout: m.stdout, Stderr: m.stderr, Now: m.now,
		Terminal: m.colour || m.talkative || stdin != nil && isTerminal(stdin),
	}
	signals := make(chan os.Signal, maxPendingSignals)
	signal.Notify(signals, execute.Signals()...)
	defer signal.Stop(signals)
	rec := execute.Recorder{Workspace: m.workspace(f.workspace), Target: target, Say: m.say}
	// A signal that ends other commands is the command's here: what it does then is still recorded.
	ended, err := rec.Run(context.WithoutCancel(ctx), &cmd, signals)
	switch {
	case ended == nil:
		return err
	case ended.Reason != "":
		m.say("%s", ended.Reason)
	}
	if err != nil && ended.Status != exitDone {
		m.say("error: %v", err)
		err = nil
	}
	if err != nil {
		return err
	}
	return answer(ended.Status)
}

// execTarget reads what the contract says of the outcome.
func (m *outside) execTarget(f *execFlags, id string) (execute.Target, error) {
	var named []string
	if f.contract != "" {
		named = []string{f.contract}
	} else if f.workspace != "" {
		inside := *m
		inside.dir = m.path(f.workspace)
		return inside.execTarget(&execFlags{record: f.record}, id)
	}
	name, several, err := m.lintTarget(named)
	if err != nil {
		return execute.Target{}, err
	}
	if several != nil {
		return execute.Target{}, usageError("name one with --contract", "%s", several.Problems[0].String())
	}
	data, err := local.ReadContract(m.path(name))
	if err != nil {
		return execute.Target{}, err
	}
	c, problems := contract.Parse(name, data, gate.ContractKinds())
	if mistakes := problems.Mistakes(); c == nil || len(mistakes) > 0 {
		return execute.Target{}, usageError("run: gate contract lint "+name, "%s: the contract is not valid", name)
	}
	t, err := execute.TargetOf(c, id, f.record)
	if err != nil {
		return t, usageError("see the outcomes of "+name, "%s: %w", name, err)
	}
	return t, nil
}
