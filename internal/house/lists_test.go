package house

// lists are the tables that the rules read. An entry that nothing in the tree answers to is an offence
// itself, so that no exception outlives its reason.
type lists struct {
	packages   map[string]room   // by directory
	vars       map[string]string // "dir.name" of a package variable, and why it may be one
	interfaces map[string]string // "dir.Name", and the two implementations
	long       map[string]string // "dir.Func" or "dir.Type.Method" over the length, and why
}

// room is one package: what of ours it may import.
type room struct {
	core    bool // pure: no files, no network, no processes, no clock
	imports []string
	words   []string // imported for types and constants only: no function of theirs is called
	tests   []string // imported by tests besides
}

// house is what holds for this repository. The package that decides nothing may import what decides, and
// never the other way round; a new package is entered here with its place.
func house() *lists {
	return &lists{
		packages: map[string]room{
			"internal/contract":            {core: true},
			"internal/scope":               {core: true, imports: []string{"internal/contract"}},
			"internal/report":              {core: true},
			"internal/evidence":            {core: true, imports: []string{"internal/evidence/testresult", "internal/evidence/coverage", "internal/evidence/sarif"}},
			"internal/evidence/codepage":   {core: true},
			"internal/evidence/coverage":   {core: true, imports: []string{"internal/evidence/codepage", "internal/evidence/packed"}},
			"internal/evidence/packed":     {core: true},
			"internal/evidence/sarif":      {core: true, imports: []string{"internal/evidence/packed"}},
			"internal/evidence/testresult": {core: true, imports: []string{"internal/evidence/codepage", "internal/evidence/packed"}},
			"internal/verdict": {core: true, imports: []string{
				"internal/contract", "internal/report", "internal/evidence",
			}},
			"internal/claims": {core: true, imports: []string{"internal/report"}},
			"internal/receipt": {core: true, imports: []string{
				"internal/claims", "internal/contract", "internal/report", "internal/evidence", "internal/verdict",
			}},
			// A surface shows what the receipt holds, in the receipt's own types, and decides nothing.
			"internal/render": {
				core:    true,
				imports: []string{"internal/receipt", "internal/contract", "internal/report", "internal/evidence"},
				words:   []string{"internal/claims", "internal/verdict"},
			},
			// Says in which state a run is, from its receipt.
			"internal/transition": {
				core: true, imports: []string{"internal/evidence", "internal/receipt"}, words: []string{"internal/verdict"},
				tests: []string{"internal/contract"},
			},
			// Keeps the runs of a task and their receipts on the disk.
			"internal/transition/disk": {
				imports: []string{"internal/receipt", "internal/transition"},
				tests:   []string{"internal/contract", "internal/evidence", "internal/verdict"},
			},
			"internal/collect": {imports: []string{
				"internal/contract", "internal/evidence", "internal/evidence/testresult", "internal/evidence/coverage", "internal/evidence/sarif",
				"internal/archive",
			}, tests: []string{"internal/mishap"}},
			// Reads what others packed, in memory.
			"internal/archive": {core: true},
			// Looks at the addresses of a contract.
			"internal/fetch": {imports: []string{"internal/collect", "internal/evidence"}},
			// Runs one command and writes its exit record.
			"internal/execute": {imports: []string{"internal/contract", "internal/evidence", "internal/collect"}},
			"internal/action":  {},
			// Finds what a repository's set-up lets around the gate.
			"internal/doctor": {core: true, imports: []string{"internal/contract"}, tests: []string{"internal/gate"}},
			"internal/publish": {
				imports: []string{"internal/contract", "internal/evidence", "internal/receipt", "internal/render", "internal/action", "internal/github"},
				words:   []string{"internal/verdict"},
			},
			// Fills the gate's world from the runner and GitHub's API.
			"internal/remote": {imports: []string{
				"internal/contract", "internal/scope", "internal/report", "internal/evidence", "internal/receipt", "internal/render",
				"internal/collect", "internal/gate", "internal/action", "internal/github",
			}},
			// Puts the edges together for the stages of the action.
			"internal/stage": {
				imports: []string{
					"internal/receipt", "internal/render", "internal/verdict", "internal/collect", "internal/fetch", "internal/gate", "internal/action",
					"internal/github", "internal/remote", "internal/publish",
				},
				tests: []string{"internal/fakegithub", "internal/mishap"},
			},
			"internal/gate": {imports: []string{
				"internal/claims",
				"internal/contract", "internal/scope", "internal/report", "internal/evidence", "internal/evidence/testresult",
				"internal/verdict", "internal/receipt", "internal/render", "internal/collect",
			}},
			// Fills the gate's world from flags and a local checkout.
			"internal/local": {imports: []string{
				"internal/contract", "internal/scope", "internal/report", "internal/evidence", "internal/receipt",
				"internal/collect", "internal/gate",
			}},
			// Fills the gate's world from a whole situation in a folder.
			"internal/conformance": {
				imports: []string{
					"internal/contract", "internal/scope", "internal/report", "internal/evidence", "internal/evidence/testresult",
					"internal/receipt", "internal/collect", "internal/gate",
				},
				tests: []string{"internal/render"},
			},
			// Plans what gate init writes, from facts that cmd/gate collects.
			"internal/setup": {core: true, imports: []string{"internal/contract", "internal/prompt"}, tests: []string{"internal/gate"}},
			// Decides whether an agent may stop; its memory is kept by session.
			"internal/hook": {
				core:    true,
				imports: []string{"internal/contract", "internal/report", "internal/receipt", "internal/render", "internal/evidence"},
				words:   []string{"internal/verdict"},
			},
			"internal/sessions": {},
			// Says to an agent what a contract expects.
			"internal/prompt": {core: true, imports: []string{"internal/contract", "internal/report", "internal/render"}, tests: []string{"internal/gate"}},
			// Lays out the built-in cases and runs them.
			"internal/demo": {imports: []string{
				"internal/evidence", "internal/verdict", "internal/receipt", "internal/gate", "internal/local",
			}},
			"internal/house": {},
			// Holds the built container from outside, with what a runner does around it.
			"e2e": {tests: []string{
				"e2e/runstep", "internal/fakegithub", "internal/receipt", "internal/render",
			}},
			"e2e/runstep": {},
			// Makes what a release holds besides the binaries.
			"release": {},
			// Compares the built product with what others read the same files with.
			"bench":         {imports: []string{"bench/input", "bench/measure"}, tests: []string{"internal/evidence/testresult"}},
			"bench/input":   {tests: []string{"internal/evidence/testresult"}},
			"bench/measure": {},
			"bench/peers":   {},
			// Speaks to GitHub and knows nothing of contracts and verdicts.
			"internal/github": {tests: []string{"internal/fakegithub"}},
			// Lets something go wrong with a program at one of its steps, for tests. The product never imports it.
			"internal/mishap": {},
			// A GitHub for tests, and its commands. The product never imports it.
			"internal/fakegithub":                {},
			"internal/fakegithub/cmd/fakegithub": {imports: []string{"internal/fakegithub"}},
			"internal/fakegithub/cutspec":        {},
			// Chooses by flags and prints what the packages answer.
			"cmd/gate": {imports: []string{
				"internal/claims",
				"internal/contract", "internal/report", "internal/evidence", "internal/evidence/testresult", "internal/scope",
				"internal/verdict", "internal/receipt", "internal/render", "internal/gate", "internal/local", "internal/demo", "internal/stage", "internal/publish",
				"internal/execute", "internal/doctor", "internal/github", "internal/fetch", "internal/setup", "internal/prompt", "internal/hook", "internal/sessions",
				"internal/transition", "internal/transition/disk",
			}, tests: []string{"internal/fakegithub", "internal/mishap"}},
		},
		vars: map[string]string{
			"cmd/gate.release":                        "the linker writes a release's version into it, before main",
			"internal/evidence/testresult.bufferPool": "a sync.Pool of read buffers: memory only, and fresh ones a file cost more than reading it",
		},
		interfaces: map[string]string{
			"internal/evidence/testresult.xmlEvents": "junitReader, nunitReader, trxReader, xunitReader",
			"internal/publish.Publisher":             "File, Summary, Outputs, CheckRun, Status, Comment",
		},
		long: map[string]string{},
	}
}
