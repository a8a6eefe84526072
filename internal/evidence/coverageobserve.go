package evidence

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/outcome-gate/outcome-gate/internal/evidence/coverage"
)

const (
	// maxChangedFiles is how many changed files of one sort facts list.
	maxChangedFiles = 5
	// maxMissedFiles is how many files with missed lines facts list, maxMissedText how much of their lines.
	maxMissedFiles = 10
	maxMissedText  = 100
)

// joined is what several profiles say together.
type joined struct {
	files map[string]*coverage.File // by path in the repository
	// loose are the files that are not placed, by "name\x00group": one for each source file that the name may mean.
	loose map[string][]*coverage.File
	// unsure are the paths that a name may or may not mean, mixed the names under which several profiles, or several parts
	// of one, may record several source files: what one of them covers is not covered in the others.
	unsure     map[string]bool
	mixed      map[string]bool
	extensions map[string]bool
	lines      bool // some count lines
	statements bool
}

func join() joined {
	return joined{
		files: map[string]*coverage.File{}, loose: map[string][]*coverage.File{}, unsure: map[string]bool{}, mixed: map[string]bool{},
		extensions: map[string]bool{},
	}
}

func (j *joined) add(p *coverage.Profile, repo *coverage.Repository, root string) {
	if p.Statements() {
		j.statements = true
	} else {
		j.lines = true
	}
	p.AddExtensions(j.extensions)
	for i, at := range p.Place(repo, root) {
		f := &p.Files[i]
		for _, other := range at.Ambiguous {
			j.unsure[other] = true
		}
		if at.Path == "" {
			sure := repo.Known && at.Ambiguous == nil || p.Statements() || f.Group != ""
			j.addLoose(f, sure, at.Ambiguous != nil && f.Twice)
			continue
		}
		if have := j.files[at.Path]; have != nil {
			have.Merge(f)
			continue
		}
		j.files[at.Path] = copyOf(f)
	}
}

// addLoose adds a file that is not placed. A name of several documents is of one source file if it is sure to be, as
// Go's import paths and modules of a build are; one that could mean several files of the repository may be of each of
// them. What the repository does not have, such as generated files, is one file as far as the same lines are known of it.
func (j *joined) addLoose(f *coverage.File, sure, twice bool) {
	key := f.Name + "\x00" + f.Group
	list := j.loose[key]
	if twice || len(list) > 0 && !sure {
		j.mixed[f.Name] = true
	}
	for _, have := range list {
		if sure && (have.SameLines(f) || f.Group != "" || len(f.Blocks) > 0) {
			have.Merge(f)
			return
		}
	}
	j.loose[key] = append(list, copyOf(f))
}

func copyOf(f *coverage.File) *coverage.File {
	own := coverage.File{Name: f.Name, Group: f.Group}
	own.Merge(f)
	return &own
}

// each calls one for every source file.
func (j *joined) each(one func(f *coverage.File)) {
	for _, f := range j.files {
		one(f)
	}
	for _, list := range j.loose {
		for _, l := range list {
			one(l)
		}
	}
}

// measures reports whether files with a path's extension are in the profiles at all.
func (j *joined) measures(path string) bool {
	ext := coverage.Extension(path)
	return ext != "" && j.extensions[ext]
}

func (j *joined) unit() string {
	switch {
	case j.lines && j.statements:
		return "lines and statements"
	case j.statements:
		return "statements"
	}
	return "lines"
}

func observeCoverage(p *coverageParams, in *Input) coverageFacts {
	f := coverageFacts{Files: len(in.Documents)}
	j := join()
	var troubles []trouble
	for i := range in.Documents {
		doc := &in.Documents[i]
		t := coverageTroubleOf(doc, p.AllowCountMismatch)
		if t.Code != "" {
			troubles = append(troubles, t)
		}
		if !doc.Readable || doc.Coverage == nil || doc.Coverage.Problem != "" {
			continue
		}
		if name := clip(doc.Coverage.Format, 32); !slices.Contains(f.Formats, name) && len(f.Formats) < maxTroubles {
			f.Formats = append(f.Formats, name)
		}
		j.add(doc.Coverage, &in.Repository, p.Root)
	}
	slices.Sort(f.Formats)
	space := newRoom()
	f.Troubles, f.TroubleFiles = len(troubles), space.troubles(troubles, maxTroubles)
	f.Unit = j.unit()
	j.each(func(file *coverage.File) {
		c := file.Count()
		f.Sources++
		f.Measured.Covered += c.Covered
		f.Measured.Missed += c.Total - c.Covered
		f.Measured.Total += c.Total
	})
	f.Mixed, f.MixedNames = len(j.mixed), space.names(slices.Sorted(maps.Keys(j.mixed)))
	if p.MinChangedPercent != nil {
		f.Changed = observeChanged(p, in, &j, space)
	}
	f.ListsCut = space.short
	return f
}

