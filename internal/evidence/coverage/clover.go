package coverage

import "fmt"

// cloverFile is a file element with what its own metrics declare.
type cloverFile struct {
	depth    int // of its element, 0 outside of one
	file     *File
	declared declared
	lines    int // records
}

// cloverTotals are what a Clover report declares: statements, of which a line may have several.
type cloverTotals struct {
	project declared
	files   Count // the sum of the files' metrics
	without int   // files without metrics
	empty   string
}

// clover reads Clover's report and what PHPUnit and Istanbul write in its name: file elements with line elements of the
// types stmt and cond. A method's line says how often it was called, and is none that runs. Metrics count statements:
// those of the files make up the project's, and a file that has some has lines.
func (b *builder) clover() *dialect {
	var at cloverFile
	var tests int // depth of the element that holds the project's own tests, 0 outside
	totals := cloverTotals{project: declared{what: "the project's metrics", unit: true}}
	return &dialect{
		name: clover,
		start: func(e *element) error {
			switch {
			case tests > 0:
			case e.name == "testproject":
				tests = e.depth
			case e.name == "file":
				name := e.attrs["path"]
				if name == "" {
					name = e.attrs["name"]
				}
				f, err := b.file(name, "")
				at = cloverFile{depth: e.depth, file: f}
				return err
			case e.name == "metrics" && e.depth == 3 && at.depth == 0:
				if v, ok := e.attrs["statements"]; ok {
					totals.project.parseCounts(e.attrs["coveredstatements"], v)
				}
			case e.name == "metrics" && at.depth > 0 && e.depth == at.depth+1:
				if v, ok := e.attrs["statements"]; ok {
					at.declared.parseCounts(e.attrs["coveredstatements"], v)
				}
			case e.name == "line" && at.depth > 0 && (e.attrs["type"] == "stmt" || e.attrs["type"] == "cond"):
				at.lines++
				return b.cloverLine(at.file, e)
			}
			return nil
		},
		text: ignoreText,
		end: func(_ string, depth int) error {
			switch {
			case tests > 0 && depth == tests:
				tests = 0
			case at.depth > 0 && depth == at.depth:
				totals.add(&at)
				at = cloverFile{}
			}
			return nil
		},
		done: func() {
			totals.project.records = []Count{b.lineCount()}
			b.declared = append(b.declared, totals.project)
			b.contradiction = totals.contradiction()
		},
	}
}

// add takes a file's metrics.
func (t *cloverTotals) add(f *cloverFile) {
	switch d := &f.declared; {
	case d.broken != "":
		t.project.broken = d.broken
	case !d.counted:
		t.without++
	default:
		t.files = t.files.Plus(d.total)
		if d.total.Total > 0 && f.lines == 0 && t.empty == "" {
			t.empty = fmt.Sprintf("%s: %d statements declared, no line recorded", clip(f.file.Name), d.total.Total)
		}
	}
}

// contradiction says how the metrics of files contradict the records or the project's metrics, "" if they do not.
func (t *cloverTotals) contradiction() string {
	p := &t.project
	switch {
	case t.empty != "":
		return t.empty
	case p.counted && t.without == 0 && p.total != t.files:
		return fmt.Sprintf("%s: %d of %d statements declared, %d of %d by the files' own", p.what, p.total.Covered, p.total.Total, t.files.Covered, t.files.Total)
	}
	return ""
}

// cloverLine records a statement's or condition's line; a condition without a count was run if it came out either way.
func (b *builder) cloverLine(f *File, e *element) error {
	n, err := parseLine(e.attrs["num"])
	if err != nil {
		return err
	}
	counts := []string{"count"}
	if _, ok := e.attrs["count"]; !ok && e.attrs["type"] == "cond" {
		counts = []string{"truecount", "falsecount"}
	}
	ran := false
	for _, c := range counts {
		hit, err := parseHits(e.attrs[c])
		if err != nil {
			return err
		}
		ran = ran || hit
	}
	return b.line(f, n, ran)
}
