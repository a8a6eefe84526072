package main

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outcome-gate/outcome-gate/internal/stage"
)

// stageCommands are the action's stages. They read the runner's environment and take no flags: the runner passes
// its arguments to every stage alike.
func stageCommands(m *outside) []*cobra.Command {
	make1 := func(use, short, long string, run func(context.Context, stage.Options) int) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short, Long: long,
			Example: "  gate " + use,
			Args:    takes(0, 0, ""),
			RunE: func(c *cobra.Command, _ []string) error {
				return answer(run(c.Context(), stage.Options{Version: version(), Getenv: m.getenv, Log: m.stdout, Clock: m.now}))
			},
		}
	}
	return []*cobra.Command{
		make1("run", "Judge a pull request, as a step of a workflow", `run is the action's main stage. It reads the runner's environment, judges the pull request live and writes
check run, commit status, comment, job summary, outputs and receipt. For a judgement without GitHub see check.

Exit codes: 0 pass, 1 block, 2 usage or contract, 3 could not look or a required surface failed, 4 wait.`, stage.Main),
		make1("pre", "Check the action's inputs at the start of the job", "pre is the action's first stage: it checks the inputs, so that a mistake shows before the work is done.", stage.Pre),
		make1("post", "Complete what a killed run left open", "post is the action's last stage: it completes a check run that a killed main stage left in progress.", stage.Post),
	}
}

// stageOf is the stage that the program's own name stands for: the runner starts each stage as one executable
// without arguments of its own, so the image has the program under three more names.
func stageOf(program string) string {
	name, ok := strings.CutPrefix(strings.TrimSuffix(filepath.Base(program), ".exe"), "gate-")
	if ok && isStage([]string{name}) {
		return name
	}
	return ""
}

// isStage reports whether the arguments name one of the action's stages.
func isStage(args []string) bool {
	return len(args) > 0 && (args[0] == "run" || args[0] == "pre" || args[0] == "post")
}
