package coverage

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// Repository is what the head commit holds, as far as names have to be compared with it.
type Repository struct {
	Known   bool
	Reason  string   // why not
	Paths   []string // every file, in order
	Modules []Module // the Go modules, in order of their folders
	// Roots are the absolute names, with slashes, of the folder in which the workspace lies; none: they are not known.
	Roots []string
	ends  *ends
}

// Module is a Go module.
type Module struct {
	Dir  string // its folder, "" for the root
	Path string // its module path
}

// ends finds paths by their last folders. It is made when a profile first needs it.
type ends struct {
	once   sync.Once
	turned []string // every path behind a slash, byte by byte from its end, in order
}

// Share lets all later copies of a repository share what names are looked up by, so that it is made once.
func (r *Repository) Share() { r.ends = &ends{} }

func (r *Repository) has(p string) bool {
	_, ok := slices.BinarySearch(r.Paths, p)
	return ok
}

// fits gives the paths that end in a name, each turned; they are the name itself and those below other folders.
func (r *Repository) fits(name string) []string {
	if name == "" {
		return nil
	}
	if r.ends == nil {
		r.Share()
	}
	e := r.ends
	e.once.Do(func() {
		e.turned = make([]string, 0, len(r.Paths))
		for _, p := range r.Paths {
			e.turned = append(e.turned, reverse("/"+p))
		}
		slices.Sort(e.turned)
	})
	end := reverse("/" + name)
	from, _ := slices.BinarySearch(e.turned, end)
	rest := e.turned[from:]
	n, _ := slices.BinarySearchFunc(rest, end, func(t, end string) int {
		if strings.HasPrefix(t, end) {
			return -1
		}
		return 1
	})
	return rest[:n]
}

// pathsOf turns back the first of what fits gives.
func pathsOf(turned []string) []string {
	var out []string
	for _, t := range turned[:min(len(turned), maxAmbiguous)] {
		out = append(out, reverse(t)[1:])
	}
	slices.Sort(out)
	return out
}

// Place is the file of the repository that a profile's file means. The zero value is none.
type Place struct {
	Path string
	// Ambiguous lists files of the repository any of which the name could mean, at most maxAmbiguous. It is one alone if
	// two names of the profile mean it, or the name may mean it and a file that the repository does not have.
	Ambiguous []string
}

// maxAmbiguous is how many files of the repository one ambiguous name lists.
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

// Place says for each of the profile's files which file of the repository it is. Go's names begin at a module. Other
// names are compared whole: an absolute one below the workspace is that very path; others below the one folder that all
// of them share outside of the repository; relative ones below the one folder of the repository that has them all, or
// that alone has others of them. A name that could mean several files is none of them.
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
	names, ok := p.candidates(dir)
	if !ok {
		return out
	}
	at := p.outside(names, repo)
	at.inside(p.Format, names)
	found := false
	for i, list := range names {
		if dir != "" && !absolute(p.Files[i].Name) {
			if joined := path.Join(dir, p.Files[i].Name); repo.has(joined) {
				out[i].Path = joined
			}
			continue
		}
		out[i] = at.one(list)
		found = found || out[i].Path != "" || out[i].Ambiguous != nil
	}
	if !found && dir == "" && len(p.Sources) > 0 && !at.foreign {
		bare := Profile{Format: p.Format, Files: p.Files} // source roots that lie nowhere here say nothing
		out = bare.Place(repo, "")
	}
	for i := range out {
		f := &p.Files[i]
		if out[i].Path != "" && f.Twice && dir == "" && (len(p.Sources) > 1 || len(repo.fits(f.Name)) > 1) {
			out[i] = Place{Ambiguous: []string{out[i].Path}}
		}
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

// candidates are what each file's name may stand for: itself, or its name below one of the source roots; nothing where
// dir says it. Not ok are more of them than can be looked up.
func (p *Profile) candidates(dir string) (out [][]string, ok bool) {
	out = make([][]string, len(p.Files))
	size := 0
	for i := range p.Files {
		name := p.Files[i].Name
		if strings.Count(name, "/") > maxParts || dir != "" && !absolute(name) {
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
