package coverage

import (
	"path"
	"slices"
	"strings"
)

// placer places the names of one profile. Names are brought to relative ones first: absolute ones by the folder, outside
// of the repository, in which it lay; then all of them by the folder of the repository at which they begin.
type placer struct {
	repo   *Repository
	places map[string]Place // by candidate
	// rests are what is left of candidates that are not placed yet, and may begin at any folder of the repository.
	rests   map[string]string
	sources bool // names are looked for below source roots
	foreign bool // a name lies where this repository's files do not: beside them in the workspace, or among dependencies
}

// one places a file by its candidates.
func (a *placer) one(candidates []string) Place {
	var found []string
	unsure := false
	for _, c := range candidates {
		at := a.places[c]
		if at.Path != "" {
			found = append(found, at.Path)
		}
		unsure = unsure || at.Ambiguous != nil
		found = append(found, at.Ambiguous...)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	switch {
	case len(found) == 0:
		return Place{}
	case len(found) == 1 && !unsure:
		return Place{Path: found[0]}
	}
	return Place{Ambiguous: found[:min(len(found), maxAmbiguous)]}
}

// dependencies are folders that package managers put other repositories' files in, and compilers their own.
func dependencies() []string {
	return []string{
		"/node_modules/", "/site-packages/", "/dist-packages/", "/vendor/", "/third_party/", "/bower_components/", "/pkg/mod/",
		"/.cargo/", "/.m2/", "/.gradle/", "/.nuget/", "/.pub-cache/", "/gems/", "/usr/include/", "/usr/lib/", "/usr/local/include/", "/usr/local/lib/",
	}
}

func dependency(folder string) bool {
	return slices.ContainsFunc(dependencies(), func(d string) bool { return strings.Contains(folder, d) })
}

// outside places the absolute names. Those below the workspace are that very path, and if there are any, the others are
// not of this repository. Else the folder that holds the repository is what is left of a name when its longest end that
// is a path of the repository is taken off; of several the one that holds all others, and where none does, they
// contradict each other. That folder proves itself by its names: at least half of them must be in the repository,
// unless it has the name of the workspace, as all runners of a service name it after the repository.
func (p *Profile) outside(names [][]string, repo *Repository) *placer {
	a := &placer{repo: repo, places: map[string]Place{}, rests: map[string]string{}, sources: len(p.Sources) > 0}
	var open []string
	for _, list := range names {
		for _, n := range list {
			switch rest, below := repo.below(n); {
			case !absolute(n):
				a.rests[n] = n
			case below && repo.has(rest):
				a.places[n] = Place{Path: rest}
			case below:
				a.foreign = true
			default:
				open = append(open, n)
			}
		}
	}
	slices.Sort(open)
	if open = slices.Compact(open); len(a.places) > 0 || len(open) == 0 {
		return a
	}
	a.fromElsewhere(open)
	return a
}

// fromElsewhere places absolute names outside of the workspace.
func (a *placer) fromElsewhere(open []string) {
	var prefixes []string
	ends := map[string]string{} // longest ends that are paths
	for _, n := range open {
		prefix, ok := prefixOf(n, a.repo)
		switch {
		case ok && !dependency(prefix):
			prefixes = append(prefixes, prefix)
			ends[n] = n[len(prefix):]
		case ok || dependency(path.Dir(n)+"/"):
			a.foreign = true
		}
	}
	at := holder(prefixes)
	if at == nil {
		for _, n := range open {
			if end, ok := ends[n]; ok { // other names contradict it
				a.places[n] = Place{Ambiguous: []string{end}}
			} else if len(prefixes) == 0 && !a.sources && !dependency(path.Dir(n)+"/") {
				a.anyOf(n)
			}
		}
		return
	}
	sure := slices.ContainsFunc(a.repo.Roots, func(r string) bool { return path.Base(r) == path.Base(*at) })
	inside, known := 0, 0
	for _, n := range open {
		rest, ok := strings.CutPrefix(n, *at)
		if !ok || dependency("/"+rest) && !a.repo.has(rest) {
			continue
		}
		inside++
		if len(a.repo.fits(rest)) > 0 {
			known++
		}
		switch {
		case sure && a.repo.has(rest):
			a.places[n] = Place{Path: rest}
		case !sure:
			a.rests[n] = rest
		}
	}
	if !sure && 2*known < inside {
		for _, n := range open {
			if rest, ok := a.rests[n]; ok {
				delete(a.rests, n)
				if list := pathsOf(a.repo.fits(rest)); list != nil {
					a.places[n] = Place{Ambiguous: list}
				}
			}
		}
	}
}

// anyOf notes the files that an absolute name could mean by its longest end that is the end of a path, if there are two
// or more.
func (a *placer) anyOf(name string) {
	for end := name; ; {
		_, rest, ok := strings.Cut(end, "/")
		if !ok {
			return
		}
		end = rest
		if list := a.repo.fits(end); len(list) > 0 {
			if len(list) > 1 {
				a.places[name] = Place{Ambiguous: pathsOf(list)}
			}
			return
		}
	}
}

// below takes the folder of the workspace off an absolute name.
func (r *Repository) below(name string) (rest string, ok bool) {
	for _, root := range r.Roots {
		if rest, ok := strings.CutPrefix(name, strings.TrimSuffix(root, "/")+"/"); ok {
			return rest, true
		}
	}
	return "", false
}

func prefixOf(name string, repo *Repository) (string, bool) {
	for at := 0; ; {
		if end := name[at:]; end != "" && repo.has(end) {
			return name[:at], true
		}
		i := strings.IndexByte(name[at:], '/')
		if i < 0 {
			return "", false
		}
		at += i + 1
	}
}

// holder is the prefix that all others begin with, nil if there is none.
func holder(prefixes []string) *string {
	if len(prefixes) == 0 {
		return nil
	}
	shortest := slices.MinFunc(prefixes, func(a, b string) int { return len(a) - len(b) })
	for _, p := range prefixes {
		if !strings.HasPrefix(p, shortest) { // both end in a slash, or are empty
			return nil
		}
	}
	return &shortest
}

// inside places what may begin at any folder of the repository.
func (a *placer) inside(format string, names [][]string) {
	fitting := map[string][]string{} // what is left of names, and the paths that end in it
	for n, rest := range a.rests {
		for strings.HasPrefix(rest, "../") { // the tests ran in a folder beside
			rest = rest[len("../"):]
		}
		a.rests[n] = rest
		if list := a.repo.fits(rest); len(list) > 0 {
			fitting[rest] = list
		}
	}
	if len(fitting) == 0 && len(a.rests) > 0 {
		a.withoutPrefix(format, fitting)
	}
	at, decided := a.common(fitting)
	alone := a.alone(fitting)
	for _, list := range names {
		for _, n := range list {
			rest, ok := a.rests[n]
			paths := fitting[rest]
			if !ok || len(paths) == 0 {
				continue
			}
			if decided {
				a.places[n] = Place{Path: at + rest}
				continue
			}
			a.places[n] = a.byOthers(format, rest, paths, alone)
		}
	}
}

// withoutPrefix takes off a folder that all relative names begin with and the repository does not have: the import path
// of Go's names, where no module is known, or the workspace's own name.
func (a *placer) withoutPrefix(format string, fitting map[string][]string) {
	var prefixes []string
	for _, rest := range a.rests {
		prefix, ok := prefixOf(rest, a.repo)
		own := slices.ContainsFunc(a.repo.Roots, func(r string) bool { return path.Base(r)+"/" == prefix })
		if ok && (format == goCover || own) {
			prefixes = append(prefixes, prefix)
		}
	}
	at := holder(prefixes)
	if at == nil {
		return
	}
	for n, rest := range a.rests {
		short, ok := strings.CutPrefix(rest, *at)
		if list := a.repo.fits(short); ok && len(list) > 0 {
			a.rests[n], fitting[short] = short, list
		}
	}
}

// common is the one folder, "" or with a slash at its end, below which the repository has all the names that it has
// anywhere.
func (a *placer) common(fitting map[string][]string) (folder string, ok bool) {
	first := ""
	for rest, list := range fitting {
		if first == "" || len(list) < len(fitting[first]) || len(list) == len(fitting[first]) && rest < first {
			first = rest
		}
	}
	if first == "" || len(fitting[first]) > maxAmbiguous {
		return "", false
	}
	var folders []string
	for _, p := range pathsOf(fitting[first]) {
		folders = append(folders, p[:len(p)-len(first)])
	}
	// Every folder that stays for a name is a path of the repository, so this is linear in them.
	for rest := range fitting {
		folders = slices.DeleteFunc(folders, func(f string) bool { return !a.repo.has(f + rest) })
	}
	if len(folders) != 1 {
		return "", false
	}
	return folders[0], true
}

// alone are the folders below which some name must be meant, as the repository has it nowhere else.
func (a *placer) alone(fitting map[string][]string) map[string]bool {
	out := map[string]bool{}
	for rest, list := range fitting {
		if len(list) == 1 {
			p := reverse(list[0])[1:]
			out[p[:len(p)-len(rest)]] = true
		}
	}
	return out
}

// byOthers places a name whose profile has names below several folders: below the only one of its own that has names
// which are nowhere else. Names of one run begin at one folder, but for those that begin at a package: where some begin
// at the root, one that is not there is of a file that the repository does not have, or of another run.
func (a *placer) byOthers(format, rest string, turned []string, alone map[string]bool) Place {
	paths := pathsOf(turned)
	at, n := "", 0
	for _, p := range paths {
		if folder := p[:len(p)-len(rest)]; alone[folder] {
			at, n = folder, n+1
		}
	}
	if n != 1 || at != "" && alone[""] && format != jacoco {
		return Place{Ambiguous: paths}
	}
	return Place{Path: at + rest}
}
