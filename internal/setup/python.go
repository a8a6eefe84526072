package setup

import (
	"path"
	"regexp"
	"strings"
	"sync"
)

var (
	pytestWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)(?:^|["'\s])pytest\b`) })
	tableHead  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\[{1,2}\s*([A-Za-z0-9_."' -]+?)\s*\]{1,2}\s*(?:#.*)?$`)
	})
	tomlKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*"?([A-Za-z0-9][A-Za-z0-9_.-]*)"?\s*=`) })
)

// tables are the lines of a TOML or INI file by the table that they stand in. It reads no values: what is asked of a
// pyproject.toml is which tables and keys it has, and where a name stands among them.
func tables(text string) map[string][]string {
	out := map[string][]string{}
	at := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if m := tableHead().FindStringSubmatch(line); m != nil {
			at = m[1]
			out[at] = append(out[at], "")
			continue
		}
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			out[at] = append(out[at], line)
		}
	}
	return out
}

// keyWith is the key of a table whose value names pytest, "" if none does.
func keyWith(lines []string) string {
	key := ""
	for _, line := range lines {
		if m := tomlKey().FindStringSubmatch(line); m != nil {
			key = m[1]
		}
		if pytestWord().MatchString(line) {
			return key
		}
	}
	return ""
}

// findPython is for a project with pytest, tox, or the standard library's tests.
func findPython(r *repo, dir string) *Suite {
	pyproject := tables(r.text(dir, "pyproject.toml"))
	project := r.has(dir, "pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "pytest.ini", "Pipfile") || len(r.names(dir, isRequirements)) > 0
	if !project {
		return nil
	}
	tests := r.below(dir, func(n string) bool {
		return strings.HasSuffix(n, ".py") && (strings.HasPrefix(n, "test_") || strings.HasSuffix(n, "_test.py"))
	})
	s := &Suite{least: leastOf(tests, false), count: 1, exactly: true}
	install, run, declared := r.pythonInstall(dir, pyproject)
	switch {
	case declared || r.usesPytest(dir, pyproject):
		if !declared {
			install = append(install, "python -m pip install pytest")
		}
		s.Command = run + "pytest --junitxml=reports/pytest.xml"
		s.files, s.Format = "reports/pytest.xml", "junit"
	case r.has(dir, "tox.ini"):
		install, s.Command = []string{"python -m pip install tox"}, "tox"
	case tests > 0:
		s.Command = run + "python -m unittest discover"
	default:
		return nil
	}
	s.prepare = []step{{uses: "actions/setup-python", with: [][2]string{r.pythonVersion(dir, pyproject)}}}
	if len(install) > 0 {
		s.prepare = append(s.prepare, step{dir: dir, run: install})
	}
	return s
}

// usesPytest looks for settings of pytest. What a tox.ini installs is tox's: its pytest runs there.
func (r *repo) usesPytest(dir string, pyproject map[string][]string) bool {
	if pyproject["tool.pytest.ini_options"] != nil || pyproject["tool.pytest"] != nil || tables(r.text(dir, "setup.cfg"))["tool:pytest"] != nil {
		return true
	}
	return !r.has(dir, "tox.ini") && r.has(dir, "pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py")
}

func isRequirements(base string) bool {
	for _, n := range requirements() {
		if n == base {
			return true
		}
	}
	return false
}

// pythonInstall is how the project and what it needs are installed, what stands before its commands then, and whether
// pytest is among what it needs.
func (r *repo) pythonInstall(dir string, pyproject map[string][]string) (lines []string, run string, declared bool) {
	extra, group := keyWith(pyproject["project.optional-dependencies"]), keyWith(pyproject["dependency-groups"])
	declared = pytestWord().MatchString(strings.Join(pyproject["project"], "\n")) || extra != "" || group != ""
	inside := r.text(dir, "pyproject.toml")
	switch {
	case r.has(dir, "uv.lock"):
		sync := "uv sync --locked"
		if extra != "" {
			sync += " --extra " + extra
		}
		if group != "" && group != "dev" {
			sync += " --group " + group
		}
		return []string{"pipx install uv", sync}, "uv run --no-sync ", declared || pytestWord().MatchString(strings.Join(pyproject["tool.uv"], "\n"))
	case r.has(dir, "poetry.lock"):
		return []string{"pipx install poetry", "poetry install"}, "poetry run ", pytestWord().MatchString(inside)
	case r.has(dir, "Pipfile.lock"):
		return []string{"pipx install pipenv", "pipenv sync --dev"}, "pipenv run ", true
	}
	for _, name := range r.names(dir, isRequirements) {
		lines = append(lines, "python -m pip install -r "+name)
		declared = declared || pytestWord().MatchString(r.text(dir, name))
	}
	packaged := pyproject["project"] != nil || pyproject["build-system"] != nil || r.has(dir, "setup.py")
	switch {
	case packaged && extra != "":
		lines = append(lines, `python -m pip install -e ".[`+extra+`]"`)
	case packaged:
		lines = append(lines, "python -m pip install -e .")
	}
	if group != "" {
		lines = append(lines, `python -m pip install --upgrade "pip>=25.1"`, "python -m pip install --group "+group)
	}
	return lines, "", declared
}

// pythonVersion is the input of setup-python that says which version.
func (r *repo) pythonVersion(dir string, pyproject map[string][]string) [2]string {
	if at := r.nearest(dir, ".python-version"); at != "" {
		return [2]string{"python-version-file", path.Join(at, ".python-version")}
	}
	for _, line := range pyproject["project"] {
		if m := tomlKey().FindStringSubmatch(line); len(m) > 1 && m[1] == "requires-python" {
			return [2]string{"python-version-file", path.Join(dir, "pyproject.toml")}
		}
	}
	return [2]string{"python-version", "3.x"}
}
