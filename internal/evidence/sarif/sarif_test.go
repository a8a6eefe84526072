package sarif

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"
)

// doc puts members of a run into a log.
func doc(members string) string {
	return `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{` + members + `}]}`
}

const tool = `"tool":{"driver":{"name":"lint","rules":[
	{"id":"E1","guid":"g-1","defaultConfiguration":{"level":"error"}},{"id":"N1","defaultConfiguration":{"level":"note"}},
	{"id":"P1","defaultConfiguration":{"level":"none"}},{"id":"W1"}]},
	"extensions":[{"name":"more","guid":"g-x","rules":[{"id":"X1","defaultConfiguration":{"level":"error"}},{"id":"W1","defaultConfiguration":{"level":"note"}}]}]}`

// counted runs a list of results through a run with the tool.
func counted(results string) string { return doc(tool + `,"results":[` + results + `]`) }

// short is what a log comes to, in one line.
func short(l *Log) string {
	c := l.Counts
	text := fmt.Sprintf("e%d w%d n%d", c.Errors, c.Warnings, c.Notes)
	for _, x := range []struct {
		name string
		n    int
	}{{"passing", c.Passing}, {"suppressed", c.Suppressed}, {"unchanged", c.Unchanged}, {"absent", c.Absent}, {"notified", l.Notified}, {"hindered", l.Hindered}, {"without", l.Without}} {
		if x.n > 0 {
			text += fmt.Sprintf(" %s%d", x.name, x.n)
		}
	}
	if l.Problem != "" {
		text += " " + l.Problem
	}
	return text
}

