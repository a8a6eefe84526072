package hook

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/report"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// TestParse reads the documented shapes, and names what is none of them.
func TestParse(t *testing.T) {
	const common = `"session_id": "s", "transcript_path": "/t", "cwd": "/w", "permission_mode": "default", `
	for _, c := range []struct {
		name string
		rt   Runtime
		in   string
		want Event
		err  string
	}{
		{"claude stop", Claude, `{` + common + `"hook_event_name": "Stop", "stop_hook_active": true, "last_assistant_message": "m", "background_tasks": [{"id": "b"}, 7]}`,
			Event{Runtime: Claude, Kind: Stop, Name: "Stop", Session: "s", Cwd: "/w", Message: "m", Continued: true, Background: 2}, ""},
		{"claude subagent", Claude, `{` + common + `"hook_event_name": "SubagentStop", "stop_hook_active": false, "agent_id": "a", "agent_type": "", "last_assistant_message": null}`,
			Event{Runtime: Claude, Kind: Subagent, Name: "SubagentStop", Session: "s\x00a", Cwd: "/w"}, ""},
		{"claude task", Claude, `{` + common + `"hook_event_name": "TaskCompleted", "task_id": "7", "task_subject": "x"}`,
			Event{Runtime: Claude, Kind: Task, Name: "TaskCompleted", Session: "s\x00task\x007", Cwd: "/w"}, ""},
		{"claude other", Claude, `{` + common + `"hook_event_name": "PreToolUse", "stop_hook_active": "what"}`,
			Event{Runtime: Claude, Name: "PreToolUse", Session: "s", Cwd: "/w"}, ""},
		{"codex stop", Codex, `{` + common + `"hook_event_name": "Stop", "turn_id": "t", "model": "m", "stop_hook_active": false, "last_assistant_message": "m"}`,
			Event{Runtime: Codex, Kind: Stop, Name: "Stop", Session: "s", Cwd: "/w", Message: "m"}, ""},
		{"codex task", Codex, `{` + common + `"hook_event_name": "TaskCompleted"}`, Event{Runtime: Codex, Name: "TaskCompleted", Session: "s", Cwd: "/w"}, ""},
		{"copilot stop", Copilot, `{"sessionId": "s", "timestamp": 1, "cwd": "/w", "transcriptPath": "/t", "stopReason": "end_turn", "stop_hook_active": true}`,
			Event{Runtime: Copilot, Kind: Stop, Name: "agentStop", Session: "s", Cwd: "/w", Continued: true}, ""},
		{"copilot old stop", Copilot, `{"sessionId": "s", "timestamp": 1, "cwd": "/w", "transcriptPath": "/t", "stopReason": "end_turn"}`,
			Event{Runtime: Copilot, Kind: Stop, Name: "agentStop", Session: "s", Cwd: "/w"}, ""},
		{"copilot subagent", Copilot, `{"sessionId": "s", "cwd": "/w", "agentId": "g", "agentName": "task", "response": "r", "stopReason": "end_turn"}`,
			Event{Runtime: Copilot, Kind: Subagent, Name: "subagentStop", Session: "s\x00g", Cwd: "/w", Message: "r"}, ""},
		{"copilot named", Copilot, `{"hook_event_name": "SubagentStop", "session_id": "s", "cwd": "/w", "agent_id": "g", "last_assistant_message": "r", "stop_reason": "end_turn"}`,
			Event{Runtime: Copilot, Kind: Subagent, Name: "SubagentStop", Session: "s\x00g", Cwd: "/w", Message: "r"}, ""},
		{"copilot end", Copilot, `{"sessionId": "s", "cwd": "/w", "reason": "complete"}`, Event{Runtime: Copilot, Name: "sessionEnd", Session: "s", Cwd: "/w"}, ""},
		{"copilot tool", Copilot, `{"sessionId": "s", "cwd": "/w", "toolName": "bash"}`, Event{Runtime: Copilot, Name: "an event without a name", Session: "s", Cwd: "/w"}, ""},
		{"empty", Claude, "", Event{}, "it is empty"},
		{"cut", Claude, `{"hook_event_name": "Stop"`, Event{}, "it is no JSON object: unexpected end"},
		{"list", Claude, `[]`, Event{}, "it is no JSON object"},
		{"null", Claude, `null`, Event{}, "it is no JSON object, but null"},
		{"two", Claude, `{"hook_event_name": "Stop"} {}`, Event{}, "it is no JSON object"},
		{"no name", Claude, `{}`, Event{}, "the member hook_event_name is missing"},
		{"wrong name", Codex, `{"hook_event_name": 7}`, Event{}, "the member hook_event_name is no text"},
		{"wrong flag", Claude, `{"hook_event_name": "Stop", "stop_hook_active": "true"}`, Event{}, "the member stop_hook_active is no true or false"},
		{"wrong tasks", Claude, `{"hook_event_name": "Stop", "background_tasks": {}}`, Event{}, "the member background_tasks is no list"},
		{"long name", Claude, `{"hook_event_name": "` + strings.Repeat("x", maxName+1) + `"}`, Event{}, "the member hook_event_name is over 256 bytes"},
		{"case", Claude, `{"HOOK_EVENT_NAME": "Stop"}`, Event{}, "the member hook_event_name is missing"},
		{"large", Claude, strings.Repeat(" ", MaxInput+1), Event{}, "it is over the limit of 1048576 bytes"},
		{"deep", Claude, `{"x": ` + strings.Repeat("[", MaxInput/2), Event{}, "it is no JSON object"},
		{"other runtime", "cursor", `{}`, Event{}, `no runtime "cursor" is known`},
	} {
		got, err := Parse(c.rt, []byte(c.in))
		if c.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.err) || got.Kind != Other {
				t.Errorf("%s: %+v, %v; want %s", c.name, got, err, c.err)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v\nwant %+v", c.name, got, err, c.want)
		}
	}
	got, err := ParseNotify([]byte(`{"type": "agent-turn-complete", "thread-id": "t", "turn-id": "7", "cwd": "/w", "input-messages": ["x"], "last-assistant-message": "m"}`))
	if want := (Event{Runtime: Codex, Kind: Notify, Name: "agent-turn-complete", Session: "t", Cwd: "/w", Message: "m"}); err != nil || got != want || got.Answers() {
		t.Errorf("notify: %+v, %v", got, err)
	}
	for _, in := range []string{`{"type": 7}`, "x", ""} {
		if got, err := ParseNotify([]byte(in)); err == nil || got.Kind != Other {
			t.Errorf("notify %q: %+v", in, got)
		}
	}
}

