package verdict

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

func setOf(files ...evidence.File) *evidence.FileSet {
	return &evidence.FileSet{Total: len(files), Files: files, Tier: "run"}
}

func TestJudgeOutcomeArtifact(t *testing.T) {
	stale := goodFile()
	stale.ModifiedAt = at(-time.Hour)
	other := goodFile()
	other.SHA256 = "0e"
	for _, c := range []struct {
		name     string
		artifact func(*contract.Artifact)
		set      *evidence.FileSet
		state    evidence.State
		code     string
		next     Next
	}{
		{"one file", nil, setOf(goodFile()), evidence.Verified, evidence.CodeArtifactOK, NoNext},
		{"not looked for", nil, nil, evidence.Unverified, evidence.CodeArtifactUnlisted, RunCheck},
		{"not listed", nil, &evidence.FileSet{Problem: evidence.CodeArtifactUnlisted}, evidence.Unverified, evidence.CodeArtifactUnlisted, RunCheck},
		{"no file", nil, setOf(), evidence.Missing, evidence.CodeArtifactMissing, Produce},
		{"one stale of two", nil, setOf(goodFile(), stale), evidence.Stale, evidence.CodeArtifactStale, Produce},
		{"mismatch outranks stale", func(a *contract.Artifact) { a.SHA256 = goodFile().SHA256 }, setOf(stale, other), evidence.HashMismatch, evidence.CodeArtifactHash, NeedsHuman},
		{"too few", func(a *contract.Artifact) { a.Count.Min = 2 }, setOf(goodFile()), evidence.Missing, evidence.CodeArtifactTooFew, Produce},
		{"too many", func(a *contract.Artifact) { a.Count.Max = 1 }, setOf(goodFile(), goodFile()), evidence.WrongArtifact, evidence.CodeArtifactTooMany, Produce},
		{"some were not looked at", nil, &evidence.FileSet{Total: 2, Files: []evidence.File{goodFile()}}, evidence.Unverified, evidence.CodeArtifactUnlisted, RunCheck},
		{"the rest in groups", nil, &evidence.FileSet{Total: 3, Files: []evidence.File{goodFile()}, More: []evidence.Group{{State: evidence.Verified, Code: evidence.CodeArtifactOK, N: 2}}}, evidence.Verified, evidence.CodeArtifactOK, NoNext},
		{"a stale group", nil, &evidence.FileSet{Total: 3, Files: []evidence.File{goodFile()}, More: []evidence.Group{{State: evidence.Stale, Code: evidence.CodeArtifactStale, N: 2}}}, evidence.Stale, evidence.CodeArtifactStale, Produce},
	} {
		o := &contract.Outcome{ID: "x", Artifact: artifact(c.artifact), Trust: contract.Run}
		got := JudgeOutcome(o, o.Artifact, &evidence.Observation{ID: "x", Artifact: c.set}, circumstances(), false)
		if got.State != c.state || got.Code != c.code || got.Next != c.next {
			t.Errorf("%s: %s %s %s (%s), want %s %s %s", c.name, got.State, got.Code, got.Next, got.Detail, c.state, c.code, c.next)
		}
	}
}

// stepFacts are the facts of a step validator, as its own Observe gives them.
func stepFacts(t *testing.T, outcome string) evidence.ValidatorFacts {
	t.Helper()
	k, ok := evidence.KindByName("step")
	if !ok {
		t.Fatal("there is no step validator")
	}
	in := evidence.Input{HasSteps: true, Steps: map[string]evidence.Step{"smoke": {Outcome: outcome, Conclusion: "success"}}}
	return evidence.ValidatorFacts{Kind: k.Name, Version: k.Version, Facts: k.Observe(json.RawMessage(`{"id":"smoke"}`), in)}
}

func stepOutcome() *contract.Outcome {
	return &contract.Outcome{ID: "x", Trust: contract.Run, Validators: []contract.Validator{{Kind: "step", Params: json.RawMessage(`{"id":"smoke"}`)}}}
}

