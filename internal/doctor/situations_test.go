package doctor

import "testing"

const otherStep = "      - id: test\n        run: make test\n"

// situations are those that files alone show.
func situations() []situation {
	const gateAt = "gate.yml:19:9"
	return []situation{
		{"no gate", replace("uses: outcome-gate/outcome-gate@v1.0.0", "uses: acme/outcome-gate@de0fac2e4500dabe0009e67214ff5f5447ce83dd"), []string{"no-gate .github/workflows"}},
		{"a longer name", replace("outcome-gate/outcome-gate@v1.0.0", "outcome-gate/outcome-gate-x@de0fac2e4500dabe0009e67214ff5f5447ce83dd"), []string{"no-gate .github/workflows"}},
		{"not its own", replace("outcome-gate/outcome-gate@v1.0.0", "./"), []string{"no-gate .github/workflows"}},
		{"no workflows", func(_ *testing.T, f *Facts) { f.Workflows = nil }, []string{"no-gate .github/workflows"}},
		{"pushes only", replace("on:\n  pull_request:\n  merge_group:\n", "on: push\n"), []string{"wrong-event " + "gate.yml:17:9", "wrong-surface gate.yml:17:9"}},
		{"path filter", replace("  pull_request:\n", "  pull_request: { paths: [src/**] }\n"), []string{"path-filter gate.yml:3:19"}},
		{"paths left out", replace("  pull_request:\n", "  pull_request:\n    paths-ignore:\n      - docs/**\n"), []string{"path-filter gate.yml:4:5"}},
		{"no merge group, not asked", both(replace("  merge_group:\n", ""), func(_ *testing.T, f *Facts) { f.Service = nil }), []string{"merge-group-advised gate.yml:3:3"}},
		{"no merge group, a queue", replace("  merge_group:\n", ""), []string{"missing-merge-group gate.yml:3:3"}},
		{"step without condition", replace(gateStep, "      - id: gate\n"), []string{"step-may-be-skipped " + gateAt}},
		{"step on success", replace(gateStep, "      - id: gate\n        if: success() || failure()\n"), []string{"step-may-be-skipped gate.yml:20:9"}},
		{"step always and more", replace(gateStep, "      - id: gate\n        if: always() && github.actor != 'x'\n"), []string{"step-may-be-skipped gate.yml:20:9"}},
		{"braces and text", replace(gateStep, "      - id: gate\n        if: ${{ always() }} && false\n"), []string{"step-may-be-skipped gate.yml:20:9"}},
		{"job with condition", replace("    runs-on", "    if: github.actor != 'x'\n    runs-on"), []string{"job-may-be-skipped gate.yml:13:5"}},
		{"job that needs", replace("    runs-on", "    needs: [build]\n    runs-on"), []string{"job-may-be-skipped gate.yml:13:5"}},
		{"job that needs, always", replace("    runs-on", "    needs: [build]\n    if: always()\n    runs-on"), nil},
		{"step goes on", replace(gateStep, gateStep+"        continue-on-error: true\n"), []string{"continue-on-error gate.yml:21:9"}},
		{"job goes on", replace("    runs-on", "    continue-on-error: ${{ true }}\n    runs-on"), []string{"continue-on-error gate.yml:13:5"}},
		{"cancelled", replace("permissions:\n", "concurrency: { group: x, cancel-in-progress: true }\npermissions:\n"), []string{"cancel-in-progress gate.yml:5:26"}},
		{"job cancelled", replace("    runs-on", "    concurrency:\n      group: x\n      cancel-in-progress: ${{ github.ref != 'x' }}\n    runs-on"), []string{"cancel-in-progress gate.yml:15:7"}},
		{"a scope is missing", replace("  statuses: write\n", "  statuses: read\n"), []string{"missing-permissions gate.yml:5:1"}},
		{"a scope too many", replace("  contents: read\n", "  contents: write\n"), []string{"too-many-permissions gate.yml:6:3"}},
		{"write-all", replace("    runs-on", "    permissions: write-all\n    runs-on"), []string{"too-many-permissions gate.yml:13:5"}},
		{"read-all", replace("    runs-on", "    permissions: read-all\n    runs-on"), []string{"missing-permissions gate.yml:13:5"}},
		{"none", replace("    runs-on", "    permissions: {}\n    runs-on"), []string{"missing-permissions gate.yml:13:5"}},
		{"no permissions", replace("permissions:\n  contents: read\n  actions: read\n  checks: write\n  statuses: write\n  pull-requests: write\n", ""), []string{"missing-permissions gate.yml:6:3"}},
		{"credentials", replace("        with: { persist-credentials: false }\n", ""), []string{"persisted-credentials gate.yml:15:9"}},
		{"credentials by expression", replace("persist-credentials: false", "persist-credentials: '${{ false }}'"), []string{"persisted-credentials gate.yml:15:9"}},
		{"a tag", replace("actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd", "actions/checkout@v6"), []string{"unpinned-action gate.yml:15:9"}},
		{"a short commit", replace("actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd", "actions/checkout@de0fac2"), []string{"unpinned-action gate.yml:15:9"}},
		{"a moving version", replace("@v1.0.0", "@v1"), []string{"unpinned-action gate.yml:21:9"}},
		{"another's version", replace(otherStep, otherStep+"      - uses: acme/lint@v1.0.0\n"), []string{"unpinned-action gate.yml:19:9"}},
		{"an image by tag", replace(otherStep, otherStep+"      - uses: docker://alpine:3\n"), []string{"unpinned-action gate.yml:19:9"}},
		{"a called workflow", another("on: push\njobs: { a: { uses: acme/x/.github/workflows/y.yml@main } }\n"), []string{"unpinned-action other.yml:2:14"}},
		{"steps not given", replace("        with:\n          steps: ${{ toJSON(steps) }}\n", ""), []string{"missing-steps " + gateAt}},
		{"steps not needed", both(replace("        with:\n          steps: ${{ toJSON(steps) }}\n", ""), terms("version: 1\noutcomes:\n  - { id: a, artifact: { files: a } }\n")), nil},
		{"unknown step", replace("id: test\n", "id: tests\n"), []string{"unknown-step .github/outcome-contract.yml:3:5"}},
		{"a step behind the gate", terms("version: 1\noutcomes:\n  - id: a\n    validators: [ { step: gate } ]\n"), []string{"unknown-step .github/outcome-contract.yml:4:21"}},
		{"a job", terms("version: 1\noutcomes:\n  - id: a\n    artifact: { files: a, made_by: outcome-gate }\n"), nil},
		{"receipt not kept", replace("actions/upload-artifact@", "actions/cache@"), []string{"no-receipt-upload " + gateAt}},
		{"receipt kept on success", replace("if: ${{ !cancelled() }}", "if: success()"), []string{"no-receipt-upload " + gateAt}},
		{"name twice", another("on: pull_request\njobs: { a: { name: outcome-gate, runs-on: x, steps: [] } }\n"), []string{"name-twice other.yml:2:9"}},
		{"name twice, on pushes", another("on: push\njobs: { outcome-gate: { runs-on: x, steps: [] } }\n"), nil},
		{"no owners file", func(_ *testing.T, f *Facts) { f.Owners = nil }, []string{"no-owners .github/CODEOWNERS", "no-owners .github/CODEOWNERS"}},
		{"no owner", func(_ *testing.T, f *Facts) { f.Owners.Data = []byte("/.github/workflows/ @a\n") }, []string{"no-owners .github/CODEOWNERS"}},
		{"no contract", func(_ *testing.T, f *Facts) { f.Contract = nil }, []string{"no-contract .github/outcome-contract.yml"}},
		{"a contract that is not valid", terms("version: 1\noutcomes: 7\n"), []string{"invalid-contract .github/outcome-contract.yml:2:11"}},
		{"observing", both(terms("version: 1\nmode: observe\noutcomes:\n  - { id: a, artifact: { files: a } }\n")), []string{"observe-mode .github/outcome-contract.yml:2:7"}},
		{"unreadable", another("on: ["), []string{"unreadable-workflow other.yml"}},
		{"the change, trusted", another("on: pull_request_target\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd\n        with: { persist-credentials: false, ref: '${{ github.event.pull_request.head.sha }}' }\n"), []string{"untrusted-checkout other.yml:5:9"}},
		{"the change, by its head", another("on: [workflow_run]\njobs:\n  a:\n    steps:\n      - { uses: Actions/Checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd, with: { Ref: '${{ github.event.workflow_run.head_branch }}' } }\n"), []string{"untrusted-checkout other.yml:5:9"}},
		{"the change, by command", another("on: issue_comment\njobs:\n  a:\n    steps:\n      - run: gh pr checkout \"$N\"\n"), []string{"untrusted-checkout other.yml:5:9"}},
		{"the change, allowed", another("on: pull_request_target\njobs:\n  a:\n    steps:\n      - { uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd, with: { allow-unsafe-pr-checkout: true } }\n"), []string{"untrusted-checkout other.yml:5:9"}},
		{"the default branch, trusted", another("on: pull_request_target\njobs:\n  a:\n    steps:\n      - { uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd, with: { persist-credentials: false } }\n      - run: make\n"), nil},
	}
}

