// Package demo holds six runs that all ended well by their own account, and judges each by what can be observed.
//
// It decides nothing: every run becomes a real workspace with a git repository, and internal/gate judges it as
// it judges any other. It trusts the folder that the caller gives it, and writes nowhere else.
package demo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/local"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// completed is the terminal status of every run here.
const completed = "completed"

// Case is one run: how it says that it ended, and what it left behind.
type Case struct {
	Name     string
	About    string
	Terminal string        // terminal status of the run
	Artifact string        // bytes of the artifact; "": there is none
	Age      time.Duration // how long before the run's start the artifact was written; negative: during the run
	Pinned   string        // bytes whose digest the contract asks for; "": none
	Check    string        // exit status that the artifact's check recorded; "": it did not run
	Want     evidence.State
}

// The two artifacts: what the work should give, and what an unfinished run gives.
const (
	goodReport = `{"month":"2026-06","invoices":118,"total_cents":4523100}` + "\n"
	thinReport = `{"month":"2026-06","invoices":0,"total_cents":0,"note":"no input was found"}` + "\n"
)

// Cases are the six runs.
func Cases() []Case {
	const during, before = -time.Minute, 2 * time.Hour
	return []Case{
		{"exact-bytes", "the artifact has the exact bytes that were agreed", completed, goodReport, during, goodReport, "0\n", evidence.Verified},
		{"checked", "no bytes were agreed; the artifact's check passed", completed, goodReport, during, "", "0\n", evidence.Verified},
		{"nothing-there", "the run wrote no artifact", completed, "", during, "", "", evidence.Missing},
		{"left-over", "the artifact is of an earlier run", completed, goodReport, before, "", "0\n", evidence.Stale},
		{"other-bytes", "the artifact has other bytes than agreed", completed, thinReport, during, goodReport, "0\n", evidence.HashMismatch},
		{"check-failed", "the artifact's check did not pass", completed, thinReport, during, "", "1\n", evidence.ValidatorFailed},
	}
}

// TrustsTerminal is the rule that the contract is compared with: a run that says that it completed is accepted.
func TrustsTerminal(c *Case) bool { return c.Terminal == completed }

// Outcome is what became of one case.
type Outcome struct {
	Case    Case
	Dir     string // its workspace
	Receipt *receipt.Receipt
}

// State is the state of the case's one outcome.
func (o *Outcome) State() evidence.State {
	if len(o.Receipt.Outcomes) != 1 {
		return ""
	}
	return o.Receipt.Outcomes[0].State
}

// AsExpected says whether the contract came to the state that is true of the case, and passed it only if that
// is verified.
func (o *Outcome) AsExpected() bool {
	return o.State() == o.Case.Want && (o.Receipt.Result == verdict.Pass) == (o.Case.Want == evidence.Verified)
}

// The times of a run, before now: sources were written, then the run began.
const (
	sourceAge = 30 * time.Minute
	runAge    = 5 * time.Minute
)

// Run builds every case below dir, which must be empty or not there yet, and judges it. name is the version
// that receipts carry.
func Run(ctx context.Context, dir, version string, now func() time.Time) ([]Outcome, error) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("build the runs in %s: it is not empty", dir)
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("build the runs: %w", err)
	}
	started := now().UTC().Truncate(time.Second).Add(-runAge)
	var out []Outcome
	for _, c := range Cases() {
		ws := filepath.Join(dir, c.Name)
		if err := build(ws, &c, started); err != nil {
			return nil, fmt.Errorf("build the run %s: %w", c.Name, err)
		}
		r, err := judge(ctx, ws, version, now, started)
		if err != nil {
			return nil, fmt.Errorf("judge the run %s: %w", c.Name, err)
		}
		out = append(out, Outcome{Case: c, Dir: ws, Receipt: r})
	}
	return out, nil
}

// judge is what gate check does in the workspace.
func judge(ctx context.Context, ws, version string, now func() time.Time, started time.Time) (*receipt.Receipt, error) {
	exit := 0
	c, err := local.Open(ctx, local.Options{
		Version: version, Clock: now, Workspace: ws, RunStartedAt: started, Given: local.Given{AgentExit: &exit},
	})
	if err != nil {
		return nil, err
	}
	r, err := gate.Run(ctx, c.World)
	return r, errors.Join(err, c.Close())
}

// build makes the workspace of a case: the contract on main, the agent's commit on a branch of its own, and
// what its run left behind.
func build(ws string, c *Case, started time.Time) error {
	sources := started.Add(-sourceAge)
	tracked := []file{
		{".github/outcome-contract.yml", contractOf(c), sources},
		{"make-report.sh", "#!/bin/sh\nexit 0\n", sources},
	}
	changed := []file{tracked[0], {"make-report.sh", "#!/bin/sh\nset -eu\nexec ./report --month 2026-06 --out out/report.json\n", sources}}
	if err := commitAll(ws, tracked, changed, sources); err != nil {
		return err
	}
	left := []file{{".agent/outcome.json", claim, started.Add(time.Minute)}}
	if c.Artifact != "" {
		left = append(left, file{"out/report.json", c.Artifact, started.Add(-c.Age)})
	}
	if c.Check != "" {
		left = append(left, file{"out/check.exit", c.Check, started.Add(-c.Age)})
	}
	return writeAll(ws, left)
}

// claim is the report of every run.
const claim = `{
  "outcome": "succeeded",
  "evidence": ["make-report.sh finished, out/report.json is written and checked"]
}
`

// contractOf is the contract of a case. They differ in whether exact bytes are agreed.
func contractOf(c *Case) string {
	pin := ""
	if c.Pinned != "" {
		sum := sha256.Sum256([]byte(c.Pinned))
		pin = "      sha256: " + hex.EncodeToString(sum[:]) + "\n"
	}
	return `version: 1
report:
  required: always
  carriers: [file]
outcomes:
  - id: monthly-report
    about: The report was made in this run and its check passed.
    artifact:
      files: out/report.json
` + pin + `    validators:
      - exit_code: out/check.exit
`
}

// file is one file of a workspace.
type file struct {
	path, text string
	modified   time.Time
}

// writeAll writes files with their times.
func writeAll(ws string, files []file) error {
	for _, f := range files {
		path := filepath.Join(ws, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(f.text), 0o600); err != nil {
			return err
		}
		if err := os.Chtimes(path, f.modified, f.modified); err != nil {
			return err
		}
	}
	return nil
}
