package receipt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/report"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

var begin = time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)

func file(name string, age time.Duration) evidence.File {
	at := begin.Add(-age)
	return evidence.File{Name: name, SizeBytes: 10, ModifiedAt: &at, SHA256: strings.Repeat("0f", 32), Git: evidence.GitFacts{Known: true}}
}

func outcome(id string, files ...evidence.File) Outcome {
	return Outcome{
		Rule: contract.Outcome{ID: id, Trust: contract.Run, Artifact: &contract.Artifact{
			Files: []string{"out/*"}, Fresh: contract.Fresh{Rule: "run"}, Committed: "no", Symlinks: "inside", MinBytes: 1, Count: contract.Count{Min: 1}}},
		Expected: true,
		Facts:    evidence.Observation{ID: id, Artifact: &evidence.FileSet{Total: len(files), Files: files, Tier: "run"}},
	}
}

func sample(outcomes ...Outcome) *Receipt {
	return &Receipt{
		Gate:    Gate{Version: "test"},
		Subject: Subject{Repository: "north/harbour", PullRequest: 7, HeadSHA: strings.Repeat("a1", 20)},
		Scope: verdict.Scope{Contract: verdict.ContractOK, Gating: verdict.Gated, Protection: verdict.Untouched,
			OnClaimConflict: "warn", WhenNothingExpected: "pass", Mode: contract.Enforce},
		Report:        Report{Facts: verdict.ReportFacts{Problem: report.NoText}},
		Circumstances: evidence.Circumstances{Subject: evidence.Subject{HeadSHA: strings.Repeat("a1", 20)}, Now: begin, Boundary: begin.Add(-time.Hour)},
		Outcomes:      outcomes,
		Now:           begin, StartedAt: begin, FinishedAt: begin,
	}
}

