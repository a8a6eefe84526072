package main

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/doctor"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/github"
	"github.com/outcome-gate/outcome-gate/internal/local"
)

const (
	workflowsFolder = ".github/workflows"
	maxWorkflows    = 500     // files; a folder of more is not a person's
	maxMetadata     = 1 << 20 // bytes of action.yml
)

// doctorFacts reads what a checkout says. Links lead to nothing outside of it, and what is no regular file is not read.
func doctorFacts(dir, shown string) (*doctor.Facts, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, missing(shown, err)
	}
	defer func() { _ = root.Close() }() // it was only read
	f := &doctor.Facts{ContractPath: contract.DefaultPaths()[0]}
	if f.Workflows, err = readWorkflowFiles(root); err != nil {
		return nil, err
	}
	for _, name := range []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"} { // GitHub takes the first
		data, found, err := readIn(root, name, doctor.MaxOwners+1)
		if err != nil {
			return nil, err
		}
		if found {
			f.Owners = &doctor.File{Path: name, Data: data}
			break
		}
	}
	for _, name := range []string{"action.yml", "action.yaml"} {
		data, found, err := readIn(root, name, maxMetadata)
		if err != nil {
			return nil, err
		}
		f.LocalGate = f.LocalGate || found && doctor.IsGate(data)
	}
	return f, readContractIn(root, f)
}

func readWorkflowFiles(root *os.Root) ([]doctor.File, error) {
	entries, err := fs.ReadDir(root.FS(), workflowsFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", workflowsFolder, err)
	}
	var out []doctor.File
	for _, e := range entries {
		name := path.Join(workflowsFolder, e.Name())
		if ext := path.Ext(name); ext != ".yml" && ext != ".yaml" {
			continue
		}
		if len(out) == maxWorkflows {
			return nil, fmt.Errorf("read %s: there are more than %d files", workflowsFolder, maxWorkflows)
		}
		data, found, err := readIn(root, name, doctor.MaxFile+1)
		if err != nil {
			return nil, err
		}
		if found {
			out = append(out, doctor.File{Path: name, Data: data})
		}
	}
	return out, nil
}

// readIn reads the head of a regular file, at most limit bytes. found is false where there is nothing of that name; what
// is there and no regular file is an error, since GitHub would read what it leads to.
func readIn(root *os.Root, name string, limit int64) (data []byte, found bool, err error) {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("read %s: %w", name, err)
	case !info.Mode().IsRegular():
		return nil, false, fmt.Errorf("read %s: it is no regular file", name)
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", name, err)
	}
	defer func() { _ = file.Close() }() // it was only read
	if data, err = io.ReadAll(io.LimitReader(file, limit)); err != nil {
		return nil, false, fmt.Errorf("read %s: %w", name, err)
	}
	return data, true, nil
}

// readContractIn reads the contract of the usual places.
func readContractIn(root *os.Root, f *doctor.Facts) error {
	var present []string
	for _, p := range contract.DefaultPaths() {
		if _, err := root.Lstat(p); err == nil {
			present = append(present, p)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read %s: %w", p, err)
		}
	}
	name, problems := contract.Choose(present)
	switch {
	case len(problems) > 0:
		f.ContractPath, f.ContractProblems = present[0], problems
	case name != "":
		data, _, err := readIn(root, name, local.MaxContract)
		if err != nil {
			return err
		}
		f.ContractPath = name
		f.Contract, f.ContractProblems = contract.Parse(name, data, gate.ContractKinds())
	}
	return nil
}

// maxTokenFile bounds a token file, in bytes: tokens have less than 300.
const maxTokenFile = 4096

// doctorClient is who asks GitHub, nil where that was not asked for.
func (m *outside) doctorClient(f *doctorFlags) (*github.Client, error) {
	token := m.getenv("GITHUB_TOKEN")
	if f.tokenFile != "" {
		data, err := local.ReadFile("token", m.path(f.tokenFile), maxTokenFile)
		if err != nil {
			return nil, err
		}
		token = strings.TrimSpace(string(data))
	}
	repository := cmp.Or(f.repository, m.getenv("GITHUB_REPOSITORY"))
	switch {
	case token == "" && f.repository != "":
		return nil, usageError("set GITHUB_TOKEN, or name a file with --token-file", "gate doctor: there is no token to ask about %s with", f.repository)
	case repository == "" && f.tokenFile != "":
		return nil, usageError("name it: --repository OWNER/NAME", "gate doctor: which repository to ask about is not said")
	case token == "" || repository == "":
		return nil, nil //nolint:nilnil // nobody asked to ask
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("read the machine's certificates: %w", err)
	}
	client, err := github.New(github.Options{
		BaseURL: cmp.Or(f.apiURL, m.getenv("GITHUB_API_URL"), "https://api.github.com"), Token: token, Repository: repository,
		Roots: roots, UserAgent: "outcome-gate/" + strings.Trim(version(), "()"),
	})
	if err != nil {
		return nil, usageError("", "gate doctor: %w", err)
	}
	return client, nil
}

// askService asks what holds for the default branch. What only administrators may read is named where it was refused;
// everything else that cannot be read is an error.
func askService(ctx context.Context, c *github.Client) (*doctor.Service, []string, error) {
	notes := []string{}
	branch, err := c.DefaultBranch(ctx)
	if err != nil {
		return nil, notes, err
	}
	rules, err := c.Rules(ctx, branch)
	if err != nil {
		return nil, notes, err
	}
	if rules.Cut {
		return nil, notes, fmt.Errorf("list rules of branch %q: there are more than are read", branch)
	}
	classic, err := c.Protection(ctx, branch)
	if err != nil {
		return nil, notes, err
	}
	out := &doctor.Service{Branch: branch, CodeOwners: doctor.No}
	for _, r := range rules.Items {
		out.MergeQueue = out.MergeQueue || r.Type == "merge_queue"
		if r.CodeOwners {
			out.CodeOwners = doctor.Yes
		}
		for _, k := range r.Checks {
			out.Checks = append(out.Checks, doctor.RequiredCheck(k))
		}
		for _, w := range r.Workflows {
			out.Workflows = append(out.Workflows, w.Path)
		}
	}
	for _, k := range classic.Checks {
		out.Checks = append(out.Checks, doctor.RequiredCheck(k))
	}
	if out.CodeOwners == doctor.No && classic.Protected && (len(rules.Items) == 0 || len(classic.Checks) > 0) {
		out.CodeOwners = doctor.Unknown
		notes = append(notes, "whether classic branch protection asks for code owners: only administrators may read it")
	}
	settings, err := c.WorkflowSettings(ctx)
	switch {
	case github.IsStatus(err, 403) || github.IsStatus(err, 404):
		notes = append(notes, "settings of workflows: only administrators may read them")
	case err != nil:
		return nil, notes, err
	default:
		out.Settings = &doctor.Settings{Writes: settings.Writes, Approves: settings.Approves}
	}
	return out, notes, nil
}
