package transition

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// TestStateOf holds the state of every verdict: what is no pass is never verified, what is no conclusion is none.
func TestStateOf(t *testing.T) {
	outcome := func(s evidence.State, change func(*receipt.Outcome)) receipt.Outcome {
		o := receipt.Outcome{Required: true, Expected: true, State: s}
		if change != nil {
			change(&o)
		}
		return o
	}
	for _, c := range []struct {
		result   verdict.Result
		reason   verdict.Reason
		outcomes []receipt.Outcome
		want     State
	}{
		{verdict.Pass, verdict.AllVerified, nil, Verified},
		{verdict.Pass, verdict.NotGated, nil, "not_gated"},
		{verdict.Pass, verdict.NothingExpected, nil, "nothing_expected"},
		{verdict.Wait, verdict.Awaiting, nil, Waiting},
		{verdict.Wait, verdict.ProtectedChange, nil, Waiting},
		{verdict.Wait, verdict.StillWorking, nil, Waiting},
		{verdict.Block, verdict.ContractMiss, []receipt.Outcome{outcome(evidence.Missing, nil)}, "contract_miss"},
		{verdict.Block, verdict.OutcomeFailed, nil, "outcome_failed"},
		{verdict.Block, verdict.EvidenceIncomplete, []receipt.Outcome{outcome(evidence.Verified, nil), outcome(evidence.Unverified, nil), outcome(evidence.Missing, nil)}, "missing"},
		{verdict.Block, verdict.FalseSuccess, []receipt.Outcome{outcome(evidence.Missing, nil), outcome(evidence.ValidatorFailed, nil)}, "validator_failed"},
		{verdict.Block, verdict.EvidenceRejected, []receipt.Outcome{outcome(evidence.HashMismatch, nil), outcome(evidence.ValidatorFailed, nil)}, "hash_mismatch"},
		{verdict.Block, verdict.EvidenceIncomplete, []receipt.Outcome{
			outcome(evidence.HashMismatch, func(o *receipt.Outcome) { o.Required = false }), outcome(evidence.ValidatorFailed, func(o *receipt.Outcome) { o.Waived = true }),
			outcome(evidence.WrongArtifact, func(o *receipt.Outcome) { o.Expected = false }), outcome(evidence.Stale, nil),
		}, "stale"},
		{verdict.Block, verdict.EvidenceRejected, nil, "evidence_rejected"},
		{verdict.Error, verdict.CannotLook, nil, ""},
		{verdict.Error, verdict.ContractMissing, nil, ""},
		{"", verdict.AllVerified, nil, ""},
		{"passed", verdict.AllVerified, nil, ""},
	} {
		r := &receipt.Receipt{Result: c.result, Reason: c.reason, Outcomes: c.outcomes}
		if got := StateOf(r); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.result, c.reason, got, c.want)
		}
	}
}

// TestIDs holds that every part of a delivery makes it a run of its own.
func TestIDs(t *testing.T) {
	seen := map[string]string{}
	for name, d := range map[string]Delivery{
		"nothing": {}, "task": {TaskID: "a"}, "dispatch": {DispatchID: "a"}, "head": {HeadSHA: "a"}, "start": {RunStartedAt: "a"}, "exit": {AgentExit: "0"},
		"contract": {Contract: []byte("a")}, "no bytes of a contract": {Contract: []byte{}}, "text": {Texts: [][]byte{[]byte("a")}}, "two texts": {Texts: [][]byte{[]byte("a"), nil}},
		"admission": {Admission: true},
	} {
		id := d.ID()
		if other, twice := seen[id]; twice || !isHex(id, 64) || id != d.ID() {
			t.Errorf("%s is called %q, as is %q", name, id, other)
		}
		seen[id] = name
	}
}

// sample is a file with a run in each kind of state.
func sample(t testing.TB) *File {
	t.Helper()
	f := &File{}
	for i, r := range []*receipt.Receipt{judged(t, true), judged(t, false), nil} {
		run, err := f.Begin(&Delivery{TaskID: "t", DispatchID: strings.Repeat("d", i+1), HeadSHA: strings.Repeat("a", 40)})
		if err != nil {
			t.Fatal(err)
		}
		if r != nil && !run.Conclude(r) {
			t.Fatal("no conclusion")
		}
	}
	return f
}

// judged is a completed receipt of one outcome that asks for nothing but a step.
func judged(t testing.TB, pass bool) *receipt.Receipt {
	t.Helper()
	result := map[bool]string{true: "success", false: "failure"}[pass]
	r := &receipt.Receipt{
		Subject: receipt.Subject{HeadSHA: strings.Repeat("a", 40)},
		Scope:   verdict.Scope{Contract: verdict.ContractOK, Gating: verdict.Gated, Protection: verdict.Untouched, Mode: contract.Enforce},
		Outcomes: []receipt.Outcome{{
			Rule: contract.Outcome{ID: "smoke", Trust: contract.Run, Validators: []contract.Validator{{Kind: "step", Params: []byte(`{"id":"smoke"}`)}}}, Expected: true,
			Facts:      evidence.Observation{ID: "smoke"},
			Validators: []receipt.Validator{{Kind: "step", Version: "1", Facts: []byte(`{"given":true,"present":true,"outcome":"` + result + `"}`)}},
		}},
	}
	if err := r.Complete(); err != nil {
		t.Fatal(err)
	}
	if d, err := receipt.Replay(r); err != nil || d != nil {
		t.Fatalf("%+v, %v", d, err)
	}
	return r
}

