package setup

import (
	"fmt"
	"path"
	"strings"
)

// EvidencePath is where the workflow lies that runs the tests in the isolated layout.
const EvidencePath = ".github/workflows/outcome-evidence.yml"

const evidenceHead = `name: outcome-evidence
on:
  pull_request: { types: [opened, synchronize, reopened] }
  merge_group:
permissions:
  contents: read
jobs:
`

const apartWorkflow = `name: outcome-gate
on:
  workflow_run: { workflows: [outcome-evidence], types: [completed] }
  pull_request_review: { types: [submitted, dismissed] }
  pull_request_target: { types: [edited, ready_for_review] }
  issue_comment: { types: [created, edited] }
  workflow_dispatch:
    inputs:
      pr-number: { description: The pull request to judge again, required: true }
permissions:
  contents: read        # the contract, and what is tracked
  actions: read         # the evidence's run: its jobs and uploads
  checks: write         # the check run
  statuses: write       # the commit status, which is what to require
  pull-requests: write  # the comment
jobs:
  outcome-gate:
    runs-on: ubuntu-latest
    steps: # nothing of the change is checked out, and nothing of it runs
      - id: gate
        uses: %s
        with:
          evidence-workflow: %s
          pr-number: ${{ inputs.pr-number || github.event.issue.number || github.event.pull_request.number }}
      - if: always() && steps.gate.outputs.receipt-path != ''
        uses: %s
        with:
          name: outcome-gate-receipt
          path: ${{ runner.temp }}/${{ steps.gate.outputs.receipt-path }}
`

// apartText is the gate's workflow of the isolated layout, without its mark.
func apartText() string {
	return fmt.Sprintf(apartWorkflow, gateAction, EvidencePath, action("actions/upload-artifact"))
}

// evidenceText is the workflow that runs the change's code, one job a suite, without its mark. What a job that failed
// left is uploaded too: the gate judges it.
func evidenceText(suites []Suite) string {
	var b strings.Builder
	b.WriteString(evidenceHead)
	for i := range suites {
		s := &suites[i]
		fmt.Fprintf(&b, "  %s:\n    runs-on: ubuntu-latest\n    steps:\n", scalar(s.Step))
		fmt.Fprintf(&b, "      - uses: %s\n        with:\n          persist-credentials: false\n", action("actions/checkout"))
		for _, p := range s.prepare {
			b.WriteString(p.text(""))
		}
		run := step{dir: s.Dir, run: append(append([]string{}, s.before...), s.Command)}
		b.WriteString(run.text(""))
		if s.Results == "" {
			continue
		}
		up := step{uses: "actions/upload-artifact", with: [][2]string{{"name", s.upload()}, {"path", s.Results}}}
		b.WriteString(up.text("always()"))
	}
	return b.String()
}

// upload is the name of what a suite's job uploads.
func (s *Suite) upload() string { return "results-" + s.Step }

// uploaded is where a result file lies inside the upload: actions/upload-artifact keeps of a path what stands behind
// the folder that all its files have in common.
func (s *Suite) uploaded() string { return "**/" + path.Base(s.Results) }
