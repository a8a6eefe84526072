package coverage

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"
)

// read gives a profile in short: format, then each file with its covered lines and, in brackets, all that can run.
func read(text, want string) (string, *Profile) {
	p := Read(strings.NewReader(text), want)
	var b strings.Builder
	b.WriteString(p.Format)
	for i := range p.Files {
		f := &p.Files[i]
		var all, hit []int
		for n := range 64 * len(f.Lines.known) {
			known, ran := f.Lines.Has(n)
			if known {
				all = append(all, n)
			}
			if ran {
				hit = append(hit, n)
			}
		}
		fmt.Fprintf(&b, "; %s%s %v%v", f.Group, f.Name, hit, all)
	}
	return b.String(), p
}

// numbered makes line elements of Cobertura that ran.
func numbered(from, to int) string {
	var b strings.Builder
	for n := from; n <= to; n++ {
		fmt.Fprintf(&b, `<line number="%d" hits="1"/>`, n)
	}
	return b.String()
}

// spell writes a range of numbers as a list.
func spell(from, to int) string {
	var list []int
	for n := from; n <= to; n++ {
		list = append(list, n)
	}
	return fmt.Sprint(list)
}

const jacocoHead = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd">`

func TestRead(t *testing.T) {
	for name, tc := range map[string]struct{ text, want, says, disagree string }{
		"lcov":                       {"TN:unit\nSF:src/a.c\nFN:1,main\nFNDA:1,main\nDA:1,4,abc\nDA:2,0\nDA:2,3\nDA:9,-5\nBRDA:1,0,0,-\nLF:3\nLH:2\nend_of_record\n\n# done\n", "", "lcov; src/a.c [1 2][1 2 9]", ""},
		"lcov, sections of one file": {"SF:a.c\nDA:1,0\nend_of_record\nSF:./a.c\nDA:1,1\nDA:2,0\nend_of_record\n", "", "lcov; a.c [1][1 2]", ""},
		"lcov, huge count":           {"SF:a.c\r\nDA:1,18446744073709551615\r\nend_of_record\r\n", "", "lcov; a.c [1][1]", ""},
		"lcov, fewer declared":       {"SF:a.c\nDA:1,1\nDA:2,1\nDA:3,0\nLF:2\nLH:2\nend_of_record\n", "", "lcov; a.c [1 2][1 2 3]", ""},
		"lcov, more covered":         {"SF:a.c\nDA:1,0\nDA:2,0\nLF:2\nLH:2\nend_of_record\n", "", "lcov; a.c [][1 2]", "2 of 2 declared, 0 of 2 recorded"},
		"lcov, lines taken out":      {"SF:a.c\nDA:1,1\nLF:4\nLH:1\nend_of_record\n", "", "lcov; a.c [1][1]", "1 of 4 declared, 1 of 1"},
		"lcov, unreadable total":     {"SF:a.c\nDA:1,1\nLF:x\nLH:1\nend_of_record\n", "", "lcov; a.c [1][1]", "cannot be read"},
		"lcov, windows":              {"TN:\nSF:C:\\w\\src\\a.ts\nDA:1,1\nend_of_record\n", "", "lcov; C:/w/src/a.ts [1][1]", ""},
		"go":                         {"mode: count\nm/a.go:1.10,3.2 2 0\nm/a.go:3.2,4.5 1 7\nm/b.go:1.1,1.9 0 0\n", "", "go-cover; m/a.go [3 4][1 2 3 4]; m/b.go [][]", ""},
		"go, joined":                 {"mode: set\na.go:1.1,2.2 1 0\nmode: atomic\na.go:1.1,2.2 1 1\n", "", "go-cover; a.go [1 2][1 2]", ""},
		"go, nothing":                {"mode: set\n", "go-cover", "go-cover", ""},
		"cobertura": {`<?xml version="1.0"?><!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
			<coverage line-rate="0.6666" lines-covered="2" lines-valid="3"><sources><source>/w/src</source></sources><packages><package><classes>
			<class filename="a.py"><methods><method name="f"><lines><line number="1" hits="3"/></lines></method></methods>
			<lines><line number="1" hits="3"/><line number="2" hits="0"/><line number="4" hits="1"/></lines></class></classes></package></packages></coverage>`, "",
			"cobertura; a.py [1 4][1 2 4]", ""},
		"cobertura, two classes in a file": {`<coverage line-rate="0.5" lines-covered="2" lines-valid="4"><packages><package><classes>
			<class filename="a.cs"><lines><line number="1" hits="1"/><line number="2" hits="0"/></lines></class>
			<class filename="a.cs"><lines><line number="2" hits="0"/><line number="3" hits="1"/></lines></class></classes></package></packages></coverage>`, "",
			"cobertura; a.cs [1 3][1 2 3]", "2 of 4 declared, 2 of 3 recorded"},
		"cobertura, a line of two classes": {`<coverage line-rate="0.98" lines-covered="100" lines-valid="102"><packages><package><classes>
			<class filename="a.cs"><lines>` + numbered(1, 50) + `<line number="101" hits="0"/></lines></class>
			<class filename="a.cs"><lines>` + numbered(51, 100) + `<line number="101" hits="0"/></lines></class></classes></package></packages></coverage>`, "",
			"cobertura; a.cs " + spell(1, 100) + spell(1, 101), ""},
		"cobertura, one file for two": {`<coverage line-rate="0.5" lines-covered="1" lines-valid="2"><packages><package name="a"><class filename="x.py"><lines><line number="1" hits="1"/></lines></class></package>
			<package name="b"><class filename="x.py"><lines><line number="1" hits="0"/></lines></class></package></packages></coverage>`, "", "cobertura; x.py [1][1]", "1 of 2 declared, 1 of 1 recorded"},
		"cobertura, no declaration": {`<coverage><packages><package><classes><class filename="a"><lines><line number="1" hits="1"/></lines></class></classes></package></packages></coverage>`, "", "cobertura; a [1][1]", ""},
		"cobertura, rate lies":      {`<coverage line-rate="1"><packages><class filename="a"><lines><line number="1" hits="0"/></lines></class></packages></coverage>`, "", "cobertura; a [][1]", "line-rate: 100.00 % declared, 0 of 1"},
		"cobertura, comma":          {`<coverage line-rate="0,5"><packages><class filename="a"><lines><line number="1" hits="0"/><line number="2" hits="1"/></lines></class></packages></coverage>`, "", "cobertura; a [2][1 2]", ""},
		"cobertura, no number":      {`<coverage line-rate="NaN"><packages><class filename="a"><lines><line number="1" hits="0"/></lines></class></packages></coverage>`, "", "cobertura; a [][1]", "line-rate cannot be read"},
		"cobertura, nothing":        {`<coverage line-rate="NaN" lines-covered="0" lines-valid="0"><packages/></coverage>`, "", "cobertura", ""},
		"cobertura, counts lie":     {`<coverage lines-covered="1" lines-valid="1"><packages><class filename="a"><lines><line number="1" hits="0"/></lines></class></packages></coverage>`, "", "cobertura; a [][1]", "1 of 1 declared, 0 of 1"},
		"jacoco": {jacocoHead + `<report name="r"><sessioninfo id="x" start="1" dump="2"/><package name="com/acme"><class name="com/acme/A" sourcefilename="A.java"><method name="m" line="3"><counter type="LINE" missed="1" covered="1"/></method></class>
			<sourcefile name="A.java"><line nr="3" mi="0" ci="2" mb="0" cb="0"/><line nr="4" mi="1" ci="0"/><counter type="LINE" missed="1" covered="1"/></sourcefile></package>
			<counter type="INSTRUCTION" missed="9" covered="1"/><counter type="LINE" missed="1" covered="1"/></report>`, "", "jacoco; com/acme/A.java [3][3 4]", ""},
		"jacoco, groups": {`<report name="r"><group name="a"><package name="p"><sourcefile name="X.kt"><line nr="1" mi="1" ci="0"/></sourcefile></package></group>
			<group name="b"><package name="p"><sourcefile name="X.kt"><line nr="1" mi="0" ci="1"/></sourcefile></package></group></report>`, "", "jacoco; ap/X.kt [][1]; bp/X.kt [1][1]", ""},
		"jacoco, counter lies": {`<report name="r"><package name="p"><sourcefile name="X.kt"><line nr="1" mi="1" ci="0"/></sourcefile></package><counter type="LINE" missed="0" covered="9"/></report>`, "", "jacoco; p/X.kt [][1]", "9 of 9 declared, 0 of 1"},
		"clover": {`<coverage clover="4.4.1" generated="1"><project name="p"><metrics statements="2" coveredstatements="1" elements="5"/><package name="q"><file name="A.java" path="/w/q/A.java">
			<line num="1" type="method" count="0"/><line num="2" type="stmt" count="4"/><line num="3" type="stmt" count="0"/><line num="4" type="cond" truecount="0" falsecount="2"/></file></package></project>
			<testproject><file name="T.java" path="/w/T.java"><line num="1" type="stmt" count="0"/></file></testproject></coverage>`, "", "clover; /w/q/A.java [2 4][2 3 4]", ""},
		"clover, phpunit":      {`<coverage generated="1"><project timestamp="1"><file name="/w/A.php"><line num="5" type="stmt" count="1"/></file><metrics statements="1" coveredstatements="1"/></project></coverage>`, "", "clover; /w/A.php [5][5]", ""},
		"clover, by its child": {`<coverage version="1"><project><file name="a.js"><line num="5" type="stmt" count="0"/></file></project></coverage>`, "", "clover; a.js [][5]", ""},
		"clover, another rate": {`<coverage generated="1"><project><file name="a.js"><line num="5" type="stmt" count="1"/></file><metrics statements="1000" coveredstatements="12"/></project></coverage>`, "", "clover; a.js [5][5]", "12 of 1000 declared, 1 of 1"},
		"clover, many statements in a line": {`<coverage generated="1"><project><file name="a.js"><line num="5" type="stmt" count="1"/><line num="6" type="stmt" count="0"/><metrics statements="10" coveredstatements="7"/></file>
			<metrics statements="10" coveredstatements="7"/></project></coverage>`, "", "clover; a.js [5][5 6]", ""},
		"clover, files left out": {`<coverage generated="1"><project><file name="a.js"><class name="A"><metrics statements="9" coveredstatements="9"/></class><line num="5" type="stmt" count="1"/><metrics statements="1" coveredstatements="1"/></file>
			<metrics statements="100" coveredstatements="100"/></project></coverage>`, "", "clover; a.js [5][5]", "100 of 100 statements declared, 1 of 1 by the files' own"},
		"clover, lines left out": {`<coverage generated="1"><project><file name="a.js"><line num="5" type="stmt" count="1"/><metrics statements="5" coveredstatements="5"/></file><file name="b.js"><metrics statements="5" coveredstatements="3"/></file>
			<metrics statements="10" coveredstatements="8"/></project></coverage>`, "", "clover; a.js [5][5]; b.js [][]", "b.js: 5 statements declared, no line"},
		"clover, metrics lie": {`<coverage generated="1"><project><metrics statements="2" coveredstatements="2"/><file name="a.js"><line num="5" type="stmt" count="0"/><line num="6" type="stmt" count="1"/></file></project></coverage>`, "", "clover; a.js [6][5 6]", "2 of 2 declared, 1 of 2"},
		"a latin encoding":    {"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><coverage line-rate=\"1\"><packages><class filename=\"\xe9.py\"><lines><line number=\"1\" hits=\"1\"/></lines></class></packages></coverage>", "", "cobertura; é.py [1][1]", ""},
		"a byte order mark":   {"\ufeffmode: set\na.go:1.1,1.2 1 1\n", "", "go-cover; a.go [1][1]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, p := read(tc.text, tc.want)
			if got != tc.says || p.Problem != "" {
				t.Errorf("got %s, want %s (%s %s)", got, tc.says, p.Problem, p.Detail)
			}
			if (p.Disagree == "") != (tc.disagree == "") || !strings.Contains(p.Disagree, tc.disagree) {
				t.Errorf("disagrees %q, want %q", p.Disagree, tc.disagree)
			}
			again, _ := read(tc.text, p.Format)
			if again != got {
				t.Errorf("told the format, it reads %s", again)
			}
		})
	}
	wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(`<?xml version="1.0" encoding="utf-16"?><report name="r"><package name="p"><sourcefile name="X"><line nr="1" ci="1" mi="0"/></sourcefile></package></report>`)
	if err != nil {
		t.Fatal(err)
	}
	if got, p := read(wide, ""); got != "jacoco; p/X [1][1]" {
		t.Errorf("UTF-16 reads %s (%s)", got, p.Detail)
	}
}