// TestParse holds that what was written reads back, and that a torn, foreign or edited file is named for what it is.
func TestParse(t *testing.T) {
	whole, err := sample(t).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse(whole)
	if err != nil {
		t.Fatal(err)
	}
	if f.State != Claimed || len(f.Runs) != 3 || f.Runs[0].State == f.Runs[1].State || f.Runs[0].Digest == f.Runs[1].Digest {
		t.Errorf("%s", whole)
	}
	for cut := range whole {
		if _, err := Parse(whole[:cut]); err == nil || !strings.Contains(err.Error(), "cut short") && !strings.Contains(err.Error(), "edited") {
			t.Fatalf("cut to %d of %d bytes: %v", cut, len(whole), err)
		}
	}
	first := f.Runs[0].ID
	for name, c := range map[string]struct{ was, is, want string }{
		"another schema":              {"transition/v1", "transition/v2", "something else"},
		"no schema":                   {`"schema"`, `"scheme"`, "something else"},
		"another member":              {`"runs": [`, `"more": 1, "runs": [`, "edited"},
		"another name":                {first, strings.Repeat("b", 63) + "g", "edited"},
		"a name twice":                {f.Runs[1].ID, first, "edited"},
		"verified without a receipt":  {`"state": "completion_claimed",` + "\n      \"task_id\"", `"state": "verified",` + "\n      \"task_id\"", "without its receipt"},
		"a claim with a receipt":      {`"state": "` + string(f.Runs[0].State) + `",` + "\n      \"task_id\"", `"state": "completion_claimed",` + "\n      \"task_id\"", "has a judgement"},
		"no state":                    {`"state": "` + string(f.Runs[0].State) + `",` + "\n      \"task_id\"", `"state": "",` + "\n      \"task_id\"", "no state"},
		"another receipt's place":     {`"receipt": "` + first, `"receipt": "../` + first, "without its receipt"},
		"another digest":              {f.Runs[0].Digest, "sha256:0", "without its receipt"},
		"another state on top":        {`"state": "completion_claimed",` + "\n  \"runs\"", `"state": "verified",` + "\n  \"runs\"", "not as it was written"},
		"another order or white room": {"\n  \"runs\"", "\n   \"runs\"", "not as it was written"},
	} {
		if !bytes.Contains(whole, []byte(c.was)) {
			t.Errorf("%s: %q is not there", name, c.was)
		}
		if _, err := Parse(bytes.ReplaceAll(whole, []byte(c.was), []byte(c.is))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	for _, text := range []string{"", "\n", "null\n", "[]\n", "{}\n", "1\n", "hello\n", "\xff\xfe", string(whole) + "{}", `{"schema":"` + Schema + `","state":"","runs":[]}` + "\n", strings.Repeat(" ", MaxFile+1)} {
		if _, err := Parse([]byte(text)); err == nil {
			t.Errorf("%.40q is read", text)
		}
	}
}

// TestBegin holds that a claim takes the place of what was only running, and that a full file takes none.
func TestBegin(t *testing.T) {
	f := &File{}
	enter := func(d Delivery) *Run {
		t.Helper()
		r, err := f.Begin(&d)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := enter(Delivery{Admission: true}); r.State != Running || r.State.Concluded() || r.Settled() {
		t.Errorf("%+v", r)
	}
	long := strings.Repeat("ü", 300)
	if r := enter(Delivery{TaskID: long}); r.State != Claimed || len(f.Runs) != 1 || len(r.TaskID) > maxName+len("…") || f.Find((&Delivery{TaskID: long}).ID()) != r || f.Find("x") != nil {
		t.Errorf("%+v of %d", r, len(f.Runs))
	}
	enter(Delivery{Admission: true})
	if len(f.Runs) != 2 {
		t.Errorf("a claim gave way to an admission: %+v", f.Runs)
	}
	for i := len(f.Runs) - 1; i < MaxRuns; i++ {
		enter(Delivery{TaskID: strings.Repeat("\x01", 200), DispatchID: long, HeadSHA: strings.Repeat("a", 40), AgentExit: strings.Repeat("1", i)})
	}
	if _, err := f.Begin(&Delivery{AgentExit: "x"}); !errors.Is(err, ErrFull) {
		t.Errorf("%v", err)
	}
	for i := range f.Runs {
		if f.Runs[i].State == Claimed && !f.Runs[i].Conclude(judged(t, false)) {
			t.Fatal("no conclusion")
		}
	}
	if data, err := f.Bytes(); err != nil || len(data) > MaxFile {
		t.Errorf("a full file has %d bytes, %v", len(data), err)
	} else if _, err := Parse(data); err != nil {
		t.Error(err)
	}
	if r := (&Run{}); r.Conclude(&receipt.Receipt{Result: verdict.Error, Reason: verdict.CannotLook}) || r.State != "" || r.Judged != 0 {
		t.Errorf("an error concludes: %+v", r)
	}
}

// FuzzParse holds that whatever parses prints back to the same bytes, and has no conclusion without its receipt.
func FuzzParse(f *testing.F) {
	whole, err := sample(f).Bytes()
	if err != nil {
		f.Fatal(err)
	}
	seeds := [][]byte{whole, whole[:len(whole)/2], []byte("{}"), []byte(`{"schema":"` + Schema + `"}`), bytes.ReplaceAll(whole, []byte("verified"), []byte("missing"))}
	for _, s := range seeds {
		if len(s) == 0 {
			f.Fatal("an empty seed")
		}
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Parse(data)
		if err != nil {
			return
		}
		for _, r := range got.Runs {
			if r.State.Concluded() != (r.Digest != "" && r.Judged > 0) {
				t.Fatalf("%+v", r)
			}
		}
		if back, err := got.Bytes(); err != nil || !bytes.Equal(back, data) {
			t.Fatalf("%v\n%s", err, back)
		}
	})
}
