package setup

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Suite is one set of tests, which one step of the job runs and one outcome of the contract expects.
type Suite struct {
	Ecosystem string `json:"ecosystem"` // go, node, python, rust, dotnet, java, ruby or make
	Dir       string `json:"dir"`       // where it runs, "." is the top folder
	Step      string `json:"step"`
	Outcome   string `json:"outcome"`
	Command   string `json:"command"`           // what runs the tests
	Results   string `json:"results,omitempty"` // glob of the result files from the top folder; "" if how the step ended is all there is
	Format    string `json:"format,omitempty"`  // of the result files, as contracts write it

	title   string // of the ecosystem, for people
	files   string // glob of the result files from Dir
	least   int    // how many tests must run
	count   int    // how many result files there must be; 0 is any number
	exactly bool   // count is exact, else the least
	before  []string
	prepare []step
}

// step is one step of the job.
type step struct {
	id   string
	uses string // an action, see action
	with [][2]string
	dir  string
	run  []string // lines of shell
}

// repo is what the detectors ask.
type repo struct {
	facts *Facts
	dirs  map[string]map[string]bool // folder to the names of its files
	notes []string
}

func newRepo(facts *Facts) *repo {
	r := &repo{facts: facts, dirs: map[string]map[string]bool{}}
	for _, p := range facts.Paths {
		dir := path.Dir(p)
		if r.dirs[dir] == nil {
			r.dirs[dir] = map[string]bool{}
		}
		r.dirs[dir][path.Base(p)] = true
	}
	return r
}

func (r *repo) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// has says whether one of the names is a file of dir.
func (r *repo) has(dir string, names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return r.dirs[path.Join(dir, path.Dir(n))][path.Base(n)] })
}

// text is the contents of a file, "" if it was not read.
func (r *repo) text(dir, name string) string { return string(r.facts.Files[path.Join(dir, name)]) }

// names are the files of dir that fit, in order.
func (r *repo) names(dir string, fits func(string) bool) []string {
	var out []string
	for n := range r.dirs[dir] {
		if fits(n) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// nearest is the first of dir and the folders above it that has one of the files, "" if none has.
func (r *repo) nearest(dir string, names ...string) string {
	for ; ; dir = path.Dir(dir) {
		if r.has(dir, names...) {
			return dir
		}
		if dir == "." {
			return ""
		}
	}
}

// below counts the files in dir and its folders that fit by their names.
func (r *repo) below(dir string, fits func(string) bool) int {
	n := 0
	for d, names := range r.dirs {
		if !within(d, dir) {
			continue
		}
		for name := range names {
			if fits(name) {
				n++
			}
		}
	}
	return n
}

// within says whether a folder is dir or below it.
func within(d, dir string) bool { return dir == "." || d == dir || strings.HasPrefix(d, dir+"/") }

// plainDir is what folders may be called to get into a workflow: nothing that a shell, YAML, a glob or an expression
// reads as anything but itself.
var plainDir = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$`)
})

// maxDir bounds the length of such a name, in bytes.
const maxDir = 200

// detector finds the suite of one ecosystem in one folder. Nested says that folders below a found one belong to it.
type detector struct {
	ecosystem, title string
	find             func(r *repo, dir string) *Suite
	nested           func(r *repo, dir string) bool
}

func always(*repo, string) bool { return true }
func never(*repo, string) bool  { return false }

func detectors() []detector {
	return []detector{
		{"dotnet", ".NET", findDotnet, always},
		{"go", "Go", findGo, never},
		{"java", "Java", findJava, always},
		{"node", "JavaScript", findNode, hasWorkspaces},
		{"python", "Python", findPython, always},
		{"ruby", "Ruby", findRuby, always},
		{"rust", "Rust", findRust, func(r *repo, dir string) bool { return cargoWorkspace().MatchString(r.text(dir, "Cargo.toml")) }},
	}
}

// suites are those of the whole repository, top folder first, each with names of its own.
func (r *repo) suites() []Suite {
	dirs := make([]string, 0, len(r.dirs))
	for d := range r.dirs {
		dirs = append(dirs, d)
	}
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Or(cmp.Compare(depth(a), depth(b)), cmp.Compare(a, b)) })
	var out []Suite
	taken := map[string][]string{} // ecosystem to folders that hold what is below them
	for _, dir := range dirs {
		for _, d := range detectors() {
			if slices.ContainsFunc(taken[d.ecosystem], func(t string) bool { return within(dir, t) }) {
				continue
			}
			s := d.find(r, dir)
			if s == nil {
				continue
			}
			if dir != "." && (len(dir) > maxDir || !plainDir().MatchString(dir)) {
				r.note("A folder with %s tests was passed over: its name has characters other than letters, digits, `_`, `.`, `-` and `/`.", d.title)
				continue
			}
			if d.nested(r, dir) {
				taken[d.ecosystem] = append(taken[d.ecosystem], dir)
			}
			s.Ecosystem, s.title, s.Dir = d.ecosystem, d.title, dir
			out = append(out, *s)
		}
	}
	if len(out) == 0 {
		if s := findMake(r); s != nil {
			s.Ecosystem, s.title, s.Dir = "make", "Make", "."
			out = append(out, *s)
		}
	}
	if len(out) > maxSuites {
		r.note("%d sets of tests were found, and only the first %d are in the plan.", len(out), maxSuites)
		out = out[:maxSuites]
	}
	name(out)
	return out
}

func depth(dir string) int {
	if dir == "." {
		return 0
	}
	return 1 + strings.Count(dir, "/")
}

// notWord matches what ids of steps and outcomes do not hold.
var notWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^a-z0-9]+`) })

