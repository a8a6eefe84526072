package setup

import (
	"path"
	"slices"
	"strings"
)

// Enter says whether files below a folder are looked at. Folders of dependencies, of build output and of samples are
// not: what lies there is no part of the repository's own tests.
func Enter(dir string) bool {
	base := path.Base(dir)
	if strings.HasPrefix(base, ".") {
		return dir == ".github" || dir == ".github/workflows" || base == ".config"
	}
	switch base {
	case "node_modules", "bower_components", "vendor", "third_party", "target", "build", "dist", "out", "bin", "obj", "venv", "site-packages",
		"__pycache__", "testdata", "fixtures", "__fixtures__", "examples", "example", "samples", "templates":
		return false
	}
	return true
}

// Wanted says whether the contents of a file are needed.
func Wanted(name string) bool {
	switch name {
	case WorkflowPath, EvidencePath, ContractPath, AgentsPath, claudeFile, copilotFile, ".gitignore",
		".github/outcome-contract.yaml", ".github/outcome-contract.json":
		return true
	}
	base := path.Base(name)
	switch base {
	case "go.mod", "package.json", "pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts",
		"Gemfile", "Rakefile", "Makefile", "GNUmakefile", "makefile":
		return true
	}
	return isWorkflow(name) || isProject(base) || slices.Contains(requirements(), base) || strings.HasSuffix(name, ".config/nextest.toml")
}

// isWorkflow reports whether a path is that of a workflow file.
func isWorkflow(p string) bool {
	return path.Dir(p) == ".github/workflows" && (path.Ext(p) == ".yml" || path.Ext(p) == ".yaml")
}

// isProject reports whether a file is a project of .NET.
func isProject(base string) bool {
	switch path.Ext(base) {
	case ".csproj", ".fsproj", ".vbproj":
		return true
	}
	return false
}

// requirements are the usual names of lists of packages for pip.
func requirements() []string {
	return []string{
		"requirements.txt", "requirements-dev.txt", "requirements_dev.txt", "dev-requirements.txt", "requirements-test.txt", "requirements_test.txt",
		"requirements-tests.txt", "test-requirements.txt",
	}
}
