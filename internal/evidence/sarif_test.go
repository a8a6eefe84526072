package evidence

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/evidence/sarif"
)

// analysed makes a document of a log with one run: its results, and other members of the run.
func analysed(name, results, members string) Document {
	return analysedText(name, `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"lint"}},"results":`+results+members+`}]}`)
}

func analysedText(name, text string) Document {
	return Document{Name: name, Readable: true, SARIF: sarif.Read(strings.NewReader(text))}
}

func TestSARIF(t *testing.T) {
	docs := func(list ...Document) Input { return Input{Documents: list} }
	const place = `"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.c"},"region":{"startLine":7}}}]`
	const failed = `,"invocations":[{"executionSuccessful":false}]`
	clean := analysed("clean", `[]`, `,"invocations":[{"executionSuccessful":true}]`)
	mixed := analysed("mixed", `[{"level":"error","ruleId":"E","message":{"text":"bad"},`+place+`},{"level":"warning","ruleId":"W"},{"level":"note"},{"level":"error","suppressions":[{"kind":"inSource"}]}]`, "")
	old := analysed("old", `[{"level":"error","baselineState":"unchanged"},{"level":"error","baselineState":"absent"},{"kind":"pass"}]`, "")
	bare := analysedText("bare", `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"lint"}},"invocations":[{"executionSuccessful":true}]}]}`)
	for name, tt := range map[string]struct {
		params string
		in     Input
		state  State
		code   string
		says   string
	}{
		"clean":                {`{}`, docs(clean), Verified, CodeSARIFPassed, "1 run: 0 errors, 0 warnings, 0 notes"},
		"no file":              {`{}`, docs(), Unverified, CodeInputNoFiles, ""},
		"an error":             {`{}`, docs(mixed), ValidatorFailed, CodeSARIFErrors, "1 error: a.c:7 E bad"},
		"an error that may be": {`{"max_errors": 1}`, docs(mixed), Verified, CodeSARIFPassed, "1 error, 1 warning, 1 note, 1 suppressed"},
		"two that may not":     {`{"max_errors": 1}`, docs(mixed, mixed), ValidatorFailed, CodeSARIFErrors, "2 errors (at most 1 may)"},
		"warnings":             {`{"max_errors": 1, "max_warnings": 0}`, docs(mixed), ValidatorFailed, CodeSARIFWarnings, "1 warning: W"},
		"notes":                {`{"max_errors": 1, "max_notes": 0}`, docs(mixed), ValidatorFailed, CodeSARIFNotes, "1 note"},
		"suppressed":           {`{"max_errors": 1, "max_suppressed": 0}`, docs(mixed), ValidatorFailed, CodeSARIFSuppressed, "1 result is suppressed"},
		"failed":               {`{}`, docs(analysed("f", `[]`, failed)), Unverified, CodeSARIFExecutionFailed, "f allows no conclusion: an invocation says that it failed"},
		"failed, and errors":   {`{}`, docs(analysed("f", `[{"level":"error"}]`, failed)), ValidatorFailed, CodeSARIFErrors, ""},
		"one of two failed":    {`{}`, docs(clean, analysed("f", `[]`, failed)), Unverified, CodeSARIFExecutionFailed, "1 of 2 files"},
		"errors beside one":    {`{}`, docs(Document{Name: "x"}, mixed), ValidatorFailed, CodeSARIFErrors, ""},
		"unreadable":           {`{}`, docs(Document{Name: "x"}), Unverified, CodeInputUnreadable, ""},
		"null results":         {`{}`, docs(analysed("n", `null`, "")), Unverified, CodeSARIFNoResults, "looked for nothing"},
		"left out":             {`{}`, docs(bare), Unverified, CodeSARIFNoResults, "says that it succeeded"},
		"left out, allowed":    {`{"allow_no_results": true}`, docs(bare), Verified, CodeSARIFPassed, ""},
		"null, not allowed":    {`{"allow_no_results": true}`, docs(analysed("n", `null`, "")), Unverified, CodeSARIFNoResults, ""},
		"no run":               {`{"allow_no_results": true}`, docs(analysedText("n", `{"version":"2.1.0","runs":[]}`)), Unverified, CodeSARIFNoResults, "no run"},
		"elsewhere":            {`{}`, docs(analysed("n", `[]`, `,"externalPropertyFileReferences":{"results":[{}]}`)), Unverified, CodeSARIFElsewhere, ""},
		"another version":      {`{}`, docs(analysedText("n", `{"version":"1.0.0","runs":[]}`)), Unverified, CodeSARIFVersion, "1.0.0"},
		"cut":                  {`{}`, docs(analysedText("n", `{"version":"2.1.0","runs":[{`)), Unverified, CodeSARIFIncomplete, ""},
		"malformed":            {`{}`, docs(analysedText("n", `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"lint"}},"results":[{"level":"fatal"}]}]}`)), Unverified, CodeSARIFInvalid, "fatal"},
		"over a limit":         {`{}`, docs(analysedText("n", strings.Repeat("[", 300)+`{"version":"2.1.0"}`), analysed("m", `[`+strings.Repeat(`{"x":`, 300), "")), Unverified, CodeSARIFInvalid, ""},
		"nested too deep":      {`{}`, docs(analysed("m", `[`+strings.Repeat(`{"x":`, 300), "")), Unverified, CodeSARIFOverLimit, "deeper"},
		"baseline counts":      {`{}`, docs(old), ValidatorFailed, CodeSARIFErrors, "1 error"},
		"new only":             {`{"new_only": true}`, docs(old), Verified, CodeSARIFPassed, "0 errors"},
		"notified":             {`{}`, docs(analysed("n", `[]`, `,"invocations":[{"executionSuccessful":true,"toolExecutionNotifications":[{"level":"error"}]}]`)), Unverified, CodeSARIFExecutionFailed, "1 error in its own work"},
		"notified, allowed":    {`{"max_notifications": 1}`, docs(analysed("n", `[]`, `,"invocations":[{"executionSuccessful":true,"toolExecutionNotifications":[{"level":"error"}]}]`)), Verified, CodeSARIFPassed, "1 error of its own"},
		"a bad configuration":  {`{}`, docs(analysed("n", `[]`, `,"invocations":[{"executionSuccessful":true,"toolConfigurationNotifications":[{"level":"error"}]}]`)), Verified, CodeSARIFPassed, "1 error of its own"},
		"notified, and errors": {`{}`, docs(analysed("n", `[{"level":"error"}]`, `,"invocations":[{"executionSuccessful":true,"toolExecutionNotifications":[{"level":"error"}]}]`)), ValidatorFailed, CodeSARIFErrors, "1 error"},
		"killed":               {`{}`, docs(analysed("n", `[]`, `,"invocations":[{"executionSuccessful":true,"exitSignalName":"SIGKILL"}]`)), Unverified, CodeSARIFExecutionFailed, "exitSignalName is SIGKILL"},
		"suppressed by null":   {`{}`, docs(analysed("n", `[{"level":"error","suppressions":[null]}]`, "")), Unverified, CodeSARIFInvalid, "a suppression is null"},
	} {
		t.Run(name, func(t *testing.T) {
			f, facts := observeAndJudge(t, "sarif", tt.params, tt.in)
			if f.State != tt.state || f.Code != tt.code || !strings.Contains(f.Detail, tt.says) {
				t.Errorf("got %+v, want %s %s %q\n%s", f, tt.state, tt.code, tt.says, facts)
			}
		})
	}
}

