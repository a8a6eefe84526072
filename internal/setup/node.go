package setup

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// manifest is what is read of a package.json. A member of another type than expected is as good as absent.
type manifest struct {
	Scripts         map[string]string `json:"scripts"`
	Dependencies    map[string]string `json:"dependencies"`
	DevDependencies map[string]string `json:"devDependencies"`
	Engines         map[string]string `json:"engines"`
	Workspaces      json.RawMessage   `json:"workspaces"`
}

func (r *repo) manifest(dir string) *manifest {
	m := &manifest{}
	if err := json.Unmarshal([]byte(r.text(dir, "package.json")), m); err != nil {
		return &manifest{}
	}
	return m
}

// depends says whether a package is asked for, and in which version.
func (m *manifest) depends(name string) (version string, ok bool) {
	if v, ok := m.DevDependencies[name]; ok {
		return v, true
	}
	v, ok := m.Dependencies[name]
	return v, ok
}

// hasWorkspaces says whether the packages below belong to the one in dir.
func hasWorkspaces(r *repo, dir string) bool {
	return len(r.manifest(dir).Workspaces) > 0 || r.has(dir, "pnpm-workspace.yaml", "lerna.json", "nx.json", "turbo.json")
}

// runner is a test runner of Node.js that writes results by itself.
type runner struct {
	name   string
	start  string // what runs it if no script does
	args   string
	file   string
	format string
}

func runners(m *manifest) []runner {
	mocha := runner{"mocha", "mocha", "--reporter json --reporter-option output=reports/mocha.json", "reports/mocha.json", "mocha"}
	if v, ok := m.depends("mocha"); ok && major(v) < firstMochaFile {
		mocha.args, mocha.file, mocha.format = "--reporter xunit --reporter-option output=reports/mocha.xml", "reports/mocha.xml", "junit"
	}
	return []runner{
		{"vitest", "vitest run", "--reporter=default --reporter=json --outputFile.json=reports/vitest.json", "reports/vitest.json", "vitest"},
		{"jest", "jest", "--ci --json --outputFile=reports/jest.json", "reports/jest.json", "jest"},
		mocha,
	}
}

// firstMochaFile is the first major version of Mocha all of whose releases write the json reporter's output to a file.
const firstMochaFile = 10

var firstNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]+`) })

// major is the first number of a version or range, 0 if there is none.
func major(version string) int {
	n, err := strconv.Atoi(firstNumber().FindString(version))
	if err != nil {
		return 0
	}
	return n
}

// placeholder is part of the script that npm init writes.
const placeholder = "no test specified"

// findNode is for a package that has a test script or a known runner.
func findNode(r *repo, dir string) *Suite {
	if !r.has(dir, "package.json") {
		return nil
	}
	m := r.manifest(dir)
	script := m.Scripts["test"]
	if strings.Contains(script, placeholder) {
		script = ""
	}
	pm, prepare := r.nodeSetup(dir, m)
	if pm == nil {
		if script != "" {
			r.note("A package with a test script was passed over: its package manager is Bun, which is not known here.")
		}
		return nil
	}
	s := &Suite{prepare: prepare, count: 1, exactly: true, before: []string{"mkdir -p reports"}}
	isTest := func(n string) bool { return nodeTest().MatchString(n) }
	s.least = leastOf(r.below(dir, isTest), false)
	last := lastCommand(script)
	for _, run := range runners(m) {
		_, asked := m.depends(run.name)
		switch {
		case last != nil && calls(last, run.name):
			s.Command = pm.script + " " + run.args
		case asked && (script == "" || strings.Contains(script, run.name) || last == nil || indirect(last)):
			s.Command = pm.exec + " " + run.start + " " + run.args
		default:
			continue
		}
		s.files, s.Format = run.file, run.format
		return s
	}
	switch {
	case script == "":
		return nil
	case len(last) > 1 && last[0] == "node" && slices.Contains(last, "--test") && !strings.Contains(script, "NODE_OPTIONS"):
		// As options of Node.js, since arguments behind a script's file names are not options any more.
		s.Command = `NODE_OPTIONS="--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=reports/node.xml" ` + pm.plain
		s.files, s.Format = "reports/node.xml", "junit"
	default:
		s.Command, s.before = pm.plain, nil
	}
	return s
}

var nodeTest = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.(?:test|spec)\.[cm]?[jt]sx?$`) })

// lastCommand are the words of the last command of a script, to which a package manager adds what is given to it; nil
// if a shell would do more with it than to split it into words.
func lastCommand(script string) []string {
	if strings.ContainsAny(script, "|<>`$()#\\\n") {
		return nil
	}
	parts := strings.FieldsFunc(script, func(c rune) bool { return c == ';' || c == '&' })
	if len(parts) == 0 || strings.ContainsAny(parts[len(parts)-1], `"'`) {
		return nil
	}
	words := strings.Fields(parts[len(parts)-1])
	for len(words) > 0 && (words[0] == "cross-env" || assignment().MatchString(words[0])) {
		words = words[1:]
	}
	if len(words) == 0 {
		return nil
	}
	return words
}

var assignment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`) })

// calls says whether one of the words is a runner, by its own name or by the path of its start file.
func calls(words []string, name string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		base := path.Base(w)
		return base == name || base == name+".js" || base == name+".mjs"
	}) && !indirect(words)
}

// indirect says whether a command calls another script.
func indirect(words []string) bool {
	switch words[0] {
	case "npm", "pnpm", "yarn", "npm-run-all", "run-s", "run-p", "turbo", "nx", "lerna":
		return true
	}
	return false
}

// manager is how a package manager is called.
type manager struct {
	plain  string // runs the test script
	script string // the same with arguments behind it
	exec   string // runs a program of the dependencies
}

// nodeSetup is the toolchain and the installation. No manager is for one that is not known.
func (r *repo) nodeSetup(dir string, m *manifest) (*manager, []step) {
	where := r.nearest(dir, "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb")
	setup := step{uses: "actions/setup-node", with: [][2]string{r.nodeVersion(dir, m)}}
	switch {
	case where == "":
		return npm(), []step{setup, {dir: dir, run: []string{"npm install --no-audit --no-fund"}}}
	case where != "." && !plainDir().MatchString(where):
		return npm(), nil // the folder below it is passed over as well
	case r.has(where, "package-lock.json", "npm-shrinkwrap.json"):
		return npm(), []step{setup, {dir: where, run: []string{"npm ci"}}}
	case r.has(where, "pnpm-lock.yaml"):
		return &manager{"pnpm run test", "pnpm run test", "pnpm exec"},
			[]step{setup, {dir: where, run: []string{"corepack enable", "pnpm install --frozen-lockfile"}}}
	case r.has(where, "yarn.lock"):
		install := "yarn install --frozen-lockfile"
		if r.has(where, ".yarnrc.yml") {
			install = "yarn install --immutable"
		}
		return &manager{"yarn run test", "yarn run test", "yarn run"}, []step{setup, {dir: where, run: []string{"corepack enable", install}}}
	}
	return nil, nil
}

func npm() *manager { return &manager{"npm test", "npm test --", "npx --no"} }

// nodeVersion is the input of setup-node that says which version.
func (r *repo) nodeVersion(dir string, m *manifest) [2]string {
	for _, name := range []string{".nvmrc", ".node-version"} {
		if at := r.nearest(dir, name); at != "" {
			return [2]string{"node-version-file", path.Join(at, name)}
		}
	}
	if m.Engines["node"] != "" {
		return [2]string{"node-version-file", path.Join(dir, "package.json")}
	}
	return [2]string{"node-version", "lts/*"}
}
