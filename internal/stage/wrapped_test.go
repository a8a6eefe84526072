package stage

import (
	"context"
	"slices"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// TestWrappedReport holds that the action takes a report out of a runtime's form as gate check does: in what is handed in
// always, in the description where the contract names the form.
func TestWrappedReport(t *testing.T) {
	const (
		held   = `{"task_index":0,"status":"completed","summary":"{\"outcome\":\"succeeded\",\"evidence\":[\"2 tests pass\"]}","exit_reason":"completed","truncated":false}`
		broken = `{"type":"result","subtype":"success","is_error":true,"result":"API Error: overloaded"}`
	)
	for _, c := range []struct {
		name, carriers, body, input string
		want                        verdict.Reason
	}{
		{"handed in", "[body]", "no report", held, verdict.AllVerified},
		{"handed in, an error under the word success", "[body]", said, broken, verdict.RuntimeFailed},
		{"handed in, a handle", "[body]", "no report", `{"status":"dispatched","delegation_id":"deleg_0a1b2c3d"}`, verdict.StillWorking},
		{"in the description, named", "[body, hermes]", "It gave:\n\n```json\n" + held + "\n```\n", "", verdict.AllVerified},
		{"in the description, another one is named", "[body, claude]", "It gave:\n\n```json\n" + held + "\n```\n", "", verdict.ContractMiss},
	} {
		s := newScene(t)
		s.contract(agreed + "report: { carriers: " + c.carriers + ", required: always }\n")
		s.change(func(r *fakegithub.Repository) { r.Pulls[0].Body = &c.body })
		if c.input != "" {
			s.env["INPUT_REPORT"] = c.input
		}
		Main(context.Background(), s.options())
		r := s.receipt()
		if r.Reason != c.want {
			t.Errorf("%s: %s, want %s (%+v)", c.name, r.Reason, c.want, r.Report)
		}
		if failed := c.want == verdict.RuntimeFailed; failed && !slices.Contains(r.Report.Errors, "input claude: API Error: overloaded") {
			t.Errorf("%s: errors %q", c.name, r.Report.Errors)
		}
	}
}
