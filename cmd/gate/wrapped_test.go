package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/report"
)

// wrapped holds a file for each shape in which a runtime hands back an agent's text, with its class in index.txt.
const wrapped = "../../internal/report/testdata/wrapped"

// TestClassifyWrapped gives every shape to gate classify as a user does, and again with its form named: a form that
// was known by its members means the same if it is given.
func TestClassifyWrapped(t *testing.T) {
	f, err := os.Open(filepath.Join(wrapped, "index.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	listed := map[string]bool{"index.txt": true}
	forms := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		row := strings.Fields(lines.Text())
		if row[0] == "#" {
			continue
		}
		file, wrapper, verdict, reason, flags := row[0], row[1], row[2], row[3], row[4:]
		listed[file] = true
		forms[wrapper]++
		got, code := classifyFile(t, append(slices.Clone(flags), filepath.Join(wrapped, file)))
		shown := got.Wrapper
		if shown == "" {
			shown = report.Unwrapped
		}
		want := map[string]int{"LIVE": 0, "still_working": 4}
		wantCode, ok := want[verdict]
		if !ok {
			if wantCode, ok = want[reason]; !ok {
				wantCode = 1
			}
		}
		if string(got.Verdict) != verdict || string(got.Reason) != reason || shown != wrapper || code != wantCode || got.MayRetry {
			t.Errorf("%s: %s %s in %s, exit %d; want %s %s in %s, exit %d (%q)", file, got.Verdict, got.Reason, shown, code, verdict, reason, wrapper, wantCode, got.Errors)
		}
		if wrapper == report.Unwrapped || slices.Contains(flags, "--wrapper") || file == "two-forms.json" || strings.HasPrefix(file, "in-text-") {
			continue
		}
		if again, _ := classifyFile(t, append(slices.Clone(flags), "--wrapper", wrapper, filepath.Join(wrapped, file))); string(again.all) != string(got.all) {
			t.Errorf("%s: with --wrapper %s\n%s\nand without\n%s", file, wrapper, again.all, got.all)
		}
	}
	entries, err := os.ReadDir(wrapped)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !listed[e.Name()] {
			t.Errorf("%s is not in the index", e.Name())
		}
	}
	for _, w := range report.Wrappers() {
		if forms[w.Name] < 5 {
			t.Errorf("%s has %d shapes", w.Name, forms[w.Name])
		}
	}
}

// answered is the answer of gate classify, and its bytes.
type answered struct {
	classified
	all []byte
}

func classifyFile(t *testing.T, args []string) (answered, int) {
	t.Helper()
	return classifyText(t, "", args)
}

func classifyText(t *testing.T, stdin string, args []string) (answered, int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	m := &outside{stdin: strings.NewReader(stdin), stdout: &stdout, stderr: &stderr, getenv: func(string) string { return "" }, now: time.Now}
	code := run(context.Background(), append([]string{"classify"}, args...), m)
	got := answered{all: stdout.Bytes()}
	if err := json.Unmarshal(got.all, &got.classified); err != nil {
		t.Fatalf("classify %q: %v\n%s%s", args, err, stdout.String(), stderr.String())
	}
	return got, code
}