// coverageTroubleOf says why a coverage file allows no conclusion.
func coverageTroubleOf(doc *Document, allowMismatch bool) trouble {
	t := trouble{File: clip(doc.Name, maxNameBytes)}
	if !doc.Readable || doc.Coverage == nil {
		t.Code = CodeInputUnreadable
		return t
	}
	p := doc.Coverage
	t.Detail, t.Line = clip(p.Detail, maxNameBytes), max(p.Line, 0)
	switch p.Problem {
	case "":
		t.Detail, t.Line = "", 0
		if p.Disagree != "" && !allowMismatch {
			t.Code, t.Detail = CodeCoverageTotals, clip(p.Disagree, maxNameBytes)
		}
	case coverage.ProblemInvalid:
		t.Code = CodeCoverageInvalid
	case coverage.ProblemUnknownFormat:
		t.Code = CodeCoverageUnknownFormat
	case coverage.ProblemOverLimit:
		t.Code = CodeCoverageOverLimit
	default:
		t.Code = CodeCoverageIncomplete
	}
	return t
}

// observeChanged looks up the changed lines. A changed file that no profile names counts as not covered where files of
// its kind are covered: else a change would pass by leaving its files out.
func observeChanged(p *coverageParams, in *Input, j *joined, space *room) *changedFacts {
	f := &changedFacts{Known: in.Changed.Known && in.Repository.Known}
	if !f.Known {
		f.Reason = clip(in.Changed.Reason, maxNameBytes)
		if in.Changed.Known {
			f.Reason = clip(in.Repository.Reason, maxNameBytes)
		}
		if f.Reason == "" {
			f.Reason = "nobody says"
		}
		return f
	}
	var absent, unknown, unsure []string
	var missed []missedLines
	for i := range in.Changed.Files {
		c := &in.Changed.Files[i]
		file := j.files[c.Path]
		switch {
		case c.Known && len(c.Lines) == 0:
			continue
		case file == nil && !j.unsure[c.Path] && (!j.measures(c.Path) || goTest(c.Path)):
			continue
		case ignored(p.IgnoreFiles, c.Path):
			f.Ignored++
			continue
		}
		f.Files++
		switch {
		case j.unsure[c.Path]:
			unsure = append(unsure, c.Path)
		case !c.Known:
			unknown = append(unknown, c.Path+because(clip(c.Reason, 100)))
		case file != nil && c.Length > 0 && file.Lines.Last() > c.Length+1: // some tools count the nothing behind the last line
			unknown = append(unknown, fmt.Sprintf("%s (a coverage file names line %d, it has %d)", c.Path, file.Lines.Last(), c.Length))
		case file == nil:
			absent = append(absent, c.Path)
			for _, r := range c.Lines {
				f.LeftOut += r.Last - r.First + 1
			}
		default:
			if m := changedLines(f, file, c.Lines); m != "" {
				missed = append(missed, missedLines{clip(c.Path, maxNameBytes), m})
			}
		}
	}
	f.Lines.Total = f.Lines.Covered + f.Lines.Missed + f.LeftOut
	f.Ambiguous, f.AmbiguousFiles = len(unsure), space.names(unsure)
	f.Unknown, f.UnknownFiles = len(unknown), space.names(unknown)
	f.Absent, f.AbsentFiles = len(absent), space.names(absent)
	for _, m := range missed[:min(len(missed), maxMissedFiles)] {
		if space.take(m.File, m.Lines) {
			f.Missed = append(f.Missed, m)
		}
	}
	return f
}

func (r *room) names(list []string) []string {
	var out []string
	for _, s := range list {
		out = r.add(out, s, maxChangedFiles)
	}
	return out
}

// goTest reports whether the go command takes a file for a test, which no profile of it ever names.
func goTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

func ignored(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(g string) bool {
		ok, err := doublestar.Match(g, name)
		return ok && err == nil
	})
}

// changedLines counts a file's changed lines and says which are missed, "" if none is.
func changedLines(f *changedFacts, file *coverage.File, lines []LineRange) string {
	var runs []LineRange
	for _, r := range lines {
		c := file.Lines.In(r.First, r.Last, func(n int) {
			if k := len(runs) - 1; k >= 0 && runs[k].Last == n-1 {
				runs[k].Last = n
			} else {
				runs = append(runs, LineRange{n, n})
			}
		})
		f.Lines.Covered += c.Covered
		f.Lines.Missed += c.Total - c.Covered
	}
	var b strings.Builder
	for i, r := range runs {
		if b.Len() > maxMissedText {
			b.WriteString(", …")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		if fmt.Fprintf(&b, "%d", r.First); r.Last > r.First {
			fmt.Fprintf(&b, "-%d", r.Last)
		}
	}
	return b.String()
}