// TestUnlistedSetIsNamedFirst holds that the outcome names why nothing was listed, not what a validator missed by that.
func TestUnlistedSetIsNamedFirst(t *testing.T) {
	k, _ := evidence.KindByName("tests")
	o := &contract.Outcome{ID: "x", Artifact: artifact(nil), Trust: contract.Run, Validators: []contract.Validator{{Kind: "tests", Params: json.RawMessage(`{}`)}}}
	got := JudgeOutcome(o, o.Artifact, &evidence.Observation{
		ID: "x", Artifact: &evidence.FileSet{Problem: evidence.CodeArtifactLinkedDirectory, ProblemDetail: "out/x"},
		Validators: []evidence.ValidatorFacts{{Kind: k.Name, Version: k.Version, Facts: k.Observe(json.RawMessage(`{}`), evidence.Input{})}},
	}, circumstances(), false)
	if got.State != evidence.Unverified || got.Code != evidence.CodeArtifactLinkedDirectory {
		t.Errorf("%s %s (%s)", got.State, got.Code, got.Detail)
	}
}

func TestJudgeOutcomeValidators(t *testing.T) {
	wrongVersion := stepFacts(t, "success")
	wrongVersion.Version = "0"
	for _, c := range []struct {
		name  string
		facts []evidence.ValidatorFacts
		state evidence.State
	}{
		{"success", []evidence.ValidatorFacts{stepFacts(t, "success")}, evidence.Verified},
		{"failure", []evidence.ValidatorFacts{stepFacts(t, "failure")}, evidence.ValidatorFailed},
		{"skipped", []evidence.ValidatorFacts{stepFacts(t, "skipped")}, evidence.Unverified},
		{"none was run", nil, evidence.Unverified},
		{"facts of another kind", []evidence.ValidatorFacts{{Kind: "job", Version: "1"}}, evidence.Unverified},
		{"facts of another version", []evidence.ValidatorFacts{wrongVersion}, evidence.Unverified},
	} {
		got := JudgeOutcome(stepOutcome(), nil, &evidence.Observation{ID: "x", Validators: c.facts}, circumstances(), false)
		if got.State != c.state {
			t.Errorf("%s: %s %s, want %s", c.name, got.State, got.Code, c.state)
		}
	}
	unknown := stepOutcome()
	unknown.Validators[0].Kind = "new"
	if got := JudgeOutcome(unknown, nil, &evidence.Observation{ID: "x", Validators: []evidence.ValidatorFacts{{Kind: "new"}}}, circumstances(), false); got.State != evidence.Unverified {
		t.Errorf("a kind not known here is %s", got.State)
	}
	if got := JudgeOutcome(stepOutcome(), nil, &evidence.Observation{ID: "other", Validators: []evidence.ValidatorFacts{stepFacts(t, "success")}}, circumstances(), false); got.State != evidence.Unverified {
		t.Errorf("another outcome's observation gives %s", got.State)
	}
	if got := JudgeOutcome(&contract.Outcome{ID: "x"}, nil, nil, circumstances(), false); got.State != evidence.Unverified {
		t.Errorf("an outcome without evidence is %s", got.State)
	}
}

// TestReadFilesCount holds that a stale or committed further file lowers what a validator said.
func TestReadFilesCount(t *testing.T) {
	facts := stepFacts(t, "success")
	committed := goodFile()
	committed.Git.Tracked = true
	facts.Reads = []evidence.ReadFacts{{Role: "record", Set: *setOf(committed)}}
	got := JudgeOutcome(stepOutcome(), nil, &evidence.Observation{ID: "x", Validators: []evidence.ValidatorFacts{facts}}, circumstances(), false)
	if got.State != evidence.Stale || got.Code != evidence.CodeArtifactCommitted {
		t.Errorf("%s %s", got.State, got.Code)
	}
	facts.Reads = []evidence.ReadFacts{{Role: "record"}}
	if got := JudgeOutcome(stepOutcome(), nil, &evidence.Observation{ID: "x", Validators: []evidence.ValidatorFacts{facts}}, circumstances(), false); got.State != evidence.Verified {
		t.Errorf("an absent file that the kind itself judged: %s %s", got.State, got.Code)
	}
}