func TestCounts(t *testing.T) {
	late := func(results, invocations string) string {
		return doc(`"results":[` + results + `],"invocations":[` + invocations + `],` + tool)
	}
	for name, tc := range map[string]struct{ text, want string }{
		"none":                     {counted(``), "e0 w0 n0"},
		"own levels":               {counted(`{"level":"error"},{"level":"warning"},{"level":"note"},{"level":"none"}`), "e1 w1 n1 passing1"},
		"no level, no rule":        {counted(`{"message":{"text":"m"}}`), "e0 w1 n0"},
		"null level":               {counted(`{"level":null,"ruleId":"E1"}`), "e1 w0 n0"},
		"by id":                    {counted(`{"ruleId":"E1"},{"ruleId":"N1"},{"ruleId":"P1"},{"ruleId":"W1"},{"ruleId":"?"}`), "e1 w2 n1 passing1"},
		"by index":                 {counted(`{"ruleIndex":0},{"ruleId":"N1","ruleIndex":1},{"ruleIndex":99},{"ruleIndex":-1,"ruleId":"E1"}`), "e2 w1 n1"},
		"index of another rule":    {counted(`{"ruleId":"E1","ruleIndex":1}`), "e1 w0 n0"},
		"a sub-rule":               {counted(`{"ruleId":"E1/a/b"},{"ruleId":"E1/a","ruleIndex":0},{"ruleId":"E12"}`), "e2 w1 n0"},
		"rule object":              {counted(`{"rule":{"id":"E1"}},{"rule":{"index":1}},{"rule":{"guid":"g-1"}},{"ruleId":"N1","rule":{}}`), "e2 w0 n2"},
		"extension by index":       {counted(`{"ruleId":"X1","rule":{"index":0,"toolComponent":{"index":0}}}`), "e1 w0 n0"},
		"extension by name":        {counted(`{"rule":{"id":"W1","toolComponent":{"name":"more"}}},{"rule":{"id":"W1","toolComponent":{"guid":"g-x"}}},{"rule":{"id":"W1"}}`), "e0 w1 n2"},
		"same rule many times":     {counted(strings.Repeat(`{"ruleId":"E1"},`, 400) + `{"ruleId":"E1"}`), "e401 w0 n0"},
		"rules after results":      {late(`{"ruleId":"E1"}`, `{"executionSuccessful":true}`), "e1 w0 n0"},
		"kinds":                    {counted(`{"kind":"pass"},{"kind":"open"},{"kind":"review","ruleId":"E1"},{"kind":"notApplicable"},{"kind":"informational"},{"kind":"fail","ruleId":"E1"}`), "e1 w0 n0 passing5"},
		"a kind against its level": {counted(`{"kind":"pass","level":"error"}`), "e1 w0 n0"},
		"suppressed":               {counted(`{"level":"error","suppressions":[{"kind":"inSource"}]},{"level":"error","suppressions":[{"kind":"external","status":"accepted"}]}`), "e0 w0 n0 suppressed2"},
		"not suppressed":           {counted(`{"level":"error","suppressions":[]},{"level":"error","suppressions":null},{"level":"error","suppressions":[{"status":"rejected"}]},{"level":"error","suppressions":[{"status":"underReview"}]},{"level":"error","suppressions":[{"status":"accepted"},{"status":"rejected"}]}`), "e5 w0 n0"},
		"suppressed by its rule":   {counted(`{"ruleId":"E1","suppressions":[{"kind":"inSource"}]},{"ruleId":"P1","suppressions":[{"kind":"inSource"}]}`), "e0 w0 n0 passing1 suppressed1"},
		"baseline":                 {counted(`{"level":"error","baselineState":"absent"},{"level":"error","baselineState":"new"},{"level":"note","baselineState":"updated"},{"level":"warning","baselineState":"unchanged"},{"ruleId":"E1","baselineState":"unchanged"}`), "e1 w0 n1 unchanged2 absent1"},
		"override":                 {late(`{"ruleId":"N1","provenance":{"invocationIndex":0}},{"ruleId":"N1"},{"ruleId":"E1","provenance":{"invocationIndex":7}}`, `{"executionSuccessful":true,"ruleConfigurationOverrides":[{"descriptor":{"id":"N1"},"configuration":{"level":"error"}}]}`), "e2 w0 n1"},
		"override of another":      {late(`{"ruleId":"N1","provenance":{"invocationIndex":0}}`, `{"executionSuccessful":true,"ruleConfigurationOverrides":[{"descriptor":{"id":"W1"},"configuration":{"level":"error"}}]}`), "e0 w0 n1"},
		"notifications":            {late(``, `{"executionSuccessful":true,"toolExecutionNotifications":[{"level":"error"},{"level":"note"},{}],"toolConfigurationNotifications":[{"level":"error"}]}`), "e0 w0 n0 notified2 hindered1"},
		"ended by a signal":        {late(``, `{"executionSuccessful":true,"exitSignalName":"SIGSEGV"}`), "e0 w0 n0 execution-failed"},
		"by a number":              {late(``, `{"executionSuccessful":true,"exitSignalNumber":9}`), "e0 w0 n0 execution-failed"},
		"not started":              {late(``, `{"executionSuccessful":true,"processStartFailureMessage":"no such file"}`), "e0 w0 n0 execution-failed"},
		"nothing of the kind":      {late(``, `{"executionSuccessful":true,"exitSignalName":null,"exitSignalNumber":0,"processStartFailureMessage":"","exitCode":1}`), "e0 w0 n0"},
		"component not there":      {counted(`{"rule":{"index":0,"toolComponent":{"index":7}}},{"rule":{"index":1,"toolComponent":{"name":"gone"}}},{"rule":{"index":2,"toolComponent":{"guid":"gone"}}}`), "e0 w3 n0"},
		"rule of one not there":    {counted(`{"rule":{"id":"X1","toolComponent":{"index":7}}},{"rule":{"id":"N1","toolComponent":{"name":"gone"}}},{"ruleId":"P1","rule":{"toolComponent":{"guid":"gone"}}}`), "e1 w2 n0"},
		"the driver by name":       {counted(`{"rule":{"id":"N1","toolComponent":{"name":"lint"}}}`), "e0 w0 n1"},
		"failed":                   {late(`{"level":"error"}`, `{"executionSuccessful":true},{"executionSuccessful":false}`), "e1 w0 n0 execution-failed"},
		"does not say":             {late(``, `{"exitCode":0}`), "e0 w0 n0 execution-failed"},
		"says it in words":         {late(``, `{"executionSuccessful":"true"}`), "e0 w0 n0 execution-failed"},
		"results null":             {doc(tool + `,"results":null`), "e0 w0 n0 no-results"},
		"results absent":           {doc(tool), "e0 w0 n0 no-results"},
		"null and succeeded":       {doc(tool + `,"results":null,"invocations":[{"executionSuccessful":true}]`), "e0 w0 n0 without1"},
		"absent and failed":        {doc(tool + `,"invocations":[{"executionSuccessful":true},{"executionSuccessful":false}]`), "e0 w0 n0 execution-failed"},
		"no runs":                  {`{"version":"2.1.0","runs":[]}`, "e0 w0 n0 no-results"},
		"runs null":                {`{"version":"2.1.0","runs":null}`, "e0 w0 n0 no-results"},
		"several runs":             {`{"runs":[{` + tool + `,"results":[{"ruleId":"E1"}]},{"tool":{"driver":{"name":"b"}},"results":[{"ruleId":"E1"}]}],"version":"2.1.0"}`, "e1 w1 n0"},
		"one of them without":      {`{"runs":[{` + tool + `,"results":[{"ruleId":"E1"}]},{"tool":{"driver":{"name":"b"}}}],"version":"2.1.0"}`, "e1 w0 n0 no-results"},
		"results elsewhere":        {doc(tool + `,"results":[],"externalPropertyFileReferences":{"results":[{"location":{"uri":"r.json"}}]}`), "e0 w0 n0 elsewhere"},
		"rules elsewhere":          {doc(tool + `,"results":[],"externalPropertyFileReferences":{"driver":{"location":{"uri":"r.json"}}}`), "e0 w0 n0 elsewhere"},
		"artifacts elsewhere":      {doc(tool + `,"results":[],"externalPropertyFileReferences":{"results":[],"artifacts":[{"guid":"1"}],"driver":null}`), "e0 w0 n0"},
		"inline":                   {`{"version":"2.1.0","inlineExternalProperties":[{"results":[{"level":"error"}]}],"runs":[{` + tool + `,"results":[]}]}`, "e0 w0 n0 elsewhere"},
		"other members":            {counted(`{"level":"note","properties":{"level":"error","results":[{"level":"error"}]},"codeFlows":[{"a":[1,2.5e9,true,null]}]}`), "e0 w0 n1"},
		"white space":              {counted(strings.Repeat(" \n", 10<<20) + `{"level":"error"}`), "e1 w0 n0"},
		"white space at a comma":   {counted(`{"level":"note"}` + strings.Repeat(" ", 17<<20) + `,{"level":"error"}`), "e1 w0 n1"},
		"white space in an object": {counted(`{"level" ` + strings.Repeat("\t", 17<<20) + `: "note"` + strings.Repeat("\r", 17<<20) + `, "message":{"text":"a  \"  b\\"}}`), "e0 w0 n1"},
		"byte order mark":          {"\ufeff" + counted(`{"level":"error"}`), "e1 w0 n0"},
	} {
		t.Run(name, func(t *testing.T) {
			l := Read(strings.NewReader(tc.text))
			if got := short(l); got != tc.want {
				t.Errorf("got %s, want %s (%s)", got, tc.want, l.Detail)
			}
			if unchanged := l.Baseline.Errors + l.Baseline.Warnings + l.Baseline.Notes; unchanged != l.Counts.Unchanged {
				t.Errorf("%d in the baseline, by level %d", l.Counts.Unchanged, unchanged)
			}
		})
	}
	for _, order := range []unicode.Endianness{unicode.LittleEndian, unicode.BigEndian} {
		for _, mark := range []unicode.BOMPolicy{unicode.UseBOM, unicode.IgnoreBOM} {
			text, err := unicode.UTF16(order, mark).NewEncoder().String(counted(`{"level":"error","message":{"text":"é"}}`))
			if err != nil {
				t.Fatal(err)
			}
			if l := Read(strings.NewReader(text)); short(l) != "e1 w0 n0" || l.Examples[0].Message != "é" {
				t.Errorf("UTF-16 gives %s %s", short(l), l.Detail)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for name, tc := range map[string]struct{ text, problem, says string }{
		"nothing":              {"", ProblemIncomplete, ""},
		"cut":                  {strings.TrimSuffix(counted(`{"level":"error"}`), "}"), ProblemIncomplete, ""},
		"cut in a text":        {`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"a`, ProblemIncomplete, ""},
		"a list":               {`[]`, ProblemInvalid, "object"},
		"null":                 {`null`, ProblemInvalid, "object"},
		"two documents":        {counted(``) + `{}`, ProblemInvalid, "more than one"},
		"no JSON":              {`<sarif/>`, ProblemInvalid, ""},
		"no version":           {`{"runs":[]}`, ProblemInvalid, "version"},
		"an old version":       {`{"version":"1.0.0","runs":[{"results":[{"level":"error"}]}]}`, ProblemOtherVersion, "1.0.0"},
		"a null version":       {`{"version":null,"runs":[]}`, ProblemOtherVersion, ""},
		"another schema":       {`{"$schema":"https://example.com/sarif-2.0.0.json","version":"2.1.0","runs":[]}`, ProblemOtherVersion, "2.0.0"},
		"results twice":        {doc(tool + `,"results":[{"level":"error"}],"results":[]`), ProblemInvalid, "results twice"},
		"level twice":          {counted(`{"level":"error","level":"note"}`), ProblemInvalid, "level twice"},
		"runs twice":           {`{"version":"2.1.0","runs":[{` + tool + `,"results":[{"level":"error"}]}],"runs":[]}`, ProblemInvalid, "runs twice"},
		"no tool":              {doc(`"results":[]`), ProblemInvalid, "tool"},
		"a null run":           {`{"version":"2.1.0","runs":[null]}`, ProblemInvalid, "tool"},
		"name in two cases":    {doc(tool + `,"results":[{"level":"error"}],"Results":[]`), ProblemInvalid, "results and Results, which differ in case"},
		"in an odd case":       {doc(tool + `,"resultſ":[],"results":[]`), ProblemInvalid, "differ in case"},
		"a null suppression":   {counted(`{"level":"error","suppressions":[null]}`), ProblemInvalid, "a suppression is null"},
		"a null rule":          {doc(`"tool":{"driver":{"name":"a","rules":[null]}},"results":[]`), ProblemInvalid, "a rule is null"},
		"a null extension":     {doc(`"tool":{"driver":{"name":"a"},"extensions":[null]},"results":[]`), ProblemInvalid, "component is null"},
		"a null notification":  {doc(tool + `,"results":[],"invocations":[{"executionSuccessful":true,"toolExecutionNotifications":[null]}]`), ProblemInvalid, "a notification is null"},
		"a null invocation":    {doc(tool + `,"results":[],"invocations":[null]`), ProblemInvalid, "an invocation is null"},
		"a null override":      {doc(tool + `,"results":[],"invocations":[{"executionSuccessful":true,"ruleConfigurationOverrides":[null]}]`), ProblemInvalid, "an override is null"},
		"a null location":      {counted(`{"locations":[null]}`), ProblemInvalid, "a location is null"},
		"a null result":        {counted(`null`), ProblemInvalid, "null"},
		"a result that is one": {counted(`1`), ProblemInvalid, "no object"},
		"results in an object": {doc(tool + `,"results":{}`), ProblemInvalid, "no list"},
		"unknown level":        {counted(`{"level":"fatal"}`), ProblemInvalid, "fatal"},
		"unknown kind":         {counted(`{"kind":"good"}`), ProblemInvalid, "good"},
		"unknown baseline":     {counted(`{"baselineState":"old"}`), ProblemInvalid, "old"},
		"unknown status":       {counted(`{"suppressions":[{"status":"yes"}]}`), ProblemInvalid, "yes"},
		"level is a number":    {counted(`{"level":1}`), ProblemInvalid, "no text"},
		"index is a text":      {counted(`{"ruleIndex":"0"}`), ProblemInvalid, "no index"},
		"index is broken":      {counted(`{"ruleIndex":0.5}`), ProblemInvalid, "no index"},
		"deep":                 {`{"version":"2.1.0","x":` + strings.Repeat("[", 1_000_000), ProblemOverLimit, "deeper"},
		"a long id":            {counted(`{"ruleId":"` + strings.Repeat("x", 2000) + `"}`), ProblemOverLimit, "ruleId"},
		"many members":         {counted(`{` + manyMembers() + `}`), ProblemOverLimit, "members"},
		"no UTF-8":             {counted(`{"message":{"text":"` + "\xff" + `"}}`), ProblemInvalid, "UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			l := Read(strings.NewReader(tc.text))
			if l.Problem != tc.problem || !strings.Contains(l.Detail, tc.says) || l.Counts != (Counts{}) {
				t.Errorf("got %s: %s", short(l), l.Detail)
			}
		})
	}
}

func manyMembers() string {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, `"m%d":1,`, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// endless is a text that does not end, between a beginning and never an end.
type endless struct {
	begin string
	n     int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.begin != "" {
		n := copy(p, e.begin)
		e.begin = e.begin[n:]
		return n, nil
	}
	if e.n <= 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.n)
	for i := range p[:n] {
		p[i] = 'x'
	}
	e.n -= n
	return n, nil
}

// TestLongText shows that a text of a gigabyte is given up after some MiB.
func TestLongText(t *testing.T) {
	src := &endless{begin: `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"a"}},"results":[{"message":{"text":"`, n: 1 << 30}
	l := Read(src)
	if l.Problem != ProblemOverLimit || src.n < 1<<29 {
		t.Errorf("got %s after %d bytes", l.Problem, 1<<30-src.n)
	}
}

func TestExamples(t *testing.T) {
	l := Read(strings.NewReader(counted(`{"level":"note","message":{"text":"n"}},
		{"ruleIndex":0,"message":{"markdown":"*e*"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.c"},"region":{"startLine":7}}},{"physicalLocation":{}}]},
		{"level":"warning","message":{"text":"` + strings.Repeat("é", 300) + `"},"locations":[{"physicalLocation":{"region":{"startLine":"x"}}}]}`)))
	if len(l.Examples) != 3 || l.Examples[0] != (Example{Level: Error, Rule: "E1", Message: "*e*", URI: "a.c", Line: 7}) || l.Examples[2].Level != Note {
		t.Errorf("got %+v", l.Examples)
	}
	if n := len(l.Examples[1].Message); n > maxText+4 || n < maxText-4 {
		t.Errorf("a message of %d bytes", n)
	}
	if kept := Read(strings.NewReader(counted(`{"message":{"text":"a  \"  b\\"}}`))); kept.Examples[0].Message != `a  "  b\` {
		t.Errorf("a message becomes %q", kept.Examples[0].Message)
	}
	if many := Read(strings.NewReader(counted(strings.Repeat(`{"level":"error"},`, 500) + `{"level":"error"}`))); len(many.Examples) != maxExamples {
		t.Errorf("%d examples", len(many.Examples))
	}
}