func complete(t *testing.T, r *Receipt) []byte {
	t.Helper()
	if err := r.Complete(); err != nil {
		t.Fatal(err)
	}
	b, err := r.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCompleteAndReplay(t *testing.T) {
	r := sample(outcome("cargo", file("out/a", 0)), outcome("crane", file("out/b", 2*time.Hour)))
	b := complete(t, r)
	if r.Verdict != verdict.Unverifiable || r.Reason != verdict.EvidenceIncomplete || r.Result != verdict.Block || r.Next != verdict.Produce {
		t.Errorf("verdict %s %s %s %s", r.Verdict, r.Reason, r.Result, r.Next)
	}
	if r.Outcomes[1].State != evidence.Stale || *r.VerifiedRate != "1/2" || *r.Coverage != "0/2" {
		t.Errorf("state %s, rates %s %s", r.Outcomes[1].State, *r.VerifiedRate, *r.Coverage)
	}
	parsed, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	again, err := parsed.Bytes()
	if err != nil || !bytes.Equal(again, b) {
		t.Fatalf("what parses does not print back: %v", err)
	}
	if d, err := Replay(parsed); err != nil || d != nil {
		t.Fatalf("replay: %+v, %v", d, err)
	}
	if second := complete(t, r); !bytes.Equal(second, b) {
		t.Error("the same facts give other bytes the second time")
	}
}

// TestReplayFindsTampering changes every conclusion in turn; a replay must name it.
func TestReplayFindsTampering(t *testing.T) {
	for _, c := range []struct {
		at     string
		tamper func(*Receipt)
	}{
		{"result", func(r *Receipt) { r.Result = verdict.Pass }},
		{"verdict", func(r *Receipt) { r.Verdict = verdict.Live }},
		{"reason", func(r *Receipt) { r.Reason = verdict.AllVerified }},
		{"next", func(r *Receipt) { r.Next = verdict.NoNext }},
		{"may_retry", func(r *Receipt) { r.MayRetry = true }},
		{"verified", func(r *Receipt) { r.Verified = 2 }},
		{"coverage", func(r *Receipt) { s := "2/2"; r.Coverage = &s }},
		{"outcomes[1].state", func(r *Receipt) { r.Outcomes[1].State = evidence.Verified }},
		{"outcomes[1].code", func(r *Receipt) { r.Outcomes[1].Code = "artifact/ok" }},
		{"outcomes[1].observation.committed", func(r *Receipt) { r.Outcomes[1].Observation.Committed = true }},
		{"report.verdict", func(r *Receipt) { r.Report.Verdict = verdict.Live }},
		{"digest", func(r *Receipt) { r.Digest = "sha256:" + strings.Repeat("0", 64) }},
		{"digest", func(r *Receipt) { r.Subject.PullRequest = 8 }},
		{"outcomes[0].files[0].code", func(r *Receipt) { r.Outcomes[0].Facts.Artifact.Files[0].SHA256 = "" }},
	} {
		r := sample(outcome("cargo", file("out/a", 0)), outcome("crane", file("out/b", 2*time.Hour)))
		complete(t, r)
		c.tamper(r)
		d, err := Replay(r)
		if err != nil || d == nil {
			t.Errorf("%s: tampering went unseen: %v", c.at, err)
			continue
		}
		if d.At != c.at || d.Recorded == d.Replayed {
			t.Errorf("%s: named as %+v", c.at, d)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	good := string(complete(t, sample(outcome("cargo", file("out/a", 0)))))
	for _, c := range []struct{ name, in, want string }{
		{"an unknown member", strings.Replace(good, `"result":`, `"extra":1,"result":`, 1), "unknown field"},
		{"a member in another case", strings.Replace(good, `"result":`, `"Result":`, 1), "not of a receipt's shape"},
		{"a duplicate", strings.Replace(good, `"result":`, `"result":"pass","result":`, 1), "occurs twice"},
		{"another schema", strings.Replace(good, "receipt/v1", "receipt/v9", 1), "this gate reads"},
		{"another type", strings.Replace(good, `"expected":1`, `"expected":"1"`, 1), "cannot unmarshal"},
		{"an absent member", strings.Replace(good, `"may_retry":false,"next":"none",`, `"next":"none",`, 1), "may_retry"},
		{"a cut file", good[:len(good)/2], "EOF"},
		{"data after it", good + "{}", "data after"},
		{"no receipt at all", `[]`, "cannot unmarshal"},
	} {
		_, err := Parse([]byte(c.in))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want something with %q", c.name, err, c.want)
		}
	}
}

// TestCondense holds that the files kept are those that matter, and that what is left out still counts.
func TestCondense(t *testing.T) {
	var files []evidence.File
	for i := range 50 {
		age := time.Duration(0)
		if i == 40 || i == 45 {
			age = 3 * time.Hour
		}
		files = append(files, file(fmt.Sprintf("out/%02d", i), age))
	}
	for _, stale := range []int{0, 2, 30} {
		o := outcome("cargo", files...)
		for i := range stale {
			o.Facts.Artifact.Files[i] = file(fmt.Sprintf("out/%02d", i), 3*time.Hour)
		}
		r := sample()
		Condense(&o.Facts, o.Rule.Artifact, o.Rule.Trust, &r.Circumstances)
		set := o.Facts.Artifact
		n := len(set.Files)
		for _, g := range set.More {
			n += g.N
		}
		if len(set.Files) != keptFiles || n != 50 {
			t.Errorf("%d stale: %d files kept, %d counted", stale, len(set.Files), n)
		}
		r.Outcomes = []Outcome{o}
		complete(t, r)
		if r.Outcomes[0].State != evidence.Stale {
			t.Errorf("%d stale: %s", stale, r.Outcomes[0].State)
		}
	}
}

func TestNotExpectedKeepsNothing(t *testing.T) {
	o := outcome("cargo", file("out/a", 0))
	o.Expected, o.Rule.When = false, &contract.When{Paths: []string{"src/**"}}
	r := sample(o)
	complete(t, r)
	got := r.Outcomes[0]
	if got.State != NotExpected || got.Facts.Artifact != nil || r.Expected != 0 || r.Coverage != nil {
		t.Errorf("%+v, expected %d", got, r.Expected)
	}
	if r.Result != verdict.Pass || r.Reason != verdict.NothingExpected {
		t.Errorf("%s %s", r.Result, r.Reason)
	}
}

// TestSharedArtifact holds that an outcome with `of` is judged by the other outcome's rules.
func TestSharedArtifact(t *testing.T) {
	first := outcome("cargo", file("out/a", 0))
	second := outcome("crane", file("out/a", 0))
	second.Rule.Artifact = &contract.Artifact{Of: "cargo"}
	second.Facts.Of = "cargo"
	r := sample(first, second)
	complete(t, r)
	if r.Outcomes[1].State != evidence.Verified || r.Outcomes[1].Observation.ArtifactID != "cargo" {
		t.Errorf("%s of %s", r.Outcomes[1].State, r.Outcomes[1].Observation.ArtifactID)
	}
	r.Outcomes[0].Rule.Artifact = &contract.Artifact{Of: "crane"}
	complete(t, r)
	if r.Outcomes[1].State == evidence.Verified {
		t.Error("a cycle of shared artifacts is verified")
	}
}

func TestFirstDifference(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{`{"a":1}`, `{"a":1}`, ""},
		{`{"a":1}`, `{"a":2}`, "a"},
		{`{"a":[1,{"b":2}]}`, `{"a":[1,{"b":3}]}`, "a[1].b"},
		{`{"digest":1,"z":1}`, `{"digest":2,"z":2}`, "z"},
		{`{"a":[1]}`, `{"a":[1,2]}`, "a"},
		{`{"a":{}}`, `{"a":[]}`, "a"},
		{`{"a":1}`, `{}`, "a"},
		{`1`, `{}`, "the whole"},
	} {
		if got := firstDifference([]byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("%s and %s differ at %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	r := sample(outcome("cargo", file("out/a", 0)), outcome("crane", file("out/b", 2*time.Hour)))
	if err := r.Complete(); err != nil {
		f.Fatal(err)
	}
	b, err := r.Bytes()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"schema":"` + SchemaURI + `"}`))
	// What parses prints back to the same canonical bytes, replaying never panics, and what replays without a
	// difference passes only if every outcome that counts is verified.
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Parse(data)
		if err != nil {
			return
		}
		want, _ := Canonical(data)
		got, err := r.Bytes()
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("parses and does not print back: %v", err)
		}
		d, err := Replay(r)
		if err != nil || d != nil {
			return
		}
		for _, o := range r.Outcomes {
			if r.Verdict == verdict.Live && o.Required && o.Expected && !o.Waived && o.State != evidence.Verified {
				t.Fatalf("LIVE with %s %s", o.ID, o.State)
			}
		}
	})
}

func TestTimesAreWhole(t *testing.T) {
	var m map[string]any
	if err := json.Unmarshal(complete(t, sample()), &m); err != nil {
		t.Fatal(err)
	}
	if m["now"] != "2026-03-04T10:00:00Z" {
		t.Errorf("now is written as %v", m["now"])
	}
}
