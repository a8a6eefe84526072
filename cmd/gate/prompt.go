package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/local"
	"github.com/outcome-gate/outcome-gate/internal/prompt"
	"github.com/outcome-gate/outcome-gate/internal/render"
	"github.com/outcome-gate/outcome-gate/internal/report"
	"github.com/outcome-gate/outcome-gate/internal/setup"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// promptFlags are the flags of gate prompt.
type promptFlags struct{ target, contract, check, write string }

func promptCommand(m *outside) *cobra.Command {
	var f promptFlags
	c := &cobra.Command{
		Use:   "prompt",
		Short: "Say to an agent what the contract expects",
		Long: `prompt prints the contract as instructions for an agent: each outcome with its evidence and checks, what to do before
work is called done, and the form of the report with its JSON Schema; the contract's own, if it names one.

--write puts them between marks into a file of instructions, and not one byte outside of them changes; --check says
whether the block in a file is what it would be now. Marks that are there twice or not closed are refused, and so is a
file outside of the workspace, or a link that leads there.

The contract is that of --contract, else the one in the workspace: a file of instructions goes with the contract beside
it. What judges is the trusted branch's.

Exit codes: 0 done, or up to date; 1 out of date; 2 usage or contract; 3 could not.`,
		Example: `  gate prompt --for delegate
  gate prompt --write AGENTS.md
  gate prompt --check .github/copilot-instructions.md`,
		Args: takes(0, 0, ""),
		RunE: func(*cobra.Command, []string) error { return m.prompt(&f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.target, "for", "", "whom it is for, one of "+strings.Join(prompt.Targets(), ", ")+" (default by the name of the file, else agents) `TARGET`")
	fl.StringVar(&f.contract, "contract", "", "the contract `FILE`")
	fl.StringVar(&f.check, "check", "", "say whether the block in this `FILE` is up to date")
	fl.StringVar(&f.write, "write", "", "put the block into this `FILE`")
	if err := c.RegisterFlagCompletionFunc("for", cobra.FixedCompletions(prompt.Targets(), cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag was added above
	}
	return c
}

// prompt is gate prompt.
func (m *outside) prompt(f *promptFlags) error {
	file := f.check + f.write
	target := prompt.Target(f.target)
	switch {
	case f.check != "" && f.write != "":
		return usageError("leave one of them out", "gate prompt: --check and --write exclude each other")
	case f.target != "" && !slices.Contains(prompt.Targets(), f.target):
		return usageError("targets: "+strings.Join(prompt.Targets(), ", "), "gate prompt: there is no target %q", f.target)
	case f.target == "" && file != "":
		target = prompt.TargetOf(filepath.ToSlash(file))
	case f.target == "":
		target = prompt.Agents
	case target == prompt.Delegate && file != "":
		return usageError("print it, and hand it over with the task", "gate prompt: the text for a delegate has no marks, so it is in no file")
	}
	o, err := m.promptOptions(f.contract)
	if err != nil {
		return err
	}
	o.Target = target
	block := prompt.Text(*o)
	if file == "" {
		return m.write([]byte(block))
	}
	top, name, before, err := m.instructions(file)
	if err != nil {
		return err
	}
	if f.check != "" {
		return m.checkBlock(file, before, block)
	}
	after, err := prompt.Splice(file, before, block)
	if err != nil {
		return refusedBlock(err)
	}
	planned := setup.File{Path: name, Before: before, After: after}
	if planned.Change() != "unchanged" {
		if err := writePlanned(top, &planned); err != nil {
			return fmt.Errorf("write %s: %w", file, err)
		}
	}
	m.say("%s %s", planned.Change(), file)
	return nil
}

// refusedBlock turns a refusal into a failure with its hint.
func refusedBlock(err error) error {
	var r *prompt.Refusal
	if !errors.As(err, &r) {
		return err
	}
	return &failure{verdict.ExitCannotLook, fmt.Errorf("gate prompt: %w", err), r.Hint}
}

// checkBlock says how the block of a file differs.
func (m *outside) checkBlock(file string, have []byte, block string) error {
	c, err := prompt.Compare(file, have, block)
	switch {
	case err != nil:
		return refusedBlock(err)
	case c.Equal():
		return m.write([]byte(render.Line(file) + ": up to date\n"))
	}
	text := render.Line(file) + ": out of date\n"
	switch {
	case c.Absent:
		text = render.Line(file) + ": there is no block\n"
	case c.Order:
		text += "  the lines are in another order\n"
	}
	for _, l := range c.Missing {
		text += "  missing:   " + render.Line(l) + "\n"
	}
	for _, l := range c.Extra {
		text += "  left over: " + render.Line(l) + "\n"
	}
	if c.More > 0 {
		text += "  and " + render.Many(c.More, "more line") + "\n"
	}
	if err := m.write([]byte(text)); err != nil {
		return err
	}
	m.talk("gate: hint: run: gate prompt --write %s\n", render.Line(file))
	return answer(exitFound)
}

// promptOptions reads the contract and its schema of reports.
func (m *outside) promptOptions(named string) (*prompt.Options, error) {
	var args []string
	if named != "" {
		args = []string{named}
	}
	name, several, err := m.lintTarget(args)
	if err != nil {
		return nil, err
	}
	if several != nil {
		return nil, usageError("name one with --contract", "%s", several.Problems[0].String())
	}
	data, err := local.ReadContract(m.path(name))
	if err != nil {
		return nil, err
	}
	c, problems := contract.Parse(name, data, gate.ContractKinds())
	if c == nil || len(problems.Mistakes()) > 0 {
		return nil, usageError("run: gate contract lint "+name, "%s: the contract is not valid", name)
	}
	top := local.Top(m.path("."))
	o := &prompt.Options{Path: filepath.Base(name), Contract: c}
	if rel, ok := inside(top, m.path(name)); ok {
		o.Path = rel
	}
	if s := c.Report.Schema; s != "" {
		var found bool
		if o.Schema, found, err = readBelow(top, s); err != nil {
			return nil, err
		}
		if !found {
			return nil, usageError("write it, or leave report.schema out of the contract", "%s names %s as the schema of reports, and there is no such file", name, s)
		}
		if _, err := report.CompileSchema(s, o.Schema); err != nil {
			return nil, usageError("", "%w", err)
		}
	}
	return o, nil
}

// inside is a path relative to a folder, slash separated, if it lies in it by its name.
func inside(top, path string) (string, bool) {
	a, err := filepath.Abs(top)
	b, err2 := filepath.Abs(path)
	if errors.Join(err, err2) != nil {
		return "", false
	}
	rel, err := filepath.Rel(a, b)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

// readBelow is readIn for one file of a folder, which is read whole or not at all.
func readBelow(top, name string) (data []byte, found bool, err error) {
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, false, err
	}
	data, found, err = readIn(root, filepath.FromSlash(name), maxInitRead+1)
	if len(data) > maxInitRead {
		err = fmt.Errorf("read %s: it is over the limit of %d bytes", name, maxInitRead)
	}
	return data, found, errors.Join(err, root.Close())
}

// instructions finds a file of instructions in the workspace: the workspace's real folder, the file's real path in it, and
// its bytes, nil if there is none yet.
func (m *outside) instructions(file string) (top, name string, before []byte, err error) {
	outsideOf := usageError("name a file in the workspace", "gate prompt: %s leads out of the workspace", file)
	if _, ok := inside(local.Top(m.path(".")), m.path(file)); !ok {
		return "", "", nil, outsideOf
	}
	if top, err = filepath.EvalSymlinks(local.Top(m.path("."))); err != nil {
		return "", "", nil, fmt.Errorf("find the workspace: %w", err)
	}
	target, err := realPath(m.path(file))
	if err != nil {
		return "", "", nil, fmt.Errorf("read %s: %w", file, err)
	}
	name, ok := inside(top, target)
	if !ok {
		return "", "", nil, outsideOf
	}
	data, found, err := readBelow(top, name)
	if err == nil && found {
		before = append([]byte{}, data...) // there, even if empty
	}
	return top, name, before, err
}

// realPath follows the links of a path as far as it exists. A link that leads nowhere is an error.
func realPath(path string) (string, error) {
	rest := ""
	for {
		_, err := os.Lstat(path)
		if err == nil {
			target, err := filepath.EvalSymlinks(path)
			return filepath.Join(target, rest), err
		}
		if !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path) {
			return "", err
		}
		rest, path = filepath.Join(filepath.Base(path), rest), filepath.Dir(path)
	}
}
