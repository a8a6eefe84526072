package verdict

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// TestJudgeAddress holds that what lies at an address is judged by what it is now: by neither time nor git, at tier
// run, and awaited only while its window was open at the last look.
func TestJudgeAddress(t *testing.T) {
	t.Parallel()
	k, ok := evidence.KindByName("content")
	if !ok {
		t.Fatal("there is no content validator")
	}
	start := circumstances().Now.Add(-time.Minute)
	for _, c := range []struct {
		name    string
		problem string
		body    string
		trust   contract.Tier
		window  contract.Seconds
		looked  time.Duration // from the run's start; 0: not known
		digest  string
		state   evidence.State
		code    string
		next    Next
	}{
		{"there", "", "ready", contract.Run, 0, time.Minute, "", evidence.Verified, evidence.CodeContentMatches, NoNext},
		{"there, with its bytes", "", "ready", contract.Run, 0, time.Minute, "0a", evidence.Verified, evidence.CodeContentMatches, NoNext},
		{"other bytes", "", "ready", contract.Run, 0, time.Minute, "0b", evidence.HashMismatch, evidence.CodeArtifactHash, NeedsHuman},
		{"another text, though its window is open", "", "soon", contract.Run, 600, time.Second, "", evidence.ValidatorFailed, evidence.CodeContentMismatch, NeedsHuman},
		{"not sure enough", "", "ready", contract.Service, 0, time.Minute, "", evidence.Unverified, evidence.CodeEvidenceTier, RunCheck},
		{"another status", evidence.CodeAddressStatus, "", contract.Run, 0, time.Minute, "", evidence.Missing, evidence.CodeAddressStatus, Produce},
		{"no answer", evidence.CodeAddressUnreachable, "", contract.Run, 0, time.Minute, "", evidence.Unverified, evidence.CodeAddressUnreachable, RunCheck},
		{"refused", evidence.CodeAddressRefused, "", contract.Run, 600, time.Second, "", evidence.Unverified, evidence.CodeAddressRefused, RunCheck},
		{"another status in the window", evidence.CodeAddressStatus, "", contract.Run, 600, time.Minute, "", evidence.Waiting, evidence.CodeWaitWindow, ObserveAgain},
		{"no answer in the window", evidence.CodeAddressUnreachable, "", contract.Run, 600, time.Minute, "", evidence.Waiting, evidence.CodeWaitWindow, ObserveAgain},
		{"not there at the window's end", evidence.CodeAddressStatus, "", contract.Run, 300, 300 * time.Second, "", evidence.Missing, evidence.CodeAddressStatus, Produce},
		{"an unknown time of the look", evidence.CodeAddressStatus, "", contract.Run, 600, 0, "", evidence.Missing, evidence.CodeAddressStatus, Produce},
	} {
		params := json.RawMessage(`{"text":"ready"}`)
		o := &contract.Outcome{
			ID: "live", Trust: c.trust, ObserveFor: c.window, Validators: []contract.Validator{{Kind: "content", Params: params}},
			Artifact: &contract.Artifact{URL: "https://docs.example.com/", Status: 200, Fresh: contract.Fresh{Rule: "run"}, Committed: "no", Symlinks: "inside", MinBytes: 1, Count: contract.Count{Min: 1}, SHA256: c.digest},
		}
		file := evidence.File{Name: o.Artifact.URL, Problem: c.problem, Git: evidence.GitFacts{Reason: "an address lies in no tree"}}
		doc := evidence.Document{Name: file.Name}
		if c.problem == "" {
			file.SizeBytes, file.SHA256 = int64(len(c.body)), "0a"
			doc.Readable, doc.Bytes = true, []byte(c.body)
		}
		set := setOf(file)
		if c.looked > 0 {
			at := start.Add(c.looked)
			set.ObservedAt = &at
		}
		obs := &evidence.Observation{ID: "live", Artifact: set, Validators: []evidence.ValidatorFacts{{
			Kind: "content", Version: k.Version, Params: params, Facts: k.Observe(params, evidence.Input{Documents: []evidence.Document{doc}}),
		}}}
		at := circumstances()
		at.Boundary, at.RunStartedAt = time.Time{}, start
		got := JudgeOutcome(o, o.Artifact, obs, at, false)
		if got.State != c.state || got.Code != c.code || got.Next != c.next {
			t.Errorf("%s: %s %s %s (%s), want %s %s %s", c.name, got.State, got.Code, got.Next, got.Detail, c.state, c.code, c.next)
		}
	}
}