// asked are those that GitHub's answers show.
func asked() []situation {
	const called = "on: { pull_request: , merge_group: }\njobs: { call: { uses: ./.github/workflows/gate.yml } }\n"
	waits := terms("version: 1\noutcomes:\n  - id: a\n    waits_for: { approval: { from: [write] } }\n")
	require := func(checks ...RequiredCheck) func(*testing.T, *Facts) {
		return service(func(s *Service) { s.Checks = checks })
	}
	return []situation{
		{"nothing required", require(), []string{"not-required settings"}},
		{"others required", require(RequiredCheck{"build", 1}, RequiredCheck{"outcome-gate / x", 1}), []string{"not-required settings"}},
		{"its name is not known", replace("    runs-on", "    strategy: { matrix: { a: [1] } }\n    name: outcome-gate ${{ matrix.a }}\n    runs-on"), []string{"not-required settings"}},
		{"the check run", require(RequiredCheck{"Outcome Gate", 15368}), []string{"wrong-surface settings"}},
		{"the check run, renamed", both(require(RequiredCheck{"Mine", 15368}), replace("          steps:", "          check-name: Mine\n          steps:")), []string{"wrong-surface settings"}},
		{"a status that is off", both(require(RequiredCheck{"outcome-gate/verdict", 15368}), replace("          steps:", "          status: off\n          steps:")), []string{"wrong-surface gate.yml:19:9"}},
		{"a status while observing", both(require(RequiredCheck{"outcome-gate/verdict", 15368}), terms("version: 1\nmode: observe\noutcomes:\n  - { id: a, artifact: { files: a } }\n")), []string{"wrong-surface gate.yml:19:9", "observe-mode .github/outcome-contract.yml:2:7"}},
		{"a job that passes waits", replace("          steps:", "          wait-exit-zero: true\n          steps:"), []string{"wrong-surface gate.yml:23:27"}},
		{"waits by the job", waits, []string{"waits-need-status gate.yml:19:9"}},
		{"any source", require(RequiredCheck{"outcome-gate", 0}), []string{"not-pinned-to-app settings"}},
		{"owners not asked", service(func(s *Service) { s.CodeOwners = No }), []string{"owners-not-asked settings"}},
		{"owners not known", service(func(s *Service) { s.CodeOwners = Unknown }), nil},
		{"settings", service(func(s *Service) { s.Settings = &Settings{Writes: true, Approves: true} }), []string{"default-token-writes settings", "workflows-approve settings"}},
		{"called", both(replace("on:\n  pull_request:\n  merge_group:\n", "on: workflow_call\n"), another(called), require(RequiredCheck{"call / outcome-gate", 15368})), nil},
		{"called, its own name required", both(replace("on:\n  pull_request:\n  merge_group:\n", "on: workflow_call\n"), another(called)), []string{"not-required settings"}},
		{"called by nobody", both(replace("on:\n  pull_request:\n  merge_group:\n", "on: workflow_call\n")), []string{"wrong-event gate.yml:17:9", "wrong-surface gate.yml:17:9"}},
		{"called with a condition", both(replace("on:\n  pull_request:\n  merge_group:\n", "on: workflow_call\n"), another("on: [pull_request, merge_group]\njobs: { call: { if: false, uses: ./.github/workflows/gate.yml } }\n"), require(RequiredCheck{"call / outcome-gate", 15368})), []string{"job-may-be-skipped other.yml:2:17"}},
	}
}
