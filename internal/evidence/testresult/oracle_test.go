package testresult

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// oracleCase is what the reference reader keeps of an open test case.
type oracleCase struct {
	open, failed, errored, skipped, todo, flaky, rerun bool
	status                                             []Status
}

// oracleJUnit counts a document with encoding/xml: an independent reading of the same rules. It returns the
// error by which encoding/xml refuses a document.
func oracleJUnit(data []byte) (Counts, error) {
	var n Counts
	d := xml.NewDecoder(bytes.NewReader(data))
	var c oracleCase
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			kind := ""
			var status []Status
			for _, a := range tok.Attr {
				if a.Name.Space != "" {
					continue
				}
				switch a.Name.Local {
				case "type":
					kind = strings.ToLower(a.Value)
				case "status", "result":
					status = append(status, attrStatus([]byte(a.Value)))
				}
			}
			switch tok.Name.Local {
			case "testcase":
				c = oracleCase{open: true, status: status}
			case "failure":
				c.failed = true
			case "error":
				c.errored = true
			case "skipped", "disabled", "ignored":
				c.skipped = true
				c.todo = c.todo || kind == "todo" || kind == "xfail" || kind == "pytest.xfail" || kind == "expectedfailure"
			case "flakyFailure", "flakyError":
				c.flaky = true
			case "rerunFailure", "rerunError":
				c.rerun = true
			}
		case xml.EndElement:
			if tok.Name.Local == "testcase" {
				n.add(c.end())
				c = oracleCase{}
			}
		}
	}
}

func (c *oracleCase) end() Status {
	has := func(want Status) bool {
		for _, st := range c.status {
			if st == want {
				return true
			}
		}
		return false
	}
	if c.todo {
		return Todo
	}
	if c.errored || !c.failed && has(Errored) {
		return Errored
	}
	if c.failed || has(Failed) {
		return Failed
	}
	if c.skipped {
		return Skipped
	}
	for _, st := range []Status{Unfinished, Todo, Skipped} {
		if has(st) {
			return st
		}
	}
	if c.rerun && !c.flaky {
		return Failed
	}
	if c.flaky || has(Flaky) {
		return Flaky
	}
	return Passed
}

// oracleEvent is an event as encoding/json sees it.
type oracleEvent struct {
	Time, Action, Package, ImportPath, Test, Output, FailedBuild, Key, Value, Path, OutputType string
	Elapsed                                                                                    float64
}

// oracleRun follows events with plain maps.
type oracleRun struct {
	n       Counts
	open    map[string]map[string]int
	results map[string]bool // benchmarks that printed a result, and what they are parts of
}

func (r *oracleRun) event(e *oracleEvent) {
	switch e.Action {
	case "start", "run", "pass", "fail", "skip", "bench", "output", "pause", "cont", "attr", "artifacts":
	default:
		return
	}
	if r.open[e.Package] == nil {
		r.open[e.Package] = map[string]int{}
	}
	tests := r.open[e.Package]
	if e.Test == "" {
		switch e.Action {
		case "pass", "skip", "bench", "fail":
			r.end(e.Package, tests, e.Action != "fail")
			delete(r.open, e.Package)
		}
		return
	}
	st := NoStatus
	switch e.Action {
	case "run":
		tests[e.Test]++
	case "output":
		if parts := strings.Split(e.Test, "/"); strings.Contains(e.Output, " ns/op") && isBenchmark(e.Test) && tests[e.Test] > 0 {
			for i := range parts {
				r.results[e.Package+" "+strings.Join(parts[:i+1], "/")] = true
			}
		}
	case "pass", "bench":
		st = Passed
	case "fail":
		st = Failed
	case "skip":
		st = Skipped
	}
	if st == NoStatus {
		return
	}
	r.n.add(st)
	if tests[e.Test] > 1 {
		tests[e.Test]--
	} else {
		delete(tests, e.Test)
	}
}

func (r *oracleRun) end(pkg string, tests map[string]int, passed bool) {
	for name, runs := range tests {
		for range runs {
			if isBenchmark(name) && (passed || r.results[pkg+" "+name]) {
				r.n.add(Passed)
			} else {
				r.n.add(Unfinished)
			}
		}
	}
}

// oracleGoJSON counts a stream of JSON objects with encoding/json, and returns the error by which encoding/json
// refuses it. Clean says that the stream has nothing that is refused on purpose though encoding/json reads it.
func oracleGoJSON(data []byte) (n Counts, clean bool, err error) {
	r := oracleRun{open: map[string]map[string]int{}, results: map[string]bool{}}
	clean = utf8.Valid(data)
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		var raw json.RawMessage
		if err := d.Decode(&raw); err == io.EOF {
			break
		} else if err != nil {
			return r.n, false, err
		}
		var e oracleEvent
		members, plain := plainMembers(raw)
		if err := json.Unmarshal(raw, &e); err != nil || !plain || !isClean(members, &e) {
			clean = false
			continue
		}
		r.event(&e)
	}
	for _, tests := range r.open {
		for _, runs := range tests {
			for range runs {
				r.n.add(Unfinished)
			}
		}
	}
	return r.n, clean, nil
}

// plainMembers returns the member names of an object, and whether it is an object within the reader's bounds.
func plainMembers(raw []byte) ([]string, bool) {
	if len(raw) == 0 || raw[0] != '{' || bytes.Count(raw, []byte("{"))+bytes.Count(raw, []byte("[")) > maxEventDepth {
		return nil, false
	}
	var names []string
	d := json.NewDecoder(bytes.NewReader(raw))
	depth, name := 0, false
	for {
		tok, err := d.Token()
		if err != nil {
			return names, len(names) <= maxEventKeys
		}
		switch tok := tok.(type) {
		case json.Delim:
			if tok == '{' || tok == '[' {
				depth++
			} else {
				depth--
			}
			name = depth == 1
		case string:
			if name {
				names = append(names, tok)
			}
			name = depth == 1 && !name
		default:
			name = depth == 1
		}
	}
}

// isClean reports whether an object is an event that every decoder reads alike, or clearly none.
func isClean(names []string, e *oracleEvent) bool {
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] || eventMember([]byte(name)) == 0 && isEventVariant([]byte(name)) {
			return false
		}
		seen[name] = true
	}
	for _, text := range []string{e.Package, e.Test, e.ImportPath} {
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7F }) {
			return false
		}
	}
	return goAction([]byte(e.Action)) != actUnknown
}
