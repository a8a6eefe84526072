package coverage

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzRead holds every reading to these laws: the same bytes give the same profile; a profile with a problem has no
// files; a line that is covered is one that can run; a profile joined with itself says what it said; and of a text that
// is cut anywhere, what can run and is covered is never more than of the whole.
func FuzzRead(f *testing.F) {
	seeds := []string{
		"", "TN:\nSF:a.c\nDA:1,1\nDA:2,0\nLF:2\nLH:1\nend_of_record\n", "mode: set\na.go:1.1,2.2 1 1\na.go:2.2,3.1 2 0\n",
		"mode: set\ngo:1.1,2.2 1 1\\\\\\go:2.2,3.1 2 0",
		`<coverage line-rate="0.5"><sources><source>/w</source></sources><packages><class filename="a"><lines><line number="1" hits="0"/><line number="2" hits="1"/></lines></class></packages></coverage>`,
		jacocoHead + `<report name="r"><group name="g"><package name="p"><sourcefile name="X"><line nr="1" mi="0" ci="1"/></sourcefile></package></group><counter type="LINE" missed="0" covered="1"/></report>`,
		`<coverage generated="1"><project><metrics statements="1" coveredstatements="0"/><file path="/w/a"><line num="1" type="stmt" count="0"/></file></project></coverage>`,
		"\xff\xfem\x00o\x00d\x00e\x00:\x00 \x00s\x00e\x00t\x00", "<!DOCTYPE a [<!ENTITY b 'c'>]><report>&b;</report>",
	}
	for _, s := range seeds {
		for i := range append(Formats(), "") {
			f.Add([]byte(s), uint8(i), uint16(len(s)/2))
		}
	}
	repo := &Repository{Known: true, Paths: []string{"a", "a.c", "a.go", "p/X", "w/a"}, Modules: []Module{{"", "m"}}}
	f.Fuzz(func(t *testing.T, data []byte, which uint8, cut uint16) {
		names := append(Formats(), "")
		want := names[int(which)%len(names)]
		p := Read(bytes.NewReader(data), want)
		q := Read(bytes.NewReader(data), want)
		if p.Problem != q.Problem || len(p.Files) != len(q.Files) || p.Problem != "" && len(p.Files) > 0 || p.Disagree != q.Disagree {
			t.Fatalf("read twice: %+v and %+v", p, q)
		}
		if want != "" && p.Problem == "" && p.Format != want {
			t.Fatalf("asked for %s, read %s", want, p.Format)
		}
		whole := Count{}
		for i := range p.Files {
			file := &p.Files[i]
			c := file.Count()
			whole = whole.Plus(c)
			if c.Covered < 0 || c.Covered > c.Total || file.Name == "" || strings.Contains(file.Name, `\`) {
				t.Fatalf("%q has %+v", file.Name, c)
			}
			twice := File{Name: file.Name}
			twice.Merge(file)
			twice.Merge(&q.Files[i])
			if twice.Count() != c || twice.Lines.Count() != file.Lines.Count() {
				t.Fatalf("%q joined with itself has %+v of %+v", file.Name, twice.Count(), c)
			}
		}
		for _, at := range p.Place(repo, "") {
			if at.Path != "" && !repo.has(at.Path) {
				t.Fatalf("placed at %q, which is not there", at.Path)
			}
		}
		if p.Problem != "" || int(cut) > len(data) {
			return
		}
		if p.Format == goCover { // a line may begin as another one: a name holds whatever a path may
			cut = uint16(bytes.LastIndexByte(data[:cut], '\n') + 1)
		}
		part := Count{}
		less := Read(bytes.NewReader(data[:cut]), want)
		for i := range less.Files {
			part = part.Plus(less.Files[i].Count())
		}
		if less.Format == p.Format && (part.Covered > whole.Covered || part.Total > whole.Total) {
			t.Fatalf("cut at %d it has %+v of %+v", cut, part, whole)
		}
	})
}
