package house

import (
	"path"
	"regexp"
	"strings"
)

var (
	usesLine = regexp.MustCompile(`^\s*(?:-\s+)?uses:\s*["']?([^\s"']+)["']?(.*)$`)
	// pinned is what nobody can move: a whole commit with the version that it is of, an image by digest, this
	// repository itself. A release of the gate is immutable by what release/README.md sets up.
	pinned     = regexp.MustCompile(`^(?:[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\S+|docker://\S+@sha256:[0-9a-f]{64}|\./\S*|outcome-gate/outcome-gate@v[0-9]+\.[0-9]+\.[0-9]+)$`)
	goTool     = regexp.MustCompile(`\bgo (?:run|install|get) (?:-\S+ )*"?([a-z][\w.-]*\.[a-z]+/[^\s"@]+)(?:@([^\s"]+))?`)
	exactBuild = regexp.MustCompile(`^(?:v[0-9]+\.[0-9]+\.[0-9]+\S*|\$[A-Z_]+)$`)
)

// checkPins holds what our own workflows, those that we write for others, and the script of all checks run of others to
// one version that cannot move.
func checkPins(t *tree, _ *lists) []offence {
	var out []offence
	for _, f := range t.texts {
		workflow := path.Dir(f.path) == ".github/workflows" || strings.HasSuffix(f.path, ".workflow.yml")
		if !workflow && f.path != ".ci/run" {
			continue
		}
		for i, line := range strings.Split(string(f.body), "\n") {
			if m := usesLine.FindStringSubmatch(line); workflow && m != nil && !pinned.MatchString(strings.TrimRight(m[1]+m[2], " \r")) {
				out = append(out, offence{path: f.path, line: i + 1, what: m[1] + " can be moved: pin it by its whole commit, with `# vX.Y.Z` behind it"})
			}
			if m := goTool.FindStringSubmatch(line); len(m) == 3 && m[2] != "" && !exactBuild.MatchString(m[2]) {
				out = append(out, offence{path: f.path, line: i + 1, what: m[1] + "@" + m[2] + " can be moved: name the exact version"})
			}
		}
	}
	return out
}

func bitingPins() []bite {
	const sha = "de0fac2e4500dabe0009e67214ff5f5447ce83dd"
	flow := func(lines ...string) map[string]string {
		return map[string]string{".github/workflows/a.yml": "steps:\n" + strings.Join(lines, "\n") + "\n", "internal/a/a.go": "package a\n"}
	}
	return []bite{
		{rule: "pins", name: "tags, branches, short commits", files: flow(
			"  - uses: actions/checkout@v6", "  - uses: actions/checkout@"+sha+" # v6.0.2", "    uses: 'a/b@main'", "  - uses: a/b@"+sha[:12]+" # v1.0.0", "  - uses: a/b@"+sha,
			"  - uses: docker://a/b:latest", "  - uses: ./", "  - uses: outcome-gate/outcome-gate@v1", "  - uses: outcome-gate/outcome-gate@v1.0.0",
		), want: []string{
			".github/workflows/a.yml:2 actions/checkout@v6 can be moved", ".github/workflows/a.yml:4 a/b@main", ".github/workflows/a.yml:5 a/b@de0f",
			".github/workflows/a.yml:6 a/b@de0f", ".github/workflows/a.yml:7 docker://a/b:latest", ".github/workflows/a.yml:9 outcome-gate",
		}},
		{rule: "pins", name: "tools", files: flow(
			"  - run: go run golang.org/x/vuln/cmd/govulncheck@latest ./...", "  - run: go install example.com/a@v1", "  - run: go install example.com/a@v1.2.3", "  - run: go run ./cmd/gate demo",
		), want: []string{".github/workflows/a.yml:2 govulncheck@latest can be moved", ".github/workflows/a.yml:3 a@v1 can be moved"}},
	}
}