func TestReadRefuses(t *testing.T) {
	deep := strings.Repeat("<a>", 1_000_000)
	for name, tc := range map[string]struct{ text, want, problem, says string }{
		"nothing":                  {"", "", ProblemUnknownFormat, ""},
		"text":                     {"ok all is covered", "", ProblemUnknownFormat, ""},
		"json":                     {`{"total":{"lines":{"pct":100}}}`, "", ProblemUnknownFormat, ""},
		"junit":                    {`<testsuite name="a"/>`, "", ProblemUnknownFormat, "testsuite"},
		"generic coverage":         {`<coverage version="1"><file path="a"><lineToCover lineNumber="1" covered="true"/></file></coverage>`, "", ProblemUnknownFormat, ""},
		"a bare root":              {`<coverage/>`, "", ProblemUnknownFormat, ""},
		"another format":           {"SF:a\nend_of_record\n", "go-cover", ProblemUnknownFormat, "go-cover"},
		"another XML format":       {`<report name="r"/>`, "clover", ProblemUnknownFormat, "it is jacoco"},
		"XML, asked for as text":   {`<report name="r"/>`, "lcov", ProblemUnknownFormat, "it is jacoco"},
		"lcov, cut":                {"SF:a\nDA:1,1\n", "", ProblemIncomplete, "does not end"},
		"lcov, no hits":            {"SF:a\nDA:1\nend_of_record\n", "", ProblemInvalid, "without hits"},
		"lcov, hits in words":      {"SF:a\nDA:1,many\nend_of_record\n", "", ProblemInvalid, "many"},
		"lcov, line in words":      {"SF:a\nDA:one,1\nend_of_record\n", "", ProblemInvalid, "one"},
		"lcov, foreign line":       {"SF:a\n<html>\n", "", ProblemInvalid, "<html>"},
		"lcov, outside":            {"TN:\nDA:1,1\n", "", ProblemInvalid, "outside"},
		"lcov, nested":             {"SF:a\nSF:b\n", "", ProblemInvalid, "inside"},
		"lcov, ends twice":         {"SF:a\nend_of_record\nend_of_record\n", "", ProblemInvalid, ""},
		"lcov, no name":            {"SF:\nend_of_record\n", "", ProblemInvalid, "no name"},
		"lcov, far line":           {"SF:a\nDA:2097153,1\nend_of_record\n", "", ProblemOverLimit, "2097153"},
		"lcov, long name":          {"SF:" + strings.Repeat("a", 5000) + "\nend_of_record\n", "", ProblemOverLimit, "name"},
		"lcov, long line":          {"SF:a\nFN:" + strings.Repeat("a", 2<<20) + "\n", "", ProblemOverLimit, "line"},
		"go, cut":                  {"mode: set\na.go:1.1,2", "", ProblemInvalid, "no block"},
		"go, another mode":         {"mode: some\n", "", ProblemInvalid, "mode"},
		"go, backwards":            {"mode: set\na.go:3.1,2.2 1 1\n", "", ProblemInvalid, ""},
		"go, two sizes":            {"mode: set\na.go:1.1,2.2 1 1\na.go:1.1,2.2 2 1\n", "", ProblemInvalid, "statements"},
		"go, no name":              {"mode: set\n:1.1,2.2 1 1\n", "", ProblemInvalid, ""},
		"go, negative":             {"mode: set\na.go:1.1,2.2 -1 1\n", "", ProblemInvalid, ""},
		"go, over each other":      {"mode: set\n" + manyBlocks(), "", ProblemOverLimit, "over each other"},
		"XML, cut":                 {`<coverage line-rate="1"><packages>`, "", ProblemIncomplete, ""},
		"XML, cut in a tag":        {`<coverage line-rate="1"><packages><class file`, "", ProblemIncomplete, ""},
		"XML, two roots":           {`<report name="r"/><report name="s"/>`, "", ProblemInvalid, "second root"},
		"XML, text behind":         {`<report name="r"/>covered`, "", ProblemInvalid, "outside"},
		"XML, not closed":          {`<report><package name="p"></report>`, "", ProblemInvalid, ""},
		"XML, attribute twice":     {`<coverage line-rate="1"><packages><class filename="a"><lines><line number="1" hits="0" hits="1"/></lines></class></packages></coverage>`, "", ProblemInvalid, "hits occurs twice"},
		"XML, entities":            {`<!DOCTYPE coverage [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><coverage line-rate="1">&b;</coverage>`, "", ProblemInvalid, "document type"},
		"XML, undeclared entity":   {`<coverage line-rate="1"><sources><source>&lol;</source></sources></coverage>`, "", ProblemInvalid, "entity"},
		"XML, deep":                {`<coverage line-rate="1">` + deep, "", ProblemInvalid, "deeper"},
		"XML, long attribute":      {`<coverage line-rate="1" x="` + strings.Repeat("a", 5<<20) + `"/>`, "", ProblemOverLimit, "too long"},
		"XML, unknown encoding":    {`<?xml version="1.0" encoding="klingon"?><report/>`, "", ProblemInvalid, "klingon"},
		"cobertura, no hits":       {`<coverage line-rate="1"><packages><class filename="a"><lines><line number="1"/></lines></class></packages></coverage>`, "", ProblemInvalid, "hits"},
		"cobertura, class unnamed": {`<coverage line-rate="1"><packages><class><lines/></class></packages></coverage>`, "", ProblemInvalid, "no name"},
		"jacoco, file unnamed":     {`<report><package name="p"><sourcefile/></package></report>`, "", ProblemInvalid, "no name"},
		"jacoco, line outside":     {`<report><line nr="1" ci="1"/></report>`, "", ProblemInvalid, "outside"},
		"clover, no count":         {`<coverage generated="1"><project><file name="a"><line num="1" type="stmt"/></file></project></coverage>`, "", ProblemInvalid, ""},
		"cobertura, many sources":  {`<coverage line-rate="1"><sources>` + strings.Repeat("<source>/a</source>", 101) + `</sources></coverage>`, "", ProblemOverLimit, "source roots"},
		"lcov, much to be held":    {sparse(), "", ProblemOverLimit, "MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			p := Read(strings.NewReader(tc.text), tc.want)
			if p.Problem != tc.problem || !strings.Contains(p.Detail, tc.says) || len(p.Files) > 0 {
				t.Errorf("got %q (%s), %d files", p.Problem, p.Detail, len(p.Files))
			}
		})
	}
}

