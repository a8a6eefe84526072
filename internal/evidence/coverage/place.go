package coverage

import (
	"path"
	"slices"
	"strings"
)

// Repository is what the head commit holds, as far as names have to be compared with it.
type Repository struct {
	Known   bool
	Reason  string   // why not
	Paths   []string // every file, in order
	Modules []Module // the Go modules, in order of their folders
}

// Module is a Go module.
type Module struct {
	Dir  string // its folder, "" for the root
	Path string // its module path
}

func (r *Repository) has(p string) bool {
	_, ok := slices.BinarySearch(r.Paths, p)
	return ok
}

// Place is the file of the repository that a profile's file means. The zero value is none.
type Place struct {
	Path string
	// Ambiguous lists files of the repository any of which the name could mean, two or more, at most maxAmbiguous; or
	// the one that two names of the profile mean.
	Ambiguous []string
}

// maxAmbiguous is how many files of the repository one ambiguous name lists. Names that could mean more are as good as
// unknown: the files are then in no profile.
const maxAmbiguous = 1000

// clean makes a name comparable: slashes, no file scheme, no dot segments.
func clean(name string) string {
	name = strings.TrimPrefix(strings.ReplaceAll(strings.TrimSpace(name), `\`, "/"), "file://")
	return path.Clean(name)
}

// absolute reports whether a cleaned name begins at a root or a drive.
func absolute(name string) bool {
	return strings.HasPrefix(name, "/") || len(name) > 2 && name[1] == ':' && name[2] == '/'
}

// Place says for each of the profile's files which file of the repository it is. Names are compared whole: as they
// are, below the profile's source roots, below a Go module, or below the one folder that all the profile's names share
// outside of the repository. Only a profile none of whose names can be placed so, as JaCoCo's, which begin at the
// package, is placed by the ends of paths; each must then be the end of one path only.
//
// dir is the folder of the repository at which relative names begin, where somebody says so; "" if nobody does.
func (p *Profile) Place(repo *Repository, dir string) []Place {
	out := make([]Place, len(p.Files))
	if !repo.Known {
		return out
	}
	if p.Format == goCover && len(repo.Modules) > 0 {
		for i := range p.Files {
			out[i].Path = repo.inModule(p.Files[i].Name)
		}
		return unshared(out)
	}
	names, ok := p.candidates()
	if !ok {
		return out
	}
	if dir != "" {
		for i := range names {
			if name := p.Files[i].Name; !absolute(name) {
				if at := path.Join(dir, name); repo.has(at) {
					out[i].Path = at
				}
				names[i] = nil
			}
		}
	}
	below, beside := root(names, repo)
	found := false
	for i := range names {
		if names[i] != nil {
			out[i] = placeOne(names[i], below, beside, repo)
		}
		found = found || out[i].Path != "" || out[i].Ambiguous != nil
	}
	if !found && dir == "" {
		byEnd(p.Files, out, repo)
	}
	return unshared(out)
}

// inModule is the path of a file that is named by its package, in the module with the longest path; "" for other
// modules' files.
func (r *Repository) inModule(name string) string {
	best := -1
	for i, m := range r.Modules {
		if strings.HasPrefix(name, m.Path+"/") && (best < 0 || len(m.Path) > len(r.Modules[best].Path)) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	p := path.Join(r.Modules[best].Dir, name[len(r.Modules[best].Path)+1:])
	if !r.has(p) {
		return ""
	}
	return p
}

// candidates are what each file's name may stand for: itself, or its name below one of the source roots. Not ok are
// more of them than can be looked up.
func (p *Profile) candidates() (out [][]string, ok bool) {
	out = make([][]string, len(p.Files))
	size := 0
	for i := range p.Files {
		name := p.Files[i].Name
		if strings.Count(name, "/") > maxParts {
			continue
		}
		if len(p.Sources) == 0 || absolute(name) {
			out[i] = []string{name}
			continue
		}
		for _, s := range p.Sources {
			if c := path.Join(s, name); !slices.Contains(out[i], c) {
				out[i] = append(out[i], c)
			}
			if size += len(s) + len(name); size > maxHeld {
				return nil, false
			}
		}
	}
	return out, true
}

// root finds the folder, as the profile names it, in which the repository lay: what is left of a name when its longest
// end that is a path of the repository is taken off. For absolute and relative names apart. Of several the one that
// holds all others is it; where none does, they contradict each other and nil stands for it.
func root(names [][]string, repo *Repository) (below, beside *string) {
	var abs, rel []string
	for _, list := range names {
		for _, n := range list {
			prefix, ok := prefixOf(n, repo)
			switch {
			case !ok:
			case absolute(n):
				abs = append(abs, prefix)
			default:
				rel = append(rel, prefix)
			}
		}
	}
	return holder(abs), holder(rel)
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

// placeOne places a file by its candidates.
func placeOne(candidates []string, below, beside *string, repo *Repository) Place {
	var found []string
	for _, c := range candidates {
		prefix := beside
		if absolute(c) {
			prefix = below
		}
		if prefix == nil {
			if outside, ok := prefixOf(c, repo); ok { // other names contradict it: it is named as if there were several
				found = append(found, c[len(outside):], c[len(outside):])
			}
			continue
		}
		rest, ok := strings.CutPrefix(c, *prefix)
		if ok && repo.has(rest) && !slices.Contains(found, rest) {
			found = append(found, rest)
		}
	}
	switch len(found) {
	case 0:
		return Place{}
	case 1:
		return Place{Path: found[0]}
	}
	slices.Sort(found)
	return Place{Ambiguous: slices.Compact(found)}
}

// byEnd places files whose name is the end of exactly one path.
func byEnd(files []File, out []Place, repo *Repository) {
	turned := make([]string, 0, len(repo.Paths))
	for _, p := range repo.Paths {
		turned = append(turned, reverse("/"+p))
	}
	slices.Sort(turned)
	for i := range files {
		if absolute(files[i].Name) {
			continue
		}
		end := reverse("/" + files[i].Name)
		from, _ := slices.BinarySearch(turned, end)
		to := from
		for to < len(turned) && to-from <= maxAmbiguous && strings.HasPrefix(turned[to], end) {
			to++
		}
		switch n := to - from; {
		case n == 1:
			out[i].Path = reverse(turned[from])[1:]
		case n > 1 && n <= maxAmbiguous:
			for _, t := range turned[from:to] {
				out[i].Ambiguous = append(out[i].Ambiguous, reverse(t)[1:])
			}
		}
	}
}

// reverse turns a text byte by byte.
func reverse(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

// unshared takes a path from files that share it: only one of them can be meant, and which is not known.
func unshared(out []Place) []Place {
	n := map[string]int{}
	for _, p := range out {
		if p.Path != "" {
			n[p.Path]++
		}
	}
	for i, p := range out {
		if p.Path != "" && n[p.Path] > 1 {
			out[i] = Place{Ambiguous: []string{p.Path}}
		}
	}
	return out
}
