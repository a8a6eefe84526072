package testresult

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
)

// oracleCase is what the reference reader keeps of an open test case.
type oracleCase struct {
	open, failure, failed, errored, skipped, todo, flaky, rerun bool
	status                                                      []Status
}

// oracleJUnit counts a document with encoding/xml: an independent reading of the same rules. It reports
// false for a document that encoding/xml refuses.
func oracleJUnit(data []byte) (Counts, bool) {
	var n Counts
	d := xml.NewDecoder(bytes.NewReader(data))
	var c oracleCase
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return n, true
		}
		if err != nil {
			return n, false
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
	if c.skipped || has(Skipped) {
		return Skipped
	}
	if c.flaky {
		return Flaky
	}
	if c.rerun {
		return Failed
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
	n    Counts
	open map[string]map[string]int
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
			r.end(tests, e.Action != "fail")
			delete(r.open, e.Package)
		}
		return
	}
	st := NoStatus
	switch e.Action {
	case "run":
		tests[e.Test]++
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

func (r *oracleRun) end(tests map[string]int, passed bool) {
	for name, runs := range tests {
		for range runs {
			if passed && isBenchmark(name) {
				r.n.add(Passed)
			} else {
				r.n.add(Unfinished)
			}
		}
	}
}

// oracleGoJSON counts a stream of JSON objects with encoding/json. It reports false for a stream that
// encoding/json refuses.
func oracleGoJSON(data []byte) (Counts, bool) {
	r := oracleRun{open: map[string]map[string]int{}}
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		var e oracleEvent
		err := d.Decode(&e)
		if err == io.EOF {
			break
		}
		if err != nil {
			return r.n, false
		}
		r.event(&e)
	}
	for _, tests := range r.open {
		r.end(tests, false)
	}
	return r.n, true
}