// maxName bounds the part of an id that comes from a folder: an id has at most 100 bytes.
const maxName = 60

// name gives every suite the ids of its step and outcome. One alone has the documentation's.
func name(suites []Suite) {
	used := map[string]bool{}
	for i := range suites {
		s := &suites[i]
		if s.files != "" {
			s.Results = path.Join(s.Dir, s.files)
		}
		if len(suites) == 1 {
			s.Step, s.Outcome = "test", "unit-tests"
			continue
		}
		base := s.Ecosystem
		if s.Dir != "." {
			base += "-" + strings.Trim(notWord().ReplaceAllString(strings.ToLower(s.Dir), "-"), "-")
			base = base[:min(len(base), maxName)]
		}
		id := base
		for n := 2; used[id]; n++ {
			id = fmt.Sprintf("%s-%d", base, n)
		}
		used[id] = true
		s.Step, s.Outcome = "test-"+id, "tests-"+id
	}
}

// remarks are the notes about the repository as a whole.
func (r *repo) remarks(suites []Suite, isolated bool) {
	where, how := "in the job that the gate runs in", "step"
	if isolated {
		where, how = "in runs of "+EvidencePath, "job"
		r.note("Require the commit status outcome-gate/verdict: the gate's own job runs on the default branch, where a pull request does not show it.")
	}
	if r.facts.Cut {
		r.note("The repository has more files than were looked at; tests may be missing from the plan.")
	}
	for _, w := range workflows(r.facts) {
		if w != WorkflowPath && w != EvidencePath {
			r.note("There are other workflows: services, secrets and steps that the tests need there are not in this one. Evidence counts only %s.", where)
			break
		}
	}
	for _, s := range suites {
		if s.Results == "" {
			r.note("%s: the runner's record of how the %s ended is the evidence; no result file is known that `%s` writes.", s.Outcome, how, s.Command)
		}
	}
	if slices.ContainsFunc(suites, func(s Suite) bool { return strings.HasPrefix(s.files, "reports/") }) && !ignoresReports(r.text(".", ".gitignore")) {
		r.note("Add reports/ to .gitignore: a result file that is committed counts as stale.")
	}
}

func ignoresReports(gitignore string) bool {
	for line := range strings.Lines(gitignore) {
		if strings.Trim(strings.TrimSpace(line), "/") == "reports" {
			return true
		}
	}
	return false
}

// leastOf is how many tests have to run at least: half as many as there are files of tests, since some of these only
// help others. Where results come in several files, more than one has to, so that one file alone is not enough.
func leastOf(files int, several bool) int {
	least := max(1, files/2)
	if several && files > 1 {
		least = max(2, least)
	}
	return least
}