// sparse is a file whose line sets would take half a GiB.
func sparse() string {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "SF:%d\nDA:2000000,1\nend_of_record\n", i)
	}
	return b.String()
}

// manyBlocks is a profile whose blocks all lie over the whole file.
func manyBlocks() string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "a.go:%d.1,2000000.2 1 1\n", i)
	}
	return b.String()
}

// The statements of a Go profile are those that go tool cover counts: each block once, however often it is listed.
func TestStatements(t *testing.T) {
	_, p := read("mode: count\na.go:1.1,2.2 3 0\na.go:1.1,2.2 3 4\na.go:3.1,4.2 1 0\na.go:5.1,5.1 0 0\n", "")
	if c := p.Files[0].Count(); c != (Count{3, 4}) || !p.Statements() {
		t.Errorf("got %+v", c)
	}
}

func TestMerge(t *testing.T) {
	_, a := read("mode: set\na.go:1.1,2.2 3 1\na.go:3.1,4.2 1 0\n", "")
	_, b := read("mode: set\na.go:3.1,4.2 1 1\na.go:70.1,71.2 2 0\n", "")
	for _, order := range [][2]*Profile{{a, b}, {b, a}} {
		f := File{Name: "a.go"}
		f.Merge(&order[0].Files[0])
		f.Merge(&order[1].Files[0])
		var missed []int
		lines := f.Lines.In(0, 1<<30, func(n int) { missed = append(missed, n) })
		if c := f.Count(); c != (Count{4, 6}) || lines != (Count{4, 6}) || !slices.Equal(missed, []int{70, 71}) {
			t.Errorf("got %+v, %+v, missed %v", c, lines, missed)
		}
	}
}