func TestJudgeProducer(t *testing.T) {
	green := []evidence.Finding{{State: evidence.Verified, Code: evidence.CodeTestsPassed}}
	red := []evidence.Finding{{State: evidence.ValidatorFailed, Code: evidence.CodeTestsFailed}}
	tests := []contract.Validator{{Kind: "tests"}}
	ran := func(outcome string) *evidence.Producer {
		return &evidence.Producer{Name: "test", Source: "step", Given: true, Outcome: outcome}
	}
	for _, c := range []struct {
		name     string
		producer *evidence.Producer
		anyExit  bool
		records  []evidence.Finding
		state    evidence.State
		code     string
	}{
		{"both green", ran("success"), false, green, evidence.Verified, evidence.CodeProducerOK},
		{"both red", ran("failure"), false, red, evidence.ValidatorFailed, evidence.CodeProducerFailed},
		{"green step, red records", ran("success"), false, red, evidence.ValidatorFailed, evidence.CodeEvidenceConflict},
		{"red step, green records", ran("failure"), false, green, evidence.ValidatorFailed, evidence.CodeEvidenceConflict},
		{"red step accepted", ran("failure"), true, green, evidence.Verified, evidence.CodeProducerOK},
		{"skipped", ran("skipped"), true, green, evidence.Unverified, evidence.CodeProducerSkipped},
		{"cancelled", ran("cancelled"), true, green, evidence.Unverified, evidence.CodeProducerCancelled},
		{"has not run", ran(""), true, green, evidence.Unverified, evidence.CodeProducerAbsent},
		{"a new word", ran("neutral"), true, green, evidence.Unverified, evidence.CodeProducerAbsent},
		{"nobody knows it", &evidence.Producer{Name: "test", Given: true}, false, green, evidence.Unverified, evidence.CodeProducerAbsent},
		{"no context", &evidence.Producer{Name: "test"}, false, green, evidence.Unverified, evidence.CodeInputSteps},
		{"not looked for", nil, false, green, evidence.Unverified, evidence.CodeProducerAbsent},
		{"another step", &evidence.Producer{Name: "build", Source: "step", Given: true, Outcome: "success"}, false, green, evidence.Unverified, evidence.CodeProducerAbsent},
	} {
		a := artifact(func(a *contract.Artifact) { a.MadeBy, a.AnyExit = "test", c.anyExit })
		got := judgeProducer(a, tests, c.records, c.producer)
		if got.State != c.state || got.Code != c.code {
			t.Errorf("%s: %s %s, want %s %s", c.name, got.State, got.Code, c.state, c.code)
		}
	}
	if n := nextFor(&contract.Outcome{RepairOnce: true}, evidence.Finding{State: evidence.ValidatorFailed, Code: evidence.CodeEvidenceConflict}, false, false); n != NeedsHuman {
		t.Errorf("a conflict asks for %s", n)
	}
}

func TestJudgeWait(t *testing.T) {
	two := &contract.Outcome{ID: "x", WaitsFor: &contract.WaitsFor{Approval: &contract.Approval{From: []string{"write"}, Count: 2}}, Deadline: 3600}
	environment := &contract.Outcome{ID: "x", WaitsFor: &contract.WaitsFor{Environment: "live"}}
	late := circumstances()
	late.FirstSeen = late.Now.Add(-2 * time.Hour)
	for _, c := range []struct {
		name    string
		outcome *contract.Outcome
		facts   *evidence.WaitFacts
		now     *evidence.Circumstances
		state   evidence.State
		code    string
		next    Next
	}{
		{"open", two, &evidence.WaitFacts{Known: true, Need: 2, By: []string{"a"}}, circumstances(), evidence.Waiting, evidence.CodeWaitApproval, AwaitIt},
		{"one says it arrived, two are needed", two, &evidence.WaitFacts{Known: true, Arrived: true, Need: 2, By: []string{"a"}}, circumstances(), evidence.Waiting, evidence.CodeWaitApproval, AwaitIt},
		{"given", two, &evidence.WaitFacts{Known: true, Arrived: true, Need: 2, By: []string{"a", "b"}}, circumstances(), evidence.Verified, evidence.CodeWaitOver, NoNext},
		{"expired", two, &evidence.WaitFacts{Known: true, Need: 2}, late, evidence.Missing, evidence.CodeWaitExpired, NeedsHuman},
		{"refused", environment, &evidence.WaitFacts{Known: true, Rejected: true}, circumstances(), evidence.ValidatorFailed, evidence.CodeWaitRejected, NeedsHuman},
		{"environment open", environment, &evidence.WaitFacts{Known: true, Need: 1}, circumstances(), evidence.Waiting, evidence.CodeWaitEnvironment, AwaitIt},
		{"nobody knows", two, nil, circumstances(), evidence.Unverified, evidence.CodeWaitUnknown, RunCheck},
		{"not readable", two, &evidence.WaitFacts{Reason: "no permission"}, circumstances(), evidence.Unverified, evidence.CodeWaitUnknown, RunCheck},
	} {
		got := JudgeOutcome(c.outcome, nil, &evidence.Observation{ID: "x", Wait: c.facts}, c.now, false)
		if got.State != c.state || got.Code != c.code || got.Next != c.next {
			t.Errorf("%s: %s %s %s, want %s %s %s", c.name, got.State, got.Code, got.Next, c.state, c.code, c.next)
		}
		if got.Instrumented {
			t.Errorf("%s: an approval alone counts as a check", c.name)
		}
	}
}

