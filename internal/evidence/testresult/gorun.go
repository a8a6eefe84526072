package testresult

import (
	"bytes"
	"slices"
	"strings"
)

// action is what an event says happened. The zero value is no known action and keeps a file from passing.
type action uint8

const (
	actUnknown action = iota
	actStart
	actRun
	actPass
	actFail
	actSkip
	actBench
	actOutput
	actOther // pause, cont, attributes' kin: known, and no end of anything
	actAttr
	actBuildOutput
	actBuildFail
)

// goAction reads an action (cmd/test2json; go help buildjson). Case matters.
func goAction(b []byte) action {
	switch string(b) {
	case "output":
		return actOutput
	case "run":
		return actRun
	case "pass":
		return actPass
	case "fail":
		return actFail
	case "skip":
		return actSkip
	case "start":
		return actStart
	case "pause", "cont", "artifacts":
		return actOther
	case "bench":
		return actBench
	case "attr":
		return actAttr
	case "build-output":
		return actBuildOutput
	case "build-fail":
		return actBuildFail
	}
	return actUnknown
}

// The bounds of what is kept of a run: what has begun and not ended.
const (
	maxOpenTests  = 1 << 16
	maxOpenNames  = 8 << 20 // bytes of names and messages of what is open
	messageOpened = 64      // bytes, the first guess at a message's length
)

// goTest is a test that has begun and not ended.
type goTest struct {
	name    string
	order   int // of its beginning
	runs    int // beginnings without an end
	message []byte
	result  bool // a benchmark has printed a result
}

// goPackage is a package that has begun and not ended.
type goPackage struct {
	name   string
	tests  map[string]*goTest
	last   *goTest // the test that the last event was about
	failed int     // tests that failed in it
	ended  goEnd   // how its binary and go test say that it ended
}

// goRun follows one stream of events.
type goRun struct {
	t        *tally
	packages map[string]*goPackage
	last     *goPackage // the package that the last event was about
	order    int
	open     int // tests
	held     int // bytes
	full     bool
	pkg      []byte // scratch for escaped names
	test     []byte
	text     []byte
	c        Case // handed to the visitor, one after the other
}

// event takes one event and says what is wrong with it, "" if nothing is.
func (g *goRun) event(a action, ev *goEvent) string {
	pkg, ok := g.name(ev, evPackage, &g.pkg)
	if !ok {
		return "a package name that is none"
	}
	test, ok := g.name(ev, evTest, &g.test)
	if !ok {
		return "a test name that is none"
	}
	switch a {
	case actUnknown:
		return "an unknown action"
	case actBuildOutput:
		return ""
	case actBuildFail:
		path, _ := g.name(ev, evImportPath, &g.pkg)
		g.t.res.ProcessFailure = true
		g.t.note(NoteBuildFailed, string(path), 0)
		return ""
	}
	p := g.openPackage(pkg)
	if p == nil {
		return ""
	}
	if len(test) == 0 {
		g.packageEvent(p, a, ev)
		return ""
	}
	g.testEvent(p, test, a, ev)
	return ""
}

// name returns a member's text. A name has no control characters and is not over the limit.
func (g *goRun) name(ev *goEvent, id uint8, scratch *[]byte) ([]byte, bool) {
	v := ev.get(id)
	if v.escaped {
		*scratch = appendUnescaped((*scratch)[:0], v.raw)
		v.raw = *scratch
		for _, b := range v.raw {
			if b < ' ' || b == 0x7F {
				return nil, false
			}
		}
	}
	return v.raw, len(v.raw) <= g.t.lim.MaxName
}

// openPackage returns the open package of a name, opening it, or nil if too much is open.
func (g *goRun) openPackage(name []byte) *goPackage {
	if p := g.last; p != nil && p.name == string(name) {
		return p
	}
	p := g.packages[string(name)]
	if p == nil {
		if len(g.packages) >= maxOpenTests || g.held > maxOpenNames {
			g.overLimit()
			return nil
		}
		p = &goPackage{name: string(name), tests: map[string]*goTest{}}
		g.packages[p.name] = p
		g.held += len(p.name)
	}
	g.last = p
	return p
}

func (g *goRun) overLimit() {
	if !g.full {
		g.full = true
		g.t.doubt = true
		g.t.note(NoteOverLimit, "more packages and tests open at once than the limit", 0)
	}
}

func (g *goRun) packageEvent(p *goPackage, a action, ev *goEvent) {
	switch a {
	case actPass, actSkip, actBench:
		g.closePackage(p, true)
	case actFail:
		g.t.failed = true
		if unfinished := g.closePackage(p, false); unfinished == 0 && p.failed == 0 || p.ended.early() {
			g.t.res.ProcessFailure = true
			g.t.note(NotePackageFailed, p.name, 0)
		}
	case actOutput:
		g.packageOutput(p, ev.get(evOutput))
	case actUnknown, actStart, actRun, actOther, actAttr, actBuildOutput, actBuildFail:
	}
}

