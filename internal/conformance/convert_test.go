package conformance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/gate"
)

func readForTest(t *testing.T, path string) (content, digest string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	return string(data), hex.EncodeToString(sum[:])
}

// intentOf reads an intent with one outcome.
func intentOf(t *testing.T, outcome, more string) *Intent {
	t.Helper()
	var in Intent
	if err := json.Unmarshal([]byte(`{`+more+`"outcomes": [`+outcome+`]}`), &in); err != nil {
		t.Fatal(err)
	}
	return &in
}

// situation is one in which step build has ended two minutes before the gate runs.
func situation() *Scenario {
	end := 60.0
	return &Scenario{
		Files: Files{RunStartedAt: time.Date(2026, 3, 4, 7, 0, 0, 0, time.UTC), NowOffset: 180, Files: map[string]File{"out/there": {}}},
		Run:   Run{Steps: map[string]*Step{"build": {Outcome: "success", FinishedAt: &end}, "suite": {}}, Needs: map[string]Need{"plot": {}}},
	}
}

// TestConvert holds what hints become in the language, as the product reads it back.
func TestConvert(t *testing.T) {
	for _, c := range []struct {
		name, outcome, more string
		holds               func(*contract.Contract) bool
	}{
		{"tests", `{"id":"a","kind":"tests","files":["r/*.xml"],"format":"junit","producer_step":"suite","min_executed":3,"max_skipped":0,"must_include":["x.y"],"allow_flaky":false}`, "",
			func(c *contract.Contract) bool {
				o := c.Outcomes[0]
				return o.Artifact.MadeBy == "suite" && o.Artifact.Files[0] == "r/*.xml" && !o.Artifact.AnyExit && o.Artifact.Committed == "no" &&
					string(o.Validators[0].Params) == `{"format":"junit","max_flaky":0,"max_skipped":0,"min_executed":3,"must_pass":["x.y"]}`
			}},
		{"no new failures", `{"id":"a","kind":"tests","files":["r.xml"],"no_new_failures":true,"base_results":["b.xml"],"producer_step":"suite"}`, "",
			func(c *contract.Contract) bool {
				o := c.Outcomes[0]
				return o.Artifact.AnyExit && string(o.Validators[0].Params) == `{"baseline":{"files":["b.xml"],"trust":"run"},"new_failures_only":true}`
			}},
		{"commit in a property", `{"id":"a","kind":"tests","files":["r.xml"],"bind_commit":{"property":"rev","equals":"head_sha or merge_sha of this run"}}`, "",
			func(c *contract.Contract) bool {
				i := c.Outcomes[0].Artifact.Identity[0]
				return i.Property == "rev" && len(i.Equals) == 1 && i.Equals[0] == "commit"
			}},
		{"artifact", `{"id":"a","kind":"artifact","path":"d/x[1].tgz","sha256":"` + strings.Repeat("ab", 32) + `","fresh":false,"min_bytes":7,"allow_symlink":false,"allow_git_tracked":true,"required":false,"when_changed":["d/**"]}`,
			`"present_on_base": true, `,
			func(c *contract.Contract) bool {
				if len(c.Outcomes) != 2 {
					return false
				}
				o := c.Outcomes[0]
				return o.Optional && o.Artifact.Files[0] == "d/x[[]1].tgz" && o.Artifact.Fresh.Rule == "none" && o.Artifact.MinBytes == 7 && o.Artifact.Symlinks == "refuse" &&
					o.Artifact.Committed == "yes" && o.When.Paths[0] == "d/**" && o.Artifact.SHA256 != ""
			}},
		{"provenance", `{"id":"a","kind":"artifact","path":"x","allow_symlink":"workspace","provenance":{"file":"p.json","head_sha":"head_sha","run/id":"run_id"}}`, "",
			func(c *contract.Contract) bool {
				a := c.Outcomes[0].Artifact
				return a.Symlinks == "inside" && len(a.Identity) == 2 && a.Identity[0].Pointer == "/head_sha" && a.Identity[0].Equals[0] == "commit" &&
					a.Identity[1].Pointer == "/run~1id" && a.Identity[1].Equals[0] == "run_id" && a.Identity[1].File == "p.json"
			}},
		{"window that is over", `{"id":"a","kind":"artifact","path":"x","producer_step":"build","wait_minutes":2}`, "",
			func(c *contract.Contract) bool { return c.Outcomes[0].ObserveFor == 0 }},
		{"window of a file that is there", `{"id":"a","kind":"artifact","path":"out/there","producer_step":"build","wait_minutes":20}`, "",
			func(c *contract.Contract) bool { return c.Outcomes[0].ObserveFor == 0 }},
		{"step", `{"id":"a","kind":"validator","step":"suite","expect_exit":0}`, "", func(c *contract.Contract) bool { return c.Outcomes[0].Validators[0].Kind == "step" }},
		{"job", `{"id":"a","kind":"validator","step":"plot"}`, "", func(c *contract.Contract) bool { return c.Outcomes[0].Validators[0].Kind == "job" }},
		{"neither step nor job", `{"id":"a","kind":"validator","step":"gone"}`, "", func(c *contract.Contract) bool { return c.Outcomes[0].Validators[0].Kind == "step" }},
		{"approval of people", `{"id":"a","kind":"approval","from":"maintain","count":2,"wait_minutes":90}`, "",
			func(c *contract.Contract) bool {
				o := c.Outcomes[0]
				return o.WaitsFor.Approval.Count == 2 && o.WaitsFor.Approval.From[0] == "maintain" && o.Deadline == 5400
			}},
		{"check", `{"id":"a","kind":"external_check","check":"c","app":"p","wait_minutes":45}`, "",
			func(c *contract.Contract) bool {
				return c.Outcomes[0].ObserveFor == 600 && string(c.Outcomes[0].Validators[0].Params) == `{"app":"p","name":"c"}`
			}},
		{"any failure before", `{"id":"a","kind":"fail_before_pass_after","base_results":["b.xml"],"head_results":["h.xml"],"base_failure_kind":"any"}`, "",
			func(c *contract.Contract) bool {
				return string(c.Outcomes[0].Validators[0].Params) == `{"before":{"files":["b.xml"],"trust":"run"},"count_errors":true}`
			}},
		{"agents", `{"id":"a","kind":"validator","step":"suite"}`, `"applies_to":"agent-authored",`,
			func(c *contract.Contract) bool {
				return len(c.AppliesTo.Agents) == len(contract.Agents()) && c.Report.Required == "always"
			}},
		{"marks", `{"id":"a","kind":"validator","step":"suite"}`,
			`"applies_to":"agent-authored","agent_detection":{"logins":["b[bot]"],"branches":["b/**"],"labels":["b"],"trailers":["Made-by: B <b@example.org>","Made-by: @example.com","Co-authored-by: Jules"]},"report":{"requirement":"optional"},`,
			func(c *contract.Contract) bool {
				a := c.AppliesTo
				return a.Authors[0] == "b[bot]" && a.HeadBranches[0] == "b/**" && a.Labels[0] == "b" && a.Agents[0] == "jules" &&
					strings.Join(a.Trailers["Made-by"], " ") == "b@example.org @example.com" && c.Report.Required == "never"
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			outcome := c.outcome
			if strings.Contains(outcome, `"required":false`) {
				outcome += `,{"id":"z","kind":"validator","step":"suite"}`
			}
			out, err := Convert(intentOf(t, outcome, c.more), situation())
			if err != nil {
				t.Fatal(err)
			}
			parsed, problems := contract.Parse("contract.yml", out.YAML, gate.ContractKinds())
			if len(problems.Mistakes()) > 0 {
				t.Fatalf("%v\n%s", problems.Mistakes(), out.YAML)
			}
			if !c.holds(parsed) {
				t.Errorf("the contract says something else:\n%s", out.YAML)
			}
		})
	}
}

