package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/outcome-gate/outcome-gate/internal/fetch"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/local"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/render"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// checkFlags are the flags of gate check.
type checkFlags struct {
	contract, contractRef, workspace    string
	report, event, steps, needs, checks string
	agentExit                           exitFlag
	runStartedAt, head, base, hmacKey   string
	taskID, dispatchID                  string
	format, receipt, transition         string
	only, letWait                       []string
}

func checkCommand(m *outside) *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check",
		Short: "Judge a workspace by its outcome contract",
		Long: `check reads the contract, observes the evidence for each outcome in the workspace, reads the agent's report and
answers with one verdict. It asks no service: what only a service knows is unverified. The addresses (url) of a
contract are looked at.

The contract is that of origin's default branch if there is one; without origin that of --base or of the event's
base; and only where none of them holds one the file in the workspace. The change is what lies between the merge
base of --base and --head; by default between that of origin's default branch and HEAD. What is not committed is
no part of the change.

Evidence counts if it was made after the run began: at --run-started-at if it is given, else at the newest
modification time among the tracked files that are no evidence themselves. Every edit of a source renews that
boundary, and so does whatever writes the files anew, such as switching branches.

Exit codes: 0 pass, 1 block, 2 usage or contract, 3 could not look, 4 wait. A selection by --only that
leaves an outcome out is never a pass of the whole: it ends with 4 at best. --wait-exit-zero names what may
be waited for with exit code 0, as a hook needs it; verdict, answer and receipt stay what they are.

With --transition FILE the same delivery is judged once, however often it comes and wherever a process is killed:
FILE says running, completion_claimed, and then verified, waiting or what is in the way, and FILE.receipts holds one
receipt for each run. A delivery is one of its own by the report that is handed in, the event, the report's file in the
workspace, --agent-exit, --task-id, --dispatch-id, --run-started-at, the head commit and the contract.`,
		Example: `  gate check
  gate check --base main --report report.json --agent-exit 0
  gate check --contract-ref main:.github/outcome-contract.yml --format json
  gate check --event "$GITHUB_EVENT_PATH" --steps steps.json --receipt receipt.json
  gate check --only unit-tests --wait-exit-zero partial
  gate check --task-id 41 --dispatch-id 2 --report answer.json --transition ../task-41.json`,
		Args: takes(0, 0, ""),
		RunE: func(c *cobra.Command, _ []string) error { return m.check(c.Context(), &f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.contract, "contract", "", "judge by this contract `FILE`")
	fl.StringVar(&f.contractRef, "contract-ref", "", "judge by the contract at `REF:PATH` of the repository")
	fl.StringVar(&f.workspace, "workspace", "", "`DIR` with the evidence, the root of the repository (default the top folder of the repository that this folder lies in, else this folder)")
	fl.StringVar(&f.report, "report", "", "the agent's report: a `FILE`, or - for standard input")
	fl.StringVar(&f.event, "event", "", "`FILE` with the payload of a pull_request event")
	fl.StringVar(&f.steps, "steps", "", "`FILE` with toJSON(steps) of the workflow: {\"ID\": {\"outcome\": \"success\"}}")
	fl.StringVar(&f.needs, "needs", "", "`FILE` with toJSON(needs) of the workflow: {\"ID\": {\"result\": \"success\"}}")
	fl.StringVar(&f.checks, "checks", "", "`FILE` with a JSON list of check runs")
	fl.Var(&f.agentExit, "agent-exit", "exit status of the agent, `N` from 0 to 255")
	fl.StringVar(&f.runStartedAt, "run-started-at", "", "when the run began, an RFC 3339 `TIME`; evidence must not be older")
	fl.StringVar(&f.head, "head", "", "the judged commit: a branch, tag or commit as `REV`, such as main, HEAD~1 or a short commit name (default HEAD)")
	fl.StringVar(&f.base, "base", "", "what the change is compared with: a branch, tag or commit as `REV`, such as main, HEAD~1 or a short commit name")
	fl.StringVar(&f.hmacKey, "hmac-key-file", "", "`FILE` with the key of hmac_sha256; a line break at its end does not count")
	fl.StringVar(&f.taskID, "task-id", "", "the task `ID` that the report must name, if it names one")
	fl.StringVar(&f.dispatchID, "dispatch-id", "", "the dispatch `ID` that the report must name, if it names one")
	fl.StringVar(&f.receipt, "receipt", "", "write the receipt to this `FILE` as well")
	fl.StringVar(&f.transition, "transition", "", "keep in this `FILE` how far the run has come, and judge each delivery once")
	fl.StringSliceVar(&f.only, "only", nil, "look only at these outcomes, `ID,...`")
	fl.StringSliceVar(&f.letWait, "wait-exit-zero", nil, "end with 0 where only this is waited for, `REASON,...` of "+strings.Join(waits(), ", "))
	formatFlag(c, &f.format, "text", "json", "markdown", "problem")
	return c
}