// judged is a receipt with one outcome.
func judged(result verdict.Result, reason verdict.Reason, state evidence.State, code string, change func(*receipt.Receipt)) *receipt.Receipt {
	r := &receipt.Receipt{Result: result, Reason: reason, Outcomes: []receipt.Outcome{{ID: "unit", Required: true, Expected: true, State: state, Code: code}}}
	r.Scope.Mode = contract.Enforce
	if change != nil {
		change(r)
	}
	return r
}

// TestJudge: what work here can change holds the agent back, and nothing else does.
func TestJudge(t *testing.T) {
	said := func(outcome string, carrier string) func(*receipt.Receipt) {
		return func(r *receipt.Receipt) {
			r.Report.Carrier, r.Report.Facts.Outcome, r.Report.Facts.Found = carrier, outcome, true
		}
	}
	for _, c := range []struct {
		name string
		r    *receipt.Receipt
		want Finding
	}{
		{"nothing", &receipt.Receipt{}, Open},
		{"unknown state", judged(verdict.Block, verdict.Internal, "", "", nil), Open},
		{"cannot look", judged(verdict.Error, verdict.CannotLook, "", "", nil), Trouble},
		{"verified", judged(verdict.Pass, verdict.AllVerified, evidence.Verified, evidence.CodeTestsPassed, nil), Accepted},
		{"failed", judged(verdict.Block, verdict.EvidenceRejected, evidence.ValidatorFailed, evidence.CodeTestsFailed, nil), Open},
		{"failed, observed", judged(verdict.Block, verdict.EvidenceRejected, evidence.ValidatorFailed, evidence.CodeTestsFailed, func(r *receipt.Receipt) { r.Scope.Mode = contract.Observe }), Observed},
		{"failed and claimed", judged(verdict.Block, verdict.FalseSuccess, evidence.ValidatorFailed, evidence.CodeTestsFailed, said("succeeded", "input")), Open},
		{"failed and admitted", judged(verdict.Block, verdict.OutcomeFailed, evidence.ValidatorFailed, evidence.CodeTestsFailed, said("failed", "input")), Admitted},
		{"missing and blocked", judged(verdict.Block, verdict.OutcomeFailed, evidence.Missing, evidence.CodeArtifactMissing, said("blocked", "input")), Admitted},
		{"admitted by an old file", judged(verdict.Block, verdict.OutcomeFailed, evidence.Missing, evidence.CodeArtifactMissing, said("failed", "file")), Open},
		{"admitted twice", judged(verdict.Block, verdict.AmbiguousReport, evidence.Missing, evidence.CodeArtifactMissing, func(r *receipt.Receipt) {
			said("failed", "input")(r)
			r.Report.Facts.Problem = report.Ambiguous
		}), Open},
		{"stale", judged(verdict.Block, verdict.EvidenceIncomplete, evidence.Stale, evidence.CodeArtifactStale, nil), Open},
		{"optional", judged(verdict.Wait, verdict.ProtectedChange, evidence.Missing, evidence.CodeArtifactMissing, func(r *receipt.Receipt) { r.Outcomes[0].Required = false }), Waiting},
		{"not expected", judged(verdict.Block, verdict.NothingExpected, evidence.Missing, evidence.CodeArtifactMissing, func(r *receipt.Receipt) { r.Outcomes[0].Expected = false }), Waiting},
		{"waived", judged(verdict.Block, verdict.AllWaived, evidence.Missing, evidence.CodeArtifactMissing, func(r *receipt.Receipt) { r.Outcomes[0].Waived = true }), Waiting},
		{"approval", judged(verdict.Wait, verdict.Awaiting, evidence.Waiting, evidence.CodeWaitApproval, nil), Waiting},
		{"protected", judged(verdict.Wait, verdict.ProtectedChange, evidence.Verified, evidence.CodeTestsPassed, nil), Waiting},
		{"steps", judged(verdict.Block, verdict.EvidenceIncomplete, evidence.Unverified, evidence.CodeInputSteps, nil), Waiting},
		{"steps, and a broken file", judged(verdict.Block, verdict.EvidenceIncomplete, evidence.Unverified, evidence.CodeInputSteps, func(r *receipt.Receipt) {
			r.Outcomes[0].Files = []evidence.Finding{{State: evidence.Verified}, {State: evidence.Unverified, Code: evidence.CodeArtifactUnreadable}}
		}), Open},
		{"an upload, whose tests nobody read", judged(verdict.Block, verdict.EvidenceIncomplete, evidence.Unverified, evidence.CodeUploadNotHere, func(r *receipt.Receipt) {
			r.Outcomes[0].Validators = []receipt.Validator{{State: evidence.Unverified, Code: evidence.CodeInputNoFiles}}
		}), Waiting},
		{"steps, and a cut document", judged(verdict.Block, verdict.EvidenceIncomplete, evidence.Unverified, evidence.CodeInputSteps, func(r *receipt.Receipt) {
			r.Outcomes[0].Validators = []receipt.Validator{{State: evidence.Verified}, {State: evidence.Waiting}, {State: evidence.Unverified, Code: evidence.CodeTestsIncomplete}}
		}), Open},
		{"cut document", judged(verdict.Block, verdict.EvidenceIncomplete, evidence.Unverified, evidence.CodeTestsIncomplete, nil), Open},
		{"claims", judged(verdict.Block, verdict.ClaimConflict, evidence.Verified, evidence.CodeTestsPassed, nil), Open},
		{"broken report", judged(verdict.Block, verdict.ContractMiss, evidence.Verified, evidence.CodeTestsPassed, func(r *receipt.Receipt) {
			r.Report.Reason, r.Report.Facts.Found = verdict.ContractMiss, true
		}), Open},
		{"no report", judged(verdict.Block, verdict.CleanExitNoReport, evidence.Verified, evidence.CodeTestsPassed, func(r *receipt.Receipt) {
			r.Report.Reason = verdict.CleanExitNoReport
		}), Waiting},
	} {
		if got := Judge(c.r); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestRepeats: only what lies in the folder leads to the same answer again.
func TestRepeats(t *testing.T) {
	with := func(rule contract.Outcome) *receipt.Receipt {
		return &receipt.Receipt{Outcomes: []receipt.Outcome{{Rule: rule, Required: true, Expected: true, State: evidence.Missing}}}
	}
	for _, c := range []struct {
		name string
		r    *receipt.Receipt
		want bool
	}{
		{"nothing", &receipt.Receipt{}, false},
		{"file", with(contract.Outcome{Artifact: &contract.Artifact{Files: []string{"a"}}, Validators: []contract.Validator{{Kind: "tests"}}}), true},
		{"address", with(contract.Outcome{Artifact: &contract.Artifact{URL: "https://a.example/"}}), false},
		{"upload", with(contract.Outcome{Artifact: &contract.Artifact{Upload: "a"}}), false},
		{"command", with(contract.Outcome{Validators: []contract.Validator{{Kind: "tests"}, {Kind: "command"}}}), false},
		{"check", with(contract.Outcome{Validators: []contract.Validator{{Kind: "check"}}}), false},
	} {
		if got := Repeats(c.r); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	claimed := with(contract.Outcome{Artifact: &contract.Artifact{Files: []string{"a"}}})
	if claimed.Outcomes[0].State = evidence.Verified; Repeats(claimed) {
		t.Error("what holds the agent back is what it says, and is not read again")
	}
	for message, want := range map[string]bool{
		"": false, "All tests pass.": false, "```json\n{\"a\": 1}\n```": true, "Done.\n\n```outcome\n{\"outcome\": \"failed\"}\n```": true, "```outcome\nbroken": true, `{"outcome": "blocked"}`: true,
	} {
		if got := Reports(message); (got == message) != (want || message == "") || got != "" && !want {
			t.Errorf("%q: %q", message, got)
		}
	}
}

// TestMemory: whatever changes in between, an agent is held back so many times in a row at most, and in all.
func TestMemory(t *testing.T) {
	for _, limit := range []int{1, DefaultBlocks, MaxBlocks} {
		for name, key := range map[string]func(int) string{
			"nothing changes": func(int) string { return "k" }, "all changes": func(i int) string { return fmt.Sprint(i) }, "unknown": func(int) string { return "" },
		} {
			for _, continued := range []bool{true, false} {
				var m Memory
				row, total := 0, 0
				for i := range 1000 {
					back, err := ParseMemory(m.Bytes())
					if err != nil || back != m {
						t.Fatalf("%+v is read as %+v, %v", m, back, err)
					}
					if m.Hold(limit, continued, key(i), "f") {
						row++
						total++
					} else {
						row = 0
					}
					if row > limit || total > maxTotal {
						t.Fatalf("%s, continued %v: held back %d times in a row, %d in all", name, continued, row, total)
					}
				}
				if continued && total != limit {
					t.Errorf("%s: within one turn it was held back %d times of %d", name, total, limit)
				}
			}
		}
	}
	m := Memory{}
	if !m.Hold(2, false, "a", "f") {
		t.Error("nobody is held back")
	}
	if f, ok := m.Known("a"); !ok || f != "f" {
		t.Error("what did not change is judged anew")
	}
	for _, key := range []string{"", "b"} {
		if _, ok := m.Known(key); ok {
			t.Errorf("key %q is known", key)
		}
	}
	if m.Release(); m.Row != 0 || m.Total != 1 {
		t.Errorf("released: %+v", m)
	}
	if _, ok := m.Known("a"); ok {
		t.Error("an acceptance is remembered")
	}
	for _, bad := range []string{"", "x", "[]", `{"row": -1}`, `{"row": 2, "total": 1}`, `{"key": "` + strings.Repeat("x", MaxMemory) + `"}`} {
		if _, err := ParseMemory([]byte(bad)); err == nil {
			t.Errorf("%.20q is a memory", bad)
		}
	}
}

// TestAnswers are in the runtimes' own forms.
func TestAnswers(t *testing.T) {
	for _, rt := range []Runtime{Claude, Codex} {
		if r := Hold(rt, "no such file\n\n"); r.Code != 2 || r.Stderr != "no such file\n" || strings.TrimSpace(r.Stdout) == "" || json.Valid([]byte(r.Stdout)) {
			t.Errorf("%s: %+v", rt, r)
		}
		var said struct{ SystemMessage string }
		if r := Note(rt, "a\n\"b\"\n"); r.Code != 0 || r.Stderr != "gate: a\ngate: \"b\"\n" || json.Unmarshal([]byte(r.Stdout), &said) != nil || said.SystemMessage != "gate: a\n\"b\"" {
			t.Errorf("%s: %+v", rt, r)
		}
	}
	var block struct{ Decision, Reason string }
	if r := Hold(Copilot, "a\nb"); r.Code != 0 || json.Unmarshal([]byte(r.Stdout), &block) != nil || block.Decision != "block" || block.Reason != "a\nb\n" || strings.Count(r.Stdout, "\n") != 1 {
		t.Errorf("copilot: %+v", r)
	}
	var progress struct{ Type, Message string }
	if r := Note(Copilot, "a"); r.Code != 0 || json.Unmarshal([]byte(r.Stdout), &progress) != nil || progress.Type != "progress" || progress.Message != "gate: a" {
		t.Errorf("copilot: %+v", r)
	}
	if r := Quiet("a"); r.Stdout != "" || r.Code != 0 || r.Stderr != "gate: a\n" {
		t.Errorf("%+v", r)
	}
	m := &Memory{Row: 1}
	if s := GiveUp(m, "f\n") + Countdown(m, 2, "f\n"); !strings.Contains(s, "GAVE UP after holding the agent back 1 time: ") || !strings.Contains(s, "f\nHeld back 1 of at most 2 times.") {
		t.Errorf("%s", s)
	}
	if len(Runtimes()) != 3 {
		t.Error("a runtime is not tested")
	}
}

// FuzzParse: whatever is written to the hook, nothing panics; what is no object of a runtime's own members asks nothing; and
// an event that asks is one that names itself.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"hook_event_name": "Stop", "session_id": "s", "stop_hook_active": true, "background_tasks": [1]}`, `{"hook_event_name": "TaskCompleted", "task_id": "1"}`,
		`{"stopReason": "end_turn", "agentId": "a"}`, `{"stopReason": null}`, `{"type": "agent-turn-complete"}`, `{}`, `null`, `[`, "\xff", `{"hook_event_name": "Stop"}{}`,
		`{"hook_event_name": "Stop", "session_id": null, "last_assistant_message": "\ud800"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, rt := range []Runtime{Claude, Codex, Copilot} {
			e, err := Parse(rt, data)
			switch {
			case err != nil && (e.Kind != Other || e.Answers()):
				t.Fatalf("%s: what cannot be read asks: %+v", rt, e)
			case e.Answers() && !json.Valid(data):
				t.Fatalf("%s: what is no JSON asks: %+v", rt, e)
			case e.Answers() && e.Name == "":
				t.Fatalf("%s: an event without a name asks: %+v", rt, e)
			case e.Kind == Task && rt != Claude, e.Kind == Notify:
				t.Fatalf("%s: %+v", rt, e)
			}
		}
		if e, err := ParseNotify(data); e.Answers() || err != nil && e.Kind != Other {
			t.Fatalf("notify: %+v, %v", e, err)
		}
	})
}