// packageOutput looks for the line by which go test says that a package's results come from its cache.
func (g *goRun) packageOutput(p *goPackage, out eventText) {
	rest, ok := bytes.CutPrefix(out.raw, []byte(`ok  \t`))
	if !ok {
		p.ended.hear(out.raw)
		g.timedOut(p, out)
		return
	}
	g.text = appendUnescaped(g.text[:0], rest)
	fields := strings.SplitN(strings.TrimRight(string(cutAt(g.text, maxDetail+len(p.name))), "\r\n"), "\t", 3)
	if len(fields) < 2 || fields[0] != p.name && p.name != "" {
		return
	}
	if state, _, _ := strings.Cut(fields[1], " "); state == "(cached)" {
		g.t.res.CachedN++
		if len(g.t.res.Cached) < maxCached {
			g.t.res.Cached = append(g.t.res.Cached, fields[0])
		}
		if g.t.res.CachedN == 1 {
			g.t.note(NoteCached, fields[0], 0)
		}
	}
}

func (g *goRun) timedOut(p *goPackage, out eventText) {
	if bytes.HasPrefix(out.raw, []byte("panic: test timed out after ")) {
		g.t.note(NoteTimeout, p.name, 0)
	}
}

func (g *goRun) testEvent(p *goPackage, name []byte, a action, ev *goEvent) {
	switch a {
	case actRun:
		if tt := g.openTest(p, name); tt != nil {
			tt.runs++
		}
	case actPass, actBench:
		g.closeTest(p, name, Passed)
	case actFail:
		p.failed++
		g.closeTest(p, name, Failed)
	case actSkip:
		g.closeTest(p, name, Skipped)
	case actOutput:
		g.testOutput(p, name, ev.get(evOutput))
	case actAttr:
		g.text = appendUnescaped(g.text[:0], ev.get(evKey).raw)
		g.t.property(g.text, appendUnescaped(nil, ev.get(evValue).raw))
	case actUnknown, actStart, actOther, actBuildOutput, actBuildFail:
	}
}

// find returns an open test, nil if there is none of that name.
func (p *goPackage) find(name []byte) *goTest {
	if tt := p.last; tt != nil && tt.name == string(name) {
		return tt
	}
	tt := p.tests[string(name)]
	if tt != nil {
		p.last = tt
	}
	return tt
}

func (g *goRun) openTest(p *goPackage, name []byte) *goTest {
	if tt := p.find(name); tt != nil {
		return tt
	}
	if g.open >= maxOpenTests || g.held > maxOpenNames {
		g.overLimit()
		return nil
	}
	g.order++
	g.open++
	g.held += len(name)
	tt := &goTest{name: string(name), order: g.order}
	p.tests[tt.name] = tt
	p.last = tt
	return tt
}

// closeTest records how one run of a test ended. A test whose beginning is not in the stream counts too.
func (g *goRun) closeTest(p *goPackage, name []byte, st Status) {
	tt := p.find(name)
	if tt == nil {
		if g.t.visit == nil {
			g.t.record(st, nil)
			return
		}
		g.record(p, &goTest{name: string(name)}, st)
		return
	}
	g.record(p, tt, st)
	if tt.runs--; tt.runs <= 0 {
		g.forget(p, tt)
	}
}

func (g *goRun) forget(p *goPackage, tt *goTest) {
	delete(p.tests, tt.name)
	if p.last == tt {
		p.last = nil
	}
	g.open--
	g.held -= len(tt.name) + len(tt.message)
}

func (g *goRun) record(p *goPackage, tt *goTest, st Status) {
	if g.t.visit == nil {
		g.t.record(st, nil)
		return
	}
	c := &g.c
	*c = Case{ID: tt.name, Key: p.name + keySeparator + tt.name, Name: tt.name, Status: st}
	if p.name != "" {
		c.ID = p.name + "." + tt.name
	}
	if st == Failed || st == Unfinished {
		c.Message = string(tt.message)
	}
	g.t.record(st, c)
}

// closePackage ends a package and returns how many of its tests had not ended. A benchmark that passes and
// logs nothing has no event that says so: it passed if its package did or if it printed a result.
func (g *goRun) closePackage(p *goPackage, passed bool) (unfinished int) {
	for _, tt := range p.inOrder() {
		st := Unfinished
		if isBenchmark(tt.name) && (passed || p.hasResult(tt.name)) {
			st = Passed
		} else {
			unfinished++
			g.t.failed = true
			g.t.note(NoteUnfinished, p.name+"."+tt.name, 0)
		}
		for ; tt.runs > 0; tt.runs-- {
			g.record(p, tt, st)
		}
		g.forget(p, tt)
	}
	delete(g.packages, p.name)
	g.held -= len(p.name)
	if g.last == p {
		g.last = nil
	}
	return unfinished
}

func (p *goPackage) inOrder() []*goTest {
	tests := make([]*goTest, 0, len(p.tests))
	for _, tt := range p.tests {
		tests = append(tests, tt)
	}
	slices.SortFunc(tests, func(a, b *goTest) int { return a.order - b.order })
	return tests
}

// finish records what has begun and never ended: the stream was cut off, or a binary was killed.
func (g *goRun) finish() {
	if len(g.packages) == 0 {
		return
	}
	names := make([]string, 0, len(g.packages))
	for name := range g.packages {
		names = append(names, name)
	}
	slices.Sort(names)
	g.t.doubt = true
	for _, name := range names {
		p := g.packages[name]
		g.t.note(NoteNoTerminalEvent, name, 0)
		for _, tt := range p.inOrder() {
			for ; tt.runs > 0; tt.runs-- {
				g.record(p, tt, Unfinished)
			}
		}
	}
}