// TestClassifyTable gives a text for each row of the table of classes to gate classify.
func TestClassifyTable(t *testing.T) {
	const (
		good  = "{\"outcome\":\"succeeded\",\"evidence\":[\"make test: ok\"]}"
		prose = "All of it is done, and all tests pass."
	)
	head, other := strings.Repeat("a1", 20), strings.Repeat("b2", 20)
	named := func(commit string) string { return strings.TrimSuffix(good, "}") + ",\"commit\":\"" + commit + "\"}" }
	says := func(outcome string) string { return strings.Replace(good, "succeeded", outcome, 1) }
	for _, c := range []struct {
		row, text, flags string
		verdict, reason  string
		retry            bool
	}{
		{"1 failed", says("failed"), "", "EXITED", "outcome_failed", false},
		{"1 blocked, exit 1", says("blocked"), "--agent-exit 1", "EXITED", "outcome_failed", false},
		{"1 failed, exit 0, without evidence", "{\"outcome\":\"failed\"}", "--agent-exit 0", "EXITED", "outcome_failed", false},
		{"1 one of several", good + "\n" + says("failed"), "", "EXITED", "outcome_failed", false},
		{"2 exit 1", good, "--agent-exit 1", "EXITED", "exit_nonzero", true},
		{"2 exit 137, silent", "", "--agent-exit 137", "EXITED", "exit_nonzero", true},
		{"2 exit 126", prose, "--agent-exit 126", "EXITED", "exit_nonzero", false},
		{"2 exit 127", prose, "--agent-exit 127", "EXITED", "exit_nonzero", false},
		{"2 exit 130", prose, "--agent-exit 130", "EXITED", "exit_nonzero", false},
		{"2 exit 143", prose, "--agent-exit 143", "EXITED", "exit_nonzero", false},
		{"2 exit 3 under a status completed", "{\"task_index\":0,\"status\":\"completed\",\"summary\":\"\"}", "--agent-exit 3", "EXITED", "exit_nonzero", true},
		{"3 status failed", "{\"task_index\":0,\"status\":\"failed\",\"summary\":null}", "", "EXITED", "runtime_failed", false},
		{"3 a notice, exit 0", "\u26a0 Subagent failed: it broke", "--agent-exit 0", "EXITED", "runtime_failed", false},
		{"3b a draft without a report", prose, "--draft", "UNVERIFIABLE", "still_working", false},
		{"3b a draft without a text", "", "--draft", "UNVERIFIABLE", "still_working", false},
		{"3b the runtime works", "{\"status\":\"dispatched\",\"delegation_id\":\"deleg_00000000\"}", "--agent-exit 0", "UNVERIFIABLE", "still_working", false},
		{"4 nothing", "", "", "UNVERIFIABLE", "no_output", false},
		{"4 blank", " \n\u200b\n", "", "UNVERIFIABLE", "no_output", false},
		{"4 a placeholder", "(No response generated)\n", "", "UNVERIFIABLE", "no_output", false},
		{"4 the runtime ran out of time", "\u26a0 Subagent timed out", "", "UNVERIFIABLE", "no_output", false},
		{"5 nothing, exit 0", "", "--agent-exit 0", "UNVERIFIABLE", "clean_exit_no_report", false},
		{"5 a placeholder, exit 0", "[SILENT]", "--agent-exit 0", "UNVERIFIABLE", "clean_exit_no_report", false},
		{"7 prose", prose, "", "EXITED", "contract_miss", false},
		{"7 prose, exit 0", prose, "--agent-exit 0", "EXITED", "contract_miss", false},
		{"7 a broken schema", "{\"outcome\":\"succeeded\",\"evidence\":[\"x\"],\"failing\":1}", "", "EXITED", "contract_miss", false},
		{"7 broken JSON", "```outcome\n{\n```\n", "", "EXITED", "contract_miss", false},
		{"8 two reports", good + "\n" + strings.Replace(good, "ok", "fine", 1), "", "UNVERIFIABLE", "ambiguous_report", false},
		{"9 no outcome", "{\"evidence\":[\"x\"]}", "", "UNVERIFIABLE", "no_verdict_in_payload", false},
		{"9 another word", says("done"), "", "UNVERIFIABLE", "no_verdict_in_payload", false},
		{"9 a problem document", "{\"type\":\"about:blank\",\"title\":\"Not Found\"}", "", "UNVERIFIABLE", "no_verdict_in_payload", false},
		{"10 no evidence", "{\"outcome\":\"succeeded\"}", "", "UNVERIFIABLE", "success_without_evidence", false},
		{"10 blank evidence", "{\"outcome\":\"succeeded\",\"evidence\":[\" \"]}", "", "UNVERIFIABLE", "success_without_evidence", false},
		{"11 something fails", strings.TrimSuffix(good, "}") + ",\"failing\":[\"x\"]}", "", "UNVERIFIABLE", "report_conflict", false},
		{"12 another commit", named(other), "--head " + head, "UNVERIFIABLE", "stale_report", false},
		{"12 another task", strings.TrimSuffix(good, "}") + ",\"task_id\":\"t1\"}", "--task-id t2", "UNVERIFIABLE", "stale_report", false},
		{"12 another dispatch", strings.TrimSuffix(good, "}") + ",\"dispatch_id\":\"d1\"}", "--dispatch-id d2", "UNVERIFIABLE", "stale_report", false},
		{"13", good, "", "LIVE", "structured_success", false},
		{"13 exit 0, a draft, the head's first digits", named(head[:7]), "--agent-exit 0 --draft --head " + head, "LIVE", "structured_success", false},
		{"13 without a name where one is expected", good, "--task-id t2", "LIVE", "structured_success", false},
	} {
		got, _ := classifyText(t, c.text, strings.Fields(c.flags))
		if string(got.Verdict) != c.verdict || string(got.Reason) != c.reason || got.MayRetry != c.retry {
			t.Errorf("%s: %s %s, retry %v; want %s %s, %v (%q)", c.row, got.Verdict, got.Reason, got.MayRetry, c.verdict, c.reason, c.retry, got.Errors)
		}
	}
}

// TestCarriersOfContracts holds the names that a contract may list to the places and forms that there are.
func TestCarriersOfContracts(t *testing.T) {
	var schema struct {
		Defs struct {
			Report struct {
				Properties struct {
					Carriers struct{ Items struct{ Enum []string } }
				}
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(contract.Schema(gate.ContractKinds()), &schema); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, c := range report.Carriers() {
		want = append(want, c.Name)
	}
	for _, w := range report.Wrappers() {
		want = append(want, w.Name)
	}
	slices.Sort(want)
	if got := schema.Defs.Report.Properties.Carriers.Items.Enum; !slices.Equal(got, want) {
		t.Errorf("a contract may list %q, and there are %q", got, want)
	}
}
