package evidence

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/evidence/coverage"
)

// covered makes a document of a coverage file.
func covered(name, text string) Document {
	return Document{Name: name, Readable: true, Coverage: coverage.Read(strings.NewReader(text), "")}
}

// traced makes an LCOV section: lines from 1, + for one that ran.
func traced(name, lines string) string {
	var b strings.Builder
	b.WriteString("SF:" + name + "\n")
	for i, c := range []byte(lines) {
		switch c {
		case '+':
			b.WriteString("DA:" + strconv.Itoa(i+1) + ",1\n")
		case '-':
			b.WriteString("DA:" + strconv.Itoa(i+1) + ",0\n")
		}
	}
	return b.String() + "end_of_record\n"
}

// changedFile is a changed file with ranges of lines.
func changedFile(path string, lines ...LineRange) ChangedFile {
	return ChangedFile{Path: path, Known: true, Lines: lines}
}

func TestCoverage(t *testing.T) {
	repo := coverage.Repository{Known: true, Paths: []string{"README.md", "a.js", "b.js", "conf.js", "m_test.go", "t/a.test.js"}}
	in := func(files []ChangedFile, docs ...Document) Input {
		return Input{Documents: docs, Repository: repo, Changed: ChangedLines{Known: true, Files: files}}
	}
	three := covered("l.info", traced("a.js", "++-")+traced("b.js", "+ -"))
	const lies = "SF:a.js\nDA:1,0\nLF:1\nLH:1\nend_of_record\n"
	one := []ChangedFile{changedFile("a.js", LineRange{2, 3})}
	for name, tt := range map[string]struct {
		params string
		in     Input
		state  State
		code   string
		says   string
	}{
		"reached":              {`{"min_percent": 60}`, in(nil, three), Verified, CodeCoverageReached, "60 % of the lines covered (3 of 5)"},
		"not quite":            {`{"min_percent": 60.01}`, in(nil, three), ValidatorFailed, CodeCoverageTooLow, "60 % of the lines covered (3 of 5), at least 60.01 %"},
		"rounded down":         {`{"min_percent": 66.67}`, in(nil, covered("l", traced("a.js", "++-"))), ValidatorFailed, CodeCoverageTooLow, "66.66 %"},
		"all":                  {`{"min_percent": 100}`, in(nil, covered("l", traced("a.js", "++"))), Verified, CodeCoverageReached, "100 %"},
		"no file":              {`{"min_percent": 1}`, in(nil), Unverified, CodeInputNoFiles, ""},
		"no line":              {`{"min_percent": 1}`, in(nil, covered("c.out", "mode: set\n")), Unverified, CodeCoverageEmpty, "1 file holds no line"},
		"no line, two files":   {`{"min_changed_percent": 1}`, in(one, covered("c.out", "mode: set\n"), covered("d.out", "mode: set\n")), Unverified, CodeCoverageEmpty, "2 files hold"},
		"unreadable":           {`{"min_percent": 1}`, in(nil, three, Document{Name: "x"}), Unverified, CodeInputUnreadable, "1 of 2 files allows no conclusion: x"},
		"unknown format":       {`{"min_percent": 1}`, in(nil, covered("x", "all is covered")), Unverified, CodeCoverageUnknownFormat, "x allows no conclusion"},
		"cut":                  {`{"min_percent": 1}`, in(nil, covered("x", "SF:a.js\nDA:1,1\n")), Unverified, CodeCoverageIncomplete, "does not end"},
		"malformed":            {`{"min_percent": 1}`, in(nil, covered("x", "SF:a.js\nDA:1,many\n")), Unverified, CodeCoverageInvalid, "(line 2)"},
		"over a limit":         {`{"min_percent": 1}`, in(nil, covered("x", "SF:a.js\nDA:9999999,1\n")), Unverified, CodeCoverageOverLimit, ""},
		"totals lie":           {`{"min_percent": 1}`, in(nil, covered("x", lies)), Unverified, CodeCoverageTotals, "1 of 1 declared, 0 of 1 recorded"},
		"totals let go":        {`{"min_percent": 1, "allow_count_mismatch": true}`, in(nil, covered("x", lies)), ValidatorFailed, CodeCoverageTooLow, "0 %"},
		"too few lines":        {`{"min_percent": 1, "min_lines": 6}`, in(nil, three), ValidatorFailed, CodeCoverageTooFew, "know 5 lines, at least 6"},
		"enough lines":         {`{"min_percent": 1, "min_lines": 5}`, in(nil, three), Verified, CodeCoverageReached, ""},
		"shards":               {`{"min_percent": 100}`, in(nil, covered("1", traced("a.js", "+-")), covered("2", traced("/w/a.js", "-+"))), Verified, CodeCoverageReached, "(2 of 2)"},
		"statements":           {`{"min_percent": 75}`, in(nil, covered("c.out", "mode: set\nm/a.go:1.1,9.2 3 1\nm/a.go:10.1,11.2 1 0\n")), Verified, CodeCoverageReached, "75 % of the statements covered (3 of 4)"},
		"two units":            {`{"min_percent": 75}`, in(nil, three, covered("c.out", "mode: set\nm/a.go:1.1,9.2 15 1\n")), Verified, CodeCoverageReached, "lines and statements"},
		"no aim":               {`{"min_lines": 5}`, in(nil, three), Unverified, CodeInputParams, "neither"},
		"changed":              {`{"min_changed_percent": 50}`, in(one, three), Verified, CodeCoverageReached, "of the changed lines 50 % (1 of 2)"},
		"changed, too few":     {`{"min_percent": 60, "min_changed_percent": 50.01}`, in(one, three), ValidatorFailed, CodeCoverageChangedTooLow, "50 % of the changed lines covered (1 of 2), at least 50.01 % must be: a.js:3"},
		"overall first":        {`{"min_percent": 90, "min_changed_percent": 90}`, in(one, three), ValidatorFailed, CodeCoverageTooLow, ""},
		"cannot run":           {`{"min_changed_percent": 100}`, in([]ChangedFile{changedFile("b.js", LineRange{2, 2}), changedFile("README.md", LineRange{1, 9})}, three), Verified, CodeCoverageReached, "no changed line can run"},
		"left out":             {`{"min_changed_percent": 60}`, in([]ChangedFile{changedFile("a.js", LineRange{1, 2}), changedFile("conf.js", LineRange{1, 2})}, three), ValidatorFailed, CodeCoverageLeftOut, "2 changed lines of changed files that no coverage file names: conf.js"},
		"left out, enough":     {`{"min_changed_percent": 50}`, in([]ChangedFile{changedFile("a.js", LineRange{1, 2}), changedFile("conf.js", LineRange{1, 2})}, three), Verified, CodeCoverageReached, "(2 of 4)"},
		"only left out":        {`{"min_changed_percent": 1}`, in([]ChangedFile{changedFile("conf.js", LineRange{1, 1})}, three), ValidatorFailed, CodeCoverageLeftOut, "1 changed line of"},
		"left out and missed":  {`{"min_changed_percent": 80}`, in([]ChangedFile{changedFile("a.js", LineRange{2, 3}), changedFile("conf.js", LineRange{1, 1})}, three), ValidatorFailed, CodeCoverageChangedTooLow, "33.33 %"},
		"let go":               {`{"min_changed_percent": 100, "ignore_files": ["conf.js", "t/**"]}`, in([]ChangedFile{changedFile("a.js", LineRange{1, 2}), changedFile("conf.js", LineRange{1, 2}), changedFile("t/a.test.js", LineRange{1, 5})}, three), Verified, CodeCoverageReached, "(2 of 2)"},
		"a test of Go":         {`{"min_changed_percent": 100}`, in([]ChangedFile{changedFile("m_test.go", LineRange{1, 2})}, covered("c.out", "mode: set\nm/a.go:1.1,9.2 3 1\n")), Verified, CodeCoverageReached, ""},
		"unknown lines":        {`{"min_changed_percent": 1}`, in([]ChangedFile{{Path: "a.js", Reason: "too large"}}, three), Unverified, CodeCoverageChangeUnknown, "a.js: too large"},
		"unknown, and nothing": {`{"min_changed_percent": 1}`, in([]ChangedFile{{Path: "README.md", Reason: "too large"}}, three), Verified, CodeCoverageReached, ""},
		"unknown change":       {`{"min_changed_percent": 1}`, Input{Documents: []Document{three}, Repository: repo, Changed: ChangedLines{Reason: "the base is not known"}}, Unverified, CodeCoverageChangeUnknown, "the base is not known"},
		"unknown repository":   {`{"min_changed_percent": 1}`, Input{Documents: []Document{three}, Changed: ChangedLines{Known: true}}, Unverified, CodeCoverageChangeUnknown, "nobody says"},
		"not asked for":        {`{"min_percent": 1}`, Input{Documents: []Document{three}}, Verified, CodeCoverageReached, ""},
		"ambiguous":            {`{"min_changed_percent": 1}`, in(one, covered("l", traced("/one/a.js", "+++")+traced("/two/b.js", "+"))), Unverified, CodeCoverageAmbiguous, "may mean a.js"},
		"ambiguous elsewhere":  {`{"min_changed_percent": 1, "ignore_files": "conf.js"}`, in([]ChangedFile{changedFile("conf.js", LineRange{1, 1})}, covered("l", traced("/one/a.js", "+++")+traced("/two/b.js", "+"))), Verified, CodeCoverageReached, ""},
		"a folder":             {`{"min_changed_percent": 100, "root": "t"}`, in([]ChangedFile{changedFile("t/a.test.js", LineRange{1, 1})}, covered("l", traced("a.test.js", "+"))), Verified, CodeCoverageReached, "(1 of 1)"},
	} {
		t.Run(name, func(t *testing.T) {
			f, facts := observeAndJudge(t, "coverage", tt.params, tt.in)
			if f.State != tt.state || f.Code != tt.code || !strings.Contains(f.Detail, tt.says) {
				t.Errorf("got %+v, want %s %s %q\n%s", f, tt.state, tt.code, tt.says, facts)
			}
		})
	}
}

