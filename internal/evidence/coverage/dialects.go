package coverage

import (
	"path"
	"strconv"
	"strings"
)

func ignoreText(string) {}

// cobertura reads coverage-04.dtd and what others write in its name: class elements with a filename, and line elements
// below them, which methods repeat.
func (b *builder) cobertura() *dialect {
	var f *File
	var class tally
	var classes Count // summed over classes, as most tools declare them
	var inSource bool
	var pkg string
	var source strings.Builder
	total := declared{what: "lines-valid and lines-covered"}
	rate := declared{what: "line-rate"}
	return &dialect{
		name: cobertura,
		start: func(e *element) error {
			var err error
			switch {
			case e.depth == 1:
				if v, ok := e.attrs["lines-valid"]; ok {
					total.parseCounts(e.attrs["lines-covered"], v)
				}
				if v, ok := e.attrs["line-rate"]; ok {
					rate.parseRate(v)
				}
			case e.name == "source":
				inSource = true
				source.Reset()
			case e.name == "package":
				pkg = e.attrs["name"]
			case e.name == "class":
				class.end()
				if f, err = b.file(e.attrs["filename"], ""); err == nil {
					b.part(f, pkg)
				}
			case e.name == "line" && f != nil:
				return b.numbered(f, &class, e.attrs["number"], e.attrs["hits"])
			}
			return err
		},
		text: func(text string) {
			if inSource && source.Len() < maxName {
				source.WriteString(text)
			}
		},
		end: func(name string, _ int) error {
			switch name {
			case "class":
				classes = classes.Plus(class.end())
				f = nil
			case "source":
				inSource = false
				return b.source(source.String())
			}
			return nil
		},
		done: func() {
			records := []Count{b.lineCount(), classes}
			total.records, rate.records = records, records
			b.declared = append(b.declared, total, rate)
		},
	}
}

// source keeps a source root that names may be relative to.
func (b *builder) source(text string) error {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return nil
	case len(b.p.Sources) >= maxSources:
		return overLimit("it has over %d source roots", maxSources)
	case len(text) > maxName:
		return overLimit("a source root's name has over %d bytes", maxName)
	}
	b.p.Sources = append(b.p.Sources, clean(text))
	return b.hold(len(text))
}

// numbered records a line by its two attributes, in the file and in a set of its own.
func (b *builder) numbered(f *File, own *tally, number, hits string) error {
	n, err := parseLine(number)
	if err != nil {
		return err
	}
	hit, err := parseHits(hits)
	if err != nil {
		return err
	}
	if err := b.line(f, n, hit); err != nil {
		return err
	}
	own.set(n, hit)
	return nil
}

// lineCount counts the lines of all files.
func (b *builder) lineCount() Count {
	var c Count
	for _, f := range b.files {
		c = c.Plus(f.Lines.Count())
	}
	return c
}

// jacoco reads report.dtd: packages, possibly in groups, with sourcefile elements whose line elements count missed and
// covered instructions (mi, ci). A line is covered if one instruction of it is, as JaCoCo's own LINE counter has it.
func (b *builder) jacoco() *dialect {
	var groups []string
	var pkg string
	var f *File
	sources := 0
	total := declared{what: "the report's LINE counter"}
	return &dialect{
		name: jacoco,
		start: func(e *element) error {
			var err error
			switch e.name {
			case "group":
				groups = append(groups, e.attrs["name"])
			case "package":
				pkg = e.attrs["name"]
			case "sourcefile":
				if e.attrs["name"] == "" {
					return invalid("a source file has no name")
				}
				if f, err = b.file(path.Join(pkg, e.attrs["name"]), strings.Join(groups, "/")); err == nil {
					sources++
					b.part(f, strconv.Itoa(sources))
				}
			case "line":
				if f == nil {
					return invalid("a line outside of a source file")
				}
				n, err := parseLine(e.attrs["nr"])
				if err != nil {
					return err
				}
				hit, err := parseHits(e.attrs["ci"])
				if err != nil {
					return err
				}
				return b.line(f, n, hit)
			case "counter":
				if e.depth == 2 && e.attrs["type"] == "LINE" {
					missed := declared{}
					if missed.parseCounts(e.attrs["missed"], e.attrs["covered"]); missed.broken != "" {
						total.broken = missed.broken
						return nil
					}
					covered := missed.total.Total
					total.total, total.counted = Count{covered, covered + missed.total.Covered}, true
				}
			}
			return err
		},
		text: ignoreText,
		end: func(name string, _ int) error {
			switch name {
			case "group":
				groups = groups[:max(len(groups)-1, 0)]
			case "sourcefile":
				f = nil
			}
			return nil
		},
		done: func() {
			total.records = []Count{b.lineCount()}
			b.declared = append(b.declared, total)
		},
	}
}