func TestSARIFContradictions(t *testing.T) {
	const good = `{"files":1,"runs":1,"results":3,"errors":0,"warnings":1,"notes":0,"passing":1,"suppressed":1,"unchanged":0,"absent":0,"notified":0,"hindered":0,"configuring":0,"troubles":0}`
	k, _ := KindByName("sarif")
	if f := k.Judge(json.RawMessage(`{}`), json.RawMessage(good)); f.State != Verified {
		t.Fatalf("%+v", f)
	}
	for _, c := range [][2]string{
		{`"results":3`, `"results":4`},
		{`"warnings":1`, `"warnings":0`},
		{`"runs":1`, `"runs":0`},
		{`"hindered":0`, `"hindered":1`},
		{`"notified":0,"hindered":0`, `"notified":1,"hindered":1`},
		{`"troubles":0`, `"troubles":1`},
		{`"passing":1`, `"passing":-1`},
		{`"unchanged":0,"absent":0`, `"unchanged":1,"absent":-1`},
		{`"results":3,"errors":0,"warnings":1`, `"results":2,"errors":4611686018427387904,"warnings":4611686018427387904`},
	} {
		changed := strings.Replace(good, c[0], c[1], 1)
		if f := k.Judge(json.RawMessage(`{"max_errors":9}`), json.RawMessage(changed)); changed == good || f.State == Verified {
			t.Errorf("%s for %s: %+v", c[1], c[0], f)
		}
	}
}