func TestPlace(t *testing.T) {
	repo := func(paths string) *Repository {
		return &Repository{Known: true, Paths: strings.Fields(paths)}
	}
	here := func(paths string) *Repository {
		return &Repository{Known: true, Paths: strings.Fields(paths), Roots: []string{"/ci/app"}}
	}
	of := func(format string, sources []string, names ...string) *Profile {
		p := &Profile{Format: format, Sources: sources}
		for _, n := range names {
			group, name, ok := strings.Cut(n, "|")
			if !ok {
				group, name = "", n
			}
			p.Files = append(p.Files, File{Name: clean(name), Group: group})
		}
		return p
	}
	modules := repo("cmd/main.go go.mod lib/go.mod lib/x.go main.go")
	modules.Modules = []Module{{"", "m.test/a"}, {"lib", "m.test/a/lib2"}}
	for name, tc := range map[string]struct {
		p    *Profile
		repo *Repository
		dir  string
		want string
	}{
		"as they are":               {of(lcov, nil, "src/a.js", "./b.js", "gone.js"), repo("b.js src/a.js"), "", "src/a.js b.js -"},
		"below a root":              {of(lcov, nil, "/home/r/app/src/a.js", "/home/r/app/b.js"), repo("b.js src/a.js"), "", "src/a.js b.js"},
		"windows":                   {of(lcov, nil, `D:\a\app\src\a.js`), repo("src/a.js"), "", "src/a.js"},
		"a dependency":              {of(lcov, nil, "/app/src/a.js", "/app/node_modules/d/src/b.js"), repo("src/a.js src/b.js"), "", "src/a.js -"},
		"contradicting roots":       {of(lcov, nil, "/one/src/a.js", "/two/src/b.js"), repo("src/a.js src/b.js"), "", "?src/a.js ?src/b.js"},
		"the longest end":           {of(lcov, nil, "/w/src/a.js"), repo("a.js src/a.js"), "", "src/a.js"},
		"two names":                 {of(lcov, nil, "src/a.js", "/w/src/a.js"), repo("src/a.js"), "", "?src/a.js ?src/a.js"},
		"source root":               {of(cobertura, []string{"/w/app/pkg"}, "a.py", "b/c.py"), repo("a.py pkg/a.py pkg/b/c.py"), "", "pkg/a.py pkg/b/c.py"},
		"two source roots":          {of(cobertura, []string{"/w/x", "/w/y"}, "a.py", "b.py"), repo("x/a.py y/a.py y/b.py"), "", "?x/a.py,y/a.py y/b.py"},
		"relative source root":      {of(cobertura, []string{"pkg"}, "a.py"), repo("a.py pkg/a.py"), "", "pkg/a.py"},
		"a foreign source root":     {of(cobertura, []string{"/usr/src"}, "a.py"), repo("pkg/a.py"), "", "pkg/a.py"},
		"packages":                  {of(jacoco, nil, "com/acme/A.java", "com/acme/B.java"), repo("app/src/main/java/com/acme/A.java core/src/main/java/com/acme/B.java"), "", "app/src/main/java/com/acme/A.java core/src/main/java/com/acme/B.java"},
		"ambiguous packages":        {of(jacoco, nil, "com/acme/A.java", "com/acme/B.java"), repo("x/com/acme/A.java y/com/acme/A.java y/com/acme/B.java z/C.java"), "", "y/com/acme/A.java y/com/acme/B.java"},
		"packages of two modules":   {of(jacoco, nil, "p/A.java", "p/B.java", "p/C.java"), repo("x/p/A.java x/p/C.java y/p/A.java y/p/B.java"), "", "?x/p/A.java,y/p/A.java y/p/B.java x/p/C.java"},
		"source roots of a module":  {of(jacoco, nil, "p/A.java", "p/B.kt"), repo("x/java/p/A.java x/kotlin/p/B.kt y/java/p/A.java"), "", "?x/java/p/A.java,y/java/p/A.java x/kotlin/p/B.kt"},
		"a root by a third name":    {of(jacoco, nil, "p/A.java", "p/B.kt", "p/C.java"), repo("x/java/p/A.java x/java/p/C.java x/kotlin/p/B.kt y/java/p/A.java"), "", "x/java/p/A.java x/kotlin/p/B.kt x/java/p/C.java"},
		"an end is a whole name":    {of(jacoco, nil, "acme/A.java"), repo("src/notacme/A.java"), "", "-"},
		"groups":                    {of(jacoco, nil, "a|p/A.java", "b|p/A.java"), repo("src/p/A.java"), "", "?src/p/A.java ?src/p/A.java"},
		"a folder that is named":    {of(lcov, nil, "a.js", "setup.js"), repo("backend/a.js backend/setup.js setup.js"), "backend", "backend/a.js backend/setup.js"},
		"by its other names":        {of(lcov, nil, "a.js", "setup.js"), repo("backend/a.js backend/setup.js setup.js"), "", "backend/a.js backend/setup.js"},
		"the root or a folder":      {of(lcov, nil, "src/a.js"), repo("packages/a/src/a.js src/a.js"), "", "?packages/a/src/a.js,src/a.js"},
		"the root by its names":     {of(lcov, nil, "src/a.js", "b.js", "gone.js"), repo("b.js packages/a/src/a.js src/a.js"), "", "src/a.js b.js -"},
		"two runs in one file":      {of(lcov, nil, "src/a.js", "b.js", "c.js"), repo("b.js packages/a/c.js packages/a/src/a.js src/a.js"), "", "?packages/a/src/a.js,src/a.js b.js ?packages/a/c.js"},
		"an equal generated file":   {of(lcov, nil, "src/a.js", "b.js", "gen.js"), repo("b.js other/gen.js packages/a/src/a.js src/a.js"), "", "src/a.js b.js ?other/gen.js"},
		"two packages":              {of(lcov, nil, "src/a.js"), repo("packages/a/src/a.js packages/b/src/a.js"), "", "?packages/a/src/a.js,packages/b/src/a.js"},
		"beside the tests":          {of(lcov, nil, "../src/a.c", "../../lib/b.c"), repo("lib/b.c src/a.c"), "", "src/a.c lib/b.c"},
		"beside the repository":     {of(lcov, nil, "../other/src/a.c"), repo("src/a.c"), "", "-"},
		"a worktree":                {of(lcov, nil, "/ci/app/out/base/src/a.js"), here("src/a.js"), "", "-"},
		"the workspace":             {of(lcov, nil, "/ci/app/src/a.js", "/ci/app/src/gone.js"), here("packages/a/src/a.js src/a.js"), "", "src/a.js -"},
		"more than the workspace":   {of(lcov, nil, "/ci/app/src/a.js", "/opt/x/src/b.js"), here("src/a.js src/b.js"), "", "src/a.js -"},
		"a worktree's sources":      {of(cobertura, []string{"/ci/app/out/base"}, "src/a.py"), here("src/a.py"), "", "-"},
		"a relative worktree":       {of(lcov, nil, "out/base/src/a.js"), here("src/a.js"), "", "-"},
		"the workspace's name":      {of(lcov, nil, "app/src/a.js", "app/b.js"), here("b.js src/a.js"), "", "src/a.js b.js"},
		"another runner":            {of(lcov, nil, "/__w/app/app/src/a.js"), here("packages/a/src/a.js src/a.js"), "", "src/a.js"},
		"a container":               {of(lcov, nil, "/srv/src/a.js", "/srv/b.js"), here("b.js packages/a/src/a.js src/a.js"), "", "src/a.js b.js"},
		"a package in a container":  {of(lcov, nil, "/srv/src/a.js", "/srv/src/b.js"), here("packages/a/src/a.js packages/a/src/b.js src/a.js"), "", "packages/a/src/a.js packages/a/src/b.js"},
		"one name of a container":   {of(lcov, nil, "/srv/src/a.js"), here("packages/a/src/a.js src/a.js"), "", "?packages/a/src/a.js,src/a.js"},
		"two containers' packages":  {of(lcov, nil, "/srv/src/a.js"), here("packages/a/src/a.js packages/b/src/a.js"), "", "?packages/a/src/a.js,packages/b/src/a.js"},
		"another repository":        {of(lcov, nil, "/srv/src/a.js", "/srv/src/x.js", "/srv/y.js"), here("src/a.js"), "", "?src/a.js - -"},
		"a dependency alone":        {of(lcov, nil, "/ci/vendor/other/src/a.js"), here("src/a.js"), "", "-"},
		"a header of the system":    {of(lcov, nil, "/usr/include/x/config.h", "/w/src/a.c"), repo("config.h src/a.c"), "", "- src/a.c"},
		"the folder has not got it": {of(lcov, nil, "b.js"), repo("b.js backend/a.js"), "backend", "-"},
		"modules":                   {of(goCover, nil, "m.test/a/main.go", "m.test/a/lib2/x.go", "m.test/a/cmd/gone.go", "std/cmd/main.go", "m.test/ab/main.go"), modules, "", "main.go lib/x.go - - -"},
		"no modules known":          {of(goCover, nil, "m.test/a/cmd/main.go", "m.test/a/main.go"), repo("cmd/main.go main.go"), "", "cmd/main.go main.go"},
		"nothing known":             {of(lcov, nil, "a.js"), &Repository{Paths: []string{"a.js"}}, "", "-"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, at := range tc.p.Place(tc.repo, tc.dir) {
				switch {
				case at.Ambiguous != nil:
					got = append(got, "?"+strings.Join(at.Ambiguous, ","))
				case at.Path == "":
					got = append(got, "-")
				default:
					got = append(got, at.Path)
				}
			}
			if text := strings.Join(got, " "); text != tc.want {
				t.Errorf("got %s, want %s", text, tc.want)
			}
		})
	}
}
