package testresult

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// oracleObject reads a document with encoding/json. ok says that it is one object that encoding/json takes, in
// UTF-8, without a member twice.
func oracleObject(data []byte) (doc map[string]any, ok bool) {
	if !utf8.Valid(data) || !json.Valid(data) || hasTwice(data) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	doc, ok = v.(map[string]any)
	return doc, ok
}

// hasTwice reports whether an object of a valid document has one member twice.
func hasTwice(data []byte) bool {
	type frame struct {
		object, name bool
		seen         map[string]bool
	}
	var stack []frame
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for {
		tok, err := d.Token()
		if err != nil {
			return false
		}
		if len(stack) > 0 && stack[len(stack)-1].object && tok != json.Delim('}') {
			f := &stack[len(stack)-1]
			if f.name = !f.name; f.name {
				name, _ := tok.(string)
				if f.seen[name] {
					return true
				}
				f.seen[name] = true
				continue
			}
		}
		switch tok {
		case json.Delim('{'):
			stack = append(stack, frame{object: true, seen: map[string]bool{}})
		case json.Delim('['):
			stack = append(stack, frame{})
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:len(stack)-1]
		}
	}
}

// The shapes of values, for whatever a document holds where one is expected.
func object(v any) map[string]any { m, _ := v.(map[string]any); return m }
func list(v any) []any            { l, _ := v.([]any); return l }
func word(v any) string           { s, _ := v.(string); return s }

func truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case json.Number:
		return v != "0" && v != "-0" && (v[0] == '-' || strings.Trim(string(v), "0") != "")
	}
	return true
}

// above1 reports whether a value is a whole number over 1.
func above1(v any) bool {
	n, ok := v.(json.Number)
	if !ok || len(n) > 12 {
		return false
	}
	i, err := n.Int64()
	return err == nil && i > 1
}

func oracleCTRF(doc map[string]any) (n Counts) {
	for _, v := range list(object(doc["results"])["tests"]) {
		test := object(v)
		switch word(test["status"]) {
		case "passed":
			if truthy(test["flaky"]) || truthy(test["retries"]) {
				n.add(Flaky)
			} else {
				n.add(Passed)
			}
		case "failed":
			n.add(Failed)
		case "skipped", "pending":
			n.add(Skipped)
		case "other":
			if raw := word(test["rawStatus"]); slices.Contains([]string{"todo", "pending", "skipped", "disabled", "focused", "xfail", "xfailed"}, raw) {
				n.add(Aside)
				continue
			}
			n.add(Other)
		default:
			n.add(Other)
		}
	}
	return n
}

func oracleJest(doc map[string]any) (n Counts) {
	for _, file := range list(doc["testResults"]) {
		for _, v := range list(object(file)["assertionResults"]) {
			test := object(v)
			st := map[string]Status{"passed": Passed, "failed": Failed, "skipped": Skipped, "disabled": Skipped, "focused": Skipped, "pending": Skipped, "todo": Todo}[word(test["status"])]
			if st == Passed && (above1(test["invocations"]) || len(list(test["retryReasons"])) > 0 || len(list(test["failureMessages"])) > 0) {
				st = Flaky
			}
			if st == NoStatus {
				st = Other
			}
			n.add(st)
		}
	}
	return n
}

func oracleMocha(doc map[string]any) (n Counts) {
	for name, st := range map[string]Status{"passes": Passed, "pending": Skipped, "failures": Failed} {
		for _, v := range list(doc[name]) {
			test, isTest := v.(map[string]any)
			got := st
			switch title := word(test["title"]); {
			case st == Failed:
				for _, hook := range []string{`"before all" hook`, `"before each" hook`, `"after all" hook`, `"after each" hook`} {
					if rest, ok := strings.CutPrefix(title, hook); ok && (rest == "" || strings.ContainsAny(rest[:1], ": \t\r\n")) {
						got = Errored
					}
				}
			case !isTest:
				got = Other
			case st == Passed && truthy(test["currentRetry"]):
				got = Flaky
			}
			n.add(got)
		}
	}
	return n
}

func oraclePytest(doc map[string]any) (n Counts) {
	for _, c := range list(doc["collectors"]) {
		if word(object(c)["outcome"]) == "failed" {
			n.Errors++
			n.Stray++
		}
	}
	for _, v := range list(doc["tests"]) {
		n.add(oraclePhases(object(v)))
	}
	return n
}

func oraclePhases(test map[string]any) Status {
	there, broken := 0, false
	for _, name := range []string{"setup", "call", "teardown"} {
		if p, ok := test[name].(map[string]any); ok {
			there++
			broken = broken || name != "call" && word(p["outcome"]) == "failed"
		}
	}
	call := word(object(test["call"])["outcome"])
	outcome := word(test["outcome"])
	switch outcome {
	case "failed", "subtests failed":
		return Failed
	case "error":
		return Errored
	case "passed", "xpassed", "subtests passed", "rerun", "skipped", "subtests skipped", "xfailed":
	default:
		return Other
	}
	skipped := outcome == "skipped" || outcome == "subtests skipped"
	switch {
	case outcome == "rerun" && call != "passed":
		return Unfinished
	case skipped && broken, outcome == "xfailed" && broken:
		return Errored
	case outcome == "xfailed":
		return Todo
	case call == "failed":
		return Failed
	case skipped:
		return Skipped
	case broken:
		return Errored
	case there == 1 || there == 2:
		return Unfinished
	case outcome == "rerun":
		return Flaky
	}
	return Passed
}

// FuzzJSON holds the readers to encoding/json: they refuse what it refuses, what is no UTF-8, what has a member
// twice, and nothing else; of the rest they count the tests as it reads them, until a limit.
func FuzzJSON(f *testing.F) {
	seeds := 0
	for _, path := range jsonFixtures(f) {
		if data := mustRead(f, path); len(data) < 8<<10 {
			f.Add(data)
			seeds++
		}
	}
	if seeds < 5*len(jsonFormats) {
		f.Fatalf("only %d seeds", seeds)
	}
	oracles := map[string]func(map[string]any) Counts{"ctrf": oracleCTRF, "jest": oracleJest, "mocha": oracleMocha, "pytest-json": oraclePytest, "vitest": oracleJest}
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.HasPrefix(data, []byte(byteOrderMark)) || bytes.HasPrefix(data, []byte("\x1f\x8b")) || bytes.IndexByte(data, 0) >= 0 {
			return // marks, UTF-16 and gzip are not encoding/json's
		}
		doc, ok := oracleObject(data)
		for format, count := range oracles {
			var visited Counts
			res := Read(bytes.NewReader(data), format, Limits{}, func(c *Case) { visited.add(c.Status) })
			checkBest(t, format, res)
			if visited != res.Counts.ofTests() {
				t.Errorf("%s: visited %+v, counted %+v", format, visited, res.Counts)
			}
			limited := slices.ContainsFunc(res.Notes, func(n Note) bool { return n.Code == NoteTooDeep || n.Code == NoteOverLimit })
			switch {
			case limited:
			case ok != (res.Conclusion != Invalid):
				t.Errorf("%s: %s %v, encoding/json takes it: %v", format, res.Conclusion, res.Notes, ok)
			case ok:
				if want := count(doc); res.Counts != want {
					t.Errorf("%s: counts %+v, encoding/json %+v", format, res.Counts, want)
				}
			}
		}
	})
}