func TestRepairOnce(t *testing.T) {
	o := stepOutcome()
	o.RepairOnce = true
	obs := &evidence.Observation{ID: "x", Validators: []evidence.ValidatorFacts{stepFacts(t, "failure")}}
	if got := JudgeOutcome(o, nil, obs, circumstances(), false); got.Next != RepairOnce || got.Who != "agent" {
		t.Errorf("authorized: %s by %q", got.Next, got.Who)
	}
	if got := JudgeOutcome(o, nil, obs, circumstances(), true); got.Next != NeedsHuman || got.Who != "human" {
		t.Errorf("used up: %s by %q", got.Next, got.Who)
	}
	o.RepairOnce = false
	if got := JudgeOutcome(o, nil, obs, circumstances(), false); got.Next != NeedsHuman {
		t.Errorf("not authorized: %s", got.Next)
	}
}

func TestWindow(t *testing.T) {
	const params = `{"name":"e2e"}`
	kind, _ := evidence.KindByName("check")
	facts := func(checks ...evidence.Check) evidence.ValidatorFacts {
		in := evidence.Input{Subject: evidence.Subject{HeadSHA: head}, HasChecks: true, Checks: checks}
		return evidence.ValidatorFacts{Kind: "check", Version: kind.Version, Facts: kind.Observe(json.RawMessage(params), in)}
	}
	check := func(status, conclusion string) evidence.ValidatorFacts {
		return facts(evidence.Check{Name: "e2e", App: "github-actions", HeadSHA: head, Status: status, Conclusion: conclusion})
	}
	early, late := begin.Add(5*time.Minute), begin.Add(15*time.Minute)
	for _, c := range []struct {
		name   string
		now    time.Time
		looked *time.Time
		facts  evidence.ValidatorFacts
		state  evidence.State
		code   string
		next   Next
	}{
		{"absent in the window", early, nil, facts(), evidence.Waiting, evidence.CodeWaitWindow, ObserveAgain},
		{"absent at the window's end", late, nil, facts(), evidence.Unverified, evidence.CodeCheckAbsent, RunCheck},
		{"absent when it was looked at last, in the window", early, &early, facts(), evidence.Waiting, evidence.CodeWaitWindow, ObserveAgain},
		{"absent when it was looked at last, at the window's end", early, &late, facts(), evidence.Unverified, evidence.CodeCheckAbsent, RunCheck},
		{"running in the window", early, &early, check("in_progress", ""), evidence.Waiting, evidence.CodeCheckNotCompleted, ObserveAgain},
		{"running after the window", early, &late, check("in_progress", ""), evidence.Waiting, evidence.CodeCheckNotCompleted, AwaitIt},
		{"a status that is not known", early, &late, check("", "success"), evidence.Waiting, evidence.CodeCheckNotCompleted, AwaitIt},
		{"ended well", early, &late, check("completed", "success"), evidence.Verified, evidence.CodeCheckSucceeded, NoNext},
		{"ended badly in the window", early, &early, check("completed", "failure"), evidence.ValidatorFailed, evidence.CodeCheckFailed, NeedsHuman},
	} {
		o := &contract.Outcome{ID: "o", ObserveFor: 900, Validators: []contract.Validator{{Kind: "check", Params: json.RawMessage(params)}}}
		at := circumstances()
		at.Now = c.now
		c.facts.ObservedAt = c.looked
		got := JudgeOutcome(o, nil, &evidence.Observation{ID: "o", Validators: []evidence.ValidatorFacts{c.facts}}, at, false)
		if got.State != c.state || got.Code != c.code || got.Next != c.next {
			t.Errorf("%s: %s %s %s, want %s %s %s", c.name, got.State, got.Code, got.Next, c.state, c.code, c.next)
		}
	}
}
