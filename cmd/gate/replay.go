package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/outcome-gate/outcome-gate/internal/local"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/render"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// replayAnswer is the answer of gate replay.
type replayAnswer struct {
	Equal      bool                `json:"equal"`
	Verdict    verdict.Verdict     `json:"verdict"`
	Reason     verdict.Reason      `json:"reason"`
	Digest     string              `json:"digest"`
	Difference *receipt.Difference `json:"difference"`
}

func replayCommand(m *outside) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "replay FILE",
		Short: "Judge a receipt again from the facts that it holds",
		Long: `replay draws every conclusion of a receipt anew from its facts, offline, and names the first difference.

Exit codes: 0 equal, 1 differs, 2 usage or no receipt, 3 could not read.`,
		Example: `  gate check --receipt receipt.json
  gate replay receipt.json`,
		Args: takes(1, 1, "a receipt"),
		RunE: func(_ *cobra.Command, args []string) error { return m.replay(args[0], format) },
	}
	formatFlag(c, &format, "text", "json")
	return c
}

func (m *outside) replay(path, format string) error {
	data, err := local.ReadFile("receipt", m.path(path), local.MaxReceipt)
	if err != nil {
		return err
	}
	r, err := receipt.Parse(data)
	if err != nil {
		return usageError("a receipt is what gate check --receipt FILE writes", "%s: %w", path, err)
	}
	diff, err := receipt.Replay(r)
	if err != nil {
		return err
	}
	if format == "json" {
		err = m.writeJSON(replayAnswer{Equal: diff == nil, Verdict: r.Verdict, Reason: r.Reason, Digest: r.Digest, Difference: diff})
	} else {
		err = m.write([]byte(replayText(r, diff)))
	}
	if err != nil {
		return err
	}
	if diff != nil {
		return answer(exitFound)
	}
	return nil
}

func replayText(r *receipt.Receipt, diff *receipt.Difference) string {
	if diff == nil {
		return fmt.Sprintf("equal: %s\n%s\n", render.Title(r), render.Line(r.Digest))
	}
	return fmt.Sprintf("differs at %s\n  recorded  %s\n  replayed  %s\n",
		render.Line(diff.At), render.Line(diff.Recorded), render.Line(diff.Replayed))
}