// TestCoverageUnderOneName follows a name that stands for several source files, in one coverage file or in several.
func TestCoverageUnderOneName(t *testing.T) {
	repo := coverage.Repository{Known: true, Paths: []string{"packages/a/only.js", "packages/a/p/M.java", "packages/a/src/index.js", "packages/b/p/M.java", "packages/b/src/index.js"}}
	cobertura := func(line string) string {
		return `<coverage line-rate="0.5"><sources><source>/ci/r/packages/a</source><source>/ci/r/packages/b</source></sources><packages><package name="a"><class filename="src/index.js"><lines>` +
			`<line number="1" hits="1"/></lines></class></package><package name="` + line + `"><class filename="src/index.js"><lines><line number="2" hits="0"/></lines></class></package></packages></coverage>`
	}
	jacoco := func(group, hits string) string {
		text := `<package name="p"><sourcefile name="M.java"><line nr="1" ci="` + hits + `"/></sourcefile></package>`
		if group != "" {
			text = `<group name="` + group + `">` + text + `</group>`
		}
		return `<report name="r">` + text + `</report>`
	}
	for name, tt := range map[string]struct {
		params string
		docs   []string
		state  State
		code   string
		says   string
	}{
		"two packages":             {`{"min_percent": 50}`, []string{traced("src/index.js", "++"), traced("src/index.js", "--")}, Unverified, CodeCoverageAmbiguous, "several source files may have been measured: src/index.js"},
		"one after the other":      {`{"min_percent": 50}`, []string{traced("src/index.js", "++") + traced("src/index.js", "--")}, Unverified, CodeCoverageAmbiguous, "src/index.js"},
		"two containers":           {`{"min_percent": 50}`, []string{traced("/app/src/index.js", "++"), traced("/app/src/index.js", "--")}, Unverified, CodeCoverageAmbiguous, "/app/src/index.js"},
		"two modules":              {`{"min_percent": 50}`, []string{jacoco("", "1"), jacoco("", "0")}, Unverified, CodeCoverageAmbiguous, "p/M.java"},
		"shards of a named module": {`{"min_percent": 100}`, []string{jacoco("m", "1"), jacoco("m", "0")}, Verified, CodeCoverageReached, "(1 of 1)"},
		"two named modules":        {`{"min_percent": 50}`, []string{jacoco("m", "1"), jacoco("n", "0")}, Verified, CodeCoverageReached, "(1 of 2)"},
		"only one":                 {`{"min_percent": 50}`, []string{traced("src/index.js", "+-")}, Verified, CodeCoverageReached, "(1 of 2)"},
		"shards":                   {`{"min_percent": 100}`, []string{traced("packages/a/src/index.js", "+-"), traced("packages/a/src/index.js", "-+")}, Verified, CodeCoverageReached, "(2 of 2)"},
		"shards of a package":      {`{"min_percent": 100}`, []string{traced("src/index.js", "+-") + traced("only.js", "+"), traced("src/index.js", "-+") + traced("only.js", "-")}, Verified, CodeCoverageReached, "(3 of 3)"},
		"shards with a root":       {`{"min_percent": 100, "root": "packages/b"}`, []string{traced("src/index.js", "+-"), traced("src/index.js", "-+")}, Verified, CodeCoverageReached, "(2 of 2)"},
		"two of a root":            {`{"min_percent": 100, "min_lines": 2}`, []string{traced("only.js", "+") + traced("src/index.js", "++"), traced("src/index.js", "--")}, ValidatorFailed, CodeCoverageTooLow, "(3 of 5)"},
		"generated, in shards":     {`{"min_percent": 100}`, []string{traced("gen.js", "+-"), traced("gen.js", "-+")}, Verified, CodeCoverageReached, "(2 of 2)"},
		"generated, two files":     {`{"min_percent": 100}`, []string{traced("gen.js", "++"), traced("gen.js", "-- -")}, ValidatorFailed, CodeCoverageTooLow, "(2 of 5)"},
		"classes of two packages":  {`{"min_percent": 50}`, []string{cobertura("b")}, Unverified, CodeCoverageAmbiguous, "src/index.js"},
		"enough lines":             {`{"min_changed_percent": 1, "min_lines": 3}`, []string{traced("src/index.js", "++"), traced("src/index.js", "--")}, Unverified, CodeCoverageAmbiguous, "src/index.js"},
		"of the change alone":      {`{"min_changed_percent": 1}`, []string{traced("src/index.js", "++"), traced("src/index.js", "--")}, Verified, CodeCoverageReached, "no changed line"},
	} {
		t.Run(name, func(t *testing.T) {
			in := Input{Repository: repo, Changed: ChangedLines{Known: true}}
			for i, text := range tt.docs {
				in.Documents = append(in.Documents, covered(strconv.Itoa(i), text))
			}
			f, facts := observeAndJudge(t, "coverage", tt.params, in)
			if f.State != tt.state || f.Code != tt.code || !strings.Contains(f.Detail, tt.says) {
				t.Errorf("got %+v, want %s %s %q\n%s", f, tt.state, tt.code, tt.says, facts)
			}
		})
	}
	in := Input{Documents: []Document{covered("1", traced("a.js", "+-")), covered("2", traced("a.js", "-+"))}}
	if f, facts := observeAndJudge(t, "coverage", `{"min_percent": 50}`, in); f.Code != CodeCoverageAmbiguous {
		t.Errorf("of an unknown repository: %+v\n%s", f, facts)
	}
}

