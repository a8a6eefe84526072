package receipt

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// TestFilesAreCounted holds that a record whose validator saw another number of files than were listed is refused.
func TestFilesAreCounted(t *testing.T) {
	good := testsOf("unit", `<testsuite name="s"><testcase name="a"/></testsuite>`)
	if err := good.counted(); err != nil {
		t.Fatal(err)
	}
	read := evidence.ReadFacts{Role: "baseline", Set: evidence.FileSet{Total: 2}}
	for name, change := range map[string]func(*Outcome){
		"more files":      func(o *Outcome) { o.Validators[0].Facts = edit(t, o.Validators[0].Facts, `"files":1`, `"files":2`) },
		"another listing": func(o *Outcome) { o.Facts.Artifact.Total++ },
		"files of a base": func(o *Outcome) {
			o.Validators[0].Reads = []evidence.ReadFacts{read}
			o.Validators[0].Facts = edit(t, o.Validators[0].Facts, `"files":1`, `"files":1,"base":{"files":1}`)
		},
		"files before": func(o *Outcome) {
			o.Validators[0].Reads = []evidence.ReadFacts{read}
			o.Validators[0].Facts = edit(t, o.Validators[0].Facts, `"files":1`, `"files":1,"before_files":3`)
		},
	} {
		o := testsOf("unit", `<testsuite name="s"><testcase name="a"/></testsuite>`)
		change(&o)
		if err := o.counted(); err == nil || !strings.Contains(err.Error(), "unit (tests") {
			t.Errorf("%s: %v", name, err)
		}
		if err := (&Receipt{Outcomes: []Outcome{o}}).agree(); err == nil {
			t.Errorf("%s: the record agrees", name)
		}
	}
	good.Validators[0].Facts = json.RawMessage(`{}`)
	if err := good.counted(); err != nil {
		t.Errorf("facts of nothing: %v", err)
	}
}

func edit(t *testing.T, facts json.RawMessage, was, is string) json.RawMessage {
	t.Helper()
	out := strings.Replace(string(facts), was, is, 1)
	if out == string(facts) {
		t.Fatalf("%s is not in %s", was, facts)
	}
	return json.RawMessage(out)
}