// TestNotExpressible holds that nothing is dropped which the language does not say or this package does not know.
func TestNotExpressible(t *testing.T) {
	step := `{"id":"a","kind":"validator","step":"suite"}`
	for _, c := range []struct{ name, outcome, more, says string }{
		{"format", `{"id":"a","kind":"tests","files":["r"],"format":"smoke-signals"}`, "", "smoke-signals"},
		{"kind", `{"id":"a","kind":"seance"}`, "", "seance"},
		{"hint", `{"id":"a","kind":"validator","step":"suite","moon_phase":"full"}`, "", "moon_phase"},
		{"open window", `{"id":"a","kind":"artifact","path":"x","producer_step":"build","wait_minutes":3}`, "", "step 2"},
		{"open window of an unknown producer", `{"id":"a","kind":"artifact","path":"x","wait_minutes":4}`, "", "step 2"},
		{"path", `{"id":"a","kind":"artifact"}`, "", "without a path"},
		{"exit", `{"id":"a","kind":"validator","step":"suite","expect_exit":3}`, "", "exit with 3"},
		{"no step", `{"id":"a","kind":"validator"}`, "", "without a step"},
		{"no check", `{"id":"a","kind":"external_check"}`, "", "without a name"},
		{"no base", `{"id":"a","kind":"tests","files":["r"],"no_new_failures":true}`, "", "base_results"},
		{"binding", `{"id":"a","kind":"tests","files":["r"],"bind_commit":{"property":"p","equals":"yesterday"}}`, "", "yesterday"},
		{"failure kind", `{"id":"a","kind":"fail_before_pass_after","base_results":["b"],"head_results":["h"],"base_failure_kind":"flood"}`, "", "flood"},
		{"applies to", step, `"applies_to":"tuesdays",`, "tuesdays"},
		{"mark", step, `"applies_to":"agent-authored","agent_detection":{"handwriting":["x"]},`, "handwriting"},
		{"trailer without an address", step, `"applies_to":"agent-authored","agent_detection":{"trailers":["Co-authored-by: Buoy"]},`, "Buoy"},
		{"requirement", step, `"report":{"requirement":"perhaps"},`, "perhaps"},
		{"word", step, `"report":{"outcomes":["succeeded","splendid"]},`, "splendid"},
		{"report", step, `"report":{"signed":true},`, "signed"},
		{"contract", step, `"quorum":3,`, "quorum"},
		{"source", step, `"contract_source":"head",`, "head"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Convert(intentOf(t, c.outcome, c.more), situation())
			var lacks *NotExpressible
			if !errors.As(err, &lacks) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want it to be not expressible because of %s", err, c.says)
			}
		})
	}
}

