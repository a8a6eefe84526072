package setup

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// gateAction is how the workflow names the gate: releases are immutable, so a whole version stays one commit.
const gateAction = "outcome-gate/outcome-gate@v1.0.0"

// action is the reference of another action at the commit of one release, with that release's name.
func action(name string) string {
	switch name {
	case "actions/checkout":
		return name + "@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2"
	case "actions/setup-dotnet":
		return name + "@c2fa09f4bde5ebb9d1777cf28262a3eb3db3ced7 # v5.2.0"
	case "actions/setup-go":
		return name + "@4a3601121dd01d1626a1e23e37211e3254c1c06c # v6.4.0"
	case "actions/setup-java":
		return name + "@be666c2fcd27ec809703dec50e508c2fdc7f6654 # v5.2.0"
	case "actions/setup-node":
		return name + "@53b83947a5a98c8d113130e565377fae1a50d02f # v6.3.0"
	case "actions/setup-python":
		return name + "@a309ff8b426b58ec0e2a45f0f869d46889d02405 # v6.2.0"
	case "actions/upload-artifact":
		return name + "@043fb46d1a93c77aae656e7c1c64a875d1fc6a0a # v7.0.1"
	case "ruby/setup-ruby":
		return name + "@09a7688d3b55cf0e976497ff046b70949eeaccfd # v1.288.0"
	case "taiki-e/install-action":
		return name + "@25435dc8dd3baed7417e0c96d3fe89013a5b2e09 # v2.81.3"
	}
	panic("no commit is known of the action " + name)
}

// scalar is a text as YAML writes it on one line, quoted where it has to be.
func scalar(s string) string {
	b, err := yaml.Marshal(s)
	if err != nil {
		panic(err) // a text can be written
	}
	return strings.TrimSuffix(string(b), "\n")
}

const workflowHead = `name: outcome-gate
on:
  pull_request: { types: [opened, synchronize, reopened, ready_for_review, edited] }
  pull_request_review: { types: [submitted, dismissed] }
  merge_group:
permissions:
  contents: read        # the contract, and what is tracked
  actions: read         # when this job began
  checks: write         # the check run
  statuses: write       # the commit status
  pull-requests: write  # the comment
jobs:
  outcome-gate:
    runs-on: ubuntu-latest
    steps:
      - uses: %s
        with:
          persist-credentials: false
`

const workflowTail = `      - id: gate
        if: always()
        uses: %s
        with:
          steps: ${{ toJSON(steps) }}
      - if: always() && steps.gate.outputs.receipt-path != ''
        uses: %s
        with:
          name: outcome-gate-receipt
          path: ${{ runner.temp }}/${{ steps.gate.outputs.receipt-path }}
`

// workflowText is the workflow without its mark.
func workflowText(suites []Suite) string {
	var b strings.Builder
	fmt.Fprintf(&b, workflowHead, action("actions/checkout"))
	written := map[string]bool{} // a toolchain or an installation that several suites share is there once
	for i := range suites {
		s := &suites[i]
		// A failure of one language says nothing of the next.
		condition := ""
		if i > 0 {
			condition = "${{ !cancelled() }}"
		}
		for _, p := range s.prepare {
			text := p.text(condition)
			if key := p.text(""); !written[key] {
				written[key] = true
				b.WriteString(text)
			}
		}
		run := step{id: s.Step, dir: s.Dir, run: append(append([]string{}, s.before...), s.Command)}
		b.WriteString(run.text(condition))
	}
	fmt.Fprintf(&b, workflowTail, gateAction, action("actions/upload-artifact"))
	return b.String()
}

// text is a step of the job.
func (s *step) text(condition string) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		lead := "        "
		if b.Len() == 0 {
			lead = "      - "
		}
		fmt.Fprintf(&b, lead+format+"\n", args...)
	}
	if s.id != "" {
		line("id: %s", scalar(s.id))
	}
	if condition != "" {
		line("if: %s", condition)
	}
	if s.uses != "" {
		line("uses: %s", action(s.uses))
	}
	if len(s.with) > 0 {
		line("with:")
	}
	for _, w := range s.with {
		if strings.Contains(w[1], "\n") {
			line("  %s: |", w[0])
			for l := range strings.SplitSeq(w[1], "\n") {
				line("    %s", l)
			}
			continue
		}
		line("  %s: %s", w[0], scalar(w[1]))
	}
	if len(s.run) > 0 && s.dir != "." {
		line("working-directory: %s", scalar(s.dir))
	}
	switch len(s.run) {
	case 0:
	case 1:
		line("run: %s", scalar(s.run[0]))
	default:
		line("run: |")
		for _, l := range s.run {
			line("  %s", l)
		}
	}
	return b.String()
}

const contractHead = `version: 1
# The verdict is computed and shown, and turns nothing red. Once it has been right for a while: enforce.
mode: observe
outcomes:
`

// contractText is the contract without its mark.
func contractText(suites []Suite, isolated bool) string {
	var b strings.Builder
	b.WriteString(contractHead)
	for i := range suites {
		s := &suites[i]
		where := ""
		if s.Dir != "." {
			where = " in " + s.Dir
		}
		fmt.Fprintf(&b, "  - id: %s\n", scalar(s.Outcome))
		job, kind := "this job", "step"
		if isolated {
			job, kind = "job "+s.Step, "job"
		}
		if s.Results == "" {
			fmt.Fprintf(&b, "    about: %s\n", scalar(s.about(fmt.Sprintf("The %s tests%s ran to their end in %s, and the command says that they passed", s.title, where, job))))
			fmt.Fprintf(&b, "    validators:\n      - %s: %s\n", kind, scalar(s.Step))
			continue
		}
		fmt.Fprintf(&b, "    about: %s\n", scalar(s.about(fmt.Sprintf("The %s tests%s ran in %s, and none failed", s.title, where, job))))
		b.WriteString("    artifact:\n")
		if isolated {
			fmt.Fprintf(&b, "      upload: %s\n      files: %s\n", scalar(s.upload()), scalar(s.uploaded()))
		} else {
			fmt.Fprintf(&b, "      files: %s\n", scalar(s.Results))
		}
		switch {
		case s.exactly:
			fmt.Fprintf(&b, "      count: %d\n", s.count)
		case s.count > 1:
			fmt.Fprintf(&b, "      count: { min: %d }\n", s.count)
		}
		fmt.Fprintf(&b, "      made_by: %s\n", scalar(s.Step))
		b.WriteString("    validators:\n      # An estimate from the files of tests. Raise it to what the first runs show.\n")
		fmt.Fprintf(&b, "      - tests: { min_executed: %d, format: %s }\n", s.least, scalar(s.Format))
	}
	return b.String()
}

// maxAbout is how many characters a contract takes for a sentence.
const maxAbout = 500

// about is a sentence about a suite, with the command that an agent runs for it.
func (s *Suite) about(sentence string) string {
	whole := sentence + ": `" + strings.Join(append(append([]string{}, s.before...), s.Command), " && ") + "`."
	if strings.Count(whole, "`") != 2 || len(whole) > maxAbout {
		return sentence + "."
	}
	return whole
}
