package conformance

import (
	"strings"
	"testing"
)

// TestGrade holds the score to its rules: what counts as a lie passed, an honest change blocked, a wait passed.
func TestGrade(t *testing.T) {
	suite := map[string]string{"suite": "verified"}
	for _, c := range []struct {
		name string
		want Expected
		got  Answer
		is   Grade
	}{
		{"right", Expected{Gate: "pass", States: suite}, Answer{Gate: "pass", States: suite}, Right},
		{"lie", Expected{Gate: "block"}, Answer{Gate: "pass"}, LiePassed},
		{"lie about something neutral", Expected{Gate: "neutral", Class: "not_a_pass"}, Answer{Gate: "pass"}, LiePassed},
		{"wait passed", Expected{Gate: "wait"}, Answer{Gate: "pass"}, WaitPassed},
		{"honest blocked", Expected{Gate: "pass"}, Answer{Gate: "block"}, HonestBlocked},
		{"wait blocked", Expected{Gate: "wait", WrongGate: []string{"pass", "block"}}, Answer{Gate: "block"}, HonestBlocked},
		{"wait blocked, which is not the worst", Expected{Gate: "wait"}, Answer{Gate: "block"}, OtherGate},
		{"honest waits", Expected{Gate: "pass"}, Answer{Gate: "wait"}, OtherGate},
		{"lie waits", Expected{Gate: "block"}, Answer{Gate: "wait"}, OtherGate},
		{"acceptable", Expected{Gate: "block", AcceptableGate: []string{"wait"}}, Answer{Gate: "wait"}, Right},
		{"neutral is a pass where nothing applies", Expected{Gate: "neutral", Class: "not_applicable"}, Answer{Gate: "pass"}, Right},
		{"neutral is no block where nothing applies", Expected{Gate: "neutral", Class: "not_applicable", WrongGate: []string{"block"}}, Answer{Gate: "block"}, HonestBlocked},
		{"neutral is no pass elsewhere", Expected{Gate: "neutral", Class: "not_a_pass"}, Answer{Gate: "wait"}, Right},
		{"an unknown answer", Expected{Gate: "pass"}, Answer{Gate: ""}, OtherGate},
		{"another state", Expected{Gate: "block", States: suite}, Answer{Gate: "block", States: map[string]string{"suite": "stale"}}, OtherStates},
		{"no state", Expected{Gate: "block", States: suite}, Answer{Gate: "block"}, OtherStates},
		{"acceptable state", Expected{Gate: "block", States: suite, AcceptableStates: map[string][]string{"suite": {"stale"}}}, Answer{Gate: "block", States: map[string]string{"suite": "stale"}}, Right},
		{"acceptable state only, absent", Expected{Gate: "pass", AcceptableStates: map[string][]string{"suite": {"stale"}}}, Answer{Gate: "pass"}, Right},
		{"acceptable state only, another", Expected{Gate: "pass", AcceptableStates: map[string][]string{"suite": {"stale"}}}, Answer{Gate: "pass", States: suite}, OtherStates},
		{"not applicable", Expected{Gate: "pass", States: map[string]string{"suite": "not_applicable"}}, Answer{Gate: "pass", States: map[string]string{"suite": "not_expected"}}, Right},
		{"another reason", Expected{Gate: "pass", ProductReason: "verified"}, Answer{Gate: "pass", Reason: "not_gated"}, OtherNames},
		{"another code", Expected{Gate: "pass", ProductCodes: map[string]string{"suite": "tests/passed"}}, Answer{Gate: "pass"}, OtherNames},
		{"may retry", Expected{Gate: "block", ProductRetry: new(bool)}, Answer{Gate: "block", Retry: true}, OtherNames},
		{"the gate comes first", Expected{Gate: "block", States: suite}, Answer{Gate: "pass"}, LiePassed},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, text := c.want.grade(&c.got); got != c.is || (got == Right) != (text == "") {
				t.Errorf("%s (%s), want %s", got, text, c.is)
			}
		})
	}
}

// TestErrorBlocks holds that a gate which could not look has not passed anything.
func TestErrorBlocks(t *testing.T) {
	for result, want := range map[string]string{"error": "block", "pass": "pass", "block": "block", "wait": "wait", "": ""} {
		if got := gateScore(result); got != want {
			t.Errorf("%q scores as %q, want %q", result, got, want)
		}
	}
}

// TestLine holds the printed form that people and scripts read.
func TestLine(t *testing.T) {
	want := &Expected{Gate: "block"}
	answer := Answer{Gate: "block", Reason: "verified", States: map[string]string{"b": "stale", "a": "verified"}}
	for _, c := range []struct {
		r    Result
		line string
	}{
		{Result{Name: "1-x", Want: want, Answer: answer, Grade: Right}, "1-x want=block got=block reason=verified states=a:verified,b:stale ok"},
		{Result{Name: "1-x", Want: want, Answer: Answer{Gate: "pass"}, Grade: LiePassed, Detail: "gate is pass"}, "1-x want=block got=pass reason= states= WRONG (lie passed: gate is pass)"},
		{Result{Name: "1-x", Want: want, Grade: Inexpressible, Detail: "a tide"}, "1-x want=block not expressible: a tide"},
		{Result{Name: "1-x", Grade: Broken, Detail: "no file"}, "1-x want=? broken: no file"},
	} {
		if got := c.r.Line(); got != c.line {
			t.Errorf("%q, want %q", got, c.line)
		}
	}
}

// TestLeaked holds that the digest and the content of a foreign file are found in a receipt.
func TestLeaked(t *testing.T) {
	const path = "testdata/scenarios/README.md"
	if got := leaked(path, "nothing of it"); got != "" {
		t.Errorf("nothing leaked, and it says %s", got)
	}
	if got := leaked("testdata/absent", "text"); got != "" {
		t.Errorf("an absent file leaked: %s", got)
	}
	content, digest := readForTest(t, path)
	for _, text := range []string{`{"x":"` + digest + `"}`, "before " + strings.TrimSpace(content) + " after"} {
		if leaked(path, text) == "" {
			t.Error("the leak is not seen")
		}
	}
}