// TestUnreported holds that a contract asks for no report any more, and for everything else as before.
func TestUnreported(t *testing.T) {
	for in, want := range map[string]string{
		"version: 1\nreport: {required: always, bind: commit}\nreviewed: 2026-01-02\n": "version: 1\nreport:\n    required: never\nreviewed: 2026-01-02\n",
		"version: 1\n": "version: 1\nreport:\n    required: never\n",
	} {
		if got, err := unreported([]byte(in)); err != nil || string(got) != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	for _, in := range []string{"- a\n", "", "a: [\n"} {
		if _, err := unreported([]byte(in)); err == nil {
			t.Errorf("%q is taken for a contract", in)
		}
	}
}

// TestLoad holds that a directory is read strictly by type and leniently by name.
func TestLoad(t *testing.T) {
	parts := map[string]string{
		"contract.yml": "version: 1\n", "pr.json": `{"number": 1, "author": "x", "body": null, "labels": ["a", {"name": "b"}], "commits": [{"author": "Ines B <ines@example.org>"}, {"author": "gull"}], "moon": 1}`,
		"steps.json": `{"workflow": {}, "agent_exit_status": "seven", "steps": {"gone": null}}`, "mtimes.json": `{"run_started_at": "2026-03-04T07:00:00Z"}`, "expected.json": `{"gate": "pass"}`,
	}
	write := func(t *testing.T, change map[string]string) string {
		dir := t.TempDir()
		for name, text := range parts {
			if c, ok := change[name]; ok {
				text = c
			}
			if text == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	s, err := Load(write(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	if *s.Run.AgentExit != badStatus || s.Pull.Labels[1] != "b" || s.Pull.Commits[0].Author.Email != "ines@example.org" || s.Pull.Commits[1].Author.Login != "gull" {
		t.Errorf("read as %+v %+v", s.Run, s.Pull)
	}
	for name, change := range map[string]map[string]string{
		"no contract": {"contract.yml": ""}, "no expectation": {"expected.json": `{}`}, "no start": {"mtimes.json": `{}`}, "no pull request": {"pr.json": ""},
		"another type": {"pr.json": `{"number": "one"}`}, "two values": {"pr.json": `{} {}`}, "broken": {"steps.json": `{`},
	} {
		if _, err := Load(write(t, change)); err == nil {
			t.Errorf("%s: it is read", name)
		}
	}
	if r := RunDir(t.Context(), t.TempDir(), t.TempDir()); r.Grade != Broken {
		t.Errorf("an empty directory is %s", r.Grade)
	}
}
