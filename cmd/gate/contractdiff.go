package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/local"
	"github.com/outcome-gate/outcome-gate/internal/render"
)

// diffAnswer is the answer of gate contract diff.
type diffAnswer struct {
	Old     string               `json:"old"`
	New     string               `json:"new"`
	Weakens []contract.Weakening `json:"weakens"`
}

func diffCommand(m *outside) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Show what a change of a contract weakens",
		Long: `diff shows what the contract NEW asks less of than OLD, and what it asks for instead where nobody can tell that it is
as much: an outcome that is dropped or no longer required, a lower threshold, a validator that is gone, other files. What
only asks for more, or is only written in another way, is not shown. The gate shows the same of a pull request that changes
the contract.

Exit codes: 0 nothing is weakened or changed; 1 something is; 2 usage, or OLD is not valid; 3 could not read. A NEW that is not
valid drops everything.`,
		Example: `  git show main:.github/outcome-contract.yml > old.yml
  gate contract diff old.yml .github/outcome-contract.yml`,
		Args: takes(2, 2, "gate contract diff OLD NEW"),
		RunE: func(_ *cobra.Command, args []string) error { return m.diff(args[0], args[1], format) },
	}
	formatFlag(c, &format, "text", "json")
	return c
}

func (m *outside) diff(oldName, newName, format string) error {
	var both [2]*contract.Contract
	for i, name := range []string{oldName, newName} {
		data, err := local.ReadContract(m.path(name))
		if err != nil {
			return err
		}
		var problems contract.Problems
		if both[i], problems = contract.Parse(name, data, gate.ContractKinds()); both[i] == nil && i == 0 {
			return usageError("gate contract lint "+name+" shows every mistake", "%s is not valid: %s", name, problems.Mistakes())
		}
	}
	a := diffAnswer{Old: oldName, New: newName, Weakens: append([]contract.Weakening{}, contract.Diff(both[0], both[1])...)}
	err := error(nil)
	if format == "json" {
		err = m.writeJSON(a)
	} else {
		err = m.write([]byte(diffText(&a)))
	}
	if err != nil {
		return err
	}
	if len(a.Weakens) > 0 {
		return answer(exitFound)
	}
	return nil
}

func diffText(a *diffAnswer) string {
	var b strings.Builder
	counts := map[contract.Direction]int{}
	for _, w := range a.Weakens {
		counts[w.Direction]++
		b.WriteString(string(w.Direction) + "  " + render.Line(render.WeakeningText(w)) + "\n")
	}
	b.WriteString(render.Line(a.New) + ": " + render.Many(counts[contract.Weaker], "key") + " weaker, " + render.Many(counts[contract.Changed], "key") + " changed\n")
	return b.String()
}
