// Package coverage reads what coverage files say: which lines of which source files can run, and which did.
//
// It decides which format a file is in, what it records, whether its totals contradict its records, and which
// file of the repository a name in it means. It trusts nothing of what it reads: no entity is expanded, no path
// is opened, and memory and nesting are bounded. It does not judge whether the coverage is enough.
package coverage

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/outcome-gate/outcome-gate/internal/evidence/packed"
)

// The problems that leave a profile without meaning.
const (
	ProblemUnknownFormat = "unknown-format" // it is in no known format, or not in the one that was asked for
	ProblemInvalid       = "invalid"        // it breaks its format
	ProblemIncomplete    = "incomplete"     // it ends in the middle
	ProblemOverLimit     = "over-limit"     // it is larger than what is read
)

const (
	// maxHeld bounds what one profile holds of line sets, blocks and names, in bytes: the Linux kernel's thirty million
	// lines take some eight MiB.
	maxHeld = 64 << 20
	// maxLine is the greatest line number; the longest source file in wide use has some 300,000 lines.
	maxLine = 1 << 21
	// maxName bounds a source file's name, as Linux bounds a path.
	maxName = 4096
	// maxText bounds one line of a text format: function names of C++ take tens of KiB.
	maxText = 1 << 20
	// maxSources is how many source roots of one document are known.
	maxSources = 100
	// maxSpread bounds the lines that the blocks of a Go profile lie over, each counted once a block: nested blocks share
	// theirs, and no more than a few of them.
	maxSpread = 32 << 20
	// maxParts is how many folders a name may have to be compared with paths.
	maxParts = 100
	// headBytes is how much of a file decides its format.
	headBytes = 4096
)

// Count is how many of something are covered.
type Count struct{ Covered, Total int }

// Plus adds two counts.
func (c Count) Plus(o Count) Count { return Count{c.Covered + o.Covered, c.Total + o.Total} }

// Profile is what one coverage file says. The zero value covers nothing.
type Profile struct {
	Format  string   // its name in Formats, "" if it is in none
	Files   []File   // by name and group, each once
	Sources []string // source roots that the file names, which its names may be relative to
	// Problem is what leaves the file without meaning, "" if nothing does; then there are no Files.
	Problem string
	Detail  string // about the problem, for reading
	Line    int    // where it is, from 1; 0: not known
	// Disagree says how totals that the file declares contradict what it records, "" if they do not.
	Disagree string
}

// AddExtensions adds the extensions of the profile's files to a set.
func (p *Profile) AddExtensions(to map[string]bool) {
	for i := range p.Files {
		to[Extension(p.Files[i].Name)] = true
	}
}

// Extension is the end of a file's name that tells its language, in lower case, "" if it has none.
func Extension(name string) string { return strings.ToLower(path.Ext(path.Base(name))) }

// File is what a profile says of one source file.
type File struct {
	Name  string // as the profile writes it, but with slashes and cleaned
	Group string // what keeps files of one name apart, such as a module of a build
	Lines Lines
	// Twice says that the profile records the name in two parts, which may be of two files of one relative name: tools
	// write one for each file, and files of several runs may have been put one after the other.
	Twice bool
	// Blocks are the blocks of statements of a Go profile, in order of their place; other formats have none.
	Blocks []Block
}

// Statements reports whether the profile counts statements, as go tool cover does, and not lines.
func (p *Profile) Statements() bool { return p.Format == goCover }

// Count is how many lines, or statements of a Go profile, there are and are covered.
func (f *File) Count() Count {
	if f.Blocks != nil {
		return countBlocks(f.Blocks)
	}
	return f.Lines.Count()
}

// SameLines reports whether two profiles know the same lines, as they do of one file that was measured twice.
func (f *File) SameLines(o *File) bool {
	if len(f.Blocks) > 0 || len(o.Blocks) > 0 {
		return slices.EqualFunc(f.Blocks, o.Blocks, func(a, b Block) bool { return a.place() == b.place() })
	}
	return f.Lines.sameKnown(&o.Lines)
}

// Merge adds what another profile says of the same file: what one of them covers is covered.
func (f *File) Merge(o *File) {
	f.Lines.merge(&o.Lines)
	if len(o.Blocks) > 0 {
		f.Blocks = mergeBlocks(f.Blocks, o.Blocks)
	}
}

// format is one coverage format.
type format struct {
	name string
	doc  string
	// detect looks at the first bytes of a text format; XML formats are told apart by their root.
	detect func(head string) bool
	read   func(b *builder, r *bufio.Reader) error
}

const (
	clover    = "clover"
	cobertura = "cobertura"
	goCover   = "go-cover"
	jacoco    = "jacoco"
	lcov      = "lcov"
)

func formats() []format {
	return []format{
		{clover, "Clover XML", nil, readXML},
		{cobertura, "Cobertura XML", nil, readXML},
		{goCover, "Go cover profile", detectGo, readGo},
		{jacoco, "JaCoCo XML", nil, readXML},
		{lcov, "LCOV tracefile", detectLCOV, readLCOV},
	}
}

// Formats names the formats, in order.
func Formats() []string {
	var out []string
	for _, f := range formats() {
		out = append(out, f.name)
	}
	return out
}