// check is gate check.
func (m *outside) check(ctx context.Context, f *checkFlags) error {
	o, err := m.checkOptions(f)
	if err != nil {
		return err
	}
	if err := knownWaits(f.letWait); err != nil {
		return err
	}
	done := m.progress("looking at the workspace")
	defer done()
	judge := func() (*receipt.Receipt, []string, error) { return m.judge(ctx, o, true) }
	if f.transition != "" {
		judge = func() (*receipt.Receipt, []string, error) { return m.deliver(ctx, f, o) }
	}
	r, said, err := judge()
	if err != nil {
		return err
	}
	done()
	if here := m.path("."); o.Workspace != here && f.workspace == "" {
		m.say("workspace: %s, the top folder of the repository", o.Workspace)
	}
	for _, line := range said {
		m.say("%s", line)
	}
	// The receipt comes first, and what cannot be written keeps nothing else from being told.
	err = errors.Join(m.keepReceipt(r, f.receipt), m.show(r, f.format))
	m.advise(r, f.format)
	if err != nil {
		return err
	}
	return m.exitWith(r, f.letWait)
}

// judge judges a workspace once, and says where contract and change come from. Who is patient looks again at what a window
// of the contract is open for.
func (m *outside) judge(ctx context.Context, o local.Options, patient bool) (*receipt.Receipt, []string, error) {
	c, err := local.Open(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	r, err := m.judgeOpened(ctx, c, patient)
	if err = errors.Join(err, c.Close()); err != nil {
		return nil, nil, err
	}
	return r, c.Said, knownOutcomes(o.Only, r)
}

// judgeOpened judges a workspace that is open already.
func (m *outside) judgeOpened(ctx context.Context, c *local.Check, patient bool) (*receipt.Receipt, error) {
	facts := &c.World.Facts
	facts.Look = fetch.New(fetch.Options{UserAgent: "outcome-gate/" + version()}).Look
	if patient {
		facts.Now, facts.Pause = m.now, fetch.Pause
	}
	r, err := gate.Run(ctx, c.World)
	if err == nil {
		err = context.Cause(ctx)
	}
	return r, err
}

// waits are the reasons for a wait that a local check cannot end: a person or another check does, or nobody asked for
// the rest.
func waits() []string {
	var out []string
	for _, r := range []verdict.Reason{verdict.Awaiting, verdict.ProtectedChange, verdict.ContractProposed, verdict.Partial} {
		out = append(out, string(r))
	}
	return out
}

// knownWaits refuses what --wait-exit-zero cannot let go.
func knownWaits(reasons []string) error {
	for _, r := range reasons {
		if !slices.Contains(waits(), r) {
			return usageError("reasons: "+strings.Join(waits(), ", "), "--wait-exit-zero: %q is no reason to wait that can be let go", r)
		}
	}
	return nil
}

// keepReceipt writes the receipt to a file, if one is asked for.
func (m *outside) keepReceipt(r *receipt.Receipt, path string) error {
	if path == "" {
		return nil
	}
	b, err := render.JSON(r)
	if err != nil {
		return err
	}
	if err := writeFile(m.path(path), b); err != nil {
		return fmt.Errorf("write the receipt %s: %w", path, err)
	}
	return nil
}

// show writes a receipt in one of the formats.
func (m *outside) show(r *receipt.Receipt, format string) error {
	var b []byte
	var err error
	switch format {
	case "json":
		b, err = indented(render.JSON(r))
	case "markdown":
		b = []byte(render.Markdown(r))
	case "problem":
		b, err = indented(render.Problem(r))
	case "text":
		b = []byte(render.Text(r, false))
		if m.colour {
			b = []byte(render.Terminal(r, m.painted()))
		}
	default:
		err = usageError("", "there is no format %q", format)
	}
	if err != nil {
		return err
	}
	return m.write(b)
}

// advise says the one thing to try where the judgement could not begin, unless the answer itself is for reading
// and says so.
func (m *outside) advise(r *receipt.Receipt, format string) {
	if r.Result != verdict.Error || format == "text" || format == "markdown" {
		return
	}
	m.talk("gate: error: %s\n", render.Title(r))
	hint := ""
	switch r.Reason {
	case verdict.ContractMissing:
		hint = "write " + local.ContractPaths()[0] + ", or name a contract with --contract"
	case verdict.ContractInvalid, verdict.ContractEmpty:
		hint = "run: gate contract lint " + r.Contract.Path
	}
	if hint != "" {
		m.talk("gate: hint: %s\n", render.Line(hint))
	}
}

// exitWith is the exit code of a receipt. A wait whose reason is one of letWait ends with 0.
func (m *outside) exitWith(r *receipt.Receipt, letWait []string) error {
	code := verdict.ExitCode(verdict.Decision{Verdict: r.Verdict, Reason: r.Reason, Result: r.Result}, r.Scope.Mode)
	switch {
	case code == verdict.ExitPass:
		return nil
	case code == verdict.ExitWait && slices.Contains(letWait, string(r.Reason)):
		m.say("exit code 0: --wait-exit-zero lets %s wait", r.Reason)
		return nil
	}
	return answer(code)
}

// knownOutcomes refuses a selection of outcomes that the contract does not have.
func knownOutcomes(only []string, r *receipt.Receipt) error {
	if len(r.Outcomes) == 0 && r.Result == verdict.Error {
		return nil
	}
	var ids []string
	for i := range r.Outcomes {
		ids = append(ids, r.Outcomes[i].ID)
	}
	for _, id := range only {
		found := false
		for _, have := range ids {
			found = found || have == id
		}
		if !found {
			return usageError("run: gate contract lint", "--only: the contract has no outcome %q", id)
		}
	}
	return nil
}

// workspace is the folder that is judged: the one named, else the top folder of the repository that this one lies in.
func (m *outside) workspace(named string) string {
	if named != "" {
		return m.path(named)
	}
	return local.Top(m.path("."))
}

// checkOptions reads what the flags name.
func (m *outside) checkOptions(f *checkFlags) (local.Options, error) {
	o := local.Options{
		Version: version(), Clock: m.now, Workspace: m.workspace(f.workspace), ContractRef: f.contractRef,
		Head: f.head, Base: f.base, Only: f.only,
		Given: local.Given{AgentExit: f.agentExit.status, TaskID: f.taskID, DispatchID: f.dispatchID},
	}
	if f.contract != "" {
		o.ContractFile = m.path(f.contract)
	}
	if f.runStartedAt != "" {
		t, err := time.Parse(time.RFC3339, f.runStartedAt)
		if err != nil {
			return o, usageError("write it like 2026-01-31T12:00:00Z", "--run-started-at %q is no RFC 3339 time", f.runStartedAt)
		}
		o.RunStartedAt = t
	}
	var err error
	if f.report != "" {
		if o.Given.Report, err = m.readReport(f.report); err != nil {
			return o, err
		}
	}
	for _, x := range []struct {
		what, path string
		limit      int64
		into       *[]byte
	}{
		{"event", f.event, local.MaxEvent, &o.Given.Event},
		{"steps context", f.steps, local.MaxContext, &o.Given.Steps},
		{"needs context", f.needs, local.MaxContext, &o.Given.Needs},
		{"checks", f.checks, local.MaxContext, &o.Given.Checks},
		{"key", f.hmacKey, local.MaxKey, &o.Given.HMACKey},
	} {
		if x.path == "" {
			continue
		}
		data, err := local.ReadFile(x.what, m.path(x.path), x.limit)
		if err != nil {
			return o, err
		}
		*x.into = append([]byte{}, data...) // given, even if empty
	}
	if f.hmacKey != "" {
		key := strings.TrimSuffix(strings.TrimSuffix(string(o.Given.HMACKey), "\n"), "\r")
		if key == "" {
			return o, usageError("", "--hmac-key-file %s holds no key", f.hmacKey)
		}
		o.Given.HMACKey = []byte(key)
	}
	return o, nil
}

// readReport reads a report from a file or standard input.
func (m *outside) readReport(path string) ([]byte, error) {
	if path != "-" {
		data, err := local.ReadFile("report", m.path(path), local.MaxReport)
		return append([]byte{}, data...), err
	}
	data, err := local.ReadAll(m.stdin, local.MaxReport)
	if err != nil {
		return nil, fmt.Errorf("read the report from standard input: %w", err)
	}
	return append([]byte{}, data...), nil
}