// Facts that contradict themselves prove nothing, whatever they say besides.
func TestCoverageContradictions(t *testing.T) {
	const good = `{"files":1,"formats":["lcov"],"unit":"lines","sources":1,"measured":{"covered":9,"missed":1,"total":10},"troubles":0,` +
		`"changed":{"known":true,"files":1,"ignored":0,"lines":{"covered":3,"missed":0,"total":3},"left_out":0,"absent":0,"unknown":0,"ambiguous":0}}`
	const params = `{"min_percent":80,"min_changed_percent":90}`
	k, _ := KindByName("coverage")
	if f := k.Judge(json.RawMessage(params), json.RawMessage(good)); f.State != Verified {
		t.Fatalf("%+v", f)
	}
	for _, c := range [][2]string{
		{`"covered":9`, `"covered":10`},
		{`"total":10`, `"total":9`},
		{`"covered":3,"missed":0`, `"covered":4,"missed":-1`},
		{`"left_out":0`, `"left_out":1`},
		{`"known":true`, `"known":false`},
		{`"known":true`, `"known":true,"reason":"who knows"`},
		{`"absent":0`, `"absent":1`},
		{`"unknown":0`, `"unknown":1`},
		{`"ambiguous":0`, `"ambiguous":1`},
		{`"troubles":0`, `"troubles":1`},
		{`"sources":1`, `"sources":0`},
		{`"known":true,"files":1`, `"known":true,"files":0`},
		{`"ignored":0`, `"ignored":1`},
		{`"formats":["lcov"]`, `"formats":[]`},
		{`"formats":["lcov"]`, `"formats":["lcov","jacoco"]`},
		{`"sources":1`, `"sources":1,"mixed":2,"mixed_names":["a","b"]`},
		{`"sources":1`, `"sources":1,"mixed":1`},
		{`"sources":1`, `"sources":1,"mixed":1,"mixed_names":["a"]`},
		{`"total":10`, `"total":4611686018427387904`},
	} {
		changed := strings.Replace(good, c[0], c[1], 1)
		if f := k.Judge(json.RawMessage(params), json.RawMessage(changed)); changed == good || f.State == Verified {
			t.Errorf("%s for %s: %+v", c[1], c[0], f)
		}
	}
	if f := k.Judge(json.RawMessage(`{"min_percent":80}`), json.RawMessage(good)); f.Code != CodeInputFacts {
		t.Errorf("changed lines that nobody asked for: %+v", f)
	}
}

func TestPercent(t *testing.T) {
	for text, want := range map[string]int{"80": 8000, "80.5": 8050, "0.01": 1, "99.99": 9999, "100": 10000, "100.00": 10000} {
		var p percent
		if err := json.Unmarshal([]byte(text), &p); err != nil || int(p) != want {
			t.Errorf("%s is %d: %v", text, p, err)
		}
	}
	for _, text := range []string{"0", "0.001", "100.01", "101", "-1", "1e2", `"80"`, "null", "80.", "true", "0.00", "255.99"} {
		var p percent
		if err := p.UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%s is %d", text, p)
		}
	}
	if got := []string{percent(8000).String(), percent(8005).String(), percent(9999).String()}; !slices.Equal(got, []string{"80 %", "80.05 %", "99.99 %"}) {
		t.Errorf("written %v", got)
	}
}