// defect is an error with the problem that it makes.
type defect struct {
	problem, detail string
	line            int
}

// Error says what is wrong.
func (d *defect) Error() string { return d.problem + ": " + d.detail }

func invalid(format string, args ...any) error {
	return &defect{problem: ProblemInvalid, detail: fmt.Sprintf(format, args...)}
}

func overLimit(format string, args ...any) error {
	return &defect{problem: ProblemOverLimit, detail: fmt.Sprintf(format, args...)}
}

// Read reads one coverage file. want is a name of Formats, or "" to tell the format from the content. It never fails:
// what is wrong with the file is in the profile.
func Read(r io.Reader, want string) *Profile {
	b := &builder{p: &Profile{}, files: map[fileKey]*File{}, parts: map[*File]string{}, want: want}
	if err := b.readAll(r); err != nil {
		d := defectOf(err)
		return &Profile{Format: b.p.Format, Problem: d.problem, Detail: d.detail, Line: d.line}
	}
	return b.finish()
}

// readAll reads the whole file, unpacked if it is compressed by gzip.
func (b *builder) readAll(r io.Reader) error {
	content, err := packed.Open(r)
	if err != nil {
		return invalid("%v", err)
	}
	in := bufio.NewReaderSize(transform.NewReader(content, unicode.BOMOverride(transform.Nop)), 64<<10)
	head, err := in.Peek(headBytes)
	var wrong packed.Error
	if errors.As(err, &wrong) {
		return err
	}
	return b.readAs(in, string(head))
}

// defectOf is the problem that an error of reading makes.
func defectOf(err error) *defect {
	var d *defect
	var wrong packed.Error
	switch {
	case errors.As(err, &d):
		return d
	case errors.Is(err, packed.ErrLimit):
		return &defect{problem: ProblemOverLimit, detail: err.Error()}
	case errors.As(err, &wrong) && wrong != packed.ErrCut:
		return &defect{problem: ProblemInvalid, detail: err.Error()}
	}
	return &defect{problem: ProblemIncomplete, detail: "it could not be read to its end: " + err.Error()}
}

func (b *builder) readAs(in *bufio.Reader, head string) error {
	xml := strings.HasPrefix(strings.TrimLeft(head, " \t\r\n"), "<")
	for _, f := range formats() {
		if f.detect == nil && !xml || f.detect != nil && !f.detect(head) {
			continue
		}
		if f.detect != nil {
			if b.want != "" && b.want != f.name {
				continue
			}
			b.p.Format = f.name
		}
		return f.read(b, in)
	}
	if b.want != "" {
		return unknownFormat("it is no " + b.want + " file")
	}
	return unknownFormat("it begins like no format that is known here")
}

func unknownFormat(why string) error { return &defect{problem: ProblemUnknownFormat, detail: why} }

type fileKey struct{ name, group string }

// builder gathers a profile and what it takes.
type builder struct {
	p        *Profile
	want     string
	files    map[fileKey]*File
	parts    map[*File]string // the last part that named a file
	held     int
	spread   int // lines of blocks
	declared []declared
	// contradiction says how declared totals contradict each other, "" if they do not.
	contradiction string
}

// hold accounts for n bytes.
func (b *builder) hold(n int) error {
	if b.held += n; b.held > maxHeld {
		return overLimit("its lines and names take over %d MiB", maxHeld>>20)
	}
	return nil
}

// file gives the file of a name and group.
func (b *builder) file(name, group string) (*File, error) {
	switch {
	case strings.TrimSpace(name) == "":
		return nil, invalid("a source file has no name")
	case len(name)+len(group) > maxName:
		return nil, overLimit("a source file's name has over %d bytes", maxName)
	}
	k := fileKey{clean(name), group}
	if f, ok := b.files[k]; ok {
		return f, nil
	}
	const overhead = 200 // of a File, its map entry and slices
	if err := b.hold(len(k.name) + len(k.group) + overhead); err != nil {
		return nil, err
	}
	f := &File{Name: k.name, Group: group}
	b.files[k] = f
	return f, nil
}

// part notes which part of the document records a file.
func (b *builder) part(f *File, part string) {
	if before, ok := b.parts[f]; ok && before != part {
		f.Twice = true
	}
	b.parts[f] = part
}

// line records one line of a file.
func (b *builder) line(f *File, n int, hit bool) error {
	if n < 0 || n > maxLine {
		return overLimit("line %d of %s", n, f.Name)
	}
	return b.hold(f.Lines.set(n, hit))
}

// finish puts the files in order and holds what was declared against them.
func (b *builder) finish() *Profile {
	p := b.p
	for _, f := range b.files {
		p.Files = append(p.Files, *f)
	}
	slices.SortFunc(p.Files, func(a, b File) int {
		return strings.Compare(a.Name+"\x00"+a.Group, b.Name+"\x00"+b.Group)
	})
	p.Disagree = b.contradiction
	for i := range b.declared {
		if p.Disagree != "" {
			break
		}
		if p.Disagree = b.declared[i].against(); p.Disagree != "" {
			break
		}
	}
	return p
}
