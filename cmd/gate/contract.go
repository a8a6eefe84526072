package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/local"
	"github.com/outcome-gate/outcome-gate/internal/render"
)

func contractCommand(m *outside) *cobra.Command {
	c := &cobra.Command{
		Use:     "contract",
		Short:   "Work on outcome contracts",
		Example: "  gate contract lint",
		Args:    cobra.ArbitraryArgs,
		RunE:    group,
	}
	c.AddCommand(lintCommand(m), diffCommand(m))
	return c
}

// lintAnswer is the answer of gate contract lint.
type lintAnswer struct {
	File     string             `json:"file"`
	Valid    bool               `json:"valid"`
	Problems []contract.Problem `json:"problems"`
}

func lintCommand(m *outside) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "lint [FILE]",
		Short: "Show every mistake and weakness of a contract",
		Long: `lint shows every mistake of a contract with file, line and column, and warns where a contract can be passed by
doing nothing. Without FILE it reads the contract of the repository that this folder lies in, in one of these places:
` + strings.Join(contract.DefaultPaths(), ", ") + `.

Exit codes: 0 valid, with or without warnings; 1 mistakes; 2 usage; 3 could not read.`,
		Example: `  gate contract lint
  gate contract lint --format json services/a/contract.yml`,
		Args: takes(0, 1, ""),
		RunE: func(_ *cobra.Command, args []string) error { return m.lint(args, format) },
	}
	formatFlag(c, &format, "text", "json")
	return c
}

func (m *outside) lint(args []string, format string) error {
	name, out, err := m.lintTarget(args)
	if err != nil {
		return err
	}
	if out == nil {
		data, err := local.ReadContract(m.path(name))
		if err != nil {
			return err
		}
		c, problems := contract.Parse(name, data, gate.ContractKinds())
		if c != nil {
			problems = append(problems, contract.Lint(c, contract.LintFacts{Today: m.now().UTC()})...)
		}
		out = &lintAnswer{Problems: append([]contract.Problem{}, problems...), Valid: c != nil}
	}
	out.File = name
	if format == "json" {
		err = m.writeJSON(out)
	} else {
		err = m.showLint(out)
	}
	if err != nil {
		return err
	}
	if !out.Valid {
		return answer(exitFound)
	}
	return nil
}

// lintTarget is the file that is meant: the one named, or the one of the usual places that is there. Several
// there are a mistake of their own.
func (m *outside) lintTarget(args []string) (string, *lintAnswer, error) {
	if len(args) == 1 {
		return args[0], nil, nil
	}
	var found []string
	top := "."
	if rel, err := filepath.Rel(m.path("."), local.Top(m.path("."))); err == nil {
		top = rel
	}
	for _, p := range contract.DefaultPaths() {
		if _, err := os.Lstat(m.path(filepath.Join(top, filepath.FromSlash(p)))); err == nil {
			found = append(found, p)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", nil, missing(p, err)
		}
	}
	name, problems := contract.Choose(found)
	within := func(p string) string { return filepath.ToSlash(filepath.Join(top, filepath.FromSlash(p))) }
	switch {
	case len(problems) > 0:
		return within(found[0]), &lintAnswer{Problems: problems}, nil
	case name == "":
		return "", nil, usageError("name a file: gate contract lint FILE", "there is no %s", contract.DefaultPaths()[0])
	}
	return within(name), nil, nil
}

func (m *outside) showLint(a *lintAnswer) error {
	text := ""
	mistakes, warnings := 0, 0
	for _, p := range a.Problems {
		text += render.Line(p.String()) + "\n"
		if p.Hint != "" {
			text += "    " + render.Line(p.Hint) + "\n"
		}
		if p.Warning {
			warnings++
		} else {
			mistakes++
		}
	}
	word := "valid"
	if !a.Valid {
		word = "not valid"
	}
	text += render.Line(a.File) + ": " + word + ", " + render.Many(mistakes, "mistake") + ", " + render.Many(warnings, "warning") + "\n"
	return m.write([]byte(text))
}
